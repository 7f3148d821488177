/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rotation.h - the files of a recording in several (%n, --max-size, --max-age), made by the command
 *
 * A JVM of another user or with other mounts may neither write into our directory nor be handed its descriptor. It gets
 * one file without a name; what is complete in that is copied into files that are made here and that it never sees
 * (sys/broker.h). Names, number and sizes are decided here alone: what the agent says is only how far the file is
 * complete, and an agent that asks for more files than a recording can need gets an error.
 *
 * Memory:  descriptors and a list of the files that exist; wick_rotation_release.
 */
#ifndef WICK_CLIENT_ROTATION_H
#define WICK_CLIENT_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "record/output.h"

#define WICK_ROTATION_BURST 32                  /* files at once ... */
#define WICK_ROTATION_NS    UINT64_C(250000000) /* ... and one more each quarter of a second */

struct wick_rotation {
    struct wick_output files; /* in the directory */
    struct wick_jfr_sink sink;
    int from;            /* what the JVM writes; borrowed */
    uint64_t taken;      /* of it, up to here */
    uint64_t max_bytes;  /* that are taken at once; UINT64_MAX = any */
    uint64_t credit_ns;  /* a file costs WICK_ROTATION_NS of it */
    uint64_t counted_ns; /* when it was counted last */
};

/* Files by the absolute pattern `path` (wick_opt_fix), made in dirfd (borrowed) of what is in `from` (borrowed, empty).
 * 0, or an error with a sentence: where `from` cannot give space back (no hole can be made in it) as well. */
int wick_rotation_open(struct wick_rotation *r, const char *path, int dirfd, int from, uint64_t max_size,
                       uint64_t max_age_ns, struct wick_err *err);
void wick_rotation_release(struct wick_rotation *r);

/* Takes what the file holds up to `end`. now_ns: CLOCK_MONOTONIC. 0 also if there is nothing new; -WICK_E_FORMAT if
 * that is no chunk, -WICK_E_LIMIT for too many files or bytes, and errors of writing. */
int wick_rotation_take(struct wick_rotation *r, uint64_t end, uint64_t now_ns);

/* Takes the rest, at the end of the recording. */
int wick_rotation_finish(struct wick_rotation *r, uint64_t now_ns, struct wick_err *err);

#endif
