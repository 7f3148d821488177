/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.h - names out of recordings on their way to a terminal or into JSON
 *
 * Threads: one at a time for each stream.
 */
#ifndef WICK_CLI_PRINT_H
#define WICK_CLI_PRINT_H

#include <stddef.h>
#include <stdio.h>

/* The length of the character at s (left > 0 bytes are there) and how many columns it takes as _name prints it. */
size_t wick_print_unit(const char *s, size_t left, unsigned *columns);

/* A name for a terminal: wick_plain_print. */
void wick_print_name(FILE *out, const char *s, size_t len);

/* The same in at most so many columns: what is longer is cut in the middle, where "..." is put. */
void wick_print_fitted(FILE *out, const char *s, size_t len, unsigned columns);

/* A JSON string, quotes included; what is no UTF-8 becomes U+FFFD. */
void wick_print_json(FILE *out, const char *s, size_t len);

#endif
