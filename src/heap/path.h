/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.h - who holds an object: the shortest way to it from a GC root
 *
 * A breadth-first search from all roots at once stops when it has met all objects that are asked for. It takes the same
 * references as the dominator tree: none through the referents of soft, weak, phantom and final references.
 *
 * Memory:  arrays of the store during the search, 8 bytes an object; the paths are malloc'ed.
 */
#ifndef WICK_HEAP_PATH_H
#define WICK_HEAP_PATH_H

#include "heap/graph.h"

struct wick_heap_path {
    uint32_t *objects; /* from the root's to the one asked for */
    uint32_t n;        /* 0 = it cannot be reached */
};

/* The shortest path to each of n objects in paths[n]. Errors of the store; then no path is kept. */
int wick_heap_paths_find(struct wick_heap_graph *g, const uint32_t *targets, size_t n, struct wick_heap_path *paths,
                         struct wick_err *err);
void wick_heap_paths_release(struct wick_heap_path *paths, size_t n);

/* How `from` refers to `to`, appended for people: "table", "[12]", "static cache", "<class>", "<class loader>", "local
 * variable in acme.Pool.run(Pool.java:42)". */
void wick_heap_reference_add(struct wick_heap_graph *g, uint32_t from, uint32_t to, struct wick_strbuf *out);

/* What kind of root holds an object, appended: "JNI global reference", "thread \"main\"". */
void wick_heap_root_add(struct wick_heap_graph *g, uint32_t object, struct wick_strbuf *out);

/* An object for people, appended: "acme.Cache", "class acme.Cache", "java.lang.Thread \"main\"", "byte[100]". */
void wick_heap_object_add(struct wick_heap_graph *g, uint32_t object, struct wick_strbuf *out);

/* The whole path as one line, appended: "system class: class acme.Main, static CACHE -> java.util.HashMap, table ->
 * java.util.HashMap$Node[2048]". Of a long one the middle is left out, and counted. */
void wick_heap_path_add(struct wick_heap_graph *g, const struct wick_heap_path *path, struct wick_strbuf *out);

#endif
