/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spantrace.h - one trace: its spans, and for each thread what it did during them
 *
 * Spans with the same trace id are a trace; spans without one are grouped by their outermost span. Its time is that
 * from the first begin to the last end, its latency that of its longest span.
 *
 * A bar is the stretch of time that a sample speaks for. A CPU sample is taken when the thread has used its weight, so
 * its bar ends there. A wall-clock sample speaks for its surroundings: half of what one visit stands for to either
 * side, but never beyond the middle to the next sample of the thread. A delayed visit weighs more, for the time
 * without visits; its bar is not drawn longer for that. And no bar leaves the span that its sample was taken in, which
 * is the one it names or else the innermost one. So the bars of a thread do not overlap, and their sum is at most
 * the time that passed.
 *
 * A gap is time in which a span of the thread was open and for which no wall-clock sample speaks: it is known to have
 * passed there, and not how. Nothing is made up for it; what draws or adds up bars reports how much of it there is.
 * There are none where the wall clock was not recorded, nor of virtual threads, which may have been on no carrier.
 *
 * Memory:  8 bytes a span, 64 a sample and 24 a gap of the trace; freed by wick_spantrace_release.
 */
#ifndef WICK_ANALYSIS_SPAN_SPANTRACE_H
#define WICK_ANALYSIS_SPAN_SPANTRACE_H

#include "analysis/span/spans.h"

/* A trace among the others. */
struct wick_spantrace_id {
    uint32_t key; /* string number: the trace id, or the id of the outermost span */
    const struct wick_span *longest;
    size_t spans;
};

struct wick_bar {
    int64_t start_ns, end_ns; /* since 1970 */
    const struct wick_span_sample *sample;
};

struct wick_gap {
    int64_t start_ns, end_ns; /* since 1970 */
    uint32_t thread;
};

struct wick_spantrace {
    struct wick_spantrace_id id;
    int64_t start_ns, end_ns;
    const struct wick_span **spans; /* nspans of them by start, outer ones first */
    struct wick_bar *bars;          /* nbars of them by thread; CPU before wall; by time */
    uint32_t *threads;              /* nthreads of them: those of spans and bars, by first appearance */
    struct wick_gap *gaps;          /* ngaps of them by thread, in the order of `threads`; by time */
    size_t nspans, nbars, nthreads, ngaps;
};

/* All traces, the longest first; free(*out). -WICK_E_NOMEM. */
int wick_spantrace_list(const struct wick_spans *s, struct wick_spantrace_id **out, size_t *n);

/* Puts a trace together. -WICK_E_NOMEM. */
int wick_spantrace_init(struct wick_spantrace *t, const struct wick_spans *s, const struct wick_spantrace_id *id);
void wick_spantrace_release(struct wick_spantrace *t);

/* The sum of a thread's gaps. */
int64_t wick_spantrace_gaps(const struct wick_spantrace *t, uint32_t thread);

/* The key of a span's trace; 0 = it has no ids at all. */
uint32_t wick_spantrace_key(const struct wick_span *span);

/* How many spans of the trace are open around span number i: its depth. */
unsigned wick_spantrace_depth(const struct wick_spantrace *t, size_t i);

#endif
