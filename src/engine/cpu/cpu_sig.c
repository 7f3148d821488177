/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu_sig.c - the CPU engine's signal handler
 *
 * Whose signal is it? A perf event's carries the event's descriptor, a timer's the address of the thread's slot; both
 * are checked against the slot of the thread that runs. Anything else is handed to the handler that was there before
 * us.
 *
 * Overload. A walk may cost more than the interval (thousands of frames, 100 us); sampling at every signal would leave
 * the thread no time to run. So after a sample that cost c the thread rests for REST * c: signals that arrive until
 * then only add to the next sample's weight.
 *
 * A signal may come long after the event: HotSpot blocks signals around stack overflows, a system call ends first, a
 * handler that runs holds up the next one. So time is never counted by the event but by the thread's CPU clock, read
 * when the signal is there. Of the event's ring only the newest record counts; the kernel writes backward and over the
 * oldest, so that one is always there, at data_head: {header, value of the counter, number of kernel pcs, pcs}.
 */
#include "engine/cpu/cpu.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

enum { RING_BYTES = 4096, CALLCHAIN_MARKERS = 4095, REST = 2, RING_TRIES = 4 };

struct perf_sample {
    uint64_t count;
    uint32_t kernel_count;
    uint64_t kernel[WICK_MAX_KERNEL_FRAMES];
};

/* Copies n bytes at position `at` of the ring. */
static void ring_copy(const uint8_t *data, uint64_t at, void *out, uint32_t n)
{
    uint32_t first = RING_BYTES - (uint32_t)(at % RING_BYTES);
    if (first > n)
        first = n;
    memcpy(out, data + at % RING_BYTES, first);
    memcpy((uint8_t *)out + first, data, n - first);
}

/* Copies the record at `head`, if it is a sample. */
static bool copy_sample(const uint8_t *data, uint64_t head, struct perf_sample *out)
{
    struct perf_event_header h;
    uint64_t fixed[2], n;
    ring_copy(data, head, &h, sizeof h);
    if (h.type != PERF_RECORD_SAMPLE || h.size < sizeof h + sizeof fixed || h.size > RING_BYTES)
        return false;
    ring_copy(data, head + sizeof h, fixed, sizeof fixed);
    n = fixed[1] <= WICK_MAX_KERNEL_FRAMES ? fixed[1] : WICK_MAX_KERNEL_FRAMES;
    ring_copy(data, head + sizeof h + sizeof fixed, out->kernel, (uint32_t)(n * 8));
    out->count = fixed[0];
    out->kernel_count = 0;
    for (uint64_t i = 0; i < n; i++)
        if (out->kernel[i] < (uint64_t)-CALLCHAIN_MARKERS)
            out->kernel[out->kernel_count++] = out->kernel[i];
    return true;
}

/* The newest record, if there is one since the last call. The event may fire while it is copied: again, then. */
static bool read_ring(struct wick_engine_thread *t, struct perf_sample *out)
{
    const struct perf_event_mmap_page *page = t->perf_page;
    for (int i = 0; i < RING_TRIES; i++) {
        uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE); /* pairs: the kernel's store */
        if (head == t->perf_head)
            return false;
        bool found = copy_sample((const uint8_t *)page + RING_BYTES, head, out);
        wick_signal_fence();
        if (__atomic_load_n(&page->data_head, __ATOMIC_RELAXED) == head) {
            t->perf_head = head;
            return found;
        }
    }
    return false;
}

/* Multiples of the interval that the thread's clock crossed since the last sample. `count` is the clock since arming.
 */
static uint64_t new_crossings(struct wick_cpu_engine *e, struct wick_engine_thread *t, uint64_t count)
{
    uint64_t total = count >= t->phase ? (count - t->phase) / e->interval + 1 : 0;
    uint64_t fresh = total > t->crossings ? total - t->crossings : 0;
    t->crossings += fresh;
    return fresh;
}

static bool counter(const struct wick_engine_thread *t, uint64_t *count)
{
    return syscall(SYS_read, t->perf_fd, count, sizeof *count) == (long)sizeof *count;
}

/* CPU time is what the CPU clock says. The event's own clock runs on while a hypervisor has taken the processor away
 * and while interrupts are served, and stands still while the kernel throttles the event; it only says when. A multiple
 * that the CPU clock has not reached yet waits for the next signal: counted early, those of threads that end before
 * they reach it would be too many. Other events have no second clock, and overflow a little before their counter says
 * so: half an interval of slack. */
static uint64_t perf_crossings(struct wick_cpu_engine *e, struct wick_engine_thread *t, uint64_t cpu,
                               struct perf_sample *s)
{
    bool time = e->event_type == WICK_EVENT_CPU, young = t->crossings == 0;
    s->kernel_count = 0;
    if (!t->perf_page || !read_ring(t, s)) {
        s->kernel_count = 0;
        if (!counter(t, &s->count))
            return 0;
    }
    t->last_count = s->count;
    t->last_cpu = cpu;
    uint64_t n = new_crossings(e, t, time ? cpu : s->count + e->interval / 2);
    if (young && (n || !time))
        ioctl(t->perf_fd, PERF_EVENT_IOC_PERIOD, &e->interval);
    return n;
}

/* The CPU clock of the running thread since arming. */
static uint64_t own_cpu_ns(const struct wick_engine_thread *t)
{
    uint64_t now = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return now > t->cpu_base ? now - t->cpu_base : 0;
}

static uint64_t itimer_crossings(struct wick_cpu_engine *e)
{
    uint64_t total = (wick_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - e->process_start_ns) / e->interval;
    uint64_t before = wick_load_relaxed(&e->itimer_crossings);
    while (before < total && !wick_cas_acq_rel(&e->itimer_crossings, &before, total)) {
        /* pairs: itself, in other threads */
    }
    return before < total ? total - before : 0;
}

/* The slot of the running thread if the signal is ours, NULL if not. */
static struct wick_engine_thread *recognise(struct wick_cpu_engine *e, const siginfo_t *info)
{
    struct wick_engine_thread *t = wick_threads_find_sig(e->threads, (int32_t)syscall(SYS_gettid));
    bool ours = false;
    if (t && e->mode == WICK_CPU_ITIMER)
        ours = info->si_code == SI_KERNEL;
    else if (t && t->perf_fd >= 0) /* si_code of F_SETSIG is POLL_*, positive but below SI_KERNEL */
        ours = info->si_code > 0 && info->si_code < SI_KERNEL && info->si_fd == t->perf_fd;
    else if (t && t->timer >= 0)
        ours = info->si_code == SI_TIMER && info->si_value.sival_ptr == t;
    return ours ? t : NULL;
}

/* Intervals that are due for the running thread, those put off before included. */
static uint64_t take_crossings(struct wick_cpu_engine *e, struct wick_engine_thread *t, uint64_t cpu,
                               struct perf_sample *ps)
{
    uint64_t n;
    ps->kernel_count = 0;
    ps->count = 0;
    if (t->perf_fd >= 0)
        n = perf_crossings(e, t, cpu, ps);
    else if (t->timer >= 0)
        n = new_crossings(e, t, cpu); /* overruns were seen to fall 7 % short on a crowded machine */
    else
        n = e->mode == WICK_CPU_ITIMER ? itimer_crossings(e) : 0;
    n += t->owed;
    t->owed = 0;
    return n;
}

/* A thread that has ended has no clock any more; its event still knows how far it went. */
uint64_t wick_cpu_residue_sig(struct wick_cpu_engine *e, struct wick_engine_thread *t, uint64_t cpu)
{
    uint64_t count = 0;
    bool time = e->event_type == WICK_EVENT_CPU;
    if (t->perf_fd >= 0 && (!cpu || !time)) {
        if (!counter(t, &count))
            return 0;
        cpu = t->last_cpu + (count > t->last_count ? count - t->last_count : 0);
    } else if (t->perf_fd >= 0 && counter(t, &count)) { /* both at one moment: what is left is counted from here */
        t->last_count = count;
        t->last_cpu = cpu;
    }
    uint64_t n = new_crossings(e, t, time ? cpu : count) + t->owed; /* exactly: no overflow is due that could drift */
    t->owed = 0;
    return n * e->interval;
}

static void sample(struct wick_cpu_engine *e, struct wick_engine_thread *t, void *context, uint64_t now)
{
    struct perf_sample ps;
    struct wick_scratch *scratch = wick_recorder_enter_sig(e->recorder);
    if (!scratch) {
        if (wick_load_relaxed(&e->recorder->running)) /* the clocks give the weight again with the next sample */
            wick_recorder_drop_sig(e->recorder, e->event_type, WICK_DROP_WALK_IN_PROGRESS, 1, 0);
        return;
    }
    uint64_t cpu = own_cpu_ns(t), n = take_crossings(e, t, cpu, &ps);
    if (cpu < t->rest_until) {
        t->owed = n;
    } else if (n) {
        const struct wick_sample_sig in = {
            .context = context,
            .window = &t->window,
            .java = wick_load_acquire(&t->java), /* pairs: wick_threads_java */
            .tid = wick_load_relaxed(&t->tid),
            .time_ns = now,
            .weight = n * e->interval,
            .kernel = ps.kernel,
            .kernel_count = ps.kernel_count,
            .thread = t->serial,
            .type = e->event_type,
        };
        wick_recorder_sample_sig(e->recorder, scratch, &in);
        /* in CPU time: a handler that lost its processor was not expensive */
        uint64_t end = own_cpu_ns(t);
        t->rest_until = end + REST * (end - cpu);
        wick_recorder_spent_sig(e->recorder, end - cpu);
    }
    wick_recorder_leave_sig(scratch);
}

void wick_cpu_signal_sig(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    uint64_t now = wick_clock_mono_ns();
    struct sigaction other = {.sa_handler = SIG_DFL};
    uint32_t lane = wick_gate_enter_sig(&wick_cpu_gate);
    struct wick_cpu_engine *e = atomic_load(&wick_cpu_current); /* pairs: wick_cpu_stop; seq_cst, see gate.h */
    struct wick_engine_thread *t = e ? recognise(e, info) : NULL;
    if (t) {
        sample(e, t, context, now);
    } else if (e) {
        wick_add_relaxed(&e->foreign, 1);
        other = e->signal.old;
    }
    wick_gate_leave_sig(&wick_cpu_gate, lane);
    wick_signal_pass_sig(&other, sig, info, context);
    errno = saved;
}
