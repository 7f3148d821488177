/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall_pick.h - the threads that are sampled at one tick of the wall clock
 *
 * Candidates are bits of a set, by slot number of the registry. A bit changes with one atomic operation; nothing is
 * rearranged. A tick takes a copy, 64 candidates a word, and draws k of them without replacement, each subset equally
 * likely (Floyd's algorithm on ranks). Its cost is that of k threads and of one read of each word.
 *
 * Each of the k stands for n / k candidates, so its weight is interval x n / k. The division leaves a rest, which is
 * dealt out in nanoseconds: the weights of a tick sum up to interval x n exactly.
 *
 * Threads: sets are changed by any number of threads; picks belong to one.
 */
#ifndef WICK_ENGINE_WALL_WALL_PICK_H
#define WICK_ENGINE_WALL_WALL_PICK_H

#include <stdbool.h>

#include "base/atomic.h"
#include "engine/thread/threads.h"

enum { WICK_WALL_WORDS = WICK_MAX_THREADS / 64, WICK_WALL_MOST = 1024 };

struct wick_wall_set {
    _Atomic uint64_t words[WICK_WALL_WORDS];
};

static inline void wick_wall_set_put(struct wick_wall_set *s, uint32_t slot, bool in)
{
    uint64_t bit = 1ull << (slot % 64);
    if (in)
        atomic_fetch_or_explicit(&s->words[slot / 64], bit, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(&s->words[slot / 64], ~bit, memory_order_relaxed);
}

static inline bool wick_wall_set_has(const struct wick_wall_set *s, uint32_t slot)
{
    return wick_load_relaxed(&s->words[slot / 64]) >> (slot % 64) & 1;
}

struct wick_wall_pick {
    uint64_t copy[WICK_WALL_WORDS];   /* the candidates of this tick */
    uint64_t chosen[WICK_WALL_WORDS]; /* by rank among them */
    uint32_t slots[WICK_WALL_MOST];   /* the result, ascending */
    uint32_t candidates, n;           /* how many there are, and how many were drawn */
};

/* Draws min(k, number of candidates, WICK_WALL_MOST) of the slots below `top` that are in a, and in b if that is not
 * NULL. */
void wick_wall_pick(struct wick_wall_pick *p, const struct wick_wall_set *a, const struct wick_wall_set *b,
                    uint32_t top, uint32_t k, uint64_t *random);

/* Weight of the i-th thread drawn, when `time_ns` have passed since the last tick. */
uint64_t wick_wall_weight(const struct wick_wall_pick *p, uint32_t i, uint64_t time_ns);

#endif
