/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock.c - see lock.h
 *
 * The owner of a monitor is read when the wait begins: while a thread contends for it the ObjectMonitor stays what it
 * is, so a plain load will do. It is a JavaThread, or whatever else the JDK puts there (hotspot/monitor.h), and becomes
 * a thread's number only if the wait is recorded.
 *
 * A thread that returns from its wait in a later recording finds that recording's slot, in which it does not wait.
 */
#include "engine/lock/lock.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/poisson.h"
#include "base/usdt.h"
#include "engine/thread/own_tid.h"

static _Atomic uint64_t native_session;

#define LONGEST_NS  (UINT64_C(60) * 1000000000) /* no interval is longer, however many threads wait */
#define WAITS_BYTES (WICK_MAX_THREADS * sizeof(struct wick_lock_wait))

static void set_rates(struct wick_lock_engine *e)
{
    for (unsigned k = 0; k < WICK_LOCK_KINDS; k++) {
        bool native = wick_lock_kind_is_native(k);
        uint64_t interval = native ? e->config.native_interval_ns : e->config.interval_ns;
        e->kinds[k].rate = (struct wick_rate){.shortest = interval,
                                              .longest = LONGEST_NS,
                                              .most = native ? e->config.native_rate : e->config.rate,
                                              .since_ns = wick_clock_mono_ns()};
        wick_store_relaxed(&e->kinds[k].interval_ns, interval);
    }
}

void wick_lock_adjust(struct wick_lock_engine *e, uint64_t now_ns)
{
    for (unsigned k = 0; k < WICK_LOCK_KINDS; k++) {
        uint64_t interval = wick_load_relaxed(&e->kinds[k].interval_ns);
        uint64_t samples = wick_load_relaxed(&e->kinds[k].samples);
        wick_store_relaxed(&e->kinds[k].interval_ns, wick_rate_next(&e->kinds[k].rate, interval, samples, now_ns));
    }
}

int wick_lock_start(struct wick_lock_engine *e, const struct wick_lock_config *c, const struct wick_jvm *jvm,
                    struct wick_recorder *r, struct wick_threads *ts, struct wick_err *err)
{
    static uint64_t sessions;
    memset(e, 0, sizeof *e);
    void *p = mmap(NULL, WAITS_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED || wick_notes_init(&e->notes, WICK_LOCK_NOTES, sizeof(struct wick_lock_note))) {
        if (p != MAP_FAILED)
            munmap(p, WAITS_BYTES);
        return wick_err_set(err, WICK_E_NOMEM, "the tables for locks could not be set up: %s", strerror(errno));
    }
    madvise(p, WAITS_BYTES, MADV_NOHUGEPAGE);
    e->recorder = r;
    e->threads = ts;
    e->jvm = jvm;
    e->config = *c;
    e->session = ++sessions;
    if (!e->config.seed)
        e->config.seed = wick_clock_mono_ns() ^ (uint64_t)getpid() << 32;
    e->waits = p;
    wick_own_tid_learn(&r->walker.mem);
    set_rates(e);
    e->wake = -1;
    wick_thread_files_init(&e->files);
    e->running = true;
    atomic_store(&wick_lock_current, e); /* pairs: the loads inside the gate */
    if (c->native)
        wick_store_relaxed(&native_session, e->session);
    int rc = wick_lock_watch_start(e, err);
    if (rc) {
        wick_lock_stop(e);
        wick_lock_release(e);
    }
    return rc;
}

void wick_lock_stop(struct wick_lock_engine *e)
{
    if (!e->running)
        return;
    wick_store_relaxed(&native_session, 0);
    atomic_store(&wick_lock_current, NULL); /* pairs: the loads inside the gate; seq_cst, see gate.h */
    wick_lock_watch_stop(e);
    e->running = false;
}

void wick_lock_release(struct wick_lock_engine *e)
{
    if (e->waits && !e->keep) {
        munmap(e->waits, WAITS_BYTES);
        wick_notes_release(&e->notes);
    }
    e->waits = NULL;
}

/* The calling thread in the registry, NULL if it is not known there. */
static struct wick_engine_thread *self(const struct wick_lock_engine *e)
{
    return wick_threads_find_sig(e->threads, wick_own_tid_sig());
}

/* The monitor that the calling thread is about to wait for, a word of the own JavaThread; and its owner. */
static wick_addr read_monitor(const struct wick_lock_engine *e, wick_addr java, uint64_t *owner)
{
    const struct wick_hs_layout *l = &e->jvm->layout;
    if (!java || l->thread_pending_monitor == WICK_HS_NONE || l->monitor_owner == WICK_HS_NONE)
        return 0;
    wick_addr monitor = *(const volatile uint64_t *)(uintptr_t)(java + (unsigned)l->thread_pending_monitor);
    if (monitor)
        *owner = *(const volatile uint64_t *)(uintptr_t)(monitor + (unsigned)l->monitor_owner);
    return monitor;
}

/* The slot belongs to a thread that was not seen in it before. What was counted there stays; and so does the number of
 * the latest wait, by which an owner that the watcher saw is known to be of another one. */
static void occupy(struct wick_lock_engine *e, struct wick_lock_wait *w, const struct wick_engine_thread *t)
{
    uint32_t above = (uint32_t)(t - e->threads->slots) + 1, slots = wick_load_relaxed(&e->slots);
    while (slots < above && !wick_cas_acq_rel(&e->slots, &slots, above)) /* pairs: itself, in other threads */
        ;
    wick_store_relaxed(&w->since_ns, 0); /* the last one may have gone away in a wait */
    w->serial = t->serial;
    w->window = w->owner_window = (struct wick_stack_window){0};
    w->random = wick_random_stream(e->config.seed, t->serial);
}

/* The thread's place, NULL if the registry does not know it. */
static struct wick_lock_wait *place(struct wick_lock_engine *e, const struct wick_engine_thread *t)
{
    struct wick_lock_wait *w = t ? &e->waits[t - e->threads->slots] : NULL;
    if (w && w->serial != t->serial)
        occupy(e, w, t);
    return w;
}

/* Makes a wait known to the watcher. */
static void announce(struct wick_lock_engine *e, struct wick_lock_wait *w, enum wick_lock_kind kind, wick_addr ownable,
                     uint64_t now)
{
    w->interval_ns = wick_load_relaxed(&e->kinds[kind].interval_ns);
    /* pairs: see in lock_watch.c; a thread that reads what follows finds the wait before it over (since_ns = 0) */
    atomic_thread_fence(memory_order_release);
    wick_store_relaxed(&w->kind, kind);
    wick_store_relaxed(&w->id, (uint64_t)w->serial << 32 | ++w->count);
    wick_store_relaxed(&w->monitor, ownable);
    wick_store_relaxed(&w->due_ns, now + wick_poisson_next(&w->random, w->interval_ns));
    atomic_store(&w->since_ns, now); /* pairs: see and rest in lock_watch.c; seq_cst, see there */
    if (ownable)
        wick_lock_watch_wake(e);
}

static void begin(struct wick_lock_engine *e, enum wick_lock_kind kind, uint64_t owner, wick_addr ownable)
{
    struct wick_engine_thread *t = self(e);
    struct wick_lock_wait *w = place(e, t);
    if (!w)
        return;
    w->owner = owner;
    if (kind == WICK_LOCK_MONITOR)
        ownable = read_monitor(e, wick_load_relaxed(&t->java), &w->owner);
    announce(e, w, kind, ownable, wick_clock_mono_ns());
}

bool wick_lock_running(void)
{
    return wick_load_relaxed(&wick_lock_current) != NULL;
}

uint64_t wick_lock_native_session(void)
{
    return wick_load_relaxed(&native_session);
}

void wick_lock_begin(enum wick_lock_kind kind, uint64_t owner, const void *ownable)
{
    uint32_t lane = wick_gate_enter_sig(&wick_lock_gate);
    struct wick_lock_engine *e = atomic_load(&wick_lock_current); /* pairs: wick_lock_stop; seq_cst, see gate.h */
    if (e)
        begin(e, kind, owner, (wick_addr)(uintptr_t)ownable);
    wick_gate_leave_sig(&wick_lock_gate, lane);
}

/* The owner that the watcher has seen in this wait, and when; otherwise that of the start. */
static void owner_seen(const struct wick_lock_wait *w, struct wick_lock_done *out)
{
    uint64_t seen = wick_load_acquire(&w->seen_owner); /* pairs: look in lock_watch.c */
    out->owner = w->owner;
    out->owned_ns = out->start_ns;
    if (seen >> 32 != (uint32_t)out->id)
        return;
    out->seen_owner = (uint32_t)seen;
    out->owned_ns = wick_load_relaxed(&w->seen_ns);
}

static bool end(struct wick_lock_engine *e, enum wick_lock_kind kind, struct wick_lock_done *out)
{
    uint64_t now = wick_clock_mono_ns();
    struct wick_engine_thread *t = self(e);
    struct wick_lock_wait *w = t ? &e->waits[t - e->threads->slots] : NULL;
    uint64_t since = w ? wick_load_relaxed(&w->since_ns) : 0;
    if (!since || wick_load_relaxed(&w->kind) != kind || w->serial != t->serial)
        return false;
    wick_store_release(&w->since_ns, 0); /* pairs: see in lock_watch.c, to which the wait is over */
    uint64_t duration = now - since;
    wick_add_relaxed(&w->waits[kind], 1);
    wick_add_relaxed(&w->waited_ns[kind], duration);
    if (now < wick_load_relaxed(&w->due_ns) || duration < e->config.threshold_ns)
        return false;
    *out = (struct wick_lock_done){.session = e->session,
                                   .id = wick_load_relaxed(&w->id),
                                   .start_ns = since,
                                   .duration_ns = duration,
                                   .weight_ns = wick_poisson_weight(duration, w->interval_ns),
                                   .monitor = kind == WICK_LOCK_MONITOR ? wick_load_relaxed(&w->monitor) : 0,
                                   .kind = kind};
    wick_add_relaxed(&e->kinds[kind].samples, 1);
    owner_seen(w, out);
    return true;
}

bool wick_lock_end(enum wick_lock_kind kind, struct wick_lock_done *out)
{
    uint32_t lane = wick_gate_enter_sig(&wick_lock_gate);
    struct wick_lock_engine *e = atomic_load(&wick_lock_current); /* pairs: wick_lock_stop; seq_cst, see gate.h */
    bool sampled = e && end(e, kind, out);
    wick_gate_leave_sig(&wick_lock_gate, lane);
    return sampled;
}

static void lose(struct wick_lock_engine *e, const struct wick_lock_done *d)
{
    wick_add_relaxed(&e->lost, 1);
    wick_add_relaxed(&e->lost_ns, d->weight_ns);
}

/* Records the stack of the calling thread, which the registry need not know if it waited natively. */
static bool sample(struct wick_lock_engine *e, const struct wick_lock_done *d, struct wick_lock_note *note,
                   const struct wick_lock_native *native)
{
    const struct wick_engine_thread *t = self(e);
    struct wick_scratch *scratch = t || native ? wick_recorder_enter_sig(e->recorder) : NULL;
    struct wick_stack_window window = {0};
    if (!scratch) {
        wick_recorder_drop_sig(e->recorder, WICK_EVENT_LOCK, WICK_DROP_WALK_IN_PROGRESS, 1, d->weight_ns);
        return false;
    }
    uint64_t cpu = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const struct wick_sample_sig in = {
        .context = native ? native->here : NULL,
        .from = native ? native->from : 0,
        .window = t ? &e->waits[t - e->threads->slots].window : &window,
        .java = t ? wick_load_acquire(&t->java) : 0, /* pairs: wick_threads_java */
        .tid = t ? wick_load_relaxed(&t->tid) : 0,
        .time_ns = d->start_ns,
        .weight = d->weight_ns,
        .thread = t ? t->serial : 0,
        .type = WICK_EVENT_LOCK,
        .note = note->number,
    };
    bool kept = wick_recorder_sample_sig(e->recorder, scratch, &in);
    wick_recorder_spent_sig(e->recorder, wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
    wick_recorder_leave_sig(scratch);
    return kept;
}

static void record(struct wick_lock_engine *e, const struct wick_lock_done *d, const struct wick_lock_what *what,
                   const struct wick_lock_native *native)
{
    static const char *const kinds[WICK_LOCK_KINDS] = {"monitor", "park", "wait", "nativelock", "nativewait"};
    const char *name = native ? what->operation : what->class_name;
    uint64_t address = d->kind == WICK_LOCK_MONITOR ? d->monitor : what->address;
    WICK_USDT(lock__wait, WICK_USDT_ALWAYS, (uintptr_t)kinds[d->kind], (uintptr_t)name, address, d->duration_ns,
              d->weight_ns);
    struct wick_lock_note *note = wick_lock_note_take_sig(e);
    if (!note) {
        wick_recorder_drop_sig(e->recorder, WICK_EVENT_LOCK, WICK_DROP_NOTES_FULL, 1, d->weight_ns);
        lose(e, d);
        return;
    }
    note->done = *d;
    note->what = *what;
    note->what.address = address;
    note->of_owner = false;
    note->owner = d->seen_owner ? d->seen_owner
                                : e->threads->slots[wick_lock_owner_slot_sig(e, d->kind, d->monitor, d->owner)].serial;
    if (sample(e, d, note, native)) {
        wick_add_relaxed(&e->recorded, 1);
        wick_add_relaxed(&e->recorded_ns, d->weight_ns);
        return;
    }
    lose(e, d);
    wick_lock_note_free_sig(e, note);
}

void wick_lock_record(const struct wick_lock_done *d, const struct wick_lock_what *what)
{
    uint32_t lane = wick_gate_enter_sig(&wick_lock_gate);
    struct wick_lock_engine *e = atomic_load(&wick_lock_current); /* pairs: wick_lock_stop; seq_cst, see gate.h */
    if (e && e->session == d->session)
        record(e, d, what, NULL);
    wick_gate_leave_sig(&wick_lock_gate, lane);
}

/* Not while the thread waits otherwise: the JVM takes locks of its own to park it. A native wait that is still there
 * was left by a jump. */
static uint64_t native_begin(struct wick_lock_engine *e, const int *holder, uint64_t start_ns)
{
    struct wick_lock_wait *w = place(e, self(e));
    if (!w || (wick_load_relaxed(&w->since_ns) && wick_load_relaxed(&w->kind) != WICK_LOCK_NATIVE))
        return 0;
    w->owner = (uint64_t) * (const volatile int *)holder;
    announce(e, w, WICK_LOCK_NATIVE, (uintptr_t)holder, start_ns);
    return wick_load_relaxed(&w->id);
}

uint64_t wick_lock_native_begin(uint64_t session, const int *holder, uint64_t start_ns)
{
    uint32_t lane = wick_gate_enter_sig(&wick_lock_gate);
    struct wick_lock_engine *e = atomic_load(&wick_lock_current); /* pairs: wick_lock_stop; seq_cst, see gate.h */
    uint64_t id = e && e->session == session ? native_begin(e, holder, start_ns) : 0;
    wick_gate_leave_sig(&wick_lock_gate, lane);
    return id;
}

/* Ends an announced wait: whether it is a sample, and whose the lock was. */
static bool native_end(struct wick_lock_wait *w, const struct wick_lock_native *n, struct wick_lock_done *done)
{
    done->id = n->id;
    done->monitor = wick_load_relaxed(&w->monitor);
    owner_seen(w, done);
    wick_store_release(&w->since_ns, 0); /* pairs: see in lock_watch.c, to which the wait is over */
    return n->end_ns >= wick_load_relaxed(&w->due_ns);
}

/* Threads that the registry does not know yet count in its slot 0, which is nobody's. */
static void native_waited(struct wick_lock_engine *e, const struct wick_lock_native *n)
{
    struct wick_engine_thread *t = self(e);
    struct wick_lock_wait *w = t ? place(e, t) : &e->waits[0];
    bool announced = n->id && wick_load_relaxed(&w->id) == n->id;
    uint64_t duration = n->end_ns - n->start_ns;
    uint64_t interval = announced ? w->interval_ns : wick_load_relaxed(&e->kinds[n->kind].interval_ns);
    uint64_t unknown = e->config.seed ^ n->start_ns * 0x9e3779b97f4a7c15u ^ (uintptr_t)n->here;
    struct wick_lock_done done = {.session = e->session,
                                  .start_ns = n->start_ns,
                                  .owned_ns = n->start_ns,
                                  .duration_ns = duration,
                                  .weight_ns = wick_poisson_weight(duration, interval),
                                  .owner = (uint64_t)n->holder,
                                  .kind = n->kind};
    bool sampled =
        announced ? native_end(w, n, &done) : duration >= wick_poisson_next(t ? &w->random : &unknown, interval);
    if (n->in_vain)
        return;
    wick_add_relaxed(&w->waits[n->kind], 1);
    wick_add_relaxed(&w->waited_ns[n->kind], duration);
    if (duration < e->config.native_threshold_ns || !sampled)
        return;
    wick_add_relaxed(&e->kinds[n->kind].samples, 1);
    const struct wick_lock_what what = {.address = (uintptr_t)n->lock,
                                        .operation = n->operation,
                                        .tid = t ? wick_load_relaxed(&t->tid) : wick_own_tid_sig()};
    record(e, &done, &what, n);
}

void wick_lock_native_waited(const struct wick_lock_native *n)
{
    uint32_t lane = wick_gate_enter_sig(&wick_lock_gate);
    struct wick_lock_engine *e = atomic_load(&wick_lock_current); /* pairs: wick_lock_stop; seq_cst, see gate.h */
    if (e && e->session == n->session)
        native_waited(e, n);
    wick_gate_leave_sig(&wick_lock_gate, lane);
}

const struct wick_lock_note *wick_lock_found(const struct wick_lock_engine *e, const struct wick_event *event)
{
    return wick_notes_at_sig(&e->notes, event->note);
}

void wick_lock_consumed(struct wick_lock_engine *e, const struct wick_event *event)
{
    wick_lock_note_free_sig(e, wick_notes_at_sig(&e->notes, event->note));
}

void wick_lock_totals_get(const struct wick_lock_engine *e, struct wick_lock_totals *out)
{
    uint32_t slots = wick_load_relaxed(&e->slots);
    *out = (struct wick_lock_totals){.recorded = wick_load_relaxed(&e->recorded),
                                     .recorded_ns = wick_load_relaxed(&e->recorded_ns),
                                     .lost = wick_load_relaxed(&e->lost),
                                     .lost_ns = wick_load_relaxed(&e->lost_ns),
                                     .looks = wick_load_relaxed(&e->looks),
                                     .owners = wick_load_relaxed(&e->owners)};
    for (uint32_t i = 0; i == 0 || i < slots; i++) {
        for (int k = 0; k < WICK_LOCK_KINDS; k++) {
            out->waits[k] += wick_load_relaxed(&e->waits[i].waits[k]);
            out->waited_ns[k] += wick_load_relaxed(&e->waits[i].waited_ns[k]);
        }
    }
}
