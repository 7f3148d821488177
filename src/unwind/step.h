/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step.h - the data of one unwinding step: what is known of the JVM, where a walk stands, what a step found
 *
 * The stepping code (step_blob.h, step_x86_64.h, step_java.h, step_seek.h, step_native.h, step_frozen.h, step_walk.h)
 * is written in the subset of C that the kernel's BPF verifier accepts, which tests/bpf/ checks by compiling, measuring
 * and, where it may, loading and running it:
 *   - no globals, no recursion, at most 5 arguments, chains of at most 6 functions with less than 400 bytes of stack;
 *     what is large is in struct wick_step_scratch;
 *   - searches by STEP_LOOP, other loops with small constant bounds;
 *   - no header but those below, which hold integers only;
 *   - all state in the structs below, and memory only through functions that the includer defines before it includes
 *     step_walk.h:
 *
 *   struct wick_step_env;                               the includer's own context, passed through
 *   step_scratch(env)                                   its struct wick_step_scratch; need not be initialised
 *   int  step_read(env, addr, buf, n)                   0, or non-zero if the bytes are not readable
 *   int  step_read_stack(env, addr, buf, n)             likewise, of a frame's words: n is a constant, a multiple of 8;
 *                                                       usually step_read()
 *   int  step_native_rule(env, pc, rule)                the unwind rule of the instruction at pc; non-zero if none is
 *                                                       known
 *   int  step_native_function(env, pc, start)           where the function at pc starts; non-zero if not known
 *   int  step_blob_find(env, jvm, pc, blob)             usually step_blob_read(), perhaps behind a cache
 *   int  step_method_find(env, jvm, method, cm, size)   usually step_method_read(), perhaps behind a cache
 *
 * So one source walks the own thread in a signal handler, another process, a core file, and in the kernel.
 *
 * Threads: no shared state.
 * Memory:  flat structs without pointers; the scratch area is 1 KiB.
 */
#ifndef WICK_UNWIND_STEP_H
#define WICK_UNWIND_STEP_H

#include <stdint.h>

#include "elf/unwind_rule.h"
#include "hotspot/step_facts.h"

/* Bytes below the stack pointer that a function may use (System V ABI x86-64, 3.2.2). */
enum { WICK_STEP_RED_ZONE = 128 };

/* Where a walk stands. The registers are in DWARF's order (System V ABI x86-64, figure 3.36), which unwind rules use.
 */
struct wick_step_state {
    union {
        uint64_t reg[17];
        struct {
            uint64_t rax, rdx, rcx, rbx, rsi, rdi, fp, sp, r8, r9, r10, r11, r12, r13, r14, r15, pc;
        };
    };
    uint64_t anchor_sp, anchor_pc, anchor_fp; /* next JavaFrameAnchor, sp = 0: none */
    uint64_t thread;                          /* JavaThread, 0 = not a Java thread */
    uint64_t stack_end;                       /* sp must stay below; 0 = not known */
    uint64_t frozen_sp, frozen_usp, frozen_end,
        frozen_chunk;      /* in the heap (step_frozen.h); frozen_sp = 0: none left */
    uint32_t thread_state; /* JavaThreadState, 0 = not known */
    uint32_t unknown;      /* bit n: register n is not known, which only happens to threads seen from outside */
    uint32_t thaw_room;    /* bytes of stack that the stub has made for the frames it puts back; 0 = not known */
    uint8_t leaf;          /* pc is an interrupted instruction, not a return address */
    uint8_t anchors_used, scans, gaps;
    uint8_t in_heap, chunks; /* at the return barrier, frozen frames are being walked; chunks visited */
    uint8_t thawing;         /* in the stub behind the barrier: frozen frames and the boundary come next */
    uint8_t switched;        /* the last step led to another stack */
    uint8_t stop, stopped;   /* the next step reports this enum wick_stop; and the walk ends there */
};

/* Frame kinds of a step; they become enum wick_frame_kind when scopes are expanded. */
enum wick_step_kind {
    WICK_STEP_NATIVE,
    WICK_STEP_INTERPRETED,
    WICK_STEP_COMPILED, /* nmethod: one or more Java methods */
    WICK_STEP_WRAPPER,  /* native nmethod: one Java method, declared native */
    WICK_STEP_STUB,
    WICK_STEP_ENTRY,    /* C++ calls Java here */
    WICK_STEP_BOUNDARY, /* virtual thread above, carrier below */
    WICK_STEP_BREAK,
    WICK_STEP_UNKNOWN, /* inside a step: nothing can be said of the frame */
};

/* Why a walk ended before the bottom of the stack. Names in def/stop.def. */
enum wick_stop {
#define X(name, text) WICK_STOP_##name,
#include "def/stop.def"
#undef X
    WICK_STOP_COUNT
};

struct wick_step_frame {
    uint64_t ptr;      /* native: pc; interpreted: Method*; compiled, stub: CodeBlob* */
    uint32_t off;      /* interpreted: bci (0xffff = none); compiled, stub: pc - code */
    uint32_t identity; /* compiled: compile id */
    uint8_t kind;      /* enum wick_step_kind */
    uint8_t level;     /* compiled: 1..4 */
    uint8_t leaf;      /* see wick_step_state.leaf */
    uint8_t stop;      /* BREAK: enum wick_stop */
};

/* How functions are made; the kernel side defines its own before it includes this:
 *   STEP_INLINE         a piece of its caller
 *   STEP_FN             a function of its own; in the kernel a global one, which the verifier checks once for all
 *                       callers. It takes integers and pointers to whole structs, and returns an integer.
 *   STEP_BODY           the body of a loop: (index, context), 0 to go on
 *   STEP_LOOP(n, b, c)  calls body b with 0 .. n - 1 and context c until it returns non-zero
 *   STEP_NULL(p)        the verifier requires global functions to check their pointers */
#ifndef STEP_INLINE
#define STEP_INLINE static inline __attribute__((always_inline))
#define STEP_FN     static __attribute__((noinline, unused))
#define STEP_BODY   static inline __attribute__((always_inline))
#define STEP_LOOP(n, body, ctx)                                                 \
    do {                                                                        \
        for (uint32_t step_i = 0; step_i < (n) && !body(step_i, ctx); step_i++) \
            ;                                                                   \
    } while (0)
#define STEP_NULL(p) 0
#endif

enum { WICK_STEP_BYTES = 512, WICK_STEP_SIZES = 4 };

/* A native frame's caller in the making: its registers in the order of the rule's slots. */
struct wick_step_registers {
    uint64_t cfa, reg[WICK_SLOT_COUNT];
};

/* What one step needs room for and the kernel's stack of 512 bytes has not. Nothing of it outlives the step. */
struct wick_step_scratch {
    struct wick_step_blob blob;   /* of the step's own frame */
    struct wick_step_blob caller; /* of what may be a return address */
    struct wick_unwind_rule rule; /* of the step's own frame */
    struct wick_unwind_rule caller_rule;
    struct wick_step_registers saved;
    uint32_t size_count;
    uint64_t sizes[WICK_STEP_SIZES]; /* step_seek.h */
    uint8_t bytes[WICK_STEP_BYTES];  /* the head of a blob, the start of a function */
};

enum wick_step_result {
    WICK_STEP_MORE, /* frame filled, state moved to the caller */
    WICK_STEP_LAST, /* frame filled, bottom of the stack reached or walk broken */
    WICK_STEP_NONE, /* no frame: bottom reached */
};

#endif
