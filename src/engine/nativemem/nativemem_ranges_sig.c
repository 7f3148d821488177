/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/nativemem/nativemem_ranges.h"

#include <string.h>

#define CLAIMED UINT32_MAX

/* A range at a place that is the caller's. */
static void set(struct wick_nativemem_range *at, uint64_t lo, uint64_t hi, uint32_t owner)
{
    wick_store_relaxed(&at->lo, lo);
    wick_store_relaxed(&at->hi, hi);
    wick_store_release(&at->owner, owner); /* pairs: claim */
}

/* Makes a range that overlaps [lo, hi) the caller's for a moment; its owner, 0 = it does not, or somebody else has it.
 */
static uint32_t claim(struct wick_nativemem_range *at, uint64_t lo, uint64_t hi)
{
    uint32_t owner = wick_load_acquire(&at->owner); /* pairs: set */
    if (!owner || owner == CLAIMED || wick_load_relaxed(&at->lo) >= hi || wick_load_relaxed(&at->hi) <= lo ||
        !wick_cas_acq_rel(&at->owner, &owner, CLAIMED)) /* pairs: set */
        return 0;
    if (wick_load_relaxed(&at->lo) < hi && wick_load_relaxed(&at->hi) > lo)
        return owner;
    wick_store_release(&at->owner, owner); /* pairs: claim; another range of the note has been put here */
    return 0;
}

bool wick_nativemem_ranges_add_sig(struct wick_nativemem_ranges *r, uint64_t lo, uint64_t hi, uint32_t note)
{
    for (uint32_t i = 0; i < WICK_NATIVEMEM_RANGES; i++) {
        uint32_t none = 0, top = wick_load_relaxed(&r->top);
        if (wick_load_relaxed(&r->at[i].owner) || !wick_cas_acq_rel(&r->at[i].owner, &none, CLAIMED)) /* pairs: set */
            continue;
        while (top <= i && !wick_cas_acq_rel(&r->top, &top, i + 1)) /* pairs: itself */
            ;
        wick_add_relaxed(&r->used, 1);
        set(&r->at[i], lo, hi, note);
        return true;
    }
    return false;
}

/* Cuts [lo, hi) out of a range that is the caller's. */
static struct wick_nativemem_piece cut(struct wick_nativemem_ranges *r, struct wick_nativemem_range *at, uint32_t owner,
                                       uint64_t lo, uint64_t hi)
{
    uint64_t from = wick_load_relaxed(&at->lo), to = wick_load_relaxed(&at->hi);
    struct wick_nativemem_piece p = {from > lo ? from : lo, to < hi ? to : hi, owner};
    if (from < p.lo && p.hi < to && !wick_nativemem_ranges_add_sig(r, p.hi, to, owner)) {
        wick_add_relaxed(&r->lost, 1);
        p.hi = to;
    }
    if (from < p.lo) {
        set(at, from, p.lo, owner);
    } else if (p.hi < to) {
        set(at, p.hi, to, owner);
    } else {
        wick_sub_relaxed(&r->used, 1);
        set(at, 0, 0, 0);
    }
    return p;
}

uint32_t wick_nativemem_ranges_cut_sig(struct wick_nativemem_ranges *r, uint64_t lo, uint64_t hi,
                                       struct wick_nativemem_piece *pieces)
{
    uint32_t n = 0, top = wick_load_relaxed(&r->used) ? wick_load_relaxed(&r->top) : 0;
    for (uint32_t i = 0; i < top && n < WICK_NATIVEMEM_PIECES; i++) {
        uint32_t owner = claim(&r->at[i], lo, hi);
        if (owner)
            pieces[n++] = cut(r, &r->at[i], owner, lo, hi);
    }
    return n;
}

uint64_t wick_nativemem_ranges_drop_sig(struct wick_nativemem_ranges *r, uint32_t note)
{
    uint32_t top = wick_load_relaxed(&r->top);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < top; i++) {
        uint32_t owner = note;
        if (wick_load_relaxed(&r->at[i].owner) != note ||
            !wick_cas_acq_rel(&r->at[i].owner, &owner, CLAIMED)) /* pairs: set */
            continue;
        bytes += wick_load_relaxed(&r->at[i].hi) - wick_load_relaxed(&r->at[i].lo);
        wick_sub_relaxed(&r->used, 1);
        set(&r->at[i], 0, 0, 0);
    }
    return bytes;
}

void wick_nativemem_ranges_clear(struct wick_nativemem_ranges *r)
{
    memset(r->at, 0, wick_load_relaxed(&r->top) * sizeof *r->at);
    wick_store_relaxed(&r->used, 0);
    wick_store_relaxed(&r->top, 0);
    wick_store_relaxed(&r->lost, 0);
}
