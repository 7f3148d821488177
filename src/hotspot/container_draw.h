/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container_draw.h - virtual threads drawn from the JDK's own sets of them (JDK 21 and later)
 *
 * The JDK keeps the virtual threads that have started and not ended, for thread dumps: in one set those that were
 * started by themselves, and in a set of its own those of each Executors.newVirtualThreadPerTaskExecutor(). Those of a
 * StructuredTaskScope are in neither.
 *
 * Threads: any; async-signal-safe with a signal-safe memory.
 */
#ifndef WICK_HOTSPOT_CONTAINER_DRAW_H
#define WICK_HOTSPOT_CONTAINER_DRAW_H

#include <stdbool.h>

#include "hotspot/jvm.h"
#include "hotspot/oop.h"

/* A thread, or 0: one that could not be read. The sum of what all that are drawn stand for is on average the number of
 * threads, whatever the shape of the sets, and each thread has the same part in it. */
struct wick_hs_drawn {
    wick_addr thread;
    double stands_for;
};

/* Draws up to cap (2 at least) threads; returns how many. *known: false if some set could not be read, with ZGC until
 * what refers to it has been used; what was drawn is then too little. A collection that comes between makes nonsense of
 * all: compare wick_hs_collections before and after. *random: the state of a stream of random numbers. */
uint32_t wick_hs_containers_draw(const struct wick_jvm *jvm, const struct wick_hs_moves *moves, uint64_t *random,
                                 struct wick_hs_drawn *out, uint32_t cap, bool *known);

#endif
