/* SPDX-License-Identifier: Apache-2.0 */
/*
 * box_layout.c - boxes of a flame graph
 *
 * One pre-order walk without a stack: for every depth `edge` holds where the next box of that depth begins. On entering
 * a node its own start is edge[depth]; that edge moves right by the node's total, and the edge of its children starts
 * at the node's start. A node that is too narrow also moves the edge, and its subtree, which cannot be wider, is
 * stepped over: a box's place never depends on what is drawn.
 */
#include "flame/box_layout.h"

#include <stdlib.h>

#include "base/err.h"

static int add_box(struct wick_box_layout *l, uint32_t node, uint64_t start)
{
    if (l->boxes == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 1024;
        struct wick_box *p = realloc(l->box, cap * sizeof *p);
        if (!p)
            return -WICK_E_NOMEM;
        l->box = p;
        l->cap = cap;
    }
    l->box[l->boxes++] = (struct wick_box){.start = start, .node = node};
    return 0;
}

/* The pre-order successor of node outside its subtree. */
static uint32_t step_over(const struct wick_tree *t, uint32_t node)
{
    for (; node != WICK_TREE_ROOT; node = wick_tree_node(t, node)->parent)
        if (wick_tree_node(t, node)->next_sibling != WICK_TREE_NONE)
            return wick_tree_node(t, node)->next_sibling;
    return WICK_TREE_NONE;
}

static uint64_t subtree_size(const struct wick_tree *t, uint32_t node)
{
    uint64_t n = 0;
    for (uint32_t i = node; i != WICK_TREE_NONE; i = wick_tree_next(t, node, i))
        n++;
    return n;
}

int wick_box_layout_init(struct wick_box_layout *out, const struct wick_tree *t, uint64_t min_weight)
{
    struct wick_box_layout l = {0};
    uint64_t *edge = calloc((size_t)wick_tree_depth(t) + 2, sizeof *edge);
    if (!edge)
        return -WICK_E_NOMEM;
    uint32_t id = WICK_TREE_ROOT;
    while (id != WICK_TREE_NONE) {
        const struct wick_tree_node *d = wick_tree_node(t, id);
        uint64_t start = edge[d->depth];
        edge[d->depth] += d->total;
        edge[d->depth + 1] = start;
        if (d->total < min_weight && id != WICK_TREE_ROOT) {
            l.hidden += subtree_size(t, id);
            id = step_over(t, id);
            continue;
        }
        if (add_box(&l, id, start)) {
            free(edge);
            free(l.box);
            return -WICK_E_NOMEM;
        }
        if (d->depth > l.depth)
            l.depth = d->depth;
        id = wick_tree_next(t, WICK_TREE_ROOT, id);
    }
    free(edge);
    *out = l;
    return 0;
}

void wick_box_layout_release(struct wick_box_layout *l)
{
    free(l->box);
    *l = (struct wick_box_layout){0};
}
