/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_native.h - waiting for the locks of the C library: functions interposed on the calls of all images
 *
 * A call of pthread_mutex_lock first tries to take the lock. If that works, or fails for any reason but that another
 * thread has it, it was not contended: nothing is counted, and no clock is read. Otherwise the true function is called
 * and timed, and the engine is given the time (engine/lock/lock.h). So are the timed forms, and read and write locks.
 * Waiting for a condition variable is always timed, and is a kind of its own: a thread without work also waits.
 *
 * Calls of wick itself and within the C library are not seen (elf/hooks.h), nor is how the JVM parks its threads: its
 * condition variables are left alone, because -e lock reports those waits. Robust mutexes are not watched.
 *
 * A thread may be in one of the functions when a recording ends, and in the next recording when it leaves: it returns
 * as it would have, and reports nothing.
 *
 * Threads: any; a lock keeps on, refresh, off and count apart, because the drain thread refreshes until it has ended,
 *          which is after _off. The functions in any thread of the process.
 * Memory:  static.
 */
#ifndef WICK_ENGINE_LOCK_LOCK_NATIVE_H
#define WICK_ENGINE_LOCK_LOCK_NATIVE_H

#include "base/err.h"
#include "elf/hooks.h"

/* Puts the functions in place. jvm: an address in libjvm.so, 0 = there is none. -WICK_E_PERM with a sentence. */
int wick_lock_native_on(wick_addr jvm, struct wick_err *err);

/* Searches for libraries loaded since; called about once per round of the drain thread. After _off it does nothing. */
void wick_lock_native_refresh(void);

/* Every word that held one of the functions holds the true one again. Does nothing if they are not in place. */
void wick_lock_native_off(void);

/* Where they are now. */
void wick_lock_native_count(struct wick_elf_hooks_count *out);

#endif
