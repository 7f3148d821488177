/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_memory.h - what a cgroup is charged for, and what its limit is
 *
 * Threads: any.
 */
#ifndef WICK_SYS_CGROUP_MEMORY_H
#define WICK_SYS_CGROUP_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/cgroup.h"

/* Bytes, of all processes in the cgroup and below it. 0 = none, or this kernel does not say. */
struct wick_cgroup_memory {
    uint64_t limit, high; /* 0 = none; from high on (version 2) its processes are slowed down and memory is reclaimed */
    uint64_t current, peak; /* charged now, and at most so far */
    uint64_t anonymous;     /* memory of processes that no file stands behind */
    uint64_t file;          /* page cache, mapped or not, without the next */
    uint64_t inactive_file; /* that part of the page cache that goes first when memory gets scarce */
    uint64_t shared;        /* shared memory and tmpfs */
    uint64_t kernel;        /* stacks, page tables, slabs, buffers of sockets */
    uint64_t swapped;
    uint64_t at_limit, oom_kills; /* how often */
};

/* The part of the charge that is not reclaimed when memory gets scarce. */
static inline uint64_t wick_cgroup_memory_needed(const struct wick_cgroup_memory *m)
{
    return m->current > m->inactive_file ? m->current - m->inactive_file : 0;
}

/* Reads the files of a cgroup of the memory controller. False if it has none. */
bool wick_cgroup_memory_read(const struct wick_cgroup *g, struct wick_cgroup_memory *out);

#endif
