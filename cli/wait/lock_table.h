/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_table.h - the tables of `wick locks`
 *
 * Memory:  malloc during the call.
 */
#ifndef WICK_CLI_WAIT_LOCK_TABLE_H
#define WICK_CLI_WAIT_LOCK_TABLE_H

#include <stdio.h>

#include "analysis/wait/lock_waits.h"

struct wick_lock_options {
    uint32_t rows; /* locks shown; 0 = all */
    bool all;      /* also what nobody owned: threads that wait for work, or for a signal */
    bool stacks, json;
    const char
        *now; /* the agent's lines of waits that last and of deadlocks (agent/event/deadlocks.c); NULL = not asked */
};

/* Writes the locks, those waited for longest first, with who waited where and who held them. 0 or -WICK_E_NOMEM. */
int wick_lock_table(const struct wick_lock_waits *w, const struct wick_lock_options *o, FILE *out,
                    struct wick_err *err);

#endif
