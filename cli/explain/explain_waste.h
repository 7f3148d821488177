/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_waste.h - how much of a heap is room or copies that the program has no use of, as a clause
 */
#ifndef WICK_CLI_EXPLAIN_EXPLAIN_WASTE_H
#define WICK_CLI_EXPLAIN_EXPLAIN_WASTE_H

#include "heap/report.h"

/* Appends what wastes most of the heap, if that is a quarter of the dump, after "; " if there is text already:
 * byte buffers of a small part of their arrays, room that collections do not use, equal strings. */
void wick_explain_waste_add(struct wick_heap_report *r, struct wick_strbuf *out);

#endif
