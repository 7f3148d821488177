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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/gate.h"
#include "engine/signal.h"

#define SECOND UINT64_C(1000000000)

static struct wick_gate gate;

static bool wait_gate(struct wick_gate *g)
{
    uint64_t patience_ns = 2 * SECOND;
    return wick_gate_wait(g, &patience_ns);
}

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
    wait_gate(&gate);
    uint32_t lane = wick_gate_enter_sig(&gate);
    wick_gate_leave_sig(&gate, lane);
    wait_gate(&gate);
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
    wait_gate(&gate);
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
        wait_gate(&gate);
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

/* A handler that never comes back: the wait ends, says so, and the next one does not wait for it again. */
static void test_gate__a_handler_that_never_leaves_is_given_up_once(void **state)
{
    struct wick_gate *g = calloc(1, sizeof *g);
    assert_non_null(g);
    uint32_t gone = wick_gate_enter_sig(g);
    assert_false(wait_gate(g));
    assert_int_equal(atomic_load(&g->lost), 1);
    assert_true(wait_gate(g));
    uint32_t lane = wick_gate_enter_sig(g);
    wick_gate_leave_sig(g, gone); /* it came back after all, which is not to count for the other one */
    assert_false(wait_gate(g));
    wick_gate_leave_sig(g, lane);
    assert_true(wait_gate(g));
    assert_int_equal(atomic_load(&g->lost), 2);
    free(g);
}

/* With one lost in each set of lanes it still ends: those are remembered and not waited for again, but no answer can be
 * true any more until one of them comes back. Later ones are counted, once. */
static void test_gate__waits_end_when_every_set_has_lost_one(void **state)
{
    struct wick_gate *g = calloc(1, sizeof *g);
    uint32_t gone[WICK_GATE_SETS];
    assert_non_null(g);
    for (int i = 0; i < WICK_GATE_SETS; i++) {
        gone[i] = wick_gate_enter_sig(g);
        uint64_t patience_ns = SECOND / 5;
        assert_false(wick_gate_wait(g, &patience_ns));
        assert_int_equal(patience_ns, 0);
    }
    for (int i = 0; i < 3; i++) {
        uint64_t patience_ns = 600 * SECOND; /* nobody would wait that long for this test */
        assert_false(wick_gate_wait(g, &patience_ns));
        assert_int_equal(atomic_load(&g->lost), WICK_GATE_SETS);
    }
    uint32_t lane = wick_gate_enter_sig(g);
    uint64_t patience_ns = SECOND / 5;
    assert_false(wick_gate_wait(g, &patience_ns));
    assert_int_equal(atomic_load(&g->lost), WICK_GATE_SETS + 1);
    wick_gate_leave_sig(g, lane);
    for (int i = 0; i < WICK_GATE_SETS; i++)
        wick_gate_leave_sig(g, gone[i]);
    assert_true(wait_gate(g));
    free(g);
}

/* A stop waits for the handlers of several engines; those lost in each do not add up. */
static void test_gate__all_gates_of_a_stop_share_its_patience(void **state)
{
    enum { GATES = 4 };
    struct wick_gate *g = calloc(GATES, sizeof *g);
    uint64_t patience_ns = SECOND, begin, first = 0;
    assert_non_null(g);
    for (int i = 0; i < GATES; i++) {
        wick_gate_enter_sig(&g[i]);
        begin = wick_clock_mono_ns();
        assert_false(wick_gate_wait(&g[i], &patience_ns));
        first = i ? first : wick_clock_mono_ns() - begin;
        assert_int_equal(patience_ns, 0);
    }
    assert_true(first >= SECOND);
    free(g);
}

/* The kernel's own structure: the C library's may hide signals of its own. */
struct kernel_action {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
};

static void nothing(int sig, siginfo_t *info, void *context)
{
}

static void test_signal__a_handler_blocks_all_signals_but_those_of_faults(void **state)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    struct wick_signal s;
    struct wick_err err;
    struct kernel_action a;
    uint64_t open = 0;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        open |= UINT64_C(1) << (faults[i] - 1);
    open |= UINT64_C(1) << (SIGKILL - 1) | UINT64_C(1) << (SIGSTOP - 1); /* the kernel leaves these out */
    assert_int_equal(wick_signal_take(&s, WICK_SIGNAL_ANY, nothing, &err), 0);
    assert_int_equal(syscall(SYS_rt_sigaction, s.number, NULL, &a, sizeof a.mask), 0);
    assert_int_equal(a.mask, ~open);
    wick_signal_give(&s);
    assert_int_equal(syscall(SYS_rt_sigaction, s.number, NULL, &a, sizeof a.mask), 0);
    assert_null(a.handler);
}

/* How a process ends that gives a signal back and unblocks it then: late ones of ours are pending when it is given
 * back, in the thread and for the whole process; a foreign one comes afterwards. 0: it lives. */
static int end_of_process(int number, bool late, bool foreign)
{
    int status = -1;
    pid_t child = fork();
    if (!child) {
        struct wick_signal s;
        struct wick_err err;
        sigset_t one;
        if (wick_signal_take(&s, number, nothing, &err))
            _exit(2);
        sigemptyset(&one);
        sigaddset(&one, s.number);
        pthread_sigmask(SIG_BLOCK, &one, NULL);
        if (late && (sigqueue(getpid(), s.number, (union sigval){.sival_ptr = &s}) || raise(s.number)))
            _exit(3);
        wick_signal_give(&s);
        pthread_sigmask(SIG_UNBLOCK, &one, NULL);
        if (foreign)
            kill(getpid(), s.number);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_signal__delayed_ones_end_nothing_and_foreign_ones_have_their_default_effect(void **state)
{
    static const int numbers[] = {WICK_SIGNAL_ANY, WICK_SIGNAL_ANY_REALTIME, SIGPROF};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_int_equal(end_of_process(numbers[i], true, false), 0);
        assert_true(WIFSIGNALED(end_of_process(numbers[i], false, true)));
        assert_true(WIFSIGNALED(end_of_process(numbers[i], true, true)));
    }
}

static _Atomic int in_handler, go_on, came_back;

static void linger(int sig, siginfo_t *info, void *context)
{
    uint32_t lane = wick_gate_enter_sig(&gate);
    atomic_store(&in_handler, 1);
    while (!atomic_load(&go_on))
        ;
    wick_gate_leave_sig(&gate, lane);
    atomic_store(&came_back, 1);
}

static void *spin_cancellable(void *arg)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    raise(*(const int *)arg);
    for (;;)
        ;
    return NULL;
}

static sigjmp_buf out;

static void jump(int sig)
{
    siglongjmp(out, 1);
}

static void *jump_out(void *arg)
{
    if (!sigsetjmp(out, 1))
        raise(*(const int *)arg);
    return NULL;
}

/* A thread that is cancelled, or whose signal handler jumps away, while our handler runs in it: ours comes first. */
static void test_signal__a_handler_comes_back_whatever_comes_upon_its_thread(void **state)
{
    struct sigaction jumps = {.sa_handler = jump}, old;
    struct wick_signal s;
    struct wick_err err;
    assert_int_equal(sigaction(SIGALRM, &jumps, &old), 0);
    assert_int_equal(wick_signal_take(&s, WICK_SIGNAL_ANY, linger, &err), 0);
    for (int by_jump = 0; by_jump < 2; by_jump++) {
        pthread_t thread;
        atomic_store(&in_handler, 0);
        atomic_store(&go_on, 0);
        atomic_store(&came_back, 0);
        assert_int_equal(pthread_create(&thread, NULL, by_jump ? jump_out : spin_cancellable, &s.number), 0);
        while (!atomic_load(&in_handler))
            usleep(100);
        assert_int_equal(by_jump ? pthread_kill(thread, SIGALRM) : pthread_cancel(thread), 0);
        usleep(20000);
        atomic_store(&go_on, 1);
        pthread_join(thread, NULL);
        assert_int_equal(atomic_load(&came_back), 1);
        assert_true(wait_gate(&gate));
    }
    wick_signal_give(&s);
    sigaction(SIGALRM, &old, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gate__an_empty_one_holds_nobody_up),
        cmocka_unit_test(test_gate__waiting_ends_when_all_have_left),
        cmocka_unit_test(test_gate__a_handler_that_never_leaves_is_given_up_once),
        cmocka_unit_test(test_gate__all_gates_of_a_stop_share_its_patience),
        cmocka_unit_test(test_gate__waits_end_when_every_set_has_lost_one),
        cmocka_unit_test(test_signal__a_handler_blocks_all_signals_but_those_of_faults),
        cmocka_unit_test(test_signal__delayed_ones_end_nothing_and_foreign_ones_have_their_default_effect),
        cmocka_unit_test(test_signal__a_handler_comes_back_whatever_comes_upon_its_thread),
        cmocka_unit_test(test_gate__what_handlers_use_can_be_freed_behind_it),
    };
    return cmocka_run_group_tests_name("gate", tests, NULL, NULL);
}
