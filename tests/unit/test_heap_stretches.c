/* SPDX-License-Identifier: Apache-2.0 */
/* Of objects in any order, some stretches of the heap are kept whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "heap/stretches.h"

enum { SIZE = 24, BASE = 0x10000000, MOST = 1 << 18 };

/* Object i of n, in an order without a pattern: `step` and n have no common divisor. */
static void see(struct wick_heap_stretches *s, uint64_t i, uint64_t n, uint64_t step)
{
    uint64_t at = i * step % n;
    wick_heap_stretches_see(s, &(struct wick_heap_seen){.id = BASE + at * SIZE, .class = (uint32_t)at});
}

static void check_neighbours(uint64_t n, uint64_t step, uint32_t fewest)
{
    struct wick_heap_stretches s = {0};
    uint32_t joined = 0;
    for (uint64_t i = 0; i < n; i++)
        see(&s, i, n, step);
    assert_false(wick_heap_stretches_in_order(&s));
    assert_false(s.failed);
    assert_in_range(s.n, fewest, MOST);
    wick_heap_stretches_sort(&s);
    for (uint32_t i = 1; i < s.n; i++) {
        if (!wick_heap_stretches_join(s.kept[i - 1].id, s.kept[i].id))
            continue;
        joined++;
        assert_int_equal(s.kept[i].id - s.kept[i - 1].id, SIZE);
        assert_int_equal(s.kept[i].class, s.kept[i - 1].class + 1);
    }
    assert_true(joined > s.n - s.n / 1000 - 1); /* 2,730 objects a stretch */
    wick_heap_stretches_release(&s);
}

static void test_stretches__of_a_small_heap_all_is_kept(void **state)
{
    (void)state;
    check_neighbours(100000, 61803, 100000);
}

static void test_stretches__of_a_large_one_less(void **state)
{
    (void)state;
    check_neighbours(3000000, 1854103, MOST / 4);
}

static void test_stretches__a_dump_in_order_is_known(void **state)
{
    (void)state;
    struct wick_heap_stretches s = {0};
    for (uint64_t region = 10; region-- > 0;)
        for (uint64_t i = 0; i < 1000; i++)
            see(&s, region * 1000 + i, 10000, 1);
    assert_true(wick_heap_stretches_in_order(&s));
    wick_heap_stretches_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stretches__of_a_small_heap_all_is_kept),
        cmocka_unit_test(test_stretches__of_a_large_one_less),
        cmocka_unit_test(test_stretches__a_dump_in_order_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
