/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.h - texts as cells of a CSV file (RFC 4180)
 *
 * A cell whose text begins with what spreadsheets take for a formula gets an apostrophe before it.
 *
 * Threads: any.
 * Memory:  none; write errors stay in the FILE.
 */
#ifndef WICK_CODEC_CSV_H
#define WICK_CODEC_CSV_H

#include <stddef.h>
#include <stdio.h>

/* Writes n bytes as one cell, in quotes. */
void wick_csv_cell(FILE *out, const char *s, size_t n);

#endif
