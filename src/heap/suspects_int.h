/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suspects_int.h - which objects much of the heap hangs on
 *
 * Memory:  a bit an object while it lasts.
 */
#ifndef WICK_HEAP_SUSPECTS_INT_H
#define WICK_HEAP_SUSPECTS_INT_H

#include "heap/retained.h"

/* Fills r->suspects when sizes and classes are complete. 0 or an error of memory with a sentence. */
int wick_heap_suspects_find(struct wick_heap_retained *r, struct wick_heap_graph *g, struct wick_err *err);

#endif
