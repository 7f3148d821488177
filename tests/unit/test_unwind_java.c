/* SPDX-License-Identifier: Apache-2.0 */
/* Steps through interpreted and compiled frames, whole or half built, in a JVM made of flat buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "unwind_case.h"

/* --- blobs -------------------------------------------------------------------------------------------------------- */

static void test_blob__every_pc_of_a_block_leads_to_its_start(void **state)
{
    begin(17);
    struct fj_blob large = fj_blob(&f, "nmethod", 20000, 4, 16); /* more segments than one hop of 0xfe */
    for (uint64_t pc = large.code; pc < large.code_end; pc += 61)
        assert_int_equal(step_blob_address(&f.env, &f.jvm, pc), large.addr);
    assert_int_equal(step_blob_address(&f.env, &f.jvm, caller.code), caller.addr);
    assert_int_equal(step_blob_address(&f.env, &f.jvm, FJ_CODE + FJ_CODE_BYTES - 1), 0); /* free */
    assert_int_equal(step_blob_address(&f.env, &f.jvm, FJ_CODE - 1), 0);
    f.segmap[0] = 5; /* hops below the heap */
    assert_int_equal(step_blob_address(&f.env, &f.jvm, interpreter.code), 0);
}

static void test_blob__is_read_alike_from_all_layouts(void **state)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } kinds[] = {{"nmethod", WICK_BLOB_NMETHOD},
                 {"native nmethod", WICK_BLOB_NATIVE},
                 {"Interpreter", WICK_BLOB_INTERPRETER},
                 {"vtable chunks", WICK_BLOB_VTABLE},
                 {"DeoptimizationBlob", WICK_BLOB_DEOPT},
                 {"SafepointBlob", WICK_BLOB_SAFEPOINT},
                 {"I2C/C2I adapters(0x1)", WICK_BLOB_ADAPTER},
                 {"StubRoutines (1)", WICK_BLOB_STUB},
                 {"StubRoutines (compiler stubs)", WICK_BLOB_STUB},
                 {"StubRoutines (continuation stubs)", WICK_BLOB_CONTINUATION},
                 {"StubRoutines (continuationstubs)", WICK_BLOB_CONTINUATION},
                 {"", WICK_BLOB_STUB}};
    for (size_t i = 0; i < COUNT(majors); i++) {
        fj_init(&f, majors[i]);
        for (size_t k = 0; k < COUNT(kinds); k++) {
            struct wick_step_blob b;
            struct fj_blob made = fj_blob(&f, kinds[k].name, 100, 6, -1);
            assert_int_equal(step_blob_read(&f.env, &f.jvm, made.code + 3, &b), WICK_STOP_NONE);
            assert_int_equal(b.kind, kinds[k].kind);
            assert_int_equal(b.addr, made.addr);
            assert_int_equal(b.code, made.code);
            assert_int_equal(b.code_end, made.code_end);
            assert_int_equal(b.frame_bytes, 48);
            assert_int_equal(b.frame_complete, -1);
            assert_int_equal(b.compile_id, k < 2 ? 4711 : 0);
        }
    }
}

static void test_walk__code_cache_without_code_is_a_named_break(void **state)
{
    begin(17);
    f.s.pc = FJ_CODE + FJ_CODE_BYTES - 8;
    f.s.sp = fj_sp(10);
    expect_break(WICK_STOP_NO_BLOB);
    begin(17);
    fj_put64(f.code, caller.addr - FJ_CODE, 0x10); /* its name cannot be read */
    f.s.pc = caller.code + 20;
    f.s.sp = fj_sp(10);
    expect_break(WICK_STOP_BLOB_UNREADABLE);
}

/* --- the interpreter ---------------------------------------------------------------------------------------------- */

static void test_interpreted__whole_frame_gives_method_bci_and_caller(void **state)
{
    for (size_t i = 0; i < COUNT(majors); i++) {
        begin(majors[i]);
        uint64_t ret = fj_return(&f, &caller, 100);
        put_interpreted(40, ret, fj_sp(90), 45, 17);
        f.s.pc = interpreter.code + 50;
        f.s.sp = fj_sp(20);
        f.s.fp = fj_sp(40);
        f.s.leaf = 0;
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(frame.kind, WICK_STEP_INTERPRETED);
        assert_int_equal(frame.ptr, FJ_METHOD);
        assert_int_equal(frame.off, 17);
        expect_caller(ret, fj_sp(45), fj_sp(90));
    }
}

static void test_interpreted__the_running_frame_keeps_its_bcp_in_r13(void **state)
{
    begin(17);
    uint64_t ret = fj_return(&f, &caller, 100);
    put_interpreted(40, ret, fj_sp(90), 45, 17);
    f.s.pc = interpreter.code + 50;
    f.s.sp = fj_sp(20);
    f.s.fp = fj_sp(40);
    f.s.r13 = FJ_BCP(33);
    struct wick_step_state before = f.s;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(frame.off, 33);
    f.s = before;
    f.s.r13 = FJ_BCP(FJ_CODE_SIZE); /* used for something else: the slot has the last known place */
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(frame.off, 17);
    f.s = before;
    f.s.r13 = 12;
    f.stack[40 - 8] = 0;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(frame.off, 0xffff);
}

static void test_interpreted__at_a_methods_entry_there_is_only_a_return_address(void **state)
{
    begin(17);
    uint64_t ret = fj_return(&f, &caller, 100);
    f.stack[30] = ret;
    f.s.pc = interpreter.code + 50;
    f.s.sp = fj_sp(30);
    f.s.fp = fj_sp(200);
    f.s.rbx = FJ_METHOD;
    f.s.r13 = fj_sp(33);
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(frame.kind, WICK_STEP_INTERPRETED);
    assert_int_equal(frame.ptr, FJ_METHOD);
    assert_int_equal(frame.off, 0);
    expect_caller(ret, fj_sp(33), fj_sp(200));
}

static void test_interpreted__a_half_built_frame_has_its_return_address_behind_rbp(void **state)
{
    for (uint32_t pushed = 0; pushed < 4; pushed++) {
        begin(17);
        uint64_t ret = fj_return(&f, &caller, 100);
        f.stack[41] = ret;
        f.stack[40] = fj_sp(90);
        if (pushed)
            f.stack[39] = fj_sp(45); /* sender sp */
        f.s.pc = interpreter.code + 50;
        f.s.sp = fj_sp(40 - pushed);
        f.s.fp = fj_sp(40);
        f.s.rbx = FJ_METHOD;
        f.s.r13 = fj_sp(45);
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(frame.ptr, FJ_METHOD);
        expect_caller(ret, fj_sp(45), fj_sp(90));
    }
}

static void test_interpreted__after_it_was_taken_down_the_return_address_is_on_top_or_in_r13(void **state)
{
    begin(17);
    uint64_t ret = fj_return(&f, &caller, 100);
    f.stack[30] = ret;
    f.s.pc = interpreter.code + 50;
    f.s.sp = fj_sp(30);
    f.s.fp = fj_sp(200);
    struct wick_step_state before = f.s;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(frame.kind, WICK_STEP_STUB);
    expect_caller(ret, fj_sp(31), fj_sp(200));
    f.s = before;
    f.stack[30] = 0;
    f.s.r13 = ret;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    expect_caller(ret, fj_sp(30), fj_sp(200));
}

/* Room for two frames has been made, and nothing but the links is in them; then the inner one's method is filled in. */
static void test_interpreted__frames_being_unpacked_lead_to_their_callers(void **state)
{
    for (size_t i = 0; i < COUNT(majors); i++) {
        begin(majors[i]);
        uint64_t ret = fj_return(&f, &caller, 100);
        for (uint32_t k = 100; k < 140; k++)
            f.stack[k] = 0xdead0000 + k; /* old words */
        f.stack[110] = fj_sp(130), f.stack[111] = interpreter.code + 70;
        f.stack[109] = fj_sp(112), f.stack[108] = 0;
        f.stack[130] = fj_sp(300), f.stack[131] = ret;
        f.stack[129] = fj_sp(132), f.stack[128] = 0;
        f.s.pc = interpreter.code + 60;
        f.s.sp = fj_sp(100);
        f.s.fp = fj_sp(110);
        f.s.leaf = 0;
        struct wick_step_state before = f.s;
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(frame.kind, WICK_STEP_STUB);
        expect_caller(interpreter.code + 70, fj_sp(112), fj_sp(130));
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(frame.kind, WICK_STEP_STUB);
        expect_caller(ret, fj_sp(132), fj_sp(300));
        assert_int_equal(f.s.gaps, 0);
        f.s = before;
        f.stack[108] = fj_sp(90); /* a frame that has called is filled: no method is an error */
        expect_break(WICK_STOP_INTERPRETER);
    }
}

static void test_interpreted__without_a_frame_the_walk_breaks(void **state)
{
    begin(17);
    f.s.pc = interpreter.code + 50;
    f.s.sp = fj_sp(30);
    f.s.fp = fj_sp(40);
    struct wick_step_state before = f.s;
    expect_break(WICK_STOP_INTERPRETER);
    f.s = before;
    f.s.leaf = 0;
    expect_break(WICK_STOP_INTERPRETER);
    f.s = before;
    f.s.leaf = 0;
    put_interpreted(40, fj_return(&f, &caller, 100), fj_sp(90), 45, 17);
    f.stack[40 - 3] = FJ_METHOD + 1; /* not a Method* */
    f.stack[40 - 2] = fj_sp(36);     /* and it has called: no frame that is being unpacked */
    expect_break(WICK_STOP_INTERPRETER);
}

/* --- compiled code ------------------------------------------------------------------------------------------------ */

static void test_compiled__whole_frame_in_all_layouts(void **state)
{
    for (size_t i = 0; i < COUNT(majors); i++) {
        for (uint8_t leaf = 0; leaf < 2; leaf++) {
            begin(majors[i]);
            struct fj_blob b = fj_blob(&f, "nmethod", 200, 10, 12);
            uint64_t ret = fj_return(&f, &caller, 100);
            put_frame(20, 10, ret, fj_sp(300));
            f.s.pc = b.code + 60;
            f.s.sp = fj_sp(20);
            f.s.leaf = leaf;
            assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
            assert_int_equal(frame.kind, WICK_STEP_COMPILED);
            assert_int_equal(frame.ptr, b.addr);
            assert_int_equal(frame.off, 60);
            assert_int_equal(frame.identity, 4711);
            assert_int_equal(frame.level, 4);
            assert_int_equal(frame.leaf, leaf);
            expect_caller(ret, fj_sp(30), fj_sp(300));
            assert_int_equal(f.s.scans, 0);
        }
    }
}

/* Instructions of a prologue or epilogue: their bytes, and what each leaves of the frame. */
enum effect { NOTHING, PUSH_FP, SET_FP, SUB, STORE_FP, ADD, POP_FP };
struct instruction {
    uint8_t n, bytes[9];
    enum effect effect;
};

#define BANG                                                   \
    {                                                          \
        7, {0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff}, NOTHING \
    }
#define PUSH_RBP           \
    {                      \
        1, {0x55}, PUSH_FP \
    }
#define MOV_FP                        \
    {                                 \
        3, {0x48, 0x8b, 0xec}, SET_FP \
    }
#define SUB_8                            \
    {                                    \
        4, {0x48, 0x83, 0xec, 0x40}, SUB \
    }
#define SUB_32                                    \
    {                                             \
        7, {0x48, 0x81, 0xec, 0x40, 0, 0, 0}, SUB \
    }
#define STORE                                       \
    {                                               \
        5, {0x48, 0x89, 0x6c, 0x24, 0x40}, STORE_FP \
    }
#define ADD_8                            \
    {                                    \
        4, {0x48, 0x83, 0xc4, 0x40}, ADD \
    }
#define ADD_32                                    \
    {                                             \
        7, {0x48, 0x81, 0xc4, 0x40, 0, 0, 0}, ADD \
    }
#define POP_RBP           \
    {                     \
        1, {0x5d}, POP_FP \
    }
#define VZERO                          \
    {                                  \
        3, {0xc5, 0xf8, 0x77}, NOTHING \
    }
#define RET                \
    {                      \
        1, {0xc3}, NOTHING \
    }
#define NOP                \
    {                      \
        1, {0x90}, NOTHING \
    }
/* the return poll of JDK 8; of 10 and later; of 16 and later, C2 and C1 */
#define POLL_8                               \
    {                                        \
        6, {0x85, 0x05, 1, 2, 3, 4}, NOTHING \
    }
#define LOAD_10                                       \
    {                                                 \
        7, {0x4d, 0x8b, 0x97, 0x08, 1, 0, 0}, NOTHING \
    }
#define POLL_10                        \
    {                                  \
        3, {0x41, 0x85, 0x02}, NOTHING \
    }
#define CMP_16                                        \
    {                                                 \
        7, {0x49, 0x3b, 0xa7, 0x48, 3, 0, 0}, NOTHING \
    }
#define CMP_16_S                             \
    {                                        \
        4, {0x49, 0x3b, 0x67, 0x28}, NOTHING \
    }
#define JA                                   \
    {                                        \
        6, {0x0f, 0x87, 1, 0, 0, 0}, NOTHING \
    }

enum { FRAME_WORDS = 10 }; /* 0x40 bytes, the saved rbp, the return address */

/* Runs the instructions on a stack and steps from before each of them: the caller must always come out the same.
 * `begins` = the frame stands before the first instruction. */
static void check_instructions(const struct instruction *list, size_t n, bool begins, int32_t frame_complete)
{
    for (size_t stop = 0; stop <= n; stop++) {
        begin(17);
        struct fj_blob b = fj_blob(&f, "nmethod", 200, FRAME_WORDS, frame_complete);
        uint64_t ret = fj_return(&f, &caller, 100), old_fp = fj_sp(300);
        uint32_t at = begins ? 64 : 0, sp = 40 - (begins ? FRAME_WORDS : 1);
        f.stack[39] = ret;
        f.s.fp = begins ? 0x1234 : old_fp;
        if (begins)
            f.stack[38] = old_fp;
        for (size_t i = 0, off = at; i < n; off += list[i++].n)
            fj_code(&f, &b, (uint32_t)off, list[i].bytes, list[i].n);
        for (size_t i = 0; i < stop; at += list[i++].n) {
            switch (list[i].effect) {
            case PUSH_FP:
                f.stack[--sp] = f.s.fp;
                break;
            case SET_FP:
                f.s.fp = fj_sp(sp);
                break;
            case SUB: /* either behind a push of rbp or for the whole frame */
                sp = 40 - FRAME_WORDS;
                break;
            case STORE_FP:
                f.stack[sp + 8] = f.s.fp;
                f.s.fp = 0x4321; /* from here on it may be used for anything */
                break;
            case ADD:
                sp = 38;
                break;
            case POP_FP:
                f.s.fp = f.stack[sp++];
                break;
            default:
                break;
            }
        }
        if (begins && stop == n)
            return; /* behind the ret */
        f.s.pc = b.code + at;
        f.s.sp = fj_sp(sp);
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(frame.kind, WICK_STEP_COMPILED);
        expect_caller(ret, fj_sp(40), old_fp);
        assert_int_equal(f.s.scans, 0);
    }
}

#define PROLOGUE(complete, ...)                                 \
    do {                                                        \
        static const struct instruction list[] = {__VA_ARGS__}; \
        check_instructions(list, COUNT(list), false, complete); \
    } while (0)
#define EPILOGUE(...)                                           \
    do {                                                        \
        static const struct instruction list[] = {__VA_ARGS__}; \
        check_instructions(list, COUNT(list), true, 16);        \
    } while (0)

static void test_compiled__prologues_are_known_instruction_by_instruction(void **state)
{
    PROLOGUE(12, BANG, PUSH_RBP, SUB_8);
    PROLOGUE(15, BANG, PUSH_RBP, SUB_32);
    PROLOGUE(15, BANG, PUSH_RBP, MOV_FP, SUB_8); /* -XX:+PreserveFramePointer */
    PROLOGUE(5, PUSH_RBP, SUB_8);
    PROLOGUE(12, SUB_32, STORE); /* C2 without a bang */
    PROLOGUE(9, SUB_8, STORE);
}

static void test_compiled__epilogues_are_known_instruction_by_instruction(void **state)
{
    EPILOGUE(ADD_8, POP_RBP, RET);
    EPILOGUE(ADD_8, POP_RBP, POLL_8, RET);
    EPILOGUE(ADD_32, POP_RBP, POLL_8, RET);
    EPILOGUE(ADD_8, POP_RBP, LOAD_10, POLL_10, RET);
    EPILOGUE(ADD_32, POP_RBP, LOAD_10, POLL_10, RET);
    EPILOGUE(ADD_8, POP_RBP, CMP_16, JA, RET);
    EPILOGUE(ADD_32, POP_RBP, CMP_16, JA, RET);
    EPILOGUE(ADD_8, POP_RBP, CMP_16_S, JA, RET);
    EPILOGUE(ADD_8, POP_RBP, VZERO, RET);
}

static void test_compiled__a_deoptimised_return_address_stands_for_the_original(void **state)
{
    for (size_t i = 0; i < COUNT(majors); i++) {
        for (int mh = 0; mh < 2; mh++) {
            begin(majors[i]);
            struct fj_blob b = fj_blob(&f, "nmethod", 200, 10, 12);
            uint64_t ret = fj_return(&f, &caller, 100);
            fj_bound(&f, &b, f.jvm.nm_deopt, b.code + 180);
            fj_bound(&f, &b, f.jvm.nm_deopt_mh, b.code + 190);
            fj_put32(f.code, b.addr - FJ_CODE + 80, 24); /* the original pc is kept at sp + 24 */
            put_frame(20, 10, ret, fj_sp(300));
            f.stack[23] = b.code + 77;
            f.s.pc = b.code + (mh ? 190 : 180);
            f.s.sp = fj_sp(20);
            f.s.leaf = 0;
            struct wick_step_state before = f.s;
            assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
            assert_int_equal(frame.off, 77);
            expect_caller(ret, fj_sp(30), fj_sp(300));
            const uint64_t outside[] = {caller.code, b.code - 1, b.code_end, FJ_NATIVE, 0};
            for (size_t k = 0; k < COUNT(outside); k++) {
                f.s = before;
                f.stack[23] = outside[k];
                expect_break(WICK_STOP_DEOPT);
            }
        }
    }
}

static void test_compiled__words_pushed_below_the_frame_are_skipped(void **state)
{
    begin(17);
    struct fj_blob b = fj_blob(&f, "nmethod", 200, 10, 12);
    uint64_t ret = fj_return(&f, &caller, 100);
    put_frame(20, 10, ret, fj_sp(300));
    f.stack[18] = caller.code + 33;     /* stale: in the code cache, but not behind a call */
    f.stack[17] = interpreter.code + 7; /* stale: an interpreted caller without an rbp */
    for (uint32_t pushed = 1; pushed < 60; pushed++) {
        f.s =
            (struct wick_step_state){.pc = b.code + 60, .sp = FJ_STACK + 8 * 20, .stack_end = f.s.stack_end, .leaf = 1};
        struct wick_step_state s = f.s;
        memmove(f.stack + 100, f.stack + 20, 10 * 8);
        s.sp = fj_sp(100 - pushed);
        memset(f.stack + 100 - pushed, 0, pushed * 8);
        if (pushed > 12)
            f.stack[100 - pushed + 11] = caller.code + 33;
        f.s = s;
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        expect_caller(ret, fj_sp(110), fj_sp(300));
        assert_int_equal(f.s.scans, 1);
    }
}

static void test_compiled__without_a_return_address_the_walk_breaks(void **state)
{
    begin(17);
    struct fj_blob b = fj_blob(&f, "nmethod", 200, 10, 12);
    f.s.pc = b.code + 60;
    f.s.sp = fj_sp(20);
    expect_break(WICK_STOP_COMPILED);
    f.s = (struct wick_step_state){.pc = b.code + 60, .sp = fj_sp(FJ_STACK_WORDS - 2), .leaf = 1};
    expect_break(WICK_STOP_STACK_RANGE);
}

static void test_native_wrapper__is_a_frame_of_its_own_kind(void **state)
{
    begin(17);
    struct fj_blob b = fj_blob(&f, "native nmethod", 200, 10, 12);
    uint64_t ret = fj_return(&f, &caller, 100);
    put_frame(20, 10, ret, fj_sp(300));
    f.s.pc = b.code + 60;
    f.s.sp = fj_sp(20);
    f.s.leaf = 0;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(frame.kind, WICK_STEP_WRAPPER);
    expect_caller(ret, fj_sp(30), fj_sp(300));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blob__every_pc_of_a_block_leads_to_its_start),
        cmocka_unit_test(test_blob__is_read_alike_from_all_layouts),
        cmocka_unit_test(test_walk__code_cache_without_code_is_a_named_break),
        cmocka_unit_test(test_interpreted__whole_frame_gives_method_bci_and_caller),
        cmocka_unit_test(test_interpreted__the_running_frame_keeps_its_bcp_in_r13),
        cmocka_unit_test(test_interpreted__at_a_methods_entry_there_is_only_a_return_address),
        cmocka_unit_test(test_interpreted__a_half_built_frame_has_its_return_address_behind_rbp),
        cmocka_unit_test(test_interpreted__after_it_was_taken_down_the_return_address_is_on_top_or_in_r13),
        cmocka_unit_test(test_interpreted__frames_being_unpacked_lead_to_their_callers),
        cmocka_unit_test(test_interpreted__without_a_frame_the_walk_breaks),
        cmocka_unit_test(test_compiled__whole_frame_in_all_layouts),
        cmocka_unit_test(test_compiled__prologues_are_known_instruction_by_instruction),
        cmocka_unit_test(test_compiled__epilogues_are_known_instruction_by_instruction),
        cmocka_unit_test(test_compiled__a_deoptimised_return_address_stands_for_the_original),
        cmocka_unit_test(test_compiled__words_pushed_below_the_frame_are_skipped),
        cmocka_unit_test(test_compiled__without_a_return_address_the_walk_breaks),
        cmocka_unit_test(test_native_wrapper__is_a_frame_of_its_own_kind),
    };
    return cmocka_run_group_tests_name("unwind_java", tests, NULL, NULL);
}
