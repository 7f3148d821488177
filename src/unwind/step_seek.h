/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_seek.h - the frame of a native function whose frame pointer is not known
 *
 * A thread that is seen from outside (record/walk.h, struct wick_outside) is known by its sp and pc only. The libraries
 * between the system call and the JVM often leave rbp alone, so nobody saved it, and libjvm.so is compiled with frame
 * pointers: its rules say CFA = rbp + 16. But sp at the call is known, and a function with such a frame begins
 *
 *      push rbp; mov rbp, rsp; push r15 ... push rbx; sub rsp, n
 *
 * so that rbp = sp + n + 8 for each push (the rule says where the registers were saved). Where the bytes do not say
 * so, the stack is searched for a return address behind a direct call of this very function. A frame is taken only if
 * its return address stands behind a call in code with an unwind rule; that of a call whose target can be read and is
 * this function is preferred.
 *
 * Threads: as step_walk.h, which includes this.
 * Memory:  as step_walk.h.
 */
#ifndef WICK_UNWIND_STEP_SEEK_H
#define WICK_UNWIND_STEP_SEEK_H

enum {
    STEP_REG_FP = 6,
    STEP_REG_SP = 7,
    STEP_SEEK_WORDS = 1024,
    STEP_SEEK_CODE = 96, /* bytes of a function in which it makes room on the stack */
    STEP_SEEK_SIZES = WICK_STEP_SIZES - 1,
    STEP_SEEK_JUMPS = 2
};

STEP_INLINE int step_is_known(const struct wick_step_state *s, uint32_t reg)
{
    return !(s->unknown >> (reg & 15) & 1);
}

STEP_INLINE void step_keep_slot(uint32_t *unknown, uint32_t old, uint8_t how, uint32_t reg)
{
    int kind = WICK_HOW_KIND(how);
    int lost = kind == WICK_HOW_LOST || (kind == WICK_HOW_MOVED && old >> (WICK_HOW_REG(how) & 15) & 1);
    if (kind != WICK_HOW_SAME)
        *unknown = (*unknown & ~(1u << reg)) | (uint32_t)lost << reg;
}

/* Carries over to the caller which registers are known. */
STEP_INLINE void step_keep_unknown(struct wick_step_state *s, const struct wick_unwind_rule *r)
{
    uint32_t old = s->unknown, now = old;
    step_keep_slot(&now, old, r->how[WICK_SLOT_FP], STEP_REG_FP);
    step_keep_slot(&now, old, r->how[WICK_SLOT_RBX], 3);
    step_keep_slot(&now, old, r->how[WICK_SLOT_R12], 12);
    step_keep_slot(&now, old, r->how[WICK_SLOT_R13], 13);
    step_keep_slot(&now, old, r->how[WICK_SLOT_R14], 14);
    step_keep_slot(&now, old, r->how[WICK_SLOT_R15], 15);
    s->unknown = now;
}

/* Where code at `to` leads if it is nothing but a jump: an entry of the PLT, a thunk. */
STEP_INLINE uint64_t step_follow_jumps(struct wick_step_env *env, uint64_t to)
{
    for (uint32_t i = 0; i < STEP_SEEK_JUMPS; i++) {
        uint8_t c[16];
        int32_t rel = 0;
        if (step_read(env, to, c, sizeof c))
            break;
        uint32_t at = c[0] == 0xf3 && c[1] == 0x0f && c[2] == 0x1e && c[3] == 0xfa ? 4 : 0; /* endbr64 */
        at += c[at] == 0xf2;                                                                /* bnd */
        if (c[at] == 0xe9) {
            __builtin_memcpy(&rel, c + at + 1, 4);
            to += at + 5 + (uint64_t)(int64_t)rel;
        } else if (c[at] == 0xff && c[at + 1] == 0x25) {
            __builtin_memcpy(&rel, c + at + 2, 4);
            if (step_word(env, to + at + 6 + (uint64_t)(int64_t)rel, &to))
                return 0;
        } else {
            break;
        }
    }
    return to;
}

/* Whether `ret` stands behind a direct call that leads to `function`. */
STEP_FN int step_calls(struct wick_step_env *env, uint64_t ret, uint64_t function)
{
    if (STEP_NULL(env))
        return 0;
    uint8_t c[5];
    int32_t rel = 0;
    if (ret < 4096 || step_read(env, ret - 5, c, sizeof c) || c[0] != 0xe8)
        return 0;
    __builtin_memcpy(&rel, c + 1, 4);
    return step_follow_jumps(env, ret + (uint64_t)(int64_t)rel) == function;
}

/* Whether the frame whose saved rbp is at `fp` can be that of `function`: 0, 1 or, beyond doubt, 2. */
STEP_INLINE int step_fits(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t fp, uint64_t function)
{
    uint64_t ret = 0;
    if (step_word(env, fp + 8, &ret))
        return 0;
    if (step_in_code_cache(j, ret))
        return step_is_return(env, j, ret);
    if (!step_native_return_at(env, j, fp + 8, &ret) || !step_after_call(env, ret))
        return 0;
    return 1 + step_calls(env, ret, function);
}

struct step_code {
    struct wick_step_scratch *scratch; /* the bytes */
    uint32_t have;
};

/* Notes how much room the instruction at byte i makes on the stack, if it is `sub rsp, n`. */
STEP_BODY long step_size_at(uint32_t i, void *ctx)
{
    const struct step_code *code = ctx;
    struct wick_step_scratch *w = code->scratch;
    const uint8_t *c = w->bytes;
    int32_t size = 0;
    if (i > STEP_SEEK_CODE - 7 || i >= code->have || w->size_count >= STEP_SEEK_SIZES)
        return 1;
    if (c[i] != 0x48 || c[i + 2] != 0xec || (c[i + 1] != 0x83 && c[i + 1] != 0x81))
        return 0;
    if (c[i + 1] == 0x83)
        size = (int8_t)c[i + 3];
    else
        __builtin_memcpy(&size, c + i + 3, 4);
    if (size > 0)
        w->sizes[w->size_count++ & (WICK_STEP_SIZES - 1)] = (uint64_t)size;
    return 0;
}

/* Takes the frame pointer that the function's first instructions imply. 1 if it fits. */
STEP_FN int step_seek_by_size(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                              const struct wick_unwind_rule *r, uint64_t function)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s) || STEP_NULL(r))
        return 0;
    uint64_t *sizes = step_scratch(env)->sizes, pushed = 0;
    uint32_t have = s->pc - function < STEP_SEEK_CODE ? (uint32_t)(s->pc - function) : STEP_SEEK_CODE;
    __builtin_memset(step_scratch(env)->bytes, 0, STEP_SEEK_CODE);
    __builtin_memset(sizes, 0, sizeof step_scratch(env)->sizes);
    if (step_read(env, function, step_scratch(env)->bytes, have))
        return 0;
    for (uint32_t i = 0; i < WICK_SLOT_COUNT; i++) {
        if (WICK_HOW_KIND(r->how[i]) == WICK_HOW_CFA && r->off[i] < -16 && (uint64_t)(-16 - r->off[i]) > pushed)
            pushed = (uint64_t)(-16 - r->off[i]);
    }
    step_scratch(env)->size_count = 0;
    struct step_code c = {step_scratch(env), have};
    STEP_LOOP(STEP_SEEK_CODE - 6, step_size_at, &c);
    uint32_t n = step_scratch(env)->size_count;
    uint64_t good = 0;
    /* the room and the pushed registers; only the former, if registers were stored there; the latter without any room
     */
    for (uint32_t i = 0; i < 2 * (STEP_SEEK_SIZES + 1); i++) {
        uint64_t fp = s->sp + sizes[i / 2] + (i & 1 ? 0 : pushed);
        if (i / 2 > n || (i / 2 == n && n) || (fp & 7))
            continue;
        int fits = step_fits(env, j, fp, function);
        if (fits == 2 || (fits && !good))
            good = fp;
        if (fits == 2)
            break;
    }
    if (good)
        s->fp = good;
    return good != 0;
}

STEP_BODY long step_seek_word(uint32_t i, void *ctx)
{
    struct step_search *c = ctx;
    uint64_t fp = c->from + 8 * (uint64_t)i, function = c->end, ret = 0;
    if (step_word(c->env, fp + 8, &ret))
        return 1;
    if (ret - function + INT32_MAX > 2ull * INT32_MAX || !step_calls(c->env, ret, function) ||
        step_fits(c->env, c->j, fp, function) != 2)
        return 0;
    c->s->fp = fp;
    c->s->scans++;
    c->found = 1;
    return 1;
}

/* Finds rbp of the native function at the state's pc, whose rule counts from it. 1 if found. */
STEP_FN int step_seek_fp(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                         const struct wick_unwind_rule *r)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s) || STEP_NULL(r))
        return 0;
    uint64_t function = 0;
    if (r->cfa_kind != WICK_CFA_REG || r->cfa_reg != STEP_REG_FP || r->cfa_off != 16 ||
        r->how[WICK_SLOT_RA] != WICK_HOW_CFA || r->off[WICK_SLOT_RA] != -8 || r->how[WICK_SLOT_FP] != WICK_HOW_CFA ||
        r->off[WICK_SLOT_FP] != -16 || step_native_function(env, step_at_pc(s), &function))
        return 0;
    if (step_seek_by_size(env, j, s, r, function))
        return 1;
    struct step_search c = {env, j, s, s->sp, function, 0, 0, 0};
    STEP_LOOP(STEP_SEEK_WORDS, step_seek_word, &c);
    return c.found;
}

#endif
