/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostload.h - what the machine and the process's cgroup do to it: CPU limit, pressure, stolen time, memory
 *
 * The kernel's files are found and opened once and read again with two system calls each, but for limits, which are
 * opened each time. A file that is not there leaves its figures at 0 and its flag off. Both cgroup versions are
 * understood, see cgroup.h for which cgroup counts.
 *
 * Memory:  the caller's struct; descriptors until _close.
 */
#ifndef WICK_SYS_HOSTLOAD_H
#define WICK_SYS_HOSTLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/cgroup.h"

enum wick_hostload_file {
    WICK_LOAD_STAT,     /* /proc/stat */
    WICK_LOAD_STATUS,   /* /proc/self/status */
    WICK_LOAD_NETSTAT,  /* /proc/self/net/netstat */
    WICK_LOAD_CPU_STAT, /* cgroup */
    WICK_LOAD_MEMORY,
    WICK_LOAD_MEMORY_EVENTS,
    WICK_LOAD_MEMORY_FAILURES, /* version 1 only */
    WICK_LOAD_PSI_CPU,
    WICK_LOAD_PSI_MEMORY,
    WICK_LOAD_PSI_IO,
    WICK_LOAD_FILES
};

enum { WICK_LOAD_CGROUPS = WICK_CGROUP_PRESSURE + 1 };

struct wick_hostload {
    int fd[WICK_LOAD_FILES];                      /* -1 = absent */
    struct wick_cgroup cgroup[WICK_LOAD_CGROUPS]; /* by enum wick_cgroup_controller; dir "" = none */
};

/* Sums since boot or since the cgroup began, unless said otherwise. */
struct wick_hostload_now {
    struct {
        uint64_t user, system, idle, iowait, steal, total; /* of all processors, in ticks */
        uint64_t running, blocked; /* tasks now: on a processor or wanting one; waiting for a disk */
        bool known;
    } machine;
    struct {
        uint64_t listen_overflows, syn_retransmits; /* of the network namespace */
        bool known;
    } tcp;
    struct {
        uint64_t busy, total; /* as machine, of those processors only that this process may run on */
        uint32_t cpus;        /* how many these are, 0 = not known */
    } allowed;
    struct {
        uint64_t rss_bytes, peak_bytes, swap_bytes; /* now */
        bool known;
    } process;
    struct {
        uint64_t periods, throttled, throttled_ns;
        double limit; /* processors, 0 = no limit */
        bool known;
    } cpu;
    struct {
        uint64_t current_bytes, max_bytes; /* now; max 0 = no limit */
        uint64_t at_limit, oom_kills;      /* how often */
        bool known;
    } memory;
    struct {
        uint64_t cpu_some_ns, memory_some_ns, memory_full_ns, io_some_ns, io_full_ns; /* time in which tasks waited */
        bool known;
    } pressure;
};

/* Opens what there is. `root` stands before every path: "" but in tests. */
void wick_hostload_open(struct wick_hostload *h, const char *root);
void wick_hostload_close(struct wick_hostload *h);

/* Reads everything: about two dozen system calls. */
void wick_hostload_read(const struct wick_hostload *h, struct wick_hostload_now *out);

/* The parsers, each for the text of one file. */
void wick_hostload_parse_stat(const char *text, struct wick_hostload_now *out);
void wick_hostload_parse_status(const char *text, struct wick_hostload_now *out);
void wick_hostload_parse_cpu_stat(const char *text, struct wick_hostload_now *out);
void wick_hostload_parse_netstat(const char *text, struct wick_hostload_now *out);
/* Total of the line "some" or "full" of a pressure file in ns, 0 if there is none. */
uint64_t wick_hostload_parse_psi(const char *text, const char *line);

#endif
