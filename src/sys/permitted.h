/* SPDX-License-Identifier: Apache-2.0 */
/*
 * permitted.h - what the kernel lets this process do and see
 *
 * Where a question can be asked by trying (opening a perf event, reading a kernel address), it is tried: settings say
 * what ought to work, seccomp filters and hypervisors decide what does.
 *
 * Threads: any.
 */
#ifndef WICK_SYS_PERMITTED_H
#define WICK_SYS_PERMITTED_H

#include <stdbool.h>
#include <stdint.h>

struct wick_permitted {
    bool has_perf;              /* the kernel is built with perf_events */
    long paranoid;              /* kernel.perf_event_paranoid */
    bool privileged;            /* we have CAP_PERFMON or CAP_SYS_ADMIN */
    int seccomp;                /* 0 off, 1 strict, 2 filter, -1 unknown */
    int user, kernel;           /* opening a clock that samples user space, or the kernel as well: 0, or errno */
    int hardware;               /* opening a counter of cycles: 0, or errno */
    bool symbols;               /* /proc/kallsyms has addresses */
    long kptr_restrict;         /* kernel.kptr_restrict; -1 = not known */
    bool tracefs;               /* it is mounted and can be read */
    uint64_t files, files_most; /* limit of open files, and what it can be raised to; 0 = not known */
    long rate, mlock_kb;        /* samples a second and CPU, kB of buffers a user; -1 = not known */
};

/* Asks and tries everything. Never fails: what cannot be asked is not known. */
void wick_permitted_read(struct wick_permitted *out);

#endif
