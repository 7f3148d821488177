/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadlocks.h - threads that wait for each other, and waits that last
 *
 * Threads: the front end's, one at a time.
 * Memory:  freed before it returns.
 */
#ifndef WICK_AGENT_EVENT_DEADLOCKS_H
#define WICK_AGENT_EVENT_DEADLOCKS_H

#include <stddef.h>

/* Finds threads that wait for each other for ever: "deadlocks=N\n", and a line for each, deadlock_1=... Then waits that
 * last: lasting_waits, unknown_waits if any, wait_1=... for some. Nothing if the VM is not up. */
void wick_deadlocks_describe(char *buf, size_t cap);

#endif
