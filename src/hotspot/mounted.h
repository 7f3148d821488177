/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mounted.h - the virtual thread that a carrier runs, read from its objects without asking the JVM (JDK 21 and later)
 *
 * Threads: one at a time per struct; the objects may be moved while they are read, so hold the carrier during the call.
 * Memory:  the caller's structs.
 */
#ifndef WICK_HOTSPOT_MOUNTED_H
#define WICK_HOTSPOT_MOUNTED_H

#include <stdbool.h>

#include "hotspot/jvm.h"

/* Offsets in objects, found with the first virtual thread that is seen. */
struct wick_hs_mounted_fields {
    bool readable; /* whether objects' classes can be read, see klass.h */
    bool looked;
    int32_t array_length;          /* in an array of bytes; its elements follow */
    int32_t id, name, text, coder; /* of Thread and of String */
    int32_t cont, tail;            /* of VirtualThread and of Continuation */
};

/* Finds out how this JVM keeps objects. Threads and code must be known (wick_jvm_open_code). */
void wick_hs_mounted_init(struct wick_hs_mounted_fields *f, struct wick_jvm *jvm);

struct wick_hs_mounted {
    uint64_t id;    /* 0 = not known */
    char name[256]; /* UTF-8, cut; "" = none, or not known */
};

/* The virtual thread that is mounted on the thread of this JavaThread; false if none is. Completes jvm->step with where
 * frozen frames are, as soon as a thread that has some is seen. */
bool wick_hs_mounted(struct wick_jvm *jvm, struct wick_hs_mounted_fields *f, wick_addr java_thread,
                     struct wick_hs_mounted *out);

#endif
