/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_rules.c - see explain_rules.h
 *
 * One function a rule: it computes the measure, compares it with the rule's threshold, and gives the figures for the
 * sentence. All findings are compared by the time of threads that they cost, so a rule whose measure is a share of the
 * machine or of the recording multiplies it by that.
 */
#include "analysis/explain/explain_int.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "model/name.h"

/* Thread time below these shares of the recording's duration is not worth a sentence. */
#define WAIT_LEAST     0.10
#define CPU_LEAST      0.05
#define STARVE_LEAST   0.25
#define DEOPTS_LEAST   0.10   /* of the CPU time: leaving compiled code */
#define DEOPTS_COURSE  2e9    /* ns that show whether they go on: a command that runs for two seconds only warms up */
#define COMPILED_AGAIN 2.0    /* times that what is thrown away is compiled, by C1 and by C2 */
#define CHAIN_LEAST    0.50   /* of what waits for monitors: at one place */
#define KEPT_MOST      0.70   /* of the heap, in use after collections: else these are for room */
#define CLASSES_MANY   1000.0 /* unloaded a second: collections have hardly anything else to do */

#define USER_LEAST 0.20 /* of the CPU time: worth a name */

enum { NAMED = 3 }; /* neighbours in a sentence */

enum { ALWAYS, BUSY };
enum { TIME, RISK };
const struct wick_explain_rule wick_explain_rules[WICK_EXPLAIN_RULES] = {
#define X(NAME, text, whose, stake, rests, shows, about, gate, least, what, reads, says, helps) \
    {.name = (text),                                                                            \
     .group = WICK_EXPLAIN_OF_##whose,                                                          \
     .basis = WICK_EXPLAIN_BY_##rests,                                                          \
     .risk = (stake) == RISK,                                                                   \
     .view = (shows),                                                                           \
     .topic = (about),                                                                          \
     .busy = (gate) == BUSY,                                                                    \
     .threshold = (least),                                                                      \
     .measure = (what),                                                                         \
     .evidence = (reads),                                                                       \
     .sentence = (says),                                                                        \
     .advice = (helps)},
#include "def/explain.def"
#undef X
};

struct wick_explain_finding *wick_explain_found(struct wick_explain *x, double cost_ns)
{
    struct wick_explain_findings *o = x->out;
    struct wick_explain_finding *rows = wick_explain_room(o->rows, o->n, &o->cap, sizeof *rows);
    if (!rows) {
        o->failed = true;
        return NULL;
    }
    o->rows = rows;
    rows[o->n] = (struct wick_explain_finding){.rule = x->rule, .cost_ns = cost_ns};
    return &rows[o->n++];
}

void wick_explain_figure(struct wick_explain_finding *r, const char *key, enum wick_explain_unit unit, double value)
{
    if (r && r->n < WICK_EXPLAIN_FIGURES)
        r->figures[r->n++] = (struct wick_explain_figure){.key = key, .unit = unit, .value = value};
}

void wick_explain_say(struct wick_explain *x, struct wick_explain_finding *r, const char *key, const char *text)
{
    char *copy = r ? strdup(text) : NULL;
    if (!r || !copy)
        x->out->failed = true;
    else if (r->n < WICK_EXPLAIN_FIGURES)
        r->figures[r->n++] = (struct wick_explain_figure){.key = key, .unit = WICK_EXPLAIN_TEXT, .text = copy};
    else
        free(copy);
}

uint32_t wick_explain_heaviest(struct wick_explain *x,
                               uint32_t (*of)(const struct wick_profile *p, uint32_t stack, const void *arg),
                               const void *arg)
{
    struct wick_explain_facts *f = x->f;
    const struct {
        const struct wick_explain_sample *rows;
        size_t n;
    } lists[] = {{f->cpu, f->ncpu}, {f->wall, f->nwall}};
    int64_t *sums = calloc(f->p->nframes, sizeof *sums);
    uint32_t best = 0;
    f->failed |= !sums;
    for (size_t l = 0; sums && l < sizeof lists / sizeof *lists; l++)
        for (size_t i = 0; i < lists[l].n; i++) {
            uint32_t frame = of(f->p, lists[l].rows[i].stack, arg);
            sums[frame] = frame ? wick_sum(sums[frame], lists[l].rows[i].weight_ns) : 0;
            best = sums[frame] > sums[best] ? frame : best;
        }
    free(sums);
    return best;
}

void wick_explain_say_frame(struct wick_explain *x, struct wick_explain_finding *r, const char *key, uint32_t frame)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    if (frame)
        wick_name_add_frame(&name, x->f->p, frame, WICK_NAME_LINES);
    if (frame)
        wick_explain_say(x, r, key, name.buf);
    wick_strbuf_release(&name);
}

/* Processors that the process used or needed for work. */
static double busy_of(const struct wick_explain_facts *f)
{
    double used = f->got_ns ? (double)f->got_ns : (double)f->sampled_ns;
    if (!f->got_ns) /* the other sources on waiting for a CPU */
        for (uint32_t i = 0; i < f->ttsp.nculprits; i++)
            used += (double)f->ttsp.culprits[i].starved_ns;
    if (!f->got_ns && !f->sampled_ns)
        used += wick_explain_share(f->jvm, (double)f->loads) * (double)(f->cpus ? f->cpus : 1) * (double)f->duration_ns;
    return wick_explain_share(used + (double)f->hungry_delay_ns, (double)f->duration_ns);
}

bool wick_explain_counts(const struct wick_explain_facts *f, double ns, double least)
{
    return ns >= least * (double)f->duration_ns;
}

void wick_explain_say_where(struct wick_explain *x, struct wick_explain_finding *r, uint32_t endpoint)
{
    int64_t p99 = endpoint ? wick_explain_p99(x->f, endpoint) : -1;
    if (r)
        r->endpoint = endpoint;
    wick_explain_filter_endpoint(x, r, endpoint);
    wick_explain_say(x, r, "where",
                     endpoint ? wick_profile_str(x->f->p, endpoint) : "threads of no endpoint, while they have work");
    if (p99 >= 0)
        wick_explain_figure(r, "p99", WICK_EXPLAIN_TIME, (double)p99);
}

void wick_explain_each_endpoint(struct wick_explain *x, void (*rule)(struct wick_explain *x, uint32_t endpoint))
{
    bool *done = calloc(x->f->p->nstrings, sizeof *done);
    if (!done)
        x->out->failed = true;
    for (size_t i = 0; done && i < x->f->nwall; i++) {
        uint32_t endpoint = x->f->wall[i].endpoint;
        if (!done[endpoint])
            rule(x, endpoint);
        done[endpoint] = true;
    }
    free(done);
}

static double a_second(const struct wick_explain_facts *f, double count)
{
    return wick_explain_share(count * 1e9, (double)f->duration_ns);
}

bool wick_explain_unloads(const struct wick_explain_facts *f)
{
    return a_second(f, (double)f->unloaded.grown) >= wick_explain_rules[WICK_EXPLAIN_RULE_CLASS_UNLOADING].threshold;
}

/* Whether that much of the time in which threads needed a CPU is enough to be called starvation. */
static bool starves(const struct wick_explain_facts *f, double delay)
{
    double runnable = (double)f->hungry_got_ns + (double)f->hungry_delay_ns;
    return wick_explain_counts(f, delay, STARVE_LEAST) &&
           wick_explain_share(delay, runnable) >= wick_explain_rules[WICK_EXPLAIN_RULE_CPU_STARVATION].threshold;
}

/* Waiting for a CPU in periods in which the CPU limit did not stop the cgroup. In the others it got all it may have, so
 * nobody took anything from it. */
static double delay_by_others(const struct wick_explain_facts *f)
{
    return (double)f->hungry_delay_ns * (1 - wick_explain_limited(f));
}

/* The endpoint that waited longest in a state, 0 = none. */
static uint32_t most_waiting(const struct wick_explain_facts *f, enum wick_explain_state state)
{
    int64_t *sums = calloc(f->p->nstrings, sizeof *sums);
    uint32_t most = 0;
    for (size_t i = 0; sums && i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        if (s->state != state || !s->endpoint)
            continue;
        sums[s->endpoint] = wick_sum(sums[s->endpoint], s->weight_ns);
        most = sums[s->endpoint] > sums[most] ? s->endpoint : most;
    }
    free(sums);
    return most;
}

static void cpu_starvation(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double delay = (double)f->hungry_delay_ns, runnable = (double)f->hungry_got_ns + delay;
    if (!starves(f, delay) || x->crowd_said)
        return;
    struct wick_explain_finding *r = wick_explain_found(x, x->out->parts.starved_ns);
    wick_explain_filter_state(x, r, WICK_EXPLAIN_WAITING_FOR_CPU);
    wick_explain_figure(r, "threads", WICK_EXPLAIN_NUMBER, runnable / (double)f->duration_ns);
    wick_explain_figure(r, "got", WICK_EXPLAIN_NUMBER, (double)f->hungry_got_ns / (double)f->duration_ns);
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, delay / runnable);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, delay);
    uint32_t endpoint = most_waiting(f, WICK_EXPLAIN_WAITING_FOR_CPU);
    if (!endpoint)
        return;
    wick_explain_say(x, r, "where", wick_profile_str(f->p, endpoint));
    wick_explain_figure(
        r, "of", WICK_EXPLAIN_SHARE,
        wick_explain_share((double)wick_explain_wall(f, false, endpoint, 1 << WICK_EXPLAIN_WAITING_FOR_CPU),
                           (double)wick_explain_wall(f, false, endpoint, WICK_EXPLAIN_ALL)));
}

static int by_use(const void *a, const void *b)
{
    const struct wick_explain_neighbour *x = a, *y = b;
    return x->cpu_ns != y->cpu_ns ? (x->cpu_ns > y->cpu_ns ? -1 : 1) : (x->name > y->name) - (x->name < y->name);
}

/* "java app.Main (pid 12, 1.5 CPUs), cc1 (several, 0.3 CPUs)", those that used most. */
static void say_neighbours(struct wick_explain *x, struct wick_explain_finding *r)
{
    struct wick_explain_facts *f = x->f;
    struct wick_strbuf who = WICK_STRBUF_INIT;
    if (f->nneighbours)
        qsort(f->neighbours, f->nneighbours, sizeof *f->neighbours, by_use);
    for (size_t i = 0; i < f->nneighbours && i < NAMED; i++) {
        const struct wick_explain_neighbour *n = &f->neighbours[i];
        wick_strbuf_addf(&who, "%s%s (", i ? ", " : "", wick_profile_str(f->p, n->name));
        if (n->several)
            wick_strbuf_adds(&who, "several");
        else
            wick_strbuf_addf(&who, "pid %" PRId64, n->pid);
        wick_strbuf_addf(&who, ", %.2f CPUs)", wick_explain_share((double)n->cpu_ns, (double)f->duration_ns));
    }
    if (who.len)
        wick_explain_say(x, r, "who", who.buf);
    wick_strbuf_release(&who);
}

static void neighbours(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double others = wick_explain_others(f), delay = delay_by_others(f);
    if (others < x->rule->threshold || !f->allowed || !starves(f, delay))
        return;
    /* they cannot take more from us than they use, nor more than we lack */
    double taken = others * (double)f->allowed * (double)f->duration_ns, lost = x->out->parts.starved_ns;
    lost = lost < delay ? lost : delay;
    struct wick_explain_finding *r = wick_explain_found(x, taken < lost ? taken : lost);
    wick_explain_filter_state(x, r, WICK_EXPLAIN_WAITING_FOR_CPU);
    wick_explain_figure(r, "others", WICK_EXPLAIN_NUMBER, others * (double)f->allowed);
    wick_explain_figure(r, "cpus", WICK_EXPLAIN_NUMBER, (double)f->allowed);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, delay);
    say_neighbours(x, r);
}

/* What most of the CPU time goes to. */
static void say_who_computes(struct wick_explain *x, struct wick_explain_finding *r)
{
    struct wick_explain_facts *f = x->f;
    struct wick_explain_top top = wick_explain_top(f, f->cpu, f->ncpu, true, 0, WICK_EXPLAIN_ALL, WICK_EXPLAIN_JAVA);
    double collector = wick_explain_share((double)f->gc_ns, (double)f->got_ns),
           method = wick_explain_share((double)top.weight_ns, (double)f->sampled_ns);
    if (collector < USER_LEAST && (method < USER_LEAST || !top.frame))
        return;
    bool gc = collector >= method;
    wick_explain_figure(r, "used", WICK_EXPLAIN_SHARE, gc ? collector : method);
    if (gc) {
        wick_explain_say(x, r, "user", "threads of the collector");
        return;
    }
    wick_explain_say_frame(x, r, "user", top.frame);
    wick_explain_say_frame(x, r, "caller", top.caller);
}

static void cpu_limit(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double share = wick_explain_limited(f);
    if (share < x->rule->threshold)
        return;
    /* threads wait longer than the cgroup was stopped: in those periods they share what it may have */
    double delay = share * (double)f->hungry_delay_ns, stopped = (double)f->throttled_ns.grown;
    struct wick_explain_finding *r = wick_explain_found(x, delay > stopped ? delay : stopped);
    wick_explain_filter_state(x, r, WICK_EXPLAIN_WAITING_FOR_CPU);
    if (f->cpu_limit > 0)
        wick_explain_figure(r, "limit", WICK_EXPLAIN_NUMBER, f->cpu_limit);
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, share);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)f->throttled_ns.grown);
    say_who_computes(x, r);
}

/* Time in some states, but for what other rules have said, as a share of the time threads have work, and where most of
 * it was; NULL below the threshold. */
static struct wick_explain_finding *waits(struct wick_explain *x, unsigned states, double said_ns)
{
    struct wick_explain_facts *f = x->f;
    struct wick_explain_top most;
    double waited = (double)wick_explain_wall(f, true, 0, states) - said_ns;
    double work = (double)wick_explain_wall(f, true, 0, WICK_EXPLAIN_WORK);
    if (wick_explain_share(waited, work) < x->rule->threshold || !wick_explain_counts(f, waited, WAIT_LEAST))
        return NULL;
    most = wick_explain_top(f, f->wall, f->nwall, true, 0, states, WICK_EXPLAIN_JAVA);
    wick_explain_top_of_caller(f, states, WICK_EXPLAIN_JAVA, &most);
    struct wick_explain_finding *r = wick_explain_found(x, waited);
    for (unsigned s = 0; s < WICK_EXPLAIN_STATES; s++)
        if (states == 1u << s)
            wick_explain_filter_state(x, r, (enum wick_explain_state)s);
    wick_explain_share_of(x, r, waited, work, wick_explain_quanta(f, true, 0, states));
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, waited);
    uint32_t caller =
        !wick_explain_is_program(f->p, most.frame) && wick_explain_is_program(f->p, most.caller) ? most.caller : 0;
    wick_explain_say_frame(x, r, "frame", caller ? caller : most.frame);
    wick_explain_figure(r, "most", WICK_EXPLAIN_TIME, (double)(caller ? most.caller_ns : most.weight_ns));
    if (caller)
        wick_explain_say_frame(x, r, "callee", most.frame);
    else
        wick_explain_say_frame(x, r, "caller", most.caller);
    return r;
}

/* Waiting for monitors by threads in which no code of the program runs, if threads lack CPUs for as long: the holder of
 * such a monitor of the JDK most likely does. */
static double monitors_of_the_machine(const struct wick_explain *x)
{
    double sum = 0;
    for (size_t i = 0; i < x->f->nwall; i++)
        if (x->f->wall[i].state == WICK_EXPLAIN_MONITOR && !x->waits[i].stack)
            sum += (double)x->f->wall[i].weight_ns;
    return sum <= (double)wick_explain_without_cpu(x) ? sum : 0;
}

/* Whether most of what waits for monitors waits for those of class loaders, below the same function as the code. */
static bool is_for_classes(const struct wick_explain_finding *r, const struct wick_explain_finding *coded)
{
    const struct wick_explain_figure *callee = wick_explain_figure_of(r, "callee"),
                                     *kind = wick_explain_figure_of(coded, "kind"),
                                     *most = wick_explain_figure_of(r, "most"),
                                     *all = wick_explain_figure_of(r, "time");
    return callee && strstr(callee->text, "ClassLoader") && kind && !strncmp(kind->text, "class-", 6) && most && all &&
           most->value >= CHAIN_LEAST * all->value && wick_explain_same_function(r, coded);
}

/* The lock of a class loader that is waited for in the function which has classes looked up for nothing is taken for
 * that. */
static void lock_contention(struct wick_explain *x)
{
    struct wick_explain_finding *r =
        waits(x, 1 << WICK_EXPLAIN_MONITOR, x->monitors_said_ns + monitors_of_the_machine(x));
    struct wick_explain_finding *coded = x->coded.needless ? &x->out->rows[x->coded.finding] : NULL;
    if (!r || !coded || x->monitors_said_ns > 0 || !is_for_classes(r, coded))
        return;
    double before = wick_explain_rank_of(coded);
    r->led_to = true;
    r->rank_ns = coded->cost_ns < r->cost_ns ? coded->cost_ns : 0;
    coded->rank_ns = before < r->cost_ns ? r->cost_ns : coded->rank_ns;
}

static void disk_wait(struct wick_explain *x)
{
    struct wick_explain_finding *r = waits(x, 1 << WICK_EXPLAIN_DISK, x->disks_said_ns);
    double pressure = wick_explain_share((double)x->f->io_some_ns.grown, (double)x->f->duration_ns);
    if (r && pressure > 0)
        wick_explain_figure(r, "pressure", WICK_EXPLAIN_SHARE, pressure);
}

static void endpoint_wait(struct wick_explain *x)
{
    wick_explain_each_endpoint(x, wick_explain_waits_of_endpoint);
}

static void endpoint_cpu(struct wick_explain *x)
{
    if (!x->code_said && !x->method_said && !x->calls_said)
        wick_explain_each_endpoint(x, wick_explain_endpoint_cpu);
}

/* Requests of virtual threads that wait and were not found by the wall clock: their spans have their time. */
static void unmounted_wait(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->nunmounted; i++) {
        const struct wick_explain_unmounted *u = &f->unmounted[i];
        double waited = (double)u->ns,
               all = waited + (double)wick_explain_wall(f, false, u->endpoint, WICK_EXPLAIN_ALL);
        if (wick_explain_share(waited, all) < x->rule->threshold || !wick_explain_counts(f, waited, WAIT_LEAST))
            continue;
        struct wick_explain_finding *r = wick_explain_found(x, waited);
        wick_explain_say_where(x, r, u->endpoint);
        wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, wick_explain_share(waited, all));
        wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, waited);
    }
}

/* A share of something that costs time: the form of most rules about shares. */
struct wick_explain_finding *wick_explain_by_share(struct wick_explain *x, double part_ns, double whole_ns,
                                                   double cost_ns)
{
    return wick_explain_by_share_from(x, part_ns, whole_ns, cost_ns, x->rule->threshold);
}

struct wick_explain_finding *wick_explain_by_share_from(struct wick_explain *x, double part_ns, double whole_ns,
                                                        double cost_ns, double least)
{
    double share = wick_explain_share(part_ns, whole_ns);
    if (share < least)
        return NULL;
    struct wick_explain_finding *r = wick_explain_found(x, cost_ns);
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, share);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, part_ns);
    return r;
}

static void code_cache(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    if (f->code_fullest < x->rule->threshold && !f->off_ns)
        return;
    struct wick_explain_finding *r = wick_explain_found(x, (double)f->off_ns);
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, f->code_fullest);
    wick_explain_figure(r, "used", WICK_EXPLAIN_BYTES, (double)f->code_used);
    wick_explain_figure(r, "limit", WICK_EXPLAIN_BYTES, (double)f->code_limit);
    if (f->off_ns)
        wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)f->off_ns);
}

static void compile_queue(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    if (starves(f, (double)f->hungry_delay_ns)) /* compilers wait for a CPU as everything else does */
        return;
    for (size_t i = 0; i < f->queues.n; i++) {
        const struct wick_explain_row *q = &f->queues.rows[i];
        double waited = wick_explain_share(q->sum, q->events);
        if (waited < x->rule->threshold)
            continue;
        struct wick_explain_finding *r = wick_explain_found(x, (double)f->compile_ns.grown);
        wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, waited);
        wick_explain_say(x, r, "compiler", wick_profile_str(f->p, q->name));
        wick_explain_figure(r, "peak", WICK_EXPLAIN_NUMBER, (double)q->peak);
        if (!f->long_ns)
            continue;
        wick_explain_say(x, r, "method", wick_profile_str(f->p, f->long_method));
        wick_explain_figure(r, "longest", WICK_EXPLAIN_TIME, (double)f->long_ns);
    }
}

/* The reason that most deoptimisations had. */
static void main_reason(struct wick_explain *x, struct wick_explain_finding *r)
{
    const struct wick_explain_rows *reasons = &x->f->reasons;
    const struct wick_explain_row *most = NULL;
    double all = 0;
    for (size_t i = 0; i < reasons->n; i++) {
        all += reasons->rows[i].sum;
        most = !most || reasons->rows[i].sum > most->sum ? &reasons->rows[i] : most;
    }
    if (!most || !(most->sum > 0))
        return;
    wick_explain_say(x, r, "reason", wick_profile_str(x->f->p, most->name));
    wick_explain_figure(r, "of", WICK_EXPLAIN_SHARE, most->sum / all);
}

/* Whether so many a second go on: in most of the time from the last reading in the first half of the recording on, each
 * reading for itself. While a program warms up they become fewer, and hundreds at once when one assumption of much code
 * fails are over with that. */
static bool deopts_go_on(const struct wick_explain_facts *f, double least)
{
    if (f->ndeopts_then < 2) /* no course is known */
        return a_second(f, (double)f->deopts.grown) >= least;
    const struct wick_explain_reading *all = f->deopts_then, *at = all, *last = all + f->ndeopts_then - 1;
    for (const struct wick_explain_reading *r = all; r < last && r->covered_ns <= last->covered_ns - r->covered_ns;)
        at = r++;
    double often = 0, whole = (double)(last->covered_ns - at->covered_ns);
    if (whole < DEOPTS_COURSE)
        return false;
    for (; at < last; at++) {
        double ns = (double)(at[1].covered_ns - at->covered_ns);
        often += (double)(at[1].grown - at->grown) * 1e9 >= least * ns ? ns : 0;
    }
    return often > whole / 2;
}

static void deoptimisations(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    /* the JVM takes the time of compilations by the clock, which a crowded machine makes longer */
    double rate = a_second(f, (double)f->deopts.grown), used = wick_explain_compiled(f);
    double compiled = used > 0 && used < (double)f->compile_ns.grown ? used : (double)f->compile_ns.grown;
    double again = COMPILED_AGAIN * (double)f->deopts.grown, all = (double)f->compiles.grown;
    compiled *= all > again ? again / all : 1; /* of a program that warms up, most is compiled for the first time */
    double lost = wick_explain_deoptimising(x), share = wick_explain_share(lost, (double)f->sampled_ns);
    bool leaves = share >= DEOPTS_LEAST && wick_explain_counts(f, wick_explain_wanted(x, lost), CPU_LEAST);
    bool costs = leaves || !f->compile_ns.grown || wick_explain_counts(f, compiled, CPU_LEAST);
    if (rate < x->rule->threshold || !deopts_go_on(f, x->rule->threshold) || !costs)
        return;
    struct wick_explain_finding *r = wick_explain_found(x, leaves && lost > compiled ? lost : compiled);
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, (double)f->deopts.grown);
    wick_explain_figure(r, "rate", WICK_EXPLAIN_NUMBER, rate);
    main_reason(x, r);
    wick_explain_say_frame(x, r, "frame", wick_explain_deoptimised(x));
    if (f->compile_ns.grown)
        wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, compiled);
    if (leaves)
        wick_explain_figure(r, "lost", WICK_EXPLAIN_SHARE, share);
}

/* The last finding, before what collections cost: each of them goes through all that was loaded since the last one. */
static void put_before_pauses(struct wick_explain *x)
{
    struct wick_explain_finding *r = x->out->n ? &x->out->rows[x->out->n - 1] : NULL;
    for (size_t i = 0; r && i + 1 < x->out->n; i++) {
        const struct wick_explain_finding *o = &x->out->rows[i];
        bool cost = o->rule == &wick_explain_rules[WICK_EXPLAIN_RULE_GC_PAUSES] ||
                    o->rule == &wick_explain_rules[WICK_EXPLAIN_RULE_GC_CPU];
        if (cost && wick_explain_rank_of(o) >= wick_explain_rank_of(r))
            r->rank_ns = nextafter(wick_explain_rank_of(o), INFINITY);
    }
}

static void class_unloading(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double rate = a_second(f, (double)f->unloaded.grown);
    if (!wick_explain_unloads(f))
        return;
    struct wick_explain_finding *r = wick_explain_found(x, (double)f->pauses_ns);
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, (double)f->unloaded.grown);
    wick_explain_figure(r, "rate", WICK_EXPLAIN_NUMBER, rate);
    wick_explain_figure(r, "loaded", WICK_EXPLAIN_NUMBER, (double)f->loaded.grown);
    wick_explain_say_defining(x, r);
    if (rate >= CLASSES_MANY && wick_explain_heap_kept(f) < KEPT_MOST)
        put_before_pauses(x);
}

/* The VM thread in a handshake waits for each thread to do its part, also while that has no CPU; others go on. */
static bool waits_for_starved(const struct wick_explain_facts *f, const struct wick_explain_row *operation)
{
    return !strcmp(wick_profile_str(f->p, operation->name), "HandshakeAllThreads") &&
           starves(f, (double)f->hungry_delay_ns);
}

/* Of the time in which the VM thread could run, that in which it had a CPU; 1 = not known. */
static double vm_thread_got(const struct wick_explain_facts *f)
{
    const struct wick_explain_use *vm = wick_explain_vm_thread(f);
    return vm ? (double)vm->cpu_ns / ((double)vm->cpu_ns + (double)vm->delay_ns) : 1;
}

static void vm_operations(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double got = vm_thread_got(f); /* without a CPU an operation takes longer, which is no fault of its own */
    for (size_t i = 0; i < f->operations.n; i++) {
        const struct wick_explain_row *o = &f->operations.rows[i];
        if (waits_for_starved(f, o))
            continue;
        if (o->sum * got < x->rule->threshold * (double)f->duration_ns)
            continue;
        struct wick_explain_finding *r = wick_explain_by_share(x, o->sum, (double)f->duration_ns, o->sum);
        if (!r)
            continue;
        wick_explain_say(x, r, "operation", wick_profile_str(f->p, o->name));
        wick_explain_say_who_asks(x, r, o);
    }
}

static void steal(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double share = wick_explain_share(f->steal, (double)f->machines),
           machine = (double)f->duration_ns * (double)(f->cpus ? f->cpus : 1);
    wick_explain_by_share(x, share * machine, machine, share * machine);
}

static void biased(struct wick_explain *x)
{
    wick_explain_by_share(x, (double)x->f->biased_ns.grown, (double)x->f->sampled_ns, 0);
}

static void unsampled(struct wick_explain *x)
{
    double missing = (double)x->f->unsampled_ns;
    if (!x->f->ncpu && x->f->nother) /* nothing was to stand for CPU time */
        return;
    wick_explain_by_share(x, missing, missing + (double)x->f->sampled_ns, 0);
}

static void lost(struct wick_explain *x)
{
    struct wick_explain_finding *r =
        wick_explain_by_share(x, (double)x->f->dropped.grown, (double)x->f->fired.grown, 0);
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, (double)x->f->dropped.grown);
}

static void forget_waits(struct wick_explain *x)
{
    free(x->waits);
    free(x->at_stacks);
    free(x->at_known);
    free(x->syncs);
    free(x->ran);
    free(x->stuck);
    free(x->pressed);
    free(x->enters);
    free(x->courses);
    free(x->jams);
    free(x->holds_back);
}

static void (*const rules[WICK_EXPLAIN_RULES])(struct wick_explain *x) = {
    [WICK_EXPLAIN_RULE_ALLOCATION_STALL] = wick_explain_allocation_stall,
    [WICK_EXPLAIN_RULE_CPU_STARVATION] = cpu_starvation,
    [WICK_EXPLAIN_RULE_TOO_MANY_THREADS] = wick_explain_too_many,
    [WICK_EXPLAIN_RULE_SATURATED_THREAD] = wick_explain_saturated,
    [WICK_EXPLAIN_RULE_NEIGHBOURS] = neighbours,
    [WICK_EXPLAIN_RULE_CROWDED_OUT] = wick_explain_crowded_out,
    [WICK_EXPLAIN_RULE_STARVED_PEER] = wick_explain_starved_peer,
    [WICK_EXPLAIN_RULE_THROTTLED] = wick_explain_throttled,
    [WICK_EXPLAIN_RULE_OOM_VICTIM] = wick_explain_oom_victim,
    [WICK_EXPLAIN_RULE_CPU_LIMIT] = cpu_limit,
    [WICK_EXPLAIN_RULE_CACHE_MISSES] = wick_explain_cache_misses,
    [WICK_EXPLAIN_RULE_HOT_METHOD] = wick_explain_hot_method,
    [WICK_EXPLAIN_RULE_HOT_CALLS] = wick_explain_hot_calls,
    [WICK_EXPLAIN_RULE_HOT_CODE] = wick_explain_hot_code,
    [WICK_EXPLAIN_RULE_STUCK] = wick_explain_stuck,
    [WICK_EXPLAIN_RULE_POOL_BUSY] = wick_explain_pool_busy,
    [WICK_EXPLAIN_RULE_GROWING_QUEUE] = wick_explain_queue_grows,
    [WICK_EXPLAIN_RULE_CANCELLED_TASKS] = wick_explain_cancelled,
    [WICK_EXPLAIN_RULE_LISTEN_OVERFLOW] = wick_explain_listen_overflow,
    [WICK_EXPLAIN_RULE_SLOW_ACCEPT] = wick_explain_slow_accept,
    [WICK_EXPLAIN_RULE_HELD_BACK] = wick_explain_held_back,
    [WICK_EXPLAIN_RULE_WAITING] = wick_explain_waiting,
    [WICK_EXPLAIN_RULE_BLOCKED_LOOP] = wick_explain_blocked_loop,
    [WICK_EXPLAIN_RULE_LOCK_CONTENTION] = lock_contention,
    [WICK_EXPLAIN_RULE_ENDPOINT_WAIT] = endpoint_wait,
    [WICK_EXPLAIN_RULE_UNMOUNTED_WAIT] = unmounted_wait,
    [WICK_EXPLAIN_RULE_ENDPOINT_CPU] = endpoint_cpu,
    [WICK_EXPLAIN_RULE_UNSTARTED] = wick_explain_unstarted,
    [WICK_EXPLAIN_RULE_HTTP_CLIENTS] = wick_explain_http_clients,
    [WICK_EXPLAIN_RULE_EXPLICIT_GC] = wick_explain_explicit_gc,
    [WICK_EXPLAIN_RULE_JVM_OPTION] = wick_explain_jvm_options,
    [WICK_EXPLAIN_RULE_BLOCKED_SCHEDULER] = wick_explain_blocked_scheduler,
    [WICK_EXPLAIN_RULE_GC_PAUSES] = wick_explain_gc_pauses,
    [WICK_EXPLAIN_RULE_STARVED_COLLECTIONS] = wick_explain_starved_collections,
    [WICK_EXPLAIN_RULE_GC_THREADS] = wick_explain_gc_threads,
    [WICK_EXPLAIN_RULE_GC_CPU] = wick_explain_gc_cpu,
    [WICK_EXPLAIN_RULE_CODE_CACHE] = code_cache,
    [WICK_EXPLAIN_RULE_COMPILE_QUEUE] = compile_queue,
    [WICK_EXPLAIN_RULE_DEOPTIMIZATIONS] = deoptimisations,
    [WICK_EXPLAIN_RULE_CLASS_UNLOADING] = class_unloading,
    [WICK_EXPLAIN_RULE_VM_OPERATIONS] = vm_operations,
    [WICK_EXPLAIN_RULE_LATE_SAFEPOINTS] = wick_explain_late_safepoints,
    [WICK_EXPLAIN_RULE_STARVED_SAFEPOINTS] = wick_explain_starved_safepoints,
    [WICK_EXPLAIN_RULE_SLOW_SAFEPOINTS] = wick_explain_slow_safepoints,
    [WICK_EXPLAIN_RULE_MEMORY_LIMIT] = wick_explain_memory_limit,
    [WICK_EXPLAIN_RULE_OOM_KILLED] = wick_explain_oom_killed,
    [WICK_EXPLAIN_RULE_OUT_OF_MEMORY] = wick_explain_out_of_memory,
    [WICK_EXPLAIN_RULE_DIRECT_MEMORY] = wick_explain_direct_memory,
    [WICK_EXPLAIN_RULE_HEAP_LIMIT] = wick_explain_heap_limit,
    [WICK_EXPLAIN_RULE_PAGE_CACHE] = wick_explain_page_cache,
    [WICK_EXPLAIN_RULE_MEMORY_GROWTH] = wick_explain_memory_growth,
    [WICK_EXPLAIN_RULE_NATIVE_LEAK] = wick_explain_native_leak,
    [WICK_EXPLAIN_RULE_LIVE_SET] = wick_explain_live_set,
    [WICK_EXPLAIN_RULE_HUMONGOUS] = wick_explain_humongous,
    [WICK_EXPLAIN_RULE_PROMOTION] = wick_explain_promotion,
    [WICK_EXPLAIN_RULE_OVERSIZED_HEAP] = wick_explain_oversized,
    [WICK_EXPLAIN_RULE_CLEANERS] = wick_explain_cleaners,
    [WICK_EXPLAIN_RULE_MEMORY_PRESSURE] = wick_explain_memory_pressure,
    [WICK_EXPLAIN_RULE_DISK_WAIT] = disk_wait,
    [WICK_EXPLAIN_RULE_STEAL] = steal,
    [WICK_EXPLAIN_RULE_BIASED] = biased,
    [WICK_EXPLAIN_RULE_UNSAMPLED] = unsampled,
    [WICK_EXPLAIN_RULE_LOST] = lost,
};

int wick_explain_apply(struct wick_explain_findings *out, struct wick_explain_facts *f, struct wick_err *err)
{
    struct wick_explain x = {.f = f, .out = out};
    bool known = f->got_ns || f->sampled_ns || f->loads; /* whether the recording says how busy it was */
    bool busy = !known || busy_of(f) >= WICK_EXPLAIN_BUSY;
    *out = (struct wick_explain_findings){.idle = known && busy_of(f) < WICK_EXPLAIN_IDLE, .busy = busy_of(f)};
    f->failed |= !wick_explain_learn_waits(&x);
    if (!f->failed) {
        wick_explain_learn_collectors(&x);
        wick_explain_learn_parts(&x);
        wick_explain_learn_accounts(&x);
    }
    for (unsigned i = 0; i < WICK_EXPLAIN_RULES && !f->failed; i++) {
        x.rule = &wick_explain_rules[i];
        if (busy || !x.rule->busy)
            rules[i](&x);
    }
    if (!f->failed && !out->failed)
        wick_explain_garbage(&x);
    forget_waits(&x);
    wick_explain_learn_neutral(f, out);
    wick_explain_rank(out);
    for (size_t i = 0; i < out->n; i++)
        wick_explain_learn_when(f, &out->rows[i]);
    if (out->failed || f->failed)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    return 0;
}

void wick_explain_finding_release(struct wick_explain_finding *r)
{
    for (unsigned k = 0; k < r->n; k++)
        free(r->figures[k].text);
    for (unsigned k = 0; k < r->nfilters; k++)
        free(r->filters[k].value);
    for (unsigned k = 0; k < r->nsteps; k++)
        free(r->steps[k].frame);
}

void wick_explain_findings_release(struct wick_explain_findings *out)
{
    for (size_t i = 0; i < out->n + out->undecided; i++)
        wick_explain_finding_release(&out->rows[i]);
    free(out->accounts);
    free(out->rows);
    *out = (struct wick_explain_findings){0};
}
