/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jvm_counts.h - what the JVM counts of its own native memory (NMT), as often as where memory goes is read
 *
 * A JVM that runs with -XX:NativeMemoryTracking knows how much each of its subsystems has reserved and committed. Only
 * its diagnostic command says so, and of the ways to that one the attach socket is the only one that every JDK has in
 * the same form. So the agent asks its own JVM as `jcmd` would, if it listens already: wherever an agent was attached,
 * or jcmd was used before. Nothing is sent to a JVM that tracks nothing.
 *
 * Threads: the drain thread, which never waits here, and for each answer one that reads it; _open and _close by the
 *          session's owner while the drain thread does not run.
 * Memory:  malloc: the answer, some kilobytes, until the recording ends.
 */
#ifndef WICK_AGENT_EVENT_JVM_COUNTS_H
#define WICK_AGENT_EVENT_JVM_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "jfr/writer/writer.h"

/* A recording begins: the first question is due, the next ones each interval_ns. */
void wick_jvm_counts_open(uint64_t interval_ns);
void wick_jvm_counts_close(void);

/* A round: asks when that is due, takes what has come of the answer, and writes jdk.NativeMemoryUsage and
 * jdk.NativeMemoryUsageTotal when it is whole. True: an answer is
 * awaited. */
bool wick_jvm_counts_look(struct wick_jfr_writer *w, uint64_t now_ns);

#endif
