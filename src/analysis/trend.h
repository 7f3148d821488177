/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trend.h - whether a figure grows, and how fast: lines through points (least squares)
 *
 * Threads: any.
 */
#ifndef WICK_ANALYSIS_TREND_H
#define WICK_ANALYSIS_TREND_H

#include <stdbool.h>
#include <stddef.h>

/* Sums for a line; times in seconds. */
struct wick_trend {
    double n, t, y, tt, ty, yy;
};

/* A point more. */
void wick_trend_add(struct wick_trend *t, double seconds, double value);

/* The slope a second, and its standard error in *error. False with fewer than three points, or all at one time. */
bool wick_trend_slope(const struct wick_trend *t, double *slope, double *error);

/* The slope if it differs from 0 by more than three times its error and is a change of 1 % of the mean or more over the
 * time seen, else 0. */
double wick_trend_growth(const struct wick_trend *t);

struct wick_trend_point {
    double seconds, value;
};

/* Whether the value, in order of time, rises steadily and goes on doing so, unlike one that warms up, comes and goes,
 * or scatters: each quarter's mean is above the one before, the slope is eight times its error, and the second half
 * rises at least half as fast as the first. Of eight points or more, over 20 s or more. *rate gets the slope a second
 * of the second half.
 */
bool wick_trend_steady(const struct wick_trend_point *p, size_t n, double *rate);

#endif
