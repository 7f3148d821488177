/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_locks.h - the waits for locks of traces, and where the owners of the locks were
 *
 * Spans (analysis/span) and waits (analysis/wait) of a recording are read at the same time. A wait belongs to the trace
 * of the span in which it begins. Where it is known who had the lock, that thread was in a span of the same trace, of
 * another one, or of none: one waits for its own trace's parallel task, for another request, or for work in the
 * background. A park without an owner is mostly one for work, so it is no wait here.
 *
 * Memory:  that of the waits; freed by wick_trace_locks_release.
 */
#ifndef WICK_ANALYSIS_OWNER_TRACE_LOCKS_H
#define WICK_ANALYSIS_OWNER_TRACE_LOCKS_H

#include "analysis/span/spantrace.h"
#include "analysis/wait/lock_waits.h"

struct wick_trace_locks {
    struct wick_spans *spans; /* the caller's */
    struct wick_lock_waits waits;
};

/* Begins a collection; the spans have begun. */
void wick_trace_locks_init(struct wick_trace_locks *l, struct wick_spans *spans);
void wick_trace_locks_release(struct wick_trace_locks *l); /* but not the spans */

/* What collects both, for a reader of the spans' profile; l must outlive the reading. */
struct wick_jfr_visitor wick_trace_locks_visitor(struct wick_trace_locks *l);

/* After reading: finishes the spans, and has waits know their owners. More may be read then, and finished again. 0 or
 * -WICK_E_NOMEM. */
int wick_trace_locks_finish(struct wick_trace_locks *l);

/* The waits of a trace by start; *out is malloc'ed and points into l. -WICK_E_NOMEM. */
int wick_trace_locks_of(const struct wick_trace_locks *l, const struct wick_spantrace *t,
                        const struct wick_lock_wait_row ***out, size_t *n);

/* Where a thread was at a time. */
struct wick_trace_place {
    int64_t time_ns;
    const struct wick_span *span; /* NULL = in none */
    uint32_t key;                 /* of its trace; 0 = none */
};

/* Where the owner of a lock was when it was seen to have it, or else at the start of the wait, or at its end. */
struct wick_trace_place wick_trace_locks_owner(const struct wick_trace_locks *l, const struct wick_lock_wait_row *wait);

#endif
