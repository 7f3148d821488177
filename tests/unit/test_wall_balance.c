/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread whose CPU and run-queue time is known: the sums by state are schedstat's, whether visits are in time or
 * late, and only while the thread is a candidate throughout. Seeds are fixed; the balance bounds the error by a few
 * visits.
 */
#include "wall_scene.h"

#include "base/random.h"
#include "jfr/writer/writer.h"

enum { VISITS = 20000, STATES = 16 };

static uint64_t cpu, delay, slices;
static bool ready, on_cpu; /* it can run; and does, if it can */
static bool computes;      /* in Java code, if it can run */
static uint64_t by_state[STATES], samples, signals;

/* What the engine did last with the thread. */
static enum act { NOTHING, LOOKED, ASKED_SCHED, SIGNALLED } last, before_signal;

static uint64_t see_cpu(int32_t tid)
{
    cpu += ready && on_cpu;
    return cpu;
}

static enum wick_thread_seen see(struct wick_thread_files *files, int32_t tid, struct wick_thread_look *out)
{
    last = LOOKED;
    *out = (struct wick_thread_look){.sp = 0x7000, .pc = 5};
    return ready ? WICK_THREAD_READY : WICK_THREAD_WAITS;
}

static int see_sched(struct wick_thread_files *files, int32_t tid, struct wick_thread_sched *out)
{
    last = ASKED_SCHED;
    *out = (struct wick_thread_sched){cpu, delay, slices};
    return 0;
}

static bool walk(struct wick_wall_engine *e, const struct wick_engine_thread *t, const struct wick_thread_look *l,
                 struct wick_event *out, enum wick_drop *why)
{
    *out =
        (struct wick_event){.stack = 1, .generation = 1, .type = WICK_EVENT_WALL, .state = WICK_JFR_STATE_NATIVE_WAIT};
    *why = WICK_DROP_STACK_TABLE_FULL;
    return true;
}

static bool is_outside_calls(struct wick_wall_engine *e, const struct wick_engine_thread *t)
{
    return ready && computes;
}

static bool send(struct wick_wall_engine *e, int32_t tid)
{
    before_signal = last;
    signals++;
    last = SIGNALLED;
    return true;
}

static void on_event(void *arg, const struct wick_event *e)
{
    by_state[e->state] += e->weight;
    samples += e->samples;
}

static void on_time(void *arg, const struct wick_wall_cpu_time *t)
{
}

static void take_owed(int which, uint8_t state)
{
    uint32_t n;
    by_state[state] += wick_wall_owed_take(&wall.slots[1], which, &n);
    samples += n;
}

/* The thread answers its signal, if there is one. */
static void tick(uint64_t now, uint64_t passed)
{
    wick_wall_tick(&wall, now, passed);
    atomic_store(&wall.slots[1].signalled, 0);
    take_owed(WICK_WALL_OWED_RUNNING, WICK_JFR_STATE_RUNNABLE);
    take_owed(WICK_WALL_OWED_WAITING, WICK_JFR_STATE_WAITING_FOR_CPU);
}

static const struct wick_wall_eyes eyes = {see_cpu, see, see_sched, walk, is_outside_calls, send};

static void begin(const char *filter)
{
    memset(by_state, 0, sizeof by_state);
    samples = cpu = delay = 0;
    slices = 1;
    ready = false;
    on_cpu = true;
    computes = false;
    signals = 0;
    wall_scene_begin(&eyes, 1, 16, filter);
}

static uint64_t sum(void)
{
    uint64_t of = 0;
    for (int i = 0; i < STATES; i++)
        of += by_state[i];
    return of;
}

static void end(void)
{
    wick_wall_flush(&wall);
    wick_wall_take(&wall, on_event, on_time, NULL);
    wall_scene_end();
}

static void expect_near(uint64_t state, uint64_t expected, uint64_t slack)
{
    assert_in_range(by_state[state], expected > slack ? expected - slack : 0, expected + slack);
}

/* In each interval it runs 1 ms, waits 6 for a processor and sleeps 3. Visits come once in ten intervals and find it
 * ready in so many of ten. */
static void test_balance__delayed_visits_count_for_the_states_they_missed(void **state)
{
    for (uint64_t tenths = 0, random = 17; tenths <= 9; tenths += 3) {
        begin("");
        for (uint64_t i = 0; i < VISITS; i++) {
            cpu += 10 * MS;
            delay += 60 * MS;
            ready = wick_random_below(&random, 10) < tenths;
            tick((i + 1) * 100 * MS, 10);
        }
        end();
        assert_int_equal(sum(), VISITS * 100 * MS);
        assert_int_equal(samples, VISITS);
        /* so many visits of 100 ms at most: those that are held, and a few in either direction */
        expect_near(WICK_JFR_STATE_WAITING_FOR_CPU, VISITS * 60 * MS, tenths ? 2000 * MS : 500 * MS);
        if (tenths)
            expect_near(WICK_JFR_STATE_RUNNABLE, VISITS * 10 * MS, 2000 * MS);
    }
}

/* A CPU quota: stopped for 70 ms, running for 30, in turn. The tick that stands for the missed ones is delayed, the
 * next one follows it at once, and only then is the delay in schedstat, as the wait has ended. */
static void test_balance__a_tick_in_time_right_after_a_delayed_one_weighs_what_it_stands_for(void **state)
{
    enum { PERIODS = 500 };
    begin("");
    ready = true;
    for (uint64_t i = 0; i < PERIODS; i++) {
        uint64_t now = i * 100 * MS;
        tick(now + 79 * MS, 7); /* due at 10 to 70 */
        cpu += MS;
        delay += 70 * MS;
        tick(now + 80 * MS, 1);
        cpu += 10 * MS;
        tick(now + 90 * MS, 1);
        cpu += 10 * MS;
        tick(now + 100 * MS, 1);
        cpu += 9 * MS;
    }
    end();
    assert_int_equal(sum(), PERIODS * 100 * MS);
    expect_near(WICK_JFR_STATE_WAITING_FOR_CPU, PERIODS * 70 * MS, 200 * MS);
    expect_near(WICK_JFR_STATE_RUNNABLE, PERIODS * 30 * MS, 200 * MS);
}

/* It runs often and briefly, and each visit finds it asleep: what it used still counts as running. */
static void test_balance__cpu_time_never_found_on_a_processor_is_running(void **state)
{
    begin("");
    for (uint64_t i = 0; i < VISITS; i++) {
        cpu += MS;
        tick((i + 1) * 10 * MS, 1);
    }
    end();
    assert_int_equal(sum(), VISITS * 10 * MS);
    assert_int_equal(samples, VISITS);
    expect_near(WICK_JFR_STATE_RUNNABLE, VISITS * MS, 20 * MS);
}

/* Visits in time, on a machine where no thread waits for a processor: at times it happens to be found ready too often
 * and too rarely at others, by some 70 visits in 20,000. What takes the one back and not the other is off by more than
 * that. */
static void test_balance__visits_in_time_are_not_made_worse(void **state)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        uint64_t random = seed;
        begin("");
        for (uint64_t i = 0; i < VISITS; i++) {
            cpu += 5 * MS;
            ready = wick_random_below(&random, 2);
            tick((i + 1) * 10 * MS, 1);
        }
        end();
        assert_int_equal(sum(), VISITS * 10 * MS);
        assert_int_equal(by_state[WICK_JFR_STATE_WAITING_FOR_CPU], 0);
        expect_near(WICK_JFR_STATE_RUNNABLE, VISITS * 5 * MS, 200 * MS);
    }
}

/* It has a context for one interval of ten, and computes in that and in no other: what it did not use in the nine
 * others does not make it a thread that waited in the one. */
static void test_balance__time_without_a_context_is_none_of_it(void **state)
{
    begin("context");
    for (uint64_t i = 0; i < VISITS; i++) {
        bool has = i % 10 == 0;
        wick_store_relaxed(&labels.places->bytes[1], has ? WICK_LABELS_OPEN : 0);
        cpu += has && i ? 10 * MS : 1; /* 0 is for a thread that is gone */
        ready = has && i;              /* but waits the first time, so that there is a last wait */
        tick((i + 1) * 10 * MS, 1);
    }
    end();
    assert_int_equal(by_state[WICK_JFR_STATE_NATIVE_WAIT], 10 * MS);
    assert_int_equal(by_state[WICK_JFR_STATE_RUNNABLE], (VISITS / 10 - 1) * 10 * MS);
}

/* It waits within a context, which has ended when the delayed tick comes; the missed intervals were the context's all
 * the same. One that has begun by then has none of them. */
static void test_context__intervals_that_were_missed_are_of_the_tick_before(void **state)
{
    begin("context");
    cpu = 1;
    wick_store_relaxed(&labels.places->bytes[1], WICK_LABELS_OPEN);
    tick(10 * MS, 1);
    wick_store_relaxed(&labels.places->bytes[1], 0);
    cpu += 1000;
    tick(80 * MS, 7);
    wick_store_relaxed(&labels.places->bytes[1], WICK_LABELS_OPEN);
    tick(120 * MS, 4);
    end();
    assert_int_equal(by_state[WICK_JFR_STATE_NATIVE_WAIT], (1 + 6 + 1) * 10 * MS);
    assert_int_equal(sum(), (1 + 6 + 1) * 10 * MS);
    assert_int_equal(samples, 3);
}

/* A kernel without such figures reports zeros. */
static void test_balance__without_schedstat_nothing_is_corrected(void **state)
{
    begin("");
    slices = 0;
    for (uint64_t i = 0; i < VISITS; i++) {
        cpu += 3 * MS; /* it waited for the rest */
        ready = i > 0;
        tick((i + 1) * 10 * MS, 1);
    }
    end();
    assert_int_equal(by_state[WICK_JFR_STATE_NATIVE_WAIT], 10 * MS);
    assert_int_equal(by_state[WICK_JFR_STATE_RUNNABLE], (VISITS - 1) * 10 * MS);
}

/* Between its check and the signal the engine asks the kernel nothing else: all of that would be time in which the
 * thread may begin a wait that the signal breaks off. Each second it also accounts. */
static void test_signal__follows_the_visit_at_once(void **state)
{
    begin("");
    ready = true;
    for (uint64_t i = 0; i < 300; i++) {
        cpu += 10 * MS;
        before_signal = NOTHING;
        tick((i + 1) * 10 * MS, 1);
        assert_int_equal(before_signal, LOOKED);
    }
    end();
}

/* It sleeps, is woken and found before it gets a processor: a signal now would be there when its call goes on. It is in
 * time for the states anyway; CPU time waits until it is found on a processor. */
static void test_signal__is_not_for_a_thread_that_was_woken_in_a_call(void **state)
{
    uint64_t random = 9;
    begin("");
    on_cpu = false;
    for (uint64_t i = 0; i < VISITS; i++) {
        cpu += 100;
        delay += 3 * MS;
        ready = i && wick_random_below(&random, 10) < 3;
        tick((i + 1) * 10 * MS, 1);
    }
    assert_int_equal(signals, 0);
    end();
    assert_int_equal(sum(), VISITS * 10 * MS);
    expect_near(WICK_JFR_STATE_WAITING_FOR_CPU, VISITS * 3 * MS, 200 * MS);
}

/* It sleeps now and then, and is preempted in Java code: it waits for a processor there, not where it slept. */
static void test_signal__is_for_a_thread_that_was_preempted_in_java(void **state)
{
    uint64_t random = 9, due = 0;
    begin("");
    on_cpu = false;
    computes = true;
    for (uint64_t i = 0; i < VISITS; i++) {
        cpu += MS;
        delay += 3 * MS;
        ready = i && wick_random_below(&random, 10) < 4;
        due += ready;
        tick((i + 1) * 10 * MS, 1);
    }
    assert_in_range(signals, due * 8 / 10, due);
    end();
    expect_near(WICK_JFR_STATE_WAITING_FOR_CPU, VISITS * 3 * MS, 200 * MS);
    expect_near(WICK_JFR_STATE_RUNNABLE, VISITS * MS, 200 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balance__delayed_visits_count_for_the_states_they_missed),
        cmocka_unit_test(test_balance__a_tick_in_time_right_after_a_delayed_one_weighs_what_it_stands_for),
        cmocka_unit_test(test_balance__cpu_time_never_found_on_a_processor_is_running),
        cmocka_unit_test(test_balance__visits_in_time_are_not_made_worse),
        cmocka_unit_test(test_balance__time_without_a_context_is_none_of_it),
        cmocka_unit_test(test_context__intervals_that_were_missed_are_of_the_tick_before),
        cmocka_unit_test(test_balance__without_schedstat_nothing_is_corrected),
        cmocka_unit_test(test_signal__follows_the_visit_at_once),
        cmocka_unit_test(test_signal__is_not_for_a_thread_that_was_woken_in_a_call),
        cmocka_unit_test(test_signal__is_for_a_thread_that_was_preempted_in_java),
    };
    return cmocka_run_group_tests_name("wall_balance", tests, NULL, NULL);
}
