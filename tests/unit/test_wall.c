/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wall clock, tick by tick: threads that a test makes up, seen through eyes of its own, with a fixed seed.
 *
 * The exactness of weights is arithmetic and checked to the nanosecond; test_wall_pick.c shows that draws are fair.
 */
#include "wall_scene.h"

#include <math.h>
#include <unistd.h>

#include "base/random.h"
#include "jfr/writer/writer.h"

enum { MOST = 5000 };

/* --- made-up threads --- */
struct actor {
    uint64_t cpu, delay, slices;
    uint64_t step;  /* CPU time that passes at each read of its clock: it runs */
    uint64_t place; /* where it waits, 0 = it can run */
    uint8_t state;  /* what it waits in, 0 = native code */
    bool gone, deaf;
    uint64_t looks, walks, signals;
};

static struct actor actors[MOST + 1];

static struct actor *actor(int32_t tid)
{
    return &actors[tid - WALL_SCENE_TID];
}

static uint64_t see_cpu(int32_t tid)
{
    struct actor *a = actor(tid);
    a->cpu += a->step;
    return a->gone ? 0 : a->cpu;
}

static enum wick_thread_seen see(struct wick_thread_files *files, int32_t tid, struct wick_thread_look *out)
{
    struct actor *a = actor(tid);
    a->looks++;
    if (a->gone)
        return WICK_THREAD_GONE;
    *out = (struct wick_thread_look){.sp = 0x7000, .pc = a->place, .state = WICK_JFR_STATE_NATIVE_WAIT};
    out->state = a->state ? a->state : out->state;
    return a->place ? WICK_THREAD_WAITS : WICK_THREAD_READY;
}

static int see_sched(struct wick_thread_files *files, int32_t tid, struct wick_thread_sched *out)
{
    struct actor *a = actor(tid);
    *out = (struct wick_thread_sched){a->cpu, a->delay, a->slices};
    return a->gone ? -WICK_E_NOTFOUND : 0;
}

/* The stack's number is the place. */
static bool walk(struct wick_wall_engine *e, const struct wick_engine_thread *t, const struct wick_thread_look *l,
                 struct wick_event *out, enum wick_drop *why)
{
    actor(wick_load_relaxed(&t->tid))->walks++;
    *out = (struct wick_event){.stack = (uint32_t)l->pc, .generation = 1, .type = WICK_EVENT_WALL, .state = l->state};
    *why = WICK_DROP_STACK_TABLE_FULL;
    return l->pc != 666;
}

static bool is_outside_calls(struct wick_wall_engine *e, const struct wick_engine_thread *t)
{
    return false;
}

static bool send_signal(struct wick_wall_engine *e, int32_t tid)
{
    actor(tid)->signals++;
    return !actor(tid)->deaf;
}

static const struct wick_wall_eyes eyes = {see_cpu, see, see_sched, walk, is_outside_calls, send_signal};

static struct wick_engine_thread *thread(uint32_t i)
{
    return &ts.slots[i];
}

/* n threads, numbered from 1, that wait at place 1000 + their number; k of them are drawn each tick of 10 ms. */
static void begin(uint32_t n, uint32_t k, const char *filter)
{
    memset(actors, 0, sizeof actors);
    for (uint32_t i = 1; i <= n; i++)
        actors[i] = (struct actor){.cpu = 1000, .slices = 1, .place = 1000 + i};
    wall_scene_begin(&eyes, n, k, filter);
}

struct seen {
    uint64_t events, samples, weight;
    uint64_t by_thread[MOST + 1], by_state[16];
    struct wick_event last;
    uint64_t times, cpu_ns, delay_ns;
};

static void on_event(void *arg, const struct wick_event *e)
{
    struct seen *s = arg;
    s->events++;
    s->samples += e->samples;
    s->weight += e->weight;
    s->by_thread[e->thread] += e->samples;
    s->by_state[e->state] += e->weight;
    s->last = *e;
}

static void on_time(void *arg, const struct wick_wall_cpu_time *t)
{
    struct seen *s = arg;
    s->times++;
    s->cpu_ns += t->used.cpu_ns;
    s->delay_ns += t->used.delay_ns;
}

static struct seen *take(void)
{
    static struct seen s;
    memset(&s, 0, sizeof s);
    wick_wall_take(&wall, on_event, on_time, &s);
    return &s;
}

static struct seen *flush(void)
{
    wick_wall_flush(&wall);
    return take();
}

static void ticks(uint64_t from, uint64_t n)
{
    for (uint64_t i = from; i < from + n; i++)
        wick_wall_tick(&wall, (i + 1) * 10 * MS, 1);
}

static void expect_accounts(uint64_t fired, uint64_t weight)
{
    struct wick_totals t;
    uint64_t dropped = 0;
    wick_recorder_totals(&rec, &t);
    for (int i = 0; i < WICK_DROP_COUNT; i++)
        dropped += t.drops[i];
    assert_int_equal(t.fired, fired);
    assert_int_equal(t.recorded + dropped, fired);
    assert_int_equal(t.of[WICK_EVENT_WALL].weight + t.of[WICK_EVENT_WALL].drop_weight, weight);
}

/* --- visits --- */

static void test_wall__an_idle_thread_is_walked_once_and_counted_then(void **state)
{
    begin(1, 16, "");
    ticks(0, 500);
    assert_int_equal(actors[1].walks, 1);
    assert_int_equal(actors[1].signals, 0);
    assert_int_equal(take()->events, 0);
    struct seen *s = flush();
    assert_int_equal(s->events, 1);
    assert_int_equal(s->samples, 500);
    assert_int_equal(s->weight, 500 * 10 * MS);
    assert_int_equal(s->last.stack, 1001);
    assert_int_equal(s->last.time_ns, 10 * MS);
    assert_int_equal(s->last.span_ns, 499 * 10 * MS);
    expect_accounts(500, 5000 * MS);
    wall_scene_end();
}

/* It woke, ran for the least time there is, and waits again, elsewhere or in the same place. */
static void test_wall__a_thread_that_ran_is_never_charged_to_its_old_stack(void **state)
{
    begin(1, 16, "");
    ticks(0, 10);
    actors[1].cpu += 1;
    actors[1].place = 77;
    ticks(10, 5);
    struct seen *s = take();
    assert_int_equal(s->events, 1);
    assert_int_equal(s->last.stack, 1001);
    assert_int_equal(s->last.samples, 10);
    s = flush();
    assert_int_equal(s->events, 1);
    assert_int_equal(s->last.stack, 77);
    assert_int_equal(s->last.samples, 5);
    assert_int_equal(s->last.weight, 50 * MS);
    ticks(15, 1);
    actors[1].cpu += 1; /* and back into the same wait: that is another one */
    ticks(16, 1);
    assert_int_equal(take()->events, 1);
    assert_int_equal(actors[1].walks, 4); /* a flush forgets the stack */
    expect_accounts(17, 170 * MS);
    flush();
    wall_scene_end();
}

static void test_wall__a_batch_ends_after_1000_skips_and_is_walked_anew(void **state)
{
    begin(1, 16, "");
    ticks(0, 1001);
    assert_int_equal(take()->events, 0);
    ticks(1001, 1);
    struct seen *s = take();
    assert_int_equal(s->events, 1);
    assert_int_equal(s->last.samples, 1001);
    assert_int_equal(actors[1].walks, 2);
    assert_int_equal(flush()->samples, 1);
    wall_scene_end();
}

/* That ends while the thread waits on: an acknowledgement comes, then the answer takes its time. */
static void test_wall__a_wait_with_data_held_back_is_walked_anew_each_time(void **state)
{
    begin(1, 16, "");
    actors[1].state = WICK_JFR_STATE_HELD_BACK;
    ticks(0, 4);
    assert_int_equal(actors[1].walks, 4);
    actors[1].state = WICK_JFR_STATE_IO;
    ticks(4, 6);
    assert_int_equal(actors[1].walks, 5);
    struct seen *s = flush();
    assert_int_equal(s->by_state[WICK_JFR_STATE_HELD_BACK], 40 * MS);
    assert_int_equal(s->by_state[WICK_JFR_STATE_IO], 60 * MS);
    wall_scene_end();
}

/* What other threads write during a wait is not what this one waits for. */
static void test_wall__data_is_held_back_from_the_start_of_a_wait_and_not_for_long(void **state)
{
    begin(1, 16, "");
    actors[1].state = WICK_JFR_STATE_HELD_BACK;
    ticks(0, 200);
    struct seen *s = flush();
    assert_int_equal(s->by_state[WICK_JFR_STATE_HELD_BACK], 510 * MS);
    assert_int_equal(s->by_state[WICK_JFR_STATE_IO], 1490 * MS);
    actors[1].state = WICK_JFR_STATE_IO;
    actors[1].cpu += 1000; /* a new wait */
    ticks(200, 1001);
    actors[1].state = WICK_JFR_STATE_HELD_BACK;
    ticks(1201, 10); /* it is walked anew, in the same wait */
    s = flush();
    assert_int_equal(s->by_state[WICK_JFR_STATE_HELD_BACK], 0);
    wall_scene_end();
}

static void test_wall__a_batch_does_not_grow_older_than_a_minute(void **state)
{
    begin(1, 16, "");
    wick_wall_tick(&wall, 1000 * MS, 1);
    wick_wall_tick(&wall, 60000 * MS, 1);
    assert_int_equal(take()->events, 0);
    wick_wall_tick(&wall, 61001 * MS, 1);
    assert_int_equal(take()->samples, 2);
    flush();
    wall_scene_end();
}

static void test_wall__nobatch_gives_an_event_for_each_sample(void **state)
{
    begin(1, 16, "");
    wall.nobatch = true;
    ticks(0, 20);
    struct seen *s = take();
    assert_int_equal(s->events, 20);
    assert_int_equal(s->samples, 20);
    assert_int_equal(s->weight, 200 * MS);
    assert_int_equal(s->last.span_ns, 0);
    assert_int_equal(actors[1].walks, 1); /* the stack is known anyway */
    assert_int_equal(flush()->events, 0);
    wall_scene_end();
}

static void test_wall__a_thread_that_ends_leaves_its_batch(void **state)
{
    begin(2, 16, "");
    ticks(0, 10);
    actors[1].gone = true;
    wick_wall_disarm(&wall, thread(1));
    struct seen *s = take();
    assert_int_equal(s->by_thread[1], 10);
    assert_int_equal(s->by_thread[2], 0);
    ticks(10, 1);
    assert_int_equal(wall.stats.candidates, 1);
    actors[2].gone = true; /* not notified yet */
    ticks(11, 3);
    struct wick_totals t;
    wick_recorder_totals(&rec, &t);
    assert_int_equal(t.drops[WICK_DROP_THREAD_ENDED], 3);
    expect_accounts(20 + 1 + 3, (200 + 10 + 30) * MS);
    flush();
    wall_scene_end();
}

/* In the thread itself, while it can still be asked. */
static void test_wall__a_java_thread_that_ends_settles_its_account(void **state)
{
    begin(1, 16, "");
    ticks(0, 3);
    actors[1].cpu += 700;
    actors[1].delay += 300;
    wick_wall_end(&wall, thread(1));
    struct seen *s = take();
    assert_int_equal(s->samples, 3);
    assert_int_equal(s->cpu_ns, 700);
    assert_int_equal(s->delay_ns, 300);
    ticks(3, 3); /* nobody draws it any more */
    assert_int_equal(wall.stats.chosen, 3);
    actors[1].gone = true;
    wick_wall_disarm(&wall, thread(1));
    assert_int_equal(take()->times, 0);
    wall_scene_end();
}

/* Nobody has seen it end, and another thread has its id: each figure may be less than it was, or all more. */
static void test_wall__the_account_of_another_thread_is_not_its_own(void **state)
{
    static const struct wick_thread_sched others[] = {{900, 2300, 30}, {1700, 1700, 30}, {1700, 2300, 5}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        begin(1, 16, "");
        actors[1] = (struct actor){.cpu = 1000, .delay = 2000, .slices = 10};
        wick_wall_arm(&wall, thread(1), false);
        ticks(0, 3);
        actors[1] = (struct actor){.cpu = others[i].cpu_ns, .delay = others[i].delay_ns, .slices = others[i].slices};
        ticks(3, 3);
        wick_wall_disarm(&wall, thread(1));
        assert_int_equal(take()->times, 0);
        wall_scene_end();
    }
}

static void test_wall__delayed_ticks_carry_the_time_that_has_passed(void **state)
{
    begin(40, 16, "");
    wick_wall_tick(&wall, 70 * MS, 7);
    assert_int_equal(flush()->weight, 7 * 10 * MS * 40);
    assert_int_equal(wall.stats.ticks, 7);
    assert_int_equal(wall.stats.merged, 6);
    wall_scene_end();
}

/* Whatever batching does, the weights are those of the ticks. */
static void test_wall__batching_keeps_the_sum_of_weights_exact(void **state)
{
    static const uint32_t sizes[] = {1, 15, 16, 17, 333, 5000};
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        uint64_t random = 5, weight = 0, samples = 0;
        begin(sizes[c], 16, "");
        for (uint64_t i = 0; i < 3000; i++) {
            uint32_t n = 1 + (uint32_t)wick_random_below(&random, sizes[c]);
            actors[n].cpu++; /* one thread runs */
            actors[n].place = 1 + wick_random_below(&random, 500);
            wick_wall_tick(&wall, (i + 1) * 10 * MS, 1);
            if (i % 700 == 0) {
                struct seen *s = flush();
                weight += s->weight;
                samples += s->samples;
            }
        }
        struct seen *s = flush();
        weight += s->weight;
        samples += s->samples;
        assert_int_equal(weight, 3000ull * 10 * MS * sizes[c]);
        assert_int_equal(samples, 3000ull * (sizes[c] < 16 ? sizes[c] : 16));
        expect_accounts(samples, weight);
        wall_scene_end();
    }
}

/* --- threads that can run --- */

/* What a handler does. */
static uint64_t answer(uint32_t i, int which, uint32_t *n)
{
    atomic_store(&wall.slots[i].signalled, 0);
    return wick_wall_owed_take(&wall.slots[i], which, n);
}

static void test_wall__a_thread_that_can_run_is_reported_once_and_owed_the_rest(void **state)
{
    uint32_t n;
    begin(1, 16, "");
    actors[1] = (struct actor){.cpu = 1000, .step = 5000};
    ticks(0, 6);
    assert_int_equal(actors[1].signals, 1);
    assert_int_equal(actors[1].walks, 0);
    assert_int_equal(answer(1, WICK_WALL_OWED_RUNNING, &n), 60 * MS);
    assert_int_equal(n, 6);
    ticks(6, 1);
    assert_int_equal(actors[1].signals, 2);
    assert_int_equal(answer(1, WICK_WALL_OWED_RUNNING, &n), 10 * MS);
    assert_int_equal(answer(1, WICK_WALL_OWED_WAITING, &n), 0);
    wall_scene_end();
}

/* A process that was stopped for days (or for minutes, with thousands of threads) comes back with one great tick. */
static void test_wall__a_weight_that_fits_no_slot_is_a_drop(void **state)
{
    struct wick_totals t;
    uint32_t n;
    begin(1, 1, "all");
    actors[1].place = 0;
    uint64_t passed = (1ull << 49) / wall.interval;
    wick_wall_tick(&wall, 5 * MS, passed);
    uint64_t owed = answer(1, WICK_WALL_OWED_RUNNING, &n) + answer(1, WICK_WALL_OWED_WAITING, &n);
    wick_recorder_totals(&rec, &t);
    assert_true(owed + t.of[WICK_EVENT_WALL].drop_weight == passed * wall.interval);
    wall_scene_end();
}

static void test_wall__what_is_owed_at_the_end_is_a_drop(void **state)
{
    begin(2, 16, "");
    actors[1] = (struct actor){.cpu = 1000, .step = 5000};
    actors[2] = (struct actor){.cpu = 1000, .step = 5000, .deaf = true};
    ticks(0, 4);
    wick_wall_disarm(&wall, thread(1));
    wick_wall_disarm(&wall, thread(2));
    struct wick_totals t;
    wick_recorder_totals(&rec, &t);
    assert_int_equal(t.drops[WICK_DROP_THREAD_ENDED], 4);
    assert_int_equal(t.drops[WICK_DROP_NO_SIGNAL], 4);
    assert_int_equal(t.of[WICK_EVENT_WALL].drop_weight, 80 * MS);
    take();
    wall_scene_end();
}

/* A thread that could run and used nothing since its last visit waits for a processor. */
static void test_wall__without_cpu_time_it_waits_for_a_processor(void **state)
{
    uint32_t n;
    begin(1, 16, "");
    actors[1] = (struct actor){.cpu = 1000};
    wall.slots[1].seen_cpu = 1000;
    ticks(0, 5);
    assert_int_equal(answer(1, WICK_WALL_OWED_RUNNING, &n), 0);
    assert_int_equal(answer(1, WICK_WALL_OWED_WAITING, &n), 50 * MS);
    wall_scene_end();
}

/* Woken, but without a processor so far: it still has the stack it waited with, so no signal is needed. */
static void test_wall__a_woken_thread_without_a_processor_is_runnable_on_its_stack(void **state)
{
    begin(1, 16, "");
    ticks(0, 3);
    actors[1].place = 0;
    ticks(3, 2);
    assert_int_equal(actors[1].signals, 0);
    struct seen *s = flush();
    assert_int_equal(s->by_state[WICK_JFR_STATE_NATIVE_WAIT], 30 * MS);
    assert_int_equal(s->by_state[WICK_JFR_STATE_WAITING_FOR_CPU], 20 * MS);
    assert_int_equal(s->samples, 5);
    expect_accounts(5, 50 * MS);
    wall_scene_end();
}

/* A thread that has been idle for long is checked in one of eight visits; until then, and without batches, in each. The
 * generator is seeded by the scene, so this fails always or never; 4.5 deviations are what another seed may need. */
static void test_wall__trust_in_an_idle_thread_grows(void **state)
{
    begin(1, 16, "");
    ticks(0, 10); /* 100 ms from the walk on */
    assert_int_equal(actors[1].looks, 10);
    ticks(10, 900);
    double more = (double)actors[1].looks - 10;
    assert_true(fabs(more - 900 / 8.0) < 4.5 * sqrt(900 / 8.0 * 7 / 8));
    actors[1].cpu++;
    uint64_t before = actors[1].looks;
    ticks(910, 10);
    assert_int_equal(actors[1].looks, before + 10);
    wall_scene_end();
    begin(1, 16, "");
    wall.nobatch = true;
    ticks(0, 100);
    assert_int_equal(actors[1].looks, 100);
    flush();
    wall_scene_end();
}

/* It can run in three of ten ticks, and gets no processor. A check counts eight times then: 64 * 0.3 / 8 is the mean of
 * the squares; 4.5 standard deviations, with fixed seeds, so no run differs from another. Weights and samples are all
 * there, whatever is moved between events. */
static void test_wall__what_few_visits_find_is_unbiased(void **state)
{
    enum { TICKS = 60000 };
    uint64_t random = 11, ready = 0, waiting = 0, weight = 0, samples = 0;
    begin(1, 16, "");
    for (uint64_t i = 0; i < TICKS; i++) {
        bool can_run = i % 500 > 0 && wick_random_below(&random, 10) < 3; /* when it is walked, it waits */
        actors[1].place = can_run ? 0 : 7;
        ready += can_run;
        ticks(i, 1);
        if (i % 500 < 499)
            continue;
        struct seen *s = flush();
        waiting += s->by_state[WICK_JFR_STATE_WAITING_FOR_CPU];
        weight += s->weight;
        samples += s->samples;
    }
    assert_int_equal(actors[1].signals, 0);
    assert_int_equal(weight, (uint64_t)TICKS * 10 * MS);
    assert_int_equal(samples, TICKS);
    double off = (double)waiting / (10 * MS) - (double)ready;
    if (fabs(off) > 4.5 * sqrt(TICKS * 64 * 0.3 / 8))
        fail_msg("%.0f intervals instead of %.0f", off + (double)ready, (double)ready);
    expect_accounts(TICKS, weight);
    wall_scene_end();
}

/* Running and waiting are split in the proportion of the kernel's figures: a thread that gets a quarter of a processor.
 * Binomial, 4.5 standard deviations; the seed is fixed, so no run differs from another. */
static void test_wall__running_and_waiting_are_in_the_proportion_of_schedstat(void **state)
{
    enum { TICKS = 20000 };
    uint64_t running = 0;
    uint32_t n;
    begin(1, 16, "");
    actors[1] = (struct actor){.cpu = 1000};
    for (uint64_t i = 0; i < TICKS; i++) {
        actors[1].cpu += 2500000;
        actors[1].delay += 7500000;
        actors[1].slices++;
        ticks(i, 1);
        answer(1, WICK_WALL_OWED_RUNNING, &n);
        running += n;
        answer(1, WICK_WALL_OWED_WAITING, &n);
    }
    assert_true(fabs((double)running - TICKS / 4.0) < 4.5 * sqrt(TICKS * 0.25 * 0.75));
    struct seen *s = take(); /* and the figures themselves are written down, once a second, to the nanosecond */
    wick_wall_disarm(&wall, thread(1));
    uint64_t cpu = s->cpu_ns, delay = s->delay_ns;
    assert_true(s->times > 0 && s->times <= TICKS / 100 + 1);
    s = take();
    assert_int_equal(cpu + s->cpu_ns, actors[1].cpu - 1000);
    assert_int_equal(delay + s->delay_ns, actors[1].delay);
    wall_scene_end();
}

/* Its clock moves at each check: what was walked in between may be no stack it ever had. */
static void test_wall__a_stack_walked_while_the_thread_moved_is_thrown_away(void **state)
{
    begin(1, 16, "");
    actors[1] = (struct actor){.cpu = 1000, .step = 10, .place = 5};
    ticks(0, 4);
    assert_int_equal(flush()->events, 0);
    struct wick_totals t;
    wick_recorder_totals(&rec, &t);
    assert_int_equal(t.drops[WICK_DROP_THREAD_MOVED], 4);
    actors[1].step = 0;
    actors[1].place = 666; /* no room for its stack */
    ticks(4, 1);
    expect_accounts(5, 50 * MS);
    wall_scene_end();
}

/* --- filters --- */

/* What a thread does when its scope stack becomes empty or ceases to be. */
static void context(uint32_t i, bool has)
{
    wick_store_relaxed(&labels.places->bytes[i], has ? WICK_LABELS_OPEN : 0);
}

static void test_filter__context_takes_only_threads_that_have_one_now(void **state)
{
    begin(100, 16, "context");
    ticks(0, 3);
    assert_int_equal(wall.stats.chosen, 0);
    context(7, true);
    context(70, true);
    context(101, true); /* no thread's */
    ticks(3, 10);
    context(7, false);
    ticks(13, 10);
    struct seen *s = flush();
    assert_int_equal(s->by_thread[7], 10);
    assert_int_equal(s->by_thread[70], 20);
    assert_int_equal(s->samples, 30);
    assert_int_equal(s->weight, 300 * MS);
    expect_accounts(30, 300 * MS);
    wall_scene_end();
}

/* Contexts come and go. Each tick weighs interval x threads that have one now, and each thread gets its share of that:
 * thread i has a context in i of 64 ticks, so i intervals of 64 in expectation. Draws without replacement scatter less
 * than a binomial; 4.5 standard deviations of one, over ticks that are independent of each other. Seeds are fixed: no
 * run differs from another. */
static void test_filter__context_is_unbiased_by_the_candidates_of_the_tick(void **state)
{
    enum { N = 64, K = 4, TICKS = 64000 };
    static uint64_t by_thread[N + 1];
    uint64_t expected = 0, weight = 0, samples = 0, random = 3;
    begin(N, K, "context");
    wall.nobatch = true;
    memset(by_thread, 0, sizeof by_thread);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        uint32_t now = 0;
        for (uint32_t i = 1; i <= N; i++) {
            bool has = wick_random_below(&random, N) < i;
            context(i, has);
            now += has;
        }
        ticks(tick, 1);
        assert_int_equal(wall.stats.candidates, now);
        expected += (uint64_t)now * 10 * MS;
        samples += now < K ? now : K;
        for (uint32_t e = 0; e < wall.finished.event_count; e++)
            by_thread[wall.finished.events[e].thread] += wall.finished.events[e].weight;
        weight += take()->weight;
    }
    assert_true(weight == expected);
    for (uint32_t i = 1; i <= N; i++) {
        double share = (double)by_thread[i] / (10.0 * MS), mean = (double)TICKS * i / N;
        double sd =
            sqrt((double)TICKS * i / N * N / 2 / K); /* a draw weighs about candidates / K, 32 of them on average */
        if (fabs(share - mean) > 4.5 * sd)
            fail_msg("thread %u: %.0f intervals instead of %.0f, sd %.0f", i, share, mean, sd);
    }
    expect_accounts(samples, weight);
    wall_scene_end();
}

static void test_filter__without_one_contexts_count_as_soon_as_there_is_any(void **state)
{
    begin(8, 16, "");
    ticks(0, 1);
    assert_int_equal(flush()->samples, 8);
    context(3, true);
    ticks(1, 1);
    struct seen *s = flush();
    assert_int_equal(s->samples, 1);
    assert_int_equal(s->by_thread[3], 1);
    context(3, false); /* between two requests nobody has one */
    ticks(2, 1);
    assert_int_equal(flush()->samples, 0);
    wall_scene_end();
}

static void test_filter__without_labels_there_is_no_context(void **state)
{
    begin(8, 16, "");
    rec.labels = NULL;
    ticks(0, 1);
    assert_int_equal(flush()->samples, 8);
    wall_scene_end();
    begin(8, 16, "context");
    rec.labels = NULL;
    ticks(0, 1);
    assert_int_equal(flush()->samples, 0);
    wall_scene_end();
}

/* A carrier's mark says only that it is one: the mounted thread is found through its JavaThread. */
static void test_filter__a_carrier_counts_while_its_virtual_thread_has_a_context(void **state)
{
    struct wick_mem self;
    uint64_t own = 1, current = 2, java[3] = {(uintptr_t)&own, (uintptr_t)&current, 31};
    assert_int_equal(wick_mem_self_init(&self), 0);
    begin(8, 16, "context");
    labels.mem = &self;
    wick_label_mount_init(&labels.mount, -1, 8, 16);
    labels.mount.own_offset = 8; /* java - 8 + 8: offset 0 would mean that there is none */
    labels.mount.current_offset = 16;
    wick_store_relaxed(&labels.mount.id_offset, 24);
    struct wick_label_record *r = &labels.records[wick_labels_bind(&labels, 100, 31)];
    for (uint32_t i = 3; i <= 4; i++) {
        wick_store_release(&thread(i)->java, (uintptr_t)java - 8); /* pairs: wall_context.c */
        if (i == 3)
            wick_labels_carrier(&labels, i);
    }
    ticks(0, 1);
    assert_int_equal(wall.stats.candidates, 0);
    wick_store_relaxed(&r->current, 1);
    ticks(1, 1);
    assert_int_equal(wall.stats.candidates, 1);
    assert_int_equal(flush()->by_thread[3], 1);
    current = own; /* unmounted */
    ticks(2, 1);
    assert_int_equal(wall.stats.candidates, 0);
    wall_scene_end();
}

static void test_filter__all_stays_all(void **state)
{
    begin(8, 16, "all");
    context(3, true);
    ticks(0, 1);
    assert_int_equal(flush()->samples, 8);
    wall_scene_end();
}

static void test_filter__tids_and_names(void **state)
{
    struct wick_err err = {0};
    struct wick_wall_filter f;
    assert_int_equal(wick_wall_filter_parse(&f, "tids:12,20-29", &err), 0);
    assert_true(wick_wall_filter_admits(&f, NULL, 12));
    assert_true(wick_wall_filter_admits(&f, NULL, 20));
    assert_true(wick_wall_filter_admits(&f, NULL, 29));
    assert_false(wick_wall_filter_admits(&f, NULL, 13));
    assert_false(wick_wall_filter_admits(&f, NULL, 30));
    wick_wall_filter_release(&f);
    assert_int_equal(wick_wall_filter_parse(&f, "names:^http-[0-9]+$|worker", &err), 0);
    assert_true(wick_wall_filter_admits(&f, "http-12", 1));
    assert_true(wick_wall_filter_admits(&f, "my worker 3", 1));
    assert_false(wick_wall_filter_admits(&f, "http-x", 1));
    assert_false(wick_wall_filter_admits(&f, NULL, 1));
    wick_wall_filter_release(&f);
    begin(8, 16, "tids:1000002,1000005-1000006");
    ticks(0, 1);
    struct seen *s = flush();
    assert_int_equal(s->samples, 3);
    assert_int_equal(s->by_thread[2] + s->by_thread[5] + s->by_thread[6], 3);
    assert_int_equal(s->weight, 30 * MS);
    wall_scene_end();
}

static void test_filter__what_is_none_is_refused(void **state)
{
    static const char *const bad[] = {"al",
                                      "names:",
                                      "names:(",
                                      "tids:",
                                      "tids:a",
                                      "tids:1,",
                                      "tids:5-4",
                                      "tids:0",
                                      "tids:1;2",
                                      "tids:99999999999999",
                                      "tids:-1",
                                      "tids:1-",
                                      "contexts",
                                      "names:a{2,1}",
                                      "names:((a{200}){200}){200}",
                                      "names:a{1001}",
                                      "names:a{2,30000}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct wick_err err = {0};
        struct wick_wall_filter f;
        assert_int_equal(wick_wall_filter_parse(&f, bad[i], &err), -WICK_E_USAGE);
        assert_non_null(strstr(err.msg, "filter"));
        wick_wall_filter_release(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wall__an_idle_thread_is_walked_once_and_counted_then),
        cmocka_unit_test(test_wall__a_thread_that_ran_is_never_charged_to_its_old_stack),
        cmocka_unit_test(test_wall__a_batch_ends_after_1000_skips_and_is_walked_anew),
        cmocka_unit_test(test_wall__a_wait_with_data_held_back_is_walked_anew_each_time),
        cmocka_unit_test(test_wall__data_is_held_back_from_the_start_of_a_wait_and_not_for_long),
        cmocka_unit_test(test_wall__a_batch_does_not_grow_older_than_a_minute),
        cmocka_unit_test(test_wall__nobatch_gives_an_event_for_each_sample),
        cmocka_unit_test(test_wall__a_thread_that_ends_leaves_its_batch),
        cmocka_unit_test(test_wall__a_java_thread_that_ends_settles_its_account),
        cmocka_unit_test(test_wall__the_account_of_another_thread_is_not_its_own),
        cmocka_unit_test(test_wall__delayed_ticks_carry_the_time_that_has_passed),
        cmocka_unit_test(test_wall__batching_keeps_the_sum_of_weights_exact),
        cmocka_unit_test(test_wall__a_thread_that_can_run_is_reported_once_and_owed_the_rest),
        cmocka_unit_test(test_wall__a_weight_that_fits_no_slot_is_a_drop),
        cmocka_unit_test(test_wall__what_is_owed_at_the_end_is_a_drop),
        cmocka_unit_test(test_wall__without_cpu_time_it_waits_for_a_processor),
        cmocka_unit_test(test_wall__a_woken_thread_without_a_processor_is_runnable_on_its_stack),
        cmocka_unit_test(test_wall__trust_in_an_idle_thread_grows),
        cmocka_unit_test(test_wall__what_few_visits_find_is_unbiased),
        cmocka_unit_test(test_wall__running_and_waiting_are_in_the_proportion_of_schedstat),
        cmocka_unit_test(test_wall__a_stack_walked_while_the_thread_moved_is_thrown_away),
        cmocka_unit_test(test_filter__context_takes_only_threads_that_have_one_now),
        cmocka_unit_test(test_filter__context_is_unbiased_by_the_candidates_of_the_tick),
        cmocka_unit_test(test_filter__without_one_contexts_count_as_soon_as_there_is_any),
        cmocka_unit_test(test_filter__without_labels_there_is_no_context),
        cmocka_unit_test(test_filter__a_carrier_counts_while_its_virtual_thread_has_a_context),
        cmocka_unit_test(test_filter__all_stays_all),
        cmocka_unit_test(test_filter__tids_and_names),
        cmocka_unit_test(test_filter__what_is_none_is_refused),
    };
    return cmocka_run_group_tests_name("wall", tests, NULL, NULL);
}
