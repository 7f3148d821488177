/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compiler.h - what a JVM's JIT compilers do now, and how often code was deoptimised, seen through its memory
 *
 * What a compiler thread works at is in the JVM's tables, so it is known for every build. The queues, the switch that
 * stops all compiling and the number of deoptimisations are found by libjvm's symbols only: they are not known for
 * builds without symbols, and jvmstat has no counter of them.
 *
 * Threads: any; what is read changes at any time, so it may be a moment old, or 0 where it could not be read.
 * Memory:  the caller's structs; borrows the JVM.
 */
#ifndef WICK_HOTSPOT_COMPILER_H
#define WICK_HOTSPOT_COMPILER_H

#include <stdbool.h>

#include "elf/file.h"
#include "hotspot/jvm.h"

enum { WICK_HS_COMPILERS = 2, /* C1, C2 */ WICK_HS_REASONS = 64 };

struct wick_hs_compiler {
    const struct wick_jvm *jvm;
    /* addresses, 0 = not known */
    wick_addr queue[WICK_HS_COMPILERS]; /* CompileBroker::_c1_compile_queue, _c2_compile_queue: pointers */
    wick_addr compiles;                 /* CompileBroker::_should_compile_new_jobs */
    wick_addr deopts;                   /* Deoptimization::_deoptimization_hist */
    wick_addr reasons;                  /* Deoptimization::_trap_reason_name: pointers */
    uint32_t nreasons, reason_bytes;    /* 0 = not known; of a reason in the histogram */
};

/* Finds what libjvm's file (NULL = none) has symbols for; `bias` as in safepoint.h. Reads the whole symbol table. */
void wick_hs_compiler_open(struct wick_hs_compiler *c, const struct wick_jvm *jvm, const struct wick_elf_file *libjvm,
                           wick_addr bias);

/* How many methods wait for compiler k; false if that is not known, or there is no such compiler. */
bool wick_hs_compiler_waiting(const struct wick_hs_compiler *c, unsigned k, uint32_t *methods);

/* Whether all compiling is switched off, mostly because the code cache is full. False where it is not known. */
bool wick_hs_compiler_stopped(const struct wick_hs_compiler *c);

/* Deoptimisations since the JVM began, modulo 2^32; false if that is not known. */
bool wick_hs_compiler_deopts(const struct wick_hs_compiler *c, uint32_t *count);

/* Those for one reason (1 .. nreasons - 1), and what HotSpot calls it: "class_check". False if that is not known. */
bool wick_hs_compiler_reason(const struct wick_hs_compiler *c, uint32_t reason, uint32_t *count);
bool wick_hs_compiler_reason_name(const struct wick_hs_compiler *c, uint32_t reason, char *buf, size_t cap);

/* A compilation that is under way. */
struct wick_hs_compilation {
    uint32_t id, level;
    bool osr; /* of a loop, to replace the running method on its stack */
    wick_addr method;
};

/* What the compiler thread with that JavaThread works at; false = nothing, or it is none. */
bool wick_hs_compiler_work(const struct wick_jvm *jvm, wick_addr thread, struct wick_hs_compilation *out);

#endif
