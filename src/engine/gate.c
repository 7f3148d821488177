/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.c - waiting for the handlers
 */
#include "engine/gate.h"

#include <time.h>

#include "base/clock.h"

static uint32_t inside(const struct wick_gate *g, uint32_t set)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < WICK_GATE_LANES; i++)
        n += atomic_load(&g->lanes[set][i].inside);
    return n;
}

/* Another set that nobody is in; the same again if there is none. */
static uint32_t other_set(const struct wick_gate *g, uint32_t set)
{
    for (uint32_t i = 1; i < WICK_GATE_SETS; i++)
        if (!inside(g, (set + i) % WICK_GATE_SETS))
            return (set + i) % WICK_GATE_SETS;
    return set;
}

bool wick_gate_wait(struct wick_gate *g)
{
    uint64_t until = wick_clock_mono_ns() + WICK_GATE_PATIENCE_MS * UINT64_C(1000000);
    uint32_t set = atomic_load(&g->set);
    atomic_thread_fence(memory_order_seq_cst); /* see gate.h */
    for (uint32_t i = 0; i < WICK_GATE_LANES; i++) {
        while (atomic_load(&g->lanes[set][i].inside)) { /* pairs: wick_gate_leave_sig */
            const struct timespec pause = {.tv_nsec = 100000};
            if (wick_clock_mono_ns() >= until) {
                atomic_fetch_add(&g->lost, inside(g, set));
                atomic_store(&g->set, other_set(g, set));
                return false;
            }
            nanosleep(&pause, NULL);
        }
    }
    return true;
}
