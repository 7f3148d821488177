/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jvm.c - from the layout tables to what a walk needs
 *
 * What changed between JDKs, and is decided here once:
 *   code heaps     8: one CodeHeap (CodeCache::_heap); 9..: a GrowableArray of them
 *   code bounds    9..22: pointers in the blob; 8 and 23..: offsets from the blob
 *   deopt handler  9..22: pointer in CompiledMethod; 8 and 23..: offset from the blob
 *   bcp slot       8: fp[-7]; 9..: fp[-8] (a slot for the mirror came in)
 *   frame_complete 8..22: int; 23..: int16
 */
#include "hotspot/jvm.h"

#include <stdlib.h>
#include <string.h>

#include "hotspot/value.h"
#include "mem/window.h"

enum { MAX_BLOCKS = 1 << 20 };

static int open_heaps(struct wick_jvm *jvm, struct wick_err *err)
{
    const struct wick_hs_layout *l = &jvm->layout;
    struct wick_step_jvm *s = &jvm->step;
    const struct wick_mem *m = jvm->mem;
    uint32_t n = 1;
    if (l->codecache_heaps) {
        wick_addr array = wick_hs_u64(m, l->codecache_heaps);
        n = wick_hs_u32(m, array + (unsigned)l->array_len);
        wick_addr data = wick_hs_u64(m, array + (unsigned)l->array_data);
        if (n == 0 || n > WICK_STEP_HEAPS || wick_mem_read(m, data, jvm->heap_addr, n * sizeof *jvm->heap_addr))
            return wick_err_set(err, WICK_E_STATE,
                                "the JVM's code cache is not initialised yet (%u code heaps): try again", n);
    } else {
        jvm->heap_addr[0] = wick_hs_u64(m, l->codecache_heap);
    }
    s->cc_lo = UINT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        wick_addr h = jvm->heap_addr[i];
        struct wick_step_heap *out = &s->heap[i];
        out->lo = wick_hs_u64(m, h + (unsigned)(l->heap_memory + l->vs_low));
        out->hi = wick_hs_u64(m, h + (unsigned)(l->heap_memory + l->vs_high));
        out->segmap = wick_hs_u64(m, h + (unsigned)(l->heap_segmap + l->vs_low));
        s->seg_shift = wick_hs_u32(m, h + (unsigned)l->heap_seg_shift);
        if (!out->lo || out->hi <= out->lo || !out->segmap || s->seg_shift > 16)
            return wick_err_set(err, WICK_E_STATE, "the JVM's code cache is not initialised yet: try again");
        s->cc_lo = out->lo < s->cc_lo ? out->lo : s->cc_lo;
        s->cc_hi = out->hi > s->cc_hi ? out->hi : s->cc_hi;
    }
    s->heap_count = n;
    return 0;
}

static void fill_step(struct wick_jvm *jvm)
{
    const struct wick_hs_layout *l = &jvm->layout;
    struct wick_step_jvm *s = &jvm->step;
    s->code_is_pointer = l->cb_code_begin != WICK_HS_NONE;
    s->cb_name = l->cb_name;
    s->cb_frame_size = l->cb_frame_size;
    s->cb_frame_complete = l->cb_frame_complete;
    s->cb_frame_complete_is_short = jvm->major >= 23;
    s->cb_code = s->code_is_pointer ? l->cb_code_begin : l->cb_code_offset;
    s->cb_code_end = s->code_is_pointer ? l->cb_code_end : l->cb_data_offset;
    s->nm_compile_id = l->nm_compile_id;
    s->nm_comp_level = l->nm_comp_level;
    s->nm_orig_pc = l->nm_orig_pc;
    s->nm_deopt = s->code_is_pointer ? l->nm_deopt_begin : l->nm_deopt_offset;
    s->nm_deopt_mh = s->code_is_pointer ? l->nm_deopt_mh_begin : l->nm_deopt_mh_offset;
    s->method_const = l->method_const;
    s->constmethod_size = l->constmethod_size;
    s->cm_code_size = l->cm_code_size;
    s->cm_constants = l->cm_constants;
    s->cp_holder = l->cp_holder;
    s->interp_bcp_slot = jvm->major >= 9 ? 8 : 7;
    s->thread_anchor = l->thread_anchor;
    s->anchor_sp = l->anchor_sp;
    s->anchor_pc = l->anchor_pc;
    s->anchor_fp = l->anchor_fp;
    s->thread_state = l->thread_state;
    s->thread_saved_pc = l->thread_saved_pc;
    s->thread_cont_entry = l->thread_cont_entry;
    s->entry_wrapper_slot = l->entry_frame_wrapper == WICK_HS_NONE ? -6 : l->entry_frame_wrapper;
    s->wrapper_anchor = l->wrapper_anchor;
    s->cont_entry_size = l->cont_entry_size;
    s->blob_bytes = (uint32_t)l->codeblob_size;
    s->nmethod_bytes = (uint32_t)l->nmethod_size;
    s->heapblock_size = (uint32_t)l->heapblock_size;
    s->major = (uint32_t)jvm->major;
}

/* "1.8.0_504" and "25.504-b08" (the VM's own numbering of JDK 8) both mean 8. */
static void read_version(struct wick_jvm *jvm)
{
    const struct wick_hs_layout *l = &jvm->layout;
    wick_addr p = l->vm_release ? wick_hs_u64(jvm->mem, l->vm_release) : 0;
    if (!p || wick_mem_read_str(jvm->mem, p, jvm->release, sizeof jvm->release) < 0)
        jvm->release[0] = 0;
    jvm->major = l->vm_major ? (int)wick_hs_u32(jvm->mem, l->vm_major) : atoi(jvm->release);
    jvm->minor = l->vm_minor ? (int)wick_hs_u32(jvm->mem, l->vm_minor) : 0;
    jvm->security = l->vm_security ? (int)wick_hs_u32(jvm->mem, l->vm_security) : 0;
    if (!l->codecache_heaps) {
        jvm->security = jvm->minor;
        jvm->minor = 0;
        jvm->major = 8;
    }
}

/* In one pass over the JVM's table of all its flags, more than a thousand. */
static void find_flags(struct wick_jvm *jvm)
{
    static const char *const names[] = {
#define X(id, name) name,
#include "hotspot/jvm_flag.def"
#undef X
    };
    const struct wick_hs_layout *l = &jvm->layout;
    struct wick_mem_window rows = {.mem = jvm->mem}, texts = {.mem = jvm->mem};
    if (!l->flags || !l->flag_count || l->flag_size <= 0 || l->flag_name < 0 || l->flag_addr < 0)
        return;
    wick_addr row = wick_hs_u64(jvm->mem, l->flags);
    uint64_t n = wick_hs_u64(jvm->mem, l->flag_count);
    for (uint64_t i = 0; i < n && i < 8192; i++, row += (unsigned)l->flag_size) {
        char have[64];
        wick_addr s = wick_mem_window_u64(&rows, row + (unsigned)l->flag_name);
        if (!s || wick_mem_window_str(&texts, s, have, sizeof have) < 0)
            continue;
        for (unsigned f = 0; f < WICK_JVM_FLAG_COUNT; f++)
            if (!jvm->flag[f] && !strcmp(have, names[f]))
                jvm->flag[f] = wick_mem_window_u64(&rows, row + (unsigned)l->flag_addr);
    }
}

int wick_jvm_open(struct wick_jvm *jvm, const struct wick_mem *mem, const struct wick_hs_symbols *syms,
                  struct wick_err *err)
{
    struct wick_jvm out = {.mem = mem};
    int r = wick_hs_layout_read(&out.layout, mem, syms, err);
    if (!r)
        r = wick_hs_layout_check(&out.layout, err);
    if (r)
        return r;
    find_flags(&out);
    read_version(&out);
    fill_step(&out);
    *jvm = out;
    return 0;
}

int wick_jvm_open_code(struct wick_jvm *jvm, struct wick_err *err)
{
    const struct wick_hs_layout *l = &jvm->layout;
    struct wick_step_jvm *s = &jvm->step;
    s->call_stub_return = wick_hs_u64(jvm->mem, l->call_stub_return);
    s->cont_barrier = l->cont_return_barrier ? wick_hs_u64(jvm->mem, l->cont_return_barrier) : 0;
    s->cont_return_pc = l->cont_return_pc ? wick_hs_u64(jvm->mem, l->cont_return_pc) : 0;
    int rc = open_heaps(jvm, err);
    if (!rc && !s->call_stub_return) /* it comes after all of the code cache, and before any Java code */
        rc = wick_err_set(err, WICK_E_STATE, "the JVM's stubs are not generated yet: try again");
    return rc;
}

wick_addr wick_jvm_heap_committed(const struct wick_jvm *jvm, unsigned i)
{
    return wick_hs_u64(jvm->mem,
                       jvm->heap_addr[i] + (unsigned)(jvm->layout.heap_memory + jvm->layout.vs_committed_high));
}

bool wick_jvm_flag_is_set(const struct wick_jvm *jvm, enum wick_jvm_flag flag, bool if_missing)
{
    uint8_t value = 0;
    return jvm->flag[flag] && !wick_mem_read(jvm->mem, jvm->flag[flag], &value, 1) ? value : if_missing;
}

/* jvmstat memory (hotspot/share/runtime/perfMemory.hpp): a 32-byte prologue with the offset of the first entry at 24
 * and the number of entries at 28, then entries {s4 length, s4 name offset, s4 vector length, u1 type, u1 flags, u1
 * units, u1 variability, s4 data offset}. */
wick_addr wick_jvm_perf_counter(const struct wick_jvm *jvm, const char *name)
{
    enum { HEAD_BYTES = 20 };
    struct wick_mem_window entries = {.mem = jvm->mem};
    wick_addr start = jvm->layout.perf_start ? wick_hs_u64(jvm->mem, jvm->layout.perf_start) : 0;
    if (!start || wick_hs_u32(jvm->mem, start) != 0xc0c0feca)
        return 0;
    wick_addr at = start + wick_hs_u32(jvm->mem, start + 24);
    uint32_t n = wick_hs_u32(jvm->mem, start + 28);
    for (uint32_t i = 0; i < n && i < 16384; i++) {
        uint32_t e[HEAD_BYTES / 4];
        const void *head = wick_mem_window_at(&entries, at, sizeof e);
        if (!head)
            return 0;
        memcpy(e, head, sizeof e);
        if (e[0] < sizeof e || e[0] > 1 << 20)
            return 0;
        if (wick_mem_window_is(&entries, at + e[1], name))
            return at + e[4];
        at += e[0];
    }
    return 0;
}

/* A block begins with its length in segments and whether it is used (HeapBlock::Header). A lying target could claim a
 * heap of any size made of the smallest blocks, so there is a limit. */
bool wick_jvm_blob_next(struct wick_jvm_blobs *it, wick_addr *blob)
{
    const struct wick_jvm *jvm = it->jvm;
    const struct wick_step_jvm *s = &jvm->step;
    for (; it->visited < MAX_BLOCKS; it->visited++) {
        if (!it->at && it->heap < s->heap_count) {
            it->at = s->heap[it->heap].lo;
            it->end = wick_jvm_heap_committed(jvm, it->heap);
        }
        uint64_t segments = 0;
        if (it->at && it->at + 512 < it->end)
            segments = s->heapblock_size == 16 ? wick_hs_u64(jvm->mem, it->at) : wick_hs_u32(jvm->mem, it->at);
        if (!segments || segments > (it->end - it->at) >> s->seg_shift) {
            it->at = 0;
            if (++it->heap >= s->heap_count)
                return false;
            continue;
        }
        uint8_t used = 0;
        (void)wick_mem_read(jvm->mem, it->at + (s->heapblock_size == 16 ? 8 : 4), &used, 1);
        *blob = it->at + s->heapblock_size;
        it->at += segments << s->seg_shift;
        if (used) {
            it->visited++;
            return true;
        }
    }
    return false;
}

uint32_t wick_jvm_last_compile_id(const struct wick_jvm *jvm)
{
    const struct wick_hs_layout *l = &jvm->layout;
    struct wick_jvm_blobs it = {.jvm = jvm};
    uint32_t last = 0;
    for (wick_addr blob; wick_jvm_blob_next(&it, &blob);) {
        char name[5] = {0};
        if (wick_mem_read(jvm->mem, wick_hs_u64(jvm->mem, blob + (unsigned)l->cb_name), name, 4) ||
            (memcmp(name, "nmet", 4) && memcmp(name, "nati", 4)))
            continue;
        uint32_t id = wick_hs_u32(jvm->mem, blob + (unsigned)l->nm_compile_id);
        if (id > last && id < UINT32_MAX / 2)
            last = id;
    }
    return last;
}
