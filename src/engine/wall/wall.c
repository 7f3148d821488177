/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall.c - the sampler's thread, and its beginning and end
 *
 * Ticks are at start + n x interval on CLOCK_MONOTONIC. A delayed tick does not move the next one; one that
 * comes later than the next is due stands for both, so that the weights sum up to the time that has passed. The phase
 * of the first tick is random.
 */
#include "engine/wall/wall.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "engine/wall/wall_visit.h"

enum { DEFAULT_THREADS = 16, STACK_BYTES = 32 << 10 };

_Atomic(struct wick_wall_engine *) wick_wall_current;
struct wick_gate wick_wall_gate;

static int32_t own_tid(void)
{
    return (int32_t)syscall(SYS_gettid);
}

/* --- threads come and go --- */

static bool is_excluded(const struct wick_wall_engine *e, int32_t tid)
{
    for (size_t i = 0; i < sizeof e->excluded / sizeof *e->excluded; i++)
        if (wick_load_relaxed(&e->excluded[i]) == tid)
            return true;
    return false;
}

static bool admits(struct wick_wall_engine *e, const struct wick_engine_thread *t, int32_t tid)
{
    const struct wick_thread_name *n = wick_threads_name_locked(e->threads, t->serial);
    const char *name = !n ? NULL : n->java_name ? n->java_name : n->os_name;
    if (is_excluded(e, tid) || wick_threads_is_own_locked(e->threads, t->serial))
        return false;
    return wick_wall_filter_admits(&e->filter, name, tid);
}

void wick_wall_arm(void *arg, struct wick_engine_thread *t, bool born_late)
{
    struct wick_wall_engine *e = arg;
    uint32_t slot = (uint32_t)(t - e->threads->slots);
    struct wick_wall_slot *s = &e->slots[slot];
    int32_t tid = wick_load_relaxed(&t->tid);
    pthread_mutex_lock(&e->lock);
    wick_thread_files_forget(&e->files, tid);
    *s = (struct wick_wall_slot){
        .serial = t->serial, .tid = tid, .sched_ns = wick_clock_mono_ns(), .seen_sampled = e->sampled_ns};
    /* what a late-born thread has used already is in its first event */
    if (!born_late && e->eyes.sched(&e->files, tid, &s->sched))
        s->sched_ns = 0;
    s->seen_ns = born_late ? 0 : s->sched_ns;
    s->seen_cpu = s->sched.cpu_ns;
    s->seen_delay = s->sched.delay_ns;
    pthread_mutex_unlock(&e->lock);
    wick_wall_set_put(&e->active, slot, false);
    wick_wall_set_put(&e->admitted, slot, admits(e, t, tid));
}

void wick_wall_end(void *arg, struct wick_engine_thread *t)
{
    struct wick_wall_engine *e = arg;
    uint32_t slot = (uint32_t)(t - e->threads->slots);
    wick_wall_set_put(&e->admitted, slot, false);
    pthread_mutex_lock(&e->lock);
    wick_wall_finish_locked(e, &e->slots[slot]);
    wick_wall_account_locked(e, &e->slots[slot], wick_clock_mono_ns());
    pthread_mutex_unlock(&e->lock);
}

void wick_wall_disarm(void *arg, struct wick_engine_thread *t)
{
    struct wick_wall_engine *e = arg;
    uint32_t slot = (uint32_t)(t - e->threads->slots);
    struct wick_wall_slot *s = &e->slots[slot];
    wick_wall_set_put(&e->admitted, slot, false);
    pthread_mutex_lock(&e->lock);
    wick_wall_finish_locked(e, s);
    wick_wall_account_locked(e, s, wick_clock_mono_ns()); /* if it is still there: the recording ends */
    wick_thread_files_forget(&e->files, s->tid);
    s->serial = 0;
    for (int i = 0; i < WICK_WALL_OWED_COUNT; i++) {
        uint32_t n;
        uint64_t weight = wick_wall_owed_take(s, i, &n);
        if (n)
            wick_recorder_drop_sig(e->recorder, WICK_EVENT_WALL, WICK_DROP_THREAD_ENDED, n, weight);
    }
    pthread_mutex_unlock(&e->lock);
}

void wick_wall_exclude_self(struct wick_wall_engine *e)
{
    int32_t tid = own_tid(), none = 0;
    for (size_t i = 0; i < sizeof e->excluded / sizeof *e->excluded; i++, none = 0)
        if (wick_cas_acq_rel(&e->excluded[i], &none, tid)) /* pairs: itself, in the other threads of wick */
            break;
    struct wick_engine_thread *t = wick_threads_find_sig(e->threads, tid);
    if (t)
        wick_wall_set_put(&e->admitted, (uint32_t)(t - e->threads->slots), false);
}

/* --- ticks --- */

/* Sorts the candidates into the strata, n[] of each. Each needs at least one draw, so few draws mean few strata. */
static void stratify(struct wick_wall_engine *e, uint32_t top, uint32_t n[WICK_WALL_STRATA])
{
    const struct wick_wall_set *narrow = wick_wall_narrowing(e);
    e->narrowed = narrow != NULL;
    const struct wick_wall_set *with = narrow || e->k < 4 ? NULL : wick_wall_contexts(e);
    memset(n, 0, WICK_WALL_STRATA * sizeof *n);
    for (uint32_t w = 0; w < WICK_WALL_WORDS && w * 64 < top; w++) {
        uint64_t all = wick_load_relaxed(&e->admitted.words[w]);
        uint64_t active = e->k > 1 ? wick_load_relaxed(&e->active.words[w]) : 0;
        uint64_t context = with ? wick_load_relaxed(&with->words[w]) : 0;
        uint64_t now = narrow ? wick_load_relaxed(&narrow->words[w]) : ~0ull;
        atomic_fetch_or_explicit(&e->left.words[w], all & ~now, memory_order_relaxed);
        all &= now;
        const uint64_t in[] = {all & ~active & ~context, all & active, all & ~active & context};
        for (int i = 0; i < WICK_WALL_STRATA; i++) {
            wick_store_relaxed(&e->strata[i].words[w], in[i]);
            n[i] += (uint32_t)__builtin_popcountll(in[i]);
        }
    }
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void draw(struct wick_wall_engine *e)
{
    uint32_t top = wick_threads_top(e->threads), n[WICK_WALL_STRATA], k[WICK_WALL_STRATA];
    stratify(e, top, n);
    uint32_t rest = least(n[0] + n[2], e->k - e->k / 2); /* at least that many of those that are not active */
    k[1] = least(n[1], e->k - rest);
    rest = e->k - k[1];
    k[2] = least(n[2], rest - least(n[0], rest - rest / 2)); /* and half of these of those without a context */
    k[0] = rest - k[2];
    for (int i = 0; i < WICK_WALL_STRATA; i++)
        wick_wall_pick(&e->picks[i], &e->strata[i], NULL, top, k[i], &e->random);
}

/* The ticks that were missed before this one, where only threads with a context are candidates. Those that have one now
 * would be the wrong ones: where a CPU quota is filled up again, threads whose wait is over end their requests before
 * the sampler gets a processor. So these ticks go to the candidates of the last one, by its draw. */
static void tick_missed(struct wick_wall_engine *e, uint64_t now_ns, uint64_t time_ns)
{
    for (int stratum = 0; stratum < WICK_WALL_STRATA; stratum++) {
        struct wick_wall_pick *p = &e->picks[stratum];
        for (uint32_t i = 0; i < p->n; i++) {
            pthread_mutex_lock(&e->lock);
            wick_wall_visit_missed_locked(e, p->slots[i], now_ns, wick_wall_weight(p, i, time_ns));
            e->stats.chosen++;
            pthread_mutex_unlock(&e->lock);
        }
    }
}

void wick_wall_tick(struct wick_wall_engine *e, uint64_t now_ns, uint64_t passed)
{
    uint64_t here = e->narrowed ? 1 : passed; /* what the current candidates stand for */
    pthread_mutex_lock(&e->lock);
    e->sampled_ns += passed * e->interval;
    e->missed_ns = (passed - 1) * e->interval;
    pthread_mutex_unlock(&e->lock);
    if (here < passed)
        tick_missed(e, now_ns, (passed - here) * e->interval);
    draw(e);
    for (int stratum = 0; stratum < WICK_WALL_STRATA; stratum++) {
        struct wick_wall_pick *p = &e->picks[stratum];
        for (uint32_t i = 0; i < p->n; i++) {
            pthread_mutex_lock(&e->lock);
            wick_wall_visit_locked(e, p->slots[i], now_ns, wick_wall_weight(p, i, here * e->interval));
            pthread_mutex_unlock(&e->lock);
        }
    }
    wick_wall_virtual_tick(e, now_ns, passed * e->interval);
    pthread_mutex_lock(&e->lock);
    e->stats.candidates = 0;
    for (int i = 0; i < WICK_WALL_STRATA; i++) {
        e->stats.candidates += e->picks[i].candidates;
        e->stats.chosen += e->picks[i].n;
    }
    e->stats.ticks += passed;
    e->stats.merged += passed - 1;
    pthread_mutex_unlock(&e->lock);
}

/* Waits until then; true if the sampler is to end. */
static bool wait_until(struct wick_wall_engine *e, uint64_t then)
{
    struct pollfd p = {.fd = e->wake, .events = POLLIN};
    uint64_t now = wick_clock_mono_ns(), left = then > now ? then - now : 0;
    const struct timespec ts = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
    return ppoll(&p, 1, &ts, NULL) > 0;
}

static void note_lateness(struct wick_wall_engine *e, uint64_t late)
{
    pthread_mutex_lock(&e->lock);
    e->stats.late_ns += late;
    e->stats.latest_ns = late > e->stats.latest_ns ? late : e->stats.latest_ns;
    e->stats.cpu_ns = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    pthread_mutex_unlock(&e->lock);
}

static void *sampler_main(void *arg)
{
    struct wick_wall_engine *e = arg;
    prctl(PR_SET_NAME, "wick-wall");
    prctl(PR_SET_TIMERSLACK, 1); /* ns: ticks come when they are due */
    wick_wall_exclude_self(e);
    uint64_t next = wick_clock_mono_ns() + wick_random_below(&e->random, e->interval) + 1;
    while (!wait_until(e, next)) {
        uint64_t now = wick_clock_mono_ns();
        if (now < next)
            continue;
        uint64_t late = now - next, passed = 1 + late / e->interval;
        next += passed * e->interval;
        note_lateness(e, late);
        wick_wall_tick(e, now, passed);
    }
    return NULL;
}

/* --- beginning and end --- */

static int open_sources(struct wick_wall_engine *e, struct wick_err *err)
{
    struct wick_thread_look look;
    void *p = mmap(NULL, WICK_MAX_THREADS * sizeof *e->slots, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    e->slots = p == MAP_FAILED ? NULL : p;
    e->stack = malloc(STACK_BYTES);
    e->awaited = e->recorder->labels ? calloc(1, sizeof *e->awaited) : NULL;
    e->wake = eventfd(0, EFD_CLOEXEC);
    if (!e->slots || !e->stack || e->wake < 0)
        return wick_err_set(err, WICK_E_NOMEM, "the wall clock's tables could not be set up: %s", strerror(errno));
    madvise(e->slots, WICK_MAX_THREADS * sizeof *e->slots, MADV_NOHUGEPAGE);
    int why = wick_thread_files_open(&e->files, true);
    if (why || wick_thread_look(&e->files, own_tid(), &look) == WICK_THREAD_GONE)
        return wick_err_set(err, WICK_E_PERM,
                            "this process may not read /proc/self/task/TID/syscall of its own threads (%s), without "
                            "which waiting threads would have to be interrupted",
                            strerror(why ? why : errno));
    return 0;
}

static int start_thread(struct wick_wall_engine *e, int keep, struct wick_err *err)
{
    sigset_t all, old;
    sigfillset(&all);
    if (keep)
        sigdelset(&all, keep);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    e->thread_started = !pthread_create(&e->thread, NULL, sampler_main, e);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return e->thread_started ? 0 : wick_err_set(err, WICK_E_NOMEM, "the wall clock's thread could not be started");
}

int wick_wall_start(struct wick_wall_engine *e, const struct wick_wall_config *c, struct wick_recorder *r,
                    struct wick_threads *ts, int keep, struct wick_err *err)
{
    memset(e, 0, sizeof *e);
    e->recorder = r;
    e->threads = ts;
    e->eyes = wick_wall_eyes;
    e->interval = c->interval_ns ? c->interval_ns : WICK_WALL_INTERVAL_NS;
    e->k = c->threads ? c->threads : DEFAULT_THREADS;
    e->nobatch = c->nobatch;
    e->random = c->seed ? c->seed : wick_clock_mono_ns() ^ (uint64_t)getpid() << 32;
    e->wake = -1;
    wick_thread_files_init(&e->files);
    pthread_mutex_init(&e->lock, NULL);
    int rc = wick_wall_filter_parse(&e->filter, c->filter ? c->filter : "", err);
    wick_wall_virtual_init(e);
    if (!rc)
        rc = open_sources(e, err);
    if (!rc)
        rc = wick_signal_take(&e->signal, 0, wick_wall_signal_sig, err);
    if (rc) {
        wick_wall_release(e);
        return rc;
    }
    atomic_store(&wick_wall_current, e); /* pairs: wick_wall_signal_sig */
    const struct wick_thread_hooks hooks = {wick_wall_arm, wick_wall_disarm, wick_wall_end, e};
    wick_threads_arm(ts, &hooks);
    rc = start_thread(e, keep, err);
    if (rc) {
        wick_wall_stop(e);
        wick_wall_release(e);
    }
    return rc;
}

void wick_wall_stop(struct wick_wall_engine *e)
{
    const uint64_t one = 1;
    if (e->thread_started) {
        (void)!write(e->wake, &one, sizeof one);
        pthread_join(e->thread, NULL);
        e->thread_started = false;
    }
    atomic_store(&wick_wall_current, NULL); /* pairs: wick_wall_signal_sig; seq_cst, see gate.h */
    if (!wick_gate_wait(&wick_wall_gate, &e->recorder->patience_ns)) {
        e->keep = true;
        wick_recorder_keep(e->recorder, 0);
    }
    wick_threads_disarm(e->threads, e);
    wick_signal_give(&e->signal);
}

void wick_wall_release(struct wick_wall_engine *e)
{
    wick_wall_filter_release(&e->filter);
    if (e->slots && !e->keep)
        munmap(e->slots, WICK_MAX_THREADS * sizeof *e->slots);
    if (e->wake >= 0)
        close(e->wake);
    wick_thread_files_close(&e->files);
    free(e->stack);
    free(e->awaited);
    free(e->finished.events);
    free(e->finished.times);
    free(e->spare.events);
    free(e->spare.times);
    pthread_mutex_destroy(&e->lock);
    memset(e, 0, sizeof *e);
    e->wake = -1;
    wick_thread_files_init(&e->files);
}

/* --- what was finished --- */

void wick_wall_flush(struct wick_wall_engine *e)
{
    uint32_t top = wick_threads_top(e->threads);
    pthread_mutex_lock(&e->lock);
    for (uint32_t i = 1; i < top; i++)
        wick_wall_finish_locked(e, &e->slots[i]);
    pthread_mutex_unlock(&e->lock);
}

void wick_wall_take(struct wick_wall_engine *e, void (*event)(void *arg, const struct wick_event *ev),
                    void (*time)(void *arg, const struct wick_wall_cpu_time *t), void *arg)
{
    pthread_mutex_lock(&e->lock);
    struct wick_wall_finished f = e->finished;
    e->finished = e->spare;
    e->spare = (struct wick_wall_finished){0};
    pthread_mutex_unlock(&e->lock);
    for (uint32_t i = 0; i < f.event_count; i++)
        event(arg, &f.events[i]);
    for (uint32_t i = 0; i < f.time_count; i++)
        time(arg, &f.times[i]);
    f.event_count = f.time_count = 0;
    pthread_mutex_lock(&e->lock);
    struct wick_wall_finished second =
        e->spare; /* of a take within this one: a chunk ended while events were written */
    e->spare = f;
    pthread_mutex_unlock(&e->lock);
    free(second.events);
    free(second.times);
}

void wick_wall_stats_get(struct wick_wall_engine *e, struct wick_wall_stats *out)
{
    pthread_mutex_lock(&e->lock);
    *out = e->stats;
    e->stats.latest_ns = 0;
    pthread_mutex_unlock(&e->lock);
}
