/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sum.h - sums of figures that come from elsewhere: those of damaged or hostile recordings may be anything
 *
 * One rule everywhere: a sum that is too large for its type is the largest number there is, never what is left of it
 * modulo 2^64, and the process remembers that it happened, so that the command says so once.
 *
 * Threads: any.
 */
#ifndef WICK_BASE_SUM_H
#define WICK_BASE_SUM_H

#include <stdbool.h>
#include <stdint.h>

/* A sum was too large. */
void wick_sum_exceed(void);

/* Whether one was, since the process started. */
bool wick_sum_was_exceeded(void);

/* a + b, INT64_MAX where that is too much (INT64_MIN if b is negative). */
static inline int64_t wick_sum(int64_t a, int64_t b)
{
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    wick_sum_exceed();
    return b < 0 ? INT64_MIN : INT64_MAX;
}

/* a + b, UINT64_MAX where that is too much. */
static inline uint64_t wick_sum_u64(uint64_t a, uint64_t b)
{
    uint64_t sum;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    wick_sum_exceed();
    return UINT64_MAX;
}

/* The same of a time and a duration, which is not remembered: no figure is wrong because something began, or ended, at
 * the end of all time. */
static inline int64_t wick_sum_time(int64_t time_ns, int64_t duration_ns)
{
    int64_t sum;
    return __builtin_add_overflow(time_ns, duration_ns, &sum) ? (duration_ns < 0 ? INT64_MIN : INT64_MAX) : sum;
}

/* As much of b as can be added to a: where parts must still add up to their whole. */
static inline uint64_t wick_sum_room(uint64_t a, uint64_t b)
{
    if (b <= UINT64_MAX - a)
        return b;
    wick_sum_exceed();
    return UINT64_MAX - a;
}

#endif
