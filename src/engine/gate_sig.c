/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_sig.c - the handler's side of the gate
 */
#include "engine/gate.h"

#include <sched.h>

uint32_t wick_gate_enter_sig(struct wick_gate *g)
{
    int cpu = sched_getcpu();
    uint32_t lane = cpu < 0 ? 0 : (uint32_t)cpu % WICK_GATE_LANES;
    for (;;) {
        uint32_t set = atomic_load(&g->set);              /* pairs: wick_gate_wait */
        atomic_fetch_add(&g->lanes[set][lane].inside, 1); /* pairs: wick_gate_wait; seq_cst, see gate.h */
        if (atomic_load(&g->set) == set)                  /* pairs: wick_gate_wait; seq_cst: after the count */
            return set * WICK_GATE_LANES + lane;
        atomic_fetch_sub(&g->lanes[set][lane].inside, 1); /* pairs: wick_gate_wait */
    }
}

void wick_gate_leave_sig(struct wick_gate *g, uint32_t lane)
{
    struct wick_gate_lane *l = &g->lanes[lane / WICK_GATE_LANES][lane % WICK_GATE_LANES];
    atomic_fetch_sub_explicit(&l->inside, 1, memory_order_release); /* pairs: wick_gate_wait */
}
