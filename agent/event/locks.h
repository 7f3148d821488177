/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locks.h - where the JVM reports that threads wait: JVMTI's monitor events, and Unsafe.park
 *
 * Threads: _on and _off by the session's owner, who is attached to the JVM for as long as that takes.
 * Memory:  a few global references to classes that are never unloaded.
 */
#ifndef WICK_AGENT_EVENT_LOCKS_H
#define WICK_AGENT_EVENT_LOCKS_H

#include "engine/lock/lock.h"
#include "record/drain.h"

/* Finds what _on needs in the JVM, once, and where locks keep their owners. -WICK_E_UNSUPPORTED, -WICK_E_STATE with a
 * sentence. */
int wick_agent_locks_find(struct wick_hs_ownable *out, struct wick_err *err);

/* From here on the waits of all threads are reported to the engine. -WICK_E_UNSUPPORTED, -WICK_E_STATE with a
 * sentence. */
int wick_agent_locks_on(struct wick_err *err);

/* Undoes it, but for Unsafe.park: that stays bound to ours, which passes calls on. Does nothing if it is not on. */
void wick_agent_locks_off(void);

/* A thread that is parked on a lock of java.util.concurrent that has an owner. */
struct wick_agent_parked {
    wick_addr thread, owner; /* JavaThreads */
    struct wick_lock_what what;
};

/* Reports all of them. False: not all, as the JVM goes down or does not let the calling thread attach. */
bool wick_agent_locks_parked(void (*report)(void *arg, const struct wick_agent_parked *p), void *arg);

#endif
