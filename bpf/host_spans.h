/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * host_spans.h - the part of host.bpf.c that records what a thread does from one moment to another, at its end
 *
 *   it begins --> noted, by thread          it ends, in the same thread --> long enough? --> its stacks --> record
 *
 * What is shorter than the threshold is chosen with the probability length / threshold and then stands for the
 * threshold, so sums are unbiased. The walk happens at the end, when it is known to be worth one: the thread is still
 * within the call that began it.
 *
 * Threads: each CPU, in threads. A program that finds the walker of its CPU taken counts a loss.
 * Memory:  none of its own.
 */
#ifndef WICK_BPF_HOST_SPANS_H
#define WICK_BPF_HOST_SPANS_H

/* What a time of that length stands for; 0 = it is not chosen. A threshold has 32 bits at most. */
static __attribute__((noinline)) __u64 stands_for(__u64 whole, __u64 threshold)
{
    if (!threshold || whole >= threshold)
        return threshold ? whole : 0;
    return ((__u64)bpf_get_prandom_u32() * threshold >> 32) < whole ? threshold : 0;
}

/* The walker of this CPU, taken, with the head of a record; NULL if it is at work. */
STEP_INLINE struct walker *begin_span(__u32 type)
{
    __u32 own = WICK_HOST_BY_SPAN;
    struct walker *at = bpf_map_lookup_elem(&walkers, &own);
    if (!at || __atomic_exchange_n(&at->env.busy, 1, __ATOMIC_RELAXED))
        return NULL;
    at->record.head.type = type;
    begin_record(at);
    at->record.head.flags |= WICK_HOST_IN_KERNEL;
    return at;
}

/* The kernel's stack, without `skip` frames. */
STEP_INLINE void add_kernel(void *ctx, struct walker *at, __u64 skip)
{
    long n = bpf_get_stack(ctx, at->record.kernel, sizeof at->record.kernel, skip);
    at->record.head.nkernel = n > 0 ? (__u32)n / 8 : 0;
}

/* With the user's stack. 0, or non-zero if the ring is full. */
STEP_INLINE long end_span(struct walker *at)
{
    if (load_entry(at))
        walk_user(at);
    long rc = put(at);
    at->env.busy = 0;
    return rc;
}

#endif
