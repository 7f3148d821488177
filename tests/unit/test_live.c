/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_live.c - which objects are followed, with a JVM that is played
 *
 * A reference is the number of an object. All numbers come from fixed seeds, so that each run is the same; the bounds
 * are 5 standard deviations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/alloc/live.h"

enum { OBJECTS = 1 << 18 };

static bool gone[OBJECTS], dropped[OBJECTS];
static uint32_t collected;
static struct wick_live live;

static bool is_gone(uint64_t reference)
{
    return gone[reference];
}

static uint32_t collections(void)
{
    return collected;
}

static void drop(const uint64_t *references, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_false(dropped[references[i]]); /* each once */
        dropped[references[i]] = true;
    }
}

static const struct wick_live_jvm jvm = {is_gone, collections, drop};
static uint32_t made; /* objects with a reference: 1 .. made */

static void begin(uint64_t seed)
{
    memset(gone, 0, sizeof gone);
    memset(dropped, 0, sizeof dropped);
    made = collected = 0;
    assert_int_equal(wick_live_init(&live, &jvm, seed), 0);
}

/* Every reference is deleted exactly once. */
static void end(void)
{
    wick_live_release(&live);
    for (uint32_t i = 1; i <= made; i++)
        assert_true(dropped[i]);
}

/* A sampled object; its number, 0 = it is not followed. */
static uint32_t allocate(uint64_t n, uint64_t size, uint64_t weight, const char *class)
{
    double priority = wick_live_wants(&live, n, weight);
    assert_true(made + 1 < OBJECTS);
    if (priority == 0)
        return 0;
    const struct wick_live_object o = {.reference = ++made,
                                       .size = size,
                                       .weight = weight,
                                       .priority = priority,
                                       .class_name = class,
                                       .born = collected,
                                       .stack = 1};
    wick_live_add(&live, &o);
    wick_live_pass_on(&live);
    for (uint64_t reference; (reference = wick_live_unwanted(&live));)
        drop(&reference, 1);
    return made;
}

static uint32_t kept(void)
{
    return live.rooms[WICK_LIVE_YOUNG].count + live.rooms[WICK_LIVE_OLD].count;
}

/* What the kept objects of a class stand for. */
static double estimate(const char *class)
{
    double sum = 0;
    for (int r = 0; r < WICK_LIVE_ROOMS; r++)
        for (uint32_t i = 0; i < live.rooms[r].count; i++)
            if (!strcmp(live.rooms[r].objects[i].class_name, class))
                sum += (double)wick_live_bytes(&live.rooms[r].objects[i]);
    return sum;
}

static void test_live__objects_stay_until_they_are_gone(void **state)
{
    (void)state;
    begin(1);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_not_equal(allocate(i, 16, 1000, i % 2 ? "a/Odd" : "a/Even"), 0);
    wick_live_sweep(&live, 1, false);
    assert_int_equal(live.rooms[WICK_LIVE_YOUNG].count, 100);
    for (uint32_t i = 1; i <= 100; i += 2)
        gone[i] = true;
    wick_live_sweep(&live, 2, false); /* no collection was seen: nothing is checked */
    assert_int_equal(kept(), 100);
    collected++;
    wick_live_sweep(&live, 3, false);
    assert_int_equal(live.rooms[WICK_LIVE_YOUNG].count, 0);
    assert_int_equal(live.rooms[WICK_LIVE_OLD].count, 50);
    assert_true(estimate("a/Odd") == 50000 && estimate("a/Even") == 0);
    gone[2] = true; /* cleared a moment after the pause, by a concurrent collector */
    wick_live_sweep(&live, 3 + 1000000000, false);
    assert_int_equal(kept(), 50);
    wick_live_sweep(&live, 3 + 2000000000, false);
    assert_int_equal(kept(), 49);
    end();
}

/* Far more than there is room for, of three sorts, in rounds with collections between; a part of each round dies. Over
 * many seeds the mean of the estimates is what is alive. */
static void test_live__estimates_are_unbiased_through_every_eviction(void **state)
{
    enum { RUNS = 60, ROUNDS = 12, EACH = 4000 };
    static const uint64_t weights[] = {600, 2000, 900};
    static const char *const names[] = {"a/Small", "a/Large", "a/Old"};
    double sum[3] = {0}, squares[3] = {0}, truth[3] = {0};
    (void)state;
    for (int run = 0; run < RUNS; run++) {
        double alive[3] = {0};
        begin(1000 + (uint64_t)run);
        for (uint64_t n = 0; n < ROUNDS * EACH; n++) {
            int sort = n < EACH ? 2 : n % 8 == 0;
            bool dies = sort != 2 && n % 3 != 0;
            uint32_t object = allocate(n, 16, weights[sort], names[sort]);
            if (object)
                gone[object] = dies;
            alive[sort] += dies ? 0 : (double)weights[sort];
            if (n % EACH == EACH - 1) {
                collected++;
                wick_live_sweep(&live, n, false);
            }
        }
        assert_true(kept() <= WICK_LIVE_OLD_MOST && kept() > WICK_LIVE_OLD_MOST / 2);
        assert_true(live.rooms[WICK_LIVE_OLD].threshold > 0);
        for (int i = 0; i < 3; i++) {
            double e = estimate(names[i]) - alive[i];
            sum[i] += e;
            squares[i] += e * e;
            truth[i] = alive[i];
        }
        end();
    }
    for (int i = 0; i < 3; i++) {
        double mean = sum[i] / RUNS, error = sqrt(squares[i] / RUNS / RUNS);
        if (fabs(mean) > 5 * error || error * sqrt(RUNS) > 0.1 * truth[i] || error == 0)
            fail_msg("%s: %g alive, off by %g on average, 5 times %g allowed", names[i], truth[i], mean, error);
    }
}

/* Those that are large are not evicted, as one of them stands for itself only. */
static void test_live__the_largest_stay(void **state)
{
    (void)state;
    begin(3);
    assert_int_not_equal(allocate(0, 1 << 30, 1 << 30, "a/Huge"), 0);
    for (uint64_t n = 1; n < 100000; n++)
        allocate(n, 16, 1000, "a/Small");
    assert_true(estimate("a/Huge") == 1 << 30);
    end();
}

/* Classes without end: the names of those that have died are forgotten. */
static void test_live__names_of_what_is_gone_are_forgotten(void **state)
{
    char name[32];
    (void)state;
    begin(4);
    assert_int_not_equal(allocate(0, 16, 1 << 20, "a/Stays"), 0);
    for (uint64_t round = 0; round < 40; round++) {
        for (uint64_t i = 0; i < 500; i++) {
            snprintf(name, sizeof name, "gen/C%d_%d", (int)round, (int)i);
            gone[allocate(1 + round * 500 + i, 16, 1000, name)] = true;
        }
        collected++;
        wick_live_sweep(&live, round, false);
    }
    assert_int_equal(kept(), 1);
    assert_true(estimate("a/Stays") == 1 << 20);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live__objects_stay_until_they_are_gone),
        cmocka_unit_test(test_live__estimates_are_unbiased_through_every_eviction),
        cmocka_unit_test(test_live__the_largest_stay),
        cmocka_unit_test(test_live__names_of_what_is_gone_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
