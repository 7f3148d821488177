/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what the machine and the cgroup do to a process, from texts as kernels write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sys/hostload.h"

static void test_stat__times_are_told_apart(void **state)
{
    struct wick_hostload_now n = {0};
    wick_hostload_parse_stat("cpu  100 20 30 400 50 6 7 80 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\nprocs_running 5\n"
                             "procs_blocked 2\n",
                             &n);
    (void)state;
    assert_true(n.machine.known);
    assert_int_equal(n.machine.user, 120);
    assert_int_equal(n.machine.system, 43);
    assert_int_equal(n.machine.idle, 400);
    assert_int_equal(n.machine.iowait, 50);
    assert_int_equal(n.machine.steal, 80);
    assert_int_equal(n.machine.total, 693); /* guests' time is in user's */
    assert_int_equal(n.machine.running, 5);
    assert_int_equal(n.machine.blocked, 2);
}

static void test_status__sizes_are_bytes(void **state)
{
    struct wick_hostload_now n = {0};
    wick_hostload_parse_status("Name:\tjava VmRSS:\nVmHWM:\t    2000 kB\nVmRSS:\t    1000 kB\nVmSwap:\t      30 kB\n",
                               &n);
    (void)state;
    assert_true(n.process.known);
    assert_int_equal(n.process.rss_bytes, 1000 * 1024);
    assert_int_equal(n.process.peak_bytes, 2000 * 1024);
    assert_int_equal(n.process.swap_bytes, 30 * 1024);
}

static void test_cpu_stat__both_versions_mean_the_same(void **state)
{
    struct wick_hostload_now v1 = {0}, v2 = {0}, none = {0};
    wick_hostload_parse_cpu_stat("nr_periods 10\nnr_throttled 3\nthrottled_time 5000000\n", &v1);
    wick_hostload_parse_cpu_stat("usage_usec 7\nuser_usec 4\nsystem_usec 3\nnr_periods 10\nnr_throttled 3\n"
                                 "throttled_usec 5000\n",
                                 &v2);
    wick_hostload_parse_cpu_stat("usage_usec 7\nuser_usec 4\n", &none);
    (void)state;
    assert_memory_equal(&v1.cpu, &v2.cpu, sizeof v1.cpu);
    assert_int_equal(v1.cpu.periods, 10);
    assert_int_equal(v1.cpu.throttled, 3);
    assert_int_equal(v1.cpu.throttled_ns, 5000000);
    assert_false(none.cpu.known);
}

static void test_psi__the_line_counts(void **state)
{
    const char *text = "some avg10=0.00 avg60=1.00 avg300=0.00 total=1234\nfull avg10=0.00 avg60=0.00 avg300=0.00 "
                       "total=56\n";
    (void)state;
    assert_int_equal(wick_hostload_parse_psi(text, "some"), 1234000);
    assert_int_equal(wick_hostload_parse_psi(text, "full"), 56000);
    assert_int_equal(wick_hostload_parse_psi("some avg10=0.00\nfull total=3\n", "some"), 0);
    assert_int_equal(wick_hostload_parse_psi("", "some"), 0);
}

static void test_read__this_process_is_there(void **state)
{
    struct wick_hostload h;
    struct wick_hostload_now n;
    (void)state;
    wick_hostload_open(&h);
    wick_hostload_read(&h, &n);
    assert_true(n.machine.known && n.machine.total > 0);
    assert_true(n.process.known && n.process.rss_bytes > 0 && n.process.peak_bytes >= n.process.rss_bytes);
    wick_hostload_close(&h);
    for (int i = 0; i < WICK_LOAD_FILES; i++)
        assert_int_equal(h.fd[i], -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stat__times_are_told_apart),
        cmocka_unit_test(test_status__sizes_are_bytes),
        cmocka_unit_test(test_cpu_stat__both_versions_mean_the_same),
        cmocka_unit_test(test_psi__the_line_counts),
        cmocka_unit_test(test_read__this_process_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
