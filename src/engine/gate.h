/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.h - knowing when no handler is at work any more
 *
 * A handler may lose its processor between its first instruction and the moment it owns anything that others can see;
 * what it is about to touch must not be freed in between. So a handler passes a gate before it loads its engine:
 *
 *      handler                                   who stops the engine
 *      gate.inside++           (seq_cst)         engine = NULL                          (seq_cst)
 *      read engine             (seq_cst)         wait until each counter was seen at 0  (seq_cst)
 *
 * After wick_gate_wait every handler that saw the engine has left; later ones see none. A handler may never come back:
 * its thread was cancelled, or a fault's handler jumped away. So the wait is bounded, and what such a handler may use
 * must stay where it is when wick_gate_wait returns false. The counters that it leaves behind are not waited for again:
 * handlers pass another set of lanes from then on. A handler that reads which set it is, and finds another one in use
 * after it has counted itself, has come too late and counts itself again. When every set has lost one, the lanes
 * remember how many: those are not waited for, but since nobody can know that it is they, the answer is false from then
 * on.
 *
 * How long is waited is a budget that all gates of a stop share, so that handlers lost in several engines do not add
 * up. It is time spent waiting, not a deadline: what a stop does between two waits may take long on a crowded machine.
 *
 * The counters are split by
 * processor, because handlers of all threads pass here, and they live as long as the process. Foreign code must not
 * run inside: it may jump out.
 *
 * Threads: _sig in handlers; wick_gate_wait in an ordinary thread.
 * Memory:  the caller's, static.
 */
#ifndef WICK_ENGINE_GATE_H
#define WICK_ENGINE_GATE_H

#include <stdbool.h>

#include "base/atomic.h"

enum { WICK_GATE_LANES = 64, WICK_GATE_SETS = 4, WICK_GATE_LEAST_MS = 50 };

struct wick_gate_lane {
    _Alignas(64) _Atomic uint32_t inside;
    uint32_t given_up; /* of these, by wick_gate_wait, whose own it is */
};

struct wick_gate {
    _Atomic uint32_t set;  /* in use */
    _Atomic uint32_t lost; /* handlers that have not come back, of all waits */
    struct wick_gate_lane lanes[WICK_GATE_SETS][WICK_GATE_LANES];
};

/* Enters; the result is for wick_gate_leave_sig. */
uint32_t wick_gate_enter_sig(struct wick_gate *g);
void wick_gate_leave_sig(struct wick_gate *g, uint32_t lane);

/* True: each lane was seen empty since the call. False: some handler has not left within *patience_ns, and at least
 * WICK_GATE_LEAST_MS; nothing that handlers use may be freed, ever. What it waited is taken from *patience_ns. Not by
 * two threads at once. */
bool wick_gate_wait(struct wick_gate *g, uint64_t *patience_ns);

#endif
