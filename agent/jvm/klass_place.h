/* SPDX-License-Identifier: Apache-2.0 */
/*
 * klass_place.h - the JVM's own record of a class that JNI knows
 *
 * Threads: in a Java thread, once the VM is initialised.
 */
#ifndef WICK_AGENT_JVM_KLASS_PLACE_H
#define WICK_AGENT_JVM_KLASS_PLACE_H

#include <jni.h>

#include "hotspot/jvm.h"

/* The Klass, 0 if unknown. mirror: a local reference, which is the address of the mirror's address. */
wick_addr wick_klass_place_of_mirror(const struct wick_jvm *jvm, jclass mirror);

#endif
