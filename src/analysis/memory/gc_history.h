/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_history.h - the collections of a recording: when each was, how long it stopped the world, why, and the heap
 *
 * Collections come from jdk.GarbageCollection, whether wick or the JDK wrote it. wick's event has the heap before and
 * after the collection; those of the JDK have it where jdk.GCHeapSummary is recorded as well. Totals by cause
 * count every collection; the list of them can be thinned for a picture, which keeps the longest pause of each stretch
 * of time.
 *
 * Memory:  104 bytes a collection, 32 a heap summary; wick_gc_history_release frees it. n log n steps, whatever the
 *          recording contains.
 */
#ifndef WICK_ANALYSIS_MEMORY_GC_HISTORY_H
#define WICK_ANALYSIS_MEMORY_GC_HISTORY_H

#include "analysis/read.h"

struct wick_gc_collection {
    int64_t start_ns, duration_ns;
    int64_t pause_ns, longest_ns; /* stopped in all; the longest of its pauses */
    uint64_t id;                  /* as the recording numbers them */
    uint64_t before, after;       /* bytes of the heap in use; 0 = not known */
    uint32_t cause, collector;    /* strings of the profile; 0 = not known */
    uint32_t stands_for;          /* so many collections, of which it has the longest pause */
};

/* Collections with one cause. */
struct wick_gc_cause {
    uint32_t cause;
    uint64_t count;
    int64_t pauses_ns, longest_ns;
};

struct wick_gc_heap; /* private */

struct wick_gc_history {
    struct wick_gc_collection *rows; /* by time, after _end */
    size_t n, cap;
    struct wick_gc_cause *causes; /* the most costly first */
    size_t ncauses;
    struct wick_gc_heap *heaps; /* until _end */
    size_t nheaps, cap_heaps;
    bool failed; /* out of memory */
};

void wick_gc_history_release(struct wick_gc_history *h);

/* A collection, and the heap before or after one. */
void wick_gc_history_add(struct wick_gc_history *h, const struct wick_gc_collection *c);
void wick_gc_history_heap(struct wick_gc_history *h, int64_t time_ns, uint64_t id, bool before, uint64_t used);

/* Whether events of that type are needed, and taking one: for visitors that read more than this. */
bool wick_gc_history_wants(const char *type);
void wick_gc_history_take(struct wick_gc_history *h, const struct wick_profile *p, const struct wick_jfr_event *e);

/* Makes `to` what `h` is by now, with memory of its own, so that h can go on after `to` has been brought to its end.
 * -WICK_E_NOMEM: then `to` is empty. */
int wick_gc_history_copy(struct wick_gc_history *to, const struct wick_gc_history *h);

/* Nothing more comes: sorts the collections and gives each its heap. */
void wick_gc_history_end(struct wick_gc_history *h);

/* Leaves those that touch the time range (to_ns 0 = no end), and fills the causes. -WICK_E_NOMEM. */
int wick_gc_history_choose(struct wick_gc_history *h, int64_t from_ns, int64_t to_ns);

/* Leaves at most `most` of them. */
void wick_gc_history_thin(struct wick_gc_history *h, size_t most);

/* Reads recordings, up to _end. 0 or as `read`. */
int wick_gc_history_read(struct wick_gc_history *h, struct wick_profile *p, char *const *paths, int n,
                         wick_analysis_reader *read, struct wick_err *err);

#endif
