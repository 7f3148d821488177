/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fnv.h - a small hash of bytes: FNV-1a (Fowler, Noll, Vo), of 32 and of 64 bits
 *
 * For names of the JVM and of the program that wick runs in. It has no secret, so a program can choose names that all
 * collide, to its own harm; keyed_hash.h is for what is read from files.
 *
 * Threads: any; async-signal-safe.
 */
#ifndef WICK_BASE_FNV_H
#define WICK_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

#define WICK_FNV    2166136261u
#define WICK_FNV_64 0xcbf29ce484222325u

/* Hash of what h is the hash of, and n bytes; h = WICK_FNV: of nothing yet. */
static inline uint32_t wick_fnv(uint32_t h, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 16777619u;
    return h;
}

/* The same of 64 bits; h = WICK_FNV_64: of nothing yet. */
static inline uint64_t wick_fnv_64(uint64_t h, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

#endif
