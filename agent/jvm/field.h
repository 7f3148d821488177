/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field.h - where an object keeps a field
 *
 * Threads: attached to the JVM.
 */
#ifndef WICK_AGENT_JVM_FIELD_H
#define WICK_AGENT_JVM_FIELD_H

#include <jni.h>
#include <stdint.h>

enum { WICK_FIELD_OFFSET_END = 4096 }; /* an offset from here on is no field's, but something misread */

/* Offset of an instance field in bytes, 0 if there is none of that name and type; no exception is pending then. */
int32_t wick_field_offset(JNIEnv *env, jclass c, const char *name, const char *type);

#endif
