/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The draws of the wall clock, and what a thread that was drawn weighs.
 *
 * The exactness of weights is arithmetic and checked to the nanosecond. That draws are fair is statistics: with a fixed
 * seed the outcome is always the same, and the bounds say how unlikely it would be if the draws were fair.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/wall/wall_pick.h"

enum { MOST = 5000 };
#define MS 1000000ull

static void put_n(struct wick_wall_set *set, uint32_t n)
{
    memset(set, 0, sizeof *set);
    for (uint32_t i = 0; i < n; i++)
        wick_wall_set_put(set, 3 * i + 1, true);
}

/* Each thread is drawn about equally often: the statistic of Pearson's test, with the variance of draws without
 * replacement, lies below the 99.99 % point of chi-square (Wilson and Hilferty's approximation). */
static void test_pick__is_fair_from_1_to_5000_threads(void **state)
{
    static const uint32_t sizes[] = {1, 2, 3, 15, 16, 17, 40, 64, 65, 200, 1000, 5000};
    static struct wick_wall_set set;
    static struct wick_wall_pick p;
    static uint32_t count[3 * MOST + 2];
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        uint32_t n = sizes[c], k = n < 16 ? n : 16;
        uint64_t random = 7 + c, rounds = 400000 / k;
        put_n(&set, n);
        memset(count, 0, sizeof count);
        for (uint64_t r = 0; r < rounds; r++) {
            wick_wall_pick(&p, &set, NULL, 3 * n + 2, 16, &random);
            assert_int_equal(p.candidates, n);
            assert_int_equal(p.n, k);
            for (uint32_t i = 0; i < k; i++) {
                assert_true(i == 0 || p.slots[i] > p.slots[i - 1]); /* no thread twice */
                count[p.slots[i]]++;
            }
        }
        double expected = (double)rounds * k / n, chi = 0, df = n - 1;
        for (uint32_t i = 0; i < n; i++) {
            double d = count[3 * i + 1] - expected;
            chi += d * d / (expected * (1 - (double)k / n) * n / (n > 1 ? n - 1 : 1));
        }
        if (n == k) {
            for (uint32_t i = 0; i < n; i++)
                assert_int_equal(count[3 * i + 1], rounds);
            continue;
        }
        double z = 3.719, h = 2 / (9 * df), bound = df * pow(1 - h + z * sqrt(h), 3),
               low = df * pow(1 - h - z * sqrt(h), 3);
        if (chi > bound || (df > 30 && chi < low))
            fail_msg("n=%u: chi-square %.1f, not in %.1f .. %.1f", n, chi, low, bound);
    }
}

/* Also pairs: that two neighbours are drawn together is as likely as for any two. */
static void test_pick__every_pair_is_equally_likely(void **state)
{
    enum { N = 12, K = 4, ROUNDS = 110000 };
    static struct wick_wall_set set;
    static struct wick_wall_pick p;
    uint32_t pairs[N][N] = {0};
    uint64_t random = 99;
    put_n(&set, N);
    for (int r = 0; r < ROUNDS; r++) {
        wick_wall_pick(&p, &set, NULL, 3 * N + 2, K, &random);
        for (uint32_t i = 0; i < p.n; i++)
            for (uint32_t j = i + 1; j < p.n; j++)
                pairs[p.slots[i] / 3][p.slots[j] / 3]++;
    }
    double share = (double)(K * (K - 1)) / (N * (N - 1)), mean = ROUNDS * share, sd = sqrt(mean * (1 - share));
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++)
            assert_true(fabs(pairs[i][j] - mean) < 4.5 * sd);
}

static void test_pick__takes_what_is_in_both_sets(void **state)
{
    static struct wick_wall_set a, b;
    static struct wick_wall_pick p;
    uint64_t random = 1;
    put_n(&a, 100);
    memset(&b, 0, sizeof b);
    wick_wall_pick(&p, &a, &b, 400, 16, &random);
    assert_int_equal(p.candidates + p.n, 0);
    wick_wall_set_put(&b, 31, true); /* in a */
    wick_wall_set_put(&b, 32, true); /* not in a */
    wick_wall_set_put(&b, 34, true);
    wick_wall_pick(&p, &a, &b, 400, 16, &random);
    assert_int_equal(p.candidates, 2);
    assert_int_equal(p.slots[0], 31);
    assert_int_equal(p.slots[1], 34);
    wick_wall_set_put(&b, 31, false);
    wick_wall_pick(&p, &a, &b, 400, 16, &random);
    assert_int_equal(p.slots[0], 34);
}

static void test_weight__of_a_tick_is_time_times_candidates_to_the_nanosecond(void **state)
{
    struct wick_wall_pick *p = calloc(1, sizeof *p);
    for (p->candidates = 1; p->candidates <= MOST; p->candidates++) {
        p->n = p->candidates < 16 ? p->candidates : 16;
        uint64_t sum = 0, time = 10 * MS + p->candidates % 7, each = time * p->candidates / p->n;
        for (uint32_t i = 0; i < p->n; i++) {
            uint64_t w = wick_wall_weight(p, i, time);
            assert_true(w == each || w == each + 1); /* interval x candidates / k */
            sum += w;
        }
        assert_int_equal(sum, time * p->candidates);
    }
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pick__is_fair_from_1_to_5000_threads),
        cmocka_unit_test(test_pick__every_pair_is_equally_likely),
        cmocka_unit_test(test_pick__takes_what_is_in_both_sets),
        cmocka_unit_test(test_weight__of_a_tick_is_time_times_candidates_to_the_nanosecond),
    };
    return cmocka_run_group_tests_name("wall_pick", tests, NULL, NULL);
}
