/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_native.h - one step through a frame outside of the code cache
 *
 * The rule comes from .eh_frame (elf/eh_frame.h) through the includer's step_native_rule(), usually behind a cache.
 * Without a rule the thread's anchor leads to the next Java frames (a gap: the native frames in between are lost); a
 * thread in Java state, which has no anchor, called a leaf function, so a return address into the code cache is near;
 * and at last the frame pointer is tried. A rule that counts from a register that is not known: step_seek.h.
 *
 * Threads: as step_walk.h, which includes this.
 * Memory:  as step_walk.h.
 */
#ifndef WICK_UNWIND_STEP_NATIVE_H
#define WICK_UNWIND_STEP_NATIVE_H

enum { STEP_CFA_REACH = 64 << 20 }; /* no frame is larger */

/* Replaces a slot's register by the caller's. 0 on success. */
STEP_INLINE int step_slot(struct wick_step_env *env, const struct wick_step_state *s, const struct wick_unwind_rule *r,
                          struct wick_step_registers *c, uint32_t slot)
{
    uint8_t how = r->how[slot];
    uint64_t at = c->cfa + (uint64_t)(int64_t)r->off[slot];
    switch (WICK_HOW_KIND(how)) {
    case WICK_HOW_SAME:
        return 0;
    case WICK_HOW_CFA:
        return step_read_stack(env, at, &c->reg[slot], 8);
    case WICK_HOW_MEM:
        return step_word(env, s->reg[WICK_HOW_REG(how) & 15] + (uint64_t)(int64_t)r->off[slot], &c->reg[slot]);
    case WICK_HOW_MOVED:
        c->reg[slot] = s->reg[WICK_HOW_REG(how) & 15];
        return 0;
    case WICK_HOW_VALUE:
        c->reg[slot] = at;
        return 0;
    default: /* lost: 0 is no address that any later step would accept */
        c->reg[slot] = 0;
        return 0;
    }
}

STEP_INLINE int step_apply(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                           const struct wick_unwind_rule *r)
{
    if (!step_is_known(s, r->cfa_reg) && !step_seek_fp(env, j, s, r))
        return WICK_STOP_REGISTER;
    uint64_t cfa = s->reg[r->cfa_reg & 15] + (uint64_t)(int64_t)r->cfa_off;
    if (r->cfa_kind == WICK_CFA_DEREF) {
        uint64_t v = 0;
        if (step_word(env, cfa, &v))
            return WICK_STOP_STACK_RANGE;
        cfa = v + (uint64_t)(int64_t)r->cfa_add;
    }
    const int switches = r->flags & WICK_RULE_SWITCH;
    if ((!switches && (cfa <= s->sp || cfa - s->sp > STEP_CFA_REACH)) || (cfa & 7))
        return WICK_STOP_STACK_RANGE;
    struct wick_step_registers *c = &step_scratch(env)->saved;
    *c = (struct wick_step_registers){cfa, {s->fp, 0, s->rbx, s->r12, s->r13, s->r14, s->r15}};
    if (step_slot(env, s, r, c, WICK_SLOT_RA) || step_slot(env, s, r, c, WICK_SLOT_FP) ||
        step_slot(env, s, r, c, WICK_SLOT_RBX) || step_slot(env, s, r, c, WICK_SLOT_R12) ||
        step_slot(env, s, r, c, WICK_SLOT_R13) || step_slot(env, s, r, c, WICK_SLOT_R14) ||
        step_slot(env, s, r, c, WICK_SLOT_R15))
        return WICK_STOP_STACK_RANGE;
    step_keep_unknown(s, r);
    s->fp = c->reg[WICK_SLOT_FP];
    s->rbx = c->reg[WICK_SLOT_RBX];
    s->r12 = c->reg[WICK_SLOT_R12];
    s->r13 = c->reg[WICK_SLOT_R13];
    s->r14 = c->reg[WICK_SLOT_R14];
    s->r15 = c->reg[WICK_SLOT_R15];
    s->pc = c->reg[WICK_SLOT_RA];
    s->sp = cfa;
    s->leaf = r->flags & WICK_RULE_SIGNAL ? 1 : 0;
    s->switched = switches ? 1 : 0;
    s->gaps += r->flags & WICK_RULE_GAP ? 1 : 0;
    return WICK_STOP_NONE;
}

/* 0: moved on; -1: this was the outermost frame; > 0: enum wick_stop. */
STEP_INLINE int step_native(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s)
{
    struct wick_unwind_rule *r = &step_scratch(env)->rule;
    int stop = WICK_STOP_NATIVE;
    if (!step_native_rule(env, step_at_pc(s), r)) {
        if (r->flags & WICK_RULE_END)
            return -1;
        uint64_t fp = s->fp;
        uint8_t scans = s->scans;
        stop = step_apply(env, j, s, r);
        if (!stop && s->pc >= 4096)
            return WICK_STOP_NONE;
        if (!stop)
            return -1; /* a zero return address is the classic end of a stack */
        s->fp = fp;    /* perhaps one that was searched for, which led nowhere */
        s->scans = scans;
    }
    if (step_use_anchor(env, s)) {
        s->gaps++;
        s->unknown &= ~(1u << STEP_REG_FP);
        return WICK_STOP_NONE;
    }
    uint64_t ret = 0;
    if (s->leaf && s->thread_state == STEP_THREAD_IN_JAVA) {
        /* code without a frame, such as the trampolines to adapters in a CDS archive, or a library function without
         * unwind rules */
        if (step_return_at(env, j, s->sp, &ret)) {
            step_to(s, ret, s->sp + 8);
            return WICK_STOP_NONE;
        }
        if (step_scan(env, j, s, s->sp, STEP_SCAN_WORDS))
            return WICK_STOP_NONE;
    }
    if (s->fp >= s->sp && !step_word(env, s->fp + 8, &ret) && ret >= 4096 && !step_by_fp(env, s))
        return WICK_STOP_NONE;
    return stop;
}

#endif
