/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit.h - what compilers and the VM thread do while a recording runs: queues, long compilations, deoptimisations,
 * operations, and how full the code cache is
 *
 * Nothing reports the start and the end of these without slowing the JVM down, so they are polled: 20 times a second,
 * some ten reads of memory each time.
 *
 * Threads: the drain thread; _open by the session's owner while it does not run.
 * Memory:  static.
 */
#ifndef WICK_AGENT_EVENT_JIT_H
#define WICK_AGENT_EVENT_JIT_H

#include "record/drain.h"

/* A recording begins: forgets what was seen before. */
void wick_jit_open(void);

/* Polls. Long compilations that are over are written. The first call of a process reads libjvm's symbols: some tens of
 * milliseconds. */
void wick_jit_look(struct wick_drain *d, uint64_t now_ns);

/* Writes what the polls since the last call saw, and the code cache. About once a second. `last`: the recording ends,
 * and compilations still under way are written as well. */
void wick_jit_write(struct wick_drain *d, uint64_t now_ns, bool last);

/* Appends lines for `wick status`: queues and deoptimisations where they are known, and how full the code cache is. Not
 * while the drain thread is at work. */
void wick_jit_status(struct wick_strbuf *out);

#endif
