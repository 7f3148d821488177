/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.h - the spans of a recording and the samples taken while they were open
 *
 * A sample belongs to the span it names in its context. Event types of which no sample has a context (wall-clock
 * samples of some recordings) go by thread and time instead: to the innermost span that was open in the sample's thread
 * when the sample starts. That is right where a thread works on one request at a time. Spans of virtual threads name a
 * carrier, which works on many: they are left out.
 *
 * Memory:  72 bytes a span, 80 a sample, 40 a thread and second, 16 a second; freed by wick_spans_release.
 */
#ifndef WICK_ANALYSIS_SPAN_SPANS_H
#define WICK_ANALYSIS_SPAN_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jfr/reader/reader.h"
#include "model/profile.h"

/* A span; names and ids are string numbers of the profile, 0 = none. */
struct wick_span {
    int64_t start_ns, end_ns; /* since 1970 */
    int64_t latest_ns;        /* the latest end of this and all earlier spans of the thread, once sorted */
    uint32_t thread, operation, endpoint, labels, trace, id, parent, local_root;
    bool is_root;    /* the outermost span of its request in this process */
    bool is_virtual; /* of a virtual thread, or of one of unknown kind: at times it may have had no carrier */
    bool unmounts;   /* the event says so: the thread is the carrier that it began on, and works for others as well */
};

enum wick_span_work {
    WICK_WORK_RUNNING, /* on a processor */
    WICK_WORK_WAITING, /* could run, waits for a processor */
    WICK_WORK_BLOCKED  /* waits for something else: the state says what */
};

/* A sample of CPU time (cpu) or of elapsed time. */
struct wick_span_sample {
    int64_t start_ns, end_ns; /* first and last sample */
    int64_t weight_ns;
    uint64_t count;
    uint32_t thread, stack;
    uint32_t endpoint, trace, id; /* of its context, string numbers */
    uint16_t state, event;
    bool cpu;
    double variance; /* of bytes: model/interval.h */
};

/* What a thread got of the processors in about a second (wick.ThreadCpu). */
struct wick_span_cpu {
    int64_t start_ns, end_ns, cpu_ns, delay_ns;
    uint32_t thread;
};

/* What one visit of the wall clock's sampler stood for about then: interval x candidates / threads visited. */
struct wick_span_look {
    int64_t time_ns, each_ns;
};

struct wick_spans {
    struct wick_profile *p; /* by_labels and by_span */
    struct wick_span *spans;
    struct wick_span_sample *samples;
    struct wick_span_sample *allocs; /* of objects: weight_ns is bytes, and there is a variance */
    struct wick_span_cpu *cpus;
    struct wick_span_look *looks;
    size_t n, nsamples, nallocs, ncpus, nlooks;
    size_t cap, cap_samples, cap_allocs, cap_cpus, cap_looks;
    struct {
        int64_t type, period_ns;      /* of the period that was read last (jdk.ActiveSetting) */
        int64_t interval_ns, threads; /* of the wall clock */
        bool chosen;                  /* some recording's wall clock sampled threads chosen by name or id only */
    } settings;
    int64_t open, open_ns; /* threads in a span that had not ended, at the last moment for which that is known */
    uint32_t key_endpoint, key_trace, key_span; /* of labels, once they occur */
    bool *contexts;                             /* by event type: some sample has a context */
    uint32_t *joined;                           /* by thread, of njoined: the first number of a renamed one */
    uint32_t njoined;
    bool one_process; /* the caller knows: equal ids of threads are one thread */
    bool failed;      /* memory ran out */
};

/* Begins a collection; sets in p what it needs. */
void wick_spans_init(struct wick_spans *s, struct wick_profile *p);
void wick_spans_release(struct wick_spans *s);

/* What collects, for a reader of p; s must outlive the reading. */
struct wick_jfr_visitor wick_spans_visitor(struct wick_spans *s);

/* After reading: makes a Java thread that was renamed one thread again (if all is of one process), sorts spans by
 * thread and start, and learns which types of samples have contexts.
 * More may be read then, and finished again. 0 or -WICK_E_NOMEM. */
int wick_spans_finish(struct wick_spans *s);

/* The number by which a thread goes after _finish. */
uint32_t wick_spans_thread(const struct wick_spans *s, uint32_t thread);

/* What of finished spans lies in a range of time: that part of each, and the samples that were taken then. All else is
 * that of s, which must outlive it; part is to be released, also on failure, with wick_spans_part_release. 0 or
 * -WICK_E_NOMEM. */
int wick_spans_part(struct wick_spans *part, const struct wick_spans *s, int64_t from_ns, int64_t to_ns);
void wick_spans_part_release(struct wick_spans *part);

/* The innermost span that was open in a thread at a time, NULL = none. After _finish. */
const struct wick_span *wick_spans_at(const struct wick_spans *s, uint32_t thread, int64_t time_ns);

/* The endpoint that a sample was taken in, a string number, 0 = none. After _finish. */
uint32_t wick_spans_endpoint(const struct wick_spans *s, const struct wick_span_sample *sample);

/* What one visit was to stand for at a time, 0 = not known. A delayed tick stands for more: for time without any
 * visit. After _finish. */
int64_t wick_spans_look(const struct wick_spans *s, int64_t time_ns);

/* Whether the wall clock was recorded, of all threads that have a span. */
bool wick_spans_has_wall(const struct wick_spans *s);

/* What a thread did that is in this state (a number of p->states). */
enum wick_span_work wick_spans_work(const struct wick_profile *p, uint16_t state);

/* A state for people, "on CPU", "waiting for CPU", "blocked on monitor enter"; to out[cap], returned. */
const char *wick_spans_state(const struct wick_profile *p, uint16_t state, char *out, size_t cap);

#endif
