/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sum.h - sums of figures that come from elsewhere: those of damaged or hostile recordings may be anything
 *
 * Threads: any.
 * Memory:  none.
 */
#ifndef WICK_BASE_SUM_H
#define WICK_BASE_SUM_H

#include <stdint.h>

/* a + b, INT64_MAX where that is too much. For sums of what is not negative. */
static inline int64_t wick_sum(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

#endif
