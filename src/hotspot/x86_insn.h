/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86_insn.h - how long an instruction of x86-64 is, and where it leads
 *
 * Threads: any; async-signal-safe.
 */
#ifndef WICK_HOTSPOT_X86_INSN_H
#define WICK_HOTSPOT_X86_INSN_H

#include <stddef.h>
#include <stdint.h>

enum { WICK_X86_INSN_MOST = 15 }; /* bytes of one instruction */

enum wick_x86_flow {
    WICK_X86_NEXT, /* to the next instruction */
    WICK_X86_POLL, /* likewise; test with memory, as safepoint polls in compiled Java code are */
    WICK_X86_CALL, /* likewise, when what is called returns */
    WICK_X86_JUMP, /* to its target */
    WICK_X86_FORK, /* to its target or the next instruction */
    WICK_X86_END,  /* to a place that it does not name: return, jump by a register, trap */
};

struct wick_x86_insn {
    uint8_t length;
    enum wick_x86_flow flow;
    int32_t target; /* of JUMP and FORK: from the end of the instruction */
};

/* Reads the first instruction of the n bytes at code. Returns its length; 0: it is none of 64-bit code, or longer than
 * n. */
unsigned wick_x86_insn(const uint8_t *code, size_t n, struct wick_x86_insn *out);

#endif
