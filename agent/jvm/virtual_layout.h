/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual_layout.h - where the JVM's Java classes keep the frozen frames of virtual threads, and which threads carry
 * them
 *
 * Threads: in a Java thread, once the VM is initialised.
 */
#ifndef WICK_AGENT_JVM_VIRTUAL_LAYOUT_H
#define WICK_AGENT_JVM_VIRTUAL_LAYOUT_H

#include <jni.h>
#include <stdbool.h>

#include "hotspot/jvm.h"

/* Completes jvm->step with the fields of Continuation and StackChunk and with the form of references. In a JDK without
 * virtual threads, or where anything is not as expected, cont_tail stays 0: frozen frames are not shown. */
void wick_virtual_layout_open(JNIEnv *env, struct wick_jvm *jvm);

/* Whether that thread is one of the JDK's carriers of virtual threads. */
bool wick_virtual_layout_is_carrier(JNIEnv *env, jobject thread);

#endif
