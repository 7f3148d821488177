/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * host_waits.h - the part of host.bpf.c that is about time off the CPU: waits, who ran instead, who woke whom
 *
 *   sched_switch, prev --> out_ns      sched_wakeup --> wake_ns      sched_switch, next --> long enough? --> chosen
 *   sched_exit_tp, or finish_task_switch() returns: the thread runs again, in schedule() still: its stacks are those
 *   it waited with --> record
 *
 * A wait below the threshold is chosen with the probability length / threshold and then stands for the threshold, so
 * sums are unbiased. A new thread does not come by sched_exit_tp the first time: its first record is made when it
 * leaves the CPU, without a stack. It does come by finish_task_switch(), with the stack of its start.
 *
 * Some systems do not report what certain threads switch to, nor what is woken while these run, with nothing counted as
 * missed: on one with Linux 6.18, those of a process outside of the machine's container. A thread that comes onto its
 * CPU from one of these is known where it runs again. Who woke it then is not, and that it waited for the CPU from then
 * on counts as sleep; waits of those threads themselves are missing.
 *
 * Threads: each CPU, in the scheduler and in interrupts; what belongs to a thread goes with it.
 * Memory:  storage of tasks, and arrays of each CPU.
 */
#ifndef WICK_BPF_HOST_WAITS_H
#define WICK_BPF_HOST_WAITS_H

/* A while on the queue of one CPU; the last one ends when the thread runs. */
struct stay {
    __u64 from_ns, to_ns;
    __u32 cpu, pad;
};

/* A thread off the CPU, or, `chosen`, back on it with a record to make. */
struct wait {
    __u64 out_ns;  /* since when, 0 = it is on a CPU */
    __u64 wake_ns; /* since when it could run again, 0 = it cannot yet */
    __u64 asleep_ns, ready_ns;
    __u64 whole_ns, times_ns; /* what was measured, and what it stands for */
    __u32 flags;              /* of the record */
    __u64 slept_ns, woken_ns; /* of the record as well */
    __u32 seen, chosen, nstays, woken;
    struct stay stays[WICK_HOST_STAYS];
    __u32 owner, pad_owner; /* of the lock that it waits for: number of a thread, as its process has it; 0 = none */
    struct wick_host_other waker; /* if `woken` */
    /* What it has done since another thread woke it: `own[0]` since it last began to sleep until an interrupt, `own[1]`
     * before, if that is `mixed`; and what it had waited for until then, the latest first. */
    struct wick_host_link own[2], links[WICK_HOST_LINKS];
    __u32 nlinks;
    __u32 fresh; /* it has not run yet, or was not seen to */
};

/* Goes with the thread. */
struct {
    __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, int);
    __type(value, struct wait);
} waits SEC(".maps");

/* Which process came onto a CPU when; it ran until the next one did. */
struct run {
    __u64 from_ns;
    struct wick_host_birth birth;
    __u32 pid, pad;
    char comm[WICK_HOST_COMM];
};

struct runs {
    __u64 n; /* how many there were */
    struct run last[WICK_HOST_RUNS];
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct runs);
} runs SEC(".maps");

enum { UNINTERRUPTIBLE = 2, NOLOAD = 0x400, WAIT_SKIP = 3 };

/* --- who ran instead ---
 *
 *   CPU 0  | javac | idle | cc1        | java |        runs: who came onto the CPU when
 *   CPU 1  | cc1               | javac        |
 *   thread      (-- stay on 0 --)(- on 1 -)RUNS        a wakeup or preemption begins a stay, a migration another one
 *
 * What ran on a CPU during the stays of a thread on its queue ran instead of it. Another CPU's runs are read while it
 * may add to them: that can spoil only the oldest, of which there are many. */

static __attribute__((noinline)) void note_run(struct task_struct *next, __u64 now)
{
    __u32 zero = 0;
    struct runs *of = bpf_map_lookup_elem(&runs, &zero);
    if (!of)
        return;
    struct run *r = &of->last[of->n & (WICK_HOST_RUNS - 1)];
    struct task_struct *leader = next->group_leader;
    r->from_ns = now;
    r->birth = birth_of(leader);
    r->pid = next->pid ? (__u32)next->tgid : 0;
    bpf_probe_read_kernel_str(r->comm, sizeof r->comm, leader->comm);
    of->n++;
}

struct search {
    const struct runs *of;
    struct walker *at;
    __u64 n, from_ns, to_ns; /* to_ns: what is left, from its end on */
    const struct wait *w;
    __u32 cpu;
};

static __attribute__((noinline)) void add_rival(struct walker *at, const struct run *r, __u64 ns, __u32 cpu)
{
    __u32 i = 0, n = at->record.head.nothers;
    while (
        i < WICK_HOST_RIVALS && i < n &&
        (at->others[i].pid != r->pid || at->others[i].birth.start_ns != r->birth.start_ns || at->others[i].cpu != cpu))
        i++;
    if (i >= WICK_HOST_RIVALS)
        return;
    struct wick_host_other *one = &at->others[i];
    if (i >= n) {
        one->birth = r->birth;
        one->pid = r->pid;
        one->role = WICK_HOST_RAN;
        one->cpu = (__u16)cpu;
        one->ns = 0;
        __builtin_memcpy(one->comm, r->comm, sizeof one->comm);
        at->record.head.nothers = i + 1;
    }
    one->ns += ns;
}

/* From the latest run back. */
static long one_run(__u32 i, void *ctx)
{
    struct search *s = ctx;
    if (s->n <= i)
        return 1;
    const struct run *r = &s->of->last[(s->n - 1 - i) & (WICK_HOST_RUNS - 1)];
    __u64 from = r->from_ns;
    if (from >= s->to_ns)
        return 0;
    if (from < s->from_ns)
        from = s->from_ns;
    __u64 ns = s->to_ns - from;
    if (s->w->whole_ns < s->w->times_ns) /* neither is longer than 32 bits */
        ns = ns * s->w->times_ns / s->w->whole_ns;
    add_rival(s->at, r, ns, s->cpu);
    s->to_ns = from;
    return from == s->from_ns;
}

static __attribute__((noinline)) void find_rivals(struct walker *at, const struct wait *w)
{
    __u32 zero = 0;
    for (__u32 i = 0; i < WICK_HOST_STAYS && i < w->nstays; i++) {
        const struct runs *of = bpf_map_lookup_percpu_elem(&runs, &zero, w->stays[i].cpu);
        if (!of)
            continue;
        struct search s = {of, at, of->n, w->stays[i].from_ns, w->stays[i].to_ns, w, w->stays[i].cpu};
        bpf_loop(WICK_HOST_RUNS, one_run, &s, 0);
    }
}

/* The thread is on the queue of a CPU, or on another one's. Without room for more, nobody is known to run instead. */
static __attribute__((noinline)) void begin_stay(struct wait *w, __u32 cpu, __u64 now)
{
    __u32 n = w->nstays;
    if (n && n <= WICK_HOST_STAYS)
        w->stays[n - 1].to_ns = now;
    if (n < WICK_HOST_STAYS) {
        w->stays[n].from_ns = now;
        w->stays[n].to_ns = 0;
        w->stays[n].cpu = cpu;
    }
    if (n <= WICK_HOST_STAYS)
        w->nstays = n + 1;
}

static __attribute__((noinline)) void copy_links(struct walker *at, const struct wait *w)
{
    __u32 n = 0;
    for (; n < WICK_HOST_LINKS && n < w->nlinks; n++)
        at->links[n] = w->links[n];
    at->record.head.nlinks = n;
}

STEP_INLINE void fill_wait(struct walker *at, struct wait *w)
{
    at->record.head.type = WICK_HOST_WAIT;
    begin_record(at);
    at->record.head.flags |= w->flags;
    at->record.head.asleep_ns = w->asleep_ns;
    at->record.head.ready_ns = w->ready_ns;
    at->record.head.call = -1;
    at->record.head.lock_owner = w->asleep_ns ? w->owner : 0;
    if (w->ready_ns)
        find_rivals(at, w);
    if (!w->woken || !w->asleep_ns || at->record.head.nothers >= WICK_HOST_OTHERS)
        return;
    at->others[at->record.head.nothers++] = w->waker;
    at->record.head.slept_ns = w->slept_ns;
    at->record.head.woken_ns = w->woken_ns;
    if (w->waker.role == WICK_HOST_WOKE)
        copy_links(at, w);
}

STEP_INLINE void put_wait(struct walker *at, struct wick_host_counts *c, __u64 begin)
{
    if (put(at))
        c->wait.ring_full++;
    else
        c->wait.recorded++;
    c->wait.walk_ns += bpf_ktime_get_ns() - begin;
}

/* The wait that a thread which leaves the CPU had before it came there. */
static __attribute__((noinline)) void record_first(struct wait *w, struct wick_host_counts *c)
{
    __u32 own = WICK_HOST_BY_WAIT;
    struct walker *at = bpf_map_lookup_elem(&walkers, &own);
    __u64 begin = bpf_ktime_get_ns();
    w->chosen = 0;
    if (!at)
        return;
    if (at->env.busy) {
        c->wait.nested++;
        return;
    }
    at->env.busy = 1;
    fill_wait(at, w);
    put_wait(at, c, begin);
    at->env.busy = 0;
}

/* Until now it was asleep, and no other thread woke it: what it did before is put together. */
static __attribute__((noinline)) void slept(struct wait *w, __u64 now)
{
    struct wick_host_link *last = &w->own[0], *before = &w->own[1];
    before->from_ns = before->mixed ? before->from_ns : last->from_ns;
    before->queue_ns = (before->mixed ? before->queue_ns : 0) + last->queue_ns;
    before->asleep_ns = (before->mixed ? before->asleep_ns : 0) + last->asleep_ns;
    before->disk_ns = (before->mixed ? before->disk_ns : 0) + last->disk_ns;
    before->mixed = 1;
    __u64 ns = now > w->out_ns ? now - w->out_ns : 0;
    last->from_ns = w->out_ns;
    last->queue_ns = 0;
    last->asleep_ns = w->flags & WICK_HOST_DISK ? 0 : ns;
    last->disk_ns = w->flags & WICK_HOST_DISK ? ns : 0;
}

/* What a thread that has a processor again waited for. */
static __attribute__((noinline)) void end_wait(struct wait *w, const struct wick_host_plan *p,
                                               struct wick_host_counts *c, __u64 now)
{
    __u64 out = w->out_ns, wake = w->wake_ns ? w->wake_ns : now; /* now: nobody was seen to wake it */
    w->seen = 1;
    w->out_ns = w->wake_ns = 0;
    c->wait.switches++;
    if (!out || out >= now)
        return;
    /* the clock may go back a little from one reading to the next, as it is adjusted */
    wake = wake < out ? out : wake > now ? now : wake;
    __u64 whole = now - out, asleep = wake - out, threshold = p->threshold_ns;
    if (asleep && !w->woken) {
        w->out_ns = out;
        slept(w, wake);
        w->out_ns = 0;
    }
    w->own[0].queue_ns += now - wake;
    w->slept_ns = out;
    w->woken_ns = wake;
    if (whole < threshold) {
        /* the command takes a threshold of 32 bits, so neither product is longer than 64 */
        if (((__u64)bpf_get_prandom_u32() * threshold >> 32) >= whole)
            return;
        w->whole_ns = whole;
        w->times_ns = threshold;
        asleep = asleep * threshold / whole;
        whole = threshold;
    } else {
        w->whole_ns = w->times_ns = whole;
    }
    if (w->nstays && w->nstays <= WICK_HOST_STAYS)
        w->stays[w->nstays - 1].to_ns = now;
    w->asleep_ns = asleep;
    w->ready_ns = whole - asleep;
    w->chosen = 1;
    c->wait.fired++;
}

/* There is no memory for a thread that leaves its CPU. */
STEP_INLINE void not_followed(struct wick_host_counts *c)
{
    c->wait.fired++;
    c->wait.no_memory++;
}

/* A thread leaves its CPU that was not seen to come: a new one whose first switch the kernel did not report. */
STEP_INLINE void came_unseen(struct wick_host_counts *c)
{
    c->wait.fired++;
    c->wait.unseen++;
}

/* The threads that there are when recording starts: from now on they are on a CPU, asleep, or on the queue of one. What
 * a tracepoint has seen in the meantime is newer. Here there is memory for all of them; tracepoints take from a small
 * stock.
 */
SEC("iter/task")
int wait_threads(struct bpf_iter__task *ctx)
{
    struct task_struct *task = ctx->task;
    struct wait *w =
        task && task->pid ? bpf_task_storage_get(&waits, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE) : NULL;
    if (!w || w->seen)
        return 0;
    w->seen = 1;
    if (task->on_cpu)
        return 0;
    w->out_ns = bpf_ktime_get_ns();
    if (!task->__state) {
        w->wake_ns = w->out_ns;
        begin_stay(w, task->thread_info.cpu, w->out_ns);
    }
    return 0;
}

/* --- whose lock it is ---
 *
 * A lock that inherits priorities has the number of its owner's thread in its word. So has a mutex of the C library
 * beside it; its word is 2 when somebody waits, and that is what the kernel was asked to compare it with. Other words
 * that are waited for may be 2 as well: what is believed of it is ebpf/host_owner.h's. */

/* The start of a pthread_mutex_t of glibc, on x86-64. */
struct mutex {
    __u32 lock, count, owner, users, kind, spins;
};

enum { MUTEX_WAITED_FOR = 2, MUTEX_KINDS = 1024, MOST_USERS = 1 << 16, FUTEX_OPERATION = 0x7f, MOST_THREADS = 1 << 22 };
enum { FUTEX_WAIT = 0, FUTEX_LOCK_PI = 6, FUTEX_WAIT_BITSET = 9, FUTEX_LOCK_PI2 = 13, FUTEX_OWNER = 0x3fffffff };

/* The owner of the lock for which the current thread, which leaves its CPU, asked the kernel to wait; 0 = none is
 * known. */
static __attribute__((noinline)) __u32 lock_owner(struct task_struct *task)
{
    struct mutex m = {0};
    const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
    if ((task->flags & KTHREAD) || regs->orig_rax != __NR_futex || (task->thread_info.status & COMPAT))
        return 0;
    const void *at = (const void *)regs->rdi;
    __u32 operation = regs->rsi & FUTEX_OPERATION, owner = 0;
    if (operation == FUTEX_LOCK_PI || operation == FUTEX_LOCK_PI2) {
        if (!bpf_probe_read_user(&m.lock, sizeof m.lock, at))
            owner = m.lock & FUTEX_OWNER;
    } else if ((operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) && (__u32)regs->rdx == MUTEX_WAITED_FOR) {
        if (!bpf_probe_read_user(&m, sizeof m, at) && m.lock == MUTEX_WAITED_FOR && m.users && m.users < MOST_USERS &&
            m.kind < MUTEX_KINDS)
            owner = m.owner;
    }
    return owner < MOST_THREADS ? owner : 0;
}

SEC("tp_btf/sched_switch")
int wait_switch(unsigned long long *ctx)
{
    struct task_struct *prev = (struct task_struct *)ctx[1], *next = (struct task_struct *)ctx[2];
    __u64 state = ctx[3], now = bpf_ktime_get_ns();
    bool preempted = ctx[0] & 1;
    __u32 key = 0;
    const struct wick_host_plan *p = bpf_map_lookup_elem(&plan, &key);
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &key);
    struct wait *w;
    if (!p || !c)
        return 0;
    note_run(next, now);
    w = prev->pid ? bpf_task_storage_get(&waits, prev, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE) : NULL;
    if (prev->pid && !w)
        not_followed(c);
    if (w) {
        if (w->out_ns && w->fresh)
            came_unseen(c);
        w->fresh = 0;
        if (w->chosen)
            record_first(w, c);
        w->seen = 1;
        w->out_ns = now;
        w->wake_ns = preempted || !state ? now : 0;
        w->nstays = w->woken = 0;
        if (w->wake_ns)
            begin_stay(w, bpf_get_smp_processor_id(), now);
        w->flags = !w->wake_ns && (state & UNINTERRUPTIBLE) && !(state & NOLOAD) ? WICK_HOST_DISK : 0;
        w->owner = !w->wake_ns && !w->flags ? lock_owner(prev) : 0;
    }
    if (next->pid && (w = bpf_task_storage_get(&waits, next, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE)))
        end_wait(w, p, c, now);
    return 0;
}

/* A thread that runs is woken as well, by what it is about to wait for. */
SEC("tp_btf/sched_wakeup")
int wait_wakeup(unsigned long long *ctx)
{
    struct task_struct *task = (struct task_struct *)ctx[0];
    struct wait *w = bpf_task_storage_get(&waits, task, NULL, 0);
    if (w && !w->wake_ns && w->out_ns) {
        w->wake_ns = bpf_ktime_get_ns();
        begin_stay(w, task->thread_info.cpu, w->wake_ns);
    }
    return 0;
}

/* --- who woke whom ---
 *
 * A wakeup in an interrupt is not the work of the thread that was interrupted. That one is going on is known from the
 * tracepoints around handlers, soft interrupts and timers; each sets and clears a bit of its own, so that one that is
 * seen only half when recording starts does no harm for long. The idle thread wakes nobody of its own accord.
 *
 * What a thread sends to this machine itself is received in a soft interrupt as well, at the end of its send(). That
 * is its own work: it is known by the packet, which a thread outside of interrupts gave to the receiving side. */

enum { IN_HANDLER = 1, IN_SOFT = 2, IN_TIMER = 4 };

struct interrupts {
    __u32 in;     /* bits */
    __u32 sender; /* number of the thread whose packet is to be received on this CPU, 0 = there is none */
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct interrupts);
} interrupts SEC(".maps");

STEP_INLINE int interrupt(__u32 set, __u32 clear)
{
    __u32 zero = 0;
    struct interrupts *i = bpf_map_lookup_elem(&interrupts, &zero);
    if (!i)
        return 0;
    i->in = (i->in | set) & ~clear;
    if (clear == IN_SOFT)
        i->sender = 0;
    return 0;
}

SEC("tp_btf/irq_handler_entry")
int wait_handler_entry(void *ctx)
{
    return interrupt(IN_HANDLER, 0);
}

SEC("tp_btf/irq_handler_exit")
int wait_handler_exit(void *ctx)
{
    return interrupt(0, IN_HANDLER);
}

SEC("tp_btf/softirq_entry")
int wait_soft_entry(void *ctx)
{
    return interrupt(IN_SOFT, 0);
}

SEC("tp_btf/softirq_exit")
int wait_soft_exit(void *ctx)
{
    return interrupt(0, IN_SOFT);
}

SEC("tp_btf/hrtimer_expire_entry")
int wait_timer_entry(void *ctx)
{
    return interrupt(IN_TIMER, 0);
}

SEC("tp_btf/hrtimer_expire_exit")
int wait_timer_exit(void *ctx)
{
    return interrupt(0, IN_TIMER);
}

/* A packet is put where the next soft interrupt receives it. */
SEC("tp_btf/netif_rx")
int wait_packet(void *ctx)
{
    __u32 zero = 0;
    struct interrupts *i = bpf_map_lookup_elem(&interrupts, &zero);
    if (i && !i->in)
        i->sender = (__u32)bpf_get_current_task_btf()->pid;
    return 0;
}

STEP_INLINE bool is_work_of(const struct interrupts *i, __u32 tid)
{
    return tid && (!i->in || (i->in == IN_SOFT && i->sender == tid));
}

/* --- what was done while a thread waited ---
 *
 *      A waits   |-----------------------------------|     B woke A, C had woken B, a disk had woken C. So A waited for
 *      B  works--|---------| waits    |- queue -|-->A|     B's work, for C's disk, for C's work, and then for B: its
 *      C         |    |--- disk ---|->B|                   turn on a CPU, and its work.
 *
 * Each thread keeps what it did since another one woke it, and what was done before: while it slept by the one that
 * woke it, and by itself before it slept. When it wakes a third one it hands both on. */

struct chain {
    struct wick_host_link links[WICK_HOST_LINKS];
    __u64 now;
    __u32 n, pad;
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct chain);
} chains SEC(".maps"); /* that is made on this CPU */

/* Earlier verifiers lose sight of an index that was compared with something. */
STEP_INLINE struct wick_host_link *link_at(struct chain *c, __u32 i)
{
    __asm__ volatile("" : "+r"(i));
    return &c->links[i & (WICK_HOST_LINKS - 1)];
}

/* What ended where the link before it begins is put together with that if both are of one process, and together no
 * longer than it is ago that they ended, or there is no more room: what was lately is known exactly, and a chain goes
 * on for as long as it does not change between processes too often. False: more is not asked for, since it is from the
 * link on that is known, or there is no room. */
static __attribute__((noinline)) bool add_link(struct chain *c, const struct wick_host_link *link, __u64 since_ns)
{
    __u32 n = c->n;
    bool more = link->from_ns > since_ns;
    if (n >= 2 && n <= WICK_HOST_LINKS) {
        struct wick_host_link *last = link_at(c, n - 1);
        __u64 ended = link_at(c, n - 2)->from_ns;
        if (last->pid == link->pid && last->birth.start_ns == link->birth.start_ns &&
            last->birth.execs == link->birth.execs &&
            (n == WICK_HOST_LINKS || ended - link->from_ns <= c->now - ended)) {
            last->from_ns = link->from_ns;
            last->queue_ns += link->queue_ns;
            last->asleep_ns += link->asleep_ns;
            last->disk_ns += link->disk_ns;
            last->mixed = 1;
            return more;
        }
    }
    if (n >= WICK_HOST_LINKS)
        return false;
    *link_at(c, n) = *link;
    c->n = n + 1;
    return more;
}

/* What the last link did before that time is left out. */
static __attribute__((noinline)) void cut_last(struct chain *c, __u64 since_ns)
{
    __u32 n = c->n;
    struct wick_host_link *l = link_at(c, n - 1);
    __u64 end = n > 1 ? link_at(c, n - 2)->from_ns : c->now, cut = since_ns - l->from_ns;
    if (!n || l->from_ns >= since_ns || end <= since_ns)
        return;
    if (l->mixed) {
        __u64 part = ((end - since_ns) << 10) / (end - l->from_ns); /* of 1024; both are less than half a year */
        l->queue_ns = l->queue_ns * part >> 10;
        l->asleep_ns = l->asleep_ns * part >> 10;
        l->disk_ns = l->disk_ns * part >> 10;
    } else { /* it was asleep first, in one of the two ways */
        l->asleep_ns = l->asleep_ns > cut ? l->asleep_ns - cut : 0;
        l->disk_ns = l->disk_ns > cut ? l->disk_ns - cut : 0;
    }
    l->from_ns = since_ns;
}

/* What the thread did itself, and what was done before. */
static __attribute__((noinline)) bool add_history(struct chain *c, const struct wait *of, __u64 since_ns)
{
    bool more = add_link(c, &of->own[0], since_ns);
    if (more && of->own[1].mixed)
        more = add_link(c, &of->own[1], since_ns);
    for (__u32 i = 0; more && i < WICK_HOST_LINKS && i < of->nlinks; i++)
        more = add_link(c, &of->links[i], since_ns);
    return more;
}

static __attribute__((noinline)) void name_links(struct wait *w, struct task_struct *task)
{
    struct task_struct *leader = task->group_leader;
    w->own[0].birth = w->own[1].birth = birth_of(leader);
    w->own[0].pid = w->own[1].pid = (__u32)task->tgid;
    bpf_probe_read_kernel_str(w->own[0].comm, sizeof w->own[0].comm, leader->comm);
    __builtin_memcpy(w->own[1].comm, w->own[0].comm, sizeof w->own[1].comm);
}

/* The thread that runs wakes another one, which slept since that time; 0 = it is new. */
static __attribute__((noinline)) void hand_over(struct wait *to, const struct wait *by, __u64 now, __u64 since_ns)
{
    __u32 zero = 0;
    struct chain *c = bpf_map_lookup_elem(&chains, &zero);
    if (!c)
        return;
    c->n = 0;
    c->now = now;
    if (!add_history(c, by, since_ns) && since_ns && c->n && link_at(c, c->n - 1)->from_ns <= since_ns) {
        cut_last(c, since_ns);
        add_history(c, to, 0);
    }
    __builtin_memcpy(to->links, c->links, sizeof to->links);
    to->nlinks = c->n;
    to->own[0].from_ns = now;
    to->own[0].queue_ns = to->own[0].asleep_ns = to->own[0].disk_ns = to->own[1].mixed = 0;
}

/* Before a wakeup, in the thread or interrupt that makes it. */
SEC("tp_btf/sched_waking")
int wait_waking(unsigned long long *ctx)
{
    struct task_struct *task = bpf_get_current_task_btf(), *leader = task->group_leader;
    struct wait *w = bpf_task_storage_get(&waits, (struct task_struct *)ctx[0], NULL, 0), *by = NULL;
    __u32 zero = 0;
    struct interrupts *i = bpf_map_lookup_elem(&interrupts, &zero);
    __u64 now = bpf_ktime_get_ns();
    if (!w || !w->out_ns || w->wake_ns || !i)
        return 0;
    bool works = is_work_of(i, (__u32)task->pid);
    w->woken = 1;
    w->waker.role = works ? WICK_HOST_WOKE : WICK_HOST_INTERRUPT;
    w->waker.pid = (__u32)task->tgid;
    bool same = works && task->tgid == ((struct task_struct *)ctx[0])->tgid && !(task->flags & KTHREAD) &&
                ((const struct pt_regs *)bpf_task_pt_regs(task))->orig_rax == __NR_futex;
    w->waker.tid = same ? (__u32)task->pid : 0;
    w->waker.birth = birth_of(leader);
    bpf_probe_read_kernel_str(w->waker.comm, sizeof w->waker.comm, same ? task->comm : leader->comm);
    name_links(w, (struct task_struct *)ctx[0]);
    if (works && (by = bpf_task_storage_get(&waits, task, NULL, 0))) {
        name_links(by, task);
        hand_over(w, by, now, w->out_ns);
    } else {
        w->nlinks = works ? 0 : w->nlinks; /* what it had waited for before stays known */
        slept(w, now);
    }
    return 0;
}

/* From one queue to another; on its way to its first one it is not woken yet. */
SEC("tp_btf/sched_migrate_task")
int wait_migrate(unsigned long long *ctx)
{
    struct wait *w = bpf_task_storage_get(&waits, (struct task_struct *)ctx[0], NULL, 0);
    if (w && w->wake_ns)
        begin_stay(w, (__u32)ctx[1], bpf_ktime_get_ns());
    return 0;
}

SEC("tp_btf/sched_wakeup_new")
int wait_wakeup_new(unsigned long long *ctx)
{
    struct task_struct *task = (struct task_struct *)ctx[0];
    struct wait *w = bpf_task_storage_get(&waits, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
    __u32 zero = 0;
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &zero);
    if (!w && c)
        not_followed(c);
    if (w) {
        w->seen = w->fresh = 1;
        w->nstays = w->woken = 0;
        w->out_ns = w->wake_ns = bpf_ktime_get_ns();
        begin_stay(w, task->thread_info.cpu, w->wake_ns);
        struct wait *by = bpf_task_storage_get(&waits, bpf_get_current_task_btf(), NULL, 0);
        if (by && by != w) {
            name_links(by, bpf_get_current_task_btf());
            hand_over(w, by, w->wake_ns, 0);
        }
    }
    return 0;
}

/* The current thread came onto its CPU from one whose switches the kernel does not report. */
static __attribute__((noinline)) void note_arrival(struct wait *w)
{
    __u32 key = 0;
    const struct wick_host_plan *p = bpf_map_lookup_elem(&plan, &key);
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &key);
    __u64 now = bpf_ktime_get_ns();
    note_run(bpf_get_current_task_btf(), now);
    if (p && c)
        end_wait(w, p, c, now);
}

/* A thread runs again, in schedule() still. ctx: where the kernel's stack begins, without `skip` frames. */
STEP_INLINE int runs_again(void *ctx, __u64 skip)
{
    __u32 zero = 0, own = WICK_HOST_BY_WAIT;
    struct wait *w = bpf_task_storage_get(&waits, bpf_get_current_task_btf(), NULL, 0);
    if (w && w->out_ns)
        note_arrival(w);
    if (!w || !w->chosen)
        return 0;
    struct walker *at = bpf_map_lookup_elem(&walkers, &own);
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &zero);
    w->chosen = 0;
    if (!at || !c)
        return 0;
    if (at->env.busy) {
        c->wait.nested++;
        return 0;
    }
    at->env.busy = 1;
    at->env.at_hand.tables = KEPT_BY_WAIT;
    __u64 begin = bpf_ktime_get_ns();
    fill_wait(at, w);
    long n = bpf_get_stack(ctx, at->record.kernel, sizeof at->record.kernel, skip);
    at->record.head.nkernel = n > 0 ? (__u32)n / 8 : 0;
    if (!(at->record.head.flags & WICK_HOST_KTHREAD) &&
        !bpf_probe_read_kernel(&at->env.regs, sizeof at->env.regs,
                               (const void *)bpf_task_pt_regs(bpf_get_current_task_btf())) &&
        (at->env.regs.cs & USER_MODE) == USER_MODE) {
        at->record.head.call = (__s64)at->env.regs.orig_rax;
        walk_user(at);
    }
    put_wait(at, c, begin);
    at->env.busy = 0;
    return 0;
}

SEC("tp_btf/sched_exit_tp")
int wait_exit(unsigned long long *ctx)
{
    return ctx[0] & 1 ? runs_again(ctx, WAIT_SKIP) : 0; /* else the scheduler left the thread where it was */
}

/* Before Linux 6.16: a switch of threads ends with the return from finish_task_switch(), a new thread's as well. */
SEC("kretprobe")
int wait_return(struct pt_regs *ctx)
{
    return runs_again(ctx, 0);
}

#endif
