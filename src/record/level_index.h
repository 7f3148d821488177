/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level_index.h - a lock-free, insert-only hash index over numbered things
 *
 * An index maps a hash to numbers 1, 2, 3 ... of things that live elsewhere; 0 is an empty slot. It grows by levels:
 * level 0 is small, each next one twice as large and mapped only when it is first touched, so that a short recording
 * costs little memory and nothing is ever rehashed or moved under a reader. Lookups try the levels in order; what was
 * seen first, and is therefore hot, is found first.
 *
 *      level 0  [.........]            INDEX_FIRST slots
 *      level 1  [..................]
 *      level 2  [....................................]
 *
 * Two threads that insert equal things at the same moment may end up with two numbers when one of them sees a level
 * full and the other does not; readers must tolerate such twins.
 *
 * Threads: any number of finders and inserters at once; async-signal-safe; wait-free (probes are bounded).
 * Memory:  borrows zeroed memory from the creator.
 */
#ifndef WICK_RECORD_LEVEL_INDEX_H
#define WICK_RECORD_LEVEL_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/atomic.h"

enum { WICK_LEVEL_INDEX_LEVELS = 8, WICK_LEVEL_INDEX_PROBES = 16 };

struct wick_level_index {
    _Atomic uint32_t *slots[WICK_LEVEL_INDEX_LEVELS];
    uint32_t size[WICK_LEVEL_INDEX_LEVELS]; /* powers of two; 0 = no such level */
    _Atomic uint32_t used[WICK_LEVEL_INDEX_LEVELS];
};

/* Bytes that `levels` levels starting with `first` slots need. */
static inline size_t wick_level_index_bytes(uint32_t first, int levels)
{
    return (size_t)first * (((size_t)1 << levels) - 1) * sizeof(uint32_t);
}

static inline void wick_level_index_init(struct wick_level_index *ix, void *zeroed, uint32_t first, int levels)
{
    _Atomic uint32_t *at = zeroed;
    *ix = (struct wick_level_index){0};
    for (int i = 0; i < levels; i++) {
        ix->slots[i] = at;
        ix->size[i] = first << i;
        at += ix->size[i];
    }
}

/* Whether thing number n is the one searched for. */
typedef bool wick_level_index_eq(const void *arg, uint32_t n);

/* The number of the thing, 0 if it is not there. */
static inline __attribute__((always_inline)) uint32_t
wick_level_index_find(const struct wick_level_index *ix, uint32_t hash, wick_level_index_eq *eq, const void *arg)
{
    for (int l = 0; l < WICK_LEVEL_INDEX_LEVELS && ix->size[l]; l++) {
        uint32_t mask = ix->size[l] - 1;
        for (uint32_t i = 0; i < WICK_LEVEL_INDEX_PROBES; i++) {
            uint32_t n = wick_load_acquire(&ix->slots[l][(hash + i) & mask]); /* pairs: wick_level_index_insert */
            if (!n)
                break;
            if (eq(arg, n))
                return n;
        }
        if (!wick_load_relaxed(&ix->used[l]))
            break;
    }
    return 0;
}

/* Publishes thing n, which must be complete. Returns n, or the number of an equal thing that was faster, or 0 if all
 * levels are full. */
static inline __attribute__((always_inline)) uint32_t wick_level_index_insert(struct wick_level_index *ix,
                                                                              uint32_t hash, uint32_t n,
                                                                              wick_level_index_eq *eq, const void *arg)
{
    for (int l = 0; l < WICK_LEVEL_INDEX_LEVELS && ix->size[l]; l++) {
        uint32_t mask = ix->size[l] - 1;
        if (wick_load_relaxed(&ix->used[l]) > ix->size[l] - ix->size[l] / 4)
            continue;
        for (uint32_t i = 0; i < WICK_LEVEL_INDEX_PROBES; i++) {
            uint32_t seen = 0;
            if (wick_cas_acq_rel(&ix->slots[l][(hash + i) & mask], &seen, n)) { /* pairs: wick_level_index_find */
                wick_add_relaxed(&ix->used[l], 1);
                return n;
            }
            if (eq(arg, seen))
                return seen;
        }
        /* a crowded neighbourhood: mark the level as touched, so that finders go on to the next */
        wick_add_relaxed(&ix->used[l], 1);
    }
    return 0;
}

#endif
