/* SPDX-License-Identifier: Apache-2.0 */
/* Where the agent's probe of allocations has its arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ebpf/host_alloc_probe.h"

static void test_host_alloc_probe__registers_are_places_in_the_kernels_struct(void **state)
{
    /* the order of struct pt_regs: r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi */
    static const struct {
        const char *arguments;
        uint64_t cookie;
    } cases[] = {{"8@%r15 8@%r14 8@%rdi", 14 << 16 | 1 << 8 | 0},
                 {"8@%r13 8@%rax 8@%rdx", 12 << 16 | 10 << 8 | 2},
                 {"8@%r8 8@%r9 8@%rbp", 4 << 16 | 8 << 8 | 9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t cookie;
        assert_true(wick_host_alloc_cookie(cases[i].arguments, &cookie));
        assert_int_equal(cookie, cases[i].cookie);
    }
}

static void test_host_alloc_probe__other_arguments_are_refused(void **state)
{
    static const char *const wrong[] = {"",
                                        "8@%r13",
                                        "8@%r13 8@%rax",
                                        "8@%r13 8@%rax ",
                                        "4@%r13 8@%rax 8@%rdx",
                                        "-8@%r13 8@%rax 8@%rdx",
                                        "8@$13 8@%rax 8@%rdx",
                                        "8@8(%rsp) 8@%rax 8@%rdx",
                                        "8@%r13d 8@%rax 8@%rdx",
                                        "8@%r1 8@%rax 8@%rdx",
                                        "8@% 8@%rax 8@%rdx",
                                        "8@%rip 8@%rax 8@%rdx"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint64_t cookie;
        assert_false(wick_host_alloc_cookie(wrong[i], &cookie));
    }
}

static void test_host_alloc_probe__more_than_50000_calls_a_second_are_too_many(void **state)
{
    assert_false(wick_host_alloc_floods(0, 1000000000));
    assert_false(wick_host_alloc_floods(49999, 1000000000));
    assert_true(wick_host_alloc_floods(50000, 1000000000));
    assert_false(wick_host_alloc_floods(50000, 1000000001));
    assert_false(wick_host_alloc_floods(54999, 1100000000));
    assert_true(wick_host_alloc_floods(55000, 1100000000));
    assert_true(wick_host_alloc_floods(UINT64_MAX, UINT64_C(3600000000000)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_alloc_probe__registers_are_places_in_the_kernels_struct),
        cmocka_unit_test(test_host_alloc_probe__other_arguments_are_refused),
        cmocka_unit_test(test_host_alloc_probe__more_than_50000_calls_a_second_are_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
