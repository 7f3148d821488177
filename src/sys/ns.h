/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns.h - acting inside another process's world: its root directory, its network, its identity
 *
 * A path below /proc/PID/root is controlled by the owner of that root, so every step of it may be a symbolic link
 * planted for us. wick_ns_open() resolves as the target itself would (openat2 with RESOLVE_IN_ROOT: links stay inside)
 * and never through the last component.
 *
 * Some steps must be done as the target's user: HotSpot compares the owner of the trigger file and the credentials of
 * the peer with its own, and acting as that user cannot do what he could not do himself. wick_ns_call() forks a child
 * that enters the network namespace and takes the uid, gid and groups, then runs a function and sends back a number and
 * perhaps a descriptor. The parent's identity is never changed, so other threads are safe.
 *
 * Threads: any; the function given to wick_ns_call runs in a forked child and may only make system calls.
 */
#ifndef WICK_SYS_NS_H
#define WICK_SYS_NS_H

#include <stdbool.h>
#include <sys/types.h>

#include "sys/proc.h"

/* 1 if the process shares our namespace `name` ("mnt", "pid", "net", "user"), 0 if not, -1 if unknown. */
int wick_ns_same(const struct wick_proc *p, const char *name);

/* 1 if the process has our root directory and mount namespace: a path means the same file to both. 0 or -1 as above. */
int wick_ns_same_root(const struct wick_proc *p);

/* Opens the target's root directory (O_PATH). The descriptor, -WICK_E_PERM, or -WICK_E_GONE. */
int wick_ns_root(const struct wick_proc *p);

/* Opens path inside root (an O_PATH descriptor): links are resolved inside it, the last component is never followed.
 * The descriptor, or -errno. */
int wick_ns_open(int root, const char *path, int flags, mode_t mode);

/* The same, but follows no link at all: every step of path is a directory. -ELOOP or -ENOTDIR if one is a link. */
int wick_ns_open_unlinked(int root, const char *path, int flags, mode_t mode);

enum wick_ns_enter {
    WICK_NS_IDENTITY = 1, /* take the target's effective uid, gid and groups (no effect if they are ours) */
    WICK_NS_NET = 2,      /* enter its network namespace (no effect if it is ours) */
};

/* Runs fn(arg, &fd) in a child as described above. fn returns >= 0 or -errno and may set fd to a descriptor, which is
 * passed to the caller (*fd_out, -1 if none; fd_out may be NULL). Returns what fn returned, or the -errno of a step
 * that failed before (EPERM when we may not become that user). If nothing has to change fn runs in this process. */
int wick_ns_call(const struct wick_proc *p, unsigned enter, int (*fn)(void *arg, int *fd), void *arg, int *fd_out);

#endif
