/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_state.h - what a waiting thread waits for, inferred from its system call and its stack (def/wait.def)
 *
 * The kernel distinguishes a wait for the network from a sleep; whether a futex is a lock, a collection or a queue only
 * its callers show.
 *
 * Threads: pure functions.
 */
#ifndef WICK_RECORD_WAIT_STATE_H
#define WICK_RECORD_WAIT_STATE_H

#include <stdbool.h>

/* The enum wick_jfr_state that a function of the JVM stands for, 0 = none. */
unsigned wick_wait_state_native(const char *symbol);

/* The same for a Java frame: its class ("java/lang/Thread") and method. */
unsigned wick_wait_state_java(const char *class_name, const char *method);

/* Whether frames of the class are passed in the search for what decides. */
bool wick_wait_state_passes(const char *class_name);

/* The same for the system call a thread waits in, negative = none; 0: that depends on the file its descriptor is of. */
unsigned wick_wait_state_call(long nr);

#endif
