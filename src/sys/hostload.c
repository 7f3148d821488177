/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostload.c - see hostload.h
 *
 * cgroup.c describes where a cgroup's files are.
 */
#include "sys/hostload.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/procstat.h"
#include "sys/whole.h"

enum { TEXT = 1 << 17, CPUS = 8192 };

/* One figure of a cgroup: its file in version 2 and in version 1. */
static const struct {
    enum wick_hostload_file file;
    enum wick_cgroup_controller controller;
    const char *v2, *v1;
} cgroup_files[] = {
    {WICK_LOAD_CPU_STAT, WICK_CGROUP_CPU, "cpu.stat", "cpu.stat"},
    {WICK_LOAD_MEMORY, WICK_CGROUP_MEMORY, "memory.current", "memory.usage_in_bytes"},
    {WICK_LOAD_MEMORY_EVENTS, WICK_CGROUP_MEMORY, "memory.events", "memory.oom_control"},
    {WICK_LOAD_MEMORY_FAILURES, WICK_CGROUP_MEMORY, NULL, "memory.failcnt"},
    {WICK_LOAD_PSI_CPU, WICK_CGROUP_PRESSURE, "cpu.pressure", NULL},
    {WICK_LOAD_PSI_MEMORY, WICK_CGROUP_PRESSURE, "memory.pressure", NULL},
    {WICK_LOAD_PSI_IO, WICK_CGROUP_PRESSURE, "io.pressure", NULL},
};

static int open_file(const char *root, const char *path)
{
    char full[WICK_CGROUP_PATH + 64];
    snprintf(full, sizeof full, "%s%s", root, path);
    return open(full, O_RDONLY | O_CLOEXEC);
}

static const char *read_fd(int fd, char *buf)
{
    wick_whole_text_fd(fd, buf, TEXT);
    return buf;
}

static void open_cgroups(struct wick_hostload *h, const char *root)
{
    char dir[WICK_CGROUP_PATH + 1];
    for (int c = 0; c < WICK_LOAD_CGROUPS; c++)
        if (!wick_cgroup_find(root, (enum wick_cgroup_controller)c, &h->cgroup[c]))
            h->cgroup[c] = (struct wick_cgroup){0};
    for (size_t i = 0; i < sizeof cgroup_files / sizeof *cgroup_files; i++) {
        const struct wick_cgroup *g = &h->cgroup[cgroup_files[i].controller];
        const char *name = g->v2 ? cgroup_files[i].v2 : cgroup_files[i].v1;
        snprintf(dir, sizeof dir, "%s/", g->dir);
        if (g->dir[0] && name)
            h->fd[cgroup_files[i].file] = open_file(dir, name);
    }
}

void wick_hostload_open(struct wick_hostload *h, const char *root)
{
    static const char *const psi[] = {"/proc/pressure/cpu", "/proc/pressure/memory", "/proc/pressure/io"};
    for (int i = 0; i < WICK_LOAD_FILES; i++)
        h->fd[i] = -1;
    h->fd[WICK_LOAD_STAT] = open_file(root, "/proc/stat");
    h->fd[WICK_LOAD_STATUS] = open_file(root, "/proc/self/status");
    h->fd[WICK_LOAD_NETSTAT] = open_file(root, "/proc/self/net/netstat");
    open_cgroups(h, root);
    if (h->fd[WICK_LOAD_PSI_CPU] < 0) /* the machine's, if the cgroup has none of its own */
        for (int i = 0; i < 3; i++) {
            int *fd = &h->fd[WICK_LOAD_PSI_CPU + i];
            if (*fd >= 0)
                close(*fd); /* there was no descriptor left for the first only */
            *fd = open_file(root, psi[i]);
        }
}

void wick_hostload_close(struct wick_hostload *h)
{
    for (int i = 0; i < WICK_LOAD_FILES; i++)
        if (h->fd[i] >= 0)
            close(h->fd[i]);
    for (int i = 0; i < WICK_LOAD_FILES; i++)
        h->fd[i] = -1;
}

void wick_hostload_parse_stat(const char *text, struct wick_hostload_now *out)
{
    struct wick_procstat_cpu all;
    bool found = false;
    if (!wick_procstat_parse_cpu(text, &all) || all.cpu != -1)
        return;
    out->machine.user = all.user;
    out->machine.system = all.system;
    out->machine.idle = all.idle;
    out->machine.iowait = all.iowait;
    out->machine.steal = all.steal;
    out->machine.total = all.total;
    out->machine.running = wick_cgroup_value(text, "procs_running", &found);
    out->machine.blocked = wick_cgroup_value(text, "procs_blocked", &found);
    out->machine.known = true;
}

static void parse_allowed(const char *text, const cpu_set_t *set, size_t bytes, struct wick_hostload_now *out)
{
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        struct wick_procstat_cpu one;
        if (!wick_procstat_parse_cpu(line, &one) || one.cpu < 0 || !CPU_ISSET_S((size_t)one.cpu, bytes, set))
            continue;
        out->allowed.total += one.total;
        out->allowed.busy += one.user + one.system;
        out->allowed.cpus++;
    }
}

void wick_hostload_parse_status(const char *text, struct wick_hostload_now *out)
{
    out->process.rss_bytes = wick_cgroup_value(text, "VmRSS", &out->process.known) * 1024;
    out->process.peak_bytes = wick_cgroup_value(text, "VmHWM", &out->process.known) * 1024;
    out->process.swap_bytes = wick_cgroup_value(text, "VmSwap", &out->process.known) * 1024;
}

void wick_hostload_parse_cpu_stat(const char *text, struct wick_hostload_now *out)
{
    bool v2 = false;
    out->cpu.periods = wick_cgroup_value(text, "nr_periods", &out->cpu.known);
    out->cpu.throttled = wick_cgroup_value(text, "nr_throttled", &out->cpu.known);
    out->cpu.throttled_ns = wick_cgroup_value(text, "throttled_usec", &v2) * 1000;
    if (!v2)
        out->cpu.throttled_ns = wick_cgroup_value(text, "throttled_time", &out->cpu.known);
}

/* A line of names and one of values follow one another, each with the protocol in front. */
void wick_hostload_parse_netstat(const char *text, struct wick_hostload_now *out)
{
    static const char head[] = "TcpExt:";
    const char *name = strstr(text, head), *value = name ? strstr(name + 1, head) : NULL;
    if (!value)
        return;
    struct {
        const char *name;
        uint64_t *value;
        bool found;
    } wanted[] = {{"ListenOverflows", &out->tcp.listen_overflows, false},
                  {"TCPSynRetrans", &out->tcp.syn_retransmits, false}};
    for (; *name && *name != '\n' && *value && *value != '\n'; name += strspn(name, " "), value += strspn(value, " ")) {
        size_t n = strcspn(name, " \n");
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (n == strlen(wanted[i].name) && !memcmp(name, wanted[i].name, n)) {
                *wanted[i].value = strtoull(value, NULL, 10);
                wanted[i].found = true;
            }
        name += n;
        value += strcspn(value, " \n");
    }
    out->tcp.known = wanted[0].found && wanted[1].found;
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

static void read_memory(const struct wick_hostload *h, char *buf, struct wick_hostload_now *out)
{
    bool found = false;
    out->memory.known = h->fd[WICK_LOAD_MEMORY] >= 0;
    if (out->memory.known)
        out->memory.max_bytes = (uint64_t)wick_cgroup_limit(&h->cgroup[WICK_CGROUP_MEMORY], WICK_CGROUP_MEMORY);
    out->memory.current_bytes = strtoull(read_fd(h->fd[WICK_LOAD_MEMORY], buf), NULL, 10);
    read_fd(h->fd[WICK_LOAD_MEMORY_EVENTS], buf);
    out->memory.at_limit = wick_cgroup_value(buf, "max", &found);
    out->memory.oom_kills = wick_cgroup_value(buf, "oom_kill", &found);
    if (h->fd[WICK_LOAD_MEMORY_FAILURES] >= 0)
        out->memory.at_limit = strtoull(read_fd(h->fd[WICK_LOAD_MEMORY_FAILURES], buf), NULL, 10);
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
    cpu_set_t set[CPUS / CPU_SETSIZE];
    *out = (struct wick_hostload_now){0};
    /* what is needed of the last lines may lie behind the interrupts of a large machine, and is 0 then */
    wick_hostload_parse_stat(read_fd(h->fd[WICK_LOAD_STAT], buf), out);
    if (!sched_getaffinity(0, sizeof set, set))
        parse_allowed(buf, set, sizeof set, out);
    wick_hostload_parse_status(read_fd(h->fd[WICK_LOAD_STATUS], buf), out);
    wick_hostload_parse_cpu_stat(read_fd(h->fd[WICK_LOAD_CPU_STAT], buf), out);
    if (out->cpu.known)
        out->cpu.limit = wick_cgroup_limit(&h->cgroup[WICK_CGROUP_CPU], WICK_CGROUP_CPU);
    read_memory(h, buf, out);
    read_pressure(h, buf, out);
    wick_hostload_parse_netstat(read_fd(h->fd[WICK_LOAD_NETSTAT], buf), out);
}
