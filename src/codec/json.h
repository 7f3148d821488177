/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - writing JSON text, streamed
 *
 * Commas are put by the writer: each value knows whether one has gone before it in the array or object at hand. Strings
 * may hold any bytes; what is no UTF-8 becomes U+FFFD, and '<' and what wick_utf8_is_hidden
 * names are escaped, so that the text may stand inside a page and on a terminal.
 *
 *     wick_json_open(&j, '{');
 *     wick_json_key(&j, "name");
 *     wick_json_str(&j, s, n);
 *     wick_json_close(&j, '}');
 *
 * Threads: one at a time per writer.
 * Memory:  none; write errors stay in the FILE.
 */
#ifndef WICK_CODEC_JSON_H
#define WICK_CODEC_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct wick_json {
    FILE *out;
    bool comma; /* a value went before in this array or object */
};

/* Begins an array or object: bracket is '[' or '{'; ends it with the one that fits. */
void wick_json_open(struct wick_json *j, char bracket);
void wick_json_close(struct wick_json *j, char bracket);

/* The name of the value that follows: plain ASCII without quotes. */
void wick_json_key(struct wick_json *j, const char *name);

/* Prints a character as \uNNNN, as two of them beyond U+FFFF. */
void wick_json_escape(FILE *out, uint32_t c);

/* Values: text of n bytes, of a string, and whole numbers. */
void wick_json_str(struct wick_json *j, const char *s, size_t n);
void wick_json_cstr(struct wick_json *j, const char *s);
void wick_json_int(struct wick_json *j, int64_t v);
void wick_json_uint(struct wick_json *j, uint64_t v);
/* v with the last `places` digits behind the point, 1.234: exact, unlike a floating-point number. */
void wick_json_decimal(struct wick_json *j, int64_t v, unsigned places);
/* true, false, null or a number that is text already. */
void wick_json_raw(struct wick_json *j, const char *text);

#endif
