/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eh_read.h - a cursor over target memory, and DWARF's encoded pointers (internal to src/elf)
 *
 * The cursor reads ahead in windows, because a read of the target costs about the same for 8 bytes as for 256. All of
 * an image's unwind data lies in one segment [ro_lo, ro_hi); the cursor never leaves it. In an image that cannot be
 * unmapped the window is the segment itself and nothing is copied. After the first failure every read yields 0 and `rc`
 * says why: check once.
 *
 * Threads: one cursor belongs to one thread; async-signal-safe.
 * Memory:  the window is inside the struct.
 */
#ifndef WICK_ELF_EH_READ_H
#define WICK_ELF_EH_READ_H

#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "elf/image.h"

#define EH_WINDOW 256

struct eh_cursor {
    const struct wick_mem *mem;
    const struct wick_elf_image *image;
    const uint8_t *p, *e; /* unread part of the window */
    wick_addr next;       /* target address of *e */
    wick_addr end;        /* nothing at or above it may be read */
    int rc;               /* 0 or the first error */
    uint8_t buf[EH_WINDOW];
};

static inline void eh_open(struct eh_cursor *c, const struct wick_mem *mem, const struct wick_elf_image *image,
                           wick_addr at)
{
    c->mem = mem;
    c->image = image;
    c->p = c->e = c->buf;
    c->next = at;
    c->end = image->ro_hi;
    c->rc = at >= image->ro_lo && at < image->ro_hi ? 0 : -WICK_E_FORMAT;
}

static inline wick_addr eh_at(const struct eh_cursor *c)
{
    return c->next - (wick_addr)(c->e - c->p);
}

static inline bool eh_fail(struct eh_cursor *c, int rc)
{
    if (!c->rc)
        c->rc = rc;
    c->p = c->e = c->buf;
    return false;
}

/* Sets the end of the record; what the window holds beyond it is forgotten. */
static inline void eh_limit(struct eh_cursor *c, wick_addr end)
{
    if (c->rc)
        return;
    if (end > c->end || end < eh_at(c)) {
        eh_fail(c, -WICK_E_FORMAT);
        return;
    }
    c->end = end;
    if (c->next > end) {
        c->e -= c->next - end;
        c->next = end;
    }
}

/* Keeps the unread bytes and reads on so that at least need (<= 16) are there. */
static inline bool eh_fill(struct eh_cursor *c, size_t need)
{
    size_t have = (size_t)(c->e - c->p);
    if (c->rc)
        return false;
    if (have >= need)
        return true;
    if (c->end - c->next < need - have)
        return eh_fail(c, -WICK_E_FORMAT);
    if (c->image->flags & WICK_IMAGE_PINNED) {
        c->p = (const uint8_t *)(uintptr_t)(c->next - have);
        c->e = (const uint8_t *)(uintptr_t)c->end;
        c->next = c->end;
        return true;
    }
    memmove(c->buf, c->p, have);
    size_t n = sizeof c->buf - have;
    if (n > c->end - c->next)
        n = (size_t)(c->end - c->next);
    int rc = wick_mem_read(c->mem, c->next, c->buf + have, n);
    if (rc)
        return eh_fail(c, rc);
    c->next += n;
    c->p = c->buf;
    c->e = c->buf + have + n;
    return true;
}

static inline bool eh_more(const struct eh_cursor *c)
{
    return !c->rc && eh_at(c) < c->end;
}

#define EH_FIXED(name, type)                     \
    static inline type name(struct eh_cursor *c) \
    {                                            \
        type v = 0;                              \
        if (eh_fill(c, sizeof v)) {              \
            memcpy(&v, c->p, sizeof v);          \
            c->p += sizeof v;                    \
        }                                        \
        return v;                                \
    }
EH_FIXED(eh_u8, uint8_t)
EH_FIXED(eh_u16, uint16_t)
EH_FIXED(eh_u32, uint32_t)
EH_FIXED(eh_u64, uint64_t)

/* LEB128 with its sign extension if is_signed; ten bytes at most. */
static inline uint64_t eh_leb(struct eh_cursor *c, bool is_signed)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t b = eh_u8(c);
        if (shift < 64)
            v |= (uint64_t)(b & 0x7f) << shift;
        if (b & 0x80)
            continue;
        if (is_signed && (b & 0x40) && shift + 7 < 64)
            v |= ~(uint64_t)0 << (shift + 7);
        return v;
    }
    eh_fail(c, -WICK_E_FORMAT);
    return 0;
}

static inline uint64_t eh_uleb(struct eh_cursor *c)
{
    return eh_leb(c, false);
}

static inline int64_t eh_sleb(struct eh_cursor *c)
{
    return (int64_t)eh_leb(c, true);
}

static inline void eh_skip(struct eh_cursor *c, uint64_t n)
{
    while (n && !c->rc) {
        size_t have = (size_t)(c->e - c->p);
        if (have > n)
            have = (size_t)n;
        c->p += have;
        n -= have;
        if (n)
            eh_fill(c, 1);
    }
}

/* Pointer encodings (LSB 10.5.1): the low four bits are the format, the next three what it is relative to. */
enum {
    EH_PE_ABSPTR = 0x00,
    EH_PE_ULEB128 = 0x01,
    EH_PE_UDATA2 = 0x02,
    EH_PE_UDATA4 = 0x03,
    EH_PE_UDATA8 = 0x04,
    EH_PE_SLEB128 = 0x09,
    EH_PE_SDATA2 = 0x0a,
    EH_PE_SDATA4 = 0x0b,
    EH_PE_SDATA8 = 0x0c,
    EH_PE_PCREL = 0x10,
    EH_PE_DATAREL = 0x30,
    EH_PE_INDIRECT = 0x80,
    EH_PE_OMIT = 0xff,
};

/* Reads a value of that format; pcrel and datarel (data = address of .eh_frame_hdr) are applied if `apply`. Text- and
 * function-relative and indirect pointers do not occur for pcs: unsupported. */
static inline uint64_t eh_pointer(struct eh_cursor *c, uint8_t enc, wick_addr data, bool apply)
{
    wick_addr at = eh_at(c);
    uint64_t v;
    switch (enc & 0x0f) {
    case EH_PE_ABSPTR:
    case EH_PE_UDATA8:
    case EH_PE_SDATA8:
        v = eh_u64(c);
        break;
    case EH_PE_UDATA4:
        v = eh_u32(c);
        break;
    case EH_PE_SDATA4:
        v = (uint64_t)(int64_t)(int32_t)eh_u32(c);
        break;
    case EH_PE_UDATA2:
        v = eh_u16(c);
        break;
    case EH_PE_SDATA2:
        v = (uint64_t)(int64_t)(int16_t)eh_u16(c);
        break;
    case EH_PE_ULEB128:
        v = eh_uleb(c);
        break;
    case EH_PE_SLEB128:
        v = (uint64_t)eh_sleb(c);
        break;
    default:
        eh_fail(c, -WICK_E_UNSUPPORTED);
        return 0;
    }
    if (!apply)
        return v;
    switch (enc & 0xf0) {
    case 0:
        return v;
    case EH_PE_PCREL:
        return v + at;
    case EH_PE_DATAREL:
        return v + data;
    default:
        eh_fail(c, -WICK_E_UNSUPPORTED);
        return 0;
    }
}

#endif
