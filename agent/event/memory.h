/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - where the memory of this process goes, and what the cgroups around it leave, every ten seconds or as
 * --memory-interval says
 *
 * A reading (footprint/footprint.h) goes on over several rounds of the drain thread, so that none takes long. Where
 * readings are expensive, with tens of thousands of mappings, they are taken less often: they use at most a hundredth
 * of one processor.
 *
 * Threads: the drain thread; _open and _close by the session's owner while it does not run.
 * Memory:  static; during a reading that of the footprint.
 */
#ifndef WICK_AGENT_EVENT_MEMORY_H
#define WICK_AGENT_EVENT_MEMORY_H

#include <stdbool.h>

#include "record/drain.h"

/* A recording begins; the first reading is due, the next ones each interval_ns. */
void wick_memory_open(uint64_t interval_ns);
void wick_memory_close(void);

/* Something happened: the next reading is due now. */
void wick_memory_due(void);

/* Whether a limit is close and came much closer since the last reading. Polls once a second. */
bool wick_memory_is_short(uint64_t now_ns);

/* A round: goes on with a reading, or begins the next if it is due. True if one is complete that something that
 * happened made due: it belongs in the file before more happens. */
bool wick_memory_look(struct wick_drain *d, uint64_t now_ns);

/* The recording ends: the last reading, all of it. */
void wick_memory_end(struct wick_drain *d);

#endif
