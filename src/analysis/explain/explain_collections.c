/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_collections.c - what collections cost: the program that they stop, threads that wait for memory, CPU time
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "model/classify.h"

/* Thread time below these shares of the recording's duration is not worth a sentence. */
#define STALL_LEAST 0.02
#define CPU_LEAST   0.05 /* of the recording: CPU time of the collector */
#define CPU_ROOMY   0.10 /* the same as it would be with CPUs, if the heap has room: programs need some collections */

#define ROOM_MOST      0.50 /* of the heap in use after a collection: it is not too small */
#define FULL_AS_A_RULE 0.75 /* of the heap in use after half of the collections */
#define FULL_EACH      0.70 /* and after each of them: it is full whatever they find, */
#define FULL_COUNT     20   /* where so many show it */
#define FULL_PART      0.50 /* of the threshold of gc-cpu is enough in a full heap */
#define EVEN_MOST      2.0  /* times what the others of its team use: a thread of the collector that works */

double wick_explain_heap_kept(const struct wick_explain_facts *f)
{
    int64_t least = 0;
    for (size_t i = f->nheaps / 2; i < f->nheaps; i++)
        least = i == f->nheaps / 2 || f->heaps[i].used < least ? f->heaps[i].used : least;
    return wick_explain_share((double)least, wick_explain_heap_most(f));
}

/* Whether what is kept leaves collections little to do with: who holds it is what matters then. */
static bool is_crowded(const struct wick_explain_facts *f)
{
    return wick_explain_heap_kept(f) > ROOM_MOST;
}

/* Whether most collections leave the heap nearly full, whatever some of them find: as where soft references let a cache
 * grow until one drops them. */
static bool is_full_as_a_rule(const struct wick_explain_facts *f)
{
    double most = wick_explain_heap_most(f);
    size_t n = 0;
    for (size_t i = f->nheaps / 2; i < f->nheaps; i++)
        n += most > 0 && (double)f->heaps[i].used >= FULL_AS_A_RULE * most;
    return 2 * n > f->nheaps - f->nheaps / 2;
}

/* Whether the heap is nearly full after most collections, and after none of them has much room. */
static bool is_full(const struct wick_explain_facts *f)
{
    return f->nheaps - f->nheaps / 2 >= FULL_COUNT && is_full_as_a_rule(f) && wick_explain_heap_kept(f) >= FULL_EACH;
}

static void say_room(struct wick_explain *x, struct wick_explain_finding *r)
{
    wick_explain_figure(r, "used", WICK_EXPLAIN_BYTES, (double)x->f->heap_used);
    wick_explain_figure(r, "heap", WICK_EXPLAIN_BYTES, wick_explain_heap_most(x->f));
}

bool wick_explain_asks_for_holder(const struct wick_explain_findings *all, const struct wick_explain_facts *f)
{
    static const unsigned rules[] = {WICK_EXPLAIN_RULE_GC_PAUSES, WICK_EXPLAIN_RULE_GC_CPU,
                                     WICK_EXPLAIN_RULE_ALLOCATION_STALL, WICK_EXPLAIN_RULE_PROMOTION};
    bool asks = wick_explain_is_heap_full(f), crowded = is_crowded(f) || is_full_as_a_rule(f);
    for (size_t i = 0; i < all->n; i++) {
        asks |= all->rows[i].rule == &wick_explain_rules[WICK_EXPLAIN_RULE_LIVE_SET];
        for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
            asks |= all->rows[i].rule == &wick_explain_rules[rules[k]] && crowded;
    }
    return asks;
}

/* Who holds what fills the heap. */
static void say_crowd(struct wick_explain *x, struct wick_explain_finding *r)
{
    const struct wick_explain_holder *h = &x->f->heap_holder;
    if ((is_crowded(x->f) || h->soft > 0) && wick_explain_fills(x->f, h))
        wick_explain_say_holder(x, r, h);
}

/* Whether collections have a reason that another rule names: who asked for them, humongous objects, classes that come
 * and go, objects that are promoted and die. */
static bool has_own_rule(const struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    if (wick_explain_promotes(x) || wick_explain_mostly_asked_for(f) ||
        wick_explain_mostly_for(f, "G1 Humongous Allocation"))
        return true;
    return wick_explain_unloads(f) && wick_explain_mostly_for(f, "Metadata GC Threshold");
}

/* Collections that come whatever the program allocates, and how large its heap is. */
static const struct timed {
    const char *cause, *advice;
} timed[] = {
    {"G1 Periodic Collection",
     "remove -XX:G1PeriodicGCInterval or raise it (milliseconds): these collections run even when no memory is needed, "
     "as full ones with -XX:-G1PeriodicGCInvokesConcurrent"},
    {"Timer", "remove -XX:ZCollectionInterval or raise it (seconds)"},
};

/* Then neither a larger heap nor less allocation helps, and what is allocated says nothing. */
static bool say_timed(const struct wick_explain *x, struct wick_explain_finding *r)
{
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
        if (wick_explain_mostly_for(x->f, timed[i].cause)) {
            if (r)
                r->advice = timed[i].advice;
            return true;
        }
    return false;
}

static bool is_collector(const struct wick_profile *p, uint32_t thread)
{
    return wick_classify_thread(wick_profile_str(p, p->threads[thread].name)) == WICK_WORK_GC;
}

/* A thread of the collector. */
struct collector {
    const char *name;
    double got, lacked; /* CPU time, and the time without a CPU */
};

/* "GC Thread" of "GC Thread#3": how its team is called. */
static int by_team(const void *a, const void *b)
{
    const struct collector *x = a, *y = b;
    size_t n = strcspn(x->name, "#"), m = strcspn(y->name, "#");
    int order = memcmp(x->name, y->name, n < m ? n : m);
    return order ? order : (n > m) - (n < m);
}

/* CPU time that threads of a team used while they waited for the others: these divide the work evenly among them, and
 * spin until all are done, so one that used far more than the others, while those lacked CPUs, waited for them. */
static double spun_ns(const struct collector *team, size_t n)
{
    double got = 0, lacked = 0, spun = 0;
    for (size_t i = 0; i < n; i++) {
        got += team[i].got;
        lacked += team[i].lacked;
    }
    for (size_t i = 0; n > 1 && i < n; i++) {
        double others = got - team[i].got, most = EVEN_MOST * others / (double)(n - 1);
        spun += lacked - team[i].lacked >= others && team[i].got > most ? team[i].got - most : 0;
    }
    return spun;
}

/* The serial collector has no threads of its own: the VM thread collects, while the world is stopped, where it either
 * runs or lacks a CPU. */
static void learn_serial(struct wick_explain_facts *f)
{
    const struct wick_explain_use *vm = wick_explain_vm_thread(f);
    for (uint32_t t = 1; t < f->p->nthreads; t++)
        if (is_collector(f->p, t))
            return;
    if (!vm || f->gc_ns || f->gc_wait_ns)
        return;
    f->gc_ns = vm->cpu_ns < f->pauses_ns ? vm->cpu_ns : f->pauses_ns;
    int64_t rest = f->pauses_ns - f->gc_ns;
    f->gc_wait_ns = vm->delay_ns < rest ? vm->delay_ns : rest;
    f->gc_delay_ns = f->gc_wait_ns < f->hungry_delay_ns ? f->gc_wait_ns : f->hungry_delay_ns;
}

void wick_explain_learn_collectors(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    struct collector *all = calloc(f->nuses + 1, sizeof *all);
    size_t n = 0;
    f->failed |= !all;
    f->gc_spun_ns = 0;
    for (uint32_t t = 1; all && t < f->p->nthreads && t < f->nuses; t++)
        if (is_collector(f->p, t))
            all[n++] = (struct collector){wick_profile_str(f->p, f->p->threads[t].name), (double)f->uses[t].cpu_ns,
                                          (double)f->uses[t].delay_ns};
    if (n)
        qsort(all, n, sizeof *all, by_team);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && !by_team(&all[from], &all[to]);)
            to++;
        f->gc_spun_ns += spun_ns(&all[from], to - from);
    }
    free(all);
    learn_serial(f);
}

double wick_explain_collectors_got(const struct wick_explain_facts *f)
{
    double got = (double)f->gc_ns - f->gc_spun_ns, all = got + (double)f->gc_wait_ns;
    return all > 0 ? got / all : 1;
}

/* Whether `gc-pauses` fires. */
static bool pauses_matter(const struct wick_explain *x)
{
    double least = wick_explain_rules[WICK_EXPLAIN_RULE_GC_PAUSES].threshold;
    return wick_explain_share((double)x->f->pauses_ns, (double)x->f->duration_ns) >= least &&
           wick_explain_pauses_by_work(x) >= least && !has_own_rule(x);
}

/* Pauses that are long because the collector had no CPU. */
void wick_explain_starved_collections(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double gc = (double)f->gc_ns, wait = (double)f->gc_wait_ns, others = wick_explain_others(f);
    double share = wick_explain_share((double)f->pauses_ns, (double)f->duration_ns);
    if (share < x->rule->threshold || wick_explain_pauses_by_work(x) >= x->rule->threshold || x->gc_threads_said)
        return;
    struct wick_explain_finding *r = wick_explain_found(x, wick_explain_stopped(x));
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, (double)f->gcs);
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, share);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)f->pauses_ns);
    wick_explain_figure(r, "starved", WICK_EXPLAIN_SHARE, wick_explain_share(wait, gc + wait));
    if (f->allowed && others >= wick_explain_rules[WICK_EXPLAIN_RULE_NEIGHBOURS].threshold) {
        wick_explain_figure(r, "others", WICK_EXPLAIN_NUMBER, others * (double)f->allowed);
        wick_explain_figure(r, "cpus", WICK_EXPLAIN_NUMBER, (double)f->allowed);
    }
    if (r && is_full(f)) {
        say_room(x, r);
        r->advice = "move the neighbours away, or a higher CPU limit; but in a heap so full there are more collections "
                    "than in a larger one (-Xmx)";
    }
}

/* Whether a thread that waits there for memory waits for a pause: collectors that work beside the program have
 * functions of their own for it. */
static bool is_pause(const struct wick_explain_facts *f, uint32_t frame)
{
    const char *name = wick_profile_str(f->p, f->p->functions[f->p->frames[frame].function].name);
    return strstr(name, "mem_allocate") || strstr(name, "MemAllocator");
}

static void stalls_of(struct wick_explain *x, uint32_t endpoint)
{
    struct wick_explain_facts *f = x->f;
    double stalled = (double)wick_explain_wall(f, false, endpoint, 1 << WICK_EXPLAIN_ALLOCATION);
    double all = (double)wick_explain_wall(f, false, endpoint, endpoint ? WICK_EXPLAIN_ALL : WICK_EXPLAIN_WORK);
    if (wick_explain_share(stalled, all) < x->rule->threshold ||
        !wick_explain_counts(f, stalled * wick_explain_collectors_got(f), STALL_LEAST))
        return; /* what the collector spends waiting for CPUs is no fault of the heap */
    if (!endpoint && (pauses_matter(x) || has_own_rule(x)))
        return; /* the same time, of which those rules say more */
    struct wick_explain_top top =
        wick_explain_top(f, f->wall, f->nwall, false, endpoint, 1 << WICK_EXPLAIN_ALLOCATION, WICK_EXPLAIN_STALL);
    double most = wick_explain_heap_most(f);
    bool room = most > 0 && f->heap_used && (double)f->heap_used < ROOM_MOST * most;
    double paused = wick_explain_share((double)f->pauses_ns, (double)f->duration_ns);
    if (is_pause(f, top.frame) && (paused < x->rule->threshold || (room && !endpoint)))
        return; /* what the VM thread waited before it could stop the program is not the collector's work, and pauses
                 * of a heap with room are for other rules */
    struct wick_explain_finding *r = wick_explain_found(x, stalled);
    wick_explain_say_where(x, r, endpoint);
    wick_explain_share_of(x, r, stalled, all, wick_explain_quanta(f, false, endpoint, 1 << WICK_EXPLAIN_ALLOCATION));
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, stalled);
    wick_explain_say_frame(x, r, "frame", top.frame);
    wick_explain_say_frame(x, r, "caller", top.caller);
    wick_explain_filter_state(x, r, WICK_EXPLAIN_ALLOCATION);
    wick_explain_say_stalled(x, r, room, is_pause(f, top.frame));
    if (most > 0)
        wick_explain_figure(r, "heap", WICK_EXPLAIN_BYTES, most);
    if (f->heap_used)
        wick_explain_figure(r, "used", WICK_EXPLAIN_BYTES, (double)f->heap_used);
    say_crowd(x, r);
}

void wick_explain_allocation_stall(struct wick_explain *x)
{
    wick_explain_each_endpoint(x, stalls_of);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t commonest_cause(struct wick_explain_facts *f)
{
    uint32_t best = 0;
    size_t most = 0, run = 0;
    if (f->ncauses)
        qsort(f->causes, f->ncauses, sizeof *f->causes, by_number);
    for (size_t i = 0; i < f->ncauses; i++) {
        run = i && f->causes[i] == f->causes[i - 1] ? run + 1 : 1;
        if (run > most) {
            most = run;
            best = f->causes[i];
        }
    }
    return best;
}

void wick_explain_gc_pauses(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    double share = wick_explain_share((double)f->pauses_ns, (double)f->duration_ns);
    if (!pauses_matter(x))
        return;
    uint32_t cause = commonest_cause(f);
    struct wick_explain_finding *r = wick_explain_found(x, wick_explain_stopped(x));
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, (double)f->gcs);
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, share);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)f->pauses_ns);
    wick_explain_figure(r, "longest", WICK_EXPLAIN_TIME, (double)f->longest_ns);
    if (cause)
        wick_explain_say(x, r, "cause", wick_profile_str(f->p, cause));
    if (f->heap_used)
        wick_explain_figure(r, "used", WICK_EXPLAIN_BYTES, (double)f->heap_used);
    if (wick_explain_heap_most(f) > 0)
        wick_explain_figure(r, "heap", WICK_EXPLAIN_BYTES, wick_explain_heap_most(f));
    if (say_timed(x, r))
        return;
    wick_explain_say_allocations(x, r);
    wick_explain_say_soft(x, r);
    wick_explain_say_finalizable(x, r);
    say_crowd(x, r);
}

void wick_explain_gc_cpu(struct wick_explain *x)
{
    bool full = is_full(x->f), roomy = x->f->nheaps && wick_explain_heap_kept(x->f) < FULL_EACH;
    double works = (double)x->f->gc_ns - x->f->gc_spun_ns;
    if (!wick_explain_counts(x->f, (double)x->f->gc_ns, CPU_LEAST) || has_own_rule(x) ||
        (roomy && !wick_explain_counts(x->f, wick_explain_wanted(x, works), CPU_ROOMY)))
        return;
    struct wick_explain_finding *r = wick_explain_by_share_from(
        x, (double)x->f->gc_ns, (double)x->f->got_ns, (double)x->f->gc_ns, (full ? FULL_PART : 1) * x->rule->threshold);
    if (say_timed(x, r))
        return;
    if (full)
        say_room(x, r);
    wick_explain_say_allocations(x, r);
    wick_explain_say_soft(x, r);
    wick_explain_say_finalizable(x, r);
    if (!pauses_matter(x)) /* gc-pauses says it */
        say_crowd(x, r);
}
