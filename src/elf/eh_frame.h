/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eh_frame.h - the unwind rule of a pc: how to find the caller's registers from the present ones
 *
 * The answer is computed from .eh_frame where the loader put it; no table is built and nothing is cached here. The rule
 * holds for a range of pcs, which is returned so that callers can cache.
 *
 * How a rule is applied: elf/unwind_rule.h.
 *
 * The PLT's expression is resolved for the pc asked about (the range says how far that holds), so that callers see a
 * plain WICK_CFA_REG.
 *
 * Threads: any; async-signal-safe.
 * Memory:  none; about 1.3 KiB of stack.
 */
#ifndef WICK_ELF_EH_FRAME_H
#define WICK_ELF_EH_FRAME_H

#include <stdint.h>

#include "elf/image.h"
#include "elf/unwind_rule.h"
#include "mem/mem.h"

/* The rule for executing the instruction at pc in image; it holds for *valid_lo <= pc < *valid_hi (either may be NULL).
 * For a return address pass the address - 1, unless the callee was a signal frame: a call may be its function's last
 * instruction, and the rule may change right after it.
 * 0; -WICK_E_NOTFOUND: no unwind information covers pc; -WICK_E_UNSUPPORTED: no sorted table, or a rule that this
 * struct cannot express; -WICK_E_FORMAT: malformed; -WICK_E_FAULT, -WICK_E_GONE: not readable. */
int wick_eh_rule(const struct wick_mem *mem, const struct wick_elf_image *image, wick_addr pc,
                 struct wick_unwind_rule *out, wick_addr *valid_lo, wick_addr *valid_hi);

/* Where the last rule was found; zeros at first. It belongs to one image and its reader, and stays where
 * it is, as they do. */
struct wick_eh_found {
    _Alignas(8) uint8_t bytes[1024];
};

/* Likewise, faster where the rules of a piece of code are asked for one after the other: for a pc at which the range of
 * the last answer ended. */
int wick_eh_rule_from(const struct wick_mem *mem, const struct wick_elf_image *image, wick_addr pc,
                      struct wick_eh_found *from, struct wick_unwind_rule *out, wick_addr *valid_lo,
                      wick_addr *valid_hi);

/* Where the function that contains pc starts, or the part of it that was compiled separately. Fails as wick_eh_rule. */
int wick_eh_function(const struct wick_mem *mem, const struct wick_elf_image *image, wick_addr pc, wick_addr *start);

#endif
