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
#define X(NAME, ...) WICK_EVENT_##NAME,
#include "def/event_type.def"
#undef X
    WICK_EVENT_TYPES
};

/* wick_event.flags */
enum {
    WICK_EVENT_KERNEL = 1, /* interrupted in kernel mode */
    WICK_EVENT_BIASED = 2, /* leaf method compiled before wick could ask for exact debug information */
    WICK_EVENT_BROKEN = 4, /* the walk ended early */
    WICK_EVENT_GAP = 8,    /* native frames between Java frames were lost */
};

struct wick_event {
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    uint64_t weight;
    uint64_t span_ns; /* WALL: from the first of its samples to the last */
    uint32_t stack;   /* node number in the generation below */
    uint32_t thread;  /* serial number of the thread, see engine/thread/threads.h */
    uint32_t generation;
    uint32_t context; /* also a number of that generation: what the thread worked on; 0 = nothing is known */
    uint16_t samples; /* how many samples it stands for; 0 counts as 1 */
    uint16_t note;    /* number of what else its engine knows of it; 0 = nothing */
    uint8_t type, flags;
    uint8_t java_state; /* JavaThreadState or 0 */
    uint8_t state;      /* WALL: enum wick_jfr_state as far as it is known without the stack */
};
_Static_assert(sizeof(struct wick_event) == 48, "a cell of the ring stays below a cache line");

#endif
