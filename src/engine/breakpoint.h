/* SPDX-License-Identifier: Apache-2.0 */
/*
 * breakpoint.h - being called where functions of this process begin that nobody can be asked to report
 *
 * The first byte of the function is replaced by int3 (x86-64), and the signal that this raises in the thread which
 * calls the function, SIGTRAP, is handled: the owner is called with the registers at the function's entry, then what
 * the first instruction does is done for it, and the function goes on behind it. So it does all that it does without.
 *
 *      set     verifies the first instruction -> handler of SIGTRAP -> mprotect, int3, mprotect
 *      hit     wick_breakpoint_hit in the calling thread, as if called by the function
 *      clear   mprotect, first byte, mprotect
 *
 * One byte is written, so a thread sees the old instruction or the new one. A thread may have met the breakpoint
 * already when it is cleared, and its signal comes later. The handler therefore knows for ever which places were
 * breakpoints, and stays installed for the life of the process (libwick.so is never unloaded). A SIGTRAP that is no
 * breakpoint of ours goes to the handler that was there before, with the mask that it asked for; the default (the
 * process ends) and being ignored are as before as well. All signals but those of faults are blocked in the handler, so
 * that no handler of the program's runs, and leaves by longjmp, while ours holds something; SIGTRAP itself is not
 * (SA_NODEFER): a handler behind may leave by longjmp, and a blocked SIGTRAP would make the next breakpoint of the
 * thread fatal. It is not called again inside itself, as what it calls has no breakpoints.
 *
 * What can go wrong, and is refused: an int3 in a thread that blocks SIGTRAP ends the process. The owner sees to
 * that no thread which calls the function does. And if somebody else's handler takes the place of
 * ours, it gets our signals: wick_breakpoint_guard notices that and clears.
 *
 * Threads: any.
 * Memory:  static.
 */
#ifndef WICK_ENGINE_BREAKPOINT_H
#define WICK_ENGINE_BREAKPOINT_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "base/err.h"
#include "mem/mem.h"

enum { WICK_BREAKPOINT_MOST = 2 };

/* In the thread that calls the function with that number, whose registers these are: pc at its first byte. */
typedef void wick_breakpoint_hit(unsigned number, const ucontext_t *context);

/* Sets breakpoints at functions' first instructions. All of them, or none: -WICK_E_UNSUPPORTED, -WICK_E_STATE or
 * -WICK_E_PERM with a sentence. */
int wick_breakpoint_set(const wick_addr *at, unsigned n, wick_breakpoint_hit *hit, struct wick_err *err);

/* Restores all. False: some byte is another's now, and stays; or a page could not be changed (back). */
bool wick_breakpoint_clear(void);

/* False: SIGTRAP is not ours any more while breakpoints are set; they are cleared then. */
bool wick_breakpoint_guard(void);

/* Whether the thread that calls blocks SIGTRAP; it does not any more. */
bool wick_breakpoint_unblock(void);

#endif
