/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPU engine on threads of this process: what it records against the kernel's own CPU clocks.
 *
 * Weights are exact but for the interval that is not over, so no tolerance here is statistical; a crowded machine makes
 * these tests slow, not wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/cpu/cpu.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define MS       1000000ull

static struct wick_mem mem;
static struct wick_jvm jvm;
static struct wick_elf_images images;
static struct wick_threads threads;
static struct wick_recorder recorder;
static struct wick_cpu_engine engine;

static int set_up(void **state)
{
    bool changed;
    (void)state;
    assert_int_equal(wick_mem_self_init(&mem), 0);
    jvm.mem = &mem;
    memset(&jvm.layout, 0xff, sizeof jvm.layout);
    wick_elf_images_init(&images, 0);
    assert_int_equal(wick_elf_images_refresh(&images, &mem, &changed, NULL), 0);
    assert_int_equal(wick_threads_init(&threads), 0);
    assert_int_equal(wick_recorder_init(&recorder, 64 << 20, 1 << 16, 64), 0);
    assert_int_equal(wick_walker_init(&recorder.walker, &jvm, &images), 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wick_walker_release(&recorder.walker);
    wick_recorder_release(&recorder);
    wick_threads_release(&threads);
    wick_elf_images_release(&images);
    return 0;
}

static void start(const char *event, uint64_t interval, bool user_only)
{
    struct wick_err err = {0};
    const struct wick_cpu_config c = {.event = event, .interval = interval, .user_only = user_only};
    atomic_store(&recorder.running, 1);
    int r = wick_cpu_start(&engine, &c, &recorder, &threads, &err);
    if (r)
        print_error("%s\n", err.msg);
    assert_int_equal(r, 0);
}

/* --- a thread that works on request --- */

struct worker {
    pthread_t thread;
    _Atomic int32_t tid;
    sem_t go, done, leave; /* it sleeps between: CPU time that is used before or after sampling would be missed */
    void (*work)(struct worker *w);
    uint64_t interval, used; /* used: CPU time of the work, by the thread's clock */
};

static uint64_t own_cpu(void)
{
    return wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void spin(uint64_t ns)
{
    for (uint64_t end = own_cpu() + ns; own_cpu() < end;) {
        for (volatile int i = 0; i < 2000; i++) {
        }
    }
}

/* Works until one more sample was recorded: a virtual machine that is stopped for a while counts that as CPU time of
 * the running thread, in which no timer can expire. A thread that is not sampled at all gives up. */
static void spin_until_sampled(void)
{
    struct wick_totals before, now;
    wick_recorder_totals(&recorder, &before);
    for (int i = 0; i < 5000; i++) {
        spin(MS);
        wick_recorder_totals(&recorder, &now);
        if (now.recorded > before.recorded)
            return;
    }
}

static void await(sem_t *s)
{
    while (sem_wait(s)) { /* EINTR */
    }
}

static void *work(void *arg)
{
    struct worker *w = arg;
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    atomic_store(&w->tid, (int32_t)syscall(SYS_gettid));
    await(&w->go);
    w->work(w);
    sem_post(&w->done);
    await(&w->leave);
    return NULL;
}

static void worker_start(struct worker *w)
{
    atomic_store(&w->tid, 0);
    sem_init(&w->go, 0, 0);
    sem_init(&w->done, 0, 0);
    sem_init(&w->leave, 0, 0);
    assert_int_equal(pthread_create(&w->thread, NULL, work, w), 0);
    while (!atomic_load(&w->tid))
        usleep(100);
}

static uint64_t worker_clock(const struct worker *w)
{
    clockid_t id;
    assert_int_equal(pthread_getcpuclockid(w->thread, &id), 0);
    return wick_clock_ns(id);
}

static void worker_work(struct worker *w)
{
    sem_post(&w->go);
    await(&w->done);
}

static void worker_end(struct worker *w)
{
    sem_post(&w->leave);
    pthread_join(w->thread, NULL);
    sem_destroy(&w->go);
    sem_destroy(&w->done);
    sem_destroy(&w->leave);
}

/* --- what was recorded --- */

struct recorded {
    uint64_t sampled, noted; /* weights of stacks, and of time that was not sampled */
    uint64_t samples;
};

static bool is_note(const struct wick_event *e)
{
    const struct wick_node *n = &atomic_load(&recorder.tables)->nodes[e->stack];
    return n->depth == 1 && n->frame == WICK_FRAME(WICK_FRAME_BREAK, WICK_STOP_ENDED);
}

static struct recorded drain(uint32_t thread)
{
    struct recorded out = {0};
    struct wick_event e;
    for (uint32_t cpu = 0; cpu < recorder.cpus; cpu++) {
        while (wick_ring_get(&recorder.rings[cpu], &e)) {
            if (e.thread != thread)
                continue;
            *(is_note(&e) ? &out.noted : &out.sampled) += e.weight;
            out.samples++;
        }
    }
    return out;
}

static void expect_no_drops(void)
{
    struct wick_totals t;
    wick_recorder_totals(&recorder, &t);
    for (int i = 0; i < WICK_DROP_COUNT; i++)
        if (i != WICK_DROP_WALK_IN_PROGRESS) /* its weight comes with the next sample */
            assert_int_equal(t.drops[i], 0);
}

/* The sum of weights is the thread's CPU time but for the interval that is not over, whatever the random phase, and
 * samples stand for it, not the note at the end. */
static void expect_cpu_time(struct worker *w, const char *event, uint64_t interval, bool user_only)
{
    w->interval = interval;
    worker_start(w);
    uint64_t before = worker_clock(w);
    start(event, interval, user_only);
    uint32_t serial = wick_threads_find_sig(&threads, w->tid)->serial;
    worker_work(w);
    wick_cpu_stop(&engine);
    uint64_t used = worker_clock(w) - before;
    struct recorded r = drain(serial);
    expect_no_drops();
    worker_end(w);
    print_message("# %s every %" PRIu64 " us%s: used %.1f ms, sampled %.1f ms in %" PRIu64 " samples, noted %.1f ms\n",
                  wick_cpu_mode_name(&engine), interval / 1000, user_only ? ", user only" : "", (double)used / 1e6,
                  (double)r.sampled / 1e6, r.samples, (double)r.noted / 1e6);
    uint64_t least = used / 1000 + interval, slack = used / 50 + 2 * interval;
    assert_in_range(r.sampled + r.noted, used - least, used + least);
    assert_true(r.sampled + slack + MS >= used); /* MS: a signal that is on its way at the end */
}

static const uint64_t intervals[] = {100000, 200000, MS, 10 * MS};

static void blocked_then_not(struct worker *w)
{
    sigset_t all, old;
    sigfillset(&all);
    for (int i = 0; i < 2; i++) {
        pthread_sigmask(SIG_SETMASK, &all, &old);
        spin(250 * MS);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        spin_until_sampled();
    }
}

static void test_cpu__time_with_signals_blocked_is_in_the_samples_after_it(void **state)
{
    struct worker w = {.work = blocked_then_not};
    for (size_t i = 0; i < COUNT(intervals); i++) {
        expect_cpu_time(&w, "cpu", intervals[i], false);
        expect_cpu_time(&w, "cpu", intervals[i], true);
    }
    expect_cpu_time(&w, "ctimer", MS, false);
}

/* The kernel fills memory, which takes it tens of milliseconds: no signal comes before it is done. */
static void long_calls(struct worker *w)
{
    for (uint64_t end = own_cpu() + 300 * MS; own_cpu() < end;) {
        const size_t bytes = 96 << 20;
        void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (p != MAP_FAILED)
            munmap(p, bytes);
    }
    spin_until_sampled();
}

static void test_cpu__long_system_calls_are_in_the_samples_after_them(void **state)
{
    struct worker w = {.work = long_calls};
    for (size_t i = 0; i < COUNT(intervals); i++)
        expect_cpu_time(&w, "cpu", intervals[i], false);
}

/* --- the program's descriptors --- */

enum { CROWD = 300, LEAST_FREE = 256 };

static struct {
    pthread_barrier_t known, done, leave;
    _Atomic int go;
    struct member {
        pthread_t thread;
        _Atomic int32_t tid;
        struct wick_engine_thread *slot;
        uint64_t before; /* its CPU clock when it was not armed yet */
        uint64_t worked; /* CPU time from when it was armed to its last sample */
    } members[CROWD];
} crowd;

static uint64_t crossings_of(const struct member *m)
{
    return ((volatile struct wick_engine_thread *)m->slot)->crossings; /* its own handler alone writes it */
}

/* Works 2 ms and on until its next sample. Without sampling, `go` is 0. */
static void *crowd_member(void *arg)
{
    struct member *m = arg;
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    atomic_store(&m->tid, (int32_t)syscall(SYS_gettid));
    pthread_barrier_wait(&crowd.known);
    pthread_barrier_wait(&crowd.known); /* armed */
    uint64_t armed = own_cpu();
    spin(2 * MS);
    if (atomic_load(&crowd.go)) {
        for (uint64_t seen = crossings_of(m); crossings_of(m) == seen;) {
        }
    }
    m->worked = own_cpu() - armed;
    pthread_barrier_wait(&crowd.done);
    pthread_barrier_wait(&crowd.leave);
    return NULL;
}

static void crowd_start(void)
{
    pthread_barrier_init(&crowd.known, NULL, CROWD + 1);
    pthread_barrier_init(&crowd.done, NULL, CROWD + 1);
    pthread_barrier_init(&crowd.leave, NULL, CROWD + 1);
    atomic_store(&crowd.go, 1);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(pthread_create(&crowd.members[i].thread, NULL, crowd_member, &crowd.members[i]), 0);
    pthread_barrier_wait(&crowd.known);
}

static void crowd_end(void)
{
    pthread_barrier_wait(&crowd.leave);
    for (int i = 0; i < CROWD; i++)
        pthread_join(crowd.members[i].thread, NULL);
    pthread_barrier_destroy(&crowd.known);
    pthread_barrier_destroy(&crowd.done);
    pthread_barrier_destroy(&crowd.leave);
}

static uint64_t member_clock(const struct member *m)
{
    clockid_t id;
    assert_int_equal(pthread_getcpuclockid(m->thread, &id), 0);
    return wick_clock_ns(id);
}

static void limit_files(rlim_t n, struct rlimit *old)
{
    assert_int_equal(getrlimit(RLIMIT_NOFILE, old), 0);
    const struct rlimit now = {n, old->rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
}

/* How many files the program can still open, at most `most`. */
static int openable(int most)
{
    int fds[LEAST_FREE * 2], n = 0;
    while (n < most && (fds[n] = dup(STDERR_FILENO)) >= 0)
        n++;
    for (int i = 0; i < n; i++)
        close(fds[i]);
    return n;
}

/* A thread that was joined may be listed for a moment more. */
static void wait_until_alone(void)
{
    struct stat st;
    while (!stat("/proc/self/task", &st) && st.st_nlink > 3)
        usleep(1000);
}

static bool perf_is_permitted(const char *event)
{
    struct wick_err err = {0};
    const struct wick_cpu_config c = {.event = event, .interval = MS};
    wait_until_alone();
    atomic_store(&recorder.running, 1);
    if (wick_cpu_start(&engine, &c, &recorder, &threads, &err))
        return false;
    bool perf = engine.mode == WICK_CPU_PERF;
    wick_cpu_stop(&engine);
    return perf;
}

/* Weights by serial number. */
static void drain_all(struct recorded *by_serial, uint32_t n)
{
    struct wick_event e;
    for (uint32_t cpu = 0; cpu < recorder.cpus; cpu++) {
        while (wick_ring_get(&recorder.rings[cpu], &e)) {
            assert_in_range(e.thread, 1, n - 1);
            struct recorded *r = &by_serial[e.thread];
            *(is_note(&e) ? &r->noted : &r->sampled) += e.weight;
            r->samples += !is_note(&e);
        }
    }
}

/* With a limit of 400 files, 144 may be open with our events: the other threads have timers. All have their CPU time
 * but for the interval that is not over and half a millisecond for the handler, and each was sampled. A virtual machine
 * that is stopped counts as CPU time of the running thread: only after a thread's last sample would it be missed, and
 * between that and the reading of its clock are microseconds. */
static void test_cpu__threads_beyond_the_headroom_of_descriptors_have_timers(void **state)
{
    enum { LIMIT = 400, SERIALS = 2 * CROWD };
    static struct recorded by_serial[SERIALS];
    uint32_t serials[CROWD], perf = 0;
    bool by_perf[CROWD];
    uint64_t used_by[CROWD];
    char note[WICK_CPU_NOTE];
    struct rlimit old;
    (void)state;
    if (!perf_is_permitted("cpu"))
        skip();
    limit_files(LIMIT, &old);
    crowd_start();
    for (int i = 0; i < CROWD; i++)
        crowd.members[i].before = member_clock(&crowd.members[i]);
    start("cpu", MS, false);
    int left = openable(LEAST_FREE); /* checked when nothing runs any more */
    for (int i = 0; i < CROWD; i++) {
        struct member *m = &crowd.members[i];
        m->slot = wick_threads_find_sig(&threads, m->tid);
        assert_non_null(m->slot);
        serials[i] = m->slot->serial;
        by_perf[i] = m->slot->perf_fd >= 0;
        assert_true(by_perf[i] != (m->slot->timer >= 0));
        perf += by_perf[i];
    }
    uint32_t known = wick_threads_top(&threads) - 1, events = engine.by_perf, timers = engine.by_timer;
    uint32_t unsampled = engine.unsampled;
    bool noted = wick_cpu_threads_note(&engine, note, sizeof note);
    pthread_barrier_wait(&crowd.known);
    pthread_barrier_wait(&crowd.done);
    wick_cpu_stop(&engine);
    for (int i = 0; i < CROWD; i++)
        used_by[i] = member_clock(&crowd.members[i]) - crowd.members[i].before;
    crowd_end();
    setrlimit(RLIMIT_NOFILE, &old);
    print_message("# %u threads by perf events, %u by timers\n", perf, CROWD - perf);
    assert_int_equal(left, LEAST_FREE);
    assert_in_range(perf, 1, LIMIT - LEAST_FREE);
    assert_in_range(events, perf, LIMIT - LEAST_FREE);
    assert_int_equal(events + timers, known);
    assert_int_equal(unsampled, 0);
    assert_true(noted);
    assert_non_null(strstr(note, "CPU timers"));
    assert_int_equal(engine.by_perf + engine.by_timer, 0);
    drain_all(by_serial, SERIALS);
    expect_no_drops();
    for (int i = 0; i < CROWD; i++) {
        struct recorded *r = &by_serial[serials[i]];
        assert_in_range(r->sampled + r->noted, crowd.members[i].worked - 3 * MS / 2, used_by[i] + MS);
        assert_true(r->samples > 0);
    }
}

/* An event that does not count time has no timer to fall back on: those threads are counted. */
static void test_cpu__threads_without_an_event_are_counted(void **state)
{
    enum { LIMIT = 400 };
    struct rlimit old;
    char note[WICK_CPU_NOTE];
    (void)state;
    if (!perf_is_permitted("page-faults"))
        skip();
    limit_files(LIMIT, &old);
    crowd_start();
    start("page-faults", 1000, true);
    int left = openable(LEAST_FREE); /* checked when nothing runs any more */
    uint32_t known = wick_threads_top(&threads) - 1, events = engine.by_perf, timers = engine.by_timer;
    uint32_t unsampled = engine.unsampled;
    bool noted = wick_cpu_threads_note(&engine, note, sizeof note);
    wick_cpu_stop(&engine);
    atomic_store(&crowd.go, 0);
    pthread_barrier_wait(&crowd.known);
    pthread_barrier_wait(&crowd.done);
    crowd_end();
    setrlimit(RLIMIT_NOFILE, &old);
    assert_int_equal(left, LEAST_FREE);
    assert_in_range(events, 1, LIMIT - LEAST_FREE);
    assert_int_equal(timers, 0);
    assert_int_equal(events + unsampled, known);
    assert_true(noted);
    assert_non_null(strstr(note, "not sampled"));
    assert_int_equal(engine.unsampled, 0);
}

static void spin_ten_intervals(struct worker *w)
{
    spin(10 * w->interval + 5 * MS);
    spin_until_sampled();
}

/* A limit below the headroom: not one descriptor is taken. */
static void test_cpu__a_small_limit_of_files_is_left_to_the_program(void **state)
{
    enum { LIMIT = 64 };
    struct worker w = {.work = spin_ten_intervals};
    struct wick_err err = {0};
    const struct wick_cpu_config c = {.event = "page-faults", .interval = 1000};
    struct rlimit old;
    (void)state;
    limit_files(LIMIT, &old);
    int before = openable(LIMIT);
    start("cpu", MS, false);
    assert_int_equal(engine.mode, WICK_CPU_TIMER);
    assert_int_equal(engine.by_perf, 0);
    assert_int_equal(openable(LIMIT), before);
    assert_non_null(strstr(engine.note, "limit of open files (64)"));
    wick_cpu_stop(&engine);
    assert_int_equal(wick_cpu_start(&engine, &c, &recorder, &threads, &err), -WICK_E_LIMIT);
    assert_non_null(strstr(err.msg, "ulimit -n"));
    drain(0);
    expect_cpu_time(&w, "cpu", 50 * MS, false);
    setrlimit(RLIMIT_NOFILE, &old);
}

/* Threads that have a signal pending most of the time. */
static _Atomic int hold_over;

static void *hold_signals(void *arg)
{
    sigset_t all, old;
    sigfillset(&all);
    while (!atomic_load(&hold_over)) {
        pthread_sigmask(SIG_SETMASK, &all, &old);
        spin(MS / 2);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
    }
    return arg;
}

/* What is pending, or about to be sent, when sampling stops would end this process by the signal's default action. */
static void test_cpu__signals_delayed_until_sampling_has_stopped_end_nothing(void **state)
{
    enum { THREADS = 6, STOPS = 40 };
    static const char *const events[] = {"cpu", "ctimer", "itimer"};
    pthread_t holding[THREADS];
    (void)state;
    atomic_store(&hold_over, 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&holding[i], NULL, hold_signals, NULL), 0);
    for (int i = 0; i < STOPS * (int)COUNT(events); i++) {
        struct sigaction after;
        start(events[i % (int)COUNT(events)], MS / 10, false);
        usleep((useconds_t)(i % 7) * 1000);
        int number = engine.signal.number;
        wick_cpu_stop(&engine);
        assert_int_equal(sigaction(number, NULL, &after), 0);
        assert_ptr_equal(after.sa_handler, SIG_DFL);
        drain(0);
    }
    atomic_store(&hold_over, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(holding[i], NULL);
}

/* --- cancellation --- */

static struct {
    sem_t go;
    _Atomic int32_t tid;
} doomed;

/* Cancelled, but not at a cancellation point yet when the signal is there. */
static void *handle_a_signal_cancelled(void *arg)
{
    struct wick_engine_thread **slot = arg;
    siginfo_t info = {0};
    ucontext_t context;
    atomic_store(&doomed.tid, (int32_t)syscall(SYS_gettid));
    await(&doomed.go);
    *slot = wick_threads_find_sig(&threads, atomic_load(&doomed.tid));
    getcontext(&context);
    info.si_code = engine.mode == WICK_CPU_ITIMER ? SI_KERNEL : (*slot)->perf_fd >= 0 ? POLL_IN : SI_TIMER;
    if ((*slot)->perf_fd >= 0)
        info.si_fd = (*slot)->perf_fd;
    else
        info.si_value.sival_ptr = *slot;
    pthread_cancel(pthread_self());
    wick_cpu_signal_sig(engine.signal.number, &info, &context);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* the cancellation stays pending */
    return slot;
}

/* A thread that ended within the handler would leave the gate and the scratch area taken for good. The interval is so
 * long that the event's ring is empty: the handler reads the counter. */
static void test_cpu__a_pending_cancellation_waits_until_the_handler_is_over(void **state)
{
    static const char *const events[] = {"cpu", "ctimer", "itimer"};
    (void)state;
    for (size_t i = 0; i < COUNT(events); i++) {
        struct wick_engine_thread *slot = NULL;
        void *returned = NULL;
        pthread_t thread;
        atomic_store(&doomed.tid, 0);
        sem_init(&doomed.go, 0, 0);
        assert_int_equal(pthread_create(&thread, NULL, handle_a_signal_cancelled, &slot), 0);
        while (!atomic_load(&doomed.tid))
            usleep(1000);
        start(events[i], 3600 * 1000 * MS, false);
        bool perf = engine.mode == WICK_CPU_PERF;
        sem_post(&doomed.go);
        assert_int_equal(pthread_join(thread, &returned), 0);
        assert_ptr_equal(returned, &slot); /* not PTHREAD_CANCELED */
        assert_int_equal(engine.foreign, 0);
        assert_true(!perf || slot->last_count > 0); /* read by the handler */
        wick_cpu_stop(&engine);
        sem_destroy(&doomed.go);
        drain(0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cpu__time_with_signals_blocked_is_in_the_samples_after_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_cpu__long_system_calls_are_in_the_samples_after_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cpu__threads_beyond_the_headroom_of_descriptors_have_timers, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_cpu__threads_without_an_event_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cpu__signals_delayed_until_sampling_has_stopped_end_nothing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_cpu__a_pending_cancellation_waits_until_the_handler_is_over, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_cpu__a_small_limit_of_files_is_left_to_the_program, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("cpu", tests, NULL, NULL);
}
