/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proc.h - one process seen from outside: what /proc says about it, held so that a reused pid cannot fool us
 *
 * wick_proc_open() keeps a descriptor of /proc/PID and a pidfd. Every later read and signal goes through these two, so
 * it reaches the process that was opened or fails with "gone", never its successor.
 *
 * Threads: a struct wick_proc belongs to one thread.
 * Memory:  texts go to the caller's strbuf. Texts of /proc are bounded here (64 MiB) and treated as hostile: another
 *          user's process writes its own command line and name.
 */
#ifndef WICK_SYS_PROC_H
#define WICK_SYS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/strbuf.h"

#define WICK_PROC_GROUPS 256

struct wick_proc_status {
    char comm[64];
    char state;    /* R S D T t Z X */
    pid_t tgid;    /* in our pid namespace */
    pid_t nspid;   /* in its own: the last number of NSpid */
    int pid_depth; /* numbers in NSpid: 1 = our own pid namespace */
    uid_t ruid, euid;
    gid_t egid;
    gid_t groups[WICK_PROC_GROUPS];
    int ngroups;
    int threads;
    uint64_t sig_caught, sig_ignored; /* bit n-1 = signal n */
    uint64_t cap_effective;
    int seccomp; /* 0 off, 1 strict, 2 filter, -1 unknown */
};

struct wick_proc {
    pid_t pid;
    int dir;   /* /proc/PID */
    int pidfd; /* -1 on kernels before 5.3 */
    struct wick_proc_status st;
};

/* Whether a set of signals, as in the status, has this one. */
static inline bool wick_proc_has_signal(uint64_t set, int signal)
{
    return set >> (signal - 1) & 1;
}

/* Opens process pid. Errors: -WICK_E_NOTFOUND with a sentence (no such process, or a thread's id). */
int wick_proc_open(pid_t pid, struct wick_proc *p, struct wick_err *err);
void wick_proc_close(struct wick_proc *p);

/* Reads st again. -WICK_E_GONE if the process has ended. */
int wick_proc_refresh(struct wick_proc *p, struct wick_err *err);

/* True once the process is dead or a zombie. */
bool wick_proc_gone(const struct wick_proc *p);

/* Sends a signal through the pidfd. 0, -WICK_E_GONE, -WICK_E_PERM. */
int wick_proc_kill(const struct wick_proc *p, int sig);

/* Appends the whole file /proc/PID/<name> to out. 0, -WICK_E_GONE (ended), -WICK_E_PERM, -WICK_E_IO. */
int wick_proc_read(const struct wick_proc *p, const char *name, struct wick_strbuf *out);

/* Appends the whole file path (relative to directory dirfd, AT_FDCWD allowed); out->failed is set if memory ran out. */
int wick_proc_read_at(int dirfd, const char *path, struct wick_strbuf *out);

/* The number that the file path begins with, such as a sysctl. False, and *value as it was, if it has none or cannot be
 * read. */
bool wick_proc_number(const char *path, long *value);

/* The process's limit of open files (the soft one). False if it cannot be read or has none. */
bool wick_proc_open_files(const struct wick_proc *p, uint64_t *limit);

/* Parses the text of /proc/PID/status. -WICK_E_FORMAT if a line that must be there is not. */
int wick_proc_parse_status(const char *text, size_t len, struct wick_proc_status *st);

/* Finds the first mapped file whose base name is `base` in the text of /proc/PID/maps and copies its path (as the
 * target sees it, without " (deleted)") to path[cap]. False if there is none. */
bool wick_proc_find_mapped(const char *maps, size_t len, const char *base, char *path, size_t cap);

/* The value of -XX:[+-]name in a JVM's command line (NUL-separated) and environment: 1, 0, or -1 if it is not named.
 * HotSpot's order: JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS, command line, _JAVA_OPTIONS; the last one wins. Option files
 * (@file) are not followed. */
int wick_proc_jvm_flag(const char *cmdline, size_t cmd_len, const char *env, size_t env_len, const char *name);

/* The main class, module or jar of a java command line: "org.acme.Main", "app.jar". False if it is no java command. */
bool wick_proc_main_class(const char *cmdline, size_t len, char *out, size_t cap);

/* A container's id in the texts of /proc/PID/cgroup and mountinfo (either may be empty): 64 hex digits, or a pod's or
 * container's name for LXC, systemd-nspawn and others. False if there is no sign of one. */
bool wick_proc_container(const char *cgroup, size_t cgroup_len, const char *mounts, size_t mounts_len, char *out,
                         size_t cap);

#endif
