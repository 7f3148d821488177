/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.c - waiting for the handlers
 */
#include "engine/gate.h"

#include <time.h>

void wick_gate_wait(struct wick_gate *g)
{
    atomic_thread_fence(memory_order_seq_cst); /* see gate.h */
    for (uint32_t i = 0; i < WICK_GATE_LANES; i++) {
        while (atomic_load(&g->lanes[i].inside)) { /* pairs: wick_gate_leave_sig */
            const struct timespec pause = {.tv_nsec = 100000};
            nanosleep(&pause, NULL);
        }
    }
}
