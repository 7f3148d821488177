/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_facts.h - what the stepping code (unwind/step*.h) must know of one JVM, and what it finds in the code cache
 *
 * Threads: read-only once filled by wick_jvm_open.
 * Memory:  flat structs without pointers: can be copied into a BPF map.
 */
#ifndef WICK_HOTSPOT_STEP_FACTS_H
#define WICK_HOTSPOT_STEP_FACTS_H

#include <stdint.h>

enum { WICK_STEP_HEAPS = 4 };

/* One code heap: the part of the code cache that holds one kind of blob (one heap in JDK 8, up to four since 27). */
struct wick_step_heap {
    uint64_t lo, hi; /* reserved range */
    uint64_t segmap; /* one byte per segment: distance to the start of its block, 0 at the start, 0xff = free */
};

/* Constants of one JVM. Offsets are bytes; < 0 = this JDK does not have it. */
struct wick_step_jvm {
    uint64_t cc_lo, cc_hi; /* all code heaps */
    struct wick_step_heap heap[WICK_STEP_HEAPS];
    uint64_t call_stub_return; /* return address of Java code called by C++ */
    uint64_t cont_barrier;     /* StubRoutines::_cont_returnBarrier, 0 = not known */
    uint64_t cont_return_pc;   /* return address into enterSpecial, 0 = not known */
    uint32_t heap_count, seg_shift, heapblock_size;
    uint32_t blob_bytes, nmethod_bytes; /* sizes of a CodeBlob's and an nmethod's head */
    uint32_t major;                     /* JDK feature version */
    int32_t cb_name, cb_frame_size, cb_frame_complete, cb_frame_complete_is_short;
    int32_t cb_code, cb_code_end; /* pointers if code_is_pointer, else offsets from the blob */
    int32_t code_is_pointer;
    int32_t nm_compile_id, nm_comp_level, nm_orig_pc;
    int32_t nm_deopt, nm_deopt_mh; /* pointers if code_is_pointer, else offsets */
    int32_t method_const, constmethod_size, cm_code_size, cm_constants, cp_holder;
    int32_t interp_bcp_slot; /* words below fp */
    int32_t thread_anchor, anchor_sp, anchor_pc, anchor_fp, thread_state, thread_saved_pc, thread_cont_entry;
    int32_t entry_wrapper_slot; /* words from fp */
    int32_t wrapper_anchor;
    int32_t cont_entry_size;
    /* frozen frames of virtual threads; cont_tail <= 0: not known */
    int32_t cont_tail, chunk_parent, chunk_size, chunk_sp, chunk_bottom, chunk_stack;
    int32_t chunk_flags;             /* a byte; 0: not known */
    int32_t chunk_bottom_is_argsize; /* chunk_bottom holds the size of the arguments instead */
    uint32_t oop_kind, oop_shift;    /* enum wick_oop_kind */
    uint64_t oop_base;
};

/* How a field of an object keeps a reference. */
enum wick_oop_kind {
    WICK_OOP_PLAIN,
    WICK_OOP_NARROW,   /* 32 bits: base + (value << shift) */
    WICK_OOP_COLOURED, /* generational ZGC */
};

/* HotSpot's kinds of code, by the name of the blob. */
enum wick_blob_kind {
    WICK_BLOB_STUB, /* StubRoutines, runtime stubs, adapters ... */
    WICK_BLOB_NMETHOD,
    WICK_BLOB_NATIVE, /* "native nmethod": the wrapper of a JNI method */
    WICK_BLOB_INTERPRETER,
    WICK_BLOB_VTABLE,
    WICK_BLOB_DEOPT,
    WICK_BLOB_SAFEPOINT,
    WICK_BLOB_ADAPTER,
    WICK_BLOB_CONTINUATION, /* the stubs that put frames of virtual threads back on the stack */
};

struct wick_step_blob {
    uint64_t addr, code, code_end;
    uint64_t deopt, deopt_mh; /* handlers inside an nmethod, 0 = none */
    int32_t frame_bytes;      /* whole frame including return address; 0 = not described */
    int32_t frame_complete;   /* offset from code where the frame stands; < 0 = never */
    int32_t orig_pc_slot;     /* byte offset from sp of the pc that deoptimisation replaced; < 0 = none */
    uint32_t compile_id;
    uint8_t kind;
    uint8_t comp_level;
};

#endif
