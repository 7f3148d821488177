/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttsp.h - the engine that finds the threads that are slow to reach a safepoint
 *
 * A watcher thread polls the JVM's safepoint state (hotspot/safepoint.h). It costs nothing but these polls, a little
 * more often than the first threshold, as long as no safepoint takes that long to reach. When one does, the threads
 * that have not arrived get a signal, and another one at each further threshold; each signal is an attempt: the
 * kernel's facts of the thread are read, then it is asked for its stack. A thread that gives way while the watcher is
 * at it is asked once more: it then stands where it stopped.
 *
 *      watcher                       slow thread, in the handler        reader (the drain thread)
 *      incident: free -> open
 *      attempt:  free -> sent
 *                                    sent -> answering -> answered
 *                                    stack as an event in a ring   -->  finds the attempt by its number
 *      incident: open -> closed
 *                                                                       closed: all attempts answered, or too late:
 *                                                                       sent -> free; incident -> free
 *
 * Who writes what: an incident's own fields and its slow threads' belong to the watcher until it is closed, then to the
 * reader; those of an attempt to the watcher until it is sent, then to the handler until it is answered. `word`
 * decides. The reader may read what was written before the signal was sent as soon as it has the event.
 *
 * In the same way threads are asked that hold up a garbage collection by JNI critical sections (hotspot/critical.h),
 * which comes before any safepoint; their incidents have `critical` set.
 *
 * A thread that ends during an incident: the JVM frees no thread during a safepoint; after it, memory is read through
 * the kernel, a signal to a thread that has ended fails, and one that reaches another thread with the same number is
 * recognised by the JavaThread.
 *
 * Threads: start and stop by the session's owner; wick_ttsp_found and wick_ttsp_collect by the drain thread.
 * Memory:  the incidents are static and live as long as the process.
 */
#ifndef WICK_ENGINE_TTSP_TTSP_H
#define WICK_ENGINE_TTSP_TTSP_H

#include <pthread.h>
#include <signal.h>

#include "base/err.h"
#include "engine/gate.h"
#include "engine/signal.h"
#include "engine/thread/thread_facts.h"
#include "engine/thread/threads.h"
#include "hotspot/critical.h"
#include "hotspot/safepoint.h"

enum {
    WICK_TTSP_STEPS = 5,      /* thresholds */
    WICK_TTSP_INCIDENTS = 16, /* that can be under way, or unread, at a time */
    WICK_TTSP_LATE_MAX = 16,  /* threads of an incident that are examined */
    WICK_TTSP_ATTEMPTS = 128, /* signals of an incident */
    WICK_TTSP_OPERATION = 64,
};

struct wick_ttsp_config {
    uint64_t threshold_ns[WICK_TTSP_STEPS]; /* since the start of the safepoint, rising */
    uint64_t interval_ns;                   /* between the signals that follow */
    int32_t critical_place;                 /* in a JavaThread, see hotspot/critical.h; WICK_HS_NONE = not known */
    int awake_signal;                       /* signal that the watcher leaves unblocked, 0 = none */
};

/* A thread that was slow to reach the safepoint. */
struct wick_ttsp_late {
    int32_t tid;
    uint32_t serial; /* 0 = the registry does not know it */
    wick_addr java;
    struct wick_thread_rules rules;
    uint64_t released_ns; /* when it was seen to have given way, 0 = not yet */
    bool asked;           /* where it gave way */
    uint32_t named;       /* the drain thread's: its number under the name at the incident's start, 0 = not yet asked */
};

enum wick_ttsp_phase { WICK_TTSP_FREE, WICK_TTSP_SENT, WICK_TTSP_ANSWERING, WICK_TTSP_ANSWERED };

/* One signal. */
struct wick_ttsp_attempt {
    _Atomic uint64_t word; /* ticket << 2 | enum wick_ttsp_phase */
    struct wick_ttsp_incident *incident;
    uint32_t late;   /* which thread */
    uint32_t number; /* of the attempt at this thread, from 1 */
    bool gave_way;   /* asked after it had arrived */
    uint64_t sent_ns;
    struct wick_thread_now facts; /* just before */
    /* by the handler */
    _Atomic uint64_t answered_ns;
    uint64_t pc;
    bool held; /* the safepoint still held the thread then */
    struct wick_stack_window window;
    /* by the reader */
    char *stack; /* as text, malloc; NULL = none came */
};

struct wick_ttsp_incident {
    /* 0 free, 1 open, 2 closed, 3 lost: of a handler that has not come back, never free again */
    _Atomic uint32_t phase;
    uint64_t id;        /* counts incidents of the process from 1 */
    uint64_t safepoint; /* the JVM's number */
    uint64_t begin_ns, sync_ns, end_ns;
    uint64_t reach_ns; /* time to safepoint */
    uint64_t closed_ns;
    bool critical;                 /* no safepoint: a collection waited for threads that hold arrays */
    bool begin_exact, reach_exact; /* by the JVM's own clock */
    bool ripe;                     /* the reader's: seen settled before */
    char operation[WICK_TTSP_OPERATION];
    wick_addr operation_class; /* where the name must be found by the class's virtual functions, 0 = none */
    uint32_t java_threads, awaited;
    uint32_t late_count, attempt_count;
    struct wick_ttsp_late late[WICK_TTSP_LATE_MAX];
    struct wick_ttsp_attempt attempts[WICK_TTSP_ATTEMPTS];
};

struct wick_ttsp_engine {
    struct wick_recorder *recorder;
    struct wick_threads *threads;
    const struct wick_jvm *jvm;
    const struct wick_elf_image *libjvm;
    struct wick_ttsp_config config;
    struct wick_hs_safepoint safepoint;
    struct wick_hs_critical critical;
    /* the watcher's: safepoints that it followed or reported, so what the JVM's sums are ahead by it has not seen */
    uint64_t known_count, known_sync_ns, known_begin_ns;
    uint64_t polled_sync_ns; /* the JVM's sum at the last poll that found it grown */
    bool in_critical;        /* the watcher's: it follows a collection that waits, not a safepoint */
    struct wick_signal signal;
    pthread_t watcher;
    int wake, pid;
    bool running;
    _Atomic int source;           /* enum wick_hs_safepoint_source, -1 = not opened yet */
    _Atomic uint64_t looks;       /* how often the watcher woke up */
    _Atomic uint64_t incidents;   /* found */
    _Atomic uint64_t lost;        /* found while none was free */
    _Atomic uint64_t unwatched;   /* of those found: over before the watcher could poll, so no thread was asked */
    _Atomic uint64_t unclear;     /* safepoints that together took that long while it could not poll */
    _Atomic uint64_t unsent;      /* signals that the kernel refused */
    _Atomic uint64_t dumb;        /* answered, but without a stack */
    _Atomic uint64_t vm_start_ns; /* what the VM's log calls uptime counts from here, 0 = not known */
};

extern struct wick_ttsp_incident wick_ttsp_slots[WICK_TTSP_INCIDENTS];

/* Reads thresholds: `list` in ms ("1,2,5,10,20", also with : or /; missing ones go on by the interval) if it is not
 * empty, else `threshold` percent of the JVM's timeout; the interval is `interval` percent of it. -WICK_E_USAGE. */
int wick_ttsp_thresholds(const char *list, uint64_t threshold, uint64_t interval, uint64_t timeout_ms,
                         struct wick_ttsp_config *out, struct wick_err *err);

/* Starts watching. The recorder must be running. -WICK_E_STATE: no free signal. */
int wick_ttsp_start(struct wick_ttsp_engine *e, const struct wick_ttsp_config *c, const struct wick_jvm *jvm,
                    const struct wick_elf_image *libjvm, struct wick_recorder *r, struct wick_threads *ts,
                    struct wick_err *err);

/* Stops it and gives the signal back. No handler of ours runs any more when it returns, except lost ones (`keep`).
 * Incidents can still be collected. */
void wick_ttsp_stop(struct wick_ttsp_engine *e);

/* The number of an attempt, from 1: that of its event's note. */
static inline uint16_t wick_ttsp_note(const struct wick_ttsp_attempt *a)
{
    uint64_t incident = (uint64_t)(a->incident - wick_ttsp_slots), n = (uint64_t)(a - a->incident->attempts);
    return (uint16_t)(incident * WICK_TTSP_ATTEMPTS + n + 1);
}
_Static_assert(WICK_TTSP_INCIDENTS *WICK_TTSP_ATTEMPTS < UINT16_MAX, "a note's number has 16 bits");

/* The attempt that an event from the ring belongs to, NULL if it came too late. */
struct wick_ttsp_attempt *wick_ttsp_found(const struct wick_event *event);

/* To be called after the rings were emptied. Calls `report` for each incident that is over and whose signals were
 * answered, or are not expected to be (or, with `all`, for every one), and frees it unless a lost handler may write
 * there. */
void wick_ttsp_collect(bool all, void (*report)(void *arg, struct wick_ttsp_incident *i), void *arg);

static inline enum wick_ttsp_phase wick_ttsp_phase_of(uint64_t word)
{
    return (enum wick_ttsp_phase)(word & 3);
}

/* The handler (ttsp_sig.c) and what it serves, NULL = nothing; read inside the gate. */
extern _Atomic(struct wick_ttsp_engine *) wick_ttsp_current;
extern struct wick_gate wick_ttsp_gate;
void wick_ttsp_handle_sig(int sig, siginfo_t *info, void *context);

/* Appends the incident to fd. vm_start_ns: what uptimes count from (CLOCK_MONOTONIC), 0 = the process's start. */
void wick_ttsp_log(int fd, struct wick_threads *ts, const struct wick_ttsp_incident *i, uint64_t vm_start_ns);

#endif
