/* SPDX-License-Identifier: Apache-2.0 */
/* analysis/compare/diff.h: two sides with known weights. */
#include "base/sum.h"
#include "base/err.h"
#include "analysis/compare/diff.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct test {
    struct wick_profile p;
    struct wick_diff_side side[2];
    struct wick_agg *aggs[2];
    struct wick_diff d;
    uint16_t event;
};

/* n samples of weight 10 with the stack of one-letter methods, root first. */
static void add(struct test *t, const char *stack, unsigned n)
{
    struct wick_profile *p = &t->p;
    uint32_t s = 0;
    for (; *stack; stack++) {
        uint32_t f = wick_profile_function(p, 0, wick_profile_string(p, stack, 1), 0);
        s = wick_profile_push(p, s, wick_profile_frame(p, f, 0, -1, WICK_FRAME_C2));
    }
    for (unsigned i = 0; i < n; i++)
        wick_profile_add(p, &(struct wick_sample){.stack = s, .event = t->event, .weight = 10, .count = 1});
}

static void begin(struct test *t)
{
    *t = (struct test){0};
    assert_int_equal(wick_profile_init(&t->p), 0);
    t->event = wick_profile_event(&t->p, wick_profile_cstring(&t->p, "e"), WICK_KIND_CPU, WICK_UNIT_NS);
}

static void side_done(struct test *t, unsigned k)
{
    t->side[k].aggs = t->aggs[k] = wick_profile_take_aggs(&t->p, &t->side[k].naggs);
    assert_int_equal(t->p.events[t->event].count, 0);
}

static void compare(struct test *t, bool absolute)
{
    struct wick_diff_options o = {.event = t->event, .absolute = absolute};
    struct wick_err err;
    assert_int_equal(wick_diff_init(&t->d, &t->p, t->side, &o, &err), 0);
}

static void end(struct test *t);

/* Weights whose sums need more than 64 bits: no figure is what is left of one modulo 2^64. */
static void test_diff__sums_end_at_the_largest_number(void **state)
{
    (void)state;
    struct test t;
    begin(&t);
    for (unsigned k = 0; k < 2; k++) {
        for (char name[] = "a"; *name <= 'c'; ++*name) {
            uint32_t f = wick_profile_function(&t.p, 0, wick_profile_string(&t.p, name, 1), 0);
            uint32_t s = wick_profile_push(&t.p, 0, wick_profile_frame(&t.p, f, 0, -1, WICK_FRAME_C2));
            wick_profile_add(&t.p, &(struct wick_sample){
                                       .stack = s, .event = t.event, .weight = INT64_MAX, .count = UINT64_MAX / 2});
        }
        side_done(&t, k);
    }
    compare(&t, true);
    assert_true(wick_sum_was_exceeded());
    const struct wick_tree_node *root = wick_tree_node(t.d.tree, WICK_TREE_ROOT);
    uint64_t sum = root->self, before = 0;
    for (uint32_t i = 1; i < wick_tree_nodes(t.d.tree); i++) {
        sum += wick_tree_node(t.d.tree, i)->self;
        before += t.d.change[i].before;
    }
    assert_true(root->total == UINT64_MAX);
    assert_true(sum == UINT64_MAX);
    assert_true(before >= (uint64_t)INT64_MAX && before <= UINT64_MAX);
    for (size_t i = 0; i < t.d.nrows; i++)
        assert_true(t.d.rows[i].total.weight[0] <= (uint64_t)INT64_MAX &&
                    t.d.rows[i].total.weight[1] <= (uint64_t)INT64_MAX);
    end(&t);
}

static void end(struct test *t)
{
    wick_diff_release(&t->d);
    free(t->aggs[0]);
    free(t->aggs[1]);
    wick_profile_release(&t->p);
}

static const struct wick_diff_row *row(const struct test *t, char name)
{
    for (uint32_t i = 0; i < t->d.nrows; i++) {
        size_t n;
        const char *s = wick_tree_name_get(t->d.tree, t->d.rows[i].name, &n);
        if (n == 1 && *s == name)
            return &t->d.rows[i];
    }
    fail_msg("no row %c", name);
    return NULL;
}

static void assert_sum(const struct wick_diff_sum *s, uint64_t a, uint64_t b, uint64_t na, uint64_t nb)
{
    assert_int_equal(s->weight[0], a);
    assert_int_equal(s->weight[1], b);
    assert_int_equal(s->samples[0], na);
    assert_int_equal(s->samples[1], nb);
}

static void make(struct test *t, bool absolute)
{
    begin(t);
    add(t, "ab", 50);
    add(t, "abc", 30);
    add(t, "aba", 20);
    side_done(t, 0);
    add(t, "abc", 100);
    add(t, "ad", 100);
    side_done(t, 1);
    compare(t, absolute);
}

static void test_diff__self_and_total_are_kept_apart_and_recursion_counts_once(void **state)
{
    struct test t;
    make(&t, true);
    assert_sum(&t.d.measured, 1000, 2000, 100, 200);
    assert_sum(&row(&t, 'a')->total, 1000, 2000, 100, 200);
    assert_sum(&row(&t, 'a')->self, 200, 0, 20, 0);
    assert_sum(&row(&t, 'b')->total, 1000, 1000, 100, 100);
    assert_sum(&row(&t, 'b')->self, 500, 0, 50, 0);
    assert_sum(&row(&t, 'c')->self, 300, 1000, 30, 100);
    assert_sum(&row(&t, 'd')->total, 0, 1000, 0, 100);
    assert_int_equal(wick_tree_node(t.d.tree, WICK_TREE_ROOT)->total, 3000);
    end(&t);
}

static void test_diff__normalised_sides_weigh_the_same(void **state)
{
    struct test t;
    make(&t, false);
    assert_sum(&t.d.measured, 1000, 2000, 100, 200);
    assert_sum(&t.d.all, 2000, 2000, 100, 200);
    assert_sum(&row(&t, 'c')->self, 600, 1000, 30, 100);
    assert_true(fabs(wick_diff_change(&t.d, &row(&t, 'c')->self).change - 0.2) < 1e-9);
    assert_true(fabs(wick_diff_change(&t.d, &row(&t, 'a')->total).change) < 1e-9);
    end(&t);
}

/* Shares of 0.3 of 100 and 0.5 of 200: the textbook interval of a difference of proportions. */
static void test_diff__interval_is_that_of_two_proportions(void **state)
{
    struct test t;
    make(&t, false);
    struct wick_diff_change c = wick_diff_change(&t.d, &row(&t, 'c')->self);
    double want = 1.959964 * sqrt(0.3 * 0.7 / 100 + 0.5 * 0.5 / 200);
    assert_true(fabs(c.half - want) < 1e-6);
    assert_true(wick_diff_is_real(c));
    end(&t);
}

static void test_diff__a_few_samples_are_noise_even_where_the_other_side_has_none(void **state)
{
    struct test t;
    begin(&t);
    add(&t, "ab", 100);
    add(&t, "ac", 2);
    side_done(&t, 0);
    add(&t, "ab", 95);
    add(&t, "ad", 20);
    side_done(&t, 1);
    compare(&t, false);
    assert_false(wick_diff_is_real(wick_diff_change(&t.d, &row(&t, 'c')->self)));
    assert_true(wick_diff_is_real(wick_diff_change(&t.d, &row(&t, 'd')->self)));
    wick_diff_sort(&t.d, WICK_DIFF_BY_CHANGE, false);
    size_t n;
    const char *first = wick_tree_name_get(t.d.tree, t.d.rows[0].name, &n);
    assert_true(*first == 'd' || *first == 'b');
    end(&t);
}

/* The names of the rows in an order, one letter each. */
static void in_order(struct test *t, enum wick_diff_order order, bool turned, char *names)
{
    size_t n;
    wick_diff_sort(&t->d, order, turned);
    for (uint32_t i = 0; i < t->d.nrows; i++)
        names[i] = *wick_tree_name_get(t->d.tree, t->d.rows[i].name, &n);
    names[t->d.nrows] = 0;
}

static void test_diff__rows_are_sorted_by_any_figure(void **state)
{
    struct test t;
    char names[8];
    begin(&t);
    add(&t, "ab", 60);
    add(&t, "ac", 30);
    add(&t, "d", 10);
    side_done(&t, 0);
    add(&t, "ab", 20);
    add(&t, "ac", 70);
    add(&t, "d", 10);
    side_done(&t, 1);
    compare(&t, false);
    static const struct {
        enum wick_diff_order order;
        const char *names;
    } orders[] = {{WICK_DIFF_BY_NAME, "abcd"},         {WICK_DIFF_BY_SELF_BEFORE, "bcda"},
                  {WICK_DIFF_BY_SELF_AFTER, "cbda"},   {WICK_DIFF_BY_SELF_CHANGE, "cadb"},
                  {WICK_DIFF_BY_TOTAL_BEFORE, "abcd"}, {WICK_DIFF_BY_TOTAL_AFTER, "acbd"}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        in_order(&t, orders[i].order, false, names);
        assert_string_equal(names, orders[i].names);
    }
    in_order(&t, WICK_DIFF_BY_NAME, true, names);
    assert_string_equal(names, "dcba");
    in_order(&t, WICK_DIFF_BY_TOTAL_CHANGE, true, names);
    assert_int_equal(*names, 'b');
    end(&t);
}

static uint32_t random_from(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Two sides drawn from one distribution: of 1,000 comparisons 5 % are false alarms; 4 standard deviations of slack.
 * The seed is fixed: no run differs from another. */
static void test_diff__unchanged_methods_raise_few_false_alarms(void **state)
{
    uint32_t seed = 1, alarms = 0, runs = 1000;
    for (uint32_t i = 0; i < runs; i++) {
        struct test t;
        begin(&t);
        for (unsigned k = 0; k < 2; k++) {
            unsigned hits = 0, all = k ? 400 : 200;
            for (unsigned s = 0; s < all; s++)
                hits += random_from(&seed) % 10 < 3;
            add(&t, "x", hits);
            add(&t, "y", all - hits);
            side_done(&t, k);
        }
        compare(&t, false);
        alarms += wick_diff_is_real(wick_diff_change(&t.d, &row(&t, 'x')->self));
        end(&t);
    }
    double slack = 4 * sqrt(runs * 0.05 * 0.95);
    assert_true(alarms < runs * 0.05 + slack && alarms > runs * 0.05 - slack);
}

static void test_diff__an_empty_side_is_an_error(void **state)
{
    struct test t;
    struct wick_err err;
    struct wick_diff_options o = {0};
    begin(&t);
    add(&t, "a", 1);
    o.event = t.event;
    side_done(&t, 0);
    side_done(&t, 1);
    assert_int_equal(wick_diff_init(&t.d, &t.p, t.side, &o, &err), -WICK_E_NOTFOUND);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diff__sums_end_at_the_largest_number), /* first: that a sum was too large is remembered */
        cmocka_unit_test(test_diff__self_and_total_are_kept_apart_and_recursion_counts_once),
        cmocka_unit_test(test_diff__normalised_sides_weigh_the_same),
        cmocka_unit_test(test_diff__interval_is_that_of_two_proportions),
        cmocka_unit_test(test_diff__a_few_samples_are_noise_even_where_the_other_side_has_none),
        cmocka_unit_test(test_diff__rows_are_sorted_by_any_figure),
        cmocka_unit_test(test_diff__unchanged_methods_raise_few_false_alarms),
        cmocka_unit_test(test_diff__an_empty_side_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
