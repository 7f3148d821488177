/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stepping code over any bytes.
 *
 * The input is a handful of choices, the registers, then the contents of the code heap, its segment map, metaspace and
 * the stack, so that the fuzzer can make blobs, prologues and frames of its own; the layout of the JVM is the fake one
 * of the unit tests, whose blobs are there first. sp must never fall and a step read only so much. (How many steps
 * there may be is up to the walker: unwind rules that compute the caller's pc lead on for ever.)
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/fake_jvm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DEPTH = 4096 };

static struct fj f;

struct input {
    const uint8_t *p;
    size_t left;
};

/* The next n bytes over what is there; fewer at the end. */
static void take(struct input *in, void *to, size_t n)
{
    n = n < in->left ? n : in->left;
    memcpy(to, in->p, n);
    in->p += n;
    in->left -= n;
}

/* Makes of small numbers addresses that mean something. */
static uint64_t address(uint64_t v)
{
    static const uint64_t bases[] = {FJ_CODE, FJ_STACK, FJ_META, FJ_NATIVE, FJ_CODE, FJ_STACK, FJ_CODE, FJ_HEAP};
    return v >> 32 ? v : bases[v >> 29 & 7] + (v & 0xffff);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned majors[] = {8, 11, 17, 21, 23, 25, 26, 27};
    static const char *const names[] = {"Interpreter",   "nmethod",       "native nmethod",     "StubRoutines (1)",
                                        "SafepointBlob", "vtable chunks", "DeoptimizationBlob", "I2C/C2I adapters"};
    struct input in = {data, size};
    struct wick_unwind_rule rule = {.cfa_off = 16, .cfa_reg = 7, .off = {-16, -8}, .how = {WICK_HOW_CFA, WICK_HOW_CFA}};
    uint8_t choice[8] = {0};
    uint32_t words[17] = {0};
    uint16_t stack_words = 0;
    take(&in, choice, sizeof choice);
    fj_init(&f, majors[choice[0] & 7]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct fj_blob b = fj_blob(&f, names[i], 256, (int8_t)choice[1 + i % 3], (int8_t)choice[4 + i % 2]);
        fj_return(&f, &b, 100);
        if (i == 3)
            f.jvm.call_stub_return = b.code + 100;
    }
    take(&in, words, sizeof words);
    for (int i = 0; i < 17; i++)
        f.s.reg[i] = address(words[i]);
    f.s.sp &= ~7ull;
    f.s.thread_state = choice[6];
    if (choice[7] & 1)
        f.env.rule = &rule;
    if (choice[7] & 2)
        take(&in, &rule, sizeof rule);
    if (choice[7] & 4)
        f.s.stack_end = 0;
    if (choice[7] & 8) {
        take(&in, f.meta + FJ_THREAD + FJ_ANCHOR, 24);
        step_load_anchor(&f.env, &f.jvm, &f.s, FJ_META + FJ_THREAD + FJ_ANCHOR);
    }
    take(&in, &stack_words, sizeof stack_words);
    for (uint32_t i = 0; i < stack_words % FJ_STACK_WORDS && in.left; i++) {
        uint32_t v = 0;
        take(&in, &v, sizeof v);
        f.stack[i] = address(v);
    }
    if (choice[7] & 16) { /* at the return barrier, with a chunk */
        f.jvm.cont_barrier = f.s.pc;
        f.jvm.oop_kind = choice[7] >> 5 & 3;
        f.s.leaf = 0;
        for (uint32_t i = 0; i < FJ_HEAP_WORDS && in.left; i++) {
            uint64_t v = 0;
            take(&in, &v, sizeof v);
            f.heap[i] = v >> 63 ? address((uint32_t)v) : v;
        }
    }
    take(&in, f.code, sizeof f.code);
    take(&in, f.segmap, sizeof f.segmap);
    take(&in, f.meta, sizeof f.meta);
    for (int steps = 0, res = WICK_STEP_MORE; res == WICK_STEP_MORE && steps < DEPTH; steps++) {
        struct wick_step_frame frame;
        uint64_t sp = f.s.sp, reads = f.env.reads;
        res = fj_step(&f, &frame);
        if (res == WICK_STEP_MORE && f.s.sp < sp)
            abort();
        if (f.env.reads - reads > 200000 || frame.kind > WICK_STEP_BREAK || frame.stop >= WICK_STOP_COUNT)
            abort();
    }
    return 0;
}
