/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endpoint_table.h - the table of `wick endpoints`: how often, how long, how much CPU
 *
 * Latencies are those of root spans (wick.Span with root = 1), all of them, so percentiles are exact: the p-th is the
 * least latency that at least p % of the requests did not exceed. CPU time is the weight of CPU samples taken within
 * the endpoint, in whichever thread and span.
 *
 * Threads: one at a time.
 * Memory:  8 bytes a root span.
 */
#ifndef WICK_CLI_ENDPOINT_TABLE_H
#define WICK_CLI_ENDPOINT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "jfr/reader.h"

struct wick_endpoint {
    uint32_t name;      /* string number; 0 = samples of no endpoint */
    int64_t *latencies; /* ns, n of them */
    size_t n, cap;
    uint64_t cpu_ns, samples;
};

struct wick_endpoints {
    struct wick_profile *p; /* aggregated by labels */
    struct wick_endpoint *rows;
    size_t n, cap;
    bool failed; /* memory ran out */
};

/* Asks the reader for spans and collects them; put it in a visitor with an empty filter. */
struct wick_jfr_visitor wick_endpoints_visitor(struct wick_endpoints *e);

/* Adds the CPU time of the profile, which has been read. */
void wick_endpoints_add_cpu(struct wick_endpoints *e);

/* Writes the rows, the most latency in sum first. 0 or -WICK_E_NOMEM. */
int wick_endpoints_write(struct wick_endpoints *e, bool json, FILE *out, struct wick_err *err);

void wick_endpoints_release(struct wick_endpoints *e);

#endif
