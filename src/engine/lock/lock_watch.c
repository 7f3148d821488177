/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_watch.c - the watcher finds the owners of locks that threads wait for
 *
 * While some thread waits for a lock whose owner was not examined, the watcher sleeps until the first such wait is due,
 * but LOOK_NS at least, and REST_NS at most, since a wait that begins after that may be due earlier. While none does,
 * it sleeps until it is woken, and LOOK_NS more, so that many short waits do not wake it each:
 *
 *      watcher                             a thread that begins to wait
 *      asleep = 1             (seq_cst)    since = now                        (seq_cst)
 *      check all slots        (seq_cst)    if asleep: asleep = 0, wake        (seq_cst)
 *
 * so either the watcher sees the wait or the thread sees it asleep.
 *
 * An owner that itself waits is walked from a copy of its stack. The copy is consistent if the kernel put the thread on
 * no processor while it was made. If it did, the owner is examined again after LOOK_NS, and ever more rarely as the
 * wait goes on, in ATTEMPTS_MOST attempts; few in each round, so that waits not examined yet come first.
 */
#include "engine/lock/lock.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/thread/own_tid.h"
#include "engine/thread/thread_look.h"

#define LOOK_NS 1000000ull
#define REST_NS 10000000ull

enum {
    LOOKS_MOST = 64,    /* in a round, at owners not examined yet */
    AGAIN_IN_ROUND = 8, /* besides these: at owners that ran before */
    ATTEMPTS_MOST = 16, /* for one wait; the last comes after a second or more */
    AGAIN_PART = 2,     /* of the wait so far, until its owner is examined again */
};

/* What became of an attempt at an owner's stack. */
enum asked { HAD, RAN /* just then */, NEVER };

/* A wait as the watcher saw it. */
struct seen {
    uint64_t since_ns, due_ns, id, monitor;
    uint32_t kind;
};

/* Reads what a thread waits for; false: it does not, or has begun to wait for something else. */
static bool see(const struct wick_lock_wait *w, struct seen *out)
{
    out->since_ns = atomic_load(&w->since_ns); /* pairs: announce in lock.c; seq_cst, see above */
    out->due_ns = wick_load_relaxed(&w->due_ns);
    out->id = wick_load_relaxed(&w->id);
    out->monitor = wick_load_relaxed(&w->monitor);
    out->kind = wick_load_relaxed(&w->kind);
    atomic_thread_fence(
        memory_order_acquire); /* pairs: both of announce in lock.c; all was read before the next line */
    return out->since_ns && wick_load_relaxed(&w->since_ns) == out->since_ns;
}

static struct wick_lock_note *make_note(struct wick_lock_engine *e, const struct seen *s, uint32_t owner_slot,
                                        uint64_t now)
{
    const struct wick_engine_thread *t = &e->threads->slots[owner_slot];
    struct wick_lock_note *n = wick_lock_note_take_sig(e);
    if (!n)
        return NULL;
    n->of_owner = true;
    n->owner = t->serial;
    n->owner_java = wick_load_acquire(&t->java); /* pairs: wick_threads_java */
    n->done = (struct wick_lock_done){.session = e->session,
                                      .id = s->id,
                                      .start_ns = s->since_ns,
                                      .duration_ns = now - s->since_ns,
                                      .kind = (enum wick_lock_kind)s->kind};
    memset(&n->what, 0, sizeof n->what);
    return n;
}

static bool slept(struct wick_lock_engine *e, int32_t tid, const struct wick_thread_sched *before)
{
    struct wick_thread_sched now;
    return !wick_thread_sched(&e->files, tid, &now) && now.slices == before->slices && now.cpu_ns == before->cpu_ns;
}

/* The stack of an owner that waits, by itself. */
static enum asked walk(struct wick_lock_engine *e, struct wick_lock_note *n, int32_t tid,
                       const struct wick_thread_look *l, const struct wick_thread_sched *before, uint64_t now)
{
    struct wick_outside o = {.pc = l->pc, .sp = l->sp, .lo = l->sp - WICK_STEP_RED_ZONE, .stack = e->stack};
    o.bytes = wick_mem_read_most(&e->recorder->walker.mem, o.lo, e->stack, WICK_THREAD_LOOK_STACK);
    if (!o.bytes || !slept(e, tid, before))
        return RAN;
    struct wick_scratch *scratch = wick_recorder_enter_sig(e->recorder);
    if (!scratch)
        return NEVER;
    const struct wick_sample_sig in = {
        .outside = &o,
        .java = n->owner_java,
        .tid = tid,
        .time_ns = now,
        .thread = n->owner,
        .type = WICK_EVENT_LOCK,
        .note = n->number,
    };
    bool kept = wick_recorder_sample_sig(e->recorder, scratch, &in);
    wick_recorder_leave_sig(scratch);
    return kept ? HAD : NEVER;
}

/* A place to remember that a note is under way; notes that nobody answers are taken back. */
static struct wick_lock_sent *sent_place(struct wick_lock_engine *e, uint64_t now)
{
    struct wick_lock_sent *place = NULL;
    for (int i = 0; i < WICK_LOCK_SENT_MOST; i++) {
        struct wick_lock_sent *s = &e->sent[i];
        struct wick_lock_note *n = wick_notes_at_sig(&e->notes, wick_lock_ticket_number(s->ticket));
        uint64_t word = wick_lock_ticket_word(s->ticket);
        bool out = n && wick_load_relaxed(&n->word) == word;
        if (out && now - s->sent_ns > WICK_SIGNAL_LATEST_NS &&
            /* pairs: take in lock_watch_sig.c */
            wick_cas_acq_rel(&n->word, &word, (word & ~(uint64_t)3) | WICK_LOCK_HELD)) {
            wick_lock_note_free_sig(e, n);
            out = false;
        }
        if (!out)
            place = s;
    }
    return place;
}

/* Asks an owner that can run. */
static bool send(struct wick_lock_engine *e, struct wick_lock_note *n, int32_t tid, uint64_t now)
{
    struct wick_lock_sent *place = sent_place(e, now);
    uint64_t uses = wick_load_relaxed(&n->word) >> 2, ticket = uses << 16 | n->number;
    siginfo_t info;
    if (!place)
        return false;
    memset(&info, 0, sizeof info);
    info.si_signo = e->signal.number;
    info.si_code = SI_QUEUE;
    info.si_pid = e->pid;
    info.si_uid = getuid();
    info.si_value.sival_ptr = (void *)(uintptr_t)ticket;
    wick_store_release(&n->word, uses << 2 | WICK_LOCK_SENT); /* pairs: take in lock_watch_sig.c */
    *place = (struct wick_lock_sent){ticket, now};
    if (!syscall(SYS_rt_tgsigqueueinfo, e->pid, tid, e->signal.number, &info))
        return true;
    place->ticket = 0;
    /* pairs: take in lock_watch_sig.c, which no thread comes to with this ticket: the signal was not sent */
    wick_store_release(&n->word, uses << 2 | WICK_LOCK_HELD);
    return false;
}

static enum asked ask(struct wick_lock_engine *e, const struct seen *s, uint32_t owner_slot, uint64_t now)
{
    int32_t tid = wick_load_relaxed(&e->threads->slots[owner_slot].tid);
    struct wick_lock_note *n = make_note(e, s, owner_slot, now);
    struct wick_thread_sched before;
    struct wick_thread_look l;
    if (!n)
        return NEVER;
    bool blocks = wick_thread_look_blocks(e->files.tasks, tid, e->signal.number); /* it may take signals by sigwait() */
    enum wick_thread_seen seen =
        wick_thread_sched(&e->files, tid, &before) ? WICK_THREAD_GONE : wick_thread_look(&e->files, tid, &l);
    if (seen == WICK_THREAD_READY && !blocks && send(e, n, tid, now))
        return HAD;
    enum asked asked = seen == WICK_THREAD_WAITS ? walk(e, n, tid, &l, &before, now) : NEVER;
    if (asked == HAD)
        wick_add_relaxed(&e->owners, 1);
    else
        wick_lock_note_free_sig(e, n);
    return asked;
}

/* As the lock says: a JavaThread, or what the JDK puts there instead; of a native lock a kernel id. Its memory may be
 * another's, or nobody's, by now. */
static uint64_t owner_of(const struct wick_lock_engine *e, const struct seen *s)
{
    int32_t tid;
    if (s->kind == WICK_LOCK_MONITOR)
        return wick_hs_monitor_owner(e->jvm, s->monitor);
    if (s->kind != WICK_LOCK_NATIVE)
        return wick_hs_ownable_owner(e->jvm, &e->config.ownable, s->monitor);
    return wick_mem_read(e->jvm->mem, s->monitor, &tid, sizeof tid) || tid < 0 ? 0 : (uint64_t)tid;
}

/* Examines the lock that a thread waits for, or has just got. */
static enum asked look(struct wick_lock_engine *e, const struct seen *s, uint32_t waiter, uint64_t now)
{
    uint64_t owner = owner_of(e, s);
    uint32_t slot = wick_lock_owner_slot_sig(e, (enum wick_lock_kind)s->kind, s->monitor, owner);
    wick_add_relaxed(&e->looks, 1);
    if (!slot || slot == waiter)
        return NEVER;
    wick_store_relaxed(&e->waits[waiter].seen_ns, now);
    /* pairs: owner_seen, which takes the time of this owner or a later one */
    wick_store_release(&e->waits[waiter].seen_owner, s->id << 32 | e->threads->slots[slot].serial);
    return ask(e, s, slot, now);
}

/* When the owner is to be examined, 0 = it was. */
static uint64_t due(const struct wick_lock_wait *w, const struct seen *s)
{
    return w->looked == s->id ? w->again_ns : s->due_ns;
}

/* Examines a wait that is due. Returns when it is again, 0 = not. */
static uint64_t examine(struct wick_lock_engine *e, struct wick_lock_wait *w, const struct seen *s, uint32_t waiter,
                        uint64_t now)
{
    w->attempts = w->looked == s->id ? w->attempts + 1 : 1;
    w->looked = s->id;
    bool ran = look(e, s, waiter, now) == RAN && w->attempts < ATTEMPTS_MOST;
    return w->again_ns = ran ? now + LOOK_NS + (now - s->since_ns) / AGAIN_PART : 0;
}

/* Examines all that is due. Returns when the next wait is, 0 = there is none. */
static uint64_t look_around(struct wick_lock_engine *e, uint64_t now)
{
    uint32_t top = wick_threads_top(e->threads);
    uint64_t next = 0;
    int looks = 0, agains = 0;
    for (uint32_t i = 1; i < top; i++) {
        struct wick_lock_wait *w = &e->waits[i];
        struct seen s;
        uint64_t at = see(w, &s) && s.monitor ? due(w, &s) : 0;
        bool again = at && w->looked == s.id;
        if (at && at <= now && (again ? agains++ < AGAIN_IN_ROUND : looks++ < LOOKS_MOST))
            at = examine(e, w, &s, i, now);
        if (at && (!next || at < next))
            next = at;
    }
    return next;
}

static bool sleep_ns(struct wick_lock_engine *e, const struct timespec *ts)
{
    struct pollfd p = {.fd = e->wake, .events = POLLIN};
    uint64_t n;
    if (ppoll(&p, 1, ts, NULL) > 0)
        (void)!read(e->wake, &n, sizeof n);
    return atomic_load(&wick_lock_current) == e; /* pairs: wick_lock_stop, which wakes after its store */
}

/* Sleeps until there is something to examine. False: the recording ends. */
static bool rest(struct wick_lock_engine *e, uint64_t next)
{
    uint64_t now = wick_clock_mono_ns(), ns = next > now ? next - now : 0;
    if (!next) {
        atomic_store(&e->asleep, 1); /* pairs: wick_lock_watch_wake; seq_cst, see above */
        if (!look_around(e, 0))      /* nothing is due at 0: only checks whether there is a wait */
            return sleep_ns(e, NULL) && sleep_ns(e, &(struct timespec){.tv_nsec = LOOK_NS});
        atomic_store(&e->asleep, 0); /* pairs: wick_lock_watch_wake */
    }
    ns = ns < LOOK_NS ? LOOK_NS : ns > REST_NS ? REST_NS : ns;
    return sleep_ns(e, &(struct timespec){.tv_nsec = (long)ns});
}

static void *watcher_main(void *arg)
{
    struct wick_lock_engine *e = arg;
    prctl(PR_SET_NAME, "wick-lock");
    wick_own_tid_learn(&e->recorder->walker.mem);
    while (rest(e, look_around(e, wick_clock_mono_ns())))
        ;
    return NULL;
}

void wick_lock_watch_wake(struct wick_lock_engine *e)
{
    const uint64_t one = 1;
    if (atomic_load(&e->asleep) && atomic_exchange(&e->asleep, 0)) /* pairs: rest; seq_cst, see above */
        (void)!write(e->wake, &one, sizeof one);
}

static int start_thread(struct wick_lock_engine *e)
{
    sigset_t all, old;
    sigfillset(&all);
    if (e->config.awake_signal)
        sigdelset(&all, e->config.awake_signal);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int r = pthread_create(&e->watcher, NULL, watcher_main, e);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return r;
}

int wick_lock_watch_start(struct wick_lock_engine *e, struct wick_err *err)
{
    e->pid = getpid();
    e->stack = malloc(WICK_THREAD_LOOK_STACK);
    e->wake = eventfd(0, EFD_CLOEXEC);
    int why = e->wake < 0 ? errno : wick_thread_files_open(&e->files, false);
    if (!e->stack || why)
        return wick_err_set(err, WICK_E_NOMEM, "the watcher of locks could not be set up: %s",
                            strerror(why ? why : ENOMEM));
    int rc = wick_signal_take(&e->signal, WICK_SIGNAL_ANY_REALTIME, wick_lock_signal_sig, err);
    if (rc)
        return rc;
    if (start_thread(e))
        return wick_err_set(err, WICK_E_NOMEM, "the watcher of locks could not be started");
    e->watching = true;
    return 0;
}

void wick_lock_watch_stop(struct wick_lock_engine *e)
{
    const uint64_t one = 1;
    if (e->watching) {
        (void)!write(e->wake, &one, sizeof one);
        pthread_join(e->watcher, NULL);
        e->watching = false;
    }
    if (!wick_gate_wait(&wick_lock_gate, &e->recorder->patience_ns)) {
        e->keep = true;
        wick_recorder_keep(e->recorder, 0);
    }
    wick_signal_give(&e->signal);
    if (e->wake >= 0)
        close(e->wake);
    wick_thread_files_close(&e->files);
    free(e->stack);
    e->stack = NULL;
    e->wake = -1;
}
