/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random.h - random numbers for sampling: splitmix64 (Steele, Lea, Flood 2014), good enough and reproducible
 *
 * Threads: the state belongs to one at a time.
 */
#ifndef WICK_BASE_RANDOM_H
#define WICK_BASE_RANDOM_H

#include <stdint.h>

static inline uint64_t wick_random_u64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The state of the stream of that number: one for each thread, say. Streams are one sequence from places that have
 * nothing to do with each other. (States that differ by the increment above would be the same numbers, one later.) */
static inline uint64_t wick_random_stream(uint64_t seed, uint64_t number)
{
    uint64_t state = seed + number * 0x9e3779b97f4a7c15u;
    return wick_random_u64(&state);
}

/* Uniform in [0, n), n > 0; the bias is below n / 2^64. */
static inline uint64_t wick_random_below(uint64_t *state, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)wick_random_u64(state) * n) >> 64);
}

#endif
