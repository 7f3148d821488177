/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_pauses.c - for how long collections stopped the world
 *
 * A recording has events of collections and, if the JDK made it, of their pauses. Events overlap where one collection
 * runs within another, and the first and the last ones reach beyond what was recorded; a sum of them can exceed the
 * time there was. So pauses are intervals, clipped to the recording, and their union counts. Where only collections are
 * known, one that paused for all of its duration is such an interval. Of one that ran beside the program it is not
 * known when it paused: its pauses are added, to no more than the time that its group of overlapping collections took.
 */
#include <stdlib.h>

#include "base/sum.h"
#include "analysis/explain/explain_facts.h"

static int by_begin(const void *a, const void *b)
{
    const struct wick_explain_pause *x = a, *y = b;
    return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

/* Cuts the row to [start, end]; false: nothing is left. */
static bool clip(struct wick_explain_pause *r, int64_t start_ns, int64_t end_ns)
{
    int64_t whole = r->end_ns - r->begin_ns;
    r->begin_ns = r->begin_ns < start_ns ? start_ns : r->begin_ns;
    r->end_ns = r->end_ns > end_ns ? end_ns : r->end_ns;
    if (r->end_ns <= r->begin_ns)
        return false;
    int64_t left = r->end_ns - r->begin_ns;
    if (r->paused_ns >= whole)
        r->paused_ns = left;
    else if (left < whole) /* where in it the pauses were is not known */
        r->paused_ns = (int64_t)((double)r->paused_ns * ((double)left / (double)whole));
    return true;
}

/* Time stopped in rows that overlap or touch, in order of their begin. */
static int64_t stopped_in(const struct wick_explain_pause *rows, size_t n)
{
    int64_t sure = 0, scattered = 0, until = rows[0].begin_ns, last = rows[0].end_ns;
    for (size_t i = 0; i < n; i++) {
        const struct wick_explain_pause *r = &rows[i];
        last = r->end_ns > last ? r->end_ns : last;
        if (r->paused_ns < r->end_ns - r->begin_ns) {
            scattered = wick_sum(scattered, r->paused_ns);
            continue;
        }
        int64_t from = r->begin_ns > until ? r->begin_ns : until;
        if (r->end_ns > from)
            sure += r->end_ns - from;
        until = r->end_ns > until ? r->end_ns : until;
    }
    int64_t all = wick_sum(sure, scattered), most = last - rows[0].begin_ns;
    return all < most ? all : most;
}

void wick_explain_pauses_add(struct wick_explain_facts *f, int64_t start_ns, int64_t end_ns)
{
    struct wick_explain_pause *rows = f->pause;
    size_t n = 0, first = 0;
    bool exact = false;
    for (size_t i = 0; i < f->npause; i++)
        exact |= rows[i].exact;
    for (size_t i = 0; i < f->npause; i++) {
        struct wick_explain_pause r = rows[i];
        if (r.exact != exact || !clip(&r, start_ns, end_ns))
            continue;
        int64_t longest = r.longest_ns < r.paused_ns ? r.longest_ns : r.paused_ns;
        f->longest_ns = longest > f->longest_ns ? longest : f->longest_ns;
        rows[n++] = r;
    }
    f->npause = 0;
    if (n)
        qsort(rows, n, sizeof *rows, by_begin);
    int64_t last = n ? rows[0].end_ns : 0;
    for (size_t i = 1; i <= n; i++) {
        if (i == n || rows[i].begin_ns > last) {
            f->pauses_ns = wick_sum(f->pauses_ns, stopped_in(&rows[first], i - first));
            first = i;
        }
        if (i < n && rows[i].end_ns > last)
            last = rows[i].end_ns;
    }
}
