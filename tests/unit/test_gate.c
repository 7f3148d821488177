/* SPDX-License-Identifier: Apache-2.0 */
/* Stopping an engine while handlers are on their way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/gate.h"

static struct wick_gate gate;

struct stay {
    pthread_t thread;
    _Atomic int inside, leave, left;
};

/* A handler that has just begun and has lost its processor. */
static void *stay(void *arg)
{
    struct stay *s = arg;
    uint32_t lane = wick_gate_enter_sig(&gate);
    atomic_store(&s->inside, 1);
    while (!atomic_load(&s->leave))
        usleep(100);
    atomic_store(&s->left, 1);
    wick_gate_leave_sig(&gate, lane);
    return NULL;
}

static void *let_go(void *arg)
{
    struct stay *s = arg;
    usleep(20000);
    atomic_store(&s->leave, 1);
    return NULL;
}

static void test_gate__an_empty_one_holds_nobody_up(void **state)
{
    wick_gate_wait(&gate);
    uint32_t lane = wick_gate_enter_sig(&gate);
    wick_gate_leave_sig(&gate, lane);
    wick_gate_wait(&gate);
}

static void test_gate__waiting_ends_when_all_have_left(void **state)
{
    struct stay s[3] = {0};
    pthread_t later[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&s[i].thread, NULL, stay, &s[i]), 0);
        while (!atomic_load(&s[i].inside))
            usleep(100);
        assert_int_equal(pthread_create(&later[i], NULL, let_go, &s[i]), 0);
    }
    wick_gate_wait(&gate);
    for (int i = 0; i < 3; i++) {
        assert_true(atomic_load(&s[i].left));
        pthread_join(s[i].thread, NULL);
        pthread_join(later[i], NULL);
    }
}

/* An engine that comes and goes under a storm of signals: its memory is freed as soon as the gate lets its owner pass,
 * and a handler that still used it would be caught by the address sanitizer. */
static _Atomic(uint64_t *) engine;
static _Atomic int storm_over;
static _Atomic uint64_t used;

static void handler(int sig)
{
    uint32_t lane = wick_gate_enter_sig(&gate);
    uint64_t *e = atomic_load(&engine);
    if (e)
        for (int i = 0; i < 64; i++)
            atomic_fetch_add(&used, e[i]);
    wick_gate_leave_sig(&gate, lane);
}

static void *storm(void *arg)
{
    while (!atomic_load(&storm_over))
        raise(SIGUSR1);
    return NULL;
}

static void test_gate__what_handlers_use_can_be_freed_behind_it(void **state)
{
    struct sigaction sa = {.sa_handler = handler}, old;
    pthread_t threads[4];
    assert_int_equal(sigaction(SIGUSR1, &sa, &old), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, storm, NULL), 0);
    for (int round = 0; round < 500 || !atomic_load(&used); round++) {
        uint64_t *e = malloc(64 * sizeof *e);
        assert_non_null(e);
        for (int i = 0; i < 64; i++)
            e[i] = 1;
        atomic_store(&engine, e);
        usleep(20);
        atomic_store(&engine, NULL);
        wick_gate_wait(&gate);
        for (int i = 0; i < 64; i++)
            e[i] = UINT64_MAX / 2;
        free(e);
    }
    atomic_store(&storm_over, 1);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    sigaction(SIGUSR1, &old, NULL);
    assert_true(atomic_load(&used) % 64 == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gate__an_empty_one_holds_nobody_up),
        cmocka_unit_test(test_gate__waiting_ends_when_all_have_left),
        cmocka_unit_test(test_gate__what_handlers_use_can_be_freed_behind_it),
    };
    return cmocka_run_group_tests_name("gate", tests, NULL, NULL);
}
