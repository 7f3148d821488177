/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline.h - samples one by one, in the order of time, for formats that have a time axis
 *
 * A profile holds sums only. For the formats marked `timed` the front end collects what the reader hands out in a
 * struct wick_timeline and passes it in the options. Without one, or where the input has no times (pprof, collapsed
 * stacks), each thread's stacks are laid end to end by their weight: a picture of shares, not of time.
 *
 * Threads: one at a time per timeline.
 * Memory:  48 bytes a sample, and 40 more while writing.
 */
#ifndef WICK_EXPORT_TIMELINE_H
#define WICK_EXPORT_TIMELINE_H

#include "export/shown.h"

struct wick_timeline {
    struct wick_sample *samples;
    size_t n, cap;
    bool failed;
};

/* Adds a sample. On lack of memory `failed` is set. */
void wick_timeline_add(struct wick_timeline *t, const struct wick_sample *s);
void wick_timeline_release(struct wick_timeline *t);

/* A sample on the axis. Times are nanoseconds since the first slot's beginning. */
struct wick_slot {
    int64_t start_ns, end_ns; /* the time it stands for: of samples without a time span, up to the next one. Slots of a
                                 thread do not overlap, so it may be less than the weight. */
    int64_t value;            /* as wick_shown_value() */
    uint32_t thread, stack;   /* in the shown profile */
};

struct wick_slots {
    struct wick_slot *slots; /* by thread, then by time */
    size_t n;
    int64_t origin_ns; /* since 1970, or since the system's start; 0 = the times are made up */
};

/* 0, or -WICK_E_NOMEM; free with _release. */
int wick_slots_init(struct wick_slots *out, const struct wick_shown *s, const struct wick_export_options *o);
void wick_slots_release(struct wick_slots *s);

#endif
