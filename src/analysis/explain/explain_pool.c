/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_pool.c - pools of threads that do not keep up: more threads wait for their tasks than they have, or their
 * queues grow
 *
 * Who belongs to a pool follows from samples and names. How many threads it may have, and how many tasks are in its
 * queue, is known of executors whose fields were read (wick.ThreadPool, explain_pool_facts.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"

#define WAIT_LEAST  0.10 /* threads that wait, on average */
#define CPUS_LEAST  0.80 /* of the CPUs: the tasks of a pool have, or lack */
#define BUSY_LEAST  0.90 /* of the time of the workers of a pool whose queue grows */
#define OFTEN       0.75 /* of the time: busy, of several threads for which many more wait than there are */
#define MANY_TIMES  1.50 /* as many */
#define BEHIND      0.95 /* what holds up its tasks comes first, if that is known */
#define HALF        0.50 /* of the tasks in a queue: cancelled; of what workers do: waiting for tasks */
#define OTHERS_MOST 0.10 /* of a thread: workers of other pools have work */
#define RUNS_LEAST  0.02 /* of what the workers do: tasks that do not wait for others */
#define AT_LEAST    0.01 /* of the time: a risk has no cost of its own */

enum { READINGS_LEAST = 5 };

struct pool {
    uint32_t name; /* what its threads' names have in common */
    uint32_t threads;
    int64_t all_ns, idle_ns, requests_ns; /* requests: of those that it serves */
    int64_t held_ns;                      /* waiting for what is_taken, so that more workers would not help */
    int64_t acts_ns;                      /* on a CPU or ready to run */
    double quanta;
};

/* For what other threads hold, or for room that they must make: more workers would only wait as well. */
static bool is_taken(enum wick_wait_kind kind)
{
    return wick_wait_is_lock(kind) || kind == WICK_WAIT_QUEUE_FULL || kind == WICK_WAIT_POOL ||
           kind == WICK_WAIT_SEMAPHORE;
}

/* On a CPU or ready to run. */
enum { ACTS = 1 << WICK_EXPLAIN_DEFAULT | 1 << WICK_EXPLAIN_RUNNABLE | 1 << WICK_EXPLAIN_WAITING_FOR_CPU };

/* Who waits for tasks, as far as it is known which; time of threads by what they wait for. */
struct awaited {
    bool nested; /* all workers wait for tasks, so that nobody does these */
    int64_t futures, latches, answers;
    int64_t refused; /* of threads that run tasks themselves, which a pool had no room for */
};

/* The pool of each thread of one: of[thread] is 1 + its index. Virtual threads that are not mounted are no pool: they
 * are sampled as one thread. */
static size_t find_pools(struct wick_explain *x, struct pool *pools, uint32_t *of)
{
    struct wick_explain_facts *f = x->f;
    size_t n = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        uint32_t t = f->wall[i].thread, name;
        bool works = wick_wait_is_worker(f->p, f->wall[i].stack);
        if (!t || of[t] || wick_profile_thread_is_many(&f->p->threads[t]) ||
            !(works || wick_explain_wait_at(x, f->wall[i].stack).in_request))
            continue;
        name = wick_explain_pool_name(f->p, t);
        size_t k = 0;
        while (k < n && pools[k].name != name)
            k++;
        if (k == n)
            pools[n++] = (struct pool){.name = name};
        pools[k].threads++;
        of[t] = (uint32_t)k + 1;
    }
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        if (!of[s->thread])
            continue;
        struct pool *o = &pools[of[s->thread] - 1];
        o->all_ns = wick_sum(o->all_ns, s->weight_ns);
        o->quanta += wick_explain_quantum(s);
        if (wick_explain_wait_at(x, s->stack).in_request)
            o->requests_ns = wick_sum(o->requests_ns, s->weight_ns);
        if (x->waits[i].kind != WICK_WAIT_NONE && wick_wait_role_of(x->waits[i].kind) == WICK_WAIT_IDLE)
            o->idle_ns = wick_sum(o->idle_ns, s->weight_ns);
        o->acts_ns = wick_sum(o->acts_ns, 1u << s->state & ACTS ? s->weight_ns : 0);
        if (is_taken(x->waits[i].kind))
            o->held_ns = wick_sum(o->held_ns, s->weight_ns);
    }
    return n;
}

/* A client of this process's own server waits for its answer outside of any request. A full queue is known from who
 * runs what was refused, so that nobody else has to wait. */
static int64_t awaited_of(const struct wick_explain *x, const struct pool *o, const struct awaited *a)
{
    bool serves = (double)o->requests_ns >= WICK_EXPLAIN_CHAIN_MOST * (double)o->all_ns;
    int64_t waited = serves ? a->answers : wick_sum(a->futures, a->latches);
    bool refuses = !serves && waited <= o->all_ns && wick_explain_counts(x->f, (double)a->refused, WAIT_LEAST);
    return refuses ? a->refused : waited;
}

static bool is_common(const struct wick_explain *x, const struct pool *o)
{
    static const char common[] = "ForkJoinPool.commonPool-worker";
    return !strncmp(wick_profile_str(x->f->p, o->name), common, strlen(common));
}

/* Whether no task was ever seen in its queue, which takes some: then nothing waits for a thread of it. */
static bool is_queue_empty(const struct wick_explain *x, const struct pool *o)
{
    const struct wick_explain_pool *facts = wick_explain_pool_named(x, o->name);
    return facts && facts->readings >= READINGS_LEAST && facts->capacity && facts->queued == 0 && !facts->queued_sum;
}

/* Whether it is seen, or likely, that tasks wait for its threads: the common pool's queues are not read. */
static bool may_queue(const struct wick_explain *x, const struct pool *o)
{
    const struct wick_explain_pool *facts = wick_explain_pool_named(x, o->name);
    return facts ? facts->queued_sum > 0 : is_common(x, o);
}

/* Whether more threads wait for tasks than the pool has threads, or its queue is full, and these are never without
 * work. One that is made for some tasks and ends with them has no others that could wait for it. */
static bool is_short(const struct wick_explain *x, const struct pool *o, const struct awaited *a)
{
    double busy = wick_explain_share((double)o->all_ns - (double)o->idle_ns, (double)o->all_ns);
    int64_t waited = awaited_of(x, o, a);
    double works = (double)o->all_ns - (double)o->idle_ns, cpus = wick_explain_cpus(x->f);
    if ((double)o->held_ns >= WICK_EXPLAIN_CHAIN_MOST * works)
        return false; /* it is too short of that */
    double runs = (double)x->f->duration_ns - (double)x->f->pauses_ns;
    if (cpus > 0 && runs > 0 && (double)o->acts_ns >= CPUS_LEAST * cpus * runs)
        return false; /* more threads would have no CPU; nor do they get on while collections stop all of them */
    bool many = o->threads > 1 && (double)waited >= MANY_TIMES * (double)o->all_ns && may_queue(x, o);
    double least = many ? OFTEN : x->rule->threshold;
    return wick_explain_counts(x->f, (double)o->all_ns, WICK_EXPLAIN_CHAIN_MOST) && busy >= least &&
           (waited > o->all_ns || (waited && (waited == a->refused || a->nested))) && !is_queue_empty(x, o);
}

/* What those do who wait for the pool, of one thread or of several. */
static const char *awaited_text(int64_t waited, const struct awaited *a, int64_t duration_ns)
{
    static const char *const texts[][2] = {
        {"runs its tasks itself, since its queue is full", "run its tasks themselves, since its queue is full"},
        {"waits for answers, perhaps of a server in this process",
         "wait for answers, perhaps of a server in this process"},
        {"waits for latches", "wait for latches"},
        {"waits for futures", "wait for futures"}};
    unsigned which = waited == a->refused ? 0 : waited == a->answers ? 1 : a->latches > a->futures ? 2 : 3;
    return texts[which][waited != duration_ns];
}

/* Which threads work for it, how much of the time, and what most of that is. Returns which part of that, if it is half
 * of their time or more and waits for tasks, time-outs end. */
static double say_workers(struct wick_explain *x, struct wick_explain_finding *r, const struct pool *o, size_t index,
                          const uint32_t *of)
{
    const struct wick_explain_facts *f = x->f;
    struct wick_explain_places does = {0};
    for (size_t i = 0; i < f->nwall; i++) {
        struct wick_wait w = x->waits[i];
        if (of[f->wall[i].thread] != index + 1)
            continue;
        if (w.kind == WICK_WAIT_NONE)
            w.stack = wick_explain_wait_at(x, f->wall[i].stack).stack;
        if (w.stack)
            wick_explain_places_add(x, &does, w, f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
    }
    wick_explain_places_sort(&does);
    wick_explain_say(x, r, "pool", wick_profile_str(f->p, o->name));
    wick_explain_figure(r, "threads", WICK_EXPLAIN_NUMBER, o->threads);
    char workers[48];
    snprintf(workers, sizeof workers, o->threads == 1 ? "only thread" : "%u threads", o->threads);
    wick_explain_say(x, r, "workers", workers);
    if (does.n) {
        const struct wick_explain_place *most = does.rows;
        wick_explain_say(x, r, "kind", most->kind ? wick_wait_name(most->kind) : "cpu");
        wick_explain_say(x, r, "what", most->kind ? wick_wait_text(most->kind) : "a CPU, or compute");
        wick_explain_say_frame(x, r, "frame", wick_explain_frame_at(f->p, most->stack));
        wick_explain_filter_frame(x, r, wick_explain_frame_at(f->p, most->stack));
    }
    bool blocks = does.n && does.rows->kind != WICK_WAIT_NONE;
    double works = (double)o->all_ns - (double)o->idle_ns;
    bool tasks = does.n && does.rows->kind == WICK_WAIT_FUTURE && (double)does.rows->ns >= HALF * works;
    double timed = tasks ? wick_explain_timed_out(x, does.rows) : 0;
    free(does.rows);
    wick_explain_say_pool(x, r, o->name);
    if (r && blocks && is_common(x, o)) {
        wick_explain_say(x, r, "size", "it is the common pool, which all tasks share that are given no executor");
        r->advice = "an executor of its own for tasks that wait (the last argument of supplyAsync, runAsync, "
                    "thenApplyAsync ...): while they have the threads of the common pool, nothing else runs there, "
                    "parallel streams included";
    }
    return timed;
}

/* Where its own tasks wait for tasks, and it is seen to run some that do not, while no other pool has any to speak of,
 * those waited for are in its queue, behind those that wait for them. Who waits for tasks in another pool has none of
 * its own. Where nearly all of its tasks wait, until their time is over, hardly any other is seen; then nobody else may
 * run tasks, or wait for some in another pool. timed: the part of the waits that time-outs end. */
static void say_own(struct wick_explain *x, struct wick_explain_finding *r, const struct pool *o, size_t index,
                    const uint32_t *of, double timed)
{
    const struct wick_explain_facts *f = x->f;
    const struct wick_explain_pool *facts = wick_explain_pool_named(x, o->name);
    double own = 0, runs = 0, others = 0, elsewhere = 0, works = (double)o->all_ns - (double)o->idle_ns;
    if (!r || !facts || !facts->queued_sum)
        return;
    for (size_t i = 0; i < f->nwall; i++) {
        enum wick_wait_kind kind = x->waits[i].kind;
        bool idle = kind != WICK_WAIT_NONE && wick_wait_role_of(kind) == WICK_WAIT_IDLE;
        bool waits = kind == WICK_WAIT_FUTURE && wick_wait_is_for_task(f->p, f->wall[i].stack);
        double ns = (double)f->wall[i].weight_ns;
        uint32_t pool = of[f->wall[i].thread];
        own += pool == index + 1 && waits ? ns : 0;
        runs += pool == index + 1 && !waits && !idle ? ns : 0;
        others += pool && pool != index + 1 && !waits && !idle ? ns : 0;
        elsewhere += pool != index + 1 && ((pool && !idle) || wick_wait_runs_task(f->p, f->wall[i].stack)) ? ns : 0;
    }
    bool alone = timed >= HALF && !wick_explain_counts(f, elsewhere, OTHERS_MOST);
    if (own < HALF * works || (runs < RUNS_LEAST * works && !alone) || wick_explain_counts(f, others, OTHERS_MOST))
        return;
    wick_explain_figure(r, "own", WICK_EXPLAIN_SHARE, wick_explain_share(own, works));
    r->advice = "let no task wait for tasks of the same pool: give these a pool of their own, run them in the task "
                "itself, or put futures together (thenCombine, thenCompose, allOf) in place of waiting; with more "
                "threads the same happens at more requests";
}

static void say_pool(struct wick_explain *x, const struct pool *o, size_t index, const uint32_t *of,
                     const struct awaited *a)
{
    int64_t waited = awaited_of(x, o, a);
    struct wick_explain_finding *r = wick_explain_found(x, (double)waited);
    double timed = say_workers(x, r, o, index, of);
    say_own(x, r, o, index, of, timed);
    double all = (double)o->all_ns, works = all - (double)o->idle_ns;
    wick_explain_share_of(x, r, works, all, o->quanta * wick_explain_share(works, all));
    wick_explain_figure(r, "waiters", WICK_EXPLAIN_NUMBER, (double)waited / (double)x->f->duration_ns);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)waited);
    wick_explain_say(x, r, "awaited", awaited_text(waited, a, x->f->duration_ns));
}

/* Whether all that workers of pools do is to wait for tasks that executors are to run, several of them, without an end.
 */
static bool is_nested(const struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t first = 0;
    bool several = false;
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        enum wick_wait_kind kind = x->waits[i].kind;
        if (!wick_wait_is_worker(f->p, s->stack) ||
            (kind != WICK_WAIT_NONE && wick_wait_role_of(kind) == WICK_WAIT_IDLE))
            continue;
        if (kind != WICK_WAIT_FUTURE || wick_explain_moved(x, s->thread) || !wick_wait_is_for_task(f->p, s->stack))
            return false;
        first = first ? first : s->thread;
        several |= s->thread != first;
    }
    return several;
}

static struct awaited learn_awaited(const struct wick_explain *x)
{
    struct awaited a = {.nested = is_nested(x)};
    for (size_t i = 0; i < x->f->nwall; i++) {
        const struct wick_wait *w = &x->waits[i];
        int64_t ns = x->f->wall[i].weight_ns;
        if (wick_wait_is_refused(x->f->p, x->f->wall[i].stack))
            a.refused = wick_sum(a.refused, ns);
        if (!wick_explain_is_trouble(x, i) && !(a.nested && w->kind == WICK_WAIT_FUTURE))
            continue;
        if (w->kind == WICK_WAIT_FUTURE || w->kind == WICK_WAIT_REPLY)
            a.futures = wick_sum(a.futures, ns);
        else if (w->kind == WICK_WAIT_LATCH && !wick_wait_is_worker(x->f->p, x->f->wall[i].stack))
            a.latches = wick_sum(a.latches, ns);
        else if (w->kind == WICK_WAIT_PEER && !w->in_request)
            a.answers = wick_sum(a.answers, ns);
    }
    return a;
}

void wick_explain_pool_busy(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct pool *pools = calloc(f->p->nthreads + 1, sizeof *pools);
    uint32_t *of = calloc(f->p->nthreads + 1, sizeof *of);
    struct awaited a = learn_awaited(x);
    double most = (double)wick_sum(wick_sum(wick_sum(a.futures, a.latches), a.answers), a.refused);
    x->f->failed |= !pools || !of;
    size_t n = pools && of && wick_explain_counts(f, most, WAIT_LEAST) ? find_pools(x, pools, of) : 0;
    const struct pool *worst = NULL;
    for (size_t k = 0; k < n; k++)
        if (is_short(x, &pools[k], &a) && (!worst || pools[k].all_ns > worst->all_ns))
            worst = &pools[k];
    if (worst) {
        bool clients = awaited_of(x, worst, &a) == a.answers;
        say_pool(x, worst, (size_t)(worst - pools), of, &a);
        x->pool_said = true;
        x->pool_name = worst->name;
        x->pool_kinds = clients ? 1ull << WICK_WAIT_PEER
                                : 1ull << WICK_WAIT_FUTURE | 1ull << WICK_WAIT_LATCH | 1ull << WICK_WAIT_REPLY;
        x->kinds_said |= x->pool_kinds;
    }
    free(pools);
    free(of);
}

/* ---- queues ---- */

/* By how many tasks its queue has grown, if it grows while its threads are busy; else 0. */
static double grown(const struct wick_explain *x, const struct pool *o)
{
    const struct wick_explain_pool *facts = wick_explain_pool_named(x, o->name);
    double works = (double)o->all_ns - (double)o->idle_ns;
    bool busy = wick_explain_share(works, (double)o->all_ns) >= BUSY_LEAST &&
                wick_explain_counts(x->f, works, WICK_EXPLAIN_CHAIN_MOST);
    return busy && facts && wick_explain_pool_grows(x, facts) ? (double)facts->queued - (double)facts->first_queued : 0;
}

void wick_explain_queue_grows(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct pool *pools = f->npools ? calloc(f->p->nthreads + 1, sizeof *pools) : NULL;
    uint32_t *of = f->npools ? calloc(f->p->nthreads + 1, sizeof *of) : NULL;
    x->f->failed |= f->npools && (!pools || !of);
    size_t n = pools && of ? find_pools(x, pools, of) : 0, worst = SIZE_MAX;
    double most = 0;
    for (size_t k = 0; k < n; k++) {
        double tasks = grown(x, &pools[k]);
        if (tasks < x->rule->threshold || tasks <= most || (x->pool_said && pools[k].name == x->pool_name))
            continue;
        worst = k;
        most = tasks;
    }
    if (worst != SIZE_MAX) {
        const struct wick_explain_pool *facts = wick_explain_pool_named(x, pools[worst].name);
        double works = (double)pools[worst].all_ns - (double)pools[worst].idle_ns;
        struct wick_explain_finding *r = wick_explain_found(x, works);
        if (r)
            r->rank_ns = BEHIND * works;
        say_workers(x, r, &pools[worst], worst, of);
        wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, wick_explain_share(works, (double)pools[worst].all_ns));
        wick_explain_figure(r, "rate", WICK_EXPLAIN_NUMBER,
                            wick_explain_two_digits(most * 1e9 / (double)(facts->last_ns - facts->first_ns)));
    }
    free(pools);
    free(of);
}

void wick_explain_cancelled(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    const struct wick_explain_pool *most = NULL;
    for (size_t i = 0; i < f->npools; i++) {
        const struct wick_explain_pool *o = &f->pools[i];
        bool many = (double)o->cancelled >= x->rule->threshold && (double)o->cancelled >= HALF * (double)o->queued &&
                    wick_explain_pool_is_timed(x, o);
        if (many && (!most || o->cancelled > most->cancelled))
            most = o;
    }
    struct wick_explain_finding *r = most ? wick_explain_found(x, AT_LEAST * (double)f->duration_ns) : NULL;
    if (!r)
        return;
    bool timer = wick_explain_pool_is_timer(x, most);
    wick_explain_say(x, r, "pool", wick_profile_str(f->p, f->p->threads[most->thread].name));
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE,
                        wick_explain_share((double)most->cancelled, (double)most->queued));
    wick_explain_figure(r, "queued", WICK_EXPLAIN_NUMBER, (double)most->queued);
    wick_explain_say(x, r, "owner", timer ? "java.util.Timer" : "ScheduledThreadPoolExecutor");
    if (timer)
        r->advice = "Timer.purge() now and then; or a ScheduledThreadPoolExecutor with setRemoveOnCancelPolicy(true)";
}
