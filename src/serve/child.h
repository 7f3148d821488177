/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.h - another command of wick, run for `wick ui` as a process of its own
 *
 * It does, refuses and says what it does from a terminal, and a JVM that does not answer holds up nothing else.
 *
 * Threads: any; a child ends with the thread that started it.
 */
#ifndef WICK_SERVE_CHILD_H
#define WICK_SERVE_CHILD_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* Its standard input and output, -1 = nothing, and the file that its standard error goes to. */
struct wick_serve_child_files {
    int in, out, said;
};

/* Starts it. Its process or -1. */
pid_t wick_serve_child_start(char *const *argv, const struct wick_serve_child_files *files);

/* Waits until it has ended, and leaves it to waitpid. */
void wick_serve_child_await(pid_t child);

/* What it wrote last, without "wick: "; status: of waitpid. */
void wick_serve_child_said(int said, int status, char *out, size_t cap);

/* The last warning that it wrote, "" = none. Its end is not needed. */
void wick_serve_child_warned(int said, char *out, size_t cap);

/* An error for a child that ended so. */
int wick_serve_child_failure(int status, const char *why, struct wick_err *err);

/* wick ui is being ended: what runs is asked to end, and waited for three seconds at most. */
void wick_serve_child_end(void);

/* Runs one to its end, with that input and output (-1 = none). 0, or what it failed with. */
int wick_serve_child_run(char *const *argv, int in, int out, struct wick_err *err);

#endif
