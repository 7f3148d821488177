/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collapsed_out.h - collapsed stacks, the text format of flamegraph.pl and everything after it
 *
 *     root;caller;leaf 12345
 *
 * One line for each different stack (as shown: stacks that differ only in something not shown are one line), frames
 * root first, then a space and the weight in the event type's unit (nanoseconds for CPU and wall time) or, with
 * `counts`, the number of samples. Lines are sorted by their frames, so equal profiles give equal files.
 *
 * What would break a line is written as \xNN (';', '\', control characters, bytes that are no UTF-8). Lines with weight
 * 0 are left out.
 *
 * Threads: one at a time per profile.
 * Memory:  about 20 bytes for each stack node of the profile during the call.
 */
#ifndef WICK_EXPORT_COLLAPSED_OUT_H
#define WICK_EXPORT_COLLAPSED_OUT_H

#include "export/format.h"

/* See struct wick_format. */
unsigned wick_collapsed_out_keep(unsigned names);

/* See struct wick_format. */
int wick_collapsed_out_write(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                             struct wick_err *err);

#endif
