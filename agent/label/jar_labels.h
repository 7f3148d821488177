/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jar_labels.h - the agent's side of wick.jar
 *
 * The library's class wick.Native has native methods; the JVM finds them in libwick.so when the library is loaded after
 * the agent. Into a JVM in which it was loaded before, the agent brings the news itself.
 *
 * Threads: _init while the agent is set up, in a Java thread; _thread_end in the thread that ends.
 * Memory:  static, for the life of the process.
 */
#ifndef WICK_AGENT_LABEL_JAR_LABELS_H
#define WICK_AGENT_LABEL_JAR_LABELS_H

#include <jni.h>

#include "labels/labels.h"

/* The labels of this process; map = NULL if there was no memory for them. */
extern struct wick_labels wick_agent_labels;

/* Sets the labels up. The layout of the JVM must be known. */
void wick_agent_labels_init(void);

/* Connects the copies of the Java library that were loaded before the agent. env belongs to the calling thread. */
void wick_agent_labels_find(JNIEnv *env);

/* A thread that is known to the registry carries virtual threads. tid: its kernel id. */
void wick_agent_labels_carrier(int32_t tid);

/* A Java thread ends. tid: its kernel id. */
void wick_agent_labels_thread_end(int32_t tid);

#endif
