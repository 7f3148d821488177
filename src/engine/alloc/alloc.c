/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/alloc/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/poisson.h"
#include "engine/breakpoint.h"
#include "engine/thread/thread_look.h"

enum { BLOCKED_LOOKS = 500, BLOCKED_NS = 1000000000 };

#define GAPS_BYTES (WICK_MAX_THREADS * sizeof(struct wick_alloc_gap))

static int map_gaps(void)
{
    if (wick_alloc_gaps)
        return 0;
    void *p = mmap(NULL, GAPS_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return -WICK_E_NOMEM;
    madvise(p, GAPS_BYTES, MADV_NOHUGEPAGE);
    wick_alloc_gaps = p;
    return 0;
}

/* Draws the thread's next gap, which counts from now on, and returns with which interval; 0: the JVM has drawn it. */
static uint32_t draw_gap(struct wick_alloc_engine *e, const struct wick_engine_thread *t, bool own)
{
    uint64_t java = wick_load_acquire(&t->java); /* pairs: wick_threads_java */
    uint64_t interval = wick_load_relaxed(&e->interval);
    if (!java || !e->config.give_gap)
        return 0;
    uint64_t random = wick_random_stream(e->gap_seed, wick_add_relaxed(&e->draws, 1));
    if (!e->config.give_gap(java, wick_poisson_next(&random, interval) + 1, own))
        return 0;
    wick_add_relaxed(&e->gaps, 1);
    return (uint32_t)interval;
}

static void keep_interval(const struct wick_alloc_engine *e, const struct wick_engine_thread *t, uint32_t interval)
{
    wick_store_relaxed(&wick_alloc_gaps[t - e->threads->slots].drawn, (uint64_t)t->serial << 32 | interval);
}

/* With which interval the thread's gap was drawn. A thread that was not seen before has drawn it at its birth, with the
 * current interval: arm() comes at that moment, or before the interval is changed for the recording. */
static uint32_t drawn_with(const struct wick_alloc_engine *e, const struct wick_engine_thread *t)
{
    struct wick_alloc_gap *g = &wick_alloc_gaps[t - e->threads->slots];
    uint64_t word = wick_load_relaxed(&g->drawn);
    while (word >> 32 != t->serial) {
        uint64_t fresh = (uint64_t)t->serial << 32 | (uint32_t)e->config.in_force();
        if (wick_cas_acq_rel(&g->drawn, &word, fresh)) /* pairs: itself, from the thread and from who arms it */
            return (uint32_t)fresh;
    }
    return (uint32_t)word;
}

/* Whether a thread blocks SIGTRAP, for longer than the C library does while it makes or ends a thread. */
static bool blocks_traps(const struct wick_alloc_engine *e, int32_t tid)
{
    const struct timespec pause = {.tv_nsec = BLOCKED_NS / BLOCKED_LOOKS};
    for (int i = 0; i < BLOCKED_LOOKS; i++) {
        if (!wick_thread_look_blocks(e->tasks, tid, SIGTRAP))
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

/* The same with a tracer. Until breakpoints are set no handler uses what a thread has here, and afterwards only its
 * own. An int3 in a thread that blocks SIGTRAP ends the process. */
static void watch(struct wick_alloc_engine *e, const struct wick_engine_thread *t)
{
    int32_t tid = wick_load_relaxed(&t->tid);
    bool own = tid == (int32_t)syscall(SYS_gettid);
    if (!own && e->reporting)
        return;
    wick_alloc_gaps[t - e->threads->slots].buffer =
        (struct wick_alloc_buffer){.serial = t->serial, .known = own && e->reporting};
    if (own)
        wick_breakpoint_unblock();
    else if (!e->blocking && wick_load_relaxed(&t->java) && blocks_traps(e, tid))
        e->blocking = tid;
}

/* A thread that starts, or a recording. Threads that a scan finds while objects are reported are none of Java yet. */
static void draw_first(void *arg, struct wick_engine_thread *t)
{
    struct wick_alloc_engine *e = arg;
    if (e->config.tracer) {
        watch(e, t);
        return;
    }
    bool own = wick_load_relaxed(&t->tid) == (int32_t)syscall(SYS_gettid);
    uint32_t interval = own || !e->reporting ? draw_gap(e, t, own) : 0;
    if (interval)
        keep_interval(e, t, interval);
    else
        drawn_with(e, t);
}

static void arm(void *arg, struct wick_engine_thread *t, bool born_late)
{
    (void)born_late;
    draw_first(arg, t);
}

static void disarm(void *arg, struct wick_engine_thread *t)
{
    (void)arg, (void)t;
}

/* The running thread ends. Nobody has seen what it allocated last. */
static void end(void *arg, struct wick_engine_thread *t)
{
    struct wick_alloc_engine *e = arg;
    const struct wick_alloc_buffer *b = &wick_alloc_gaps[t - e->threads->slots].buffer;
    wick_addr java = wick_load_relaxed(&t->java);
    struct wick_hs_buffer now;
    uint64_t weight;
    if (!e->config.tracer || !java || b->serial != t->serial)
        return;
    wick_hs_buffer_sig(e->config.jvm, java, &now);
    if (wick_alloc_chosen_sig(e, wick_alloc_buffer_rest_sig(b, now.allocated), &weight))
        wick_recorder_note(e->recorder, WICK_EVENT_ALLOC, wick_clock_mono_ns(), weight, t->serial, WICK_STOP_ENDED);
}

/* With a tracer no thread that may call its functions blocks SIGTRAP. */
static int check_masks(struct wick_alloc_engine *e, struct wick_err *err)
{
    if (!e->blocking)
        return 0;
    return wick_err_set(err, WICK_E_STATE,
                        "allocations are found by breakpoints on this JDK, and the Java thread %d blocks the signal "
                        "that they raise (SIGTRAP), which would end the process: leave alloc out",
                        (int)e->blocking);
}

int wick_alloc_start(struct wick_alloc_engine *e, const struct wick_alloc_config *c, struct wick_recorder *r,
                     struct wick_threads *ts, struct wick_err *err)
{
    static uint64_t sessions;
    memset(e, 0, sizeof *e);
    e->recorder = r;
    e->threads = ts;
    e->config = *c;
    e->session = ++sessions;
    e->rate = (struct wick_rate){.shortest = c->interval, .most = c->rate, .since_ns = wick_clock_mono_ns()};
    wick_store_relaxed(&e->interval, c->interval);
    if (map_gaps() || wick_notes_init(&e->notes, WICK_ALLOC_NOTES, sizeof(struct wick_alloc_note)) ||
        (c->references && wick_live_init(&e->live, c->references, e->rate.since_ns)))
        return wick_err_set(err, WICK_E_NOMEM, "the tables for allocations could not be set up: %s", strerror(errno));
    uint64_t seed = e->rate.since_ns;
    e->gap_seed = wick_random_u64(&seed); /* not the stream by which live objects are chosen */
    const struct wick_thread_hooks hooks = {arm, disarm, end, e, draw_first};
    e->tasks = c->tracer ? open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (c->tracer && e->tasks < 0)
        return wick_err_set(err, WICK_E_PERM, "the signal masks of threads cannot be read (/proc/self/task): %s",
                            strerror(errno));
    wick_threads_arm(ts, &hooks);
    if (e->tasks >= 0)
        close(e->tasks);
    e->reporting = e->armed = true;
    atomic_store(&wick_alloc_current, e); /* pairs: the loads inside the gate */
    return check_masks(e, err);
}

void wick_alloc_stop(struct wick_alloc_engine *e)
{
    atomic_store(&wick_alloc_current, NULL); /* pairs: the loads inside the gate; seq_cst, see gate.h */
    if (e->armed)
        wick_threads_disarm(e->threads, e);
    e->armed = false;
    wick_gate_wait(&wick_alloc_gate, &e->recorder->patience_ns);
}

void wick_alloc_release(struct wick_alloc_engine *e)
{
    if (e->config.references)
        wick_live_release(&e->live);
    wick_notes_release(&e->notes);
}

static void drawn(struct wick_alloc_engine *e, uint64_t size, struct wick_alloc_draw *out)
{
    const struct wick_engine_thread *t = wick_threads_find_sig(e->threads, (int32_t)syscall(SYS_gettid));
    uint64_t number = wick_add_relaxed(&e->reports, 1);
    /* too many threads for the registry: the current interval is the best guess */
    uint64_t weight = wick_poisson_weight(size, t ? drawn_with(e, t) : e->config.in_force());
    *out = (struct wick_alloc_draw){.session = e->session, .size = size, .weight = weight};
    if (e->config.references)
        out->priority = wick_live_wants(&e->live, number, weight);
    if (!t)
        return;
    uint32_t interval = draw_gap(e, t, true);
    keep_interval(e, t, interval ? interval : (uint32_t)e->config.in_force());
}

bool wick_alloc_drawn(uint64_t size, struct wick_alloc_draw *out)
{
    uint32_t lane = wick_gate_enter_sig(&wick_alloc_gate);
    struct wick_alloc_engine *e = atomic_load(&wick_alloc_current); /* pairs: wick_alloc_stop; seq_cst, see gate.h */
    if (e)
        drawn(e, size, out);
    wick_gate_leave_sig(&wick_alloc_gate, lane);
    return e != NULL;
}

bool wick_alloc_record(const struct wick_alloc_draw *d, const char *class_name, uint64_t reference,
                       const ucontext_t *here, wick_addr from)
{
    uint32_t lane = wick_gate_enter_sig(&wick_alloc_gate);
    struct wick_alloc_engine *e = atomic_load(&wick_alloc_current); /* pairs: wick_alloc_stop; seq_cst, see gate.h */
    bool kept = e && e->session == d->session && wick_alloc_keep_sig(e, d, class_name, reference, here, from);
    wick_gate_leave_sig(&wick_alloc_gate, lane);
    return kept;
}

uint64_t wick_alloc_unwanted(void)
{
    uint32_t lane = wick_gate_enter_sig(&wick_alloc_gate);
    struct wick_alloc_engine *e = atomic_load(&wick_alloc_current); /* pairs: wick_alloc_stop; seq_cst, see gate.h */
    uint64_t reference = e && e->config.references ? wick_live_unwanted(&e->live) : 0;
    wick_gate_leave_sig(&wick_alloc_gate, lane);
    return reference;
}

void wick_alloc_adjust(struct wick_alloc_engine *e, uint64_t now_ns)
{
    uint64_t interval = wick_load_relaxed(&e->interval);
    uint64_t next = wick_rate_next(&e->rate, interval, wick_load_relaxed(&e->reports), now_ns);
    if (next == interval)
        return;
    wick_store_relaxed(&e->interval, next);
    wick_add_relaxed(&e->changes, 1);
    e->config.change(next);
}

const struct wick_alloc_note *wick_alloc_found(const struct wick_alloc_engine *e, const struct wick_event *event)
{
    return wick_notes_at_sig(&e->notes, event->note);
}

void wick_alloc_written(struct wick_alloc_engine *e, const struct wick_event *event, uint32_t thread)
{
    const struct wick_alloc_note *n = wick_alloc_found(e, event);
    if (n && n->reference) {
        const struct wick_live_object o = {
            .reference = n->reference,
            .time_ns = event->time_ns,
            .size = n->size,
            .weight = event->weight,
            .priority = n->priority,
            .class_name = n->class_name,
            .born = n->born,
            .thread = thread,
            .stack = event->stack,
            .context = event->context,
        };
        wick_live_add(&e->live, &o);
    }
    wick_notes_free_sig(&e->notes, event->note);
}

void wick_alloc_lost(struct wick_alloc_engine *e, const struct wick_event *event)
{
    const struct wick_alloc_note *n = wick_alloc_found(e, event);
    if (n)
        wick_live_discard(&e->live, n->reference);
    wick_notes_free_sig(&e->notes, event->note);
}
