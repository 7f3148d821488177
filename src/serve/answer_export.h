/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_export.h - the samples of a recording in a format for other programs, as a file to keep
 *
 * Threads: one at a time per recording.
 * Memory:  a profile of what is chosen, during the call.
 */
#ifndef WICK_SERVE_ANSWER_EXPORT_H
#define WICK_SERVE_ANSWER_EXPORT_H

#include <stdio.h>

#include "export/format.h"
#include "serve/ask.h"
#include "serve/growing.h"

/* The format that a request wants, and its media type. NULL and a message if it is none of those offered here. */
const struct wick_format *wick_answer_format(const struct wick_ask *a, const char **type, struct wick_err *err);

/* Writes the samples that the request chooses. title: of a picture. -WICK_E_USAGE, _NOTFOUND, _NOMEM. */
int wick_answer_export(struct wick_growing *g, const struct wick_ask *a, const struct wick_format *f, const char *title,
                       FILE *out, struct wick_err *err);

#endif
