/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_dump.h - a dump of the heap of a running JVM, which it writes
 *
 * The JVM is asked over its attach socket, as jcmd does; no agent is loaded. It writes a dump by itself, where it sees
 * files: into a directory made for it, with a random name, as its user and for nobody else. The dump is opened there
 * without following a link, and the directory removed, before a byte of it is read.
 *
 * Threads: one. Holds SIGINT, SIGTERM and SIGHUP while the JVM writes.
 * Memory:  the dump is a file without a name; its descriptor is the caller's.
 */
#ifndef WICK_HEAP_LIVE_DUMP_H
#define WICK_HEAP_LIVE_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sys/proc.h"

/* Where the JVM writes, and whether a dump fits. */
struct wick_live_dump_room {
    const char *dir;        /* as the JVM sees it */
    uint64_t wanted, there; /* bytes: the most that a dump may take, and what may be written */
};

/* Has the JVM write a dump, with only what is reachable if `live` (it collects garbage first). Returns its descriptor
 * or an error with a sentence: -WICK_E_INTR after a signal. -WICK_E_NOSPACE if room->there is too little, without one,
 * which is the caller's to make of *room. */
int wick_live_dump_take(struct wick_proc *p, bool live, struct wick_live_dump_room *room, struct wick_err *err);

#endif
