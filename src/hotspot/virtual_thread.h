/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual_thread.h - a virtual thread that may be on no carrier, seen through its object (JDK 21 and later)
 *
 * A virtual thread that waits unmounted is an object and its frozen frames: no thread of the kernel stands for it.
 * Collectors may move both while they are read, so the reader takes wick_hs_collections before and after.
 *
 * Threads: any; async-signal-safe with a signal-safe memory.
 */
#ifndef WICK_HOTSPOT_VIRTUAL_THREAD_H
#define WICK_HOTSPOT_VIRTUAL_THREAD_H

#include "hotspot/jvm.h"
#include "hotspot/oop.h"

/* How many chunks, from the last one on, are followed to those of their callers. */
enum { WICK_HS_CHUNKS_FOLLOWED = 64 };

enum wick_hs_virtual_seen {
    WICK_HS_VIRTUAL_UNKNOWN, /* ended, not started yet, just being mounted or unmounted, or not readable */
    WICK_HS_VIRTUAL_MOUNTED,
    WICK_HS_VIRTUAL_PARKED,      /* LockSupport.park, Thread.sleep */
    WICK_HS_VIRTUAL_MONITOR,     /* waits to enter a monitor; JDK 24 and later */
    WICK_HS_VIRTUAL_OBJECT_WAIT, /* in Object.wait; JDK 24 and later */
    WICK_HS_VIRTUAL_READY,       /* could run: waits for a carrier */
};

/* Whether the fields of virtual threads and their frames are known. */
bool wick_hs_virtual_known(const struct wick_jvm *jvm);

/* Where the virtual thread at that address stands. *id: its Thread.threadId, which it must have; 0 = any, and it is
 * stored there. *chunk: where its frozen frames begin (a StackChunk), unless it is MOUNTED or UNKNOWN; 0 = it has none
 * yet. Where an object was, another one may be by now: hence the id, the chunk must be its own, and the references to
 * the chunks of its callers must be up to date. */
enum wick_hs_virtual_seen wick_hs_virtual_look(const struct wick_jvm *jvm, const struct wick_hs_moves *moves,
                                               wick_addr thread, uint64_t *id, wick_addr *chunk);

/* How many collections have stopped the program, or 0 while one does or if the JVM does not say. Objects read between
 * two calls with the same result that is not 0 have not been moved in between by a collector that stops the program. */
uint64_t wick_hs_collections(const struct wick_jvm *jvm);

#endif
