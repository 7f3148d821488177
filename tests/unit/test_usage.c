/* SPDX-License-Identifier: Apache-2.0 */
/* Who used the CPUs of a machine in an interval, and who waited for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/usage.h"
#include "model/label.h"

#define MS INT64_C(1000000)

static struct wick_profile p;
static struct wick_usage u;
static uint16_t cpu, wall, other;

static int begin(void **state)
{
    (void)state;
    if (wick_profile_init(&p))
        return -1;
    p.by_labels = true;
    cpu = wick_profile_event(&p, wick_profile_cstring(&p, "jdk.ExecutionSample"), WICK_KIND_CPU, WICK_UNIT_NS);
    wall = wick_profile_event(&p, wick_profile_cstring(&p, "profiler.WallClockSample"), WICK_KIND_WALL, WICK_UNIT_NS);
    other = wick_profile_event(&p, wick_profile_cstring(&p, "page-faults"), WICK_KIND_OTHER, WICK_UNIT_COUNT);
    wick_usage_init(&u, &p, "process");
    return 0;
}

static int end(void **state)
{
    (void)state;
    wick_usage_release(&u);
    wick_profile_release(&p);
    return 0;
}

static uint32_t stack_of(const char *function)
{
    uint32_t f = wick_profile_function(&p, wick_profile_cstring(&p, "app"), wick_profile_cstring(&p, function),
                                       wick_profile_cstring(&p, ""));
    return wick_profile_push(&p, 0, wick_profile_frame(&p, f, 0, 0, WICK_FRAME_NATIVE));
}

static void add(uint16_t event, const char *process, const char *rival, const char *function, const char *state,
                int64_t weight)
{
    struct wick_label labels[2] = {
        {wick_profile_cstring(&p, "process"), process ? wick_profile_cstring(&p, process) : 0},
        {wick_profile_cstring(&p, "ran-instead"), rival ? wick_profile_cstring(&p, rival) : 0}};
    const struct wick_sample s = {
        .stack = stack_of(function),
        .labels = process ? wick_profile_label_set(&p, labels, rival ? 2 : 1) : 0,
        .state = wick_profile_state(&p, wick_profile_cstring(&p, state)),
        .event = event,
        .weight = weight,
        .count = 1,
    };
    wick_usage_add(&u, &s);
}

static void check(const struct wick_usage_row *r, const char *value, int64_t cpu_ms, int64_t waiting_ms,
                  const char *rival, const char *function)
{
    assert_string_equal(wick_profile_str(&p, r->value), value);
    assert_int_equal(r->cpu_ns, cpu_ms * MS);
    assert_int_equal(r->waiting_ns, waiting_ms * MS);
    assert_string_equal(wick_profile_str(&p, r->rival), rival);
    assert_int_equal(r->frame, function ? p.stacks[stack_of(function)].frame : 0);
}

static void test_usage__rows_have_sums_the_heaviest_leaf_and_the_longest_rival(void **state)
{
    const struct wick_usage_row *rows;
    (void)state;
    add(cpu, "java-1", NULL, "hot", "STATE_DEFAULT", 20 * MS);
    add(cpu, "java-1", NULL, "cold", "STATE_DEFAULT", 30 * MS);
    add(cpu, "java-1", NULL, "hot", "STATE_DEFAULT", 20 * MS);
    add(wall, "java-1", "cc1-2", "hot", "STATE_WAITING_FOR_CPU", 5 * MS);
    add(wall, "java-1", "sh-3", "hot", "STATE_WAITING_FOR_CPU", 4 * MS);
    add(wall, "java-1", "sh-3", "cold", "STATE_WAITING_FOR_CPU", 4 * MS);
    add(wall, "java-1", NULL, "cold", "STATE_WAITING_FOR_CPU", 100 * MS); /* not known whom for */
    add(wall, "starved-4", "cc1-2", "f", "STATE_WAITING_FOR_CPU", 500 * MS);
    add(wall, "asleep-5", NULL, "f", "STATE_SLEEPING", 900 * MS);
    add(other, "java-1", NULL, "f", "STATE_DEFAULT", 1000 * MS);
    add(cpu, NULL, NULL, "f", "STATE_DEFAULT", 1 * MS);
    assert_int_equal(wick_usage_rows(&u, &rows), 3);
    check(&rows[0], "starved-4", 0, 500, "cc1-2", NULL); /* what asks for most comes first, whether it gets it or not */
    check(&rows[1], "java-1", 70, 113, "sh-3", "hot");
    check(&rows[2], "", 1, 0, "", "f");
}

static void test_usage__each_interval_is_for_itself(void **state)
{
    const struct wick_usage_row *rows;
    (void)state;
    assert_int_equal(wick_usage_rows(&u, &rows), 0);
    for (int i = 0; i < 5000; i++)
        add(cpu, i % 2 ? "a-1" : "b-2", NULL, "f", "STATE_DEFAULT", MS);
    assert_int_equal(wick_usage_rows(&u, &rows), 2);
    assert_int_equal(rows[0].cpu_ns, 2500 * MS);
    add(cpu, "a-1", NULL, "f", "STATE_DEFAULT", 3 * MS);
    assert_int_equal(wick_usage_rows(&u, &rows), 1);
    check(&rows[0], "a-1", 3, 0, "", "f");
    assert_int_equal(wick_usage_rows(&u, &rows), 0);
    assert_int_equal(u.left_out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_usage__rows_have_sums_the_heaviest_leaf_and_the_longest_rival, begin, end),
        cmocka_unit_test_setup_teardown(test_usage__each_interval_is_for_itself, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
