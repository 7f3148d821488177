/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usdt.h - static probes: places in the code at which tracers may read values, without help of this program
 *
 *      WICK_USDT(alloc__sample, WICK_USDT_ALWAYS, class_name, size, weight)     ->  wick:alloc__sample
 *
 * A probe is one nop, and a note in the section .note.stapsdt that holds where the nop is, what it is called and where
 * each argument is then: in a register, in memory, or a constant. bpftrace, perf, bcc and SystemTap read these notes
 * (format: https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation). Who reads a probe has the kernel put a
 * breakpoint in place of the nop; else it costs the nop, and that the arguments are at hand.
 *
 * A semaphore is a counter of 16 bits in the section .probes that the kernel raises while somebody reads the probe. It
 * is for arguments that are expensive: the program computes them only while it is not 0.
 *
 * Arguments are words of 64 bits: integers, and addresses of NUL-terminated texts. docs/probes.md has them.
 *
 * Threads: any, also in signal handlers: nothing is called and nothing written.
 * Memory:  none; the notes are not loaded.
 */
#ifndef WICK_BASE_USDT_H
#define WICK_BASE_USDT_H

#include <stdint.h>

#define WICK_USDT_PROVIDER "wick"
#define WICK_USDT_ALWAYS   0 /* in place of a semaphore: there is none */

/* What semaphores are defined with. */
#define WICK_USDT_SEMAPHORE __attribute__((section(".probes"), visibility("hidden")))

/* The loader moves what is loaded, and a prelinker may have done so before: readers compare where .stapsdt.base is with
 * where the note says that it was. */
#define WICK_USDT_BASE                                                         \
    ".ifndef _.stapsdt.base\n"                                                 \
    ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"    \
    ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n" \
    ".size _.stapsdt.base, 1\n.popsection\n.endif\n"

#define WICK_USDT_NOTE(name, semaphore, args)                                              \
    "990: nop\n"                                                                           \
    ".pushsection .note.stapsdt,\"\",\"note\"\n"                                           \
    ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n" \
    "993: .8byte 990b, _.stapsdt.base, " #semaphore "\n"                                   \
    ".asciz \"" WICK_USDT_PROVIDER "\"\n.asciz \"" #name "\"\n.asciz \"" args              \
    "\"\n994: .balign 4\n.popsection\n" WICK_USDT_BASE

/* An operand: a constant or a register. Memory with an index, which not all readers know, is left out. */
#define WICK_USDT_IN(x) "nr"((uint64_t)(x))

#define WICK_USDT_3(name, semaphore, a, b, c)                                                                 \
    __asm__ __volatile__(WICK_USDT_NOTE(name, semaphore, "8@%0 8@%1 8@%2")::WICK_USDT_IN(a), WICK_USDT_IN(b), \
                         WICK_USDT_IN(c)                                                                      \
                         : "memory")
#define WICK_USDT_5(name, semaphore, a, b, c, d, e)                                                    \
    __asm__ __volatile__(WICK_USDT_NOTE(name, semaphore, "8@%0 8@%1 8@%2 8@%3 8@%4")::WICK_USDT_IN(a), \
                         WICK_USDT_IN(b), WICK_USDT_IN(c), WICK_USDT_IN(d), WICK_USDT_IN(e)            \
                         : "memory")
#define WICK_USDT_6(name, semaphore, a, b, c, d, e, f)                                                       \
    __asm__ __volatile__(WICK_USDT_NOTE(name, semaphore, "8@%0 8@%1 8@%2 8@%3 8@%4 8@%5")::WICK_USDT_IN(a),  \
                         WICK_USDT_IN(b), WICK_USDT_IN(c), WICK_USDT_IN(d), WICK_USDT_IN(e), WICK_USDT_IN(f) \
                         : "memory")

#define WICK_USDT_PICK(a, b, c, d, e, f, n, ...) WICK_USDT_##n

/* A probe with 3, 5 or 6 arguments (bpftrace reads six). semaphore: the assembler's address of one, or _ALWAYS. */
#define WICK_USDT(name, semaphore, ...) WICK_USDT_PICK(__VA_ARGS__, 6, 5, 4, 3, 2, 1)(name, semaphore, __VA_ARGS__)

#endif
