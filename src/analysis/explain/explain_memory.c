/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_memory.c - the rules of `wick explain` about memory: limits, what grows outside the heap, what stays in it
 *
 * What grows is distinguished from what warms up by its course (wick_trend_steady). For the heap only the use after
 * collections counts; where a collector has full collections and others, only that after full ones, since the others
 * leave garbage. A heap that is full can grow no more: only the way there is judged, however long it has been full.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/interval.h"
#include "model/name.h"

#define NEEDED_MOST 0.60 /* of a limit; more is no false alarm */
#define RISE_LEAST  0.10 /* of the heap's maximum */
#define FULL        0.90 /* of it: some room, such as a survivor space, is never used */
#define IDLE_LEAST  0.50 /* of malloc's resident memory, to be named */
#define COMES_ALONG 4.0  /* a part that grows by less than so many times what threads or loaders do is theirs */
#define LOADERS     "class loaders"
#define ZGC_TABLES  0.12 /* of the heap's growth: 7 to 11 % have been seen */
#define FIRST       1e6  /* times the length of the recording: more than any number of threads can wait */

enum {
    VICTIMS_SHOWN = 3, /* threads in a sentence */
    DIRECTS_LEAST = 2  /* readings of direct buffers: at the beginning and at the end; the peak is of all the time */
};

#define HOLDS 0.30 /* of the heap, kept alive by one object: it fills it */

#define LAST_WORDS_NS 100000000  /* in which a thread may still be seen to end */
#define GONE_NS       3000000000 /* without a sample of it: it has ended */

/* Whether a recording ended because the kernel killed the process. */
static bool was_killed(const struct wick_explain_facts *f)
{
    uint64_t left;
    const struct wick_memory_level *l = wick_memory_use_tightest(&f->memory, &left);
    /* what gives way is known from the last reading only */
    double gives_way = l ? (double)l->now.inactive_file : 0, charged = (double)f->memory_charged;
    double share = wick_explain_share(charged > gives_way ? charged - gives_way : 0, (double)f->memory_limit);
    return f->unfinished && f->memory_limit &&
           (share >= wick_explain_rules[WICK_EXPLAIN_RULE_OOM_KILLED].threshold || f->kills_since > 0);
}

/* Nothing is said of the limit where it killed the process: that is said already. */
void wick_explain_memory_limit(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double share = wick_explain_share((double)f->rss, (double)f->memory_limit);
    if (!f->memory_limit || (share < x->rule->threshold && !f->oom_kills.grown) || was_killed(f))
        return;
    struct wick_explain_finding *r = wick_explain_found(x, share * (double)f->duration_ns);
    wick_explain_figure(r, "rss", WICK_EXPLAIN_BYTES, (double)f->rss);
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, share);
    wick_explain_figure(r, "limit", WICK_EXPLAIN_BYTES, (double)f->memory_limit);
    if (f->oom_kills.grown)
        wick_explain_figure(r, "kills", WICK_EXPLAIN_NUMBER, (double)f->oom_kills.grown);
}

void wick_explain_memory_pressure(struct wick_explain *x)
{
    double full = (double)x->f->memory_full_ns.grown;
    wick_explain_by_share(x, full, (double)x->f->duration_ns, full);
}

/* ---- limits ---- */

/* Files that are mapped give way; what is mapped again is there once. */
static bool is_besides_heap(int part)
{
    return part != WICK_MEMORY_HEAP && part != WICK_MEMORY_REPEATED && part != WICK_MEMORY_FILES;
}

/* Memory besides the heap at a moment, what the kernel holds included. */
static double besides_heap(const struct wick_memory_moment *m)
{
    double sum = 0;
    for (int i = 0; i < WICK_MEMORY_PARTS; i++)
        if (is_besides_heap(i))
            sum += (double)m->resident[i];
    return sum;
}

static enum wick_memory_part largest_besides_heap(const struct wick_memory_use *u)
{
    int part = WICK_MEMORY_OTHER;
    for (int i = 0; i < WICK_MEMORY_PARTS; i++)
        if (is_besides_heap(i) && u->part[i].most > u->part[part].most)
            part = i;
    return (enum wick_memory_part)part;
}

/* The smallest limit of all cgroups, 0 = none. */
static double smallest_limit(const struct wick_memory_use *u)
{
    double limit = 0;
    for (uint32_t i = 0; i < u->levels; i++)
        if (u->level[i].now.limit && (limit == 0 || (double)u->level[i].now.limit < limit))
            limit = (double)u->level[i].now.limit;
    return limit;
}

void wick_explain_heap_limit(struct wick_explain *x)
{
    const struct wick_memory_use *u = &x->f->memory;
    double heap = (double)u->part[WICK_MEMORY_HEAP].now.reserved, limit = smallest_limit(u), beside = 0;
    for (uint32_t i = 0; i < u->nseries; i++)
        beside = besides_heap(&u->series[i]) > beside ? besides_heap(&u->series[i]) : beside;
    if (heap <= 0 || limit <= 0 || wick_explain_share(heap + beside, limit) < x->rule->threshold)
        return;
    enum wick_memory_part part = largest_besides_heap(u);
    struct wick_explain_finding *r =
        wick_explain_found(x, wick_explain_share((double)u->most, limit) * (double)x->f->duration_ns);
    wick_explain_figure(r, "heap", WICK_EXPLAIN_BYTES, heap);
    wick_explain_figure(r, "limit", WICK_EXPLAIN_BYTES, limit);
    if (limit > heap)
        wick_explain_figure(r, "left", WICK_EXPLAIN_BYTES, limit - heap);
    wick_explain_figure(r, "beside", WICK_EXPLAIN_BYTES, beside);
    if (limit > beside)
        wick_explain_figure(r, "room", WICK_EXPLAIN_BYTES, limit - beside);
    wick_explain_say(x, r, "part", wick_memory_part_name(part));
    wick_explain_figure(r, "most", WICK_EXPLAIN_BYTES, (double)u->part[part].most);
}

void wick_explain_page_cache(struct wick_explain *x)
{
    uint64_t left;
    const struct wick_memory_level *l = wick_memory_use_tightest(&x->f->memory, &left);
    if (!l)
        return;
    double limit = (double)l->now.limit, charged = (double)l->now.current,
           needed = (double)wick_cgroup_memory_needed(&l->now);
    if (wick_explain_share(charged, limit) < x->rule->threshold || wick_explain_share(needed, limit) > NEEDED_MOST)
        return;
    struct wick_explain_finding *r = wick_explain_found(x, 0);
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, wick_explain_share(charged, limit));
    wick_explain_figure(r, "limit", WICK_EXPLAIN_BYTES, limit);
    wick_explain_figure(r, "cache", WICK_EXPLAIN_BYTES, charged - needed);
    wick_explain_figure(r, "needed", WICK_EXPLAIN_BYTES, needed);
}

/* ---- what grows outside the heap ---- */

static const struct {
    enum wick_memory_part part;
    const char *things, *why;
    const char *made_by; /* whose methods code calls that makes more of it, NULL = not known */
} growers[] = {
    {WICK_MEMORY_STACKS, "threads", "threads are started that do not end", "java/lang/Thread"},
    {WICK_MEMORY_METASPACE, LOADERS, "classes are made, or loaded, that are never unloaded", "java/lang/ClassLoader"},
    {WICK_MEMORY_MALLOC, NULL, "direct buffers, or memory of native code, that is not freed",
     "java/nio/DirectByteBuffer"},
    {WICK_MEMORY_CODE_CACHE, NULL, "more and more code is compiled"},
    {WICK_MEMORY_FILES, NULL, "files are mapped, and what is read of them stays in memory while there is room",
     "sun/nio/ch/FileChannelImpl"},
    {WICK_MEMORY_SHARED, NULL, "memory files or shared memory are not released"},
    {WICK_MEMORY_OTHER, NULL, "memory that native code maps, or gets from another allocator than the C library's"},
};

/* How much of malloc's resident memory is free at least: some of what is in use may not be resident. */
static void say_idle(struct wick_explain *x, struct wick_explain_finding *r)
{
    const struct wick_arenas *a = &x->f->memory.arenas;
    double resident = (double)x->f->memory.part[WICK_MEMORY_MALLOC].now.resident;
    double idle = resident - (double)a->used - (double)a->mapped;
    if (!wick_arenas_known(a) || idle < IDLE_LEAST * resident)
        return;
    wick_explain_figure(r, "idle", WICK_EXPLAIN_BYTES, idle);
    if (a->trimmable)
        wick_explain_figure(r, "trimmable", WICK_EXPLAIN_BYTES, (double)a->trimmable);
}

static void say_growth(struct wick_explain *x, size_t i, double rate, double grown)
{
    const struct wick_memory_use *u = &x->f->memory;
    const struct wick_memory_moment *first = &u->series[0], *last = &u->series[u->nseries - 1];
    enum wick_memory_part part = growers[i].part;
    double more = (double)last->count[part] - (double)first->count[part];
    uint64_t left = 0;
    const struct wick_memory_level *l = wick_memory_use_tightest(u, &left);
    struct wick_explain_finding *r =
        wick_explain_found(x, wick_explain_share(grown, (double)u->resident) * (double)x->f->duration_ns);
    wick_explain_say(x, r, "part", wick_memory_part_name(part));
    wick_explain_figure(r, "grown", WICK_EXPLAIN_BYTES, grown);
    wick_explain_figure(r, "resident", WICK_EXPLAIN_BYTES, (double)last->resident[part]);
    wick_explain_figure(r, "rate", WICK_EXPLAIN_BYTES, rate * 60);
    wick_explain_say(x, r, "why", growers[i].why);
    if (growers[i].things && more > 0) {
        wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, more);
        wick_explain_say(x, r, "things", growers[i].things);
    }
    if (growers[i].made_by)
        wick_explain_say_user(x, r, growers[i].made_by);
    if (part == WICK_MEMORY_MALLOC)
        say_idle(x, r);
    if (part == WICK_MEMORY_METASPACE)
        wick_explain_say_holder(x, r, &x->f->loader_holder);
    if (l) {
        wick_explain_figure(r, "limit", WICK_EXPLAIN_BYTES, (double)l->now.limit);
        wick_explain_figure(r, "left", WICK_EXPLAIN_TIME, (double)left / rate * 1e9);
    }
}

/* By how much the part grew if it does so steadily, else 0. ZGC keeps tables of each page of the heap in malloc's
 * memory: mark bits, and with generations what refers to young objects. What these come to is not counted. */
static double growth_of(const struct wick_explain *x, enum wick_memory_part part, double *rate)
{
    const struct wick_memory_use *u = &x->f->memory;
    bool tables = part == WICK_MEMORY_MALLOC && x->f->zgc;
    double grown = wick_memory_use_steady(u, part, tables ? ZGC_TABLES : 0, rate);
    bool worth =
        grown >= WICK_EXPLAIN_GROWN_LEAST && wick_explain_share(grown, (double)u->resident) >= x->rule->threshold;
    return worth ? grown : 0;
}

/* For threads and class loaders the JVM keeps more elsewhere, which is not worth a sentence of its own. */
void wick_explain_memory_growth(struct wick_explain *x)
{
    double explained = 0;
    for (size_t i = 0; x->f->memory.nseries && i < sizeof growers / sizeof *growers; i++) {
        double rate = 0, grown = growth_of(x, growers[i].part, &rate);
        if (grown <= 0 || (!growers[i].things && grown < COMES_ALONG * explained))
            continue;
        say_growth(x, i, rate, grown);
        if (growers[i].things)
            explained += grown;
    }
}

uint64_t wick_explain_loaders_grown(const struct wick_explain_findings *all)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct wick_explain_finding *r = &all->rows[i];
        bool grows = r->rule == &wick_explain_rules[WICK_EXPLAIN_RULE_MEMORY_GROWTH];
        const struct wick_explain_figure *things = grows ? wick_explain_figure_of(r, "things") : NULL,
                                         *count = grows ? wick_explain_figure_of(r, "count") : NULL;
        if (things && count && !strcmp(things->text, LOADERS))
            return (uint64_t)count->value;
    }
    return 0;
}

/* ---- what stays in the heap ---- */

/* The class that most of the objects are of: a function of the profile, 0 = none. *most gets how many bytes, *variance
 * that of this estimate. */
static uint32_t commonest_class(struct wick_explain_facts *f, const struct wick_explain_sample *rows, size_t n,
                                int64_t *most, double *variance)
{
    const struct wick_profile *p = f->p;
    int64_t *sums = calloc(p->nfunctions, sizeof *sums);
    uint32_t best = 0;
    f->failed |= !sums;
    for (size_t i = 0; sums && i < n; i++) {
        const struct wick_frame *leaf = &p->frames[p->stacks[rows[i].stack].frame];
        if (leaf->kind != WICK_FRAME_OBJECT)
            continue;
        sums[leaf->function] = wick_sum(sums[leaf->function], rows[i].weight_ns);
        if (sums[leaf->function] > sums[best])
            best = leaf->function;
    }
    *most = sums ? sums[best] : 0;
    *variance = 0;
    for (size_t i = 0; best && i < n; i++)
        if (p->frames[p->stacks[rows[i].stack].frame].function == best)
            *variance += rows[i].variance;
    free(sums);
    return best;
}

/* Of those of one class, where most were allocated. */
static void say_site(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_sample *rows,
                     size_t n, uint32_t class)
{
    const struct wick_profile *p = x->f->p;
    struct wick_explain_sample *of = reallocarray(NULL, n + 1, sizeof *of);
    size_t k = 0;
    x->f->failed |= !of;
    for (size_t i = 0; of && i < n; i++)
        if (p->frames[p->stacks[rows[i].stack].frame].function == class)
            of[k++] = rows[i];
    struct wick_explain_top top =
        of ? wick_explain_top(x->f, of, k, true, 0, WICK_EXPLAIN_ALL, WICK_EXPLAIN_JAVA) : (struct wick_explain_top){0};
    wick_explain_say_frame(x, r, "frame", top.frame);
    wick_explain_say_frame(x, r, "caller", top.caller);
    free(of);
}

static void say_class(struct wick_explain *x, struct wick_explain_finding *r, uint32_t class)
{
    wick_explain_say(x, r, "class", wick_profile_str(x->f->p, x->f->p->functions[class].name));
}

/* What one object of the class weighs: of as many as its samples stand for. */
static double size_of_one(const struct wick_profile *p, const struct wick_explain_sample *rows, size_t n,
                          uint32_t class)
{
    double bytes = 0, objects = 0;
    for (size_t i = 0; i < n; i++) {
        double weight = (double)rows[i].weight_ns, size = weight - rows[i].variance / weight;
        if (p->frames[p->stacks[rows[i].stack].frame].function != class || size <= 0)
            continue;
        bytes += weight;
        objects += weight / size;
    }
    return wick_explain_share(bytes, objects);
}

void wick_explain_say_class(struct wick_explain *x, struct wick_explain_finding *r,
                            const struct wick_explain_sample *rows, size_t n, const char *size)
{
    int64_t most;
    double variance;
    uint32_t class = n ? commonest_class(x->f, rows, n, &most, &variance) : 0;
    if (!r || !class)
        return;
    say_class(x, r, class);
    if (size)
        wick_explain_figure(r, size, WICK_EXPLAIN_BYTES, size_of_one(x->f->p, rows, n, class));
    say_site(x, r, rows, n, class);
}

void wick_explain_say_allocations(struct wick_explain *x, struct wick_explain_finding *r)
{
    struct wick_explain_facts *f = x->f;
    int64_t most, all = 0;
    double variance;
    uint32_t class = commonest_class(f, f->alloc, f->nalloc, &most, &variance);
    for (size_t i = 0; i < f->nalloc; i++)
        all = wick_sum(all, f->alloc[i].weight_ns);
    if (!r || !class || wick_explain_share((double)most, (double)all) < WICK_EXPLAIN_WORTH_NAMING)
        return;
    wick_explain_figure(r, "allocated", WICK_EXPLAIN_SHARE, wick_explain_share((double)most, (double)all));
    say_class(x, r, class);
    say_site(x, r, f->alloc, f->nalloc, class);
}

/* Points of the heap's use from which the live size is estimated. */
static size_t heap_points(const struct wick_explain_facts *f, struct wick_trend_point *out)
{
    size_t full = 0, n = 0;
    for (size_t i = 0; i < f->nheaps; i++)
        full += f->heaps[i].full;
    for (size_t i = 0; i < f->nheaps; i++)
        if (!full || f->heaps[i].full)
            out[n++] = (struct wick_trend_point){(double)(f->heaps[i].time_ns - f->heaps[0].time_ns) / 1e9,
                                                 (double)f->heaps[i].used};
    return n;
}

double wick_explain_heap_most(const struct wick_explain_facts *f)
{
    double said = (double)f->memory.part[WICK_MEMORY_HEAP].now.reserved;
    return said > 0 ? said : (double)f->heap_max;
}

bool wick_explain_fills(const struct wick_explain_facts *f, const struct wick_explain_holder *h)
{
    return h->share >= HOLDS && h->bytes >= HOLDS * wick_explain_heap_most(f);
}

void wick_explain_say_holder(struct wick_explain *x, struct wick_explain_finding *r,
                             const struct wick_explain_holder *h)
{
    const char *text = h->said ? h->said : h->read ? wick_profile_str(x->f->p, h->read) : NULL;
    if (text)
        wick_explain_say(x, r, "holder", text);
    if (r && text && wick_explain_fills(x->f, h))
        r->advice = h->soft > 0 ? wick_explain_soft_advice
                                : "keep less there: a bound, an expiry, or weak references; a larger heap (-Xmx) only "
                                  "if all of it is needed";
}

/* How many points there are until the heap is full and stays so, the first full one included. */
static size_t until_full(const struct wick_trend_point *p, size_t n, double heap)
{
    while (n > 1 && p[n - 1].value >= FULL * heap && p[n - 2].value >= FULL * heap)
        n--;
    return n;
}

/* Of the objects that are alive, of which class most are and where those were allocated. */
static void say_alive(struct wick_explain *x, struct wick_explain_finding *r)
{
    struct wick_explain_facts *f = x->f;
    int64_t most;
    double variance;
    uint32_t class = commonest_class(f, f->live, f->nlive, &most, &variance);
    if (!r || !class)
        return;
    struct wick_interval i = wick_interval_95((double)most, variance);
    wick_explain_figure(r, "most", WICK_EXPLAIN_BYTES, (double)most);
    if (variance > 0)
        wick_explain_figure(r, "error", WICK_EXPLAIN_BYTES, (i.high - i.low) / 2);
    say_class(x, r, class);
    say_site(x, r, f->live, f->nlive, class);
}

void wick_explain_live_set(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    double heap = wick_explain_heap_most(f), rate;
    struct wick_trend_point *p = reallocarray(NULL, f->nheaps + 1, sizeof *p);
    size_t all = p ? heap_points(f, p) : 0, n = all ? until_full(p, all, heap) : 0;
    f->failed |= !p;
    bool fires = heap > 0 && n && p[n - 1].value >= x->rule->threshold * heap &&
                 p[n - 1].value - p[0].value >= RISE_LEAST * heap && wick_trend_steady(p, n, &rate);
    if (fires) {
        double used = p[all - 1].value;
        struct wick_explain_finding *r = wick_explain_found(x, used / heap * (double)f->duration_ns);
        wick_explain_figure(r, "from", WICK_EXPLAIN_BYTES, p[0].value);
        wick_explain_figure(r, "used", WICK_EXPLAIN_BYTES, used);
        wick_explain_figure(r, "heap", WICK_EXPLAIN_BYTES, heap);
        say_alive(x, r);
        wick_explain_say_holder(x, r, &f->heap_holder);
    }
    free(p);
}

/* ---- the end ---- */

void wick_explain_oom_killed(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    const struct wick_memory_use *u = &f->memory;
    if (!was_killed(f))
        return;
    struct wick_explain_finding *r = wick_explain_found(x, FIRST * (double)f->duration_ns);
    wick_explain_figure(r, "charged", WICK_EXPLAIN_BYTES, (double)f->memory_charged);
    wick_explain_figure(r, "limit", WICK_EXPLAIN_BYTES, (double)f->memory_limit);
    if (f->kills_since > 0)
        wick_explain_figure(r, "kills", WICK_EXPLAIN_NUMBER, (double)f->kills_since);
    wick_explain_say(x, r, "verdict",
                     f->kills_since > 0 ? "the kernel's OOM killer probably killed this process"
                                        : "if the process ended here, the kernel's OOM killer probably killed it");
    if (!u->moments)
        return;
    enum wick_memory_part part = largest_besides_heap(u);
    wick_explain_figure(r, "resident", WICK_EXPLAIN_BYTES, (double)u->resident);
    wick_explain_figure(r, "heap", WICK_EXPLAIN_BYTES, (double)u->part[WICK_MEMORY_HEAP].now.resident);
    wick_explain_figure(r, "maximum", WICK_EXPLAIN_BYTES, (double)u->part[WICK_MEMORY_HEAP].now.reserved);
    wick_explain_say(x, r, "part", wick_memory_part_name(part));
    wick_explain_figure(r, "size", WICK_EXPLAIN_BYTES, (double)u->part[part].now.resident);
    if (u->part[WICK_MEMORY_HEAP].now.resident > u->part[part].now.resident)
        say_alive(x, r);
}

/* What the JVM says of the heap in such an error. */
static bool is_of_heap(const char *message)
{
    return strstr(message, "heap space") || strstr(message, "GC overhead");
}

bool wick_explain_is_heap_full(const struct wick_explain_facts *f)
{
    for (size_t i = 0; i < f->exhausted.n; i++)
        if (is_of_heap(wick_profile_str(f->p, f->exhausted.rows[i].name)))
            return true;
    return false;
}

/* Whether a thread that had an OutOfMemoryError was seen before, and never again. A sample of a thread that waits
 * stands for all the time from its start on. */
static bool has_ended(const struct wick_explain_facts *f, const struct wick_explain_victim *v)
{
    bool before = false, after = false;
    for (size_t i = 0; i < f->nwall && !(before && after); i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        if (s->thread != v->thread)
            continue;
        before |= s->time_ns <= v->last_ns;
        after |= wick_sum(s->time_ns, s->weight_ns) > v->last_ns + LAST_WORDS_NS;
    }
    return before && !after && f->p->end_ns - v->last_ns >= GONE_NS;
}

/* The thread that had the first error of that message, and whether it and others that had one have ended. */
static void say_victims(struct wick_explain *x, struct wick_explain_finding *r, uint32_t message)
{
    const struct wick_explain_facts *f = x->f;
    const struct wick_explain_victim *first = NULL;
    struct wick_strbuf others = WICK_STRBUF_INIT;
    unsigned ended = 0;
    for (size_t i = 0; i < f->nvictims; i++) {
        const struct wick_explain_victim *v = &f->victims[i];
        const char *name = wick_profile_str(f->p, f->p->threads[v->thread].name);
        bool of_message = v->message == message;
        if (of_message && !first) {
            first = v;
            wick_explain_say(x, r, "thread", name);
            if (has_ended(f, v))
                wick_explain_say(x, r, "fate", "which has ended since, so that nothing does its work any more");
        } else if (of_message && has_ended(f, v) && ended++ < VICTIMS_SHOWN) {
            wick_strbuf_addf(&others, "%s%s", others.len ? ", " : "", name);
        }
    }
    if (ended > VICTIMS_SHOWN)
        wick_strbuf_addf(&others, " and %u more", ended - VICTIMS_SHOWN);
    if (others.len)
        wick_explain_say(x, r, "ended", others.buf);
    if (r && (others.len || (first && has_ended(f, first))))
        r->cost_ns *= 2; /* before one that was survived */
    x->out->failed |= others.failed;
    wick_strbuf_release(&others);
}

void wick_explain_out_of_memory(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->exhausted.n; i++) {
        const struct wick_explain_row *row = &f->exhausted.rows[i];
        const char *message = wick_profile_str(f->p, row->name);
        double threads = (double)f->memory.part[WICK_MEMORY_STACKS].now.count;
        struct wick_explain_finding *r = wick_explain_found(x, (double)f->duration_ns);
        wick_explain_say(x, r, "message", message);
        if (row->sum > 1)
            wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, row->sum);
        say_victims(x, r, row->name);
        if (strstr(message, "thread")) {
            if (threads > 0)
                wick_explain_figure(r, "threads", WICK_EXPLAIN_NUMBER, threads);
            wick_explain_say_user(x, r, "java/lang/Thread");
        }
        if (!is_of_heap(message))
            continue;
        if (f->nheaps)
            wick_explain_figure(r, "used", WICK_EXPLAIN_BYTES,
                                (double)f->heap_used); /* the most: an error's victims leave room */
        if (wick_explain_heap_most(f) > 0)
            wick_explain_figure(r, "heap", WICK_EXPLAIN_BYTES, wick_explain_heap_most(f));
        say_alive(x, r);
        wick_explain_say_holder(x, r, &f->heap_holder);
    }
}

/* The error is thrown by Java code, and not reported. */
void wick_explain_direct_memory(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double share = wick_explain_share((double)f->direct_peak, (double)f->direct_limit);
    if (!f->direct_limit || share < x->rule->threshold || wick_explain_collects_for_buffers(f))
        return; /* explicit-gc says more of the same */
    struct wick_explain_finding *r = wick_explain_found(x, share * (double)f->duration_ns);
    wick_explain_figure(r, "used", WICK_EXPLAIN_BYTES, (double)f->direct_peak);
    wick_explain_figure(r, "limit", WICK_EXPLAIN_BYTES, (double)f->direct_limit);
    if (f->direct_count)
        wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, (double)f->direct_count);
    wick_explain_say_user(x, r, "java/nio/DirectByteBuffer");
    if (r && f->directs >= DIRECTS_LEAST && f->direct_least == f->direct_peak && !wick_explain_seeks_buffers(f)) {
        wick_explain_say(x, r, "steady", "as much all the time"); /* a pool may take what there is, once */
        r->remark = true;
    }
}

void wick_explain_say_stalled(struct wick_explain *x, struct wick_explain_finding *r, bool room, bool pause)
{
    const char *verdict = "the collector frees memory later than it is needed";
    if (room)
        verdict = pause ? "collections stop the program for it, and leave room"
                        : "the collector frees memory more slowly than it is allocated";
    else if (x->f->heap_used && wick_explain_heap_most(x->f) > 0)
        verdict = "much of the heap stays in use";
    wick_explain_say(x, r, "verdict", verdict);
    if (r && room)
        r->advice = pause ? "a larger young generation (-Xmn), or less allocation"
                          : "allocate less, or give the collector more CPU time: more CPUs, fewer threads, "
                            "-XX:ConcGCThreads; a larger heap lets it start earlier";
}
