/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cut.h - makes a smaller recording out of a large one, or one out of several
 *
 * Events are copied as they stand, with the metadata of their chunk and the constants they lead to, so every field of
 * every event type survives, also of types that nobody here knows. Several recordings are cut one behind the other into
 * the same file: a recording is a sequence of chunks, each with types and constants of its own.
 *
 * Which events stay:
 *   - samples (jfr/reader/reader.h) whose time is in the range and which `match`;
 *   - other events that touch the range: they began before its end and did not end before its begin;
 *   - facts, whenever they were written: settings, and what the JVM and the machine are (the list is in cut.c). Without
 *     them samples have no period.
 * A chunk of which nothing but facts would stay is left out if it lies outside of the range. What of a damaged chunk
 * can be read becomes a whole chunk, unless its metadata are damaged: then it is lost.
 *
 * Threads: one at a time per profile.
 * Memory:  that of reading, and besides a bit for each event of a chunk and 24 bytes for each constant.
 */
#ifndef WICK_JFR_CUT_CUT_H
#define WICK_JFR_CUT_CUT_H

#include "jfr/reader/reader.h"

#include <stdio.h>

struct wick_jfr_cut {
    /* The range, and which samples; with match = NULL samples are not decoded. Numbers that match sees are those of the
     * profile, which itself aggregates nothing. */
    struct wick_filter filter;
    FILE *out; /* errors stay in it */
    bool even; /* samples are rewritten so that each stands for one interval (cut_even.c) */
};

/* What was written, added to what is there. */
struct wick_jfr_cut_result {
    uint64_t chunks, events, samples, bytes; /* events: facts and samples included */
    uint64_t unknown;                        /* events left out because their type has fields of unknown types */
};

/* Cuts a file. p: initialised, for names and stacks. Returns and messages are those of wick_jfr_read_file(). The output
 * must not be the same file. */
int wick_jfr_cut_file(struct wick_profile *p, const char *path, const struct wick_jfr_cut *cut,
                      struct wick_jfr_cut_result *made, struct wick_jfr_result *res, struct wick_err *err);
int wick_jfr_cut_memory(struct wick_profile *p, const void *data, size_t size, const struct wick_jfr_cut *cut,
                        struct wick_jfr_cut_result *made, struct wick_jfr_result *res, struct wick_err *err);

#endif
