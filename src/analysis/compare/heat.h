/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heat.h - how much weight each slice of time has, by stack: what a heatmap shows
 *
 * Time is cut into slices of equal length, of 20 ms at first, that begin with the hour, the minute and the second as
 * the clock has them. A cell is a slice and an aggregate of the profile. Samples are added while they are read; where
 * more cells or slices would come out than a page can hold, all slices become longer: the data is bounded however long
 * the recording is.
 *
 * A sample that lasts (a wait, a wall-clock sample for many intervals) is spread over the slices that it lasts, as far
 * as the recordings cover them; sums stay exact. So is time without samples ("[not sampled: ...]"), over the time since
 * the thread's sample before, or since the start.
 *
 * Memory:  64 bytes a cell, at most 128 MiB, and half as much more while the table is rebuilt.
 */
#ifndef WICK_ANALYSIS_COMPARE_HEAT_H
#define WICK_ANALYSIS_COMPARE_HEAT_H

#include "base/err.h"
#include "model/profile.h"

#define WICK_HEAT_CELLS  (1u << 21)
#define WICK_HEAT_SLICES (1u << 20)

struct wick_heat_cell {
    int64_t slice; /* counted from 1970 */
    uint32_t agg;  /* WICK_AGG_NONE = a free place */
    uint64_t weight, count;
};

enum { WICK_HEAT_AHEAD = 16 };

struct wick_heat {
    struct wick_heat_cell *cells; /* a hash table; after _settle a list by slice and aggregate */
    size_t n, places;             /* cells, and room for them */
    unsigned level;               /* how long slices are */
    int64_t first, last;          /* slices */
    uint32_t most_cells, most_slices;
    int64_t time_ns;      /* of the first sample */
    bool any, differ;     /* samples; of different times */
    bool failed;          /* out of memory: cells are missing */
    int64_t *thread_last; /* time of each thread's last sample, 0 = none; by its number in the profile */
    uint32_t nthreads;
    /* What is not in the table yet, in turns; WICK_AGG_NONE = nothing. */
    struct wick_heat_cell ahead[WICK_HEAT_AHEAD];
    unsigned nahead, turn;
};

/* Zeroes and sets the limits to those above. */
void wick_heat_init(struct wick_heat *h);
void wick_heat_release(struct wick_heat *h);

/* Length of a slice in ns. */
int64_t wick_heat_slice_ns(const struct wick_heat *h);

/* Adds a sample of aggregate `agg` of p. */
void wick_heat_add(struct wick_heat *h, const struct wick_profile *p, uint32_t agg, const struct wick_sample *s);

/* Enters what was added last into the table: before `cells` is read. */
void wick_heat_flush(struct wick_heat *h);

/* Ends the adding: cells get the numbers that wick_shape_apply() has given their aggregates (moved; those left out go)
 * and become a list in the order of time. */
void wick_heat_settle(struct wick_heat *h, const uint32_t *moved);

#endif
