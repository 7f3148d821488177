/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class_fields.h - the fields that a class declares, out of metaspace
 *
 * Threads: any.
 * Memory:  the caller's buffer, which has a copy of the class's list while it is gone through.
 */
#ifndef WICK_HOTSPOT_CLASS_FIELDS_H
#define WICK_HOTSPOT_CLASS_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "hotspot/jvm.h"

struct wick_hs_class_field {
    uint32_t name, type; /* indices of its symbols: in the constant pool, or of one the JVM has added in its own list */
    uint32_t offset;     /* in instances, or in the mirror if it is static; bytes */
    bool is_static, injected; /* injected: the JVM has added it */
};

struct wick_hs_class_fields {
    const struct wick_jvm *jvm;
    const uint8_t *at, *end; /* in the copy; NULL = it was damaged */
    uint32_t left;           /* fields, those that the JVM has added last */
    uint32_t declared;       /* of them without those */
};

/* Whether this JVM has the lists where they are read. */
bool wick_hs_class_fields_known(const struct wick_hs_layout *l);

/* Begins with the first field of an InstanceKlass; the list is copied to buf[cap]. -WICK_E_FAULT (not readable),
 * -WICK_E_LIMIT (longer than cap). */
int wick_hs_class_fields_begin(struct wick_hs_class_fields *it, const struct wick_jvm *jvm, wick_addr klass, void *buf,
                               size_t cap);

/* The next field; false at the end. */
bool wick_hs_class_fields_next(struct wick_hs_class_fields *it, struct wick_hs_class_field *f);

/* The Symbol at an index of a class's constant pool, 0 = not readable. */
wick_addr wick_hs_class_fields_symbol(const struct wick_jvm *jvm, wick_addr klass, uint32_t index);

#endif
