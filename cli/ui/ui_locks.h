/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_locks.h - the answer of `wick ui` about who blocks whom
 *
 * Memory:  that of the recording's waits (analysis/wait/lock_waits.h), while it runs.
 */
#ifndef WICK_CLI_UI_UI_LOCKS_H
#define WICK_CLI_UI_UI_LOCKS_H

#include <stdio.h>

#include "serve/serve.h"

/* The edges of analysis/wait/lock_graph.h as JSON. 0 or -WICK_E_* with a message. */
int wick_ui_locks(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

#endif
