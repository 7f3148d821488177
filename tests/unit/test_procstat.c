/* SPDX-License-Identifier: Apache-2.0 */
/* sys/procstat.h: texts as kernels write them, with names as anybody may set them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/procstat.h"

#define BEHIND                                                                                                       \
    " S 1 2 3 4 -1 4194304 10 11 12 13 140 150 16 17 20 0 5 0 2200 23 24 25 26 27 28 29 30 31 32 33 34 35 0 0 17 7 " \
    "40 41"

static void check(const char *text)
{
    struct wick_procstat s;
    assert_true(wick_procstat_parse(text, &s));
    assert_int_equal(s.state, 'S');
    assert_int_equal(s.major_faults, 12);
    assert_int_equal(s.user, 140);
    assert_int_equal(s.system, 150);
    assert_int_equal(s.start, 2200);
    assert_int_equal(s.last_cpu, 7);
}

static void test_procstat__a_name_may_hold_anything(void **state)
{
    check("1 (java)" BEHIND "\n");
    check("4711 (a b c)" BEHIND);
    check("4711 ()" BEHIND);
    check("4711 () R 9 9 9 ()" BEHIND);
    check("4711 (a) Z 1 (b\n) R)" BEHIND);
    check("4711 (((()" BEHIND);
}

static void test_procstat__a_text_that_ends_early_is_unknown(void **state)
{
    static const char whole[] = "4711 (a) x)" BEHIND;
    struct wick_procstat s;
    char text[sizeof whole];
    size_t start = (size_t)(strstr(whole, " 2200") - whole) + 1;
    for (size_t n = 0; n < sizeof whole; n++) {
        memcpy(text, whole, n);
        text[n] = 0;
        bool good = wick_procstat_parse(text, &s);
        assert_int_equal(good, n >= start);
        if (!good)
            assert_true(s.state == '?' && s.last_cpu == -1 && !s.user && !s.start && !s.major_faults);
    }
    assert_false(wick_procstat_read(AT_FDCWD, "/proc/self/no-such-file", &s));
    assert_int_equal(s.state, '?');
}

static void test_procstat__this_thread_runs_and_is_no_older_than_the_machine(void **state)
{
    struct wick_procstat thread, process, gone;
    int32_t tid = (int32_t)syscall(SYS_gettid);
    assert_true(wick_procstat_thread(tid, &thread));
    assert_true(wick_procstat_read(AT_FDCWD, "/proc/self/stat", &process));
    assert_int_equal(thread.state, 'R');
    assert_in_range(thread.last_cpu, 0, 8191);
    assert_int_equal(thread.start, process.start);
    assert_true(thread.start * wick_procstat_tick_ns() <= wick_clock_ns(CLOCK_BOOTTIME));
    assert_false(wick_procstat_thread(INT32_MAX, &gone));
    assert_false(wick_procstat_thread(-1, &gone));
    assert_false(wick_procstat_thread(0, &gone));
}

static void test_procstat__lines_of_cpus(void **state)
{
    struct wick_procstat_cpu c = {.cpu = 99};
    assert_true(wick_procstat_parse_cpu("cpu  100 20 30 400 50 6 7 80 9 10\ncpu0 1 1 1 1\n", &c));
    assert_int_equal(c.cpu, -1);
    assert_int_equal(c.user, 120);
    assert_int_equal(c.system, 43);
    assert_int_equal(c.idle, 400);
    assert_int_equal(c.iowait, 50);
    assert_int_equal(c.steal, 80);
    assert_int_equal(c.total, 693);
    assert_true(wick_procstat_parse_cpu("cpu12 1 2 3 4\ncpu13 5 6 7 8 9\n", &c)); /* an old kernel's */
    assert_int_equal(c.cpu, 12);
    assert_int_equal(c.total, 10);
    assert_false(wick_procstat_parse_cpu("cpu12 1 2 3\nintr 4 5\n", &c));
    assert_false(wick_procstat_parse_cpu("intr 1 2 3 4 5\n", &c));
    assert_false(wick_procstat_parse_cpu("cpufreq 1 2 3 4 5\n", &c));
    assert_false(wick_procstat_parse_cpu("", &c));
    assert_int_equal(c.cpu, 12);
    assert_true(wick_procstat_machine(&c));
    assert_true(c.cpu == -1 && c.total > 0);
}

static void test_procstat__the_time_of_the_boot(void **state)
{
    assert_int_equal(wick_procstat_boot_s("cpu 1 2 3 4\nintr 7 btime 8\nbtime 1700000000\nprocesses 9\n"), 1700000000);
    assert_int_equal(wick_procstat_boot_s("cpu 1 2 3 4\n"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_procstat__a_name_may_hold_anything),
        cmocka_unit_test(test_procstat__a_text_that_ends_early_is_unknown),
        cmocka_unit_test(test_procstat__this_thread_runs_and_is_no_older_than_the_machine),
        cmocka_unit_test(test_procstat__lines_of_cpus),
        cmocka_unit_test(test_procstat__the_time_of_the_boot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
