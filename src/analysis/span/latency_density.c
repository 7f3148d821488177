/* SPDX-License-Identifier: Apache-2.0 */
/*
 * latency_density.c - requests put into columns and rows
 *
 * Columns have a round length, the shortest one (1, 2, 5 ... ms, s; from a minute on doubled) of which the number
 * asked for covers all starts, and begin at multiples of it. Rows lie between the round figures (1, 2 or 5 times a
 * power of ten) around the least and the greatest latency, each by the same factor above the one below; the lowest
 * starts at 0 if a latency lies below it. An edge is 2^62 ns at most, which a reader with doubles can give back.
 *
 * The requests are sorted by start; those of a column, which then are neighbours, by latency. So the percentiles of a
 * column are exact: the least latency that at least p % of its requests did not exceed. A request's row is found by
 * bisection. O(n log n + n log rows) in place; the requests come back in another order. Times below 0 count as 0.
 */
#include "analysis/span/latency_density.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"

static int by_start_and_latency(const void *a, const void *b)
{
    const struct wick_latency_dot *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->latency_ns < y->latency_ns ? -1 : x->latency_ns > y->latency_ns;
}

static int by_latency(const void *a, const void *b)
{
    const struct wick_latency_dot *x = a, *y = b;
    return x->latency_ns < y->latency_ns ? -1 : x->latency_ns > y->latency_ns;
}

/* The shortest round length of which at most `most` columns cover [from, to]. */
static int64_t column_length(int64_t from, int64_t to, uint32_t most)
{
    static const int64_t steps[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 15000, 30000, 60000};
    const int64_t ms = 1000000;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (to / (steps[i] * ms) - from / (steps[i] * ms) < most)
            return steps[i] * ms;
    int64_t length = 60000 * ms;
    while (to / length - from / length >= most && length < INT64_MAX / 2)
        length *= 2;
    return length;
}

/* 1, 2 or 5 times a power of ten: the largest that is not above v, or the smallest that is above it. v >= 1. */
static double round_figure(double v, int above)
{
    static const double figures[] = {1, 2, 5, 10, 20};
    double power = pow(10, floor(log10(v)));
    size_t i = 0;
    while (i < 3 && figures[i + 1] * power <= v)
        i++;
    return figures[i + (above != 0)] * power;
}

static void set_edges(struct wick_latency_density *d, int64_t least, int64_t most)
{
    double low = round_figure((double)(least > 0 ? least : 1), 0),
           high = round_figure((double)(most > 0 ? most : 1), 1);
    for (uint32_t r = 0; r <= d->rows; r++) {
        double edge = low * pow(high / low, (double)r / d->rows);
        d->edges_ns[r] = edge < 0x1p62 ? (int64_t)edge : INT64_C(1) << 62; /* what readers with doubles can give back */
    }
    if (least < d->edges_ns[0])
        d->edges_ns[0] = 0;
}

static uint32_t row_of(const struct wick_latency_density *d, int64_t latency)
{
    uint32_t low = 0, high = d->rows - 1;
    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;
        if (d->edges_ns[middle] <= latency)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void fill(struct wick_latency_density *d, struct wick_latency_dot *dots, size_t n)
{
    for (size_t i = 0, end; i < n; i = end) {
        int64_t column = (dots[i].start_ns - d->start_ns) / d->column_ns;
        for (end = i; end < n && (dots[end].start_ns - d->start_ns) / d->column_ns == column; end++)
            d->counts[(size_t)column * d->rows + row_of(d, dots[end].latency_ns)]++;
        size_t k = end - i;
        qsort(dots + i, k, sizeof *dots, by_latency);
        d->by_column[column] =
            (struct wick_latency_column){k, dots[i + (k * 50 + 99) / 100 - 1].latency_ns,
                                         dots[i + (k * 99 + 99) / 100 - 1].latency_ns, dots[end - 1].latency_ns};
    }
}

int wick_latency_density_init(struct wick_latency_density *d, struct wick_latency_dot *dots, size_t n, uint32_t columns,
                              uint32_t rows)
{
    int64_t least = INT64_MAX, most = 0;
    *d = (struct wick_latency_density){.rows = rows};
    for (size_t i = 0; i < n; i++) {
        dots[i].start_ns = dots[i].start_ns > 0 ? dots[i].start_ns : 0;
        dots[i].latency_ns = dots[i].latency_ns > 0 ? dots[i].latency_ns : 0;
        least = dots[i].latency_ns < least ? dots[i].latency_ns : least;
        most = dots[i].latency_ns > most ? dots[i].latency_ns : most;
    }
    least = n ? least : 0;
    if (n) {
        qsort(dots, n, sizeof *dots, by_start_and_latency);
        d->column_ns = column_length(dots[0].start_ns, dots[n - 1].start_ns, columns);
        d->start_ns = dots[0].start_ns - dots[0].start_ns % d->column_ns;
        d->columns = (uint32_t)((dots[n - 1].start_ns - d->start_ns) / d->column_ns + 1);
    }
    d->edges_ns = calloc((size_t)rows + 1, sizeof *d->edges_ns);
    d->counts = calloc((size_t)d->columns * rows + 1, sizeof *d->counts);
    d->by_column = calloc((size_t)d->columns + 1, sizeof *d->by_column);
    if (!d->edges_ns || !d->counts || !d->by_column) {
        wick_latency_density_release(d);
        return -WICK_E_NOMEM;
    }
    set_edges(d, least, most);
    fill(d, dots, n);
    return 0;
}

void wick_latency_density_release(struct wick_latency_density *d)
{
    free(d->edges_ns);
    free(d->counts);
    free(d->by_column);
    *d = (struct wick_latency_density){0};
}
