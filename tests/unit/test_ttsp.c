/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watcher of time to safepoint, with a hand-made JVM: this program has variables of the names and meanings that the
 * watcher searches for in libjvm's symbol table, threads that play Java threads, and the test plays the VM thread. So
 * what must be found is known exactly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/ttsp/ttsp.h"
#include "hotspot/thread.h"

enum { THREADS = 4, IN_NATIVE = 4, IN_JAVA = 8, BLOCKED = 10 };

_Atomic uint32_t jvm_state __asm__("_ZN20SafepointSynchronize6_stateE");
_Atomic uint64_t jvm_counter __asm__("_ZN20SafepointSynchronize18_safepoint_counterE");
_Atomic uint64_t jvm_begin __asm__("_ZN16SafepointTracing29_last_safepoint_begin_time_nsE");
_Atomic uint64_t jvm_sync __asm__("_ZN16SafepointTracing28_last_safepoint_sync_time_nsE");
_Atomic uint64_t jvm_end __asm__("_ZN16SafepointTracing27_last_safepoint_end_time_nsE");

struct os_thread {
    _Atomic int32_t tid;
};

/* As a JavaThread. */
struct java_thread {
    _Atomic uint32_t state;
    struct os_thread *os;
    struct os_thread own;
    _Atomic int leave;
    pthread_t thread;
};

struct list {
    uint32_t length;
    struct java_thread **threads;
};

static struct java_thread java[THREADS];
static struct java_thread *row[THREADS];
static struct list list = {THREADS, row};
static struct list *list_head = &list;
static struct wick_mem mem;
static struct wick_jvm jvm;
static struct wick_elf_images images;
static struct wick_threads threads;
static struct wick_recorder recorder;
static struct wick_ttsp_engine engine;

#if defined(__SANITIZE_THREAD__)
/* A walk reads the JavaThread as it finds it, which is memory of another thread; the cache of unwind rules is a
 * sequence lock, which the sanitizer does not know. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:step_read\nrace:rule_cached\nrace:rule_store\n";
}
#endif

static void *live(void *arg)
{
    struct java_thread *t = arg;
    atomic_store(&t->own.tid, (int32_t)syscall(SYS_gettid));
    while (!atomic_load(&t->leave))
        usleep(300);
    return NULL;
}

static int set_up(void **state)
{
    bool changed;
    (void)state;
    assert_int_equal(wick_mem_self_init(&mem), 0);
    jvm.mem = &mem;
    jvm.major = 17;
    memset(&jvm.layout, 0xff, sizeof jvm.layout);
    jvm.layout.thread_list = jvm.layout.perf_start = 0;
    jvm.layout.smr_list = (wick_addr)(uintptr_t)&list_head;
    jvm.layout.threadslist_length = offsetof(struct list, length);
    jvm.layout.threadslist_threads = offsetof(struct list, threads);
    jvm.layout.thread_state = offsetof(struct java_thread, state);
    jvm.layout.thread_osthread = offsetof(struct java_thread, os);
    jvm.layout.osthread_tid = offsetof(struct os_thread, tid);
    wick_elf_images_init(&images, 0);
    assert_int_equal(wick_elf_images_refresh(&images, &mem, &changed, NULL), 0);
    assert_int_equal(wick_threads_init(&threads), 0);
    assert_int_equal(wick_recorder_init(&recorder, 8 << 20, 256, 64), 0);
    assert_int_equal(wick_walker_init(&recorder.walker, &jvm, &images), 0);
    for (int i = 0; i < THREADS; i++) {
        row[i] = &java[i];
        java[i].os = &java[i].own;
        atomic_store(&java[i].state, IN_NATIVE);
        assert_int_equal(pthread_create(&java[i].thread, NULL, live, &java[i]), 0);
        while (!atomic_load(&java[i].own.tid))
            usleep(100);
        wick_threads_java(&threads, java[i].own.tid, (wick_addr)(uintptr_t)&java[i], "java", (uint64_t)i + 1);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < THREADS; i++) {
        atomic_store(&java[i].leave, 1);
        pthread_join(java[i].thread, NULL);
    }
    wick_walker_release(&recorder.walker);
    wick_recorder_release(&recorder);
    wick_threads_release(&threads);
    wick_elf_images_release(&images);
    return 0;
}

static void start(uint64_t threshold_ns)
{
    struct wick_err err = {0};
    struct wick_ttsp_config c = {.interval_ns = 20 * threshold_ns, .critical_place = WICK_HS_NONE};
    for (int i = 0; i < WICK_TTSP_STEPS; i++)
        c.threshold_ns[i] = threshold_ns * (uint64_t)(i + 1);
    atomic_store(&recorder.running, 1);
    const struct wick_elf_image *self = wick_elf_images_find(&images, (wick_addr)(uintptr_t)live);
    assert_non_null(self);
    assert_int_equal(wick_ttsp_start(&engine, &c, &jvm, self, &recorder, &threads, &err), 0);
    while (atomic_load(&engine.source) < 0)
        usleep(1000);
    assert_int_equal(atomic_load(&engine.source), WICK_HS_SAFEPOINT_SYMBOLS);
}

static void begin_safepoint(void)
{
    atomic_store(&jvm_begin, wick_clock_mono_ns());
    atomic_fetch_add(&jvm_counter, 1);
    atomic_store(&jvm_state, 1);
}

static void reach_safepoint(void)
{
    atomic_store(&jvm_sync, wick_clock_mono_ns());
    atomic_store(&jvm_state, 2);
}

static void end_safepoint(void)
{
    atomic_store(&jvm_end, wick_clock_mono_ns());
    atomic_fetch_add(&jvm_counter, 1);
    atomic_store(&jvm_state, 0);
}

/* What was reported of the last incidents. */
static struct {
    uint32_t incidents, signals, answered, gave_way, stacks, late_is_first, reach_wrong;
} found;

static void collect_one(void *arg, struct wick_ttsp_incident *i)
{
    (void)arg;
    found.incidents++;
    found.reach_wrong += i->reach_ns != i->sync_ns - i->begin_ns || !i->reach_exact;
    found.late_is_first += i->late_count == 1 && i->late[0].java == (wick_addr)(uintptr_t)&java[0];
    for (uint32_t n = 0; n < i->attempt_count; n++) {
        found.signals++;
        found.gave_way += i->attempts[n].gave_way;
        found.answered += atomic_load(&i->attempts[n].answered_ns) != 0;
        free(i->attempts[n].stack);
        i->attempts[n].stack = NULL;
    }
}

static void drain(bool all)
{
    struct wick_event e;
    for (uint32_t cpu = 0; cpu < recorder.cpus; cpu++) {
        while (wick_ring_get(&recorder.rings[cpu], &e)) {
            struct wick_ttsp_attempt *a = wick_ttsp_found(&e);
            assert_int_equal(e.type, WICK_EVENT_TTSP);
            assert_int_equal(e.weight, 0);
            if (a && !a->stack) {
                a->stack = strdup("seen");
                found.stacks++;
            }
        }
    }
    wick_ttsp_collect(all, collect_one, NULL);
}

static void stop(void)
{
    wick_ttsp_stop(&engine);
    wick_recorder_quiesce(&recorder);
    drain(true);
}

static uint32_t looks(void)
{
    return (uint32_t)atomic_load(&engine.looks);
}

static void test_ttsp__every_provoked_incident_is_found_and_blamed_on_the_slow_thread(void **state)
{
    enum { INCIDENTS = 100 };
    (void)state;
    memset(&found, 0, sizeof found);
    start(1000000);
    for (int i = 0; i < INCIDENTS; i++) {
        struct wick_totals before, now;
        wick_recorder_totals(&recorder, &before);
        atomic_store(&java[0].state, IN_JAVA);
        begin_safepoint();
        do { /* the thread is slow for as long as it takes */
            usleep(200);
            wick_recorder_totals(&recorder, &now);
        } while (now.fired == before.fired);
        usleep(300);
        atomic_store(&java[0].state, BLOCKED);
        reach_safepoint();
        usleep(1000);
        end_safepoint();
        atomic_store(&java[0].state, IN_NATIVE);
        while (found.incidents <= (uint32_t)i) { /* every signal is answered before the next one */
            usleep(500);
            drain(false);
        }
    }
    stop();
    assert_int_equal(found.incidents, INCIDENTS);
    assert_int_equal(found.late_is_first, INCIDENTS);
    assert_int_equal(found.reach_wrong, 0);
    assert_true(found.signals >= INCIDENTS);
    assert_int_equal(found.answered, found.signals);
    assert_true(found.stacks + found.gave_way >= found.answered); /* a thread that gave way too long ago has no stack */
    assert_int_equal(atomic_load(&engine.lost), 0);
}

/* The first closed incident all of whose signals are answered. */
static struct wick_ttsp_incident *await_answers(void)
{
    for (;; usleep(500))
        for (int k = 0; k < WICK_TTSP_INCIDENTS; k++) {
            struct wick_ttsp_incident *i = &wick_ttsp_slots[k];
            uint32_t answered = 0;
            if (atomic_load(&i->phase) != 2 || !i->attempt_count)
                continue;
            for (uint32_t n = 0; n < i->attempt_count; n++)
                answered += wick_ttsp_phase_of(atomic_load(&i->attempts[n].word)) == WICK_TTSP_ANSWERED;
            if (answered == i->attempt_count)
                return i;
        }
}

static void test_ttsp__a_handler_that_never_comes_back_keeps_what_it_may_use(void **state)
{
    struct wick_totals before, now;
    (void)state;
    memset(&found, 0, sizeof found);
    start(1000000);
    wick_recorder_totals(&recorder, &before);
    atomic_store(&java[0].state, IN_JAVA);
    begin_safepoint();
    do {
        usleep(200);
        wick_recorder_totals(&recorder, &now);
    } while (now.fired == before.fired);
    atomic_store(&java[0].state, BLOCKED);
    reach_safepoint();
    usleep(1000);
    end_safepoint();
    atomic_store(&java[0].state, IN_NATIVE);
    struct wick_ttsp_incident *i = await_answers();
    /* one handler has begun its answer and is still in the gate */
    uint32_t lane = wick_gate_enter_sig(&wick_ttsp_gate);
    uint64_t word = atomic_load(&i->attempts[0].word);
    atomic_store(&i->attempts[0].word, (word & ~UINT64_C(3)) | WICK_TTSP_ANSWERING);
    assert_false(recorder.keep);
    stop();
    assert_true(recorder.keep);
    assert_int_equal(found.incidents, 1); /* what is known is reported, but its place is not used again */
    assert_int_equal(atomic_load(&i->phase), 3);
    drain(true);
    assert_int_equal(found.incidents, 1);
    wick_gate_leave_sig(&wick_ttsp_gate, lane);
    atomic_store(&i->attempts[0].word, 0);
    atomic_store(&i->phase, 0);
    recorder.keep = false;
    start(1000000);
    stop();
    assert_false(recorder.keep);
}

static void test_ttsp__fast_safepoints_are_never_reported(void **state)
{
    (void)state;
    memset(&found, 0, sizeof found);
    start(UINT64_C(5000000000));
    atomic_store(&java[0].state, IN_JAVA);
    for (int i = 0; i < 1000; i++) {
        begin_safepoint();
        reach_safepoint();
        end_safepoint();
        if (i % 100 == 0)
            usleep(2000);
    }
    /* one that lasts while the watcher polls is followed, but is over before the threshold */
    begin_safepoint();
    uint32_t seen = looks();
    while (looks() == seen)
        usleep(1000);
    reach_safepoint();
    end_safepoint();
    atomic_store(&java[0].state, IN_NATIVE);
    stop();
    assert_int_equal(found.incidents, 0);
    assert_int_equal(atomic_load(&engine.incidents), 0);
}

static void test_ttsp__a_slow_safepoint_that_nobody_watched_is_reported_without_threads(void **state)
{
    enum { MS = 1000000 };
    (void)state;
    memset(&found, 0, sizeof found);
    start(100 * MS);
    for (uint32_t i = 1; i <= 3; i++) { /* all of it between two polls: the second one is fast */
        uint64_t now = wick_clock_mono_ns();
        atomic_store(&jvm_sync, now);
        atomic_store(&jvm_end, now);
        atomic_fetch_add(&jvm_counter, 2);
        /* Last, since a poll in between would take the start of this one with the end of the one before; in a JVM it
         * would find a safepoint being synchronised. */
        atomic_store(&jvm_begin, now - (i == 2 ? 50 : 150) * MS);
        for (uint32_t seen = looks(); looks() < seen + 2;)
            usleep(1000);
    }
    stop();
    assert_int_equal(found.incidents, 2);
    assert_int_equal(found.signals, 0);
    assert_int_equal(found.reach_wrong, 0);
    assert_int_equal(atomic_load(&engine.unwatched), 2);
    assert_int_equal(atomic_load(&engine.unclear), 0);
}

/* As on a JDK that keeps sums, but no time of arrival. The watcher sleeps during it. */
__attribute__((no_sanitize("thread"))) static void give_sums(_Atomic uint64_t *count, _Atomic uint64_t *sum)
{
    engine.safepoint.sync_ns = 0;
    engine.safepoint.count = (wick_addr)(uintptr_t)count;
    engine.safepoint.sync_total = (wick_addr)(uintptr_t)sum;
}

static void test_ttsp__sums_report_what_nobody_watched(void **state)
{
    enum { MS = 1000000 };
    static _Atomic uint64_t count, sum;
    (void)state;
    memset(&found, 0, sizeof found);
    start(100 * MS);
    give_sums(&count, &sum);
    for (uint32_t seen = looks(); looks() < seen + 2;)
        usleep(1000);
    uint64_t before = atomic_load(&engine.unwatched) + atomic_load(&engine.unclear);
    assert_int_equal(before, 0);
    static const struct {
        uint64_t count, sum;
    } steps[] = {{1, 150 * MS}, {1, 50 * MS}, {5, 90 * MS}, {5, 150 * MS}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        atomic_fetch_add(&count, steps[i].count); /* in the JVM's order, with a poll between the two */
        if (i % 2)
            for (uint32_t seen = looks(); looks() < seen + 2;)
                usleep(1000);
        atomic_fetch_add(&sum, steps[i].sum);
        for (uint32_t seen = looks(); looks() < seen + 2;)
            usleep(1000);
    }
    stop();
    assert_int_equal(atomic_load(&engine.unwatched), 1);
    assert_int_equal(atomic_load(&engine.unclear), 5);
}

static void test_ttsp__threads_that_end_and_stops_in_the_middle_do_no_harm(void **state)
{
    (void)state;
    memset(&found, 0, sizeof found);
    for (int i = 0; i < 20; i++) {
        struct java_thread *t = &java[i % THREADS];
        start(1000000);
        atomic_store(&t->state, IN_JAVA);
        begin_safepoint();
        usleep((unsigned)(i % 5) * 500);
        if (i % 2) { /* the thread ends while it may be asked */
            atomic_store(&t->leave, 1);
            pthread_join(t->thread, NULL);
            wick_threads_java_end(&threads, t->own.tid);
        }
        stop();
        atomic_store(&t->state, IN_NATIVE);
        reach_safepoint();
        end_safepoint();
        if (i % 2) {
            atomic_store(&t->leave, 0);
            atomic_store(&t->own.tid, 0);
            assert_int_equal(pthread_create(&t->thread, NULL, live, t), 0);
            while (!atomic_load(&t->own.tid))
                usleep(100);
            wick_threads_poll(&threads);
            wick_threads_java(&threads, t->own.tid, (wick_addr)(uintptr_t)t, "java", 1);
        }
    }
    for (int k = 0; k < WICK_TTSP_INCIDENTS; k++)
        assert_int_equal(atomic_load(&wick_ttsp_slots[k].phase), 0);
}

static void test_counters__two_polls_show_where_the_jvm_is(void **state)
{
    static uint64_t count = 7, sync = 100;
    struct wick_hs_safepoint sp = {.jvm = &jvm,
                                   .source = WICK_HS_SAFEPOINT_COUNTERS,
                                   .count = (wick_addr)(uintptr_t)&count,
                                   .sync_total = (wick_addr)(uintptr_t)&sync,
                                   .last_count = 7,
                                   .last_sync = 100};
    /* added to count, added to sync, awaited now, known */
    static const int steps[][4] = {
        {0, 0, 0, 1}, {1, 0, 1, 1}, {0, 0, 1, 1}, {0, 5, 0, 1}, {1, 5, 0, 1}, {1, 0, 1, 1}, {1, 5, 1, 0},
        {0, 0, 1, 0}, {0, 5, 0, 1}, {3, 5, 1, 0}, {0, 5, 0, 1}, {2, 9, 1, 0}, {1, 0, 1, 1}, {0, 1, 0, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct wick_hs_safepoint_view v;
        count += (uint64_t)steps[i][0];
        sync += (uint64_t)steps[i][1];
        wick_hs_safepoint_look(&sp, &v);
        assert_int_equal(v.synchronising, steps[i][2]);
        assert_int_equal(v.certain, steps[i][3]);
        assert_int_equal(v.id, count);
    }
}

static void test_thresholds__lists_and_percentages(void **state)
{
    static const char *const wrong[] = {"x", "1,", "0", "5,4", "1,2,3,4,5,6", "1,,2", "-1", "nan"};
    struct wick_ttsp_config c;
    struct wick_err err;
    (void)state;
    assert_int_equal(wick_ttsp_thresholds("1,2:5/10,20.5", 0, 10, 10000, &c, &err), 0);
    assert_int_equal(c.threshold_ns[0], 1000000);
    assert_int_equal(c.threshold_ns[4], 20500000);
    assert_int_equal(c.interval_ns, 1000000000);
    assert_int_equal(wick_ttsp_thresholds("", 2, 5, 50000, &c, &err), 0);
    assert_int_equal(c.threshold_ns[0], 1000000000);
    assert_int_equal(c.threshold_ns[1], 3500000000);
    assert_int_equal(wick_ttsp_thresholds("3", 0, 10, 1000, &c, &err), 0);
    assert_int_equal(c.threshold_ns[4], 403000000);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(wick_ttsp_thresholds(wrong[i], 0, 10, 10000, &c, &err), -WICK_E_USAGE);
}

static void test_facts__agree_with_the_kernel(void **state)
{
    struct wick_thread_now now;
    struct wick_thread_rules rules;
    cpu_set_t set;
    uint64_t mask = 0;
    (void)state;
    wick_thread_now((int32_t)syscall(SYS_gettid), &now);
    assert_int_equal(now.state, 'R');
    assert_true(now.last_cpu >= 0);
    assert_true(now.cpu_ns > 0 && now.cpu_ns <= wick_clock_ns(CLOCK_THREAD_CPUTIME_ID));
    wick_thread_now(java[1].own.tid, &now);
    assert_true(now.state == 'S' || now.state == 'R');
    wick_thread_rules((int32_t)syscall(SYS_gettid), &rules);
    assert_string_equal(rules.schedule, sched_getscheduler(0) == SCHED_BATCH ? "SCHED_BATCH" : "SCHED_OTHER");
    assert_int_equal(rules.nice, getpriority(PRIO_PROCESS, 0));
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    for (unsigned i = 0; i < 64; i++)
        mask |= CPU_ISSET(i, &set) ? UINT64_C(1) << i : 0;
    if (strlen(rules.allowed) <= 16)
        assert_int_equal(strtoull(rules.allowed, NULL, 16), mask);
    assert_true(rules.allowed[0] != '0');
    wick_thread_now(0x3ffffe, &now);
    assert_int_equal(now.state, '?');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ttsp__every_provoked_incident_is_found_and_blamed_on_the_slow_thread),
        cmocka_unit_test(test_ttsp__a_handler_that_never_comes_back_keeps_what_it_may_use),
        cmocka_unit_test(test_ttsp__fast_safepoints_are_never_reported),
        cmocka_unit_test(test_ttsp__a_slow_safepoint_that_nobody_watched_is_reported_without_threads),
        cmocka_unit_test(test_ttsp__sums_report_what_nobody_watched),
        cmocka_unit_test(test_ttsp__threads_that_end_and_stops_in_the_middle_do_no_harm),
        cmocka_unit_test(test_counters__two_polls_show_where_the_jvm_is),
        cmocka_unit_test(test_thresholds__lists_and_percentages),
        cmocka_unit_test(test_facts__agree_with_the_kernel),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
