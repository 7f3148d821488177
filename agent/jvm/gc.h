/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc.h - garbage collections that stop the world, as the JVM reports them
 *
 * JVMTI calls back at the start and the end of a collection, in the thread that collects and while nothing else runs:
 * two clock readings and a few loads from the JVM's counters go into a small queue; the drain thread writes events.
 *
 * Threads: _init in Agent_OnLoad or Agent_OnAttach, _open and _write by the session.
 * Memory:  static.
 */
#ifndef WICK_AGENT_JVM_GC_H
#define WICK_AGENT_JVM_GC_H

#include <jvmti.h>

#include "jfr/writer/writer.h"

/* Asks for the callbacks, in a JVMTI environment of their own. If the JVM refuses, events are written without them. */
void wick_gc_init(JavaVM *vm);

/* A number that is odd while a collection has the world stopped, and another one afterwards: objects may have moved
 * between two reads unless both return the same even number. For collectors that move objects in such stops only. */
uint32_t wick_gc_moves(void);

/* Whether the JVM calls back at all. */
bool wick_gc_calls_back(void);

/* A recording begins: finds the counters, and forgets what was queued. */
void wick_gc_open(void);

/* Writes what was queued. */
void wick_gc_write(struct wick_jfr_writer *w);

#endif
