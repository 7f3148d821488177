/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/procstat.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/cgroup.h"
#include "sys/whole.h"

/* Numbers of fields as proc(5) counts them, from 1. */
enum { STATE = 3, MAJOR_FAULTS = 12, USER = 14, SYSTEM = 15, START = 22, LAST_CPU = 39 };

/* A number that ends at a character that is no digit. */
static const char *number(const char *p, uint64_t *out)
{
    uint64_t v = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        v = v * 10 + (uint64_t)(*p - '0');
    *out = v;
    return p;
}

static void take_field(struct wick_procstat *out, int field, const char *p)
{
    uint64_t v;
    number(p, &v);
    switch (field) {
    case STATE:
        out->state = *p;
        break;
    case MAJOR_FAULTS:
        out->major_faults = v;
        break;
    case USER:
        out->user = v;
        break;
    case SYSTEM:
        out->system = v;
        break;
    case START:
        out->start = v;
        break;
    case LAST_CPU:
        out->last_cpu = (int32_t)v;
        break;
    }
}

bool wick_procstat_parse(const char *text, struct wick_procstat *out)
{
    static const struct wick_procstat unknown = {.state = '?', .last_cpu = -1};
    int field = STATE;
    *out = unknown;
    for (const char *p = strrchr(text, ')'); p && (p = strchr(p, ' ')) && field <= LAST_CPU; field++)
        take_field(out, field, ++p);
    if (field > START)
        return true;
    *out = unknown;
    return false;
}

bool wick_procstat_read(int dir, const char *path, struct wick_procstat *out)
{
    char text[1024];
    wick_whole_text_at(dir, path, text, sizeof text);
    return wick_procstat_parse(text, out);
}

bool wick_procstat_thread(int32_t tid, struct wick_procstat *out)
{
    static const char before[] = "/proc/self/task/", after[] = "/stat";
    char path[sizeof before + 10 + sizeof after], digits[10];
    char *p = path + sizeof before - 1;
    size_t n = 0;
    memcpy(path, before, sizeof before);
    for (uint32_t v = (uint32_t)tid; n == 0 || v; v /= 10)
        digits[n++] = (char)('0' + v % 10);
    while (n)
        *p++ = digits[--n];
    memcpy(p, after, sizeof after);
    return wick_procstat_read(AT_FDCWD, path, out);
}

bool wick_procstat_parse_cpu(const char *line, struct wick_procstat_cpu *out)
{
    uint64_t v[8] = {0}, cpu = 0;
    if (strncmp(line, "cpu", 3) != 0)
        return false;
    bool all = line[3] == ' ';
    const char *p = number(line + 3, &cpu);
    int n = 0;
    for (; n < 8 && *p == ' '; n++) {
        p += strspn(p, " ");
        const char *end = number(p, &v[n]);
        if (end == p)
            break;
        p = end;
    }
    if (n < 4)
        return false;
    *out = (struct wick_procstat_cpu){.user = v[0] + v[1],
                                      .system = v[2] + v[5] + v[6],
                                      .idle = v[3],
                                      .iowait = v[4],
                                      .steal = v[7],
                                      .cpu = all ? -1 : (int32_t)cpu};
    out->total = out->user + out->system + out->idle + out->iowait + out->steal;
    return true;
}

bool wick_procstat_machine(struct wick_procstat_cpu *out)
{
    char text[256];
    wick_whole_text("/proc/stat", text, sizeof text);
    return wick_procstat_parse_cpu(text, out) && out->cpu == -1;
}

uint64_t wick_procstat_boot_s(const char *text)
{
    return wick_cgroup_value(text, "btime", NULL);
}

uint64_t wick_procstat_tick_ns(void)
{
    long hz = sysconf(_SC_CLK_TCK);
    return 1000000000u / (uint64_t)(hz > 0 ? hz : 100);
}
