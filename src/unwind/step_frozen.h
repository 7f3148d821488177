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
 * same frames are their callers, and what lies on the stack between is not whole. HotSpot takes the frames out of the
 * chunk (sets its sp) before it copies them, but they stay where they were; how many they are follows from the room
 * that the stub has made for them: the chunk's frames from the last one on, two words for each end, rounded up to 16
 * bytes (Thaw::thaw_fast, ThawBase::clear_chunk; prepare_thaw_internal in continuationFreezeThaw.cpp). That is exact
 * for chunks of compiled frames that no collector has changed, whose flags are 0.
 *
 * The heap may be moved while it is read; whatever a chunk says is checked, and a frame must lie in the code cache.
 * With ZGC, a reference that the program has not loaded since the last collection leads to where the chunk was before
 * it. Frames that must be there and are not found are a gap.
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
    STEP_METADATA = 16,
    STEP_THAW_WORDS = 2,  /* least room on the stack beyond the frames: two words when they lie there, four before */
    STEP_THAW_CHOICES = 6 /* and two that keep a return value, one to round up */
};

enum step_chunk_kind { STEP_CHUNK_WILD, STEP_CHUNK_EMPTY, STEP_CHUNK_FRAMES };

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
        /* ZGC: one of bits 12 to 15 is the colour that loads expect, and the address begins above it */
        uint64_t colour = (v >> 12) & 0xf;
        return colour == 1 ? v >> 13 : colour == 2 ? v >> 14 : colour == 4 ? v >> 15 : colour == 8 ? v >> 16 : 0;
    }
    return v;
}

STEP_INLINE int step_load_int(struct wick_step_env *env, uint64_t object, int32_t field, int32_t *out)
{
    return step_read(env, object + (uint64_t)field, out, sizeof *out);
}

struct step_chunk {
    int32_t size, sp, bottom; /* in words from where its frames may begin */
};

/* Reads what a chunk says of itself. 0 if that cannot be. */
STEP_INLINE int step_read_chunk(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t chunk,
                                struct step_chunk *c)
{
    if ((chunk & 7) || step_load_int(env, chunk, j->chunk_size, &c->size) ||
        step_load_int(env, chunk, j->chunk_sp, &c->sp) || step_load_int(env, chunk, j->chunk_bottom, &c->bottom))
        return 0;
    if (j->chunk_bottom_is_argsize)
        c->bottom = (int32_t)((uint32_t)c->size - (uint32_t)c->bottom);
    return c->size > 0 && c->size <= STEP_CHUNK_WORDS && c->bottom >= 0 && c->bottom <= c->size && c->sp >= 2 &&
           c->sp <= c->size;
}

/* Takes up the frames from sp on. */
STEP_INLINE void step_open_chunk(const struct wick_step_jvm *j, struct wick_step_state *s, uint64_t chunk,
                                 const struct step_chunk *c, int32_t sp)
{
    uint64_t start = chunk + (uint64_t)j->chunk_stack;
    s->frozen_chunk = chunk;
    s->frozen_sp = s->frozen_usp = start + 8 * (uint64_t)sp;
    s->frozen_end = start + 8 * (uint64_t)c->bottom;
}

struct step_thawed {
    struct wick_step_env *env;
    const struct wick_step_jvm *jvm;
    uint64_t start; /* of the chunk's words */
    struct step_chunk chunk;
    int32_t words, found; /* of the room; 0 = none */
};

/* Whether the frames begin where they do if so many words of the room are not theirs. */
STEP_BODY long step_thawed_at(uint32_t i, void *ctx)
{
    struct step_thawed *c = ctx;
    int32_t sp = c->chunk.size - (c->words - STEP_THAW_WORDS - (int32_t)i);
    uint64_t pc = 0;
    if (sp < 2 || sp >= c->chunk.sp || sp >= c->chunk.bottom ||
        step_word(c->env, c->start + 8 * (uint64_t)sp - 8, &pc) || !step_in_code_cache(c->jvm, pc) ||
        !step_after_call(c->env, pc))
        return 0;
    c->found = sp;
    return 1;
}

/* Takes up the frames that are being copied to the stack, if the continuation's last chunk does not count them any
 * more. 1 if that is so. */
STEP_FN int step_open_thawed(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                             uint64_t chunk)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s))
        return 0;
    struct step_thawed c = {.env = env, .jvm = j, .start = chunk + (uint64_t)j->chunk_stack};
    uint8_t flags = 1;
    if (j->chunk_flags <= 0 || step_read(env, chunk + (uint64_t)j->chunk_flags, &flags, 1) || flags ||
        !step_read_chunk(env, j, chunk, &c.chunk))
        return 0;
    c.words = (int32_t)(s->thaw_room / 8);
    STEP_LOOP(STEP_THAW_CHOICES, step_thawed_at, &c);
    if (!c.found)
        return 0;
    step_open_chunk(j, s, chunk, &c.chunk, c.found);
    return 1;
}

/* Takes up the first chunk, from `chunk` on through its parents, that is not empty. enum step_chunk_kind: EMPTY if
 * there is none, WILD if there may be. */
STEP_FN int step_next_chunk(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                            uint64_t chunk)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s))
        return STEP_CHUNK_WILD;
    s->frozen_sp = 0;
    for (uint32_t i = 0; i < STEP_EMPTY_CHUNKS && chunk && s->chunks < 255; i++) {
        s->chunks++;
        struct step_chunk c = {0};
        if (!step_read_chunk(env, j, chunk, &c))
            return STEP_CHUNK_WILD;
        if (c.sp < c.bottom) {
            step_open_chunk(j, s, chunk, &c, c.sp);
            return STEP_CHUNK_FRAMES;
        }
        chunk = step_load_oop(env, j, chunk + (uint64_t)j->chunk_parent);
    }
    return chunk ? STEP_CHUNK_WILD : STEP_CHUNK_EMPTY;
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
STEP_INLINE int step_open_frozen(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s)
{
    uint64_t cont = j->cont_tail > 0 ? step_mounted(env, j, s) : 0;
    uint64_t tail = cont ? step_load_oop(env, j, cont + (uint64_t)j->cont_tail) : 0;
    if (!tail)
        return 0;
    if (s->thawing && s->thaw_room && step_open_thawed(env, j, s, tail))
        return 1;
    return step_next_chunk(env, j, s, tail) == STEP_CHUNK_FRAMES;
}

/* Behind the last frame of a chunk. Its return address is the barrier's if a parent has its callers. 0 if these cannot
 * be found. */
STEP_INLINE int step_open_parent(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s)
{
    uint64_t pc = 0;
    int more = j->cont_barrier && !step_word(env, s->frozen_end - 8, &pc) && pc == j->cont_barrier;
    int what = step_next_chunk(env, j, s, step_load_oop(env, j, s->frozen_chunk + (uint64_t)j->chunk_parent));
    return what == STEP_CHUNK_FRAMES || (what == STEP_CHUNK_EMPTY && !more);
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
    if (!stop && s->frozen_sp == s->frozen_end && !step_open_parent(env, j, s))
        stop = WICK_STOP_CONTINUATION;
    return stop;
}

#endif
