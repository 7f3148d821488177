/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_chain.h - who holds what fills the heap of a JVM, or its class loaders, found out by a heap dump
 *
 * Threads: the command's one.
 * Memory:  that of the analysis (heap/report.h) while it lasts; texts are freed by wick_explain_chains_release.
 */
#ifndef WICK_CLI_EXPLAIN_EXPLAIN_CHAIN_H
#define WICK_CLI_EXPLAIN_EXPLAIN_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strbuf.h"

struct wick_explain_chains {
    struct wick_strbuf heap;    /* what holds most of the heap; empty where no object holds a 20th of it */
    struct wick_strbuf loaders; /* what holds class loaders of one class, of which there are the most */
};

#define WICK_EXPLAIN_CHAINS_INIT           \
    {                                      \
        WICK_STRBUF_INIT, WICK_STRBUF_INIT \
    }

/* Has the JVM collect garbage and dump its heap, and appends what the dump says, with the way from a GC root and what
 * that cost. loaders: how many class loaders more than before there are, 0 = these are not asked for. 0, or -WICK_E_*
 * with a sentence. */
int wick_explain_chain(int pid, uint64_t loaders, struct wick_explain_chains *out, struct wick_err *err);
void wick_explain_chains_release(struct wick_explain_chains *c);

#endif
