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
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/cpu.h"

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
    _Atomic int go, leave;
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

static void *work(void *arg)
{
    struct worker *w = arg;
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    atomic_store(&w->tid, (int32_t)syscall(SYS_gettid));
    while (!atomic_load(&w->go))
        usleep(200);
    w->work(w);
    atomic_store(&w->go, 0);
    while (!atomic_load(&w->leave))
        usleep(200);
    return NULL;
}

static void worker_start(struct worker *w)
{
    atomic_store(&w->tid, 0);
    atomic_store(&w->go, 0);
    atomic_store(&w->leave, 0);
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
    atomic_store(&w->go, 1);
    while (atomic_load(&w->go))
        usleep(1000);
}

static void worker_end(struct worker *w)
{
    atomic_store(&w->leave, 1);
    pthread_join(w->thread, NULL);
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

/* The sum of weights is the thread's CPU time to 2 %, and samples stand for it, not the note at the end. */
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
    uint64_t slack = used / 50 + 2 * interval;
    assert_in_range(r.sampled + r.noted, used - slack, used + slack);
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
        spin(w->interval * 5 / 2 + 5 * MS);
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
    spin(w->interval * 5 / 2 + 5 * MS);
}

static void test_cpu__long_system_calls_are_in_the_samples_after_them(void **state)
{
    struct worker w = {.work = long_calls};
    for (size_t i = 0; i < COUNT(intervals); i++)
        expect_cpu_time(&w, "cpu", intervals[i], false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cpu__time_with_signals_blocked_is_in_the_samples_after_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_cpu__long_system_calls_are_in_the_samples_after_them, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("cpu", tests, NULL, NULL);
}
