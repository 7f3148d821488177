/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall_visit.c - see wall.h for the three cases
 */
#include "engine/wall_visit.h"

#include <stdlib.h>

#include "base/random.h"
#include "jfr/writer.h"

enum { MOST_SKIPS = 1000, TRIES = 3, FINISHED_MOST = 1 << 17 };
#define MOST_AGE_NS      60000000000ull
#define ACCOUNT_NS       1000000000ull
#define MOST_OWED        0xffffu
#define MOST_OWED_WEIGHT (1ull << 46)

/* Room for one more element; false if there is no memory or the drain does not come. */
static bool room(void **p, uint32_t count, uint32_t *cap, size_t size)
{
    if (count < *cap)
        return true;
    uint32_t more = *cap ? *cap * 2 : 64;
    void *q = more <= FINISHED_MOST ? realloc(*p, more * size) : NULL;
    if (!q)
        return false;
    *p = q;
    *cap = more;
    return true;
}

/* Hands over an event whose samples are in the books. */
static void hand_over(struct wick_wall_engine *e, const struct wick_event *ev)
{
    struct wick_wall_finished *f = &e->finished;
    if (room((void **)&f->events, f->event_count, &f->event_cap, sizeof *f->events))
        f->events[f->event_count++] = *ev;
    else
        wick_recorder_wall_lost(e->recorder, WICK_DROP_OUT_OF_MEMORY, ev);
}

static void hand_over_batch(struct wick_wall_engine *e, struct wick_wall_slot *s)
{
    if (s->batch.samples)
        hand_over(e, &s->batch);
    s->batch.samples = 0;
    s->batch.weight = s->batch.span_ns = 0;
}

void wick_wall_finish_locked(struct wick_wall_engine *e, struct wick_wall_slot *s)
{
    hand_over_batch(e, s);
    s->idle = false;
}

void wick_wall_account_locked(struct wick_wall_engine *e, struct wick_wall_slot *s, uint64_t now_ns)
{
    struct wick_wall_finished *f = &e->finished;
    struct wick_wall_sched now;
    if (e->eyes.sched(e->tasks, s->tid, &now) || now.slices < s->sched.slices || now.cpu_ns < s->sched.cpu_ns)
        return; /* gone; its id may be another's already */
    if (now.cpu_ns == s->sched.cpu_ns && now.delay_ns == s->sched.delay_ns)
        return;
    if (s->sched_ns && room((void **)&f->times, f->time_count, &f->time_cap, sizeof *f->times))
        f->times[f->time_count++] = (struct wick_wall_cpu_time){
            .start_ns = s->sched_ns,
            .end_ns = now_ns,
            .used = {now.cpu_ns - s->sched.cpu_ns, now.delay_ns - s->sched.delay_ns, now.slices - s->sched.slices},
            .thread = s->serial,
        };
    s->sched = now;
    s->sched_ns = now_ns;
}

/* One more sample of a stack that is known, in the state given. */
static void grow(struct wick_wall_engine *e, struct wick_wall_slot *s, uint8_t state, uint64_t now, uint64_t weight)
{
    struct wick_event one = s->batch;
    one.time_ns = now;
    one.weight = weight;
    one.samples = 1;
    one.span_ns = 0;
    one.state = state;
    one.flags = 0;
    wick_recorder_wall_sig(e->recorder, &one);
    if (e->nobatch || state != s->batch.state) {
        hand_over(e, &one);
        return;
    }
    if (!s->batch.samples)
        s->batch.time_ns = now;
    s->batch.span_ns = now - s->batch.time_ns;
    s->batch.samples++;
    s->batch.weight += weight;
}

/* The stack that was just walked is the thread's as long as its CPU clock stands still at `cpu`. */
static void settle(struct wick_wall_engine *e, struct wick_wall_slot *s, const struct wick_event *walked, uint64_t cpu,
                   uint64_t now, uint64_t weight)
{
    s->batch = *walked;
    s->batch.thread = s->serial;
    s->batch.time_ns = now;
    s->batch.weight = weight;
    s->batch.samples = 1;
    s->batch.span_ns = 0;
    wick_recorder_wall_sig(e->recorder, &s->batch);
    s->idle = true;
    s->idle_cpu = cpu;
    e->stats.outside++;
    if (e->nobatch)
        hand_over_batch(e, s);
}

/* Takes back what a thread did not come for. */
static void drop_owed(struct wick_wall_engine *e, struct wick_wall_slot *s, enum wick_drop why)
{
    for (int i = 0; i < WICK_WALL_OWED_COUNT; i++) {
        uint32_t n;
        uint64_t weight = wick_wall_owed_take(s, i, &n);
        if (n)
            wick_recorder_wall_drop_sig(e->recorder, why, n, weight);
    }
}

/* Owes the thread a sample and tells it so, unless it was told and has not come yet. The handler clears `signalled`
 * before it takes what is owed, so whatever is added is seen by it or by the next. */
static void owe(struct wick_wall_engine *e, struct wick_wall_slot *s, int which, uint64_t weight)
{
    if (weight > MOST_OWED_WEIGHT) /* the process stood still for long; this does not fit the slot's word */
        return wick_recorder_wall_drop_sig(e->recorder, WICK_DROP_NO_SIGNAL, 1, weight);
    uint64_t before = wick_load_relaxed(&s->owed[which]);
    if ((before & MOST_OWED) == MOST_OWED || before >> 16 > MOST_OWED_WEIGHT)
        drop_owed(e, s, WICK_DROP_NO_SIGNAL);            /* it blocks the signal */
    atomic_fetch_add(&s->owed[which], weight << 16 | 1); /* pairs: wick_wall_owed_take */
    if (atomic_exchange(&s->signalled, 1))
        return;
    e->stats.signals++;
    if (e->eyes.signal(e, s->tid))
        return;
    atomic_store(&s->signalled, 0);
    drop_owed(e, s, WICK_DROP_NO_SIGNAL);
}

static void drop(struct wick_wall_engine *e, enum wick_drop why, uint64_t weight)
{
    wick_recorder_wall_drop_sig(e->recorder, why, 1, weight);
}

/* Did a thread that can run now spend its time on a processor or waiting for one? See wall.h. */
static int ready_state(struct wick_wall_engine *e, struct wick_wall_slot *s, uint64_t cpu)
{
    struct wick_wall_sched now;
    uint64_t used = cpu - s->seen_cpu, waited = 0;
    if (!e->eyes.sched(e->tasks, s->tid, &now)) {
        waited = now.delay_ns - s->seen_delay;
        s->seen_delay = now.delay_ns;
    }
    s->seen_cpu = cpu;
    bool runs = used && wick_random_below(&e->random, used + waited) < used;
    return runs ? WICK_WALL_OWED_RUNNING : WICK_WALL_OWED_WAITING;
}

/* The thread has moved since its last visit, or was never visited. */
static void visit_anew(struct wick_wall_engine *e, uint32_t slot, enum wick_wall_seen seen, struct wick_wall_look *look,
                       uint64_t cpu, uint64_t now, uint64_t weight)
{
    struct wick_wall_slot *s = &e->slots[slot];
    for (int i = 0; i < TRIES; i++) {
        struct wick_event walked;
        enum wick_drop why;
        if (seen == WICK_WALL_GONE)
            return drop(e, WICK_DROP_THREAD_ENDED, weight);
        if (seen == WICK_WALL_READY)
            return owe(e, s, ready_state(e, s, cpu), weight);
        if (!e->eyes.walk(e, &e->threads->slots[slot], look, &walked, &why))
            return drop(e, why, weight);
        uint64_t after = e->eyes.cpu_ns(s->tid);
        if (after == cpu)
            return settle(e, s, &walked, cpu, now, weight);
        cpu = after;
        seen = e->eyes.look(e->tasks, s->tid, look);
    }
    drop(e, WICK_DROP_THREAD_MOVED, weight);
}

static bool is_full(const struct wick_wall_slot *s, uint64_t now)
{
    return s->batch.samples > MOST_SKIPS || (s->batch.samples && now - s->batch.time_ns > MOST_AGE_NS);
}

void wick_wall_visit_locked(struct wick_wall_engine *e, uint32_t slot, uint64_t now_ns, uint64_t weight)
{
    struct wick_wall_slot *s = &e->slots[slot];
    struct wick_wall_look look;
    uint64_t cpu = s->serial ? e->eyes.cpu_ns(s->tid) : 0;
    enum wick_wall_seen seen = cpu ? e->eyes.look(e->tasks, s->tid, &look) : WICK_WALL_GONE;
    if (s->idle && cpu == s->idle_cpu && seen != WICK_WALL_GONE && !is_full(s, now_ns)) {
        /* it has not run since: if it could now, it waits for a processor, still with that stack */
        e->stats.idle++;
        return grow(e, s, seen == WICK_WALL_READY ? WICK_JFR_STATE_WAITING_FOR_CPU : s->batch.state, now_ns, weight);
    }
    wick_wall_finish_locked(e, s);
    if (seen != WICK_WALL_GONE && now_ns - s->sched_ns >= ACCOUNT_NS)
        wick_wall_account_locked(e, s, now_ns);
    visit_anew(e, slot, seen, &look, cpu, now_ns, weight);
}
