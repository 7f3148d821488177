/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * host_alloc.h - the part of host.bpf.c that is about objects that JVMs allocate
 *
 *   AllocTracer of a JVM: an object did not fit into its thread's buffer --> bytes it stands for --> chosen? --> record
 *   wick:alloc__sample of wick's agent: a sample with its weight ----------------------------------> chosen? --> record
 *   JavaThread::exit: bytes since the thread's last such object -----------------------------------> chosen? --> record
 *
 * For how many bytes an object stands is the agent's arithmetic (engine/alloc/alloc_buffer_rule.h), by what the thread
 * has allocated and by its buffer, which are read from its JavaThread. What stands for less than the threshold is
 * chosen in proportion, so sums are unbiased. While the agent of a process reports allocations, AllocTracer's are not
 * recorded: the agent's stand for the same bytes. That it does is seen by its samples, and that it has stopped by what
 * is allocated without one.
 *
 * A JVM is known here when user space has read it. It hears of one that is new by the name of one of its threads.
 *
 * Threads: each CPU, in threads; what belongs to a thread goes with it.
 * Memory:  storage of tasks, three maps of fixed size.
 */
#ifndef WICK_BPF_HOST_ALLOC_H
#define WICK_BPF_HOST_ALLOC_H

#include "engine/alloc/alloc_buffer_rule.h"

/* A thread of a JVM. */
struct alloc_thread {
    struct wick_host_birth birth; /* of its process: after exec it is another one */
    __u64 java;                   /* JavaThread; 0 = it has none yet, or none any more */
    struct wick_alloc_buffer buffer;
    struct wick_alloc_buffer_seen seen;
    struct pt_regs regs; /* at the probe: a program's own cannot be read by a number */
};

/* A process whose agent reports allocations. */
struct alloc_agent {
    __u64 weight; /* of its last sample */
    __u64 silent; /* bytes that AllocTracer has shown since then */
};

/* How many times the weight of a sample may be allocated without one until the agent is taken to have stopped. Its
 * samples lie at random: e^-64. */
enum { ALLOC_SILENT = 64 };

enum { KLASS_LEAST = 4096, ALLOC_ALIGNED = 8, ALLOC_MOST_BITS = 40, REGISTERS = sizeof(struct pt_regs) / 8 };
enum { START_AGAIN_NS = 20000000 };

struct {
    __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, int);
    __type(value, struct alloc_thread);
} alloc_threads SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, WICK_HOST_JVMS);
    __type(key, struct wick_host_birth);
    __type(value, struct wick_host_allocs);
} alloc_jvms SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, WICK_HOST_JVMS);
    __type(key, struct wick_host_birth);
    __type(value, struct alloc_agent);
} alloc_agents SEC(".maps");

/* When a process was said to be a JVM that starts. */
struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, WICK_HOST_JVMS);
    __type(key, struct wick_host_birth);
    __type(value, __u64);
} alloc_starts SEC(".maps");

#define READ_USER(to, addr) bpf_probe_read_user(&(to), sizeof(to), (const void *)(addr))

/* --- the thread --- */

/* The thread as one of that JavaThread. What it has allocated is known from its birth if that was seen. */
static __attribute__((noinline)) int meet_thread(struct alloc_thread *t, const struct wick_host_allocs *j, __u64 java)
{
    struct task_struct *task = bpf_get_current_task_btf();
    struct task_struct *leader = task->group_leader;
    bool same = t->birth.start_ns == leader->start_boottime && t->birth.execs == leader->self_exec_id;
    if (same && t->java == java)
        return 0;
    __builtin_memset(&t->buffer, 0, sizeof t->buffer);
    t->buffer.known = same || task->start_boottime >= j->since_ns;
    t->birth.start_ns = leader->start_boottime;
    t->birth.execs = leader->self_exec_id;
    t->java = java;
    return 0;
}

/* What the thread has allocated and its buffer, around an object whose sizes are in t->seen. 0, or non-zero if that
 * cannot be read. */
static __attribute__((noinline)) int read_thread(struct alloc_thread *t, const struct wick_host_allocs *j)
{
    __u64 allocated, start, top, end, desired;
    struct wick_alloc_buffer_seen *s = &t->seen;
    if (READ_USER(allocated, t->java + j->allocated) || READ_USER(start, t->java + j->tlab_start) ||
        READ_USER(top, t->java + j->tlab_top) || READ_USER(end, t->java + j->tlab_end) ||
        READ_USER(desired, t->java + j->tlab_desired))
        return -1;
    bool there = start && start <= top && top <= end;
    allocated += there ? top - start : 0;
    __u64 own = j->after || !s->fresh ? s->size : 0; /* what has been counted of the object */
    s->before = allocated > own ? allocated - own : 0;
    s->present = there && !s->fresh ? end - start : 0;
    s->used = there && !s->fresh ? top - start : 0;
    s->desired = desired >> ALLOC_MOST_BITS ? 0 : desired * ALLOC_ALIGNED;
    return 0;
}

/* For how many bytes the object stands. */
static __attribute__((noinline)) __u64 bytes_of(struct alloc_thread *t)
{
    return alloc_buffer_seen(&t->buffer, &t->seen);
}

/* Whether the agent of the process reports allocations; so many bytes are shown here. */
static __attribute__((noinline)) bool agent_reports(__u64 bytes)
{
    const struct wick_host_birth key = birth_of(bpf_get_current_task_btf()->group_leader);
    struct alloc_agent *a = bpf_map_lookup_elem(&alloc_agents, &key);
    if (!a)
        return false;
    if (__atomic_fetch_add(&a->silent, bytes, __ATOMIC_RELAXED) + bytes <= ALLOC_SILENT * a->weight)
        return true;
    bpf_map_delete_elem(&alloc_agents, &key);
    return false;
}

static __attribute__((noinline)) int agent_has_reported(__u64 weight)
{
    const struct wick_host_birth key = birth_of(bpf_get_current_task_btf()->group_leader);
    const struct alloc_agent now = {weight, 0};
    struct alloc_agent *a = bpf_map_lookup_elem(&alloc_agents, &key);
    if (!a)
        return (int)bpf_map_update_elem(&alloc_agents, &key, &now, BPF_ANY);
    a->weight = weight;
    a->silent = 0;
    return 0;
}

/* --- the record --- */

/* The class's name, if it is in memory now. */
static __attribute__((noinline)) int name_class(struct walker *at, const struct wick_host_allocs *j, __u64 klass)
{
    __u64 symbol = 0;
    __u16 length = 0;
    at->record.class_name[0] = 0;
    if (READ_USER(symbol, klass + j->klass_name) || READ_USER(length, symbol + j->symbol_length))
        return 0;
    __u32 n = length;
    __asm__ volatile("" : "+r"(n)); /* what is compared is what is used */
    if (n > sizeof at->record.class_name - 1)
        n = sizeof at->record.class_name - 1;
    if (bpf_probe_read_user(at->record.class_name, n, (const void *)(symbol + j->symbol_body)))
        n = 0;
    at->record.class_name[n] = 0;
    return 0;
}

/* The walker of this CPU, taken, with the head of a record; NULL if it is at work. */
STEP_INLINE struct walker *begin_alloc(__u64 weight, __u64 size, __u64 klass, __u32 own_tid)
{
    __u32 own = WICK_HOST_BY_ALLOC;
    struct walker *at = bpf_map_lookup_elem(&walkers, &own);
    if (!at || __atomic_exchange_n(&at->env.busy, 1, __ATOMIC_RELAXED))
        return NULL;
    at->record.head.type = WICK_HOST_ALLOC;
    begin_record(at);
    at->record.head.object.weight = weight;
    at->record.head.object.size = size;
    at->record.head.object.klass = klass;
    at->record.head.object.own_tid = own_tid;
    return at;
}

/* The record is made; at: NULL = it could not be. */
STEP_INLINE int end_alloc(struct wick_host_counts *c, struct walker *at, __u64 begin_ns)
{
    bool full = at && put(at);
    if (at)
        at->env.busy = 0;
    count_call(&c->alloc, !at, full, bpf_ktime_get_ns() - begin_ns);
    return 0;
}

/* --- the probes --- */

/* The arguments of a call (hotspot/alloc_tracer.h). False: no allocation looks so. */
static __attribute__((noinline)) bool take_arguments(struct alloc_thread *t, const struct pt_regs *r, __u64 refill,
                                                     __u64 has_thread)
{
    __u64 first = has_thread ? r->rdx : r->rsi, second = has_thread ? r->rcx : r->rdx;
    struct wick_alloc_buffer_seen *s = &t->seen;
    s->fresh = refill ? first : 0;
    s->size = refill ? second : first;
    return r->rdi >= KLASS_LEAST && r->rdi % ALLOC_ALIGNED == 0 && s->size && s->size % ALLOC_ALIGNED == 0 &&
           !(s->size >> ALLOC_MOST_BITS) && !(s->fresh >> ALLOC_MOST_BITS) && s->fresh % ALLOC_ALIGNED == 0 &&
           (!refill || s->size <= s->fresh);
}

/* The thread's JavaThread, as far as it is known; 0 = it is not. */
static __attribute__((noinline)) __u64 known_java(void)
{
    const struct task_struct *task = bpf_get_current_task_btf();
    const struct wick_host_thread key = {task->start_boottime, (__u32)task->pid, 0};
    const struct wick_host_java_thread *known = bpf_map_lookup_elem(&threads, &key);
    return known ? known->addr : 0;
}

/* The number of the thread as the JVM has it, where its process lives; 0 = that is no JavaThread. */
static __attribute__((noinline)) __u32 own_number(const struct wick_host_allocs *j, __u64 java)
{
    __u64 osthread = 0;
    __u32 number = 0;
    if (READ_USER(osthread, java + j->thread_osthread) || READ_USER(number, osthread + j->osthread_tid))
        return 0;
    return number;
}

SEC("uprobe")
int alloc_call(struct pt_regs *ctx)
{
    __u32 zero = 0;
    __u64 begin_ns = bpf_ktime_get_ns(), refill = bpf_get_attach_cookie(ctx) == WICK_HOST_ALLOC_REFILL;
    struct task_struct *task = bpf_get_current_task_btf();
    const struct wick_host_birth birth = birth_of(task->group_leader);
    struct wick_host_allocs *j = bpf_map_lookup_elem(&alloc_jvms, &birth);
    const struct wick_host_plan *p = bpf_map_lookup_elem(&plan, &zero);
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &zero);
    if (!j || !p || !c)
        return 0;
    __atomic_fetch_add(&j->calls, 1, __ATOMIC_RELAXED);
    struct alloc_thread *t = bpf_task_storage_get(&alloc_threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
    if (!t) /* the thread's next object stands for its bytes */
        return 0;
    t->regs = *ctx;
    if (!take_arguments(t, &t->regs, refill, j->has_thread))
        return 0;
    __u64 java = !j->has_thread ? known_java() : refill ? t->regs.r8 : t->regs.rcx;
    __u32 own_tid = 0;
    if (!java || (j->osthread_tid && !(own_tid = own_number(j, java))))
        return 0;
    meet_thread(t, j, java);
    if (read_thread(t, j))
        return 0;
    __atomic_fetch_add(&c->alloc.seen, 1, __ATOMIC_RELAXED);
    __u64 bytes = bytes_of(t);
    if (!bytes || bytes >> ALLOC_MOST_BITS || agent_reports(bytes)) /* so many at once are no thread's */
        return 0;
    __u64 weight = stands_for(bytes, p->alloc_bytes);
    if (!weight)
        return 0;
    struct walker *at = begin_alloc(weight, t->seen.size, t->regs.rdi, own_tid);
    if (at) {
        name_class(at, j, t->regs.rdi);
        at->env.regs = t->regs;
        walk_user(at);
    }
    return end_alloc(c, at, begin_ns);
}

/* A thread ends: no object stands for the last of its bytes. */
SEC("uprobe")
int alloc_end(struct pt_regs *ctx)
{
    __u32 zero = 0;
    __u64 begin_ns = bpf_ktime_get_ns();
    struct task_struct *task = bpf_get_current_task_btf();
    const struct wick_host_birth birth = birth_of(task->group_leader);
    const struct wick_host_allocs *j = bpf_map_lookup_elem(&alloc_jvms, &birth);
    const struct wick_host_plan *p = bpf_map_lookup_elem(&plan, &zero);
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &zero);
    struct alloc_thread *t = bpf_task_storage_get(&alloc_threads, task, NULL, 0);
    if (!j || !p || !c || !t || !t->java || t->java != ctx->rdi)
        return 0;
    t->seen.size = t->seen.fresh = 0;
    int rc = read_thread(t, j);
    t->java = 0; /* it may have another one later, which is seen from its birth */
    __u64 bytes = rc ? 0 : alloc_buffer_rest(&t->buffer, t->seen.before);
    if (!bytes || bytes >> ALLOC_MOST_BITS || agent_reports(bytes))
        return 0;
    __u64 weight = stands_for(bytes, p->alloc_bytes);
    if (!weight)
        return 0;
    struct walker *at = begin_alloc(weight, 0, 0, 0);
    if (at) {
        struct wick_step_frame *f = &at->record.frames[0];
        __builtin_memset(f, 0, sizeof *f);
        f->kind = WICK_STEP_BREAK;
        f->stop = WICK_STOP_ENDED;
        at->record.head.nframes = 1;
        at->record.class_name[0] = 0;
    }
    return end_alloc(c, at, begin_ns);
}

/* A register by its place in struct pt_regs. */
static __attribute__((noinline)) __u64 argument(const struct alloc_thread *t, __u64 number)
{
    number &= 31;
    return number < REGISTERS ? ((const __u64 *)&t->regs)[number] : 0;
}

/* A sample of wick's agent. The cookie has the places of its three arguments, a byte each. */
SEC("uprobe")
int alloc_report(struct pt_regs *ctx)
{
    __u32 zero = 0;
    __u64 begin_ns = bpf_ktime_get_ns(), cookie = bpf_get_attach_cookie(ctx);
    struct task_struct *task = bpf_get_current_task_btf();
    const struct wick_host_plan *p = bpf_map_lookup_elem(&plan, &zero);
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &zero);
    struct alloc_thread *t = bpf_task_storage_get(&alloc_threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
    if (!p || !c)
        return 0;
    __atomic_fetch_add(&c->alloc.seen, 1, __ATOMIC_RELAXED);
    if (!t) {
        count_lost(&c->alloc);
        return 0;
    }
    t->regs = *ctx;
    __u64 size = argument(t, cookie >> 8), stands = argument(t, cookie >> 16);
    if (stands >> ALLOC_MOST_BITS) /* no agent says so */
        return 0;
    agent_has_reported(stands);
    __u64 weight = stands_for(stands, p->alloc_bytes);
    if (!weight)
        return 0;
    struct walker *at = begin_alloc(weight, size, 0, 0);
    if (at) {
        if (bpf_probe_read_user_str(at->record.class_name, sizeof at->record.class_name,
                                    (const void *)argument(t, cookie)) < 0)
            at->record.class_name[0] = 0;
        at->env.regs = t->regs;
        walk_user(at);
    }
    return end_alloc(c, at, begin_ns);
}

/* --- JVMs that start --- */

/* Eight letters as a word in memory. */
#define LETTERS(a, b, c, d, e, f, g, h)                                                                                \
    ((__u64)(h) << 56 | (__u64)(g) << 48 | (__u64)(f) << 40 | (__u64)(e) << 32 | (__u64)(d) << 24 | (__u64)(c) << 16 | \
     (__u64)(b) << 8 | (__u64)(a))

/* Whether a thread is called as one that every JVM makes as it starts, "VM Thread", or the agent, "wick-control". */
static __attribute__((noinline)) bool is_start(const char *comm)
{
    union {
        char text[WICK_HOST_COMM];
        __u64 word[WICK_HOST_COMM / 8];
    } name = {.word = {0}};
    if (bpf_probe_read_kernel_str(name.text, sizeof name.text, comm) < 0)
        return false;
    return (name.word[0] == LETTERS('V', 'M', ' ', 'T', 'h', 'r', 'e', 'a') && name.word[1] == 'd') ||
           name.word[0] == LETTERS('w', 'i', 'c', 'k', '-', 'c', 'o', 'n');
}

/* Whether that was said of the process just now: it may call its threads so as often as it likes. */
static __attribute__((noinline)) bool is_said(const struct wick_host_birth *birth, __u64 now_ns)
{
    const struct wick_host_birth key = *birth;
    const __u64 *last_ns = bpf_map_lookup_elem(&alloc_starts, &key);
    if (last_ns && now_ns - *last_ns < START_AGAIN_NS)
        return true;
    bpf_map_update_elem(&alloc_starts, &key, &now_ns, BPF_ANY);
    return false;
}

/* A thread gets a name, from one of its process. */
SEC("tp_btf/task_rename")
int alloc_start(unsigned long long *ctx)
{
    __u32 zero = 0, *busy = bpf_map_lookup_elem(&ending, &zero);
    struct wick_host_birth birth = birth_of(bpf_get_current_task_btf()->group_leader);
    struct wick_host_head *h;
    if (!busy || !is_start((const char *)ctx[1]) || is_said(&birth, bpf_ktime_get_ns()))
        return 0;
    __u32 before = *busy;
    *busy = 1;
    if ((h = bpf_ringbuf_reserve(&ring, sizeof *h, 0))) {
        __builtin_memset(h, 0, sizeof *h);
        fill_head(h, &birth);
        h->type = WICK_HOST_JVM_START;
        bpf_ringbuf_submit(h, BPF_RB_FORCE_WAKEUP);
    }
    *busy = before;
    return 0;
}

#endif
