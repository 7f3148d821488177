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
        n += atomic_load(&g->lanes[set][i].inside); /* pairs: wick_gate_leave_sig */
    return n;
}

/* Another set without handlers in it; the same again if there is none. */
static uint32_t other_set(struct wick_gate *g, uint32_t set)
{
    for (uint32_t i = 1; i < WICK_GATE_SETS; i++) {
        uint32_t other = (set + i) % WICK_GATE_SETS;
        if (inside(g, other))
            continue;
        for (uint32_t k = 0; k < WICK_GATE_LANES; k++)
            g->lanes[other][k].given_up = 0;
        return other;
    }
    return set;
}

/* Waits until no handler is in the lane but those given up before; false: another one still is. */
static bool wait_lane(struct wick_gate_lane *l, uint64_t until)
{
    uint32_t n;
    while ((n = atomic_load(&l->inside)) > l->given_up) { /* pairs: wick_gate_leave_sig */
        const struct timespec pause = {.tv_nsec = 100000};
        if (wick_clock_mono_ns() >= until)
            return false;
        nanosleep(&pause, NULL);
    }
    l->given_up = n;
    return true;
}

/* Counts the handlers in the set that were not given up before. */
static void give_up(struct wick_gate *g, uint32_t set)
{
    for (uint32_t i = 0; i < WICK_GATE_LANES; i++) {
        struct wick_gate_lane *l = &g->lanes[set][i];
        uint32_t n = atomic_load(&l->inside); /* pairs: wick_gate_leave_sig */
        if (n > l->given_up)
            atomic_fetch_add(&g->lost, n - l->given_up); /* pairs: lost_handlers in engines.c */
        l->given_up = n;
    }
}

bool wick_gate_wait(struct wick_gate *g, uint64_t *patience_ns)
{
    const uint64_t least = WICK_GATE_LEAST_MS * UINT64_C(1000000), begin = wick_clock_mono_ns();
    uint64_t until = begin + (*patience_ns > least ? *patience_ns : least);
    uint32_t set = atomic_load(&g->set); /* pairs: itself, in an earlier stop */
    bool empty = true, timely = true;
    atomic_thread_fence(memory_order_seq_cst); /* pairs: the increment in wick_gate_enter_sig, see gate.h */
    for (uint32_t i = 0; i < WICK_GATE_LANES && timely; i++) {
        timely = wait_lane(&g->lanes[set][i], until);
        empty = empty && timely && !g->lanes[set][i].given_up;
    }
    if (!timely)
        give_up(g, set);
    if (!empty)
        atomic_store(&g->set, other_set(g, set)); /* pairs: both loads in wick_gate_enter_sig; seq_cst, see gate.h */
    uint64_t waited = wick_clock_mono_ns() - begin;
    *patience_ns -= waited < *patience_ns ? waited : *patience_ns;
    return empty;
}
