/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_worker.c - whether what others wait for is all in one thread: the only one of its pool, or the only one of
 * several alike that has work
 *
 * A scheduler of one thread runs short tasks in time, until one of them takes long: then all others wait behind it. The
 * pool need not be busy all the time for that (as for `pool-busy`); the long task is what is seen of its thread. Of
 * threads that each have a queue of their own all may be given to one, by a key that is not spread: that one is behind,
 * and the others have nothing to do.
 */
#include "analysis/explain/explain_int.h"
#include "base/sum.h"

#define WAITERS_LEAST 1.5  /* threads on average: one alone may wait for the long task itself */
#define ALIKE_LEAST   2    /* other threads that have no work */
#define RESTS_LEAST   0.90 /* of their time */

/* The only thread that does what the finding ends at; 0 = there are several. */
static uint32_t doer(const struct wick_explain *x, const struct wick_explain_place *at, bool *worker)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t thread = 0;
    *worker = true;
    for (size_t i = 0; i < f->nwall; i++) {
        uint32_t t = f->wall[i].thread;
        if (!wick_explain_waits_there(x, x->waits[i], at))
            continue;
        if (!t || (thread && t != thread))
            return 0;
        *worker &= wick_wait_is_worker(f->p, f->wall[i].stack);
        thread = t;
    }
    return thread && wick_profile_thread_is_many(&f->p->threads[thread]) ? 0 : thread;
}

uint32_t wick_explain_pool_others(struct wick_profile *p, uint32_t thread)
{
    uint32_t name = wick_explain_pool_name(p, thread), n = 0;
    for (uint32_t t = 1; t < p->nthreads; t++)
        n += t != thread && wick_explain_pool_name(p, t) == name;
    return n;
}

/* Whether these wait for something to do nearly all the time. */
static bool others_rest(const struct wick_explain *x, uint32_t thread)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t name = wick_explain_pool_name(f->p, thread);
    int64_t all = 0, rests = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_wait *w = &x->waits[i];
        uint32_t t = f->wall[i].thread;
        if (!t || t == thread || wick_explain_pool_name(f->p, t) != name)
            continue;
        bool rest = w->kind == WICK_WAIT_QUEUE || w->kind == WICK_WAIT_CONDITION || w->kind == WICK_WAIT_OBJECT_WAIT ||
                    w->kind == WICK_WAIT_PARK; /* workers of a pool without a task would take any */
        all = wick_sum(all, f->wall[i].weight_ns);
        rests = wick_sum(rests, rest ? f->wall[i].weight_ns : 0);
    }
    return all && (double)rests >= RESTS_LEAST * (double)all;
}

void wick_explain_say_worker(struct wick_explain *x, struct wick_explain_finding *r,
                             const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    bool worker, ends = r && at->via != WICK_WAIT_NONE && at->nlinks;
    bool task = ends && at->links[0].who == WICK_EXPLAIN_TASK, taker = ends && at->links[0].who == WICK_EXPLAIN_TAKER;
    uint32_t thread = task || taker ? doer(x, at, &worker) : 0,
             others = thread ? wick_explain_pool_others(f->p, thread) : 0;
    if (!thread || !wick_explain_counts(f, (double)at->through_ns, WAITERS_LEAST))
        return;
    if (task && worker && !others) {
        wick_explain_say(x, r, "worker", wick_profile_str(f->p, f->p->threads[thread].name));
        r->advice =
            "more threads in that pool, or a thread of its own for what takes long: whatever else the only thread "
            "is to run waits behind it";
    } else if (others >= ALIKE_LEAST && others_rest(x, thread)) {
        wick_explain_say(x, r, "busiest", wick_profile_str(f->p, f->p->threads[thread].name));
        wick_explain_figure(r, "idle", WICK_EXPLAIN_NUMBER, others);
        r->advice = "spread the work over the threads that are there for it: what decides which of them gets something "
                    "(a key, a partition, a hash) leads to one only";
    }
}
