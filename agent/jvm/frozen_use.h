/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frozen_use.h - uses the references on the way to a virtual thread's frozen frames
 *
 * ZGC leaves a reference out of date until something loads it. What the program does not load for long, the agent
 * does, so that the frames can be read from outside.
 *
 * Threads: in a Java thread, one at a time.
 */
#ifndef WICK_AGENT_JVM_FROZEN_USE_H
#define WICK_AGENT_JVM_FROZEN_USE_H

#include <stdbool.h>

#include <jni.h>

/* Whether this JDK's fields are known. Looks for them once. */
bool wick_frozen_use_known(JNIEnv *env);

/* Loads VirtualThread.cont, Continuation.tail and the chain of StackChunk.parent. Nothing if it is no virtual thread.
 * After wick_frozen_use_known. Leaves local references, which its caller's frame ends. */
void wick_frozen_use(JNIEnv *env, jobject thread);

#endif
