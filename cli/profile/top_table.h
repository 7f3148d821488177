/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_table.h - the table of `wick top`: what is on top of the stacks, and what is anywhere in them
 *
 * Self is the weight of samples whose leaf belongs to the row; total that of samples with the row anywhere in the
 * stack, each sample counted once however often it recurs there. Rows are sorted by self, then total, then name, or as
 * is asked for. One event type is shown, never a sum of several. Where a profile knows how large the things are that
 * were sampled (by_size), each weight has its 95 % interval (model/interval.h).
 *
 * Memory:  about 40 bytes a stack node during the call.
 */
#ifndef WICK_CLI_PROFILE_TOP_TABLE_H
#define WICK_CLI_PROFILE_TOP_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/memory/live_growth.h"
#include "base/err.h"
#include "model/profile.h"

enum wick_top_by { WICK_TOP_METHOD, WICK_TOP_CLASS, WICK_TOP_THREAD, WICK_TOP_KIND, WICK_TOP_VALUE };

enum wick_top_sort { WICK_TOP_BY_SELF, WICK_TOP_BY_TOTAL, WICK_TOP_BY_NAME };

struct wick_top_options {
    enum wick_top_by by; /* THREAD needs a profile aggregated by thread */
    const char *key;     /* VALUE: whose values are the rows, see model/shape.h */
    unsigned names;      /* METHOD: enum wick_name_flags */
    uint16_t event;      /* event type of the profile */
    uint32_t rows;       /* at most; 0 = all */
    enum wick_top_sort sort;
    bool json;
};

/* Writes the table to out. 0 or -WICK_E_NOMEM. */
int wick_top_table_write(const struct wick_profile *p, const struct wick_top_options *o, FILE *out,
                         struct wick_err *err);

/* Writes the rows, at most so many (0 = all), to out. */
void wick_growth_table_write(const struct wick_growth *g, uint32_t rows, bool json, FILE *out);

#endif
