/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_text.h - findings of `wick explain` as sentences and as JSON
 *
 * Threads: one at a time.
 * Memory:  temporary.
 */
#ifndef WICK_CLI_EXPLAIN_EXPLAIN_TEXT_H
#define WICK_CLI_EXPLAIN_EXPLAIN_TEXT_H

#include <stdio.h>

#include "analysis/explain_rules.h"
#include "base/strbuf.h"

/* Appends the finding's sentence. Names in it are as recorded: escape what goes to a terminal. */
void wick_explain_sentence(struct wick_strbuf *out, const struct wick_explain_finding *f);

/* Prints all findings, or that nothing stands out, and what could not be judged because its events are missing. */
void wick_explain_write(const struct wick_explain_findings *all, const struct wick_explain_facts *f, bool json,
                        FILE *out);

#endif
