/* SPDX-License-Identifier: Apache-2.0 */
/*
 * footprint_live.h - where the memory of a JVM's process goes, read from outside
 *
 * No agent is loaded and no thread is stopped. A JVM that tracks its native memory (-XX:NativeMemoryTracking) can be
 * asked for that, as jcmd does.
 *
 * Memory:  footprint.h's, and that of unwind/remote.h, until _close.
 */
#ifndef WICK_FOOTPRINT_FOOTPRINT_LIVE_H
#define WICK_FOOTPRINT_FOOTPRINT_LIVE_H

#include "base/err.h"
#include "footprint/footprint.h"
#include "footprint/nmt.h"
#include "sys/cgroup.h"
#include "sys/proc.h"
#include "unwind/remote.h"

struct wick_footprint_live {
    struct wick_proc *proc;                        /* borrowed */
    struct wick_footprint_walk walk;               /* of the last reading: out */
    struct wick_cgroup levels[WICK_CGROUP_LEVELS]; /* the cgroups that limit its memory */
    size_t nlevels;

    /* Private from here. */
    struct wick_remote remote;
    struct wick_footprint_jvm jvm;
};

/* 0, or the errors of wick_remote_open; nothing to close then. */
int wick_footprint_live_open(struct wick_footprint_live *l, struct wick_proc *p, struct wick_err *err);
void wick_footprint_live_close(struct wick_footprint_live *l);

/* Asks a JVM that tracks its native memory for it: *nmt, zeroed before and released by the caller, is used by readings
 * until _close; nmt->count stays 0 where nothing is tracked. An error leaves readings without it. */
int wick_footprint_live_ask(struct wick_footprint_live *l, struct wick_nmt *nmt, struct wick_err *err);

/* Reads once, to l->walk.out. -WICK_E_STATE as soon as `interrupted` says so; -WICK_E_GONE, _PERM, _FORMAT, _NOMEM. */
int wick_footprint_live_read(struct wick_footprint_live *l, bool (*interrupted)(void), struct wick_err *err);

#endif
