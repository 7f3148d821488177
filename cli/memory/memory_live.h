/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_live.h - the memory of a live JVM's process (footprint/footprint_live.h), once or for a while
 *
 * Threads: one. Blocks SIGINT, SIGTERM and SIGHUP while it waits between two readings.
 */
#ifndef WICK_CLI_MEMORY_MEMORY_LIVE_H
#define WICK_CLI_MEMORY_MEMORY_LIVE_H

#include "analysis/memory/memory_use.h"
#include "base/strbuf.h"
#include "footprint/nmt.h"

/* `u` and `nmt` are zeroed; nmt->count stays 0 where the JVM tracks nothing; the caller releases both. Reads the JVM
 * named by word (cli/jvm/target.h) once, or again and again for `duration_ns`, which a signal ends earlier. `title`
 * gets what to call it. 0, -WICK_E_NOTFOUND, _NOTJVM, _PERM, _GONE, _NOMEM with a sentence. */
int wick_memory_live(const char *word, uint64_t duration_ns, struct wick_memory_use *u, struct wick_nmt *nmt,
                     struct wick_strbuf *title, struct wick_err *err);

#endif
