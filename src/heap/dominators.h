/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dominators.h - which object keeps which alive: the dominator tree of a graph too large to hold
 *
 * An object a dominates an object b if every path from the GC roots to b leads through a: if a went away, so would b.
 * The nearest one is b's immediate dominator. A virtual root refers to all roots.
 *
 * The graph is asked for the edges of each node three times: during the depth-first search, and twice in the order of
 * that to list each node's predecessors.
 *
 * Nodes that can be reached get numbers in the order of the search: 1 is the virtual root, so 0 means "not reached".
 *
 * Memory:  arrays of the store: 28 bytes a node and 4 an edge while it lasts, of which those that rest are in files if
 *          memory is tight; 12 bytes a node stay.
 */
#ifndef WICK_HEAP_DOMINATORS_H
#define WICK_HEAP_DOMINATORS_H

#include "heap/store.h"

#define WICK_HEAP_ROOT 1u /* number of the virtual root */

/* An edge to a node (0 ... n-1). Another value than 0 ends the enumeration. */
typedef int wick_heap_edge(void *to, uint32_t from, uint32_t target);

struct wick_heap_edges {
    void *ctx;
    uint32_t nodes;
    /* The nodes to which roots refer; `from` means nothing. */
    int (*roots)(void *ctx, wick_heap_edge *edge, void *to);
    /* Where a node refers to, perhaps repeatedly; each time the same. */
    int (*of)(void *ctx, uint32_t node, wick_heap_edge *edge, void *to);
    /* What the graph keeps is not needed for some time. May be NULL. */
    void (*rest)(void *ctx);
};

struct wick_heap_dominators {
    uint32_t reached;              /* numbers 1 ... reached are in use */
    struct wick_heap_array number; /* u32 by node: its number; 0 = not reached */
    struct wick_heap_array node;   /* u32 by number: its node; the virtual root's means nothing */
    struct wick_heap_array idom;   /* u32 by number: its immediate dominator's number, which is smaller */
};

/* Finds the dominator tree. 0, what an edge function returned, or errors of the store. */
int wick_heap_dominators_find(struct wick_heap_dominators *d, const struct wick_heap_edges *g,
                              struct wick_heap_store *s, struct wick_err *err);
void wick_heap_dominators_release(struct wick_heap_dominators *d, struct wick_heap_store *s);

#endif
