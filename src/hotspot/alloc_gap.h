/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_gap.h - the bytes that a thread allocates until the JVM samples its next object, in its JavaThread
 *
 * HotSpot's ThreadHeapSampler (11 to 27) has one number in each Thread: how many bytes are left until the next sample
 * (up to 24), or how many there are between two samples, beside counters of what was allocated since the last one
 * (25). Nothing exports where. It is found by what HotSpot does as it makes a thread: it sets a generator of random
 * numbers, one for all threads, to the address of that number, and draws the first gap with it. So of a thread that
 * has not been sampled yet the number is known, and depends on where it stands.
 *
 * Threads: any; see each function.
 * Memory:  the caller's struct.
 */
#ifndef WICK_HOTSPOT_ALLOC_GAP_H
#define WICK_HOTSPOT_ALLOC_GAP_H

#include <stdbool.h>

#include "hotspot/jvm.h"

struct wick_hs_alloc_gap {
    int32_t place;    /* in a JavaThread; WICK_HS_NONE = not known */
    bool counted;     /* what was allocated since the last sample stands behind it, and is compared with it (25) */
    int32_t tlab_top; /* in a JavaThread, where counted */
};

/* The first gap of a thread whose number is at that address, drawn with that interval. exact: as all JVMs do; else as
 * JDK 11 does before anybody has sampled, with whole binary logarithms. */
uint64_t wick_hs_alloc_gap_first(wick_addr number, uint32_t interval, bool exact);

/* Finds the place by the JVM's threads, if at least three of them agree and no other place is as likely. interval: that
 * in force, in case somebody has changed it. tid: a thread that has allocated something just now: others may have no
 * buffer, as after a collection, and then do not show which form it is. */
void wick_hs_alloc_gap_find(struct wick_hs_alloc_gap *g, const struct wick_jvm *jvm, uint32_t interval, int32_t tid);

/* The calling thread's next sample, `java` being its JavaThread, comes after that many bytes from now on. Of another
 * thread: only while no thread is sampled, and while that one cannot end. False: what stands there is not as it should
 * be, and stays. */
bool wick_hs_alloc_gap_set(const struct wick_hs_alloc_gap *g, wick_addr java, uint64_t bytes);

#endif
