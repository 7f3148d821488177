/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_garbage.c - whether collections are what the work of one function leads to
 *
 * A function that has the JDK do what is expensive, again and again, makes garbage by it: most of the program's. The
 * collections that follow stop the program and take CPU time, but a larger heap does not help the function, and calling
 * it less often helps both. So if a finding is about one function's calls, and that function takes more CPU time in all
 * than the collections cost and allocates most of what is collected, then these are a part of its cost, and no findings
 * of their own.
 *
 * They are where the heap itself is too small: what stays in use takes three fifths of it. Samples of allocations say
 * how much is allocated where; without them (JDK 8) only a function that has nearly all of the program's CPU time is
 * known to.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"

#define MOST       0.50 /* of what is allocated */
#define NEARLY_ALL 0.75 /* of the CPU time in which Java code runs, or of the tasks in a queue */
#define ROOM_LEAST 0.40 /* of the heap, free after collections */
#define TASK_BYTES 64   /* that a task of a scheduler takes at least, with what makes it one */

#define CANCELLED_LEAST 0.20 /* of what stays in the heap */

/* The share of the weight of samples in Java code whose stacks are marked; *part_ns: that weight. */
static double through(const struct wick_profile *p, const struct wick_explain_sample *rows, size_t n,
                      const bool *marked, double *part_ns)
{
    int64_t part = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        if (!wick_explain_has_java(p, rows[i].stack))
            continue;
        all = wick_sum(all, rows[i].weight_ns);
        part = wick_sum(part, marked[rows[i].stack] ? rows[i].weight_ns : 0);
    }
    *part_ns = (double)part;
    return wick_explain_share((double)part, (double)all);
}

static bool has_room(const struct wick_explain_facts *f)
{
    return f->nheaps && wick_explain_heap_most(f) > 0 && wick_explain_heap_kept(f) <= 1 - ROOM_LEAST;
}

/* Whether a finding is about collections for whatever is allocated. */
static bool is_of_garbage(const struct wick_explain_finding *r)
{
    static const unsigned rules[] = {WICK_EXPLAIN_RULE_GC_PAUSES, WICK_EXPLAIN_RULE_GC_CPU,
                                     WICK_EXPLAIN_RULE_ALLOCATION_STALL};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (r->rule == &wick_explain_rules[rules[i]])
            return !r->endpoint;
    return false;
}

/* What collections cost, by the findings about them; 0 = there is none. */
static double cost_of_garbage(const struct wick_explain_findings *o)
{
    double most = 0;
    for (size_t i = 0; i < o->n; i++)
        if (is_of_garbage(&o->rows[i]) && o->rows[i].cost_ns > most)
            most = o->rows[i].cost_ns;
    return most;
}

/* Makes those findings a part of another one. */
static void absorb(struct wick_explain_findings *o, size_t at, double most)
{
    size_t kept = 0;
    wick_explain_figure(&o->rows[at], "collected", WICK_EXPLAIN_TIME, most);
    o->rows[at].cost_ns += most;
    o->rows[at].rank_ns += o->rows[at].rank_ns > 0 ? most : 0;
    for (size_t i = 0; i < o->n; i++) {
        if (is_of_garbage(&o->rows[i])) {
            wick_explain_finding_release(&o->rows[i]);
            continue;
        }
        o->rows[kept++] = o->rows[i];
    }
    o->n = kept;
}

/* What keeps most of the heap alive, if that is a queue as the finding is about, and nearly all of its tasks are
 * cancelled; else NULL. */
static const char *queue_that_holds(const struct wick_explain *x, const struct wick_explain_finding *r)
{
    const struct wick_explain_facts *f = x->f;
    static const struct {
        const char *owner, *class_name;
    } queues[] = {{"java.util.Timer", "java.util.TaskQueue"},
                  {"java.util.Timer", "java.util.TimerTask["},
                  {"ScheduledThreadPoolExecutor", "ScheduledThreadPoolExecutor$DelayedWorkQueue"}};
    const struct wick_explain_holder *h = &f->heap_holder;
    const char *text = h->said ? h->said : h->read ? wick_profile_str(f->p, h->read) : "";
    const struct wick_explain_figure *share = wick_explain_figure_of(r, "share"),
                                     *owner = wick_explain_figure_of(r, "owner"),
                                     *queued = wick_explain_figure_of(r, "queued");
    if (!wick_explain_fills(f, h) || !share || share->value < NEARLY_ALL || !owner || !queued)
        return NULL;
    for (size_t i = 0; i < f->npools; i++)
        if (wick_explain_pool_is_timed(x, &f->pools[i]) && (double)f->pools[i].queued > queued->value)
            return NULL; /* the queue may be that one */
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++)
        if (!strcmp(owner->text, queues[i].owner) && strstr(text, queues[i].class_name))
            return text;
    return NULL;
}

/* Whether cancelled tasks take much of what stays in the heap, without what they refer to. */
static bool fill_heap(const struct wick_explain_facts *f, const struct wick_explain_finding *r)
{
    const struct wick_explain_figure *share = wick_explain_figure_of(r, "share"),
                                     *queued = wick_explain_figure_of(r, "queued");
    double kept = f->nheaps ? wick_explain_heap_kept(f) * wick_explain_heap_most(f) : 0;
    return share && queued && kept > 0 && share->value * queued->value * TASK_BYTES >= CANCELLED_LEAST * kept;
}

/* Where the heap is full of cancelled tasks, collections are for these. */
static bool blame_cancelled(struct wick_explain *x)
{
    struct wick_explain_findings *o = x->out;
    double most = cost_of_garbage(o);
    for (size_t i = 0; i < o->n && most > 0; i++) {
        struct wick_explain_finding *r = &o->rows[i];
        if (r->rule != &wick_explain_rules[WICK_EXPLAIN_RULE_CANCELLED_TASKS])
            continue;
        const char *queue = queue_that_holds(x, r);
        if (!queue && !fill_heap(x->f, r))
            continue;
        if (queue)
            wick_explain_say(x, r, "holder", queue);
        absorb(o, i, most);
        return true;
    }
    return false;
}

/* Where nearly all that is allocated is what a cache that never hits has made anew, collections are for that, whatever
 * it computes. marked: room for a mark of each stack. */
static bool blame_misses(struct wick_explain *x, bool *marked)
{
    const struct wick_explain_facts *f = x->f;
    double most = cost_of_garbage(x->out), allocated;
    if (!x->misses.lookup || most <= 0)
        return false;
    wick_explain_mark_misses(f->p, x->misses.lookup, marked);
    if (through(f->p, f->alloc, f->nalloc, marked, &allocated) < NEARLY_ALL)
        return false;
    absorb(x->out, x->misses.finding, most);
    return true;
}

static void blame_hot(struct wick_explain *x, bool *marked)
{
    const struct wick_explain_facts *f = x->f;
    struct wick_explain_findings *o = x->out;
    const struct wick_explain_hot *hot = &x->hot;
    if (!hot->function)
        return;
    for (uint32_t s = 1; s < f->p->nstacks; s++) /* callers come before those that they call */
        marked[s] = marked[f->p->stacks[s].parent] || wick_explain_function_at(f->p, s) == hot->function;
    double computed, allocated, of_cpu = through(f->p, f->cpu, f->ncpu, marked, &computed);
    if (f->nalloc ? through(f->p, f->alloc, f->nalloc, marked, &allocated) < MOST : of_cpu < NEARLY_ALL)
        return;
    if (computed < o->rows[hot->finding].cost_ns) /* starts of threads go through no function */
        computed = o->rows[hot->finding].cost_ns;
    double most = cost_of_garbage(o);
    if (most > 0 && most <= wick_explain_wanted(x, computed))
        absorb(o, hot->finding, most);
}

void wick_explain_garbage(struct wick_explain *x)
{
    bool *marked = calloc((size_t)x->f->p->nstacks + 1, sizeof *marked);
    x->f->failed |= !marked;
    if (marked && !blame_cancelled(x) && has_room(x->f) && !blame_misses(x, marked))
        blame_hot(x, marked);
    free(marked);
}
