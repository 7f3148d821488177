/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.h - names out of recordings on their way to a terminal or into JSON
 *
 * Threads: one at a time for each stream.
 * Memory:  none.
 */
#ifndef WICK_CLI_PRINT_H
#define WICK_CLI_PRINT_H

#include <stddef.h>
#include <stdio.h>

/* A name for a terminal: control characters would act there and become \xNN. Bytes from 0x80 on are left as they are.
 */
void wick_print_name(FILE *out, const char *s, size_t len);

/* A JSON string, quotes included; what is no UTF-8 becomes U+FFFD. */
void wick_print_json(FILE *out, const char *s, size_t len);

#endif
