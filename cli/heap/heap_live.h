/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_live.h - the heap of a running JVM: its own histogram (heap/histogram.h), or a dump (heap/live_dump.h)
 */
#ifndef WICK_CLI_HEAP_HEAP_LIVE_H
#define WICK_CLI_HEAP_HEAP_LIVE_H

#include "cli/heap/heap_table.h"

/* Has the JVM that `word` means write a dump, with only what is reachable if `live` (it collects garbage first).
 * Returns its descriptor, the caller's, or an error with a sentence; title gets what it is called. */
int wick_heap_live_dump(const char *word, bool live, struct wick_strbuf *title, struct wick_err *err);

/* Prints objects and bytes by class as the JVM counts them. */
int wick_heap_live_histogram(const char *word, bool live, const struct wick_heap_table *t, bool json, FILE *out,
                             struct wick_err *err);

#endif
