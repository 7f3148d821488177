/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_java.h - one step through a frame whose pc lies in the code cache
 *
 * Stack grows down. An interpreted frame (x86-64; hotspot/cpu/x86/frame_x86.hpp):
 *
 *      fp[ 1]  return address
 *      fp[ 0]  caller's fp
 *      fp[-1]  caller's sp before it pushed arguments ("sender sp")
 *      fp[-2]  last sp
 *      fp[-3]  Method*
 *      fp[-7] or fp[-8]  bcp: address of the bytecode, stale in the top frame, where r13 holds it
 *
 * A compiled frame is `frame_bytes` long once it stands: sp + frame_bytes is the caller's sp, the return address lies
 * below it, the caller's rbp below that. A return address into the deoptimisation handler stands for the one saved at
 * orig_pc_slot.
 *
 * A walk never guesses silently: every return address found by searching nearby must lie in the code cache behind a
 * call.
 *
 * Threads: as step_walk.h, which includes this.
 * Memory:  as step_walk.h.
 */
#ifndef WICK_UNWIND_STEP_JAVA_H
#define WICK_UNWIND_STEP_JAVA_H

enum {
    STEP_SCAN_WORDS = 160,
    STEP_FP_SAVED = 1 << 16, /* step_scan: the word below the return address is the caller's rbp */
    STEP_OF_STUB = 1 << 17,  /* step_scan: of what a stub may be called from */
    STEP_FP_REACH = 1 << 19,
    STEP_THREAD_IN_JAVA = 8,
    STEP_PUSH_RBX = 0x53,
};

STEP_INLINE int step_word(struct wick_step_env *env, uint64_t addr, uint64_t *out)
{
    return step_read(env, addr, out, 8);
}

/* A value that can be the return address of a frame called from Java code: behind a call, or one of the interpreter's
 * return entries, which it pushes without a call, or the return barrier (known by its address from JDK 27 on). */
STEP_INLINE int step_can_return(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t v)
{
    struct wick_step_blob *b = &step_scratch(env)->caller;
    if (!step_in_code_cache(j, v))
        return 0;
    if (v == j->call_stub_return || v == j->cont_return_pc || v == j->cont_barrier)
        return 1;
    if (step_blob_find(env, j, v, b) || v < b->code || v >= b->code_end)
        return 0;
    return b->kind == WICK_BLOB_INTERPRETER || b->kind == WICK_BLOB_CONTINUATION || step_after_call(env, v);
}

STEP_FN int step_is_return(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t v)
{
    if (STEP_NULL(env) || STEP_NULL(j))
        return 0;
    return step_can_return(env, j, v);
}

STEP_INLINE int step_return_at(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t addr, uint64_t *out)
{
    uint64_t v = 0;
    if (step_word(env, addr, &v) || !step_is_return(env, j, v))
        return 0;
    *out = v;
    return 1;
}

/* The instruction that the state stands at: a return address lies behind its call, which may be the function's last. */
STEP_INLINE uint64_t step_at_pc(const struct wick_step_state *s)
{
    return s->leaf ? s->pc : s->pc - 1;
}

/* The caller's frame begins at sp with the given pc; rbp is left to the caller of this function. */
STEP_INLINE void step_to(struct wick_step_state *s, uint64_t pc, uint64_t sp)
{
    s->pc = pc;
    s->sp = sp;
    s->leaf = 0;
}

/* Frame with [fp] = caller's fp and [fp+8] = return address. 0 on success. */
STEP_INLINE int step_by_fp(struct wick_step_env *env, struct wick_step_state *s)
{
    uint64_t w[2];
    if (s->fp < s->sp || s->fp - s->sp > STEP_FP_REACH || (s->fp & 7) || step_read(env, s->fp, w, sizeof w))
        return -1;
    step_to(s, w[1], s->fp + 16);
    s->fp = w[0];
    return 0;
}

STEP_INLINE int step_pop(struct wick_step_env *env, struct wick_step_state *s, int part)
{
    uint64_t w[2];
    if (step_read(env, s->sp, w, sizeof w))
        return WICK_STOP_STACK_RANGE;
    if (part == STEP_FRAME_SAVED_FP) {
        s->fp = w[0];
        step_to(s, w[1], s->sp + 16);
    } else {
        step_to(s, w[0], s->sp + 8);
    }
    return WICK_STOP_NONE;
}

STEP_INLINE int step_in_interpreter(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t pc)
{
    struct wick_step_blob *b = &step_scratch(env)->caller;
    return !step_blob_find(env, j, pc, b) && b->kind == WICK_BLOB_INTERPRETER;
}

/* Whether the word at `slot` can be a frame's return address. If it leads into the interpreter, whose frames are found
 * by rbp only, the caller's rbp must be plausible: saved below the return address (fp_saved), or still in the register.
 * Stale return addresses left on the stack rarely have one. */
STEP_FN int step_is_frame_end(struct wick_step_env *env, const struct wick_step_jvm *j, const struct wick_step_state *s,
                              uint64_t slot, int fp_saved)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s))
        return 0;
    struct wick_step_blob *b = &step_scratch(env)->caller;
    uint64_t fp = s->fp, ret = 0;
    if (step_word(env, slot, &ret) || !step_can_return(env, j, ret) || step_blob_find(env, j, ret, b))
        return 0;
    if (b->kind != WICK_BLOB_INTERPRETER)
        return 1;
    if (fp_saved && step_word(env, slot - 8, &fp))
        return 0;
    return fp > slot && fp - slot < STEP_FP_REACH && !(fp & 7);
}

/* Whether what was found last is in a runtime stub, which describes its frame. These call C++ and no other stub: where
 * one seems to have called a stub, its return address was left on the stack by an earlier call. */
STEP_INLINE int step_is_left_over(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t ret)
{
    struct wick_step_blob *b = &step_scratch(env)->caller;
    return !step_blob_find(env, j, ret, b) && b->kind == WICK_BLOB_STUB && b->frame_bytes;
}

/* A search of the stack, word by word. */
struct step_search {
    struct wick_step_env *env;
    const struct wick_step_jvm *j;
    struct wick_step_state *s;
    uint64_t from, end; /* `end`: step_into_nmethod; the function: step_seek_fp */
    int fp_saved, of_stub, found;
};

STEP_BODY long step_scan_word(uint32_t i, void *ctx)
{
    struct step_search *c = ctx;
    uint64_t v = 0, slot = c->from + 8 * (uint64_t)i;
    if (step_word(c->env, slot, &v))
        return 1;
    if (!step_in_code_cache(c->j, v) || !step_is_frame_end(c->env, c->j, c->s, slot, c->fp_saved) ||
        (c->of_stub && step_is_left_over(c->env, c->j, v)))
        return 0;
    if (c->fp_saved && step_word(c->env, slot - 8, &c->s->fp))
        return 1;
    c->s->scans++;
    step_to(c->s, v, slot + 8);
    c->found = 1;
    return 1;
}

/* Searches upwards from `from`, at most `words` words, for the first that can be a return address; rbp is taken from
 * below it if STEP_FP_SAVED is added to the words. STEP_OF_STUB may be as well. 1 if found. */
STEP_FN int step_scan(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                      uint64_t from, uint32_t words)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s))
        return 0;
    struct step_search c = {env, j, s, from, 0, (words & STEP_FP_SAVED) != 0, (words & STEP_OF_STUB) != 0, 0};
    words &= STEP_FP_SAVED - 1;
    STEP_LOOP(words < STEP_SCAN_WORDS ? words : STEP_SCAN_WORDS, step_scan_word, &c);
    return c.found;
}

/* bci of bcp in the method, or 0xffff if bcp does not point into its bytecodes (native methods have none). */
STEP_INLINE uint32_t step_bci(const struct wick_step_jvm *j, uint64_t cm, uint32_t code_size, uint64_t bcp)
{
    uint64_t first = cm + (uint64_t)j->constmethod_size;
    return bcp >= first && bcp - first < code_size ? (uint32_t)(bcp - first) : 0xffff;
}

/* ConstMethod* and bytecode size of what should be a Method*; 0 if it is none. */
STEP_FN int step_method_read(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t method, uint64_t *cm,
                             uint32_t *code_size)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(cm) || STEP_NULL(code_size))
        return 0;
    uint16_t n = 0;
    uint64_t pool = 0, holder = 0;
    if (method < 4096 || (method & 7) || step_read(env, method + (uint64_t)j->method_const, cm, 8) || *cm < 4096 ||
        (*cm & 7) || step_read(env, *cm + (uint64_t)j->cm_code_size, &n, 2) ||
        step_read(env, *cm + (uint64_t)j->cm_constants, &pool, 8) || pool < 4096 || (pool & 7) ||
        step_read(env, pool + (uint64_t)j->cp_holder, &holder, 8) || holder < 4096 || (holder & 7))
        return 0;
    *code_size = n;
    return 1;
}

/*
 * The interrupted instruction belongs to the interpreter, but there is no whole frame:
 *   at a method's entry     rbx = Method*, r13 = sender sp, [sp] = return address
 *   while it is built       the same, and rbp points to the new frame already: [fp + 8] = return address
 *   after it was taken down [sp] or r13 = return address, rbp is the caller's
 */
STEP_FN int step_interpreter_edge(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                                  struct wick_step_frame *f)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s) || STEP_NULL(f))
        return WICK_STOP_INTERPRETER;
    uint64_t cm = 0, ret = 0, fp = 0, sender = 0;
    uint32_t code_size = 0;
    int method = step_method_find(env, j, s->rbx, &cm, &code_size);
    if (method) {
        f->ptr = s->rbx;
        f->off = code_size ? 0 : 0xffff;
        f->identity = (uint32_t)(cm >> 3);
    } else {
        f->kind = WICK_STEP_STUB;
    }
    if (step_return_at(env, j, s->sp, &ret)) {
        step_to(s, ret, method && s->r13 > s->sp && s->r13 - s->sp < STEP_FP_REACH ? s->r13 : s->sp + 8);
        return WICK_STOP_NONE;
    }
    if (method && s->fp >= s->sp && s->fp - s->sp <= 64 && step_return_at(env, j, s->fp + 8, &ret) &&
        !step_word(env, s->fp, &fp)) {
        if (s->fp == s->sp || step_word(env, s->fp - 8, &sender) || sender <= s->fp || sender - s->fp > STEP_FP_REACH)
            sender = s->r13 > s->fp && s->r13 - s->fp < STEP_FP_REACH ? s->r13 : s->fp + 16;
        s->fp = fp;
        step_to(s, ret, sender);
        return WICK_STOP_NONE;
    }
    if (step_is_return(env, j, s->r13)) {
        step_to(s, s->r13, s->sp);
        return WICK_STOP_NONE;
    }
    return WICK_STOP_INTERPRETER;
}

/* A frame that a deoptimisation has made room for and not filled yet, outermost first (vframeArray::unpack_to_stack):
 * of it only the links and the sender sp are there, the last sp is 0, and the method and the rest are old words. w:
 * fp[-8] and on. 1 if the frame is one. */
STEP_INLINE int step_skeleton(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                              const uint64_t *w)
{
    if (s->fp < s->sp || s->fp - s->sp >= STEP_FP_REACH || (s->fp & 7) || w[6] || w[7] < s->fp + 16 || (w[7] & 7) ||
        w[7] - s->fp >= STEP_FP_REACH || !step_is_return(env, j, w[9]))
        return 0;
    s->fp = w[8];
    step_to(s, w[9], w[7]);
    return 1;
}

STEP_FN int step_interpreted(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                             struct wick_step_frame *f)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s) || STEP_NULL(f))
        return WICK_STOP_INTERPRETER;
    uint64_t w[10] = {0}; /* fp[-8] .. fp[1] */
    uint64_t cm = 0;
    uint32_t code_size = 0;
    f->kind = WICK_STEP_INTERPRETED;
    if (s->fp >= s->sp && s->fp - s->sp < STEP_FP_REACH && !(s->fp & 7) &&
        !step_read_stack(env, s->fp - 64, w, sizeof w) && step_method_find(env, j, w[5], &cm, &code_size) &&
        w[7] > s->fp && w[7] - s->fp < STEP_FP_REACH) {
        uint64_t slot = j->interp_bcp_slot == 7 ? w[1] : w[0];
        uint32_t bci = step_bci(j, cm, code_size, s->leaf ? s->r13 : slot);
        if (s->leaf && bci == 0xffff)
            bci = step_bci(j, cm, code_size, slot);
        f->ptr = w[5];
        f->off = bci;
        f->identity = (uint32_t)(cm >> 3);
        s->fp = w[8];
        step_to(s, w[9], w[7]);
        return WICK_STOP_NONE;
    }
    if (s->leaf)
        return step_interpreter_edge(env, j, s, f);
    if (step_skeleton(env, j, s, w)) {
        f->kind = WICK_STEP_STUB;
        return WICK_STOP_NONE;
    }
    f->kind = WICK_STEP_UNKNOWN;
    return WICK_STOP_INTERPRETER;
}

/* An nmethod or JNI wrapper whose frame may be half built. */
STEP_FN int step_compiled(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                          const struct wick_step_blob *b, struct wick_step_frame *f)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s) || STEP_NULL(b) || STEP_NULL(f))
        return WICK_STOP_COMPILED;
    uint64_t w[2];
    f->kind = b->kind == WICK_BLOB_NATIVE ? WICK_STEP_WRAPPER : WICK_STEP_COMPILED;
    f->identity = b->compile_id;
    f->level = b->comp_level;
    if ((s->pc == b->deopt || s->pc == b->deopt_mh) && s->pc && b->orig_pc_slot >= 0) {
        uint64_t orig = 0;
        if (step_word(env, s->sp + (uint64_t)b->orig_pc_slot, &orig) || orig < b->code || orig >= b->code_end)
            return WICK_STOP_DEOPT;
        s->pc = orig;
        f->off = (uint32_t)(orig - b->code);
    }
    int part = STEP_FRAME_WHOLE;
    if (s->leaf) {
        part = b->frame_complete < 0 || s->pc - b->code < (uint64_t)b->frame_complete
                   ? step_prologue(env, b->code, s->pc)
                   : step_epilogue(env, s->pc);
        if (part == STEP_FRAME_RETURN_ONLY || part == STEP_FRAME_SAVED_FP)
            return step_pop(env, s, part);
    }
    if (b->frame_bytes < 8)
        return step_by_fp(env, s) ? WICK_STOP_COMPILED : WICK_STOP_NONE;
    if (step_read_stack(env, s->sp + (uint64_t)b->frame_bytes - 16, w, sizeof w))
        return WICK_STOP_STACK_RANGE;
    uint64_t end = s->sp + (uint64_t)b->frame_bytes;
    int plausible = step_in_code_cache(j, w[1]);
    if (plausible && part == STEP_FRAME_WHOLE && (w[0] < end || w[0] - end > STEP_FP_REACH))
        plausible =
            !step_in_interpreter(env, j, w[1]); /* an interpreted caller would need the rbp that is saved here */
    if (!plausible) {
        /* Words pushed below the frame: arguments of a leaf call, registers saved by a GC barrier. */
        return step_scan(env, j, s, end, STEP_SCAN_WORDS | STEP_FP_SAVED) ? WICK_STOP_NONE : WICK_STOP_COMPILED;
    }
    if (part != STEP_FRAME_FP_NOT_SAVED)
        s->fp = w[0];
    step_to(s, w[1], end);
    return WICK_STOP_NONE;
}

STEP_BODY long step_nmethod_word(uint32_t i, void *ctx)
{
    struct step_search *c = ctx;
    struct wick_step_blob *caller = &step_scratch(c->env)->caller;
    /* where the frame should end, if it is complete; then upwards from sp */
    uint64_t slot = i == 0 ? c->end : c->from + 8 * (uint64_t)(i - 1), v = 0, fp = 0;
    if (slot < c->from || step_word(c->env, slot, &v) || !step_in_code_cache(c->j, v) ||
        step_blob_find(c->env, c->j, v, caller) || caller->kind != WICK_BLOB_NMETHOD || v < caller->code ||
        v >= caller->code_end)
        return 0;
    if (i == 0 && !step_word(c->env, slot - 8, &fp))
        c->s->fp = fp;
    c->s->scans += i > 0;
    step_to(c->s, v, slot + 8);
    c->found = 1;
    return 1;
}

/* The blob of a deoptimisation is entered without a call: its return address is the nmethod's handler, so all that can
 * be asked is that it lies in an nmethod. The same goes for a safepoint's blob if nothing better is known. */
STEP_FN int step_into_nmethod(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                              const struct wick_step_blob *b)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s) || STEP_NULL(b))
        return WICK_STOP_STUB;
    struct step_search c = {env, j, s, s->sp, s->sp + (uint64_t)b->frame_bytes - 8, 0, 0, 0};
    STEP_LOOP(STEP_SCAN_WORDS, step_nmethod_word, &c);
    return c.found ? WICK_STOP_NONE : WICK_STOP_STUB;
}

/* Whether v lies in the code of an nmethod. */
STEP_INLINE int step_in_nmethod(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t v)
{
    struct wick_step_blob *b = &step_scratch(env)->caller;
    return step_in_code_cache(j, v) && !step_blob_find(env, j, v, b) && b->kind == WICK_BLOB_NMETHOD && v >= b->code &&
           v < b->code_end;
}

/*
 * The blob that handles a safepoint poll is entered without a call. Behind a poll at a return, the frame that polled is
 * down already and [sp] = return address. Behind a poll in a loop nothing is pushed: the handler of the fault keeps the
 * poll's address in the thread, and the blob makes room for it at once but fills it in late:
 *
 *      push rbx                53          room for the return address, only behind a poll in a loop
 *      push rbp                55
 *      mov  rbp, rsp           48 8b ec
 *      ...                                 saves all registers
 *      mov  rbx, [r15 + x]                 x: JavaThread::_saved_exception_pc
 *      mov  [rbp + 8], rbx                 from here on the return address is where it belongs
 *
 * (hotspot/cpu/x86/sharedRuntime_x86_64.cpp: SharedRuntime::generate_handler_blob)
 */
STEP_FN int step_safepoint(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                           const struct wick_step_blob *b)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s) || STEP_NULL(b))
        return WICK_STOP_STUB;
    uint8_t first = 0;
    uint64_t poll = 0, ret = 0, fp = 0, off = s->pc - b->code;
    if (step_read(env, b->code, &first, 1))
        return WICK_STOP_BLOB_UNREADABLE;
    uint64_t in_loop = first == STEP_PUSH_RBX;
    if (!in_loop || !s->thread || j->thread_saved_pc < 0 ||
        step_word(env, s->thread + (uint64_t)j->thread_saved_pc, &poll) || !step_in_nmethod(env, j, poll))
        poll = 0;
    if (s->leaf && off < 4 + in_loop) {
        if (!in_loop)
            return step_pop(env, s, off ? STEP_FRAME_SAVED_FP : STEP_FRAME_RETURN_ONLY);
        if (!poll || (off > 1 && step_word(env, s->sp, &s->fp)))
            return WICK_STOP_STUB;
        step_to(s, poll, s->sp + 8 * (off < 2 ? off : 2));
        return WICK_STOP_NONE;
    }
    /* sp moves while registers are saved and restored, rbp does not */
    uint64_t end = s->sp + (uint64_t)b->frame_bytes;
    if (s->leaf && s->fp >= s->sp && s->fp < end)
        end = s->fp + 16;
    if (step_word(env, end - 8, &ret) || step_word(env, end - 16, &fp))
        return WICK_STOP_STACK_RANGE;
    if (!step_in_nmethod(env, j, ret) && (in_loop || !step_is_return(env, j, ret)))
        ret = poll;
    if (!ret)
        return step_into_nmethod(env, j, s, b);
    s->fp = fp;
    step_to(s, ret, end);
    return WICK_STOP_NONE;
}

/* A return address into native code: C++ calls a few stubs directly, the JIT compilers that flush the instruction cache
 * for example. */
STEP_FN int step_native_return_at(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t addr,
                                  uint64_t *out)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(out))
        return 0;
    uint64_t v = 0;
    if (step_word(env, addr, &v) || v < 4096 || step_in_code_cache(j, v) ||
        step_native_rule(env, v - 1, &step_scratch(env)->caller_rule))
        return 0;
    *out = v;
    return 1;
}

/*
 * The entry barrier of nmethods, which a method calls behind its prologue while the collector asks for it (JDK 14 and
 * later), has a cookie between its frame and its return address, for the stack pointer of a frame that is thrown away:
 *
 *      push -1
 *      push rbp            rbp --> caller's rbp | -1 | return address into the method
 *      mov  rbp, rsp
 *      ...                 saves all registers: return addresses of old may be among the words above sp
 *
 * (hotspot/cpu/x86/stubGenerator_x86_64.cpp: generate_method_entry_barrier). 1 if the cookie is at `at`: the step is
 * made then.
 */
STEP_FN int step_cookie_at(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                           uint64_t at)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s))
        return 0;
    uint64_t cookie = 0, ret = 0;
    if (step_word(env, at, &cookie) || cookie != ~(uint64_t)0 || !step_return_at(env, j, at + 8, &ret))
        return 0;
    step_to(s, ret, at + 16);
    return 1;
}

/* The cookie behind the saved rbp, to which rbp leads, or which is on top; or on top itself. 1 if the step is made. */
STEP_INLINE int step_entry_barrier(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s)
{
    uint64_t fp = 0, at = s->fp;
    if (at >= s->sp && at - s->sp < STEP_FP_REACH && !step_word(env, at, &fp) && step_cookie_at(env, j, s, at + 8)) {
        s->fp = fp;
        return 1;
    }
    if (!s->leaf)
        return 0;
    at = s->sp;
    if (step_cookie_at(env, j, s, at))
        return 1;
    if (step_word(env, at, &fp) || fp != s->fp || !step_cookie_at(env, j, s, at + 8))
        return 0;
    s->fp = fp;
    return 1;
}

/* Stubs describe little about themselves: the layouts that occur are tried in the order of how sure they are. */
STEP_FN int step_stub(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                      const struct wick_step_blob *b)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s) || STEP_NULL(b))
        return WICK_STOP_STUB;
    uint64_t ret = 0, fp = 0;
    if (s->leaf) {
        int part = step_epilogue(env, s->pc);
        if (part == STEP_FRAME_RETURN_ONLY || part == STEP_FRAME_SAVED_FP)
            return step_pop(env, s, part);
    }
    if (b->kind == WICK_BLOB_SAFEPOINT)
        return step_safepoint(env, j, s, b);
    if (s->leaf && s->thread_state != STEP_THREAD_IN_JAVA && step_native_return_at(env, j, s->sp, &ret)) {
        step_to(s, ret, s->sp + 8);
        return WICK_STOP_NONE;
    }
    if (b->frame_bytes >= 16 && step_return_at(env, j, s->sp + (uint64_t)b->frame_bytes - 8, &ret) &&
        !step_word(env, s->sp + (uint64_t)b->frame_bytes - 16, &fp)) {
        s->fp = fp;
        step_to(s, ret, s->sp + (uint64_t)b->frame_bytes);
        return WICK_STOP_NONE;
    }
    if (b->kind == WICK_BLOB_ADAPTER && s->leaf && step_is_return(env, j, s->rax)) {
        step_to(s, s->rax, s->sp); /* kept there while arguments are moved */
        return WICK_STOP_NONE;
    }
    if (b->kind == WICK_BLOB_DEOPT)
        return step_into_nmethod(env, j, s, b);
    if (s->leaf && step_return_at(env, j, s->sp, &ret) && !step_is_left_over(env, j, ret)) {
        step_to(s, ret, s->sp + 8);
        return WICK_STOP_NONE;
    }
    if (b->kind == WICK_BLOB_STUB && step_entry_barrier(env, j, s))
        return WICK_STOP_NONE;
    if (s->leaf && step_return_at(env, j, s->sp + 8, &ret) && step_is_frame_end(env, j, s, s->sp + 8, 1) &&
        !step_is_left_over(env, j, ret) && !step_word(env, s->sp, &fp)) {
        s->fp = fp;
        step_to(s, ret, s->sp + 16);
        return WICK_STOP_NONE;
    }
    /* A return address nearer than the one behind rbp belongs to a stub without frame pointer: rbp still is some
     * caller's. */
    uint64_t words = s->fp >= s->sp && s->fp - s->sp < 8 * STEP_SCAN_WORDS ? (s->fp - s->sp) / 8 : STEP_SCAN_WORDS;
    if (step_scan(env, j, s, s->sp, (uint32_t)words | STEP_OF_STUB))
        return WICK_STOP_NONE;
    if (s->fp >= s->sp && s->fp - s->sp < STEP_FP_REACH && step_return_at(env, j, s->fp + 8, &ret))
        return step_by_fp(env, s) ? WICK_STOP_STUB : WICK_STOP_NONE;
    /* something else between the saved rbp and the return address */
    if (s->fp < s->sp || s->fp - s->sp >= STEP_FP_REACH || step_word(env, s->fp, &fp))
        return WICK_STOP_STUB;
    s->sp = s->fp;
    s->fp = fp;
    return step_scan(env, j, s, s->sp + 8, STEP_SCAN_WORDS | STEP_OF_STUB) ? WICK_STOP_NONE : WICK_STOP_STUB;
}

/* Takes the anchor as the next frame: the thread said where its last Java frame is. 1 if there was one. */
STEP_INLINE int step_use_anchor(struct wick_step_env *env, struct wick_step_state *s)
{
    uint64_t pc = s->anchor_pc;
    if (!s->anchor_sp || s->anchor_sp < s->sp)
        return 0;
    if (!pc && step_word(env, s->anchor_sp - 8, &pc))
        return 0;
    step_to(s, pc, s->anchor_sp);
    if (s->anchor_fp)
        s->fp = s->anchor_fp;
    s->anchor_sp = 0;
    s->anchors_used++;
    return 1;
}

/* Reads the JavaFrameAnchor at `at`; one that does not lie above sp is none. 1 if there is one. */
STEP_FN int step_load_anchor(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                             uint64_t at)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s))
        return 0;
    uint64_t sp = 0, pc = 0, fp = 0;
    s->anchor_sp = 0;
    if (step_word(env, at + (uint64_t)j->anchor_sp, &sp) || sp <= s->sp || (sp & 7))
        return 0;
    if (s->stack_end && sp >= s->stack_end)
        return 0;
    if (step_word(env, at + (uint64_t)j->anchor_pc, &pc) || (pc && !step_in_code_cache(j, pc)))
        return 0;
    if (j->anchor_fp >= 0 && step_word(env, at + (uint64_t)j->anchor_fp, &fp))
        return 0;
    s->anchor_sp = sp;
    s->anchor_pc = pc;
    s->anchor_fp = fp;
    return 1;
}

/* The frame of call_stub: C++ called Java. The anchor of the Java frames further down is in its JavaCallWrapper. */
STEP_FN int step_entry(struct wick_step_env *env, const struct wick_step_jvm *j, struct wick_step_state *s,
                       struct wick_step_frame *f)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(s) || STEP_NULL(f))
        return WICK_STOP_STUB;
    uint64_t wrapper = 0;
    f->kind = WICK_STEP_ENTRY;
    s->anchor_sp = 0;
    if (!step_word(env, s->fp + 8 * (uint64_t)(int64_t)j->entry_wrapper_slot, &wrapper) && wrapper > s->fp &&
        wrapper - s->fp < 65536)
        step_load_anchor(env, j, s, wrapper + (uint64_t)j->wrapper_anchor);
    return step_by_fp(env, s) ? WICK_STOP_STUB : WICK_STOP_NONE;
}

#endif
