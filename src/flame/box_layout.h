/* SPDX-License-Identifier: Apache-2.0 */
/*
 * box_layout.h - which boxes of a call tree are drawn, and where
 *
 * Memory:  one record per drawn box; freed by _release.
 */
#ifndef WICK_FLAME_BOX_LAYOUT_H
#define WICK_FLAME_BOX_LAYOUT_H

#include "flame/tree.h"

struct wick_box {
    uint64_t start; /* weight to the left of the box; its width is the node's total */
    uint32_t node;
};

struct wick_box_layout {
    struct wick_box *box; /* in pre-order, the root first */
    size_t boxes, cap;
    uint64_t hidden; /* nodes too narrow, with everything above them */
    uint32_t depth;  /* greatest depth of a box */
};

/* Lays out the boxes whose weight is at least min_weight (0 and 1: all), children side by side from the parent's left
 * edge. out is initialised here. NOMEM (then there is nothing to release). */
int wick_box_layout_init(struct wick_box_layout *out, const struct wick_tree *t, uint64_t min_weight);
void wick_box_layout_release(struct wick_box_layout *l);

#endif
