/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel id that the C library keeps of a thread is found, and is the kernel's in every thread and in a child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "engine/thread/own_tid.h"

enum { THREADS = 8 };

static struct wick_mem mem;

static bool is_kernels(void)
{
    return wick_own_tid_sig() == (int32_t)syscall(SYS_gettid);
}

static void *learner(void *arg)
{
    wick_own_tid_learn(&mem);
    *(bool *)arg = is_kernels();
    return NULL;
}

static void *reader(void *arg)
{
    *(bool *)arg = is_kernels();
    return NULL;
}

static bool runs_well(void *(*main)(void *))
{
    bool good[THREADS] = {false}, all = true;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, main, &good[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        all = all && good[i];
    }
    return all;
}

static void test_own_tid__is_asked_of_the_kernel_until_its_place_is_known(void **state)
{
    (void)state;
    assert_int_equal(wick_mem_self_init(&mem), 0);
    wick_own_tid_learn(&mem);
    wick_own_tid_learn(&mem); /* the same thread again adds nothing */
    assert_int_equal(wick_own_tid_place, 0);
    assert_true(is_kernels());
    assert_true(runs_well(reader));
}

static void test_own_tid__is_read_from_the_thread_once_two_have_been_searched(void **state)
{
    (void)state;
    assert_true(runs_well(learner));
    assert_int_not_equal(wick_own_tid_place, 0);
    assert_true(is_kernels());
    assert_true(runs_well(reader));
}

static void test_own_tid__is_its_own_in_a_child_of_fork(void **state)
{
    int status = -1;
    (void)state;
    pid_t child = fork();
    if (!child)
        _exit(is_kernels() ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_tid__is_asked_of_the_kernel_until_its_place_is_known),
        cmocka_unit_test(test_own_tid__is_read_from_the_thread_once_two_have_been_searched),
        cmocka_unit_test(test_own_tid__is_its_own_in_a_child_of_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
