/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_mask.h - threads that attach to the JVM do not block SIGTRAP while there are breakpoints
 *
 * A breakpoint in a thread that blocks SIGTRAP ends the process (engine/breakpoint.h). Native libraries and agents
 * often block all signals in threads of their own, and to attach one the JVM makes an object before it announces the
 * thread. So the JavaVM has another table of functions as long: the two that attach threads unblock the signal first.
 *
 * Threads: set and clear by the owner of the session, while threads attach.
 * Memory:  static.
 */
#ifndef WICK_AGENT_JVM_ATTACH_MASK_H
#define WICK_AGENT_JVM_ATTACH_MASK_H

#include <jni.h>
#include <stdbool.h>

/* Replaces the table. False: that cannot be written. */
bool wick_attach_mask_set(JavaVM *vm);

/* Puts the JVM's back, unless somebody has replaced ours since. */
void wick_attach_mask_clear(JavaVM *vm);

#endif
