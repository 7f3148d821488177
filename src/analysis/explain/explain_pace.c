/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_pace.c - whether a clock sets the pace of those who wait, rather than somebody who is too slow
 *
 *     publisher  |-- computes until it is time --|-- computes until it is time --|     each waits for 500 ms: with
 *     readers    |------ wait for the next ------|------ wait for the next ------|     more CPUs, likewise
 *
 *     sender     takes, sends, rests until the next one is due; takes, sends, rests ...    its queue is full, as it
 *     feeders    wait for room in the queue, for as long as it rests                       keeps a rate on purpose
 *
 * Waits for something that is computed take as long as that takes, which varies; those that a clock ends take the same
 * time each, and people choose round ones. Who takes one element of a full queue each time that its timer fires runs
 * about as often as others find room in it, and rests for most of its time. (A pipeline of one thread for each stage,
 * for which nobody waits, is no finding at all: explain_waits.c.)
 *
 * Where that is not so, a thread that rests for most of its time may still be who should take, and tries something
 * again and again. Nothing shows it, so a sentence may only mention the thread.
 *
 * A thread that finds nothing to do, rests for a time and tries again has all that comes in between wait for the rest
 * of it: the others' waits are about as long as one of its rests, however many end with each.
 */
#include <math.h>
#include <stdlib.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"

#define PERIOD_LEAST  10e6 /* ns */
#define VARIES_MOST   0.05 /* of the mean: the standard deviation of the lengths */
#define ROUND_MOST    0.02 /* from a round number of milliseconds */
#define TIMED_MOST    0.05 /* of the waiting: ended by time-outs */
#define RESTS_LEAST   0.75 /* of its time: in a timer */
#define RUNS_LEAST    0.5  /* for each element that it takes: it may find several at a time */
#define RUNS_MOST     4.0  /* it may wait for answers as well */
#define PRESENT_LEAST 0.90 /* of the recording */
#define CLEARLY       2.0  /* times as often */
#define NAP_LEAST     1e6  /* ns */
#define NAPS_LEAST    0.40 /* the length of a wait, by that of a rest: what comes at any time waits for half of one, */
#define NAPS_MOST     1.30 /* what comes at its begin for all of it, and then for its turn */

/* The round time next to it, of 1, 2, 2.5 and 5 times a power of ten; 0 = it is next to none. */
static double round_time(double ns)
{
    static const double digits[] = {1, 2, 2.5, 5, 10};
    double unit = pow(10, floor(log10(ns)));
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++)
        if (fabs(ns - digits[i] * unit) <= ROUND_MOST * digits[i] * unit)
            return digits[i] * unit;
    return 0;
}

void wick_explain_say_period(struct wick_explain_finding *r, const struct wick_explain_lengths *of)
{
    double mean = wick_explain_share(of->ns, of->n), varies = of->n > 0 ? of->squares / of->n - mean * mean : 0;
    bool own = of->timed_ns > TIMED_MOST * of->ns; /* a time-out: what they wait for does not come */
    double period =
        !own && mean >= PERIOD_LEAST && sqrt(varies > 0 ? varies : 0) <= VARIES_MOST * mean ? round_time(mean) : 0;
    if (period > 0)
        wick_explain_figure(r, "period", WICK_EXPLAIN_TIME, period);
}

/* Time of a thread, and where it rests longest. */
struct rest {
    int64_t all_ns, rests_ns, long_ns, longest_ns; /* long: in waits that are each a long one */
    uint32_t stack;
};

static struct rest *rests_of(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct rest *of = calloc(f->p->nthreads + 1, sizeof *of);
    x->f->failed |= !of;
    for (size_t i = 0; of && i < f->nwall; i++) {
        struct rest *t = &of[f->wall[i].thread];
        int64_t ns = f->wall[i].weight_ns;
        bool rests = wick_wait_is_timer(x->waits[i].kind);
        t->all_ns = wick_sum(t->all_ns, ns);
        t->rests_ns = wick_sum(t->rests_ns, rests ? ns : 0);
        t->long_ns = wick_sum(t->long_ns, wick_explain_is_long(&f->wall[i]) ? ns : 0);
        if (rests && x->waits[i].stack && ns > t->longest_ns) {
            t->longest_ns = ns;
            t->stack = x->waits[i].stack;
        }
    }
    return of;
}

/* The only thread that rests for most of its time, and runs so often; 0 = there is none, or several are. */
static uint32_t pacer_of(const struct wick_explain_facts *f, const struct rest *of, double elements)
{
    uint32_t found = 0;
    for (uint32_t t = 1; t < f->p->nthreads && t < f->nuses; t++) {
        double all = (double)of[t].all_ns, runs = (double)f->uses[t].slices;
        if (!of[t].stack || all < PRESENT_LEAST * (double)f->duration_ns ||
            (double)of[t].rests_ns < RESTS_LEAST * all || (double)of[t].long_ns >= RESTS_LEAST * all ||
            runs < RUNS_LEAST * elements || runs > RUNS_MOST * elements)
            continue;
        if (found)
            return 0;
        found = t;
    }
    return found;
}

/* The only thread that rests for most of its time, for about as long at a time as others wait; 0 = there is none, or
 * several are. *nap: how long. */
static uint32_t poller_of(const struct wick_explain_facts *f, const struct rest *of, double wait, double *nap)
{
    uint32_t found = 0;
    for (uint32_t t = 1; t < f->p->nthreads && t < f->nuses; t++) {
        double all = (double)of[t].all_ns, rests = (double)of[t].rests_ns,
               each = wick_explain_share(rests, (double)f->uses[t].slices);
        if (!of[t].stack || all < PRESENT_LEAST * (double)f->duration_ns || rests < RESTS_LEAST * all ||
            each < NAP_LEAST || wait < NAPS_LEAST * each || wait > NAPS_MOST * each)
            continue;
        if (found)
            return 0;
        found = t;
        *nap = each;
    }
    return found;
}

/* Of the threads that rest for most of their time, the one that is woken often, and clearly more often than any other;
 * 0 = there is none. */
static uint32_t rester_of(const struct wick_explain_facts *f, const struct rest *of)
{
    uint32_t found = 0;
    double most = 0, next = 0; /* how often those two are woken that are most */
    for (uint32_t t = 1; t < f->p->nthreads && t < f->nuses; t++) {
        double woken = (double)f->uses[t].slices;
        if (!of[t].stack || (double)of[t].all_ns < PRESENT_LEAST * (double)f->duration_ns ||
            (double)of[t].rests_ns < RESTS_LEAST * (double)of[t].all_ns ||
            (double)of[t].long_ns >= RESTS_LEAST * (double)of[t].all_ns)
            continue;
        next = woken > most ? most : woken > next ? woken : next;
        found = woken > most ? t : found;
        most = woken > most ? woken : most;
    }
    return found && wick_explain_is_often(f, found) && most >= CLEARLY * next ? found : 0;
}

/* Says where the thread rests, and for how much of its time. */
static void say_rest(struct wick_explain *x, struct wick_explain_finding *r, const char *key, uint32_t thread,
                     const struct rest *rest)
{
    wick_explain_say(x, r, key, wick_profile_str(x->f->p, x->f->p->threads[thread].name));
    wick_explain_figure(r, "resting", WICK_EXPLAIN_SHARE,
                        wick_explain_share((double)rest->rests_ns, (double)rest->all_ns));
    wick_explain_say_frame(x, r, "timer", wick_explain_frame_at(x->f->p, rest->stack));
}

/* Who may be what completes what others wait for, and only tries now and then. */
static void say_poller(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    bool tasks = at->kind == WICK_WAIT_FUTURE || at->kind == WICK_WAIT_REPLY || at->kind == WICK_WAIT_LATCH;
    bool known = at->nlinks || at->via != WICK_WAIT_NONE || (r && r->advice != wick_wait_help(at->kind));
    if (!tasks || known)
        return;
    struct wick_explain_lengths of = wick_explain_lengths_at(x, at->kind, at->function);
    struct rest *rests = of.events ? rests_of(x) : NULL;
    double nap = 0;
    uint32_t thread = rests ? poller_of(x->f, rests, wick_explain_share(of.ns, of.n), &nap) : 0;
    if (thread) {
        wick_explain_say(x, r, "poller", wick_profile_str(x->f->p, x->f->p->threads[thread].name));
        wick_explain_figure(r, "nap", WICK_EXPLAIN_TIME, nap);
        wick_explain_say_frame(x, r, "timer", wick_explain_frame_at(x->f->p, rests[thread].stack));
        if (r)
            r->advice = "if that thread is what they wait for, let it wait for work (a BlockingQueue, a condition, "
                        "LockSupport.unpark), in place of a time that each of them waits for as well";
    }
    free(rests);
}

void wick_explain_say_pacer(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    bool full = at->kind == WICK_WAIT_QUEUE_FULL && (at->via == WICK_WAIT_NONE || at->via == WICK_WAIT_QUEUE_FULL);
    for (unsigned i = 0; i < at->nlinks; i++)
        full &= at->links[i].kind == WICK_WAIT_QUEUE_FULL; /* else it is seen what who takes from it does */
    if (!full)
        return say_poller(x, r, at);
    struct wick_explain_lengths of = wick_explain_lengths_at(x, at->kind, at->function);
    if (!of.events && at->via == WICK_WAIT_QUEUE_FULL) /* what comes through one queue comes through the next one */
        of = wick_explain_lengths_at(x, at->kind, wick_explain_function_at(x->f->p, at->via_stack));
    struct rest *rests = of.events ? rests_of(x) : NULL;
    uint32_t thread = rests ? pacer_of(x->f, rests, of.n) : 0;
    uint32_t other = rests && !thread && at->via == WICK_WAIT_NONE && !at->nlinks ? rester_of(x->f, rests) : 0;
    if (thread)
        say_rest(x, r, "pacer", thread, &rests[thread]);
    if (other)
        say_rest(x, r, "rester", other, &rests[other]);
    if (r && thread)
        r->advice = "let that thread rest for less time, if nothing asks for that rate";
    if (r && other)
        r->advice = "more consumers, or quicker ones; if that thread takes from the queue, let it not rest between two "
                    "elements: what cannot be done yet can be put aside until a timer is due";
    free(rests);
}
