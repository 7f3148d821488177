/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_use.h - the memory of a process by what it is for, against its limits, and how it grows
 *
 * Figures come from a live process or from the events of a recording; each moment is added, and trends are lines
 * through all moments (least squares).
 *
 * Memory:  malloc, some 250 bytes a moment; wick_memory_use_release frees it.
 */
#ifndef WICK_ANALYSIS_MEMORY_MEMORY_USE_H
#define WICK_ANALYSIS_MEMORY_MEMORY_USE_H

#include "analysis/range.h"
#include "analysis/read.h"
#include "analysis/trend.h"
#include "footprint/nmt.h"
#include "sys/cgroup_memory.h"

struct wick_memory_level {
    char path[256]; /* of the cgroup; "" where none is known */
    struct wick_cgroup_memory now;
    struct wick_trend charged;
};

struct wick_memory_moment {
    double seconds; /* since the first */
    uint64_t resident[WICK_MEMORY_PARTS], count[WICK_MEMORY_PARTS];
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
    struct wick_arenas arenas; /* at the last moment */
    struct wick_nmt counted;   /* by the JVM itself, at the last moment of that; count = 0: it says nothing */
    int64_t counted_ns;
    struct wick_memory_moment *series;
    uint32_t nseries, cap_series;
    bool failed; /* no memory for it */
};

void wick_memory_use_release(struct wick_memory_use *u);

/* By how many bytes a part grows, if it does so steadily (wick_trend_steady), else 0; *rate gets the bytes a second.
 * What goes with the heap is left out: that share of what the heap has grown by at most until then. */
double wick_memory_use_steady(const struct wick_memory_use *u, enum wick_memory_part part, double of_heap,
                              double *rate);

/* A moment: all rows, then its levels. One that comes minutes after the last, or before it, is of another recording:
 * what was before is forgotten. */
void wick_memory_use_add(struct wick_memory_use *u, int64_t time_ns, const struct wick_footprint *f);
void wick_memory_use_level(struct wick_memory_use *u, int64_t time_ns, uint32_t level, const char *path,
                           const struct wick_cgroup_memory *m);

/* The level whose limit leaves the least; NULL if none has a limit. What the kernel takes back on its own, the inactive
 * part of the page cache, counts as free. *left gets the bytes. */
const struct wick_memory_level *wick_memory_use_tightest(const struct wick_memory_use *u, uint64_t *left);

/* Whether events of that type are needed, taking one, and the end: for visitors that read more than this. */
bool wick_memory_use_wants(const char *type);
void wick_memory_use_take(struct wick_memory_use *u, const struct wick_profile *p, const struct wick_jfr_event *e);
void wick_memory_use_end(struct wick_memory_use *u);

/* Makes `to` what `u` is by now, with memory of its own, so that u can go on after `to` has been brought to its end.
 * -WICK_E_NOMEM: then `to` is empty. */
int wick_memory_use_copy(struct wick_memory_use *to, const struct wick_memory_use *u);

/* Reads recordings: the moments in a range of time (NULL = all), or if none is in it, the last one before its end. 0 or
 * as `read`; u->moments is 0 where they have no such events. */
int wick_memory_use_read(struct wick_memory_use *u, struct wick_profile *p, char *const *paths, int n,
                         const struct wick_range *range, wick_analysis_reader *read, struct wick_err *err);

#endif
