/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_keep.h - keeps the recording that wick explain has made of a live JVM
 */
#ifndef WICK_CLI_EXPLAIN_EXPLAIN_KEEP_H
#define WICK_CLI_EXPLAIN_EXPLAIN_KEEP_H

#include <stdint.h>

#include "base/err.h"
#include "cli/explain/explain_chain.h"

/* Adds to the recording what a heap dump has shown (wick.HeapHolder), as of its end in ns since 1970. Nothing if
 * nothing was shown. 0, or -WICK_E_* with a sentence. */
int wick_explain_keep_chains(const char *recording, const struct wick_explain_chains *c, int64_t end_ns,
                             struct wick_err *err);

/* Copies the recording to the file that is to keep it. */
int wick_explain_keep(const char *recording, const char *to, struct wick_err *err);

#endif
