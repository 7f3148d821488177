/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procstat.h - the fields of /proc/PID/stat and /proc/PID/task/TID/stat, and the times of /proc/stat (proc(5))
 *
 * The name of a process stands in parentheses and may contain anything, also parentheses and spaces, so fields are
 * counted behind the last parenthesis.
 *
 * Threads: any.
 * Memory:  none but the stack. The parsers and readers are async-signal-safe.
 */
#ifndef WICK_SYS_PROCSTAT_H
#define WICK_SYS_PROCSTAT_H

#include <stdbool.h>
#include <stdint.h>

/* One process or thread. Times are ticks: see wick_procstat_tick_ns(). */
struct wick_procstat {
    char state;            /* R S D T t Z X; ? = not known */
    int32_t last_cpu;      /* -1 = not known */
    uint64_t major_faults; /* page faults that waited for a disk */
    uint64_t user, system; /* CPU time used */
    uint64_t start;        /* since boot */
};

/* One line of /proc/stat, in ticks since boot. Time of virtual machines is part of user's. */
struct wick_procstat_cpu {
    uint64_t user, system, idle, iowait, steal, total;
    int32_t cpu; /* -1 = the sum of all */
};

/* False if the text ends before the start time: all fields are 0 or unknown then. */
bool wick_procstat_parse(const char *text, struct wick_procstat *out);

/* Reads the file at path, from the directory dir (a descriptor or AT_FDCWD). False if that fails, as _parse. */
bool wick_procstat_read(int dir, const char *path, struct wick_procstat *out);

/* The same of a thread of this process, by the kernel's id. */
bool wick_procstat_thread(int32_t tid, struct wick_procstat *out);

/* A line "cpu ..." or "cpu7 ..." of /proc/stat. False if it is another one; out is unchanged then. */
bool wick_procstat_parse_cpu(const char *line, struct wick_procstat_cpu *out);

/* The sum of all processors now; false without /proc. */
bool wick_procstat_machine(struct wick_procstat_cpu *out);

/* When the machine was started, seconds since 1970, by the text of /proc/stat; 0 = not known. */
uint64_t wick_procstat_boot_s(const char *text);

/* How long a tick is. */
uint64_t wick_procstat_tick_ns(void);

#endif
