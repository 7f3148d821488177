/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endpoint_table.h - the table of `wick endpoints`: how often, how long, how much CPU, and what was waited for
 *
 * Latencies are those of root spans (wick.Span with root = 1), all of them, so percentiles are exact: the p-th is the
 * least latency that at least p % of the requests did not exceed. CPU time is the weight of CPU samples taken within
 * the endpoint, in whichever thread and span. By the wall clock the time that threads were in spans of the endpoint is
 * that of the spans, exact, and its shares by state are estimated from the samples taken in them
 * (analysis/span/span_time.h); what samples say of other time of the endpoint is added (analysis/span/spans.h says
 * which endpoint a sample belongs to).
 *
 * Memory:  16 bytes a root span, 8 a state and row.
 */
#ifndef WICK_CLI_REQUEST_ENDPOINT_TABLE_H
#define WICK_CLI_REQUEST_ENDPOINT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "analysis/span/span_time.h"

struct wick_request {
    int64_t start_ns, latency_ns;
};

struct wick_endpoint {
    uint32_t name;                 /* string number; 0 = samples of no endpoint */
    struct wick_request *requests; /* n of them */
    size_t n, cap;
    uint64_t cpu_ns, samples;
    int64_t *by_state;  /* ns of the wall clock, by state of the profile */
    int64_t work_ns[3]; /* the same by enum wick_span_work */
    struct wick_span_time_row in_spans;
    uint64_t allocated; /* bytes, */
    double variance;    /* and that of the estimate */
};

struct wick_endpoints {
    const struct wick_spans *s; /* finished: those given, or the part of them */
    struct wick_spans part;     /* in the range, if one was asked for */
    struct wick_span_time time;
    struct wick_endpoint *rows;
    size_t n, cap;
    bool failed; /* memory ran out */
};

enum wick_endpoints_form { WICK_ENDPOINTS_TEXT, WICK_ENDPOINTS_JSON };

/* Makes the rows, the most latency in sum first: of requests that began in a range of time, with their whole latency,
 * and of what threads did then. INT64_MIN to INT64_MAX = all. -WICK_E_NOMEM. */
int wick_endpoints_init(struct wick_endpoints *e, const struct wick_spans *s, int64_t from_ns, int64_t to_ns);

/* Writes them. -WICK_E_NOMEM. */
int wick_endpoints_write(const struct wick_endpoints *e, enum wick_endpoints_form form, FILE *out);

void wick_endpoints_release(struct wick_endpoints *e);

#endif
