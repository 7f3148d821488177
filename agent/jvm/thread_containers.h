/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_containers.h - where the JDK keeps its sets of virtual threads
 *
 * Threads: in a Java thread, once the VM is initialised.
 */
#ifndef WICK_AGENT_JVM_THREAD_CONTAINERS_H
#define WICK_AGENT_JVM_THREAD_CONTAINERS_H

#include <jni.h>

#include "hotspot/jvm.h"

/* Fills in jvm->containers. In a JDK without virtual threads, or where anything is not as expected, or with
 * -Djdk.trackAllThreads=false, `started` stays 0. After wick_hs_oop_form. */
void wick_thread_containers_open(JNIEnv *env, struct wick_jvm *jvm);

#endif
