/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_broker.h - what the CLI that records this JVM does for it
 *
 * Threads: any that is not a signal handler.
 * Memory:  static.
 */
#ifndef WICK_AGENT_PERF_BROKER_H
#define WICK_AGENT_PERF_BROKER_H

#include <stdint.h>
#include <sys/types.h>

struct perf_event_attr;

/* Asks the CLI that records us to open a perf event for thread tid of this process (attr->size set) and returns the
 * descriptor (close-on-exec); -WICK_E_STATE if there is no such CLI, -WICK_E_GONE, -WICK_E_TIMEOUT (2 s),
 * -WICK_E_PERM refused or not permitted to the CLI either, -WICK_E_NOTFOUND the thread has ended. */
int wick_perf_broker_open(const struct perf_event_attr *attr, pid_t tid);

/* Asks the CLI to take what the recording's file holds up to `end`, whole chunks, into a file of its own. 0, or as
 * above; -WICK_E_LIMIT more than the CLI takes at once. */
int wick_perf_broker_take(uint64_t end);

/* Sets the descriptor of the connection, -1 = none. */
void wick_perf_broker_set(int fd);

#endif
