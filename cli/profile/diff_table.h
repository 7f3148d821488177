/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_table.h - the table of `wick diff`
 */
#ifndef WICK_CLI_PROFILE_DIFF_TABLE_H
#define WICK_CLI_PROFILE_DIFF_TABLE_H

#include <stdio.h>

#include "analysis/compare/diff.h"

struct wick_diff_table {
    const char *event, *unit; /* "jdk.ExecutionSample"; "ns", "bytes" or "samples" */
    uint32_t rows;            /* at most; 0 = all */
    bool json, csv;           /* otherwise text */
};

/* Writes the rows of d, in their order, to out. */
void wick_diff_table_write(const struct wick_diff *d, const struct wick_diff_table *o, FILE *out);

#endif
