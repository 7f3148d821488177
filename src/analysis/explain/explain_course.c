/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_course.c - which threads act, which wait for those, and which have nothing to do
 *
 * A wait that another thread of the process ends (a lock, room in a queue, a notification) is never the end of a chain:
 * somebody else computes, or waits for what is outside of the process, or nobody does and all wait for each other.
 *
 * What a thread waits for by a kind that depends (def/wait_kind.def), its frames do not say. Two things do:
 *
 *     A thread that takes clients or events and is hardly ever seen to wait for them has no time to: whatever it waits
 *     for in their place keeps them waiting, so that it is not idle.
 *
 *     Where threads that are woken often wait for each other, and nothing that could have woken them works or is woken
 *     as often, it is their waits themselves that take the time: wake-ups that went to others or came too early, so
 *     that time-outs end the waits.
 */
#include <stdlib.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"

#define REST_MOST   0.10 /* of a thread's time: one that has more of it has time to spare */
#define TURNS_LEAST 5    /* samples in which it waits for the next one */
#define OFTEN       5.0  /* times a second: who is woken so often is no poller that looks after something */
#define AS_OFTEN    0.25 /* of how often those who wait are woken: it may wake several at a time */
#define FEEDS       0.10 /* the same of several that may feed them together, each by more than one piece of work */
#define ACTS_MOST   0.25 /* of the recording, all threads together */
#define WORKS_LEAST 0.50 /* of a thread's time: it computes, or would with a CPU */
#define TURN_MOST   5e5  /* ns: on a CPU each time, of one that does little */
#define GROUP_LEAST 2.0  /* threads, on average */
#define LONG_LEAST  5e8  /* ns: a wait that does not end in between */
#define LONG_MOST   0.75 /* of a thread's time: in such waits */

bool wick_explain_is_inner(enum wick_wait_kind kind)
{
    switch (kind) {
    case WICK_WAIT_QUEUE:
    case WICK_WAIT_CONDITION:
    case WICK_WAIT_OBJECT_WAIT:
    case WICK_WAIT_PARK:
    case WICK_WAIT_EXCHANGE:
    case WICK_WAIT_THREAD:
    case WICK_WAIT_MONITOR:
    case WICK_WAIT_LOCK:
    case WICK_WAIT_READ_LOCK:
    case WICK_WAIT_WRITE_LOCK:
    case WICK_WAIT_SEMAPHORE:
    case WICK_WAIT_POOL:
    case WICK_WAIT_QUEUE_FULL:
    case WICK_WAIT_FUTURE:
    case WICK_WAIT_REPLY:
    case WICK_WAIT_POOL_END:
    case WICK_WAIT_LATCH:
        return true;
    default:
        return false;
    }
}

static bool takes_turns(enum wick_wait_kind kind)
{
    return kind == WICK_WAIT_CLIENT || kind == WICK_WAIT_EVENT;
}

enum wick_explain_act wick_explain_course_of(const struct wick_explain *x, size_t i)
{
    const struct wick_explain_sample *s = &x->f->wall[i];
    enum wick_wait_kind kind = x->waits[i].kind;
    if (kind == WICK_WAIT_NONE)
        return 1u << s->state & WICK_EXPLAIN_WORK && wick_explain_wait_at(x, s->stack).stack ? WICK_EXPLAIN_ACTS
                                                                                             : WICK_EXPLAIN_RESTS;
    if (wick_explain_is_inner(kind))
        return WICK_EXPLAIN_AWAITS;
    return kind == WICK_WAIT_DISK || wick_explain_is_trouble(x, i) ? WICK_EXPLAIN_ACTS : WICK_EXPLAIN_RESTS;
}

/* Of a thread, by its samples. */
struct course {
    int64_t all_ns, rest_ns, inner_ns, outer_ns, long_ns;
    uint32_t turns;
};

/* Whether the sample is of a thread that lacks a CPU for a moment before it goes on: on a machine whose CPUs others
 * take, little work has to wait as well. Not of one that lacks it for most of its time, nor of one that computes until
 * the CPU is taken from it, after a few milliseconds, as those do that work in turn. */
static bool lacks_for_moment(const struct wick_explain_facts *f, const struct wick_explain_sample *s, int64_t all_ns)
{
    const struct wick_explain_use *use = s->thread < f->nuses ? &f->uses[s->thread] : NULL;
    return s->state == WICK_EXPLAIN_WAITING_FOR_CPU && use && use->cpu_ns &&
           (double)use->cpu_ns < TURN_MOST * (double)use->slices &&
           (double)wick_sum(use->cpu_ns, use->delay_ns) < WORKS_LEAST * (double)all_ns;
}

static void learn(const struct wick_explain *x, struct course *of)
{
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->nwall; i++)
        of[f->wall[i].thread].all_ns = wick_sum(of[f->wall[i].thread].all_ns, f->wall[i].weight_ns);
    for (size_t i = 0; i < f->nwall; i++) {
        struct course *c = &of[f->wall[i].thread];
        enum wick_wait_kind kind = x->waits[i].kind;
        int64_t ns = f->wall[i].weight_ns;
        bool idle = kind != WICK_WAIT_NONE && wick_wait_role_of(kind) == WICK_WAIT_IDLE;
        c->turns += takes_turns(kind);
        c->rest_ns = wick_sum(c->rest_ns, idle ? ns : 0);
        c->long_ns = wick_sum(c->long_ns, wick_explain_is_long(&f->wall[i]) ? ns : 0);
        if (lacks_for_moment(f, &f->wall[i], c->all_ns))
            continue;
        if (wick_explain_is_inner(kind) && x->waits[i].stack)
            c->inner_ns = wick_sum(c->inner_ns, ns);
        else if (kind == WICK_WAIT_NONE ? wick_explain_wait_at(x, f->wall[i].stack).stack != 0
                                        : kind != WICK_WAIT_REFERENCE && (x->waits[i].stack || idle))
            c->outer_ns = wick_sum(c->outer_ns, ns);
    }
    for (size_t i = 0; i < f->ncpu; i++)
        of[f->cpu[i].thread].turns += takes_turns(wick_explain_wait_at(x, f->cpu[i].stack).kind);
}

bool wick_explain_is_long(const struct wick_explain_sample *s)
{
    return s->count > 1 && (double)s->weight_ns >= LONG_LEAST;
}

static double rate_of(const struct wick_explain_facts *f, uint32_t thread)
{
    return thread < f->nuses ? wick_explain_share((double)f->uses[thread].slices * 1e9, (double)f->duration_ns) : 0;
}

bool wick_explain_is_often(const struct wick_explain_facts *f, uint32_t thread)
{
    return rate_of(f, thread) >= OFTEN;
}

/* How often it ends what it waits for. One that is mostly found in long waits is put on a CPU many times after each, if
 * others take that from it again. */
static double turns_of(const struct wick_explain_facts *f, const struct course *of, uint32_t thread)
{
    return (double)of[thread].long_ns >= LONG_MOST * (double)of[thread].all_ns ? 0 : rate_of(f, thread);
}

/* Whether threads wait for each other, are woken often, and nothing else is that could wake them. Virtual threads are
 * sampled as one, of which nothing is known of each. */
static bool is_closed(const struct wick_explain_facts *f, const struct course *of)
{
    double inner = 0, woken = 0, members = 0, outer = 0, sources = 0, fed = 0;
    for (uint32_t t = 1; t < f->p->nthreads; t++) {
        if (wick_profile_thread_is_many(&f->p->threads[t]) && of[t].all_ns)
            return false;
        if (of[t].inner_ns <= of[t].outer_ns || turns_of(f, of, t) < OFTEN)
            continue;
        inner += (double)of[t].inner_ns;
        woken += turns_of(f, of, t);
        members++;
    }
    if (members < GROUP_LEAST || !wick_explain_counts(f, inner, GROUP_LEAST))
        return false;
    for (uint32_t t = 1; t < f->p->nthreads; t++) {
        double rate = turns_of(f, of, t);
        if (rate >= AS_OFTEN * woken / members)
            outer += (double)of[t].outer_ns;
        else if (rate >= OFTEN && of[t].outer_ns && of[t].inner_ns <= of[t].outer_ns) { /* not the JVM's own */
            sources += rate;
            fed += (double)of[t].outer_ns;
        }
    }
    outer += sources >= FEEDS * woken / members ? fed : 0;
    return !wick_explain_counts(f, outer, ACTS_MOST);
}

bool wick_explain_learn_courses(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct course *of = calloc(f->p->nthreads + 1, sizeof *of);
    if (!of)
        return false;
    learn(x, of);
    for (uint32_t t = 1; t < f->p->nthreads; t++) /* of virtual threads, sampled as one, others do the waiting */
        x->pressed[t] = of[t].turns >= TURNS_LEAST && (double)of[t].rest_ns <= REST_MOST * (double)of[t].all_ns &&
                        !wick_explain_is_unmounted(x, t);
    x->closed = is_closed(f, of);
    free(of);
    return true;
}
