/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_probe.h - a counted event of `wick host`, from its name to what the kernel attaches a program to
 *
 *     sched:sched_process_exec            a tracepoint, by its number in tracefs
 *     uprobe:/usr/lib/libz.so.1:deflate   a function's start; uretprobe: its return
 *     page-faults                         perf's own names (def/perf_event.def)
 *
 * tracefs is found where it is usually mounted. Where it is not, it is opened without mounting it anywhere, which takes
 * CAP_SYS_ADMIN.
 *
 * Threads: any.
 * Memory:  the caller's; nothing stays open.
 */
#ifndef WICK_EBPF_HOST_PROBE_H
#define WICK_EBPF_HOST_PROBE_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "base/err.h"
#include "ebpf/host_event.h"

/* Where the kernel says the type of probes of functions, if it has them. */
#define WICK_HOST_PROBE_TYPE "/sys/bus/event_source/devices/uprobe/type"

enum {
    WICK_HOST_PROBE_PATH = 512,
    WICK_HOST_PROBE_PARTS = 2,
};

enum wick_host_probe_kind {
    WICK_HOST_PROBE_COUNTER, /* perf's event, on each CPU */
    WICK_HOST_PROBE_TRACEPOINT,
    WICK_HOST_PROBE_FUNCTION,
};

struct wick_host_probe {
    enum wick_host_probe_kind kind;
    struct perf_event_attr attr; /* sample_period is that of the samples */
    struct {
        uint64_t config;
        enum wick_host_detail detail; /* of its occurrences */
    } parts[WICK_HOST_PROBE_PARTS];   /* what it is made of: page faults are minor and major ones */
    uint32_t nparts;
    char path[WICK_HOST_PROBE_PATH]; /* of a function: its file; attr.config1 is to point to it */
};

/* Finds what is called `name`; period 0 = its default. -WICK_E_USAGE: it does not exist, with similar names if there
 * are; -WICK_E_NOTFOUND: no such file; -WICK_E_PERM, -WICK_E_UNSUPPORTED; with a message that says what to do. */
int wick_host_probe_find(const char *name, uint64_t period, struct wick_host_probe *out, struct wick_err *err);

#endif
