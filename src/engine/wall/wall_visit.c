/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall_visit.c - what a visit does, and where its sample goes
 *
 * The cases and their statistics are in wall.h. The order of the steps follows from two rules: the CPU clock is the
 * witness, and a signal is the last resort. While the clock stands where it stood at the walk, the stack is known,
 * and only whether the thread could run is checked. Any other thread is examined, and walked if it waits; if the
 * clock has moved by the end of the walk, it is examined again, three times at most. A signal goes out right after
 * the check that it may.
 *
 * `batch` has two roles. It holds the stack that the thread waited with last (`known`), and the samples of it that
 * are to be handed over (`samples` > 0). Handing them over leaves the stack: a later visit may count with it.
 *
 * Accounting. A sample with a known stack is counted when it is made; should its event find no room, it is taken back
 * as a drop. A held sample is counted later: by the handler, with those that are owed, or by give_back_held(). What
 * is owed is one word, weight and number, so the handler takes both in one step; what does not fit, or has no thread
 * to signal, is a drop. The samples of unchecked visits to an idle thread are moved to another state by the check
 * that stands for them.
 */
#include "engine/wall/wall_visit.h"

#include <stdlib.h>

#include "base/random.h"
#include "jfr/writer/writer.h"

enum {
    MOST_SKIPS = 1000,
    MOST_HELD = 16, /* samples of CPU time that wait for the thread to be found ready */
    TRIES = 3,
    FINISHED_MOST = 1 << 17,
    MOST_TRUST = 8, /* a thread long idle is checked in one of so many visits */
};
#define MOST_AGE_NS      60000000000ull
#define TRUST_NS         100000000ull  /* idle for less is not long */
#define SLEPT_NS         1000000000ull /* found asleep so lately, a thread may be on its way out of a wait */
#define HELD_BACK_NS     500000000ull  /* acknowledgements are delayed by less */
#define MOST_DUE         1e15
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

/* Hands over an event whose samples are counted. */
static void hand_over(struct wick_wall_engine *e, const struct wick_event *ev)
{
    struct wick_wall_finished *f = &e->finished;
    if (room((void **)&f->events, f->event_count, &f->event_cap, sizeof *f->events))
        f->events[f->event_count++] = *ev;
    else
        wick_recorder_uncount(e->recorder, WICK_DROP_OUT_OF_MEMORY, ev);
}

static void hand_over_batch(struct wick_wall_engine *e, struct wick_wall_slot *s)
{
    if (s->batch.samples)
        hand_over(e, &s->batch);
    s->batch.samples = 0;
    s->batch.weight = s->batch.span_ns = 0;
}

/* Samples that stand for CPU time of a thread that was not found on a processor since: they still count as that, and
 * the last wait's stack is the nearest there is. */
static void give_back_held(struct wick_wall_engine *e, struct wick_wall_slot *s)
{
    struct wick_event one = s->batch;
    if (!s->held)
        return;
    one.samples = s->held;
    one.weight = s->held_weight;
    one.span_ns = 0;
    one.flags = 0;
    one.state = WICK_JFR_STATE_RUNNABLE;
    wick_recorder_count_sig(e->recorder, &one);
    hand_over(e, &one);
    s->held_weight = s->held = 0;
}

void wick_wall_finish_locked(struct wick_wall_engine *e, struct wick_wall_slot *s)
{
    hand_over_batch(e, s);
    give_back_held(e, s);
    s->idle = s->known = false;
}

void wick_wall_account_locked(struct wick_wall_engine *e, struct wick_wall_slot *s, uint64_t now_ns)
{
    struct wick_wall_finished *f = &e->finished;
    struct wick_thread_sched now;
    if (e->eyes.sched(&e->files, s->tid, &now) || now.slices < s->sched.slices || now.cpu_ns < s->sched.cpu_ns ||
        now.delay_ns < s->sched.delay_ns)
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

/* One more sample of a stack that is known, counted. */
static struct wick_event one_more(struct wick_wall_engine *e, const struct wick_wall_slot *s, uint64_t now,
                                  uint64_t weight)
{
    struct wick_event one = s->batch;
    one.time_ns = now;
    one.weight = weight;
    one.samples = 1;
    one.span_ns = 0;
    one.flags = 0;
    wick_recorder_count_sig(e->recorder, &one);
    return one;
}

static void grow(struct wick_wall_engine *e, struct wick_wall_slot *s, uint64_t now, uint64_t weight)
{
    struct wick_event one = one_more(e, s, now, weight);
    if (e->nobatch)
        return hand_over(e, &one);
    if (!s->batch.samples)
        s->batch.time_ns = now;
    s->batch.span_ns = now - s->batch.time_ns;
    s->batch.samples++;
    s->batch.weight += weight;
}

/* A sample of the known stack that stands alone, in that state. */
static void lone(struct wick_wall_engine *e, struct wick_wall_slot *s, uint8_t state, uint64_t now, uint64_t weight)
{
    struct wick_event one = one_more(e, s, now, weight);
    one.state = state;
    hand_over(e, &one);
}

/* The thread could run by now, but has not since it was walked: it waits for a processor, with that stack. The sample
 * also counts for `taken` unchecked ones; they are taken out of the batch. */
static void wait_for_cpu(struct wick_wall_engine *e, struct wick_wall_slot *s, uint32_t taken, uint64_t now,
                         uint64_t weight)
{
    struct wick_event *b = &s->batch, one = one_more(e, s, now, weight);
    uint64_t share = taken < b->samples ? b->weight / b->samples * taken : b->weight;
    one.state = WICK_JFR_STATE_WAITING_FOR_CPU;
    if (taken) {
        b->samples -= taken;
        b->weight -= share;
        one.samples += taken;
        one.weight += share;
    }
    s->due_delay -= (int64_t)one.weight;
    hand_over(e, &one);
}

/* One of how many visits to an idle thread checks it? Most threads that wait will go on to do so, and a check costs
 * more than all the rest of a visit. The result of a check counts for the visits without one, so there is no bias, only
 * more variance. So trust grows: none where every single wait may matter, never more than there are samples to take
 * from. */
static uint32_t trust(const struct wick_wall_engine *e, const struct wick_wall_slot *s, uint64_t now)
{
    if (e->nobatch || now - s->settled_ns < TRUST_NS)
        return 1;
    return s->batch.samples < MOST_TRUST ? s->batch.samples + 1 : MOST_TRUST;
}

/* A sample of CPU time, counted when the thread is next found running. */
static void hold(struct wick_wall_slot *s, uint64_t weight)
{
    s->due_cpu -= (int64_t)weight;
    s->held_weight += weight;
    s->held++;
}

/* What a thread wrote before it began to wait may be held back from then on, until the acknowledgement comes. What is
 * held back later, or for longer, others write, and it need not be what this one waits for. */
static uint8_t state_of_wait(struct wick_wall_slot *s, const struct wick_event *walked, uint64_t cpu, uint64_t now)
{
    bool same = s->known && s->idle_cpu == cpu, before = same && s->batch.state == WICK_JFR_STATE_HELD_BACK;
    if (walked->state != WICK_JFR_STATE_HELD_BACK)
        return walked->state;
    if (!before)
        s->held_back_ns = now;
    return same && (!before || now - s->held_back_ns > HELD_BACK_NS) ? WICK_JFR_STATE_IO : walked->state;
}

/* The stack that was just walked is the thread's as long as its CPU clock stands still at `cpu`. */
static void settle(struct wick_wall_engine *e, struct wick_wall_slot *s, const struct wick_event *walked, uint64_t cpu,
                   uint64_t now, uint64_t weight)
{
    uint8_t state = state_of_wait(s, walked, cpu, now);
    s->batch = *walked;
    s->batch.state = state;
    s->batch.thread = s->serial;
    s->batch.time_ns = now;
    s->batch.weight = weight;
    s->batch.samples = 1;
    s->batch.span_ns = 0;
    s->known = true;
    s->idle = state != WICK_JFR_STATE_HELD_BACK; /* that ends while the thread goes on waiting: each visit asks anew */
    s->idle_cpu = cpu;
    s->settled_ns = now;
    e->stats.outside++;
    /* Did it wait for a processor, or run, when this sample was due? */
    bool waited = s->balanced && s->due_delay >= (int64_t)weight;
    bool ran = s->balanced && !waited && s->due_cpu >= (int64_t)weight;
    if (ran && s->held < MOST_HELD) {
        hold(s, weight);
        s->batch.samples = 0;
        s->batch.weight = 0;
        return;
    }
    wick_recorder_count_sig(e->recorder, &s->batch);
    if (waited || ran) {
        struct wick_event one = s->batch;
        one.state = waited ? WICK_JFR_STATE_WAITING_FOR_CPU : WICK_JFR_STATE_RUNNABLE;
        *(waited ? &s->due_delay : &s->due_cpu) -= (int64_t)weight;
        s->batch.samples = 0;
        s->batch.weight = 0;
        hand_over(e, &one);
    }
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
            wick_recorder_drop_sig(e->recorder, WICK_EVENT_WALL, why, n, weight);
    }
}

/* Owes the thread n samples and signals it, unless a signal is still on its way. The handler clears `signalled`
 * before it takes what is owed, so whatever is added is seen by it or by the next. */
static void owe(struct wick_wall_engine *e, struct wick_wall_slot *s, int which, uint64_t weight, uint32_t n)
{
    if (weight > MOST_OWED_WEIGHT) /* the process stood still for long; this does not fit the slot's word */
        return wick_recorder_drop_sig(e->recorder, WICK_EVENT_WALL, WICK_DROP_NO_SIGNAL, n, weight);
    uint64_t before = wick_load_relaxed(&s->owed[which]);
    if ((before & MOST_OWED) > MOST_OWED - n || before >> 16 > MOST_OWED_WEIGHT)
        drop_owed(e, s, WICK_DROP_NO_SIGNAL);            /* it blocks the signal */
    atomic_fetch_add(&s->owed[which], weight << 16 | n); /* pairs: wick_wall_owed_take */
    if (atomic_exchange(&s->signalled, 1)) /* pairs: wick_wall_signal_sig; seq_cst: after what is owed was added */
        return;
    e->stats.signals++;
    if (e->eyes.signal(e, s->tid))
        return;
    wick_store_relaxed(&s->signalled, 0);
    drop_owed(e, s, WICK_DROP_NO_SIGNAL);
}

static void drop(struct wick_wall_engine *e, enum wick_drop why, uint64_t weight)
{
    wick_recorder_drop_sig(e->recorder, WICK_EVENT_WALL, why, 1, weight);
}

/* Time by schedstat in weight: the visits of `gap` weigh `since`. Bounded, so that no balance overflows. */
static int64_t in_weight(uint64_t ns, uint64_t since, uint64_t gap, int64_t before)
{
    double due = (double)before + (double)ns * (double)since / (double)gap;
    return due > MOST_DUE ? (int64_t)MOST_DUE : due < -MOST_DUE ? (int64_t)-MOST_DUE : (int64_t)due;
}

struct spent {
    uint64_t used, waited;
    bool slept; /* for a quarter of the time or more */
};

/* What the thread used and waited for a processor since the last call, and its balance by that. There is no balance for
 * a time in which the thread was not a candidate throughout: what it did in that time does not belong to its
 * samples. */
static struct spent settle_dues(struct wick_wall_engine *e, uint32_t slot, uint64_t cpu, uint64_t now_ns)
{
    struct wick_wall_slot *s = &e->slots[slot];
    struct wick_thread_sched now;
    struct spent sp = {.used = cpu > s->seen_cpu ? cpu - s->seen_cpu : 0}; /* less: its id is another's */
    bool left = wick_wall_set_has(&e->left, slot), seen = !e->eyes.sched(&e->files, s->tid, &now),
         known = seen && now.slices && cpu >= s->seen_cpu && now.delay_ns >= s->seen_delay;
    sp.waited = known ? now.delay_ns - s->seen_delay : 0;
    s->seen_delay = seen ? now.delay_ns : s->seen_delay;
    uint64_t gap = e->sampled_ns - s->seen_sampled; /* by the ticks' own times: a late one is as long as one in time */
    s->balanced = known && !left && s->seen_ns && gap;
    if (s->balanced) {
        sp.slept = sp.used + sp.waited < (now_ns - s->seen_ns) / 4 * 3;
        s->due_cpu = in_weight(sp.used, s->since, gap, s->due_cpu);
        s->due_delay = in_weight(sp.waited, s->since, gap, s->due_delay);
    } else {
        give_back_held(e, s);
        s->due_cpu = s->due_delay = 0;
    }
    wick_wall_set_put(&e->left, slot, false);
    s->seen_cpu = cpu;
    s->seen_ns = now_ns;
    s->seen_sampled = e->sampled_ns;
    s->since = 0;
    return sp;
}

/* Was it on a processor, or waiting for one? The state that more is due of, by a whole sample; otherwise at random.
 * While the sampler had no processor the thread probably had none either, except for what it used; that wait, still in
 * progress, is not in its schedstat yet. */
static bool is_running(struct wick_wall_engine *e, const struct wick_wall_slot *s, struct spent sp, uint64_t weight)
{
    int64_t more = s->balanced ? s->due_cpu - s->due_delay : 0;
    if (!sp.used || (more <= -(int64_t)weight && s->due_delay > 0))
        return false;
    uint64_t hidden = e->missed_ns > sp.used ? e->missed_ns - sp.used : 0;
    return (more >= (int64_t)weight && s->due_cpu > 0) ||
           wick_random_below(&e->random, sp.used + sp.waited + hidden) < sp.used;
}

/* Could a signal break off a call of a thread that can run? One that sleeps now and then and is on no processor has
 * perhaps just been woken in poll() or its like: these report EINTR for any signal that is pending when they get on,
 * though what they waited for has come. One that is on a processor takes the signal where it computes, and so does one
 * in Java code or in the JVM's own, wherever it was preempted. */
static bool may_be_in_call(struct wick_wall_engine *e, const struct wick_wall_slot *s, struct spent sp, uint64_t now)
{
    return s->balanced && s->known && (sp.slept || now - s->settled_ns < SLEPT_NS) &&
           !e->eyes.outside_calls(e, &e->threads->slots[s - e->slots]) &&
           e->eyes.cpu_ns(s->tid) == e->eyes.cpu_ns(s->tid);
}

/* The thread can run now. Did it spend its time on a processor, waiting for one, or asleep? See wall.h. */
static void visit_ready(struct wick_wall_engine *e, struct wick_wall_slot *s, struct spent sp, uint64_t now,
                        uint64_t weight)
{
    if (s->balanced && s->known && sp.used && s->due_cpu + s->due_delay <= -(int64_t)weight)
        return lone(e, s, s->batch.state, now, weight);
    bool runs = is_running(e, s, sp, weight);
    if (may_be_in_call(e, s, sp, now) && (!runs || s->held < MOST_HELD)) {
        if (runs)
            return hold(s, weight);
        s->due_delay -= (int64_t)weight;
        return lone(e, s, WICK_JFR_STATE_WAITING_FOR_CPU, now, weight);
    }
    uint32_t held = runs ? s->held : 0;
    *(runs ? &s->due_cpu : &s->due_delay) -= (int64_t)weight;
    owe(e, s, runs ? WICK_WALL_OWED_RUNNING : WICK_WALL_OWED_WAITING, weight + (runs ? s->held_weight : 0), 1 + held);
    if (runs)
        s->held_weight = s->held = 0;
}

/* The thread has moved since its last visit, or was never visited. The check comes last before the signal: what lies
 * between the two is the time in which the thread may begin a wait that the signal breaks off. */
static void visit_anew(struct wick_wall_engine *e, uint32_t slot, uint64_t cpu, uint64_t now, uint64_t weight)
{
    struct wick_wall_slot *s = &e->slots[slot];
    struct wick_thread_look look;
    struct spent sp = {0, 0};
    if (cpu)
        sp = settle_dues(e, slot, cpu, now);
    enum wick_thread_seen seen = cpu ? e->eyes.look(&e->files, s->tid, &look) : WICK_THREAD_GONE;
    wick_wall_set_put(&e->active, slot, sp.used || seen == WICK_THREAD_READY);
    for (int i = 0; i < TRIES; i++) {
        struct wick_event walked;
        enum wick_drop why;
        if (seen == WICK_THREAD_GONE)
            return drop(e, WICK_DROP_THREAD_ENDED, weight);
        if (seen == WICK_THREAD_READY)
            return visit_ready(e, s, sp, now, weight);
        if (!e->eyes.walk(e, &e->threads->slots[slot], &look, &walked, &why))
            return drop(e, why, weight);
        uint64_t after = e->eyes.cpu_ns(s->tid);
        if (after == cpu)
            return settle(e, s, &walked, cpu, now, weight);
        cpu = after;
        seen = e->eyes.look(&e->files, s->tid, &look);
    }
    drop(e, WICK_DROP_THREAD_MOVED, weight);
}

static bool is_full(const struct wick_wall_slot *s, uint64_t now)
{
    return s->batch.samples > MOST_SKIPS || (s->batch.samples && now - s->batch.time_ns > MOST_AGE_NS);
}

/* The thread waited when it was walked, and its CPU clock has stood still since. False: it has ended. */
static bool visit_idle(struct wick_wall_engine *e, struct wick_wall_slot *s, uint64_t now, uint64_t weight)
{
    struct wick_thread_look look;
    uint32_t of = trust(e, s, now);
    enum wick_thread_seen seen =
        wick_random_below(&e->random, of) ? WICK_THREAD_WAITS : e->eyes.look(&e->files, s->tid, &look);
    if (seen == WICK_THREAD_GONE)
        return false;
    e->stats.idle++;
    if (seen == WICK_THREAD_READY)
        wait_for_cpu(e, s, of - 1, now, weight);
    else
        grow(e, s, now, weight);
    return true;
}

void wick_wall_visit_locked(struct wick_wall_engine *e, uint32_t slot, uint64_t now_ns, uint64_t weight)
{
    struct wick_wall_slot *s = &e->slots[slot];
    uint64_t cpu = s->serial ? e->eyes.cpu_ns(s->tid) : 0;
    s->since += weight;
    if (cpu && s->idle && cpu == s->idle_cpu && !is_full(s, now_ns) && visit_idle(e, s, now_ns, weight)) {
        wick_wall_set_put(&e->active, slot, false);
        return;
    }
    hand_over_batch(e, s); /* its stack stays known */
    s->idle = false;
    if (cpu && now_ns - s->sched_ns >= ACCOUNT_NS)
        wick_wall_account_locked(e, s, now_ns);
    visit_anew(e, slot, cpu, now_ns, weight);
}

void wick_wall_visit_missed_locked(struct wick_wall_engine *e, uint32_t slot, uint64_t now_ns, uint64_t weight)
{
    struct wick_wall_slot *s = &e->slots[slot];
    if (!s->serial || !s->idle)
        return wick_wall_visit_locked(e, slot, now_ns, weight);
    s->since += weight;
    e->stats.idle++;
    grow(e, s, now_ns, weight);
}
