/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_ran_out.c - waits that end when another thread's wait for a notification runs out of time
 *
 * A thread that nobody notifies finds what it is to do when its time-out wakes it, and those that wait for it go on
 * only then. No event says who woke a thread; but where many waits at a place end within a few milliseconds of such a
 * time-out, far more than chance would have, the time-out is what they wait for: a notification that is missing or
 * goes to the wrong thread, or a batch that is given so much time.
 */
#include <stdlib.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"

#define FOLLOWS_LEAST  0.30 /* of the time of waits: ended so soon after a time-out, */
#define CHANCE_TIMES   6.0  /* and that is so much more than the share of the recording that is so soon after one */
#define WAITS_LEAST    30   /* chance has that once in 100,000 times */
#define TIMEOUTS_LEAST 10   /* of one function, each followed by waits that end */
#define FUNCTIONS_MOST 32   /* that are tried, those with most time-outs */

/* From a time-out to the end of what waited for it: the work in between, and a CPU for both. */
static const int64_t soon_ns[] = {1000000, 5000000};

/* The end of a wait. */
struct end {
    uint32_t function, thread, file, stack;
    int64_t time_ns, weight_ns;
    bool timed_out;
};

static int by_time(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static int by_function(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return by_time(a, b);
}

/* Ends of notifications that were waited for with a time-out, as it was over, and of the waits at the place. */
struct ends {
    struct end *timeouts, *waits; /* by function and time; by time */
    size_t ntimeouts, nwaits;
};

static void add(struct wick_explain *x, const struct wick_explain_place *at, struct wick_wait w, struct end one,
                struct ends *out)
{
    if (!w.stack)
        return;
    one.function = wick_explain_function_at(x->f->p, w.stack);
    one.stack = w.stack;
    one.time_ns = one.time_ns > 0 ? one.time_ns : 0; /* so that differences do not overflow */
    if (wick_explain_waits_there(x, w, at)) {
        out->waits[out->nwaits++] = one;
    } else if (one.timed_out && (w.kind == WICK_WAIT_OBJECT_WAIT || w.kind == WICK_WAIT_CONDITION)) {
        out->timeouts[out->ntimeouts++] = one;
    }
}

static void collect(struct wick_explain *x, const struct wick_explain_place *at, struct ends *out)
{
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->nnotices; i++) {
        const struct wick_explain_notice *n = &f->notices[i];
        struct end one = {.thread = n->thread, .file = n->file, .time_ns = n->end_ns, .timed_out = n->timed_out};
        one.weight_ns = n->weight_ns;
        add(x, at, wick_explain_wait_at(x, n->stack), one, out);
    }
    for (uint32_t i = 0; i < f->locks.nrows; i++) {
        const struct wick_lock_wait_row *r = &f->locks.rows[i];
        struct end one = {.thread = r->thread, .file = r->file, .timed_out = r->timed_out, .weight_ns = r->weight_ns};
        one.time_ns = wick_sum_time(r->start_ns, r->duration_ns);
        if (r->park && !r->native)
            add(x, at, wick_explain_wait_at(x, r->stack), one, out);
    }
}

/* The time-outs of one function. */
struct timeouts {
    const struct end *at;
    size_t n;
};

/* Those with most first; of as many in the order of the functions. */
static int by_number(const void *a, const void *b)
{
    const struct timeouts *x = a, *y = b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* The share of the recording that is so soon after one of the time-outs. */
static double chance_of(const struct wick_explain *x, struct timeouts o, int64_t soon)
{
    double covered_ns = 0;
    for (size_t i = 0; i < o.n; i++) {
        bool more = i + 1 < o.n && o.at[i + 1].file == o.at[i].file;
        int64_t until_next_ns = more ? o.at[i + 1].time_ns - o.at[i].time_ns : soon;
        covered_ns += (double)(until_next_ns < soon ? until_next_ns : soon);
    }
    return wick_explain_share(covered_ns, (double)x->f->duration_ns);
}

/* How many terms of one size a sum of terms of any size is worth: few if some are much larger than the others. */
struct effective {
    double sum, squares;
};

static void add_term(struct effective *e, double term)
{
    e->sum += term;
    e->squares += term * term;
}

static double effective_number(struct effective e)
{
    return e.squares > 0 ? e.sum * e.sum / e.squares : 0;
}

/* Of the waits' time, the share that ended soon after one of the time-outs; 0 = no more than by chance. What ends soon
 * after one time-out is one coincidence, however many waits those are. */
static double follows(const struct wick_explain *x, const struct ends *e, struct timeouts o, int64_t soon)
{
    const struct end *last = NULL; /* time-out that was followed */
    struct effective all = {0}, followed = {0};
    double one = 0; /* time of what followed it */
    for (size_t i = 0, k = 0; i < e->nwaits; i++) {
        const struct end *w = &e->waits[i];
        while (k < o.n && by_time(&o.at[k], w) <= 0)
            k++;
        const struct end *t = k && o.at[k - 1].file == w->file ? &o.at[k - 1] : NULL;
        if (!t || t->thread == w->thread || w->timed_out || w->time_ns - t->time_ns > soon) {
            add_term(&all, (double)w->weight_ns);
            continue;
        }
        if (t != last)
            add_term(&followed, one);
        one = t != last ? (double)w->weight_ns : one + (double)w->weight_ns;
        last = t;
    }
    add_term(&followed, one);
    all.sum += followed.sum;
    all.squares += followed.squares;
    double share = wick_explain_share(followed.sum, all.sum);
    bool many = effective_number(all) >= WAITS_LEAST && effective_number(followed) >= TIMEOUTS_LEAST;
    return many && share >= FOLLOWS_LEAST && share >= CHANCE_TIMES * chance_of(x, o, soon) ? share : 0;
}

/* The function whose time-outs most of the waits end soon after. */
struct cause {
    const struct end *at;
    double share;
    int64_t soon_ns;
};

static struct cause cause_of(struct wick_explain *x, const struct ends *e)
{
    struct cause best = {0};
    struct timeouts *of = calloc(e->ntimeouts / TIMEOUTS_LEAST + 1, sizeof *of);
    size_t n = 0;
    x->f->failed |= !of;
    for (size_t from = 0, to; of && from < e->ntimeouts; from = to) {
        for (to = from; to < e->ntimeouts && e->timeouts[to].function == e->timeouts[from].function;)
            to++;
        if (to - from >= TIMEOUTS_LEAST)
            of[n++] = (struct timeouts){&e->timeouts[from], to - from};
    }
    if (n)
        qsort(of, n, sizeof *of, by_number);
    for (size_t i = 0; i < n && i < FUNCTIONS_MOST; i++)
        for (size_t k = 0; k < sizeof soon_ns / sizeof *soon_ns; k++) {
            double share = follows(x, e, of[i], soon_ns[k]);
            if (share > best.share)
                best = (struct cause){.at = of[i].at, .share = share, .soon_ns = soon_ns[k]};
        }
    free(of);
    return best;
}

void wick_explain_say_ran_out(struct wick_explain *x, struct wick_explain_finding *r,
                              const struct wick_explain_place *at)
{
    size_t n = x->f->nnotices + x->f->locks.nrows;
    struct ends e = {.timeouts = calloc(n + 1, sizeof *e.timeouts), .waits = calloc(n + 1, sizeof *e.waits)};
    x->f->failed |= !e.timeouts || !e.waits;
    if (e.timeouts && e.waits)
        collect(x, at, &e);
    if (e.ntimeouts)
        qsort(e.timeouts, e.ntimeouts, sizeof *e.timeouts, by_function);
    if (e.nwaits)
        qsort(e.waits, e.nwaits, sizeof *e.waits, by_time);
    struct cause most = {0};
    if (e.nwaits >= WAITS_LEAST && e.ntimeouts >= TIMEOUTS_LEAST)
        most = cause_of(x, &e);
    if (most.at) {
        wick_explain_figure(r, "released", WICK_EXPLAIN_SHARE, most.share);
        wick_explain_figure(r, "soon", WICK_EXPLAIN_TIME, (double)most.soon_ns);
        wick_explain_say_frame(x, r, "ranOut", wick_explain_frame_at(x->f->p, most.at->stack));
        if (r)
            r->advice = "find why nothing notifies that thread before its time-out: a notify() that is never reached, "
                        "or one that wakes a thread with no use for it (notifyAll(), or a condition for each kind of "
                        "waiter); or, if it waits for more to come on purpose, give it less time";
    }
    free(e.timeouts);
    free(e.waits);
}
