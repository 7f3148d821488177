/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - the call tree: many weighted stacks folded into one tree
 *
 * Stacks are added root first. A node stands for one way of getting to one method: its identity is (parent, name,
 * group), where the four Java kinds (interpreted, C1, C2, inlined) are one group and every other kind is a group of its
 * own. So a method that was first interpreted and later compiled is one box, with the weight of each kind kept apart;
 * a native `write` and a kernel `write` stay two boxes.
 *
 * Node 0 is the root: it has no name and stands for all samples. Nodes are numbered in order of creation, so a child's
 * number is always greater than its parent's.
 *
 * Memory:  malloc; freed by wick_tree_free. Pointers handed out are valid until the next wick_tree_name/_add/_sort.
 * After a failure the tree is as it was before the call. About 60 bytes a node; no recursion at any depth.
 */
#ifndef WICK_FLAME_TREE_H
#define WICK_FLAME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WICK_TREE_NONE       UINT32_MAX /* no node, no name */
#define WICK_TREE_ROOT       0u
#define WICK_TREE_JAVA_KINDS 4u
#define WICK_TREE_MAX_LINES  64u /* distinct line numbers kept per node; weight on further lines is "line unknown" */

struct wick_tree;

struct wick_tree_frame {
    uint32_t name; /* from wick_tree_name */
    uint32_t line; /* source line, 0 = unknown */
    uint8_t kind;  /* enum wick_frame_kind */
};

struct wick_tree_node {
    uint64_t total;        /* weight of all stacks that pass through here */
    uint64_t self;         /* weight of those that end here */
    uint32_t parent;       /* WICK_TREE_NONE for the root */
    uint32_t first_child;  /* WICK_TREE_NONE if none */
    uint32_t next_sibling; /* WICK_TREE_NONE if last */
    uint32_t name;         /* WICK_TREE_NONE for the root */
    uint32_t depth;        /* root = 0 */
    uint32_t split;        /* private: number of the split record, 0 = one kind only */
    uint32_t lines;        /* private: see wick_tree_lines */
    uint8_t kind;          /* first kind seen; wick_tree_kind returns the dominant one */
};

/* Weight of a Java node by kind; the index is wick_tree_java_slot(kind). Sums to the node's total and self. */
struct wick_tree_split {
    uint64_t total[WICK_TREE_JAVA_KINDS];
    uint64_t self[WICK_TREE_JAVA_KINDS];
};

struct wick_tree_line {
    uint64_t total, self; /* weight of the samples that were on this line; self: and had no frame below */
    uint32_t line;
};

/* A new tree that holds the root only. NULL if memory ran out. */
struct wick_tree *wick_tree_new(void);
void wick_tree_free(struct wick_tree *t); /* t may be NULL */

/* Interns n bytes (any bytes) and returns their number, equal for equal bytes; WICK_TREE_NONE if memory ran out or the
 * name is longer than 1 MiB. Numbers count up from 0. */
uint32_t wick_tree_name(struct wick_tree *t, const char *s, size_t n);

/* The same for a name inside a library (a name of this tree; WICK_TREE_NONE = as above): equal bytes in two libraries
 * are two names. */
uint32_t wick_tree_name_in(struct wick_tree *t, const char *s, size_t n, uint32_t library);

/* The library of a name, WICK_TREE_NONE if it has none. */
uint32_t wick_tree_library(const struct wick_tree *t, uint32_t id);

/* The bytes of a name, not NUL-terminated. id must come from this tree. */
const char *wick_tree_name_get(const struct wick_tree *t, uint32_t id, size_t *n);

uint32_t wick_tree_names(const struct wick_tree *t); /* how many names */

/* Adds one stack of n frames, root first, with its weight. n = 0 adds to the root's self. A weight of 0 changes
 * nothing; of one that would take the sum of all beyond 2^64 - 1 what fits is added (base/sum.h). Errors: NOMEM; FORMAT
 * (a frame with a kind or name that does not exist); LIMIT (there are 2^32 nodes). */
int wick_tree_add(struct wick_tree *t, const struct wick_tree_frame *frames, size_t n, uint64_t weight);

/* What of the weight can still be added to the whole. */
uint64_t wick_tree_room(const struct wick_tree *t, uint64_t weight);

/* The same in parts, for callers that know each stack's parent and sum weights themselves. In any order:
 * _child finds or makes the node of a frame under a node, without weight; _weigh adds weight to it; _count adds a
 * sample's weight to the whole, `at_root` when no frame holds it. A whole tree has been weighed so that each node's
 * total is its self and its children's totals. Errors: NOMEM, LIMIT (2^32 nodes, or _count of more than
 * wick_tree_room()). */
int wick_tree_child(struct wick_tree *t, uint32_t parent, const struct wick_tree_frame *frame, uint32_t *node);
int wick_tree_weigh(struct wick_tree *t, uint32_t node, const struct wick_tree_frame *frame, uint64_t total,
                    uint64_t self);
int wick_tree_count(struct wick_tree *t, uint64_t weight, bool at_root);

uint32_t wick_tree_nodes(const struct wick_tree *t); /* how many nodes, the root included */
const struct wick_tree_node *wick_tree_node(const struct wick_tree *t, uint32_t node);

/* The kind that carries most of the node's weight (ties: the order of wick_tree_java_slot). */
uint8_t wick_tree_kind(const struct wick_tree *t, uint32_t node);

/* Fills out with the node's weight by Java kind; returns how many kinds have weight (1..4), or 0 if the node is not a
 * Java method (out is then all zero). */
unsigned wick_tree_split_get(const struct wick_tree *t, uint32_t node, struct wick_tree_split *out);

/* 0..3 for a Java kind (C2, C1, inlined, interpreted), -1 for any other; and back. */
int wick_tree_java_slot(unsigned kind);
uint8_t wick_tree_java_kind(unsigned slot);

/* The lines of a node that are known, in no order; returns how many. */
unsigned wick_tree_lines(const struct wick_tree *t, uint32_t node, struct wick_tree_line out[WICK_TREE_MAX_LINES]);

/* The greatest number that divides every weight added, 0 for an empty tree. */
uint64_t wick_tree_gcd(const struct wick_tree *t);

/* Has it be a divisor of this number as well: for weights that were not counted one by one. */
void wick_tree_divide(struct wick_tree *t, uint64_t divisor);

/* The greatest depth of a node (root = 0). */
uint32_t wick_tree_depth(const struct wick_tree *t);

/* Orders children by the bytes of their name, its library, then by kind: the result does not depend on the order of
 * _add. O(nodes). NOMEM. */
int wick_tree_sort(struct wick_tree *t);

/* Position of a name among all names sorted by bytes; valid after wick_tree_sort until the next new name. */
uint32_t wick_tree_rank(const struct wick_tree *t, uint32_t name);

/* Pre-order successor inside the subtree of top; WICK_TREE_NONE at its end. Start with node = top. */
uint32_t wick_tree_next(const struct wick_tree *t, uint32_t top, uint32_t node);

/* The leaf-up tree in *out (caller frees): every stack's frames in opposite order. Sums of totals by name are those of
 * the forward tree. Which kind a caller had is known in the forward tree per node, not per stack, so where it was
 * several kinds its weight is divided in their proportion (exact for the leaf itself). Lines are kept for the leaves.
 * NOMEM, LIMIT. */
int wick_tree_reverse(const struct wick_tree *t, struct wick_tree **out);

#endif
