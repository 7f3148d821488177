/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_focus.h - one method of a call tree: what it calls, and what calls it
 *
 * A method is all frames of one name. A stack in which it recurs counts once, from its outermost frame on: what is
 * below that one are callees, also the method itself again; what is above are callers. So both trees weigh the same.
 *
 * Threads: one at a time per tree.
 * Memory:  the new tree, freed by wick_tree_free; 8 bytes a node of the old one during the call.
 */
#ifndef WICK_FLAME_TREE_FOCUS_H
#define WICK_FLAME_TREE_FOCUS_H

#include "flame/tree.h"

/* The tree whose first level is the method of that name (n bytes, in any library), with what it calls below it. Empty
 * but for its root if there is no such frame. Lines are not kept. *out is the caller's. NOMEM, LIMIT. */
int wick_tree_callees(const struct wick_tree *t, const char *name, size_t n, struct wick_tree **out);

/* The same with its callers, the nearest first. A caller that was of several kinds counts as the one with the most
 * weight. */
int wick_tree_callers(const struct wick_tree *t, const char *name, size_t n, struct wick_tree **out);

#endif
