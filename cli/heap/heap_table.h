/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_table.h - `wick heap` as text and as JSON
 */
#ifndef WICK_CLI_HEAP_HEAP_TABLE_H
#define WICK_CLI_HEAP_HEAP_TABLE_H

#include <stdio.h>

#include "heap/report.h"

enum wick_heap_sort { WICK_HEAP_BY_RETAINED, WICK_HEAP_BY_SHALLOW, WICK_HEAP_BY_OBJECTS, WICK_HEAP_BY_NAME };

struct wick_heap_table {
    const char *title;   /* of the dump */
    const char *heading; /* of a page; NULL = "Heap of" and the title */
    uint32_t rows;       /* most rows of a table */
    enum wick_heap_sort sort;
    const char *class; /* only classes whose names contain this; NULL = all */
    const char *path;  /* paths to these objects: "0x7f..." or a class; NULL = none */
};

/* Prints what was found. 0, or an error with a sentence. */
int wick_heap_table_write(struct wick_heap_report *r, const struct wick_heap_table *t, FILE *out, struct wick_err *err);
int wick_heap_json_write(struct wick_heap_report *r, const struct wick_heap_table *t, FILE *out, struct wick_err *err);

/* Prints only the paths to the objects that t->path names. */
int wick_heap_table_write_paths(struct wick_heap_report *r, const struct wick_heap_table *t, bool json, FILE *out,
                                struct wick_err *err);

/* n objects and a path to each, as JSON. */
void wick_heap_json_write_paths(struct wick_heap_report *r, const uint32_t *objects, const struct wick_heap_path *paths,
                                size_t n, FILE *out);

/* Classes in the order of a table. */
struct wick_heap_rows {
    uint32_t *class;
    size_t n;
    uint64_t *retained; /* by row; 0 if that is not known */
};

/* Sorts and filters the classes that have objects. -WICK_E_NOMEM. */
int wick_heap_rows_make(struct wick_heap_rows *rows, struct wick_heap_report *r, const struct wick_heap_table *t);
void wick_heap_rows_release(struct wick_heap_rows *rows);

/* Objects that t->path names and a path to each; *n of them. The caller releases both arrays. */
int wick_heap_table_targets(struct wick_heap_report *r, const struct wick_heap_table *t, uint32_t **objects,
                            struct wick_heap_path **paths, size_t *n, struct wick_err *err);

#endif
