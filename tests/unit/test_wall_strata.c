/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Busy and idle threads are drawn apart: the busy one among a thousand gets its samples, and every sum stays unbiased.
 */
#include "wall_scene.h"

#include <math.h>

enum { N = 1001, BUSY = 500, TICKS = 20000 };

static uint64_t busy_cpu;
static bool asleep;

static uint64_t see_cpu(int32_t tid)
{
    return tid == WALL_SCENE_TID + BUSY ? busy_cpu : 1000;
}

static enum wick_thread_seen see(struct wick_thread_files *files, int32_t tid, struct wick_thread_look *out)
{
    *out = (struct wick_thread_look){.sp = 0x7000, .pc = 5};
    return tid == WALL_SCENE_TID + BUSY && !asleep ? WICK_THREAD_READY : WICK_THREAD_WAITS;
}

static int see_sched(struct wick_thread_files *files, int32_t tid, struct wick_thread_sched *out)
{
    *out = (struct wick_thread_sched){see_cpu(tid), 0, 1};
    return 0;
}

static bool walk(struct wick_wall_engine *e, const struct wick_engine_thread *t, const struct wick_thread_look *l,
                 struct wick_event *out, enum wick_drop *why)
{
    *out = (struct wick_event){.stack = 1, .generation = 1, .type = WICK_EVENT_WALL};
    *why = WICK_DROP_STACK_TABLE_FULL;
    return true;
}

static bool is_outside_calls(struct wick_wall_engine *e, const struct wick_engine_thread *t)
{
    return false;
}

static bool send(struct wick_wall_engine *e, int32_t tid)
{
    return true;
}

static uint64_t by_thread[N + 1];

static void on_event(void *arg, const struct wick_event *e)
{
    by_thread[e->thread] += e->weight;
}

static void on_time(void *arg, const struct wick_wall_cpu_time *t)
{
}

static const struct wick_wall_eyes eyes = {see_cpu, see, see_sched, walk, is_outside_calls, send};

/* The busy thread sleeps half of the time, in turns of 1,000 ticks: it moves between the strata, which would bias a
 * weight that did not follow. Its weight in a tick has a mean of an interval and, given the ticks before, a variance of
 * at most that of draws with probability 16 / 1001. 5 standard deviations: 6 in 10 million, and the seed is fixed. */
static void test_strata__a_busy_thread_among_1000_is_seen_and_sums_are_unbiased(void **state)
{
    uint64_t samples = 0, weight = 0, sum = 0;
    wall_scene_begin(&eyes, N, 16, "");
    for (uint64_t i = 0; i < TICKS; i++) {
        uint32_t n;
        asleep = i / 1000 % 2;
        busy_cpu += asleep ? 0 : 10 * MS;
        wick_wall_tick(&wall, (i + 1) * 10 * MS, 1);
        for (int which = 0; which < WICK_WALL_OWED_COUNT; which++) {
            weight += wick_wall_owed_take(&wall.slots[BUSY], which, &n);
            samples += n;
        }
        atomic_store(&wall.slots[BUSY].signalled, 0);
    }
    wick_wall_flush(&wall);
    wick_wall_take(&wall, on_event, on_time, NULL);
    for (uint32_t i = 1; i <= N; i++)
        sum += by_thread[i];
    assert_true(sum + weight == (uint64_t)N * TICKS * 10 * MS);
    assert_true(samples >= TICKS / 4); /* half of what it would get alone */
    double sd = sqrt(TICKS * (N / 16.0));
    assert_true(fabs((double)(weight + by_thread[BUSY]) / (10.0 * MS) - TICKS) < 5 * sd);
    wall_scene_end();
}

/* Under --filter all a thread that waits within a request is among those that are drawn more often. */
static void test_strata__a_waiting_thread_with_a_context_is_drawn_more_often(void **state)
{
    uint64_t sum = 0, mine = 0;
    wall_scene_begin(&eyes, N, 16, "all");
    wick_store_relaxed(&labels.places->bytes[7], WICK_LABELS_OPEN);
    asleep = true;
    memset(by_thread, 0, sizeof by_thread);
    for (uint64_t i = 0; i < TICKS / 10; i++)
        wick_wall_tick(&wall, (i + 1) * 10 * MS, 1);
    wick_wall_flush(&wall);
    wick_wall_take(&wall, on_event, on_time, NULL);
    for (uint32_t i = 1; i <= N; i++)
        sum += by_thread[i];
    mine = by_thread[7];
    assert_true(sum == (uint64_t)N * (TICKS / 10) * 10 * MS);
    assert_true(mine == TICKS / 10 * 10 * MS); /* at each tick, so it weighs exactly an interval */
    wall_scene_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strata__a_busy_thread_among_1000_is_seen_and_sums_are_unbiased),
        cmocka_unit_test(test_strata__a_waiting_thread_with_a_context_is_drawn_more_often),
    };
    return cmocka_run_group_tests_name("wall_strata", tests, NULL, NULL);
}
