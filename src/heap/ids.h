/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ids.h - the ids of a dump's objects as numbers 0, 1, 2 ... in the order of their addresses
 *
 * An id is the object's address, so ids lie close together and are multiples of 8: a bit for each possible address,
 * and how many bits are set before each block of 512 and before each of its words (nine bits each, seven words), give
 * the number of an id (Vigna: Broadword Implementation of Rank/Select Queries, 2008). It takes a 51st of the heap's
 * size.  Ids that are far apart (another JVM, a hostile file) are sorted instead, 8 bytes each.
 *
 * Threads: one while it is made.
 * Memory:  arrays of the store.
 */
#ifndef WICK_HEAP_IDS_H
#define WICK_HEAP_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "heap/store.h"

struct wick_heap_ids_block {
    uint64_t words[8];
    uint64_t before; /* set bits before the words 1 to 7, from the lowest nine bits on */
    uint32_t rank;   /* set bits before the block */
};

struct wick_heap_ids {
    uint64_t min, max;             /* smallest and largest id */
    unsigned shift;                /* bits that are 0 in the difference of any two */
    uint64_t most, added;          /* ids that were seen; that were given, some perhaps twice */
    uint32_t n;                    /* different ids */
    struct wick_heap_array blocks; /* struct wick_heap_ids_block; bit (id - min) >> shift of all */
    struct wick_heap_array sorted; /* instead of those */
};

/* What _see knows of all ids before the first is added. */
struct wick_heap_ids_range {
    uint64_t min, max, ones, n; /* ones: of all ids together */
    uint64_t first;
};

/* Takes note of an id; r = {0} at first. */
static inline void wick_heap_ids_see(struct wick_heap_ids_range *r, uint64_t id)
{
    if (!r->n++)
        r->first = r->min = r->max = id;
    r->min = id < r->min ? id : r->min;
    r->max = id > r->max ? id : r->max;
    r->ones |= id ^ r->first;
}

/* Makes room for the ids that were seen; they are added with _add, then _finish numbers them. Errors as of the store;
 * -WICK_E_LIMIT for more than 2^31 - 17. */
int wick_heap_ids_init(struct wick_heap_ids *ids, const struct wick_heap_ids_range *r, struct wick_heap_store *s,
                       struct wick_err *err);
/* False for an id that was not seen, as in a dump that changes while it is read; not every such id is noticed. */
bool wick_heap_ids_add(struct wick_heap_ids *ids, uint64_t id);
void wick_heap_ids_finish(struct wick_heap_ids *ids);
void wick_heap_ids_release(struct wick_heap_ids *ids, struct wick_heap_store *s);

/* The number among sorted ids; UINT32_MAX. For _find. */
uint32_t wick_heap_ids_search(const struct wick_heap_ids *ids, uint64_t id);

/* Set bits. The compiler's own is a call of a function where the processor's instruction may not be used. */
static inline uint32_t wick_heap_ids_ones(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* The number of an id; UINT32_MAX if no object has it. */
static inline uint32_t wick_heap_ids_find(const struct wick_heap_ids *ids, uint64_t id)
{
    if (id < ids->min || id > ids->max || !ids->n)
        return UINT32_MAX;
    if (ids->sorted.p)
        return wick_heap_ids_search(ids, id);
    uint64_t bit = (id - ids->min) >> ids->shift;
    const struct wick_heap_ids_block *block = (const struct wick_heap_ids_block *)ids->blocks.p + (bit >> 9);
    unsigned word = bit >> 6 & 7;
    uint64_t mask = UINT64_C(1) << (bit & 63);
    if (bit << ids->shift != id - ids->min || !(block->words[word] & mask))
        return UINT32_MAX;
    uint32_t n = block->rank + (word ? (uint32_t)(block->before >> (9 * (word - 1)) & 511) : 0);
    return n + wick_heap_ids_ones(block->words[word] & (mask - 1));
}

#endif
