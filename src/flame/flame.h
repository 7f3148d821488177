/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame.h - writes a call tree as a flame graph (HTML, SVG) or as collapsed text
 *
 * The HTML is one file that needs no network: page, style, script and data (the packed tree, see pack.h) in one. The
 * SVG is a picture with a small script for those who need a picture. All names are hostile: nothing from the tree or
 * the options reaches the output unescaped.
 *
 * Threads: one at a time per tree.
 * Memory:  output is streamed; the SVG keeps one small record per drawn box.
 */
#ifndef WICK_FLAME_FLAME_H
#define WICK_FLAME_FLAME_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "flame/tree.h"

/* A node of a picture that compares: what of its self weight was before, and how many samples both sides' are. */
struct wick_flame_change {
    uint64_t before;
    uint64_t samples[2]; /* before, after */
};

/* All fields may be zero. */
struct wick_flame_opts {
    const char *title;    /* NULL: "Flame graph" */
    const char *subtitle; /* what was measured, e.g. "CPU time, pid 4711, 30 s"; NULL: none */
    const char
        *unit;    /* "ns", "bytes", "samples" are shown in their own way, others as "12,345 <unit>"; NULL: samples */
    bool reverse; /* leaf-up: HTML opens in that view, SVG and collapsed are drawn so */
    bool icicle;  /* root at the top */
    double min_width; /* SVG only: boxes narrower than this percentage are not drawn; 0: those under half a pixel */
    unsigned width;   /* SVG only: pixels; 0: 1200 */
    const struct wick_flame_change *change; /* HTML only: by node; the tree's weights are before and after together */
    bool absolute;                          /* with change: weights are compared, not shares */
};

/* Each writes the whole document to out, flushes it and reports a failed write. The tree is sorted on the way,
 * otherwise unchanged. NOMEM, IO, NOSPACE. */
int wick_flame_write_html(struct wick_tree *t, const struct wick_flame_opts *o, FILE *out, struct wick_err *err);
int wick_flame_write_svg(struct wick_tree *t, const struct wick_flame_opts *o, FILE *out, struct wick_err *err);
int wick_flame_write_collapsed(struct wick_tree *t, const struct wick_flame_opts *o, FILE *out, struct wick_err *err);

/* Flushes out and turns its error state into an error that says what to do. For writers. */
int wick_flame_finish(FILE *out, const char *what, struct wick_err *err);

#endif
