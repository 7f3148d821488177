/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.h - the call tree in the compact form that the HTML page carries
 *
 * Memory:  streams through a few KiB.
 */
#ifndef WICK_FLAME_PACK_H
#define WICK_FLAME_PACK_H

#include <stdio.h>

#include "flame/flame.h"

/* Writes the tree (sorted: wick_tree_sort) as base64 without line breaks. The alphabet holds no character that means
 * anything to HTML. NOMEM; write errors stay in out's error flag. */
int wick_pack_base64(const struct wick_tree *t, const struct wick_flame_opts *o, FILE *out);

#endif
