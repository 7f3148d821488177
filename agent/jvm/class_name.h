/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class_name.h - the name of a class as recordings have it
 *
 * Threads: attached to the JVM.
 */
#ifndef WICK_AGENT_JVM_CLASS_NAME_H
#define WICK_AGENT_JVM_CLASS_NAME_H

#include <jvmti.h>
#include <stddef.h>

/* The internal name: java/lang/String, [I, [Ljava/lang/String;. Cut to fit; "" if the JVM does not say. */
void wick_agent_class_name(jvmtiEnv *jvmti, jclass class, char *out, size_t cap);

#endif
