/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blake2s.h - BLAKE2s with a digest of 128 bits (RFC 7693): the same bytes give the same digest anywhere
 *
 * For names that outlive a process. The hash of interning tables (model/hash.h) is keyed anew in every process and
 * worth nothing outside it; a fixed key would not help, because what is hashed comes from recordings that others made:
 * anyone who knows the key of a fast hash can make two inputs that collide. BLAKE2s has no key that must stay secret.
 * The best known way to make two inputs of equal digests of 128 bits is to try some 2^64 of them.
 *
 * `domain` separates uses: the digests of equal bytes in two domains have nothing to do with each other. It is
 * BLAKE2's parameter for personalization, 8 bytes.
 *
 * Threads: any.
 * Memory:  the caller's; nothing is allocated and nothing can fail.
 */
#ifndef WICK_BASE_BLAKE2S_H
#define WICK_BASE_BLAKE2S_H

#include <stddef.h>
#include <stdint.h>

enum { WICK_BLAKE2S_BYTES = 16, WICK_BLAKE2S_BLOCK = 64 };

struct wick_blake2s {
    uint32_t h[8];
    uint64_t fed; /* bytes that went into h */
    size_t n;     /* bytes in block: 0 only before the first, for the last block is compressed in another way */
    uint8_t block[WICK_BLAKE2S_BLOCK];
};

/* domain: exactly 8 bytes. */
void wick_blake2s_init(struct wick_blake2s *b, const char domain[8]);

/* Appends n bytes. Only the sequence of bytes counts, not how it is divided. */
void wick_blake2s_add(struct wick_blake2s *b, const void *data, size_t n);

/* Appends four bytes, the lowest first: lengths and numbers. */
void wick_blake2s_add_u32(struct wick_blake2s *b, uint32_t v);

/* Writes the digest; b must be initialized again before it is used again. */
void wick_blake2s_end(struct wick_blake2s *b, uint8_t digest[WICK_BLAKE2S_BYTES]);

#endif
