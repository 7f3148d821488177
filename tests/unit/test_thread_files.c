/* SPDX-License-Identifier: Apache-2.0 */
/* Files of threads that stay open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/thread/thread_files.h"
#include "engine/thread/thread_look.h"

/* Threads that wait in a read until the other end of the pipe is closed. */
struct crowd {
    pthread_t threads[2 * WICK_THREAD_FILES_KEPT];
    int32_t tids[2 * WICK_THREAD_FILES_KEPT];
    int n, pipe[2], ready[2];
};

static void *wait_for_end(void *arg)
{
    const struct crowd *c = arg;
    int32_t tid = (int32_t)syscall(SYS_gettid);
    char byte;
    if (write(c->ready[1], &tid, sizeof tid) != sizeof tid || read(c->pipe[0], &byte, 1) != 0)
        abort();
    return NULL;
}

static void begin(struct crowd *c, int n)
{
    c->n = n;
    assert_return_code(pipe(c->pipe), 0);
    assert_return_code(pipe(c->ready), 0);
    for (int i = 0; i < n; i++) {
        assert_int_equal(pthread_create(&c->threads[i], NULL, wait_for_end, c), 0);
        assert_int_equal(read(c->ready[0], &c->tids[i], sizeof c->tids[i]), sizeof c->tids[i]);
    }
}

/* Also for the kernel, which has a thread for a moment after it can be joined. */
static void end(struct crowd *c)
{
    close(c->pipe[1]);
    for (int i = 0; i < c->n; i++) {
        pthread_join(c->threads[i], NULL);
        while (!syscall(SYS_tgkill, getpid(), c->tids[i], 0))
            usleep(1000);
    }
    close(c->pipe[0]);
    close(c->ready[0]);
    close(c->ready[1]);
}

static int descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static void test_files__stay_open_until_their_thread_ends(void **state)
{
    struct wick_thread_files f;
    struct crowd c;
    char text[256];
    (void)state;
    int before = descriptors();
    begin(&c, 1);
    assert_int_equal(wick_thread_files_open(&f, true), 0);
    int none = descriptors();
    for (int i = 0; i < 3; i++) {
        struct wick_thread_sched sched = {0};
        assert_int_equal(wick_thread_sched(&f, c.tids[0], &sched), 0);
        assert_true(sched.slices > 0);
        assert_int_equal(descriptors(), none + 1);
    }
    assert_true(wick_thread_files_read(&f, c.tids[0], WICK_THREAD_FILE_SYSCALL, text, sizeof text) > 0);
    assert_int_equal(descriptors(), none + 2);
    end(&c);
    assert_int_equal(wick_thread_files_read(&f, c.tids[0], WICK_THREAD_FILE_SYSCALL, text, sizeof text), -1);
    assert_string_equal(text, "");
    wick_thread_files_close(&f);
    assert_int_equal(descriptors(), before);
}

static void test_files__are_as_the_thread_is_now(void **state)
{
    struct wick_thread_files f;
    struct wick_thread_sched first = {0}, second = {0};
    int32_t self = (int32_t)syscall(SYS_gettid);
    (void)state;
    assert_int_equal(wick_thread_files_open(&f, true), 0);
    assert_int_equal(wick_thread_sched(&f, self, &first), 0);
    uint64_t from = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    while (wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - from < 100000000) /* some ticks of the kernel, which counts then */
        ;
    assert_int_equal(wick_thread_sched(&f, self, &second), 0);
    assert_true(second.cpu_ns > first.cpu_ns);
    wick_thread_files_close(&f);
}

/* Where the thread waits, by a file that is opened for it; 0 = it does not. */
static uint64_t stack_pointer(int32_t tid)
{
    struct wick_thread_files f;
    struct wick_thread_look look;
    assert_int_equal(wick_thread_files_open(&f, false), 0);
    uint64_t sp = wick_thread_look(&f, tid, &look) == WICK_THREAD_WAITS ? look.sp : 0;
    wick_thread_files_close(&f);
    return sp;
}

static void test_files__of_more_threads_take_the_place_of_others(void **state)
{
    struct wick_thread_files f;
    struct crowd c;
    (void)state;
    int before = descriptors();
    begin(&c, 2 * WICK_THREAD_FILES_KEPT);
    for (int i = 0; i < c.n; i++)
        while (!stack_pointer(c.tids[i])) /* it has not come to its wait yet */
            usleep(1000);
    assert_int_equal(wick_thread_files_open(&f, true), 0);
    int none = descriptors();
    for (int round = 0; round < 8; round++)
        for (int i = 0; i < c.n; i++) {
            struct wick_thread_look look;
            assert_int_equal(wick_thread_look(&f, c.tids[i], &look), WICK_THREAD_WAITS);
            assert_int_equal(look.sp, stack_pointer(c.tids[i]));
            assert_in_range(descriptors(), none, none + WICK_THREAD_FILES * WICK_THREAD_FILES_KEPT);
        }
    for (int i = 0; i < c.n; i++)
        wick_thread_files_forget(&f, c.tids[i]);
    assert_int_equal(descriptors(), none);
    wick_thread_files_close(&f);
    end(&c);
    assert_int_equal(descriptors(), before);
}

static void test_files__of_a_busy_thread_stay_open_among_others(void **state)
{
    struct wick_thread_files f;
    struct crowd c;
    struct wick_thread_sched sched;
    (void)state;
    begin(&c, 2 * WICK_THREAD_FILES_KEPT);
    assert_int_equal(wick_thread_files_open(&f, true), 0);
    for (int round = 0; round < 8; round++)
        for (int i = 1; i < c.n; i++) {
            assert_int_equal(wick_thread_sched(&f, c.tids[0], &sched), 0);
            assert_int_equal(wick_thread_sched(&f, c.tids[i], &sched), 0);
            bool kept = false;
            for (size_t k = 0; k < WICK_THREAD_FILES_KEPT; k++)
                kept |= f.kept[k].tid == c.tids[0];
            assert_true(kept);
        }
    wick_thread_files_close(&f);
    end(&c);
}

/* A program that may have few descriptors needs them itself. */
static void test_files__are_a_small_part_of_what_may_be_open(void **state)
{
    static const unsigned mosts[] = {256, 64};
    struct rlimit limit;
    struct crowd c;
    (void)state;
    assert_return_code(getrlimit(RLIMIT_NOFILE, &limit), 0);
    begin(&c, 20);
    for (size_t m = 0; m < sizeof mosts / sizeof *mosts && limit.rlim_cur >= mosts[0]; m++) {
        const struct rlimit few = {mosts[m], limit.rlim_max};
        struct wick_thread_files f;
        struct wick_thread_sched sched;
        bool places[4] = {false};
        if (setrlimit(RLIMIT_NOFILE, &few) || wick_thread_files_open(&f, true))
            fail();
        int none = descriptors(), read = 0, expected = 0;
        for (int i = 0; i < c.n; i++) {
            bool *place = &places[(unsigned)c.tids[i] % (mosts[m] / 64)];
            read += !wick_thread_sched(&f, c.tids[i], &sched);
            expected += !*place;
            *place = true;
        }
        int kept = descriptors() - none;
        wick_thread_files_close(&f);
        setrlimit(RLIMIT_NOFILE, &limit);
        assert_int_equal(read, c.n);
        assert_int_equal(kept, expected);
    }
    end(&c);
}

static void test_files__are_not_kept_where_that_is_not_wanted(void **state)
{
    struct wick_thread_files f;
    struct wick_thread_sched sched;
    (void)state;
    assert_int_equal(wick_thread_files_open(&f, false), 0);
    int none = descriptors();
    assert_int_equal(wick_thread_sched(&f, (int32_t)syscall(SYS_gettid), &sched), 0);
    assert_int_equal(descriptors(), none);
    wick_thread_files_forget(&f, (int32_t)syscall(SYS_gettid));
    wick_thread_files_close(&f);
}

/* Some programs close all descriptors that they do not know, and get their numbers for files of their own. */
static void test_files__may_be_closed_by_others(void **state)
{
    (void)state;
    for (int again = 0; again < 3; again++) { /* the number is free, a pipe's, a file's */
        struct wick_thread_files f;
        struct wick_thread_sched sched;
        int32_t self = (int32_t)syscall(SYS_gettid);
        int kept = -1, theirs[2], other = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
        assert_return_code(pipe(theirs), 0);
        assert_int_equal(wick_thread_files_open(&f, true), 0);
        assert_int_equal(wick_thread_sched(&f, self, &sched), 0);
        for (size_t i = 0; i < WICK_THREAD_FILES_KEPT; i++)
            kept = f.kept[i].tid == self ? f.kept[i].files[WICK_THREAD_FILE_SCHEDSTAT].fd : kept;
        assert_true(kept >= 0);
        if (again)
            assert_int_equal(dup2(again == 1 ? theirs[0] : other, kept), kept);
        else
            assert_return_code(close(kept), 0);
        sched.slices = 0;
        assert_int_equal(wick_thread_sched(&f, self, &sched), 0);
        assert_true(sched.slices > 0);
        wick_thread_files_close(&f);
        if (again)
            assert_int_equal(close(kept), 0);
        close(theirs[0]);
        close(theirs[1]);
        close(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files__stay_open_until_their_thread_ends),
        cmocka_unit_test(test_files__are_as_the_thread_is_now),
        cmocka_unit_test(test_files__of_more_threads_take_the_place_of_others),
        cmocka_unit_test(test_files__of_a_busy_thread_stay_open_among_others),
        cmocka_unit_test(test_files__are_a_small_part_of_what_may_be_open),
        cmocka_unit_test(test_files__are_not_kept_where_that_is_not_wanted),
        cmocka_unit_test(test_files__may_be_closed_by_others),
    };
    return cmocka_run_group_tests_name("thread_files", tests, NULL, NULL);
}
