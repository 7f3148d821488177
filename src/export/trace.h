/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - Chrome's trace event JSON, which Perfetto's UI reads, too: one track a thread, frames as slices over time
 *
 * docs/formats/trace.md says what becomes what.
 *
 * Threads: one at a time per profile.
 * Memory:  see shown.h and timeline.h.
 */
#ifndef WICK_EXPORT_TRACE_H
#define WICK_EXPORT_TRACE_H

#include "export/format.h"

/* See struct wick_format. */
int wick_trace_write(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                     struct wick_err *err);

#endif
