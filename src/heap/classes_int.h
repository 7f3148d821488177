/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classes_int.h - what the files of this module share
 */
#ifndef WICK_HEAP_CLASSES_INT_H
#define WICK_HEAP_CLASSES_INT_H

#include "heap/classes.h"

/* Makes room for one more element behind n of `size` bytes each. 0 or -WICK_E_NOMEM. */
int wick_heap_grow(void **array, size_t *cap, size_t n, size_t size);

/* The fields of a class and its superclasses, in the order in which an instance has them: {.c, .v}, _enter, then _next
 * until it is false. */
struct wick_heap_fields {
    const struct wick_heap_classes *c;
    struct wick_heap_view *v;
    uint32_t class; /* of the field at hand */
    unsigned left;  /* of that class */
    unsigned depth; /* superclasses so far */
    uint64_t at;
    uint64_t offset; /* in the instance, of the next field */
    bool broken;     /* a superclass is missing, or there are too many */
};
void wick_heap_fields_enter(struct wick_heap_fields *f, uint32_t class);
bool wick_heap_fields_next(struct wick_heap_fields *f, struct wick_hprof_field *field, uint64_t *offset);

/* Before the first object. */
void wick_heap_sizes_begin(struct wick_heap_classes *c);

/* Takes note of where an object lies, in the order of the dump. */
void wick_heap_sizes_see(struct wick_heap_classes *c, const struct wick_hprof_object *o);

/* Finds c->layout and the size of the instances of each class, when all objects have been seen. */
void wick_heap_sizes_find(struct wick_heap_classes *c, struct wick_heap_view *v);

#endif
