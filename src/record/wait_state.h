/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_state.h - what a waiting thread waits for, told by its stack (def/wait.def)
 *
 * The kernel tells a wait for the network from a sleep; that a futex is a lock, a collection or a queue is only told by
 * who called it.
 *
 * Threads: pure functions.
 * Memory:  none.
 */
#ifndef WICK_RECORD_WAIT_STATE_H
#define WICK_RECORD_WAIT_STATE_H

/* The enum wick_jfr_state that a function of the JVM stands for, 0 = none. */
unsigned wick_wait_native(const char *symbol);

/* The same for the first Java frame: its class ("java/lang/Thread") and method. */
unsigned wick_wait_java(const char *class_name, const char *method);

#endif
