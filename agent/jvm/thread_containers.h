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

/* Fills in jvm->containers. In a JDK without virtual threads, or where anything is not as expected, `started` stays 0.
 * After wick_hs_oop_form. */
void wick_thread_containers_open(JNIEnv *env, struct wick_jvm *jvm);

/* Uses the references to the threads in these sets, or to some of them if they are many, and those to their frames, so
 * that a collector that has moved what they refer to updates them. In any Java thread, one at a time. */
void wick_thread_containers_use(JNIEnv *env);

#endif
