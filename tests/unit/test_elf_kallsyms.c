/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel symbols: a made-up table, one that the kernel hides, and this kernel's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "elf/kallsyms.h"

static int load_text(struct wick_kallsyms **k, const char *text, struct wick_err *err)
{
    char path[] = "/tmp/wick-kallsyms-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    int rc = wick_kallsyms_load(k, path, err);
    unlink(path);
    return rc;
}

static void check(const struct wick_kallsyms *k, uint64_t addr, const char *want, uint64_t want_offset)
{
    char name[64];
    uint64_t offset;
    assert_int_equal(wick_kallsyms_find(k, addr, name, sizeof name, &offset, NULL), 0);
    assert_string_equal(name, want);
    assert_true(offset == want_offset);
}

static void test_kallsyms__functions_and_modules_are_found(void **state)
{
    (void)state;
    struct wick_kallsyms *k = NULL;
    char name[64];
    assert_int_equal(load_text(&k,
                               "ffffffff81000200 T second\n"
                               "ffffffff81000100 T first\n"
                               "ffffffff81000100 t alias_of_first\n"
                               "ffffffff81000180 D data\n"
                               "ffffffff810001f0 t __pfx_second\n"
                               "not a line\n\n"
                               "ffffffffc0000000 t in_module\t[ext4]\n"
                               "ffffffff81000300 W no_newline",
                               NULL),
                     0);
    assert_int_equal(wick_kallsyms_count(k), 5);
    check(k, 0xffffffff81000100, "first", 0);
    check(k, 0xffffffff810001ff, "first", 0xff);
    check(k, 0xffffffff81000200, "second", 0);
    check(k, 0xffffffff81000310, "no_newline", 0x10);
    check(k, 0xffffffffc0000042, "in_module [ext4]", 0x42);
    assert_int_equal(wick_kallsyms_find(k, 0xffffffff810000ff, name, sizeof name, NULL, NULL), -WICK_E_NOTFOUND);
    assert_int_equal(wick_kallsyms_find(k, 0xfffffffffffffff0, name, sizeof name, NULL, NULL), -WICK_E_NOTFOUND);
    wick_kallsyms_free(k);
}

static void test_kallsyms__hidden_addresses_are_said(void **state)
{
    (void)state;
    struct wick_kallsyms *k = NULL;
    struct wick_err err = {0};
    assert_int_equal(load_text(&k, "0000000000000000 T first\n0000000000000000 T second\n", &err), -WICK_E_PERM);
    assert_non_null(strstr(err.msg, "kptr_restrict"));
    assert_int_equal(load_text(&k, "", &err), -WICK_E_NOTFOUND);
    assert_int_equal(wick_kallsyms_load(&k, "/nonexistent/kallsyms", &err), -WICK_E_NOTFOUND);
}

static void test_kallsyms__of_this_kernel(void **state)
{
    (void)state;
    struct wick_kallsyms *k = NULL;
    struct wick_err err = {0};
    int rc = wick_kallsyms_load(&k, NULL, &err);
    if (rc) {
        print_message("%s\n", err.msg);
        assert_int_equal(rc, -WICK_E_PERM);
        skip(); /* not root */
    }
    FILE *f = fopen("/proc/kallsyms", "r");
    char line[1024], name[512], got[512];
    unsigned long addr;
    size_t checked = 0, same = 0;
    for (size_t i = 0; fgets(line, sizeof line, f); i++) {
        if (i % 100 || sscanf(line, "%lx %*1[tTwW] %511s", &addr, name) != 2 || !strncmp(name, "__pfx_", 6))
            continue;
        if (strchr(line, '[')) /* modules and BPF programs come and go */
            continue;
        uint64_t offset = 1;
        assert_int_equal(wick_kallsyms_find(k, addr, got, sizeof got, &offset, NULL), 0);
        assert_true(offset == 0);
        same += !strncmp(got, name, strlen(name));
        checked++;
    }
    fclose(f);
    assert_true(checked > 100);
    assert_true(same > checked / 2); /* the others are aliases */
    wick_kallsyms_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kallsyms__functions_and_modules_are_found),
        cmocka_unit_test(test_kallsyms__hidden_addresses_are_said),
        cmocka_unit_test(test_kallsyms__of_this_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
