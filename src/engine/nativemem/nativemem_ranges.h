/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nativemem_ranges.h - which mappings are followed, by the addresses that they cover
 *
 * Unlike a block of malloc a mapping can go in parts, and together with others: munmap takes any range, and so does a
 * mapping that is put over what is there. So mappings are ranges, which calls cut pieces out of. A range in whose
 * middle a piece is cut becomes two, of one note.
 *
 * There are few mappings beside blocks, and each call for one is a system call: the ranges are searched in turn. A
 * thread that changes one claims it by compare-and-swap for that moment; one that finds it claimed passes on, since two
 * threads that unmap the same memory at once are in error themselves.
 *
 * Threads: any, also signal handlers; _clear while nobody else is here.
 * Memory:  the caller's, all zeroes; 96 KiB, touched as it is used.
 */
#ifndef WICK_ENGINE_NATIVEMEM_NATIVEMEM_RANGES_H
#define WICK_ENGINE_NATIVEMEM_NATIVEMEM_RANGES_H

#include <stdbool.h>

#include "base/atomic.h"

enum { WICK_NATIVEMEM_RANGES = 4096, WICK_NATIVEMEM_PIECES = 16 };

struct wick_nativemem_range {
    _Atomic uint64_t lo, hi;
    _Atomic uint32_t owner; /* number of its note; 0 = free, UINT32_MAX = somebody is changing it */
};

struct wick_nativemem_ranges {
    _Atomic uint32_t used, top; /* how many are there; those that were ever in use lie below */
    _Atomic uint32_t lost;      /* what was left of ranges and found no room: taken for unmapped */
    struct wick_nativemem_range at[WICK_NATIVEMEM_RANGES];
};

/* What was cut out of a range. */
struct wick_nativemem_piece {
    uint64_t lo, hi;
    uint32_t note;
};

/* [lo, hi) is followed under the number of its note. False: there is no room. */
bool wick_nativemem_ranges_add_sig(struct wick_nativemem_ranges *r, uint64_t lo, uint64_t hi, uint32_t note);

/* [lo, hi) is not followed any more; what there was of it goes to pieces[WICK_NATIVEMEM_PIECES]. Returns how many.
 * When there are as many as pieces has room for there may be more: it is to be called again. */
uint32_t wick_nativemem_ranges_cut_sig(struct wick_nativemem_ranges *r, uint64_t lo, uint64_t hi,
                                       struct wick_nativemem_piece *pieces);

/* Nothing of that number is followed any more; returns how many bytes that were. */
uint64_t wick_nativemem_ranges_drop_sig(struct wick_nativemem_ranges *r, uint32_t note);

/* Nothing is followed. */
void wick_nativemem_ranges_clear(struct wick_nativemem_ranges *r);

#endif
