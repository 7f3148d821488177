/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadlocks.h - threads that wait for each other, and waits that last
 *
 * Threads: _describe the front end's, one at a time; _round and _write the drain thread; _open, _last and the _write
 *          after it the session's owner while that does not run.
 * Memory:  freed when a search is over.
 */
#ifndef WICK_AGENT_EVENT_DEADLOCKS_H
#define WICK_AGENT_EVENT_DEADLOCKS_H

#include <stddef.h>

#include "record/drain.h"

/* Finds threads that wait for each other for ever: "deadlocks=N\n", and a line for each, deadlock_1=... Then waits that
 * last: lasting_waits, unknown_waits if any, wait_1=... for some. Nothing if the VM is not up. */
void wick_deadlocks_describe(char *buf, size_t cap);

/* A recording begins, its engines run: deadlocks belong in it if it is of waiting for locks. */
void wick_deadlocks_open(void);

/* A round of the drain thread, without the session's lock: a pass of a search, when one is due. */
void wick_deadlocks_round(uint64_t now_ns);

/* The recording ends: a complete search, which takes 40 ms where threads wait for others. */
void wick_deadlocks_last(void);

/* Writes what a search has found since the last call. True: there are deadlocks. */
bool wick_deadlocks_write(struct wick_jfr_writer *w, uint64_t now_ns);

#endif
