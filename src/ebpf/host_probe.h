/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_probe.h - a counted event of `wick host`, from its name to what the kernel attaches a program to
 *
 *     sched:sched_process_exec            a tracepoint, by its number in tracefs
 *     uprobe:/usr/lib/libz.so.1:deflate   a function's start; uretprobe: its return
 *     usdt:hotspot:gc__begin              a static probe (ebpf/host_usdt.h)
 *     page-faults                         perf's own names (def/perf_event.def)
 *
 * tracefs is found where it is usually mounted. Where it is not, it is opened without mounting it anywhere, which takes
 * CAP_SYS_ADMIN.
 *
 * Threads: any.
 * Memory:  the caller's, and the places (ebpf/host_place.h) until _release.
 */
#ifndef WICK_EBPF_HOST_PROBE_H
#define WICK_EBPF_HOST_PROBE_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "base/err.h"
#include "ebpf/host_place.h"

/* Where the kernel says the type of probes of functions, if it has them. */
#define WICK_HOST_PROBE_TYPE "/sys/bus/event_source/devices/uprobe/type"

enum wick_host_probe_kind {
    WICK_HOST_PROBE_COUNTER, /* perf's event, on each CPU */
    WICK_HOST_PROBE_TRACEPOINT,
    WICK_HOST_PROBE_FUNCTION, /* of a function, or static */
};

struct wick_host_probe {
    enum wick_host_probe_kind kind;
    struct perf_event_attr attr;    /* sample_period is that of the samples */
    struct wick_host_places places; /* what it is made of: page faults are minor and major ones */
};

/* Finds what is called `name`; period 0 = its default. -WICK_E_USAGE: it does not exist, with similar names if there
 * are; -WICK_E_NOTFOUND: no such file; -WICK_E_PERM, -WICK_E_UNSUPPORTED; with a message that says what to do, and
 * *out is to be released all the same. */
int wick_host_probe_find(const char *name, uint64_t period, struct wick_host_probe *out, struct wick_err *err);
void wick_host_probe_release(struct wick_host_probe *p);

#endif
