/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.h - the threads of this process that an engine samples
 *
 * A thread has a slot from when it is first seen until it has ended, and a serial number that is never used again,
 * because the kernel reuses its thread ids: the same thread is one with the same id and the same time of its start.
 * Its names are kept until the recording has written them. While none is on, only Java threads have slots.
 *
 * Who writes what: `tid`, `serial`, `java` and what an engine arms are written under the registry's lock by ordinary
 * threads; a handler reads them, and alone writes `window`, `crossings`, `rest_until` and `owed` of its own thread. A
 * slot is only freed when its thread has ended, so no handler can run on it.
 *
 * Threads: functions take the lock unless named _sig.
 * Memory:  one mapping, touched as threads come; names by malloc.
 */
#ifndef WICK_ENGINE_THREAD_THREADS_H
#define WICK_ENGINE_THREAD_THREADS_H

#include <pthread.h>
#include <stdbool.h>

#include "record/recorder.h"

enum { WICK_MAX_THREADS = 1 << 16, WICK_MAX_TID = 1 << 22, WICK_MAX_HOOKS = 32, WICK_YOUNG_THREADS = 64 };

/* The number under which virtual threads that are on no carrier are in the recording, all of them: they come and go by
 * the hundred thousand, and are distinguished by their contexts. */
#define WICK_THREADS_UNMOUNTED 0xfffffffeu

struct wick_engine_thread {
    _Atomic int32_t tid;   /* 0 = free slot */
    uint32_t serial;       /* from 1 */
    _Atomic uint64_t java; /* JavaThread*, 0 = none (any more) */
    /* armed by an engine */
    int32_t perf_fd;               /* -1 = none */
    int32_t timer;                 /* kernel timer id, -1 = none */
    void *perf_page;               /* ring of the perf event, NULL = none */
    uint64_t phase;                /* value of the thread's clock (since arming) at which the first sample is due */
    uint64_t crossings;            /* multiples of the interval seen since */
    uint64_t cpu_base;             /* the thread's CPU clock at arming */
    uint64_t last_count, last_cpu; /* event counter and CPU clock at the last signal, since arming */
    uint64_t perf_head;            /* of the ring at the last signal */
    struct wick_stack_window window;
    uint64_t rest_until; /* CPU clock since arming: no sample before, because the last one was expensive */
    uint64_t owed;       /* intervals of samples that were put off, for the next one's weight */
    uint32_t seen;       /* number of the scan that saw it last */
    uint32_t armed;      /* bit i: by hooks[i] */
    bool unsampled;      /* neither an event nor a timer could be had for it */
    bool replaced;       /* being removed, and its id is another thread's now */
    uint64_t start;      /* the kernel's time of its start + 1, 0 = not known */
    uint64_t inode;      /* of its folder in /proc when it was last compared, 0 = not known */
};

/* What the recording says of a thread. */
struct wick_thread_name {
    uint32_t serial;
    int32_t tid;
    uint64_t java_tid;
    int32_t java_priority; /* 1 .. 10, 0 = not known */
    char os_name[16];
    char *java_name;    /* NULL: not a Java thread (or not known) */
    bool gone;          /* it had ended at the last wick_threads_forget */
    bool unseen;        /* it ended before the registry saw it: os_name is made of its id */
    uint32_t alias;     /* what it is called now, 0 = still java_name; while a recording runs */
    uint64_t looked_ns; /* when its name was read last */
    bool compared;      /* with the kernel's name, which is what `followed` says, since it has its present name */
    char followed[16];  /* the kernel's name of it when that was last found to be its Java name's; "" = never */
};

/* A name that a Java thread got while it was sampled (thread_names.c). */
struct wick_thread_alias {
    uint32_t key, serial, before; /* its number; the thread's; the alias that held before, 0 = the first name */
    uint64_t since_ns;            /* CLOCK_MONOTONIC */
    char *name;
    bool old; /* it no longer held at the last wick_threads_forget */
};

enum wick_thread_name_found {
    WICK_THREAD_NAME_UNKNOWN,   /* at the moment */
    WICK_THREAD_NAME_READ,      /* and copied */
    WICK_THREAD_NAME_AS_BEFORE, /* it is still the one that was copied last for this JavaThread */
};

/* Copies a Java thread's current name. */
typedef enum wick_thread_name_found wick_thread_name_reader(void *arg, wick_addr java_thread, char *buf, size_t cap);

/* An engine's hooks; all run under the lock. `arg` identifies the engine. */
struct wick_thread_hooks {
    void (*arm)(void *arg, struct wick_engine_thread *t, bool born_late);
    void (*disarm)(void *arg, struct wick_engine_thread *t);
    void (*end)(void *arg, struct wick_engine_thread *t); /* in an armed Java thread that ends; may be NULL */
    void *arg;
    /* In a Java thread that starts, where a scan had found and armed it before the JVM announced it; may be NULL. */
    void (*java)(void *arg, struct wick_engine_thread *t);
};

struct wick_threads {
    pthread_mutex_t lock;
    struct wick_engine_thread *slots; /* [1 .. WICK_MAX_THREADS) */
    _Atomic uint32_t *slot_of_tid;    /* [WICK_MAX_TID), 0 = none */
    _Atomic uint32_t top;             /* highest slot in use + 1 */
    uint32_t free_hint;               /* where to search for a free one */
    uint32_t next_serial, scan;
    struct wick_thread_hooks hooks[WICK_MAX_HOOKS]; /* arm = NULL: nobody's */
    struct wick_thread_name *names;                 /* sorted by serial */
    uint32_t name_count, name_cap;
    struct wick_thread_alias *aliases; /* sorted by key */
    uint32_t alias_count, alias_cap, next_alias;
    uint64_t rounds_ns[2];              /* when the round before and this one began */
    wick_thread_name_reader *read_name; /* NULL: names are those at the start */
    void *read_name_arg;
    bool or_kernel;    /* a name that cannot be read is the kernel's */
    uint64_t overflow; /* threads that found no slot */
    /* Threads born lately, whose names are read again for some polls: most name themselves a moment after their start.
     */
    struct {
        uint32_t serial, polls;
    } young[WICK_YOUNG_THREADS];
    uint32_t young_next;
    uint64_t scan_state[2]; /* number of threads, and last pid given out, at the last poll */
    uint64_t probed_pid;    /* no pid since that one is a thread of ours, as far as known */
    bool recording;         /* from wick_threads_begin to wick_threads_rest */
    bool pids_are_ours;     /* the last pid given out is visible in our pid namespace */
    uint64_t scan_rest_until_ns;
};

/* 0 or -WICK_E_NOMEM. _release must come after _disarm. */
int wick_threads_init(struct wick_threads *ts);
void wick_threads_release(struct wick_threads *ts);

/* The thread with kernel id tid, NULL if it is not known. Async-signal-safe. */
static inline struct wick_engine_thread *wick_threads_find_sig(const struct wick_threads *ts, int32_t tid)
{
    uint32_t slot =
        tid > 0 && tid < WICK_MAX_TID ? wick_load_acquire(&ts->slot_of_tid[tid]) : 0; /* pairs: add in threads.c */
    return slot ? &ts->slots[slot] : NULL;
}

/* Sets the name of a Java thread (UTF-8, copied) and its JavaThread; registers and arms the thread if it was not known.
 * For the thread's start (run in that thread) and for those that exist at the agent's start. */
void wick_threads_java(struct wick_threads *ts, int32_t tid, wick_addr java, const char *name, uint64_t java_tid);

/* Sets the Java priority of a known thread. */
void wick_threads_java_priority(struct wick_threads *ts, int32_t tid, int32_t priority);

/* The Java thread ends: its JavaThread will be freed. */
void wick_threads_java_end(struct wick_threads *ts, int32_t tid);

/* A recording begins: from now on threads that end stay known until it has written them. */
void wick_threads_begin(struct wick_threads *ts);

/* An engine begins to sample: every thread of the process is made known and armed. 0, or -WICK_E_LIMIT if
 * WICK_MAX_HOOKS run already. */
int wick_threads_arm(struct wick_threads *ts, const struct wick_thread_hooks *hooks);

/* The engine whose hooks have that argument ends. Does nothing if there is none. */
void wick_threads_disarm(struct wick_threads *ts, const void *arg);

/* Finds threads that started or ended without notification. Costs a few system calls when nothing changed. */
void wick_threads_poll(struct wick_threads *ts);

/* Reads the kernel's names of all live threads again: for the end of a chunk. */
void wick_threads_refresh_names(struct wick_threads *ts);

/* What is known of the thread with that serial number. The Java name is copied to buf, because a thread that ends may
 * change it at any time, and cut at cap. False if nothing is known. */
bool wick_threads_name(struct wick_threads *ts, uint32_t serial, struct wick_thread_name *out, char *buf, size_t cap);

/* Names of Java threads are read by `read` from now on, NULL: they are not. It is called under the lock. */
void wick_threads_names_from(struct wick_threads *ts, wick_thread_name_reader *read, void *arg, bool or_kernel);

/* A recording begins: what all Java threads are called now are their first names in it. */
void wick_threads_names_begin(struct wick_threads *ts, uint64_t now_ns);

/* A round of the drain thread begins. */
void wick_threads_round(struct wick_threads *ts, uint64_t now_ns);

/* The number by which wick_threads_name knows the thread `serial` under the name that it had at that time: its name is
 * read, unless it was after that time, and a new one holds since it was read before, or since the round before. */
uint32_t wick_threads_named(struct wick_threads *ts, uint32_t serial, uint64_t time_ns);

/* The kernel's name of a thread of this process; unchanged if it cannot be read. */
void wick_threads_os_name(int32_t tid, char name[16]);

/* For threads.c, under the lock: the thread is called that now; its names; an alias by its number; drops aliases that
 * no longer hold, `all`: the recording is over. */
void wick_threads_rename_locked(struct wick_threads *ts, struct wick_thread_name *n, const char *name);
struct wick_thread_name *wick_threads_name_of_locked(struct wick_threads *ts, uint32_t serial);
const struct wick_thread_alias *wick_threads_alias_locked(const struct wick_threads *ts, uint32_t key);
void wick_threads_forget_aliases_locked(struct wick_threads *ts, bool all);

/* wick_threads_name inside a hook; borrowed until the hook returns. NULL if nothing is known. */
const struct wick_thread_name *wick_threads_name_locked(struct wick_threads *ts, uint32_t serial);

/* Whether a thread is one of wick's own, inside a hook: by its name. */
bool wick_threads_is_own_locked(struct wick_threads *ts, uint32_t serial);

/* All slots in use lie below. A moment old, but never less than when the caller's last thread was armed. It is written
 * under the lock, and publishes nothing: what a slot has is published by slot_of_tid and by its own members. */
static inline uint32_t wick_threads_top(const struct wick_threads *ts)
{
    return wick_load_relaxed(&ts->top);
}

/* The number of the thread with that id, for an event that was taken before the registry knew it: it is made known and
 * armed. If it has ended, it gets a number and a name like "[tid=123]". 0: out of memory, or no id. */
uint32_t wick_threads_of(struct wick_threads *ts, int32_t tid);

/* The recording has written all it has of threads that were gone at the last call: drops their names. */
void wick_threads_forget(struct wick_threads *ts);

/* The recording is over and has written all: only Java threads stay known, each until it ends. */
void wick_threads_rest(struct wick_threads *ts);

#endif
