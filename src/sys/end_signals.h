/* SPDX-License-Identifier: Apache-2.0 */
/*
 * end_signals.h - the signals with which a user ends a command: SIGINT, SIGTERM, SIGHUP
 *
 * A command that has something to finish first blocks them, and takes them where it waits.
 *
 * Threads: those of the caller and of threads that it starts afterwards.
 */
#ifndef WICK_SYS_END_SIGNALS_H
#define WICK_SYS_END_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* The set of them. */
sigset_t wick_end_signals(void);

/* Whether one has come while they are blocked, and nobody has taken it. */
bool wick_end_signals_pending(void);

/* Blocks them; returns a descriptor (signalfd, non-blocking) to read them from, negative = there is none left, see
 * errno. */
int wick_end_signals_open(void);

/* Closes it, if it is not negative, and unblocks them. */
void wick_end_signals_close(int fd);

#endif
