/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostload.c - see hostload.h
 *
 * Where a cgroup's files are. /proc/self/cgroup has one line a hierarchy, ID:controllers:path; version 2 is the one
 * with ID 0. Inside a container the path may be that of the host, while what is mounted begins at the container: so the
 * path is tried first, then the mount point itself.
 */
#include "sys/hostload.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 16384, PATH = 512 };

/* One figure of a cgroup: its file in version 2 and in version 1, where controllers have mount points of their own. */
static const struct {
    enum wick_hostload_file file;
    const char *v2, *controller, *v1;
} cgroup_files[] = {
    {WICK_LOAD_CPU_STAT, "cpu.stat", "cpu", "cpu.stat"},
    {WICK_LOAD_CPU_LIMIT, "cpu.max", "cpu", "cpu.cfs_quota_us"},
    {WICK_LOAD_CPU_PERIOD, NULL, "cpu", "cpu.cfs_period_us"},
    {WICK_LOAD_MEMORY, "memory.current", "memory", "memory.usage_in_bytes"},
    {WICK_LOAD_MEMORY_MAX, "memory.max", "memory", "memory.limit_in_bytes"},
    {WICK_LOAD_MEMORY_EVENTS, "memory.events", "memory", "memory.oom_control"},
    {WICK_LOAD_PSI_CPU, "cpu.pressure", NULL, NULL},
    {WICK_LOAD_PSI_MEMORY, "memory.pressure", NULL, NULL},
    {WICK_LOAD_PSI_IO, "io.pressure", NULL, NULL},
};

static int open_file(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC);
}

static const char *read_fd(int fd, char *buf)
{
    ssize_t n = fd < 0 ? 0 : pread(fd, buf, TEXT - 1, 0);
    buf[n > 0 ? n : 0] = 0;
    return buf;
}

/* The path of this process in the hierarchy of a controller, NULL = version 2. False if it has none. */
static bool cgroup_path(const char *text, const char *controller, char *out)
{
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
        if (!path)
            return false;
        size_t n = controller ? strlen(controller) : 0;
        bool hit = !controller && path == list + 1;
        for (const char *c = list + 1; controller && c < path; c += strcspn(c, ",:") + 1)
            hit |= strcspn(c, ",:") == n && !strncmp(c, controller, n);
        if (hit) {
            snprintf(out, PATH, "%.*s", (int)strcspn(path + 1, "\n"), path + 1);
            return true;
        }
    }
    return false;
}

/* Opens mount/path/name, or mount/name. */
static int open_in(const char *mount, const char *path, const char *name)
{
    char full[3 * PATH];
    snprintf(full, sizeof full, "%s%s/%s", mount, path, name);
    int fd = open_file(full);
    if (fd >= 0)
        return fd;
    snprintf(full, sizeof full, "%s/%s", mount, name);
    return open_file(full);
}

static void open_cgroup(struct wick_hostload *h)
{
    char text[TEXT], path[PATH], mount[PATH];
    int self = open_file("/proc/self/cgroup");
    read_fd(self, text);
    if (self >= 0)
        close(self);
    for (size_t i = 0; i < sizeof cgroup_files / sizeof *cgroup_files; i++) {
        int fd = -1;
        if (cgroup_files[i].v2 && cgroup_path(text, NULL, path) &&
            (fd = open_in("/sys/fs/cgroup", path, cgroup_files[i].v2)) < 0)
            fd = open_in("/sys/fs/cgroup/unified", path, cgroup_files[i].v2);
        if (fd < 0 && cgroup_files[i].v1 && cgroup_path(text, cgroup_files[i].controller, path)) {
            snprintf(mount, sizeof mount, "/sys/fs/cgroup/%s", cgroup_files[i].controller);
            fd = open_in(mount, path, cgroup_files[i].v1);
        }
        h->fd[cgroup_files[i].file] = fd;
    }
}

void wick_hostload_open(struct wick_hostload *h)
{
    static const char *const psi[] = {"/proc/pressure/cpu", "/proc/pressure/memory", "/proc/pressure/io"};
    for (int i = 0; i < WICK_LOAD_FILES; i++)
        h->fd[i] = -1;
    h->fd[WICK_LOAD_STAT] = open_file("/proc/stat");
    h->fd[WICK_LOAD_STATUS] = open_file("/proc/self/status");
    open_cgroup(h);
    if (h->fd[WICK_LOAD_PSI_CPU] < 0) /* the machine's, if the cgroup has none of its own */
        for (int i = 0; i < 3; i++)
            h->fd[WICK_LOAD_PSI_CPU + i] = open_file(psi[i]);
}

void wick_hostload_close(struct wick_hostload *h)
{
    for (int i = 0; i < WICK_LOAD_FILES; i++)
        if (h->fd[i] >= 0)
            close(h->fd[i]);
    for (int i = 0; i < WICK_LOAD_FILES; i++)
        h->fd[i] = -1;
}

/* The number behind a word at the beginning of a line; 0 if there is no such line. */
static uint64_t value_of(const char *text, const char *word, bool *found)
{
    size_t n = strlen(word);
    for (const char *p = text; (p = strstr(p, word)); p += n)
        if ((p == text || p[-1] == '\n') && strchr(" \t:", p[n])) {
            *found = true;
            return strtoull(p + n + strspn(p + n, " \t:"), NULL, 10);
        }
    return 0;
}

void wick_hostload_parse_stat(const char *text, struct wick_hostload_now *out)
{
    unsigned long long v[8] = {0};
    bool found = false;
    if (sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
               &v[7]) < 4)
        return;
    out->machine.user = v[0] + v[1];
    out->machine.system = v[2] + v[5] + v[6];
    out->machine.idle = v[3];
    out->machine.iowait = v[4];
    out->machine.steal = v[7];
    for (int i = 0; i < 8; i++)
        out->machine.total += v[i];
    out->machine.running = value_of(text, "procs_running", &found);
    out->machine.blocked = value_of(text, "procs_blocked", &found);
    out->machine.known = true;
}

void wick_hostload_parse_status(const char *text, struct wick_hostload_now *out)
{
    out->process.rss_bytes = value_of(text, "VmRSS", &out->process.known) * 1024;
    out->process.peak_bytes = value_of(text, "VmHWM", &out->process.known) * 1024;
    out->process.swap_bytes = value_of(text, "VmSwap", &out->process.known) * 1024;
}

void wick_hostload_parse_cpu_stat(const char *text, struct wick_hostload_now *out)
{
    bool v2 = false;
    out->cpu.periods = value_of(text, "nr_periods", &out->cpu.known);
    out->cpu.throttled = value_of(text, "nr_throttled", &out->cpu.known);
    out->cpu.throttled_ns = value_of(text, "throttled_usec", &v2) * 1000;
    if (!v2)
        out->cpu.throttled_ns = value_of(text, "throttled_time", &out->cpu.known);
}

uint64_t wick_hostload_parse_psi(const char *text, const char *line)
{
    size_t n = strlen(line);
    for (const char *p = text; (p = strstr(p, line)); p += n) {
        const char *total = p == text || p[-1] == '\n' ? strstr(p, "total=") : NULL;
        if (total && (size_t)(total - p) < strcspn(p, "\n"))
            return strtoull(total + 6, NULL, 10) * 1000;
    }
    return 0;
}

/* Version 2: "max 100000" or "50000 100000"; version 1: the quota, -1 = none, and the period in another file. */
static double cpu_limit(const struct wick_hostload *h, char *buf)
{
    long long quota = 0, period = 0;
    int n = sscanf(read_fd(h->fd[WICK_LOAD_CPU_LIMIT], buf), "%lld %lld", &quota, &period);
    if (n == 1)
        period = strtoll(read_fd(h->fd[WICK_LOAD_CPU_PERIOD], buf), NULL, 10);
    return n >= 1 && quota > 0 && period > 0 ? (double)quota / (double)period : 0;
}

static void read_memory(const struct wick_hostload *h, char *buf, struct wick_hostload_now *out)
{
    bool found = false;
    uint64_t max = strtoull(read_fd(h->fd[WICK_LOAD_MEMORY_MAX], buf), NULL, 10);
    out->memory.max_bytes = max < (uint64_t)1 << 60 ? max : 0; /* version 1 has a huge number for none */
    out->memory.current_bytes = strtoull(read_fd(h->fd[WICK_LOAD_MEMORY], buf), NULL, 10);
    out->memory.known = h->fd[WICK_LOAD_MEMORY] >= 0;
    read_fd(h->fd[WICK_LOAD_MEMORY_EVENTS], buf);
    out->memory.at_limit = value_of(buf, "max", &found);
    out->memory.oom_kills = value_of(buf, "oom_kill", &found);
}

static void read_pressure(const struct wick_hostload *h, char *buf, struct wick_hostload_now *out)
{
    out->pressure.known = h->fd[WICK_LOAD_PSI_CPU] >= 0;
    out->pressure.cpu_some_ns = wick_hostload_parse_psi(read_fd(h->fd[WICK_LOAD_PSI_CPU], buf), "some");
    read_fd(h->fd[WICK_LOAD_PSI_MEMORY], buf);
    out->pressure.memory_some_ns = wick_hostload_parse_psi(buf, "some");
    out->pressure.memory_full_ns = wick_hostload_parse_psi(buf, "full");
    read_fd(h->fd[WICK_LOAD_PSI_IO], buf);
    out->pressure.io_some_ns = wick_hostload_parse_psi(buf, "some");
    out->pressure.io_full_ns = wick_hostload_parse_psi(buf, "full");
}

void wick_hostload_read(const struct wick_hostload *h, struct wick_hostload_now *out)
{
    char buf[TEXT];
    *out = (struct wick_hostload_now){0};
    /* what is wanted of the last lines may lie behind the interrupts of a large machine, and is 0 then */
    wick_hostload_parse_stat(read_fd(h->fd[WICK_LOAD_STAT], buf), out);
    wick_hostload_parse_status(read_fd(h->fd[WICK_LOAD_STATUS], buf), out);
    wick_hostload_parse_cpu_stat(read_fd(h->fd[WICK_LOAD_CPU_STAT], buf), out);
    out->cpu.limit = cpu_limit(h, buf);
    read_memory(h, buf, out);
    read_pressure(h, buf, out);
}
