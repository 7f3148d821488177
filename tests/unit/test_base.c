/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "base/block.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/leb128.h"
#include "base/poisson.h"
#include "base/random.h"
#include "base/strbuf.h"
#include "base/sum.h"

static void test_jfrint__every_length_round_trips(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits <= 64; bits++) {
        uint64_t v = bits ? ~(uint64_t)0 >> (64 - bits) : 0;
        uint8_t buf[9];
        size_t n = wick_leb128_jfr_write(buf, v);
        assert_in_range(n, 1, 9);
        const uint8_t *p = buf;
        assert_true(wick_leb128_jfr_read(&p, buf + n) == v);
        assert_ptr_equal(p, buf + n);
    }
}

static void test_jfrint__truncated_input_is_an_error(void **state)
{
    (void)state;
    uint8_t buf[9];
    size_t n = wick_leb128_jfr_write(buf, ~(uint64_t)0);
    for (size_t cut = 0; cut < n; cut++) {
        const uint8_t *p = buf;
        assert_int_equal(wick_leb128_jfr_read(&p, buf + cut), 0);
        assert_null(p);
    }
}

/* Sizes on both sides of the boundary, up and down: what was written stays. */
static void test_block__keeps_its_bytes_whatever_its_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {1,
                                   4096,
                                   WICK_BLOCK_LARGE - 1,
                                   WICK_BLOCK_LARGE,
                                   WICK_BLOCK_LARGE + 1,
                                   20 * WICK_BLOCK_LARGE,
                                   2 * WICK_BLOCK_LARGE + 5,
                                   WICK_BLOCK_LARGE,
                                   WICK_BLOCK_LARGE - 1,
                                   17};
    unsigned char *p = NULL;
    size_t had = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        p = wick_block_resize(p, had, sizes[i]);
        assert_non_null(p);
        for (size_t k = 0; k < had && k < sizes[i]; k++)
            assert_int_equal(p[k], (unsigned char)(k * 31 + k / 251));
        had = sizes[i];
        for (size_t k = 0; k < had; k++)
            p[k] = (unsigned char)(k * 31 + k / 251);
    }
    assert_null(wick_block_resize(p, had, SIZE_MAX));
    assert_int_equal(p[16], (unsigned char)(16 * 31));
    wick_block_free(p, had);
    wick_block_free(NULL, 0);
    wick_block_free(NULL, WICK_BLOCK_LARGE);
}

/* A large block is no block of malloc's: it begins at a page, and its pages are unmapped when it is freed. */
static void test_block__a_large_one_is_a_mapping(void **state)
{
    (void)state;
    char *p = wick_block_resize(NULL, 0, WICK_BLOCK_LARGE);
    unsigned char in_memory[WICK_BLOCK_LARGE / 4096];
    assert_int_equal((uintptr_t)p % 4096, 0);
    assert_int_equal(mincore(p, WICK_BLOCK_LARGE, in_memory), 0);
    wick_block_free(p, WICK_BLOCK_LARGE);
    assert_int_equal(mincore(p, WICK_BLOCK_LARGE, in_memory), -1);
}

static size_t compared;

static int by_key(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    compared++;
    return (*x > *y) - (*x < *y);
}

static void test_block__sorts_as_qsort_does(void **state)
{
    (void)state;
    struct row {
        uint32_t key, copy, twice;
    } a[3000], b[3000];
    uint64_t seed = 7;
    for (size_t n = 0; n <= 3000; n += n < 70 ? 1 : 977) {
        for (unsigned order = 0; order < 4; order++) {
            for (size_t i = 0; i < n; i++) {
                uint32_t key =
                    (uint32_t)(order == 0   ? i
                               : order == 1 ? n - i
                               : order == 2 ? i % 7
                                            : (seed = seed * 6364136223846793005u + 1442695040888963407u) >> 40);
                a[i] = b[i] = (struct row){key, key, 2 * key};
            }
            qsort(b, n, sizeof b[0], by_key);
            compared = 0;
            wick_block_sort(a, n, sizeof a[0], by_key);
            assert_memory_equal(a, b, n * sizeof a[0]);
            size_t log = 1;
            while ((size_t)1 << log <= n)
                log++;
            assert_true(compared <= 2 * n * log);
        }
    }
}

static void test_strbuf__hands_over_also_a_long_string(void **state)
{
    (void)state;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    for (size_t i = 0; i < WICK_BLOCK_LARGE; i++)
        wick_strbuf_addc(&sb, (char)('a' + i % 26));
    char *s = wick_strbuf_take(&sb);
    assert_int_equal(strlen(s), WICK_BLOCK_LARGE);
    assert_int_equal(s[WICK_BLOCK_LARGE - 1], 'a' + (WICK_BLOCK_LARGE - 1) % 26);
    assert_int_equal(sb.len, 0);
    free(s);
}

static void test_strbuf__grows_and_is_always_terminated(void **state)
{
    (void)state;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    assert_string_equal(sb.buf, "");
    for (int i = 0; i < 1000; i++)
        wick_strbuf_addf(&sb, "%d,", i);
    assert_int_equal(sb.len, 10 * 2 + 90 * 3 + 900 * 4);
    assert_int_equal(sb.buf[sb.len], 0);
    assert_false(sb.failed);
    wick_strbuf_release(&sb);
    assert_string_equal(sb.buf, "");
}

static void test_err__prefix_keeps_the_cause(void **state)
{
    (void)state;
    struct wick_err err = {0};
    assert_int_equal(wick_err_set(&err, WICK_E_PERM, "cannot open %s", "x"), -WICK_E_PERM);
    assert_int_equal(wick_err_prefix(&err, "pid %d", 7), -WICK_E_PERM);
    assert_string_equal(err.msg, "pid 7: cannot open x");
    assert_int_equal(wick_err_exit(-WICK_E_PERM), 5);
}

static void test_clock__one_that_does_not_exist_shows_nothing(void **state)
{
    assert_true(wick_clock_ns(CLOCK_MONOTONIC) > 0);
    assert_int_equal(wick_clock_ns((clockid_t)((~0x0ffffff0u << 3) | 6)), 0); /* of thread 0x0ffffff0 */
}

static void test_poisson__logarithm_and_exponential_agree_with_the_library(void **state)
{
    (void)state;
    for (double u = 1; u > 1e-17; u *= 0.9973)
        assert_true(fabs(wick_poisson_minus_ln(u) + log(u)) <= 1e-14 * (1 + fabs(log(u))));
    for (double x = 1e-9; x < 60; x *= 1.01)
        assert_true(fabs(wick_poisson_one_minus_exp(x) + expm1(-x)) <= 1e-14 * -expm1(-x));
}

/* Amounts far below, at and far above the interval: each sort's weights sum up to its true sum within 4.5 standard
 * deviations; the variance of an amount d is d^2 (1 - p) / p, at most interval x d. */
static void test_poisson__weights_sum_up_to_what_was_sampled(void **state)
{
    const uint64_t interval = 1000000, amounts[] = {20000, 300000, 1000000, 3000000, 50000000};
    uint64_t random = 7;
    (void)state;
    for (size_t k = 0; k < sizeof amounts / sizeof *amounts; k++) {
        double sum = 0, weight = 0;
        for (int i = 0; i < 200000; i++) {
            sum += (double)amounts[k];
            if (wick_poisson_next(&random, interval) < amounts[k])
                weight += (double)wick_poisson_weight(amounts[k], interval);
        }
        assert_true(fabs(weight - sum) <= 4.5 * sqrt((double)interval * sum));
    }
    assert_int_equal(wick_poisson_weight(0, interval), 0);
    assert_int_equal(wick_poisson_weight(123, 0), 123);
}

/* How many numbers lie between two states of the sequence, the short way round. */
static uint64_t numbers_between(uint64_t a, uint64_t b)
{
    uint64_t draws = (a - b) * 0xf1de83e19937733du; /* the inverse of the increment */
    return draws < -draws ? draws : -draws;
}

static void test_sum__a_time_beyond_all_times_is_the_last_one_and_not_remembered(void **state)
{
    assert_true(wick_sum_time(5, -7) == -2);
    assert_true(wick_sum_time(INT64_MAX - 1, 1) == INT64_MAX);
    assert_true(wick_sum_time(INT64_MAX - 1, 2) == INT64_MAX);
    assert_true(wick_sum_time(INT64_MIN + 1, -1) == INT64_MIN);
    assert_true(wick_sum_time(INT64_MIN + 1, INT64_MIN) == INT64_MIN);
    assert_false(wick_sum_was_exceeded());
    assert_true(wick_sum(INT64_MAX - 1, 2) == INT64_MAX);
    assert_true(wick_sum_was_exceeded());
}

static void test_random__streams_of_neighbours_do_not_overlap(void **state)
{
    (void)state;
    uint64_t at = 5, first = at;
    wick_random_u64(&at);
    wick_random_u64(&at);
    assert_int_equal(numbers_between(at, first), 2);
    for (uint64_t i = 1; i < 1000; i++)
        for (uint64_t j = 0; j < i; j++)
            assert_true(numbers_between(wick_random_stream(1, i), wick_random_stream(1, j)) > 1u << 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock__one_that_does_not_exist_shows_nothing),
        cmocka_unit_test(test_jfrint__every_length_round_trips),
        cmocka_unit_test(test_jfrint__truncated_input_is_an_error),
        cmocka_unit_test(test_block__keeps_its_bytes_whatever_its_size),
        cmocka_unit_test(test_block__a_large_one_is_a_mapping),
        cmocka_unit_test(test_block__sorts_as_qsort_does),
        cmocka_unit_test(test_strbuf__hands_over_also_a_long_string),
        cmocka_unit_test(test_strbuf__grows_and_is_always_terminated),
        cmocka_unit_test(test_poisson__logarithm_and_exponential_agree_with_the_library),
        cmocka_unit_test(test_poisson__weights_sum_up_to_what_was_sampled),
        cmocka_unit_test(test_sum__a_time_beyond_all_times_is_the_last_one_and_not_remembered),
        cmocka_unit_test(test_random__streams_of_neighbours_do_not_overlap),
        cmocka_unit_test(test_err__prefix_keeps_the_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
