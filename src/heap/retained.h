/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retained.h - what each object keeps alive, and the pictures and tables that follow from it
 *
 * The retained size of an object is the bytes of all that it dominates (dominators.h), itself included: what would be
 * freed if it went away. That of a class is what its instances retain, an instance within another's counted once.
 *
 * The dominator tree by class is the tree of objects with equal ways from the root put together, a way being the
 * classes on it; objects dominated by one of their own class (the nodes of a linked list) are one step. It is a call
 * tree (flame/tree.h) with bytes as weight.
 *
 * Memory:  arrays of the store, 12 to 16 bytes an object while it lasts; 8 or 12 stay.
 */
#ifndef WICK_HEAP_RETAINED_H
#define WICK_HEAP_RETAINED_H

#include "flame/tree.h"
#include "heap/graph.h"

/* An object that dominates much and is dominated by none but the root. */
struct wick_heap_top {
    uint32_t object, class;
    uint64_t retained, bytes;
};

enum { WICK_HEAP_SUSPECTS = 16, WICK_HEAP_KEPT = 3 };

/* An object at which much comes together: it keeps a 20th of the heap or more alive, and nothing below it does. */
struct wick_heap_suspect {
    uint32_t object, class;
    uint64_t retained;
    uint64_t children;              /* objects that it dominates immediately */
    uint64_t alike, alike_retained; /* others of its class below the same dominator that are as large: not listed */
    struct wick_heap_kept {
        uint32_t class;
        uint64_t objects, retained;
    } kept[WICK_HEAP_KEPT]; /* those by class, the most first */
};

struct wick_heap_class_sum {
    uint64_t retained;
    uint64_t tops, tops_retained; /* its instances that nothing but the root dominates */
    uint64_t objects, bytes;      /* reachable */
};

struct wick_heap_retained {
    struct wick_heap_dominators d;
    struct wick_heap_array sizes; /* by number, in units of 8 bytes: u32, or u64 if wide */
    bool wide;
    struct wick_heap_array class;    /* u32 by number */
    struct wick_heap_class_sum *sum; /* by class; behind the last that of objects of unknown class */
    uint32_t classes;
    uint64_t objects, bytes;    /* reachable */
    struct wick_heap_top *tops; /* the largest first */
    size_t ntops;
    struct wick_heap_suspect *suspects; /* the largest first */
    size_t nsuspects;
    struct wick_tree *tree; /* by class; NULL if not asked for */
};

struct wick_heap_retained_ask {
    size_t tops; /* how many */
    bool tree;
};

/* Computes all this. 0, or an error with a sentence; then nothing is kept. */
int wick_heap_retained_find(struct wick_heap_retained *r, struct wick_heap_graph *g,
                            const struct wick_heap_retained_ask *ask, struct wick_err *err);
void wick_heap_retained_release(struct wick_heap_retained *r, struct wick_heap_store *s);

/* The `most` objects of some classes (by class, and behind the last for those of unknown class) that retain most, in
 * out[most]; how many. */
size_t wick_heap_largest(const struct wick_heap_retained *r, struct wick_heap_graph *g, const bool *classes,
                         size_t most, struct wick_heap_top *out);

/* Bytes that an object retains by its number in the dominator tree (0: none, as nothing reaches it). */
static inline uint64_t wick_heap_retained_of(const struct wick_heap_retained *r, uint32_t number)
{
    return 8 * (r->wide ? ((const uint64_t *)r->sizes.p)[number] : ((const uint32_t *)r->sizes.p)[number]);
}

#endif
