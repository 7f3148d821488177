/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_export.h - the samples of a recording in a format for other programs, as a file to keep
 *
 * What is chosen is copied, which is quick; writing it may take as long as the format likes, and needs the recording no
 * more.
 *
 * Threads: one at a time per recording to choose, any to write.
 * Memory:  a profile of what is chosen; freed by wick_answer_export_free.
 */
#ifndef WICK_SERVE_ANSWER_EXPORT_H
#define WICK_SERVE_ANSWER_EXPORT_H

#include <stdio.h>

#include "export/format.h"
#include "serve/ask.h"
#include "serve/growing.h"

/* The format that a request wants, and its media type. NULL and a message if it is none of those offered here. */
const struct wick_format *wick_answer_format(const struct wick_ask *a, const char **type, struct wick_err *err);

struct wick_answer_export;

/* The samples that the request chooses, for that format. title: of a picture. -WICK_E_USAGE, _NOTFOUND, _NOMEM. */
int wick_answer_export_choose(struct wick_answer_export **out, struct wick_growing *g, const struct wick_ask *a,
                              const struct wick_format *f, const char *title, struct wick_err *err);

/* Writes them. 0 or as the format. */
int wick_answer_export_write(struct wick_answer_export *x, FILE *out, struct wick_err *err);

/* x may be NULL. */
void wick_answer_export_free(struct wick_answer_export *x);

#endif
