/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_pool.h - which pool a Java thread works for, how many threads that may have, and how many tasks wait: of
 * java.util.concurrent.ThreadPoolExecutor, classes that extend it, others with the same fields, and of java.util.Timer
 *
 * Right only if no pause of the collector comes between: the caller knows when. What collectors leave behind that move
 * objects while the program runs (hotspot/oop.h) is recognised; with ZGC a pool cannot be read until the program or the
 * collector has used the references that lead to it. A thread whose factory wraps what the pool gives it to run is
 * taken for none of its workers unless the wrapper's class is known.
 *
 * Threads: any; the JavaThread must not be freed during the call.
 */
#ifndef WICK_HOTSPOT_THREAD_POOL_H
#define WICK_HOTSPOT_THREAD_POOL_H

#include <stdbool.h>

#include "hotspot/jvm.h"
#include "hotspot/oop.h"

/* How a class of queues keeps its tasks. Offsets in bytes, 0 = it has no such field. */
struct wick_hs_queue_fields {
    wick_addr klass;                       /* Klass; 0 = the end of the list */
    int32_t count;                         /* of its tasks: an int ... */
    int32_t counter;                       /* ... or an AtomicInteger; neither: it holds none */
    int32_t capacity;                      /* an int */
    int32_t elements;                      /* the array of its tasks */
    bool fixed;                            /* whose length is the capacity */
    uint32_t first;                        /* index of the first task there */
    wick_addr task;                        /* Klass of tasks that can be cancelled, 0 = not known */
    int32_t state;                         /* of such a task, an int: ... */
    uint32_t cancelled_from, cancelled_to; /* ... these values mean that it is cancelled */
    wick_addr timed;                       /* Klass of tasks that are due at some time, of which the first is the next
                                              one; 0 = not known */
    int32_t due;                           /* of such a task, a long: when: ns of System.nanoTime() ... */
    bool due_epoch_ms;                     /* ... or ms since 1970 */
};

/* A class of executors by the class of their workers. Offsets in bytes. */
struct wick_hs_executor_fields {
    wick_addr worker, executor;            /* Klasses; 0 = the end of the list */
    int32_t pool;                          /* of the worker */
    int32_t core, maximum, control, queue; /* of the executor; control: an AtomicInteger */
    const char *name; /* internal name of the worker's class, if that can be unloaded: its Klass may be another one's */
};

/* A class of what a thread runs instead of the worker itself, which it has in a field. */
struct wick_hs_wrapper_fields {
    wick_addr klass; /* 0 = the end of the list */
    int32_t task;
    const char *name; /* as above */
};

enum { WICK_HS_EXECUTORS = 8, WICK_HS_WRAPPERS = 8, WICK_HS_WRAPPED = 3 /* in one another at most */ };

/* Offsets in bytes, 0 = not known. */
struct wick_hs_pool_fields {
    struct wick_hs_moves moves;
    int32_t eetop, holder, task; /* of Thread; task: of its holder, if it has one (19..), else of Thread itself */
    struct wick_hs_executor_fields executors[WICK_HS_EXECUTORS];
    struct wick_hs_wrapper_fields wrappers[WICK_HS_WRAPPERS];
    wick_addr timer; /* Klass of the threads of timers */
    int32_t timer_queue;
    int32_t value;        /* of an AtomicInteger */
    int32_t array_length; /* of any array */
    struct wick_hs_queue_fields queues[8];
};

enum wick_hs_pool_found {
    WICK_HS_POOL_UNREADABLE, /* at the moment */
    WICK_HS_POOL_NONE,       /* the thread is no worker */
    WICK_HS_POOL_EXECUTOR,
    WICK_HS_POOL_TIMER
};

/* Whether the thread works for a pool. */
static inline bool wick_hs_pool_is_found(enum wick_hs_pool_found what)
{
    return what == WICK_HS_POOL_EXECUTOR || what == WICK_HS_POOL_TIMER;
}

enum { WICK_HS_POOL_CLASS = 128, WICK_HS_POOL_EXAMINED = 64 };

/* Of the tasks of a queue one of each so many is examined. */
static inline uint32_t wick_hs_pool_stride(uint32_t queued)
{
    uint32_t stride = 1;
    while (queued / stride > WICK_HS_POOL_EXAMINED)
        stride *= 2;
    return stride;
}

/* Which one, of the i-th so many: anywhere among them, so that no order of tasks is missed, but always the same one,
 * also when the queue has grown a little. */
static inline uint32_t wick_hs_pool_task(uint32_t i, uint32_t stride)
{
    return i * stride + (i * 0x9e3779b1u >> 16) % stride;
}

struct wick_hs_pool {
    uint32_t threads, core, maximum;
    int64_t queued, capacity;             /* tasks that wait, and most that may; -1 = not known, or no limit */
    uint32_t examined, cancelled;         /* of these tasks so many were, and of those so many are */
    int64_t overdue_ns;                   /* how long ago the first of them was due; 0 = it is not, -1 = not known */
    char queue_class[WICK_HS_POOL_CLASS]; /* internal name */
};

/* Where a thread's pool is: the executor or the timer's queue. Of one that works for none, or for one of a class that
 * has been loaded anew, the Klass of what it runs, 0 = it is itself what it runs. */
enum wick_hs_pool_found wick_hs_pool_of(const struct wick_jvm *jvm, const struct wick_hs_pool_fields *f,
                                        wick_addr java_thread, wick_addr *object);

/* What is to be known of it; false: not readable. Some 20 reads, and if tasks are to be examined that can be cancelled
 * up to 10 for each of 64; else `examined` is 0. */
bool wick_hs_pool_read(const struct wick_jvm *jvm, const struct wick_hs_pool_fields *f, enum wick_hs_pool_found what,
                       wick_addr object, bool tasks, struct wick_hs_pool *out);

#endif
