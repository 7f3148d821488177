/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout_check.c - whether a layout can be used: nothing missing, nothing outside of its structure
 *
 * Two reasons to check once, before anything is read with it. A JDK may lack a fact that some code needs; read at
 * WICK_HS_NONE it would be the byte before the structure. And the tables come from the target, which may lie: blobs,
 * nmethods and PcDescs are copied and then read by offset, so each offset must lie inside the copy.
 *
 * What is needed depends on where a JDK keeps things, which the presence of one fact decides: the branches below.
 */
#include "hotspot/layout.h"

#include <stdbool.h>
#include <stddef.h>

enum branch {
    OPTIONAL,
    ALWAYS,
    IF_POINTERS,  /* bounds of code as pointers: 9..22 */
    IF_OFFSETS,   /* as offsets from the blob: 8, 23.. */
    IF_TOGETHER,  /* debug information in the blob: 8..22 */
    IF_IMMUTABLE, /* in data of its own: 23.. */
    IF_DATA,      /* with metadata in the blob's data: 23, 24 */
    IF_MUTABLE,   /* with metadata in mutable data: 25.. */
    IF_HEAPS,     /* an array of code heaps: 9.. */
    IF_LIST,      /* an array of threads: 11.. */
    IF_LINKS,     /* threads linked to each other: 8, where there is no array */
    IF_LOCKS,     /* lock stacks: 21.. */
    BRANCHES
};

static const struct fact {
    const char *name;
    uint16_t at, within; /* of the members in struct wick_hs_layout; the structure's size, or itself if none is known */
    uint8_t bytes, branch;
} facts[] = {
#define IN(id, structure, bytes, branch)                                                                    \
    {                                                                                                       \
#id, offsetof(struct wick_hs_layout, id), offsetof(struct wick_hs_layout, structure), bytes, branch \
    }
#define FREE(id, branch) IN(id, id, 0, branch)
    IN(cb_name, codeblob_size, 8, ALWAYS),
    IN(cb_frame_size, codeblob_size, 4, ALWAYS),
    IN(cb_frame_complete, codeblob_size, 2, ALWAYS),
    IN(cb_code_begin, codeblob_size, 8, IF_POINTERS),
    IN(cb_code_end, codeblob_size, 8, IF_POINTERS),
    IN(cb_code_offset, codeblob_size, 2, IF_OFFSETS),
    IN(cb_data_offset, codeblob_size, 4, IF_OFFSETS),
    IN(cb_mutable_data, codeblob_size, 8, IF_MUTABLE),
    IN(cb_relocation_size, codeblob_size, 4, IF_MUTABLE),
    IN(nm_method, nmethod_size, 8, ALWAYS),
    IN(nm_compile_id, nmethod_size, 4, ALWAYS),
    IN(nm_comp_level, nmethod_size, 1, ALWAYS),
    IN(nm_orig_pc, nmethod_size, 4, ALWAYS),
    IN(nm_deopt_begin, nmethod_size, 8, IF_POINTERS),
    IN(nm_deopt_mh_begin, nmethod_size, 8, OPTIONAL),
    IN(nm_deopt_offset, nmethod_size, 2, IF_OFFSETS),
    IN(nm_deopt_mh_offset, nmethod_size, 2, OPTIONAL),
    IN(nm_scopes_pcs, nmethod_size, 4, ALWAYS),
    IN(nm_scopes_data_begin, nmethod_size, 8, OPTIONAL),
    IN(nm_scopes_data, nmethod_size, 4, IF_IMMUTABLE),
    IN(nm_dependencies, nmethod_size, 4, IF_TOGETHER),
    IN(nm_metadata, nmethod_size, 4, IF_TOGETHER),
    IN(nm_metadata, nmethod_size, 2, IF_DATA),
    IN(nm_immutable, nmethod_size, 8, IF_IMMUTABLE),
    IN(nm_immutable_size, nmethod_size, 4, IF_IMMUTABLE),
    IN(nm_immutable_refs, nmethod_size, 4, OPTIONAL),
    IN(pcdesc_pc, pcdesc_size, 4, ALWAYS),
    IN(pcdesc_scope, pcdesc_size, 4, ALWAYS),
    IN(cm_constants, constmethod_size, 8, ALWAYS),
    IN(cm_code_size, constmethod_size, 2, ALWAYS),
    IN(cm_name, constmethod_size, 2, ALWAYS),
    IN(cm_signature, constmethod_size, 2, ALWAYS),
    IN(cm_total_size, constmethod_size, 4, OPTIONAL),
    IN(cm_flags, constmethod_size, 2, OPTIONAL),
    IN(cp_holder, constantpool_size, 8, ALWAYS),
    IN(thread_anchor, javathread_size, 8, ALWAYS),
    IN(thread_state, javathread_size, 4, ALWAYS),
    IN(thread_osthread, javathread_size, 8, ALWAYS),
    IN(thread_next, javathread_size, 8, IF_LINKS),
    IN(thread_stack_base, javathread_size, 8, OPTIONAL),
    IN(thread_stack_size, javathread_size, 8, OPTIONAL),
    IN(thread_cont_entry, javathread_size, 8, OPTIONAL),
    IN(thread_saved_pc, javathread_size, 8, OPTIONAL),
    IN(thread_pending_monitor, javathread_size, 8, OPTIONAL),
    IN(thread_lock_stack, javathread_size, 8, IF_LOCKS),
    IN(thread_object, javathread_size, 8, OPTIONAL),
    IN(thread_current, javathread_size, 8, OPTIONAL),
    IN(thread_current_id, javathread_size, 8, OPTIONAL),
    IN(thread_allocated, javathread_size, 8, OPTIONAL),
    IN(thread_tlab, javathread_size, 8, OPTIONAL),
    FREE(codeblob_size, ALWAYS),
    FREE(nmethod_size, ALWAYS),
    FREE(pcdesc_size, ALWAYS),
    FREE(heapblock_size, ALWAYS),
    FREE(javathread_size, ALWAYS),
    FREE(constmethod_size, ALWAYS),
    FREE(constantpool_size, ALWAYS),
    FREE(heap_memory, ALWAYS),
    FREE(heap_segmap, ALWAYS),
    FREE(heap_seg_shift, ALWAYS),
    FREE(vs_low, ALWAYS),
    FREE(vs_high, ALWAYS),
    FREE(vs_committed_high, ALWAYS),
    FREE(method_const, ALWAYS),
    FREE(klass_name, ALWAYS),
    FREE(symbol_length, ALWAYS),
    FREE(symbol_body, ALWAYS),
    FREE(anchor_sp, ALWAYS),
    FREE(anchor_pc, ALWAYS),
    FREE(wrapper_anchor, ALWAYS),
    FREE(osthread_tid, ALWAYS),
    FREE(array_len, IF_HEAPS),
    FREE(array_data, IF_HEAPS),
    FREE(threadslist_length, IF_LIST),
    FREE(threadslist_threads, IF_LIST),
    FREE(lock_stack_top, IF_LOCKS),
    FREE(lock_stack_base, IF_LOCKS),
#undef IN
#undef FREE
};

enum { COUNT = sizeof facts / sizeof *facts };

/* Which branches this JVM takes. */
static void choose(const struct wick_hs_layout *l, bool on[BRANCHES])
{
    on[OPTIONAL] = false;
    on[ALWAYS] = true;
    on[IF_POINTERS] = l->cb_code_begin != WICK_HS_NONE;
    on[IF_OFFSETS] = !on[IF_POINTERS];
    on[IF_IMMUTABLE] = l->nm_immutable != WICK_HS_NONE;
    on[IF_TOGETHER] = !on[IF_IMMUTABLE];
    on[IF_MUTABLE] = on[IF_IMMUTABLE] && l->cb_mutable_data != WICK_HS_NONE;
    on[IF_DATA] = on[IF_IMMUTABLE] && !on[IF_MUTABLE];
    on[IF_HEAPS] = l->codecache_heaps != 0;
    on[IF_LIST] = l->smr_list != 0;
    on[IF_LINKS] = !on[IF_LIST];
    on[IF_LOCKS] = l->thread_lock_stack != WICK_HS_NONE;
}

static int32_t value(const struct wick_hs_layout *l, uint16_t at)
{
    int32_t v;
    __builtin_memcpy(&v, (const char *)l + at, sizeof v);
    return v;
}

static int lacks(struct wick_err *err, const char *name)
{
    return wick_err_set(err, WICK_E_UNSUPPORTED,
                        "this JVM's tables lack `%s`, which wick needs to walk its stacks: its version is not "
                        "supported (JDK 8 to 27 are)",
                        name);
}

static int lies(struct wick_err *err, const char *name, int32_t v)
{
    return wick_err_set(err, WICK_E_UNSUPPORTED,
                        "this JVM's tables say that `%s` is %d, which cannot be: its version is not supported "
                        "(JDK 8 to 27 are), or something has changed its memory",
                        name, v);
}

/* Sizes used as divisors or to copy memory. */
static int check_sizes(const struct wick_hs_layout *l, struct wick_err *err)
{
    if (l->nmethod_size > WICK_HS_BLOB_MOST)
        return lies(err, "nmethod_size", l->nmethod_size);
    if (l->codeblob_size > l->nmethod_size)
        return lies(err, "codeblob_size", l->codeblob_size);
    if (l->pcdesc_size > WICK_HS_PCDESC_MOST)
        return lies(err, "pcdesc_size", l->pcdesc_size);
    if (l->heapblock_size != 8 && l->heapblock_size != 16)
        return lies(err, "heapblock_size", l->heapblock_size);
    return 0;
}

int wick_hs_layout_check(const struct wick_hs_layout *l, struct wick_err *err)
{
    bool on[BRANCHES];
    choose(l, on);
    for (size_t i = 0; i < COUNT; i++)
        if (on[facts[i].branch] && value(l, facts[i].at) == WICK_HS_NONE)
            return lacks(err, facts[i].name);
    for (size_t i = 0; i < COUNT; i++) {
        const struct fact *f = &facts[i];
        int32_t v = value(l, f->at);
        if (v != WICK_HS_NONE && f->at != f->within && (v < 0 || v > value(l, f->within) - f->bytes))
            return lies(err, f->name, v);
    }
    if (l->nm_immutable == WICK_HS_NONE && l->nm_scopes_data_begin == WICK_HS_NONE && l->nm_scopes_data == WICK_HS_NONE)
        return lacks(err, "nm_scopes_data");
    if ((!l->codecache_heaps && !l->codecache_heap) || !l->call_stub_return)
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "this JVM's tables lack its code cache: its version is not supported");
    if (!l->smr_list && !l->thread_list)
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "this JVM's tables lack its list of threads: its version is not supported");
    return check_sizes(l, err);
}
