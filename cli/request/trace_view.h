/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_view.h - traces as text on a terminal, and as JSON
 *
 * Memory:  temporary.
 */
#ifndef WICK_CLI_REQUEST_TRACE_VIEW_H
#define WICK_CLI_REQUEST_TRACE_VIEW_H

#include <stdio.h>

#include "analysis/owner/trace_locks.h"

/* The table of traces, n of `all`. */
void wick_trace_view_list(const struct wick_spans *s, const struct wick_spantrace_id *ids, size_t n, size_t all,
                          FILE *out);

/* One trace: its spans and threads as bars of `width` columns, and where the threads waited. -WICK_E_NOMEM. */
int wick_trace_view_text(const struct wick_spans *s, const struct wick_spantrace *t, unsigned width, FILE *out);

/* All of n traces with their waits for locks, and their stacks, as one JSON object (man wick says which members).
 * -WICK_E_NOMEM. */
int wick_trace_view_json(const struct wick_trace_locks *l, const struct wick_spantrace_id *ids, size_t n, FILE *out);

/* The endpoint of a trace, or else the operation of its longest span; a string number. */
uint32_t wick_trace_view_title(const struct wick_spantrace_id *id);

#endif
