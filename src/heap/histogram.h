/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram.h - objects and bytes by class, as a running JVM counts them
 *
 * The JVM is asked over its attach socket, as jcmd does; no agent is loaded.
 *
 * Memory:  some 100 bytes a class; wick_histogram_release.
 */
#ifndef WICK_HEAP_HISTOGRAM_H
#define WICK_HEAP_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sys/proc.h"

struct wick_histogram_row {
    char *name;
    uint64_t objects, bytes;
};

struct wick_histogram {
    struct wick_histogram_row *rows;
    size_t n, cap;
    uint64_t objects, bytes; /* of all classes, also those without a row */
};

/* Asks the JVM: what is reachable if `live` (it collects garbage first), else everything. Rows are the classes whose
 * names contain `class`, NULL = all, as the JVM orders them. *h is zeroed before, and released by the caller, also
 * after an error, which comes with a sentence. */
int wick_histogram_ask(struct wick_histogram *h, struct wick_proc *p, bool live, const char *class,
                       struct wick_err *err);

/* Adds what a JVM has answered; text is changed. -WICK_E_NOMEM. */
int wick_histogram_parse(struct wick_histogram *h, char *text, const char *class);

void wick_histogram_release(struct wick_histogram *h);

#endif
