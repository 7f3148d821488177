/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_memory.h - memory and collections over time, as the page Memory draws them
 *
 * Both are bounded whatever the recording's length: of more readings than the request wants, the one with the most
 * resident memory of each stretch of time is shown; of more collections, that with the longest pause.
 */
#ifndef WICK_CLI_UI_UI_MEMORY_H
#define WICK_CLI_UI_UI_MEMORY_H

#include <stdio.h>

#include "analysis/memory/gc_history.h"
#include "analysis/memory/memory_use.h"

/* Resident memory by part over time, with the limits; at most `most` readings (>= 1). -WICK_E_NOMEM. */
int wick_ui_memory_over_time(const struct wick_memory_use *u, size_t most, FILE *out);

/* Collections and their causes, as wick_gc_history_choose and _thin have left them. Takes count of all that were
 * chosen from the causes. */
void wick_ui_collections(const struct wick_gc_history *h, const struct wick_profile *p, FILE *out);

#endif
