/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_code.c - the rules of `wick explain` about what CPU time is used for
 *
 * A regular expression that backtracks spends its time in a dozen methods of the JDK, none of which stands out, and
 * none of which its user can fix. So CPU time is added up by the program's function that is nearest to the leaf and by
 * the kind of work (def/code_kind.def) that the JDK does for it.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_code_kind.h"
#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/name.h"

#define CPU_LEAST    0.05 /* of the recording */
#define WORK_LEAST   0.25 /* of it: for a fault */
#define METHOD_LEAST 0.10
#define LOOP_MOST    1.5  /* times what polls take: the loop around them */
#define POLLS_LEAST  0.25 /* of the CPU time: polls of which the loop around them is a part */
#define HALF         0.50 /* of what is said to be mostly so */
#define INTERPRETED  0.90 /* of the samples of a method */
#define STARTS_LEAST 0.10 /* of that: who starts so many threads is also what those cost */
#define CROWD_LEAST  8.0  /* threads that wait in one function */
#define EVENTS_MOST  0.10 /* of a thread's time: waiting for events, if its selector returns at once */
#define ALONE_LEAST  0.75 /* of the CPU time of a thread */
#define CALLS_LEAST  0.25 /* the same for calls of any kind: whatever does a little work does most of it somewhere */

/* Keeps which finding it is, for what follows from it; what is not decided leads to nothing. function: that has others
 * compute, 0 = it computes itself; work: it, or that. */
static void keep_hot(struct wick_explain *x, const struct wick_explain_finding *r, uint32_t function, uint32_t work)
{
    if (r && !r->record_ns && (!x->hot.work || (function && !x->hot.function)))
        x->hot = (struct wick_explain_hot){(size_t)(r - x->out->rows), function, work};
}

static const struct wick_frame *frame_of(const struct wick_profile *p, uint32_t stack)
{
    return &p->frames[p->stacks[stack].frame];
}

/* Whether a thread was about to wait, or to wake one that does, when it was sampled: the cost of waiting, of which the
 * rules about waits say more, and no work that could be done less often. */
static bool hands_over(const struct wick_profile *p, uint32_t stack)
{
    static const char *const names[] = {"futex", "pthread_cond_", "lll_lock"};
    for (uint32_t s = stack; s && !wick_frame_kind_is_java(frame_of(p, s)->kind); s = p->stacks[s].parent)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strstr(wick_profile_str(p, p->functions[frame_of(p, s)->function].name), names[i]))
                return true;
    return false;
}

/* Whether nothing but a ForkJoinPool's handling of tasks is between the leaf and the program's frame; what a task of
 * the JDK's own does there (a parallel stream) is in other classes. */
static bool handles_tasks(const struct wick_profile *p, uint32_t stack, uint32_t user)
{
    static const char *const classes[] = {"java/util/concurrent/ForkJoin",
                                          "java/util/concurrent/Recursive",
                                          "java/util/concurrent/CountedCompleter",
                                          "jdk/internal/misc/Unsafe",
                                          "sun/misc/Unsafe",
                                          "java/lang/invoke/VarHandle"};
    bool handles = false;
    for (uint32_t s = stack; s && s != user; s = p->stacks[s].parent) {
        const char *name = wick_profile_str(p, p->functions[frame_of(p, s)->function].class_name);
        size_t i = 0;
        if (!wick_frame_kind_is_java(frame_of(p, s)->kind))
            continue;
        while (i < sizeof classes / sizeof *classes && strncmp(name, classes[i], strlen(classes[i])) != 0)
            i++;
        if (i == sizeof classes / sizeof *classes)
            return false;
        handles |= i < 3;
    }
    return handles && !hands_over(p, stack);
}

/* Whether a thread begins or ends there: the JVM's work for it, what was not sampled as it was too short, and what puts
 * virtual threads on carriers and takes them off. */
static bool is_of_threads(const struct wick_profile *p, uint32_t stack)
{
    static const char *const names[] = {"[not sampled: thread not yet", "[not sampled: thread or", "JavaThread::exit",
                                        "JavaThread::prepare", "smr_delete"};
    enum wick_explain_code code;
    bool java = wick_explain_has_java(p, stack);
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_function *f = &p->functions[frame_of(p, s)->function];
        const char *name = wick_profile_str(p, f->name);
        if (java && !strcmp(wick_profile_str(p, f->class_name), "java/lang/VirtualThread"))
            return !wick_explain_user_of(p, stack, &code);
        for (size_t i = 0; !java && i < sizeof names / sizeof *names; i++)
            if (!strncmp(name, names[i], strlen(names[i])) || (*names[i] != '[' && strstr(name, names[i])))
                return true;
    }
    return false;
}

double wick_explain_java_ns(const struct wick_explain_facts *f)
{
    int64_t sum = 0;
    for (size_t i = 0; i < f->ncpu; i++)
        if (wick_explain_has_java(f->p, f->cpu[i].stack) && !hands_over(f->p, f->cpu[i].stack))
            sum = wick_sum(sum, f->cpu[i].weight_ns);
    return (double)sum;
}

/* The stack, cut at the program's function that has asked for the value of a thread local, if this one makes that value
 * for its thread; else 0. Most of it is the program's own code. */
static uint32_t makes_thread_local(const struct wick_profile *p, uint32_t stack)
{
    bool makes = false;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_function *f = &p->functions[frame_of(p, s)->function];
        const char *class_name = wick_profile_str(p, f->class_name);
        if (!wick_frame_kind_is_java(frame_of(p, s)->kind))
            continue;
        if (makes && !wick_name_is_jdk(class_name))
            return s;
        makes |=
            !strcmp(class_name, "java/lang/ThreadLocal") && !strcmp(wick_profile_str(p, f->name), "setInitialValue");
    }
    return 0;
}

/* What wall-clock samples say of CPU time: by function of the program, for how long threads wait in it to be notified;
 * by thread, its time, and that in which it waits for events of a selector. */
struct around {
    double *crowds, *all, *events;
};

/* False without memory; the caller releases it in any case. */
static bool learn_around(struct wick_explain *x, struct around *a)
{
    const struct wick_explain_facts *f = x->f;
    *a = (struct around){calloc(f->p->nfunctions + 1, sizeof *a->crowds), calloc(f->p->nthreads + 1, sizeof *a->all),
                         calloc(f->p->nthreads + 1, sizeof *a->events)};
    if (!a->crowds || !a->all || !a->events)
        return false;
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_wait *w = &x->waits[i];
        double ns = (double)f->wall[i].weight_ns;
        if (w->stack && (w->kind == WICK_WAIT_OBJECT_WAIT || w->kind == WICK_WAIT_CONDITION))
            a->crowds[frame_of(f->p, w->stack)->function] += ns;
        a->all[f->wall[i].thread] += ns;
        a->events[f->wall[i].thread] += w->kind == WICK_WAIT_EVENT ? ns : 0;
    }
    return true;
}

static void release_around(struct around *a)
{
    free(a->crowds);
    free(a->all);
    free(a->events);
}

/* As user_of. To wait and to wake others is the cost of waiting, but where many threads wait in one function and that
 * takes most of the CPU time, they wake for nothing. Calls of a selector are that as well, unless they do not wait. */
static uint32_t work_of(const struct wick_explain *x, const struct wick_explain_sample *sample, const struct around *a,
                        enum wick_explain_code *code)
{
    const struct wick_profile *p = x->f->p;
    uint32_t s = wick_explain_user_of(p, sample->stack, code), t = sample->thread,
             local = makes_thread_local(p, sample->stack);
    bool wakes = *code == WICK_CODE_WAKING || (*code == WICK_CODE_OTHER && hands_over(p, sample->stack));
    bool crowd = wick_explain_counts(x->f, a->crowds[frame_of(p, s)->function], CROWD_LEAST);
    bool spins = a->all[t] > 0 && a->events[t] <= EVENTS_MOST * a->all[t];
    uint32_t searches = wick_explain_collides(p, sample->stack);
    if (local || searches) {
        *code = local ? WICK_CODE_THREAD_LOCALS : WICK_CODE_COLLISIONS;
        return local ? local : searches;
    }
    if (*code == WICK_CODE_SELECTING)
        *code = spins ? WICK_CODE_SELECTING : WICK_CODE_OTHER;
    else if (wakes)
        *code = s && crowd ? WICK_CODE_WAKING : WICK_CODE_OTHER;
    else if (*code == WICK_CODE_OTHER && s && handles_tasks(p, sample->stack, s))
        *code = WICK_CODE_FORK_JOIN;
    return s;
}

/* The stack, cut at the nearest frame that is no kernel code and, if it can be, has a name. */
static uint32_t callee_of(const struct wick_profile *p, uint32_t stack)
{
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_frame *f = &p->frames[p->stacks[s].frame];
        if (f->kind != WICK_FRAME_KERNEL && f->kind != WICK_FRAME_BREAK)
            return wick_explain_named(p, s);
    }
    return stack;
}

static bool is_jvm(const struct wick_profile *p, const struct wick_frame *f)
{
    return !wick_frame_kind_is_java(f->kind) &&
           !strcmp(wick_profile_str(p, p->functions[f->function].class_name), "libjvm.so");
}

/* Whether the time is that of the function on top of the stack. System calls are what their caller in the program asked
 * for, and the JVM's own functions serve collections, compilations and calls that other rules name. */
static bool is_of_method(const struct wick_explain *x, uint32_t stack)
{
    const struct wick_profile *p = x->f->p;
    enum wick_explain_code code;
    if (hands_over(p, stack) || is_jvm(p, frame_of(p, callee_of(p, stack))))
        return false;
    uint32_t user = wick_explain_user_of(p, stack, &code);
    if (user && user != stack && code == WICK_CODE_SPINNING)
        return false; /* for somebody: hot-code */
    if ((x->collisions_said && wick_explain_collides(p, stack)) || (x->locals_said && makes_thread_local(p, stack)) ||
        (x->loop_said && frame_of(p, stack)->function == x->loop_said))
        return false;
    return frame_of(p, stack)->kind != WICK_FRAME_KERNEL || !user;
}

/* Of a whole machine: the process that spends most time in the function, with what it calls. */
static void say_process(struct wick_explain *x, struct wick_explain_finding *r, uint32_t function)
{
    const struct wick_explain_facts *f = x->f;
    int64_t *sums = calloc(f->p->nstrings, sizeof *sums);
    uint32_t most = 0;
    x->f->failed |= !sums;
    for (size_t i = 0; sums && i < f->ncpu; i++) {
        uint32_t process = f->cpu[i].process;
        if (!process || !wick_explain_goes_through(f->p, f->cpu[i].stack, function))
            continue;
        sums[process] = wick_sum(sums[process], f->cpu[i].weight_ns);
        most = sums[process] > sums[most] ? process : most;
    }
    if (most)
        wick_explain_say(x, r, "process", wick_profile_str(f->p, most));
    free(sums);
}

/* The samples of which the method on top of the stack is what takes the time; NULL and *n = 0 without memory. */
static struct wick_explain_sample *of_methods(const struct wick_explain *x, size_t *n)
{
    const struct wick_explain_facts *f = x->f;
    struct wick_explain_sample *rows = calloc(f->ncpu + 1, sizeof *rows);
    *n = 0;
    for (size_t i = 0; rows && i < f->ncpu; i++)
        if (is_of_method(x, f->cpu[i].stack))
            rows[(*n)++] = f->cpu[i];
    return rows;
}

/* Whether the function on top of these stacks is interpreted nearly always, though it is hot. */
static bool is_interpreted(const struct wick_profile *p, const struct wick_explain_sample *rows, size_t n,
                           uint32_t function)
{
    int64_t all = 0, interpreted = 0;
    for (size_t i = 0; i < n; i++) {
        const struct wick_frame *f = frame_of(p, rows[i].stack);
        if (f->function != function)
            continue;
        all = wick_sum(all, rows[i].weight_ns);
        interpreted = wick_sum(interpreted, f->kind == WICK_FRAME_INTERPRETED ? rows[i].weight_ns : 0);
    }
    return all && (double)interpreted >= INTERPRETED * (double)all;
}

/* What is hot is compiled within a second, unless it cannot be, or the compilers do not get to it. */
static void say_interpreted(struct wick_explain *x, struct wick_explain_finding *r)
{
    wick_explain_say(x, r, "mode", "interpreted");
    if (r)
        r->advice = "HotSpot never compiles a method of more than 8000 bytes of bytecode (javap -c shows its size): "
                    "split it, or use -XX:-DontCompileHugeMethods; if it is smaller, find what keeps the compilers "
                    "from it: -Xint, a full code cache, -XX:CompileCommand";
}

void wick_explain_hot_method(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    size_t n;
    struct wick_explain_sample *rows = of_methods(x, &n);
    f->failed |= !rows;
    struct wick_explain_top top = wick_explain_top(f, rows, n, true, 0, WICK_EXPLAIN_ALL, WICK_EXPLAIN_LEAF);
    bool interpreted = rows && is_interpreted(f->p, rows, n, f->p->frames[top.frame].function);
    free(rows);
    double share = wick_explain_share((double)top.weight_ns, (double)f->sampled_ns);
    if (share < x->rule->threshold || !top.frame ||
        !wick_explain_counts(f, wick_explain_wanted(x, (double)top.weight_ns), METHOD_LEAST))
        return;
    uint32_t function = f->p->frames[top.frame].function, caller = f->p->frames[top.caller].function;
    bool own = wick_explain_is_program(f->p, top.frame);
    if (!own && x->code_said && x->hot.work == caller)
        return; /* a part of what hot-code has said, in more words */
    struct wick_explain_finding *r = wick_explain_found(x, (double)top.weight_ns);
    wick_explain_filter_frame(x, r, top.frame);
    wick_explain_share_of(x, r, (double)top.weight_ns, (double)f->sampled_ns, top.quanta);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)top.weight_ns);
    wick_explain_say_frame(x, r, "frame", top.frame);
    wick_explain_say_frame(x, r, "caller", top.caller);
    if (interpreted)
        say_interpreted(x, r);
    say_process(x, r, function);
    wick_explain_say_sort(x, r, own ? function : caller);
    keep_hot(x, r, own ? 0 : caller, own ? function : caller);
    x->method_said = true;
}

/* The heaviest stack that ends in the function for work of that kind; adds to *quanta those of all its samples. */
static uint32_t heaviest(const struct wick_explain *x, uint32_t function, enum wick_explain_code code,
                         const struct around *a, int64_t *by_stack, double *quanta)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t best = 0;
    enum wick_explain_code one;
    memset(by_stack, 0, f->p->nstacks * sizeof *by_stack);
    for (size_t i = 0; i < f->ncpu; i++) {
        uint32_t s = work_of(x, &f->cpu[i], a, &one);
        if (!s || one != code || f->p->frames[f->p->stacks[s].frame].function != function)
            continue;
        *quanta += wick_explain_quantum(&f->cpu[i]);
        by_stack[s] = wick_sum(by_stack[s], f->cpu[i].weight_ns);
        best = by_stack[s] > by_stack[best] ? s : best;
    }
    return best;
}

/* What the function at `user` calls on the way to the stack's leaf, cut there; `user` itself = nothing. */
static uint32_t called_at(const struct wick_profile *p, uint32_t stack, uint32_t user)
{
    while (stack != user && p->stacks[stack].parent != user)
        stack = p->stacks[stack].parent;
    return stack;
}

/* The method of the JDK or of a library that the function calls for most of that work, or of a particular kind within
 * it; 0 = there is none. */
static uint32_t called_for(const struct wick_explain *x, uint32_t function, enum wick_explain_code code,
                           enum wick_explain_code particular, const struct around *a)
{
    const struct wick_explain_facts *f = x->f;
    int64_t *sums = calloc(f->p->nfunctions, sizeof *sums), all = 0;
    uint32_t best = 0, frame = 0;
    enum wick_explain_code one;
    x->f->failed |= !sums;
    for (size_t i = 0; sums && i < f->ncpu; i++) {
        uint32_t user = work_of(x, &f->cpu[i], a, &one), s = f->cpu[i].stack;
        if (!user || one != code || frame_of(f->p, user)->function != function ||
            !wick_explain_is_particular(f->p, particular, s, user))
            continue;
        uint32_t compared = particular == WICK_CODE_COMPARED ? wick_explain_compared_by(f->p, s, user) : 0;
        s = compared ? compared : called_at(f->p, s, user);
        all = wick_sum(all, f->cpu[i].weight_ns);
        if (s == user || !wick_frame_kind_is_java(frame_of(f->p, s)->kind))
            continue;
        uint32_t callee = frame_of(f->p, s)->function;
        sums[callee] = wick_sum(sums[callee], f->cpu[i].weight_ns);
        if (callee == best || sums[callee] > sums[best]) {
            best = callee;
            frame = f->p->stacks[s].frame;
        }
    }
    bool most = best && (double)sums[best] >= HALF * (double)all;
    free(sums);
    return most ? frame : 0;
}

static void say_callee(struct wick_explain *x, struct wick_explain_finding *r, uint32_t frame)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    wick_name_add_frame(&name, x->f->p, frame, 0);
    if (frame)
        wick_explain_say(x, r, "callee", name.buf);
    wick_strbuf_release(&name);
}

/* Whether requests are known, which take as long as what they compute, however rarely they come. */
static bool of_requests(const struct wick_explain_facts *f)
{
    for (size_t i = 0; i < f->ncpu; i++)
        if (f->cpu[i].endpoint)
            return true;
    return false;
}

bool wick_explain_is_little(const struct wick_explain *x, double ns)
{
    return !wick_explain_counts(x->f, wick_explain_wanted(x, ns), WORK_LEAST) && !of_requests(x->f);
}

static void say(struct wick_explain *x, uint32_t stack, enum wick_explain_code of, int64_t ns, double quanta,
                const struct around *a)
{
    const struct wick_explain_facts *f = x->f;
    enum wick_explain_code code = wick_explain_code_of_all(f, frame_of(f->p, stack)->function, of);
    struct wick_explain_finding *r = wick_explain_found(x, (double)ns);
    wick_explain_share_of(x, r, (double)ns, (double)f->sampled_ns, quanta);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)ns);
    wick_explain_say(x, r, "kind", wick_explain_codes[code].name);
    wick_explain_say(x, r, "what", wick_explain_codes[code].text);
    wick_explain_say_frame(x, r, "frame", f->p->stacks[stack].frame);
    if (wick_explain_is_needless(code))
        say_callee(x, r, called_for(x, frame_of(f->p, stack)->function, of, code == of ? WICK_CODE_OTHER : code, a));
    wick_explain_filter_frame(x, r, f->p->stacks[stack].frame);
    if (code == WICK_CODE_COLLISIONS)
        wick_explain_say_keys(x, r, frame_of(f->p, stack)->function);
    x->collisions_said = code == WICK_CODE_COLLISIONS && r && !r->record_ns;
    x->locals_said = code == WICK_CODE_THREAD_LOCALS && r && !r->record_ns;
    say_process(x, r, frame_of(f->p, stack)->function);
    wick_explain_say_sort(x, r, frame_of(f->p, stack)->function);
    keep_hot(x, r, frame_of(f->p, stack)->function, frame_of(f->p, stack)->function);
    if (r) {
        r->advice = wick_explain_codes[code].advice;
        r->little = wick_explain_is_little(x, (double)ns);
    }
}

/* Starts and ends of threads run no code of the program: they are what the function is for that starts most, if that is
 * a good part of what runs. Returns its place in the sums, 0 = there is none. */
static size_t add_threads(const struct wick_explain *x, int64_t *sums)
{
    const struct wick_explain_facts *f = x->f;
    int64_t started = 0, orphans = 0;
    size_t most = 0;
    for (size_t at = WICK_CODE_THREADS; at < (size_t)f->p->nfunctions * WICK_CODES; at += WICK_CODES) {
        started = wick_sum(started, sums[at]);
        most = sums[at] > sums[most] ? at : most;
    }
    for (size_t i = 0; i < f->ncpu; i++)
        orphans = wick_sum(orphans, is_of_threads(f->p, f->cpu[i].stack) ? f->cpu[i].weight_ns : 0);
    if (!most || (double)sums[most] < HALF * (double)started ||
        (double)sums[most] < STARTS_LEAST * wick_explain_java_ns(f))
        return 0;
    sums[most] = wick_sum(sums[most], orphans);
    return most;
}

/* A loop that polls takes time of its own, about as much as a queue that is empty: the time on top of the function that
 * polls most is that, unless it is much more. Returns its place in the sums, 0 = there is none. */
static size_t add_loop(const struct wick_explain *x, int64_t *sums)
{
    const struct wick_explain_facts *f = x->f;
    int64_t own = 0;
    size_t most = 0;
    for (size_t at = WICK_CODE_POLLING; at < (size_t)f->p->nfunctions * WICK_CODES; at += WICK_CODES)
        most = sums[at] > sums[most] ? at : most;
    for (size_t i = 0; most && i < f->ncpu; i++)
        if (frame_of(f->p, f->cpu[i].stack)->function == most / WICK_CODES)
            own = wick_sum(own, f->cpu[i].weight_ns);
    if (!most || (double)own > LOOP_MOST * (double)sums[most] ||
        wick_explain_share((double)sums[most], (double)f->sampled_ns) < POLLS_LEAST)
        return 0; /* it may have something to do with what it takes */
    sums[most] = wick_sum(sums[most], own);
    return most;
}

/* Whether so much CPU time is worth a finding. The JVM's own threads compile and collect for what the program does, so
 * less of all will do if it is most of what Java code takes, and more than what a few requests now and then take. */
static bool is_hot(const struct wick_explain *x, enum wick_explain_code code, double ns, double least)
{
    double share = wick_explain_share(ns, (double)x->f->sampled_ns), threshold = x->rule->threshold;
    bool once = code == WICK_CODE_THREAD_LOCALS; /* for each thread, if threads live long */
    bool most = share >= HALF * threshold && (once || ns >= WICK_EXPLAIN_JAVA_LEAST * wick_explain_java_ns(x->f));
    bool little = !wick_explain_counts(x->f, wick_explain_wanted(x, ns), METHOD_LEAST);
    return (share >= threshold || (most && !little)) && wick_explain_counts(x->f, wick_explain_wanted(x, ns), least);
}

/* The least share of a CPU that is worth a finding: some work is a part of what services do that do little else, and to
 * compress or to expand data is what some are for. */
static double least_of(enum wick_explain_code code)
{
    switch (code) {
    case WICK_CODE_WAKING:
    case WICK_CODE_POLLING:
    case WICK_CODE_SELECTING:
    case WICK_CODE_STRINGS:
    case WICK_CODE_COPYING:
        return CALLS_LEAST;
    case WICK_CODE_FORK_JOIN:
    case WICK_CODE_XML:
    case WICK_CODE_DATES:
    case WICK_CODE_LOCALES:
    case WICK_CODE_COLLATION:
    case WICK_CODE_COLLATION_KEYS:
    case WICK_CODE_COMPRESSION:
    case WICK_CODE_ENTRIES:
        return METHOD_LEAST;
    default:
        return CPU_LEAST;
    }
}

static bool is_hot_kind(const struct wick_explain *x, unsigned code, double ns)
{
    return is_hot(x, (enum wick_explain_code)code, ns, least_of((enum wick_explain_code)code));
}

/* Keeps whether it need not be done, and which thread does most of it, if that does hardly anything else. */
static void keep_coded(struct wick_explain *x, size_t which, const struct around *a)
{
    const struct wick_explain_facts *f = x->f;
    int64_t *all = calloc(f->p->nthreads + 1, sizeof *all), *part = calloc(f->p->nthreads + 1, sizeof *part);
    uint32_t most = 0;
    x->f->failed |= !all || !part;
    for (size_t i = 0; all && part && i < f->ncpu; i++) {
        enum wick_explain_code code;
        uint32_t s = work_of(x, &f->cpu[i], a, &code), t = f->cpu[i].thread;
        if (!s || !t)
            continue;
        bool here = (size_t)f->p->frames[f->p->stacks[s].frame].function * WICK_CODES + code == which;
        all[t] = wick_sum(all[t], f->cpu[i].weight_ns);
        part[t] = wick_sum(part[t], here ? f->cpu[i].weight_ns : 0);
        most = part[t] > part[most] ? t : most;
    }
    bool alone = most && wick_explain_share((double)part[most], (double)all[most]) >= ALONE_LEAST;
    x->coded.finding = x->out->n - 1;
    x->coded.thread = alone ? most : 0;
    x->coded.needless = wick_explain_is_needless(
        wick_explain_code_of_all(f, (uint32_t)(which / WICK_CODES), (enum wick_explain_code)(which % WICK_CODES)));
    free(part);
    free(all);
}

void wick_explain_hot_code(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    int64_t *sums = calloc((size_t)f->p->nfunctions * WICK_CODES, sizeof *sums);
    int64_t *by_stack = calloc(f->p->nstacks, sizeof *by_stack);
    struct around a;
    bool learnt = learn_around(x, &a);
    size_t best = 0;
    f->failed |= !sums || !by_stack || !learnt;
    for (size_t i = 0; sums && learnt && i < f->ncpu; i++) {
        enum wick_explain_code code;
        uint32_t s = work_of(x, &f->cpu[i], &a, &code);
        if (!s || code == WICK_CODE_OTHER)
            continue;
        size_t at = (size_t)f->p->frames[f->p->stacks[s].frame].function * WICK_CODES + code;
        sums[at] = wick_sum(sums[at], f->cpu[i].weight_ns);
        best = sums[at] > sums[best] ? at : best;
    }
    size_t starts = sums && learnt ? add_threads(x, sums) : 0;
    best = starts && sums[starts] > sums[best] ? starts : best;
    size_t polls = sums && learnt ? add_loop(x, sums) : 0;
    enum wick_explain_code other = (enum wick_explain_code)(best % WICK_CODES);
    if (polls && sums[polls] > sums[best] && !is_hot(x, other, (double)sums[best], least_of(other)))
        best = polls;
    int64_t ns = sums ? sums[best] : 0;
    double least = best && best == starts ? CALLS_LEAST : least_of((enum wick_explain_code)(best % WICK_CODES));
    enum wick_explain_code code = (enum wick_explain_code)(best % WICK_CODES);
    bool hot = by_stack && best && is_hot(x, code, (double)ns, least),
         needless = hot && wick_explain_is_needless(wick_explain_code_of_all(f, (uint32_t)(best / WICK_CODES), code));
    uint32_t most = needless ? 0 : wick_explain_spread(x, hot ? (double)ns : 0, is_hot_kind);
    if (most) {
        keep_hot(x, &x->out->rows[x->out->n - 1], most, most);
        x->code_said = true;
    } else if (hot) {
        double quanta = 0;
        uint32_t stack = heaviest(x, (uint32_t)(best / WICK_CODES), code, &a, by_stack, &quanta);
        say(x, stack, code, ns, quanta, &a);
        const struct wick_explain_finding *r = x->out->n ? &x->out->rows[x->out->n - 1] : NULL;
        if (r && r->rule == x->rule && !r->record_ns)
            keep_coded(x, best, &a);
        x->loop_said = best == polls && r && !r->record_ns ? (uint32_t)(best / WICK_CODES) : 0;
        x->code_said = true;
    }
    release_around(&a);
    free(by_stack);
    free(sums);
}

/* What a function of the program calls. */
struct calls {
    uint32_t function, at; /* at: the heaviest stack, cut at the function */
    uint32_t most;         /* frame of the function called that takes most, 0 = none */
    uint32_t callee;       /* frame of the method that it calls itself for half of that or more, 0 = none */
    int64_t ns, most_ns;
    double quanta;
};

static bool begins_with_one(const char *name, const char *const *with, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strncmp(name, with[i], strlen(with[i])))
            return true;
    return false;
}

/* Whether the function has data written to the disk: on a fast one that takes more of a CPU than of waiting. */
static bool forces_data(const struct wick_profile *p, uint32_t frame)
{
    static const char *const calls[] = {"fsync", "fdatasync", "msync"};
    const char *name = wick_profile_str(p, p->functions[p->frames[frame].function].name);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(name, calls[i]))
            return true;
    return false;
}

/* Whether the function is a system call that writes, or what the JDK makes it with. `write` of others may be to
 * memory. */
static bool is_write(const struct wick_profile *p, uint32_t frame)
{
    static const char *const calls[] = {"write",      "pwrite",      "pwrite64", "writev",  "pwritev", "pwritev64",
                                        "writeBytes", "writeBytes0", "write0",   "pwrite0", "writev0"},
                             *const classes[] = {"java/io/FileOutputStream", "java/io/RandomAccessFile", "sun/nio/ch/"};
    const struct wick_function *of = &p->functions[p->frames[frame].function];
    const char *name = wick_profile_str(p, of->name), *class_name = wick_profile_str(p, of->class_name);
    bool file = !wick_frame_kind_is_java(p->frames[frame].kind);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        file |= !strncmp(class_name, classes[i], strlen(classes[i]));
    if (!file)
        return false;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(name, calls[i]))
            return true;
    return false;
}

/* The stack without what the kernel does when it interrupts a thread, or finds memory for a page that it touches: no
 * function has called that. Who touches pages of a mapped file has it read. */
static uint32_t interrupted(const struct wick_profile *p, uint32_t stack)
{
    static const char *const entries[] = {"asm_exc_",   "asm_sysvec_",   "asm_common_interrupt",
                                          "page_fault", "apic_timer_in", "el0_da",
                                          "el0_ia",     "el0_interrupt"},
                             *const files[] = {"filemap_map_pages", "filemap_fault"};
    uint32_t cut = stack;
    for (uint32_t s = stack; s && frame_of(p, s)->kind == WICK_FRAME_KERNEL; s = p->stacks[s].parent) {
        const char *name = wick_profile_str(p, p->functions[frame_of(p, s)->function].name);
        if (begins_with_one(name, files, sizeof files / sizeof *files))
            return stack;
        if (begins_with_one(name, entries, sizeof entries / sizeof *entries))
            cut = p->stacks[s].parent;
    }
    return cut;
}

/* The stack, cut at the program's function nearest to the leaf, if it has called somebody who works; else 0. */
static uint32_t calling(const struct wick_profile *p, uint32_t stack)
{
    enum wick_explain_code code;
    uint32_t s = wick_explain_user_of(p, stack, &code);
    return s == stack || hands_over(p, stack) ? 0 : s;
}

static void learn_calls(struct wick_explain *x, struct calls *c)
{
    const struct wick_explain_facts *f = x->f;
    int64_t *by_leaf = calloc(f->p->nfunctions, sizeof *by_leaf);
    int64_t *by_callee = calloc(f->p->nfunctions, sizeof *by_callee);
    int64_t *by_stack = calloc(f->p->nstacks, sizeof *by_stack);
    x->f->failed |= !by_leaf || !by_callee || !by_stack;
    for (size_t i = 0; by_leaf && by_callee && by_stack && i < f->ncpu; i++) {
        uint32_t stack = interrupted(f->p, f->cpu[i].stack), s = calling(f->p, stack);
        if (!s || frame_of(f->p, s)->function != c->function)
            continue;
        uint32_t cut = callee_of(f->p, stack), leaf = frame_of(f->p, cut)->function;
        uint32_t called = called_at(f->p, stack, s), callee = frame_of(f->p, called)->function;
        c->quanta += wick_explain_quantum(&f->cpu[i]);
        by_stack[s] = wick_sum(by_stack[s], f->cpu[i].weight_ns);
        c->at = by_stack[s] > by_stack[c->at] ? s : c->at;
        by_leaf[leaf] = wick_sum(by_leaf[leaf], f->cpu[i].weight_ns);
        if (leaf != c->function && by_leaf[leaf] > c->most_ns) {
            c->most_ns = by_leaf[leaf];
            c->most = f->p->stacks[cut].frame;
        }
        by_callee[callee] = wick_sum(by_callee[callee], f->cpu[i].weight_ns);
        if (wick_frame_kind_is_java(frame_of(f->p, called)->kind) && (double)by_callee[callee] >= HALF * (double)c->ns)
            c->callee = f->p->stacks[called].frame;
    }
    free(by_leaf);
    free(by_callee);
    free(by_stack);
}

/* What hundreds of methods of the JDK share is who calls them: the program's function with most CPU time in others'
 * code below it. */
void wick_explain_hot_calls(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    struct calls c = {0};
    int64_t *sums = calloc(f->p->nfunctions, sizeof *sums);
    f->failed |= !sums;
    for (size_t i = 0; sums && i < f->ncpu; i++) {
        uint32_t s = calling(f->p, interrupted(f->p, f->cpu[i].stack)), function = frame_of(f->p, s)->function;
        if (s)
            sums[function] = wick_sum(sums[function], f->cpu[i].weight_ns);
        c.function = sums[function] > sums[c.function] ? function : c.function;
    }
    c.ns = sums ? sums[c.function] : 0;
    free(sums);
    double share = wick_explain_share((double)c.ns, (double)f->sampled_ns);
    if (!c.ns || x->code_said || x->method_said || share < x->rule->threshold ||
        !wick_explain_counts(f, wick_explain_wanted(x, (double)c.ns), CALLS_LEAST))
        return;
    learn_calls(x, &c);
    x->calls_said = true;
    struct wick_explain_finding *r = wick_explain_found(x, (double)c.ns);
    wick_explain_share_of(x, r, (double)c.ns, (double)f->sampled_ns, c.quanta);
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)c.ns);
    wick_explain_say_frame(x, r, "frame", f->p->stacks[c.at].frame);
    wick_explain_filter_frame(x, r, f->p->stacks[c.at].frame);
    say_process(x, r, c.function);
    wick_explain_say_sort(x, r, c.function);
    if (c.callee && f->p->frames[c.callee].function != f->p->frames[c.most].function)
        say_callee(x, r, c.callee);
    if (c.most) {
        wick_explain_say_frame(x, r, "most", c.most);
        wick_explain_figure(r, "part", WICK_EXPLAIN_TIME, (double)c.most_ns);
        bool forces = forces_data(f->p, c.most) || (x->syncs[c.function] && is_write(f->p, c.most));
        if (r && (double)c.most_ns >= HALF * (double)c.ns && forces) {
            wick_explain_say(x, r, "forces", "data reaches the disk (fsync, or a file opened for synchronous output)");
            r->advice = wick_wait_help(WICK_WAIT_FILE_SYNC);
        }
    }
    keep_hot(x, r, c.function, c.function);
}
