/* SPDX-License-Identifier: Apache-2.0 */
/*
 * critical.c - see critical.h
 */
#include "hotspot/critical.h"

#include "hotspot/value.h"

enum { AT_A_TIME = 1024, HELD_MAX = 1 << 20 };

void wick_hs_critical_open(struct wick_hs_critical *c, const struct wick_jvm *jvm, const struct wick_elf_file *libjvm,
                           wick_addr bias, int32_t held)
{
    static const char *const names[] = {"_ZN8GCLocker9_needs_gcE", "_ZN8GCLocker22_is_gc_request_pendingE",
                                        "_ZN9GC_locker9_needs_gcE"};
    uint64_t vaddr;
    *c = (struct wick_hs_critical){.jvm = jvm, .held = held};
    for (size_t i = 0; libjvm && held != WICK_HS_NONE && !c->pending && i < sizeof names / sizeof *names; i++)
        if (!wick_elf_find_symtab(libjvm, names[i], &vaddr, NULL))
            c->pending = vaddr + bias;
}

bool wick_hs_critical_pending(const struct wick_hs_critical *c)
{
    uint8_t flag = 0;
    return c->pending && !wick_mem_read(c->jvm->mem, c->pending, &flag, 1) && flag != 0;
}

bool wick_hs_critical_holds(const struct wick_hs_critical *c, wick_addr thread)
{
    uint32_t n = wick_hs_u32(c->jvm->mem, thread + (unsigned)c->held);
    return n > 0 && n < HELD_MAX;
}

int wick_hs_critical_threads(const struct wick_hs_critical *c, struct wick_hs_thread *out, int cap, uint32_t *all)
{
    struct wick_hs_thread threads[AT_A_TIME];
    int have = wick_hs_threads(c->jvm, threads, AT_A_TIME), n = 0;
    if (have < 0)
        return have;
    for (int i = 0; i < have && n < cap; i++)
        if (wick_hs_critical_holds(c, threads[i].addr))
            out[n++] = threads[i];
    *all = (uint32_t)have;
    return n;
}
