/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_breakpoint.c - breakpoints in functions of this program, by threads that call them all the time
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/breakpoint.h"
#include "engine/breakpoint_int.h"

enum { THREADS = 4, ROUNDS = 200, CODE = 16 };

/* endbr64; lea (%rdi,%rsi), %rax; ret and push %rbx; lea (%rdi,%rsi), %rax; pop %rbx; ret */
static const uint8_t codes[2][CODE] = {{0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x8d, 0x04, 0x37, 0xc3},
                                       {0x53, 0x48, 0x8d, 0x04, 0x37, 0x5b, 0xc3}};
typedef uint64_t function(uint64_t, uint64_t);

static uint8_t *page;
static wick_addr at[2];
static _Atomic uint64_t hits[2], sums;
static _Atomic bool go_on;

static int set_up(void **state)
{
    (void)state;
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    for (int i = 0; i < 2; i++) {
        memcpy(page + 64 * i, codes[i], CODE);
        at[i] = (wick_addr)(uintptr_t)(page + 64 * i);
    }
    return mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

static uint64_t call(int i, uint64_t a, uint64_t b)
{
    function *f;
    memcpy(&f, &at[i], sizeof f);
    return f(a, b);
}

static void hit(unsigned number, const ucontext_t *c)
{
    wick_add_relaxed(&hits[number], 1);
    wick_add_relaxed(&sums, (uint64_t)(c->uc_mcontext.gregs[REG_RDI] + c->uc_mcontext.gregs[REG_RSI]));
    if ((wick_addr)c->uc_mcontext.gregs[REG_RIP] != at[number])
        abort();
}

static bool is_whole(void)
{
    return !memcmp(page, codes[0], CODE) && !memcmp(page + 64, codes[1], CODE);
}

static void test_breakpoint__functions_are_seen_with_their_arguments_and_do_what_they_did(void **state)
{
    (void)state;
    assert_int_equal(wick_breakpoint_set(at, 2, hit, NULL), 0);
    assert_int_equal(page[0], 0xcc);
    for (int i = 0; i < 2; i++)
        assert_int_equal(call(i, 20, 22), 42);
    assert_true(wick_breakpoint_guard());
    assert_true(wick_breakpoint_clear());
    assert_true(is_whole());
    assert_int_equal(hits[0], 1);
    assert_int_equal(hits[1], 1);
    assert_int_equal(sums, 84);
    assert_int_equal(call(0, 1, 2), 3);
    assert_int_equal(hits[0], 1);
}

static void *calls(void *arg)
{
    uintptr_t wrong = 0;
    (void)arg;
    for (uint64_t n = 0; go_on; n++)
        wrong += call((int)(n & 1), n, 1) != n + 1;
    return (void *)wrong;
}

static void test_breakpoint__come_and_go_while_threads_call(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    go_on = true;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, calls, NULL), 0);
    for (int n = 0; n < ROUNDS; n++) {
        uint64_t before = hits[n & 1];
        assert_int_equal(wick_breakpoint_set(at, 2, hit, NULL), 0);
        while (hits[n & 1] == before)
            ;
        assert_true(wick_breakpoint_clear());
        assert_true(is_whole());
    }
    go_on = false;
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
}

static void test_breakpoint__code_that_begins_otherwise_is_refused(void **state)
{
    static const wick_addr other = (wick_addr)(uintptr_t) "\x90\x90\x90\x90";
    struct wick_err err = {0};
    (void)state;
    assert_int_equal(wick_breakpoint_set(&other, 1, hit, &err), -WICK_E_UNSUPPORTED);
    assert_non_null(strstr(err.msg, "somebody has changed it"));
    assert_true(is_whole());
}

static void test_breakpoint__few_instructions_are_known(void **state)
{
    static const uint8_t known[][4] = {{0x55}, {0x41, 0x57}, {0xf3, 0x0f, 0x1e, 0xfa}};
    static const uint8_t others[][4] = {{0x90, 0x90, 0x90, 0x90},
                                        {0x48, 0x83, 0xec, 0x08},
                                        {0x89, 0xf8},
                                        {0x41, 0x89, 0xf8},
                                        {0x58},
                                        {0xf3, 0x0f, 0x1e, 0xfb},
                                        {0xcc},
                                        {0xe9}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(wick_breakpoint_step_sig(known[i], NULL));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(wick_breakpoint_step_sig(others[i], NULL));
}

static void test_breakpoint__a_thread_that_blocks_the_signal_does_not_any_more(void **state)
{
    sigset_t trap;
    (void)state;
    assert_false(wick_breakpoint_unblock());
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    pthread_sigmask(SIG_BLOCK, &trap, NULL);
    assert_true(wick_breakpoint_unblock());
    assert_false(wick_breakpoint_unblock());
}

/* How a child ends that raises the signal, `instruction`: by int3. */
static int ending(bool instruction)
{
    pid_t child = fork();
    int status;
    if (!child) {
        if (instruction)
            __asm__ volatile("int3");
        else
            raise(SIGTRAP);
        _exit(7);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static void theirs(int sig)
{
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    _exit(sig == SIGTRAP && sigismember(&now, SIGTRAP) && sigismember(&now, SIGUSR1) ? 3 : 4);
}

static void test_breakpoint__signals_of_others_have_the_effect_that_they_had(void **state)
{
    struct sigaction *before = &wick_breakpoint_state.before, kept = *before;
    (void)state;
    assert_int_equal(ending(true), SIGTRAP);
    assert_int_equal(ending(false), SIGTRAP);
    before->sa_handler = SIG_IGN;
    assert_int_equal(ending(false), -7);
    assert_int_equal(ending(true), SIGTRAP);
    before->sa_handler = theirs;
    sigaddset(&before->sa_mask, SIGUSR1);
    assert_int_equal(ending(false), -3);
    assert_int_equal(ending(true), -3);
    *before = kept;
}

static void test_breakpoint__another_handler_ends_them(void **state)
{
    struct sigaction other = {.sa_handler = theirs}, ours;
    struct wick_err err = {0};
    (void)state;
    assert_int_equal(wick_breakpoint_set(at, 2, hit, NULL), 0);
    assert_int_equal(sigaction(SIGTRAP, &other, &ours), 0);
    assert_false(wick_breakpoint_guard());
    assert_true(is_whole());
    assert_int_equal(wick_breakpoint_set(at, 2, hit, &err), -WICK_E_STATE);
    assert_true(is_whole());
    assert_int_equal(sigaction(SIGTRAP, &ours, NULL), 0);
    assert_int_equal(wick_breakpoint_set(at, 2, hit, NULL), 0);
    assert_true(wick_breakpoint_clear());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_breakpoint__functions_are_seen_with_their_arguments_and_do_what_they_did),
        cmocka_unit_test(test_breakpoint__come_and_go_while_threads_call),
        cmocka_unit_test(test_breakpoint__code_that_begins_otherwise_is_refused),
        cmocka_unit_test(test_breakpoint__few_instructions_are_known),
        cmocka_unit_test(test_breakpoint__a_thread_that_blocks_the_signal_does_not_any_more),
        cmocka_unit_test(test_breakpoint__signals_of_others_have_the_effect_that_they_had),
        cmocka_unit_test(test_breakpoint__another_handler_ends_them),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
