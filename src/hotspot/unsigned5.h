/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unsigned5.h - HotSpot's variable-length integers (debug information, line tables)
 *
 * Little-endian groups: a byte below 192 ends the number, others carry on with 6 more bits, five bytes at most. Since
 * JDK 20 (JDK-8292758) every byte is stored plus one, so that a 0 byte can end a stream.
 *
 * Threads: any; async-signal-safe.
 */
#ifndef WICK_HOTSPOT_UNSIGNED5_H
#define WICK_HOTSPOT_UNSIGNED5_H

#include <stdint.h>

/* Reads one number at *p; `excluded` is 1 since JDK 20, else 0. At the end or on a byte that cannot be, *p becomes
 * NULL. */
static inline uint32_t wick_unsigned5(const uint8_t **p, const uint8_t *end, uint8_t excluded)
{
    uint32_t v = 0;
    const uint8_t *q = *p;
    for (unsigned i = 0; q && i < 5; i++) {
        if (q >= end || *q < excluded)
            break;
        uint32_t b = *q++; /* "below 192" is said of the byte as it is stored */
        v += (b - excluded) << (6 * i);
        if (b < 192 || i == 4) {
            *p = q;
            return v;
        }
    }
    *p = (void *)0;
    return 0;
}

/* The same, zigzag: 0, -1, 1, -2 ... */
static inline int32_t wick_unsigned5_signed(const uint8_t **p, const uint8_t *end, uint8_t excluded)
{
    uint32_t v = wick_unsigned5(p, end, excluded);
    return (int32_t)(v >> 1) ^ -(int32_t)(v & 1);
}

#endif
