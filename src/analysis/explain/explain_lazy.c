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
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/name.h"

#define ONE_LEAST    0.50 /* tasks that run for each thread that waits; handing over takes time, too */
#define ONE_MOST     1.20
#define STREAM_LEAST 0.90 /* of the waits: in such stages */
#define BEGUN_LEAST  2    /* samples of beginning one */
#define PIPELINE     "java/util/stream/ReferencePipeline$"

/* How many stages of a stream are between the leaf and the program's function; 0 also where that is not there. */
static unsigned stages_of(const struct wick_profile *p, uint32_t stack, uint32_t function)
{
    unsigned stages = 0;
    uint32_t s = stack;
    for (; s && wick_explain_function_at(p, s) != function; s = p->stacks[s].parent) {
        const struct wick_function *f = &p->functions[wick_explain_function_at(p, s)];
        stages += !strncmp(wick_profile_str(p, f->class_name), PIPELINE, strlen(PIPELINE)) &&
                  !strcmp(wick_profile_str(p, f->name), "accept");
    }
    return s ? stages : 0;
}

static bool in_stages(const struct wick_profile *p, uint32_t stack, uint32_t function)
{
    return stages_of(p, stack, function) >= 2;
}

/* Whether the method hands something to another thread, which completes a future with it. */
static bool begins(const struct wick_profile *p, const struct wick_function *f)
{
    const char *class_name = wick_profile_str(p, f->class_name), *name = wick_profile_str(p, f->name);
    bool pool = strstr(class_name, "Executor") || strstr(class_name, "ForkJoinPool");
    bool hands = !strcmp(name, "execute") || !strcmp(name, "submit") || !strcmp(name, "schedule");
    return !strncmp(class_name, "java/", strlen("java/")) && ((pool && hands) || strstr(name, "Async"));
}

/* The stack cut at the program's frame that begins there what completes a future, 0 = none does. */
static uint32_t beginner_of(const struct wick_profile *p, uint32_t stack)
{
    bool begun = false;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_function *f = &p->functions[wick_explain_function_at(p, s)];
        begun |= begins(p, f);
        if (begun && !wick_name_is_jdk(wick_profile_str(p, f->class_name)))
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

/* Futures that are awaited there are begun by a stage before that which waits. */
static void say_begun(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    int64_t waits = 0, streams = 0;
    uint32_t beginner = 0;
    unsigned begun = 0;
    for (size_t i = 0; i < f->nwall; i++) {
        bool here = wick_explain_waits_there(x, x->waits[i], at);
        waits = wick_sum(waits, here ? f->wall[i].weight_ns : 0);
        streams = wick_sum(streams, here && in_stages(f->p, f->wall[i].stack, at->function) ? f->wall[i].weight_ns : 0);
    }
    for (size_t i = 0; i < f->ncpu; i++) {
        uint32_t cut = stages_of(f->p, f->cpu[i].stack, at->function) == 1 ? beginner_of(f->p, f->cpu[i].stack) : 0;
        beginner = cut ? cut : beginner;
        begun += cut != 0;
    }
    if (begun < BEGUN_LEAST || (double)streams < STREAM_LEAST * (double)waits)
        return;
    wick_explain_say_frame(x, r, "beginner", wick_explain_frame_at(f->p, beginner));
    r->advice = advice;
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
        streams = wick_sum(streams, here && in_stages(f->p, f->wall[i].stack, waiter) ? ns : 0);
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
