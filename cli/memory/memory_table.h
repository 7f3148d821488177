/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_table.h - the memory of a process as tables or JSON
 */
#ifndef WICK_CLI_MEMORY_MEMORY_TABLE_H
#define WICK_CLI_MEMORY_MEMORY_TABLE_H

#include <stdio.h>

#include "analysis/memory/memory_use.h"
#include "footprint/nmt.h"

struct wick_memory_table {
    const char *title;          /* of what: "process 123 (app.jar)", a file's name */
    const struct wick_nmt *nmt; /* what the JVM counts itself; NULL = what the recording says of that */
};

/* Write errors stay in the FILE. */
void wick_memory_table_write(const struct wick_memory_use *u, const struct wick_memory_table *t, FILE *out);
void wick_memory_table_write_json(const struct wick_memory_use *u, const struct wick_memory_table *t, FILE *out);

#endif
