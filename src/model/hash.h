/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.h - hashing and the open-addressing index under every interning table of the tool side
 *
 * An interning table is an array of things (strings, frames, stacks ...) plus a `struct wick_index` that finds the
 * number of an equal thing. The index holds, per slot, 32 bits of the hash and the number; the things themselves stay
 * in the caller's array, which also does the comparison:
 *
 *     uint32_t at = wick_index_start(&ix, h), id;
 *     while (wick_index_next(&ix, h, &at, &id))
 *         if (things[id] equals what we search for)
 *             return id;
 *     ... append the thing as number id ...
 *     wick_index_add(&ix, h, id);
 *
 * Hashes are keyed with a random seed per process: recordings come from anywhere, and a file made of colliding keys
 * must not turn reading into quadratic work. Numbers never depend on the seed (things are numbered as first seen).
 *
 * Threads: one at a time per index; the seed may be read by all after the first wick_hash_seed_init().
 * Memory:  malloc; freed by wick_index_release.
 */
#ifndef WICK_MODEL_HASH_H
#define WICK_MODEL_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/keyed_hash.h"

extern uint64_t wick_hash_seed[2];

/* Draws the seed once per process; cheap when already done. */
void wick_hash_seed_init(void);

/* Hash of two words. */
static inline uint64_t wick_hash_2(uint64_t a, uint64_t b)
{
    return wick_keyed_hash_2(wick_hash_seed, a, b);
}

/* Hash of n bytes. */
static inline uint64_t wick_hash_bytes(const void *data, size_t n)
{
    return wick_keyed_hash(wick_hash_seed, data, n);
}

struct wick_index {
    uint64_t *slots; /* hash's upper half << 32 | number + 1; 0 = free. Invariant: at least a third is free. */
    uint32_t mask;   /* number of slots - 1; 0 = nothing allocated */
    uint32_t count;
};

/* First slot to probe for a hash. */
static inline uint32_t wick_index_start(const struct wick_index *ix, uint64_t hash)
{
    return (uint32_t)(hash >> 32) & ix->mask;
}

/* Next candidate with the same 32 hash bits: true and *id, or false when there is none left. */
static inline bool wick_index_next(const struct wick_index *ix, uint64_t hash, uint32_t *at, uint32_t *id)
{
    if (!ix->slots)
        return false;
    for (;;) {
        uint64_t s = ix->slots[*at];
        *at = (*at + 1) & ix->mask;
        if (!s)
            return false;
        if (s >> 32 == hash >> 32) {
            *id = (uint32_t)s - 1;
            return true;
        }
    }
}

/* Enters a number (below UINT32_MAX) that is not in the index yet. 0 or -WICK_E_NOMEM, then nothing has changed. */
int wick_index_add(struct wick_index *ix, uint64_t hash, uint32_t id);

void wick_index_release(struct wick_index *ix);

#endif
