/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span_probes.h - the static probes wick:span__begin and wick:span__end (docs/probes.md)
 *
 * Spans begin and end in Java code, which calls nothing of the agent's then (labels/labels.h). While somebody reads one
 * of these probes it does: it reads their semaphores, which the kernel writes, in a buffer of its own.
 *
 * Threads: any of the JVM's.
 */
#ifndef WICK_AGENT_LABEL_SPAN_PROBES_H
#define WICK_AGENT_LABEL_SPAN_PROBES_H

#include <jni.h>

#include "labels/labels.h"

#define WICK_SPAN_PROBES_METHOD __attribute__((visibility("default"))) JNIEXPORT

/* The labels of this process, before the first call below. */
void wick_span_probes_init(const struct wick_labels *l);

/* Both semaphores, 16 bits each: begin, end. */
WICK_SPAN_PROBES_METHOD jobject JNICALL Java_wick_Native_probes(JNIEnv *env, jclass cls);

/* The calling thread has begun, or ends, a span; operation and labels: texts of the agent's. */
WICK_SPAN_PROBES_METHOD void JNICALL Java_wick_Native_spanBegun(JNIEnv *env, jclass cls, jlong trace_hi, jlong trace_lo,
                                                                jlong span, jlong parent, jint operation,
                                                                jint label_set);
WICK_SPAN_PROBES_METHOD void JNICALL Java_wick_Native_spanEnded(JNIEnv *env, jclass cls, jlong trace_hi, jlong trace_lo,
                                                                jlong span, jlong duration_ns, jint operation,
                                                                jint label_set);

#endif
