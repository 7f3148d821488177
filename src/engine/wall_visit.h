/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall_visit.h - what happens to one thread that was drawn; inside the engine's lock
 *
 * Threads: the caller holds the engine's lock.
 * Memory:  the engine's.
 */
#ifndef WICK_ENGINE_WALL_VISIT_H
#define WICK_ENGINE_WALL_VISIT_H

#include "engine/wall.h"

/* One sample of the thread in that slot. */
void wick_wall_visit_locked(struct wick_wall_engine *e, uint32_t slot, uint64_t now_ns, uint64_t weight);

/* Hands a thread's batch over and forgets its stack. */
void wick_wall_finish_locked(struct wick_wall_engine *e, struct wick_wall_slot *s);

/* Writes down what the thread used since it was written down last. */
void wick_wall_account_locked(struct wick_wall_engine *e, struct wick_wall_slot *s, uint64_t now_ns);

#endif
