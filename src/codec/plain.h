/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain.h - names as plain text: the one way by which they get to a terminal or into a file that people read
 *
 * A name comes from the program under study or from a file and may hold any bytes: sequences that move the cursor,
 * colour what follows or answer in place of the keyboard, controls that turn text around, characters that are not seen.
 * Each byte of such a character (wick_utf8_is_hidden), and each that belongs to no UTF-8, becomes \xNN.
 *
 * Threads: any; one at a time for each stream.
 */
#ifndef WICK_CODEC_PLAIN_H
#define WICK_CODEC_PLAIN_H

#include <stddef.h>
#include <stdio.h>

#include "base/strbuf.h"

/* The length of the character at s (left > 0 bytes are there) and how many columns it takes: 4 for each byte if it is
 * not shown as it is. `also`: ASCII characters that are not shown either, "" = none. */
size_t wick_plain_unit(const char *s, size_t left, const char *also, unsigned *columns);

/* Appends a name. */
void wick_plain_add(struct wick_strbuf *out, const char *s, size_t len, const char *also);

/* Prints a name. */
void wick_plain_print(FILE *out, const char *s, size_t len);

/* Prints text of wick's own that may quote names: line ends stay. */
void wick_plain_print_text(FILE *out, const char *s, size_t len);

#endif
