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
#define WAITS_LEAST    30   /* chance has that once in 100,000 times, if they are independent */
#define TIMEOUTS_LEAST 10

/* From a time-out to the end of what waited for it: the work in between, and a CPU for both. */
static const int64_t soon_ns[] = {1000000, 5000000};

/* The end of a wait. */
struct end {
    uint32_t function, thread, file, stack;
    int64_t time_ns, weight_ns;
    bool timed_out;
};

static int by_function(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

/* Ends of notifications that were waited for with a time-out, as it was over, and of the waits at the place. */
struct ends {
    struct end *timeouts, *waits;
    size_t ntimeouts, nwaits;
    double waited; /* weight of all waits at the place */
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
        out->waited += (double)one.weight_ns;
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

/* The last of n time-outs, which are in order, no later than the wait's end, in the same recording; NULL = none. */
static const struct end *last_before(const struct end *timeouts, size_t n, const struct end *wait)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t i = low + (high - low) / 2;
        const struct end *e = &timeouts[i];
        if (e->file < wait->file || (e->file == wait->file && e->time_ns <= wait->time_ns))
            low = i + 1;
        else
            high = i;
    }
    return low && timeouts[low - 1].file == wait->file ? &timeouts[low - 1] : NULL;
}

/* Of the waits' time, the share that ended soon after one of n time-outs of a function; 0 = no more than by chance. */
static double follows(const struct wick_explain *x, const struct ends *e, const struct end *timeouts, size_t n,
                      int64_t soon)
{
    double after = 0, covered_ns = 0;
    for (size_t i = 0; i < e->nwaits; i++) {
        const struct end *t = last_before(timeouts, n, &e->waits[i]);
        bool other = t && t->thread != e->waits[i].thread && !e->waits[i].timed_out;
        bool is = other && e->waits[i].time_ns - t->time_ns <= soon;
        after += is ? (double)e->waits[i].weight_ns : 0;
    }
    for (size_t i = 0; i < n; i++) {
        bool more = i + 1 < n && timeouts[i + 1].file == timeouts[i].file;
        int64_t until_next_ns = more ? timeouts[i + 1].time_ns - timeouts[i].time_ns : soon;
        covered_ns += (double)(until_next_ns < soon ? until_next_ns : soon);
    }
    double share = wick_explain_share(after, e->waited);
    double chance = wick_explain_share(covered_ns, (double)x->f->duration_ns);
    return share >= FOLLOWS_LEAST && share >= CHANCE_TIMES * chance ? share : 0;
}

/* The function whose time-outs most of the waits end soon after. */
struct cause {
    const struct end *at;
    double share;
    int64_t soon_ns;
};

static struct cause cause_of(const struct wick_explain *x, const struct ends *e)
{
    struct cause best = {0};
    for (size_t from = 0, to; e->nwaits >= WAITS_LEAST && from < e->ntimeouts; from = to) {
        for (to = from; to < e->ntimeouts && e->timeouts[to].function == e->timeouts[from].function;)
            to++;
        for (size_t i = 0; to - from >= TIMEOUTS_LEAST && i < sizeof soon_ns / sizeof *soon_ns; i++) {
            double share = follows(x, e, &e->timeouts[from], to - from, soon_ns[i]);
            if (share > best.share)
                best = (struct cause){.at = &e->timeouts[from], .share = share, .soon_ns = soon_ns[i]};
        }
    }
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
    struct cause most = cause_of(x, &e);
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
