/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_lazy.c - whether a stream starts tasks one after another that were meant to run at the same time
 *
 * A stream passes each element through all its stages before the next: stream.map(start).map(join) waits for each task
 * before the next one is started. So two stages are on the stack, that which waits below that which starts, one task
 * of their pool runs for each thread that waits, and its workers have time to spare. Where the tasks were started
 * first, those that wait are in one stage, or several tasks run for each.
 *
 * What completes a future may be no task that is seen (a timer, an answer). Then it shows where it is begun: by an
 * executor or an asynchronous call, in a stage of the same stream that comes before that which waits.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"

#define ONE_LEAST    0.50 /* tasks that run for each thread that waits; handing over takes time, too */
#define ONE_MOST     1.20
#define STREAM_LEAST 0.90 /* of the waits: in such stages */
#define BEGUN_LEAST  2    /* samples of beginning one */
#define PIPELINE     "java/util/stream/ReferencePipeline$"

static bool begins_with(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* The stream nearest to the leaf of a stack. */
struct stream {
    unsigned stages;    /* that call one another; 0 = it is in none, or in one whose stages say nothing */
    uint32_t outermost; /* the function of the stage that calls the others */
    uint32_t function;  /* of the program, that runs it */
    int32_t line;       /* in that */
};

/* Stages of one stream have only the JDK's code between them. A parallel one runs in several threads, and sorted() has
 * all elements pass what is before it first. */
static struct stream stream_at(const struct wick_profile *p, uint32_t stack)
{
    struct stream out = {0};
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_function *f = &p->functions[wick_explain_function_at(p, s)];
        const char *class_name = wick_profile_str(p, f->class_name);
        if (begins_with(class_name, "java/util/stream/AbstractTask") ||
            begins_with(class_name, "java/util/stream/SortedOps"))
            break;
        if (out.stages && wick_explain_is_program(p, wick_explain_frame_at(p, s))) {
            out.function = wick_explain_function_at(p, s);
            out.line = p->frames[p->stacks[s].frame].line;
            return out;
        }
        if (!begins_with(class_name, PIPELINE) || strcmp(wick_profile_str(p, f->name), "accept") != 0)
            continue;
        out.stages++;
        out.outermost = wick_explain_function_at(p, s);
    }
    return (struct stream){0};
}

static bool is_same(const struct stream *a, const struct stream *b)
{
    return a->function == b->function && a->line == b->line && a->outermost == b->outermost;
}

/* Whether the method hands something to another thread, which completes a future with it. */
static bool begins(const struct wick_profile *p, const struct wick_function *f)
{
    const char *class_name = wick_profile_str(p, f->class_name), *name = wick_profile_str(p, f->name);
    static const char async[] = "Async";
    size_t len = strlen(name), end = strlen(async);
    bool pool = strstr(class_name, "Executor") || strstr(class_name, "ForkJoinPool");
    bool hands = !strcmp(name, "execute") || !strcmp(name, "submit") || !strcmp(name, "schedule");
    return begins_with(class_name, "java/") && ((pool && hands) || (len >= end && !strcmp(name + len - end, async)));
}

/* The stack cut at the program's frame that begins there what completes a future, 0 = none does. */
static uint32_t beginner_of(const struct wick_profile *p, uint32_t stack)
{
    bool begun = false;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_function *f = &p->functions[wick_explain_function_at(p, s)];
        begun |= begins(p, f);
        if (begun && wick_explain_is_program(p, wick_explain_frame_at(p, s)))
            return s;
    }
    return 0;
}

/* The pool whose workers do what the finding ends at, by what their names have in common; 0 = none was seen. */
static uint32_t pool_of(const struct wick_explain *x, const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->nwall; i++)
        if (f->wall[i].thread && wick_explain_waits_there(x, x->waits[i], at) &&
            wick_wait_is_worker(f->p, f->wall[i].stack))
            return wick_explain_pool_name(f->p, f->wall[i].thread);
    return 0;
}

static const char advice[] =
    "start all tasks first and then wait for them: collect the futures into a list before the stage that joins, "
    "since a stream passes each element through all its stages before the next";

/* Whether nearly all of the waits there are in a second stage or later of one stream: *in. */
static bool wait_in_stream(const struct wick_explain *x, const struct wick_explain_place *at, struct stream *in)
{
    const struct wick_explain_facts *f = x->f;
    int64_t waits = 0, streams = 0, longest = -1;
    for (size_t i = 0; i < f->nwall; i++)
        if (f->wall[i].weight_ns > longest && wick_explain_waits_there(x, x->waits[i], at)) {
            longest = f->wall[i].weight_ns;
            *in = stream_at(f->p, f->wall[i].stack);
        }
    for (size_t i = 0; in->stages >= 2 && i < f->nwall; i++) {
        if (!wick_explain_waits_there(x, x->waits[i], at))
            continue;
        struct stream one = stream_at(f->p, f->wall[i].stack);
        waits = wick_sum(waits, f->wall[i].weight_ns);
        streams = wick_sum(streams, one.stages >= 2 && is_same(&one, in) ? f->wall[i].weight_ns : 0);
    }
    return streams > 0 && (double)streams >= STREAM_LEAST * (double)waits;
}

/* Futures that are awaited there are begun in the first stage of the stream that waits. */
static void say_begun(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    enum { UNKNOWN, NOT, BEGINS };
    const struct wick_explain_facts *f = x->f;
    struct stream in = {0};
    uint32_t most = 0;
    if (!wait_in_stream(x, at, &in))
        return;
    uint32_t *begun = calloc(f->p->nframes, sizeof *begun); /* samples */
    uint8_t *known = calloc(f->p->nstacks + 1, sizeof *known);
    x->f->failed |= !begun || !known;
    for (size_t i = 0; begun && known && i < f->ncpu; i++) {
        uint32_t stack = f->cpu[i].stack;
        if (known[stack] == UNKNOWN) {
            struct stream one = stream_at(f->p, stack);
            known[stack] = one.stages == 1 && is_same(&one, &in) ? BEGINS : NOT;
        }
        uint32_t cut = known[stack] == BEGINS ? beginner_of(f->p, stack) : 0, frame = wick_explain_frame_at(f->p, cut);
        begun[frame] += cut != 0;
        most = begun[frame] > begun[most] ? frame : most;
    }
    if (begun && begun[most] >= BEGUN_LEAST) {
        wick_explain_say_frame(x, r, "beginner", most);
        r->advice = advice;
    }
    free(begun);
    free(known);
}

void wick_explain_say_lazy(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t waiter = wick_explain_function_at(f->p, at->via_stack);
    int64_t waits = 0, streams = 0, tasks = 0, idle = 0;
    if (r && at->kind == WICK_WAIT_FUTURE && !at->nlinks && at->via == WICK_WAIT_NONE)
        say_begun(x, r, at);
    if (!r || at->via != WICK_WAIT_FUTURE || at->links[0].who != WICK_EXPLAIN_TASK)
        return;
    uint32_t pool = pool_of(x, at);
    for (size_t i = 0; i < f->nwall; i++) {
        const struct wick_wait *w = &x->waits[i];
        int64_t ns = f->wall[i].weight_ns;
        bool here = w->kind == at->via && w->stack && wick_explain_function_at(f->p, w->stack) == waiter;
        bool worker = wick_wait_is_worker(f->p, f->wall[i].stack) &&
                      (!pool || wick_explain_pool_name(f->p, f->wall[i].thread) == pool);
        bool task = worker && w->kind != WICK_WAIT_WORK;
        waits = wick_sum(waits, here ? ns : 0);
        streams = wick_sum(streams, here && stream_at(f->p, f->wall[i].stack).stages >= 2 ? ns : 0);
        tasks = wick_sum(tasks, task && !here ? ns : 0);
        idle = wick_sum(idle, worker && !task ? ns : 0);
    }
    double each = wick_explain_share((double)tasks, (double)waits);
    if (each < ONE_LEAST || each > ONE_MOST || idle < tasks || /* else there may be no worker for more */
        (double)streams < STREAM_LEAST * (double)waits)
        return;
    wick_explain_figure(r, "tasks", WICK_EXPLAIN_NUMBER, each);
    r->advice = advice;
}
