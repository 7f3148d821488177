/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.h - from a recording to a picture
 */
#ifndef WICK_CLI_INPUT_CONVERT_H
#define WICK_CLI_INPUT_CONVERT_H

#include <stdbool.h>

#include "base/err.h"
#include "cli/input/view.h"
#include "analysis/compare/heat.h"
#include "export/timeline.h"

struct wick_convert_opts {
    const char *format;           /* a name in wick_format_table */
    const char *title;            /* NULL = the format's own */
    bool threads;                 /* keep threads apart */
    const struct wick_view *view; /* what to take; NULL = everything */
};

/* Reads the recording `in` (which may be /proc/self/fd/N, positioned anywhere) and writes the file `out`: its main
 * event type, by weight. 0 or an error with a sentence; -WICK_E_NOTFOUND if the recording holds no samples. */
int wick_convert_jfr(const char *in, const char *out, const struct wick_convert_opts *o, struct wick_err *err);

/* The samples in time, for formats that need them. */
struct wick_convert_times {
    struct wick_timeline timeline;
    struct wick_heat heat;
};

/* Reads n inputs into p (initialised), what the view (NULL = everything) takes, as finely as the format needs it; for
 * one that shows time the samples go into t (zeroed; the caller releases it), which o then points to. */
int wick_convert_read(struct wick_profile *p, const struct wick_format *format, const struct wick_view *view,
                      struct wick_export_options *o, struct wick_convert_times *t, char *const *paths, int n,
                      struct wick_err *err);
void wick_convert_times_release(struct wick_convert_times *t);

/* Writes a profile to path (NULL or "-": standard output), or nothing: what could not be written to the end is removed.
 * own: see wick_save_open. */
int wick_convert_write(const struct wick_profile *p, const struct wick_format *format,
                       const struct wick_export_options *o, const char *path, bool own, struct wick_err *err);

#endif
