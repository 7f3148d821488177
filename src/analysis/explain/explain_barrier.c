/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_barrier.c - whether tasks are given to a pool group by group, each when all of the one before have ended
 *
 *     worker 1   [==]............[===]...........
 *     worker 2   [==============][=]............. each group takes as long as its slowest task
 *     worker 3   [=].............[==============]
 *
 * ExecutorService.invokeAll() returns when the last of its tasks has ended. One thread that does hardly anything but
 * wait there, for a pool whose threads have no work for much of that time, could keep them busy.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/strbuf.h"
#include "base/sum.h"

#define GROUPS_LEAST 0.90 /* of the waits: for all tasks of a group */
#define IDLE_LEAST   0.40 /* of the time of the pool's threads */
#define WAITS_LEAST  0.60 /* threads that wait so, on average */
#define WAITS_MOST   1.50

/* Whether all tasks of a group are awaited between the leaf and the program's function that waits. */
static bool in_group(const struct wick_profile *p, uint32_t stack, uint32_t function)
{
    static const char *const classes[] = {"java/util/concurrent/AbstractExecutorService",
                                          "java/util/concurrent/ForkJoinPool"};
    for (uint32_t s = stack; s && wick_explain_function_at(p, s) != function; s = p->stacks[s].parent) {
        const struct wick_function *f = &p->functions[wick_explain_function_at(p, s)];
        for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
            if (!strcmp(wick_profile_str(p, f->class_name), classes[i]) &&
                !strcmp(wick_profile_str(p, f->name), "invokeAll"))
                return true;
    }
    return false;
}

/* The pool whose workers do what the finding ends at, by what their names have in common; 0 = none, or several. */
static uint32_t pool_of(const struct wick_explain *x, const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t pool = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        if (!f->wall[i].thread || !wick_explain_waits_there(x, x->waits[i], at) ||
            !wick_wait_is_worker(f->p, f->wall[i].stack))
            continue;
        uint32_t name = wick_explain_pool_name(f->p, f->wall[i].thread);
        if (pool && pool != name)
            return 0;
        pool = name;
    }
    return pool;
}

/* Of the threads of a pool that were sampled: the time of all, and that in which they have no work; how many. */
static uint32_t learn_pool(const struct wick_explain *x, uint32_t pool, int64_t *all, int64_t *idle)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t threads = 0;
    bool *counted = calloc(f->p->nthreads + 1, sizeof *counted);
    *all = *idle = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        uint32_t t = f->wall[i].thread;
        if (!counted || !t || wick_explain_pool_name(f->p, t) != pool)
            continue;
        threads += !counted[t];
        counted[t] = true;
        *all = wick_sum(*all, f->wall[i].weight_ns);
        *idle = wick_sum(*idle, x->waits[i].kind == WICK_WAIT_WORK ? f->wall[i].weight_ns : 0);
    }
    x->f->failed |= !counted;
    free(counted);
    return threads;
}

void wick_explain_say_barrier(struct wick_explain *x, struct wick_explain_finding *r,
                              const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    int64_t waits = 0, groups = 0, all, idle;
    if (!r || at->via != WICK_WAIT_FUTURE || at->links[0].who != WICK_EXPLAIN_TASK)
        return;
    uint32_t waiter = wick_explain_function_at(f->p, at->via_stack);
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_wait *w = &x->waits[i];
        bool here = w->kind == at->via && w->stack && wick_explain_function_at(f->p, w->stack) == waiter;
        waits = wick_sum(waits, here ? f->wall[i].weight_ns : 0);
        groups = wick_sum(groups, here && in_group(f->p, f->wall[i].stack, waiter) ? f->wall[i].weight_ns : 0);
    }
    if ((double)groups < GROUPS_LEAST * (double)waits || !wick_explain_counts(f, (double)groups, WAITS_LEAST) ||
        wick_explain_counts(f, (double)waits, WAITS_MOST))
        return;
    uint32_t pool = pool_of(x, at), threads = pool ? learn_pool(x, pool, &all, &idle) : 0;
    if (threads < 2 || (double)idle < IDLE_LEAST * (double)all)
        return;
    struct wick_strbuf text = WICK_STRBUF_INIT;
    wick_strbuf_addf(
        &text,
        "the futures are those of a group (invokeAll), so that each wait takes as long as its slowest task, "
        "while the %u threads of %s have no work for %.0f %% of the time",
        threads, wick_profile_str(f->p, pool), 100 * wick_explain_share((double)idle, (double)all));
    wick_explain_say(x, r, "barrier", text.buf);
    wick_strbuf_release(&text);
    r->advice =
        "give the pool the next task as soon as one has ended (ExecutorCompletionService, a Semaphore, or a pool "
        "whose queue has a limit) instead of group by group";
}
