/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage.h - who used the CPUs of a machine in an interval, and who waited for them
 *
 * Samples of recordings of a whole machine (`wick host`) are given as they are read; wick_usage_rows() makes a row for
 * each value of a label of them, and begins the next interval. A wait counts in the interval in which it ends, as a
 * whole.
 *
 *     wick_usage_init(&u, p, "process");
 *     for each sample: wick_usage_add(&u, s);
 *     n = wick_usage_rows(&u, &rows);
 *
 * Memory:  malloc; 24 bytes a sample of the interval, and at most WICK_USAGE_MOST samples: what is more is counted in
 * `left_out`.
 */
#ifndef WICK_ANALYSIS_USAGE_H
#define WICK_ANALYSIS_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

enum { WICK_USAGE_MOST = 1 << 20 };

struct wick_usage_entry;

struct wick_usage_row {
    uint32_t value;             /* a string of the profile; 0 = samples without the label */
    int64_t cpu_ns, waiting_ns; /* on a CPU; ready to run without one */
    uint32_t frame;             /* where most CPU time was used: a leaf; 0 = none was */
    uint32_t rival;             /* who had the CPUs for most of the waiting: a string; 0 = not known */
    int64_t rival_ns;
};

struct wick_usage {
    struct wick_profile *p; /* borrowed */
    const char *by;         /* key of the label; borrowed */
    const char *rivals;     /* key of the label that says who ran instead; borrowed */
    struct wick_usage_entry *entries;
    size_t n, cap;
    struct wick_usage_row *rows;
    size_t cap_rows;
    uint64_t left_out;
    bool failed; /* memory ran out */
};

/* by: a label of wick host, such as "process"; p with labels (by_labels). */
void wick_usage_init(struct wick_usage *u, struct wick_profile *p, const char *by);
void wick_usage_release(struct wick_usage *u);

/* A sample of the interval; of other types than CPU time and elapsed time it is left alone. */
void wick_usage_add(struct wick_usage *u, const struct wick_sample *s);

/* The rows of the interval, those that used the CPU and waited for it for longest first; valid until the next call.
 * Returns how many. */
size_t wick_usage_rows(struct wick_usage *u, const struct wick_usage_row **rows);

#endif
