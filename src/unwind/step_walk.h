/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_walk.h - one step of a mixed-mode stack walk (see step.h for what the includer must define)
 *
 * Where to go on, best knowledge first:
 *   native pc       the unwind rule of .eh_frame; if there is none, the thread's anchor; in Java state, a return
 *                   address nearby
 *   code cache pc   by the kind of blob (step_java.h); if that fails, the anchor, which is a gap in the walk, not its
 *                   end
 *
 * A walk ends at the bottom of the stack, or with a BREAK frame that names the reason.
 *
 * Threads: no shared state; async-signal-safe if what the includer defines is.
 * Memory:  the includer's structs; below 400 bytes of stack for all functions together in BPF, below 1 KiB elsewhere.
 */
#ifndef WICK_UNWIND_STEP_WALK_H
#define WICK_UNWIND_STEP_WALK_H

#include "unwind/step.h"

#ifndef step_read_stack
#define step_read_stack step_read
#endif

#include "unwind/step_blob.h"
#include "unwind/step_x86_64.h"
#include "unwind/step_java.h"
#include "unwind/step_seek.h"
#include "unwind/step_native.h"
#include "unwind/step_frozen.h"

STEP_INLINE int step_broken(struct wick_step_frame *f, int stop)
{
    f->kind = WICK_STEP_BREAK;
    f->stop = (uint8_t)stop;
    return WICK_STEP_LAST;
}

/* StubRoutines::cont_returnBarrier as a return address: the caller's frames are still frozen in the heap, and rbp was
 * set to that of enterSpecial, the frame of the carrier below. It is the only address of these stubs on a stack that no
 * call precedes. */
STEP_INLINE int step_is_barrier(struct wick_step_env *env, const struct wick_step_jvm *j,
                                const struct wick_step_state *s, const struct wick_step_blob *b)
{
    if (s->leaf || j->major < 21 || b->kind != WICK_BLOB_CONTINUATION)
        return 0;
    return s->pc == j->cont_barrier || (!j->cont_barrier && !step_after_call(env, s->pc));
}

/* Goes on below the virtual thread that is mounted on this carrier. ContinuationEntry, which lies in enterSpecial's
 * frame, ends where that frame keeps rbp and its return address. 1 if there is one further up. */
STEP_FN int step_use_cont_entry(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s))
        return 0;
    uint64_t entry = 0, w[2];
    if (!s->thread || j->thread_cont_entry < 0 || j->cont_entry_size < 0 ||
        step_word(env, s->thread + (uint64_t)j->thread_cont_entry, &entry) ||
        entry + (uint64_t)j->cont_entry_size <= s->sp)
        return 0;
    uint64_t end = entry + (uint64_t)j->cont_entry_size;
    if ((end & 7) || end - s->sp > STEP_CFA_REACH || step_read(env, end, w, sizeof w) || !step_in_code_cache(j, w[1]))
        return 0;
    s->fp = w[0];
    step_to(s, w[1], end + 16);
    return 1;
}

/* Leaves the virtual thread: the carrier's frames follow. */
STEP_INLINE int step_to_carrier(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s)
{
    if (step_use_cont_entry(env, j, s))
        return WICK_STOP_NONE;
    /* where the tables do not say: the first return address above is that of enterSpecial's frame, which begins here */
    return step_scan(env, j, s, s->sp, STEP_SCAN_WORDS | STEP_FP_SAVED) ? WICK_STOP_NONE : WICK_STOP_CONTINUATION;
}

/* StubRoutines::cont_returnBarrier: the state stays here while the frozen frames are walked one by one, then comes the
 * boundary. Frozen frames that cannot be read or found are a gap: without any there would be no barrier. */
STEP_FN int step_barrier(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                         struct wick_step_frame *f)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s) || STEP_NULL(f))
        return WICK_STOP_CONTINUATION;
    int stop = WICK_STOP_NONE;
    if (!s->in_heap) {
        s->in_heap = 1;
        if (!step_open_frozen(env, j, s))
            stop = WICK_STOP_CONTINUATION;
    } else if (!s->frozen_sp) {
        s->in_heap = s->thawing = 0;
        f->kind = WICK_STEP_BOUNDARY;
        return step_to_carrier(env, j, s);
    }
    f->kind = WICK_STEP_UNKNOWN;
    if (!stop)
        stop = step_frozen(env, j, s, f);
    if (!stop)
        return WICK_STOP_NONE;
    s->frozen_sp = 0;
    s->gaps++;
    if (f->kind == WICK_STEP_UNKNOWN)
        step_broken(f, stop);
    else
        s->stop = (uint8_t)stop;
    return WICK_STOP_NONE;
}

/* In the stubs behind the return barrier, or that which a virtual thread is continued with: they have moved sp to the
 * ContinuationEntry, so what lies below it are frames that are being put there and old words. The callers are the
 * frozen frames, then the carrier's. 1 if that is so. */
STEP_INLINE int step_is_thawing(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s)
{
    uint64_t entry = 0;
    int part = s->leaf ? step_epilogue(env, s->pc) : STEP_FRAME_WHOLE;
    if (part == STEP_FRAME_RETURN_ONLY || !s->thread || j->thread_cont_entry < 0 ||
        step_word(env, s->thread + (uint64_t)j->thread_cont_entry, &entry) || entry < s->sp || (entry & 7) ||
        entry - s->sp > STEP_CFA_REACH)
        return 0;
    s->thawing = 1;
    s->thaw_room = (uint32_t)(entry - s->sp);
    s->leaf = 0;
    s->sp = entry;
    return 1;
}

STEP_INLINE int step_code_cache(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                                struct wick_step_frame *f)
{
    const struct wick_step_blob *b = &step_scratch(env)->blob;
    int stop = step_blob_find(env, j, s->pc, &step_scratch(env)->blob);
    if (stop)
        return stop;
    f->ptr = b->addr;
    f->off = (uint32_t)(s->pc - b->code);
    switch (b->kind) {
    case WICK_BLOB_INTERPRETER:
        return step_interpreted(env, j, s, f);
    case WICK_BLOB_NMETHOD:
    case WICK_BLOB_NATIVE:
        return step_compiled(env, j, s, b, f);
    case WICK_BLOB_VTABLE:
        f->kind = WICK_STEP_STUB;
        return step_pop(env, s, STEP_FRAME_RETURN_ONLY);
    default:
        f->kind = WICK_STEP_STUB;
        f->off = (uint32_t)(s->pc - b->addr);
        if (s->pc == j->call_stub_return)
            return step_entry(env, j, s, f);
        if (s->thawing || step_is_barrier(env, j, s, b))
            return step_barrier(env, j, s, f);
        if (b->kind == WICK_BLOB_CONTINUATION && step_is_thawing(env, j, s))
            return WICK_STOP_NONE;
        return step_stub(env, j, s, b);
    }
}

/* A step could not find the caller: goes on at the thread's anchor or below the virtual thread, if there is one further
 * up. The frame is reported if it is known, the reason as a frame of its own after it. */
STEP_INLINE int step_stopped(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                             struct wick_step_frame *f, int stop)
{
    int resumed = step_use_anchor(env, s) || step_use_cont_entry(env, j, s);
    s->gaps += resumed;
    if (f->kind == WICK_STEP_UNKNOWN) {
        step_broken(f, stop);
        return resumed ? WICK_STEP_MORE : WICK_STEP_LAST;
    }
    s->stop = (uint8_t)stop;
    s->stopped = !resumed;
    return WICK_STEP_MORE;
}

/* One frame. The caller loops until the result is not WICK_STEP_MORE or its depth limit is reached. */
STEP_FN int wick_step(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                      struct wick_step_frame *f)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s) || STEP_NULL(f))
        return WICK_STEP_NONE;
    uint64_t old_sp = s->sp, old_fp = s->fp;
    int stop;
    f->leaf = s->leaf;
    f->identity = 0;
    f->level = 0;
    f->stop = 0;
    s->switched = 0;
    if (s->stop) {
        step_broken(f, s->stop);
        s->stop = 0;
        return s->stopped ? WICK_STEP_LAST : WICK_STEP_MORE;
    }
    if ((s->sp & 7) || (s->stack_end && s->sp > s->stack_end))
        return step_broken(f, WICK_STOP_STACK_RANGE);
    if (step_in_code_cache(j, s->pc)) {
        f->kind = WICK_STEP_UNKNOWN;
        stop = step_code_cache(env, j, s, f);
        if (s->fp != old_fp)
            s->unknown &= ~(1u << STEP_REG_FP);
        if (stop)
            return step_stopped(env, j, s, f, stop);
    } else {
        f->kind = WICK_STEP_NATIVE;
        f->ptr = s->pc;
        stop = step_native(env, j, s);
        if (stop < 0)
            return WICK_STEP_LAST;
        if (stop)
            return step_stopped(env, j, s, f, stop);
    }
    if (!s->in_heap && !s->thawing && !s->switched && s->sp <= old_sp && !(f->leaf && s->sp == old_sp)) {
        s->stop = WICK_STOP_STACK_RANGE;
        s->stopped = 1;
        return WICK_STEP_MORE;
    }
    return s->pc < 4096 ? WICK_STEP_LAST : WICK_STEP_MORE;
}

#endif
