/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nativemem_table.h - which blocks of native memory are followed, by their address
 *
 * Each free of the process asks whether its block is one of those, and nearly always it is not. So that is answered by
 * one byte: a filter has for each hash of an address how many blocks of that hash are followed. Only where that is not
 * 0 the table is searched. It has two buckets for an address, each of a cache line; a block goes into the one that has
 * more room. At half of the room, which is the most that is used, both are never full.
 *
 *      word    address / 8 (45 bits) << 16 | number of the block's note; 0 = free
 *
 * A block is in the table once. The thread that takes its word out by compare-and-swap has it, so that it is freed once
 * however many threads try.
 *
 * Threads: any, also signal handlers; _clear while nobody else is here.
 * Memory:  the caller's, all zeroes; 640 KiB, touched as it is used.
 */
#ifndef WICK_ENGINE_NATIVEMEM_NATIVEMEM_TABLE_H
#define WICK_ENGINE_NATIVEMEM_NATIVEMEM_TABLE_H

#include <stdbool.h>

#include "base/atomic.h"

enum { WICK_NATIVEMEM_FILTER_BITS = 17, WICK_NATIVEMEM_BUCKET_BITS = 13, WICK_NATIVEMEM_WAYS = 8 };

struct wick_nativemem_table {
    _Atomic uint8_t filter[1 << WICK_NATIVEMEM_FILTER_BITS];
    _Alignas(64) _Atomic uint64_t words[1 << WICK_NATIVEMEM_BUCKET_BITS][WICK_NATIVEMEM_WAYS];
};

static inline uint64_t wick_nativemem_hash(uint64_t address)
{
    return (address >> 3) * 0x9e3779b97f4a7c15u;
}

/* False: the block is not followed. */
static inline bool wick_nativemem_table_may_hold(const struct wick_nativemem_table *t, uint64_t address)
{
    return wick_load_relaxed(&t->filter[wick_nativemem_hash(address) >> (64 - WICK_NATIVEMEM_FILTER_BITS)]) != 0;
}

/* The block is followed from now on under the number of its note (1 .. 65535). False: there is no room. */
bool wick_nativemem_table_add_sig(struct wick_nativemem_table *t, uint64_t address, uint32_t note);

/* The block is not followed any more; the number of its note, 0 = it was not. */
uint32_t wick_nativemem_table_take_sig(struct wick_nativemem_table *t, uint64_t address);

/* The same if it is followed under that number; false: it is not. */
bool wick_nativemem_table_drop_sig(struct wick_nativemem_table *t, uint64_t address, uint32_t note);

/* No block is followed. */
void wick_nativemem_table_clear(struct wick_nativemem_table *t);

#endif
