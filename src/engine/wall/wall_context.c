/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall_context.c - the threads that have a trace context at this tick
 *
 * Platform threads say so themselves, in a byte each (labels/labels.h); of carriers the mounted virtual thread is asked
 * for. All is read at each tick, before the draw, so the candidates are those of the tick.
 */
#include "engine/wall/wall.h"
#include "engine/wall/wall_visit.h"

_Static_assert((uint32_t)WICK_LABELS_PLACES == (uint32_t)WICK_MAX_THREADS, "a place is a slot of the registry");

/* Those of the carriers, 64 slots from `first` on, whose virtual thread has a context. */
static uint64_t carriers_with_context(const struct wick_wall_engine *e, uint32_t first, uint64_t carriers)
{
    uint64_t with = 0;
    for (; carriers; carriers &= carriers - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(carriers);
        uint64_t java = wick_load_acquire(&e->threads->slots[first + i].java); /* pairs: wick_threads_java */
        if (java && wick_labels_mounted_has(e->recorder->labels, java))
            with |= 1ull << i;
    }
    return with;
}

static bool see_contexts(struct wick_wall_engine *e)
{
    uint32_t top = wick_threads_top(e->threads);
    bool any = false;
    for (uint32_t w = 0; w < WICK_WALL_WORDS && w * 64 < top; w++) {
        uint64_t carriers, with = wick_labels_open(e->recorder->labels, w, &carriers);
        with |= carriers_with_context(e, w * 64, carriers);
        wick_store_relaxed(&e->context.words[w], with);
        any |= with != 0;
    }
    return any;
}

const struct wick_wall_set *wick_wall_narrowing(struct wick_wall_engine *e)
{
    bool always = e->filter.kind == WICK_WALL_CONTEXT;
    if (!always && e->filter.kind != WICK_WALL_AUTO)
        return NULL;
    if (e->recorder->labels && see_contexts(e))
        e->context_seen = true;
    return always || e->context_seen ? &e->context : NULL;
}

const struct wick_wall_set *wick_wall_contexts(struct wick_wall_engine *e)
{
    return e->filter.kind != WICK_WALL_AUTO && e->recorder->labels && see_contexts(e) ? &e->context : NULL;
}
