/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * host_counted.h - the part of host.bpf.c that is about counted events: tracepoints, probes of functions, perf's events
 *
 *   occurrence --> counted[event]: every Nth on a CPU --> kernel's stack, process's stack --> record
 *
 * One program of each kind serves all events of it: the kernel hands it the number that the event was given when it was
 * attached. What a tracepoint or probe calls runs at every occurrence, so these count themselves; of perf's events
 * it is the kernel that counts, and only what it samples comes here.
 *
 * An event may occur wherever the kernel is, also in what wick's own programs do: in the lock of the ring, in the
 * interrupt by which a record is announced. The kernel runs no program of a tracepoint or a perf event within another
 * one of these. Within wick's other programs an occurrence is not recorded (it is counted as a loss), and records are
 * announced once a millisecond at most.
 *
 * Threads: each CPU, wherever it is. A program at a user's probe may be preempted by another one at the same CPU.
 * Memory:  arrays of each CPU.
 */
#ifndef WICK_BPF_HOST_COUNTED_H
#define WICK_BPF_HOST_COUNTED_H

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, WICK_HOST_COUNTED);
    __type(key, __u32);
    __type(value, struct wick_host_counted);
} counted SEC(".maps");

/* Whether an occurrence is the one that is recorded for all since the last. */
static __attribute__((noinline)) bool is_chosen(struct wick_host_counted *e)
{
    __u64 before = __atomic_fetch_add(&e->hits, 1, __ATOMIC_RELAXED);
    return e->period < 2 || (before + e->phase) % e->period == 0;
}

/* Another program of wick is at work on this CPU: of waits, of probes, or of the end of a process. */
static __attribute__((noinline)) bool is_within(__u32 own)
{
    __u32 zero = 0;
    const __u32 *busy = bpf_map_lookup_elem(&ending, &zero);
    if (busy && *busy)
        return true;
    for (__u32 i = WICK_HOST_BY_WAIT; i < WICK_HOST_WALKERS; i++) {
        __u32 key = i;
        const struct walker *w = bpf_map_lookup_elem(&walkers, &key);
        if (w && i != own && w->env.busy)
            return true;
    }
    return false;
}

/* The walker of that number, taken; NULL, and counted, if it cannot be had. */
static __attribute__((noinline)) struct walker *take_walker(struct wick_host_counted *e, __u32 own)
{
    struct walker *at = bpf_map_lookup_elem(&walkers, &own);
    if (at && !is_within(own) && !__atomic_exchange_n(&at->env.busy, 1, __ATOMIC_RELAXED)) {
        at->env.at_hand.tables = own == WICK_HOST_BY_COUNTER ? KEPT_BY_COUNTER : KEPT_NONE;
        return at;
    }
    __atomic_fetch_add(&e->nested, 1, __ATOMIC_RELAXED);
    return NULL;
}

static __attribute__((noinline)) void fill_counted(struct walker *at, __u64 cookie, __u32 flags)
{
    at->record.head.type = WICK_HOST_OCCURRENCE;
    begin_record(at);
    at->record.head.flags |= flags;
    at->record.head.event = (__u32)cookie;
    at->record.head.detail = (__u32)(cookie >> 32);
}

/* The registers with which the thread came into the kernel, if it did. */
static __attribute__((noinline)) bool load_entry(struct walker *at)
{
    return !(at->record.head.flags & WICK_HOST_KTHREAD) &&
           !bpf_probe_read_kernel(&at->env.regs, sizeof at->env.regs,
                                  (const void *)bpf_task_pt_regs(bpf_get_current_task_btf())) &&
           (at->env.regs.cs & USER_MODE) == USER_MODE;
}

static __attribute__((noinline)) int put_counted(struct walker *at, struct wick_host_counted *e)
{
    if (put(at))
        __atomic_fetch_add(&e->ring_full, 1, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&e->recorded, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&e->walk_ns, bpf_ktime_get_ns() - at->record.head.time_ns, __ATOMIC_RELAXED);
    at->env.busy = 0;
    return 0;
}

SEC("perf_event")
int counted_perf(struct perf_context *ctx)
{
    __u64 cookie = bpf_get_attach_cookie(ctx);
    __u32 key = (__u32)cookie;
    struct wick_host_counted *e = bpf_map_lookup_elem(&counted, &key);
    if (!e)
        return 0;
    __atomic_fetch_add(&e->fired, 1, __ATOMIC_RELAXED);
    struct walker *at = take_walker(e, WICK_HOST_BY_COUNTER);
    if (!at)
        return 0;
    bool in_user = (ctx->regs.cs & USER_MODE) == USER_MODE;
    fill_counted(at, cookie, in_user ? 0 : WICK_HOST_IN_KERNEL);
    if (!in_user) {
        long n = bpf_get_stack(ctx, at->record.kernel, sizeof at->record.kernel, 0);
        at->record.head.nkernel = n > 0 ? (__u32)n / 8 : 0;
    }
    if (in_user)
        at->env.regs = ctx->regs;
    if (in_user || load_entry(at))
        walk_user(at);
    return put_counted(at, e);
}

SEC("tracepoint")
int counted_tracepoint(void *ctx)
{
    __u64 cookie = bpf_get_attach_cookie(ctx);
    __u32 key = (__u32)cookie;
    struct wick_host_counted *e = bpf_map_lookup_elem(&counted, &key);
    if (!e || !is_chosen(e))
        return 0;
    __atomic_fetch_add(&e->fired, 1, __ATOMIC_RELAXED);
    struct walker *at = take_walker(e, WICK_HOST_BY_COUNTER);
    if (!at)
        return 0;
    fill_counted(at, cookie, WICK_HOST_IN_KERNEL);
    long n = bpf_get_stack(ctx, at->record.kernel, sizeof at->record.kernel, 0);
    at->record.head.nkernel = n > 0 ? (__u32)n / 8 : 0;
    if (load_entry(at))
        walk_user(at);
    return put_counted(at, e);
}

/* At a function's start or its return, in the thread that runs it: its own registers are those of the process. */
SEC("uprobe")
int counted_probe(struct pt_regs *ctx)
{
    __u64 cookie = bpf_get_attach_cookie(ctx);
    __u32 key = (__u32)cookie;
    struct wick_host_counted *e = bpf_map_lookup_elem(&counted, &key);
    if (!e || !is_chosen(e))
        return 0;
    __atomic_fetch_add(&e->fired, 1, __ATOMIC_RELAXED);
    struct walker *at = take_walker(e, WICK_HOST_BY_PROBE);
    if (!at)
        return 0;
    fill_counted(at, cookie, 0);
    at->env.regs = *ctx;
    walk_user(at);
    return put_counted(at, e);
}

#endif
