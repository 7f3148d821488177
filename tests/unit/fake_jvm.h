/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_jvm.h - a JVM that consists of a code heap, a little metaspace and one stack, for tests of the stepping code
 *
 *      CODE    code heap of 128-byte segments, SEGMAP its map      blobs are made by fj_blob()
 *      META    Method, ConstMethod, ConstantPool, one each
 *      STACK   the thread's stack; words are numbered from its lowest address
 *      HEAP    objects: a Continuation and its chunks, made by the test
 *      NATIVE  code outside of the code cache, with an unwind rule or without
 *
 * The includer gets struct wick_step_env and wick_step() over it.
 *
 * Threads: one.
 * Memory:  the caller's struct.
 */
#ifndef WICK_TESTS_UNIT_FAKE_JVM_H
#define WICK_TESTS_UNIT_FAKE_JVM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "elf/eh_frame.h"
#include "fake_mem.h"
#include "unwind/step.h"

enum {
    FJ_CODE_BYTES = 1 << 15,
    FJ_SEG_SHIFT = 7,
    FJ_META_BYTES = 4096,
    FJ_STACK_WORDS = 1024,
    FJ_NATIVE_BYTES = 4096,
    FJ_HEAP_WORDS = 512
};
#define FJ_CODE   0x7f0000000000ull
#define FJ_META   0x7f1000000000ull
#define FJ_STACK  0x7f2000000000ull
#define FJ_NATIVE 0x7f3000000000ull
#define FJ_SEGMAP 0x7f4000000000ull
#define FJ_NAMES  0x7f5000000000ull
#define FJ_HEAP   0x7f6000000000ull

/* Offsets inside a blob and of the rest; any would do. */
enum { FJ_HEAD = 128, FJ_CM_SIZE = 48, FJ_CODE_SIZE = 100, FJ_THREAD = 2048, FJ_ANCHOR = 64, FJ_CHUNK_HEAD = 40 };
#define FJ_METHOD (FJ_META + 64)
#define FJ_CM     (FJ_META + 256)
#define FJ_POOL   (FJ_META + 512)
#define FJ_BCP(n) (FJ_CM + FJ_CM_SIZE + (n))

struct wick_step_env {
    const struct wick_mem *mem;
    const struct wick_unwind_rule *rule; /* of every native pc, NULL = none */
    uint64_t function;                   /* start of every native function, 0 = not known */
    uint64_t reads;
    struct wick_step_scratch scratch;
};

static inline struct wick_step_scratch *step_scratch(struct wick_step_env *env)
{
    return &env->scratch;
}

static int step_read(struct wick_step_env *env, uint64_t addr, void *buf, uint64_t n)
{
    env->reads++;
    return wick_mem_read(env->mem, addr, buf, n);
}

static int step_native_rule(struct wick_step_env *env, uint64_t pc, struct wick_unwind_rule *rule)
{
    if (!env->rule)
        return -1;
    *rule = *env->rule;
    return 0;
}

static int step_native_function(struct wick_step_env *env, uint64_t pc, uint64_t *start)
{
    *start = env->function;
    return env->function ? 0 : -1;
}

#define step_blob_find   step_blob_read
#define step_method_find step_method_read
#include "unwind/step_walk.h"

struct fj {
    uint8_t code[FJ_CODE_BYTES], segmap[FJ_CODE_BYTES >> FJ_SEG_SHIFT], meta[FJ_META_BYTES], native[FJ_NATIVE_BYTES];
    uint64_t stack[FJ_STACK_WORDS], heap[FJ_HEAP_WORDS];
    char names[512];
    uint32_t code_used, names_used;
    struct wick_mem_range ranges[7];
    struct wick_mem_fake fake;
    struct wick_mem mem;
    struct wick_step_jvm jvm;
    struct wick_step_env env;
    struct wick_step_state s;
};

struct fj_blob {
    uint64_t addr, code, code_end;
};

static inline void fj_put64(uint8_t *base, uint64_t off, uint64_t v)
{
    memcpy(base + off, &v, 8);
}

static inline void fj_put32(uint8_t *base, uint64_t off, uint32_t v)
{
    memcpy(base + off, &v, 4);
}

static inline void fj_memory(struct fj *f)
{
    const struct wick_mem_range r[] = {
        {FJ_CODE, sizeof f->code, f->code},       {FJ_META, sizeof f->meta, f->meta},
        {FJ_STACK, sizeof f->stack, f->stack},    {FJ_NATIVE, sizeof f->native, f->native},
        {FJ_SEGMAP, sizeof f->segmap, f->segmap}, {FJ_NAMES, sizeof f->names, f->names},
        {FJ_HEAP, sizeof f->heap, f->heap}};
    memcpy(f->ranges, r, sizeof r);
    f->fake = (struct wick_mem_fake){f->ranges, sizeof r / sizeof *r};
    wick_mem_fake_init(&f->mem, &f->fake);
    f->env = (struct wick_step_env){.mem = &f->mem};
}

static inline void fj_init(struct fj *f, unsigned major)
{
    memset(f, 0, sizeof *f);
    fj_memory(f);
    memset(f->segmap, 0xff, sizeof f->segmap);
    memset(f->code, 0x90, sizeof f->code); /* nop */
    f->jvm = (struct wick_step_jvm){
        .cc_lo = FJ_CODE,
        .cc_hi = FJ_CODE + FJ_CODE_BYTES,
        .heap = {{FJ_CODE, FJ_CODE + FJ_CODE_BYTES, FJ_SEGMAP}},
        .heap_count = 1,
        .seg_shift = FJ_SEG_SHIFT,
        .heapblock_size = 16,
        .blob_bytes = 64,
        .nmethod_bytes = FJ_HEAD,
        .major = major,
        .cb_name = 0,
        .cb_frame_size = 8,
        .cb_frame_complete = 12,
        .cb_frame_complete_is_short = major >= 23,
        .cb_code = 16,
        .cb_code_end = 24,
        .code_is_pointer = major >= 9 && major < 23,
        .nm_compile_id = 72,
        .nm_comp_level = 76,
        .nm_orig_pc = 80,
        .nm_deopt = 88,
        .nm_deopt_mh = 96,
        .method_const = 8,
        .constmethod_size = FJ_CM_SIZE,
        .cm_code_size = 32,
        .cm_constants = 8,
        .cp_holder = 24,
        .interp_bcp_slot = major >= 9 ? 8 : 7,
        .thread_anchor = FJ_ANCHOR,
        .anchor_sp = 0,
        .anchor_pc = 8,
        .anchor_fp = 16,
        .thread_state = 128,
        .thread_saved_pc = -1,
        .thread_cont_entry = -1,
        .entry_wrapper_slot = -6,
        .wrapper_anchor = 16,
        .cont_entry_size = -1,
        .cont_tail = major >= 21 ? 16 : 0,
        .chunk_parent = 32,
        .chunk_size = 12,
        .chunk_sp = 16,
        .chunk_bottom = 20,
        .chunk_flags = 24,
        .chunk_stack = FJ_CHUNK_HEAD,
    };
    fj_put64(f->meta, 64 + 8, FJ_CM);
    fj_put64(f->meta, 256 + 8, FJ_POOL);
    fj_put32(f->meta, 256 + 32, FJ_CODE_SIZE);
    fj_put64(f->meta, 512 + 24, FJ_META + 1024);
    f->s.stack_end = FJ_STACK + sizeof f->stack;
    f->s.leaf = 1;
}

static inline uint64_t fj_name(struct fj *f, const char *name)
{
    uint64_t at = FJ_NAMES + f->names_used;
    strcpy(f->names + f->names_used, name);
    f->names_used += (uint32_t)strlen(name) + 1;
    return at;
}

/* Writes a pointer or, where this JDK has those, an offset from the blob. */
static inline void fj_bound(struct fj *f, struct fj_blob *b, int32_t at, uint64_t value)
{
    uint64_t off = b->addr - FJ_CODE + (uint64_t)at;
    if (f->jvm.code_is_pointer)
        fj_put64(f->code, off, value);
    else
        fj_put32(f->code, off, value ? (uint32_t)(value - b->addr) : 0);
}

/* A blob with code_bytes of nops. */
static inline struct fj_blob fj_blob(struct fj *f, const char *name, uint32_t code_bytes, int32_t frame_words,
                                     int32_t frame_complete)
{
    uint32_t bytes = 16 + FJ_HEAD + code_bytes, segments = (bytes + (1 << FJ_SEG_SHIFT) - 1) >> FJ_SEG_SHIFT;
    struct fj_blob b = {.addr = FJ_CODE + f->code_used + 16};
    b.code = b.addr + FJ_HEAD;
    b.code_end = b.code + code_bytes;
    for (uint32_t i = 0; i < segments; i++)
        f->segmap[(f->code_used >> FJ_SEG_SHIFT) + i] = (uint8_t)(i < 0xfe ? i : 0xfe);
    uint64_t off = b.addr - FJ_CODE;
    memset(f->code + off, 0, FJ_HEAD);
    fj_put64(f->code, off, fj_name(f, name));
    fj_put32(f->code, off + 8, (uint32_t)frame_words);
    fj_put32(f->code, off + 12, (uint32_t)frame_complete);
    fj_bound(f, &b, f->jvm.cb_code, b.code);
    fj_bound(f, &b, f->jvm.cb_code_end, b.code_end);
    fj_put32(f->code, off + 72, 4711);
    f->code[off + 76] = 4;
    fj_put32(f->code, off + 80, UINT32_MAX);
    f->code_used += segments << FJ_SEG_SHIFT;
    return b;
}

/* Code bytes at an offset of a blob's code. */
static inline void fj_code(struct fj *f, const struct fj_blob *b, uint32_t off, const void *bytes, size_t n)
{
    memcpy(f->code + (b->code - FJ_CODE) + off, bytes, n);
}

/* A call instruction that returns to offset `off` of the blob; that address. */
static inline uint64_t fj_return(struct fj *f, const struct fj_blob *b, uint32_t off)
{
    static const uint8_t call[] = {0xe8, 1, 2, 3, 4};
    fj_code(f, b, off - 5, call, sizeof call);
    return b->code + off;
}

static inline uint64_t fj_sp(uint32_t word)
{
    return FJ_STACK + 8 * (uint64_t)word;
}

static inline int fj_step(struct fj *f, struct wick_step_frame *out)
{
    memset(out, 0, sizeof *out);
    return wick_step(&f->env, &f->jvm, &f->s, out);
}

#endif
