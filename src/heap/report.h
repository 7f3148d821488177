/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - one dump, analysed as far as it is asked for
 *
 * Memory:  everything here; freed by wick_heap_report_release.
 */
#ifndef WICK_HEAP_REPORT_H
#define WICK_HEAP_REPORT_H

#include "heap/loaders.h"
#include "heap/path.h"
#include "heap/retained.h"
#include "heap/views.h"
#include "heap/waste.h"

struct wick_heap_ask {
    uint64_t memory; /* bytes for arrays; 0 = a third of the dump, at least 256 MiB */
    bool graph;      /* more than a histogram */
    bool waste;      /* duplicates, collections and views */
    bool tree;       /* the dominator tree by class */
    bool paths;      /* to the suspects */
    bool soft;       /* what soft references refer to counts as alive, as it does until memory is short */
    size_t rows;     /* of largest objects and of duplicates */
    /* Called before each step with what it is; may be NULL. */
    void (*step)(const char *what);
};

struct wick_heap_report {
    struct wick_heap_file file;
    struct wick_heap_store store;
    struct wick_heap_graph graph;
    struct wick_heap_retained retained; /* if ask.graph */
    struct wick_heap_waste waste;       /* if ask.waste */
    struct wick_heap_views views;       /* likewise */
    struct wick_heap_loaders loaders;
    struct wick_heap_path paths[WICK_HEAP_SUSPECTS]; /* to each suspect */
    struct wick_heap_ask ask;
};

/* Analyses the dump in a file ("-" = standard input). 0, or an error with a sentence; then nothing is kept. */
int wick_heap_report_make(struct wick_heap_report *r, const char *path, const struct wick_heap_ask *ask,
                          struct wick_err *err);

/* The same for a descriptor, which is the report's from then on, also on failure. */
int wick_heap_report_adopt(struct wick_heap_report *r, int fd, const char *name, const struct wick_heap_ask *ask,
                           struct wick_err *err);

void wick_heap_report_release(struct wick_heap_report *r);

#endif
