/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui.h - what the user sees: errors, notes, the progress line, tables and JSON
 *
 * Results go to stdout, everything else to stderr. Colour and the progress line appear only on a terminal; NO_COLOR
 * (no-color.org) switches colour off. Names of processes, classes and threads are hostile: they pass through
 * wick_ui_plain(), wick_ui_print() or wick_ui_json_string() before they reach a terminal. Notes, progress and errors do
 * so on their own.
 */
#ifndef WICK_CLI_UI_H
#define WICK_CLI_UI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum wick_ui_colour { WICK_UI_PLAIN, WICK_UI_BOLD, WICK_UI_DIM, WICK_UI_RED, WICK_UI_GREEN, WICK_UI_YELLOW };

/* Silences notes and progress (option --quiet). */
void wick_ui_set_quiet(bool quiet);

/* Prints "wick: message" to stderr and returns the exit status of err's class. */
int wick_ui_fail(const struct wick_err *err);

/* The number of rows to show; a number that does not fit is taken as UINT32_MAX. False if the text is no number. */
bool wick_ui_rows(const char *text, uint32_t *out);

/* Says what an option takes ("--rows takes a number"), that it is not `value`, and where help is; with what = NULL,
 * only that. Returns the exit status. */
int wick_ui_bad_option(const char *command, const char *what, const char *value);

/* Whether all that was printed to stdout has arrived. 0, or -WICK_E_IO with the reason. */
int wick_ui_written(struct wick_err *err);

/* Prints a line to stderr unless quiet; ends a progress line first. */
void wick_ui_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The escape sequence for a colour on f, or "" where there is none. */
const char *wick_ui_colour(FILE *f, enum wick_ui_colour c);

/* Columns of the terminal behind f: $COLUMNS, or what the terminal says. 0: f is no terminal, or does not say. */
unsigned wick_ui_width(FILE *f);

/* Prints a name that ends a line of f, of which `used` columns are taken: on a terminal it is cut in the middle to fit,
 * to 24 columns at least. */
void wick_ui_last_column(FILE *f, unsigned used, const char *s, size_t len);

/* Prints text that ends a line in the same way: on a terminal it is broken at blanks and goes on at column `indent`,
 * and only a word that is too long for a line is cut. */
void wick_ui_last_text(FILE *f, unsigned used, unsigned indent, const char *s, size_t len);

/* Shows a line that the next one overwrites; only on a terminal and unless quiet. */
void wick_ui_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool wick_ui_shows_progress(void);

/* Removes the progress line. */
void wick_ui_progress_end(void);

/* "1.2 MB" (powers of 1000), "1.2 MiB" (of 1024, for memory), "1,234,567", "1 h 2 min" style; to out[cap], returned. */
const char *wick_ui_bytes(uint64_t n, char *out, size_t cap);
const char *wick_ui_binary(uint64_t n, char *out, size_t cap);
const char *wick_ui_count(uint64_t n, char *out, size_t cap);
const char *wick_ui_seconds(uint64_t ns, char *out, size_t cap);

/* Prints s as a terminal can take it: wick_print_name. */
void wick_ui_plain(FILE *f, const char *s);

/* The same, filled up with blanks to `width` columns. */
void wick_ui_column(FILE *f, const char *s, int width);

/* Like fprintf, for sentences that quote names: what would act on a terminal becomes \xNN; line ends stay. */
void wick_ui_print(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints s as a JSON string, quotes included; bytes that are no UTF-8 become U+FFFD. */
void wick_ui_json_string(FILE *f, const char *s);

/* Prints text at column `indent` broken at blanks before column `width`, the first line going on at column `at`. */
void wick_ui_wrap(FILE *f, const char *text, int at, int indent, int width);

#endif
