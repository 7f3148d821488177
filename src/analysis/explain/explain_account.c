/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_account.c - how the time of each endpoint and of each thread went
 *
 * Every wall-clock sample is of one part: a thread is on a CPU, ready to run without one, held at a safepoint, waiting
 * for memory, or waiting for something that has a kind (wait_kind.h). So the parts of an account add up to its wall
 * time by construction, and whether that is the time that went by is what tests ask programs that measure themselves.
 * Samples within spans are weighted so that they sum up to the time in spans; those of a thread sum up to its life.
 */
#include <stdlib.h>

#include "analysis/explain/explain_int.h"

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
    case WICK_EXPLAIN_RUNNABLE:
        return ON_CPU;
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
    if (x->out->naccounts)
        qsort(x->out->accounts, x->out->naccounts, sizeof *x->out->accounts, by_wall);
    free(of_thread);
    free(of_endpoint);
}
