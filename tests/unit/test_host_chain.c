/* SPDX-License-Identifier: Apache-2.0 */
/* How the time that a thread slept is divided by what others did. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "ebpf/host_chain.h"

static struct wick_host_link link_of(uint32_t pid, uint64_t from_ns)
{
    return (struct wick_host_link){.pid = pid, .birth = {pid, 0}, .from_ns = from_ns};
}

static void check(const struct wick_host_part *p, uint32_t pid, uint64_t worked, uint64_t queued, uint64_t slept)
{
    assert_int_equal(p->who->pid, pid);
    assert_int_equal(p->ns[WICK_HOST_WORKED], worked);
    assert_int_equal(p->ns[WICK_HOST_QUEUED], queued);
    assert_int_equal(p->ns[WICK_HOST_SLEPT], slept);
}

static void test_chain__each_has_the_time_until_it_handed_over(void **state)
{
    struct wick_host_part parts[WICK_HOST_LINKS];
    struct wick_host_link links[] = {link_of(1, 700), link_of(2, 300), link_of(3, 50)};
    (void)state;
    links[0].queue_ns = 100;
    links[1].asleep_ns = 250;
    assert_int_equal(wick_host_chain_split(links, 3, 100, 1000, parts), 3);
    check(&parts[0], 1, 200, 100, 0);
    check(&parts[1], 2, 150, 0, 250);
    check(&parts[2], 3, 200, 0, 0);
}

/* The wait began while somebody slept already, or had waited for a CPU already. */
static void test_chain__what_lies_before_the_wait_does_not_count(void **state)
{
    struct wick_host_part parts[WICK_HOST_LINKS];
    struct wick_host_link l = link_of(1, 0);
    (void)state;
    l.asleep_ns = 600;
    l.queue_ns = 100;
    assert_int_equal(wick_host_chain_split(&l, 1, 500, 1000, parts), 1);
    check(&parts[0], 1, 300, 100, 100);
    assert_int_equal(wick_host_chain_split(&l, 1, 800, 1000, parts), 1);
    check(&parts[0], 1, 150, 50, 0); /* half of what came after its sleep */
    l.mixed = 1;
    assert_int_equal(wick_host_chain_split(&l, 1, 800, 1000, parts), 1);
    check(&parts[0], 1, 60, 20, 120); /* a fifth of all */
}

static void test_chain__a_disk_is_kept_apart(void **state)
{
    struct wick_host_part parts[WICK_HOST_LINKS];
    struct wick_host_link l = link_of(1, 100);
    (void)state;
    l.disk_ns = 600;
    assert_int_equal(wick_host_chain_split(&l, 1, 200, 1000, parts), 1);
    check(&parts[0], 1, 300, 0, 0);
    assert_int_equal(parts[0].ns[WICK_HOST_DISKED], 500);
}

static void test_chain__threads_of_one_process_are_one_part(void **state)
{
    struct wick_host_part parts[WICK_HOST_LINKS];
    const struct wick_host_link links[] = {link_of(1, 700), link_of(2, 300), link_of(1, 50)};
    (void)state;
    assert_int_equal(wick_host_chain_split(links, 3, 100, 1000, parts), 2);
    check(&parts[0], 1, 500, 0, 0);
    check(&parts[1], 2, 400, 0, 0);
}

/* A number that was used again is another process. */
static void test_chain__a_process_is_known_by_its_birth(void **state)
{
    struct wick_host_part parts[WICK_HOST_LINKS];
    struct wick_host_link links[] = {link_of(1, 700), link_of(1, 300)};
    (void)state;
    links[1].birth.execs = 1;
    assert_int_equal(wick_host_chain_split(links, 2, 100, 1000, parts), 2);
}

static void test_chain__what_is_not_known_is_nobodys(void **state)
{
    struct wick_host_part parts[WICK_HOST_LINKS];
    const struct wick_host_link l = link_of(1, 700);
    (void)state;
    assert_int_equal(wick_host_chain_split(NULL, 0, 100, 1000, parts), 0);
    assert_int_equal(wick_host_chain_split(&l, 1, 100, 1000, parts), 1);
    check(&parts[0], 1, 300, 0, 0);
    assert_int_equal(wick_host_chain_split(&l, 1, 1000, 1000, parts), 0);
}

/* Whatever comes, the parts are no more than the time. */
static void test_chain__links_of_any_kind_make_no_more_than_the_time(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        struct wick_host_part parts[WICK_HOST_LINKS];
        struct wick_host_link links[WICK_HOST_LINKS];
        const int shift = (int)(wick_random_u64(&random) % 64);
        for (int k = 0; k < WICK_HOST_LINKS; k++) {
            links[k] = link_of((uint32_t)(wick_random_u64(&random) % 3), wick_random_u64(&random) >> shift);
            links[k].queue_ns = wick_random_u64(&random) >> shift;
            links[k].asleep_ns = wick_random_u64(&random) >> shift;
            links[k].disk_ns = wick_random_u64(&random) >> shift;
            links[k].mixed = wick_random_u64(&random) & 1;
        }
        uint64_t from = wick_random_u64(&random) >> shift, until = wick_random_u64(&random) >> shift, sum = 0;
        uint32_t n = wick_host_chain_split(links, (uint32_t)(wick_random_u64(&random) % 20), from, until, parts);
        for (uint32_t k = 0; k < n; k++)
            for (int doing = 0; doing < WICK_HOST_DOINGS; doing++)
                assert_false(__builtin_add_overflow(sum, parts[k].ns[doing], &sum));
        assert_true(sum <= (until > from ? until - from : 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain__each_has_the_time_until_it_handed_over),
        cmocka_unit_test(test_chain__what_lies_before_the_wait_does_not_count),
        cmocka_unit_test(test_chain__a_disk_is_kept_apart),
        cmocka_unit_test(test_chain__threads_of_one_process_are_one_part),
        cmocka_unit_test(test_chain__a_process_is_known_by_its_birth),
        cmocka_unit_test(test_chain__what_is_not_known_is_nobodys),
        cmocka_unit_test(test_chain__links_of_any_kind_make_no_more_than_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
