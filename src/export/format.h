/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.h - the list of output formats
 *
 * Each format is one file with one writer; this table is how a front end finds it, by name (--to) or by the extension
 * of the output file.
 */
#ifndef WICK_EXPORT_FORMAT_H
#define WICK_EXPORT_FORMAT_H

#include "base/err.h"
#include "model/name.h"
#include "model/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct wick_heat;
struct wick_timeline;

struct wick_export_options {
    uint16_t event;    /* the event type to write; 0 = wick_profile_main_event() */
    unsigned names;    /* enum wick_name_flags */
    bool threads;      /* the thread as root frame */
    const char *by;    /* pictures: the value of this key (model/agg_value.h) as root frame; or NULL */
    bool counts;       /* samples instead of weights */
    bool leaf_up;      /* pictures: merged from the leaf */
    const char *title; /* NULL = the format's own choice */
    const char *host;  /* OTLP: the name of the machine; NULL = none */
    const struct wick_timeline *timeline; /* the samples one by one, for formats that are `timed`; may be NULL */
    const struct wick_heat *heat;         /* the samples by slices of time, for formats that are `sliced` */
};

struct wick_format {
    const char *name;
    const char *const *extensions; /* without the dot, NULL-terminated */
    const char *text;              /* one line for --help */
    bool detailed;                 /* it holds threads and states itself: aggregate by both */
    bool labelled;                 /* it holds labels itself: aggregate by them */
    bool timed;                    /* it has a time axis: pass a timeline (export/timeline.h) */
    bool sliced;                   /* it shows slices of time: pass a heat (analysis/compare/heat.h), settled */
    /* Writes p to out. The caller opens, flushes and closes out and checks it for write errors (ferror). 0 or
     * -WICK_E_NOMEM, _NOTFOUND (no samples of the event type). */
    int (*write)(const struct wick_profile *p, const struct wick_export_options *o, FILE *out, struct wick_err *err);
    /* What it shows of frames (enum wick_keep) under these name flags. NULL = everything. */
    unsigned (*keep)(unsigned names);
};

/* What a profile must keep of frames to be written in that format. */
static inline unsigned wick_format_keep(const struct wick_format *f, unsigned names)
{
    return f->keep ? f->keep(names) : (unsigned)WICK_KEEP_ALL;
}

/* Formats in the order they are listed, ends with a NULL name. */
extern const struct wick_format wick_format_table[];

/* NULL if there is none. */
const struct wick_format *wick_format_by_name(const char *name);
/* By how the file name ends: a dot and one of the extensions, the longest that fits; NULL if none does. */
const struct wick_format *wick_format_by_file(const char *path);

#endif
