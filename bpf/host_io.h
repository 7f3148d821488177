/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * host_io.h - the part of host.bpf.c that is about block I/O: requests to devices, and how long they take
 *
 *   block_rq_insert, or block_rq_issue if that comes first: the thread that made the request --> its stacks --> record
 *   block_rq_issue: the device has it                        block_rq_complete: it is done --> record of how long
 *   block_rq_merge: another one has its data now, its own address is used again --> record that it has no end
 *   block_rq_requeue: the device did not take it
 *
 * A request is known by its address, and by when it began, since addresses are used again. Both records have these, and
 * user space puts them together. What was lost of a request at its start is kept with it and counted at its end, so
 * that requests which go on when recording ends are neither fired nor lost. Linux 6.18 was seen not to call the
 * program at the end of some requests, and counted none as missed: such a request is lost, which shows when the next
 * one begins at its address.
 *
 * Threads: each CPU, in threads and in interrupts, which may come within one another: counts are atomic.
 * Memory:  a map of fixed size, of requests under way.
 */
#ifndef WICK_BPF_HOST_IO_H
#define WICK_BPF_HOST_IO_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct gendisk {
    int major, first_minor;
};
struct request_queue {
    struct gendisk *disk;
};
struct request {
    struct request_queue *q;
    unsigned int cmd_flags, __data_len;
};
#pragma clang attribute pop

enum transfer_state { NOT_CHOSEN, CHOSEN, LOST_NESTED, LOST_RING };

/* A request under way. */
struct transfer {
    __u64 begin_ns, issued_ns; /* issued_ns: 0 = the device does not have it yet */
    __u32 bytes, state;        /* enum transfer_state */
};

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, WICK_HOST_TRANSFERS);
    __type(key, __u64);
    __type(value, struct transfer);
} transfers SEC(".maps");

enum { OPERATION = 0xff, IO_SKIP = 3 };

static __attribute__((noinline)) void fill_io(struct wick_host_io *io, struct request *rq, const struct transfer *t)
{
    struct gendisk *disk = rq->q->disk;
    io->request = (__u64)rq;
    io->begin_ns = t->begin_ns;
    io->bytes = t->bytes;
    io->operation = rq->cmd_flags & OPERATION;
    io->major = disk ? (__u32)disk->major : 0;
    io->minor = disk ? (__u32)disk->first_minor : 0;
}

/* A request that was chosen begins, in the thread that made it. Returns what became of its record. */
STEP_INLINE __u32 record_start(void *ctx, struct request *rq, const struct transfer *t)
{
    __u32 own = WICK_HOST_BY_IO, state = CHOSEN;
    struct walker *at = bpf_map_lookup_elem(&walkers, &own);
    struct wick_host_counts *c;
    if (!at || __atomic_exchange_n(&at->env.busy, 1, __ATOMIC_RELAXED))
        return LOST_NESTED;
    at->record.head.type = WICK_HOST_IO;
    begin_record(at);
    at->record.head.flags |= WICK_HOST_IN_KERNEL;
    fill_io(&at->record.head.io, rq, t);
    long n = bpf_get_stack(ctx, at->record.kernel, sizeof at->record.kernel, IO_SKIP);
    at->record.head.nkernel = n > 0 ? (__u32)n / 8 : 0;
    if (load_entry(at))
        walk_user(at);
    if (put(at))
        state = LOST_RING;
    own = 0;
    if ((c = bpf_map_lookup_elem(&counts, &own)))
        __atomic_fetch_add(&c->io.walk_ns, bpf_ktime_get_ns() - at->record.head.time_ns, __ATOMIC_RELAXED);
    at->env.busy = 0;
    return state;
}

/* 0, or non-zero if the ring is full. type: WICK_HOST_IO_END or WICK_HOST_IO_GONE. */
static __attribute__((noinline)) long record_end(struct request *rq, const struct transfer *t, __u64 now, __u32 type)
{
    __u32 zero = 0, *busy = bpf_map_lookup_elem(&ending, &zero);
    struct wick_host_head *h = NULL;
    if (!busy)
        return -1;
    __u32 before = *busy;
    *busy = 1;
    if ((h = bpf_ringbuf_reserve(&ring, sizeof *h, 0))) {
        __builtin_memset(h, 0, sizeof *h);
        h->type = type;
        h->time_ns = now;
        fill_io(&h->io, rq, t);
        h->io.whole_ns = now - t->begin_ns;
        h->io.queued_ns = t->issued_ns ? t->issued_ns - t->begin_ns : h->io.whole_ns;
        bpf_ringbuf_submit(h, BPF_RB_NO_WAKEUP);
    }
    *busy = before;
    return h ? 0 : -1;
}

/* Whether a request that is queued, or given to its device, is known, and no other one at its address. In functions
 * of their own, whose stacks are not there beside a walk. */
static __attribute__((noinline)) bool goes_on(struct request *rq, bool issued, __u64 now)
{
    __u32 zero = 0;
    __u64 key = (__u64)rq;
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &zero);
    struct transfer *t = bpf_map_lookup_elem(&transfers, &key);
    if (!c || !t)
        return false;
    if (!t->issued_ns) {
        if (issued) {
            t->issued_ns = now;
            t->bytes = rq->__data_len; /* others were merged with it */
        }
        return true;
    }
    const struct transfer ended = *t;
    if (bpf_map_delete_elem(&transfers, &key) || ended.state == NOT_CHOSEN)
        return false;
    __atomic_fetch_add(&c->io.fired, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&c->io.unseen, 1, __ATOMIC_RELAXED);
    if (ended.state == CHOSEN)
        record_end(rq, &ended, now, WICK_HOST_IO_GONE);
    return false;
}

/* Notes a request that is queued, or given to its device. Whether it is a new one that was chosen. */
static __attribute__((noinline)) bool note_request(struct request *rq, bool issued)
{
    __u32 zero = 0;
    __u64 key = (__u64)rq, now = bpf_ktime_get_ns();
    const struct wick_host_plan *p = bpf_map_lookup_elem(&plan, &zero);
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &zero);
    if (!p || !c || goes_on(rq, issued, now))
        return false;
    bool chosen = p->io_period < 2 || bpf_get_prandom_u32() % p->io_period == 0;
    struct transfer begun = {now, issued ? now : 0, rq->__data_len, chosen ? CHOSEN : NOT_CHOSEN};
    __atomic_fetch_add(&c->io.requests, 1, __ATOMIC_RELAXED);
    bool noted = !bpf_map_update_elem(&transfers, &key, &begun, BPF_NOEXIST);
    if (!noted && chosen) {
        __atomic_fetch_add(&c->io.fired, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&c->io.no_memory, 1, __ATOMIC_RELAXED);
    }
    return noted && chosen;
}

STEP_INLINE int request_begins(void *ctx, struct request *rq, bool issued)
{
    __u64 key = (__u64)rq;
    if (!note_request(rq, issued))
        return 0;
    struct transfer *t = bpf_map_lookup_elem(&transfers, &key);
    __u32 state = t ? record_start(ctx, rq, t) : CHOSEN;
    if (state != CHOSEN && (t = bpf_map_lookup_elem(&transfers, &key))) /* it may be done by now */
        t->state = state;
    return 0;
}

SEC("tp_btf/block_rq_insert")
int io_insert(unsigned long long *ctx)
{
    return request_begins(ctx, (struct request *)ctx[0], false);
}

SEC("tp_btf/block_rq_issue")
int io_issue(unsigned long long *ctx)
{
    return request_begins(ctx, (struct request *)ctx[0], true);
}

/* A part of a request may be done first. */
SEC("tp_btf/block_rq_complete")
int io_complete(unsigned long long *ctx)
{
    struct request *rq = (struct request *)ctx[0];
    __u64 key = (__u64)rq, now = bpf_ktime_get_ns();
    __u32 zero = 0, done = (__u32)ctx[2];
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &zero);
    const struct transfer *found = bpf_map_lookup_elem(&transfers, &key);
    if (!c || !found || done < rq->__data_len)
        return 0;
    const struct transfer t = *found;
    if (bpf_map_delete_elem(&transfers, &key) || t.state == NOT_CHOSEN)
        return 0;
    __atomic_fetch_add(&c->io.fired, 1, __ATOMIC_RELAXED);
    if (t.state == LOST_NESTED)
        __atomic_fetch_add(&c->io.nested, 1, __ATOMIC_RELAXED);
    else if (t.state == LOST_RING || record_end(rq, &t, now, WICK_HOST_IO_END))
        __atomic_fetch_add(&c->io.ring_full, 1, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&c->io.recorded, 1, __ATOMIC_RELAXED);
    return 0;
}

/* The device has no room for it. */
SEC("tp_btf/block_rq_requeue")
int io_requeue(unsigned long long *ctx)
{
    __u64 key = ctx[0];
    struct transfer *t = bpf_map_lookup_elem(&transfers, &key);
    if (t)
        t->issued_ns = 0;
    return 0;
}

/* A queued request becomes part of another one, which is done for both; the kernel does not count it either. */
SEC("tp_btf/block_rq_merge")
int io_merge(unsigned long long *ctx)
{
    struct request *rq = (struct request *)ctx[0];
    __u64 key = (__u64)rq;
    __u32 zero = 0;
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &zero);
    const struct transfer *found = bpf_map_lookup_elem(&transfers, &key);
    if (!c || !found)
        return 0;
    const struct transfer t = *found;
    if (bpf_map_delete_elem(&transfers, &key))
        return 0;
    __atomic_fetch_sub(&c->io.requests, 1, __ATOMIC_RELAXED);
    if (t.state == CHOSEN)
        record_end(rq, &t, t.begin_ns, WICK_HOST_IO_GONE);
    return 0;
}

#endif
