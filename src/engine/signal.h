/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signal.h - taking a signal that nobody uses, and giving it back
 *
 * The signals are those that no JVM and hardly any program uses, and only one whose disposition is the default is
 * taken. Mostly they are standard signals: while one is pending further ones merge into it, so that no queue can
 * overflow. A real-time one is for a signal that carries a value of its own each time.
 *
 * Threads: take and give by the engine's owner; wick_signal_pass_sig in handlers.
 * Memory:  the caller's struct.
 */
#ifndef WICK_ENGINE_SIGNAL_H
#define WICK_ENGINE_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"

/* A thread that was sent a signal is not waited for any longer: it blocks signals, or gets no CPU. */
#define WICK_SIGNAL_LATEST_NS 2000000000ull

typedef void wick_signal_handler(int sig, siginfo_t *info, void *context);

struct wick_signal {
    int number; /* 0 = none */
    bool set;
    wick_signal_handler *handler;
    struct sigaction old;
};

enum { WICK_SIGNAL_ANY = 0, WICK_SIGNAL_ANY_REALTIME = -1 };

/* All signals, also those that the C library keeps for itself, but not those of faults. */
void wick_signal_mask(sigset_t *mask);

/* Installs the handler for signal `number`, or for any free one of that sort; system calls are restarted (SA_RESTART).
 * While it runs all signals are blocked, also those that the C library keeps for itself, but not those of faults.
 * -WICK_E_STATE with a message if there is none. */
int wick_signal_take(struct wick_signal *s, int number, wick_signal_handler *handler, struct wick_err *err);

/* Gives it back, pending ones are discarded. What sends them must have ended: one that is sent later has the default
 * effect, which ends the process. If another handler was installed over ours, ours stays: it passes on what
 * is not its own. */
void wick_signal_give(struct wick_signal *s);

/* Calls what was there before us. Not inside a gate: a foreign handler may jump away. */
void wick_signal_pass_sig(const struct sigaction *to, int sig, siginfo_t *info, void *context);

#endif
