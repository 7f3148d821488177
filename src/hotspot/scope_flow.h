/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scope_flow.h - which debug information of a compiled method describes a pc between safepoints best
 *
 * Threads: any; async-signal-safe with a signal-safe wick_mem.
 * Memory:  the caller's; about 1 KiB of stack.
 */
#ifndef WICK_HOTSPOT_SCOPE_FLOW_H
#define WICK_HOTSPOT_SCOPE_FLOW_H

#include <stdbool.h>

#include "mem/mem.h"

/* A method's code. */
struct wick_hs_code {
    const struct wick_mem *mem;
    wick_addr begin;
    uint32_t bytes;
    /* The first offset at or after `off` at which there is debug information; UINT32_MAX: there is none. */
    uint32_t (*described)(const void *ctx, uint32_t off);
    uint32_t (*described_before)(const void *ctx, uint32_t off); /* likewise: the last one before it */
    const void *ctx;
};

/* Debug information near an instruction; UINT32_MAX: there is none, or it is not known. */
struct wick_hs_near {
    uint32_t ahead;    /* the offset whose description is met first by what runs from there on */
    uint32_t distance; /* instructions in between */
    uint32_t passed;   /* the offset of that which what runs up to there met last */
    bool ends;         /* `ahead` is none: the method ends before that */
    bool called;       /* it follows a call which is not described: of the JVM's own code */
};

/* Looks for it from that instruction. */
void wick_hs_scope_flow(const struct wick_hs_code *code, uint32_t off, struct wick_hs_near *out);

#endif
