/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_safepoints.h - the answer of `wick ui` about slow safepoints and the threads that were slow to reach them
 *
 * Memory:  that of the recording's incidents (analysis/wait/ttsp_incidents.h), while it runs.
 */
#ifndef WICK_CLI_UI_UI_SAFEPOINTS_H
#define WICK_CLI_UI_UI_SAFEPOINTS_H

#include <stdio.h>

#include "serve/serve.h"

/* What `wick ttsp --json` prints of the file, of each incident at most five threads with 60 frames. 0 or -WICK_E_* with
 * a message. */
int wick_ui_safepoints(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

#endif
