/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.h - what a handler hands to the drain thread
 *
 * Threads: plain data.
 * Memory:  plain data.
 */
#ifndef WICK_RECORD_EVENT_H
#define WICK_RECORD_EVENT_H

#include <stdint.h>

enum wick_event_type {
    WICK_EVENT_CPU,  /* weight_ns = cpu time this sample stands for */
    WICK_EVENT_TTSP, /* a thread late to a safepoint; no weight: engine/ttsp.h knows the rest */
    WICK_EVENT_PERF, /* weight = number of occurrences of the session's perf event */
};

enum {                        /* wick_event.flags */
       WICK_EVENT_KERNEL = 1, /* interrupted in kernel mode */
       WICK_EVENT_BIASED = 2, /* leaf method compiled before wick could ask for exact debug information */
       WICK_EVENT_BROKEN = 4, /* the walk ended early */
       WICK_EVENT_GAP = 8,    /* native frames between Java frames were lost */
};

struct wick_event {
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    uint64_t weight;
    uint32_t stack;  /* node number in the generation below */
    uint32_t thread; /* serial number of the thread, see engine/threads.h */
    uint32_t generation;
    uint8_t type, flags;
    uint16_t state; /* JavaThreadState or 0 */
};
_Static_assert(sizeof(struct wick_event) == 32, "half a cache line");

#endif
