/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_blob.h - from a pc to the CodeBlob that contains it
 *
 * A code heap is a row of blocks; a block is a HeapBlock header followed by a CodeBlob. The segment map has one byte
 * per segment (64 or 128 bytes of code): how many segments to go back towards the start of the block, capped at 0xfe,
 * so that a few hops reach it. 0xff marks free space.
 *
 *      segmap:   0   1   2   3 |  0   1 | ff  ff |  0 ...
 *      code:    [HeapBlock|CodeBlob.....][......] (free)
 *
 * (hotspot/share/memory/heap.cpp: CodeHeap::find_block_for)
 *
 * Threads: as step_walk.h, which includes this.
 * Memory:  as step_walk.h.
 */
#ifndef WICK_UNWIND_STEP_BLOB_H
#define WICK_UNWIND_STEP_BLOB_H

enum { STEP_SEGMAP_HOPS = 64, STEP_BLOB_BYTES = WICK_STEP_BYTES, STEP_FRAME_MAX = 1 << 20 };

STEP_INLINE int step_in_code_cache(const struct wick_step_jvm *j, uint64_t addr)
{
    return addr >= j->cc_lo && addr < j->cc_hi;
}

/* Address of the blob whose block contains pc, 0 if there is none. */
STEP_INLINE uint64_t step_blob_address(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t pc)
{
    uint64_t lo = 0, map = 0;
    for (uint32_t i = 0; i < WICK_STEP_HEAPS; i++) {
        if (i < j->heap_count && pc >= j->heap[i].lo && pc < j->heap[i].hi) {
            lo = j->heap[i].lo;
            map = j->heap[i].segmap;
        }
    }
    if (!lo)
        return 0;
    uint64_t seg = (pc - lo) >> j->seg_shift;
    for (uint32_t i = 0; i < STEP_SEGMAP_HOPS; i++) {
        uint8_t hop = 0xff;
        if (step_read(env, map + seg, &hop, 1) || hop == 0xff || hop > seg)
            return 0;
        if (hop == 0)
            return lo + (seg << j->seg_shift) + j->heapblock_size;
        seg -= hop;
    }
    return 0;
}

/* Values out of the copied head of a blob; an offset outside of it reads as 0. */
STEP_INLINE uint64_t step_at(const uint8_t *b, int32_t off, uint32_t size)
{
    uint64_t v = 0;
    if (off < 0 || off > STEP_BLOB_BYTES - 8)
        return 0;
    __builtin_memcpy(&v, b + off, 8);
    return size == 8 ? v : size == 4 ? (uint32_t)v : size == 2 ? (uint16_t)v : (uint8_t)v;
}

/* The blob's kind by the first bytes of its name (hotspot/share/code/codeBlob.cpp, nmethod.cpp). */
STEP_INLINE uint8_t step_blob_kind(uint32_t name)
{
    switch (name) {
    case 0x74656d6e: /* "nmet"hod */
        return WICK_BLOB_NMETHOD;
    case 0x6974616e: /* "nati"ve nmethod */
        return WICK_BLOB_NATIVE;
    case 0x65746e49: /* "Inte"rpreter */
        return WICK_BLOB_INTERPRETER;
    case 0x62617476: /* "vtab"le chunks */
        return WICK_BLOB_VTABLE;
    case 0x706f6544: /* "Deop"timizationBlob */
        return WICK_BLOB_DEOPT;
    case 0x65666153: /* "Safe"pointBlob */
        return WICK_BLOB_SAFEPOINT;
    case 0x2f433249: /* "I2C/"C2I adapters */
        return WICK_BLOB_ADAPTER;
    default:
        return WICK_BLOB_STUB;
    }
}

/* Reads the blob that contains pc. WICK_STOP_NONE, or the reason why there is none. */
STEP_INLINE int step_blob_load(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t pc,
                               struct wick_step_blob *out)
{
    uint8_t *b = step_scratch(env)->bytes;
    uint32_t name = 0;
    out->addr = step_blob_address(env, j, pc);
    if (!out->addr)
        return WICK_STOP_NO_BLOB;
    uint32_t head = j->blob_bytes <= STEP_BLOB_BYTES ? j->blob_bytes : STEP_BLOB_BYTES;
    __builtin_memset(b, 0, STEP_BLOB_BYTES);
    if (step_read(env, out->addr, b, head) || step_read(env, step_at(b, j->cb_name, 8), &name, 4))
        return WICK_STOP_BLOB_UNREADABLE;
    out->kind = step_blob_kind(name);
    /* "StubRoutines (continuation stubs)"; JDK 25 leaves out the last blank */
    if (out->kind == WICK_BLOB_STUB && !step_read(env, step_at(b, j->cb_name, 8) + 14, &name, 4) && name == 0x746e6f63)
        out->kind = WICK_BLOB_CONTINUATION;
    int32_t words = (int32_t)step_at(b, j->cb_frame_size, 4);
    /* -1: some C1 runtime stubs do not describe their frame */
    out->frame_bytes = words > 0 && words < STEP_FRAME_MAX / 8 ? words * 8 : 0;
    out->frame_complete = j->cb_frame_complete_is_short ? (int16_t)step_at(b, j->cb_frame_complete, 2)
                                                        : (int32_t)step_at(b, j->cb_frame_complete, 4);
    if (j->code_is_pointer) {
        out->code = step_at(b, j->cb_code, 8);
        out->code_end = step_at(b, j->cb_code_end, 8);
    } else {
        out->code = out->addr + step_at(b, j->cb_code, 4);
        out->code_end = out->addr + step_at(b, j->cb_code_end, 4);
    }
    out->deopt = out->deopt_mh = 0;
    out->orig_pc_slot = -1;
    out->compile_id = 0;
    out->comp_level = 0;
    if (out->kind != WICK_BLOB_NMETHOD && out->kind != WICK_BLOB_NATIVE)
        return WICK_STOP_NONE;
    if (j->nmethod_bytes > STEP_BLOB_BYTES || step_read(env, out->addr, b, j->nmethod_bytes))
        return WICK_STOP_BLOB_UNREADABLE;
    out->compile_id = (uint32_t)step_at(b, j->nm_compile_id, 4);
    out->comp_level = (uint8_t)step_at(b, j->nm_comp_level, 1);
    if (out->kind == WICK_BLOB_NMETHOD) {
        out->orig_pc_slot = (int32_t)step_at(b, j->nm_orig_pc, 4);
        if (j->code_is_pointer) {
            out->deopt = step_at(b, j->nm_deopt, 8);
            out->deopt_mh = step_at(b, j->nm_deopt_mh, 8);
        } else {
            out->deopt = out->addr + step_at(b, j->nm_deopt, 4);
            out->deopt_mh = j->nm_deopt_mh < 0 ? 0 : out->addr + step_at(b, j->nm_deopt_mh, 4);
        }
    }
    return WICK_STOP_NONE;
}

STEP_FN int step_blob_read(struct wick_step_env *env, const struct wick_step_jvm *j, uint64_t pc,
                           struct wick_step_blob *out)
{
    if (STEP_NULL(env) || STEP_NULL(j) || STEP_NULL(out))
        return WICK_STOP_NO_BLOB;
    return step_blob_load(env, j, pc, out);
}

#endif
