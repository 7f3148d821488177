/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boot_class.h - classes of the JDK by name, of the boot loader alone
 *
 * Threads: attached to the JVM.
 */
#ifndef WICK_AGENT_JVM_BOOT_CLASS_H
#define WICK_AGENT_JVM_BOOT_CLASS_H

#include <jni.h>

/* A local reference, NULL if there is no such class; no exception is pending then. It is loaded if it was not yet. */
jclass wick_boot_class(JNIEnv *env, const char *name);

#endif
