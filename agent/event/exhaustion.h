/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exhaustion.h - OutOfMemoryErrors that the JVM itself throws: of the heap, of metaspace, of threads
 *
 * What Java code itself throws, such as that of direct buffers, the JVM does not report. With
 * -XX:+ExitOnOutOfMemoryError or -XX:+CrashOnOutOfMemoryError the process has ended before it would.
 *
 * Threads: _init once; _open by the session's owner while the drain thread does not run; _write in the drain thread.
 * Memory:  static.
 */
#ifndef WICK_AGENT_EVENT_EXHAUSTION_H
#define WICK_AGENT_EVENT_EXHAUSTION_H

#include <jvmti.h>
#include <stdbool.h>

#include "engine/thread/threads.h"
#include "jfr/writer/writer.h"

/* Asks to be called. Nothing is lost if the JVM refuses but these events. */
void wick_exhaustion_init(JavaVM *vm);

/* A recording begins: what was before is forgotten. */
void wick_exhaustion_open(void);

/* Writes what was reported since. True if there was something, and it is the first within ten seconds: time to read
 * where memory is. */
bool wick_exhaustion_write(struct wick_jfr_writer *w, uint64_t now_ns);

#endif
