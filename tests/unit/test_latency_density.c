/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as a density of time and latency. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/span/latency_density.h"

#define MS INT64_C(1000000)
#define AT INT64_C(1700000000123456789)

/* Every request is in exactly one cell, that of its time and latency. */
static void test_density__every_request_is_in_the_cell_of_its_time_and_latency(void **state)
{
    enum { N = 3000 };
    struct wick_latency_dot dots[N], *kept = calloc(N, sizeof *kept);
    struct wick_latency_density d;
    (void)state;
    unsigned seed = 7;
    for (size_t i = 0; i < N; i++) {
        seed = seed * 1103515245 + 12345;
        dots[i] = (struct wick_latency_dot){AT + (int64_t)(seed >> 8) * 4000, (int64_t)(seed >> 4) * 3};
        kept[i] = dots[i];
    }
    assert_int_equal(wick_latency_density_init(&d, dots, N, 150, 36), 0);
    assert_true(d.columns > 50 && d.columns <= 150);
    assert_int_equal(d.column_ns, 500 * MS);
    assert_int_equal(d.start_ns % d.column_ns, 0);
    for (size_t i = 0; i < N; i++) {
        size_t column = (size_t)((kept[i].start_ns - d.start_ns) / d.column_ns), row = 0;
        while (row + 1 < d.rows && d.edges_ns[row + 1] <= kept[i].latency_ns)
            row++;
        assert_true(column < d.columns && d.edges_ns[row] <= kept[i].latency_ns &&
                    kept[i].latency_ns < d.edges_ns[d.rows]);
        assert_true(d.counts[column * d.rows + row]-- > 0);
    }
    for (size_t i = 0; i < (size_t)d.columns * d.rows; i++)
        assert_int_equal(d.counts[i], 0);
    wick_latency_density_release(&d);
    free(kept);
}

static void test_density__percentiles_are_those_of_the_column(void **state)
{
    struct wick_latency_dot dots[201];
    struct wick_latency_density d;
    (void)state;
    for (int i = 0; i < 200; i++)
        dots[i] = (struct wick_latency_dot){AT, (200 - i) * MS};
    dots[200] = (struct wick_latency_dot){AT + 10000 * MS, 7 * MS};
    assert_int_equal(wick_latency_density_init(&d, dots, 201, 10, 20), 0);
    assert_int_equal(d.by_column[0].count, 200);
    assert_int_equal(d.by_column[0].p50_ns, 100 * MS);
    assert_int_equal(d.by_column[0].p99_ns, 198 * MS);
    assert_int_equal(d.by_column[0].max_ns, 200 * MS);
    assert_int_equal(d.by_column[d.columns - 1].count, 1);
    assert_int_equal(d.by_column[d.columns - 1].p50_ns, 7 * MS);
    wick_latency_density_release(&d);
}

static void test_density__any_times_are_taken(void **state)
{
    struct wick_latency_density d;
    struct wick_latency_dot odd[] = {
        {INT64_MIN, INT64_MAX}, {INT64_MAX, INT64_MIN}, {0, 0}, {5, 1}, {INT64_MAX, INT64_MAX}};
    (void)state;
    assert_int_equal(wick_latency_density_init(&d, odd, 5, 10, 36), 0);
    assert_true(d.columns <= 10);
    uint64_t all = 0;
    for (size_t i = 0; i < (size_t)d.columns * d.rows; i++)
        all += d.counts[i];
    assert_int_equal(all, 5);
    wick_latency_density_release(&d);
    assert_int_equal(wick_latency_density_init(&d, NULL, 0, 10, 36), 0);
    assert_int_equal(d.columns, 0);
    wick_latency_density_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_density__every_request_is_in_the_cell_of_its_time_and_latency),
        cmocka_unit_test(test_density__percentiles_are_those_of_the_column),
        cmocka_unit_test(test_density__any_times_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
