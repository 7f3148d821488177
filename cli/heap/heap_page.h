/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_page.h - `wick heap -o FILE.html`
 *
 * Memory:  the output is streamed.
 */
#ifndef WICK_CLI_HEAP_HEAP_PAGE_H
#define WICK_CLI_HEAP_HEAP_PAGE_H

#include "cli/heap/heap_table.h"

/* Writes the page of a report that has its tree, complete or not at all. 0 or an error with a sentence. */
int wick_heap_page_save(struct wick_heap_report *r, const struct wick_heap_table *t, const char *path,
                        struct wick_err *err);

#endif
