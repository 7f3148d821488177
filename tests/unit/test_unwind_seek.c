/* SPDX-License-Identifier: Apache-2.0 */
/* Steps through native functions with a frame pointer that nobody knows: threads seen from outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "unwind_case.h"

/* The function starts here, is at PC, and its caller called it at CALL and has itself CALLER_CALL as return address. */
enum { FUNCTION = 0x100, PC = 0x160, CALL = 0x400, OTHER = 0x800 };

/* push rbp; mov rbp, rsp; two pushes: they lie at cfa - 24 and cfa - 32 */
static const struct wick_unwind_rule by_fp = {.cfa_off = 16,
                                              .cfa_reg = 6,
                                              .off = {-16, -8, -32, -24},
                                              .how = {WICK_HOW_CFA, WICK_HOW_CFA, WICK_HOW_CFA, WICK_HOW_CFA}};

static void put_code(uint32_t at, const void *bytes, size_t n)
{
    memcpy(f.native + at, bytes, n);
}

/* A direct call of `to` that returns to `ret`; the address. */
static uint64_t put_call(uint32_t ret, uint32_t to)
{
    uint8_t c[5] = {0xe8};
    int32_t rel = (int32_t)to - (int32_t)ret;
    memcpy(c + 1, &rel, 4);
    put_code(ret - 5, c, sizeof c);
    return FJ_NATIVE + ret;
}

/* The thread waits in FUNCTION, which has `room` bytes on its stack; sp and pc are all that is known. */
static void waiting(uint8_t room)
{
    const uint8_t prologue[] = {0x55, 0x48, 0x89, 0xe5, 0x41, 0x54, 0x53, 0x48, 0x83, 0xec, room};
    begin(21);
    memset(f.native, 0x90, sizeof f.native);
    put_code(FUNCTION, prologue, room ? sizeof prologue : 7);
    f.env.rule = &by_fp;
    f.env.function = FJ_NATIVE + FUNCTION;
    f.s.pc = FJ_NATIVE + PC;
    f.s.sp = fj_sp(20);
    f.s.leaf = 0;
    f.s.unknown = ~(1u << STEP_REG_SP);
}

/* The saved rbp is at word `at`, the return address behind it. */
static void put_link(uint32_t at, uint64_t fp, uint64_t ret)
{
    f.stack[at] = fp;
    f.stack[at + 1] = ret;
}

static void test_seek__the_prologue_says_where_the_frame_pointer_is(void **state)
{
    static const uint8_t rooms[] = {0, 0x10, 0x78};
    for (size_t i = 0; i < COUNT(rooms); i++) {
        uint32_t at = 20 + 2 + rooms[i] / 8;
        waiting(rooms[i]);
        put_link(at, fj_sp(300), put_call(CALL, FUNCTION));
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(frame.kind, WICK_STEP_NATIVE);
        expect_caller(FJ_NATIVE + CALL, fj_sp(at + 2), fj_sp(300));
        assert_int_equal(f.s.scans, 0);
        assert_int_equal(f.s.gaps, 0);
        /* what it saved is known from here on, the rest is not */
        assert_true(step_is_known(&f.s, STEP_REG_FP) && step_is_known(&f.s, 3) && step_is_known(&f.s, 12));
        assert_false(step_is_known(&f.s, 13));
    }
}

static void test_seek__an_indirect_call_fits_where_the_prologue_says(void **state)
{
    static const uint8_t call_rax[] = {0xff, 0xd0};
    waiting(0x20);
    put_code(CALL - 2, call_rax, sizeof call_rax);
    put_link(26, 0, FJ_NATIVE + CALL); /* its caller uses rbp for something else */
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(FJ_NATIVE + CALL, fj_sp(28), 0);
    waiting(0x20); /* elsewhere it proves nothing: stacks are full of old return addresses */
    put_code(CALL - 2, call_rax, sizeof call_rax);
    put_link(40, 0, FJ_NATIVE + CALL);
    expect_break(WICK_STOP_REGISTER);
}

static void test_seek__without_a_prologue_only_a_call_of_this_function_counts(void **state)
{
    waiting(0);
    f.native[FUNCTION] = 0x90;                            /* room made in another way: 40 words */
    put_link(30, fj_sp(35), put_call(OTHER, OTHER + 64)); /* left by a function that was called before */
    put_link(60, fj_sp(300), put_call(CALL, FUNCTION));
    put_link(80, fj_sp(300), put_call(CALL + 64, FUNCTION)); /* further up */
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(FJ_NATIVE + CALL, fj_sp(62), fj_sp(300));
    assert_int_equal(f.s.scans, 1);
}

static void test_seek__calls_through_jumps_lead_here(void **state)
{
    static const uint8_t plt[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0x15, 0, 0, 0};
    waiting(0);
    put_code(OTHER, plt, sizeof plt); /* through the word at OTHER + 11 + 0x15 */
    fj_put64(f.native, OTHER + 32, FJ_NATIVE + FUNCTION);
    put_link(60, fj_sp(300), put_call(CALL, OTHER));
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(FJ_NATIVE + CALL, fj_sp(62), fj_sp(300));
    waiting(0);
    put_call(OTHER + 5, FUNCTION); /* a thunk: the same bytes but the first */
    f.native[OTHER] = 0xe9;
    put_link(60, fj_sp(300), put_call(CALL, OTHER));
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(FJ_NATIVE + CALL, fj_sp(62), fj_sp(300));
}

static void test_seek__the_caller_may_be_java_code(void **state)
{
    waiting(0x10);
    uint64_t ret = fj_return(&f, &caller, 100);
    put_link(24, fj_sp(300), ret);
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(ret, fj_sp(26), fj_sp(300));
}

static void test_seek__what_is_not_found_has_its_own_reason(void **state)
{
    waiting(0x10);
    expect_break(WICK_STOP_REGISTER);
    waiting(0x10);
    put_link(24, fj_sp(300), FJ_NATIVE + CALL); /* behind no call */
    expect_break(WICK_STOP_REGISTER);
    waiting(0x10);
    put_link(24, fj_sp(300), put_call(CALL, FUNCTION));
    f.env.function = 0;
    expect_break(WICK_STOP_REGISTER);
    struct wick_unwind_rule other = by_fp;
    other.cfa_reg = 3; /* counts from rbx */
    waiting(0x10);
    put_link(24, fj_sp(300), put_call(CALL, FUNCTION));
    f.env.rule = &other;
    expect_break(WICK_STOP_REGISTER);
}

static void test_seek__the_anchor_comes_after_it(void **state)
{
    waiting(0x10);
    f.s.anchor_sp = fj_sp(100);
    f.s.anchor_pc = caller.code + 100;
    put_link(24, fj_sp(300), put_call(CALL, FUNCTION));
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(FJ_NATIVE + CALL, fj_sp(26), fj_sp(300));
    assert_int_equal(f.s.gaps, 0);
    f.s.pc = FJ_NATIVE + PC;
    f.s.unknown = UINT32_MAX;
    memset(f.stack, 0, sizeof f.stack);
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(caller.code + 100, fj_sp(100), fj_sp(300));
    assert_int_equal(f.s.gaps, 1);
}

static void test_seek__registers_that_are_known_are_used_as_they_are(void **state)
{
    waiting(0x10);
    f.s.unknown = 0;
    f.s.fp = fj_sp(40);
    put_link(24, fj_sp(300), put_call(CALL, FUNCTION));
    put_link(40, fj_sp(310), FJ_NATIVE + OTHER);
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(FJ_NATIVE + OTHER, fj_sp(42), fj_sp(310));
}

/* What is carried over by rules of every kind. */
static void test_seek__knowledge_follows_the_registers(void **state)
{
    struct wick_unwind_rule r = {.cfa_off = 16, .cfa_reg = 7, .how = {0, WICK_HOW_CFA}, .off = {0, -8}};
    waiting(0x10);
    r.how[WICK_SLOT_RBX] = WICK_HOW_MOVED | 8 << 3;
    r.how[WICK_SLOT_R12] = WICK_HOW_LOST;
    r.how[WICK_SLOT_R13] = WICK_HOW_VALUE;
    f.env.rule = &r;
    f.stack[21] = FJ_NATIVE + CALL;
    f.s.unknown = 1u << STEP_REG_FP | 1u << 8;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(f.s.unknown, 1u << STEP_REG_FP | 1u << 8 | 1u << 3 | 1u << 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seek__the_prologue_says_where_the_frame_pointer_is),
        cmocka_unit_test(test_seek__an_indirect_call_fits_where_the_prologue_says),
        cmocka_unit_test(test_seek__without_a_prologue_only_a_call_of_this_function_counts),
        cmocka_unit_test(test_seek__calls_through_jumps_lead_here),
        cmocka_unit_test(test_seek__the_caller_may_be_java_code),
        cmocka_unit_test(test_seek__what_is_not_found_has_its_own_reason),
        cmocka_unit_test(test_seek__the_anchor_comes_after_it),
        cmocka_unit_test(test_seek__registers_that_are_known_are_used_as_they_are),
        cmocka_unit_test(test_seek__knowledge_follows_the_registers),
    };
    return cmocka_run_group_tests_name("unwind_seek", tests, NULL, NULL);
}
