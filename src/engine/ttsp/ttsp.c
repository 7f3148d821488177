/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttsp.c - the watcher
 *
 * How often to poll. The JVM records when a safepoint began, so one poll between the start and the first threshold is
 * enough: the watcher then sleeps until exactly the threshold and polls again. Polling every 9/10 of the threshold
 * guarantees that poll; at 10 ms these are 111 short wake-ups a second. Where the start is not recorded (counters), it
 * is taken to be the first poll that saw it, and there are four polls to a threshold.
 *
 * While a thread is awaited all others stand still, so frequent polls cost the program nothing: every LOOK_NS, to see
 * when each slow thread stops and to sample it where it stands before the JVM lets it go.
 *
 * A safepoint that begins and ends while the watcher itself has no processor is still reported, without threads: the
 * JVM keeps the times of the last one and the sum of all.
 *
 * The signal is a real-time one that nobody uses: it carries the ticket, and several may be under way to one thread.
 */
#include "engine/ttsp/ttsp.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "hotspot/thread.h"

#define LOOK_NS           100000ull  /* while a thread is awaited */
#define LOOK_SLOW_NS      1000000ull /* the same after HASTE_NS, and while the operation runs */
#define HASTE_NS          100000000ull
#define LEAST_NS          250000ull
#define MOST_NS           100000000ull
#define SLACK_NS          10000ul
#define SLICE_NS          100000ull /* the least there is */
#define LEAST_INTERVAL_NS 1000000ull

_Atomic(struct wick_ttsp_engine *) wick_ttsp_current;
struct wick_gate wick_ttsp_gate;
struct wick_ttsp_incident wick_ttsp_slots[WICK_TTSP_INCIDENTS];

/* Counts over all recordings: a later one must not reuse tickets of an earlier one. The watcher's. */
static uint64_t last_id;

enum { FREE, OPEN, CLOSED, LOST, IN_VM = 6 /* JavaThreadState _thread_in_vm */ };

/* Sleeps until the time, or LOOK_NS at least. False: the recording ends. */
static bool sleep_until(struct wick_ttsp_engine *e, uint64_t when)
{
    uint64_t now = wick_clock_mono_ns(), ns = when > now ? when - now : 0;
    const struct timespec ts = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    struct pollfd p = {.fd = e->wake, .events = POLLIN};
    return ppoll(&p, 1, &ts, NULL) <= 0;
}

static struct wick_ttsp_incident *open_incident(struct wick_ttsp_engine *e)
{
    wick_add_relaxed(&e->incidents, 1);
    for (int k = 0; k < WICK_TTSP_INCIDENTS; k++) {
        struct wick_ttsp_incident *i = &wick_ttsp_slots[k];
        if (wick_load_acquire(&i->phase) != FREE) /* pairs: wick_ttsp_collect */
            continue;
        /* attempts keep their words: a handler may be reading one */
        memset((char *)i + sizeof i->phase, 0, offsetof(struct wick_ttsp_incident, attempts) - sizeof i->phase);
        i->id = ++last_id;
        wick_store_relaxed(&i->phase, OPEN);
        return i;
    }
    wick_add_relaxed(&e->lost, 1);
    return NULL;
}

/* The incident's entry for a thread, a new one if it has none; -1 if there is no room. */
static int late_entry(struct wick_ttsp_engine *e, struct wick_ttsp_incident *i, const struct wick_hs_thread *t)
{
    for (uint32_t k = 0; k < i->late_count; k++)
        if (i->late[k].java == t->addr)
            return (int)k;
    if (i->late_count == WICK_TTSP_LATE_MAX)
        return -1;
    const struct wick_engine_thread *known = wick_threads_find_sig(e->threads, t->tid);
    struct wick_ttsp_late *l = &i->late[i->late_count];
    *l = (struct wick_ttsp_late){.tid = t->tid, .java = t->addr, .serial = known ? known->serial : 0};
    wick_thread_rules(t->tid, &l->rules);
    return (int)i->late_count++;
}

static uint32_t attempts_at(const struct wick_ttsp_incident *i, uint32_t late)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < i->attempt_count; k++)
        n += i->attempts[k].late == late;
    return n;
}

/* Up to JDK 13 a thread that stops at a poll waits for a lock of the VM thread's before its state says so. */
static bool stands_at_door(const struct wick_ttsp_engine *e, wick_addr java, int32_t tid)
{
    struct wick_thread_now now;
    if (e->jvm->major >= 14 || wick_hs_thread_state_sig(e->jvm, java) != IN_VM)
        return false;
    wick_thread_now(tid, &now);
    return now.state == 'S' && !strncmp(now.wchan, "futex", 5);
}

static int queue_signal(const struct wick_ttsp_engine *e, int32_t tid, uint64_t ticket)
{
    siginfo_t info = {.si_signo = e->signal.number, .si_code = SI_QUEUE};
    info.si_pid = e->pid;
    info.si_uid = getuid();
    info.si_value.sival_ptr = (void *)(uintptr_t)ticket;
    return (int)syscall(SYS_rt_tgsigqueueinfo, e->pid, tid, e->signal.number, &info);
}

/* Reads the kernel's facts of a slow thread and asks it for its stack. */
static void send(struct wick_ttsp_engine *e, struct wick_ttsp_incident *i, uint32_t late, bool gave_way)
{
    uint32_t place = (uint32_t)(i - wick_ttsp_slots);
    if (i->attempt_count == WICK_TTSP_ATTEMPTS)
        return;
    struct wick_ttsp_attempt *a = &i->attempts[i->attempt_count];
    uint64_t ticket = (i->id * WICK_TTSP_INCIDENTS + place) * WICK_TTSP_ATTEMPTS + i->attempt_count;
    a->incident = i;
    a->late = late;
    a->number = attempts_at(i, late) + 1;
    a->gave_way = gave_way;
    wick_store_relaxed(&a->answered_ns, 0);
    a->pc = 0;
    a->held = false;
    a->window = (struct wick_stack_window){0, 0};
    a->stack = NULL;
    wick_thread_now(i->late[late].tid, &a->facts);
    a->sent_ns = wick_clock_mono_ns();
    wick_store_release(&a->word, ticket << 2 | WICK_TTSP_SENT); /* pairs: take in ttsp_sig.c */
    i->attempt_count++;
    if (queue_signal(e, i->late[late].tid, ticket)) {
        wick_store_relaxed(&a->word, ticket << 2 | WICK_TTSP_ANSWERED);
        wick_add_relaxed(&e->unsent, 1);
    }
}

/* The threads that are waited for now. */
static int find_late(const struct wick_ttsp_engine *e, struct wick_hs_thread *out, uint32_t *awaited, uint32_t *all)
{
    if (!e->in_critical)
        return wick_hs_threads_awaited(e->jvm, out, WICK_TTSP_LATE_MAX, awaited, all);
    int n = wick_hs_critical_threads(&e->critical, out, WICK_TTSP_LATE_MAX, all);
    *awaited = n > 0 ? (uint32_t)n : 0;
    return n < 0 ? n : 0;
}

/* The flag of a waiting collection stays set while it runs, when no thread holds it up any more. */
static bool nobody_holds(const struct wick_ttsp_engine *e)
{
    struct wick_hs_thread threads[WICK_TTSP_LATE_MAX];
    uint32_t awaited, all;
    return e->in_critical && (find_late(e, threads, &awaited, &all) || !awaited);
}

/* Asks all threads that have not arrived. */
static void ask_late(struct wick_ttsp_engine *e, struct wick_ttsp_incident *i)
{
    struct wick_hs_thread threads[WICK_TTSP_LATE_MAX];
    uint32_t awaited, all;
    if (find_late(e, threads, &awaited, &all))
        return;
    i->java_threads = all;
    uint32_t found = awaited < WICK_TTSP_LATE_MAX ? awaited : WICK_TTSP_LATE_MAX;
    for (uint32_t k = 0; k < found; k++) {
        if (!e->in_critical && stands_at_door(e, threads[k].addr, threads[k].tid)) {
            awaited--;
            continue;
        }
        int late = late_entry(e, i, &threads[k]);
        if (late >= 0)
            send(e, i, (uint32_t)late, false);
    }
    if (awaited > i->awaited)
        i->awaited = awaited;
}

static bool has_arrived(const struct wick_ttsp_engine *e, const struct wick_ttsp_late *l)
{
    if (e->in_critical)
        return !wick_hs_critical_holds(&e->critical, l->java);
    return !wick_hs_thread_awaited_sig(e->jvm, wick_hs_thread_state_sig(e->jvm, l->java)) ||
           stands_at_door(e, l->java, l->tid);
}

/* Notes which slow threads have given way since the last poll, and asks them where they are. */
static void watch_late(struct wick_ttsp_engine *e, struct wick_ttsp_incident *i, bool over)
{
    for (uint32_t k = 0; k < i->late_count; k++) {
        struct wick_ttsp_late *l = &i->late[k];
        if (!l->released_ns && (over || has_arrived(e, l)))
            l->released_ns = wick_clock_mono_ns();
        if (l->released_ns && !l->asked && !e->in_critical && e->safepoint.source == WICK_HS_SAFEPOINT_SYMBOLS &&
            wick_hs_safepoint_holds_sig(&e->safepoint, i->safepoint)) {
            l->asked = true;
            send(e, i, k, true);
        }
    }
}

static bool same(struct wick_ttsp_engine *e, uint64_t id, struct wick_hs_safepoint_view *v)
{
    if (e->in_critical)
        return wick_hs_critical_pending(&e->critical);
    wick_hs_safepoint_look(&e->safepoint, v);
    return v->id == id && v->synchronising && v->certain;
}

/* Sleeps until `due`, polling slow threads. False if the threads of safepoint `id` have all arrived before, or the
 * recording ends. */
static bool wait_due(struct wick_ttsp_engine *e, struct wick_ttsp_incident *i, uint64_t id, uint64_t begin,
                     uint64_t due, struct wick_hs_safepoint_view *v)
{
    for (;;) {
        uint64_t now = wick_clock_mono_ns(), step = now - begin < HASTE_NS ? LOOK_NS : LOOK_SLOW_NS;
        uint64_t until = i && now + step < due ? now + step : due;
        if (until > now && !sleep_until(e, until))
            return false;
        if (!same(e, id, v))
            return false;
        if (i)
            watch_late(e, i, false);
        if (wick_clock_mono_ns() >= due)
            return true;
    }
}

static uint64_t due_after(const struct wick_ttsp_config *c, uint64_t begin, uint32_t round)
{
    return round < WICK_TTSP_STEPS
               ? begin + c->threshold_ns[round]
               : begin + c->threshold_ns[WICK_TTSP_STEPS - 1] + (round - WICK_TTSP_STEPS + 1) * c->interval_ns;
}

/* Waits for the end of the safepoint, catching slow threads that have given way. */
static void await_end(struct wick_ttsp_engine *e, struct wick_ttsp_incident *i, struct wick_hs_safepoint_view *v)
{
    while (v->id == i->safepoint && v->stopped) {
        watch_late(e, i, true);
        if (!sleep_until(e, wick_clock_mono_ns() + LOOK_SLOW_NS))
            return;
        wick_hs_safepoint_look(&e->safepoint, v);
    }
}

/* Whether no other safepoint began since. */
static bool is_last(const struct wick_hs_safepoint *sp, const struct wick_ttsp_incident *i)
{
    return !i->begin_exact || wick_hs_safepoint_begin_ns(sp) == i->begin_ns;
}

/* When all threads had arrived, by the JVM: it keeps that of the last safepoint, so perhaps of a later one; 0 then. */
static uint64_t arrival_of(const struct wick_hs_safepoint *sp, const struct wick_ttsp_incident *i)
{
    uint64_t sync = wick_hs_safepoint_sync_ns(sp);
    return sync > i->begin_ns && (is_last(sp, i) || sync < wick_hs_safepoint_begin_ns(sp)) ? sync : 0;
}

/* What the sum of all times to safepoint grew by, less what one later safepoint took if that is in it already (the JVM
 * forgets the arrival at the last one when the next one begins); 0 if that is not known. */
static uint64_t reach_by_sums(const struct wick_hs_safepoint *sp, const struct wick_ttsp_incident *i,
                              const uint64_t before[2])
{
    uint64_t begin = wick_hs_safepoint_begin_ns(sp), sync = wick_hs_safepoint_sync_ns(sp);
    uint64_t later = wick_hs_safepoint_count(sp) - before[0], sum = wick_hs_safepoint_sync_total(sp);
    if (!before[0] || sum <= before[1])
        return 0;
    if (later == 1 && sync > begin && begin > i->begin_ns && sum - before[1] > sync - begin)
        return sum - before[1] - (sync - begin);
    return !later || (later == 1 && sync <= begin && begin > i->begin_ns) ? sum - before[1] : 0;
}

/* Fills in the times. before: number of safepoints and sum of times to safepoint while this one was awaited. */
static void close_incident(struct wick_ttsp_engine *e, struct wick_ttsp_incident *i, uint64_t seen_ns,
                           const uint64_t before[2])
{
    const struct wick_hs_safepoint *sp = &e->safepoint;
    uint64_t exact = i->critical ? 0 : arrival_of(sp, i), sum = i->critical ? 0 : reach_by_sums(sp, i, before);
    i->end_ns = wick_clock_mono_ns();
    if (exact && wick_hs_safepoint_end_ns(sp) > exact && is_last(sp, i))
        i->end_ns = wick_hs_safepoint_end_ns(sp);
    i->sync_ns = exact && exact <= seen_ns ? exact : seen_ns;
    i->reach_ns = i->sync_ns - i->begin_ns;
    i->reach_exact = exact == i->sync_ns && i->begin_exact;
    if (!i->reach_exact && sum) {
        i->reach_ns = sum;
        i->reach_exact = true;
        if (i->begin_exact && i->begin_ns + i->reach_ns <= seen_ns)
            i->sync_ns = i->begin_ns + i->reach_ns;
    }
    for (uint32_t k = 0; k < i->late_count; k++)
        if (!i->late[k].released_ns || i->late[k].released_ns > i->sync_ns)
            i->late[k].released_ns = i->sync_ns;
    if (!i->critical) {
        e->known_count++;
        e->known_sync_ns += i->reach_ns;
        e->known_begin_ns = i->begin_ns;
    }
    i->closed_ns = wick_clock_mono_ns();
    wick_store_release(&i->phase, CLOSED); /* pairs: wick_ttsp_collect */
}

/* An incident that is over. */
static void report_unwatched(struct wick_ttsp_engine *e, uint64_t begin_ns, uint64_t reach_ns, uint64_t end_ns,
                             bool exact)
{
    struct wick_ttsp_incident *i = open_incident(e);
    wick_add_relaxed(&e->unwatched, 1);
    if (!i)
        return;
    i->begin_ns = begin_ns;
    i->sync_ns = begin_ns + reach_ns;
    i->end_ns = end_ns > i->sync_ns ? end_ns : i->sync_ns;
    i->reach_ns = reach_ns;
    i->begin_exact = exact;
    i->reach_exact = true;
    i->closed_ns = wick_clock_mono_ns();
    wick_store_release(&i->phase, CLOSED); /* pairs: wick_ttsp_collect */
}

/* Finds slow safepoints that were over before the watcher could poll. The JVM counts a safepoint when it begins and
 * adds its time when all threads have arrived. So the sum is read first, and what was counted without its time stays to
 * be counted by the poll that finds the time: a poll between the two would take several safepoints for one. */
static void find_unseen(struct wick_ttsp_engine *e, bool synchronising)
{
    const struct wick_hs_safepoint *sp = &e->safepoint;
    uint64_t sum = wick_hs_safepoint_sync_total(sp);
    if (sum == e->polled_sync_ns && (!sp->sync_ns || wick_hs_safepoint_begin_ns(sp) == e->known_begin_ns))
        return; /* nothing new, as almost always; each further read is a system call */
    uint64_t count = wick_hs_safepoint_count(sp) - synchronising;
    uint64_t begin = wick_hs_safepoint_begin_ns(sp), sync = wick_hs_safepoint_sync_ns(sp);
    if (!synchronising && sync > begin && begin != e->known_begin_ns) {
        uint64_t last = begin ? sync - begin : 0;
        if (last >= e->config.threshold_ns[0]) {
            report_unwatched(e, begin, last, wick_hs_safepoint_end_ns(sp), true);
            e->known_count++;
            e->known_sync_ns += last;
        }
        e->known_begin_ns = begin;
    }
    if (sum == e->polled_sync_ns)
        return;
    int64_t over = (int64_t)(count - e->known_count);
    uint64_t took = sum > e->known_sync_ns ? sum - e->known_sync_ns : 0;
    if (took >= e->config.threshold_ns[0] && over <= 1)
        report_unwatched(e, wick_clock_mono_ns() - took, took, 0, false);
    else if (took >= e->config.threshold_ns[0])
        wick_add_relaxed(&e->unclear, (uint64_t)over);
    e->known_count = count;
    e->known_sync_ns = e->polled_sync_ns = sum;
}

/* A safepoint is being synchronised, or (in_critical) a collection waits: follows it to its end. */
static void follow(struct wick_ttsp_engine *e, const struct wick_hs_safepoint_view *first)
{
    struct wick_ttsp_incident *i = NULL;
    struct wick_hs_safepoint_view v = *first;
    uint64_t begin = first->begin_ns ? first->begin_ns : wick_clock_mono_ns();
    const uint64_t before[2] = {wick_hs_safepoint_count(&e->safepoint), wick_hs_safepoint_sync_total(&e->safepoint)};
    for (uint32_t round = 0;; round++) {
        if (!wait_due(e, i, first->id, begin, due_after(&e->config, begin, round), &v))
            break;
        if (!i && (nobody_holds(e) || !(i = open_incident(e))))
            break;
        if (round == 0) {
            i->safepoint = first->id;
            i->critical = e->in_critical;
            i->begin_ns = begin;
            i->begin_exact = first->begin_ns != 0;
        }
        if (round == 0 && !i->critical) {
            wick_hs_safepoint_operation(&e->safepoint, i->operation, sizeof i->operation);
            i->operation_class = i->operation[0] ? 0 : wick_hs_safepoint_operation_class(&e->safepoint);
        }
        ask_late(e, i);
        while (due_after(&e->config, begin, round + 1) <= wick_clock_mono_ns())
            round++; /* the watcher itself was delayed */
    }
    if (!i)
        return;
    uint64_t seen_ns = wick_clock_mono_ns();
    watch_late(e, i, true);
    if (!i->critical)
        await_end(e, i, &v);
    close_incident(e, i, seen_ns, before);
}

static uint64_t look_period(const struct wick_ttsp_engine *e)
{
    uint64_t first = e->config.threshold_ns[0];
    uint64_t p = e->safepoint.begin_ns || e->safepoint.begin_ticks ? first / 10 * 9 : first / 4;
    return p < LEAST_NS ? LEAST_NS : p > MOST_NS ? MOST_NS : p;
}

/* From the moment at which the source is known, what is slow is reported. */
static bool open_safepoint(struct wick_ttsp_engine *e)
{
    struct wick_elf_file f;
    bool have = !wick_elf_open_symbols(e->libjvm, &f);
    int r = wick_hs_safepoint_open(&e->safepoint, e->jvm, have ? &f : NULL, e->libjvm->bias);
    wick_hs_critical_open(&e->critical, e->jvm, have ? &f : NULL, e->libjvm->bias, e->config.critical_place);
    if (have)
        wick_elf_file_release(&f);
    wick_store_relaxed(&e->vm_start_ns, wick_hs_safepoint_vm_start_ns(&e->safepoint));
    if (!r) {
        e->known_count = wick_hs_safepoint_count(&e->safepoint);
        e->known_sync_ns = e->polled_sync_ns = wick_hs_safepoint_sync_total(&e->safepoint);
        e->known_begin_ns = wick_hs_safepoint_begin_ns(&e->safepoint);
    }
    wick_store_release(&e->source, r ? WICK_HS_SAFEPOINT_NONE : (int)e->safepoint.source); /* pairs: readers of it */
    return !r;
}

/* A thread that runs for microseconds at a time says so: from Linux 6.12 on the scheduler then puts it before those
 * that want to run for long, without giving it more. Older kernels take no notice. */
static void ask_for_short_slices(void)
{
    /* struct sched_attr of sched_setattr(2), which this C library does not have */
    struct {
        uint32_t size, sched_policy;
        uint64_t sched_flags;
        int32_t sched_nice;
        uint32_t sched_priority;
        uint64_t sched_runtime, sched_deadline, sched_period;
    } a = {.size = sizeof a};
    if (syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) || a.sched_policy != SCHED_OTHER)
        return;
    a.sched_runtime = SLICE_NS;
    (void)syscall(SYS_sched_setattr, 0, &a, 0);
}

static void *watch(void *arg)
{
    struct wick_ttsp_engine *e = arg;
    prctl(PR_SET_NAME, "wick-ttsp");
    prctl(PR_SET_TIMERSLACK, SLACK_NS);
    ask_for_short_slices();
    if (!open_safepoint(e))
        return NULL;
    atomic_store(&wick_ttsp_current, e); /* pairs: wick_ttsp_handle_sig, which reads the safepoint from now on */
    uint64_t period = look_period(e);
    while (sleep_until(e, wick_clock_mono_ns() + period)) {
        struct wick_hs_safepoint_view v;
        wick_add_relaxed(&e->looks, 1);
        wick_hs_safepoint_look(&e->safepoint, &v);
        find_unseen(e, v.synchronising);
        if (v.synchronising && v.certain) {
            follow(e, &v);
        } else if (wick_hs_critical_pending(&e->critical)) {
            const struct wick_hs_safepoint_view none = {.certain = true};
            e->in_critical = true;
            follow(e, &none);
            e->in_critical = false;
        }
    }
    return NULL;
}

static int start_watcher(struct wick_ttsp_engine *e)
{
    sigset_t all, old;
    sigfillset(&all);
    if (e->config.awake_signal)
        sigdelset(&all, e->config.awake_signal);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int r = pthread_create(&e->watcher, NULL, watch, e);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return r;
}

int wick_ttsp_start(struct wick_ttsp_engine *e, const struct wick_ttsp_config *c, const struct wick_jvm *jvm,
                    const struct wick_elf_image *libjvm, struct wick_recorder *r, struct wick_threads *ts,
                    struct wick_err *err)
{
    *e = (struct wick_ttsp_engine){
        .recorder = r, .threads = ts, .jvm = jvm, .libjvm = libjvm, .config = *c, .source = -1};
    e->pid = getpid();
    int rc = wick_signal_take(&e->signal, WICK_SIGNAL_ANY_REALTIME, wick_ttsp_handle_sig, err);
    if (rc)
        return rc;
    e->wake = eventfd(0, EFD_CLOEXEC);
    if (e->wake < 0 || start_watcher(e)) {
        wick_signal_give(&e->signal);
        if (e->wake >= 0)
            close(e->wake);
        return wick_err_set(err, WICK_E_NOMEM, "the time-to-safepoint watcher could not be started");
    }
    e->running = true;
    return 0;
}

void wick_ttsp_stop(struct wick_ttsp_engine *e)
{
    const uint64_t one = 1;
    if (!e->running)
        return;
    e->running = false;
    (void)!write(e->wake, &one, sizeof one);
    pthread_join(e->watcher, NULL);
    close(e->wake);
    wick_signal_give(&e->signal);
    atomic_store(&wick_ttsp_current, NULL); /* pairs: wick_ttsp_handle_sig; seq_cst, see gate.h */
    if (!wick_gate_wait(&wick_ttsp_gate, &e->recorder->patience_ns))
        wick_recorder_keep(e->recorder, 0);
}

struct wick_ttsp_attempt *wick_ttsp_found(const struct wick_event *event)
{
    if (!event->note || event->note > WICK_TTSP_INCIDENTS * WICK_TTSP_ATTEMPTS)
        return NULL;
    struct wick_ttsp_incident *i = &wick_ttsp_slots[(event->note - 1) / WICK_TTSP_ATTEMPTS];
    struct wick_ttsp_attempt *a = &i->attempts[(event->note - 1) % WICK_TTSP_ATTEMPTS];
    uint32_t stage = wick_load_acquire(&i->phase); /* pairs: open_incident */
    if (stage == FREE || stage == LOST)
        return NULL;
    enum wick_ttsp_phase phase = wick_ttsp_phase_of(wick_load_acquire(&a->word)); /* pairs: ttsp_sig.c */
    if (phase != WICK_TTSP_ANSWERING && phase != WICK_TTSP_ANSWERED)
        return NULL;
    /* the number may have come to another incident's attempt, if the event was long in its ring */
    return wick_load_relaxed(&a->answered_ns) == event->time_ns ? a : NULL;
}

/* Whether nothing can come to the incident any more; signals that are too late are given up with `all` or after a
 * while. */
static bool settled(struct wick_ttsp_incident *i, bool all)
{
    bool late = all || wick_clock_mono_ns() - i->closed_ns > WICK_SIGNAL_LATEST_NS;
    for (uint32_t n = 0; n < i->attempt_count; n++) {
        struct wick_ttsp_attempt *a = &i->attempts[n];
        uint64_t word = wick_load_acquire(&a->word); /* pairs: ttsp_sig.c */
        if (wick_ttsp_phase_of(word) == WICK_TTSP_SENT && (!late || !wick_cas_acq_rel(&a->word, &word, 0)))
            return false;
        if (wick_ttsp_phase_of(word) == WICK_TTSP_ANSWERING)
            return false;
    }
    return true;
}

void wick_ttsp_collect(bool all, void (*report)(void *arg, struct wick_ttsp_incident *i), void *arg)
{
    for (int k = 0; k < WICK_TTSP_INCIDENTS; k++) {
        struct wick_ttsp_incident *i = &wick_ttsp_slots[k];
        if (wick_load_acquire(&i->phase) != CLOSED) /* pairs: close_incident */
            continue;
        bool over = settled(i, all);
        if (!over && !all)
            continue;
        if (!all && !i->ripe) { /* the last answer's event may have come after the rings were emptied */
            i->ripe = true;
            continue;
        }
        report(arg, i);
        if (!over) { /* a handler has not come back and may still write to it */
            /* pairs: open_incident, wick_ttsp_found: it is not used again */
            wick_store_release(&i->phase, LOST);
            continue;
        }
        for (uint32_t n = 0; n < i->attempt_count; n++)
            wick_store_relaxed(&i->attempts[n].word, 0);
        wick_store_release(&i->phase, FREE); /* pairs: open_incident */
    }
}

static int read_list(const char *list, struct wick_ttsp_config *out, uint32_t *n)
{
    for (*n = 0; *list && *n < WICK_TTSP_STEPS; ++*n) {
        char *end;
        double ms = strtod(list, &end);
        if (end == list || !(ms >= 0.1 && ms <= 3600e3) || (*end && !strchr(",:/", *end)))
            return -WICK_E_USAGE;
        out->threshold_ns[*n] = (uint64_t)(ms * 1e6);
        if (*n && out->threshold_ns[*n] <= out->threshold_ns[*n - 1])
            return -WICK_E_USAGE;
        if (*end && !end[1])
            return -WICK_E_USAGE;
        list = *end ? end + 1 : end;
    }
    return *list ? -WICK_E_USAGE : 0;
}

int wick_ttsp_thresholds(const char *list, uint64_t threshold, uint64_t interval, uint64_t timeout_ms,
                         struct wick_ttsp_config *out, struct wick_err *err)
{
    uint32_t n = 0;
    out->interval_ns = timeout_ms * 10000 * interval; /* one percent of a ms is 10,000 ns */
    if (out->interval_ns < LEAST_INTERVAL_NS)
        out->interval_ns = LEAST_INTERVAL_NS;
    if (*list) {
        if (read_list(list, out, &n))
            return wick_err_set(
                err, WICK_E_USAGE,
                "'%s' is not a list of one to five rising times in ms (0.1 or more), such as 1,2,5,10,20", list);
    } else {
        out->threshold_ns[0] = timeout_ms * 10000 * threshold;
        if (out->threshold_ns[0] < LEAST_INTERVAL_NS)
            out->threshold_ns[0] = LEAST_INTERVAL_NS;
        n = 1;
    }
    for (; n < WICK_TTSP_STEPS; n++)
        out->threshold_ns[n] = out->threshold_ns[n - 1] + out->interval_ns;
    return 0;
}
