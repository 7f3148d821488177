/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oop.h - references to Java objects in memory
 *
 * Collectors move objects while this process reads them, so what is found behind a reference may be an old copy: good
 * for a profiler that checks what it gets, and for nothing else.
 *
 * Threads: the form is found once; the rest reads only.
 * Memory:  the caller's.
 */
#ifndef WICK_HOTSPOT_OOP_H
#define WICK_HOTSPOT_OOP_H

#include <stdbool.h>

#include "hotspot/jvm.h"

/* Finds out how this JVM keeps references in objects, for jvm->step. False if it cannot be determined. */
bool wick_hs_oop_form(struct wick_jvm *jvm);

/* The object that the field at addr refers to, 0 = none, or not readable. */
wick_addr wick_hs_oop_load(const struct wick_jvm *jvm, wick_addr field);

/* The object behind a handle of the JVM's own or a global one of JNI, whose slot is as wide as an address. */
wick_addr wick_hs_oop_resolve(const struct wick_jvm *jvm, wick_addr handle);

/* The object behind a local handle of JNI: collectors see to it with the stack of its thread, so it has no colour. */
wick_addr wick_hs_oop_resolve_local(const struct wick_jvm *jvm, wick_addr handle);

#endif
