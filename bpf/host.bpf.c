/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * host.bpf.c - the kernel side of `wick host`: a sample of whatever runs on a CPU, with its whole stack
 *
 *      clock of a CPU --> sample --> kernel's stack --> user's registers --> wick_step() until the bottom --> ring
 *                                                             |   pages[file, page]    unwind rules of native code
 *                                                             |   jvms[birth]          layout of a HotSpot JVM
 *                                                             |   threads[start, tid]  JavaThread
 *                                                             `   publishers[birth]    where threads publish labels
 *
 * The walk is the stepping code of the agent (unwind/step_walk.h): one bpf_loop() over frames, its searches are
 * bpf_loop() as well, and its functions are global ones, which the verifier checks once. What is known of processes
 * comes from user space, which reads it when a record shows that it is missing; until then native code is walked by
 * frame pointers, each of which must lead to a return address behind a call.
 *
 * Nothing is pinned: all of it goes with the descriptors of wick, however that ends.
 *
 * Threads: interrupts of each CPU. The walker of a CPU is taken by `busy`; a sample that finds it taken is counted.
 * Memory:  maps of fixed size. User memory is read without faulting pages in.
 */
#include <asm/unistd_64.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>
#include <stddef.h>

#include <bpf/bpf_helpers.h>

#define STEP_INLINE             static inline __attribute__((always_inline))
#define STEP_FN                 __attribute__((noinline))
#define STEP_BODY               static __attribute__((noinline))
#define STEP_LOOP(n, body, ctx) bpf_loop(n, body, ctx, 0)
#define STEP_NULL(p)            (!(p))
#include "ebpf/host_event.h"
#include "host_kept.h"

/* What is read of the kernel's structures; the loader finds out where the fields are in the kernel that runs. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct thread_info {
    __u32 status, cpu;
};
struct thread_struct {
    unsigned long fsbase;
};
struct task_struct {
    struct thread_info thread_info;
    unsigned int flags, __state;
    int pid, tgid, on_cpu;
    struct task_struct *group_leader;
    struct mm_struct *mm;
    struct css_set *cgroups;
    struct files_struct *files;
    __u64 start_boottime;
    __u64 self_exec_id;
    char comm[WICK_HOST_COMM];
    struct thread_struct thread;
};
struct bpf_iter_meta {
    struct seq_file *seq;
};
struct bpf_iter__task {
    struct bpf_iter_meta *meta;
    struct task_struct *task;
};
#pragma clang attribute pop

#include "host_mapping.h"

/* The context of a perf event (linux/bpf_perf_event.h, whose pt_regs is this one). */
struct perf_context {
    struct pt_regs regs;
    __u64 sample_period, addr;
};

/* PF_KTHREAD; the privilege level in cs; TS_COMPAT: in a system call of a 32-bit program */
enum { KTHREAD = 0x00200000, USER_MODE = 3, COMPAT = 2 };

struct wick_step_env {
    struct wick_step_scratch scratch;
    struct wick_step_state state;
    struct wick_step_jvm none;    /* no JVM: no address is in its code cache */
    struct wick_host_birth birth; /* of the process */
    struct pt_regs regs;
    struct at_hand at_hand;
    struct mappings mappings;
    __u32 missed, busy;
    bool fresh; /* the process is not known yet */
};

struct walker {
    struct wick_step_env env;
    struct wick_host_other others[WICK_HOST_OTHERS];
    struct wick_host_link links[WICK_HOST_LINKS];
    __u64 context;      /* address of what the thread publishes, if head.ncontext is not 0 */
    __u64 announced_ns; /* of what may be frequent: when a record was announced last */
    struct wick_host_record record;
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, WICK_HOST_WALKERS);
    __type(key, __u32);
    __type(value, struct walker);
} walkers SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct wick_host_counts);
} counts SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, WICK_HOST_JVMS);
    __type(key, struct wick_host_birth);
    __type(value, struct wick_step_jvm);
} jvms SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, WICK_HOST_THREADS);
    __type(key, struct wick_host_thread);
    __type(value, struct wick_host_java_thread);
} threads SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, WICK_HOST_PAGES);
    __type(key, struct wick_host_page);
    __type(value, struct wick_host_rows);
} pages SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 2 * WICK_HOST_RULES);
    __type(key, __u32);
    __type(value, struct wick_unwind_rule);
} rules SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, WICK_HOST_KNOWN);
    __type(key, struct wick_host_birth);
    __type(value, __u32);
} known SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, WICK_HOST_PUBLISHERS);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct wick_host_birth);
    __type(value, struct wick_host_publisher);
} publishers SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 4 << 20);
} ring SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct wick_host_plan);
} plan SEC(".maps");

/* Whether the end of something is being put into the ring on this CPU. */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u32);
} ending SEC(".maps");

/* --- what the stepping code asks for --- */

STEP_INLINE struct wick_step_scratch *step_scratch(struct wick_step_env *env)
{
    return &env->scratch;
}

STEP_INLINE int step_read(struct wick_step_env *env, uint64_t addr, void *buf, uint64_t n)
{
    return (int)bpf_probe_read_user(buf, (__u32)n, (const void *)addr);
}

STEP_FN int step_after_call(struct wick_step_env *env, uint64_t pc);

#include "ebpf/host_fp.h"

STEP_FN int step_fp_rule(struct wick_step_env *env, uint64_t pc)
{
    if (STEP_NULL(env))
        return -1;
    return host_has_fp(env, &env->state, pc) ? 0 : -1;
}

/* Finds the rule for pc among those of its page. 0 on success. */
STEP_FN int step_find_rule(struct wick_step_env *env, uint64_t pc, struct wick_unwind_rule *rule)
{
    if (STEP_NULL(env) || STEP_NULL(rule))
        return -1;
    /* on the stack: Linux 6.1 takes no key that is in memory which came as an argument */
    struct wick_host_page key;
    const struct wick_host_rows *rows = NULL;
    int i = find_range(&env->mappings, pc);
    if (i >= 0 && env->mappings.range[i & (WICK_HOST_MAPPED - 1)].file.device) {
        const struct wick_host_mapped *range = &env->mappings.range[i & (WICK_HOST_MAPPED - 1)];
        key.file = range->file;
        key.page = (range->offset + (pc - range->lo)) & ~(uint64_t)(WICK_HOST_PAGE - 1);
        rows = bpf_map_lookup_elem(&pages, &key);
    }
    if (!rows) {
        key.birth = env->birth;
        key.zero = 0;
        key.page = pc & ~(uint64_t)(WICK_HOST_PAGE - 1);
        rows = bpf_map_lookup_elem(&pages, &key);
    }
    if (!rows) {
        /* what is no frame's own pc may be any word of the stack */
        env->missed |= pc == env->state.pc - !env->state.leaf;
        return -1;
    }
    uint32_t at = 0, byte = pc & (WICK_HOST_PAGE - 1);
    for (uint32_t step = WICK_HOST_ROWS / 2; step; step /= 2) {
        uint32_t next = (at + step) & (WICK_HOST_ROWS - 1);
        if (next < rows->n && rows->row[next].from <= byte)
            at = next;
    }
    uint32_t number = rows->row[at & (WICK_HOST_ROWS - 1)].rule;
    const struct wick_unwind_rule *found = number ? bpf_map_lookup_elem(&rules, &number) : NULL;
    if (!found)
        return -1;
    *rule = *found;
    keep_rule(&env->at_hand, pc, rule);
    return 0;
}

STEP_FN int step_native_rule(struct wick_step_env *env, uint64_t pc, struct wick_unwind_rule *rule)
{
    if (STEP_NULL(env) || STEP_NULL(rule))
        return -1;
    /* of a process that may end before it is read, the mappings are searched for each time */
    if ((!env->fresh && kept_rule(&env->at_hand, pc, rule)) || !step_find_rule(env, pc, rule))
        return 0;
    if (step_fp_rule(env, pc))
        return -1;
    host_fp_rule(rule);
    return 0;
}

STEP_INLINE int step_native_function(struct wick_step_env *env, uint64_t pc, uint64_t *start)
{
    return -1;
}

STEP_FN int kept_blob_find(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t pc,
                           struct wick_step_blob *out);

#define step_read_stack(env, addr, buf, n) read_near(&(env)->at_hand, addr, buf, n)
#define step_blob_find                     kept_blob_find
#define step_method_find                   step_method_read
#include "unwind/step_walk.h"

#include "host_kept_blob.h"
#include "ebpf/host_step.h"

/* --- a sample --- */

struct walk {
    struct walker *at;
    const struct wick_step_jvm *jvm;
};

static long one_frame(__u32 i, void *ctx)
{
    struct walk *w = ctx;
    if (i >= WICK_HOST_FRAMES)
        return 1;
    struct wick_step_frame *f = &w->at->record.frames[i];
    w->at->env.missed = 0;
    int result = wick_step(&w->at->env, w->jvm, &w->at->env.state, f);
    if (f->kind == WICK_STEP_NATIVE)
        f->level = w->at->env.missed & 1;
    if (w->at->env.missed)
        w->at->record.head.flags |= WICK_HOST_MISSED;
    if (result != WICK_STEP_NONE)
        w->at->record.head.nframes = i + 1;
    if (result == WICK_STEP_MORE && i + 1 == WICK_HOST_FRAMES)
        w->at->record.head.flags |= WICK_HOST_TRUNCATED;
    return result != WICK_STEP_MORE;
}

static __attribute__((noinline)) void load_registers(struct wick_step_state *s, const struct pt_regs *r)
{
    __builtin_memset(s, 0, sizeof *s);
    s->rax = r->rax;
    s->rdx = r->rdx;
    s->rcx = r->rcx;
    s->rbx = r->rbx;
    s->rsi = r->rsi;
    s->rdi = r->rdi;
    s->fp = r->rbp;
    s->sp = r->rsp;
    s->r8 = r->r8;
    s->r9 = r->r9;
    s->r10 = r->r10;
    s->r11 = r->r11;
    s->r12 = r->r12;
    s->r13 = r->r13;
    s->r14 = r->r14;
    s->r15 = r->r15;
    s->pc = r->rip;
    s->leaf = 1;
}

/* What is known of the thread in its JVM. */
static __attribute__((noinline)) void load_thread(struct walker *at, const struct wick_step_jvm *jvm)
{
    struct wick_host_thread key = {at->record.head.thread_start_ns, at->record.head.tid, 0};
    struct wick_step_state *s = &at->env.state;
    at->record.head.flags |= WICK_HOST_HAS_JVM;
    const struct wick_host_java_thread *thread = bpf_map_lookup_elem(&threads, &key);
    if (!thread || !host_is_thread(&at->env, thread))
        return;
    s->thread = thread->addr;
    at->record.head.flags |= WICK_HOST_HAS_THREAD;
    step_read(&at->env, s->thread + (__u64)(__s64)jvm->thread_state, &s->thread_state, sizeof s->thread_state);
    step_load_anchor(&at->env, jvm, s, s->thread + (__u64)(__s64)jvm->thread_anchor);
}

/* What a thread publishes begins so (labels/published.h). */
struct context_head {
    __u8 ids[24], valid, flags;
    __u16 size;
};

/* Where the thread's pointer is; 0 = it has no memory for it yet. */
STEP_INLINE __u64 context_slot(struct walker *at, const struct wick_host_publisher *p, __u64 thread_pointer)
{
    __u64 vector = 0, block[2] = {0, 0}; /* the word before the vector is how many modules it has */
    if (!p->dynamic)
        return thread_pointer + p->offset;
    if (step_read(&at->env, thread_pointer + 8, &vector, sizeof vector) ||
        step_read(&at->env, vector - 16, &block[0], sizeof block[0]) || p->module > block[0] ||
        step_read(&at->env, vector + 16 * p->module, &block[1], sizeof block[1]) || !block[1] || !~block[1])
        return 0;
    return block[1] + p->offset;
}

/* Finds what the current thread publishes: it is at rest, so that is all of it or nothing. Workers that the kernel
 * makes for a process (io_uring, vhost) run no code of it, and have the thread pointer of who made them. */
static __attribute__((noinline)) void find_context(struct walker *at)
{
    struct context_head head;
    __u64 slot, addr = 0;
    if (!at->env.regs.rip)
        return;
    const struct wick_host_publisher *p = bpf_map_lookup_elem(&publishers, &at->env.birth);
    if (!p || !(slot = context_slot(at, p, bpf_get_current_task_btf()->thread.fsbase)) ||
        step_read(&at->env, slot, &addr, sizeof addr) || !addr || step_read(&at->env, addr, &head, sizeof head) ||
        head.valid != 1 || head.size > WICK_HOST_CONTEXT - sizeof head)
        return;
    at->context = addr;
    at->record.head.ncontext = sizeof head + head.size;
}

/* A thread that clone() has just made, still behind that call: its stack is new, and there is nothing to return to.
 * What clone3() was asked for is in the caller's memory, which may be something else by now, so a process that it made
 * with a stack of its own is not recognised. */
STEP_INLINE bool is_new_thread(const struct pt_regs *r)
{
    const struct task_struct *task = bpf_get_current_task_btf();
    if (r->rax || (r->orig_rax != __NR_clone && r->orig_rax != __NR_clone3))
        return false;
    return task->pid != task->tgid || (r->orig_rax == __NR_clone && r->rsi);
}

/* What has given its address space back, at its end or for another program, has no stack any more. */
STEP_INLINE void walk_user(struct walker *at)
{
    struct walk w = {at, NULL};
    if (!bpf_get_current_task_btf()->mm || is_being_loaded())
        return;
    begin_at_hand(&at->env.at_hand, &at->env.birth, at->record.head.time_ns);
    find_context(at);
    load_registers(&at->env.state, &at->env.regs);
    w.jvm = bpf_map_lookup_elem(&jvms, &at->env.birth);
    if (w.jvm)
        load_thread(at, w.jvm);
    else
        w.jvm = &at->env.none;
    bpf_loop(is_new_thread(&at->env.regs) ? 1 : WICK_HOST_FRAMES, one_frame, &w, 0);
}

/* Of a process, by its first thread. Threads of the kernel that it makes when it starts are all of one moment. */
STEP_INLINE struct wick_host_birth birth_of(struct task_struct *leader)
{
    struct wick_host_birth birth = {leader->start_boottime, leader->self_exec_id};
    if (leader->flags & KTHREAD)
        birth.execs = (__u64)leader->tgid;
    return birth;
}

static __attribute__((noinline)) void fill_head(struct wick_host_head *h, struct wick_host_birth *birth)
{
    struct task_struct *task = bpf_get_current_task_btf(), *leader = task->group_leader;
    h->pid = (__u32)task->tgid;
    h->tid = (__u32)task->pid;
    h->flags = task->flags & KTHREAD ? WICK_HOST_KTHREAD : 0;
    h->birth = birth_of(leader);
    h->thread_start_ns = task->start_boottime;
    h->time_ns = bpf_ktime_get_ns();
    h->cgroup = bpf_get_current_cgroup_id();
    bpf_probe_read_kernel_str(h->comm, sizeof h->comm, task->comm);
    bpf_probe_read_kernel_str(h->process_comm, sizeof h->process_comm, leader->comm);
    h->nkernel = h->nframes = h->nothers = h->nlinks = h->ncontext = h->nmapped = 0;
    *birth = h->birth;
}

/* What a record begins with, and a walk. */
static __attribute__((noinline)) void begin_record(struct walker *at)
{
    fill_head(&at->record.head, &at->env.birth);
    at->env.fresh = !bpf_map_lookup_elem(&known, &at->env.birth);
    begin_mappings(&at->env.mappings);
}

enum { ANNOUNCE_NS = 1000000, ANNOUNCE_BYTES = 1 << 20, COPY_BYTES = 5 << 19, PAGE = 4096 };

/* Counted events and requests may be many, and announcing a record may be such an event itself: once in a while, and
 * before the ring is full. */
static __attribute__((noinline)) bool may_announce(struct walker *at, bool now)
{
    __u64 time_ns = at->record.head.time_ns;
    if (time_ns - at->announced_ns < ANNOUNCE_NS)
        return false;
    if (!now && bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) <= ANNOUNCE_BYTES)
        return false;
    at->announced_ns = time_ns;
    return true;
}

/* Copies it behind what the record has, which takes so many bytes; returns how many it takes then. */
static __attribute__((noinline)) __u64 add_context(struct walker *at, __u64 bytes)
{
    __u32 n = at->record.head.ncontext;
    __u64 end = bytes;
    __asm__ volatile("" : "+r"(end), "+r"(n)); /* what is compared is what is used */
    if (!n || n > WICK_HOST_CONTEXT || end > __builtin_offsetof(struct wick_host_record, last_room) ||
        bpf_probe_read_user((char *)&at->record + end, n, (const void *)at->context)) {
        at->record.head.ncontext = 0;
        return bytes;
    }
    return end + ((n + 7) & ~7U);
}

/* Copies the mappings that the walk came by behind what the record has, which takes so many bytes; returns how many it
 * takes then. All of them, used or not: each number that there may be is one more case for the verifier. */
static __attribute__((noinline)) __u64 add_mapped(struct walker *at, __u64 bytes)
{
    __u64 end = bytes;
    __asm__ volatile("" : "+r"(end)); /* what is compared is what is used */
    if (end > __builtin_offsetof(struct wick_host_record, room_behind))
        return bytes;
    struct wick_host_mapped *to = (struct wick_host_mapped *)((char *)&at->record + end);
    for (__u32 i = 0; i < WICK_HOST_MAPPED; i++)
        to[i] = at->env.mappings.range[i];
    at->record.head.nmapped = WICK_HOST_MAPPED;
    return end + sizeof at->env.mappings.range;
}

/* The registers and the top of the stack, with which `wick host` walks again once it knows what was missing. The ring
 * is for records first. */
static __attribute__((noinline)) int copy_stack(struct walker *at)
{
    if (bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) > COPY_BYTES)
        return 0;
    struct wick_host_copy *c = bpf_ringbuf_reserve(&ring, sizeof *c, 0);
    if (!c)
        return 0;
    c->head = at->record.head;
    c->head.type = WICK_HOST_COPY;
    load_registers(&c->state, &at->env.regs);
    c->at = (at->env.regs.rsp - WICK_STEP_RED_ZONE) & ~(__u64)(PAGE - 1);
    c->n = c->pad = 0;
    for (__u32 i = 0; i < WICK_HOST_COPIED / PAGE; i++, c->n += PAGE)
        if (bpf_probe_read_user(c->bytes + i * PAGE, PAGE, (const void *)(c->at + i * PAGE)))
            break;
    bpf_ringbuf_submit(c, BPF_RB_NO_WAKEUP);
    return 0;
}

/* 0, or non-zero if the ring is full. A function that the verifier checks once for all programs. */
STEP_FN int put(struct walker *at)
{
    if (STEP_NULL(at))
        return -1;
    __u64 n = at->record.head.nframes;
    if (n > WICK_HOST_FRAMES)
        return 0;
    if (at->record.head.flags & WICK_HOST_MISSED)
        copy_stack(at);
    /* a new process may not live until the ring is read next, and rules that were missed are for the next walk */
    bool now = (at->record.head.flags & WICK_HOST_MISSED) || at->env.fresh;
    __u32 type = at->record.head.type;
    if (type == WICK_HOST_SAMPLE)
        now = now || may_announce(at, false);
    if (type == WICK_HOST_OCCURRENCE || type == WICK_HOST_IO || type == WICK_HOST_STALL || type == WICK_HOST_CALL ||
        type == WICK_HOST_ALLOC)
        now = may_announce(at, now);
    else if (type == WICK_HOST_OOM_KILL)
        now = true; /* the victim is not there for long */
    __u64 bytes = __builtin_offsetof(struct wick_host_record, frames) + n * sizeof at->record.frames[0];
    struct wick_host_other *behind = (struct wick_host_other *)&at->record.frames[n];
    for (__u32 i = 0; i < WICK_HOST_OTHERS && i < at->record.head.nothers; i++, bytes += sizeof *behind)
        behind[i] = at->others[i];
    __u64 end = bytes;
    __asm__ volatile("" : "+r"(end)); /* what is compared is what is added */
    if (end > __builtin_offsetof(struct wick_host_record, more_room))
        return 0;
    struct wick_host_link *last = (struct wick_host_link *)((char *)&at->record + end);
    for (__u32 i = 0; i < WICK_HOST_LINKS && i < at->record.head.nlinks; i++, bytes += sizeof *last)
        last[i] = at->links[i];
    if (at->record.head.ncontext)
        bytes = add_context(at, bytes);
    if (at->env.fresh)
        bytes = add_mapped(at, bytes);
    return (int)bpf_ringbuf_output(&ring, &at->record, bytes, now ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}

SEC("perf_event")
int sample(struct perf_context *ctx)
{
    __u32 key = WICK_HOST_BY_CLOCK;
    struct walker *at = bpf_map_lookup_elem(&walkers, &key);
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &key);
    if (!at || !c)
        return 0;
    c->ticks++;
    if (!bpf_get_current_pid_tgid()) {
        c->idle++;
        return 0;
    }
    if (at->env.busy) {
        c->nested++;
        return 0;
    }
    at->env.busy = 1;
    at->env.at_hand.tables = KEPT_BY_CLOCK;
    __u64 begin = bpf_ktime_get_ns();
    at->record.head.type = WICK_HOST_SAMPLE;
    begin_record(at);
    bool in_user = (ctx->regs.cs & USER_MODE) == USER_MODE;
    if (!in_user) {
        at->record.head.flags |= WICK_HOST_IN_KERNEL;
        long n = bpf_get_stack(ctx, at->record.kernel, sizeof at->record.kernel, 0);
        at->record.head.nkernel = n > 0 ? (__u32)n / 8 : 0;
    }
    if (!(at->record.head.flags & WICK_HOST_KTHREAD)) {
        long rc = 0;
        if (in_user)
            at->env.regs = ctx->regs;
        else
            rc = bpf_probe_read_kernel(&at->env.regs, sizeof at->env.regs,
                                       (const void *)bpf_task_pt_regs(bpf_get_current_task_btf()));
        if (!rc && (at->env.regs.cs & USER_MODE) == USER_MODE)
            walk_user(at);
    }
    if (put(at))
        c->ring_full++;
    else
        c->recorded++;
    c->walk_ns += bpf_ktime_get_ns() - begin;
    at->env.busy = 0;
    return 0;
}

#include "host_waits.h"

#include "host_counted.h"

#include "host_io.h"

#include "host_spans.h"

#include "host_memory.h"

#include "host_calls.h"

#include "host_alloc.h"

/* --- processes --- */

/* The last thing that is heard of an address space: its samples precede it in the ring. Without room in the ring, what
 * is kept of the process goes when there is too much. */
static __attribute__((noinline)) int report_end(__u32 pid, struct wick_host_birth *birth)
{
    __u32 zero = 0, *busy = bpf_map_lookup_elem(&ending, &zero);
    struct wick_host_head *h;
    if (!busy || !bpf_map_lookup_elem(&known, birth))
        return 0;
    __u32 before = *busy;
    *busy = 1;
    if ((h = bpf_ringbuf_reserve(&ring, sizeof *h, 0))) {
        __builtin_memset(h, 0, sizeof *h);
        h->type = WICK_HOST_EXIT;
        h->pid = pid;
        h->birth = *birth;
        bpf_ringbuf_submit(h, BPF_RB_NO_WAKEUP);
    }
    *busy = before;
    return 0;
}

SEC("tp_btf/sched_process_exit")
int process_exit(unsigned long long *ctx)
{
    struct task_struct *task = bpf_get_current_task_btf();
    struct wick_host_birth birth = birth_of(task);
    return task->group_leader == task ? report_end((__u32)task->tgid, &birth) : 0;
}

/* Another program in the same process; the count of execs has grown already. */
SEC("tp_btf/sched_process_exec")
int process_exec(unsigned long long *ctx)
{
    struct task_struct *task = bpf_get_current_task_btf();
    struct wick_host_birth birth = {task->start_boottime, task->self_exec_id - 1};
    return report_end((__u32)task->tgid, &birth);
}

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct mappings);
} asked SEC(".maps");

/* What is known of the file that `wick host` has mapped at an address: run by it, one at a time. */
SEC("syscall")
int identify(struct wick_host_question *q)
{
    __u32 zero = 0;
    struct mappings *m = bpf_map_lookup_elem(&asked, &zero);
    if (!m)
        return -1;
    begin_mappings(m);
    int i = find_range(m, q->addr);
    if (i < 0)
        return -1;
    q->file = m->range[i & (WICK_HOST_MAPPED - 1)].file;
    return 0;
}

/* Shows the processes among the tasks that are asked for. */
SEC("iter/task")
int births(struct bpf_iter__task *ctx)
{
    struct task_struct *task = ctx->task;
    if (!task || task->pid != task->tgid)
        return 0;
    struct wick_host_task out = {{task->start_boottime, task->self_exec_id}, (__u32)task->tgid, 0};
    bpf_seq_write(ctx->meta->seq, &out, sizeof out);
    return 0;
}

/* The helpers that read memory are for programs whose licence is the GPL. The authors of wick license this program, and
 * the headers of wick that it is made of, under the GNU GPL version 2 as well. */
char LICENSE[] SEC("license") = "GPL";
