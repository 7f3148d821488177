/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttsp.h - the time-to-safepoint profiler in a recording: its options, its events, its text log
 *
 * Threads: _start, _stop and _finish by the session's owner; _event and _round by the drain thread, under the session's
 *          lock.
 * Memory:  one engine, static.
 */
#ifndef WICK_AGENT_TTSP_H
#define WICK_AGENT_TTSP_H

#include <stdbool.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "opt/option.h"
#include "record/drain.h"

/* The time to safepoint from which on threads are asked by these options; 0 if they are wrong. */
uint64_t wick_agent_ttsp_threshold_ns(const struct wick_session_opts *o);

/* Starts the engine; awake_signal may interrupt its thread (0 = none). -WICK_E_USAGE, _STATE, _PERM, _IO, _NOMEM with a
 * message. */
int wick_agent_ttsp_start(const struct wick_session_opts *o, struct wick_recorder *r, int awake_signal,
                          struct wick_err *err);

/* Stops it; the recorder may still hold its events. Nothing happens if it does not run. */
void wick_agent_ttsp_stop(void);

/* An event of type WICK_EVENT_TTSP came out of a ring. */
void wick_agent_ttsp_event(struct wick_drain *d, const struct wick_event *e);

/* Writes the incidents that are over; the last call, when the rings are empty and the engine has stopped, writes all.
 */
void wick_agent_ttsp_round(struct wick_drain *d, bool last);

/* Adds lines key=value for `wick status`. */
void wick_agent_ttsp_status(struct wick_strbuf *out);

#endif
