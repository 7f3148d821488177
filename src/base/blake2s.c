/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blake2s.c - the compression function of RFC 7693, section 3, for words of 32 bits
 *
 * Ten rounds mix a matrix of 4 x 4 words, first its columns, then its diagonals. A round differs from the others only
 * in the order in which it takes the sixteen words of the block. The state goes through each block; the counter of
 * bytes and a flag for the last block make blocks of equal content differ.
 */
#include "base/blake2s.h"

#include <string.h>

static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* clang-format off */
static const uint8_t order[10][16] = {
    { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15},
    {14, 10,  4,  8,  9, 15, 13,  6,  1, 12,  0,  2, 11,  7,  5,  3},
    {11,  8, 12,  0,  5,  2, 15, 13, 10, 14,  3,  6,  7,  1,  9,  4},
    { 7,  9,  3,  1, 13, 12, 11, 14,  2,  6,  5, 10,  4,  0, 15,  8},
    { 9,  0,  5,  7,  2,  4, 10, 15, 14,  1, 11, 12,  6,  8,  3, 13},
    { 2, 12,  6, 10,  0, 11,  8,  3,  4, 13,  7,  5, 15, 14,  1,  9},
    {12,  5,  1, 15, 14, 13,  4, 10,  0,  7,  6,  3,  9,  2,  8, 11},
    {13, 11,  7, 14, 12,  1,  3,  9,  5,  0, 15,  4,  8,  6,  2, 10},
    { 6, 15, 14,  9, 11,  3,  0,  8, 12,  2, 13,  7,  1,  4, 10,  5},
    {10,  2,  8,  4,  7,  6,  1,  5, 15, 11,  9, 14,  3, 12, 13,  0}};
/* clang-format on */

static uint32_t load(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void store(uint8_t *p, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static uint32_t rotate(uint32_t v, unsigned by)
{
    return v >> by | v << (32 - by);
}

static void mix(uint32_t v[16], unsigned a, unsigned b, unsigned c, unsigned d, uint32_t x, uint32_t y)
{
    v[a] += v[b] + x;
    v[d] = rotate(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotate(v[b] ^ v[c], 12);
    v[a] += v[b] + y;
    v[d] = rotate(v[d] ^ v[a], 8);
    v[c] += v[d];
    v[b] = rotate(v[b] ^ v[c], 7);
}

/* Takes b->block, which holds b->n bytes and zeros behind them, into the state. */
static void compress(struct wick_blake2s *b, uint32_t last)
{
    uint32_t v[16], m[16];
    b->fed += b->n;
    for (unsigned i = 0; i < 16; i++)
        m[i] = load(b->block + 4 * i);
    memcpy(v, b->h, sizeof b->h);
    memcpy(v + 8, start, sizeof start);
    v[12] ^= (uint32_t)b->fed;
    v[13] ^= (uint32_t)(b->fed >> 32);
    v[14] ^= last;
    for (unsigned r = 0; r < 10; r++) {
        const uint8_t *s = order[r];
        for (unsigned i = 0; i < 4; i++)
            mix(v, i, i + 4, i + 8, i + 12, m[s[2 * i]], m[s[2 * i + 1]]);
        for (unsigned i = 0; i < 4; i++)
            mix(v, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12, m[s[8 + 2 * i]], m[s[9 + 2 * i]]);
    }
    for (unsigned i = 0; i < 8; i++)
        b->h[i] ^= v[i] ^ v[i + 8];
    b->n = 0;
}

void wick_blake2s_init(struct wick_blake2s *b, const char domain[8])
{
    *b = (struct wick_blake2s){0};
    memcpy(b->h, start, sizeof start);
    /* The block of parameters: length of the digest, no key, neither tree nor leaves; personalization. */
    b->h[0] ^= 0x01010000u | WICK_BLAKE2S_BYTES;
    b->h[6] ^= load((const uint8_t *)domain);
    b->h[7] ^= load((const uint8_t *)domain + 4);
}

void wick_blake2s_add(struct wick_blake2s *b, const void *data, size_t n)
{
    const uint8_t *p = data;
    while (n) {
        if (b->n == sizeof b->block) /* more follows, so it was not the last */
            compress(b, 0);
        size_t take = sizeof b->block - b->n < n ? sizeof b->block - b->n : n;
        memcpy(b->block + b->n, p, take);
        b->n += take;
        p += take;
        n -= take;
    }
}

void wick_blake2s_add_u32(struct wick_blake2s *b, uint32_t v)
{
    uint8_t bytes[4];
    store(bytes, v);
    wick_blake2s_add(b, bytes, sizeof bytes);
}

void wick_blake2s_end(struct wick_blake2s *b, uint8_t digest[WICK_BLAKE2S_BYTES])
{
    memset(b->block + b->n, 0, sizeof b->block - b->n);
    compress(b, UINT32_MAX);
    for (unsigned i = 0; i < WICK_BLAKE2S_BYTES / 4; i++)
        store(digest + 4 * i, b->h[i]);
}
