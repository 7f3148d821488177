/* SPDX-License-Identifier: Apache-2.0 */
/* Steps through stubs, native code and boundaries, and whole walks, in a JVM made of flat buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "unwind_case.h"

/* --- stubs -------------------------------------------------------------------------------------------------------- */

static void test_stub__without_a_frame_returns_to_the_word_on_top(void **state)
{
    static const char *const names[] = {"StubRoutines (1)", "vtable chunks"};
    for (size_t i = 0; i < COUNT(names); i++) {
        begin(17);
        struct fj_blob b = fj_blob(&f, names[i], 200, 0, -1);
        uint64_t ret = fj_return(&f, &caller, 100);
        f.stack[20] = ret;
        f.s.pc = b.code + 60;
        f.s.sp = fj_sp(20);
        f.s.fp = fj_sp(300);
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(frame.kind, WICK_STEP_STUB);
        assert_int_equal(frame.ptr, b.addr);
        expect_caller(ret, fj_sp(21), fj_sp(300));
    }
}

static void test_stub__with_a_described_frame_is_left_by_its_size(void **state)
{
    begin(17);
    struct fj_blob b = fj_blob(&f, "RuntimeStub - x", 200, 6, -1);
    uint64_t ret = fj_return(&f, &caller, 100);
    put_frame(20, 6, ret, fj_sp(300));
    f.s.pc = b.code + 60;
    f.s.sp = fj_sp(20);
    f.s.leaf = 0;
    f.jvm.cont_barrier = 1; /* known, and not here */
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(ret, fj_sp(26), fj_sp(300));
}

/* A stub for Math.exp makes room without using it: an allocation before has left its stub's return address there. */
static void test_stub__is_not_called_by_a_runtime_stub(void **state)
{
    for (int at = 0; at < 3; at++) {
        begin(25);
        struct fj_blob b = fj_blob(&f, "StubRoutines (compiler stubs)", 200, 0, -1),
                       alloc = fj_blob(&f, "C2 Runtime new_array", 200, 2, -1);
        uint64_t ret = fj_return(&f, &caller, 100), left = fj_return(&f, &alloc, 40);
        f.stack[20 + at] = left;
        f.stack[23] = ret;
        f.s.pc = b.code + 60;
        f.s.sp = fj_sp(20);
        f.s.fp = fj_sp(300);
        f.s.leaf = 1;
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        expect_caller(ret, fj_sp(24), fj_sp(300));
    }
}

static void test_stub__with_a_frame_pointer_is_left_by_it(void **state)
{
    begin(17);
    struct fj_blob b = fj_blob(&f, "StubRoutines (2)", 200, 0, -1);
    uint64_t ret = fj_return(&f, &caller, 100);
    f.stack[31] = ret;
    f.stack[30] = fj_sp(300);
    f.s.pc = b.code + 60;
    f.s.sp = fj_sp(20);
    f.s.fp = fj_sp(30);
    f.s.leaf = 0;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(ret, fj_sp(32), fj_sp(300));
}

static void test_stub__behind_push_rbp_both_are_on_top(void **state)
{
    begin(17);
    struct fj_blob b = fj_blob(&f, "StubRoutines (2)", 200, 0, -1);
    uint64_t ret = fj_return(&f, &caller, 100);
    f.stack[20] = fj_sp(300);
    f.stack[21] = ret;
    f.s.pc = b.code + 1;
    f.s.sp = fj_sp(20);
    f.s.fp = fj_sp(300);
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(ret, fj_sp(22), fj_sp(300));
}

static void test_stub__a_ret_ends_it(void **state)
{
    static const uint8_t ret_bytes[] = {0xc3};
    begin(17);
    struct fj_blob b = fj_blob(&f, "StubRoutines (2)", 200, 6, -1);
    uint64_t ret = fj_return(&f, &caller, 100);
    fj_code(&f, &b, 60, ret_bytes, 1);
    f.stack[20] = ret;
    f.s.pc = b.code + 60;
    f.s.sp = fj_sp(20);
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(ret, fj_sp(21), 0);
}

static void test_stub__without_a_return_address_the_walk_breaks(void **state)
{
    begin(17);
    struct fj_blob b = fj_blob(&f, "StubRoutines (2)", 200, 0, -1);
    f.s.pc = b.code + 60;
    f.s.sp = fj_sp(20);
    expect_break(WICK_STOP_STUB);
}

/* Where the stub is: sp and rbp, and whether a function that it has called is above. */
static void test_stub__the_entry_barrier_has_a_cookie_below_its_return_address(void **state)
{
    static const struct {
        uint32_t sp, fp;
        uint8_t leaf;
    } cases[] = {{20, 39, 0}, /* it has called the JVM, */
                 {20, 39, 1}, /* has saved some registers, */
                 {39, 39, 1}, /* and nothing else; */
                 {39, 0, 1},  /* has pushed rbp, ... */
                 {40, 0, 1}}; /* ... and the cookie, or is about to return */
    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(21);
        struct fj_blob b = fj_blob(&f, "StubRoutines (final stubs)", 200, 0, -1);
        uint64_t ret = fj_return(&f, &caller, 100);
        for (uint32_t k = 22; k < 26; k++) /* words of frames that were there before */
            f.stack[k] = fj_return(&f, k % 2 ? &interpreter : &caller, 60);
        f.stack[39] = fj_sp(300);
        f.stack[40] = ~UINT64_C(0);
        f.stack[41] = ret;
        f.s.pc = b.code + 60;
        f.s.sp = fj_sp(cases[i].sp);
        f.s.fp = fj_sp(cases[i].fp ? cases[i].fp : 300);
        f.s.leaf = cases[i].leaf;
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(frame.kind, WICK_STEP_STUB);
        expect_caller(ret, fj_sp(42), fj_sp(300));
    }
}

static void test_adapter__may_keep_the_return_address_in_rax(void **state)
{
    begin(17);
    struct fj_blob b = fj_blob(&f, "I2C/C2I adapters", 200, 0, -1);
    uint64_t ret = fj_return(&f, &caller, 100);
    f.s.pc = b.code + 10;
    f.s.sp = fj_sp(20);
    f.s.fp = fj_sp(300);
    f.s.rax = ret;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(ret, fj_sp(20), fj_sp(300));
}

/* Entered without a call: the return address is the poll instruction, which no call precedes. */
static void test_safepoint_and_deopt_blobs__return_into_the_middle_of_a_method(void **state)
{
    static const char *const names[] = {"SafepointBlob", "DeoptimizationBlob"};
    for (size_t i = 0; i < COUNT(names); i++) {
        begin(17);
        struct fj_blob b = fj_blob(&f, names[i], 200, 12, -1);
        put_frame(20, 12, caller.code + 201, fj_sp(300));
        f.s.pc = b.code + 60;
        f.s.sp = fj_sp(20);
        f.s.leaf = 0;
        struct wick_step_state before = f.s;
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        expect_caller(caller.code + 201, fj_sp(32), fj_sp(300));
        assert_int_equal(f.s.scans, 0);
        f.s = before; /* half built: somewhere above sp */
        f.stack[31] = 0;
        f.stack[24] = caller.code + 201;
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(f.s.pc, caller.code + 201);
        assert_int_equal(f.s.sp, fj_sp(25));
        f.s = before;
        f.stack[24] = interpreter.code + 10; /* never returns there */
        expect_break(WICK_STOP_STUB);
    }
}

static const uint8_t poll_in_loop[] = {0x53, 0x55, 0x48,
                                       0x8b, 0xec, 0x9c}; /* push rbx; push rbp; mov rbp, rsp; pushf */
static const uint8_t poll_at_return[] = {0x55, 0x48, 0x8b, 0xec, 0x9c};

/* A safepoint's blob interrupted at `pc` of its code; what is pushed so far lies below word 32, the sp of the frame
 * that polled, or of its caller. */
static struct fj_blob at_safepoint(const uint8_t *code, size_t n, uint32_t pc, uint32_t pushed)
{
    begin(25);
    struct fj_blob b = fj_blob(&f, "SafepointBlob", 200, 12, -1);
    fj_code(&f, &b, 0, code, n);
    f.s.pc = b.code + pc;
    f.s.sp = fj_sp(32 - pushed);
    f.s.fp = fj_sp(300);
    f.stack[33] = caller.code + 41; /* another method, further up */
    f.s.thread = FJ_META + FJ_THREAD;
    f.jvm.thread_saved_pc = 32;
    fj_put64(f.meta, FJ_THREAD + 32, caller.code + 201);
    return b;
}

/* The stack has no return address until late: only the thread has the place of the poll. */
static void test_safepoint_blob__after_a_poll_in_a_loop_the_thread_has_the_return_address(void **state)
{
    static const uint8_t pushed[] = {0, 1, 2, 2, 2};
    for (uint32_t pc = 0; pc < COUNT(pushed); pc++) {
        at_safepoint(poll_in_loop, sizeof poll_in_loop, pc, pushed[pc]);
        f.stack[30] = fj_sp(300);
        if (pc > 1)
            f.s.fp = fj_sp(7); /* the caller's is on the stack */
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(frame.kind, WICK_STEP_STUB);
        expect_caller(caller.code + 201, fj_sp(32), fj_sp(300));
        assert_int_equal(f.s.scans, 0);
    }
    for (uint32_t filled = 0; filled < 2; filled++) { /* registers are being saved: sp is anywhere */
        at_safepoint(poll_in_loop, sizeof poll_in_loop, 50, 9);
        f.s.fp = fj_sp(30);
        f.stack[30] = fj_sp(300);
        f.stack[31] = filled ? caller.code + 99 : 4711;
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        expect_caller(filled ? caller.code + 99 : caller.code + 201, fj_sp(32), fj_sp(300));
        assert_int_equal(f.s.scans, 0);
    }
    at_safepoint(poll_in_loop, sizeof poll_in_loop, 0, 0); /* what the thread has cannot be */
    fj_put64(f.meta, FJ_THREAD + 32, interpreter.code + 10);
    expect_break(WICK_STOP_STUB);
}

static void test_safepoint_blob__after_a_poll_at_a_return_the_stack_has_the_return_address(void **state)
{
    for (uint32_t pc = 0; pc < 4; pc++) {
        at_safepoint(poll_at_return, sizeof poll_at_return, pc, pc ? 2 : 1);
        uint64_t ret = interpreter.code + 30; /* any code can have called the method that returns */
        f.stack[30] = fj_sp(300);
        f.stack[31] = ret;
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        expect_caller(ret, fj_sp(32), fj_sp(300));
    }
    at_safepoint(poll_at_return, sizeof poll_at_return, 50, 9);
    f.s.fp = fj_sp(30);
    f.stack[30] = fj_sp(300);
    f.stack[31] = interpreter.code + 30;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(interpreter.code + 30, fj_sp(32), fj_sp(300));
    assert_int_equal(f.s.scans, 0);
}

/* --- the boundary to native code ---------------------------------------------------------------------------------- */

static void put_anchor(uint8_t *base, uint64_t off, uint64_t sp, uint64_t pc, uint64_t fp)
{
    fj_put64(base, off, sp);
    fj_put64(base, off + 8, pc);
    fj_put64(base, off + 16, fp);
}

static void test_entry_frame__leads_to_native_code_and_to_the_next_anchor(void **state)
{
    begin(17);
    struct fj_blob stubs = fj_blob(&f, "StubRoutines (1)", 300, 0, -1);
    f.jvm.call_stub_return = stubs.code + 120;
    f.stack[60] = fj_sp(70); /* rbp */
    f.stack[61] = FJ_NATIVE + 0x100;
    f.stack[60 - 6] = fj_sp(80); /* JavaCallWrapper */
    put_anchor((uint8_t *)(f.stack + 80), 16, fj_sp(200), caller.code + 100, fj_sp(210));
    f.s.pc = f.jvm.call_stub_return;
    f.s.sp = fj_sp(40);
    f.s.fp = fj_sp(60);
    f.s.leaf = 0;
    struct wick_step_state before = f.s;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(frame.kind, WICK_STEP_ENTRY);
    expect_caller(FJ_NATIVE + 0x100, fj_sp(62), fj_sp(70));
    assert_int_equal(f.s.anchor_sp, fj_sp(200));
    assert_int_equal(f.s.anchor_pc, caller.code + 100);
    assert_int_equal(f.s.anchor_fp, fj_sp(210));
    static const uint64_t wild[] = {0, 8, FJ_STACK, FJ_STACK + 8 * 60 + 70000, UINT64_MAX};
    for (size_t i = 0; i < COUNT(wild); i++) {
        f.s = before;
        f.stack[60 - 6] = wild[i]; /* no wrapper: the walk goes on without an anchor */
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(f.s.anchor_sp, 0);
    }
}

static void test_anchor__one_that_cannot_be_is_none(void **state)
{
    static const struct {
        uint64_t sp, pc;
        bool good;
    } cases[] = {{FJ_STACK + 800, FJ_CODE + 500, true},
                 {FJ_STACK + 800, 0, true},
                 {0, FJ_CODE + 500, false},
                 {FJ_STACK + 80, FJ_CODE + 500, false}, /* below sp */
                 {FJ_STACK + 801, FJ_CODE, false},
                 {FJ_STACK + 8 * FJ_STACK_WORDS, FJ_CODE, false},
                 {FJ_STACK + 800, FJ_NATIVE, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(17);
        f.s.sp = fj_sp(20);
        put_anchor(f.meta, FJ_THREAD + FJ_ANCHOR, cases[i].sp, cases[i].pc, 0);
        step_load_anchor(&f.env, &f.jvm, &f.s, FJ_META + FJ_THREAD + FJ_ANCHOR);
        assert_int_equal(f.s.anchor_sp, cases[i].good ? cases[i].sp : 0);
    }
}

static const struct wick_unwind_rule plain = {
    .cfa_off = 48, .cfa_reg = 7, .off = {-16, -8, -24}, .how = {WICK_HOW_CFA, WICK_HOW_CFA, WICK_HOW_CFA}};

static void test_native__a_rule_gives_all_registers_of_the_caller(void **state)
{
    begin(17);
    f.env.rule = &plain;
    f.stack[25] = FJ_NATIVE + 0x200;
    f.stack[24] = fj_sp(300);
    f.stack[23] = 0xbbbb;
    f.s.pc = FJ_NATIVE + 0x10;
    f.s.sp = fj_sp(20);
    f.s.r12 = 12;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(frame.kind, WICK_STEP_NATIVE);
    assert_int_equal(frame.ptr, FJ_NATIVE + 0x10);
    assert_int_equal(frame.leaf, 1);
    expect_caller(FJ_NATIVE + 0x200, fj_sp(26), fj_sp(300));
    assert_int_equal(f.s.rbx, 0xbbbb);
    assert_int_equal(f.s.r12, 12);
}

static void test_native__rules_of_every_kind_are_applied(void **state)
{
    struct wick_unwind_rule r = {
        .cfa_off = 16, .cfa_reg = 6, .cfa_kind = WICK_CFA_DEREF, .cfa_add = 8, .flags = WICK_RULE_SIGNAL};
    begin(17);
    f.env.rule = &r;
    r.how[WICK_SLOT_RA] = WICK_HOW_CFA, r.off[WICK_SLOT_RA] = -8;
    r.how[WICK_SLOT_FP] = WICK_HOW_MEM | 3 << 3, r.off[WICK_SLOT_FP] = 24; /* at rbx + 24 */
    r.how[WICK_SLOT_RBX] = WICK_HOW_MOVED | 12 << 3;
    r.how[WICK_SLOT_R12] = WICK_HOW_VALUE, r.off[WICK_SLOT_R12] = -40;
    r.how[WICK_SLOT_R13] = WICK_HOW_LOST;
    f.stack[52] = fj_sp(60); /* at rbp + 16 */
    f.stack[60] = caller.code + 10;
    f.stack[33] = fj_sp(301);
    f.s.pc = FJ_NATIVE + 0x10;
    f.s.sp = fj_sp(20);
    f.s.fp = fj_sp(50);
    f.s.rbx = fj_sp(30);
    f.s.r12 = 0xcccc;
    f.s.r13 = 0xdddd;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(f.s.sp, fj_sp(61));
    assert_int_equal(f.s.pc, caller.code + 10);
    assert_int_equal(f.s.fp, fj_sp(301));
    assert_int_equal(f.s.rbx, 0xcccc);
    assert_int_equal(f.s.r12, fj_sp(61) - 40);
    assert_int_equal(f.s.r13, 0);
    assert_int_equal(f.s.leaf, 1); /* below a signal frame an instruction was interrupted */
}

/* Below this one, at any distance, but not where it is itself. */
static void test_native__the_caller_may_be_on_another_stack(void **state)
{
    struct wick_unwind_rule r = {.cfa_off = 16, .cfa_reg = 6, .flags = WICK_RULE_SWITCH | WICK_RULE_GAP};
    begin(17);
    f.env.rule = &r;
    r.how[WICK_SLOT_RA] = WICK_HOW_CFA, r.off[WICK_SLOT_RA] = -8;
    r.how[WICK_SLOT_FP] = WICK_HOW_CFA, r.off[WICK_SLOT_FP] = -16;
    f.stack[20] = fj_sp(40);
    f.stack[21] = FJ_NATIVE + 0x200;
    f.s.pc = FJ_NATIVE + 0x10;
    f.s.sp = fj_sp(200);
    f.s.fp = fj_sp(20);
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(frame.kind, WICK_STEP_NATIVE);
    expect_caller(FJ_NATIVE + 0x200, fj_sp(22), fj_sp(40));
    assert_int_equal(f.s.gaps, 1);
    r.flags = 0; /* any other rule does not lead there, not even behind that one */
    f.s.pc = FJ_NATIVE + 0x10;
    f.s.sp = fj_sp(200);
    f.s.fp = fj_sp(20);
    assert_int_not_equal(fj_step(&f, &frame), WICK_STEP_NONE);
    assert_true(f.s.stop || frame.kind == WICK_STEP_BREAK);
}

static void test_native__the_bottom_of_the_stack_is_the_last_frame(void **state)
{
    static const struct wick_unwind_rule end = {.flags = WICK_RULE_END};
    begin(17);
    f.env.rule = &end;
    f.s.pc = FJ_NATIVE + 0x10;
    f.s.sp = fj_sp(20);
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_LAST);
    assert_int_equal(frame.kind, WICK_STEP_NATIVE);
    assert_int_equal(frame.stop, WICK_STOP_NONE);
    begin(17);
    f.env.rule = &plain; /* returns to 0 */
    f.s.pc = FJ_NATIVE + 0x10;
    f.s.sp = fj_sp(20);
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_LAST);
    assert_int_equal(frame.kind, WICK_STEP_NATIVE);
}

static void test_native__without_a_rule_the_anchor_is_the_next_frame_and_a_gap(void **state)
{
    begin(17);
    f.s.pc = FJ_NATIVE + 0x10;
    f.s.sp = fj_sp(20);
    f.s.anchor_sp = fj_sp(100);
    f.s.anchor_pc = caller.code + 100;
    f.s.anchor_fp = fj_sp(120);
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(caller.code + 100, fj_sp(100), fj_sp(120));
    assert_int_equal(f.s.gaps, 1);
    assert_int_equal(f.s.anchors_used, 1);
    assert_int_equal(f.s.anchor_sp, 0);
    begin(17);
    f.s.pc = FJ_NATIVE + 0x10;
    f.s.sp = fj_sp(20);
    f.s.anchor_sp = fj_sp(100); /* pc 0: it lies below the anchor's sp */
    f.stack[99] = caller.code + 104;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(f.s.pc, caller.code + 104);
}

static void test_native__a_leaf_function_called_from_java_returns_there(void **state)
{
    begin(17);
    uint64_t ret = fj_return(&f, &caller, 100);
    f.stack[22] = ret;
    f.s.pc = FJ_NATIVE + 0x10;
    f.s.sp = fj_sp(20);
    f.s.thread_state = STEP_THREAD_IN_JAVA;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(ret, fj_sp(23), 0);
}

static void test_native__the_frame_pointer_is_the_last_resort(void **state)
{
    begin(17);
    f.stack[30] = fj_sp(50);
    f.stack[31] = FJ_NATIVE + 0x300;
    f.s.pc = FJ_NATIVE + 0x10;
    f.s.sp = fj_sp(20);
    f.s.fp = fj_sp(30);
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(FJ_NATIVE + 0x300, fj_sp(32), fj_sp(50));
    f.s.pc = FJ_NATIVE + 0x10;
    f.s.fp = 0x77;
    expect_break(WICK_STOP_NATIVE);
}

static void test_native__rules_that_lead_nowhere_break_the_walk(void **state)
{
    static const struct wick_unwind_rule wild[] = {
        {.cfa_off = 0, .cfa_reg = 7, .how = {0, WICK_HOW_CFA}},         /* down to sp itself */
        {.cfa_off = -64, .cfa_reg = 7, .how = {0, WICK_HOW_CFA}},       /* down */
        {.cfa_off = 12, .cfa_reg = 7, .how = {0, WICK_HOW_CFA}},        /* odd */
        {.cfa_off = INT32_MAX, .cfa_reg = 7, .how = {0, WICK_HOW_CFA}}, /* too far */
        {.cfa_off = 8, .cfa_reg = 31, .how = {0, WICK_HOW_CFA}},        /* a register that does not exist */
        {.cfa_off = 64, .cfa_reg = 7, .cfa_kind = WICK_CFA_DEREF, .how = {0, WICK_HOW_CFA}},
    };
    for (size_t i = 0; i < COUNT(wild); i++) {
        begin(17);
        f.env.rule = &wild[i];
        f.s.pc = FJ_NATIVE + 0x10;
        f.s.sp = fj_sp(20);
        expect_break(WICK_STOP_STACK_RANGE);
    }
}

/* --- whole walks -------------------------------------------------------------------------------------------------- */

static void test_walk__a_broken_java_frame_with_an_anchor_is_a_gap_not_the_end(void **state)
{
    begin(17);
    struct fj_blob b = fj_blob(&f, "nmethod", 200, 10, 12);
    f.s.pc = b.code + 60; /* without a return address */
    f.s.sp = fj_sp(20);
    f.s.anchor_sp = fj_sp(400);
    f.s.anchor_pc = caller.code + 100;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(frame.kind, WICK_STEP_COMPILED);
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(frame.kind, WICK_STEP_BREAK);
    assert_int_equal(frame.stop, WICK_STOP_COMPILED);
    assert_int_equal(f.s.gaps, 1);
    assert_int_equal(f.s.pc, caller.code + 100);
}

static void test_walk__a_stack_pointer_out_of_range_breaks(void **state)
{
    begin(17);
    f.s.pc = caller.code + 100;
    f.s.sp = f.s.stack_end + 8;
    expect_break(WICK_STOP_STACK_RANGE);
    f.s.sp = fj_sp(20) + 4;
    expect_break(WICK_STOP_STACK_RANGE);
}

/* native <- compiled <- interpreted <- entry <- native */
static void test_walk__a_mixed_stack_is_walked_to_its_bottom(void **state)
{
    static const uint8_t kinds[] = {WICK_STEP_COMPILED, WICK_STEP_INTERPRETED, WICK_STEP_ENTRY, WICK_STEP_NATIVE};
    begin(17);
    struct fj_blob leaf = fj_blob(&f, "nmethod", 200, 10, 12), stubs = fj_blob(&f, "StubRoutines (1)", 300, 0, -1);
    f.jvm.call_stub_return = stubs.code + 120;
    put_frame(20, 10, interpreter.code + 900, fj_sp(50)); /* an entry of the interpreter: behind no call */
    put_interpreted(50, f.jvm.call_stub_return, fj_sp(80), 55, 5);
    f.stack[80] = fj_sp(100);
    f.stack[81] = FJ_NATIVE + 0x40;
    f.s.pc = leaf.code + 60;
    f.s.sp = fj_sp(20);
    f.s.fp = 99;
    f.env.rule = &plain;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        uint64_t sp = f.s.sp;
        assert_int_equal(fj_step(&f, &frame), i + 1 < COUNT(kinds) ? WICK_STEP_MORE : WICK_STEP_LAST);
        assert_int_equal(frame.kind, kinds[i]);
        assert_true(f.s.sp > sp);
    }
}

/* Registers and stacks of plausible values in a random order: every walk ends, sp never falls, reads stay few. */
static void test_walk__any_stack_ends_in_bounded_time(void **state)
{
    uint64_t x = 88172645463325252u;
    for (int round = 0; round < 3000; round++) {
        begin(majors[(unsigned)round % COUNT(majors)]);
        struct fj_blob blobs[] = {interpreter,
                                  caller,
                                  fj_blob(&f, "StubRoutines (1)", 300, (int)(x % 9) - 1, -1),
                                  fj_blob(&f, "SafepointBlob", 200, 12, -1),
                                  fj_blob(&f, "vtable chunks", 200, 0, -1),
                                  fj_blob(&f, "native nmethod", 200, 7, 30)};
        f.jvm.call_stub_return = blobs[2].code + 120;
        fj_return(&f, &caller, 100);
        fj_return(&f, &blobs[2], 44);
        for (int i = 0; i < FJ_STACK_WORDS + 17; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            uint64_t r = x >> 20, v = (x & 15) < 4    ? fj_sp((uint32_t)(r % FJ_STACK_WORDS))
                                      : (x & 15) < 8  ? blobs[r % COUNT(blobs)].code + r % 190
                                      : (x & 15) < 9  ? caller.code + 100
                                      : (x & 15) < 10 ? FJ_METHOD
                                      : (x & 15) < 11 ? FJ_BCP(r % 100)
                                      : (x & 15) < 12 ? FJ_NATIVE + r % 4000
                                                      : r % 4;
            if (i < FJ_STACK_WORDS)
                f.stack[i] = v;
            else
                f.s.reg[i - FJ_STACK_WORDS] = v;
        }
        f.s.sp = fj_sp((uint32_t)(x >> 40) % 64);
        f.s.thread_state = (x & 16) ? STEP_THREAD_IN_JAVA : 4;
        f.s.thread = FJ_META + FJ_THREAD;
        f.jvm.thread_saved_pc = 32;
        fj_put64(f.meta, FJ_THREAD + 32, f.stack[7]);
        if (x & 128)
            fj_code(&f, &blobs[3], 0, poll_in_loop, sizeof poll_in_loop);
        if (x & 32)
            f.s.anchor_sp = fj_sp(500), f.s.anchor_pc = caller.code + 100;
        f.env.rule = x & 64 ? &plain : NULL;
        int steps = 0, res = WICK_STEP_MORE;
        while (res == WICK_STEP_MORE) {
            uint64_t sp = f.s.sp, reads = f.env.reads;
            res = fj_step(&f, &frame);
            assert_true(f.s.sp >= sp);
            assert_true(f.env.reads - reads < 20000);
            assert_true(++steps <= 2 * FJ_STACK_WORDS);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stub__without_a_frame_returns_to_the_word_on_top),
        cmocka_unit_test(test_stub__with_a_described_frame_is_left_by_its_size),
        cmocka_unit_test(test_stub__is_not_called_by_a_runtime_stub),
        cmocka_unit_test(test_stub__with_a_frame_pointer_is_left_by_it),
        cmocka_unit_test(test_stub__behind_push_rbp_both_are_on_top),
        cmocka_unit_test(test_stub__a_ret_ends_it),
        cmocka_unit_test(test_stub__without_a_return_address_the_walk_breaks),
        cmocka_unit_test(test_stub__the_entry_barrier_has_a_cookie_below_its_return_address),
        cmocka_unit_test(test_adapter__may_keep_the_return_address_in_rax),
        cmocka_unit_test(test_safepoint_and_deopt_blobs__return_into_the_middle_of_a_method),
        cmocka_unit_test(test_safepoint_blob__after_a_poll_in_a_loop_the_thread_has_the_return_address),
        cmocka_unit_test(test_safepoint_blob__after_a_poll_at_a_return_the_stack_has_the_return_address),
        cmocka_unit_test(test_entry_frame__leads_to_native_code_and_to_the_next_anchor),
        cmocka_unit_test(test_anchor__one_that_cannot_be_is_none),
        cmocka_unit_test(test_native__a_rule_gives_all_registers_of_the_caller),
        cmocka_unit_test(test_native__rules_of_every_kind_are_applied),
        cmocka_unit_test(test_native__the_caller_may_be_on_another_stack),
        cmocka_unit_test(test_native__the_bottom_of_the_stack_is_the_last_frame),
        cmocka_unit_test(test_native__without_a_rule_the_anchor_is_the_next_frame_and_a_gap),
        cmocka_unit_test(test_native__a_leaf_function_called_from_java_returns_there),
        cmocka_unit_test(test_native__the_frame_pointer_is_the_last_resort),
        cmocka_unit_test(test_native__rules_that_lead_nowhere_break_the_walk),
        cmocka_unit_test(test_walk__a_broken_java_frame_with_an_anchor_is_a_gap_not_the_end),
        cmocka_unit_test(test_walk__a_stack_pointer_out_of_range_breaks),
        cmocka_unit_test(test_walk__a_mixed_stack_is_walked_to_its_bottom),
        cmocka_unit_test(test_walk__any_stack_ends_in_bounded_time),
    };
    return cmocka_run_group_tests_name("unwind_step", tests, NULL, NULL);
}
