/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - what to sample: the options event, interval and wall taken together
 *
 * `event` is a list: at most one event that the CPU engine knows, "wall", "alloc", "live", "nativemem", "lock",
 * "nativelock" and "ttsp". In the agent's string, where the comma stands between options, `event=cpu,wall` works
 * because `wall` is an option as well; so are the others.
 *
 * Threads: pure functions.
 * Memory:  the caller's.
 */
#ifndef WICK_OPT_EVENTS_H
#define WICK_OPT_EVENTS_H

#include "opt/option.h"

/* Waiting that is sampled by its time. */
struct wick_opt_waits {
    bool on;
    uint64_t threshold_ns; /* waits at least so long, */
    uint64_t interval_ns;  /* sampled once in so much of it */
};

struct wick_opt_events {
    char cpu[WICK_OPT_STR_MAX]; /* the CPU engine's event, "" = it does not run */
    uint64_t cpu_interval;      /* ns, or occurrences */
    uint64_t wall_ns;           /* interval of the wall clock, 0 = it does not run */
    uint64_t alloc;             /* bytes of allocation between samples, 0 = it does not run */
    bool live;                  /* of the objects sampled, follow those that stay alive */
    struct {
        bool on;
        uint64_t interval; /* bytes of allocation between samples, 0 = every allocation */
    } nativemem;
    bool ttsp;                          /* threads slow to reach the safepoint */
    struct wick_opt_waits lock, native; /* for locks of Java; of the C library */
};

/* 0, or -WICK_E_USAGE with a sentence. */
int wick_opt_events(const struct wick_session_opts *o, struct wick_opt_events *out, struct wick_err *err);

#endif
