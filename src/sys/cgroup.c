/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup.c - see cgroup.h
 *
 * /proc/self/cgroup has one line a hierarchy, ID:controllers:path; version 2 is the one with ID 0. A controller that a
 * version 1 hierarchy names is there and nowhere else, even if version 2 is mounted beside it for other purposes, where
 * its cpu.stat knows of no limit. Pressure is counted by version 2 in either case.
 *
 * Inside a container the path may be that of the host, while what is mounted begins at the container. So the path is
 * shortened from its end until it is empty, which is the mount point itself, and the directories that exist are read.
 * This also visits the cgroups above, whose limits hold for this one as well.
 */
#include "sys/cgroup.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/whole.h"

enum { TEXT = 8192, PATH = 512 };

static const struct {
    const char *name, *v2, *v1; /* files that show whether a directory belongs to the controller */
} controllers[] = {
    [WICK_CGROUP_CPU] = {"cpu", "cpu.stat", "cpu.stat"},
    [WICK_CGROUP_MEMORY] = {"memory", "memory.current", "memory.usage_in_bytes"},
    [WICK_CGROUP_PRESSURE] = {"", "cpu.pressure", NULL},
};

/* The path of this process in the hierarchy of a controller, "" = that of version 2. False if it has none. */
static bool path_of(const char *text, const char *controller, char *out)
{
    size_t n = strlen(controller);
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
        if (!path)
            return false;
        bool hit = !n && path == list + 1;
        for (const char *c = list + 1; n && c < path; c += strcspn(c, ",:") + 1)
            hit |= strcspn(c, ",:") == n && !strncmp(c, controller, n);
        if (hit) {
            snprintf(out, PATH, "%.*s", (int)strcspn(path + 1, "\n"), path + 1);
            return true;
        }
    }
    return false;
}

uint64_t wick_cgroup_value(const char *text, const char *word, bool *found)
{
    size_t n = strlen(word);
    for (const char *p = text; (p = strstr(p, word)); p += n)
        if ((p == text || p[-1] == '\n') && p[n] && strchr(" \t:", p[n])) {
            if (found)
                *found = true;
            return strtoull(p + n + strspn(p + n, " \t:"), NULL, 10);
        }
    return 0;
}

static double cpu_limit(const struct wick_cgroup *g)
{
    char file[WICK_CGROUP_PATH + 32], text[64];
    long long quota = 0, period = 0;
    snprintf(file, sizeof file, "%s/%s", g->dir, g->v2 ? "cpu.max" : "cpu.cfs_quota_us");
    wick_whole_text(file, text, sizeof text);
    int n = sscanf(text, "%lld %lld", &quota, &period); /* version 2: "max 100000" or "50000 100000" */
    if (n == 1) {
        snprintf(file, sizeof file, "%s/cpu.cfs_period_us", g->dir);
        wick_whole_text(file, text, sizeof text);
        period = strtoll(text, NULL, 10);
    }
    return n >= 1 && quota > 0 && period > 0 ? (double)quota / (double)period : 0; /* version 1: -1 = none */
}

static double memory_limit(const struct wick_cgroup *g)
{
    char file[WICK_CGROUP_PATH + 32], text[64];
    snprintf(file, sizeof file, "%s/%s", g->dir, g->v2 ? "memory.max" : "memory.limit_in_bytes");
    wick_whole_text(file, text, sizeof text);
    uint64_t max = strtoull(text, NULL, 10);
    return max < (uint64_t)1 << 60 ? (double)max : 0; /* version 1 has a huge number for none */
}

double wick_cgroup_limit(const struct wick_cgroup *g, enum wick_cgroup_controller c)
{
    return c == WICK_CGROUP_CPU ? cpu_limit(g) : c == WICK_CGROUP_MEMORY ? memory_limit(g) : 0;
}

/* Appends mount/path and what is above it, as far as it exists. Returns how many there are then. */
static size_t look_up(const char *mount, char *path, enum wick_cgroup_controller c, bool v2, struct wick_cgroup *out,
                      size_t most)
{
    char file[WICK_CGROUP_PATH + 32];
    size_t found = 0;
    for (bool top = false; !top && found < most;) {
        struct wick_cgroup *g = &out[found];
        size_t n = strlen(path);
        while (n && path[n - 1] == '/')
            path[--n] = 0;
        top = n == 0;
        g->v2 = v2;
        g->mount = strlen(mount);
        snprintf(g->dir, sizeof g->dir, "%s%s", mount, path);
        snprintf(file, sizeof file, "%s/%s", g->dir, v2 ? controllers[c].v2 : controllers[c].v1);
        if (!access(file, R_OK)) {
            g->limit = wick_cgroup_limit(g, c);
            found++;
        }
        while (n && path[n - 1] != '/')
            path[--n] = 0;
    }
    return found;
}

size_t wick_cgroup_levels(const char *root, const char *process, enum wick_cgroup_controller c, struct wick_cgroup *out,
                          size_t most)
{
    static const char *const mounts[] = {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"};
    char mount[WICK_CGROUP_PATH / 2], text[TEXT], path[PATH];
    snprintf(mount, sizeof mount, "%s/proc/%s/cgroup", root, process);
    wick_whole_text(mount, text, sizeof text);
    if (*controllers[c].name && path_of(text, controllers[c].name, path)) {
        snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/%s", root, controllers[c].name);
        return look_up(mount, path, c, false, out, most);
    }
    for (int i = 0; i < 2 && path_of(text, "", path); i++) {
        snprintf(mount, sizeof mount, "%s%s", root, mounts[i]);
        size_t n = look_up(mount, path, c, true, out, most);
        if (n)
            return n;
    }
    return 0;
}

bool wick_cgroup_path(const char *text, enum wick_cgroup_controller c, char out[WICK_CGROUP_PATH])
{
    char path[PATH];
    bool v1 = *controllers[c].name && path_of(text, controllers[c].name, path);
    if ((!v1 && !path_of(text, "", path)) || *path != '/' || strlen(path) >= sizeof path - 1 ||
        !strncmp(path, "/..", 3))
        return false;
    memcpy(out, path, strlen(path) + 1);
    return true;
}

bool wick_cgroup_find(const char *root, enum wick_cgroup_controller c, struct wick_cgroup *out)
{
    struct wick_cgroup levels[WICK_CGROUP_LEVELS];
    size_t n = wick_cgroup_levels(root, "self", c, levels, WICK_CGROUP_LEVELS), best = 0;
    for (size_t i = 1; i < n; i++)
        if (levels[i].limit > 0 && (levels[best].limit <= 0 || levels[i].limit < levels[best].limit))
            best = i;
    if (n)
        *out = levels[best];
    return n > 0;
}

double wick_cgroup_cpus(const char *root, const char *process)
{
    struct wick_cgroup levels[WICK_CGROUP_LEVELS];
    char path[WICK_CGROUP_PATH], text[TEXT];
    double least = 0;
    snprintf(path, sizeof path, "%s/proc/%s/cgroup", root, process);
    wick_whole_text(path, text, sizeof text);
    if (strstr(text, "/..")) /* above our cgroup namespace */
        return 0;
    size_t n = wick_cgroup_levels(root, process, WICK_CGROUP_CPU, levels, WICK_CGROUP_LEVELS);
    for (size_t i = 0; i < n; i++)
        if (levels[i].limit > 0 && (least <= 0 || levels[i].limit < least))
            least = levels[i].limit;
    return least;
}

bool wick_cgroup_at(const char *root, const char *path, enum wick_cgroup_controller c, struct wick_cgroup *out)
{
    char mount[WICK_CGROUP_PATH / 2], below[PATH], v1[64];
    snprintf(v1, sizeof v1, "/sys/fs/cgroup/%s", controllers[c].name);
    const char *const mounts[] = {v1, "/sys/fs/cgroup/unified", "/sys/fs/cgroup"};
    if (*path != '/' || strstr(path, "..") || strlen(path) >= sizeof below)
        return false;
    for (int i = 0; i < 3; i++) {
        snprintf(mount, sizeof mount, "%s%s", root, mounts[i]);
        snprintf(below, sizeof below, "%s", path);
        if (look_up(mount, below, c, i > 0, out, 1) && !strcmp(out->dir + out->mount, path[1] ? path : ""))
            return true;
    }
    return false;
}
