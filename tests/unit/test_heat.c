/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/heat.h"
#include "export/format_writers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MS INT64_C(1000000)
#define S  (1000 * MS)
#define T0 (INT64_C(1700000000) * S)

struct scene {
    struct wick_profile p;
    struct wick_heat h;
    uint32_t stack[2];
    uint16_t event;
};

static void begin(struct scene *c)
{
    *c = (struct scene){0};
    assert_int_equal(wick_profile_init(&c->p), 0);
    wick_heat_init(&c->h);
    for (int i = 0; i < 2; i++) {
        uint32_t f = wick_profile_function(&c->p, 0, wick_profile_cstring(&c->p, i ? "two" : "one"), 0);
        c->stack[i] = wick_profile_push(&c->p, 0, wick_profile_frame(&c->p, f, 0, -1, WICK_FRAME_NATIVE));
    }
    c->event = wick_profile_event(&c->p, wick_profile_cstring(&c->p, "test"), WICK_KIND_CPU, WICK_UNIT_NS);
}

static void end(struct scene *c)
{
    wick_heat_release(&c->h);
    wick_profile_release(&c->p);
}

static void add(struct scene *c, int which, int64_t at, int64_t duration, int64_t weight, uint64_t count)
{
    const struct wick_sample s = {.stack = c->stack[which],
                                  .event = c->event,
                                  .time_ns = at,
                                  .duration_ns = duration,
                                  .weight = weight,
                                  .count = count};
    wick_heat_add(&c->h, &c->p, wick_profile_add(&c->p, &s), &s);
}

static void settle(struct scene *c)
{
    uint32_t moved[] = {0, 1};
    wick_heat_settle(&c->h, moved);
}

/* A thread used 300 ms after its last sample, and only that sum is known: it belongs to all the time since, not to the
 * last 20 ms. */
static void test_heat__time_without_samples_is_spread_since_the_thread_s_last_sample(void **state)
{
    struct scene c;
    uint64_t most = 0, sum = 0;
    begin(&c);
    uint32_t f =
        wick_profile_function(&c.p, 0, wick_profile_cstring(&c.p, "[not sampled: thread or recording ended]"), 0);
    c.stack[1] = wick_profile_push(&c.p, 0, wick_profile_frame(&c.p, f, 0, -1, WICK_FRAME_BREAK));
    c.p.start_ns = T0;
    c.p.end_ns = T0 + 10 * S;
    add(&c, 0, T0 + S, 0, 10 * MS, 1);
    add(&c, 1, T0 + 2 * S, 0, 300 * MS, 1);
    settle(&c);
    for (size_t i = 0; i < c.h.n; i++) {
        const struct wick_heat_cell *x = &c.h.cells[i];
        if (!x->agg)
            continue;
        sum += x->weight;
        most = x->weight > most ? x->weight : most;
        assert_true(x->slice * 20 * MS >= T0 + S && x->slice * 20 * MS < T0 + 2 * S);
    }
    assert_int_equal(sum, 300 * MS);
    assert_in_range(most, 1, 6 * MS + 1);
    end(&c);
}

static void test_heat__time_without_samples_and_a_sample_before_is_spread_since_the_start(void **state)
{
    struct scene c;
    begin(&c);
    uint32_t f = wick_profile_function(&c.p, 0, wick_profile_cstring(&c.p, "[not sampled: thread not yet known]"), 0);
    c.stack[0] = wick_profile_push(&c.p, 0, wick_profile_frame(&c.p, f, 0, -1, WICK_FRAME_BREAK));
    c.p.start_ns = T0;
    c.p.end_ns = T0 + 10 * S;
    add(&c, 0, T0 + S, 0, 100 * MS, 1);
    settle(&c);
    assert_int_equal(c.h.n, 50);
    for (size_t i = 0; i < c.h.n; i++)
        assert_int_equal(c.h.cells[i].weight, 2 * MS);
    end(&c);
}

static void test_heat__samples_of_centuries_fill_no_memory(void **state)
{
    struct scene c;
    uint64_t weight = 0;
    begin(&c);
    c.h.most_cells = 100;
    for (int i = 0; i < 10; i++)
        add(&c, i % 2, 1000 + i, INT64_MAX - 1, 1 << 20, 1);
    assert_true(c.h.n <= 100 + 10);
    settle(&c);
    for (size_t i = 0; i < c.h.n; i++)
        weight += c.h.cells[i].weight;
    assert_int_equal(weight, 10 << 20);
    end(&c);
}

static void test_heat__slices_begin_with_the_second(void **state)
{
    struct scene c;
    begin(&c);
    add(&c, 0, T0 + 20 * MS, 0, 5, 1);
    add(&c, 0, T0, 0, 3, 1);
    add(&c, 1, T0 + 19 * MS, 0, 7, 2);
    add(&c, 0, T0 + 20 * MS - 1, 0, 10, 1);
    add(&c, 0, T0 + 1 * S, 0, 1, 1);
    settle(&c);
    assert_int_equal(wick_heat_slice_ns(&c.h), 20 * MS);
    assert_int_equal(c.h.n, 4);
    const struct wick_heat_cell *at = c.h.cells;
    assert_int_equal(at[0].slice, T0 / (20 * MS));
    assert_int_equal(at[0].agg, 0);
    assert_int_equal(at[0].weight, 13);
    assert_int_equal(at[0].count, 2);
    assert_int_equal(at[1].agg, 1);
    assert_int_equal(at[1].weight, 7);
    assert_int_equal(at[1].count, 2);
    assert_int_equal(at[2].slice, at[0].slice + 1);
    assert_int_equal(at[2].weight, 5);
    assert_int_equal(at[3].slice, at[0].slice + 50);
    end(&c);
}

/* From 10 ms into a slice on for 45 ms: 10, 20 and 15 of 45 parts. */
static void test_heat__a_sample_that_lasts_is_spread_and_nothing_is_lost(void **state)
{
    struct scene c;
    begin(&c);
    add(&c, 0, T0 + 10 * MS, 45 * MS, 1000, 3);
    settle(&c);
    assert_int_equal(c.h.n, 3);
    const struct wick_heat_cell *at = c.h.cells;
    assert_int_equal(at[0].weight, 222);
    assert_int_equal(at[1].weight, 444);
    assert_int_equal(at[2].weight, 334);
    assert_int_equal(at[0].count + at[1].count + at[2].count, 3);
    assert_int_equal(at[2].slice, at[0].slice + 2);
    end(&c);
}

static void test_heat__a_sample_that_ends_with_its_slice_stays_in_it(void **state)
{
    struct scene c;
    begin(&c);
    add(&c, 0, T0 + 5 * MS, 15 * MS, 1000, 1);
    settle(&c);
    assert_int_equal(c.h.n, 1);
    assert_int_equal(c.h.cells[0].weight, 1000);
    end(&c);
}

static void test_heat__time_outside_of_the_recording_gets_nothing(void **state)
{
    struct scene c;
    begin(&c);
    wick_profile_cover(&c.p, T0, T0 + 40 * MS);
    add(&c, 0, T0 - 3600 * S, 7200 * S, 1000, 1);
    settle(&c);
    assert_int_equal(c.h.n, 2);
    assert_int_equal(c.h.cells[0].slice, T0 / (20 * MS));
    assert_int_equal(c.h.cells[0].weight + c.h.cells[1].weight, 1000);
    end(&c);
}

static void test_heat__too_many_cells_make_longer_slices_and_keep_the_sums(void **state)
{
    struct scene c;
    uint64_t weight = 0, count = 0;
    begin(&c);
    c.h.most_cells = 100;
    for (int i = 0; i < 5000; i++)
        add(&c, i % 2, T0 + i * 7 * MS, 0, 1 + i % 5, 1);
    settle(&c);
    assert_int_equal(wick_heat_slice_ns(&c.h), S); /* 35 s and two stacks: 70 cells */
    assert_true(c.h.n <= 100);
    for (size_t i = 0; i < c.h.n; i++) {
        weight += c.h.cells[i].weight;
        count += c.h.cells[i].count;
        assert_true(!i || c.h.cells[i].slice > c.h.cells[i - 1].slice ||
                    (c.h.cells[i].slice == c.h.cells[i - 1].slice && c.h.cells[i].agg > c.h.cells[i - 1].agg));
    }
    assert_int_equal(weight, c.p.events[c.event].weight);
    assert_int_equal(count, 5000);
    end(&c);
}

static void test_heat__a_long_time_makes_longer_slices(void **state)
{
    struct scene c;
    begin(&c);
    add(&c, 0, T0, 0, 1, 1);
    add(&c, 0, T0 + 10 * 86400 * S, 0, 1, 1);
    assert_int_equal(wick_heat_slice_ns(&c.h), S);
    assert_true(c.h.last - c.h.first < WICK_HEAT_SLICES);
    add(&c, 0, INT64_MIN, 0, 1, 1);
    add(&c, 0, INT64_MAX, 0, 1, 1);
    assert_true(c.h.last - c.h.first < WICK_HEAT_SLICES);
    end(&c);
}

/* More than wait for their turn, and some of the same cell; what is read before the end is all there. */
static void test_heat__what_was_added_is_in_the_table_when_it_is_flushed(void **state)
{
    struct scene c;
    uint64_t weight = 0, count = 0;
    begin(&c);
    for (int64_t i = 0; i < 3 * WICK_HEAT_AHEAD; i++) {
        add(&c, i % 2, T0 + i / 4 * 20 * MS, 0, 10, 1);
        if (i % 5)
            continue;
        wick_heat_flush(&c.h);
        wick_heat_flush(&c.h);
        weight = count = 0;
        for (size_t k = 0; k < c.h.places; k++) {
            weight += c.h.cells[k].agg == WICK_AGG_NONE ? 0 : c.h.cells[k].weight;
            count += c.h.cells[k].agg == WICK_AGG_NONE ? 0 : c.h.cells[k].count;
        }
        assert_int_equal(weight, 10 * (i + 1));
        assert_int_equal(count, i + 1);
    }
    settle(&c);
    assert_int_equal(c.h.n, 2 * 3 * WICK_HEAT_AHEAD / 4);
    end(&c);
}

static void test_heat__cells_follow_their_aggregates(void **state)
{
    struct scene c;
    uint32_t moved[] = {WICK_AGG_NONE, 0};
    begin(&c);
    add(&c, 0, T0, 0, 1, 1);
    add(&c, 1, T0, 0, 2, 1);
    wick_heat_settle(&c.h, moved);
    assert_int_equal(c.h.n, 1);
    assert_int_equal(c.h.cells[0].agg, 0);
    assert_int_equal(c.h.cells[0].weight, 2);
    end(&c);
}

static void test_heat__samples_without_times_are_no_heatmap(void **state)
{
    struct scene c;
    struct wick_err err = {0};
    begin(&c);
    add(&c, 0, 0, 0, 1, 1);
    add(&c, 1, 0, 0, 1, 1);
    settle(&c);
    const struct wick_export_options o = {.heat = &c.h};
    assert_int_equal(wick_heat_page_write(&c.p, &o, NULL, &err), -WICK_E_UNSUPPORTED);
    end(&c);
}

static void test_heat__the_title_is_escaped_and_data_is_written_once(void **state)
{
    struct scene c;
    struct wick_err err = {0};
    char *text = NULL;
    size_t len;
    begin(&c);
    add(&c, 0, T0, 0, 1, 1);
    add(&c, 1, T0 + S, 0, 1, 1);
    settle(&c);
    FILE *out = open_memstream(&text, &len);
    const struct wick_export_options o = {.heat = &c.h, .title = "</title><b>"};
    assert_int_equal(wick_heat_page_write(&c.p, &o, out, &err), 0);
    fclose(out);
    assert_null(strstr(text, "</title><b>"));
    assert_non_null(strstr(text, "&lt;/title"));
    const char *data = strstr(text, "id=\"slices\">V0hNM"); /* "WHM1" */
    assert_non_null(data);
    free(text);
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heat__time_without_samples_is_spread_since_the_thread_s_last_sample),
        cmocka_unit_test(test_heat__time_without_samples_and_a_sample_before_is_spread_since_the_start),
        cmocka_unit_test(test_heat__samples_of_centuries_fill_no_memory),
        cmocka_unit_test(test_heat__slices_begin_with_the_second),
        cmocka_unit_test(test_heat__a_sample_that_lasts_is_spread_and_nothing_is_lost),
        cmocka_unit_test(test_heat__a_sample_that_ends_with_its_slice_stays_in_it),
        cmocka_unit_test(test_heat__time_outside_of_the_recording_gets_nothing),
        cmocka_unit_test(test_heat__too_many_cells_make_longer_slices_and_keep_the_sums),
        cmocka_unit_test(test_heat__a_long_time_makes_longer_slices),
        cmocka_unit_test(test_heat__what_was_added_is_in_the_table_when_it_is_flushed),
        cmocka_unit_test(test_heat__cells_follow_their_aggregates),
        cmocka_unit_test(test_heat__samples_without_times_are_no_heatmap),
        cmocka_unit_test(test_heat__the_title_is_escaped_and_data_is_written_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
