/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keyed_hash.h - a hash of bytes under a secret key of two words
 *
 * Names come from whom a recording is of: without a secret they could be chosen so that all collide. Eight bytes a
 * step, each folded by a multiplication to 128 bits.
 *
 * Threads: any.
 */
#ifndef WICK_BASE_KEYED_HASH_H
#define WICK_BASE_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Hash of two words. */
static inline uint64_t wick_keyed_hash_2(const uint64_t key[2], uint64_t a, uint64_t b)
{
    unsigned __int128 m = (unsigned __int128)(a ^ key[0]) * (b ^ key[1]);
    return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* Hash of n bytes. */
static inline uint64_t wick_keyed_hash(const uint64_t key[2], const void *data, size_t n)
{
    const unsigned char *p = data;
    uint64_t h = n, a = 0;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&a, p, 8);
        h = wick_keyed_hash_2(key, h, a);
    }
    a = 0;
    if (n)
        memcpy(&a, p, n);
    return wick_keyed_hash_2(key, h, a);
}

#endif
