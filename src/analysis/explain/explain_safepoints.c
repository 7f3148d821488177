/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_safepoints.c - the rules of `wick explain` about the time that it takes to reach safepoints
 *
 * A thread is slow to reach a safepoint because of what it runs, or because it does not run: on a crowded machine it
 * has no CPU on which to get there, whatever its code is. The first is of the program or the JVM, the second of the
 * machine, and one incident can be both. So the time of each is divided: what its slowest thread was runnable without
 * a CPU, by the kernel's account, is starvation; all of it, where that is the reason for half or more, as without it
 * the incident would hardly have been one, but for what that thread ran in it, if no way to a safepoint takes so long.
 * Where no thread was seen, or after the slowest one was there, it is starvation if the process's threads are starved
 * in general, as the VM thread itself may have had no CPU.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"

/* Where threads have no CPU for so much of the time in which they could run, they run in slices, and what passes
 * between these is not all accounted to them: only one that runs for longer than some slices is slow by its code. */
#define LACK_MOST     0.75
#define RAN_IN_SLICES 5e7  /* ns */
#define RAN_LEAST     1e8  /* ns on a CPU without reaching a safepoint: an incident by itself */
#define PART_LEAST    0.10 /* of the time to reach a safepoint: it is named for that part as well */

/* One of the two parts of all incidents; together they are the time in which safepoints were awaited. */
struct reach_part {
    double ns, longest_ns;
    unsigned count;
    const struct wick_ttsp_culprit *culprit; /* of the reason with most of it, its slowest; NULL = not known */
};

/* What one incident adds to a part, and why: reason and functions, or, where threads had no CPU, which thread. */
struct reach_share {
    uint32_t reason[3];
    double ns;
    const struct wick_ttsp_culprit *culprit;
};

/* The share of the time in which threads of the process could run that they have no CPU. */
static double lack_of(const struct wick_explain_facts *f)
{
    double delay = (double)f->hungry_delay_ns;
    return wick_explain_share(delay, delay + (double)f->hungry_got_ns);
}

/* Whether threads of the process that could run often have no CPU. */
static bool is_crowded(const struct wick_explain_facts *f)
{
    return lack_of(f) >= wick_explain_rules[WICK_EXPLAIN_RULE_CPU_STARVATION].threshold;
}

/* Whether what the thread is said to do keeps a CPU busy. */
static bool is_work(enum wick_ttsp_why why)
{
    return why == WICK_TTSP_LOOP || why == WICK_TTSP_COPY || why == WICK_TTSP_VM;
}

/* Of the time to reach the safepoint, what passed because threads had no CPU. */
static double starved_in(const struct wick_explain_facts *f, const struct wick_ttsp_slow *s)
{
    double reach = (double)s->reach_ns;
    const struct wick_ttsp_culprit *slowest = s->count ? &f->ttsp.culprits[s->first] : NULL;
    if (!slowest || slowest->why == WICK_TTSP_UNKNOWN)
        return is_crowded(f) ? reach : 0;
    double own = (double)slowest->waited_ns < reach ? (double)slowest->waited_ns : reach,
           starved = slowest->starved_ns > 0 ? (double)slowest->starved_ns : 0;
    starved = starved < own ? starved : own;
    double ran = (double)slowest->ran_ns < own ? (double)slowest->ran_ns : own;
    if (slowest->why == WICK_TTSP_STARVED)
        return ran < RAN_LEAST ? reach : reach - ran;
    if (lack_of(f) >= LACK_MOST && is_work(slowest->why) && ran < RAN_IN_SLICES)
        return reach;
    return is_crowded(f) ? starved + reach - own : starved;
}

static struct reach_share share_of(const struct wick_profile *p, const struct wick_ttsp_culprit *c, double ns,
                                   bool starved)
{
    struct reach_share o = {{c->thread, 0, 0}, ns, c};
    if (!starved) {
        o.reason[0] = c->why;
        o.reason[1] = p->frames[c->frame].function;
        o.reason[2] = p->frames[c->caller].function;
    }
    return o;
}

/* By reason; of one reason the most first. */
static int by_reason(const void *a, const void *b)
{
    const struct reach_share *x = a, *y = b;
    for (size_t i = 0; i < sizeof x->reason / sizeof *x->reason; i++)
        if (x->reason[i] != y->reason[i])
            return x->reason[i] < y->reason[i] ? -1 : 1;
    return x->ns > y->ns ? -1 : x->ns < y->ns;
}

/* Of the reason that took most of the time in all, not of the longest incident: that may be the only one of its kind.
 */
static const struct wick_ttsp_culprit *most_of(struct reach_share *shares, size_t n)
{
    const struct wick_ttsp_culprit *most = NULL;
    double most_ns = 0;
    qsort(shares, n, sizeof *shares, by_reason);
    for (size_t i = 0, end; i < n; i = end) {
        double ns = 0;
        for (end = i; end < n && !memcmp(shares[end].reason, shares[i].reason, sizeof shares[i].reason); end++)
            ns += shares[end].ns;
        if (ns > most_ns) {
            most_ns = ns;
            most = shares[i].culprit;
        }
    }
    return most;
}

static struct reach_part part_of(const struct wick_explain *x, bool starved)
{
    const struct wick_explain_facts *f = x->f;
    struct reach_part o = {0};
    struct reach_share *shares = calloc((size_t)f->ttsp.nslow + 1, sizeof *shares);
    size_t n = 0;
    x->f->failed |= !shares;
    for (uint32_t i = 0; shares && i < f->ttsp.nslow; i++) {
        const struct wick_ttsp_slow *s = &f->ttsp.slow[i];
        double reach = (double)s->reach_ns, ns = starved_in(f, s);
        ns = starved ? ns : reach - ns;
        o.ns += ns;
        if (!(ns > 0) || (ns < PART_LEAST * reach && ns < RAN_LEAST))
            continue;
        o.count++;
        o.longest_ns = reach > o.longest_ns ? reach : o.longest_ns;
        if (s->count)
            shares[n++] = share_of(f->p, &f->ttsp.culprits[s->first], ns, starved);
    }
    if (n)
        o.culprit = most_of(shares, n);
    free(shares);
    return o;
}

/* All who wait for the safepoint lose that time. */
static double cost_of(const struct wick_explain *x, double ns)
{
    return ns * (x->out->busy > 1 ? x->out->busy : 1);
}

/* The finding with what both rules say; NULL if it is too little. */
static struct wick_explain_finding *say_part(struct wick_explain *x, const struct reach_part *o)
{
    const struct wick_explain_facts *f = x->f;
    if (!o->count)
        return NULL;
    struct wick_explain_finding *r = wick_explain_by_share(x, o->ns, (double)f->duration_ns, cost_of(x, o->ns));
    if (!r)
        return NULL;
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, o->count);
    wick_explain_figure(r, "longest", WICK_EXPLAIN_TIME, o->longest_ns);
    const char *name = o->culprit ? wick_profile_str(f->p, f->p->threads[o->culprit->thread].name) : "";
    if (*name)
        wick_explain_say(x, r, "thread", name);
    return r;
}

void wick_explain_late_safepoints(struct wick_explain *x)
{
    struct reach_part o = part_of(x, false);
    struct wick_explain_finding *r = say_part(x, &o);
    if (!r || !o.culprit)
        return;
    wick_explain_filter_thread(x, r, o.culprit->thread);
    bool ran = o.culprit->why == WICK_TTSP_STARVED; /* the part of it in which it was not */
    wick_explain_say(x, r, "why", ran ? "it ran for long without reaching one" : wick_ttsp_why_text(o.culprit->why));
    wick_explain_say_frame(x, r, "frame", o.culprit->frame);
    wick_explain_say_frame(x, r, "caller", o.culprit->caller);
}

void wick_explain_starved_safepoints(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct reach_part o = part_of(x, true);
    double others = wick_explain_others(f);
    double limited = wick_explain_limited(f);
    struct wick_explain_finding *r = say_part(x, &o);
    if (!r)
        return;
    if (limited >= wick_explain_rules[WICK_EXPLAIN_RULE_CPU_LIMIT].threshold) {
        wick_explain_figure(r, "throttled", WICK_EXPLAIN_SHARE, limited);
    } else if (f->allowed && others >= wick_explain_rules[WICK_EXPLAIN_RULE_NEIGHBOURS].threshold) {
        wick_explain_figure(r, "others", WICK_EXPLAIN_NUMBER, others * (double)f->allowed);
        wick_explain_figure(r, "cpus", WICK_EXPLAIN_NUMBER, (double)f->allowed);
    }
}

void wick_explain_slow_safepoints(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double sync = (double)f->sync_ns.grown, delay = (double)f->hungry_delay_ns;
    if (f->ttsp.nslow)
        return;
    struct wick_explain_finding *r = wick_explain_by_share(x, sync, (double)f->duration_ns, cost_of(x, sync));
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, (double)f->safepoints.grown);
    if (is_crowded(f))
        wick_explain_figure(r, "starved", WICK_EXPLAIN_SHARE,
                            wick_explain_share(delay, delay + (double)f->hungry_got_ns));
}

/* ---- operations of the VM thread ---- */

/* Whether the thread waits until the VM thread has done what it asked for, other than a collection: that is asked for
 * by name, or, by Serial and Parallel, where memory is allocated. */
static bool asks_vm_thread(const struct wick_profile *p, uint32_t stack)
{
    bool asks = false;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_frame *f = &p->frames[p->stacks[s].frame];
        const char *name = wick_profile_str(p, p->functions[f->function].name);
        if (wick_frame_kind_is_java(f->kind))
            break;
        if (strstr(name, "collect") || strstr(name, "allocat") || strstr(name, "JVM_GC"))
            return false;
        asks |= strstr(name, "VMThread::execute") != NULL;
    }
    return asks;
}

/* The stack cut at what the program's frame, at `user`, has called. */
static uint32_t called_from(const struct wick_profile *p, uint32_t stack, uint32_t user)
{
    while (stack && p->stacks[stack].parent != user)
        stack = p->stacks[stack].parent;
    return stack;
}

/* A thread that asks for an operation waits for its end: the frame of the program that waits so for as long as half of
 * the operation takes. Which operation each waits for is not recorded, so nothing is said but of the one that takes
 * most. */
void wick_explain_say_who_asks(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_row *o)
{
    const struct wick_explain_facts *f = x->f;
    const struct wick_profile *p = f->p;
    int64_t *sums = calloc(p->nfunctions + 1, sizeof *sums), heaviest = 0;
    uint32_t best = 0, most = 0;
    bool longest = true;
    for (size_t i = 0; i < f->operations.n; i++)
        longest &= f->operations.rows[i].sum <= o->sum;
    x->f->failed |= !sums;
    for (size_t i = 0; sums && i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        uint32_t user = asks_vm_thread(p, s->stack) ? wick_explain_wait_at(x, s->stack).stack : 0,
                 function = wick_explain_function_at(p, user);
        if (!user)
            continue;
        sums[function] = wick_sum(sums[function], s->weight_ns);
        best = sums[function] > sums[best] ? function : best;
    }
    for (size_t i = 0; best && i < f->nwall; i++) {
        uint32_t stack = f->wall[i].stack, user = wick_explain_wait_at(x, stack).stack;
        if (user && wick_explain_function_at(p, user) == best && f->wall[i].weight_ns > heaviest &&
            asks_vm_thread(p, stack)) {
            heaviest = f->wall[i].weight_ns;
            most = stack;
        }
    }
    if (longest && best && (double)sums[best] >= WICK_EXPLAIN_CHAIN_MOST * o->sum) {
        uint32_t user = wick_explain_wait_at(x, most).stack;
        wick_explain_say_frame(x, r, "callee", wick_explain_frame_at(p, called_from(p, most, user)));
        wick_explain_say_frame(x, r, "frame", wick_explain_frame_at(p, user));
        wick_explain_filter_frame(x, r, wick_explain_frame_at(p, user));
    }
    free(sums);
}
