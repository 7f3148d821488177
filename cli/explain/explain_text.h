/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_text.h - findings of `wick explain` as sentences and as JSON
 *
 * Memory:  temporary.
 */
#ifndef WICK_CLI_EXPLAIN_EXPLAIN_TEXT_H
#define WICK_CLI_EXPLAIN_EXPLAIN_TEXT_H

#include <stdio.h>

#include "analysis/explain/explain_rules.h"
#include "base/strbuf.h"

/* Options of `wick record` with which all that the rules read is recorded. */
#define WICK_EXPLAIN_RECORD "-e cpu,wall,alloc,lock --ttsp --filter all"

/* Appends the finding's sentence. Names in it are as recorded: escape what goes to a terminal. */
void wick_explain_text_sentence(struct wick_strbuf *out, const struct wick_explain_finding *f);

/* Appends which group dominates and with what; nothing if there are no findings but cautions. */
void wick_explain_text_headline(struct wick_strbuf *out, const struct wick_explain_findings *all);

/* Files of the recording, as the user can name them; n = 0: there are none. */
struct wick_explain_input {
    char *const *paths;
    int n;
    int pid; /* of the JVM that runs, for commands about it; 0 = it is not known */
};

/* Prints the headline and all findings by group, or that nothing stands out, and what could not be judged because its
 * events are missing. */
void wick_explain_text_write(const struct wick_explain_findings *all, const struct wick_explain_facts *f,
                             const struct wick_explain_input *in, bool json, FILE *out);

#endif
