/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall_visit.h - which threads may be drawn at a tick, and the visit to one that was
 *
 * Threads: the sampler; in functions named _locked the caller holds the engine's lock.
 * Memory:  the engine's.
 */
#ifndef WICK_ENGINE_WALL_WALL_VISIT_H
#define WICK_ENGINE_WALL_WALL_VISIT_H

#include "engine/wall/wall.h"

/* The set that narrows the candidates of this tick down, NULL = none does (wall_context.c). The recorder's labels, if
 * it has any, show which threads have a context now; where no filter was given they count from the first tick on that
 * finds one. */
const struct wick_wall_set *wick_wall_narrowing(struct wick_wall_engine *e);

/* Where the candidates are not narrowed down: those that have a context at this tick, NULL = none has. */
const struct wick_wall_set *wick_wall_contexts(struct wick_wall_engine *e);

/* One sample of the thread in that slot. */
void wick_wall_visit_locked(struct wick_wall_engine *e, uint32_t slot, uint64_t now_ns, uint64_t weight);

/* One that was due in time that the sampler missed, of a thread that was drawn at the tick before: if it waited then, a
 * sample of that wait, else as any other. */
void wick_wall_visit_missed_locked(struct wick_wall_engine *e, uint32_t slot, uint64_t now_ns, uint64_t weight);

/* Hands a thread's batch over and forgets its stack. */
void wick_wall_finish_locked(struct wick_wall_engine *e, struct wick_wall_slot *s);

/* Writes down what the thread used since it was written down last. */
void wick_wall_account_locked(struct wick_wall_engine *e, struct wick_wall_slot *s, uint64_t now_ns);

/* Virtual threads that are on no carrier (wall_virtual.c): at the start, when the filter is known; one tick, which
 * stands for so much time. */
void wick_wall_virtual_init(struct wick_wall_engine *e);
void wick_wall_virtual_tick(struct wick_wall_engine *e, uint64_t now_ns, uint64_t time_ns);

#endif
