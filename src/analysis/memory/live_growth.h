/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_growth.h - which classes, or places of allocation, have more and more objects alive
 *
 * A recording has the live objects as of several moments (wick.LiveObject, profiler.LiveObject). A straight line
 * through the bytes of a class at these moments has a slope b = sum of c_m y_m, with c_m = (t_m - mean t) / sum of (t -
 * mean t)^2. As y_m is a sum over the sampled objects alive at m, so is b: an object contributes L = sum of c_m w_m
 * over the moments at which it was there, and the variance of b is the sum of L^2 (1 - p), p being the probability with
 * which it was sampled, its size over its weight. This takes into account that an object that stays is in all moments:
 * it adds next to nothing to the error of a slope, while it may be all of the error of the bytes. Besides, the bytes
 * scatter about the line anyway (garbage that is not collected yet); the error of the line is the other one, and
 * the larger of both counts.
 *
 * An object is recognized by class or place, size and the microsecond of its allocation. Where the clock was set
 * between two chunks of a recording it is taken for two, which makes the error larger, never smaller.
 *
 * A recording can also be followed as it grows: a moment counts once it is complete, which wick.LiveHeap behind its
 * objects says, or the next moment. One at which nothing is alive is a wick.LiveHeap without objects.
 *
 * Memory:  malloc; some 50 bytes for each sampled object that was alive at any moment, and 16 for each cell, of which
 *          there are at most twice most_cells. wick_growth_release frees all.
 */
#ifndef WICK_ANALYSIS_MEMORY_LIVE_GROWTH_H
#define WICK_ANALYSIS_MEMORY_LIVE_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/read.h"
#include "analysis/trend.h"
#include "model/hash.h"

struct wick_growth_row {
    uint32_t name;       /* of the class or method: a string of the profile */
    uint32_t objects;    /* sampled ones that were alive at any moment */
    double first, last;  /* bytes at the first and at the last moment */
    double slope, error; /* bytes a second, and half of the 95 % interval */
    /* while reading: bytes at the moment that is being read; sums for the line; of the slope */
    double now, y, ty, yy, variance;
};

struct wick_growth_object {
    int64_t allocated_us, size;
    uint32_t row;
    double weight, weight_time, weight_most; /* sums over the moments, with and without the time; the largest */
};

/* Bytes of a row at a moment, if it had any. */
struct wick_growth_cell {
    uint32_t moment, row;
    double bytes;
};

struct wick_growth {
    struct wick_profile *p;
    bool by_class;          /* else by the Java method that allocated them */
    unsigned names;         /* enum wick_name_flags */
    int64_t survived;       /* only objects that have survived so many collections */
    int64_t from_ns, to_ns; /* moments in [from, to); 0 = all */
    uint32_t most_cells;    /* that are kept: of more moments every second, and the last; 0 = neither cells nor times */

    struct wick_growth_row
        *rows; /* after wick_growth_read the fastest first, and cells do not refer to them any more */
    struct wick_growth_object *objects;
    struct wick_growth_cell *cells; /* by moment */
    int64_t *times_ns;              /* of the moments that are kept, since 1970 */
    uint32_t nrows, cap_rows, nobjects, cap_objects, ncells, cap_cells, ntimes, cap_times;
    struct wick_index by_name, by_object;
    struct wick_trend times;
    uint32_t moments, ended, stride; /* all; the complete ones; every how many-th of them is kept */
    int64_t first_ns, now_ns;        /* since 1970: of the first moment, and of the last */
    bool complete;                   /* the last moment is */
    bool failed;
};

/* Whether events of that type are needed, and taking one: for visitors that read more than this. g has p and what is
 * chosen, and is zeroed else. */
bool wick_growth_wants(const char *type);
void wick_growth_take(struct wick_growth *g, const struct wick_jfr_event *e);

/* Nothing more comes: the last moment is complete. */
void wick_growth_end(struct wick_growth *g);

/* Draws the lines of all rows through the complete moments; without two there are no slopes. More may come later. */
void wick_growth_tie(struct wick_growth *g);

/* -WICK_E_NOTFOUND with a sentence if so many moments are fewer than two. */
int wick_growth_check(uint32_t moments, bool chosen, struct wick_err *err);

/* Compares pointers to rows for qsort: the fastest first. */
int wick_growth_fastest_first(const void *a, const void *b);

/* Reads a recording. g has what is chosen, and is zeroed else; p is initialised and outlives it. 0, -WICK_E_NOTFOUND
 * with a sentence if there are fewer than two moments, or as `read`. */
int wick_growth_read(struct wick_growth *g, struct wick_profile *p, const char *path, wick_analysis_reader *read,
                     struct wick_err *err);
uint64_t wick_growth_bytes(const struct wick_growth *g); /* that it takes */
void wick_growth_release(struct wick_growth *g);

#endif
