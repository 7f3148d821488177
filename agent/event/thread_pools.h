/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_pools.h - how many threads the program's pools have and may have, and how many tasks wait in their queues
 *
 * Of java.util.concurrent.ThreadPoolExecutor (schedulers and other classes that extend it), Tomcat's class of that name
 * and java.util.Timer, once a second (wick.ThreadPool). At most 64 pools.
 *
 * Threads: the drain thread, the session's around its life, and for _refresh the control thread.
 * Memory:  static; half a MiB that is touched as far as there are threads.
 */
#ifndef WICK_AGENT_EVENT_THREAD_POOLS_H
#define WICK_AGENT_EVENT_THREAD_POOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "jfr/writer/writer.h"

/* Asks the JVM where these classes keep their fields, once it is up, and again when a thread has been seen that runs
 * one of a library. Enters the JVM then. */
void wick_thread_pools_find(void);

/* A recording begins. */
void wick_thread_pools_open(void);

/* Writes what is known now: nothing while objects are being moved. */
void wick_thread_pools_write(struct wick_jfr_writer *w, uint64_t now_ns);

/* Whether this JVM's collector, ZGC, leaves references out of date, so that pools are to be read by _refresh. */
bool wick_thread_pools_refresh_needed(void);

/* Reads what the next _write writes, if nothing waits for that yet. May enter the JVM. */
void wick_thread_pools_refresh(void);

#endif
