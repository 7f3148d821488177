/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_native.c - the rule of `wick explain` about native memory that is not freed
 *
 * The course of what is alive (wick.NativeMemory) says whether it grows; two moments (wick.NativeLive), the first and
 * the last, say where. What is alive at a moment is an estimate from samples, so growth counts only as far as it is
 * beyond what chance can do: the estimate of a stack with the weight W in n samples, of blocks of s bytes each, has the
 * variance W (W / n - s). Stacks of threads are no part of it: they are reserved, not touched, and memory-growth judges
 * what is touched of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "analysis/trend.h"
#include "base/sum.h"

#define SIGMAS 5 /* one chance in three million */

static double variance_of(const struct wick_explain_native_moment *m)
{
    double sum = 0;
    for (size_t i = 0; i < m->n; i++) {
        const struct wick_explain_native *r = &m->rows[i];
        if (r->of_threads)
            continue;
        double weight = (double)r->bytes, n = r->samples > 0 ? (double)r->samples : 1,
               size = r->blocks > 0 ? weight / (double)r->blocks : weight;
        sum += weight / n > size ? weight * (weight / n - size) : 0;
    }
    return sum;
}

static int64_t bytes_of(const struct wick_explain_native_moment *m)
{
    int64_t sum = 0;
    for (size_t i = 0; i < m->n; i++)
        sum = wick_sum(sum, m->rows[i].of_threads ? 0 : m->rows[i].bytes);
    return sum;
}

static void add_by_stack(int64_t *sums, const struct wick_explain_native_moment *m, int sign)
{
    for (size_t i = 0; i < m->n; i++)
        if (!m->rows[i].of_threads)
            sums[m->rows[i].stack] = wick_sum(sums[m->rows[i].stack], sign * m->rows[i].bytes);
}

/* What each stack has more at the last moment than at the first; NULL without memory, *n rows. */
static struct wick_explain_sample *growth_by_stack(struct wick_explain_facts *f, size_t *n)
{
    int64_t *sums = calloc(f->p->nstacks, sizeof *sums);
    struct wick_explain_sample *rows = calloc(f->native_last.n + 1, sizeof *rows);
    *n = 0;
    if (sums && rows) {
        add_by_stack(sums, &f->native_last, 1);
        add_by_stack(sums, &f->native_first, -1);
        for (size_t i = 0; i < f->native_last.n; i++) {
            int64_t *grown = &sums[f->native_last.rows[i].stack];
            if (*grown > 0)
                rows[(*n)++] = (struct wick_explain_sample){.stack = f->native_last.rows[i].stack, .weight_ns = *grown};
            *grown = 0;
        }
    } else {
        free(rows);
        rows = NULL;
        f->failed = true;
    }
    free(sums);
    return rows;
}

/* Who allocated it: the nearest Java frame with its caller, and the function that called malloc. */
static void say_who(struct wick_explain *x, struct wick_explain_finding *r, double grown)
{
    struct wick_explain_facts *f = x->f;
    size_t n;
    struct wick_explain_sample *rows = growth_by_stack(f, &n);
    if (!rows)
        return;
    struct wick_explain_top java = wick_explain_top(f, rows, n, true, 0, WICK_EXPLAIN_ALL, WICK_EXPLAIN_JAVA),
                            leaf = wick_explain_top(f, rows, n, true, 0, WICK_EXPLAIN_ALL, WICK_EXPLAIN_LEAF);
    if (wick_explain_share((double)java.weight_ns, grown) >= WICK_EXPLAIN_WORTH_NAMING) {
        wick_explain_figure(r, "most", WICK_EXPLAIN_BYTES, (double)java.weight_ns);
        wick_explain_say_frame(x, r, "frame", java.frame);
        wick_explain_say_frame(x, r, "caller", java.caller);
        if (leaf.frame != java.frame && wick_explain_share((double)leaf.weight_ns, grown) >= WICK_EXPLAIN_WORTH_NAMING)
            wick_explain_say_frame(x, r, "function", leaf.frame);
    }
    free(rows);
}

void wick_explain_native_leak(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double rate, grown = (double)bytes_of(&f->native_last) - (double)bytes_of(&f->native_first);
    double chance = SIGMAS * sqrt(variance_of(&f->native_first) + variance_of(&f->native_last));
    double share = wick_explain_share(grown, (double)f->memory.resident);
    if (!f->nnative || grown < WICK_EXPLAIN_GROWN_LEAST || grown < chance ||
        (f->memory.resident && share < x->rule->threshold) || !wick_trend_steady(f->native, f->nnative, &rate))
        return;
    struct wick_explain_finding *r = wick_explain_found(x, (share > 0 ? share : 1) * (double)f->duration_ns);
    wick_explain_figure(r, "grown", WICK_EXPLAIN_BYTES, grown);
    wick_explain_figure(r, "held", WICK_EXPLAIN_BYTES, (double)bytes_of(&f->native_last));
    wick_explain_figure(r, "rate", WICK_EXPLAIN_BYTES, rate * 60);
    say_who(x, r, grown);
}
