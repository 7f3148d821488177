/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttsp_table.h - the tables of `wick ttsp`
 *
 * Memory:  malloc during the call.
 */
#ifndef WICK_CLI_WAIT_TTSP_TABLE_H
#define WICK_CLI_WAIT_TTSP_TABLE_H

#include <stdio.h>

#include "analysis/wait/ttsp_incidents.h"

/* Bounds of the JSON for a reader whom a hostile recording must not fill; 0 = all. */
struct wick_ttsp_most {
    uint32_t blames, threads, signals, frames; /* threads of an incident; signals and frames of a thread */
    uint32_t name;                             /* bytes */
};

struct wick_ttsp_options {
    uint32_t rows; /* incidents shown; 0 = all */
    bool stacks, json;
    struct wick_ttsp_most most;
};

/* Writes the incidents, worst first, and what is to blame for them together. 0 or -WICK_E_NOMEM. */
int wick_ttsp_table_write(const struct wick_ttsp_incidents *in, const struct wick_ttsp_options *o, FILE *out,
                          struct wick_err *err);

#endif
