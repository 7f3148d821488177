/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes.h - JFR's primitives, written into a buffer (internal to jfr/)
 *
 * Two layers. The raw ones (`_at`) write where a pointer says and return the byte after: for the encoders, which
 * reserve room for a whole event at once. The others append to a wick_strbuf and may fail there (`failed`).
 *
 * Threads: one at a time per buffer.
 * Memory:  the buffers'.
 */
#ifndef WICK_JFR_FORMAT_BYTES_H
#define WICK_JFR_FORMAT_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/leb128.h"
#include "base/strbuf.h"
#include "jfr/format/jfr_format.h"

#define WICK_JFR_INT_MAX_BYTES 9

/* Longer strings are cut. A class path of a large application fits; a string is at most three times as long after
 * repair (see wick_jfr_string_at). */
#define WICK_JFR_STRING_MAX ((size_t)1 << 20)

static inline uint8_t *wick_jfr_int_at(uint8_t *p, uint64_t v)
{
    return p + wick_leb128_jfr_write(p, v);
}

static inline size_t wick_jfr_int_size(uint64_t v)
{
    size_t n = 1;
    while (n < WICK_JFR_INT_MAX_BYTES && (v >>= 7))
        n++;
    return n;
}

static inline uint8_t *wick_jfr_be_at(uint8_t *p, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        p[i] = (uint8_t)(v >> (8 * (bytes - 1 - i)));
    return p + bytes;
}

static inline void wick_jfr_add_int(struct wick_strbuf *b, uint64_t v)
{
    if (wick_strbuf_grow(b, WICK_JFR_INT_MAX_BYTES))
        return;
    b->len += wick_leb128_jfr_write((uint8_t *)b->buf + b->len, v);
}

/* Most bytes that wick_jfr_string_at writes for a string of n bytes. */
static inline size_t wick_jfr_string_bound(size_t n)
{
    return 1 + WICK_JFR_INT_MAX_BYTES + 3 * (n < WICK_JFR_STRING_MAX ? n : WICK_JFR_STRING_MAX);
}

/* Writes a string with its encoding byte; s = NULL writes the null string. Whatever the n bytes are, valid UTF-8 comes
 * out: the JVM's modified UTF-8 (NUL as C0 80, surrogate pairs) becomes the real thing, and a byte that is neither
 * becomes U+FFFD. Returns the byte after. */
uint8_t *wick_jfr_string_at(uint8_t *p, const char *s, size_t n);

/* The same into a buffer. */
void wick_jfr_add_string(struct wick_strbuf *b, const char *s, size_t n);

#endif
