/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engines.h - the engines of one recording as one: those that the options ask for
 *
 * Threads: start and stop by the session's owner; the others as the session's lock allows.
 * Memory:  the caller's struct; _release frees what start took.
 */
#ifndef WICK_AGENT_ENGINES_H
#define WICK_AGENT_ENGINES_H

#include "engine/cpu.h"
#include "engine/lock.h"
#include "engine/wall.h"
#include "opt/events.h"
#include "record/drain.h"

enum { WICK_ENGINES_NAME = 48 };

struct wick_engines {
    struct wick_opt_events plan;
    struct wick_cpu_engine cpu;
    struct wick_wall_engine wall;
    struct wick_lock_engine lock;
    bool cpu_on, wall_on, lock_on;
    uint32_t lost_before; /* handlers that other recordings have lost */
};

/* Starts what o asks for. On failure nothing runs. The recorder must be running. from_birth: the JVM has just started,
 * and CPU time counts from there. */
int wick_engines_start(struct wick_engines *e, const struct wick_session_opts *o, bool from_birth,
                       wick_perf_broker *broker, struct wick_recorder *r, struct wick_threads *ts,
                       struct wick_err *err);

/* Stops all of them; the recorder is quiet then. What they have finished can still be taken. */
void wick_engines_stop(struct wick_engines *e, struct wick_recorder *r);
void wick_engines_release(struct wick_engines *e);

/* The calling thread belongs to wick; it keeps the signals open that make its own cost visible. */
void wick_engines_own_thread(struct wick_engines *e);

/* A signal that threads of wick should not block, 0 = none. */
int wick_engines_open_signal(const struct wick_engines *e);

/* What engines do now and then: looks for libraries that were loaded. */
void wick_engines_round(void);

/* Gives the drain what did not come through the rings; see struct wick_drain_host. */
void wick_engines_more(struct wick_engines *e, struct wick_drain *d, bool all);

/* An event that an engine completes; see struct wick_drain_host. */
void wick_engines_event(struct wick_engines *e, struct wick_drain *d, const struct wick_event *event);

/* The engines' own figures, about once a second. */
void wick_engines_write(struct wick_engines *e, struct wick_jfr_writer *w, uint64_t now_ns);

/* "perf", "timer+wall", "wall" ... */
const char *wick_engines_name(const struct wick_engines *e, char buf[WICK_ENGINES_NAME]);

#endif
