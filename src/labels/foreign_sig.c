/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign_sig.c - the interrupted thread's published context
 *
 * glibc on x86-64: at the thread pointer begins the thread's control block,
 *
 *      0   itself
 *      8   its vector; the entry of module m is 16 bytes at vector + 16 m: the block's address, or all ones as long as
 *          the thread has none; 16 bytes in front of the vector is the last m
 *
 * A record belongs to the thread that stands still here; while it changes the record, valid is 0.
 */
#include "labels/foreign.h"

#include "base/registers.h"

enum { VECTOR = 8, ENTRY = 16, VALID = 24, RECORD_HEAD = 25 };

#define NO_BLOCK UINT64_MAX

static bool word(const struct wick_mem *mem, wick_addr at, uint64_t *out)
{
    return !wick_mem_read(mem, at, out, sizeof *out);
}

static wick_addr block_of(const struct wick_mem *mem, wick_addr thread, uint64_t module)
{
    uint64_t vector, last, block;
    if (!word(mem, thread + VECTOR, &vector) || !word(mem, vector - ENTRY, &last) || module > last ||
        !word(mem, vector + module * ENTRY, &block) || block == NO_BLOCK)
        return 0;
    return block;
}

wick_addr wick_label_foreign_slot_sig(const struct wick_label_foreign *f, const struct wick_mem *mem)
{
    uint32_t way = wick_load_acquire(&f->way); /* pairs: publish in foreign.c */
    wick_addr base = way == WICK_FOREIGN_NONE ? 0 : wick_registers_thread_pointer();
    if (base && way == WICK_FOREIGN_DYNAMIC)
        base = block_of(mem, base, f->module);
    return base ? base + f->offset : 0;
}

static uint64_t big_endian(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v = v << 8 | p[i];
    return v;
}

bool wick_label_foreign_read_sig(const struct wick_label_foreign *f, const struct wick_mem *mem,
                                 struct wick_context *out)
{
    uint64_t record;
    uint8_t head[RECORD_HEAD];
    wick_addr slot = wick_label_foreign_slot_sig(f, mem);
    if (!slot || !word(mem, slot, &record) || !record || wick_mem_read(mem, record, head, sizeof head) ||
        head[VALID] != 1)
        return false;
    *out = (struct wick_context){
        .trace_hi = big_endian(head), .trace_lo = big_endian(head + 8), .span = big_endian(head + 16)};
    return out->trace_hi || out->trace_lo || out->span;
}
