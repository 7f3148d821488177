/* SPDX-License-Identifier: Apache-2.0 */
/* Steps through the return barrier, the frames of virtual threads that are frozen in the heap, and the stubs that put
 * them back, in a JVM made of flat buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "unwind_case.h"

static void expect_gap_then_boundary(void)
{
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(frame.kind, WICK_STEP_BREAK);
    assert_int_equal(frame.stop, WICK_STOP_CONTINUATION);
    assert_int_equal(f.s.gaps, 1);
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(frame.kind, WICK_STEP_BOUNDARY);
}

static void test_barrier__is_the_boundary_between_a_virtual_thread_and_its_carrier(void **state)
{
    for (int known = 0; known < 2; known++) {
        begin(21);
        struct fj_blob stubs = fj_blob(&f, "StubRoutines (continuation stubs)", 300, 0, -1);
        uint64_t ret = fj_return(&f, &caller, 100);
        f.jvm.cont_barrier = known ? stubs.code + 40 : 0;
        f.stack[60] = fj_sp(70);
        f.stack[61] = ret;
        f.s.pc = stubs.code + 40;
        f.s.sp = fj_sp(40);
        f.s.fp = fj_sp(60);
        f.s.leaf = 0;
        struct wick_step_state before = f.s;
        expect_gap_then_boundary(); /* nothing says where the frozen frames are */
        expect_caller(ret, fj_sp(62), fj_sp(70));
        f.s = before;
        f.s.fp = 0x10; /* rbp does not matter: enterSpecial's return address is found above sp */
        expect_gap_then_boundary();
        expect_caller(ret, fj_sp(62), fj_sp(70));
        f.s = before;
        f.stack[61] = 0;
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        expect_break(WICK_STOP_CONTINUATION);
    }
}

static void test_barrier__does_not_exist_before_21(void **state)
{
    begin(17);
    struct fj_blob stubs = fj_blob(&f, "StubRoutines (1)", 300, 0, -1);
    f.stack[61] = fj_return(&f, &caller, 100);
    f.s.pc = stubs.code + 40;
    f.s.sp = fj_sp(40);
    f.s.fp = fj_sp(60);
    f.s.leaf = 0;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(frame.kind, WICK_STEP_STUB);
}

enum { CONT = 8, CHUNK = 16, PARENT = 200, CHUNK_SIZE = 64, CHUNK_HEAD = FJ_CHUNK_HEAD / 8 }; /* in words of the heap */

static uint64_t heap_at(uint32_t word)
{
    return FJ_HEAP + 8 * (uint64_t)word;
}

/* An empty chunk at a word of the heap. */
static void put_chunk(uint32_t at, uint32_t sp, uint32_t bottom, uint64_t parent)
{
    uint8_t *p = (uint8_t *)&f.heap[at];
    fj_put32(p, 12, CHUNK_SIZE);
    fj_put32(p, 16, sp);
    fj_put32(p, 20, bottom);
    fj_put64(p, 32, parent);
}

/* A walk has come to the return barrier at sp = word 40; enterSpecial's frame there, its return address in word 61. */
static uint64_t at_barrier(uint32_t lead)
{
    begin(21);
    struct fj_blob stubs = fj_blob(&f, "StubRoutines (continuation stubs)", 300, 0, -1);
    uint64_t ret = fj_return(&f, &caller, 100);
    f.jvm.cont_barrier = stubs.code + 40;
    f.stack[40] = lead;
    f.stack[40 + lead + 1] = heap_at(CONT);
    f.stack[40 + lead + 3] = 1; /* flags: a virtual thread; no arguments */
    f.heap[CONT + 2] = heap_at(CHUNK);
    f.stack[60] = fj_sp(70);
    f.stack[61] = ret;
    f.s.pc = stubs.code + 40;
    f.s.sp = fj_sp(40);
    f.s.fp = fj_sp(60);
    f.s.leaf = 0;
    return ret;
}

/* compiled, then interpreted, the chunk's last; in the parent chunk one more compiled frame */
static void test_frozen__frames_in_the_heap_come_before_the_boundary(void **state)
{
    for (uint32_t lead = 0; lead < 2; lead++) { /* JDK 25's entry begins with another word */
        uint64_t ret = at_barrier(lead);
        struct fj_blob b = fj_blob(&f, "nmethod", 200, 10, 12);
        uint64_t *chunk = &f.heap[CHUNK + CHUNK_HEAD], *parent = &f.heap[PARENT + CHUNK_HEAD];
        put_chunk(CHUNK, 10, 50, heap_at(PARENT));
        chunk[9] = b.code + 60;
        chunk[18] = 10; /* at sp 20 - 2: the interpreted frame's fp is word 28 */
        chunk[19] = interpreter.code + 900;
        chunk[28 - 1] = 12; /* sender sp */
        chunk[28 - 3] = FJ_METHOD;
        chunk[28 - 7] = 21; /* locals: word 49 */
        chunk[28 - 8] = FJ_BCP(7);
        put_chunk(PARENT, 30, 42, 0);
        parent[29] = b.code + 80;
        static const uint8_t kinds[] = {WICK_STEP_COMPILED, WICK_STEP_INTERPRETED, WICK_STEP_COMPILED,
                                        WICK_STEP_BOUNDARY};
        for (size_t i = 0; i < COUNT(kinds); i++) {
            assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
            assert_int_equal(frame.kind, kinds[i]);
            if (i == 0)
                assert_int_equal(frame.off, 60);
            if (i == 1) {
                assert_int_equal(frame.ptr, FJ_METHOD);
                assert_int_equal(frame.off, 7);
            }
            if (i == 2)
                assert_int_equal(frame.off, 80);
        }
        expect_caller(ret, fj_sp(62), fj_sp(70));
        assert_int_equal(f.s.gaps, 0);
    }
}

/* In the stubs behind the barrier: sp is anywhere below the entry, among frames that are not whole. JDK 21 to 24 do not
 * say how large the entry is, so what is below it is searched for. */
static void test_barrier__what_puts_frames_back_is_called_by_the_frozen_ones(void **state)
{
    static const uint8_t kinds[] = {WICK_STEP_STUB, WICK_STEP_COMPILED, WICK_STEP_BOUNDARY};
    for (int how = 0; how < 4; how++) {
        bool leaf = how & 1, sized = how & 2;
        uint64_t ret = at_barrier(0);
        struct fj_blob b = fj_blob(&f, "nmethod", 200, 10, 12);
        put_chunk(CHUNK, 10, 22, 0);
        f.heap[CHUNK + CHUNK_HEAD + 9] = b.code + 60;
        f.jvm.thread_cont_entry = 32;
        f.jvm.cont_entry_size = sized ? 8 * (60 - 40) : -1;
        fj_put64(f.meta, FJ_THREAD + 32, fj_sp(40));
        f.s.thread = FJ_META + FJ_THREAD;
        f.s.pc += 25; /* behind a call, or interrupted */
        f.code[f.s.pc - FJ_CODE - 5] = 0xe8;
        f.s.leaf = leaf;
        f.s.sp = fj_sp(20);
        f.stack[22] = caller.code + 100; /* old: behind a call */
        f.stack[24] = b.code + 60;
        for (size_t i = 0; i < COUNT(kinds); i++) {
            assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
            assert_int_equal(frame.kind, kinds[i]);
        }
        expect_caller(ret, fj_sp(62), fj_sp(70));
        assert_int_equal(f.s.gaps, 0);
        assert_int_equal(f.s.scans, !sized);
    }
}

static void test_barrier__other_stubs_are_none(void **state)
{
    begin(21);
    struct fj_blob stubs = fj_blob(&f, "StubRoutines (compiler stubs)", 300, 0, -1);
    f.stack[61] = fj_return(&f, &caller, 100);
    f.s.pc = stubs.code + 40;
    f.s.sp = fj_sp(40);
    f.s.fp = fj_sp(60);
    f.s.leaf = 0;
    assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
    assert_int_equal(frame.kind, WICK_STEP_STUB);
}

static void test_frozen__references_are_read_in_every_form(void **state)
{
    for (int form = 0; form < 6; form++) {
        at_barrier(0);
        struct fj_blob b = fj_blob(&f, "nmethod", 200, 10, 12);
        put_chunk(CHUNK, 10, 22, 0);
        f.heap[CHUNK + CHUNK_HEAD + 9] = b.code + 60;
        if (form == 1) {
            f.jvm.oop_kind = WICK_OOP_NARROW;
            f.jvm.oop_base = FJ_HEAP - 64;
            f.jvm.oop_shift = 3;
            fj_put32((uint8_t *)&f.heap[CONT + 2], 0, (64 + 8 * CHUNK) >> 3);
            fj_put32((uint8_t *)&f.heap[CONT + 2], 4, 0xdeadbeef); /* another field */
        } else if (form >= 2) {
            f.jvm.oop_kind = WICK_OOP_COLOURED;
            f.heap[CONT + 2] = heap_at(CHUNK) << (11 + form) | 1ull << (10 + form) | 0x10;
        }
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(frame.kind, WICK_STEP_COMPILED);
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(frame.kind, WICK_STEP_BOUNDARY);
    }
}

static void test_frozen__a_frame_that_cannot_be_read_is_a_gap(void **state)
{
    static const uint8_t kinds[] = {WICK_STEP_COMPILED, WICK_STEP_BREAK, WICK_STEP_BOUNDARY};
    at_barrier(0);
    struct fj_blob b = fj_blob(&f, "nmethod", 200, 10, 12);
    put_chunk(CHUNK, 10, 50, 0);
    f.heap[CHUNK + CHUNK_HEAD + 9] = b.code + 60;
    f.heap[CHUNK + CHUNK_HEAD + 19] = 0x1234; /* no code */
    for (size_t i = 0; i < COUNT(kinds); i++) {
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(frame.kind, kinds[i]);
    }
    assert_int_equal(f.s.gaps, 1);
}

/* Without frozen frames there would be no barrier: not to find them is not the same as that there are none. */
static void test_frozen__frames_that_are_not_found_are_a_gap(void **state)
{
    static const struct {
        int32_t size, sp, bottom;
    } wild[] = {{64, 64, 64}, {64, 1, 50}, {0, 0, 0}, {64, -5, 50}, {64, 10, 65}, {INT32_MAX, 10, 50}, {64, 50, 40}};
    for (size_t i = 0; i < COUNT(wild); i++) {
        uint64_t ret = at_barrier(0);
        put_chunk(CHUNK, (uint32_t)wild[i].sp, (uint32_t)wild[i].bottom, heap_at(CHUNK)); /* its own parent */
        fj_put32((uint8_t *)&f.heap[CHUNK], 12, (uint32_t)wild[i].size);
        expect_gap_then_boundary();
        expect_caller(ret, fj_sp(62), fj_sp(70));
    }
    static const uint64_t tails[] = {0, 0x123456789000 /* nothing there */};
    for (size_t i = 0; i < COUNT(tails); i++) {
        at_barrier(0);
        f.heap[CONT + 2] = tails[i];
        expect_gap_then_boundary();
    }
}

/* The last frame of a chunk returns to the barrier if its callers are in the parent; one whose memory is used for
 * something else, as after a relocation by ZGC, is no such chunk. */
static void test_frozen__callers_in_a_parent_that_is_not_found_are_a_gap(void **state)
{
    for (int how = 0; how < 5; how++) {
        uint64_t ret = at_barrier(0);
        struct fj_blob b = fj_blob(&f, "nmethod", 200, 10, 12);
        put_chunk(CHUNK, 10, 22, how ? heap_at(PARENT) : 0);
        f.heap[CHUNK + CHUNK_HEAD + 9] = b.code + 60;
        put_chunk(PARENT, 42, 42, 0);
        if (how < 2) /* no parent; an empty one */
            f.heap[CHUNK + CHUNK_HEAD + 21] = f.jvm.cont_barrier;
        else if (how == 2)
            fj_put32((uint8_t *)&f.heap[PARENT], 12, 0); /* zeroed memory */
        else if (how == 3)
            put_chunk(CHUNK, 10, 22, 0x123456789000);
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(frame.kind, WICK_STEP_COMPILED);
        if (how < 4)
            expect_gap_then_boundary();
        else { /* an empty parent whose frames are not missed */
            assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
            assert_int_equal(frame.kind, WICK_STEP_BOUNDARY);
            assert_int_equal(f.s.gaps, 0);
        }
        expect_caller(ret, fj_sp(62), fj_sp(70));
    }
}

/* HotSpot empties the chunk, or takes a frame out of it, then copies: there are two frames, and 54 words from word 10
 * on. Room: four words more, two of a return value, all rounded up; two once the stub is back among the frames. */
static void test_thaw__frames_that_are_being_copied_are_found_where_they_were(void **state)
{
    static const struct {
        uint32_t room, sp;
    } made[] = {{54 + 2, 64}, {54 + 4, 64}, {54 + 5, 64}, {54 + 6, 64}, {54 + 7, 64}, {54 + 4, 20}};
    static const uint8_t kinds[] = {WICK_STEP_STUB, WICK_STEP_COMPILED, WICK_STEP_COMPILED, WICK_STEP_BOUNDARY};
    for (size_t k = 0; k < COUNT(made); k++) {
        at_barrier(0);
        struct fj_blob b = fj_blob(&f, "nmethod", 200, 10, 12);
        put_chunk(CHUNK, made[k].sp, 32, 0);
        f.heap[CHUNK + CHUNK_HEAD + 9] = fj_return(&f, &b, 60);
        f.heap[CHUNK + CHUNK_HEAD + 19] = fj_return(&f, &b, 80);
        f.jvm.thread_cont_entry = 32;
        fj_put64(f.meta, FJ_THREAD + 32, fj_sp(80));
        f.stack[80 + 1] = heap_at(CONT);
        f.stack[80 + 3] = 1;
        f.stack[90] = fj_sp(95);
        f.stack[91] = fj_return(&f, &caller, 100);
        f.s.thread = FJ_META + FJ_THREAD;
        f.s.pc += 25;
        f.code[f.s.pc - FJ_CODE - 5] = 0xe8;
        f.s.sp = fj_sp(80 - made[k].room);
        struct wick_step_state before = f.s;
        for (size_t i = 0; i < COUNT(kinds); i++) {
            assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
            assert_int_equal(frame.kind, kinds[i]);
            if (i == 1 || i == 2)
                assert_int_equal(frame.off, 40 + 20 * i);
        }
        assert_int_equal(f.s.gaps, 0);
        /* one with interpreted frames, or in the care of the collector, is copied in another way */
        f.s = before;
        f.heap[CHUNK + 3] |= 1;
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(fj_step(&f, &frame), WICK_STEP_MORE);
        assert_int_equal(frame.kind, made[k].sp == 64 ? WICK_STEP_BREAK : WICK_STEP_COMPILED);
        if (made[k].sp != 64)
            assert_int_equal(frame.off, 80);
        f.heap[CHUNK + 3] = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barrier__is_the_boundary_between_a_virtual_thread_and_its_carrier),
        cmocka_unit_test(test_barrier__does_not_exist_before_21),
        cmocka_unit_test(test_frozen__frames_in_the_heap_come_before_the_boundary),
        cmocka_unit_test(test_barrier__what_puts_frames_back_is_called_by_the_frozen_ones),
        cmocka_unit_test(test_barrier__other_stubs_are_none),
        cmocka_unit_test(test_frozen__references_are_read_in_every_form),
        cmocka_unit_test(test_frozen__a_frame_that_cannot_be_read_is_a_gap),
        cmocka_unit_test(test_frozen__frames_that_are_not_found_are_a_gap),
        cmocka_unit_test(test_frozen__callers_in_a_parent_that_is_not_found_are_a_gap),
        cmocka_unit_test(test_thaw__frames_that_are_being_copied_are_found_where_they_were),
    };
    return cmocka_run_group_tests_name("unwind_frozen", tests, NULL, NULL);
}
