/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_head.h - what was recorded: the line above the findings of `wick explain`
 *
 * Memory:  the caller's string buffer.
 */
#ifndef WICK_CLI_EXPLAIN_EXPLAIN_HEAD_H
#define WICK_CLI_EXPLAIN_EXPLAIN_HEAD_H

#include "analysis/explain/explain_rules.h"
#include "base/strbuf.h"

/* Appends how long the recording is, of which program on which JDK, and how many threads used how much of how many
 * CPUs, as far as it is known. Names are as recorded: escape what goes to a terminal. */
void wick_explain_head(struct wick_strbuf *out, const struct wick_explain_facts *f);

/* Appends the JDK's version: "21.0.8+9", by the property java.vm.version or what JFR says of the JVM. Nothing if the
 * text has none. */
void wick_explain_head_jdk(struct wick_strbuf *out, const char *version);

#endif
