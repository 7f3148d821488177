/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a JVM may have opened with the privileges of another process. The list is of what is allowed; the rest is
 * refused:
 *
 * - hardware, software, cache and raw events and tracepoints. Not breakpoints (they may watch kernel memory) and not
 *   dynamic PMUs (kprobe and uprobe are among them: opening one patches code; uncore ones count the whole machine).
 * - sampling, with a period or frequency, of one thread.
 * - samples made of addresses, numbers and times. Not PERF_SAMPLE_RAW (a tracepoint's record may hold kernel data), not
 *   registers, user stacks, physical addresses, branch records or aux data.
 * - no attribute that makes the event more than a sampler: sigtrap, redirected output, bpf, text poke, pinned or
 *   exclusive use of the PMU, inheritance.
 * - no kernel addresses for a target that may not learn them itself: the holder of the descriptor can map the ring,
 *   and one kernel pc gives away where the kernel was placed (KASLR).
 */
#include "sys/broker.h"

#include <string.h>

#define SAMPLES_ALLOWED                                                                                                \
    (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_ID | \
     PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_IDENTIFIER)

#define READ_ALLOWED (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID)

#define MIN_CLOCK_PERIOD_NS 10000u

static int refuse(struct wick_err *err, const char *what)
{
    return wick_err_set(err, WICK_E_PERM, "perf event refused: %s", what);
}

/* True if any field is set that is not on the list: the fields a sampler needs are blanked in a copy, and the rest,
 * bits of kernels to come included, has to be zero. */
static bool has_more(const struct perf_event_attr *a)
{
    static const struct perf_event_attr zero;
    struct perf_event_attr rest;
    memcpy(&rest, a, sizeof rest);
    rest.type = rest.size = 0;
    rest.config = rest.sample_period = rest.sample_type = rest.read_format = 0;
    rest.disabled = rest.exclude_user = rest.exclude_kernel = rest.exclude_hv = rest.exclude_idle = 0;
    rest.exclude_host = rest.exclude_guest = rest.exclude_callchain_kernel = rest.exclude_callchain_user = 0;
    rest.freq = rest.watermark = rest.sample_id_all = rest.use_clockid = rest.precise_ip = 0;
    rest.write_backward = 0; /* says where the ring begins */
    rest.wakeup_events = 0;
    rest.sample_max_stack = 0;
    rest.clockid = 0;
    return memcmp(&rest, &zero, sizeof rest) != 0;
}

static int check_rules(const struct perf_event_attr *a, struct wick_err *err)
{
    if (a->type != PERF_TYPE_HARDWARE && a->type != PERF_TYPE_SOFTWARE && a->type != PERF_TYPE_TRACEPOINT &&
        a->type != PERF_TYPE_HW_CACHE && a->type != PERF_TYPE_RAW)
        return refuse(err, "only hardware, software, cache and raw events and tracepoints are opened for a JVM");
    if (a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_BPF_OUTPUT)
        return refuse(err, "bpf-output is not opened for a JVM");
    if (!a->sample_period)
        return refuse(err, "it does not sample");
    if (a->type == PERF_TYPE_SOFTWARE && !a->freq && a->config <= PERF_COUNT_SW_TASK_CLOCK &&
        a->sample_period < MIN_CLOCK_PERIOD_NS)
        return refuse(err, "the interval is under 10us");
    if (a->sample_type & ~(uint64_t)SAMPLES_ALLOWED)
        return refuse(err, "it asks for more than addresses, numbers and times");
    if (a->read_format & ~(uint64_t)READ_ALLOWED)
        return refuse(err, "unknown read format");
    return has_more(a) ? refuse(err, "it asks for more than a sampler") : 0;
}

int wick_broker_check(const void *packet, size_t len, struct perf_event_attr *attr, struct wick_err *err)
{
    struct wick_broker_request r;
    if (len != sizeof r)
        return wick_err_set(err, WICK_E_FORMAT, "perf request of %zu bytes", len);
    memcpy(&r, packet, sizeof r);
    if (r.magic != WICK_BROKER_MAGIC || r.tid <= 0 || r.attr_size < PERF_ATTR_SIZE_VER0 ||
        r.attr_size > sizeof r.attr || r.attr.size != r.attr_size)
        return wick_err_set(err, WICK_E_FORMAT, "malformed perf request");
    struct perf_event_attr clean = {0};
    memcpy(&clean, &r.attr, r.attr_size);
    int rc = check_rules(&clean, err);
    if (!rc)
        *attr = clean;
    return rc;
}

/* The kernel's own rule for perf events (perf_allow_kernel). Under a filter that rule need not be what holds the target
 * back; then /proc/kallsyms is what shows addresses to all users. */
bool wick_broker_sees_kernel(const struct wick_broker_asker *a, long paranoid, long kptr_restrict)
{
    return a->perfmon || (paranoid <= 1 && (!a->seccomp || kptr_restrict == 0));
}

/* exclude_kernel is not enough: with hardware events the interrupt may come a little late, in the kernel. */
int wick_broker_check_addresses(const struct perf_event_attr *a, struct wick_err *err)
{
    if (a->sample_type & PERF_SAMPLE_IP)
        return refuse(err, "the sampled address may be the kernel's, which this process may not see");
    if ((a->sample_type & PERF_SAMPLE_CALLCHAIN) && !a->exclude_callchain_kernel)
        return refuse(err, "its call chains hold kernel addresses, which this process may not see");
    return 0;
}
