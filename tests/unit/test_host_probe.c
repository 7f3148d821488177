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

#include "base/usdt.h"
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
        assert_int_equal(p.places.of[0].config, at_return);
        assert_int_equal(p.attr.sample_period, 5);
        assert_string_equal(p.places.of[0].path, info.dli_fname);
        int fd = open(info.dli_fname, O_RDONLY);
        assert_int_equal(pread(fd, bytes, sizeof bytes, (off_t)p.places.of[0].at), sizeof bytes);
        close(fd);
        assert_memory_equal(bytes, function, sizeof bytes);
        wick_host_probe_release(&p);
    }
}

extern uint16_t test_semaphores[2];
WICK_USDT_SEMAPHORE uint16_t test_semaphores[2];

/* Twice at one name: it has two places. */
static __attribute__((noinline)) void pass_by_probes(uint64_t a)
{
    WICK_USDT(test__plain, WICK_USDT_ALWAYS, a, 2, 3);
    WICK_USDT(test__counted, test_semaphores + 2, a, 2, 3, 4, 5);
    WICK_USDT(test__twice, WICK_USDT_ALWAYS, a, 2, 3, 4, 5, 6);
    WICK_USDT(test__twice, WICK_USDT_ALWAYS, a, 2, 3);
}

/* Where a file has been mapped, by its own path. */
static const uint8_t *own_bytes(uint64_t place)
{
    char line[600];
    unsigned long lo, hi, offset;
    Dl_info info;
    const uint8_t *at = NULL;
    assert_true(dladdr((void *)own_bytes, &info));
    FILE *f = fopen("/proc/self/maps", "r");
    while (!at && fgets(line, sizeof line, f))
        if (strstr(line, strrchr(info.dli_fname, '/')) && sscanf(line, "%lx-%lx %*s %lx", &lo, &hi, &offset) == 3 &&
            place >= offset && place - offset < hi - lo)
            at = (const uint8_t *)lo + (place - offset);
    fclose(f);
    return at;
}

static void test_probe__a_static_one_is_where_its_note_says(void **state)
{
    static const struct {
        const char *name;
        uint32_t places;
        bool counted;
    } cases[] = {{"usdt:/proc/self/exe:wick:test__plain", 1, false},
                 {"usdt:/proc/self/exe:wick:test__counted", 1, true},
                 {"usdt:/proc/self/exe:wick:test__twice", 2, false},
                 {"usdt:wick:test__twice", 2, false}};
    pass_by_probes(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_host_probe p;
        struct wick_err err = {0};
        int rc = wick_host_probe_find(cases[i].name, 3, &p, &err);
        if (rc != -WICK_E_UNSUPPORTED) { /* this kernel has no probes of functions */
            assert_int_equal(rc, 0);
            assert_int_equal(p.kind, WICK_HOST_PROBE_FUNCTION);
            assert_int_equal(p.attr.sample_period, 3);
            assert_int_equal(p.places.n, cases[i].places);
        }
        for (uint32_t k = 0; !rc && k < p.places.n; k++) {
            assert_int_equal(*own_bytes(p.places.of[k].at), 0x90); /* nop */
            uint64_t semaphore = p.places.of[k].config >> 32;
            assert_int_equal(p.places.of[k].config & UINT32_MAX, 0);
            assert_int_equal(semaphore != 0, cases[i].counted);
            if (semaphore)
                assert_ptr_equal(own_bytes(semaphore), &test_semaphores[1]);
        }
        wick_host_probe_release(&p);
    }
}

static void test_probe__page_faults_are_minor_and_major_ones(void **state)
{
    struct wick_host_probe p;
    struct wick_err err = {0};
    assert_int_equal(wick_host_probe_find("page-faults", 0, &p, &err), 0);
    assert_int_equal(p.kind, WICK_HOST_PROBE_COUNTER);
    assert_int_equal(p.places.n, 2);
    assert_int_equal(p.places.of[0].detail, WICK_HOST_MINOR);
    assert_int_equal(p.places.of[1].detail, WICK_HOST_MAJOR);
    assert_int_equal(p.attr.sample_period, 1);
    wick_host_probe_release(&p);
    assert_int_equal(wick_host_probe_find("major-faults", 9, &p, &err), 0);
    assert_int_equal(p.places.n, 1);
    assert_int_equal(p.places.of[0].detail, WICK_HOST_MAJOR);
    assert_int_equal(p.attr.sample_period, 9);
    wick_host_probe_release(&p);
    assert_int_equal(wick_host_probe_find("context-switches", 0, &p, &err), 0);
    assert_int_equal(p.places.of[0].detail, WICK_HOST_NO_DETAIL);
    wick_host_probe_release(&p);
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
        {"usdt:", "usdt:/PATH/OF/FILE:PROVIDER:NAME", WICK_E_USAGE},
        {"usdt:x", "usdt:/PATH/OF/FILE:PROVIDER:NAME", WICK_E_USAGE},
        {"usdt::x", "usdt:/PATH/OF/FILE:PROVIDER:NAME", WICK_E_USAGE},
        {"usdt:x:", "usdt:/PATH/OF/FILE:PROVIDER:NAME", WICK_E_USAGE},
        {"usdt:/x:y", "usdt:/PATH/OF/FILE:PROVIDER:NAME", WICK_E_USAGE},
        {"usdt:x:y:z", "usdt:/PATH/OF/FILE:PROVIDER:NAME", WICK_E_USAGE},
        {"usdt:/no/such/file:a:b", "there is no such file", WICK_E_NOTFOUND},
        {"usdt:/etc/passwd:a:b", "no library or program", WICK_E_FORMAT},
        {"usdt:/bin/true:a:b", "has no static probes", WICK_E_USAGE},
        {"usdt:/proc/self/exe:test:other", "; it has 4 others, such as wick:test__plain", WICK_E_USAGE},
        {"usdt:/proc/self/exe:wick:test_plain", "has no static probe wick:test_plain; similar: wick:test__plain",
         WICK_E_USAGE},
        {"usdt:wick:test_plain", "wick:test_plain; similar: wick:test__plain", WICK_E_USAGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_host_probe p;
        struct wick_err err = {0};
        assert_int_equal(wick_host_probe_find(cases[i].name, 0, &p, &err), -cases[i].code);
        assert_non_null(strstr(err.msg, cases[i].said));
        wick_host_probe_release(&p);
    }
    struct wick_host_probe p;
    struct wick_err err = {0};
    assert_int_not_equal(wick_host_probe_find("nosuch:nosuch", 0, &p, &err), 0);
    assert_true(strstr(err.msg, "no tracepoint nosuch:nosuch") || strstr(err.msg, "tracefs")); /* may not be readable */
    wick_host_probe_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_similar__a_typing_error_comes_before_the_same_name_elsewhere),
        cmocka_unit_test(test_similar__those_that_resemble_it_most_remain),
        cmocka_unit_test(test_probe__a_function_is_found_where_its_code_is_in_the_file),
        cmocka_unit_test(test_probe__a_static_one_is_where_its_note_says),
        cmocka_unit_test(test_probe__page_faults_are_minor_and_major_ones),
        cmocka_unit_test(test_probe__what_does_not_exist_is_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
