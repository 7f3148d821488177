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

/* What a dump is asked for. */
struct wick_explain_chain_ask {
    bool by_jvm;      /* where there can be no copy, the JVM may write the dump, which stops it for longer */
    bool heap;        /* what holds most of the heap */
    uint64_t loaders; /* what holds class loaders, of which there are so many more than before; 0 = that is not asked */
};

struct wick_explain_chains {
    struct wick_strbuf heap;    /* what holds most of the heap; empty where no object holds a 20th of it */
    struct wick_strbuf loaders; /* what holds class loaders of one class, of which there are the most */
    struct wick_strbuf cost;    /* of a dump that was taken */
    uint64_t retained, bytes;   /* what is alive because of the heap's holder, and in all */
    uint64_t soft;              /* of the former: what only soft references keep; 0 if that is less than half */
};

#define WICK_EXPLAIN_CHAINS_INIT                                       \
    {                                                                  \
        WICK_STRBUF_INIT, WICK_STRBUF_INIT, WICK_STRBUF_INIT, 0, 0, 0, \
    }

/* Takes a dump of the heap, by a copy of the process where that can be, and appends what it says, with the way from
 * a GC root and what that cost. 0, or -WICK_E_* with a sentence; what was found before that stays. */
int wick_explain_chain(int pid, const struct wick_explain_chain_ask *ask, struct wick_explain_chains *out,
                       struct wick_err *err);

/* Appends "what holds the heap VERDICT" of what was asked and is not known, with the cost of a dump; nothing if all is
 * known. */
void wick_explain_chain_unknown(const struct wick_explain_chain_ask *ask, const struct wick_explain_chains *c,
                                const char *verdict, struct wick_strbuf *out);
void wick_explain_chains_release(struct wick_explain_chains *c);

#endif
