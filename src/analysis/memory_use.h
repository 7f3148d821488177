/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_use.h - the memory of a process by what it is for, against its limits, and how it grows
 *
 * Figures come from a live process or from the events of a recording; each moment is added, and trends are lines
 * through all moments (least squares).
 *
 * Threads: one at a time.
 * Memory:  the caller's struct, no more.
 */
#ifndef WICK_ANALYSIS_MEMORY_USE_H
#define WICK_ANALYSIS_MEMORY_USE_H

#include "analysis/read.h"
#include "footprint/footprint.h"
#include "sys/cgroup_memory.h"

/* Sums for a line through points; times in seconds since the first. */
struct wick_trend {
    double n, t, y, tt, ty, yy;
};

/* A point more. */
void wick_trend_add(struct wick_trend *t, double seconds, double value);

/* The slope a second, and its standard error in *error. False with fewer than three points, or all at one time. */
bool wick_trend_slope(const struct wick_trend *t, double *slope, double *error);

/* The slope if it differs from 0 by more than three times its error and is a change of 1 % of the mean or more over the
 * time seen, else 0. */
double wick_trend_growth(const struct wick_trend *t);

struct wick_memory_level {
    char path[256]; /* of the cgroup; "" where none is known */
    struct wick_cgroup_memory now;
    struct wick_trend charged;
};

struct wick_memory_use {
    int64_t first_ns, last_ns; /* of the moments */
    uint32_t moments;
    struct {
        struct wick_memory_row now; /* at the last moment */
        uint64_t most;              /* resident, of all moments */
        struct wick_trend resident;
    } part[WICK_MEMORY_PARTS];
    uint64_t resident, swapped, most; /* of all parts in the resident set, at the last moment; most of all moments */
    struct wick_trend total;
    struct wick_memory_level level[WICK_CGROUP_LEVELS]; /* from the process's own cgroup outwards */
    uint32_t levels;
};

/* A moment: all rows, then its levels. */
void wick_memory_use_add(struct wick_memory_use *u, int64_t time_ns, const struct wick_footprint *f);
void wick_memory_use_level(struct wick_memory_use *u, int64_t time_ns, uint32_t level, const char *path,
                           const struct wick_cgroup_memory *m);

/* The level whose limit leaves the least; NULL if none has a limit. What the kernel takes back by itself, the inactive
 * part of the page cache, counts as free. *left gets the bytes. */
const struct wick_memory_level *wick_memory_use_tightest(const struct wick_memory_use *u, uint64_t *left);

/* What of a level's charge does not go away by itself when memory gets scarce. */
uint64_t wick_memory_level_needed(const struct wick_cgroup_memory *m);

/* Whether events of that type are wanted, taking one, and the end: for visitors that read more than this. */
bool wick_memory_use_wants(const char *type);
void wick_memory_use_take(struct wick_memory_use *u, const struct wick_profile *p, const struct wick_jfr_event *e);
void wick_memory_use_end(struct wick_memory_use *u);

/* Reads recordings. 0 or as `read`; u->moments is 0 where they have no such events. */
int wick_memory_use_read(struct wick_memory_use *u, struct wick_profile *p, char *const *paths, int n,
                         wick_analysis_reader *read, struct wick_err *err);

#endif
