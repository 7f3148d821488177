/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_facts.c - see thread_facts.h
 */
#include "engine/thread/thread_facts.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "sys/procstat.h"
#include "sys/whole.h"

enum { CPUS_MAX = 1024 };

/* A small file of the thread's folder, as text. False if it cannot be read or is empty. */
static bool read_file(int32_t tid, const char *name, char *buf, size_t cap)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", tid, name);
    return wick_whole_text(path, buf, cap) > 0;
}

void wick_thread_now(int32_t tid, struct wick_thread_now *out)
{
    char buf[128];
    unsigned long long cpu, delay;
    struct wick_procstat s;
    (void)wick_procstat_thread(tid, &s);
    *out = (struct wick_thread_now){.state = s.state, .last_cpu = s.last_cpu, .major_faults = s.major_faults};
    out->cpu_ns = wick_clock_ns(wick_clock_of_thread(tid));
    if (read_file(tid, "schedstat", buf, sizeof buf) && sscanf(buf, "%llu %llu", &cpu, &delay) == 2)
        out->run_delay_ns = delay;
    read_file(tid, "wchan", buf, sizeof buf);
    snprintf(out->wchan, sizeof out->wchan, "%.39s", *buf ? buf : "0");
}

static const char *schedule_name(int policy)
{
    switch (policy & ~SCHED_RESET_ON_FORK) {
    case SCHED_OTHER:
        return "SCHED_OTHER";
    case SCHED_FIFO:
        return "SCHED_FIFO";
    case SCHED_RR:
        return "SCHED_RR";
    case SCHED_BATCH:
        return "SCHED_BATCH";
    case SCHED_IDLE:
        return "SCHED_IDLE";
    case 6:
        return "SCHED_DEADLINE";
    default:
        return "unknown";
    }
}

/* The mask as a number, highest processor first, without leading zeros. */
static void write_mask(const cpu_set_t *set, char *out)
{
    bool begun = false;
    for (int digit = CPUS_MAX / 4 - 1; digit >= 0; digit--) {
        unsigned v = 0;
        for (int bit = 0; bit < 4; bit++)
            v |= CPU_ISSET((unsigned)(digit * 4 + bit), set) ? 1u << bit : 0;
        begun |= v || !digit;
        if (begun)
            *out++ = "0123456789abcdef"[v];
    }
    *out = 0;
}

void wick_thread_rules(int32_t tid, struct wick_thread_rules *out)
{
    cpu_set_t set;
    int policy = sched_getscheduler(tid);
    *out = (struct wick_thread_rules){.schedule = schedule_name(policy)};
    out->nice = getpriority(PRIO_PROCESS, (id_t)tid);
    if (sched_getaffinity(tid, sizeof set, &set))
        snprintf(out->allowed, sizeof out->allowed, "0");
    else
        write_mask(&set, out->allowed);
}
