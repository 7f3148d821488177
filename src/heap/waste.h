/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waste.h - memory of a heap that holds nothing new: duplicates, and room that collections do not use
 *
 * Strings are duplicates if they have the same text (the same bytes in the same coding: the JVM codes a text in one way
 * only); each but one is waste, and so is its array unless they share it. Arrays of primitives are duplicates if they
 * have the same type, length and content; the arrays of strings are left out there. Content is compared by a keyed hash
 * of 64 bits, so that two different ones among ten million are taken for equal once in 300,000 dumps.
 *
 * Of a collection that keeps its elements in an array (ArrayList, ArrayDeque, HashMap ...) the elements of the array
 * that are null are room that it does not use. A hash table needs some: see docs/heap.md.
 *
 * Memory:  arrays of the store, 8 bytes an object and 24 for each content of a part of them, while it lasts.
 */
#ifndef WICK_HEAP_WASTE_H
#define WICK_HEAP_WASTE_H

#include "heap/graph.h"

/* Objects of equal content. */
struct wick_heap_duplicate {
    uint32_t object; /* one of them */
    uint64_t count;
    uint64_t bytes; /* of one: a string with its array */
    uint64_t waste; /* of all but one */
};

struct wick_heap_duplicates {
    struct wick_heap_duplicate *top; /* most waste first */
    size_t ntop;
    uint64_t objects, groups, waste; /* of all: objects that have an equal, contents, bytes that could be saved */
    uint64_t all;                    /* objects inspected */
};

struct wick_heap_collection {
    uint32_t class; /* an array class: arrays that are no collection's, if at least half of them is null */
    uint64_t objects, empty, half; /* how many; with no element; with at most half of the room used (not empty) */
    uint64_t capacity, used;       /* elements */
    uint64_t waste;                /* bytes of elements that are null */
};

struct wick_heap_waste {
    struct wick_heap_duplicates strings, arrays;
    struct wick_heap_collection *collections; /* most waste first */
    size_t ncollections;
};

/* Finds all this; `top` is how many duplicates of each sort are kept. */
int wick_heap_waste_find(struct wick_heap_waste *w, struct wick_heap_graph *g, size_t top, struct wick_err *err);
void wick_heap_waste_release(struct wick_heap_waste *w);

#endif
