/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trend.c - see trend.h
 */
#include "analysis/trend.h"

#include <math.h>

#define SURE          3.0
#define VERY_SURE     8.0
#define WORTH_A_TREND 0.01
#define SECONDS_LEAST 20.0

enum { STEADY_LEAST = 8, QUARTERS = 4 };

void wick_trend_add(struct wick_trend *t, double seconds, double value)
{
    t->n++;
    t->t += seconds;
    t->y += value;
    t->tt += seconds * seconds;
    t->ty += seconds * value;
    t->yy += value * value;
}

bool wick_trend_slope(const struct wick_trend *t, double *slope, double *error)
{
    double sxx = t->n > 0 ? t->tt - t->t * t->t / t->n : 0;
    if (t->n < 3 || sxx <= 0)
        return false;
    double sxy = t->ty - t->t * t->y / t->n, syy = t->yy - t->y * t->y / t->n;
    double rest = syy - sxy * sxy / sxx;
    *slope = sxy / sxx;
    *error = rest > 0 ? sqrt(rest / (t->n - 2) / sxx) : 0;
    return true;
}

double wick_trend_growth(const struct wick_trend *t)
{
    double slope, error;
    if (!wick_trend_slope(t, &slope, &error) || fabs(slope) <= SURE * error)
        return 0;
    double time = 2 * sqrt(3 * (t->tt / t->n - t->t * t->t / t->n / t->n)); /* as if the points were evenly spaced */
    return fabs(slope) * time >= WORTH_A_TREND * t->y / t->n ? slope : 0;
}

/* The points from number `from` up to `to`. */
static struct wick_trend of(const struct wick_trend_point *p, size_t from, size_t to)
{
    struct wick_trend t = {0};
    for (size_t i = from; i < to; i++)
        wick_trend_add(&t, p[i].seconds - p[0].seconds, p[i].value);
    return t;
}

bool wick_trend_steady(const struct wick_trend_point *p, size_t n, double *rate)
{
    double all, first, second, error, none;
    if (n < STEADY_LEAST || p[n - 1].seconds - p[0].seconds < SECONDS_LEAST)
        return false;
    for (size_t q = 0; q + 1 < QUARTERS; q++) {
        struct wick_trend a = of(p, n * q / QUARTERS, n * (q + 1) / QUARTERS);
        struct wick_trend b = of(p, n * (q + 1) / QUARTERS, n * (q + 2) / QUARTERS);
        if (b.y / b.n <= a.y / a.n)
            return false;
    }
    struct wick_trend whole = of(p, 0, n), half1 = of(p, 0, n / 2), half2 = of(p, n / 2, n);
    if (!wick_trend_slope(&whole, &all, &error) || all <= VERY_SURE * error ||
        !wick_trend_slope(&half1, &first, &none) || !wick_trend_slope(&half2, &second, &none))
        return false;
    *rate = second;
    return second > 0 && second >= first / 2;
}
