/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_x86_64.h - what the bytes of x86-64 code show about a frame that is being set up or torn down
 *
 * A compiled HotSpot method starts
 *
 *     [mov  [rsp-0x14000], eax]      stack bang
 *      push rbp                      (or, C2 without bang: only sub, then mov [rsp+n], rbp)
 *     [mov  rbp, rsp]                -XX:+PreserveFramePointer
 *      sub  rsp, n                   48 83 ec ib | 48 81 ec id
 *                                    <- the frame stands from here on
 *
 * and ends
 *
 *      add  rsp, n                   48 83 c4 ib | 48 81 c4 id
 *      pop  rbp                      5d
 *      poll                          8: test [rip+x], eax | 10..: mov r10, [r15+x]; test [r10], eax |
 *                                    16..: cmp rsp, [r15+x]; ja
 *      ret                           c3
 *
 * (hotspot/cpu/x86: MacroAssembler::verified_entry, x86_64.ad MachEpilogNode, c1_LIRAssembler return_op).
 *
 * Threads: as step_walk.h, which includes this.
 * Memory:  as step_walk.h.
 */
#ifndef WICK_UNWIND_STEP_X86_64_H
#define WICK_UNWIND_STEP_X86_64_H

/* How much of the frame stands at a pc. */
enum step_frame_part {
    STEP_FRAME_WHOLE,
    STEP_FRAME_RETURN_ONLY,  /* [rsp] = return address */
    STEP_FRAME_SAVED_FP,     /* [rsp] = caller's rbp, [rsp+8] = return address */
    STEP_FRAME_FP_NOT_SAVED, /* whole, but rbp still is the caller's */
    STEP_FRAME_UNDECIDED,
};

enum { STEP_PROLOGUE_WINDOW = 40 };

/* pc is the address after a call: the bytes before it are a call instruction. */
STEP_FN int step_after_call(struct wick_step_env *env, uint64_t pc)
{
    if (STEP_NULL(env))
        return 0;
    uint8_t b[8] = {0}; /* b[7] is the byte before pc */
    if (pc < 16 || step_read(env, pc - 7, b + 1, 7))
        return 0;
    if (b[3] == 0xe8)
        return 1; /* call rel32 */
    if (b[6] == 0xff && (b[7] & 0xf8) == 0xd0)
        return 1; /* call reg */
    if (b[6] == 0xff && (b[7] & 0xf8) == 0x10 && (b[7] & 7) != 4 && (b[7] & 7) != 5)
        return 1; /* call [reg] */
    if (b[5] == 0xff && ((b[6] & 0xf8) == 0x50 || b[6] == 0x14))
        return 1; /* call [reg+disp8], call [sib] */
    if (b[4] == 0xff && b[5] == 0x54)
        return 1; /* call [sib+disp8] */
    return b[2] == 0xff && ((b[3] & 0xf8) == 0x90 || b[3] == 0x15);
    /* call [reg+disp32], call [rip+disp32]; call [sib+disp32] is not used by HotSpot */
}

struct step_window {
    const uint8_t *bytes;
    uint32_t have;
    int part;
};

/* Searches i bytes before the last place for `sub rsp, n`, which completes the frame. */
STEP_BODY long step_prologue_at(uint32_t i, void *ctx)
{
    struct step_window *c = ctx;
    if (i >= STEP_PROLOGUE_WINDOW - 4 || i + 4 > c->have)
        return 1;
    uint32_t at = STEP_PROLOGUE_WINDOW - 4 - i;
    const uint8_t *b = c->bytes + at;
    if (b[0] != 0x48 || b[2] != 0xec)
        return 0;
    uint32_t len = b[1] == 0x83 ? 4 : b[1] == 0x81 ? 7 : 0;
    if (!len || at + len > STEP_PROLOGUE_WINDOW)
        return 0;
    if (b[-1] == 0x55 || (at >= 4 && b[-1] == 0xec && b[-2] == 0x8b && b[-3] == 0x48))
        c->part = STEP_FRAME_WHOLE;
    else
        c->part = at + len == STEP_PROLOGUE_WINDOW ? STEP_FRAME_FP_NOT_SAVED : STEP_FRAME_WHOLE;
    return 1;
}

/* The prologue of an nmethod: pc lies before frame_complete. */
STEP_FN int step_prologue(struct wick_step_env *env, uint64_t code, uint64_t pc)
{
    if (STEP_NULL(env))
        return STEP_FRAME_RETURN_ONLY;
    uint8_t *b = step_scratch(env)->bytes; /* the bytes before pc, right-aligned */
    uint32_t have = pc - code < STEP_PROLOGUE_WINDOW ? (uint32_t)(pc - code) : STEP_PROLOGUE_WINDOW;
    if (have == 0)
        return STEP_FRAME_RETURN_ONLY;
    if (step_read(env, pc - STEP_PROLOGUE_WINDOW, b, STEP_PROLOGUE_WINDOW))
        return STEP_FRAME_RETURN_ONLY;
    struct step_window c = {b, have, STEP_FRAME_UNDECIDED};
    STEP_LOOP(STEP_PROLOGUE_WINDOW - 4, step_prologue_at, &c);
    if (c.part != STEP_FRAME_UNDECIDED)
        return c.part;
    const uint8_t *e = b + STEP_PROLOGUE_WINDOW;
    if (e[-1] == 0x55 || (have >= 4 && e[-4] == 0x55 && e[-3] == 0x48 && e[-2] == 0x8b && e[-1] == 0xec))
        return STEP_FRAME_SAVED_FP;
    return STEP_FRAME_RETURN_ONLY;
}

/* The epilogue of an nmethod or stub: examines the next instructions and the byte before. */
STEP_FN int step_epilogue(struct wick_step_env *env, uint64_t pc)
{
    if (STEP_NULL(env))
        return STEP_FRAME_WHOLE;
    uint8_t c[13] = {0};
    if (step_read(env, pc - 4, c, sizeof c))
        return STEP_FRAME_WHOLE;
    const uint8_t *i = c + 4;
    int popped =
        i[-1] == 0x5d || (i[-3] == 0xc5 && i[-2] == 0xf8 && i[-1] == 0x77 && i[-4] == 0x5d); /* pop rbp; vzeroupper */
    if (i[0] == 0xc3 || i[0] == 0xc2)
        return STEP_FRAME_RETURN_ONLY;
    if (i[0] == 0x5d && (i[1] == 0xc3 || (i[1] == 0x49 && i[2] == 0x3b) || (i[1] == 0x4d && i[2] == 0x8b) ||
                         (i[1] == 0x85 && i[2] == 0x05) || (i[1] == 0xc5 && i[2] == 0xf8 && i[3] == 0x77)))
        return STEP_FRAME_SAVED_FP;
    if (popped && ((i[0] == 0x49 && i[1] == 0x3b && (i[2] == 0x67 || i[2] == 0xa7)) ||
                   (i[0] == 0x4d && i[1] == 0x8b && i[2] == 0x97) || (i[0] == 0x85 && i[1] == 0x05) ||
                   (i[0] == 0xc5 && i[1] == 0xf8 && i[2] == 0x77)))
        return STEP_FRAME_RETURN_ONLY;
    if (i[0] == 0x0f && i[1] == 0x87 && i[6] == 0xc3)
        return STEP_FRAME_RETURN_ONLY; /* ja slow_path; ret */
    if (i[0] == 0x41 && i[1] == 0x85 && i[2] == 0x02 && i[3] == 0xc3)
        return STEP_FRAME_RETURN_ONLY; /* test eax, [r10]; ret */
    if (i[0] == 0x85 && i[1] == 0x05 && i[6] == 0xc3)
        return STEP_FRAME_RETURN_ONLY; /* test eax, [rip+x]; ret */
    return STEP_FRAME_WHOLE;
}

#endif
