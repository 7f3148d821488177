/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_lines.h - the weight of a method by source line, with the lines
 *
 * Threads: one at a time per recording.
 * Memory:  temporary: 1.5 MiB, and the file of sources.
 */
#ifndef WICK_SERVE_ANSWER_LINES_H
#define WICK_SERVE_ANSWER_LINES_H

#include <stdio.h>

#include "serve/ask.h"
#include "serve/growing.h"
#include "serve/sources.h"

/* Takes the conditions of all questions about samples (serve/picked.h), and `method`, its name as tables have it.
 * Writes one object (docs/ui-api.json). -WICK_E_USAGE without a method, _NOTFOUND if no stack has it. */
int wick_answer_lines(struct wick_growing *g, const struct wick_ask *a, const struct wick_sources *sources, FILE *out,
                      struct wick_err *err);

#endif
