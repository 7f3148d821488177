/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_worker.c - whether what others wait for is all in one thread: the only one of its pool, or the only one of
 * several alike that has work
 *
 * A scheduler of one thread runs short tasks in time, until one of them takes long: then all others wait behind it. The
 * pool need not be busy all the time for that (as for `pool-busy`); the long task is what is seen of its thread. Of
 * threads that each have a queue of their own all may be given to one or a few, by a key that is not spread: these are
 * behind, and the others have nothing to do. That shows also where nothing says whom the waiting threads wait for.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/strbuf.h"
#include "base/sum.h"

#define WAITERS_LEAST 1.5  /* threads on average: one alone may wait for the long task itself */
#define MAKER_LEAST   0.5  /* for room in the queue of a thread that gets more than its share, one alone waits too */
#define ALIKE_LEAST   2    /* other threads that have no work */
#define RESTS_LEAST   0.90 /* of their time */
#define SPARE_LEAST   0.80 /* of the time of one that could do several times as much */
#define WORKS_LEAST   0.80 /* of the time of a thread that gets more than its share */

enum { FEW = 4, NAMED = 2 }; /* at most one of FEW threads gets it all; names of these in a sentence */

static const char spread[] = "spread the work over the threads that are there for it: what decides which of them gets "
                             "something (a key, a partition, a hash) leads to too few";

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

/* Whether a thread waits for something to do; workers of a pool without a task would take any. */
static bool is_rest(enum wick_wait_kind kind)
{
    return kind == WICK_WAIT_QUEUE || kind == WICK_WAIT_CONDITION || kind == WICK_WAIT_OBJECT_WAIT ||
           kind == WICK_WAIT_PARK;
}

/* Whether these wait for something to do nearly all the time. */
static bool others_rest(const struct wick_explain *x, uint32_t thread)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t name = wick_explain_pool_name(f->p, thread);
    int64_t all = 0, rests = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        uint32_t t = f->wall[i].thread;
        if (!t || t == thread || wick_explain_pool_name(f->p, t) != name)
            continue;
        all = wick_sum(all, f->wall[i].weight_ns);
        rests = wick_sum(rests, is_rest(x->waits[i].kind) ? f->wall[i].weight_ns : 0);
    }
    return all && (double)rests >= RESTS_LEAST * (double)all;
}

/* Thread time, of each, and what of it waits for something to do, or for clients, events and the like. */
struct use {
    int64_t all_ns, rests_ns, idle_ns;
    uint32_t rests_at; /* the program's function; 0 = several, or none was seen */
};

/* Of the threads of that pool: the busy ones, by name, and how many have little to do. False: others are between. */
static bool is_uneven(struct wick_explain_facts *f, const struct use *uses, uint32_t pool, struct wick_strbuf *busy,
                      unsigned *works, unsigned *idle)
{
    uint32_t at = 0;
    *works = *idle = 0;
    for (uint32_t t = 1; t < f->p->nthreads; t++) {
        if (!uses[t].all_ns || wick_explain_pool_name(f->p, t) != pool)
            continue;
        double rests = (double)uses[t].rests_ns / (double)uses[t].all_ns;
        if (rests >= SPARE_LEAST) {
            if (!uses[t].rests_at || (at && at != uses[t].rests_at))
                return false; /* they are not alike */
            at = uses[t].rests_at;
            (*idle)++;
            continue;
        }
        if (uses[t].idle_ns > uses[t].rests_ns || rests > 1 - WORKS_LEAST ||
            (double)uses[t].all_ns < WORKS_LEAST * (double)f->duration_ns)
            return false;
        if ((*works)++ == NAMED)
            return false;
        wick_strbuf_addf(busy, "%s%s", busy->len ? " and " : "", wick_profile_str(f->p, f->p->threads[t].name));
    }
    return *works && *works * (FEW - 1) <= *idle;
}

/* Of threads that each have a queue of their own, which few have all the work; false = none, or they share it. */
static bool say_uneven(struct wick_explain *x, struct wick_explain_finding *r)
{
    struct wick_explain_facts *f = x->f;
    struct use *uses = calloc(f->p->nthreads + 1, sizeof *uses);
    struct wick_strbuf busy = WICK_STRBUF_INIT;
    unsigned works = 0, idle = 0;
    bool found = false;
    f->failed |= !uses;
    for (size_t i = 0; uses && i < f->nwall; i++) {
        struct use *u = &uses[f->wall[i].thread];
        enum wick_wait_kind kind = x->waits[i].kind;
        bool rests = is_rest(kind), waits = kind != WICK_WAIT_NONE && wick_wait_role_of(kind) == WICK_WAIT_IDLE;
        uint32_t at = wick_explain_function_at(f->p, x->waits[i].stack);
        u->all_ns = wick_sum(u->all_ns, f->wall[i].weight_ns);
        if (rests)
            u->rests_at = !u->rests_ns || u->rests_at == at ? at : 0;
        u->rests_ns = wick_sum(u->rests_ns, rests ? f->wall[i].weight_ns : 0);
        u->idle_ns = wick_sum(u->idle_ns, rests || waits ? f->wall[i].weight_ns : 0);
    }
    for (uint32_t t = 1; uses && t < f->p->nthreads && !found; t++) {
        bool works_most = (double)(uses[t].all_ns - uses[t].idle_ns) >= WORKS_LEAST * (double)f->duration_ns;
        bool named = strncmp(wick_profile_str(f->p, f->p->threads[t].name), "Thread-", strlen("Thread-")) != 0;
        if (!works_most || !named || wick_profile_thread_is_many(&f->p->threads[t]))
            continue;
        wick_strbuf_clear(&busy);
        found = is_uneven(f, uses, wick_explain_pool_name(f->p, t), &busy, &works, &idle);
    }
    if (found && r) {
        wick_explain_say(x, r, "uneven", busy.buf);
        wick_explain_figure(r, "works", WICK_EXPLAIN_NUMBER, works);
        wick_explain_figure(r, "idle", WICK_EXPLAIN_NUMBER, idle);
        r->advice = spread;
    }
    wick_strbuf_release(&busy);
    free(uses);
    return found;
}

bool wick_explain_is_worker_uneven(struct wick_explain *x, const struct wick_explain_place *at)
{
    return wick_explain_counts(x->f, (double)at->ns, MAKER_LEAST) && say_uneven(x, NULL);
}

void wick_explain_say_worker(struct wick_explain *x, struct wick_explain_finding *r,
                             const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    bool worker, ends = r && at->via != WICK_WAIT_NONE && at->nlinks;
    bool task = ends && at->links[0].who == WICK_EXPLAIN_TASK, taker = ends && at->links[0].who == WICK_EXPLAIN_TAKER,
         completer = ends && at->nlinks == 1 && at->links[0].who == WICK_EXPLAIN_COMPLETER;
    uint32_t thread = task || taker || completer ? doer(x, at, &worker) : 0,
             others = thread ? wick_explain_pool_others(f->p, thread) : 0;
    bool depends = at->kind == WICK_WAIT_SEMAPHORE || at->kind == WICK_WAIT_FUTURE || at->kind == WICK_WAIT_LATCH ||
                   at->kind == WICK_WAIT_REPLY || at->kind == WICK_WAIT_QUEUE_FULL;
    double least = at->kind == WICK_WAIT_QUEUE_FULL ? MAKER_LEAST : WAITERS_LEAST;
    if (depends && !at->nlinks && wick_explain_counts(f, (double)at->ns, least))
        (void)say_uneven(x, r);
    if (!thread || !wick_explain_counts(f, (double)at->through_ns, WAITERS_LEAST))
        return;
    if (completer) {
        wick_explain_say(x, r, "completer", wick_profile_str(f->p, f->p->threads[thread].name));
        r->advice =
            "have what waits run elsewhere (thenApplyAsync, whenCompleteAsync with an executor): who completes a "
            "future also runs what follows it, and all that it would complete next waits behind that";
    } else if (task && worker && !others) {
        wick_explain_say(x, r, "worker", wick_profile_str(f->p, f->p->threads[thread].name));
        r->advice =
            "more threads in that pool, or a thread of its own for what takes long: whatever else the only thread "
            "is to run waits behind it";
    } else if (others >= ALIKE_LEAST && others_rest(x, thread)) {
        wick_explain_say(x, r, "busiest", wick_profile_str(f->p, f->p->threads[thread].name));
        wick_explain_figure(r, "idle", WICK_EXPLAIN_NUMBER, others);
        r->advice = spread;
    }
}
