/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_lock_class.c - what the class of a lock says of the waits for it
 *
 * A bin of a ConcurrentHashMap is a monitor for all keys in it, and it is held while computeIfAbsent and the like run
 * the function that they are given. A lock that is fair goes to the thread that has waited longest, which has to be
 * woken and get a CPU before it can use it, while a thread that runs may not take it: where it is taken often, that
 * costs more than what it guards.
 */
#include <string.h>

#include "analysis/explain/explain_int.h"

#define HANDED_LEAST 1000.0 /* a second: so many cannot be held long each, it is the handing over that takes the time */

/* The method of ConcurrentHashMap on the stack that runs a function of its caller while it has a bin locked, "" = there
 * is none. */
static const char *computing_of(const struct wick_profile *p, uint32_t stack)
{
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_function *f = &p->functions[wick_explain_function_at(p, s)];
        const char *name = wick_profile_str(p, f->name);
        if (!strcmp(wick_profile_str(p, f->class_name), "java/util/concurrent/ConcurrentHashMap") &&
            (!strncmp(name, "compute", strlen("compute")) || !strcmp(name, "merge")))
            return name;
    }
    return "";
}

static void say_bins(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    static const char bins[] = "java/util/concurrent/ConcurrentHashMap$"; /* Node, TreeBin, ReservationNode */
    const struct wick_lock_waits *l = &x->f->locks;
    bool ends_here = at->via == WICK_WAIT_NONE;
    uint32_t function = wick_explain_function_at(x->f->p, ends_here ? at->stack : at->via_stack);
    double all = 0, computed = 0;
    const char *map = "";
    for (uint32_t i = 0; (ends_here ? at->kind : at->via) == WICK_WAIT_MONITOR && i < l->nrows; i++) {
        const struct wick_lock_wait_row *w = &l->rows[i];
        uint32_t waiter = w->park || w->native ? 0 : wick_explain_wait_at(x, w->stack).stack;
        if (!waiter || wick_explain_function_at(x->f->p, waiter) != function)
            continue;
        const char *by = computing_of(x->f->p, w->owner_stack);
        bool bin = !strncmp(wick_profile_str(x->f->p, w->class_name), bins, strlen(bins));
        all += (double)w->weight_ns;
        computed += bin && *by ? (double)w->weight_ns : 0;
        map = bin && *by ? by : map;
    }
    if (!all || computed < WICK_EXPLAIN_CHAIN_MOST * all)
        return;
    wick_explain_say(x, r, "map", map);
    if (r)
        r->advice = "let no function that the map runs wait or compute for long: put a CompletableFuture for each key "
                    "into the map and complete it outside, or use a cache that loads without locking others";
}

static bool is_fair(const char *class_name)
{
    static const char *const fair[] = {"java/util/concurrent/locks/ReentrantLock$FairSync",
                                       "java/util/concurrent/locks/ReentrantReadWriteLock$FairSync"};
    return !strcmp(class_name, fair[0]) || !strcmp(class_name, fair[1]);
}

/* Each wait that ends has been handed the lock. Where several locks are waited for there, those of one are counted: it
 * is said too rarely then, but never of many that are held for long each. */
static void say_fair(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    const struct wick_lock_waits *l = &x->f->locks;
    bool ends_here = at->via == WICK_WAIT_NONE;
    enum wick_wait_kind kind = ends_here ? at->kind : at->via;
    uint32_t function = wick_explain_function_at(x->f->p, ends_here ? at->stack : at->via_stack);
    const struct wick_lock_wait_row *lock = NULL;
    double all = 0, fair = 0, handed = 0;
    for (uint32_t i = 0; wick_wait_is_lock(kind) && i < l->nrows; i++) {
        const struct wick_lock_wait_row *w = &l->rows[i];
        struct wick_wait wait = w->park ? wick_explain_wait_at(x, w->stack) : (struct wick_wait){0};
        if (!wait.stack || wait.kind != kind || wick_explain_function_at(x->f->p, wait.stack) != function)
            continue;
        bool is = is_fair(wick_profile_str(x->f->p, w->class_name));
        all += (double)w->weight_ns;
        fair += is ? (double)w->weight_ns : 0;
        lock = lock || !is ? lock : w;
        bool counts = is && w->duration_ns > 0 && w->identity == lock->identity && w->file == lock->file;
        handed += counts ? (double)w->weight_ns / (double)w->duration_ns : 0;
    }
    double rate = x->f->duration_ns ? handed * 1e9 / (double)x->f->duration_ns : 0;
    if (!all || fair < WICK_EXPLAIN_CHAIN_MOST * all || rate < HANDED_LEAST)
        return;
    wick_explain_figure(r, "handed", WICK_EXPLAIN_NUMBER, wick_explain_two_digits(rate));
    if (r)
        r->advice = "let the lock be unfair (new ReentrantLock()): a thread that runs may take it then without waking "
                    "another; or take it less often, in larger pieces";
}

void wick_explain_say_lock_class(struct wick_explain *x, struct wick_explain_finding *r,
                                 const struct wick_explain_place *at)
{
    say_bins(x, r, at);
    say_fair(x, r, at);
}
