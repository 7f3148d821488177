/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jvmlist.h - the HotSpot JVMs of this machine, as far as this user can see them
 *
 * A JVM is a process that has libjvm.so mapped. hsperfdata files are not relied on (they can be switched off, live in
 * another container's /tmp or be stale); they only fill in what the command line and the JDK's `release` file leave
 * open.
 *
 * Threads: any.
 * Memory:  the list is malloc'ed; freed by wick_jvmlist_free.
 */
#ifndef WICK_SYS_JVMLIST_H
#define WICK_SYS_JVMLIST_H

#include <stddef.h>

#include "sys/proc.h"

struct wick_jvm_entry {
    pid_t pid, nspid;
    uid_t uid;
    char user[64];      /* name, or the number where it has none */
    char version[64];   /* "17.0.15", "8u504", "" = unknown */
    char container[80]; /* id or name; "pid:[4026532271]" if only the pid namespace shows it; "" = none */
    char main[256];     /* main class, module or jar; the process name where that is unknown */
    bool readable;      /* false: another user's, maps could not be read; only pid, user and main are known */
};

struct wick_jvmlist {
    struct wick_jvm_entry *jvms;
    size_t count;
};

/* Fills jvm from an opened process that maps libjvm (its path as the target sees it). Never fails: unknown parts are
 * empty. */
void wick_jvmlist_describe(const struct wick_proc *p, const char *libjvm, struct wick_jvm_entry *jvm);

/* Lists all JVMs by pid. Processes whose maps may not be read are listed if their name suggests a JVM (called java).
 * -WICK_E_IO, -WICK_E_NOMEM. */
int wick_jvmlist_scan(struct wick_jvmlist *list, struct wick_err *err);
void wick_jvmlist_free(struct wick_jvmlist *list);

/* Finds a string counter ("sun.rt.javaCommand") in an hsperfdata file. False if absent or malformed. */
bool wick_hsperf_string(const unsigned char *data, size_t len, const char *name, char *out, size_t cap);

/* The Java heap in bytes, as such a file has it: some collectors note what is in use at collections only. False if it
 * has none or is malformed. */
bool wick_hsperf_heap(const unsigned char *data, size_t len, uint64_t *used, uint64_t *committed);

/* The same of an opened process that is a JVM. */
bool wick_jvmlist_heap(const struct wick_proc *p, uint64_t *used, uint64_t *committed);

#endif
