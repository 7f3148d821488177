/* SPDX-License-Identifier: Apache-2.0 */
/* Names of kernel functions: what was found once needs no symbol table any more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbolize/kernel_names.h"

static char path[64];
static struct wick_kernel_names names;

static void write_table(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/wick-kernel-names-%d", (int)getpid());
    names = (struct wick_kernel_names){.path = path};
    write_table("ffffffff81000100 T first\n"
                "ffffffff81000200 T second\n"
                "ffffffff81000300 T third\n"
                "ffffffff81000400 T fourth\n"
                "ffffffffc0000000 t in_module\t[ext4]\n"
                "ffffffffc0000100 t next\t[ext4]\n");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wick_kernel_names_release(&names);
    unlink(path);
    return 0;
}

static void check(uint64_t pc, const char *want)
{
    char name[64] = "";
    assert_true(wick_kernel_names_find(&names, pc, NULL, name, sizeof name) == (want != NULL));
    assert_string_equal(name, want ? want : "");
}

static void test_kernel_names__are_read_once_for_all_recordings(void **state)
{
    (void)state;
    for (int recording = 0; recording < 3; recording++) {
        wick_kernel_names_begin(&names);
        check(0xffffffff81000310, "third");
        check(0xffffffff81000100, "first");
        check(0xffffffff810002ff, "second");
        check(0xffffffff810003ff, "third"); /* elsewhere in it */
        wick_kernel_names_tidy(&names, true);
        assert_null(names.table);
    }
    assert_int_equal(names.loads, 1);
    check(0xffffffff81000400, "fourth"); /* new */
    assert_int_equal(names.loads, 2);
}

/* Another module may lie there by now. */
static void test_kernel_names__of_modules_are_not_kept(void **state)
{
    (void)state;
    check(0xffffffffc0000042, "in_module [ext4]");
    check(0xffffffffc0000043, "in_module [ext4]");
    assert_int_equal(names.loads, 1);
    wick_kernel_names_tidy(&names, true);
    write_table("ffffffff81000100 T first\nffffffffc0000000 t other\t[xfs]\nffffffffc0000100 t next\t[xfs]\n");
    check(0xffffffffc0000042, "other [xfs]");
    assert_int_equal(names.loads, 2);
}

static void test_kernel_names__that_cannot_be_read_are_tried_once_a_recording(void **state)
{
    (void)state;
    unlink(path);
    check(0xffffffff81000100, NULL);
    check(0xffffffff81000100, NULL);
    assert_int_equal(names.loads, 1);
    write_table("ffffffff81000100 T first\nffffffff81000200 T second\n");
    check(0xffffffff81000100, NULL);
    wick_kernel_names_begin(&names);
    check(0xffffffff81000100, "first");
}

static void test_kernel_names__the_table_goes_when_it_is_idle(void **state)
{
    (void)state;
    check(0xffffffff81000100, "first");
    for (int i = 0; i < 29; i++)
        wick_kernel_names_tidy(&names, false);
    assert_non_null(names.table);
    check(0xffffffff81000200, "second");
    for (int i = 0; i < 29; i++)
        wick_kernel_names_tidy(&names, false);
    assert_non_null(names.table);
    check(0xffffffff81000200, "second"); /* known: the table is not asked */
    wick_kernel_names_tidy(&names, false);
    assert_null(names.table);
}

/* More functions than are kept: the others are still found. */
static void test_kernel_names__are_bounded(void **state)
{
    enum { MORE = WICK_KERNEL_NAMES_KEPT + 100 };
    (void)state;
    FILE *f = fopen(path, "w");
    for (uint64_t i = 0; i <= MORE; i++)
        fprintf(f, "%lx T f%lu\n", 0xffffffff81000000 + 16 * i, i);
    assert_int_equal(fclose(f), 0);
    for (uint64_t i = 0; i < MORE; i++) {
        char want[32];
        uint64_t k = i * 7919 % MORE; /* in no order */
        snprintf(want, sizeof want, "f%lu", k);
        check(0xffffffff81000005 + 16 * k, want);
    }
    assert_int_equal(names.n, WICK_KERNEL_NAMES_KEPT);
    for (uint32_t i = 1; i < names.n; i++)
        assert_true(names.known[i - 1].to <= names.known[i].from);
    assert_int_equal(names.loads, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_kernel_names__are_read_once_for_all_recordings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kernel_names__of_modules_are_not_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kernel_names__that_cannot_be_read_are_tried_once_a_recording, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_kernel_names__the_table_goes_when_it_is_idle, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kernel_names__are_bounded, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
