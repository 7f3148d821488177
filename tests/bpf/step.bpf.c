/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step.bpf.c - the stepping code (unwind/step_walk.h) as a kernel-side program
 *
 * A sample of the thread that has the event walks from the job's state through its process's memory, with what the
 * kernel side of `wick host` keeps at hand (bpf/host_kept.h) if the job says so. The scratch area is in a per-CPU map,
 * the loop over frames and the scans are bpf_loop(), and each STEP_FN is a global function, which the verifier checks
 * once.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define STEP_INLINE             static inline __attribute__((always_inline))
#define STEP_FN                 __attribute__((noinline))
#define STEP_BODY               static __attribute__((noinline))
#define STEP_LOOP(n, body, ctx) bpf_loop(n, body, ctx, 0)
#define STEP_NULL(p)            (!(p))
#include "../../bpf/host_kept.h"
#include "step_job.h"

struct wick_step_env {
    struct wick_step_scratch scratch;
    struct at_hand at_hand;
    struct wick_unwind_rule rule;
    uint64_t function;
    uint32_t has_rule;
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct wick_step_env);
} environments SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct step_job);
} jobs SEC(".maps");

STEP_INLINE struct wick_step_scratch *step_scratch(struct wick_step_env *env)
{
    return &env->scratch;
}

STEP_INLINE int step_read(struct wick_step_env *env, uint64_t addr, void *buf, uint64_t n)
{
    return (int)bpf_probe_read_user(buf, (__u32)n, (const void *)addr);
}

STEP_INLINE int step_native_rule(struct wick_step_env *env, uint64_t pc, struct wick_unwind_rule *rule)
{
    if (!env->has_rule)
        return -1;
    if (kept_rule(&env->at_hand, pc, rule))
        return 0;
    *rule = env->rule;
    keep_rule(&env->at_hand, pc, rule);
    return 0;
}

STEP_INLINE int step_native_function(struct wick_step_env *env, uint64_t pc, uint64_t *start)
{
    *start = env->function;
    return env->function ? 0 : -1;
}

STEP_FN int kept_blob_find(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t pc,
                           struct wick_step_blob *out);

#define step_read_stack(env, addr, buf, n) read_near(&(env)->at_hand, addr, buf, n)
#define step_blob_find                     kept_blob_find
#define step_method_find                   step_method_read
#include "unwind/step_walk.h"

#include "../../bpf/host_kept_blob.h"

struct walk {
    struct wick_step_env *env;
    struct step_job *job;
};

static long one_frame(__u32 i, void *ctx)
{
    struct walk *w = ctx;
    if (i >= STEP_JOB_FRAMES)
        return 1;
    int result = wick_step(w->env, &w->job->jvm, &w->job->state, &w->job->frames[i]);
    w->job->result = (uint32_t)result;
    if (result != WICK_STEP_NONE)
        w->job->n = i + 1;
    return result != WICK_STEP_MORE;
}

SEC("perf_event")
int walk(void *event)
{
    __u32 key = 0;
    struct walk w = {bpf_map_lookup_elem(&environments, &key), bpf_map_lookup_elem(&jobs, &key)};
    if (!w.env || !w.job || w.job->done)
        return 0;
    w.env->rule = w.job->rule;
    w.env->has_rule = w.job->has_rule;
    w.env->function = w.job->function;
    const struct wick_host_birth birth = {w.job->process, 0};
    w.env->at_hand.tables = w.job->tables;
    begin_at_hand(&w.env->at_hand, &birth, w.job->time_ns);
    if (w.job->state.thread)
        step_load_anchor(w.env, &w.job->jvm, &w.job->state, w.job->state.thread + (uint64_t)w.job->jvm.thread_anchor);
    bpf_loop(STEP_JOB_FRAMES, one_frame, &w, 0);
    w.job->done = 1;
    return 0;
}

/* The walk itself is Apache-2.0; the helpers that read memory are for programs that say "GPL". This one is a test, and
 * nothing of it is shipped. */
char LICENSE[] SEC("license") = "GPL";
