/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk_sig.c - the in-process walker
 *
 * The walk itself is step_walk.h. Here are the three things it asks for (memory, unwind rules, blobs) and the
 * translation of raw frames into the numbers that the stack table keeps.
 *
 * Trust. A load may only touch memory that cannot be unmapped under it:
 *   - the own stack above the interrupted sp: verified once per thread by reading one byte of every page through the
 *     kernel, extended when the stack grows; a thread's stack stays while the thread runs;
 *   - the own JavaThread: it is freed by this thread only, after it notified us (JVMTI ThreadEnd);
 *   - committed code heaps: HotSpot never uncommits them.
 * Everything else (metaspace, debug information on the heap, libraries' data) is read through the kernel.
 */
#include "record/walk.h"

#include <string.h>
#include <sys/uio.h>

#include "hotspot/scopes.h"
#include "record/event.h"

enum { WICK_JAVA_THREAD_MOST = 2048 }; /* bytes of a JavaThread that are copied */

struct wick_step_env {
    struct wick_walker *w;
    struct wick_tables *t;
    uint64_t stack_lo, stack_bytes; /* trusted window of the stack */
    const uint8_t *stack;           /* where its bytes are: there, or a copy */
    uint64_t java_lo, java_bytes;   /* trusted part of the JavaThread */
    const uint8_t *java;            /* likewise */
    uint64_t unloads;
    uint64_t from; /* frames with a stack pointer below are left out */
    bool stepping;
    /* of the pcs that this step resolved first and last: one of them is the frame's */
    const struct wick_pc_record *first, *last;
    struct wick_step_scratch *scratch; /* not initialised with the rest: a handler has no time for it */
};

static inline struct wick_step_scratch *step_scratch(struct wick_step_env *env)
{
    return env->scratch;
}

static inline __attribute__((always_inline)) int step_read(struct wick_step_env *env, uint64_t addr, void *buf,
                                                           uint64_t n)
{
    if (addr - env->stack_lo < env->stack_bytes && env->stack_bytes - (addr - env->stack_lo) >= n) {
        __builtin_memcpy(buf, env->stack + (addr - env->stack_lo), n);
        return 0;
    }
    if (addr - env->java_lo < env->java_bytes && env->java_bytes - (addr - env->java_lo) >= n) {
        __builtin_memcpy(buf, env->java + (addr - env->java_lo), n);
        return 0;
    }
    const struct wick_step_jvm *j = &env->w->jvm->step;
    for (uint32_t i = 0; i < j->heap_count; i++) {
        uint64_t end = wick_load_relaxed(&env->w->heap_end[i]);
        if (addr >= j->heap[i].lo && addr < end && end - addr >= n) {
            __builtin_memcpy(buf, (const void *)(uintptr_t)addr, n);
            return 0;
        }
    }
    return wick_mem_read(&env->w->mem, addr, buf, n);
}

/* Reads through the same trust; so that scopes.c and friends profit from it. */
static int trusted_read(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    return step_read((struct wick_step_env *)(uintptr_t)m->ctx, addr, buf, n);
}

static uint32_t rule_slot_of(uint64_t pc)
{
    return (uint32_t)((pc * 0x9e3779b97f4a7c15u) >> 40) % WICK_RULE_SLOTS;
}

static int rule_cached(struct wick_walker *w, uint64_t pc, uint32_t epoch, struct wick_unwind_rule *rule)
{
    struct wick_rule_slot *slot = &w->rules[rule_slot_of(pc)];
    uint32_t seq = wick_load_acquire(&slot->sequence); /* pairs: rule_store */
    if ((seq & 1) || slot->pc != pc || slot->epoch != epoch)
        return 0;
    *rule = slot->rule;
    atomic_thread_fence(memory_order_acquire); /* pairs: the fence in rule_store; the copy comes before the next line */
    return wick_load_relaxed(&slot->sequence) == seq;
}

static void rule_store(struct wick_walker *w, uint64_t pc, uint32_t epoch, const struct wick_unwind_rule *rule)
{
    struct wick_rule_slot *slot = &w->rules[rule_slot_of(pc)];
    uint32_t seq = wick_load_relaxed(&slot->sequence);
    if ((seq & 1) || !wick_cas_acq_rel(&slot->sequence, &seq, seq + 1))
        return; /* another thread is writing it; pairs: the last line, in other threads */
    atomic_thread_fence(memory_order_release); /* pairs: the fence in rule_cached; the odd number is seen first */
    slot->pc = pc;
    slot->epoch = epoch;
    slot->rule = *rule;
    wick_store_release(&slot->sequence, seq + 2); /* pairs: rule_cached */
}

static int step_native_rule(struct wick_step_env *env, uint64_t pc, struct wick_unwind_rule *rule)
{
    struct wick_walker *w = env->w;
    uint32_t epoch = wick_load_acquire(&w->images_epoch); /* pairs: wick_walker_images_changed; before the images */
    if (rule_cached(w, pc, epoch, rule))
        return 0;
    const struct wick_elf_image *image = wick_elf_images_find(w->images, pc);
    if (!image)
        return -WICK_E_NOTFOUND;
    int r = wick_eh_rule(&w->mem, image, pc, rule, NULL, NULL);
    if (!r)
        rule_store(w, pc, epoch, rule);
    return r;
}

static int step_native_function(struct wick_step_env *env, uint64_t pc, uint64_t *start)
{
    const struct wick_elf_image *image = wick_elf_images_find(env->w->images, pc);
    return image ? wick_eh_function(&env->w->mem, image, pc, start) : -WICK_E_NOTFOUND;
}

static int step_method_read(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t method, uint64_t *cm,
                            uint32_t *code_size);

static int step_method_find(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t method, uint64_t *cm,
                            uint32_t *code_size)
{
    const struct wick_method_entry *e = wick_tables_method_known_sig(env->t, method, env->unloads);
    if (!e)
        return step_method_read(env, j, method, cm, code_size);
    *cm = e->id.const_method;
    *code_size = e->code_size;
    return 1;
}

static int step_blob_find(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t pc,
                          struct wick_step_blob *blob);

#include "unwind/step_walk.h"

enum { MAX_SCOPES = 64 };

static uint64_t java_frame(struct wick_step_env *env, enum wick_frame_kind kind, wick_addr method, int32_t bci)
{
    bool full;
    const struct wick_mem mem = {.read = trusted_read, .ctx = env};
    uint32_t n = wick_tables_method_sig(env->t, env->w->jvm, &mem, method, env->unloads, &full);
    if (n)
        return WICK_FRAME_JAVA(kind, n, bci);
    return WICK_FRAME(WICK_FRAME_BREAK, full ? WICK_STOP_OVERFLOW : WICK_STOP_METHOD_UNREADABLE);
}

/* The stub that holds pc, by the names HotSpot reported. */
static const struct wick_stub *find_stub(const struct wick_walker *w, uint64_t pc)
{
    uint32_t lo = 0, hi = w->stub_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (w->stubs[mid].hi <= pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < w->stub_count && w->stubs[lo].lo <= pc ? &w->stubs[lo] : NULL;
}

static uint64_t stub_frame(struct wick_step_env *env, const struct wick_step_blob *b, uint64_t pc)
{
    const struct wick_stub *stub = find_stub(env->w, pc);
    uint32_t n = wick_tables_stub_find_sig(env->t, stub ? stub->lo : b->addr);
    if (!n && stub) {
        n = wick_tables_stub_sig(env->t, stub->lo, stub->name, (uint32_t)strlen(stub->name));
    } else if (!n) {
        const struct wick_mem mem = {.read = trusted_read, .ctx = env};
        char name[96] = "";
        uint64_t at = 0;
        int len = -1;
        if (!step_read(env, b->addr + (uint64_t)env->w->jvm->step.cb_name, &at, 8))
            len = wick_mem_read_str(&mem, at, name, sizeof name);
        n = wick_tables_stub_sig(env->t, b->addr, len > 0 ? name : "stub", len > 0 ? (uint32_t)len : 4);
    }
    return n ? WICK_FRAME(WICK_FRAME_STUB, (uint64_t)n << 32) : WICK_FRAME(WICK_FRAME_BREAK, WICK_STOP_OVERFLOW);
}

/* Frames of a compiled pc, leaf first. Returns their number. */
static int expand(struct wick_step_env *env, const struct wick_step_blob *b, uint64_t pc, uint64_t frames[MAX_SCOPES])
{
    const struct wick_mem mem = {.read = trusted_read, .ctx = env};
    enum wick_frame_kind root = b->comp_level >= 1 && b->comp_level <= 3 ? WICK_FRAME_C1 : WICK_FRAME_C2;
    if (b->kind == WICK_BLOB_NATIVE) {
        frames[0] = java_frame(env, root, wick_hs_nmethod_method(env->w->jvm, &mem, b->addr), -1);
        return 1;
    }
    if (b->kind != WICK_BLOB_NMETHOD) {
        frames[0] = stub_frame(env, b, pc);
        return 1;
    }
    struct wick_hs_scope scopes[MAX_SCOPES];
    const struct wick_hs_at at = {b->addr, (uint32_t)(pc - b->code), b->compile_id <= env->w->last_old_compile_id};
    int n = wick_hs_scopes(env->w->jvm, &mem, &at, scopes, MAX_SCOPES);
    if (n <= 0) {
        wick_addr method = wick_hs_nmethod_method(env->w->jvm, &mem, b->addr);
        frames[0] = java_frame(env, root, method, -1);
        return 1;
    }
    for (int i = 0; i < n; i++)
        frames[i] = java_frame(env, i == n - 1 ? root : WICK_FRAME_INLINED, scopes[i].method, scopes[i].bci);
    return n;
}

/* Decodes pc and publishes the record; without room in the table the frames are lost but the walk goes on (NULL). */
static const struct wick_pc_record *make_record(struct wick_step_env *env, uint64_t pc, const struct wick_step_blob *b)
{
    uint64_t frames[MAX_SCOPES];
    int n = expand(env, b, pc, frames);
    uint32_t at =
        wick_tables_alloc_sig(env->t, (uint32_t)(sizeof(struct wick_pc_record) + (unsigned)n * sizeof(uint64_t)));
    if (!at)
        return NULL;
    struct wick_pc_record *r = (struct wick_pc_record *)(env->t->arena + at);
    r->pc = pc;
    r->blob = *b;
    r->n = (uint32_t)n;
    memcpy(r->frames, frames, (size_t)n * sizeof *frames);
    wick_tables_pc_put_sig(env->t, at);
    return r;
}

/* The cached record of pc if the code there is still the same. */
static const struct wick_pc_record *valid_record(struct wick_step_env *env, uint64_t pc)
{
    const struct wick_pc_record *r = wick_tables_pc_find_sig(env->t, pc);
    uint32_t id = 0;
    if (!r || (r->blob.kind != WICK_BLOB_NMETHOD && r->blob.kind != WICK_BLOB_NATIVE))
        return r;
    if (step_read(env, r->blob.addr + (uint64_t)env->w->jvm->step.nm_compile_id, &id, 4) || id != r->blob.compile_id)
        return NULL;
    return r;
}

/* The first lookup of a step is for its own frame, or for the return barrier and the last one for a frozen frame. */
static const struct wick_pc_record *keep(struct wick_step_env *env, const struct wick_pc_record *r)
{
    if (!env->stepping) {
        env->stepping = true;
        env->first = r;
    }
    env->last = r;
    return r;
}

/* The record of the step's frame, whose blob is known. */
static const struct wick_pc_record *record_of(const struct wick_step_env *env, uint64_t blob)
{
    if (env->first && env->first->blob.addr == blob)
        return env->first;
    return env->last && env->last->blob.addr == blob ? env->last : NULL;
}

static int step_blob_find(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t pc,
                          struct wick_step_blob *blob)
{
    struct wick_walker *w = env->w;
    if (pc - w->interpreter_lo < w->interpreter_hi - w->interpreter_lo) {
        blob->kind = WICK_BLOB_INTERPRETER;
        blob->addr = blob->code = w->interpreter_lo;
        blob->code_end = w->interpreter_hi;
        keep(env, NULL);
        return WICK_STOP_NONE;
    }
    const struct wick_pc_record *r = valid_record(env, pc);
    if (r) {
        *blob = keep(env, r)->blob;
        return WICK_STOP_NONE;
    }
    int stop = step_blob_read(env, j, pc, blob);
    if (stop)
        return stop;
    if (blob->kind == WICK_BLOB_INTERPRETER) {
        w->interpreter_lo = blob->code; /* every writer stores the same values */
        w->interpreter_hi = blob->code_end;
        keep(env, NULL);
        return WICK_STOP_NONE;
    }
    keep(env, make_record(env, pc, blob));
    return WICK_STOP_NONE;
}

/* Frames of the step just made, appended to out. Returns how many. */
static int translate(struct wick_step_env *env, const struct wick_step_frame *f, uint64_t *out, int cap,
                     struct wick_walk_result *res)
{
    const struct wick_pc_record *r = record_of(env, f->ptr);
    switch (f->kind) {
    case WICK_STEP_NATIVE:
        out[0] = WICK_FRAME_NATIVE(f->ptr, !f->leaf);
        return 1;
    case WICK_STEP_INTERPRETED:
        out[0] = java_frame(env, WICK_FRAME_INTERPRETED, f->ptr, f->off == 0xffff ? -1 : (int32_t)f->off);
        return 1;
    case WICK_STEP_BREAK:
        out[0] = WICK_FRAME(WICK_FRAME_BREAK, f->stop);
        return 1;
    case WICK_STEP_BOUNDARY:
        out[0] = WICK_FRAME(WICK_FRAME_BOUNDARY, WICK_BOUNDARY_CARRIER);
        return 1;
    default:
        break;
    }
    if (f->kind == WICK_STEP_COMPILED && r && r->blob.code + f->off != r->pc) {
        /* deoptimised: the frame's true pc is another one in the same method */
        uint64_t pc = r->blob.code + f->off;
        struct wick_step_blob b = r->blob;
        r = valid_record(env, pc);
        if (!r)
            r = make_record(env, pc, &b);
    }
    if (!r && f->kind == WICK_STEP_STUB) {
        /* the interpreter's own code, which has no record */
        const struct wick_step_blob b = {.addr = f->ptr};
        out[0] = stub_frame(env, &b, f->ptr + f->off);
        return 1;
    }
    if (!r) {
        out[0] = WICK_FRAME(WICK_FRAME_BREAK, WICK_STOP_OVERFLOW);
        return 1;
    }
    if (f->leaf && f->kind == WICK_STEP_COMPILED && r->blob.compile_id <= env->w->last_old_compile_id)
        res->flags |= WICK_EVENT_BIASED;
    int n = r->n < (uint32_t)cap ? (int)r->n : cap;
    for (int i = 0; i < n; i++)
        out[i] = r->frames[i];
    return n;
}

/* True if every page of [lo, hi) can be read. */
static bool readable(const struct wick_mem *m, uint64_t lo, uint64_t hi)
{
    for (uint64_t p = lo & ~4095ull; p < hi; p += 4096) {
        uint8_t b;
        if (wick_mem_read(m, p < lo ? lo : p, &b, 1))
            return false;
    }
    return true;
}

/* Makes the window cover the stack from sp upwards as far as it is known to be one piece. */
static void open_window(struct wick_walker *w, struct wick_stack_window *win, uint64_t sp, uint64_t end)
{
    enum { FIRST_LOOK = 64 << 10 };
    uint64_t lo = (sp - WICK_STEP_RED_ZONE) & ~7ull;
    if (sp >= win->lo && sp < win->hi)
        return;
    if (sp < win->lo && win->lo - sp < 1 << 20 && readable(&w->mem, lo, win->lo)) {
        win->lo = lo; /* the stack grew */
        return;
    }
    /* a stack seen for the first time, or another one (coroutine, alternate signal stack) */
    uint64_t hi = lo + FIRST_LOOK;
    if (end > sp && end - sp <= FIRST_LOOK)
        hi = end;
    win->lo = win->hi = 0;
    while (hi > lo && !readable(&w->mem, lo, hi))
        hi = lo + (hi - lo) / 2;
    if (hi > lo) {
        win->lo = lo;
        win->hi = hi;
    }
}

static void load_context(struct wick_step_state *s, const ucontext_t *uc)
{
    const greg_t *g = uc->uc_mcontext.gregs;
    memset(s, 0, sizeof *s);
    s->rax = (uint64_t)g[REG_RAX];
    s->rdx = (uint64_t)g[REG_RDX];
    s->rcx = (uint64_t)g[REG_RCX];
    s->rbx = (uint64_t)g[REG_RBX];
    s->rsi = (uint64_t)g[REG_RSI];
    s->rdi = (uint64_t)g[REG_RDI];
    s->fp = (uint64_t)g[REG_RBP];
    s->sp = (uint64_t)g[REG_RSP];
    s->r8 = (uint64_t)g[REG_R8];
    s->r9 = (uint64_t)g[REG_R9];
    s->r10 = (uint64_t)g[REG_R10];
    s->r11 = (uint64_t)g[REG_R11];
    s->r12 = (uint64_t)g[REG_R12];
    s->r13 = (uint64_t)g[REG_R13];
    s->r14 = (uint64_t)g[REG_R14];
    s->r15 = (uint64_t)g[REG_R15];
    s->pc = (uint64_t)g[REG_RIP];
    s->leaf = 1;
}

/* Changes whenever metaspace may have been used again: classes were unloaded, or a class was parsed. RedefineClasses
 * frees the methods of earlier versions without unloading anything; what comes in their place belongs to a class that
 * was parsed, and counted as loaded, before anybody can call it. */
static uint64_t metaspace_epoch(const struct wick_walker *w)
{
    uint64_t sum = 0;
    for (int i = 0; i < WICK_WALK_COUNTERS; i++) {
        if (!w->unloads[i])
            return WICK_UNLOADS_UNKNOWN;
        sum += wick_load_relaxed(w->unloads[i]);
    }
    return sum;
}

/* Fills in what the JavaThread says. */
static void load_thread(struct wick_step_env *env, struct wick_step_state *s, wick_addr java,
                        struct wick_walk_result *out)
{
    const struct wick_step_jvm *j = &env->w->jvm->step;
    uint32_t state = 0;
    (void)step_read(env, java + (unsigned)j->thread_state, &state, sizeof state);
    s->thread = java;
    s->thread_state = out->state = state;
    if (env->w->jvm->layout.thread_stack_base != WICK_HS_NONE)
        (void)step_read(env, java + (unsigned)env->w->jvm->layout.thread_stack_base, &s->stack_end, 8);
    if (s->sp >= s->stack_end || s->stack_end - s->sp > 1ull << 30)
        s->stack_end = 0;
}

/* The same of the calling thread, whose JavaThread stays where it is. */
static void load_own_thread(struct wick_step_env *env, struct wick_step_state *s, wick_addr java,
                            struct wick_walk_result *out)
{
    env->java_lo = java;
    env->java_bytes = env->w->java_to;
    env->java = (const uint8_t *)(uintptr_t)java;
    load_thread(env, s, java, out);
}

/* Copies what a walk reads of another's at once. Where that cannot be, each part is read by itself. */
static void copy_thread(struct wick_step_env *env, wick_addr java, uint8_t copy[WICK_JAVA_THREAD_MOST])
{
    const struct wick_walker *w = env->w;
    uint32_t bytes = w->java_to - w->java_from;
    if (bytes > WICK_JAVA_THREAD_MOST || wick_mem_read(&w->mem, java + w->java_from, copy, bytes))
        return;
    env->java_lo = java + w->java_from;
    env->java_bytes = bytes;
    env->java = copy;
}

static int walk(struct wick_step_env *env, struct wick_step_state *s, uint64_t *frames, int cap,
                struct wick_walk_result *out)
{
    const struct wick_step_jvm *j = &env->w->jvm->step;
    int n = 0, res = WICK_STEP_MORE;
    if (s->thread)
        step_load_anchor(env, j, s, s->thread + (unsigned)j->thread_anchor);
    while (res == WICK_STEP_MORE && n < cap - 1) {
        struct wick_step_frame f;
        bool included = s->sp >= env->from;
        env->first = env->last = NULL;
        env->stepping = false;
        res = wick_step(env, j, s, &f);
        if (res == WICK_STEP_NONE)
            break;
        if (f.kind == WICK_STEP_BREAK && f.stop && res == WICK_STEP_LAST)
            out->flags |= WICK_EVENT_BROKEN;
        if (included || f.kind == WICK_STEP_BREAK)
            n += translate(env, &f, frames + n, cap - 1 - n, out);
    }
    if (res == WICK_STEP_MORE)
        frames[n++] = WICK_FRAME(WICK_FRAME_BREAK, WICK_STOP_TRUNCATED);
    if (s->gaps)
        out->flags |= WICK_EVENT_GAP;
    return n;
}

int wick_walk_sig(struct wick_walker *w, struct wick_tables *t, wick_addr java, struct wick_stack_window *window,
                  const ucontext_t *uc, wick_addr from, uint64_t *frames, int cap, struct wick_walk_result *out)
{
    struct wick_step_scratch scratch;
    struct wick_step_env env = {.w = w, .t = t, .scratch = &scratch, .unloads = metaspace_epoch(w), .from = from};
    struct wick_step_state s;
    *out = (struct wick_walk_result){0};
    load_context(&s, uc);
    if (java)
        load_own_thread(&env, &s, java, out);
    open_window(w, window, s.sp, s.stack_end);
    env.stack_lo = window->lo;
    env.stack_bytes = window->hi - window->lo;
    env.stack = (const uint8_t *)(uintptr_t)window->lo;
    return walk(&env, &s, frames, cap, out);
}

/* Drops stubs at the leaf, through which compiled code called the JVM: what called is what matters. */
static int without_stubs(uint64_t *frames, int n)
{
    int stubs = 0;
    while (stubs < n - 1 && WICK_FRAME_KIND(frames[stubs]) == WICK_FRAME_STUB)
        stubs++;
    memmove(frames, frames + stubs, (size_t)(n - stubs) * sizeof *frames);
    return n - stubs;
}

__attribute__((noinline)) int wick_walk_here_sig(struct wick_walker *w, struct wick_tables *t, wick_addr java,
                                                 struct wick_stack_window *window, uint64_t *frames, int cap,
                                                 struct wick_walk_result *out)
{
    const uint64_t *frame = __builtin_frame_address(0); /* the caller's frame pointer; then the return address */
    struct wick_step_scratch scratch;
    struct wick_step_env env = {.w = w, .t = t, .scratch = &scratch, .unloads = metaspace_epoch(w)};
    struct wick_step_state s = {.pc = frame[1], .sp = (uint64_t)(uintptr_t)(frame + 2), .fp = frame[0]};
    *out = (struct wick_walk_result){0};
    if (java)
        load_own_thread(&env, &s, java, out);
    open_window(w, window, s.sp, s.stack_end);
    env.stack_lo = window->lo;
    env.stack_bytes = window->hi - window->lo;
    env.stack = (const uint8_t *)(uintptr_t)window->lo;
    if (java) {
        step_load_anchor(&env, &w->jvm->step, &s, java + (unsigned)w->jvm->step.thread_anchor);
        step_use_anchor(&env, &s);
    }
    return without_stubs(frames, walk(&env, &s, frames, cap, out));
}

/* For what is not of the calling thread: only the copy is loaded plainly. */
static struct wick_step_env outside_env(struct wick_walker *w, struct wick_tables *t, const struct wick_outside *o,
                                        struct wick_step_scratch *scratch)
{
    return (struct wick_step_env){.w = w,
                                  .t = t,
                                  .scratch = scratch,
                                  .stack_lo = o->lo,
                                  .stack_bytes = o->bytes,
                                  .stack = o->stack,
                                  .unloads = metaspace_epoch(w)};
}

int wick_walk_outside_sig(struct wick_walker *w, struct wick_tables *t, wick_addr java, const struct wick_outside *o,
                          uint64_t *frames, int cap, struct wick_walk_result *out)
{
    struct wick_step_scratch scratch;
    struct wick_step_env env = outside_env(w, t, o, &scratch);
    struct wick_step_state s = {.pc = o->pc, .sp = o->sp, .leaf = 1, .unknown = UINT32_MAX};
    uint8_t copy[WICK_JAVA_THREAD_MOST];
    s.unknown &= ~(1u << STEP_REG_SP);
    *out = (struct wick_walk_result){0};
    if (java) {
        copy_thread(&env, java, copy);
        load_thread(&env, &s, java, out);
    }
    return walk(&env, &s, frames, cap, out);
}

int wick_walk_frozen_sig(struct wick_walker *w, struct wick_tables *t, wick_addr chunk, const struct wick_outside *o,
                         uint64_t *frames, int cap, struct wick_walk_result *out)
{
    struct wick_step_scratch scratch;
    struct wick_step_env env = outside_env(w, t, o, &scratch);
    const struct wick_step_jvm *j = &w->jvm->step;
    struct wick_step_state s = {.in_heap = 1};
    int n = 0, stop = WICK_STOP_NONE;
    *out = (struct wick_walk_result){0};
    if (chunk && step_next_chunk(&env, j, &s, chunk) != STEP_CHUNK_FRAMES)
        return 0;
    while (!stop && s.frozen_sp && n < cap - 2) {
        struct wick_step_frame f = {0};
        env.first = env.last = NULL;
        env.stepping = false;
        stop = step_frozen(&env, j, &s, &f);
        if (f.kind != WICK_STEP_UNKNOWN)
            n += translate(&env, &f, frames + n, cap - 2 - n, out);
    }
    if (stop || s.frozen_sp) {
        frames[n++] = WICK_FRAME(WICK_FRAME_BREAK, stop ? stop : WICK_STOP_TRUNCATED);
        out->flags |= stop ? WICK_EVENT_BROKEN : 0;
    }
    if (!s.frozen_sp)
        frames[n++] = WICK_FRAME(WICK_FRAME_BOUNDARY, WICK_BOUNDARY_UNMOUNTED);
    return n;
}
