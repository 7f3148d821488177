/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_chain.h - who holds what fills the heap of a JVM, found out by a heap dump
 *
 * Threads: the command's one.
 * Memory:  that of the analysis (heap/report.h) while it lasts.
 */
#ifndef WICK_CLI_EXPLAIN_EXPLAIN_CHAIN_H
#define WICK_CLI_EXPLAIN_EXPLAIN_CHAIN_H

#include "base/err.h"
#include "base/strbuf.h"

/* Has the JVM collect garbage and dump its heap, and appends what holds most of it, with the way from a GC root and
 * what that cost. Nothing is appended where no object holds a 20th of the heap. 0, or -WICK_E_* with a sentence. */
int wick_explain_chain(int pid, struct wick_strbuf *out, struct wick_err *err);

#endif
