/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.h - mixed-mode stacks of another process's threads, read from outside: no agent, no safepoint
 *
 * A thread is stopped only while its registers, its anchor and its stack are copied (well under a millisecond); the
 * walk then runs over the copy.
 *
 * Threads: one at a time per struct wick_remote; ptrace ties it to the thread that opened it.
 * Memory:  _open allocates, _close frees.
 */
#ifndef WICK_UNWIND_REMOTE_H
#define WICK_UNWIND_REMOTE_H

#include "base/err.h"
#include "elf/image.h"
#include "hotspot/jvm.h"
#include "hotspot/mounted.h"
#include "unwind/step.h"
#include "mem/mem.h"

struct wick_remote {
    int pid;
    struct wick_mem mem;
    struct wick_elf_images images;
    struct wick_jvm jvm;
    const struct wick_elf_image *libjvm;
    struct wick_hs_mounted_fields mounted;
    uint8_t *stack; /* copy of one stack */
    size_t stack_cap;
};

/* Opens the JVM `pid`. -WICK_E_NOTFOUND, -WICK_E_NOTJVM, -WICK_E_PERM, -WICK_E_UNSUPPORTED with a message. */
int wick_remote_open(struct wick_remote *r, int pid, struct wick_err *err);
void wick_remote_close(struct wick_remote *r);

struct wick_remote_walk {
    struct wick_step_frame *frames; /* leaf first; the caller's array */
    int cap, n;
    uint64_t stopped_ns; /* how long the thread stood still */
    uint32_t thread_state;
    uint8_t gaps, anchors_used, scans;
    bool carries; /* a virtual thread, whose frames come first; `mounted` says which */
    struct wick_hs_mounted mounted;
};

/* Walks thread tid, whose JavaThread is `java_thread` (0 = none). -WICK_E_GONE if it ended, -WICK_E_PERM if it may not
 * be traced. */
int wick_remote_walk_thread(struct wick_remote *r, int tid, wick_addr java_thread, struct wick_remote_walk *w,
                            struct wick_err *err);

#endif
