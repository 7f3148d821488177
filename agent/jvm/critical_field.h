/* SPDX-License-Identifier: Apache-2.0 */
/*
 * critical_field.h - where a JavaThread counts the arrays that native code of it holds
 *
 * Threads: a Java thread, once the VM is initialised.
 */
#ifndef WICK_AGENT_JVM_CRITICAL_FIELD_H
#define WICK_AGENT_JVM_CRITICAL_FIELD_H

#include <jni.h>

#include "hotspot/jvm.h"

/* The place of the counter in the JavaThread `java` of this thread, WICK_HS_NONE if there is none (the collector pins
 * regions instead) or it is not found. */
int32_t wick_critical_field_find(JNIEnv *env, const struct wick_jvm *jvm, wick_addr java);

#endif
