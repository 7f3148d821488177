/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels.h - what each thread is working on, readable in a signal handler
 *
 * A thread that has opened a scope (java/api) has a record here, written by the thread itself through a direct
 * ByteBuffer and read by the handler that interrupts it:
 *
 *      current = label set << 32 | depth          one 64-bit store makes a change visible
 *      spans[0 .. depth - 1]                      the innermost is spans[depth - 1]
 *
 * A new span is written behind the open ones, where no reader reads, and becomes visible with the store of `current`;
 * to close it, the old word is stored. So at every instruction the record is whole: there is no moment at which a
 * handler finds half an update, and none at which it finds nothing. What the compiler must not do is move the span's
 * stores behind that of `current`; the Java side puts a release store in between.
 *
 * Which record is it? A platform thread's is found by its kernel id. A virtual thread has its own, found by its
 * Thread.threadId(): the JVM keeps the id of the mounted virtual thread in its JavaThread, at a place that mount.h
 * finds. So context follows a virtual thread over any number of mounts and costs nothing at a mount.
 *
 * A sampler needs to know which threads have a context at all, of thousands, many times a second. So each thread also
 * has a byte, in a row by its place in the registry of threads, which it sets when its context ceases to be empty and
 * clears when it becomes empty (open.c). Virtual threads have none: they change carriers without notice. Their
 * carriers, about as many as processors, are marked, and a reader asks which thread is mounted.
 *
 * Beside the record of a virtual thread stands since when it has a context, and the caller's handle on the thread, so
 * that those that wait unmounted, which no thread of the kernel stands for, can be listed and sampled (virtual.c).
 *
 * Label sets ("customer=big,tier=gold"), endpoints and operations are texts with numbers, given once for the life of
 * the process. Number 0 is "none", WICK_LABELS_OVERFLOW stands for all that found no room.
 *
 * Records, texts and queues are never unmapped while the process lives: Java may hold buffers on them.
 *
 * Threads: _bind, _unbind, _intern, _connect lock; _read_sig and _text do not. A record is written by its own thread.
 * Memory:  one mapping, touched as it is used: 512 bytes a record, 28 more if it is a virtual thread's; texts at most 8
 * MiB; each client 1.3 MiB.
 */
#ifndef WICK_LABELS_LABELS_H
#define WICK_LABELS_LABELS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"
#include "labels/foreign.h"
#include "labels/mount.h"
#include "labels/queue.h"

enum {
    WICK_LABELS_DEPTH = 15,           /* spans of one thread that are open at once; deeper ones do not show */
    WICK_LABELS_RECORDS = 1 << 17,    /* threads with an open scope, virtual ones included */
    WICK_LABELS_MAX_TID = 1 << 22,    /* kernel ids are below */
    WICK_LABELS_TEXTS = 1 << 16,      /* different texts in the life of a process */
    WICK_LABELS_TEXT_BYTES = 8 << 20, /* and their sum */
    WICK_LABELS_TEXT_MAX = 4096,      /* bytes of one */
    WICK_LABELS_OVERFLOW = 1,         /* the text "[overflow]" */
    /* Kinds of texts of what threads wait for, which no program keeps few: ends of connections, files, and processes;
     * and how many of each are known in the life of a process. */
    WICK_LABELS_ENDS = 0,
    WICK_LABELS_FILES = 1,
    WICK_LABELS_CHILDREN = 2,
    WICK_LABELS_AWAITED_KINDS = 3,
    WICK_LABELS_AWAITED = 1 << 11,
    WICK_LABELS_CLIENTS = 4,      /* copies of the Java classes (class loaders) that can be connected */
    WICK_LABELS_LAYOUT = 2,       /* of records, places and queues; the Java side refuses another one */
    WICK_LABELS_PLACES = 1 << 16, /* threads of the registry; place 0 is nobody's */
    WICK_LABELS_OPEN = 1,         /* a place's byte: the thread has a context now; Java writes it */
    WICK_LABELS_CARRIER = 2,      /* or it carries virtual threads */
    WICK_LABELS_WAYS = 16,        /* slots of a bucket of virtual threads */
    WICK_LABELS_BUCKETS = 1 << 14,
};

struct wick_label_span {
    uint64_t trace_hi, trace_lo, span;
    uint32_t endpoint, operation; /* texts; endpoint: the operation of the outermost span in this process */
};

/* Offsets are known to java/api/src/wick/Record.java. */
struct wick_label_record {
    _Atomic uint64_t current;
    _Atomic uint64_t owner;           /* Thread.threadId() of a virtual thread; 0 = free or a platform thread's */
    _Atomic uint64_t closed, dropped; /* spans that ended while a recording ran; of these, found the queue full */
    struct wick_label_span spans[WICK_LABELS_DEPTH];
};
_Static_assert(sizeof(struct wick_label_record) == 512 && offsetof(struct wick_label_record, closed) == 16 &&
                   offsetof(struct wick_label_record, spans) == 32 && sizeof(struct wick_label_span) == 32 &&
                   offsetof(struct wick_label_span, endpoint) == 24,
               "WICK_LABELS_LAYOUT 2");

/* By place. Java writes bytes, samplers read words. */
union wick_label_places {
    _Atomic uint8_t bytes[WICK_LABELS_PLACES];
    _Atomic uint64_t words[WICK_LABELS_PLACES / 8];
};

/* What else is known of a virtual thread that has a record. */
struct wick_label_owner {
    _Atomic uint64_t since_ns; /* wick_clock_mono_ns when its outermost scope was opened */
    _Atomic(void *) thread;    /* the caller's handle; written under the lock */
    uint32_t at;               /* where it is among those held; under the lock */
};

/* A virtual thread that has a record. */
struct wick_label_holder {
    uint64_t id, since_ns;
    uint32_t record;
};

struct wick_labels_totals {
    uint64_t closed;    /* spans that ended while a recording ran */
    uint64_t taken;     /* given out by _take */
    uint64_t dropped;   /* the queue was full */
    uint64_t skipped;   /* the thread died while it wrote */
    uint64_t no_record; /* threads that found no record */
    uint64_t no_text;   /* texts that found no room */
    uint64_t open;      /* threads in a span now */
};

struct wick_labels {
    pthread_mutex_t lock;
    struct wick_label_record *records; /* [1 .. WICK_LABELS_RECORDS) */
    _Atomic uint32_t *record_of_tid;   /* [WICK_LABELS_MAX_TID) */
    union wick_label_places *places;
    _Atomic uint32_t *virtual_slots; /* [WICK_LABELS_BUCKETS][WICK_LABELS_WAYS] records of virtual threads, 0 = free */
    struct wick_label_owner *owners; /* [WICK_LABELS_RECORDS], by record */
    uint32_t *held;                  /* [held_count] records of virtual threads, in no order; under the lock */
    uint32_t *free_list;             /* records given back, last first */
    uint32_t held_count, free_count, record_top; /* record_top: first record never used */
    struct wick_labels_text {
        uint32_t at, len;
    } * texts; /* [1 .. text_count]; written before text_count */
    char *bytes;
    uint32_t *text_slots; /* hash of texts, twice as many as texts */
    _Atomic uint32_t text_count;
    uint32_t bytes_used, awaited_counts[WICK_LABELS_AWAITED_KINDS];
    struct wick_label_mount mount;
    struct wick_label_foreign foreign;
    const struct wick_mem *mem;       /* of this process, signal-safe */
    _Atomic uint32_t virtual_lost;    /* 1: a reference on the way to one was out of date */
    _Atomic uint32_t virtual_threads; /* 1 once a virtual thread has had a record: before, none is searched for */
    struct wick_label_client *clients[WICK_LABELS_CLIENTS];
    _Atomic uint32_t client_count;
    uint32_t next_client; /* to be read by _take */
    bool recording;
    struct wick_labels_totals gone; /* of records given back, and what is counted elsewhere */
    void *map;
    size_t map_bytes;
};

/* 0 or -WICK_E_NOMEM. mem is borrowed. _release is for tests: Java must not hold buffers. */
int wick_labels_init(struct wick_labels *l, const struct wick_mem *mem);
void wick_labels_release(struct wick_labels *l);

/* A record for the calling thread: kernel id `tid`; virtual_id: 0, or the id of the virtual thread that is mounted on
 * it. The one it has if it has one. 0: there is no room (counted). */
uint32_t wick_labels_bind(struct wick_labels *l, int32_t tid, uint64_t virtual_id);

/* The record of a virtual thread, 0 if it has none. Does not wait. */
uint32_t wick_labels_virtual(const struct wick_labels *l, uint64_t virtual_id);

/* As _bind for a virtual thread. A record that is new keeps the time and the handle *thread, which is NULL afterwards;
 * what is still there is the caller's to free. */
uint32_t wick_labels_bind_virtual(struct wick_labels *l, uint64_t virtual_id, uint64_t now_ns, void **thread);

/* Gives back the record of a virtual thread (it has no scope open) and returns the handle that was kept, or NULL. */
void *wick_labels_unbind_virtual(struct wick_labels *l, uint64_t virtual_id);

/* Lists the virtual threads that have a record, in no order: up to cap of them to out. Returns how many there are. Does
 * not hold up threads that open scopes. */
uint32_t wick_labels_holders(struct wick_labels *l, struct wick_label_holder *out, uint32_t cap);

/* Draws up to cap of them, each with the same probability, and all if there are no more than that. Returns how many it
 * drew, *count: of how many. *random: the state of a stream of random numbers. */
uint32_t wick_labels_draw(struct wick_labels *l, uint64_t *random, struct wick_label_holder *out, uint32_t cap,
                          uint32_t *count);

/* The context of one of them, wherever it runs or waits; *operation: of the innermost span, a text. False if it has
 * none any more, or changes it all the time. */
bool wick_labels_holder_context(const struct wick_labels *l, const struct wick_label_holder *h,
                                struct wick_context *out, uint32_t *operation);

/* Where its handle is, as an address, 0 = nowhere. It may be given back at any time: what is read there has to be
 * checked against the thread's id. Does not lock. */
uint64_t wick_labels_holder_place(const struct wick_labels *l, const struct wick_label_holder *h);

/* What `use` makes of its handle, NULL if it has none any more. The handle is not given back until it returns: `use`
 * must not wait. */
void *wick_labels_holder_thread(struct wick_labels *l, const struct wick_label_holder *h,
                                void *use(void *arg, void *thread), void *arg);

/* Gives back the record of a platform thread that ends, and clears its place. */
void wick_labels_thread_end(struct wick_labels *l, int32_t tid, uint32_t place);

/* The thread at that place carries virtual threads, until it ends. */
void wick_labels_carrier(struct wick_labels *l, uint32_t place);

/* Bit i: the thread at place 64 * word + i has a context now; *carriers: it is a carrier, and has to be asked for the
 * thread that is mounted on it (_mounted_has, by the address of its JavaThread). Neither waits; moments old. */
uint64_t wick_labels_open(const struct wick_labels *l, uint32_t word, uint64_t *carriers);
bool wick_labels_mounted_has(const struct wick_labels *l, uint64_t java);

/* The number of a text of len bytes, given now if it is new; WICK_LABELS_OVERFLOW if there is no room. */
uint32_t wick_labels_intern(struct wick_labels *l, const char *s, size_t len);

/* The same of what a thread waits for, of a kind; 0 if there is no room, or WICK_LABELS_AWAITED of that are known. */
uint32_t wick_labels_intern_awaited(struct wick_labels *l, unsigned kind, const char *s, size_t len);

/* The text of a number, NUL-terminated; "" for 0 and for numbers never given. */
const char *wick_labels_text(const struct wick_labels *l, uint32_t number);

/* Memory for one more copy of the Java classes; NULL if there are too many. Its recording flag is as the others'. */
struct wick_label_client *wick_labels_connect(struct wick_labels *l);

/* Notifies all clients whether scopes shall be written. */
void wick_labels_recording(struct wick_labels *l, bool on);

/* Takes one span that ended from the queues; false if there is none. One thread at a time. */
bool wick_labels_take(struct wick_labels *l, uint64_t now_ns, struct wick_label_event *out);

/* Sums the counters. Exact when no scope is being closed. */
void wick_labels_totals(struct wick_labels *l, struct wick_labels_totals *out);

/* The context of the calling thread, as a signal handler on it finds it. tid: its kernel id; java: its JavaThread or 0.
 * False if it has none. Async-signal-safe. */
bool wick_labels_read_sig(const struct wick_labels *l, int32_t tid, uint64_t java, struct wick_context *out);

static inline uint32_t wick_labels_bucket(uint64_t virtual_id)
{
    return (uint32_t)(virtual_id * 0x9e3779b97f4a7c15u >> 50) % WICK_LABELS_BUCKETS;
}

#endif
