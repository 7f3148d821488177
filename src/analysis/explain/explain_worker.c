/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_worker.c - whether the tasks that others wait for are those of a pool with one thread
 *
 * A scheduler of one thread runs short tasks in time, until one of them takes long: then all others wait behind it. The
 * pool need not be busy all the time for that (as for `pool-busy`); the long task is what is seen of its thread.
 */
#include "analysis/explain/explain_int.h"

#define WAITERS_LEAST 1.5 /* threads on average: one alone may wait for the long task itself */

/* The only thread of a pool that does what the finding ends at; 0 = there are several, or it is of no pool. */
static uint32_t doer(const struct wick_explain *x, const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t thread = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_wait *w = &x->waits[i];
        uint32_t t = f->wall[i].thread;
        if (w->kind != at->kind || !w->stack || wick_explain_function_at(f->p, w->stack) != at->function)
            continue;
        if (!t || (thread && t != thread) || !wick_wait_is_worker(f->p, f->wall[i].stack))
            return 0;
        thread = t;
    }
    return thread;
}

/* Whether another thread has a name of the same pool. */
static bool has_others(struct wick_profile *p, uint32_t thread)
{
    uint32_t name = wick_explain_pool_name(p, thread);
    for (uint32_t t = 1; t < p->nthreads; t++)
        if (t != thread && wick_explain_pool_name(p, t) == name)
            return true;
    return false;
}

void wick_explain_say_worker(struct wick_explain *x, struct wick_explain_finding *r,
                             const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    bool waits = at->via != WICK_WAIT_NONE && at->nlinks && at->links[0].who == WICK_EXPLAIN_TASK;
    uint32_t thread = r && waits ? doer(x, at) : 0;
    if (!thread || wick_profile_thread_is_many(&f->p->threads[thread]) || has_others(f->p, thread) ||
        !wick_explain_counts(f, (double)at->through_ns, WAITERS_LEAST))
        return;
    wick_explain_say(x, r, "worker", wick_profile_str(f->p, f->p->threads[thread].name));
    r->advice =
        "more threads in that pool, or a thread of its own for what takes long: whatever else the only thread is "
        "to run waits behind it";
}
