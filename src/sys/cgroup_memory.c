/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_memory.c - see cgroup_memory.h
 *
 * memory.stat of version 1 has its sums over the cgroups below in lines "total_..."; its "cache" contains shared
 * memory, as "file" of version 2 does.
 */
#include "sys/cgroup_memory.h"

#include <stdio.h>
#include <stdlib.h>

#include "sys/whole.h"

enum { TEXT = 8192 };

static bool read_file(const struct wick_cgroup *g, const char *name, char *buf)
{
    char path[WICK_CGROUP_PATH + 64];
    snprintf(path, sizeof path, "%s/%s", g->dir, name);
    return wick_whole_text(path, buf, TEXT) > 0;
}

/* A file with one number; "max" and what version 1 has for it are 0. */
static uint64_t number(const struct wick_cgroup *g, const char *name)
{
    char buf[TEXT];
    uint64_t v = read_file(g, name, buf) ? strtoull(buf, NULL, 10) : 0;
    return v < (uint64_t)1 << 60 ? v : 0;
}

static void read_v2(const struct wick_cgroup *g, char *buf, struct wick_cgroup_memory *out)
{
    out->high = number(g, "memory.high");
    out->current = number(g, "memory.current");
    out->peak = number(g, "memory.peak");
    out->swapped = number(g, "memory.swap.current");
    (void)read_file(g, "memory.stat", buf);
    out->anonymous = wick_cgroup_value(buf, "anon", NULL);
    out->shared = wick_cgroup_value(buf, "shmem", NULL);
    out->file = wick_cgroup_value(buf, "file", NULL);
    out->inactive_file = wick_cgroup_value(buf, "inactive_file", NULL);
    out->kernel = wick_cgroup_value(buf, "kernel", NULL);
    if (!out->kernel) /* before Linux 5.18 */
        out->kernel = wick_cgroup_value(buf, "kernel_stack", NULL) + wick_cgroup_value(buf, "pagetables", NULL) +
                      wick_cgroup_value(buf, "percpu", NULL) + wick_cgroup_value(buf, "slab", NULL);
    out->kernel += wick_cgroup_value(buf, "sock", NULL);
    (void)read_file(g, "memory.events", buf);
    out->at_limit = wick_cgroup_value(buf, "max", NULL);
    out->oom_kills = wick_cgroup_value(buf, "oom_kill", NULL);
}

static void read_v1(const struct wick_cgroup *g, char *buf, struct wick_cgroup_memory *out)
{
    out->current = number(g, "memory.usage_in_bytes");
    out->peak = number(g, "memory.max_usage_in_bytes");
    out->kernel = number(g, "memory.kmem.usage_in_bytes");
    out->at_limit = number(g, "memory.failcnt");
    (void)read_file(g, "memory.stat", buf);
    out->anonymous = wick_cgroup_value(buf, "total_rss", NULL);
    out->shared = wick_cgroup_value(buf, "total_shmem", NULL);
    out->file = wick_cgroup_value(buf, "total_cache", NULL);
    out->inactive_file = wick_cgroup_value(buf, "total_inactive_file", NULL);
    out->swapped = wick_cgroup_value(buf, "total_swap", NULL);
    (void)read_file(g, "memory.oom_control", buf);
    out->oom_kills = wick_cgroup_value(buf, "oom_kill", NULL);
}

bool wick_cgroup_memory_read(const struct wick_cgroup *g, struct wick_cgroup_memory *out)
{
    char buf[TEXT];
    *out = (struct wick_cgroup_memory){.limit = (uint64_t)wick_cgroup_limit(g, WICK_CGROUP_MEMORY)};
    if (g->v2)
        read_v2(g, buf, out);
    else
        read_v1(g, buf, out);
    out->file = out->file > out->shared ? out->file - out->shared : 0;
    return out->current > 0;
}
