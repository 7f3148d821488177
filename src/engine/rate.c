/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/rate.h"

#include <stdbool.h>

#include "base/poisson.h"

enum { FACTOR_MOST = 4096, ADJUST_NS = 1000000000 };
enum { SOONEST_NS = 10000000 };
/* The part of the logarithm of rate / wanted by which the interval moves, and what is too little to act on. */
static const double GAIN = 0.7, TOLERANCE = 0.15;

static double ln(double x)
{
    return x < 1 ? -wick_poisson_minus_ln(x) : wick_poisson_minus_ln(1 / x);
}

static double power_of_e(double x)
{
    double below_one = 1 - wick_poisson_one_minus_exp(x < 0 ? -x : x);
    return x < 0 ? below_one : 1 / below_one;
}

/* What follows from a second of `rate` samples. */
static uint64_t interval_for(const struct wick_rate *r, uint64_t interval, double rate)
{
    double off = rate > 0.1 ? ln(rate / r->most) : -2;
    double shortest = (double)r->shortest, longest = shortest * FACTOR_MOST;
    double next = (double)interval * power_of_e(GAIN * off);
    if (off < TOLERANCE && off > -TOLERANCE)
        return interval;
    if (next > longest)
        next = longest;
    uint64_t most = r->longest ? r->longest : INT32_MAX;
    return next < shortest ? r->shortest : next > (double)most ? most : (uint64_t)next;
}

uint64_t wick_rate_next(struct wick_rate *r, uint64_t interval, uint64_t samples, uint64_t now_ns)
{
    uint64_t drawn = samples - r->since_samples, passed_ns = now_ns - r->since_ns;
    bool due = passed_ns >= ADJUST_NS || (drawn >= r->most && passed_ns >= SOONEST_NS);
    if (!r->most || !due)
        return interval;
    r->since_samples = samples;
    r->since_ns = now_ns;
    return interval_for(r, interval, (double)drawn * 1e9 / (double)passed_ns);
}
