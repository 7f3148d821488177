/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_diff.h - `wick heap OLD NEW` as text and as JSON
 */
#ifndef WICK_CLI_HEAP_HEAP_DIFF_H
#define WICK_CLI_HEAP_HEAP_DIFF_H

#include "cli/heap/heap_table.h"
#include "heap/class_diff.h"

/* Prints what changed; graph = sizes are of reachable objects, and there are retained ones. t->title is the newer
 * dump's name. */
void wick_heap_diff_write(struct wick_heap_class_diff *d, const struct wick_heap_table *t, const char *before,
                          bool graph, FILE *out);
void wick_heap_diff_write_json(struct wick_heap_class_diff *d, const struct wick_heap_table *t, const char *before,
                               bool graph, FILE *out);

#endif
