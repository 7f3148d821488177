/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadlock.h - the deadlocks that a JVM finds itself, in what Thread.print says
 *
 * The JVM searches the owners of monitors and of java.util.concurrent's locks for cycles, at a safepoint, and prints
 * what it found after all stacks:
 *
 *     Found one Java-level deadlock:
 *     =============================
 *     "teller-1":
 *       waiting to lock monitor 0x00007f10a4003f58 (object 0x00000000f0c5b1d8, a Account),
 *       which is held by "teller-2"
 *     ...
 *     Java stack information for the threads listed above:
 *     ...
 *     Found 1 deadlock.
 *
 * Only the last line is sure to be the JVM's: the name of a thread may hold anything, but it is printed before.
 *
 * Threads: any.
 */
#ifndef WICK_ANALYSIS_WAIT_DEADLOCK_H
#define WICK_ANALYSIS_WAIT_DEADLOCK_H

#include <stddef.h>

#include "base/strbuf.h"

/* Appends who waits for what that whom holds: "a waits for a Lock that b holds, b waits for ...". Returns how many
 * threads that are, 0 = no deadlock was found. Any bytes are allowed; names are as they were printed. */
unsigned wick_deadlock_parse(const char *text, size_t len, struct wick_strbuf *out);

#endif
