/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_rewalk.c - see host_rewalk.h
 *
 *      copy:  sp - red zone ... up to 64 KiB above it | beyond: as it is now, if the thread has not come back to it
 *
 * The JavaThread is left alone: where its last Java frame is has changed since. A walk through native code finds the
 * Java frames without it. Methods are those whose code is there now; between the sample and now they are rarely
 * thrown away and their room taken, and a sample is not walked again if much time has passed.
 */
#include "ebpf/host_rewalk.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "ebpf/host_brief.h"
#include "sys/whole.h"
#include "ebpf/host_beyond.h"

/* How old a sample may be, and how long a walk takes at most. */
enum { YOUNG_NS = 50000000, WALK_NS = 5000000 };

struct wick_step_env {
    struct wick_host_rules *rules;
    struct wick_host_process *p;
    struct wick_host_beyond stack;
    struct wick_step_state state;
    struct wick_step_scratch scratch;
    uint32_t tid;
    bool asked, ended; /* the process */
};

static inline struct wick_step_scratch *step_scratch(struct wick_step_env *env)
{
    return &env->scratch;
}

static int step_read(struct wick_step_env *env, uint64_t addr, void *buf, uint64_t n)
{
    return wick_host_beyond_read(&env->stack, addr, buf, n);
}

STEP_FN int step_after_call(struct wick_step_env *env, uint64_t pc);

#include "ebpf/host_fp.h"

/* Where pc is in a process: what could be read of it, or else what its walks saw. */
static struct wick_host_code code_at(const struct wick_host_process *p, uint64_t pc, bool seen)
{
    struct wick_host_code code = {.pid = (int)p->pid, .birth = p->birth, .mem = &p->space.mem};
    if (!p->gone && !seen)
        code.image = wick_elf_images_find(&p->images, pc);
    if (p->gone || seen || code.image)
        code.mapped = wick_host_brief_at(p, pc);
    return code;
}

static int step_native_rule(struct wick_step_env *env, uint64_t pc, struct wick_unwind_rule *rule)
{
    const struct wick_host_code seen = code_at(env->p, pc, true);
    struct wick_host_code read = code_at(env->p, pc, false);
    if (!env->p->gone && !read.image && wick_host_process_refresh(env->p, wick_clock_mono_ns()))
        read = code_at(env->p, pc, false);
    if (!wick_host_rules_find(env->rules, &read, pc, rule))
        return 0;
    if (!env->asked)
        env->ended = !wick_host_process_is_same(env->p);
    env->asked = true;
    if (env->ended && !wick_host_rules_find(env->rules, &seen, pc, rule))
        return 0;
    if (!host_has_fp(env, &env->state, pc))
        return -1;
    host_fp_rule(rule);
    return 0;
}

static int step_native_function(struct wick_step_env *env, uint64_t pc, uint64_t *start)
{
    (void)env, (void)pc, (void)start;
    return -1;
}

#define step_blob_find   step_blob_read
#define step_method_find step_method_read
#include "unwind/step_walk.h"

static bool is_missing(struct wick_host_rules *rules, const struct wick_host_process *p, uint64_t pc)
{
    const struct wick_host_code code = code_at(p, pc, false);
    return !wick_host_rules_taught(rules, &code, pc);
}

/* Whether the thread is known to have left the frames beyond: it waits in the kernel, and for one further up. */
static bool has_left(const struct wick_step_env *env)
{
    char path[64], text[256], *pc;
    snprintf(path, sizeof path, "/proc/%u/task/%u/syscall", env->p->pid, env->tid);
    if (wick_whole_text(path, text, sizeof text) <= 0 || !(pc = strrchr(text, ' ')))
        return false; /* it runs, or is gone with all its memory */
    *pc = 0;
    const char *sp = strrchr(text, ' ');
    return sp && strtoull(sp, NULL, 16) >= env->stack.sp;
}

/* The frames of the walk. Returns how many; 0 if there was no time. */
static uint32_t walk(struct wick_step_env *env, uint64_t until_ns, struct wick_step_frame *frames)
{
    static const struct wick_step_jvm none;
    const struct wick_step_jvm *j = env->p->jvm_state == WICK_HOST_JVM_READY ? &env->p->jvm.step : &none;
    uint32_t n = 0, sure = 0;
    for (int result = WICK_STEP_MORE; result == WICK_STEP_MORE && n < WICK_HOST_FRAMES;) {
        struct wick_step_frame *f = &frames[n];
        memset(f, 0, sizeof *f);
        if (wick_clock_mono_ns() >= until_ns)
            return 0;
        wick_host_beyond_come(&env->stack, env->state.sp, n && env->state.leaf);
        result = wick_step(env, j, &env->state, f);
        n += result != WICK_STEP_NONE;
        sure = env->stack.beyond ? sure : n;
    }
    wick_host_beyond_come(&env->stack, env->state.sp, n && env->state.leaf);
    if (!env->stack.beyond || (wick_host_beyond_holds(&env->stack) && !has_left(env)))
        return n;
    sure -= sure == WICK_HOST_FRAMES;
    frames[sure] = (struct wick_step_frame){.kind = WICK_STEP_BREAK, .stop = WICK_STOP_STACK_RANGE};
    return sure + 1;
}

static bool is_whole(const struct wick_step_frame *frames, uint32_t n)
{
    return n && frames[n - 1].kind != WICK_STEP_BREAK;
}

/* The copy that came before this record, NULL = none did. */
static const struct wick_host_copy *copy_of(const struct wick_host_rewalker *w, const struct wick_host_head *head)
{
    for (uint32_t i = 0; i < WICK_HOST_COPIES; i++)
        if (w->copies[i].head.time_ns == head->time_ns && w->copies[i].head.tid == head->tid)
            return &w->copies[i];
    return NULL;
}

int wick_host_rewalk_init(struct wick_host_rewalker *w)
{
    w->kept = 0;
    w->copies = calloc(WICK_HOST_COPIES, sizeof *w->copies);
    return w->copies ? 0 : -WICK_E_NOMEM;
}

void wick_host_rewalk_release(struct wick_host_rewalker *w)
{
    free(w->copies);
    w->copies = NULL;
}

void wick_host_rewalk_keep(struct wick_host_rewalker *w, const struct wick_host_copy *copy)
{
    if (copy->n <= sizeof copy->bytes)
        w->copies[w->kept++ % WICK_HOST_COPIES] = *copy;
}

const struct wick_host_record *wick_host_rewalk(struct wick_host_rewalker *w, struct wick_host_rules *rules,
                                                struct wick_host_process *p, const struct wick_host_record *r,
                                                uint64_t until_ns)
{
    const struct wick_host_copy *copy = r->head.flags & WICK_HOST_MISSED ? copy_of(w, &r->head) : NULL;
    struct wick_host_record *out = &w->record;
    uint64_t now_ns = wick_clock_mono_ns();
    if (!copy || (p->gone && !p->nmapped) || now_ns - r->head.time_ns >= YOUNG_NS)
        return NULL;
    until_ns = until_ns < now_ns + WALK_NS ? until_ns : now_ns + WALK_NS;
    const struct wick_host_beyond stack = wick_host_beyond(copy, p->gone ? NULL : &p->space.mem);
    struct wick_step_env env = {.rules = rules,
                                .p = p,
                                .stack = stack,
                                .state = copy->state,
                                .tid = r->head.tid,
                                .asked = p->gone,
                                .ended = p->gone};
    uint32_t n = walk(&env, until_ns, out->frames), before = r->head.nframes;
    if (env.stack.beyond && is_whole(r->frames, before))
        return NULL; /* that one is of the moment of the sample */
    if (!is_whole(out->frames, n) && (n <= before || is_whole(r->frames, before)))
        return NULL;
    memcpy(out, r, offsetof(struct wick_host_record, frames));
    out->head.nframes = n;
    out->head.flags &= ~(uint32_t)WICK_HOST_TRUNCATED;
    out->head.flags |= n == WICK_HOST_FRAMES ? WICK_HOST_TRUNCATED : 0;
    for (uint32_t i = 0; i < n; i++)
        if (out->frames[i].kind == WICK_STEP_NATIVE)
            out->frames[i].level = is_missing(rules, p, out->frames[i].ptr - !out->frames[i].leaf);
    memcpy(&out->frames[n], wick_host_others(r), wick_host_bytes_behind(&r->head));
    return out;
}
