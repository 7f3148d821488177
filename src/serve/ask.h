/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.h - what a request asks for: its path and parameters, and the JSON of its body
 *
 * Both come from anybody who can connect, so any bytes are taken, and what is malformed is refused as a whole: a
 * percent sign without two hexadecimal digits, a NUL, more parts than there can be. What is taken apart stays in one
 * piece of memory of the caller's.
 *
 * The body is one object of strings, whole numbers, arrays of strings, and objects of strings: no request needs more.
 *
 * Threads: any.
 * Memory:  none but the caller's.
 */
#ifndef WICK_SERVE_ASK_H
#define WICK_SERVE_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { WICK_ASK_SEGMENTS = 8, WICK_ASK_PARAMETERS = 48 };

/* A name and its value, both unescaped. */
struct wick_ask_pair {
    const char *key, *value;
};

struct wick_ask {
    const char *segment[WICK_ASK_SEGMENTS]; /* of the path, between its slashes */
    struct wick_ask_pair pair[WICK_ASK_PARAMETERS];
    uint32_t nsegments, npairs;
};

/* Takes a request's target apart, "/a/b%20c?x=1&y": it is changed, and a borrows from it. -WICK_E_USAGE with a message.
 */
int wick_ask_target(struct wick_ask *a, char *target, struct wick_err *err);

/* The first value of a parameter, or NULL. */
const char *wick_ask_get(const struct wick_ask *a, const char *key);

/* The same as a number from least to most, or `otherwise` if it is not given. -WICK_E_USAGE with a message. */
int wick_ask_number(const struct wick_ask *a, const char *key, int64_t least, int64_t most, int64_t otherwise,
                    int64_t *out, struct wick_err *err);

/* The same for "0" and "1". */
int wick_ask_flag(const struct wick_ask *a, const char *key, bool *out, struct wick_err *err);

/* Takes a body of n bytes apart into pairs, in the order of the text; they borrow from it, and it is changed. Members
 * of an object within are pairs as those of the outer one are; each string of an array is a pair with the array's name.
 * -WICK_E_USAGE with a message. */
int wick_ask_body(struct wick_ask *a, char *text, size_t n, struct wick_err *err);

#endif
