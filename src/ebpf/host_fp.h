/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_fp.h - native code without a rule: the frame's own pc may belong to a function with a frame pointer
 *
 * It does if the word above the saved one is a return address. For both sides that walk, before unwind/step_walk.h.
 *
 * Threads: as unwind/step_walk.h.
 */
#ifndef WICK_EBPF_HOST_FP_H
#define WICK_EBPF_HOST_FP_H

#include "unwind/step.h"

STEP_INLINE int host_has_fp(struct wick_step_env *env, const struct wick_step_state *s, uint64_t pc)
{
    uint64_t ret = 0;
    return pc == s->pc - !s->leaf && s->fp >= s->sp && s->fp - s->sp <= (1 << 20) && !(s->fp & 7) &&
           !step_read(env, s->fp + 8, &ret, sizeof ret) && ret >= 4096 && step_after_call(env, ret);
}

STEP_INLINE void host_fp_rule(struct wick_unwind_rule *rule)
{
    *rule = (struct wick_unwind_rule){.cfa_off = 16, .cfa_reg = 6};
    rule->how[WICK_SLOT_RA] = rule->how[WICK_SLOT_FP] = WICK_HOW_CFA;
    rule->off[WICK_SLOT_RA] = -8;
    rule->off[WICK_SLOT_FP] = -16;
}

#endif
