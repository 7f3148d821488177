/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_threads.c - the rules of `wick explain` about how the program's threads use the CPUs: one that has all the
 * work, more than there are CPUs; and where compiled code is lost
 *
 * What a thread needs is what the kernel counted of it: time on a CPU and time ready to run without one. So a thread
 * that has work all the time is known as such even on a crowded machine, where it gets little of it.
 *
 * One thread with all the work is a bottleneck only where somebody waits for that work: other threads wait for futures,
 * latches or room in queues, or the thread takes its work from others by what it is, an event loop or the only worker
 * of a pool. A batch that computes in one thread has neither.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/name.h"

#define ALL_CPUS    0.75 /* of the CPUs: carriers compute */
#define HALF        0.50 /* of the time: a thread with as much work shares it with another one */
#define READY_LEAST 0.80 /* of the time ready to run */
#define CROWD_LEAST 8.0  /* threads */
#define WAIT_LEAST  0.50 /* threads that wait, on average */
#define TAKEN_LEAST 0.80 /* of the CPUs: the process has them, so that another thread would have none */
#define PLACE_LEAST 0.90 /* of these: at one place, whose waits have the same length */
#define MOST_LEAST  0.20 /* of a thread's CPU time: worth a name */

#define CLIENTS_KNOWN INT64_C(1000000000) /* ns: threads that are there already are seen within */
#define CLIENTS_LEAST 20.0
#define LATER_LEAST   0.25 /* of them: in the second half, so that it goes on */
#define COMM_LEN      15   /* bytes of a thread's name that the kernel has */

static double need_of(const struct wick_explain_facts *f, size_t thread)
{
    if (thread >= f->nuses)
        return 0;
    return wick_explain_share((double)wick_sum(f->uses[thread].cpu_ns, f->uses[thread].delay_ns),
                              (double)f->duration_ns);
}

/* Of the time in which it could run, that in which it had a CPU. */
static double got_of(const struct wick_explain_facts *f, size_t thread)
{
    const struct wick_explain_use *u = &f->uses[thread];
    return wick_explain_share((double)u->cpu_ns, (double)wick_sum(u->cpu_ns, u->delay_ns));
}

double wick_explain_cpus(const struct wick_explain_facts *f)
{
    double cpus = (double)(f->allowed ? f->allowed : f->cpus);
    return f->cpu_limit > 0 && (f->cpu_limit < cpus || cpus <= 0) ? f->cpu_limit : cpus;
}

bool wick_explain_has_java(const struct wick_profile *p, uint32_t stack)
{
    for (; stack; stack = p->stacks[stack].parent)
        if (wick_frame_kind_is_java(p->frames[p->stacks[stack].frame].kind))
            return true;
    return false;
}

/* By thread: whether it runs Java code, so is none of the JVM's or the profiler's own. The caller frees it. */
static bool *java_threads(const struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    bool *java = calloc(f->p->nthreads + 1, sizeof *java);
    for (size_t i = 0; java && i < f->ncpu; i++)
        java[f->cpu[i].thread] |= wick_explain_has_java(f->p, f->cpu[i].stack);
    x->f->failed |= !java;
    if (java)
        java[0] = false;
    return java;
}

/* ---- what a thread does ---- */

uint32_t wick_explain_pool_name(struct wick_profile *p, uint32_t thread)
{
    const char *name = wick_profile_str(p, p->threads[thread].name);
    char common[128];
    size_t len = strlen(name);
    while (len && name[len - 1] >= '0' && name[len - 1] <= '9')
        len--;
    while (len && strchr("-_# .", name[len - 1]))
        len--;
    if (!len || len >= sizeof common)
        return p->threads[thread].name;
    memcpy(common, name, len);
    common[len] = 0;
    return wick_profile_cstring(p, common);
}

struct work {
    uint32_t frame;  /* the program's, with most CPU time; 0 = none stands out */
    uint32_t caller; /* the program's other function that calls it there, 0 = none */
    int64_t ns;
};

/* The program's function that calls the one at the end of the stack: a comparison or a hash is made for somebody. */
static uint32_t caller_of(const struct wick_profile *p, uint32_t stack)
{
    uint32_t function = p->frames[p->stacks[stack].frame].function;
    for (uint32_t s = p->stacks[stack].parent; s; s = p->stacks[s].parent) {
        const struct wick_frame *frame = &p->frames[p->stacks[s].frame];
        const char *class_name = wick_profile_str(p, p->functions[frame->function].class_name);
        if (wick_frame_kind_is_java(frame->kind) && frame->function != function && !wick_name_is_jdk(class_name))
            return p->stacks[s].frame;
    }
    return 0;
}

/* Where the threads that `of` has, by thread, use their CPU time. */
static struct work work_of(const struct wick_explain *x, const bool *of)
{
    const struct wick_explain_facts *f = x->f;
    int64_t *sums = calloc(f->p->nframes, sizeof *sums), all = 0;
    struct work w = {0};
    x->f->failed |= !sums;
    for (size_t i = 0; sums && i < f->ncpu; i++) {
        if (!of[f->cpu[i].thread])
            continue;
        all = wick_sum(all, f->cpu[i].weight_ns);
        uint32_t s = wick_explain_wait_at(x, f->cpu[i].stack).stack, frame = s ? f->p->stacks[s].frame : 0;
        sums[frame] = wick_sum(sums[frame], f->cpu[i].weight_ns);
        if (frame && sums[frame] > w.ns)
            w = (struct work){frame, caller_of(f->p, s), sums[frame]};
    }
    free(sums);
    return wick_explain_share((double)w.ns, (double)all) >= MOST_LEAST ? w : (struct work){0};
}

/* ---- one thread has all the work ---- */

/* Whether it takes work from others by what it is: an event loop, or the only worker of a pool. */
static bool serves(const struct wick_explain *x, uint32_t thread)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t pool = wick_explain_pool_name(f->p, thread);
    bool loop = false, worker = false, alone = true;
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        bool works = wick_wait_is_worker(f->p, s->stack);
        if (s->thread == thread) {
            loop |= x->waits[i].kind == WICK_WAIT_EVENT;
            worker |= works;
        } else if (works && wick_explain_pool_name(f->p, s->thread) == pool) {
            alone = false;
        }
    }
    return loop || (worker && alone);
}

/* Whether executors have others run their tasks, for half of the time or more, and not that thread: who waits for a
 * task does not wait for it. Others that wait for a thread in their tasks may wait for that one. */
static bool others_run_tasks(const struct wick_explain *x, uint32_t thread)
{
    const struct wick_explain_facts *f = x->f;
    double others = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        uint32_t stack = f->wall[i].stack;
        bool runs = wick_wait_is_worker(f->p, stack) || wick_wait_runs_task(f->p, stack);
        if (runs && f->wall[i].thread == thread)
            return false;
        enum wick_wait_kind kind = x->waits[i].kind;
        bool idle = kind != WICK_WAIT_NONE && wick_wait_role_of(kind) == WICK_WAIT_IDLE;
        others += runs && !idle && !wick_explain_is_inner(kind) ? (double)f->wall[i].weight_ns : 0;
    }
    return others >= HALF * (double)f->duration_ns;
}

/* Where most of those wait whom one thread could be holding up; *ns: the time of all such waits. */
static struct wick_explain_place awaited(struct wick_explain *x, uint32_t thread, double *ns)
{
    static const enum wick_wait_kind kinds[] = {WICK_WAIT_FUTURE, WICK_WAIT_REPLY, WICK_WAIT_LATCH,
                                                WICK_WAIT_QUEUE_FULL};
    const struct wick_explain_facts *f = x->f;
    struct wick_explain_places all = {0};
    bool tasks = !others_run_tasks(x, thread);
    for (size_t i = 0; i < f->nwall; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (x->waits[i].kind == kinds[k] && f->wall[i].thread != thread && wick_explain_wait_counts(x, i) &&
                (tasks || !wick_wait_is_for_task(f->p, f->wall[i].stack)))
                wick_explain_places_add(x, &all, x->waits[i], f->wall[i].weight_ns, wick_explain_quantum(&f->wall[i]));
    wick_explain_places_sort(&all);
    struct wick_explain_place most = all.n ? *all.rows : (struct wick_explain_place){.kind = WICK_WAIT_NONE};
    *ns = (double)wick_explain_places_sum(&all);
    free(all.rows);
    return most;
}

/* The only thread of the program that needs a CPU for half of the time or more; 0 = there is none, or several. */
static uint32_t busiest(const struct wick_explain_facts *f, const bool *java)
{
    uint32_t found = 0;
    for (uint32_t t = 1; t < f->p->nthreads; t++)
        if (java[t] && need_of(f, t) >= HALF) {
            if (found)
                return 0;
            found = t;
        }
    return found;
}

/* Whether the stack computes a digest for the program itself: for a password, or a connection, others could be computed
 * at the same time. */
static bool is_digest(const struct wick_profile *p, uint32_t stack)
{
    static const char *const others[] = {"javax/crypto/", "com/sun/crypto/", "sun/security/ssl/", "javax/net/ssl/"};
    bool digest = false;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_function *f = &p->functions[wick_explain_function_at(p, s)];
        const char *class_name = wick_profile_str(p, f->class_name), *name = wick_profile_str(p, f->name);
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            if (!strncmp(class_name, others[i], strlen(others[i])))
                return false;
        digest |= strstr(name, "_implCompress") || !strncmp(class_name, "java/security/MessageDigest", 27) ||
                  !strcmp(class_name, "sun/security/provider/DigestBase");
    }
    return digest;
}

/* Of the thread's CPU time, the share that goes to digests: in a chain of them each needs the one before, so that no
 * other thread could take a part. */
static double digests_of(const struct wick_explain_facts *f, uint32_t thread)
{
    double all = 0, part = 0;
    for (size_t i = 0; i < f->ncpu; i++) {
        if (f->cpu[i].thread != thread)
            continue;
        all += (double)f->cpu[i].weight_ns;
        part += is_digest(f->p, f->cpu[i].stack) ? (double)f->cpu[i].weight_ns : 0;
    }
    return wick_explain_share(part, all);
}

static void say_saturated(struct wick_explain *x, uint32_t thread)
{
    struct wick_explain_facts *f = x->f;
    double need = need_of(f, thread), waited, time = need * (double)f->duration_ns;
    struct wick_explain_place at = awaited(x, thread, &waited);
    bool *only = calloc(f->p->nthreads + 1, sizeof *only);
    bool wanted = waited >= WAIT_LEAST * (double)f->duration_ns;
    f->failed |= !only;
    if (!only || (!wanted && (!serves(x, thread) || got_of(f, thread) < HALF))) {
        free(only);
        return;
    }
    only[thread] = true;
    struct work w = work_of(x, only);
    struct wick_explain_finding *r = wick_explain_found(x, wanted && waited > time ? waited : time);
    wick_explain_filter_thread(x, r, thread);
    wick_explain_say(x, r, "thread", wick_profile_str(f->p, f->p->threads[thread].name));
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, need < 1 ? need : 1);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, time);
    wick_explain_figure(r, "cpus", WICK_EXPLAIN_NUMBER, wick_explain_cpus(f));
    if (wanted) {
        wick_explain_figure(r, "waiters", WICK_EXPLAIN_NUMBER, waited / (double)f->duration_ns);
        wick_explain_say(x, r, "what", wick_wait_text(at.kind));
        struct wick_explain_lengths of = wick_explain_lengths_at(x, at.kind, at.function);
        if ((double)at.ns >= PLACE_LEAST * waited)
            wick_explain_say_period(r, &of);
        x->saturated_said = true;
    }
    double digests = digests_of(f, thread);
    if (digests >= HALF)
        wick_explain_figure(r, "digests", WICK_EXPLAIN_SHARE, digests);
    /* Where nobody is seen to wait for it, or what its code does need not be done, that is to change before its work is
     * divided. */
    struct wick_explain_finding *coded = x->coded.thread == thread ? &x->out->rows[x->coded.finding] : NULL;
    if (r && coded && (!wanted || x->coded.needless) && coded->cost_ns < r->cost_ns) {
        coded->rank_ns = r->cost_ns;
        r->rank_ns = coded->cost_ns;
    }
    if (w.frame) {
        wick_explain_say_frame(x, r, "frame", w.frame);
        wick_explain_figure(r, "most", WICK_EXPLAIN_TIME, (double)w.ns);
        wick_explain_say_frame(x, r, "caller", w.caller);
    }
    free(only);
}

/* A pool that is too small is said already, with the same waiters. */
void wick_explain_saturated(struct wick_explain *x)
{
    bool *java = java_threads(x);
    uint32_t thread = java ? busiest(x->f, java) : 0;
    double cpus = wick_explain_cpus(x->f), got = wick_explain_share((double)x->f->got_ns, (double)x->f->duration_ns);
    if (thread && !x->pool_said && need_of(x->f, thread) >= x->rule->threshold && cpus >= 2 && got < TAKEN_LEAST * cpus)
        say_saturated(x, thread);
    free(java);
}

/* ---- too many threads ---- */

struct crowd {
    double n, got_ns, delay_ns, slices;
    double held_ns; /* at safepoints */
    uint32_t pool;  /* that most of them belong to */
    double members;
};

/* Keeps in `of` those threads that are always ready to run, or would be without a safepoint. */
static struct crowd crowd_of(const struct wick_explain *x, bool *of)
{
    const struct wick_explain_facts *f = x->f;
    struct crowd c = {0};
    double *members = calloc(f->p->nstrings + f->p->nthreads + 1, sizeof *members),
           *held_ns = calloc(f->p->nthreads + 1, sizeof *held_ns);
    x->f->failed |= !members || !held_ns;
    for (size_t i = 0; held_ns && i < f->nwall; i++)
        if (f->wall[i].state == WICK_EXPLAIN_SAFEPOINT)
            held_ns[f->wall[i].thread] += (double)f->wall[i].weight_ns;
    for (uint32_t t = 1; members && held_ns && t < f->p->nthreads; t++) {
        double need = need_of(f, t), held = wick_explain_share(held_ns[t], (double)f->duration_ns);
        of[t] &= need + held >= READY_LEAST && need >= HALF;
        if (!of[t])
            continue;
        uint32_t pool = wick_explain_pool_name(f->p, t); /* a new string each at most */
        c.n++;
        c.got_ns += (double)f->uses[t].cpu_ns;
        c.delay_ns += (double)f->uses[t].delay_ns;
        c.slices += (double)f->uses[t].slices;
        c.held_ns += held_ns[t];
        if (++members[pool] > c.members) {
            c.members = members[pool];
            c.pool = pool;
        }
    }
    free(held_ns);
    free(members);
    return c;
}

void wick_explain_too_many(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    bool *of = java_threads(x);
    struct crowd c = of ? crowd_of(x, of) : (struct crowd){0};
    double cpus = wick_explain_cpus(f), whole = cpus < 1 ? 1 : cpus;
    if (cpus > 0 && c.n >= CROWD_LEAST && c.n >= x->rule->threshold * whole) {
        struct work w = work_of(x, of);
        struct wick_explain_finding *r = wick_explain_found(x, c.delay_ns);
        wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, c.n);
        wick_explain_figure(r, "cpus", WICK_EXPLAIN_NUMBER, cpus);
        wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE,
                            wick_explain_share(c.got_ns, c.got_ns + c.delay_ns + c.held_ns));
        wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, c.delay_ns);
        wick_explain_figure(r, "switches", WICK_EXPLAIN_NUMBER, c.slices * 1e9 / (double)f->duration_ns);
        if (c.members > 1) {
            wick_explain_figure(r, "part", WICK_EXPLAIN_NUMBER, c.members);
            wick_explain_say(x, r, "pool", wick_profile_str(f->p, c.pool));
        }
        wick_explain_say_frame(x, r, "frame", w.frame);
        wick_explain_filter_frame(x, r, w.frame);
        x->crowd_said = true;
    }
    free(of);
}

/* ---- compiled code that is lost ---- */

double wick_explain_compiled(const struct wick_explain_facts *f)
{
    int64_t sum = 0;
    for (size_t t = 0; t < f->nuses && t < f->p->nthreads; t++)
        if (strstr(wick_profile_str(f->p, f->p->threads[t].name), "CompilerThre")) /* the kernel's names are cut */
            sum = wick_sum(sum, f->uses[t].cpu_ns);
    return (double)sum;
}

/* Whether the JVM is about to leave compiled code there, by the names of its functions and blobs. */
static bool is_deoptimising(const char *name)
{
    static const char *const texts[] = {"Deoptimization::", "uncommon_trap", "UncommonTrapBlob", "DeoptimizationBlob"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strstr(name, texts[i]))
            return true;
    return false;
}

/* The Java frame that calls such a function, 0 = none does. */
static uint32_t loser_of(const struct wick_profile *p, uint32_t stack, const void *arg)
{
    bool leaves = false;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_frame *frame = &p->frames[p->stacks[s].frame];
        if (wick_frame_kind_is_java(frame->kind))
            return leaves ? p->stacks[s].frame : 0;
        leaves |= is_deoptimising(wick_profile_str(p, p->functions[frame->function].name));
    }
    return 0;
}

uint32_t wick_explain_deoptimised(struct wick_explain *x)
{
    return wick_explain_heaviest(x, loser_of, NULL);
}

double wick_explain_deoptimising(const struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double sum = 0;
    for (size_t i = 0; i < f->ncpu; i++)
        sum += loser_of(f->p, f->cpu[i].stack, NULL) ? (double)f->cpu[i].weight_ns : 0;
    return sum;
}

/* ---- virtual threads that do not begin ---- */

/* Those that have not run yet have no frame at all. */
static bool is_unstarted(const struct wick_explain *x, size_t i)
{
    const struct wick_explain_sample *s = &x->f->wall[i];
    return s->state == WICK_EXPLAIN_WAITING_FOR_CARRIER && !x->waits[i].stack &&
           !wick_explain_has_java(x->f->p, s->stack);
}

/* Where threads that have a virtual thread mounted are, and how many such threads there are. */
struct taken {
    double ns, computes_ns, most_ns, threads;
    bool rest; /* half of the time of as many carriers as run virtual threads at a time */
    uint32_t frame;
    enum wick_wait_kind kind;
};

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Whether carriers rest for half of the time. While some block, the JDK adds others, which rest when those go on: as
 * many count as run virtual threads at a time, those that do most besides waiting for one. */
static bool carriers_rest(struct wick_explain *x, const bool *carries, size_t n)
{
    const struct wick_explain_facts *f = x->f;
    double *busy = calloc(f->p->nthreads + 1, sizeof *busy), sum = 0;
    size_t cpus = wick_explain_cpus(f) > 1 ? (size_t)wick_explain_cpus(f) : wick_explain_cpus(f) > 0,
           most = f->carriers ? f->carriers : cpus;
    x->f->failed |= !busy;
    for (size_t i = 0; busy && i < f->nwall; i++) {
        enum wick_wait_kind kind = x->waits[i].kind;
        bool rests = kind != WICK_WAIT_NONE && wick_wait_role_of(kind) == WICK_WAIT_IDLE;
        uint32_t thread = f->wall[i].thread;
        busy[thread] += carries[thread] && !rests ? (double)f->wall[i].weight_ns : 0;
    }
    if (busy)
        qsort(busy, f->p->nthreads, sizeof *busy, falling);
    n = most && most < n ? most : n;
    for (size_t i = 0; busy && i < n; i++)
        sum += busy[i];
    free(busy);
    return sum < HALF * (double)n * (double)f->duration_ns;
}

static struct taken taken_of(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct taken t = {0};
    bool *seen = calloc(f->p->nthreads + 1, sizeof *seen);
    int64_t *sums = calloc(f->p->nframes + 1, sizeof *sums);
    x->f->failed |= !seen || !sums;
    for (size_t i = 0; seen && sums && i < f->nwall; i++) {
        const struct wick_explain_sample *s = &f->wall[i];
        if (!wick_wait_is_mounted(f->p, s->stack))
            continue;
        t.threads += !seen[s->thread];
        seen[s->thread] = true;
        t.ns += (double)s->weight_ns;
        t.computes_ns +=
            x->waits[i].kind == WICK_WAIT_NONE || s->state == WICK_EXPLAIN_RUNNABLE ? (double)s->weight_ns : 0;
        uint32_t at = wick_explain_wait_at(x, s->stack).stack, frame = at ? f->p->stacks[at].frame : 0;
        sums[frame] = wick_sum(sums[frame], s->weight_ns);
        if (!frame || (double)sums[frame] <= t.most_ns)
            continue;
        enum wick_wait_kind kind = x->waits[i].kind;
        t.kind = kind == WICK_WAIT_NONE && t.frame == frame ? t.kind : kind; /* it computes there for a moment */
        t.most_ns = (double)sums[frame];
        t.frame = frame;
    }
    t.rest = seen && carriers_rest(x, seen, (size_t)t.threads);
    free(seen);
    free(sums);
    return t;
}

/* Whether who waits with a monitor pins its carrier: from JDK 24 on only native frames do. */
static bool monitors_pin(const struct wick_explain_facts *f)
{
    const char *version = wick_profile_str(f->p, f->jvm_version), *at = strchr(version, '(');
    return strtoul(at ? at + 1 : version, NULL, 10) < 24;
}

/* Whether all methods of the function's name are synchronized. */
static bool is_declared(const struct wick_profile *p, uint32_t function)
{
    unsigned both = WICK_FUNCTION_SYNCHRONIZED | WICK_FUNCTION_PLAIN;
    return (p->functions[function].declared & both) == WICK_FUNCTION_SYNCHRONIZED;
}

/* The frame that has a monitor while the program waits there: the nearest synchronized method, which has one for sure,
 * or else the nearest method with synchronized blocks, which probably has; 0 = there is none. */
static uint32_t monitor_around(const struct wick_profile *p, uint32_t stack)
{
    uint32_t block = 0;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        uint32_t function = wick_explain_function_at(p, s);
        if (is_declared(p, function))
            return p->stacks[s].frame;
        if (!block && p->functions[function].declared & WICK_FUNCTION_BLOCKS)
            block = p->stacks[s].frame;
    }
    return block;
}

/* The synchronized method, or the one with a synchronized block, in which virtual threads pin their carriers while they
 * wait at that frame, of most of the time: its monitor does. 0 = there is none, or it is not known. */
static uint32_t pinning(struct wick_explain *x, uint32_t at_frame)
{
    struct wick_explain_facts *f = x->f;
    int64_t *sums = monitors_pin(f) ? calloc(f->p->nframes + 1, sizeof *sums) : NULL;
    uint32_t best = 0;
    for (size_t i = 0; sums && i < f->nwall; i++) {
        uint32_t at = x->waits[i].kind == WICK_WAIT_PINNED ? wick_explain_wait_at(x, f->wall[i].stack).stack : 0;
        if (!at || f->p->stacks[at].frame != at_frame)
            continue;
        uint32_t frame = monitor_around(f->p, at);
        sums[frame] = wick_sum(sums[frame], f->wall[i].weight_ns);
        best = sums[frame] > sums[best] ? frame : best;
    }
    free(sums);
    return best;
}

void wick_explain_say_pinning(struct wick_explain *x, struct wick_explain_finding *r, uint32_t at_frame)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    uint32_t frame = pinning(x, at_frame);
    wick_name_add_frame(&name, x->f->p, frame, 0);
    if (frame)
        wick_explain_say(x, r, is_declared(x->f->p, x->f->p->frames[frame].function) ? "monitor" : "block", name.buf);
    wick_strbuf_release(&name);
}

static double taken_share(const struct wick_explain *x, const struct taken *t)
{
    double share = t->ns / (t->threads * (double)x->f->duration_ns);
    return share < 1 ? share : 1;
}

/* Carriers that compute on all CPUs are no fewer than can be: what they compute comes first, and this at once behind
 * it, before those who wait for such threads. */
static void put_behind_code(struct wick_explain *x, struct wick_explain_finding *r, const struct taken *t)
{
    double cpus = wick_explain_cpus(x->f);
    if (!r || t->kind != WICK_WAIT_NONE || !(cpus > 0) || t->threads < cpus)
        return;
    for (size_t i = 0; i < x->out->n; i++) {
        struct wick_explain_finding *w = &x->out->rows[i];
        double cost = wick_explain_rank_of(r);
        bool ranked = w->rank_ns > 0 && !x->code_raised;
        if (w->rule != &wick_explain_rules[WICK_EXPLAIN_RULE_HOT_CODE] || ranked || w->cost_ns >= cost ||
            w->rank_ns >= cost)
            continue;
        x->code_raised = true;
        w->rank_ns = cost;
        r->rank_ns = nextafter(cost, 0);
        return;
    }
}

/* The share of the CPUs on which carriers compute, while the program is not stopped, if that is nearly all of them and
 * hot-code or hot-method says what: virtual threads without a carrier wait for a CPU by another name. Else 0. */
static double computing(const struct wick_explain *x, const struct taken *t)
{
    const struct wick_explain_facts *f = x->f;
    double cpus = wick_explain_cpus(f),
           share = wick_explain_share(t->computes_ns, cpus * ((double)f->duration_ns - (double)f->pauses_ns));
    if (!(x->code_said || x->method_said) || t->kind != WICK_WAIT_NONE || t->threads < cpus || share < ALL_CPUS)
        return 0;
    return share < 1 ? share : 1;
}

void wick_explain_say_carriers(struct wick_explain *x, struct wick_explain_finding *r)
{
    struct taken t = taken_of(x);
    struct wick_strbuf text = WICK_STRBUF_INIT;
    if (t.rest || !t.frame)
        return;
    wick_strbuf_addf(&text, t.threads > 1 ? "%.0f carriers are" : "%.0f carrier is", t.threads);
    wick_strbuf_addf(&text, " taken %.0f %% of the time, most at ", 100 * taken_share(x, &t));
    wick_name_add_frame(&text, x->f->p, t.frame, WICK_NAME_LINES);
    if (t.kind != WICK_WAIT_NONE)
        wick_strbuf_addf(&text, ", which waits for %s", wick_wait_text(t.kind));
    uint32_t monitor = t.kind == WICK_WAIT_PINNED ? pinning(x, t.frame) : 0;
    bool declared = monitor && is_declared(x->f->p, x->f->p->frames[monitor].function);
    if (monitor)
        wick_strbuf_adds(&text, declared ? ", within the synchronized method " : ", within ");
    if (monitor)
        wick_name_add_frame(&text, x->f->p, monitor, 0);
    if (monitor && !declared)
        wick_strbuf_adds(&text, ", which has a synchronized block");
    wick_explain_say(x, r, "holder", text.buf);
    wick_strbuf_release(&text);
    if (t.kind == WICK_WAIT_PINNED && r)
        r->advice = wick_wait_help(WICK_WAIT_PINNED);
    if (computing(x, &t) > 0) {
        wick_explain_figure(r, "taken", WICK_EXPLAIN_SHARE, computing(x, &t));
        put_behind_code(x, r, &t);
    }
}

/* Whether a finding about waiting is about tasks, of which it is not known what they do. */
static bool is_for_tasks(const struct wick_explain_finding *w)
{
    static const enum wick_wait_kind kinds[] = {WICK_WAIT_FUTURE, WICK_WAIT_LATCH, WICK_WAIT_REPLY, WICK_WAIT_POOL_END,
                                                WICK_WAIT_THREAD};
    bool tasks = false, chain = false;
    for (unsigned i = 0; i < w->n; i++) {
        const struct wick_explain_figure *g = &w->figures[i];
        chain |= !strcmp(g->key, "holder") || !strcmp(g->key, "chain");
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !strcmp(g->key, "kind"); k++)
            tasks |= !strcmp(g->text, wick_wait_name(kinds[k]));
    }
    return tasks && !chain;
}

/* Who waits for virtual threads that do not begin waits for a carrier, through them: that comes first, if it is half of
 * what those wait. */
static void put_before_waiters(struct wick_explain *x, struct wick_explain_finding *r)
{
    for (size_t i = 0; r && i < x->out->n; i++) {
        struct wick_explain_finding *w = &x->out->rows[i];
        bool tasks = w->rule == &wick_explain_rules[WICK_EXPLAIN_RULE_WAITING] && !w->rank_ns && is_for_tasks(w);
        if (!tasks || w->cost_ns < r->cost_ns || r->cost_ns < HALF * w->cost_ns)
            continue;
        r->rank_ns = w->cost_ns > r->rank_ns ? w->cost_ns : r->rank_ns;
        w->rank_ns = r->cost_ns;
    }
}

/* What else computes for long keeps short tasks from carriers, which are not taken away from it. */
static void say_computing(struct wick_explain *x, struct wick_explain_finding *r, const struct taken *t)
{
    double share = computing(x, t);
    if (!r || share <= 0)
        return;
    wick_explain_figure(r, "computing", WICK_EXPLAIN_SHARE, share);
    r->advice = "make what is computed there cheaper, start fewer of them at a time, or give the program more CPUs";
}

void wick_explain_unstarted(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double ns = 0;
    for (size_t i = 0; i < f->nwall; i++)
        ns += is_unstarted(x, i) ? (double)f->wall[i].weight_ns : 0;
    bool pinned = x->kinds_said >> WICK_WAIT_PINNED & 1; /* what pins carriers is said, and where */
    if (pinned || ns < x->rule->threshold * (double)f->duration_ns || wick_explain_carriers_lack_cpu(x))
        return;
    struct taken t = taken_of(x);
    if (t.rest)
        return; /* carriers are free: virtual threads only wait for one to wake up */
    struct wick_explain_finding *r = wick_explain_found(x, ns);
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, ns / (double)f->duration_ns);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, ns);
    if (!(t.threads > 0))
        return;
    wick_explain_figure(r, "carriers", WICK_EXPLAIN_NUMBER, t.threads);
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, taken_share(x, &t));
    wick_explain_say_frame(x, r, "frame", t.frame);
    wick_explain_filter_frame(x, r, t.frame);
    if (t.frame && t.kind != WICK_WAIT_NONE)
        wick_explain_say(x, r, "what", wick_wait_text(t.kind));
    else
        say_computing(x, r, &t);
    if (t.frame && t.kind == WICK_WAIT_PINNED)
        wick_explain_say_pinning(x, r, t.frame);
    put_before_waiters(x, r);
    put_behind_code(x, r, &t);
}

/* ---- HTTP clients ---- */

/* The number in the name of a thread of an HttpClient, "HttpClient-12-SelectorManager" or "HttpClient-12-Worker-0":
 * which one it is of those that the JVM has made; 0 = it is none. The kernel cuts names. */
static unsigned long client_of(const struct wick_profile *p, uint32_t thread)
{
    static const char begin[] = "HttpClient-";
    static const char *const roles[] = {"-SelectorManager", "-Worker-"};
    const char *name = wick_profile_str(p, p->threads[thread].name), *number = name + strlen(begin);
    if (strncmp(name, begin, strlen(begin)) != 0 || *number < '1' || *number > '9')
        return 0;
    char *role;
    unsigned long client = strtoul(number, &role, 10);
    bool cut = strlen(name) == COMM_LEN;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        size_t len = strlen(roles[i]), there = strlen(role);
        if (there && !strncmp(role, roles[i], cut && there < len ? there : len))
            return client;
    }
    return 0;
}

/* The frame of the program that makes a client, 0 = none does. */
static uint32_t maker_of(const struct wick_profile *p, uint32_t stack, const void *arg)
{
    bool makes = false;
    (void)arg;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_frame *frame = &p->frames[p->stacks[s].frame];
        const char *class_name = wick_profile_str(p, p->functions[frame->function].class_name);
        if (!wick_frame_kind_is_java(frame->kind))
            continue;
        if (makes && !wick_name_is_jdk(class_name))
            return p->stacks[s].frame;
        makes |= !strcmp(class_name, "jdk/internal/net/http/HttpClientBuilderImpl");
    }
    return 0;
}

/* Clients are numbered, and each has threads that are named by it: how far the numbers go beyond those of the first
 * second is how many were made. What they cost is, at least, the CPU time of their threads and of making them. */
void wick_explain_http_clients(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    int64_t begin = INT64_MAX, end = 0, cost = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        begin = f->wall[i].time_ns < begin ? f->wall[i].time_ns : begin;
        end = f->wall[i].time_ns > end ? f->wall[i].time_ns : end;
    }
    unsigned long before = 0, half = 0, last = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        unsigned long client = client_of(f->p, f->wall[i].thread);
        last = client > last ? client : last;
        if (f->wall[i].time_ns - begin <= CLIENTS_KNOWN)
            before = client > before ? client : before;
        if (f->wall[i].time_ns - begin <= (end - begin) / 2)
            half = client > half ? client : half;
    }
    double seconds = ((double)end - (double)begin - (double)CLIENTS_KNOWN) / 1e9, made = (double)last - (double)before;
    if (made < CLIENTS_LEAST || seconds <= 0 || made < x->rule->threshold * seconds ||
        (double)last - (double)half < LATER_LEAST * made)
        return;
    for (size_t i = 0; i < f->ncpu; i++)
        if (client_of(f->p, f->cpu[i].thread) || maker_of(f->p, f->cpu[i].stack, NULL))
            cost = wick_sum(cost, f->cpu[i].weight_ns);
    uint32_t maker = wick_explain_heaviest(x, maker_of, NULL);
    struct wick_explain_finding *r = wick_explain_found(x, (double)cost);
    wick_explain_figure(r, "count", WICK_EXPLAIN_NUMBER, made);
    wick_explain_figure(r, "rate", WICK_EXPLAIN_NUMBER, made / seconds);
    wick_explain_say_frame(x, r, "frame", maker);
    wick_explain_filter_frame(x, r, maker);
}
