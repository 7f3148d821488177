/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_lent.c - what is lent: whether objects of a pool that others wait for get lost, and whether more would help
 *
 * While threads wait for an object of a pool, all its objects are lent, so as many threads have one at any time. If at
 * some times much fewer have one, and threads wait all the same, the others are lost: lent, and not given back, as
 * where an exception leads past the return; until they are made anew or found again.
 *
 * Where those that have one compute, and have taken all CPUs, more of them would only wait for a CPU instead. So would
 * more consumers of a full queue.
 */
#include <math.h>
#include <stdlib.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"

enum { WINDOWS = 16, QUARTER = WINDOWS / 4, CELLS = 4 };

#define WINDOW_LEAST  INT64_C(400000000) /* ns: in a shorter one too few threads are sampled */
#define WAIT_LEAST    1.0                /* threads that wait in a window, */
#define CELL_LEAST    0.5                /* and in each cell of it, which has few samples */
#define FALL_LEAST    1.5                /* as many had one in a window before an empty one */
#define TIMES_LEAST   2.0                /* as many have one in the fullest quarter of the windows as in the emptiest */
#define TAKEN_LEAST   0.90               /* of the CPUs */
#define BY_THEM_LEAST 0.50               /* of the CPUs: threads that have one and compute */
#define CHANCE_LEAST  0.25               /* of the variance that is left where threads have one most of the time */
#define CHANCE_MOST   57.0 /* of 16 windows with equally many: chi-squared of 15 degrees, one in a million */

/* A part of the recording: time of threads that wait, and of those that have one, with its variance by sampling. */
struct window {
    double waits_ns[CELLS], lent_ns, squares;
    bool falls; /* there was one before it with more */
};

static int by_lent(const void *a, const void *b)
{
    const struct window *x = a, *y = b;
    return (x->lent_ns > y->lent_ns) - (x->lent_ns < y->lent_ns);
}

/* Spreads a sample, or several of one wait, over the windows that they cover. */
static void add(const struct wick_explain_sample *s, int64_t start_ns, double length, bool lent, struct window *w)
{
    double from = (double)(s->time_ns - start_ns), cell = length / CELLS;
    double to = from + (double)s->span_ns, ns = (double)s->weight_ns, quantum = wick_explain_quantum(s);
    for (int k = 0; k < WINDOWS * CELLS; k++) {
        double lo = fmax(from, k * cell), hi = fmin(to, (k + 1) * cell);
        double part = to > from ? fmax(hi - lo, 0) / (to - from) : from >= k * cell && from < (k + 1) * cell;
        struct window *at = &w[k / CELLS];
        at->waits_ns[k % CELLS] += lent ? 0 : part * ns;
        at->lent_ns += lent ? part * ns : 0;
        at->squares += lent ? part * quantum : 0;
    }
}

/* Whether others wait throughout the window. */
static bool is_waited(const struct window *w, double length_ns)
{
    double all = 0;
    for (int k = 0; k < CELLS; k++) {
        all += w->waits_ns[k];
        if (w->waits_ns[k] < CELL_LEAST * length_ns / CELLS)
            return false;
    }
    return all >= WAIT_LEAST * length_ns;
}

/* How far the windows are from having equally many, in units of chance. takers_ns: the time of all threads that have
 * one now and then, each sample of which is of one that has, or of one that has not. */
static double chi_squared(const struct window *w, double takers_ns)
{
    double all = 0, squares = 0, sum = 0;
    for (int k = 0; k < WINDOWS; k++) {
        all += w[k].lent_ns;
        squares += w[k].squares;
    }
    squares *= fmax(1 - wick_explain_share(all, takers_ns), CHANCE_LEAST);
    for (int k = 0; k < WINDOWS; k++)
        sum += (w[k].lent_ns - all / WINDOWS) * (w[k].lent_ns - all / WINDOWS);
    return squares > 0 ? sum * WINDOWS / squares : 0;
}

/* How many threads had one, in the emptiest quarter of the windows, of those in which others waited, and in the fullest
 * one. False: that may be chance, or nobody waits most of the time; or the pool only grows. */
static bool varies(struct window *w, double length_ns, double takers_ns, double *least, double *most)
{
    double low = 0, high = 0, before = 0;
    int lows = 0;
    for (int k = 0; k < WINDOWS; k++) {
        w[k].falls = before > 0 && before >= FALL_LEAST * w[k].lent_ns;
        before = fmax(before, w[k].lent_ns);
    }
    qsort(w, WINDOWS, sizeof *w, by_lent);
    for (int k = 0; k < WINDOWS && lows < QUARTER; k++) {
        if (!w[k].falls || !is_waited(&w[k], length_ns))
            continue;
        low += w[k].lent_ns;
        lows++;
    }
    if (lows < QUARTER)
        return false;
    for (int k = 0; k < QUARTER; k++)
        high += w[WINDOWS - 1 - k].lent_ns;
    *least = low / (QUARTER * length_ns);
    *most = high / (QUARTER * length_ns);
    return high >= TIMES_LEAST * low && chi_squared(w, takers_ns) > CHANCE_MOST;
}

/* The time of all threads that were seen to have one. */
static double time_of_takers(struct wick_explain *x, const bool *lent)
{
    const struct wick_explain_facts *f = x->f;
    bool *takes = calloc(f->p->nthreads + 1, sizeof *takes);
    double ns = 0;
    x->f->failed |= !takes;
    for (size_t i = 0; takes && i < f->nwall; i++)
        takes[f->wall[i].thread] |= lent[i];
    for (size_t i = 0; takes && i < f->nwall; i++)
        ns += takes[f->wall[i].thread] ? (double)f->wall[i].weight_ns : 0;
    free(takes);
    return ns;
}

/* When the first sample was taken, and how long the recording is from then on. */
static int64_t start_of(const struct wick_explain_facts *f, double *length_ns)
{
    int64_t start = INT64_MAX, end = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        start = s->time_ns < start ? s->time_ns : start;
        int64_t last = wick_sum_time(s->time_ns, s->span_ns);
        end = last > end ? last : end;
    }
    *length_ns = end > start ? (double)(end - start) : 0;
    return start;
}

void wick_explain_say_lost(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    double length, least, most;
    int64_t start = start_of(f, &length);
    struct window windows[WINDOWS] = {0};
    length /= WINDOWS;
    bool *lent = r && at->kind == WICK_WAIT_POOL ? calloc(f->nwall + 1, sizeof *lent) : NULL;
    if (lent && length >= WINDOW_LEAST && wick_explain_has_lent(x, at, lent)) {
        for (size_t i = 0; i < f->nwall; i++)
            if (lent[i] || wick_explain_waits_there(x, x->waits[i], at))
                add(&f->wall[i], start, length, lent[i], windows);
        if (varies(windows, length, time_of_takers(x, lent), &least, &most)) {
            wick_explain_figure(r, "least", WICK_EXPLAIN_NUMBER, least);
            wick_explain_figure(r, "peak", WICK_EXPLAIN_NUMBER, most);
            r->advice =
                "give objects back in finally (try with resources), whatever fails in between: some are lent and "
                "not given back, for a while or for good, or kept elsewhere than where they are taken; a larger pool "
                "only takes "
                "longer to run dry";
        }
    }
    free(lent);
}

void wick_explain_say_taken(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    double others = wick_explain_others(f) * (double)f->allowed, cpus = wick_explain_cpus(f);
    double own = wick_explain_share(x->out->busy, cpus);
    double all = wick_explain_share(x->out->busy + others, (double)f->allowed), taken = own > all ? own : all;
    bool lent = at->kind == WICK_WAIT_SEMAPHORE || at->kind == WICK_WAIT_POOL;
    const struct wick_explain_link *last = at->nlinks ? &at->links[at->nlinks - 1] : NULL;
    bool theirs = last && last->kind == WICK_WAIT_NONE &&
                  (lent ? last->who == WICK_EXPLAIN_BORROWER
                        : at->kind == WICK_WAIT_QUEUE_FULL && last->who == WICK_EXPLAIN_TAKER);
    if (!theirs || taken < TAKEN_LEAST)
        return;
    if (last->threads * last->share < BY_THEM_LEAST * cpus)
        return; /* others compute */
    wick_explain_figure(r, "taken", WICK_EXPLAIN_SHARE, taken < 1 ? taken : 1);
    if (r)
        r->advice = "make what is computed there cheaper, or give the program more CPUs";
}
