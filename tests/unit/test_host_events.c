/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick host -e` takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "opt/host_events.h"

static void test_host_events__words_are_taken_alone_and_as_a_list(void **state)
{
    static const struct {
        const char *list;
        uint64_t interval_ns, threshold_ns, io_period, stall_ns, call_ns, socket_ns, alloc_bytes;
    } cases[] = {{"cpu", 7, 0},
                 {"blockio", 0, 0, 1},
                 {"cpu,blockio=4294967295,sched", 7, 1000000, 4294967295},
                 {"memstall", 0, 0, 0, 1000000},
                 {"memstall=4s,sched=1us", 0, 1000, 0, 4000000000},
                 {"syscalls=2ms", 0, 0, 0, 0, 2000000, 0},
                 {"network,syscalls:sys_enter_read", 0, 0, 0, 0, 0, 1000000},
                 {"alloc", 0, 0, 0, 0, 0, 0, 524288},
                 {"alloc=16k,cpu", 7, 0, 0, 0, 0, 0, 16384},
                 {"alloc=4294967295", 0, 0, 0, 0, 0, 0, 4294967295},
                 {"sched", 0, 1000000},
                 {"cpu,sched", 7, 1000000},
                 {"sched=2us,cpu", 7, 2000},
                 {"sched=4s", 0, 4000000000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_opt_host_events e;
        struct wick_err err = {0};
        assert_int_equal(wick_opt_host_events(cases[i].list, 7, &e, &err), 0);
        assert_int_equal(e.interval_ns, cases[i].interval_ns);
        assert_int_equal(e.threshold_ns, cases[i].threshold_ns);
        assert_int_equal(e.io_period, cases[i].io_period);
        assert_int_equal(e.stall_ns, cases[i].stall_ns);
        assert_int_equal(e.call_ns, cases[i].call_ns);
        assert_int_equal(e.socket_ns, cases[i].socket_ns);
        assert_int_equal(e.alloc_bytes, cases[i].alloc_bytes);
    }
}

static void test_host_events__counted_ones_have_a_name_and_a_period(void **state)
{
    static const struct {
        const char *list;
        uint32_t n;
        struct wick_opt_host_counted counted[3];
    } cases[] = {
        {"page-faults", 1, {{"page-faults", 0}}},
        {"major-faults=3,cpu,context-switches=1000000000000",
         2,
         {{"major-faults", 3}, {"context-switches", 1000000000000}}},
        {"tracepoint:sched:sched_switch=100,sched:sched_wakeup",
         2,
         {{"sched:sched_switch", 100}, {"sched:sched_wakeup", 0}}},
        {"uprobe:/a=b/c.so:f", 1, {{"uprobe:/a=b/c.so:f", 0}}},
        {"uretprobe:/a=b/c.so:f=7", 1, {{"uretprobe:/a=b/c.so:f", 7}}},
        {"usdt:/a=b/c.so:p:n=7", 1, {{"usdt:/a=b/c.so:p:n", 7}}},
        {"r1c2", 1, {{"r1c2", 0}}},
        {"sched:a,sched,sched:b=2,sched:c", 3, {{"sched:a", 0}, {"sched:b", 2}, {"sched:c", 0}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_opt_host_events e;
        struct wick_err err = {0};
        assert_int_equal(wick_opt_host_events(cases[i].list, 7, &e, &err), 0);
        assert_int_equal(e.ncounted, cases[i].n);
        for (uint32_t k = 0; k < e.ncounted; k++) {
            assert_string_equal(e.counted[k].name, cases[i].counted[k].name);
            assert_int_equal(e.counted[k].period, cases[i].counted[k].period);
        }
    }
}

static void test_host_events__more_than_there_is_room_for_are_refused(void **state)
{
    char list[40 * WICK_OPT_HOST_COUNTED], name[WICK_OPT_HOST_NAME + 1];
    struct wick_opt_host_events e;
    struct wick_err err = {0};
    for (int n = WICK_OPT_HOST_COUNTED; n <= WICK_OPT_HOST_COUNTED + 1; n++) {
        size_t at = 0;
        for (int i = 0; i < n; i++)
            at += (size_t)snprintf(list + at, sizeof list - at, "%sa:b%d", i ? "," : "", i);
        assert_int_equal(wick_opt_host_events(list, 7, &e, &err), n > WICK_OPT_HOST_COUNTED ? -WICK_E_USAGE : 0);
    }
    for (size_t n = sizeof name - 2; n < sizeof name; n++) {
        memset(name, 'x', n);
        name[1] = ':';
        name[n] = 0;
        assert_int_equal(wick_opt_host_events(name, 7, &e, &err), n < WICK_OPT_HOST_NAME ? 0 : -WICK_E_USAGE);
    }
}

static void test_host_events__other_lists_are_refused_with_the_words(void **state)
{
    static const char *const wrong[] = {"",
                                        "wall",
                                        "cpu,",
                                        ",cpu",
                                        "cpu=1ms",
                                        "sched=",
                                        "sched=0",
                                        "sched=5s",
                                        "sched=1ns",
                                        "sched=x",
                                        "cpu sched",
                                        "schedule",
                                        ":",
                                        "a:",
                                        ":a",
                                        "a:b=",
                                        "a:b=0",
                                        "a:b=1k",
                                        "a:b=-1",
                                        "a:b,a:b",
                                        "a:b=10000000000001",
                                        "blockio=",
                                        "blockio=0",
                                        "blockio=4294967296",
                                        "blockio=1ms",
                                        "memstall=",
                                        "memstall=0",
                                        "memstall=5s",
                                        "alloc=",
                                        "alloc=0",
                                        "alloc=4g",
                                        "alloc=x",
                                        "cpu-clock",
                                        "tracepoint:page-faults",
                                        "rx"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct wick_opt_host_events e = {.interval_ns = 1, .threshold_ns = 2};
        struct wick_err err = {0};
        assert_int_equal(wick_opt_host_events(wrong[i], 7, &e, &err), -WICK_E_USAGE);
        assert_int_equal(e.interval_ns + e.threshold_ns, 3);
#define X(word, field, kind, value, ...) assert_non_null(strstr(err.msg, " " word value));
#include "def/host_event.def"
#undef X
    }
}

static void test_host_events__misspelt_ones_have_a_suggestion(void **state)
{
    static const struct {
        const char *list, *said;
    } rows[] = {
        {"page-fault", "there is no event 'page-fault': did you mean 'page-faults'?"},
        {"cpu,page-fault=10", "there is no event 'page-fault=10': did you mean 'page-faults'?"},
        {"shced", "there is no event 'shced': did you mean 'sched'?"},
        {"sched=10us, cpu", "there is no event ' cpu': did you mean 'cpu'?"},
        {"cpus", "did you mean 'cpu'?"},
        {"cycle", "did you mean 'cycles'?"},
        {"blockIO", "did you mean 'blockio'?"},
        {"cpu,kprobe:do_sys_open",
         "'kprobe:do_sys_open': there are no probes of functions of the kernel. Its tracepoints"},
        {"kretprobe:vfs_read=10", "uretprobe:/PATH/OF/LIBRARY:FUNCTION"},
        {"fentry:vfs_read", "syscalls:sys_enter_openat"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wick_opt_host_events e = {.interval_ns = 1};
        struct wick_err err = {0};
        assert_int_equal(wick_opt_host_events(rows[i].list, 7, &e, &err), -WICK_E_USAGE);
        if (!strstr(err.msg, rows[i].said))
            fail_msg("%s: %s", rows[i].list, err.msg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_events__words_are_taken_alone_and_as_a_list),
        cmocka_unit_test(test_host_events__counted_ones_have_a_name_and_a_period),
        cmocka_unit_test(test_host_events__more_than_there_is_room_for_are_refused),
        cmocka_unit_test(test_host_events__other_lists_are_refused_with_the_words),
        cmocka_unit_test(test_host_events__misspelt_ones_have_a_suggestion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
