/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_scheduler.c - a scheduler of one thread of which one task takes long, while others are to run in time
 *
 *     thread   .tick...tick...[========= export =========]tick.tick.tick....tick...tick...[======
 *                              these ticks are delayed ----^
 *
 * A ScheduledThreadPoolExecutor of one thread, or a java.util.Timer, is idle most of the time, so its pool is not busy
 * and nobody waits for a future. What shows are the runs of the long task (samples of the thread that follow each
 * other), that there are other tasks at all (a sample of one will do, or a queue with several: they are short), and
 * that the thread wakes again and again while it rests between them: a wall-clock sample is one event for as long as
 * its thread stays where it was, so one that rests and then rests again has run in between. Others that run less often
 * show in the queue: its next task is due, and the thread does not take it. A task is the outermost
 * function of the program that the scheduler calls. A sample may stand for much time where many threads are sampled:
 * runs have to be several long.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/name.h"

#define RUN_LEAST    50000000.0 /* ns: how long a run takes on average, for others to be late */
#define RUNS_LEAST   2
#define SHARE_MOST   0.90 /* of the time: more is for the rules about busy pools and threads */
#define VISITS_LEAST 2.0  /* of a run, on average */
#define WAKE_LEAST   2.0  /* times a second */
#define TIMES_LEAST  4    /* for each run */
#define QUEUED_LEAST 3.0  /* tasks in its queue, on average */
#define TWO_LEAST    1.5  /* the same of a Timer, which has its own next run there; not in each reading */
#define DUE_OFTEN    3    /* readings in which another task was due ... */
#define DUE_SHARE    0.10 /* ... and of all readings: they run late again and again */
#define LATE         1.5  /* what it costs, with what others are delayed by, in terms of its own time */

enum place { ELSEWHERE, RESTS, RUNS };

struct row {
    int64_t time_ns;
    size_t i;
};

/* Runs of one task, in the order of time. */
struct runs {
    int64_t *by_task; /* time, by function */
    uint32_t *count;  /* runs, likewise */
    uint32_t best;
    size_t others; /* samples of tasks other than the best one */
    size_t wakes;  /* times that it rested, ran unseen, and rested again */
    double visits; /* of the best task */
    double waits;  /* ns: for something else than a CPU, likewise */
};

/* Whether the stack is of a scheduler's thread, and where in it; *task: what it runs. */
static enum place place_of(const struct wick_profile *p, uint32_t stack, uint32_t *task)
{
    static const char runs[] = "java/util/concurrent/ScheduledThreadPoolExecutor$ScheduledFutureTask",
                      queue[] = "java/util/concurrent/ScheduledThreadPoolExecutor$DelayedWorkQueue",
                      timer[] = "java/util/TimerThread", spring[] = "org/springframework/";
    bool scheduler = false, rests = false;
    *task = 0;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_frame *frame = &p->frames[p->stacks[s].frame];
        const char *class_name = wick_profile_str(p, p->functions[frame->function].class_name);
        if (!wick_frame_kind_is_java(frame->kind))
            continue;
        rests |= !strcmp(class_name, queue);
        scheduler |= !strcmp(class_name, runs) || !strcmp(class_name, timer);
        if (!scheduler && !rests && !wick_name_is_jdk(class_name) && strncmp(class_name, spring, strlen(spring)) != 0)
            *task = frame->function;
    }
    rests |= scheduler && !*task;
    return rests ? RESTS : scheduler ? RUNS : ELSEWHERE;
}

static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return x->time_ns != y->time_ns ? (x->time_ns < y->time_ns ? -1 : 1) : (x->i > y->i) - (x->i < y->i);
}

static void learn(const struct wick_explain *x, uint32_t thread, struct row *rows, struct runs *r)
{
    const struct wick_explain_facts *f = x->f;
    size_t n = 0;
    uint32_t last = 0, task;
    bool rested = false;
    for (size_t i = 0; i < f->nwall; i++)
        if (f->wall[i].thread == thread)
            rows[n++] = (struct row){f->wall[i].time_ns, i};
    qsort(rows, n, sizeof *rows, by_time);
    for (size_t k = 0; k < n; k++) {
        const struct wick_explain_sample *s = &f->wall[rows[k].i];
        enum place place = place_of(f->p, s->stack, &task);
        task = place == RUNS ? task : 0;
        r->wakes += place == RESTS && rested;
        rested = place == RESTS;
        r->by_task[task] = wick_sum(r->by_task[task], task ? s->weight_ns : 0);
        r->count[task] += task && task != last;
        r->best = r->by_task[task] > r->by_task[r->best] ? task : r->best;
        last = task;
    }
    for (size_t k = 0; k < n; k++) {
        const struct wick_explain_sample *s = &f->wall[rows[k].i];
        bool runs = place_of(f->p, s->stack, &task) == RUNS;
        r->others += runs && task != r->best;
        r->visits += runs && task == r->best ? (s->count ? (double)s->count : 1) : 0;
        r->waits += runs && task == r->best && x->waits[rows[k].i].kind != WICK_WAIT_NONE ? (double)s->weight_ns : 0;
    }
    for (size_t i = 0; i < f->ncpu; i++)
        r->others += f->cpu[i].thread == thread && place_of(f->p, f->cpu[i].stack, &task) == RUNS && task != r->best;
}

/* The frame of the task in its heaviest sample, and where it waits longest in it. */
static void say_task(struct wick_explain *x, struct wick_explain_finding *r, uint32_t thread, uint32_t task)
{
    const struct wick_explain_facts *f = x->f;
    size_t most = SIZE_MAX;
    uint32_t found;
    for (size_t i = 0; i < f->nwall; i++)
        if (f->wall[i].thread == thread && place_of(f->p, f->wall[i].stack, &found) == RUNS && found == task &&
            (most == SIZE_MAX || f->wall[i].weight_ns > f->wall[most].weight_ns))
            most = i;
    if (most == SIZE_MAX)
        return;
    for (uint32_t s = f->wall[most].stack; s; s = f->p->stacks[s].parent)
        if (wick_explain_function_at(f->p, s) == task) {
            wick_explain_say_frame(x, r, "task", f->p->stacks[s].frame);
            break;
        }
    if (x->waits[most].kind != WICK_WAIT_NONE) {
        wick_explain_say(x, r, "what", wick_wait_text(x->waits[most].kind));
        wick_explain_say_frame(x, r, "frame", wick_explain_frame_at(f->p, x->waits[most].stack));
    }
}

static const struct wick_explain_pool *queue_of(const struct wick_explain *x, uint32_t thread)
{
    const struct wick_explain_pool *o = wick_explain_pool_named(x, wick_explain_pool_name(x->f->p, thread));
    return o && o->readings && wick_explain_pool_is_timed(x, o) ? o : NULL;
}

/* How many tasks wait in it on average, without those that are cancelled. */
static double waiting_in(const struct wick_explain_pool *queue)
{
    return queue->queued_sum / (double)queue->readings - (double)queue->cancelled;
}

/* Whether others are due again and again, for as long as a run takes, while the thread waits in this task: where it
 * lacks a CPU they are due as well, and so is its only task. A Timer has the next run of the task that runs in its
 * queue already. */
static bool are_overdue(const struct wick_explain *x, const struct wick_explain_pool *queue, const struct runs *r)
{
    double least_ns = x->rule->threshold * (double)x->f->duration_ns;
    if (!queue || (wick_explain_pool_is_timer(x, queue) && (!r->others || waiting_in(queue) < TWO_LEAST)))
        return false;
    return queue->overdue >= DUE_OFTEN && (double)queue->overdue >= DUE_SHARE * (double)queue->timed &&
           queue->overdue_ns >= RUN_LEAST * (double)queue->overdue && r->waits >= least_ns;
}

static void judge(struct wick_explain *x, uint32_t thread, const struct runs *r)
{
    const struct wick_explain_facts *f = x->f;
    double ns = (double)r->by_task[r->best], runs = r->count[r->best], all = (double)f->duration_ns,
           wakes = (double)r->wakes;
    const struct wick_explain_pool *queue = queue_of(x, thread);
    bool often = wakes >= TIMES_LEAST * runs && wakes * 1e9 >= WAKE_LEAST * all, overdue = are_overdue(x, queue, r);
    bool others = r->others || overdue || (queue && waiting_in(queue) >= QUEUED_LEAST);
    if (!r->best || !others || runs < RUNS_LEAST || ns < RUN_LEAST * runs || r->visits < VISITS_LEAST * runs ||
        ns < x->rule->threshold * all || ns > SHARE_MOST * all || !(often || overdue))
        return;
    struct wick_explain_finding *found = wick_explain_found(x, ns);
    if (found)
        found->rank_ns = LATE * ns;
    wick_explain_filter_thread(x, found, thread);
    wick_explain_say(x, found, "thread", wick_profile_str(f->p, f->p->threads[thread].name));
    wick_explain_figure(found, "share", WICK_EXPLAIN_SHARE, ns / all);
    wick_explain_figure(found, "time", WICK_EXPLAIN_TIME, ns);
    wick_explain_figure(found, "each", WICK_EXPLAIN_TIME, ns / runs);
    if (often)
        wick_explain_figure(found, "rate", WICK_EXPLAIN_NUMBER, wakes * 1e9 / all);
    if (overdue) {
        wick_explain_figure(found, "overdue", WICK_EXPLAIN_NUMBER, (double)queue->overdue);
        wick_explain_figure(found, "readings", WICK_EXPLAIN_NUMBER, (double)queue->timed);
        wick_explain_figure(found, "delay", WICK_EXPLAIN_TIME, queue->overdue_ns / (double)queue->overdue);
    }
    say_task(x, found, thread, r->best);
}

void wick_explain_blocked_scheduler(struct wick_explain *x)
{
    struct wick_explain_facts *f = x->f;
    bool *done = calloc(f->p->nthreads + 1, sizeof *done);
    struct row *rows = calloc(f->nwall + 1, sizeof *rows);
    struct runs r = {.by_task = calloc(f->p->nfunctions + 1, sizeof *r.by_task),
                     .count = calloc(f->p->nfunctions + 1, sizeof *r.count)};
    bool room = done && rows && r.by_task && r.count;
    f->failed |= !room;
    for (size_t i = 0; room && i < f->nwall; i++) {
        uint32_t thread = f->wall[i].thread, task;
        if (!thread || done[thread] || place_of(f->p, f->wall[i].stack, &task) == ELSEWHERE)
            continue;
        done[thread] = true;
        if (wick_profile_thread_is_many(&f->p->threads[thread]) || wick_explain_pool_others(f->p, thread))
            continue;
        memset(r.by_task, 0, (f->p->nfunctions + 1) * sizeof *r.by_task);
        memset(r.count, 0, (f->p->nfunctions + 1) * sizeof *r.count);
        r.best = 0;
        r.others = r.wakes = 0;
        r.visits = r.waits = 0;
        learn(x, thread, rows, &r);
        judge(x, thread, &r);
    }
    free(r.count);
    free(r.by_task);
    free(rows);
    free(done);
}
