/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h - single values out of a target's memory, for places where 0 means "absent" anyway
 *
 * Threads: as the wick_mem; async-signal-safe where that one is (wick_mem_self_init).
 */
#ifndef WICK_HOTSPOT_VALUE_H
#define WICK_HOTSPOT_VALUE_H

#include "mem/mem.h"

enum { WICK_HS_UTF16 = 1 }; /* String.coder: two bytes a character; 0: Latin-1 */

/* The value at addr, or 0 when it is not readable. */
static inline uint64_t wick_hs_u64(const struct wick_mem *m, wick_addr addr)
{
    uint64_t v;
    return wick_mem_read(m, addr, &v, sizeof v) ? 0 : v;
}

static inline uint32_t wick_hs_u32(const struct wick_mem *m, wick_addr addr)
{
    uint32_t v;
    return wick_mem_read(m, addr, &v, sizeof v) ? 0 : v;
}

static inline uint16_t wick_hs_u16(const struct wick_mem *m, wick_addr addr)
{
    uint16_t v;
    return wick_mem_read(m, addr, &v, sizeof v) ? 0 : v;
}

/* Values out of a copied structure; the caller knows that off + size lies inside. */
static inline uint64_t wick_hs_at64(const void *base, int32_t off)
{
    uint64_t v;
    __builtin_memcpy(&v, (const char *)base + off, sizeof v);
    return v;
}

static inline uint32_t wick_hs_at32(const void *base, int32_t off)
{
    uint32_t v;
    __builtin_memcpy(&v, (const char *)base + off, sizeof v);
    return v;
}

static inline uint16_t wick_hs_at16(const void *base, int32_t off)
{
    uint16_t v;
    __builtin_memcpy(&v, (const char *)base + off, sizeof v);
    return v;
}

#endif
