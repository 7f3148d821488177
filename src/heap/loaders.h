/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaders.h - class loaders: what each has defined, and which may have leaked
 *
 * A program that is deployed anew leaves its old class loader to be collected. Several loaders of one class that have
 * defined classes of the same names are a sign that the old ones are still held.
 *
 * Memory:  malloc; freed by _release.
 */
#ifndef WICK_HEAP_LOADERS_H
#define WICK_HEAP_LOADERS_H

#include "heap/retained.h"

struct wick_heap_loader {
    uint64_t id;             /* 0 = the JVM's own loader */
    uint32_t object;         /* WICK_HEAP_NONE if it is not in the dump */
    uint32_t class;          /* of the loader */
    uint64_t classes;        /* that it has defined */
    uint64_t again;          /* of those, how many another loader of the same class has also defined */
    uint64_t objects, bytes; /* instances of its classes */
    uint64_t retained;       /* by the loader and its classes together; 0 if that was not computed */
    bool reachable;
};

struct wick_heap_loaders {
    struct wick_heap_loader *all; /* most retained first */
    size_t n;
};

/* r may be NULL: nothing is known of retained sizes then. 0, or -WICK_E_NOMEM with a sentence. */
int wick_heap_loaders_find(struct wick_heap_loaders *l, struct wick_heap_graph *g, const struct wick_heap_retained *r,
                           struct wick_err *err);
void wick_heap_loaders_release(struct wick_heap_loaders *l);

#endif
