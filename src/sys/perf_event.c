/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_event.c - from a name to a struct perf_event_attr
 *
 * Tracepoints are numbered by the running kernel; the number is in tracefs, which is mounted at one of two places and
 * readable by root only unless the administrator said otherwise.
 */
#include "sys/perf_event.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/whole.h"

static const struct {
    const char *name;
    uint32_t type;
    uint64_t config, period;
    bool cpu_time;
} events[] = {
#define X(name, type, config, period, cpu_time) {name, type, config, period, cpu_time},
#include "def/perf_event.def"
#undef X
};

static int parse_tracepoint(const char *name, const char *colon, struct perf_event_attr *attr, struct wick_err *err)
{
    static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    int why = ENOENT;
    for (size_t i = 0; name[i]; i++)
        if (name[i] == '/' || name[i] == '.')
            return wick_err_set(err, WICK_E_USAGE, "'%s' is not the name of a tracepoint", name);
    for (int i = 0; i < 2; i++) {
        char path[256], buf[24];
        snprintf(path, sizeof path, "%s/events/%.*s/%s/id", mounts[i], (int)(colon - name), name, colon + 1);
        if (wick_whole_text(path, buf, sizeof buf) < 0) {
            if (errno != ENOENT)
                why = errno;
            continue;
        }
        if (atoi(buf) > 0) {
            attr->type = PERF_TYPE_TRACEPOINT;
            attr->config = (uint64_t)atoi(buf);
            attr->sample_period = 1;
            return 0;
        }
    }
    if (why == EACCES || why == EPERM)
        return wick_err_set(
            err, WICK_E_PERM,
            "tracepoint %s: tracefs is not readable for this user: record as root, or give it access to "
            "/sys/kernel/tracing",
            name);
    return wick_err_set(err, WICK_E_USAGE,
                        "there is no tracepoint %s (or tracefs is not mounted: mount -t tracefs tracefs "
                        "/sys/kernel/tracing)",
                        name);
}

int wick_perf_event_parse(const char *name, struct perf_event_attr *attr, bool *cpu_time, struct wick_err *err)
{
    *attr = (struct perf_event_attr){.size = sizeof *attr};
    *cpu_time = false;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (strcmp(name, events[i].name))
            continue;
        attr->type = events[i].type;
        attr->config = events[i].config;
        attr->sample_period = events[i].period;
        *cpu_time = events[i].cpu_time;
        return 0;
    }
    const char *colon = strchr(name, ':');
    if (colon && colon > name && colon[1])
        return parse_tracepoint(name, colon, attr, err);
    if (name[0] == 'r' && name[1]) {
        char *end;
        attr->type = PERF_TYPE_RAW;
        attr->config = strtoull(name + 1, &end, 16);
        attr->sample_period = 1000;
        if (!*end)
            return 0;
    }
    return wick_err_set(err, WICK_E_USAGE,
                        "'%s' is not an event: use cpu, wall, alloc, live, nativemem, lock, nativelock, ttsp, a perf "
                        "event such as page-faults "
                        "or cycles, rNNN, or a tracepoint such as sched:sched_switch",
                        name);
}
