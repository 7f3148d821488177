/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scope_flow.h - which debug information of a compiled method describes a pc between safepoints best
 *
 * Threads: any; async-signal-safe with a signal-safe wick_mem.
 * Memory:  the caller's; about 2 KiB of stack.
 */
#ifndef WICK_HOTSPOT_SCOPE_FLOW_H
#define WICK_HOTSPOT_SCOPE_FLOW_H

#include "mem/mem.h"

#define WICK_HS_NOWHERE UINT32_MAX

/* A method's code. */
struct wick_hs_code {
    const struct wick_mem *mem;
    wick_addr begin;
    uint32_t bytes;
    /* The first offset at or after `off`, or the last one before it, at which there is debug information;
     * WICK_HS_NOWHERE: there is none. */
    uint32_t (*described)(const void *ctx, uint32_t off);
    uint32_t (*described_before)(const void *ctx, uint32_t off);
    const void *ctx;
};

/* How well what was found describes the pc. */
enum wick_hs_match {
    WICK_HS_SURE,  /* as well as what is met a few instructions on */
    WICK_HS_AGREE, /* as far as `passed` agrees with it */
    WICK_HS_ENTRY, /* as far as the method's own first instructions agree with it: nothing was passed */
    WICK_HS_ENDS,  /* nothing is met: the method ends before that */
};

struct wick_hs_near {
    enum wick_hs_match match;
    uint32_t ahead; /* the offset whose description is met first by what runs from the pc on; ENDS: first in the code */
    uint32_t passed; /* the offset of that which what runs up to the pc met last; AGREE */
};

/* Looks for debug information from the instruction at `off`. */
void wick_hs_scope_flow(const struct wick_hs_code *code, uint32_t off, struct wick_hs_near *out);

#endif
