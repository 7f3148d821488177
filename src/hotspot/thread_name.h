/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_name.h - what a Java thread is called now, read from its Thread object
 *
 * Right only if no pause of the collector comes between: the caller knows when. ZGC and Shenandoah move objects outside
 * of pauses; what they have left behind (hotspot/oop.h) is recognised; with ZGC a name cannot be read until the
 * program or the collector has used the reference to it.
 *
 * Threads: any; the JavaThread must not be freed during the call.
 */
#ifndef WICK_HOTSPOT_THREAD_NAME_H
#define WICK_HOTSPOT_THREAD_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "hotspot/jvm.h"
#include "hotspot/oop.h"

/* Offsets in objects. */
struct wick_hs_thread_names {
    struct wick_hs_moves moves;
    int32_t name, eetop;   /* in Thread; the address of its JavaThread */
    int32_t value, coder;  /* in String; coder 0 = there is none: UTF-16 always (JDK 8) */
    uint32_t length, data; /* in an array */
};

/* Where a name was read: the Thread object, and its reference to the name as it is in memory. */
struct wick_hs_thread_name_at {
    wick_addr thread; /* 0 = nowhere */
    uint64_t name;
};

/* The name in the modified UTF-8 that JVMTI gives. False if it cannot be read or is longer than 340 units or cap. at
 * may be NULL. */
bool wick_hs_thread_name(const struct wick_jvm *jvm, const struct wick_hs_thread_names *f, wick_addr java_thread,
                         char *out, size_t cap, struct wick_hs_thread_name_at *at);

/* Whether the name that was read there is still the thread's: a reference that has not changed leads to the same
 * String, as long as no object has moved since. Not all collections are reported (those for a histogram of the heap are
 * not), so the JavaThread has to refer to that Thread object still. Three reads of memory in place of five. */
bool wick_hs_thread_name_holds(const struct wick_jvm *jvm, const struct wick_hs_thread_names *f, wick_addr java_thread,
                               const struct wick_hs_thread_name_at *at);

/* Finds length and data, which depend on the JVM's options: those by which the thread's name is read as it is. False if
 * none are. */
bool wick_hs_thread_names_form(const struct wick_jvm *jvm, struct wick_hs_thread_names *f, wick_addr java_thread,
                               const char *name);

#endif
