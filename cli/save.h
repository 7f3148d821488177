/* SPDX-License-Identifier: Apache-2.0 */
/*
 * save.h - files that commands write: complete, or not there
 *
 * Memory:  the FILE is closed by wick_save_close.
 */
#ifndef WICK_CLI_SAVE_H
#define WICK_CLI_SAVE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* Opens path for writing; NULL or "-" is standard output. own = made on behalf of a recording: mode 0600, and no
 * symbolic link is followed; otherwise as any program would make it,
 * unless a file is there that may not be replaced (cli/replace.h). NULL and a message on failure. */
FILE *wick_save_open(const char *path, bool own, struct wick_err *err);

/* Ends what wick_save_open began. rc and err are the writer's: a plain file is removed if it failed or cannot be
 * written to the end. Returns rc or the error of writing. */
int wick_save_close(FILE *out, const char *path, int rc, struct wick_err *err);

#endif
