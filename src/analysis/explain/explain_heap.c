/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_heap.c - the rules of `wick explain` about what collections find: humongous objects, objects that are
 * promoted and die, a heap that is much too large, and cleaners that do not keep up; and which code makes what grows
 * outside
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/name.h"

#define YOUNG_MOST    50             /* collections for each of the old generation: more are the trouble themselves */
#define LARGE_LEAST   (512.0 * 1024) /* half of the smallest region of G1 */
#define HEAP_LEAST    (256.0 * (1 << 20))
#define HUGE_LEAST    0.02 /* thread time that collections for humongous objects cost */
#define HELPS_LEAST   0.30 /* of the time in which room for direct buffers is looked for: collecting */
#define GC_LITTLE     0.05 /* share of the time in pauses */
#define ENOUGH        4.0  /* heap for each byte in use */
#define SMALLER_BY    16.0 /* ... and no heap is made smaller by more at once */
#define GOT_LEAST     0.50 /* of the time in which threads of the collector could run: with a CPU */
#define CLEANER_LEAST 5e9  /* ns of wall time that its thread was seen */
#define WAITERS_LEAST 0.5  /* threads on average: that wait for what a cleaner may give back */
#define SEVERAL       3
#define FALL_LEAST    0.10 /* from one collection to the next */
#define OFTEN         10e9 /* ns */
#define ROOMY         0.50 /* of the heap's maximum, in use after such a collection */
#define ROOMY_LEAST   0.30 /* then the share that was dead counts from here on */

/* ---- humongous allocations ---- */

/* What the object of a sample weighs by itself: its weight w and w (w - size), the variance, are known. */
static double size_of(const struct wick_explain_sample *s)
{
    double weight = (double)s->weight_ns;
    return s->variance > 0 && weight > 0 ? weight - s->variance / weight : weight;
}

/* Leaves the samples of large objects in the front; returns how many there are. */
static size_t large_first(struct wick_explain_sample *rows, size_t n)
{
    size_t large = 0;
    for (size_t i = 0; i < n; i++)
        if (size_of(&rows[i]) >= LARGE_LEAST) {
            struct wick_explain_sample s = rows[large];
            rows[large++] = rows[i];
            rows[i] = s;
        }
    return large;
}

void wick_explain_humongous(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    size_t n = 0;
    for (size_t i = 0; i < f->ncauses; i++)
        n += !strcmp(wick_profile_str(f->p, f->causes[i]), "G1 Humongous Allocation");
    if (n < SEVERAL || wick_explain_share((double)n, (double)f->ncauses) < x->rule->threshold)
        return;
    double stalled = (double)wick_explain_wall(f, true, 0, 1 << WICK_EXPLAIN_ALLOCATION);
    double stopped = wick_explain_stopped(x), cost = stopped > (double)f->gc_ns ? stopped : (double)f->gc_ns;
    cost = cost > stalled ? cost : stalled;
    if (!wick_explain_counts(f, cost, HUGE_LEAST))
        return; /* collections that cost next to nothing do no harm, whatever they are for */
    struct wick_explain_finding *r = wick_explain_found(x, cost * (double)n / (double)f->ncauses);
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, (double)n);
    wick_explain_figure(r, "of", WICK_EXPLAIN_NUMBER, (double)f->ncauses);
    wick_explain_say_class(x, r, f->alloc, large_first(f->alloc, f->nalloc), "size");
}

/* ---- promotion ---- */

/*
 * After a young collection what is in use is the old generation and a few survivors, so it hardly falls from one to the
 * next; where it does, the old generation was collected as well, and what it lost was promoted and died. By the names
 * of collections these cannot be found: a full one that follows at once on a young one is one collection for the JVM.
 */

/* Collections of Serial and Parallel because there was no room, not because somebody asked or metaspace was full. G1
 * collects the old generation in pieces, and drops humongous objects in young collections. */
static bool wanted_room(const char *cause)
{
    return !strcmp(cause, "Allocation Failure") || !strcmp(cause, "Ergonomics");
}

struct fall {
    double before, after; /* bytes in use, added up */
    size_t n;
};

static struct fall falls_of(const struct wick_explain_facts *f)
{
    struct fall o = {0};
    for (size_t i = 1; i < f->nheaps; i++) {
        double used = (double)f->heaps[i].used, last = (double)f->heaps[i - 1].used;
        if (used > (1 - FALL_LEAST) * last || !wanted_room(wick_profile_str(f->p, f->heaps[i].cause)))
            continue;
        o.before += last;
        o.after += used;
        o.n++;
    }
    return o;
}

/* What is in use all the time hides what was promoted and died, but if it leaves half of the heap it is not too much.
 */
static double promoted_least(const struct wick_explain_facts *f, const struct fall *o)
{
    bool roomy = f->heap_max && o->after <= ROOMY * (double)f->heap_max * (double)o->n;
    return roomy ? ROOMY_LEAST : wick_explain_rules[WICK_EXPLAIN_RULE_PROMOTION].threshold;
}

/* Whether collections would take little if the collector had CPUs: what waits for one lives longer. */
static bool is_for_lack_of_cpus(const struct wick_explain *x)
{
    return wick_explain_collectors_got(x->f) < GOT_LEAST &&
           wick_explain_pauses_by_work(x) < wick_explain_rules[WICK_EXPLAIN_RULE_GC_PAUSES].threshold;
}

bool wick_explain_promotes(const struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct fall o = falls_of(f);
    double paused = wick_explain_share((double)f->pauses_ns, (double)f->duration_ns);
    if (f->heap_holder.soft > 0 && wick_explain_fills(f, &f->heap_holder) &&
        paused >= wick_explain_rules[WICK_EXPLAIN_RULE_GC_PAUSES].threshold)
        return false; /* what a collection dropped was kept until then; gc-pauses says so */
    bool often = (double)o.n * OFTEN >= (double)f->duration_ns && o.n * YOUNG_MOST >= f->nheaps;
    return o.n >= SEVERAL && often && paused >= GC_LITTLE &&
           wick_explain_share(o.before - o.after, o.before) >= promoted_least(f, &o) && !is_for_lack_of_cpus(x);
}

void wick_explain_promotion(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    struct fall o = falls_of(f);
    if (!wick_explain_promotes(x) || wick_explain_unloads(f))
        return; /* classes that are unloaded have lived as long as their loaders, and so has what these hold */
    struct wick_explain_finding *r = wick_explain_found(x, wick_explain_stopped(x));
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, (double)o.n);
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, wick_explain_share(o.before - o.after, o.before));
    wick_explain_figure(r, "dead", WICK_EXPLAIN_BYTES, (o.before - o.after) / (double)o.n);
    wick_explain_figure(r, "stopped", WICK_EXPLAIN_TIME, (double)f->pauses_ns);
    wick_explain_say_allocations(x, r);
    wick_explain_say_soft(x, r);
    wick_explain_say_finalizable(x, r);
    if (f->heap_holder.soft > 0 && wick_explain_fills(f, &f->heap_holder))
        wick_explain_say_holder(x, r, &f->heap_holder);
}

/* ---- a heap that is much too large ---- */

void wick_explain_oversized(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    const struct wick_memory_row *heap = &f->memory.part[WICK_MEMORY_HEAP].now;
    double resident = (double)heap->resident, used = (double)f->heap_used,
           paused = wick_explain_share((double)f->pauses_ns, (double)f->duration_ns);
    double smaller = ENOUGH * used > resident / SMALLER_BY ? ENOUGH * used : resident / SMALLER_BY;
    if (f->nheaps < SEVERAL || resident < HEAP_LEAST || used <= 0 || resident / used < x->rule->threshold ||
        paused * resident / smaller > GC_LITTLE) /* collections are as many times more as the heap is smaller */
        return;
    struct wick_explain_finding *r = wick_explain_found(x, 0);
    wick_explain_figure(r, "resident", WICK_EXPLAIN_BYTES, resident);
    if (heap->reserved)
        wick_explain_figure(r, "heap", WICK_EXPLAIN_BYTES, (double)heap->reserved);
    wick_explain_figure(r, "used", WICK_EXPLAIN_BYTES, used);
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, (double)f->nheaps);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)f->pauses_ns);
}

/* ---- finalizers, cleaners and reference queues ---- */

/* Threads that do for dead objects what has to be done. */
static bool cleans(const char *thread)
{
    return !strcmp(thread, "Finalizer") || !strcmp(thread, "Secondary finalizer") ||
           !strcmp(thread, "Common-Cleaner") || !strcmp(thread, "Reference Handler") ||
           !strncmp(thread, "Cleaner-", strlen("Cleaner-"));
}

/* Whether a stack waits for the next dead object: in a queue of references, in the JVM for what the collector found,
 * or, before JDK 9, in an Object.wait that java.lang.ref.Reference calls. */
static bool waits_for_work(const struct wick_profile *p, uint32_t stack)
{
    bool waits = false;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_function *f = &p->functions[p->frames[p->stacks[s].frame].function];
        const char *class = wick_profile_str(p, f->class_name), *name = wick_profile_str(p, f->name);
        if (!strcmp(class, "java/lang/ref/ReferenceQueue") || strstr(name, "aitForReferencePendingList") ||
            (waits && !strcmp(class, "java/lang/ref/Reference")))
            return true;
        waits = !strcmp(class, "java/lang/Object") && !strncmp(name, "wait", strlen("wait"));
    }
    return false;
}

/* Whether it is known where the thread was. It is not if the process ended before it could be read, or the JVM is not
 * yet read. */
static bool is_known(const struct wick_profile *p, uint32_t stack)
{
    bool java = false;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        unsigned kind = p->frames[p->stacks[s].frame].kind;
        if (kind == WICK_FRAME_BREAK)
            return false;
        java = java || wick_frame_kind_is_java(kind);
    }
    return java;
}

/* Wall time of the thread, as far as it is known what it did, and of that what it is at work; work gets its samples of
 * that. */
static double busy_of(const struct wick_explain_facts *f, uint32_t name, struct wick_explain_sample *work, size_t *n,
                      double *all)
{
    double busy = 0;
    *n = 0;
    *all = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        if (f->p->threads[s->thread].name != name || !is_known(f->p, s->stack))
            continue;
        *all += (double)s->weight_ns;
        if (waits_for_work(f->p, s->stack))
            continue;
        busy += (double)s->weight_ns;
        work[(*n)++] = *s;
    }
    return busy;
}

/* Who waits, at a place of a class that the cleaner works in: what it gives back there may be what they wait for. */
static void say_who_waits(struct wick_explain *x, struct wick_explain_finding *r, uint32_t cleaner,
                          const struct wick_explain_sample *work, size_t n)
{
    const struct wick_profile *p = x->f->p;
    struct wick_explain_places at = {0};
    bool *classes = calloc(p->nstrings + 1, sizeof *classes);
    x->f->failed |= !classes;
    for (size_t i = 0; classes && i < n; i++)
        for (uint32_t s = work[i].stack; s; s = p->stacks[s].parent) {
            uint32_t class_name = p->functions[wick_explain_function_at(p, s)].class_name;
            classes[class_name] |= class_name && !wick_name_is_jdk(wick_profile_str(p, class_name));
        }
    for (size_t i = 0; classes && i < x->f->nwall; i++) {
        const struct wick_wait *w = &x->waits[i];
        bool other = p->threads[x->f->wall[i].thread].name != cleaner;
        bool lent = w->kind == WICK_WAIT_SEMAPHORE || w->kind == WICK_WAIT_POOL || wick_wait_is_lock(w->kind);
        if (other && lent && w->stack && classes[p->functions[wick_explain_function_at(p, w->stack)].class_name])
            wick_explain_places_add(x, &at, *w, x->f->wall[i].weight_ns, 0);
    }
    wick_explain_places_sort(&at);
    if (at.n && wick_explain_counts(x->f, (double)at.rows->ns, WAITERS_LEAST)) {
        wick_explain_figure(r, "waiters", WICK_EXPLAIN_NUMBER, (double)at.rows->ns / (double)x->f->duration_ns);
        wick_explain_say(x, r, "awaited", wick_wait_text(at.rows->kind));
        wick_explain_say_frame(x, r, "waiter", wick_explain_frame_at(p, at.rows->stack));
    }
    free(at.rows);
    free(classes);
}

void wick_explain_cleaners(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    struct wick_explain_sample *work = reallocarray(NULL, f->nwall + 1, sizeof *work);
    f->failed |= !work;
    for (uint32_t i = 1; work && i < f->p->nthreads; i++) {
        const char *name = wick_profile_str(f->p, f->p->threads[i].name);
        bool seen = false;
        for (uint32_t k = 1; k < i && !seen; k++)
            seen = f->p->threads[k].name == f->p->threads[i].name;
        if (seen || !cleans(name))
            continue;
        size_t n;
        double all, busy = busy_of(f, f->p->threads[i].name, work, &n, &all);
        if (all < CLEANER_LEAST || busy / all < x->rule->threshold)
            continue;
        struct wick_explain_top top = wick_explain_top(f, work, n, true, 0, WICK_EXPLAIN_ALL, WICK_EXPLAIN_JAVA);
        struct wick_explain_finding *r = wick_explain_found(x, busy);
        wick_explain_say(x, r, "thread", name);
        wick_explain_filter_thread(x, r, (uint32_t)i);
        double quanta = 0;
        for (size_t k = 0; k < n; k++)
            quanta += wick_explain_quantum(&work[k]);
        wick_explain_share_of(x, r, busy, all, quanta);
        wick_explain_say_frame(x, r, "frame", top.frame);
        wick_explain_say_frame(x, r, "caller", top.caller);
        say_who_waits(x, r, f->p->threads[i].name, work, n);
    }
    free(work);
}

/* ---- more threads that collect than CPUs ---- */

static unsigned parallel_collectors(const struct wick_profile *p)
{
    unsigned n = 0;
    for (uint32_t t = 1; t < p->nthreads; t++) {
        const char *name = wick_profile_str(p, p->threads[t].name);
        n += !strncmp(name, "GC Thread#", strlen("GC Thread#")) ||
             !strncmp(name, "GC task thread#", strlen("GC task thread#")); /* Parallel of JDK 8 */
    }
    return n;
}

void wick_explain_gc_threads(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double cpus = wick_explain_cpus(f), share = wick_explain_share((double)f->pauses_ns, (double)f->duration_ns);
    double throttled = wick_explain_limited(f);
    double count = parallel_collectors(f->p), whole = cpus < 1 ? 1 : cpus;
    if (cpus <= 0 || count < x->rule->threshold * whole || share < GC_LITTLE)
        return;
    x->gc_threads_said = true;
    struct wick_explain_finding *r = wick_explain_found(x, wick_explain_stopped(x));
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, count);
    wick_explain_figure(r, "cpus", WICK_EXPLAIN_NUMBER, cpus);
    if (throttled > 0)
        wick_explain_figure(r, "throttled", WICK_EXPLAIN_SHARE, throttled);
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, share);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)f->pauses_ns);
}

/* ---- collections that were asked for ---- */

/* How many collections were for that cause. */
static size_t collections_for(const struct wick_explain_facts *f, const char *cause)
{
    size_t n = 0;
    for (size_t i = 0; i < f->ncauses; i++)
        n += !strcmp(wick_profile_str(f->p, f->causes[i]), cause);
    return n;
}

bool wick_explain_mostly_for(const struct wick_explain_facts *f, const char *cause)
{
    size_t n = collections_for(f, cause);
    return n >= SEVERAL && 2 * n >= f->ncauses;
}

/* ---- who calls methods of the JDK ---- */

struct method {
    const char *class_name, *name; /* these names begin so */
};

struct methods {
    const struct method *of;
    size_t n;
    bool beyond; /* the class of that frame is passed over: who calls it from another one */
};

/* The program's frame nearest to the root's side of such a method, 0 = there is none. */
static uint32_t caller_of(const struct wick_profile *p, uint32_t stack, const void *arg)
{
    const struct methods *m = arg;
    const char *maker = NULL;
    bool within = false;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_frame *frame = &p->frames[p->stacks[s].frame];
        const char *class_name = wick_profile_str(p, p->functions[frame->function].class_name),
                   *name = wick_profile_str(p, p->functions[frame->function].name);
        if (!wick_frame_kind_is_java(frame->kind))
            continue;
        for (size_t i = 0; i < m->n; i++)
            within |= !strncmp(class_name, m->of[i].class_name, strlen(m->of[i].class_name)) &&
                      !strncmp(name, m->of[i].name, strlen(m->of[i].name));
        if (!within || wick_name_is_jdk(class_name))
            continue;
        if (!m->beyond || (maker && strcmp(maker, class_name)))
            return p->stacks[s].frame;
        maker = class_name;
    }
    return 0;
}

static void say_caller(struct wick_explain *x, struct wick_explain_finding *r, const char *key,
                       const struct method *methods, size_t n)
{
    uint32_t best = wick_explain_heaviest(x, caller_of, &(struct methods){methods, n, false});
    if (r)
        wick_explain_say_frame(x, r, key, best);
}

/* What has collections run that the collector did not decide on: HotSpot's name of the cause, and whose calls ask for
 * it, if a method of the JDK does. */
static const struct request {
    const char *cause, *what, *advice; /* advice: NULL = that of the rule */
    struct method by[3];
} requests[] = {
    {"System.gc()", "System.gc()", NULL, {{"java/lang/Runtime", "gc"}, {"java/lang/System", "gc"}}},
    {"Heap Inspection Initiated GC",
     "a class histogram",
     "find what takes histograms of the heap (jmap -histo:live, jcmd GC.class_histogram, the MBean DiagnosticCommand), "
     "which collects and walks all of it: ask for less (MemoryMXBean, jstat), more rarely, or with -all, which does "
     "not collect",
     {{"com/sun/management/internal/DiagnosticCommandImpl", ""}, {"sun/management/DiagnosticCommandImpl", ""}}},
    {"Heap Dump Initiated GC",
     "heap dumps",
     "find what dumps the heap (jmap -dump:live, jcmd GC.heap_dump, the MBean HotSpotDiagnostic), which collects and "
     "writes all of it: wick heap --copy stops the program for milliseconds",
     {{"com/sun/management/internal/HotSpotDiagnostic", ""}, {"sun/management/HotSpotDiagnostic", ""}}},
    {"Diagnostic Command",
     "a diagnostic command",
     "find who runs jcmd GC.run: the collector knows when to run",
     {{"com/sun/management/internal/DiagnosticCommandImpl", ""}, {"sun/management/DiagnosticCommandImpl", ""}}},
    {"JvmtiEnv ForceGarbageCollection",
     "an agent of the JVM (JVMTI)",
     "find which agent forces collections (-agentlib, -agentpath, profilers and debuggers): the collector knows when "
     "to run",
     {{NULL, NULL}}},
};

/* The commonest of those requests, and how many collections it and all of them asked for. */
static const struct request *commonest_request(const struct wick_explain_facts *f, size_t *its, size_t *all)
{
    const struct request *best = requests;
    *its = *all = 0;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        size_t n = collections_for(f, requests[i].cause);
        *all += n;
        best = n > *its ? &requests[i] : best;
        *its = n > *its ? n : *its;
    }
    return best;
}

/* Whether n collections that were asked for stop the program for a time worth a word. */
static bool asked_for(const struct wick_explain_facts *f, size_t n)
{
    return n >= SEVERAL && wick_explain_share((double)f->pauses_ns, (double)f->duration_ns) >= GC_LITTLE;
}

bool wick_explain_mostly_asked_for(const struct wick_explain_facts *f)
{
    size_t its, n;
    (void)commonest_request(f, &its, &n);
    return asked_for(f, n) && 2 * n >= f->ncauses;
}

/* Direct buffers that find no room have the JVM collect, as those may be dead that have it. Where that helps, buffers
 * are made anew all the time; where it does not, the thread that makes one sleeps and tries again. */
static const struct request
    for_buffers = {"System.gc()",
                   "direct buffers that found no room",
                   "find who keeps them (wick record -e nativemem), or use them again, from a pool or one for each "
                   "thread: collections "
                   "free too little; a larger -XX:MaxDirectMemorySize if all are needed",
                   {{"java/nio/Bits", "reserveMemory"}}},
    for_new_buffers = {
        "System.gc()",
        "direct buffers that found no room, which are made anew again and again instead of being used again",
        "use direct buffers again, from a pool or one for each thread: each that is made has to be found dead by a "
        "collection before its memory is free; a larger -XX:MaxDirectMemorySize only makes that rarer",
        {{"java/nio/Bits", "reserveMemory"}}};

/* Whose buffers they are if most samples of calls of System.gc() are below java.nio.Bits; NULL = they are not. */
static const struct request *buffers_of(const struct wick_explain_facts *f)
{
    const struct methods gc = {requests[0].by, 2}, buffers = {for_buffers.by, 1};
    int64_t all = 0, below = 0, reserves = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        bool reserve = caller_of(f->p, f->wall[i].stack, &buffers);
        reserves = wick_sum(reserves, reserve ? f->wall[i].weight_ns : 0);
        if (!caller_of(f->p, f->wall[i].stack, &gc))
            continue;
        all = wick_sum(all, f->wall[i].weight_ns);
        below = wick_sum(below, reserve ? f->wall[i].weight_ns : 0);
    }
    if (!all || below <= all / 2)
        return NULL;
    return (double)below >= HELPS_LEAST * (double)reserves ? &for_new_buffers : &for_buffers;
}

/* The request if explicit-gc fires for direct buffers, else NULL. */
static const struct request *collects_for_buffers(const struct wick_explain_facts *f)
{
    size_t its, n;
    const struct request *of = commonest_request(f, &its, &n);
    double least = wick_explain_rules[WICK_EXPLAIN_RULE_EXPLICIT_GC].threshold;
    bool fires = asked_for(f, n) && wick_explain_share((double)n, (double)f->ncauses) >= least;
    return fires && of == requests ? buffers_of(f) : NULL;
}

bool wick_explain_collects_for_buffers(const struct wick_explain_facts *f)
{
    return collects_for_buffers(f) == &for_new_buffers;
}

bool wick_explain_seeks_buffers(const struct wick_explain_facts *f)
{
    const struct methods buffers = {for_buffers.by, 1};
    for (size_t i = 0; i < f->nwall; i++)
        if (f->wall[i].state == WICK_EXPLAIN_SLEEPING && caller_of(f->p, f->wall[i].stack, &buffers))
            return true;
    return false;
}

void wick_explain_explicit_gc(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    size_t its, n, methods = 0;
    const struct request *of = commonest_request(f, &its, &n);
    double share = wick_explain_share((double)f->pauses_ns, (double)f->duration_ns);
    if (!asked_for(f, n) || wick_explain_share((double)n, (double)f->ncauses) < x->rule->threshold)
        return;
    char what[128];
    const struct request *buffers = collects_for_buffers(f);
    of = buffers ? buffers : of;
    snprintf(what, sizeof what, "%s%s", of->what, its < n ? " and others" : "");
    double stopped = wick_explain_stopped(x);
    struct wick_explain_finding *r = wick_explain_found(x, stopped > (double)f->gc_ns ? stopped : (double)f->gc_ns);
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, (double)n);
    wick_explain_figure(r, "of", WICK_EXPLAIN_NUMBER, (double)f->ncauses);
    wick_explain_say(x, r, "what", what);
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, share);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)f->pauses_ns);
    while (methods < sizeof of->by / sizeof *of->by && of->by[methods].class_name)
        methods++;
    say_caller(x, r, "frame", of->by, methods);
    if (buffers && f->direct_limit)
        wick_explain_figure(r, "limit", WICK_EXPLAIN_BYTES, (double)f->direct_limit);
    if (buffers)
        wick_explain_figure(r, "rate", WICK_EXPLAIN_NUMBER, (double)n * 1e9 / (double)f->duration_ns);
    if (r && of->advice)
        r->advice = of->advice;
}

void wick_explain_say_defining(struct wick_explain *x, struct wick_explain_finding *r)
{
    static const struct method methods[] = {{"java/lang/ClassLoader", "defineClass"},
                                            {"java/lang/ClassLoader", "loadClass"},
                                            {"java/net/URLClassLoader", "<init>"},
                                            {"java/lang/reflect/Proxy", "newProxyInstance"},
                                            {"java/lang/invoke/MethodHandles$Lookup", "defineHiddenClass"},
                                            {"sun/misc/Unsafe", "defineAnonymousClass"},
                                            {"jdk/internal/misc/Unsafe", "defineAnonymousClass"}};
    const size_t n = sizeof methods / sizeof *methods;
    say_caller(x, r, "frame", methods, n);
    if (r)
        wick_explain_say_frame(x, r, "caller",
                               wick_explain_heaviest(x, caller_of, &(struct methods){methods, n, true}));
}

/* ---- who makes what grows outside the heap ---- */

/* Constructors, what they call, and what starts a thread or maps a file; not what one calls that is there already. */
static bool makes(const char *method)
{
    static const char *const words[] = {"<init>", "init", "start", "map"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(method, words[i], strlen(words[i])))
            return true;
    return false;
}

/* Whether the sample is of an object of that class: its leaf has the name, with dots. */
static bool is_object_of(const struct wick_profile *p, uint32_t stack, const char *class_name)
{
    const struct wick_frame *leaf = &p->frames[p->stacks[stack].frame];
    const char *name = wick_profile_str(p, p->functions[leaf->function].name);
    while (*name && *class_name && (*name == *class_name || (*name == '.' && *class_name == '/'))) {
        name++;
        class_name++;
    }
    return leaf->kind == WICK_FRAME_OBJECT && !*name && !*class_name;
}

/* The frame that calls such a method of that class, or allocates one, 0 = none does; of the program's own, if there is
 * one. */
static uint32_t user_of(const struct wick_profile *p, uint32_t stack, const char *class_name)
{
    bool within = is_object_of(p, stack, class_name);
    uint32_t nearest = 0;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_frame *frame = &p->frames[p->stacks[s].frame];
        const char *class = wick_profile_str(p, p->functions[frame->function].class_name);
        if (!wick_frame_kind_is_java(frame->kind))
            continue;
        if (!strcmp(class, class_name)) {
            within |= makes(wick_profile_str(p, p->functions[frame->function].name));
            continue;
        }
        if (within && !wick_name_is_jdk(class))
            return p->stacks[s].frame;
        nearest = within && !nearest ? p->stacks[s].frame : nearest;
    }
    return nearest;
}

/* The same by native memory that is alive: by bytes, since one stack is one row. */
static uint32_t user_of_native(struct wick_explain_facts *f, const char *class_name)
{
    const struct wick_explain_native_moment *m = &f->native_last;
    int64_t *sums = calloc(f->p->nframes, sizeof *sums);
    uint32_t best = 0;
    f->failed |= !sums;
    for (size_t i = 0; sums && i < m->n; i++) {
        uint32_t frame = user_of(f->p, m->rows[i].stack, class_name);
        sums[frame] = frame ? wick_sum(sums[frame], m->rows[i].bytes) : 0;
        best = sums[frame] > sums[best] ? frame : best;
    }
    free(sums);
    return best;
}

void wick_explain_say_user(struct wick_explain *x, struct wick_explain_finding *r, const char *class_name)
{
    struct wick_explain_facts *f = x->f;
    const struct {
        const struct wick_explain_sample *rows;
        size_t n;
    } lists[] = {{f->live, f->nlive}, {f->alloc, f->nalloc}, {f->cpu, f->ncpu}, {f->wall, f->nwall}};
    uint32_t *found = calloc(f->p->nframes, sizeof *found), best = user_of_native(f, class_name);
    f->failed |= !found;
    for (size_t l = 0; found && !best && l < sizeof lists / sizeof *lists; l++)
        for (size_t i = 0; i < lists[l].n; i++) {
            uint32_t frame = user_of(f->p, lists[l].rows[i].stack, class_name);
            if (frame && ++found[frame] > found[best])
                best = frame;
        }
    free(found);
    wick_explain_say_frame(x, r, "user", best);
}
