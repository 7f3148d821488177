/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moments.h - when to write what is alive: often at first, then each time that the recording has become a fifth longer,
 * so that growth shows at any scale of time
 *
 * A chunk has a moment, unless it is short, and so has the end of the recording.
 */
#ifndef WICK_ENGINE_MOMENTS_H
#define WICK_ENGINE_MOMENTS_H

#include "engine/engine.h"

#define WICK_MOMENTS_FIRST_NS   10000000000ull
#define WICK_MOMENTS_LONGEST_NS 60000000000ull
#define WICK_MOMENTS_LEAST_NS   5000000000ull /* between two of which the second is the end of a chunk */

struct wick_moments {
    uint64_t start_ns, last_ns; /* of the recording, of the latest moment */
    uint32_t count;
    bool wanted; /* one, now */
};

/* Whether a moment is due at a take. */
static inline bool wick_moments_due(const struct wick_moments *m, enum wick_engine_take what, uint64_t now_ns)
{
    uint64_t since = now_ns - m->last_ns, fifth = (now_ns - m->start_ns) / 5;
    uint64_t wanted = fifth > WICK_MOMENTS_LONGEST_NS ? WICK_MOMENTS_LONGEST_NS
                      : fifth > WICK_MOMENTS_FIRST_NS ? fifth
                                                      : WICK_MOMENTS_FIRST_NS;
    return what == WICK_TAKE_LAST || m->wanted || since >= (what == WICK_TAKE_ALL ? WICK_MOMENTS_LEAST_NS : wanted);
}

/* It is being written: its number, from 1 on. */
static inline uint32_t wick_moments_next(struct wick_moments *m, uint64_t now_ns)
{
    m->last_ns = now_ns;
    m->wanted = false;
    return ++m->count;
}

#endif
