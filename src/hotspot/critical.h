/* SPDX-License-Identifier: Apache-2.0 */
/*
 * critical.h - threads that hold up garbage collection, because native code holds an array (JNI critical sections)
 *
 * Where a collector cannot pin regions (all up to JDK 21 but Shenandoah and ZGC; Serial and Parallel later), no
 * collection begins while any thread is between GetPrimitiveArrayCritical and its release. The JVM keeps a flag for a
 * collection that waits, which its symbol table names, and in each JavaThread how many arrays it holds; no table has
 * the offset of that, so the agent finds it by experiment.
 *
 * Threads: any.
 * Memory:  the caller's struct; borrows the JVM.
 */
#ifndef WICK_HOTSPOT_CRITICAL_H
#define WICK_HOTSPOT_CRITICAL_H

#include <stdbool.h>

#include "elf/file.h"
#include "hotspot/thread.h"

struct wick_hs_critical {
    const struct wick_jvm *jvm;
    wick_addr pending; /* GCLocker::_needs_gc (8..21), _is_gc_request_pending (25..); 0 = cannot be observed */
    int32_t held;      /* place of the number of held arrays in a JavaThread */
};

/* held: that place, WICK_HS_NONE if it is not known. libjvm and bias as for wick_hs_safepoint_open. */
void wick_hs_critical_open(struct wick_hs_critical *c, const struct wick_jvm *jvm, const struct wick_elf_file *libjvm,
                           wick_addr bias, int32_t held);

/* Whether a collection waits for threads in critical sections. */
bool wick_hs_critical_pending(const struct wick_hs_critical *c);

/* Whether the thread holds an array. */
bool wick_hs_critical_holds(const struct wick_hs_critical *c, wick_addr thread);

/* Fills out with up to cap threads that hold arrays and returns their number, or -WICK_E_FAULT. *all: Java threads. */
int wick_hs_critical_threads(const struct wick_hs_critical *c, struct wick_hs_thread *out, int cap, uint32_t *all);

#endif
