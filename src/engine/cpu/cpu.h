/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu.h - the engine that samples by CPU time, or by any perf event
 *
 * Three ways to be notified that a thread used another interval of CPU time, best first; each is tried until one works:
 *
 *   perf    a perf event per thread that signals the thread on overflow; kernel frames come with it; threads that the
 *           limit of open files leaves no event for have a timer instead
 *   timer   a POSIX timer on the thread's CPU clock; no kernel frames; the kernel rounds it to its tick and counts the
 *           expirations that it left out
 *   itimer  one timer for the process
 *
 * A sample's weight is interval x multiples of the interval that the thread's CPU clock (for an event that does not
 * count time: the event's counter) has crossed since its last sample.
 * The first multiple lies at a uniformly random phase, so a thread that lives for a time t < interval is seen with
 * probability t / interval, and the sum of weights is an unbiased estimate of the CPU time, whatever was delayed or
 * merged in between.
 *
 * Threads: start and stop by the session's owner; arming by any ordinary thread under the registry's lock; the handler
 *          runs in all.
 * Memory:  a pair of pages for each thread with perf, unmapped when it ends or sampling stops.
 */
#ifndef WICK_ENGINE_CPU_CPU_H
#define WICK_ENGINE_CPU_CPU_H

#include <linux/perf_event.h>
#include <signal.h>

#include "base/err.h"
#include "engine/gate.h"
#include "sys/broker.h"
#include "engine/signal.h"
#include "engine/thread/threads.h"

enum { WICK_CPU_NOTE = 160 };

enum wick_cpu_mode { WICK_CPU_PERF, WICK_CPU_TIMER, WICK_CPU_ITIMER };

struct wick_cpu_config {
    const char *event; /* "cpu", "cpu-clock", "ctimer", "itimer", or the name of a perf event (sys/perf_event.h) */
    uint64_t interval; /* ns of CPU time, or occurrences of the event; 0 = the event's default */
    bool user_only;    /* no kernel frames and, for perf events, no counting in the kernel */
    bool from_birth;   /* the process has just begun: what its threads have used so far counts */
    wick_perf_broker *broker; /* NULL = none */
    void *broker_arg;
};

struct wick_cpu_engine {
    struct wick_recorder *recorder;
    struct wick_threads *threads;
    enum wick_cpu_mode mode;
    enum wick_event_type event_type;
    struct perf_event_attr attr;
    uint64_t interval;
    struct wick_signal signal;
    bool kernel_frames;
    bool from_birth; /* while the first threads are armed: see the configuration */
    wick_perf_broker *broker;
    void *broker_arg;
    _Atomic uint64_t itimer_crossings;
    uint64_t process_start_ns;                     /* the process's CPU clock when sampling began, */
    uint64_t start_ns;                             /* and CLOCK_MONOTONIC */
    _Atomic uint64_t foreign;                      /* signals that were not ours */
    _Atomic uint32_t by_perf, by_timer, unsampled; /* threads: sampled by an event, by a timer, not at all */
    uint64_t fd_limit, fd_most; /* descriptors that the process may open, and that it may have with our events */
    uint64_t fd_room;           /* events that may still be opened, by the last count */
    uint64_t recount_ns;        /* when to count again what is open */
    _Atomic bool fd_short;      /* the limit has kept a thread from its event */
    uint64_t seed;
    char note[WICK_CPU_NOTE]; /* why a better mode was not possible, "" if the best one runs */
};

/* Starts sampling all threads. The recorder must be running. -WICK_E_PERM, -WICK_E_UNSUPPORTED, -WICK_E_USAGE with a
 * message. */
int wick_cpu_start(struct wick_cpu_engine *e, const struct wick_cpu_config *c, struct wick_recorder *r,
                   struct wick_threads *ts, struct wick_err *err);

/* Stops it and gives the signal back. When this returns no handler of ours will run again. */
void wick_cpu_stop(struct wick_cpu_engine *e);

/* Which threads are sampled in another way than the mode, or not at all, and why. False if there are none. */
bool wick_cpu_threads_note(const struct wick_cpu_engine *e, char *buf, size_t cap);

/* "perf cpu-clock", "timer", "itimer" ... for the recording's settings. */
const char *wick_cpu_mode_name(const struct wick_cpu_engine *e);

/* Weight that is due for a thread and will find no sample any more; it is settled by that. cpu: the thread's CPU clock
 * since arming, 0 = not known. No handler may be at work on the thread: it has ended, or the engine's signal is blocked
 * in it, or the recorder is quiet. */
uint64_t wick_cpu_residue_sig(struct wick_cpu_engine *e, struct wick_engine_thread *t, uint64_t cpu);

/* The handler (cpu_sig.c). `wick_cpu_current` is the engine it serves, NULL = none; it is read inside the gate. */
extern _Atomic(struct wick_cpu_engine *) wick_cpu_current;
extern struct wick_gate wick_cpu_gate;
void wick_cpu_signal_sig(int sig, siginfo_t *info, void *context);

#endif
