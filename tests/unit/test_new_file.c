/* SPDX-License-Identifier: Apache-2.0 */
/* Where a recording may be written: what a name leads to, what stays of a file that has it, and who may use it then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "client/new_file.h"

static char dir[64], path[96], other[96];

static int setup(void **state)
{
    strcpy(dir, "test_new_file.XXXXXX");
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/a.jfr", dir);
    snprintf(other, sizeof other, "%s/b.jfr", dir);
    return 0;
}

static int tear_down(void **state)
{
    unlink(path);
    unlink(other);
    return rmdir(dir); /* fails if a temporary file was left behind */
}

static void write_file(const char *name, const char *text)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void expect_text(const char *name, const char *text)
{
    char found[64] = "";
    int fd = open(name, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, found, sizeof found - 1), strlen(text));
    assert_string_equal(found, text);
    close(fd);
}

static void test_new_file__the_directory_is_what_stands_before_the_last_slash(void **state)
{
    char found[16];
    wick_new_file_directory("a.jfr", found, sizeof found);
    assert_string_equal(found, ".");
    wick_new_file_directory("/a.jfr", found, sizeof found);
    assert_string_equal(found, "/");
    wick_new_file_directory("/x/y/a.jfr", found, sizeof found);
    assert_string_equal(found, "/x/y");
}

static void test_new_file__a_check_leaves_no_file_and_keeps_one(void **state)
{
    struct wick_err err = {0};
    assert_int_equal(wick_new_file_check(path, &err), 0);
    assert_int_equal(access(path, F_OK), -1);
    write_file(path, "old");
    assert_int_equal(wick_new_file_check(path, &err), 0);
    expect_text(path, "old");
}

static void test_new_file__a_link_is_refused_and_what_it_leads_to_is_kept(void **state)
{
    struct wick_err err = {0};
    write_file(other, "precious");
    assert_int_equal(symlink("b.jfr", path), 0);
    assert_int_equal(wick_new_file_check(path, &err), -WICK_E_PERM);
    assert_int_equal(wick_new_file_named(path, &err), -WICK_E_PERM);
    assert_int_equal(wick_new_file_fresh(path, &err), -WICK_E_PERM);
    assert_non_null(strstr(err.msg, "symbolic link"));
    assert_false(wick_new_file_keep(other, path));
    expect_text(other, "precious");
}

static void test_new_file__a_fifo_is_refused_without_waiting(void **state)
{
    struct wick_err err = {0};
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_true(wick_new_file_check(path, &err) < 0);
    assert_int_equal(wick_new_file_named(path, &err), -WICK_E_IO);
    assert_non_null(strstr(err.msg, "not a plain file"));
}

static void test_new_file__one_that_is_named_is_the_same_file_emptied(void **state)
{
    struct stat before, now;
    struct wick_err err = {0};
    write_file(path, "old");
    assert_int_equal(stat(path, &before), 0);
    int fd = wick_new_file_named(path, &err);
    assert_int_equal(fstat(fd, &now), 0);
    assert_int_equal(now.st_ino, before.st_ino);
    assert_int_equal(now.st_size, 0);
    close(fd);
}

static void test_new_file__a_fresh_one_has_neither_the_names_nor_the_mode_of_the_old_one(void **state)
{
    struct stat now;
    struct wick_err err = {0};
    write_file(path, "old");
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(link(path, other), 0);
    int fd = wick_new_file_fresh(path, &err);
    assert_int_equal(write(fd, "new", 3), 3);
    close(fd);
    assert_int_equal(stat(path, &now), 0);
    assert_int_equal(now.st_mode & 07777, 0600);
    assert_int_equal(now.st_nlink, 1);
    expect_text(path, "new");
    expect_text(other, "old");
}

static void test_new_file__a_failed_copy_leaves_what_was_there(void **state)
{
    struct wick_err err = {0};
    write_file(path, "old");
    write_file(other, "this is not a recording");
    int fd = open(other, O_RDONLY);
    assert_int_equal(wick_new_file_copy(fd, path, &err), -WICK_E_FORMAT);
    close(fd);
    expect_text(path, "old");
}

static void test_new_file__nothing_that_is_left_can_be_executed(void **state)
{
    struct stat st;
    write_file(path, "x");
    int fd = open(path, O_RDONLY);
    assert_int_equal(chmod(path, 06755), 0);
    assert_int_equal(fstat(fd, &st), 0);
    wick_new_file_strip_mode(fd, &st);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0644);
    close(fd);
}

static void test_new_file__a_temporary_file_has_no_name(void **state)
{
    struct stat st;
    struct wick_err err = {0};
    int fd = wick_new_file_temp(dir, false, &err);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_nlink, 0);
    close(fd);
    assert_int_equal(wick_new_file_temp("test_new_file.none", false, &err), -WICK_E_NOTFOUND);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_new_file__the_directory_is_what_stands_before_the_last_slash),
        T(test_new_file__a_check_leaves_no_file_and_keeps_one),
        T(test_new_file__a_link_is_refused_and_what_it_leads_to_is_kept),
        T(test_new_file__a_fifo_is_refused_without_waiting),
        T(test_new_file__one_that_is_named_is_the_same_file_emptied),
        T(test_new_file__a_fresh_one_has_neither_the_names_nor_the_mode_of_the_old_one),
        T(test_new_file__a_failed_copy_leaves_what_was_there),
        T(test_new_file__nothing_that_is_left_can_be_executed),
        T(test_new_file__a_temporary_file_has_no_name),
    };
    return cmocka_run_group_tests_name("new_file", tests, NULL, NULL);
}
