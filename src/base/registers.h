/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registers.h - the registers of the calling thread, as far as a walk of its stack needs them, and its thread pointer
 *
 * Threads: the caller's.
 */
#ifndef WICK_BASE_REGISTERS_H
#define WICK_BASE_REGISTERS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

/* What the caller would be interrupted with here. */
static inline __attribute__((always_inline)) void wick_registers_here(ucontext_t *out)
{
    uint64_t r[8];
    __asm__ volatile("leaq 0f(%%rip), %%rax\n0:\n"
                     "movq %%rax, 0(%0)\n movq %%rsp, 8(%0)\n movq %%rbp, 16(%0)\n movq %%rbx, 24(%0)\n"
                     "movq %%r12, 32(%0)\n movq %%r13, 40(%0)\n movq %%r14, 48(%0)\n movq %%r15, 56(%0)\n"
                     :
                     : "c"(r)
                     : "rax", "memory");
    static const int places[] = {REG_RIP, REG_RSP, REG_RBP, REG_RBX, REG_R12, REG_R13, REG_R14, REG_R15};
    memset(&out->uc_mcontext.gregs, 0, sizeof out->uc_mcontext.gregs);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        out->uc_mcontext.gregs[places[i]] = (greg_t)r[i];
}

/* Where the control block of the calling thread is: a number that no other thread of the process has now. */
static inline uint64_t wick_registers_thread_pointer(void)
{
    uint64_t at = 0;
#if defined(__x86_64__)
    __asm__("movq %%fs:0, %0" : "=r"(at));
#endif
    return at;
}

#endif
