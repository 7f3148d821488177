/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_writers.h - what the table of formats (format.c) is made of: the writers, and the parts of frames that they
 * show, as struct wick_format says
 */
#ifndef WICK_EXPORT_FORMAT_WRITERS_H
#define WICK_EXPORT_FORMAT_WRITERS_H

#include "export/format.h"

typedef int wick_format_writer(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                               struct wick_err *err);

/* The heatmap needs o->heat, settled: -WICK_E_UNSUPPORTED if the samples have no times. speedscope writes one profile
 * for each thread with o->threads. */
wick_format_writer wick_collapsed_out_write, wick_firefox_write, wick_heat_page_write, wick_otlp_write,
    wick_pprof_write, wick_speedscope_write, wick_stacks_write_csv, wick_stacks_write_json, wick_trace_write;

/* Which parts of frames are shown under these name flags. */
unsigned wick_collapsed_out_keep(unsigned names);
unsigned wick_heat_page_keep(unsigned names);

#endif
