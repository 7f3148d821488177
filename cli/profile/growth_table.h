/* SPDX-License-Identifier: Apache-2.0 */
/*
 * growth_table.h - the table of `wick top --growth`
 */
#ifndef WICK_CLI_PROFILE_GROWTH_TABLE_H
#define WICK_CLI_PROFILE_GROWTH_TABLE_H

#include <stdio.h>

#include "analysis/memory/live_growth.h"

/* Writes the rows, at most so many (0 = all), to out. */
void wick_growth_table_write(const struct wick_growth *g, uint32_t rows, bool json, FILE *out);

#endif
