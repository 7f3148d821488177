/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.h - a JVM's threads, found in its memory
 *
 * Threads: any; the list of a running JVM changes while it is read, so entries may be stale: check what you use.
 * Memory:  the caller's arrays.
 */
#ifndef WICK_HOTSPOT_THREAD_H
#define WICK_HOTSPOT_THREAD_H

#include <stdbool.h>

#include "hotspot/jvm.h"

struct wick_hs_thread {
    wick_addr addr; /* JavaThread* */
    int32_t tid;    /* kernel's number in the target's pid namespace */
};

/* Fills out with up to cap Java threads and returns their number, or -WICK_E_FAULT if the list cannot be read (try
 * again). */
int wick_hs_threads(const struct wick_jvm *jvm, struct wick_hs_thread *out, int cap);

/* The JavaThread of the thread with that number, 0: there is none, or the list cannot be read. */
wick_addr wick_hs_thread_of(const struct wick_jvm *jvm, int32_t tid);

/* Fills out with up to cap threads that a safepoint has to wait for in the state that they are in now, and sets
 * *awaited to how many there are and *all to the number of Java threads. One read a thread. -WICK_E_FAULT as above. */
int wick_hs_threads_awaited(const struct wick_jvm *jvm, struct wick_hs_thread *out, int cap, uint32_t *awaited,
                            uint32_t *all);

/* The thread's state (JavaThreadState), 0 if it cannot be read. Async-signal-safe with a signal-safe memory. */
uint32_t wick_hs_thread_state_sig(const struct wick_jvm *jvm, wick_addr thread);

/* Whether a safepoint has to wait for a thread in that state. */
bool wick_hs_thread_awaited_sig(const struct wick_jvm *jvm, uint32_t state);

/* Kernel thread id of a JavaThread, 0 if it has none (not started, ended). */
int32_t wick_hs_thread_tid(const struct wick_jvm *jvm, wick_addr thread);

/* True if the thread waits to enter a monitor (synchronized), as HotSpot's OSThread says; false if that is not known.
 */
bool wick_hs_thread_enters_monitor(const struct wick_jvm *jvm, wick_addr thread);

/* Where the thread's Java stack begins (highest address), 0 = not known. */
wick_addr wick_hs_thread_stack_end(const struct wick_jvm *jvm, wick_addr thread);

#endif
