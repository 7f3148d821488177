/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unsigned5_encode.h - writes HotSpot's variable-length integers, after its own description of the format
 *
 * (hotspot/share/utilities/unsigned5.hpp) A number in base 64 of at most five digits; each digit but the last gets
 * 192 added (191 since JDK 20, where bytes begin at 1), and what was added is subtracted from the rest before.
 *
 * Threads: one.
 * Memory:  the caller's buffer, which is large enough.
 */
#ifndef WICK_TESTS_UNIT_UNSIGNED5_ENCODE_H
#define WICK_TESTS_UNIT_UNSIGNED5_ENCODE_H

#include <stdint.h>

/* Returns the end of what was written. */
static inline uint8_t *encode5(uint8_t *to, uint32_t value, int since20)
{
    const uint32_t low = since20 ? 191 : 192;
    uint32_t rest = value;
    for (int digit = 0; digit < 4 && rest >= low; digit++) {
        rest -= low;
        *to++ = (uint8_t)((since20 ? 1 : 0) + low + rest % 64);
        rest /= 64;
    }
    *to++ = (uint8_t)((since20 ? 1 : 0) + rest);
    return to;
}

static inline uint8_t *encode5_signed(uint8_t *to, int32_t value, int since20)
{
    return encode5(to, value < 0 ? ~((uint32_t)value << 1) : (uint32_t)value << 1, since20);
}

#endif
