/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_views.h - the answers of `wick ui` about requests, locks, safepoints, heaps and memory
 *
 * All write JSON to out, but for the first, by which they read a recording. Those that may fail return 0 or -WICK_E_*
 * with a message; what is written then is not sent.
 *
 * Memory:  what the analysis holds of the recording, while it runs; that of spans, locks and safepoints is kept
 *          (ui_followed.h). Heaps are analysed in a process of their own.
 */
#ifndef WICK_CLI_UI_UI_VIEWS_H
#define WICK_CLI_UI_UI_VIEWS_H

#include <stdio.h>

#include "analysis/memory/gc_history.h"
#include "analysis/memory/memory_use.h"
#include "analysis/range.h"
#include "jfr/reader/reader.h"
#include "serve/serve.h"

/* As wick_analysis_reader, but prints nothing: the catalog has the notes on a recording. */
int wick_ui_read_quietly(struct wick_profile *p, const char *path, const struct wick_jfr_visitor *v,
                         struct wick_err *err);

/* -WICK_E_FORMAT: the input is of a format that contains only samples. */
int wick_ui_no_events(struct wick_err *err);

/* The range of time that a request asks for; {0} = it asks for none. -WICK_E_USAGE with a message. */
int wick_ui_range(const struct wick_ask *a, struct wick_range *range, struct wick_err *err);

/* What `wick ttsp --json` prints of the file, of each incident at most five threads with 60 frames. 0 or -WICK_E_* with
 * a message. */
int wick_ui_safepoints(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* What disturbed the program over time (analysis/wait/disturbances.h) as JSON. 0 or -WICK_E_* with a message. */
int wick_ui_disturbances(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* The edges of analysis/wait/lock_graph.h as JSON. 0 or -WICK_E_* with a message. */
int wick_ui_locks(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* What `wick endpoints --json` prints. */
int wick_ui_endpoints(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* Traces, slowest first: those of an endpoint, that began in a range of time, whose latency lies in a range. */
int wick_ui_traces(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* How many traces began when and took how long: a density, and percentiles by column. */
int wick_ui_latency(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* What `wick trace --json` prints of one. */
int wick_ui_trace(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* What `wick heap --json` prints of a heap dump: what fills it, and who holds it. */
int wick_ui_heap(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* The same of the heap of a running JVM, which collects garbage and stands still while it writes its dump; the dump is
 * not kept. See struct wick_serve_front. */
int wick_ui_heap_of_jvm(void *ctx, int pid, FILE *out, struct wick_err *err);

/* What `wick memory --json` prints of a range of time. */
int wick_ui_memory(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* Resident memory by part over time, with the limits; at most `most` readings (>= 1). -WICK_E_NOMEM. */
int wick_ui_memory_over_time(const struct wick_memory_use *u, size_t most, FILE *out);

/* Live objects over time by class or method, those that grow fastest first. */
int wick_ui_live(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* Collections, those of a range of time if that is asked for, as wick_ui_front_write_kept answers. */
int wick_ui_collections(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* Collections and their causes, as wick_gc_history_choose and _thin have left them. Takes count of all that were
 * chosen from the causes. */
void wick_ui_write_collections(const struct wick_gc_history *h, const struct wick_profile *p, FILE *out);

#endif
