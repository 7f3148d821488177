/* SPDX-License-Identifier: Apache-2.0 */
/*
 * poisson.h - sampling an amount at random, so that sums are unbiased
 *
 * Points lie on the line of all amounts (nanoseconds waited, for example) as a Poisson process does: on average one
 * each `interval`, independent of each other. An amount of d that holds a point is sampled, which has the probability
 * p = 1 - exp(-d / interval); it then stands for d / p, so the expected sum is the true one, whatever the amounts are.
 *
 * The functions are here because the agent links no mathematical library.
 *
 * Threads: the random state belongs to one at a time. Async-signal-safe.
 */
#ifndef WICK_BASE_POISSON_H
#define WICK_BASE_POISSON_H

#include "base/random.h"

/* -ln(u) for 0 < u <= 1, to 1e-14: u = m x 2^-k with m near 1, and ln m = 2 artanh((m - 1) / (m + 1)). */
static inline double wick_poisson_minus_ln(double u)
{
    double sum = 0;
    int k = 0;
    for (; u < 0.70710678118654752; u *= 2)
        k++;
    double s = (u - 1) / (u + 1);
    for (int n = 17; n > 0; n -= 2)
        sum = sum * s * s + 1.0 / n;
    return k * 0.69314718055994531 - 2 * s * sum;
}

/* 1 - exp(-x) for x >= 0, to 1e-14: by its series where x is small, else by squaring exp(-x / 2^k). */
static inline double wick_poisson_one_minus_exp(double x)
{
    int k = 0;
    if (x > 40)
        return 1;
    for (; x > 0.25; x /= 2)
        k++;
    double p = 0;
    for (int n = 12; n > 0; n--)
        p = x / n * (1 - p);
    for (; k; k--) /* 1 - (1 - p)^2 */
        p *= 2 - p;
    return p;
}

/* The distance to the next point. */
static inline uint64_t wick_poisson_next(uint64_t *random, uint64_t interval)
{
    double u = (double)((wick_random_u64(random) >> 11) + 1) * 0x1p-53;
    return (uint64_t)(wick_poisson_minus_ln(u) * (double)interval);
}

/* What a sampled amount stands for. */
static inline uint64_t wick_poisson_weight(uint64_t amount, uint64_t interval)
{
    if (!amount || !interval)
        return amount;
    return (uint64_t)((double)amount / wick_poisson_one_minus_exp((double)amount / (double)interval) + 0.5);
}

#endif
