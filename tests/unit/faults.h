/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults.h - makes the Nth call of the system fail, for every N
 *
 * A program that is linked with this (fault_link_args in tests/unit/meson.build) calls the C library's functions for
 * memory and files through here. faults_each() runs an attempt again and again, each time with the fault one call
 * later, until an attempt meets none: every place where something can fail has failed once then. An attempt cleans up
 * after itself whatever happens; that it does is checked by the number of open descriptors here, and of memory by the
 * leak checker when the program ends.
 *
 * Which places have failed is noted, and tests/unit/faults_cover.py names those of libwick.so that never did.
 * What the C library calls inside itself (fopen's malloc, say) is not met.
 *
 * Threads: faults are of the thread that called faults_each(), and where faults_follow is set also of the one that it
 *          starts then, one at a time, while it waits for that one.
 * Memory:  none kept.
 */
#ifndef WICK_TESTS_UNIT_FAULTS_H
#define WICK_TESTS_UNIT_FAULTS_H

#include <stdbool.h>

extern bool faults_follow;

enum faults_kind {
    FAULTS_MEMORY,       /* malloc, calloc, realloc, reallocarray, strdup, strndup, mmap, mremap: none left */
    FAULTS_DESCRIPTORS,  /* open, openat, memfd_create, fopen, opendir, socket, accept4, dup, fcntl, eventfd, dlopen,
                         * what recvmsg brings, perf_event_open and the like by syscall(), threads: none left */
    FAULTS_READ_EIO,     /* read, pread; recv, recvmsg: ECONNRESET */
    FAULTS_READ_EINTR,   /* a signal came first: the attempt must not notice */
    FAULTS_READ_SHORT,   /* one byte of what was asked for: likewise */
    FAULTS_WRITE_ENOSPC, /* write, pwrite, pwritev; send, sendmsg: ECONNRESET */
    FAULTS_WRITE_EINTR,  /* must not be noticed */
    FAULTS_WRITE_SHORT,  /* likewise */
};

/* Something that can fail: 0, or an error; either way all is given back. */
typedef int faults_attempt(void *arg);

/* Returns how many faults were met. Fails the test where a descriptor is lost, or a fault that must not be noticed is.
 */
unsigned faults_each(enum faults_kind kind, faults_attempt *attempt, void *arg);

#endif
