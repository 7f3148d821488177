/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.h - the objects of a heap dump and what they refer to, without holding the dump
 *
 * An object is a number (ids.h); what is kept of it is its place in the file. Its references are read once and kept as
 * lists of numbers (links.h): the fields of an instance but the referents of java.lang.ref.Reference, the elements of
 * an array, the static fields of a class, its loader and superclass. Two kinds of references are not in the dump's
 * records of objects:
 *
 * - an object keeps its class alive, and so its class's loader. Noted for classes that are no GC roots themselves,
 *   since it makes no difference for the others.
 * - what a thread's stack refers to is kept by the thread: its Thread object refers to it ("local variable").
 *
 * Memory:  arrays of the store: 4 bytes an object (8 if the file is larger than 4 GiB), its ids and its references.
 */
#ifndef WICK_HEAP_GRAPH_H
#define WICK_HEAP_GRAPH_H

#include "heap/classes.h"
#include "heap/dominators.h"
#include "heap/ids.h"
#include "heap/links.h"

/* A GC root that holds an object. */
struct wick_heap_root {
    uint32_t object;
    uint32_t holder; /* the Thread object on whose stack it is, WICK_HEAP_NONE = the JVM */
    uint32_t thread; /* serial number, 0 = none */
    uint32_t frame;  /* depth in its stack, UINT32_MAX = none */
    uint8_t kind;    /* enum wick_hprof_root_kind */
};

struct wick_heap_totals {
    uint64_t objects, bytes;
    uint64_t classes, loaders;
    uint64_t dangling; /* references in roots to objects that the dump does not have */
};

struct wick_heap_graph {
    struct wick_hprof hprof;
    struct wick_heap_file *file; /* the caller's */
    struct wick_heap_view scan;  /* reads from front to back */
    struct wick_heap_view jump;  /* reads here and there */
    struct wick_heap_classes classes;
    struct wick_heap_store *store; /* the caller's */
    struct wick_heap_totals totals;
    struct wick_heap_ids ids;
    struct wick_heap_ids_range range;
    struct wick_heap_array places; /* u32 or u64 by object: its record */
    bool wide;                     /* u64 */
    uint64_t most_links;           /* references, counted by the records' lengths */
    struct wick_heap_links links;  /* made by wick_heap_graph_edges */
    struct wick_heap_root *roots;  /* by holder, WICK_HEAP_NONE last; then by object */
    size_t nroots, roots_cap;
    size_t held;          /* how many of them have a holder: they come first */
    struct wick_err *err; /* of the call at hand */
};

/* Reads classes and how many objects of each there are: what a histogram needs. name is for messages. 0 or an error
 * with a sentence; then everything is released. */
int wick_heap_graph_open(struct wick_heap_graph *g, struct wick_heap_file *file, const char *name,
                         struct wick_heap_store *store, struct wick_err *err);

/* Finds all objects: what everything else needs. */
int wick_heap_graph_index(struct wick_heap_graph *g, struct wick_err *err);

void wick_heap_graph_release(struct wick_heap_graph *g);

/* The graph for wick_heap_dominators_find and others. The first call reads the dump for all references; later ones find
 * them there. */
int wick_heap_graph_edges(struct wick_heap_graph *g, struct wick_heap_edges *edges, struct wick_err *err);

/* The record of an object. 0, or -WICK_E_FORMAT if the file has changed. */
int wick_heap_graph_object(struct wick_heap_graph *g, uint32_t object, struct wick_hprof_object *o);

/* An object's class and size. The size is 0 and the class NONE if the file has changed. */
struct wick_heap_brief {
    uint64_t id, bytes;
    uint32_t class;
};
struct wick_heap_brief wick_heap_graph_brief(struct wick_heap_graph *g, uint32_t object);

/* Calls fn for each record of an object in the order of the file, once for each object. */
int wick_heap_graph_each(struct wick_heap_graph *g,
                         int (*fn)(void *ctx, uint32_t object, const struct wick_hprof_object *o), void *ctx,
                         struct wick_err *err);

/* The first of g->roots that a Thread object holds, or where it would be. */
size_t wick_heap_graph_held(const struct wick_heap_graph *g, uint32_t holder);

/* The root that holds an object: the one of a holder, or any if holder is WICK_HEAP_NONE. NULL. */
const struct wick_heap_root *wick_heap_graph_root(const struct wick_heap_graph *g, uint32_t object, uint32_t holder);

/* Place of the record of an object. */
static inline uint64_t wick_heap_graph_place(const struct wick_heap_graph *g, uint32_t object)
{
    return g->wide ? ((const uint64_t *)g->places.p)[object] : ((const uint32_t *)g->places.p)[object];
}

#endif
