/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind_rule.h - how to find the caller's registers from the present ones: the data, without what reads it
 *
 * To apply a rule: CFA first (the caller's stack pointer), then each slot. All "register" values are those of the frame
 * the rule is for, before any of them is replaced:
 *
 *     cfa = reg[cfa_reg] + cfa_off                     WICK_CFA_REG
 *     cfa = load(reg[cfa_reg] + cfa_off) + cfa_add     WICK_CFA_DEREF
 *     caller's sp = cfa, caller's slot i = by WICK_HOW_KIND(how[i]) below
 *
 * Plain data that the kernel side also includes (unwind/step.h): nothing but integers, no other header of the tree.
 *
 * Threads: no shared state.
 * Memory:  flat structs without pointers.
 */
#ifndef WICK_ELF_UNWIND_RULE_H
#define WICK_ELF_UNWIND_RULE_H

#include <stdint.h>

/* The tracked registers besides the stack pointer: a slot each. */
enum wick_unwind_slot {
    WICK_SLOT_FP, /* rbp; x29 */
    WICK_SLOT_RA, /* rip; x30 */
#ifdef __aarch64__
    WICK_SLOT_X19, /* .. X23; the rest is not tracked */
    WICK_SLOT_X20,
    WICK_SLOT_X21,
    WICK_SLOT_X22,
    WICK_SLOT_X23,
#else
    WICK_SLOT_RBX,
    WICK_SLOT_R12,
    WICK_SLOT_R13,
    WICK_SLOT_R14,
    WICK_SLOT_R15,
#endif
    WICK_SLOT_COUNT,
};

enum {
    WICK_CFA_REG = 0,
    WICK_CFA_DEREF = 1,
};

/* What became of a slot's register. */
enum {
    WICK_HOW_SAME = 0,  /* unchanged */
    WICK_HOW_CFA = 1,   /* saved at cfa + off */
    WICK_HOW_MEM = 2,   /* saved at reg[WICK_HOW_REG(how)] + off (signal frames, realigned frames) */
    WICK_HOW_MOVED = 3, /* is in register WICK_HOW_REG(how) */
    WICK_HOW_VALUE = 4, /* is the number cfa + off */
    WICK_HOW_LOST = 5,  /* not recoverable; never for the return address */
};
#define WICK_HOW_KIND(how) ((how)&7)
#define WICK_HOW_REG(how)  ((how) >> 3) /* DWARF register number, 0..31 */

enum {
    WICK_RULE_SIGNAL = 1, /* a signal frame: the caller was interrupted at its pc, so look that pc up as it is */
    WICK_RULE_END = 2,    /* the return address is undefined: the outermost frame; slots have no meaning */
    WICK_RULE_SWITCH = 4, /* the caller may be on another stack, at any distance */
    WICK_RULE_GAP = 8,    /* between this frame and the one that the rule leads to there is one more */
};

struct wick_unwind_rule {
    int32_t cfa_off;
    uint8_t cfa_kind; /* WICK_CFA_* */
    uint8_t cfa_reg;  /* DWARF register number: x86-64 7 = rsp, 6 = rbp */
    int8_t cfa_add;   /* WICK_CFA_DEREF only */
    uint8_t flags;    /* WICK_RULE_* */
    int16_t off[8];   /* by slot; bytes */
    uint8_t how[8];   /* by slot; the eighth element is always 0 */
};
_Static_assert(sizeof(struct wick_unwind_rule) <= 32, "rules are cached by the thousand");

#endif
