/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_account.c - how the time of each endpoint and of each thread went
 *
 * Every wall-clock sample is of one part: a thread is on a CPU, ready to run without one, held at a safepoint, waiting
 * for memory, or waiting for something that has a kind (wait_kind.h). So the parts of an account add up to its wall
 * time by construction, and whether that is the time that went by is what tests ask programs that measure themselves.
 * Samples within spans are weighted so that they sum up to the time in spans. Those of a thread sum up to its life only
 * on average, as threads are drawn: with 16 of 32 at each of 100 ticks a second, the sum over two seconds has a
 * standard deviation of 7 %. But the first and the last of them are near its start and end:
 *
 *      start                                                                     end
 *        |  gap  *      *  *     *   ...                       *    *  *    gap  |
 *                first                                              last
 *
 * So where a thread could be drawn at any time, and the sum does not contradict it, its parts are scaled to that time.
 */
#include <math.h>
#include <stdlib.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"

#define SEEN_LEAST 10  /* samples of a thread, for its life to be known better than by their sum */
#define DEVIATIONS 3.0 /* by which the sum may differ from it */

enum { ON_CPU, READY, HELD, STALLED, WAITS };

_Static_assert(WAITS + WICK_WAIT_KINDS == WICK_EXPLAIN_ACCOUNT_PARTS, "one part for each kind of wait");

const char *wick_explain_part_name(unsigned part)
{
    static const char *const names[WAITS] = {"cpu", "cpu-wait", "safepoint", "allocation"};
    return part < WAITS ? names[part] : part == WAITS ? "other" : wick_wait_name((enum wick_wait_kind)(part - WAITS));
}

static unsigned part_of_sample(const struct wick_explain *x, size_t i)
{
    switch (x->f->wall[i].state) {
    case WICK_EXPLAIN_DEFAULT:
        return ON_CPU;
    case WICK_EXPLAIN_RUNNABLE:
        return x->waits[i].kind == WICK_WAIT_NONE ? ON_CPU : WAITS + x->waits[i].kind;
    case WICK_EXPLAIN_WAITING_FOR_CPU:
        return READY;
    case WICK_EXPLAIN_SAFEPOINT:
        return HELD;
    case WICK_EXPLAIN_ALLOCATION:
        return STALLED;
    default:
        return WAITS + x->waits[i].kind;
    }
}

/* The account of an endpoint or thread; `at` has 1 + its place. NULL without memory. */
static struct wick_explain_account *account_of(struct wick_explain *x, uint32_t *at, uint32_t endpoint, uint32_t thread)
{
    struct wick_explain_findings *o = x->out;
    if (!*at) {
        struct wick_explain_account *rows =
            wick_explain_room(o->accounts, o->naccounts, &o->cap_accounts, sizeof *rows);
        x->f->failed |= !rows;
        if (!rows)
            return NULL;
        o->accounts = rows;
        rows[o->naccounts] = (struct wick_explain_account){.endpoint = endpoint, .thread = thread};
        *at = (uint32_t)++o->naccounts;
    }
    return &o->accounts[*at - 1];
}

static void add(struct wick_explain_account *a, unsigned part, double ns)
{
    if (!a)
        return;
    a->part_ns[part] += ns;
    a->wall_ns += ns;
}

static int by_wall(const void *a, const void *b)
{
    const struct wick_explain_account *x = a, *y = b;
    if (!x->endpoint != !y->endpoint)
        return x->endpoint ? -1 : 1;
    if (x->wall_ns != y->wall_ns)
        return x->wall_ns > y->wall_ns ? -1 : 1;
    return x->endpoint != y->endpoint ? (x->endpoint < y->endpoint ? -1 : 1)
                                      : (x->thread > y->thread) - (x->thread < y->thread);
}

/* When a thread was sampled, first and last, how often, and the variance of the sum of the weights. */
struct seen {
    int64_t first_ns, last_ns;
    uint64_t count;
    double variance;
};

static void see(struct seen *of, const struct wick_explain_sample *s)
{
    int64_t last = wick_sum(s->time_ns, s->span_ns);
    of->first_ns = !of->count || s->time_ns < of->first_ns ? s->time_ns : of->first_ns;
    of->last_ns = last > of->last_ns ? last : of->last_ns;
    of->count += s->count;
    of->variance += wick_explain_quantum(s);
}

/* The thread's life by its first and last sample, within what all threads have; or the sum. */
static double life_of(const struct seen *t, const struct seen *all, double sum)
{
    if (t->count < SEEN_LEAST)
        return sum;
    double first = (double)t->first_ns, last = (double)t->last_ns, gap = (last - first) / (double)(t->count - 1);
    first = fmax(first - gap, (double)all->first_ns);
    last = fmin(last + gap, (double)all->last_ns);
    return last > first && fabs(last - first - sum) <= DEVIATIONS * sqrt(t->variance) ? last - first : sum;
}

/* Scales the accounts of threads to their lives. */
static void learn_lives(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct seen *of = calloc(f->p->nthreads + 1, sizeof *of), all = {0};
    x->f->failed |= !of;
    for (size_t i = 0; of && i < f->nwall; i++) {
        if (!f->wall[i].count)
            continue;
        see(&all, &f->wall[i]);
        see(&of[f->wall[i].thread], &f->wall[i]);
    }
    for (size_t i = 0; of && i < x->out->naccounts; i++) {
        struct wick_explain_account *a = &x->out->accounts[i];
        if (!a->thread || !(a->wall_ns > 0))
            continue;
        double life = life_of(&of[a->thread], &all, a->wall_ns), scale = life / a->wall_ns;
        for (unsigned k = 0; k < WICK_EXPLAIN_ACCOUNT_PARTS; k++)
            a->part_ns[k] *= scale;
        a->wall_ns = life;
    }
    free(of);
}

void wick_explain_learn_accounts(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t *of_endpoint = calloc(f->p->nstrings, sizeof *of_endpoint);
    uint32_t *of_thread = calloc(f->p->nthreads, sizeof *of_thread);
    x->f->failed |= !of_endpoint || !of_thread;
    for (size_t i = 0; of_endpoint && of_thread && i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        unsigned part = part_of_sample(x, i);
        if (s->endpoint)
            add(account_of(x, &of_endpoint[s->endpoint], s->endpoint, 0), part, (double)s->weight_ns);
        if (s->thread)
            add(account_of(x, &of_thread[s->thread], 0, s->thread), part, (double)s->weight_ns);
    }
    if (f->all_threads)
        learn_lives(x);
    if (x->out->naccounts)
        qsort(x->out->accounts, x->out->naccounts, sizeof *x->out->accounts, by_wall);
    free(of_thread);
    free(of_endpoint);
}
