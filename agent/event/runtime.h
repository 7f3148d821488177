/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime.h - what explains pauses, once a second: the JVM's own counters, the cgroup, the machine
 *
 * Threads: the drain thread; _open and _close by the session's owner while it does not run.
 * Memory:  static; a dozen descriptors while a recording runs.
 */
#ifndef WICK_AGENT_EVENT_RUNTIME_H
#define WICK_AGENT_EVENT_RUNTIME_H

#include "record/drain.h"

/* Finds counters and files; gives the files back. */
void wick_runtime_open(void);
void wick_runtime_close(void);

/* Writes the counters that include time before the recording, so that a reader can compute their growth. Before the
 * first _write. */
void wick_runtime_begin(struct wick_drain *d, uint64_t now_ns);

/* Writes one event of each kind, and the garbage collections since the last call; `ends`: the recording does. About 30
 * us; more while neighbours are busy, see sys/neighbours.h, when the code cache is counted, see jit.h, or, every five
 * seconds, when listening sockets are sought, see sys/listening.h. */
void wick_runtime_write(struct wick_drain *d, uint64_t now_ns, bool ends);

#endif
