/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eh_arch.h - DWARF register numbers of the tracked registers (internal to src/elf)
 *
 * x86-64: System V ABI, figure 3.36. AArch64: "DWARF for the Arm 64-bit Architecture", section 4.1.
 */
#ifndef WICK_ELF_EH_ARCH_H
#define WICK_ELF_EH_ARCH_H

#include <stdint.h>

#include "elf/eh_frame.h"

/* The eighth element of a row's slots: an explicit rule for the stack pointer. Never leaves eh_frame.c. */
#define EH_SLOT_SP WICK_SLOT_COUNT
_Static_assert(EH_SLOT_SP == 7, "seven slots and the stack pointer's fill the arrays of struct wick_unwind_rule");

/* DWARF register number by slot. */
#if defined(__x86_64__)
static const uint8_t eh_slot_reg[8] = {6, 16, 3, 12, 13, 14, 15, 7};
#elif defined(__aarch64__)
static const uint8_t eh_slot_reg[8] = {29, 30, 19, 20, 21, 22, 23, 31};
#else
#error "wick runs on x86-64 and AArch64"
#endif

/* The slot of a register, or -1 if it is not tracked. */
static inline int eh_slot_of(uint64_t reg)
{
    for (int i = 0; i < 8; i++)
        if (eh_slot_reg[i] == reg)
            return i;
    return -1;
}

#endif
