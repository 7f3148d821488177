/* SPDX-License-Identifier: Apache-2.0 */
/*
 * err.h - error codes and error messages
 *
 * A function that can fail returns 0 or -WICK_E_<NAME> and leaves its outputs untouched on failure. On the tool side it
 * also takes a `struct wick_err *`, fills it where the facts are known, and a distant caller (cli/main.c,
 * agent/onload.c) prints it once. A message says what failed, why, and what to do.
 *
 * Threads: a struct wick_err belongs to one thread.
 * Memory:  no allocation; messages longer than the buffer are cut.
 */
#ifndef WICK_BASE_ERR_H
#define WICK_BASE_ERR_H

enum wick_code {
    WICK_OK = 0,
#define X(name, exit_code, text) WICK_E_##name,
#include "def/err.def"
#undef X
    WICK_E_COUNT
};

struct wick_err {
    int code;       /* enum wick_code, 0 = none */
    char msg[1024]; /* one or more sentences without a final newline */
};

/* Formats a message into err (may be NULL) and returns -code, so that callers write `return wick_err_set(...)`. */
int wick_err_set(struct wick_err *err, enum wick_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Puts "context: " before the message that err already holds; returns -err->code. No effect on an empty err. */
int wick_err_prefix(struct wick_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The class's description ("permission denied"); code may be negative. Never NULL. */
const char *wick_err_text(int code);

/* The process exit status for an error class; code may be negative; 0 for 0. */
int wick_err_exit(int code);

#endif
