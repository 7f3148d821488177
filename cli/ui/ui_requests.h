/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_requests.h - the answers of `wick ui` about requests: endpoints, latency over time, traces
 *
 * Each reads the recording, writes JSON to out, and returns 0 or -WICK_E_* with a message. What is written by then is
 * not sent.
 *
 * Memory:  that of the recording's spans (analysis/span/spans.h), while it runs.
 */
#ifndef WICK_CLI_UI_UI_REQUESTS_H
#define WICK_CLI_UI_UI_REQUESTS_H

#include <stdio.h>

#include "serve/serve.h"

/* What `wick endpoints --json` prints. */
int wick_ui_endpoints(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* Traces, slowest first: those of an endpoint, that began in a range of time, whose latency lies in a range. */
int wick_ui_traces(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* How many traces began when and took how long: a density, and percentiles by column. */
int wick_ui_latency(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* What `wick trace --json` prints of one. */
int wick_ui_trace(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

#endif
