/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * host_kept_blob.h - the part of host_kept.h that comes after unwind/step_walk.h: blobs
 *
 * A blob can be thrown away and its room taken by another one. An nmethod has a number that no other one has; of other
 * blobs the name is another one then, and the interpreter's stays. Stale numbers are noticed as the agent notices them
 * (record/walk_sig.c).
 *
 * Threads, memory: see host_kept.h.
 */
#ifndef WICK_BPF_HOST_KEPT_BLOB_H
#define WICK_BPF_HOST_KEPT_BLOB_H

STEP_INLINE bool kept_blob_holds(struct wick_step_env *env, const struct wick_step_jvm *j, struct kept_blob *k)
{
    __u64 name = 0;
    __u32 id = 0;
    if (k->checked_ns == env->at_hand.now_ns || k->blob.kind == WICK_BLOB_INTERPRETER)
        return true;
    if (k->blob.kind == WICK_BLOB_NMETHOD || k->blob.kind == WICK_BLOB_NATIVE) {
        if (step_read(env, k->blob.addr + (__u64)(__s64)j->nm_compile_id, &id, sizeof id) || id != k->blob.compile_id)
            return false;
    } else if (step_read(env, k->blob.addr + (__u64)(__s64)j->cb_name, &name, sizeof name) || name != k->name) {
        return false;
    }
    k->checked_ns = env->at_hand.now_ns;
    return true;
}

/* The place of a pc; NULL if this walker has none. */
STEP_INLINE struct kept_blob *kept_blob_place(struct at_hand *h, uint64_t pc)
{
    __u32 hash = kept_hash(h, pc);
    struct kept *bank = kept_bank(h, hash);
    return bank ? &bank->blobs[hash & (KEPT_BLOBS - 1)] : NULL;
}

/* As unwind/step.h says of step_blob_find(). */
STEP_FN int kept_blob_find(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t pc,
                           struct wick_step_blob *out)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(out))
        return WICK_STOP_NO_BLOB;
    struct kept_blob *k = kept_blob_place(&env->at_hand, pc);
    if (k && kept_is(&env->at_hand, &k->key, pc) && kept_blob_holds(env, j, k)) {
        *out = k->blob;
        return WICK_STOP_NONE;
    }
    int stop = step_blob_load(env, j, pc, out);
    __asm__ volatile(""
                     : "+r"(pc)); /* the place is found again: to remember it takes stack, of which there is little */
    k = stop ? NULL : kept_blob_place(&env->at_hand, pc);
    if (k) {
        k->key = kept_key_of(&env->at_hand, pc);
        k->name = step_at(step_scratch(env)->bytes, j->cb_name, 8);
        k->checked_ns = env->at_hand.now_ns;
        k->blob = *out;
    }
    return stop;
}

#endif
