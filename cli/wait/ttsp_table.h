/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttsp_table.h - the tables of `wick ttsp`
 *
 * Threads: one at a time.
 * Memory:  malloc during the call.
 */
#ifndef WICK_CLI_WAIT_TTSP_TABLE_H
#define WICK_CLI_WAIT_TTSP_TABLE_H

#include <stdio.h>

#include "analysis/ttsp_incidents.h"

struct wick_ttsp_options {
    uint32_t rows; /* incidents shown; 0 = all */
    bool stacks, json;
};

/* Writes the incidents, worst first, and what is to blame for them together. 0 or -WICK_E_NOMEM. */
int wick_ttsp_write(const struct wick_ttsp_incidents *in, const struct wick_ttsp_options *o, FILE *out,
                    struct wick_err *err);

#endif
