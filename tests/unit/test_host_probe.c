/* SPDX-License-Identifier: Apache-2.0 */
/* What a counted event of `wick host` is, by its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ebpf/host_probe.h"
#include "ebpf/host_similar.h"

static void test_similar__a_typing_error_comes_before_the_same_name_elsewhere(void **state)
{
    static const char *const names[] = {"irq:irq_handler_exit", "sched:sched_switch_all", "csd:sched_swich",
                                        "sched:sched_switch",   "sched:sched_stick",      "sched:sched_waking",
                                        "sched:sched_switch"};
    struct wick_host_similar s = {.name = "sched:sched_swich", .tail = 6};
    char text[600];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        wick_host_similar_add(&s, names[i]);
    wick_host_similar_text(&s, text, sizeof text);
    assert_string_equal(text, "; similar: sched:sched_switch, sched:sched_stick, csd:sched_swich");
}

static void test_similar__those_that_resemble_it_most_remain(void **state)
{
    struct wick_host_similar s = {.name = "malloc"};
    char text[600], name[40];
    for (int i = 9; i >= 0; i--) {
        snprintf(name, sizeof name, "xxxx%.*smalloc", i, "__________");
        wick_host_similar_add(&s, name);
    }
    wick_host_similar_add(&s, "maloc\n");
    wick_host_similar_text(&s, text, sizeof text);
    assert_string_equal(text, "; similar: maloc?, xxxxmalloc, xxxx_malloc, xxxx__malloc");
    struct wick_host_similar none = {.name = "malloc"};
    wick_host_similar_add(&none, "printf");
    wick_host_similar_text(&none, text, sizeof text);
    assert_string_equal(text, "");
}

static void test_probe__a_function_is_found_where_its_code_is_in_the_file(void **state)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    assert_non_null(libc);
    const void *function = dlsym(libc, "qsort");
    Dl_info info;
    assert_true(dladdr(function, &info));
    char name[600], bytes[32];
    for (int at_return = 0; at_return < 2; at_return++) {
        struct wick_host_probe p;
        struct wick_err err = {0};
        snprintf(name, sizeof name, "%s:%s:qsort", at_return ? "uretprobe" : "uprobe", info.dli_fname);
        int rc = wick_host_probe_find(name, 5, &p, &err);
        if (rc == -WICK_E_UNSUPPORTED)
            skip(); /* this kernel has no probes of functions */
        assert_int_equal(rc, 0);
        assert_int_equal(p.kind, WICK_HOST_PROBE_FUNCTION);
        assert_int_equal(p.parts[0].config, at_return);
        assert_int_equal(p.attr.sample_period, 5);
        assert_string_equal(p.path, info.dli_fname);
        int fd = open(info.dli_fname, O_RDONLY);
        assert_int_equal(pread(fd, bytes, sizeof bytes, (off_t)p.attr.config2), sizeof bytes);
        close(fd);
        assert_memory_equal(bytes, function, sizeof bytes);
    }
}

static void test_probe__page_faults_are_minor_and_major_ones(void **state)
{
    struct wick_host_probe p;
    struct wick_err err = {0};
    assert_int_equal(wick_host_probe_find("page-faults", 0, &p, &err), 0);
    assert_int_equal(p.kind, WICK_HOST_PROBE_COUNTER);
    assert_int_equal(p.nparts, 2);
    assert_int_equal(p.parts[0].detail, WICK_HOST_MINOR);
    assert_int_equal(p.parts[1].detail, WICK_HOST_MAJOR);
    assert_int_equal(p.attr.sample_period, 1);
    assert_int_equal(wick_host_probe_find("major-faults", 9, &p, &err), 0);
    assert_int_equal(p.nparts, 1);
    assert_int_equal(p.parts[0].detail, WICK_HOST_MAJOR);
    assert_int_equal(p.attr.sample_period, 9);
    assert_int_equal(wick_host_probe_find("context-switches", 0, &p, &err), 0);
    assert_int_equal(p.parts[0].detail, WICK_HOST_NO_DETAIL);
}

static void test_probe__what_does_not_exist_is_refused_with_a_reason(void **state)
{
    static const struct {
        const char *name, *said;
        int code;
    } cases[] = {
        {"uprobe:libc.so:f", "uprobe:/PATH/OF/LIBRARY:FUNCTION", WICK_E_USAGE},
        {"uprobe:/no/such/file:f", "there is no such file", WICK_E_NOTFOUND},
        {"uprobe:/etc/passwd:f", "no library or program", WICK_E_FORMAT},
        {"uprobe:/proc/self/exe:main_that_is_not", "has no function main_that_is_not", WICK_E_USAGE},
        {"../a:b", "not the name of a tracepoint", WICK_E_USAGE},
        {"sched:a/b", "not the name of a tracepoint", WICK_E_USAGE},
        {"no-such-event", "is not an event", WICK_E_USAGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_host_probe p;
        struct wick_err err = {0};
        assert_int_equal(wick_host_probe_find(cases[i].name, 0, &p, &err), -cases[i].code);
        assert_non_null(strstr(err.msg, cases[i].said));
    }
    struct wick_host_probe p;
    struct wick_err err = {0};
    assert_int_not_equal(wick_host_probe_find("nosuch:nosuch", 0, &p, &err), 0);
    assert_true(strstr(err.msg, "no tracepoint nosuch:nosuch") || strstr(err.msg, "tracefs")); /* may not be readable */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_similar__a_typing_error_comes_before_the_same_name_elsewhere),
        cmocka_unit_test(test_similar__those_that_resemble_it_most_remain),
        cmocka_unit_test(test_probe__a_function_is_found_where_its_code_is_in_the_file),
        cmocka_unit_test(test_probe__page_faults_are_minor_and_major_ones),
        cmocka_unit_test(test_probe__what_does_not_exist_is_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
