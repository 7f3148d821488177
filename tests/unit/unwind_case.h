/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind_case.h - what the tests of the stepping code begin with, and what they expect of a step
 *
 * Threads: one.
 * Memory:  statics: a header for one test program.
 */
#ifndef WICK_TESTS_UNIT_UNWIND_CASE_H
#define WICK_TESTS_UNIT_UNWIND_CASE_H

#include "fake_jvm.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static struct fj f;
static struct fj_blob interpreter, caller;
static struct wick_step_frame frame;
static const unsigned majors[] = {8, 11, 17, 21, 23, 25};

/* An interpreter, and a compiled method that calls everything else. */
static inline void begin(unsigned major)
{
    fj_init(&f, major);
    interpreter = fj_blob(&f, "Interpreter", 4096, 0, -1);
    caller = fj_blob(&f, "nmethod", 512, 4, 16);
}

static inline void expect_caller(uint64_t pc, uint64_t sp, uint64_t fp)
{
    assert_int_equal(f.s.pc, pc);
    assert_int_equal(f.s.sp, sp);
    assert_int_equal(f.s.fp, fp);
    assert_int_equal(f.s.leaf, 0);
}

/* The walk ends here for this reason, perhaps after the last frame that it could still determine. */
static inline void expect_break(enum wick_stop stop)
{
    int result = fj_step(&f, &frame);
    if (frame.kind != WICK_STEP_BREAK) {
        assert_int_equal(result, WICK_STEP_MORE);
        result = fj_step(&f, &frame);
    }
    assert_int_equal(result, WICK_STEP_LAST);
    assert_int_equal(frame.kind, WICK_STEP_BREAK);
    assert_int_equal(frame.stop, stop);
}

/* A whole interpreted frame whose fp is word `at`; returns to ret, whose sp is word `sender`. */
static inline void put_interpreted(uint32_t at, uint64_t ret, uint64_t fp, uint32_t sender, uint32_t bci)
{
    f.stack[at + 1] = ret;
    f.stack[at] = fp;
    f.stack[at - 1] = fj_sp(sender);
    f.stack[at - 3] = FJ_METHOD;
    f.stack[at - (uint32_t)f.jvm.interp_bcp_slot] = FJ_BCP(bci);
}

/* A frame of `words` words that begins at word `at`: the last is the return address, the one before the caller's rbp.
 */
static inline void put_frame(uint32_t at, uint32_t words, uint64_t ret, uint64_t fp)
{
    f.stack[at + words - 1] = ret;
    f.stack[at + words - 2] = fp;
}

#endif
