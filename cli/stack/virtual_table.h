/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual_table.h - `wick stack --virtual` as text and as JSON
 */
#ifndef WICK_CLI_STACK_VIRTUAL_TABLE_H
#define WICK_CLI_STACK_VIRTUAL_TABLE_H

#include <stdio.h>

#include "client/virtual_threads.h"

/* Prints groups of threads with the same stack, or JSON. */
void wick_virtual_table_print(FILE *f, const struct wick_virtual_threads *v);
void wick_virtual_table_json(FILE *f, int pid, const struct wick_virtual_threads *v);

#endif
