/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_live.h - the heap of a running JVM: its own histogram (heap/histogram.h), a dump that it writes
 * (heap/live_dump.h), or one that a copy of its process writes (client/copied_heap.h)
 */
#ifndef WICK_CLI_HEAP_HEAP_LIVE_H
#define WICK_CLI_HEAP_HEAP_LIVE_H

#include "cli/heap/heap_table.h"

enum wick_heap_live_how {
    WICK_HEAP_LIVE_ALL,         /* the JVM writes all objects */
    WICK_HEAP_LIVE_REACHABLE,   /* the JVM collects garbage, and writes the rest */
    WICK_HEAP_LIVE_COPY,        /* a copy of its process writes what is reachable */
    WICK_HEAP_LIVE_COPY_IF_CAN, /* that, or REACHABLE where it cannot be done */
};

/* Takes a dump of the JVM that `word` means. Returns its descriptor, the caller's, or an error with a sentence. title
 * gets what it is called; *stopped_ns for how long the program was stopped at most. */
int wick_heap_live_dump(const char *word, enum wick_heap_live_how how, struct wick_strbuf *title, uint64_t *stopped_ns,
                        struct wick_err *err);

/* Copies a dump to a file for the caller alone. */
int wick_heap_live_save(int fd, const char *path, struct wick_err *err);

/* Prints objects and bytes by class as the JVM counts them. */
int wick_heap_live_histogram(const char *word, bool live, const struct wick_heap_table *t, bool json, FILE *out,
                             struct wick_err *err);

#endif
