/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that wait: their order, their room, what an earlier process left, and what does not belong there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "push/push_spool.h"

static char dir[64];
static struct wick_push_spool spool;
static struct wick_strbuf text;

static int setup(void **state)
{
    strcpy(dir, "test_push_spool.XXXXXX");
    assert_non_null(mkdtemp(dir));
    assert_int_equal(rmdir(dir), 0); /* opening makes it */
    wick_strbuf_init(&text);
    return 0;
}

static int tear_down(void **state)
{
    char path[400];
    wick_push_spool_close(&spool);
    wick_strbuf_release(&text);
    DIR *d = opendir(dir);
    for (const struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        remove(path); /* . and .. stay */
    }
    closedir(d);
    return rmdir(dir);
}

static void reopen(uint64_t max_bytes)
{
    struct wick_err err = {0};
    wick_push_spool_close(&spool);
    assert_int_equal(wick_push_spool_open(&spool, dir, max_bytes, &err), 0);
}

static void add(const char *message)
{
    assert_int_equal(wick_push_spool_add(&spool, message, strlen(message)), 0);
}

static void expect_oldest(const char *message)
{
    assert_int_equal(wick_push_spool_oldest(&spool, &text), 0);
    assert_int_equal(text.len, strlen(message));
    assert_memory_equal(text.buf, message, text.len);
}

static void expect_nothing(void)
{
    assert_int_equal(wick_push_spool_oldest(&spool, &text), -WICK_E_NOTFOUND);
    assert_int_equal(spool.bytes, 0);
}

static void put_file(const char *name, const char *content)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(content, f);
    assert_int_equal(fclose(f), 0);
}

static void test_push_spool__messages_come_out_in_the_order_in_which_they_went_in(void **state)
{
    reopen(1000);
    expect_nothing();
    add("first");
    add("second");
    expect_oldest("first");
    expect_oldest("first"); /* until it is removed */
    wick_push_spool_remove(&spool);
    expect_oldest("second");
    add("third");
    wick_push_spool_remove(&spool);
    expect_oldest("third");
    wick_push_spool_remove(&spool);
    expect_nothing();
    assert_int_equal(spool.dropped, 0);
}

static void test_push_spool__the_next_process_has_what_was_left(void **state)
{
    reopen(1000);
    add("first");
    add("second");
    reopen(1000);
    assert_int_equal(spool.bytes, 11);
    add("third");
    for (int i = 0; i < 3; i++) {
        expect_oldest(i == 0 ? "first" : i == 1 ? "second" : "third");
        wick_push_spool_remove(&spool);
    }
    expect_nothing();
}

static void test_push_spool__the_oldest_go_when_it_is_full_and_are_counted(void **state)
{
    reopen(10);
    add("aaaa");
    add("bbbb");
    add("cccc"); /* 12 bytes are too many */
    assert_int_equal(spool.dropped, 1);
    assert_int_equal(spool.dropped_bytes, 4);
    expect_oldest("bbbb");
    add("dddddddddd");
    assert_int_equal(spool.dropped, 3);
    expect_oldest("dddddddddd");
    assert_int_equal(wick_push_spool_add(&spool, "eleven bytes", 11), -WICK_E_LIMIT);
    assert_int_equal(spool.dropped, 4); /* the message itself: what waits stays */
    expect_oldest("dddddddddd");
}

static void test_push_spool__files_of_others_are_neither_sent_nor_removed(void **state)
{
    char path[200];
    struct stat st;
    reopen(1000);
    put_file("notes.txt", "not ours");
    put_file("123.otlp.gz", "too few digits");
    put_file("18446744073709551615.otlp.gz", "no number may follow it");
    put_file(".new", "half of a mess");
    snprintf(path, sizeof path, "%s/00000000000000000001.otlp.gz", dir);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    snprintf(path, sizeof path, "%s/00000000000000000002.otlp.gz", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    reopen(1000);
    expect_nothing();
    add("ours");
    expect_oldest("ours");
    wick_push_spool_remove(&spool);
    snprintf(path, sizeof path, "%s/notes.txt", dir);
    assert_int_equal(stat(path, &st), 0);
}

static void test_push_spool__a_message_that_has_vanished_is_passed_over_and_counted(void **state)
{
    char path[200];
    reopen(1000);
    add("first");
    add("second");
    snprintf(path, sizeof path, "%s/%020llu.otlp.gz", dir, (unsigned long long)spool.messages[0].number);
    assert_int_equal(unlink(path), 0);
    expect_oldest("second");
    assert_int_equal(spool.broken, 1);
    assert_int_equal(spool.dropped, 0);
}

static void test_push_spool__one_process_at_a_time_has_it(void **state)
{
    struct wick_push_spool other;
    struct wick_err err = {0};
    reopen(1000);
    assert_int_equal(wick_push_spool_open(&other, dir, 1000, &err), -WICK_E_STATE);
    assert_non_null(strstr(err.msg, "--spool"));
    wick_push_spool_close(&spool);
    assert_int_equal(wick_push_spool_open(&other, dir, 1000, &err), 0);
    wick_push_spool_close(&other);
}

static void test_push_spool__a_directory_to_which_others_may_write_is_refused(void **state)
{
    struct wick_err err = {0};
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(chmod(dir, 0770), 0);
    assert_int_equal(wick_push_spool_open(&spool, dir, 1000, &err), -WICK_E_PERM);
    assert_int_equal(chmod(dir, 0755), 0);
    reopen(1000);
    add("first");
    expect_oldest("first");
}

static void test_push_spool__a_file_without_a_name_leaves_none(void **state)
{
    char byte = 0;
    reopen(1000);
    int fd = wick_push_spool_file(dir);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "x", 1, 0), 1);
    assert_int_equal(pread(fd, &byte, 1, 0), 1);
    assert_int_equal(byte, 'x');
    close(fd);
    DIR *d = opendir(dir);
    for (const struct dirent *e; (e = readdir(d));)
        assert_true(e->d_name[0] == '.' && strlen(e->d_name) <= 2);
    closedir(d);
}

static void test_push_spool__a_directory_that_cannot_be_made_is_named(void **state)
{
    struct wick_push_spool other;
    struct wick_err err = {0};
    reopen(1000);
    assert_int_equal(wick_push_spool_open(&other, "/dev/null/spool", 1000, &err), -WICK_E_IO);
    assert_non_null(strstr(err.msg, "/dev/null/spool"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_push_spool__messages_come_out_in_the_order_in_which_they_went_in, setup,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_push_spool__the_next_process_has_what_was_left, setup, tear_down),
        cmocka_unit_test_setup_teardown(test_push_spool__the_oldest_go_when_it_is_full_and_are_counted, setup,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_push_spool__files_of_others_are_neither_sent_nor_removed, setup,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_push_spool__a_message_that_has_vanished_is_passed_over_and_counted, setup,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_push_spool__one_process_at_a_time_has_it, setup, tear_down),
        cmocka_unit_test_setup_teardown(test_push_spool__a_directory_to_which_others_may_write_is_refused, setup,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_push_spool__a_file_without_a_name_leaves_none, setup, tear_down),
        cmocka_unit_test_setup_teardown(test_push_spool__a_directory_that_cannot_be_made_is_named, setup, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
