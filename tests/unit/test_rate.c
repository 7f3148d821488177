/* SPDX-License-Identifier: Apache-2.0 */
/* An interval that follows the rate of samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/rate.h"

enum { SECOND = 1000000000 };

static const uint64_t base = 512 << 10;

/* What follows from one second of `samples` where `most` are wanted. */
static uint64_t after(uint64_t interval, uint64_t samples, uint32_t most)
{
    struct wick_rate r = {.shortest = base, .most = most};
    return wick_rate_next(&r, interval, samples, SECOND);
}

static void test_rate__the_interval_stays_between_its_bounds_and_still_near_the_target(void **state)
{
    (void)state;
    assert_int_equal(after(base, 500, 500), base);
    assert_int_equal(after(base, 540, 500), base); /* too little to act on */
    assert_int_equal(after(base, 3, 500), base);
    assert_int_equal(after(2 * base, 0, 500), base);
    assert_in_range(after(base, 1000, 500), base * 16 / 10, base * 17 / 10);
    uint64_t far = base;
    for (int i = 0; i < 100; i++)
        far = after(far, SECOND, 1);
    assert_int_equal(far, INT32_MAX);
    for (int i = 0; i < 20; i++) /* no memory of the time at the bound */
        far = after(far, 0, 1);
    assert_int_equal(far, base);
}

static void test_rate__an_adjustment_takes_a_second_or_a_seconds_samples(void **state)
{
    struct wick_rate r = {.shortest = base, .most = 100};
    (void)state;
    assert_int_equal(wick_rate_next(&r, base, 90, SECOND / 2), base);    /* neither */
    assert_int_equal(wick_rate_next(&r, base, 200, SECOND / 200), base); /* too soon for any */
    uint64_t longer = wick_rate_next(&r, base, 200, SECOND / 50);
    assert_true(longer > base);
    assert_int_equal(wick_rate_next(&r, longer, 250, SECOND / 50 + SECOND / 2), longer); /* counted from there */
}

static void test_rate__without_a_wanted_rate_the_interval_stays(void **state)
{
    (void)state;
    assert_int_equal(after(base, SECOND, 0), base);
    assert_int_equal(after(0, SECOND, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate__the_interval_stays_between_its_bounds_and_still_near_the_target),
        cmocka_unit_test(test_rate__an_adjustment_takes_a_second_or_a_seconds_samples),
        cmocka_unit_test(test_rate__without_a_wanted_rate_the_interval_stays),
    };
    return cmocka_run_group_tests_name("rate", tests, NULL, NULL);
}
