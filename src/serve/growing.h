/* SPDX-License-Identifier: Apache-2.0 */
/*
 * growing.h - a recording in memory, which may still grow
 *
 * A recording becomes a profile, aggregated by stack, thread, labels and state, and cells of time by aggregate
 * (analysis/compare/heat.h). Both are bounded by how many different things there are, not by how long it lasts; every
 * question about samples is answered from them: a choice of samples is a choice of aggregates, a time range a choice of
 * cells. Readings of memory and collections are kept as they come; both are bounded. Whatever is new in the file is
 * read by the reader that stopped there (jfr/reader/reader.h), so no byte is read twice. Profiles of other formats,
 * which cannot grow, are read once.
 *
 * Memory:  wick_growing_bytes; freed by wick_growing_free.
 */
#ifndef WICK_SERVE_GROWING_H
#define WICK_SERVE_GROWING_H

#include <stdbool.h>

#include "analysis/compare/heat.h"
#include "analysis/memory/gc_history.h"
#include "analysis/memory/memory_use.h"
#include "jfr/reader/reader.h"
#include "model/profile.h"

enum {
    WICK_GROWING_MARKS = 1000,
    WICK_GROWING_COLLECTIONS = 1 << 17,
    WICK_GROWING_HEAPS = 2 * WICK_GROWING_COLLECTIONS
};

/* A moment that somebody noted. */
struct wick_growing_mark {
    int64_t time_ns;
    uint32_t text; /* a string of the profile */
};

struct wick_growing {
    struct wick_profile p;
    struct wick_heat heat;
    struct wick_jfr_result read;
    struct wick_jfr_visitor visitor;
    struct wick_jfr_reader *reader; /* NULL = all has been read */
    int fd;                         /* -1 = all has been read */
    uint32_t *without_own;          /* by stack: the same without the profiler's frames; 0 = not known yet */
    uint32_t nwithout_own;
    uint32_t *folded; /* by stack: the same with one frame for those by which threads begin; 0 = not known yet */
    uint32_t nfolded, thread_start;  /* the stack that is only that frame */
    struct wick_growing_mark *marks; /* the first WICK_GROWING_MARKS, in the order of the file */
    uint32_t nmarks;
    struct wick_memory_use memory;      /* before wick_memory_use_end: the last reading may not be complete */
    struct wick_gc_history collections; /* before wick_gc_history_end */
    bool more_collections;              /* than are kept: none are */
    bool partial;                       /* the file has more, which is not read yet because time was up */
};

/* Opens a recording of which nothing is read yet; fd becomes its own, also on failure. NULL and a message on failure.
 */
struct wick_growing *wick_growing_open(int fd, struct wick_err *err);
void wick_growing_free(struct wick_growing *g); /* g may be NULL */

/* Reads what is new, until the monotonic clock passes until_ns (0 = all of it). last: no more will come, so what is
 * left is read as of a recording that was cut off there. 0, or the reader's error: then no more can be read. partial
 * says afterwards whether there is more to read already. */
int wick_growing_read(struct wick_growing *g, bool last, uint64_t until_ns, struct wick_err *err);

/* How many bytes of the file have been read, which once had `size`. */
uint64_t wick_growing_position(const struct wick_growing *g, uint64_t size);

/* Whether the file still is the recording that was begun with; true once all has been read. */
bool wick_growing_is_same(const struct wick_growing *g);

/* About how much memory it takes. */
uint64_t wick_growing_bytes(const struct wick_growing *g);

/* A stack without the profiler's own frames; new stacks are added to the profile for that. 0 also if memory ran out. */
uint32_t wick_growing_without_own(struct wick_growing *g, uint32_t stack);

/* A stack whose frames by which threads begin are one, "[thread start]", but for its leaf; as above. */
uint32_t wick_growing_folded(struct wick_growing *g, uint32_t stack);

#endif
