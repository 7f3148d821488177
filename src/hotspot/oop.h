/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oop.h - references to Java objects in memory
 *
 * Collectors move objects while this process reads them, so what is found behind a reference may be an old copy: good
 * for a profiler that checks what it gets, and for nothing else.
 *
 * Threads: the form is found once; the rest reads only.
 */
#ifndef WICK_HOTSPOT_OOP_H
#define WICK_HOTSPOT_OOP_H

#include <stdbool.h>

#include "hotspot/jvm.h"

/* What a collector that moves objects while the program runs leaves behind until it has updated every reference. */
struct wick_hs_moves {
    enum {
        WICK_HS_MOVES_NONE,    /* it moves objects only while the program stands still */
        WICK_HS_MOVES_COLOURS, /* ZGC: references with a colour that is no longer valid */
        WICK_HS_MOVES_FORWARDS /* Shenandoah: references to old copies, which refer to the new ones */
    } how;
    wick_addr bad_mask; /* ZGC: its variable with the bits that no valid reference has */
};

/* Finds out how this JVM keeps references in objects, for jvm->step. False if it cannot be determined. */
bool wick_hs_oop_form(struct wick_jvm *jvm);

/* The object that the field at addr refers to, 0 = none, or not readable. */
wick_addr wick_hs_oop_load(const struct wick_jvm *jvm, wick_addr field);

/* The same in a copy of the object that has the field, at so many bytes. */
wick_addr wick_hs_oop_at(const struct wick_jvm *jvm, const void *object, int32_t offset);

/* How this JVM's collector moves objects. False if it cannot be determined. After wick_hs_oop_form. */
bool wick_hs_moves_find(const struct wick_jvm *jvm, struct wick_hs_moves *out);

/* The object as it is now for one that a reference led to, which may be its old copy. 0 = not readable. */
wick_addr wick_hs_oop_newest(const struct wick_jvm *jvm, const struct wick_hs_moves *m, wick_addr object);

/* As wick_hs_oop_load, the object as it is now, while no pause of the collector comes between. 0 also if the reference
 * is out of date. */
wick_addr wick_hs_oop_load_newest(const struct wick_jvm *jvm, const struct wick_hs_moves *m, wick_addr field);

/* The object behind a handle of the JVM's own or a global one of JNI, whose slot is as wide as an address. */
wick_addr wick_hs_oop_resolve(const struct wick_jvm *jvm, wick_addr handle);

/* As it is now, the object behind a global or weak global reference as JNI gives it out, with its kind in two bits. 0
 * also if the reference is out of date. */
wick_addr wick_hs_oop_behind(const struct wick_jvm *jvm, const struct wick_hs_moves *m, wick_addr reference);

/* The object behind a local handle of JNI: collectors see to it with the stack of its thread, so it has no colour. */
wick_addr wick_hs_oop_resolve_local(const struct wick_jvm *jvm, wick_addr handle);

#endif
