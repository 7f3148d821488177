/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.h - self-contained HTML pages with JSON in them
 *
 * Memory:  the data, while it is written.
 */
#ifndef WICK_CLI_PAGE_H
#define WICK_CLI_PAGE_H

#include <stdio.h>

#include "base/err.h"

/* What becomes a page: the text before and after the data, and who writes the data as JSON (0 or -WICK_E_*; a failure
 * without a message is one of memory). */
struct wick_page {
    const char *head, *tail;
    int (*json)(void *ctx, FILE *out);
    void *ctx;
};

/* Whether a name given with -o is that of a page; otherwise -WICK_E_USAGE and a message. */
int wick_page_check(const char *path, struct wick_err *err);

/* Writes the page to out, unless its data fails. 0, -WICK_E_NOMEM or the error of the data. */
int wick_page_write(const struct wick_page *page, FILE *out, struct wick_err *err);

/* Writes the page to a file, complete or not at all. 0, -WICK_E_NOMEM or the error of writing. */
int wick_page_save(const struct wick_page *page, const char *path, struct wick_err *err);

#endif
