/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alike.h - who holds many objects of one kind together
 *
 * Of objects that nobody removes any more, one path says little: it may be that of the one that is in use. What most of
 * their paths have in common does.
 *
 * Memory:  that of the search (path.h); the path is malloc'ed, and freed by wick_heap_common_release.
 */
#ifndef WICK_HEAP_ALIKE_H
#define WICK_HEAP_ALIKE_H

#include "heap/loaders.h"
#include "heap/path.h"

enum { WICK_HEAP_ALIKE = 32 }; /* paths that are searched for */

struct wick_heap_alike {
    uint32_t class; /* WICK_HEAP_NONE = there are none */
    uint64_t count; /* objects of it that can be reached */
    uint32_t objects[WICK_HEAP_ALIKE];
    size_t n; /* of these: all, or some from everywhere in the dump */
};

/* Class loaders of one class, where there are so many more than before (0 = not known): of those whose classes other
 * loaders of that class have defined as well the most, if these are as many as that, or half as many as the most of
 * all; else the most of all. 0, or -WICK_E_NOMEM with a sentence. */
int wick_heap_alike_loaders(const struct wick_heap_loaders *l, uint64_t grown, struct wick_heap_alike *out,
                            struct wick_err *err);

struct wick_heap_common {
    struct wick_heap_path path; /* to one of them; n = 0: none can be reached */
    uint32_t holder;            /* in it: the nearest object, no link of a chain, of more than half, else the root */
    size_t held;                /* by it, of those that were searched for */
};

/* Who holds them. Errors of the store; then nothing is kept. */
int wick_heap_alike_holder(struct wick_heap_graph *g, const struct wick_heap_alike *a, struct wick_heap_common *out,
                           struct wick_err *err);
void wick_heap_common_release(struct wick_heap_common *c);

#endif
