/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * host_memory.h - the part of host.bpf.c that is about memory that is short: stalls of threads that free some of it
 * themselves, and the OOM killer
 *
 * Threads: each CPU, in threads.
 * Memory:  a map of fixed size, of stalls under way. None can be taken while a thread waits for memory.
 */
#ifndef WICK_BPF_HOST_MEMORY_H
#define WICK_BPF_HOST_MEMORY_H

enum { STALL_SKIP = 2, OOM_SKIP = 3 }; /* frames of what called the program */

/* --- stalls for memory --- */

struct stall {
    __u64 begin_ns;
    __u32 kind, pad; /* enum wick_host_stall */
};

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, WICK_HOST_STALLS);
    __type(key, __u32); /* number of the thread */
    __type(value, struct stall);
} stalls SEC(".maps");

/* The kernel's own thread compacts memory in the background, and nobody waits for it. */
STEP_INLINE bool is_background(__u32 kind)
{
    return kind == WICK_HOST_COMPACTION && (bpf_get_current_task_btf()->flags & KTHREAD);
}

STEP_INLINE int stall_begins(__u32 kind)
{
    __u32 zero = 0, tid = (__u32)bpf_get_current_pid_tgid();
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &zero);
    const struct stall begun = {bpf_ktime_get_ns(), kind, 0};
    if (!c || is_background(kind))
        return 0;
    if (bpf_map_update_elem(&stalls, &tid, &begun, BPF_ANY)) {
        __atomic_fetch_add(&c->stall.fired, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&c->stall.no_memory, 1, __ATOMIC_RELAXED);
    }
    return 0;
}

STEP_INLINE int stall_ends(void *ctx, __u32 kind)
{
    __u32 zero = 0, tid = (__u32)bpf_get_current_pid_tgid();
    __u64 now = bpf_ktime_get_ns();
    const struct wick_host_plan *p = bpf_map_lookup_elem(&plan, &zero);
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &zero);
    const struct stall *found = bpf_map_lookup_elem(&stalls, &tid);
    if (!p || !c || !found || found->kind != kind)
        return 0;
    __u64 begin = found->begin_ns;
    bpf_map_delete_elem(&stalls, &tid);
    __u64 whole = now > begin ? now - begin : 0, weight = stands_for(whole, p->stall_ns);
    __atomic_fetch_add(&c->stall.seen, 1, __ATOMIC_RELAXED);
    if (!weight)
        return 0;
    __atomic_fetch_add(&c->stall.fired, 1, __ATOMIC_RELAXED);
    struct walker *at = begin_span(WICK_HOST_STALL);
    if (!at) {
        __atomic_fetch_add(&c->stall.nested, 1, __ATOMIC_RELAXED);
        return 0;
    }
    at->record.head.span.begin_ns = begin;
    at->record.head.span.whole_ns = whole;
    at->record.head.span.weight_ns = weight;
    at->record.head.span.kind = kind;
    add_kernel(ctx, at, STALL_SKIP);
    if (end_span(at))
        __atomic_fetch_add(&c->stall.ring_full, 1, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&c->stall.recorded, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&c->stall.walk_ns, bpf_ktime_get_ns() - now, __ATOMIC_RELAXED);
    return 0;
}

SEC("tp_btf/mm_vmscan_direct_reclaim_begin")
int reclaim_begin(unsigned long long *ctx)
{
    return stall_begins(WICK_HOST_RECLAIM);
}

SEC("tp_btf/mm_vmscan_direct_reclaim_end")
int reclaim_end(unsigned long long *ctx)
{
    return stall_ends(ctx, WICK_HOST_RECLAIM);
}

SEC("tp_btf/mm_vmscan_memcg_reclaim_begin")
int cgroup_begin(unsigned long long *ctx)
{
    return stall_begins(WICK_HOST_CGROUP_RECLAIM);
}

SEC("tp_btf/mm_vmscan_memcg_reclaim_end")
int cgroup_end(unsigned long long *ctx)
{
    return stall_ends(ctx, WICK_HOST_CGROUP_RECLAIM);
}

SEC("tp_btf/mm_compaction_begin")
int compaction_begin(unsigned long long *ctx)
{
    return stall_begins(WICK_HOST_COMPACTION);
}

SEC("tp_btf/mm_compaction_end")
int compaction_end(unsigned long long *ctx)
{
    return stall_ends(ctx, WICK_HOST_COMPACTION);
}

/* --- the OOM killer ---
 *
 *   out of memory, in the thread that allocates --> SIGKILL for the victim --> mark_victim
 *
 * A victim is marked right after the signal, by the same thread; one that is marked without it was about to end
 * already. What the mark has of it is its number (before Linux 6.9) or the task, so what is to be known is read at the
 * signal. */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct percpu_counter {
    __s64 count;
};
struct mm_struct {
    struct percpu_counter rss_stat[4];
    unsigned long total_vm;
};
struct atomic_count {
    __s64 counter;
};
struct mm_rss_stat {
    struct atomic_count count[4];
};
struct mm_struct___before_6_2 {
    struct mm_rss_stat rss_stat;
};
struct kernfs_node {
    __u64 id;
};
struct cgroup {
    struct kernfs_node *kn;
};
struct css_set {
    struct cgroup *dfl_cgrp;
};
#pragma clang attribute pop

/* Who was killed last by a thread. */
struct killed {
    __u64 task;
    struct wick_host_oom of;
};

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, 256);
    __type(key, __u32); /* number of the thread that kills */
    __type(value, struct killed);
} kills SEC(".maps");

/* Where it is made: too large for a stack beside that of a walk. */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct killed);
} killing SEC(".maps");

#define EXISTS(field) __builtin_preserve_field_info(field, 2)

/* Pages of one kind; the kernel's number is the sum of its CPUs but for the latest few pages of each. */
#define PAGES(mm, i)                                                             \
    (EXISTS(((struct mm_struct___before_6_2 *)0)->rss_stat.count)                \
         ? count_at(&((struct mm_struct___before_6_2 *)(mm))->rss_stat.count[i]) \
         : count_at(&(mm)->rss_stat[i].count))

STEP_INLINE __u64 count_at(const void *counter)
{
    __s64 n = 0;
    bpf_probe_read_kernel(&n, sizeof n, counter);
    return n > 0 ? (__u64)n : 0;
}

static __attribute__((noinline)) void fill_memory(struct wick_host_memory *m, struct task_struct *task)
{
    struct mm_struct *mm = task->mm;
    __builtin_memset(m, 0, sizeof *m);
    if (!mm)
        return;
    m->file = PAGES(mm, 0);
    m->anonymous = PAGES(mm, 1);
    m->swapped = PAGES(mm, 2);
    m->shared = PAGES(mm, 3);
    m->virtual = mm->total_vm;
}

enum { SIGNAL_KILL = 9, FROM_KERNEL = 1 }; /* SEND_SIG_PRIV: no siginfo */

SEC("tp_btf/signal_generate")
int oom_signal(unsigned long long *ctx)
{
    struct task_struct *task = (struct task_struct *)ctx[2];
    __u32 zero = 0, tid = (__u32)bpf_get_current_pid_tgid();
    if ((int)ctx[0] != SIGNAL_KILL || ctx[1] != FROM_KERNEL)
        return 0;
    struct killed *k = bpf_map_lookup_elem(&killing, &zero);
    struct task_struct *leader = task->group_leader;
    if (!k)
        return 0;
    k->task = (__u64)task;
    k->of.birth = birth_of(leader);
    k->of.pid = (__u32)task->tgid;
    k->of.tid = (__u32)task->pid;
    k->of.cgroup = task->cgroups->dfl_cgrp->kn->id;
    bpf_probe_read_kernel_str(k->of.comm, sizeof k->of.comm, leader->comm);
    fill_memory(&k->of.victim, task);
    bpf_map_update_elem(&kills, &tid, k, BPF_ANY);
    return 0;
}

/* Its argument: the number of the victim's thread, an int, or from Linux 6.9 on the thread. */
SEC("raw_tp/mark_victim")
int oom_victim(unsigned long long *ctx)
{
    __u32 zero = 0, tid = (__u32)bpf_get_current_pid_tgid();
    __u64 which = ctx[0];
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &zero);
    const struct killed *k = bpf_map_lookup_elem(&kills, &tid);
    if (!c || !k || (which != k->task && (which >> 32 || which != k->of.tid)))
        return 0;
    __atomic_fetch_add(&c->oom_kills, 1, __ATOMIC_RELAXED);
    struct walker *at = begin_span(WICK_HOST_OOM_KILL);
    if (at) {
        at->record.head.oom = k->of;
        fill_memory(&at->record.head.oom.own, bpf_get_current_task_btf());
        bpf_map_delete_elem(&kills, &tid);
        add_kernel(ctx, at, OOM_SKIP);
    }
    if (!at || end_span(at))
        __atomic_fetch_add(&c->oom_lost, 1, __ATOMIC_RELAXED);
    return 0;
}

#endif
