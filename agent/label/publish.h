/* SPDX-License-Identifier: Apache-2.0 */
/*
 * publish.h - the JVM's side of contexts that other readers see (labels/published.h)
 *
 * wick.jar asks for it when the program was started with -Dwick.publish=otel. The service's name and attributes are
 * those that OpenTelemetry's own libraries for Java would take: the system properties otel.service.name and
 * otel.resource.attributes, else OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES of the environment.
 *
 * Threads: the native methods in Java threads; _thread_end in the thread that ends; _stop in any.
 * Memory:  static, for the life of the process.
 */
#ifndef WICK_AGENT_LABEL_PUBLISH_H
#define WICK_AGENT_LABEL_PUBLISH_H

#include <jni.h>

#include "labels/labels.h"

#define WICK_PUBLISH_METHOD __attribute__((visibility("default"))) JNIEXPORT

/* The labels of this process, before the first call below. */
void wick_publish_init(struct wick_labels *l);

/* What wick.Native declares. */
WICK_PUBLISH_METHOD jboolean JNICALL Java_wick_Native_publish(JNIEnv *env, jclass cls);
WICK_PUBLISH_METHOD jobject JNICALL Java_wick_Native_published(JNIEnv *env, jclass cls, jlong virtual_id);
WICK_PUBLISH_METHOD jint JNICALL Java_wick_Native_key(JNIEnv *env, jclass cls, jbyteArray utf8);

/* The calling thread publishes nothing any more: its record is about to be given back. */
void wick_publish_thread_end(void);

/* The process publishes nothing any more. */
void wick_publish_stop(void);

#endif
