/* SPDX-License-Identifier: Apache-2.0 */
/* Collections, the heap summaries that belong to them, and fewer of them for a picture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>

#include "analysis/memory/gc_history.h"
#include "base/clock.h"

#define GC_MS INT64_C(1000000)
#define GC_S  (1000 * GC_MS)

static void add(struct wick_gc_history *h, uint64_t id, int64_t at, int64_t pause, uint32_t cause)
{
    const struct wick_gc_collection c = {
        .start_ns = at, .duration_ns = pause, .pause_ns = pause, .longest_ns = pause, .id = id, .cause = cause};
    wick_gc_history_add(h, &c);
}

static void test_gc_history__each_takes_the_summaries_of_its_number_and_time(void **state)
{
    struct wick_gc_history h = {0};
    (void)state;
    /* Summaries come in any order, and an earlier JVM had the same numbers. */
    wick_gc_history_heap(&h, 100 * GC_S + 5 * GC_MS, 7, false, 40);
    add(&h, 8, 110 * GC_S, 3 * GC_MS, 1);
    wick_gc_history_heap(&h, 100 * GC_S, 7, true, 90);
    wick_gc_history_heap(&h, 10 * GC_S, 7, true, 55);
    add(&h, 7, 100 * GC_S, 5 * GC_MS, 1);
    wick_gc_history_heap(&h, 10 * GC_S, 8, true, 66);
    wick_gc_history_end(&h);
    assert_int_equal(h.n, 2);
    assert_int_equal(h.rows[0].id, 7);
    assert_int_equal(h.rows[0].before, 90);
    assert_int_equal(h.rows[0].after, 40);
    assert_int_equal(h.rows[1].before, 0);
    assert_int_equal(h.rows[1].after, 0);
    wick_gc_history_release(&h);
}

static void test_gc_history__thinned_it_keeps_count_and_the_longest_pauses(void **state)
{
    struct wick_gc_history h = {0};
    uint64_t count = 0;
    int64_t longest = 0;
    (void)state;
    for (int i = 0; i < 1000; i++)
        add(&h, (uint64_t)i, i * GC_S, (i * 7919 % 997 + 1) * GC_MS, (uint32_t)i % 3);
    wick_gc_history_end(&h);
    assert_int_equal(wick_gc_history_choose(&h, 100 * GC_S, 900 * GC_S), 0);
    assert_int_equal(h.n, 800);
    assert_int_equal(h.ncauses, 3);
    assert_int_equal(h.causes[0].count + h.causes[1].count + h.causes[2].count, 800);
    assert_true(h.causes[0].pauses_ns >= h.causes[1].pauses_ns && h.causes[1].pauses_ns >= h.causes[2].pauses_ns);
    wick_gc_history_thin(&h, 50);
    assert_true(h.n <= 50);
    for (size_t i = 0; i < h.n; i++) {
        count += h.rows[i].stands_for;
        longest = h.rows[i].longest_ns > longest ? h.rows[i].longest_ns : longest;
    }
    assert_int_equal(count, 800);
    for (int i = 0; i < 3; i++)
        assert_true(h.causes[i].longest_ns <= longest);
    wick_gc_history_release(&h);
}

static void test_gc_history__nothing_is_nothing(void **state)
{
    struct wick_gc_history h = {0};
    (void)state;
    wick_gc_history_end(&h);
    assert_int_equal(wick_gc_history_choose(&h, 0, 0), 0);
    wick_gc_history_thin(&h, 10);
    assert_int_equal(h.n, 0);
    add(&h, 1, INT64_MAX - 1, INT64_MAX, 0); /* what a damaged recording may say */
    add(&h, 2, INT64_MIN + 1, 0, 0);
    add(&h, 3, 0, INT64_MAX, 0);
    wick_gc_history_heap(&h, INT64_MIN, 1, true, 1);
    wick_gc_history_end(&h);
    assert_int_equal(wick_gc_history_choose(&h, 1, 0), 0);
    wick_gc_history_thin(&h, 1);
    assert_int_equal(h.n, 1);
    assert_int_equal(h.rows[0].stands_for, 2);
    wick_gc_history_release(&h);
}

/* CPU time for n collections of one number, each with its own cause and two summaries, and whether each has its own. */
static uint64_t hostile_ns(int64_t n)
{
    struct wick_gc_history h = {0};
    for (int64_t i = 0; i < n; i++) {
        add(&h, 7, i * 1000, 1, (uint32_t)i);
        wick_gc_history_heap(&h, i * 1000, 7, true, (uint64_t)i + 1);
        wick_gc_history_heap(&h, i * 1000 + 1, 7, false, (uint64_t)i + 2);
    }
    uint64_t begin_ns = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    wick_gc_history_end(&h);
    assert_int_equal(wick_gc_history_choose(&h, 0, 0), 0);
    uint64_t took_ns = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
    assert_int_equal(h.n, n);
    assert_int_equal(h.ncauses, n);
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(h.rows[i].before, i + 1);
        assert_int_equal(h.rows[i].after, i + 2);
    }
    wick_gc_history_release(&h);
    return took_ns;
}

static uint64_t least_hostile_ns(int64_t n)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 3; i++) {
        uint64_t took_ns = hostile_ns(n);
        least = took_ns < least ? took_ns : least;
    }
    return least;
}

/* 32 times as much is 32 * 16/11 = 47 times the steps of n log n, and 1024 times those of n squared. */
static void test_gc_history__one_number_and_many_causes_take_no_square_of_steps(void **state)
{
    (void)state;
    assert_true(least_hostile_ns(INT64_C(64) << 10) / 220 < least_hostile_ns(INT64_C(2) << 10));
}

static void test_gc_history__the_nearest_summary_is_taken(void **state)
{
    struct wick_gc_history h = {0};
    (void)state;
    wick_gc_history_heap(&h, 10 * GC_S - 500 * GC_MS, 7, true, 1);
    wick_gc_history_heap(&h, 10 * GC_S + 1 * GC_MS, 7, true, 2);
    wick_gc_history_heap(&h, 10 * GC_S + 500 * GC_MS, 7, true, 3);
    wick_gc_history_heap(&h, 10 * GC_S - 1 * GC_MS, 7, false, 4);
    wick_gc_history_heap(&h, 10 * GC_S - 0 * GC_MS, 8, false, 5);
    wick_gc_history_heap(&h, 9 * GC_S, 9, false, 6); /* a whole second is not near */
    add(&h, 7, 10 * GC_S, 0, 1);
    add(&h, 9, 10 * GC_S, 0, 1);
    wick_gc_history_end(&h);
    assert_int_equal(h.rows[0].before, 2);
    assert_int_equal(h.rows[0].after, 4);
    assert_int_equal(h.rows[1].before, 0);
    assert_int_equal(h.rows[1].after, 0);
    wick_gc_history_release(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gc_history__each_takes_the_summaries_of_its_number_and_time),
        cmocka_unit_test(test_gc_history__thinned_it_keeps_count_and_the_longest_pauses),
        cmocka_unit_test(test_gc_history__nothing_is_nothing),
        cmocka_unit_test(test_gc_history__one_number_and_many_causes_take_no_square_of_steps),
        cmocka_unit_test(test_gc_history__the_nearest_summary_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
