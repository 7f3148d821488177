/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - what to sample: the options event, interval and wall taken together
 *
 * `event` is a list: at most one event that the CPU engine knows, "wall", "alloc", "live", "nativemem", "lock",
 * "nativelock" and "ttsp". In the agent's string, where the comma stands between options, `event=cpu,wall` works
 * because `wall` is an option as well; so are the others.
 *
 * Threads: pure functions.
 */
#ifndef WICK_OPT_EVENTS_H
#define WICK_OPT_EVENTS_H

#include "opt/option.h"

/* Waiting that is sampled by its time. */
struct wick_opt_waits {
    bool on;
    uint64_t threshold_ns; /* waits at least so long, */
    uint64_t interval_ns;  /* sampled once in so much of it */
    bool interval_given;   /* it is kept, however many samples that makes */
};

/* Allocation that is sampled by its bytes. */
struct wick_opt_bytes {
    bool on;
    uint64_t interval; /* bytes between samples, 0 = every allocation */
};

/* The plan: a member for each row of def/event_word.def that may stand beside others, called like its option. */
struct wick_opt_events {
    char cpu[WICK_OPT_STR_MAX]; /* the CPU engine's event, "" = it does not run */
    uint64_t cpu_interval;      /* ns, or occurrences */
#define WICK_OPT_PLAN_FLAG  bool
#define WICK_OPT_PLAN_TIME  uint64_t /* 0 = it does not run */
#define WICK_OPT_PLAN_BYTES struct wick_opt_bytes
#define WICK_OPT_PLAN_WAITS struct wick_opt_waits
#define CPU(...)
#define BESIDE(word, field, kind) WICK_OPT_PLAN_##kind field;
#define X(word, sort, ...)        sort(word, __VA_ARGS__)
#include "def/event_word.def"
#undef X
#undef BESIDE
#undef CPU
};

/* 0, or -WICK_E_USAGE with a sentence. */
int wick_opt_events(const struct wick_session_opts *o, struct wick_opt_events *out, struct wick_err *err);

#endif
