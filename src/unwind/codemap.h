/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codemap.h - what lies where in a JVM's code cache, read from outside
 *
 * For tools that know nothing of HotSpot: perf names the code of JVMs by /tmp/perf-PID.map.
 *
 * Threads: one at a time per remote.
 * Memory:  nothing is kept.
 */
#ifndef WICK_UNWIND_CODEMAP_H
#define WICK_UNWIND_CODEMAP_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "unwind/remote.h"

struct wick_code_entry {
    uint64_t start, end;            /* addresses of instructions */
    const struct wick_strbuf *name; /* java.lang.String.hashCode, Interpreter: any bytes; valid during the call */
    bool is_java;
    uint8_t level; /* of a compiled method: 1..4 */
};

/* Calls take for every blob of the code cache that can be read. What is compiled or freed during the call may be
 * missing or stale. inlined: an entry for each stretch of a compiled method, whose name is the way in, "a->b->c", where
 * b was inlined into a and c into b. 0 or -WICK_E_NOMEM. */
int wick_codemap_read(const struct wick_remote *r, bool inlined,
                      void (*take)(void *ctx, const struct wick_code_entry *c), void *ctx);

#endif
