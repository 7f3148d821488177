/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_cgroups.h - how often the kernel stops cgroups at their CPU limits, of all that sampled processes are in
 *
 * A cgroup is known by its path in the hierarchy of the cpu controller. It is met with its first sampled process, and
 * read at once, with all that are above it, whose limits hold for it as well. Those with a limit are read again every
 * two seconds, all of them every thirty and at the end, so a limit that was set later is seen as well. What a cgroup
 * counted between its last reading and its removal is lost. Those that are never limited are not in the recording.
 *
 * Memory:  malloc; at most WICK_HOST_CGROUPS cgroups, of which removed ones make room for others.
 */
#ifndef WICK_EBPF_HOST_CGROUPS_H
#define WICK_EBPF_HOST_CGROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/cgroup.h"

enum { WICK_HOST_CGROUPS = 1024 };

/* What the kernel counted by some moment. */
struct wick_host_cgroup_reading {
    uint64_t time_ns, periods, throttled, throttled_ns, period_ns;
    double limit; /* CPUs, 0 = none */
};

struct wick_host_cgroup {
    struct wick_cgroup at;
    char *container; /* that is this cgroup, "" = none */
    struct wick_host_cgroup_reading first;
    bool written; /* the first reading */
    bool limited; /* it had a limit at some reading */
    bool removed;
};

struct wick_host_cgroups {
    const char *root; /* stands before every path: "" but in tests; borrowed */
    struct wick_host_cgroup *rows;
    uint32_t n;
    uint64_t read_ns;  /* when those with a limit were read last */
    uint64_t all_ns;   /* and all of them */
    uint64_t left_out; /* cgroups for which there was no room */
};

/* A reading to write. */
typedef void wick_host_cgroup_write(void *arg, const struct wick_host_cgroup *g,
                                    const struct wick_host_cgroup_reading *now);

/* No cgroups yet; keeps root. _release frees all. */
void wick_host_cgroups_init(struct wick_host_cgroups *cs, const char *root);
void wick_host_cgroups_release(struct wick_host_cgroups *cs);

/* A process of that cgroup was met, which is in that container ("" = in none). */
void wick_host_cgroups_meet(struct wick_host_cgroups *cs, const char *path, const char *container, uint64_t now_ns);

/* Reads what is due, or at the end all, and has readings written, each cgroup's in the order of time. */
void wick_host_cgroups_read(struct wick_host_cgroups *cs, uint64_t now_ns, bool end, wick_host_cgroup_write *write,
                            void *arg);

/* The path of a cgroup, "/" = the root. */
const char *wick_host_cgroup_path(const struct wick_host_cgroup *g);

#endif
