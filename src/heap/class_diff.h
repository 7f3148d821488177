/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class_diff.h - what changed between two dumps, by class
 *
 * Objects have no identity from one dump to the next, since they move; classes have their names. What of a report the
 * comparison needs is taken out of it (_take), so that one dump is analysed at a time. Classes that several loaders
 * have under one name are put together, and so are lambdas and other hidden classes, whose numbers differ from run to
 * run.
 *
 * Memory:  malloc; freed by _release.
 */
#ifndef WICK_HEAP_CLASS_DIFF_H
#define WICK_HEAP_CLASS_DIFF_H

#include "heap/report.h"

struct wick_heap_figures {
    uint64_t objects, bytes;      /* reachable, or all where no graph was computed */
    uint64_t retained;            /* by the class */
    uint64_t tops, tops_retained; /* dominators: instances that only the root dominates, and what they retain */
};

struct wick_heap_class_diff_row {
    char *name;
    struct wick_heap_figures side[2]; /* before, after */
};

struct wick_heap_class_diff {
    struct wick_heap_class_diff_row *rows; /* in no order before _sort */
    size_t n, cap;
    struct wick_heap_figures total[2];
    struct wick_index by_name;
};

/* Takes one side (0 = before, 1 = after) out of a report. -WICK_E_NOMEM. */
int wick_heap_class_diff_take(struct wick_heap_class_diff *d, const struct wick_heap_report *r, int side);

enum wick_heap_class_diff_key {
    WICK_HEAP_DIFF_BYTES,
    WICK_HEAP_DIFF_OBJECTS,
    WICK_HEAP_DIFF_RETAINED,
    WICK_HEAP_DIFF_TOPS
};

/* The growth of a row; negative if it shrank. */
int64_t wick_heap_class_diff_growth(const struct wick_heap_class_diff_row *row, enum wick_heap_class_diff_key key);

/* Sorts the rows by the size of their change, the greatest first. */
void wick_heap_class_diff_sort(struct wick_heap_class_diff *d, enum wick_heap_class_diff_key key);

/* Frees all of it. */
void wick_heap_class_diff_release(struct wick_heap_class_diff *d);

#endif
