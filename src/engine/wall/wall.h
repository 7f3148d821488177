/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall.h - the engine that samples by elapsed time
 *
 * A thread of its own ticks at a constant interval. At each tick it draws k of the candidates (wall_pick.h) and visits
 * those, whatever the number of threads:
 *
 *   waits, and has used no CPU time since its last visit    its stack cannot have changed: one more sample of it is
 *                                                           counted, and nothing is touched. Whether it could run by
 *                                                           now is checked in each visit, of threads long idle in
 *                                                           one of up to eight, which then counts for them all
 *   waits elsewhere                                         it is walked from outside; its CPU clock before and after
 *                                                           shows whether it slept throughout
 *   can run                                                 it is sent a signal and walks itself; if it slept lately,
 *                                                           only while it is on a processor, or in Java code
 *
 * So a thread that waits is never signalled, nor one that may have been woken in a call and waits for a processor: for
 * these poll() and others also report EINTR. Its sample counts with its last wait, or is held (see below).
 *
 * Running or waiting for a processor. What the sampler sees at its tick would mislead: it needs a processor itself and
 * preempts another one. So a thread that can run gets the state at random, in the proportion of what the kernel says
 * that it used and waited since its last visit; one that has used nothing at all waits.
 *
 * Delayed visits. On a crowded machine the sampler gets its processor when the others get theirs (under a CPU
 * quota all of them at once), and finds those asleep that had waited for one at the time of the tick. So each thread
 * has a balance: schedstat's figures since its last visit, scaled to the weight of its visits, less what its samples
 * say. The scale compares with the time that the ticks between the two visits stand for, not with the time between the
 * visits: a tick in time after a late one follows at once, and it is then that the delay of a whole throttled period
 * shows up in schedstat. A thread that is found asleep while a whole visit of run-queue time is due is counted as
 * waiting for a processor; while a whole visit of CPU time is due, the sample is held and counted with the next that
 * finds the thread running. Where 16 are held already, or no visit finds it running until the balance ends, such a
 * sample counts as running with the stack of the wait: by schedstat it ran, and nothing nearer is known. One that is
 * found ready, has run, and had a whole visit too much of both is counted with its last wait. Both sides are needed: a
 * correction in one direction only would turn the scatter of visits that are in time into a bias. The delay of a wait
 * in progress is not in schedstat; it comes with the next visit. There is no balance for a thread that was not a
 * candidate throughout (it had no context for a while), nor without figures from schedstat.
 *
 * Idle batching. The samples of a thread that does not move are one event, a batch, which is handed over when the
 * thread has used CPU time, after MOST_SKIPS samples or MOST_AGE, when it ends, and when the drain asks (dump, end of a
 * chunk or of the recording). A batch is tied to a walk by the CPU clock, which the kernel advances by every
 * nanosecond that the thread runs, so a thread that woke and waits again elsewhere never adds to its old stack.
 *
 * Strata. Threads that had run at their last visit, and the others, are drawn apart: up to half of k from the former,
 * so that a busy thread is not lost among a thousand parked ones. A tick's strata are known before its draw, and
 * each draw weighs time x stratum / drawn from it, so every sum is unbiased.
 *
 * Contexts and delayed ticks. Where only threads with a context are candidates, the intervals that the sampler missed
 * go to the threads that were drawn at the tick before, as they were then: one that waited gets samples of that wait,
 * with the context it had, though both may be over by now.
 *
 * Weights. A visit weighs time x candidates / k, by stratum, time being the interval, or several where the sampler had
 * no processor; the weights of all visits sum up to the sum of time x candidates. What is sent by signal is owed to the
 * thread: further visits before it gets a processor add to it. A thread that ends before loses it, as a drop.
 *
 * Virtual threads on no carrier. No thread of the kernel stands for them, so they are populations of their own: those
 * with a context, whose records the labels keep, and the others, of which the JDK has sets. Of each a few are drawn at
 * each tick (wall_virtual.c), and their frozen frames are walked in the heap.
 *
 * Threads: start, stop, flush and take by the session's owner and the drain thread; the sampler; the handler in any
 *          thread. `lock` guards what is marked so; it is taken for one visit at a time, inside the
 *          registry's lock, never the other way round.
 * Memory:  one mapping, touched as threads come; finished events by malloc, bounded.
 */
#ifndef WICK_ENGINE_WALL_WALL_H
#define WICK_ENGINE_WALL_WALL_H

#include <pthread.h>

#include "engine/gate.h"
#include "engine/signal.h"
#include "engine/thread/awaited.h"
#include "engine/thread/threads.h"
#include "engine/wall/wall_filter.h"
#include "engine/thread/thread_look.h"
#include "engine/wall/wall_pick.h"
#include "hotspot/virtual_thread.h"

#define WICK_WALL_INTERVAL_NS 10000000ull /* default */

struct wick_wall_config {
    uint64_t interval_ns; /* 0 = WICK_WALL_INTERVAL_NS */
    uint32_t threads;     /* k; 0 = 16 */
    const char *filter;   /* wall_filter.h; "" or NULL = none given */
    bool nobatch;         /* an event for each sample */
    uint64_t seed;        /* of the draws; 0 = any */
};

/* What is owed to a thread by signal: weight << 16 | number of samples, by state. */
enum { WICK_WALL_OWED_RUNNING, WICK_WALL_OWED_WAITING, WICK_WALL_OWED_COUNT };

/* By slot of the registry. */
struct wick_wall_slot {
    _Atomic uint64_t owed[WICK_WALL_OWED_COUNT]; /* the sampler adds, the handler takes */
    _Atomic uint32_t signalled;                  /* a signal is on its way */
    struct wick_stack_window window;             /* the handler's */
    /* under the lock */
    uint32_t serial; /* 0 = no thread */
    int32_t tid;
    bool idle; /* `batch` holds its stack at CPU time `idle_cpu`; samples = 0: nothing to hand over */
    uint64_t idle_cpu, settled_ns; /* since then it has not run */
    uint64_t held_back_ns;         /* when it was first found so in this wait, if `batch` is of that state */
    struct wick_event batch;
    bool known;                     /* `batch` holds the last stack it waited with, of this generation */
    uint64_t seen_cpu, seen_delay;  /* CPU time and run-queue delay when it was last visited after it had run */
    uint64_t seen_ns, since;        /* when that was, 0 = never; the weight of the visits since then */
    uint64_t seen_sampled;          /* `sampled_ns` of that visit */
    int64_t due_cpu, due_delay;     /* what schedstat says in weight, less the samples that say so; see above */
    bool balanced;                  /* these are known for this visit */
    uint32_t held;                  /* samples of visits that found it asleep while CPU time was due ... */
    uint64_t held_weight;           /* ... that count as running with the next that finds it so */
    struct wick_thread_sched sched; /* at sched_ns; cpu_ns = 0: not known */
    uint64_t sched_ns;
};

struct wick_wall_cpu_time {
    uint64_t start_ns, end_ns;
    struct wick_thread_sched used;
    uint32_t thread;
};

struct wick_wall_stats {
    uint64_t candidates, ticks, merged, late_ns, latest_ns, chosen, idle, outside, signals, cpu_ns;
};

struct wick_wall_finished {
    struct wick_event *events;
    struct wick_wall_cpu_time *times;
    uint32_t event_count, event_cap, time_count, time_cap;
};

/* Candidates that are neither of the two, are active, are not but have a context (where others are also sampled). */
enum { WICK_WALL_STRATA = 3 };

/* Virtual threads on no carrier: those with a context, and the rest; how many of them are drawn at a tick. */
enum { WICK_WALL_VIRTUAL_HOLDERS, WICK_WALL_VIRTUAL_REST, WICK_WALL_VIRTUAL_KINDS };
enum { WICK_WALL_VIRTUAL_DRAWS = 2, WICK_WALL_VIRTUAL_OTHERS = 2 };

struct wick_wall_engine;

/* What the engine sees of threads; unit tests put theirs in place. */
struct wick_wall_eyes {
    uint64_t (*cpu_ns)(int32_t tid);
    enum wick_thread_seen (*look)(struct wick_thread_files *files, int32_t tid, struct wick_thread_look *out);
    int (*sched)(struct wick_thread_files *files, int32_t tid, struct wick_thread_sched *out);
    /* Walks a thread that waits. False: no stack, *why is the reason. */
    bool (*walk)(struct wick_wall_engine *e, const struct wick_engine_thread *t, const struct wick_thread_look *l,
                 struct wick_event *out, enum wick_drop *why);
    /* True if the thread is certainly in no call of native code that a signal could break off. */
    bool (*outside_calls)(struct wick_wall_engine *e, const struct wick_engine_thread *t);
    bool (*signal)(struct wick_wall_engine *e, int32_t tid);
};

struct wick_wall_engine {
    struct wick_recorder *recorder;
    struct wick_threads *threads;
    struct wick_wall_eyes eyes;
    struct wick_wall_filter filter;
    struct wick_signal signal;
    uint64_t interval;
    uint32_t k;
    bool nobatch;
    struct wick_wall_set admitted, context; /* candidates by the filter; those with a context at this tick */
    bool context_seen, narrowed;            /* at any tick; only those at the last one; the sampler's */
    _Atomic int32_t excluded[4];            /* wick's own threads */
    struct wick_wall_slot *slots;
    pthread_mutex_t lock;
    struct wick_wall_finished finished, spare; /* under the lock; the drain's */
    struct wick_wall_stats stats;              /* under the lock */
    uint64_t sampled_ns;                       /* time that the ticks so far stand for; set under the lock */
    uint64_t missed_ns;                        /* of that, what this tick stands for beside its own interval */
    struct wick_wall_set active;               /* those that had run at their last visit; set under the lock */
    struct wick_wall_set left;                 /* those that were no candidates at some tick since their last visit */
    struct wick_wall_set strata[WICK_WALL_STRATA]; /* the sampler's */
    struct wick_wall_pick picks[WICK_WALL_STRATA]; /* the sampler's */
    uint8_t *stack;                                /* the sampler's copy of a thread's stack */
    struct wick_awaited *awaited;                  /* the sampler's; NULL: no labels */
    uint64_t random;
    struct {
        bool holders, others; /* those with a context, and the rest, can be read and are wanted */
        struct wick_hs_moves moves;
        uint64_t owed_ns[WICK_WALL_VIRTUAL_KINDS]; /* time of ticks of which nothing is known yet */
        uint32_t skip;                             /* ticks that do not look for the rest: there were none */
    } unmounted;                                   /* the sampler's */
    struct wick_thread_files files;                /* under the lock */
    int wake;                                      /* eventfd that ends the sampler */
    pthread_t thread;
    bool thread_started;
    bool keep; /* the slots, for a handler that has not come back */
};

/* Starts sampling. The recorder must be running. `keep` is a signal that stays open in the sampler's thread, so that
 * its own cost is in a CPU profile; 0 = none. -WICK_E_USAGE, _STATE, _PERM, _NOMEM with a message. */
int wick_wall_start(struct wick_wall_engine *e, const struct wick_wall_config *c, struct wick_recorder *r,
                    struct wick_threads *ts, int keep, struct wick_err *err);

/* Ends it and gives the signal back; all batches are finished. When this returns no handler of ours will run again.
 * wick_wall_take still works, until _release. */
void wick_wall_stop(struct wick_wall_engine *e);
void wick_wall_release(struct wick_wall_engine *e);

/* The calling thread is one of wick's own: it is not sampled. */
void wick_wall_exclude_self(struct wick_wall_engine *e);

/* Finishes all batches and forgets the stacks behind them. */
void wick_wall_flush(struct wick_wall_engine *e);

/* Hands over what was finished. For the drain thread. */
void wick_wall_take(struct wick_wall_engine *e, void (*event)(void *arg, const struct wick_event *ev),
                    void (*time)(void *arg, const struct wick_wall_cpu_time *t), void *arg);

/* Figures so far; the maximum lateness is since the last call. */
void wick_wall_stats_get(struct wick_wall_engine *e, struct wick_wall_stats *out);

/* One tick, `passed` intervals after the last. The sampler's; public for tests. */
void wick_wall_tick(struct wick_wall_engine *e, uint64_t now_ns, uint64_t passed);

/* The registry's hooks; public for tests. */
void wick_wall_arm(void *arg, struct wick_engine_thread *t, bool born_late);
void wick_wall_disarm(void *arg, struct wick_engine_thread *t);
void wick_wall_end(void *arg, struct wick_engine_thread *t);

/* The engine's own eyes (wall_eyes.c). */
extern const struct wick_wall_eyes wick_wall_eyes;

/* The handler (wall_sig.c). `wick_wall_current` is the engine it serves, NULL = none; it is read inside the gate. */
extern struct wick_gate wick_wall_gate;
extern _Atomic(struct wick_wall_engine *) wick_wall_current;
void wick_wall_signal_sig(int sig, siginfo_t *info, void *context);

/* Takes what is owed to a thread: number of samples in *n, weight as the result. */
static inline uint64_t wick_wall_owed_take(struct wick_wall_slot *s, int which, uint32_t *n)
{
    uint64_t v = wick_xchg_acq_rel(&s->owed[which], 0); /* pairs: owe in wall.c */
    *n = (uint32_t)(v & 0xffff);
    return v >> 16;
}

#endif
