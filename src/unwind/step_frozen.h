/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_frozen.h - the frames of a virtual thread that still lie in the heap
 *
 * A virtual thread that goes on after a wait gets only its topmost frames back on the stack; the rest stays frozen
 * until they return into it. The last frame on the stack then has StubRoutines::cont_returnBarrier as return address.
 *
 *      ContinuationEntry (in enterSpecial's frame on the carrier's stack)
 *        .cont -> Continuation .tail -> StackChunk .parent -> StackChunk ...
 *
 *      StackChunk:  | fields | start ....... sp ............ bottom ..... size |
 *                                            |  frozen frames | arguments     |
 *
 * Frames in a chunk look as on a stack: a frame that begins at sp has its return address at sp[-1] and its rbp at
 * sp[-2], the words that its callee left. Only an interpreted frame's pointers are distances in words from where they
 * stand or from its fp. (hotspot/share/runtime/stackChunkFrameStream.inline.hpp and its part for x86)
 *
 * The stubs that put them back (cont_thaw, cont_returnBarrier) first move sp up to the entry: until they are done, the
 * same frames are their callers, and what lies on the stack between is not whole.
 *
 * The heap may be moved while it is read; whatever a chunk says is checked, and a frame must lie in the code cache.
 *
 * Threads: as step_walk.h, which includes this.
 * Memory:  as step_walk.h.
 */
#ifndef WICK_UNWIND_STEP_FROZEN_H
#define WICK_UNWIND_STEP_FROZEN_H

enum {
    STEP_ANY_ARGS = -1,
    STEP_ENTRY_WORDS = 16,
    STEP_CHUNK_WORDS = 1 << 20,
    STEP_EMPTY_CHUNKS = 8,
    STEP_METADATA = 16
};

/* The reference kept in a field at addr; 0 = none. */
STEP_FN uint64_t step_load_oop(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t addr)
{
    if (STEP_NULL(env) || STEP_NULL(j))
        return 0;
    uint64_t v = 0;
    if (step_read(env, addr, &v, j->oop_kind == WICK_OOP_NARROW ? 4 : 8) || !v)
        return 0;
    if (j->oop_kind == WICK_OOP_NARROW)
        return j->oop_base + (v << j->oop_shift);
    if (j->oop_kind == WICK_OOP_COLOURED) {
        /* ZGC: one of bits 12 to 15 is the colour that loads want, and the address begins above it */
        uint64_t colour = (v >> 12) & 0xf;
        return colour == 1 ? v >> 13 : colour == 2 ? v >> 14 : colour == 4 ? v >> 15 : colour == 8 ? v >> 16 : 0;
    }
    return v;
}

STEP_INLINE int step_load_int(struct wick_step_env *env, uint64_t object, int32_t field, int32_t *out)
{
    return step_read(env, object + (uint64_t)field, out, sizeof *out);
}

/* Takes up the frames of a chunk. 1 if it has any. */
STEP_INLINE int step_open_chunk(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                                uint64_t chunk)
{
    int32_t size = 0, sp = 0, bottom = 0;
    if ((chunk & 7) || step_load_int(env, chunk, j->chunk_size, &size) || step_load_int(env, chunk, j->chunk_sp, &sp) ||
        step_load_int(env, chunk, j->chunk_bottom, &bottom))
        return 0;
    if (j->chunk_bottom_is_argsize)
        bottom = (int32_t)((uint32_t)size - (uint32_t)bottom);
    if (size <= 0 || size > STEP_CHUNK_WORDS || bottom > size || sp < 2 || sp >= bottom)
        return 0;
    uint64_t start = chunk + (uint64_t)j->chunk_stack;
    s->frozen_chunk = chunk;
    s->frozen_sp = s->frozen_usp = start + 8 * (uint64_t)sp;
    s->frozen_end = start + 8 * (uint64_t)bottom;
    return 1;
}

/* Takes up the first chunk, from `chunk` on through its parents, that is not empty. */
STEP_FN int step_next_chunk(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                            uint64_t chunk)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s))
        return 0;
    s->frozen_sp = 0;
    for (uint32_t i = 0; i < STEP_EMPTY_CHUNKS && chunk && s->chunks < 255; i++) {
        s->chunks++;
        if (step_open_chunk(env, j, s, chunk))
            return 1;
        chunk = step_load_oop(env, j, chunk + (uint64_t)j->chunk_parent);
    }
    return 0;
}

/* The Continuation of the ContinuationEntry at `entry`, 0 if there is none. Its first fields are {parent, cont, chunk,
 * flags and argsize}; JDK 25 has another word before them. `args`: words between the caller's sp and the entry, or
 * STEP_ANY_ARGS. */
STEP_FN uint64_t step_entry_cont(struct wick_step_env *env, uint64_t entry, int32_t args)
{
    if (STEP_NULL(env))
        return 0;
    uint64_t w[5];
    if (step_read(env, entry, w, sizeof w))
        return 0;
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t parent = w[i], cont = w[i + 1], flags = w[i + 3];
        int32_t argsize = (int32_t)(flags >> 32);
        if ((parent == 0 || (parent > entry && parent - entry < STEP_CFA_REACH)) && cont >= 4096 && !(cont & 7) &&
            (uint32_t)flags <= 1 && argsize >= 0 && (args == STEP_ANY_ARGS || (argsize <= args && args - argsize <= 1)))
            return cont;
    }
    return 0;
}

/* The Continuation mounted below the return barrier, whose caller's sp the state holds; 0 = not found. enterSpecial's
 * frame begins with the entry, here or behind the arguments that a frozen caller passed on the stack. */
STEP_FN uint64_t step_mounted(struct wick_step_env *env, const struct wick_step_jvm *j, const struct wick_step_state *s)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s))
        return 0;
    uint64_t entry = 0, cont = 0;
    if (s->thread && j->thread_cont_entry >= 0 && !step_word(env, s->thread + (uint64_t)j->thread_cont_entry, &entry))
        return entry >= s->sp && entry - s->sp < STEP_FP_REACH
                   ? step_entry_cont(env, entry, s->thawing ? STEP_ANY_ARGS : (int32_t)((entry - s->sp) / 8))
                   : 0;
    for (int32_t i = 0; i < STEP_ENTRY_WORDS && !cont; i++)
        cont = step_entry_cont(env, s->sp + 8 * (uint64_t)i, i);
    return cont;
}

/* At the return barrier: takes up the frozen frames of the virtual thread. 1 if there are any that can be read. */
STEP_FN int step_open_frozen(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s))
        return 0;
    uint64_t cont = j->cont_tail > 0 ? step_mounted(env, j, s) : 0;
    return cont && step_next_chunk(env, j, s, step_load_oop(env, j, cont + (uint64_t)j->cont_tail));
}

/* Moves on to the caller, which begins at sp. */
STEP_INLINE void step_frozen_to(struct wick_step_state *s, uint64_t sp, uint64_t usp)
{
    if (sp >= s->frozen_end - STEP_METADATA)
        sp = s->frozen_end;
    s->frozen_sp = sp;
    s->frozen_usp = sp == s->frozen_end ? sp : usp;
}

STEP_FN int step_frozen_interpreted(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                                    struct wick_step_frame *f)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s) || STEP_NULL(f))
        return WICK_STOP_CONTINUATION;
    uint64_t w[8] = {0}, fp = 0, cm = 0; /* fp[-8] .. fp[-1] */
    uint32_t code_size = 0;
    f->kind = WICK_STEP_INTERPRETED;
    if (step_word(env, s->frozen_sp - 16, &fp) || fp >= STEP_CHUNK_WORDS)
        return WICK_STOP_CONTINUATION;
    fp = s->frozen_sp - 16 + 8 * fp;
    if (fp < s->frozen_sp || fp + 16 > s->frozen_end || step_read(env, fp - 64, w, sizeof w) ||
        !step_method_find(env, j, w[5], &cm, &code_size) || w[7] >= STEP_CHUNK_WORDS)
        return WICK_STOP_CONTINUATION;
    f->ptr = w[5];
    f->off = step_bci(j, cm, code_size, j->interp_bcp_slot == 7 ? w[1] : w[0]);
    f->identity = (uint32_t)(cm >> 3);
    /* its locals, fp[-7], are what its caller passed: those of the last frame end where the chunk's frames do */
    if (w[1] < STEP_CHUNK_WORDS && fp + 8 * w[1] + 8 >= s->frozen_end)
        step_frozen_to(s, s->frozen_end, s->frozen_end);
    else
        step_frozen_to(s, fp + 16, fp + 8 * w[7]);
    return WICK_STOP_NONE;
}

STEP_FN int step_frozen_compiled(struct wick_step_env *env, struct wick_step_state *s, const struct wick_step_blob *b,
                                 uint64_t pc, struct wick_step_frame *f)
{
    if (STEP_NULL(env) || STEP_NULL(s) || STEP_NULL(b) || STEP_NULL(f))
        return WICK_STOP_CONTINUATION;
    f->kind = b->kind == WICK_BLOB_NMETHOD  ? WICK_STEP_COMPILED
              : b->kind == WICK_BLOB_NATIVE ? WICK_STEP_WRAPPER
                                            : WICK_STEP_STUB;
    f->ptr = b->addr;
    f->identity = b->compile_id;
    f->level = b->comp_level;
    f->off = (uint32_t)(pc - (f->kind == WICK_STEP_STUB ? b->addr : b->code));
    if ((pc == b->deopt || pc == b->deopt_mh) && b->orig_pc_slot >= 0) {
        uint64_t orig = 0;
        if (step_word(env, s->frozen_usp + (uint64_t)b->orig_pc_slot, &orig) || orig < b->code || orig >= b->code_end)
            return WICK_STOP_DEOPT;
        f->off = (uint32_t)(orig - b->code);
    }
    if (b->frame_bytes < 16)
        return WICK_STOP_CONTINUATION;
    uint64_t sp = s->frozen_usp + (uint64_t)b->frame_bytes;
    step_frozen_to(s, sp, sp);
    return WICK_STOP_NONE;
}

/* One frozen frame. WICK_STOP_NONE, or why the walk cannot go on in the heap; then the frame may be unknown. */
STEP_FN int step_frozen(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                        struct wick_step_frame *f)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s) || STEP_NULL(f))
        return WICK_STOP_CONTINUATION;
    struct wick_step_blob *b = &step_scratch(env)->blob; /* the barrier's, which is not needed any more */
    uint64_t pc = 0, old = s->frozen_sp;
    f->kind = WICK_STEP_UNKNOWN;
    if (step_word(env, s->frozen_sp - 8, &pc) || step_blob_find(env, j, pc, b))
        return WICK_STOP_CONTINUATION;
    int stop = b->kind == WICK_BLOB_INTERPRETER ? step_frozen_interpreted(env, j, s, f)
                                                : step_frozen_compiled(env, s, b, pc, f);
    if (!stop && s->frozen_sp <= old)
        stop = WICK_STOP_CONTINUATION;
    if (!stop && s->frozen_sp == s->frozen_end)
        step_next_chunk(env, j, s, step_load_oop(env, j, s->frozen_chunk + (uint64_t)j->chunk_parent));
    return stop;
}

#endif
