/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_cgroups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/whole.h"

enum { AGAIN_NS = 2000000000, TEXT = 4096 };

#define ALL_AGAIN_NS UINT64_C(30000000000)

void wick_host_cgroups_init(struct wick_host_cgroups *cs, const char *root)
{
    *cs = (struct wick_host_cgroups){.root = root};
}

void wick_host_cgroups_release(struct wick_host_cgroups *cs)
{
    for (uint32_t i = 0; i < cs->n; i++)
        free(cs->rows[i].container);
    free(cs->rows);
    *cs = (struct wick_host_cgroups){0};
}

const char *wick_host_cgroup_path(const struct wick_host_cgroup *g)
{
    const char *path = g->at.dir + g->at.mount;
    return *path ? path : "/";
}

/* False: the cgroup is gone. */
static bool read_now(const struct wick_host_cgroup *g, uint64_t now_ns, struct wick_host_cgroup_reading *out)
{
    char file[WICK_CGROUP_PATH + 32], text[TEXT];
    bool v2 = false;
    long long period_us = 0;
    snprintf(file, sizeof file, "%s/cpu.stat", g->at.dir);
    if (wick_whole_text(file, text, sizeof text) < 0)
        return false;
    *out = (struct wick_host_cgroup_reading){.time_ns = now_ns,
                                             .periods = wick_cgroup_value(text, "nr_periods", NULL),
                                             .throttled = wick_cgroup_value(text, "nr_throttled", NULL),
                                             .throttled_ns = wick_cgroup_value(text, "throttled_usec", &v2) * 1000};
    if (!v2)
        out->throttled_ns = wick_cgroup_value(text, "throttled_time", NULL);
    out->limit = wick_cgroup_limit(&g->at, WICK_CGROUP_CPU);
    if (out->limit <= 0)
        return true;
    snprintf(file, sizeof file, "%s/%s", g->at.dir, g->at.v2 ? "cpu.max" : "cpu.cfs_period_us");
    if (wick_whole_text(file, text, sizeof text) > 0 && sscanf(text, g->at.v2 ? "%*s %lld" : "%lld", &period_us) == 1)
        out->period_ns = period_us > 0 ? (uint64_t)period_us * 1000 : 0;
    return true;
}

/* A row for another cgroup: a new one, or that of one that is gone. NULL: there is none. */
static struct wick_host_cgroup *new_row(struct wick_host_cgroups *cs)
{
    if (!cs->rows)
        cs->rows = calloc(WICK_HOST_CGROUPS, sizeof *cs->rows);
    if (!cs->rows)
        return NULL;
    if (cs->n < WICK_HOST_CGROUPS)
        return &cs->rows[cs->n++];
    for (uint32_t i = 0; i < cs->n; i++)
        if (cs->rows[i].removed) {
            free(cs->rows[i].container);
            return &cs->rows[i];
        }
    return NULL;
}

static struct wick_host_cgroup *find(struct wick_host_cgroups *cs, const char *path)
{
    for (uint32_t i = 0; i < cs->n; i++)
        if (!cs->rows[i].removed && !strcmp(wick_host_cgroup_path(&cs->rows[i]), path))
            return &cs->rows[i];
    return NULL;
}

static struct wick_host_cgroup *add(struct wick_host_cgroups *cs, const char *path, uint64_t now_ns)
{
    struct wick_host_cgroup new = {0};
    if (!wick_cgroup_at(cs->root, path, WICK_CGROUP_CPU, &new.at) || !read_now(&new, now_ns, &new.first))
        return NULL;
    struct wick_host_cgroup *g = new_row(cs);
    cs->left_out += !g;
    if (!g)
        return NULL;
    new.limited = new.first.limit > 0;
    *g = new;
    return g;
}

/* A container's cgroup has its id in its name: docker-ID.scope, /docker/ID. */
static bool is_container(const char *path, const char *container)
{
    const char *name = strrchr(path, '/');
    return *container && name && strstr(name, container);
}

void wick_host_cgroups_meet(struct wick_host_cgroups *cs, const char *path, const char *container, uint64_t now_ns)
{
    char up[WICK_CGROUP_PATH];
    if (*path != '/' || strlen(path) >= sizeof up)
        return;
    memcpy(up, path, strlen(path) + 1);
    for (;;) {
        /* what is known has been met with all above it */
        struct wick_host_cgroup *g = find(cs, up);
        bool known = g != NULL;
        g = g ? g : add(cs, up, now_ns);
        if (g && !g->container && is_container(up, container))
            g->container = strdup(container);
        char *slash = strrchr(up, '/');
        if (known || !up[1])
            return;
        slash[slash == up] = 0;
    }
}

static void write_now(struct wick_host_cgroup *g, const struct wick_host_cgroup_reading *now,
                      wick_host_cgroup_write *write, void *arg)
{
    g->limited |= now->limit > 0;
    if (!g->written && (g->limited || now->periods > g->first.periods)) {
        write(arg, g, &g->first);
        g->written = true;
    }
    if (g->written && now->time_ns > g->first.time_ns)
        write(arg, g, now);
}

void wick_host_cgroups_read(struct wick_host_cgroups *cs, uint64_t now_ns, bool end, wick_host_cgroup_write *write,
                            void *arg)
{
    bool due = end || now_ns - cs->read_ns >= AGAIN_NS, all = end || now_ns - cs->all_ns >= ALL_AGAIN_NS;
    for (uint32_t i = 0; i < cs->n; i++) {
        struct wick_host_cgroup *g = &cs->rows[i];
        struct wick_host_cgroup_reading now;
        if (g->removed || !(all || (due && g->limited)))
            continue;
        if (read_now(g, now_ns, &now))
            write_now(g, &now, write, arg);
        else
            g->removed = true;
    }
    if (due)
        cs->read_ns = now_ns;
    if (all)
        cs->all_ns = now_ns;
}
