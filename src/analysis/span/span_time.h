/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span_time.h - how the time in spans was spent, by the wall clock: what is known exactly and what is estimated
 *
 * A span has its own start and end, so how long the threads of an endpoint were in spans is known to the nanosecond.
 * The samples taken in them estimate the same time, and some were delayed and weigh seconds, so their sum scatters by
 * some percent; it is not needed. Only the samples know how the time was spent: running, waiting for a processor,
 * blocked, and where.
 *
 * So the sum of an endpoint is taken from its spans, and each of the samples in them stands for
 *
 *      weight x (time in the spans of the endpoint) / (weight of all samples in them)
 *
 * which is the ratio estimator of sampling theory, one stratum an endpoint. As the number of samples n grows its bias
 * vanishes like 1 / n, faster than the scatter, and a delayed sample distorts only the share of its state, no longer
 * the sum. Shares are estimates as before. Without any sample an endpoint's time is still known, but not how it was
 * spent.
 *
 * Which samples are in a span of the recording? Those that name one of their own thread; where their event type has no
 * contexts, those taken while one was open. All other samples keep their weights, as nobody knows their time better:
 *   - of spans that had not ended, or whose events were lost;
 *   - of other threads that work for a span without opening one (Wick.wrap), and of contexts without spans (activate);
 *   - of virtual threads, whose spans go on while no thread of the kernel is in them;
 *   - all, if the wall clock sampled only threads chosen by name or id.
 *
 * Requests of virtual threads. While such a thread waits it is unmounted, and the wall clock may not find it. But its
 * root span says how long the request took, and the samples with its context how much of that is known: the difference
 * is time that it waited, for something or for a carrier. Inner spans of other virtual threads are not counted.
 *
 * Time in a thread's spans is that of their union: a span within another one is not counted again. What lies outside of
 * the time that the recordings cover (a recording may be cut) is not counted.
 *
 * Memory:  12 bytes a span, 48 an endpoint, 1 a sample; freed by wick_span_time_release.
 */
#ifndef WICK_ANALYSIS_SPAN_SPAN_TIME_H
#define WICK_ANALYSIS_SPAN_SPAN_TIME_H

#include "analysis/span/spans.h"

struct wick_span_time_row {
    uint32_t endpoint;    /* string number */
    int64_t spans_ns;     /* time that threads were in its spans: exact */
    int64_t sampled_ns;   /* weight of the samples taken in them */
    uint64_t samples;     /* their number */
    int64_t unmounted_ns; /* time of requests of virtual threads in which these were on no carrier, without samples */
};

struct wick_span_time {
    const struct wick_spans *s;
    struct wick_span_time_row *rows; /* n of them */
    bool *in_span;                   /* by sample */
    size_t n, cap;
};

/* Of finished spans, which must outlive it. -WICK_E_NOMEM. */
int wick_span_time_init(struct wick_span_time *t, const struct wick_spans *s);
void wick_span_time_release(struct wick_span_time *t);

/* What is known of an endpoint, NULL if nothing. */
const struct wick_span_time_row *wick_span_time_of(const struct wick_span_time *t, uint32_t endpoint);

/* What wall-clock sample number i stands for, in ns. */
int64_t wick_span_time_weight(const struct wick_span_time *t, size_t i);

#endif
