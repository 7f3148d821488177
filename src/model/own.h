/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own.h - what of a profile is the profiler's own work: that of its threads, and of its functions in the program's
 *
 * Memory:  a byte for each stack until _release.
 */
#ifndef WICK_MODEL_OWN_H
#define WICK_MODEL_OWN_H

#include "model/profile.h"

struct wick_owners {
    const struct wick_profile *p; /* borrowed; the rest may be zero at first */
    uint8_t *whose;               /* by stack: who started it */
    uint32_t n;
};

/* Whether a frame is a function of libwick.so, or stands for time of its threads without samples. */
bool wick_frame_is_own(const struct wick_profile *p, uint32_t frame);

/* Learns of the stacks that have come since the last time. False if memory ran out. */
bool wick_owners_learn(struct wick_owners *o);

/* Whether a stack that was learnt of is the profiler's own work. */
bool wick_owners_is_own(const struct wick_owners *o, uint32_t stack);

void wick_owners_release(struct wick_owners *o);

#endif
