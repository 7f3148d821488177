/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_use.h - how many bytes of the Java heap are in use, at this moment and not after the last collection
 *
 * jvmstat's counters say it as of the last collection: at the start of the next one they are what was left by the one
 * before. The collectors' own structures say it at any moment. What they call used includes what threads have
 * reserved for new objects, as in -Xlog:gc.
 *
 *   Serial, Parallel  exact, while the program is stopped; not known of Parallel with -XX:+UseNUMA
 *   G1                without the region that is being filled: up to -XX:G1HeapRegionSize less, for each node of memory
 *   Shenandoah        exact; from JDK 26 on not known
 *   ZGC               exact; from JDK 25 on not known on machines with several nodes of memory
 *   CMS, Epsilon      not known
 *
 * Threads: any.
 * Memory:  none; borrows the JVM.
 */
#ifndef WICK_HOTSPOT_HEAP_USE_H
#define WICK_HOTSPOT_HEAP_USE_H

#include "hotspot/jvm.h"

/* Bytes in use, 0 = not known. A dozen reads at most. */
uint64_t wick_hs_heap_use(const struct wick_jvm *jvm);

#endif
