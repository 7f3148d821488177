/* SPDX-License-Identifier: Apache-2.0 */
/*
 * latency_density.h - how many requests began when and took how long
 *
 * A picture of columns of time and rows of latency. Percentiles by second hide what the requests have in common: two
 * levels of latency, a band that moves, a queue that builds up and drains are visible at once as a density. Rows are
 * equally far apart as ratios, since what is twice as slow matters alike at 1 ms and at 1 s.
 *
 * Threads: any.
 * Memory:  4 bytes a cell, 32 a column; freed by wick_latency_density_release.
 */
#ifndef WICK_ANALYSIS_SPAN_LATENCY_DENSITY_H
#define WICK_ANALYSIS_SPAN_LATENCY_DENSITY_H

#include <stddef.h>
#include <stdint.h>

struct wick_latency_dot {
    int64_t start_ns, latency_ns; /* both at least 0; those below count as 0 */
};

/* The requests that began in a column; a percentile is the least latency that so many of them did not exceed. */
struct wick_latency_column {
    uint64_t count;
    int64_t p50_ns, p99_ns, max_ns;
};

struct wick_latency_density {
    int64_t start_ns, column_ns; /* a round length, and a multiple of it */
    uint32_t columns, rows;      /* 0 columns if there are no requests */
    int64_t *edges_ns;           /* rows + 1, rising: row r has latencies from edges_ns[r] up to edges_ns[r + 1] */
    uint32_t *counts;            /* columns one after the other, each from the shortest latency on */
    struct wick_latency_column *by_column;
};

/* Makes the picture of n requests, which are put in another order; at most `columns` columns, as few as the lengths of
 * columns allow, and `rows` rows; both at least 1. 0 or -WICK_E_NOMEM. */
int wick_latency_density_init(struct wick_latency_density *d, struct wick_latency_dot *dots, size_t n, uint32_t columns,
                              uint32_t rows);
void wick_latency_density_release(struct wick_latency_density *d);

#endif
