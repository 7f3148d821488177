/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leb128.h - the two variable-length integers wick meets: DWARF's LEB128 and JFR's compressed integers
 *
 * JFR's differ from LEB128 in the ninth byte: it carries eight bits, so that 64 bits fit in nine bytes (JDK
 * jdk.jfr.internal.EventWriter.putLong). Readers take a cursor and an end, never read past it, and on malformed input
 * set the cursor to NULL, after which every further read returns 0: check once.
 *
 * Threads: any; async-signal-safe.
 */
#ifndef WICK_BASE_LEB128_H
#define WICK_BASE_LEB128_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t wick_leb128_read(const uint8_t **p, const uint8_t *end)
{
    uint64_t v = 0;
    const uint8_t *q = *p;
    for (unsigned shift = 0; q && q < end && shift < 64; shift += 7) {
        uint8_t b = *q++;
        v |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80)) {
            *p = q;
            return v;
        }
    }
    *p = NULL;
    return 0;
}

/* JFR compressed integer, at most 9 bytes. */
static inline uint64_t wick_leb128_jfr_read(const uint8_t **p, const uint8_t *end)
{
    uint64_t v = 0;
    const uint8_t *q = *p;
    for (unsigned i = 0; q && q < end; i++) {
        uint8_t b = *q++;
        if (i == 8) {
            *p = q;
            return v | (uint64_t)b << 56;
        }
        v |= (uint64_t)(b & 0x7f) << (7 * i);
        if (!(b & 0x80)) {
            *p = q;
            return v;
        }
    }
    *p = NULL;
    return 0;
}

/* Writes v to out (room for 9 bytes) and returns the number of bytes written. */
static inline size_t wick_leb128_jfr_write(uint8_t *out, uint64_t v)
{
    size_t n = 0;
    while (n < 8 && v >= 0x80) {
        out[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    out[n++] = (uint8_t)v;
    return n;
}

#endif
