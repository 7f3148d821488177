/* SPDX-License-Identifier: Apache-2.0 */
/*
 * klass_table.h - the classes of a heap: how their objects are laid out, and what a dump says of them
 *
 * A class is known by its Klass and by its mirror, the java.lang.Class object that stands for it. It is read out of
 * metaspace the first time an object of it, or its mirror, is seen.
 *
 * Memory:  arrays by malloc, some 200 bytes a class and 24 a field.
 */
#ifndef WICK_SNAPSHOT_KLASS_TABLE_H
#define WICK_SNAPSHOT_KLASS_TABLE_H

#include <stdbool.h>

#include "hotspot/jvm.h"
#include "snapshot/number_map.h"

#define WICK_KLASS_NONE UINT32_MAX

/* Types of fields and elements as dumps have them. */
enum { WICK_KLASS_REF = 2, WICK_KLASS_BOOLEAN = 4, WICK_KLASS_BYTE = 8, WICK_KLASS_LONG = 11 };

/* Bytes of a value of that type in a dump, and in an object if it is no reference. */
unsigned wick_klass_table_bytes(uint8_t type);

struct wick_klass_field {
    wick_addr name; /* Symbol */
    uint32_t offset;
    uint8_t type;
    bool is_static;
};

enum wick_klass_kind { WICK_KLASS_INSTANCES, WICK_KLASS_OBJECT_ARRAYS, WICK_KLASS_VALUE_ARRAYS };

struct wick_klass {
    wick_addr klass, mirror, name, super; /* Klass, object, Symbol, Klass */
    wick_addr loader, signers, domain;    /* objects, 0 = none */
    uint32_t first_field, nfields;        /* declared, in wick_klass_table.fields */
    uint32_t super_number;                /* of super, NONE = not known yet, or there is none */
    uint32_t instance_bytes;              /* in memory, 0 = not known */
    uint32_t value_bytes;                 /* of an instance in the dump, inherited fields included */
    uint32_t constants; /* objects of its constant pool: the last, in wick_klass_table.constants; NONE */
    uint16_t nconstants;
    uint8_t kind;    /* enum wick_klass_kind */
    uint8_t element; /* of an array: type as dumps have it */
    uint8_t data;    /* of an array: where its elements begin */
    bool is_class, is_thread;
};

/* An object that a class's constant pool refers to. */
struct wick_klass_constant {
    wick_addr object;
    uint32_t before; /* the one before of the same class, NONE */
};

struct wick_klass_table {
    const struct wick_jvm *jvm;
    struct wick_number_map by_klass, by_mirror;
    struct wick_klass *all;
    struct wick_klass_field *fields;
    struct wick_klass_constant *constants;
    uint32_t n, cap, nfields, fields_cap, nconstants, constants_cap;
    int32_t thread_id; /* offset of Thread.tid, 0 = not known */
    bool failed;       /* memory has run out */
};

/* Whether this JVM's classes can be read so. */
bool wick_klass_table_known(const struct wick_jvm *jvm);

/* The class of a Klass, read if it is new; NONE: it cannot be read. */
uint32_t wick_klass_table_find(struct wick_klass_table *t, wick_addr klass);

/* The class that a mirror stands for; NONE: a primitive type's, or of a class that is not loaded. */
uint32_t wick_klass_table_of_mirror(struct wick_klass_table *t, wick_addr mirror);

/* Whether a mirror stands for a primitive type. */
bool wick_klass_table_is_primitive(const struct wick_klass_table *t, wick_addr mirror);

/* Notes an object of the constant pool of a class. */
void wick_klass_table_constant(struct wick_klass_table *t, uint32_t class, wick_addr object);

#endif
