/* SPDX-License-Identifier: Apache-2.0 */
/*
 * breakpoint_int.h - what the two sides of breakpoints share (breakpoint.h)
 *
 * Threads: `at`, `hit` and `first` are written before a breakpoint is, and never change for a number afterwards.
 */
#ifndef WICK_ENGINE_BREAKPOINT_INT_H
#define WICK_ENGINE_BREAKPOINT_INT_H

#include <signal.h>

#include "base/atomic.h"
#include "engine/breakpoint.h"

enum { WICK_BREAKPOINT_INSTRUCTION = 4 }; /* bytes of the longest first instruction that is known */

struct wick_breakpoint_place {
    _Atomic wick_addr at;                       /* 0 = none */
    uint8_t first[WICK_BREAKPOINT_INSTRUCTION]; /* what is there without it */
    bool set;                                   /* the owner's */
};

struct wick_breakpoint_state {
    struct wick_breakpoint_place places[WICK_BREAKPOINT_MOST];
    _Atomic(wick_breakpoint_hit *) hit;
    struct sigaction before; /* that of SIGTRAP before the handler was installed */
};

extern struct wick_breakpoint_state wick_breakpoint_state;

/* The handler. */
void wick_breakpoint_trap_sig(int sig, siginfo_t *info, void *context);

/* Does what the instruction does, on registers that are at it. False: it is not a known one; with context = NULL
 * nothing is done. */
bool wick_breakpoint_step_sig(const uint8_t *instruction, ucontext_t *context);

#endif
