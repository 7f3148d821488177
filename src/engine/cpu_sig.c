/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu_sig.c - the CPU engine's signal handler
 *
 * Whose signal is it? A perf event's carries the event's descriptor, a timer's the address of the thread's slot; both
 * are checked against the slot of the thread that runs. Anything else is handed to the handler that was there before
 * us.
 *
 * Overload. A walk may cost more than the interval (thousands of frames, 100 us); sampling at every signal would leave
 * the thread no time to run. So after a sample that cost c the thread rests for REST * c: signals that come meanwhile
 * only add to the next sample's weight.
 *
 * The kernel writes samples to the event's ring {header, value of the counter, number of kernel pcs, pcs}; we only want
 * the newest.
 */
#include "engine/cpu.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

enum { RING_BYTES = 4096, CALLCHAIN_MARKERS = 4095, REST = 2 };

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

/* Takes the newest sample out of the ring and empties it. False if there is none. */
static bool read_ring(struct perf_event_mmap_page *page, struct perf_sample *out)
{
    const uint8_t *data = (const uint8_t *)page + RING_BYTES;
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE); /* pairs: the kernel's store */
    uint64_t at = page->data_tail, sample = 0;
    bool found = false;
    for (int i = 0; i < 256 && at + sizeof(struct perf_event_header) <= head; i++) {
        struct perf_event_header h;
        ring_copy(data, at, &h, sizeof h);
        if (h.size < sizeof h || at + h.size > head)
            break;
        if (h.type == PERF_RECORD_SAMPLE && h.size >= sizeof h + 16) {
            found = true;
            sample = at + sizeof h;
        }
        at += h.size;
    }
    if (found) {
        uint64_t fixed[2], n;
        ring_copy(data, sample, fixed, sizeof fixed);
        out->count = fixed[0];
        n = fixed[1] <= WICK_MAX_KERNEL_FRAMES ? fixed[1] : WICK_MAX_KERNEL_FRAMES;
        ring_copy(data, sample + 16, out->kernel, (uint32_t)(n * 8));
        out->kernel_count = 0;
        for (uint64_t i = 0; i < n; i++)
            if (out->kernel[i] < (uint64_t)-CALLCHAIN_MARKERS)
                out->kernel[out->kernel_count++] = out->kernel[i];
    }
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE); /* pairs: the kernel's load */
    return found;
}

/* Multiples of the interval that the thread's clock crossed since the last sample. `count` is the clock since arming; a
 * perf event's gets half an interval of slack, because its overflows drift against its counter. */
static uint64_t new_crossings(struct wick_cpu_engine *e, struct wick_thread *t, uint64_t count)
{
    uint64_t total = count >= t->phase ? (count - t->phase) / e->interval + 1 : 0;
    uint64_t fresh = total > t->crossings ? total - t->crossings : 0;
    t->crossings += fresh;
    return fresh;
}

static uint64_t perf_crossings(struct wick_cpu_engine *e, struct wick_thread *t, struct perf_sample *s)
{
    s->kernel_count = 0;
    if (!t->perf_page || !read_ring(t->perf_page, s))
        if (read(t->perf_fd, &s->count, sizeof s->count) != (ssize_t)sizeof s->count)
            return 0;
    if (t->crossings == 0)
        ioctl(t->perf_fd, PERF_EVENT_IOC_PERIOD, &e->interval);
    return new_crossings(e, t, s->count + e->interval / 2);
}

/* The CPU clock of the running thread since arming. */
static uint64_t own_cpu_ns(const struct wick_thread *t)
{
    uint64_t now = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return now > t->cpu_base ? now - t->cpu_base : 0;
}

/* n intervals of the event cpu-clock as CPU time. The event's clock goes on while a hypervisor has taken the processor
 * away and while interrupts are served; the CPU clock of threads and processes does not. So the weight shrinks by the
 * ratio of what both went since the last sample. Differences below a thousandth are the moment between both readings.
 */
static uint64_t cpu_weight(const struct wick_cpu_engine *e, struct wick_thread *t, uint64_t n, uint64_t count,
                           uint64_t cpu)
{
    uint64_t went = count - t->last_count, used = cpu - t->last_cpu, weight = n * e->interval;
    t->last_count = count;
    t->last_cpu = cpu;
    if (used >= went || (went - used) < went / 1024)
        return weight;
    return (uint64_t)((double)weight * ((double)used / (double)went)); /* the product of two times can exceed 64 bits */
}

static uint64_t itimer_crossings(struct wick_cpu_engine *e)
{
    uint64_t total = (wick_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - e->process_start_ns) / e->interval;
    uint64_t before = wick_load_relaxed(&e->itimer_crossings);
    while (before < total && !wick_cas_acq_rel(&e->itimer_crossings, &before, total)) {
    }
    return before < total ? total - before : 0;
}

/* The slot of the running thread if the signal is ours, NULL if not. */
static struct wick_thread *recognise(struct wick_cpu_engine *e, const siginfo_t *info)
{
    struct wick_thread *t = wick_threads_find_sig(e->threads, (int32_t)syscall(SYS_gettid));
    switch (e->mode) {
    case WICK_CPU_PERF: /* si_code of F_SETSIG is POLL_*, positive but below SI_KERNEL */
        return t && info->si_code > 0 && info->si_code < SI_KERNEL && info->si_fd == t->perf_fd && t->perf_fd >= 0
                   ? t
                   : NULL;
    case WICK_CPU_TIMER:
        return t && info->si_code == SI_TIMER && info->si_value.sival_ptr == t ? t : NULL;
    default:
        return info->si_code == SI_KERNEL ? t : NULL;
    }
}

/* Intervals that are due for the running thread, those put off before included. */
static uint64_t take_crossings(struct wick_cpu_engine *e, struct wick_thread *t, uint64_t cpu, struct perf_sample *ps)
{
    uint64_t n;
    ps->kernel_count = 0;
    ps->count = 0;
    if (e->mode == WICK_CPU_PERF)
        n = perf_crossings(e, t, ps);
    else if (e->mode == WICK_CPU_TIMER)
        n = new_crossings(e, t, cpu); /* overruns were seen to fall 7 % short on a crowded machine */
    else
        n = itimer_crossings(e);
    n += t->owed;
    t->owed = 0;
    return n;
}

static uint64_t weigh(const struct wick_cpu_engine *e, struct wick_thread *t, uint64_t n, uint64_t count, uint64_t cpu)
{
    return e->mode == WICK_CPU_PERF && e->event_type == WICK_EVENT_CPU ? cpu_weight(e, t, n, count, cpu)
                                                                       : n * e->interval;
}

uint64_t wick_cpu_residue_sig(struct wick_cpu_engine *e, struct wick_thread *t, uint64_t cpu)
{
    uint64_t count = cpu;
    if (e->mode == WICK_CPU_PERF && read(t->perf_fd, &count, sizeof count) != (ssize_t)sizeof count)
        return 0;
    uint64_t n = new_crossings(e, t, count) + t->owed; /* exactly: no overflow is due that could have drifted */
    t->owed = 0;
    return n ? weigh(e, t, n, count, cpu ? cpu : t->last_cpu + count - t->last_count) : 0;
}

static void sample(struct wick_cpu_engine *e, struct wick_thread *t, void *context, uint64_t now)
{
    struct perf_sample ps;
    struct wick_scratch *scratch = wick_recorder_enter_sig(e->recorder);
    if (!scratch) {
        if (atomic_load(&e->recorder->running)) /* the clocks tell the weight again with the next sample */
            wick_recorder_drop_sig(e->recorder, WICK_DROP_WALK_IN_PROGRESS, 0);
        return;
    }
    uint64_t cpu = own_cpu_ns(t), n = take_crossings(e, t, cpu, &ps);
    if (cpu < t->rest_until) {
        t->owed = n;
    } else if (n) {
        const struct wick_sample_sig in = {
            .context = context,
            .window = &t->window,
            .java = wick_load_acquire(&t->java),
            .tid = wick_load_relaxed(&t->tid),
            .time_ns = now,
            .weight = weigh(e, t, n, ps.count, cpu),
            .kernel = ps.kernel,
            .kernel_count = ps.kernel_count,
            .thread = t->serial,
            .type = e->event_type,
        };
        wick_recorder_sample_sig(e->recorder, scratch, &in);
        /* in CPU time: a handler that lost its processor was not dear */
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
    struct wick_cpu_engine *e = atomic_load(&wick_cpu_current); /* seq_cst, see gate.h */
    struct wick_thread *t = e ? recognise(e, info) : NULL;
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
