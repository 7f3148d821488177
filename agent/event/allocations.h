/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocations.h - where allocated objects are seen: JVMTI's sampling, from JDK 11 on; on JDK 8 breakpoints in what
 * libjvm calls for objects that do not fit into their thread's buffer (hotspot/alloc_tracer.h)
 *
 * The functions are those of struct wick_java_allocations (engine/alloc/alloc.h).
 *
 * Threads: _interval any; the others the session's owner, _change also the drain thread.
 * Memory:  none but JVMTI's.
 */
#ifndef WICK_AGENT_EVENT_ALLOCATIONS_H
#define WICK_AGENT_EVENT_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "hotspot/alloc_tracer.h"

/* Takes the JVM's sampling for us. -WICK_E_UNSUPPORTED, -WICK_E_STATE with a sentence. */
int wick_agent_allocations_open(struct wick_err *err);

/* Objects are reported from here on, one each `interval` bytes of a thread on average. Errors as above. */
int wick_agent_allocations_on(uint64_t interval, struct wick_err *err);

/* Ends both; the interval is what it was before. Does nothing without _open. */
void wick_agent_allocations_off(void);

/* The interval in force, and another one. */
uint64_t wick_agent_allocations_interval(void);
void wick_agent_allocations_change(uint64_t interval);

/* A thread's next sample, as the engine draws it. Any Java thread. */
bool wick_agent_allocations_give_gap(uint64_t java_thread, uint64_t bytes, bool own);

/* After _open: NULL, the JVM samples; else where the breakpoints are. And whether they are still ours. */
const struct wick_hs_alloc_tracer *wick_agent_allocations_tracer(void);
bool wick_agent_allocations_guard(void);

/* The references of struct wick_live_jvm: weak ones of JNI, read where the JVM keeps them. */
bool wick_agent_allocations_is_gone(uint64_t reference);
void wick_agent_allocations_drop(const uint64_t *references, size_t n);
uint32_t wick_agent_allocations_collections(void);

#endif
