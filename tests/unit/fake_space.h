/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_space.h - a small address space made by hand, for tests of code that reads a JVM's memory
 *
 * Threads: one.
 * Memory:  the caller's struct; the pieces are part of it.
 */
#ifndef WICK_TESTS_UNIT_FAKE_SPACE_H
#define WICK_TESTS_UNIT_FAKE_SPACE_H

#include <stdint.h>
#include <string.h>

#include "fake_mem.h"
#include "hotspot/jvm.h"

enum { SPACE_BYTES = 1 << 18 };
#define SPACE_BASE 0x100000ull

struct space {
    uint8_t bytes[SPACE_BYTES];
    size_t used;
    struct wick_mem_range range;
    struct wick_mem_fake fake;
    struct wick_mem mem;
};

static inline void space_init(struct space *s)
{
    memset(s->bytes, 0, sizeof s->bytes);
    s->used = 64;
    s->range = (struct wick_mem_range){SPACE_BASE, sizeof s->bytes, s->bytes};
    s->fake = (struct wick_mem_fake){&s->range, 1};
    wick_mem_fake_init(&s->mem, &s->fake);
}

/* Address of n zero bytes, 16-aligned. */
static inline wick_addr space_take(struct space *s, size_t n)
{
    wick_addr at = SPACE_BASE + s->used;
    s->used += (n + 15) & ~(size_t)15;
    if (s->used > sizeof s->bytes)
        __builtin_trap();
    return at;
}

static inline void space_put(struct space *s, wick_addr at, const void *data, size_t n)
{
    if (at < SPACE_BASE || at - SPACE_BASE + n > sizeof s->bytes)
        __builtin_trap();
    memcpy(s->bytes + (at - SPACE_BASE), data, n);
}

static inline void space_put64(struct space *s, wick_addr at, uint64_t v)
{
    space_put(s, at, &v, sizeof v);
}

static inline void space_put32(struct space *s, wick_addr at, uint32_t v)
{
    space_put(s, at, &v, sizeof v);
}

static inline void space_put16(struct space *s, wick_addr at, uint16_t v)
{
    space_put(s, at, &v, sizeof v);
}

static inline wick_addr space_string(struct space *s, const char *text)
{
    wick_addr at = space_take(s, strlen(text) + 1);
    space_put(s, at, text, strlen(text) + 1);
    return at;
}

/* An empty space, and a JVM in it of whose layout nothing is known. */
static inline void space_init_jvm(struct space *s, struct wick_jvm *jvm)
{
    space_init(s);
    memset(jvm, 0, sizeof *jvm);
    memset(&jvm->layout, 0xff, sizeof jvm->layout); /* WICK_HS_NONE */
    jvm->mem = &s->mem;
}

#endif
