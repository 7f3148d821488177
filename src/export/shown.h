/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown.h - a profile of what is shown
 *
 * Formats of viewers need frames by their shown names, not by class, method, signature and bytecode index. So a second
 * profile is made of the samples of one event type, in which
 *
 *     function.name         is the name as it is shown        function.class_name  the library, "" for Java
 *     frame.line            is 0 unless lines are asked for   frame.bci            -1
 *
 * and what is shown alike has been merged: frames, stacks, aggregates. Threads and states keep their numbers.
 *
 * Threads: one at a time per profile.
 * Memory:  a profile.
 */
#ifndef WICK_EXPORT_SHOWN_H
#define WICK_EXPORT_SHOWN_H

#include "export/format.h"

struct wick_shown {
    struct wick_profile q;
    uint16_t event;   /* in p: whose samples these are; all of q's are of its event number 1 */
    uint32_t *stack;  /* by stack number of p: that of q */
    uint32_t *rank;   /* by stack number of q: its place when the tree is walked depth first */
    uint32_t *order;  /* q's aggregates by thread, then by rank */
    const char *unit; /* "nanoseconds", "bytes" or "count" */
};

/* Makes s from p. -WICK_E_NOMEM, or _NOTFOUND if there are no samples; then there is nothing to release. */
int wick_shown_init(struct wick_shown *s, const struct wick_profile *p, const struct wick_export_options *o,
                    struct wick_err *err);
void wick_shown_release(struct wick_shown *s);

/* The value of an aggregate, as the options ask for it; never negative. */
int64_t wick_shown_value(const struct wick_export_options *o, const struct wick_agg *a);

/* Name and library of a frame of q, and that of a thread: "main", or "virtual" or "unknown" where it has none. */
const struct wick_string *wick_shown_name(const struct wick_shown *s, uint32_t frame);
const struct wick_string *wick_shown_library(const struct wick_shown *s, uint32_t frame);
const char *wick_shown_thread(const struct wick_shown *s, uint32_t thread);

/* The same with its id, if it has one, cut to cap bytes: "main (4711)". Returns buf. */
const char *wick_shown_thread_id(const struct wick_shown *s, uint32_t thread, char *buf, size_t cap);

#endif
