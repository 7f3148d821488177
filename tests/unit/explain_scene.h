/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_scene.h - recordings of ten seconds of a service, for the rules of `wick explain`
 *
 * Apart from the test, because the headers of JFR writer and reader do not go together.
 *
 * Memory:  none kept.
 */
#ifndef WICK_TESTS_UNIT_EXPLAIN_SCENE_H
#define WICK_TESTS_UNIT_EXPLAIN_SCENE_H

#include <stdbool.h>
#include <stdint.h>

/* Times in ms of threads, sums of the ten seconds; shares of 1. */
struct scene {
    unsigned got, delay, collector;                   /* on a CPU, waiting for one, the collector's threads on one */
    unsigned sampled, hot;                            /* CPU samples, and those of them in one method */
    unsigned own;                                     /* more of them, and wall-clock samples, in wick's functions */
    unsigned run, queue, stall, monitor, disk, sleep; /* wall-clock samples of a thread with spans by state */
    unsigned in_spans;             /* how long that thread was in its spans, at least 9000; 0 = as its samples say */
    unsigned pool_run, pool_stall; /* of a thread whose CPU samples have an endpoint, and no span */
    unsigned periods, throttled, pauses, sync, late, memory_full;
    unsigned late_delay; /* of `late`, without a CPU */
    unsigned notified;   /* ms of a wait for a notification, as the JDK's own event has it, without a weight */
    unsigned stalls;     /* safepoints that are reached after 60 ms each, for another reason */
    unsigned biased, unsampled, fired, dropped, kills;
    unsigned unsampled_once; /* CPU time that had no sample for a while, in every other second */
    unsigned warm;           /* deoptimisations of the first two seconds */
    unsigned virtual_requests, carrier, carrier_idle; /* one of a virtual thread; samples of its carrier */
    unsigned unmounted, no_carrier;                   /* of virtual threads that are on none: at a lock, ready to run */
    unsigned nested, beyond; /* a collection within that of `pauses`; another one at the last second */
    bool part;               /* says which recording it is a part of: all that do, of the same one */
    unsigned named;          /* CPU time of a neighbour */
    unsigned waiting, operation, deopts, unloaded, compiler_off; /* methods, ms, numbers, ms */
    float code;                                                  /* of the code cache in use */
    float others, steal;
    uint64_t rss, limit;
    unsigned humongous,
        promoted;          /* collections for humongous allocations; of the old generation, that find most dead */
    unsigned heap, in_use; /* MiB: resident of the heap, and in use after each of four short collections */
    bool dies;             /* the pool's thread, of an OutOfMemoryError during the recording */
    bool idles;            /* but it only has nothing to do from then on, which is one sample */
    unsigned unstarted;    /* threads that could not be started, without memory */
    unsigned deadlock;     /* threads of one, which two searches find */
    bool searched;         /* for deadlocks, at the end */
    unsigned direct;       /* MiB of 100 that direct buffers used at most */
    unsigned queued;       /* connections that wait to be accepted; one more every other second if `queue_moves` */
    bool queue_moves;
    unsigned unread;     /* ms of the finalizer's thread with a stack that could not be read */
    unsigned finalizing; /* ms in which the finalizer's thread does not wait for work */
    unsigned quiet;      /* seconds without samples, at the start */
    bool wrapped;        /* figures of a thread that are less than they were, and so have become huge */
    bool huge;           /* with events whose figures are as large as can be, several times */
};

/* Writes the recording; the descriptor of a file in memory, -1 = failure. */
int explain_scene_record(const struct scene *s);

#endif
