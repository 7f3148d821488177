/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_lengths.c - how many waits there were at a place, and how long each took
 *
 * A thousand waits of a millisecond and one of a second cost the same, and have different causes. Waits for monitors
 * and parks are sampled in proportion to how long they take (engine/lock/lock.h): weight / duration of each says how
 * many it stands for.
 */
#include <math.h>

#include "analysis/explain/explain_int.h"

#define EVENTS_LEAST 12 /* fewer say little of the mean */

double wick_explain_two_digits(double n)
{
    double unit = n < 100 ? 1 : pow(10, floor(log10(n)) - 1);
    return round(n / unit) * unit;
}

struct wick_explain_lengths wick_explain_lengths_at(const struct wick_explain *x, enum wick_wait_kind kind,
                                                    uint32_t function)
{
    const struct wick_lock_waits *l = &x->f->locks;
    struct wick_explain_lengths of = {0};
    for (uint32_t i = 0; i < l->nrows; i++) {
        const struct wick_lock_wait_row *w = &l->rows[i];
        struct wick_wait at = w->native ? (struct wick_wait){0} : wick_explain_wait_at(x, w->stack);
        bool same = w->park ? at.kind == kind : kind == WICK_WAIT_MONITOR;
        if (!same || !at.stack || wick_explain_function_at(x->f->p, at.stack) != function || w->duration_ns <= 0)
            continue;
        of.events++;
        of.ns += (double)w->weight_ns;
        of.n += (double)w->weight_ns / (double)w->duration_ns;
        of.squares += (double)w->weight_ns * (double)w->duration_ns;
        of.timed_ns += w->timed_out ? (double)w->weight_ns : 0;
    }
    if (of.events < EVENTS_LEAST || of.n < 2 || l->not_ours) /* others leave out the short ones */
        of = (struct wick_explain_lengths){0};
    return of;
}

void wick_explain_say_lengths(struct wick_explain *x, struct wick_explain_finding *r, enum wick_wait_kind kind,
                              uint32_t function)
{
    struct wick_explain_lengths of = wick_explain_lengths_at(x, kind, function);
    if (!of.events)
        return;
    wick_explain_say(x, r, "counted", wick_wait_text(kind));
    wick_explain_figure(r, "waits", WICK_EXPLAIN_NUMBER, wick_explain_two_digits(of.n));
    wick_explain_figure(r, "mean", WICK_EXPLAIN_TIME, of.ns / of.n);
}
