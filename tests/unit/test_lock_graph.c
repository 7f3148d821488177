/* SPDX-License-Identifier: Apache-2.0 */
/* Who blocks whom: waits put together by names of threads and classes of locks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/wait/lock_graph.h"

static uint32_t string(struct wick_profile *p, const char *s)
{
    return wick_profile_string(p, s, strlen(s));
}

static uint32_t thread(struct wick_profile *p, const char *name, int64_t tid)
{
    return wick_profile_thread(p, string(p, name), tid, tid, false);
}

/* Four monitors of one class, waited for by workers and held by a cleaner; a queue that nobody owns; a lock of which
 * the owner was not seen. */
static void fill(struct wick_lock_waits *w, struct wick_profile *p)
{
    uint32_t workers[] = {thread(p, "pool-1-thread-12", 1), thread(p, "pool-22-thread-3", 2)};
    uint32_t cleaner = thread(p, "cleaner", 3), session = string(p, "app/Session"),
             queue = string(p, "java/util/concurrent/X");
    uint32_t reentrant = string(p, "java/util/concurrent/locks/ReentrantLock$NonfairSync");
    static struct wick_lock_wait_row rows[6];
    static struct wick_lock_row locks[6];
    for (uint32_t i = 0; i < 4; i++)
        rows[i] = (struct wick_lock_wait_row){.class_name = session,
                                              .identity = i,
                                              .weight_ns = 10 + i,
                                              .duration_ns = 7 + i,
                                              .thread = workers[i % 2],
                                              .owner = cleaner,
                                              .stack = i,
                                              .owner_stack = 10 + i};
    rows[4] = (struct wick_lock_wait_row){.park = true, .class_name = queue, .weight_ns = 1000, .thread = workers[0]};
    rows[5] =
        (struct wick_lock_wait_row){.park = true, .class_name = reentrant, .weight_ns = INT64_MAX, .thread = cleaner};
    for (uint32_t i = 0; i < 6; i++)
        locks[i] = (struct wick_lock_row){.first = i, .count = 1, .owned_ns = i < 4 ? 10 : 0};
    *w = (struct wick_lock_waits){.profile = p, .rows = rows, .locks = locks, .nrows = 6, .nlocks = 6};
}

static void test_lock_graph__names_that_differ_in_numbers_are_one_node(void **state)
{
    struct wick_profile p;
    struct wick_lock_waits w;
    struct wick_lock_flow *flows;
    size_t n;
    (void)state;
    assert_int_equal(wick_profile_init(&p), 0);
    fill(&w, &p);
    assert_int_equal(wick_lock_graph(&w, &flows, &n), 0);
    assert_int_equal(n, 2);
    assert_string_equal(wick_profile_str(&p, flows[1].waiter), "pool-*-thread-*");
    assert_string_equal(wick_profile_str(&p, flows[1].owner), "cleaner");
    assert_true(flows[1].owner_known && flows[1].waits == 4);
    assert_int_equal(flows[1].weight_ns, 10 + 11 + 12 + 13);
    assert_int_equal(flows[1].longest_ns, 10);
    assert_int_equal(flows[1].waiter_stack, 3);
    assert_int_equal(flows[1].owner_stack, 13);
    free(flows);
    wick_profile_release(&p);
}

static void test_lock_graph__idle_threads_wait_for_nobody_and_unknown_owners_are_said(void **state)
{
    struct wick_profile p;
    struct wick_lock_waits w;
    struct wick_lock_flow *flows;
    size_t n;
    (void)state;
    assert_int_equal(wick_profile_init(&p), 0);
    fill(&w, &p);
    assert_int_equal(wick_lock_graph(&w, &flows, &n), 0);
    assert_string_equal(wick_profile_str(&p, flows[0].waiter), "cleaner");
    assert_false(flows[0].owner_known);
    assert_int_equal(flows[0].weight_ns, INT64_MAX);
    for (size_t i = 0; i < n; i++)
        assert_string_not_equal(wick_profile_str(&p, flows[i].class_name), "java/util/concurrent/X");
    free(flows);
    w.nlocks = w.nrows = 0;
    assert_int_equal(wick_lock_graph(&w, &flows, &n), 0);
    assert_int_equal(n, 0);
    free(flows);
    wick_profile_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lock_graph__names_that_differ_in_numbers_are_one_node),
        cmocka_unit_test(test_lock_graph__idle_threads_wait_for_nobody_and_unknown_owners_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
