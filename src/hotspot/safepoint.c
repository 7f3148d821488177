/* SPDX-License-Identifier: Apache-2.0 */
/*
 * safepoint.c - see safepoint.h
 *
 * The VM thread begins a safepoint (counted, and timed), sets _state to 1 and asks every thread to stop; it sets 2 when
 * the last has arrived, runs the operation, and sets 0. A thread in native code or blocked counts as arrived: it cannot
 * come back before the end (hotspot/share/runtime/safepoint.cpp).
 *
 * _safepoint_counter is an int up to JDK 13 and 64 bits wide later: its low half is read, which is enough to
 * distinguish a safepoint from the next.
 */
#include "hotspot/safepoint.h"

#include <string.h>

#include "hotspot/value.h"

enum { SYNCHRONIZING = 1, SYNCHRONIZED = 2, OPERATIONS_MAX = 512 };

static wick_addr find(const struct wick_elf_file *f, wick_addr bias, const char *name)
{
    uint64_t vaddr;
    return f && !wick_elf_find_symtab(f, name, &vaddr, NULL) ? vaddr + bias : 0;
}

wick_addr wick_hs_operation_find(const struct wick_elf_file *libjvm, wick_addr bias)
{
    return find(libjvm, bias, "_ZN8VMThread17_cur_vm_operationE");
}

wick_addr wick_hs_operation_class(const struct wick_jvm *jvm, wick_addr place)
{
    wick_addr op = place ? wick_hs_u64(jvm->mem, place) : 0;
    return op ? wick_hs_u64(jvm->mem, op) : 0;
}

static void find_symbols(struct wick_hs_safepoint *sp, const struct wick_elf_file *f, wick_addr bias)
{
    sp->state = find(f, bias, "_ZN20SafepointSynchronize6_stateE");
    if (!sp->state)
        return;
    sp->counter = find(f, bias, "_ZN20SafepointSynchronize18_safepoint_counterE");
    sp->begin_ns = find(f, bias, "_ZN16SafepointTracing29_last_safepoint_begin_time_nsE");
    sp->tick_origin = find(f, bias, "_ZL18initial_time_count");
    sp->operation = wick_hs_operation_find(f, bias);
    if (sp->begin_ns) {
        sp->sync_ns = find(f, bias, "_ZN16SafepointTracing28_last_safepoint_sync_time_nsE");
        sp->end_ns = find(f, bias, "_ZN16SafepointTracing27_last_safepoint_end_time_nsE");
        sp->op_type = find(f, bias, "_ZN16SafepointTracing13_current_typeE");
        sp->op_names = find(f, bias, "_ZN12VM_Operation6_namesE");
    } else {
        sp->begin_ticks = find(f, bias, "_ZN14RuntimeService16_safepoint_timerE");
    }
}

int wick_hs_safepoint_open(struct wick_hs_safepoint *sp, const struct wick_jvm *jvm, const struct wick_elf_file *libjvm,
                           wick_addr bias)
{
    *sp = (struct wick_hs_safepoint){.jvm = jvm,
                                     .count = wick_jvm_perf_counter(jvm, "sun.rt.safepoints"),
                                     .sync_total = wick_jvm_perf_counter(jvm, "sun.rt.safepointSyncTime"),
                                     .time_total = wick_jvm_perf_counter(jvm, "sun.rt.safepointTime")};
    find_symbols(sp, libjvm, bias);
    if (sp->state && sp->counter)
        sp->source = WICK_HS_SAFEPOINT_SYMBOLS;
    else if (sp->count && sp->sync_total)
        sp->source = WICK_HS_SAFEPOINT_COUNTERS;
    else
        return -WICK_E_UNSUPPORTED;
    if (sp->source == WICK_HS_SAFEPOINT_COUNTERS) {
        sp->last_count = wick_hs_u64(jvm->mem, sp->count);
        sp->last_sync = wick_hs_u64(jvm->mem, sp->sync_total);
    }
    return 0;
}

uint64_t wick_hs_safepoint_begin_ns(const struct wick_hs_safepoint *sp)
{
    const struct wick_mem *m = sp->jvm->mem;
    if (sp->begin_ns)
        return wick_hs_u64(m, sp->begin_ns);
    if (sp->begin_ticks && sp->tick_origin)
        return wick_hs_u64(m, sp->tick_origin) + wick_hs_u64(m, sp->begin_ticks);
    return 0;
}

static void look_at_symbols(const struct wick_hs_safepoint *sp, struct wick_hs_safepoint_view *out)
{
    const struct wick_mem *m = sp->jvm->mem;
    uint32_t state = wick_hs_u32(m, sp->state);
    *out = (struct wick_hs_safepoint_view){.certain = true};
    if (state != SYNCHRONIZING && state != SYNCHRONIZED)
        return;
    out->id = wick_hs_u32(m, sp->counter);
    out->synchronising = state == SYNCHRONIZING;
    out->stopped = state == SYNCHRONIZED;
    out->begin_ns = wick_hs_safepoint_begin_ns(sp);
}

/* Begins and arrivals alternate, so the changes of both counters between two polls show where the JVM stands:
 *
 *      begins since   arrivals since   now
 *      0              yes              running, or at the safepoint
 *      1              none             threads are awaited
 *      1              yes              arrived, if nothing was awaited at the last poll
 *      more           yes              not known
 *
 * The second counter is a sum of times: that it grew says that there was an arrival, not how many. */
static void look_at_counters(struct wick_hs_safepoint *sp, struct wick_hs_safepoint_view *out)
{
    const struct wick_mem *m = sp->jvm->mem;
    uint64_t count = wick_hs_u64(m, sp->count), sync = wick_hs_u64(m, sp->sync_total);
    for (int i = 0; i < 8 && wick_hs_u64(m, sp->count) != count; i++) {
        count = wick_hs_u64(m, sp->count);
        sync = wick_hs_u64(m, sp->sync_total);
    }
    uint64_t begins = count - sp->last_count;
    bool arrived = sync != sp->last_sync;
    if (!begins && arrived)
        sp->waiting = sp->unsure = false;
    else if (begins && !arrived)
        sp->waiting = true, sp->unsure = false;
    else if (begins == 1)
        sp->unsure = sp->waiting = sp->waiting || sp->unsure;
    else if (begins)
        sp->unsure = sp->waiting = true;
    sp->last_count = count;
    sp->last_sync = sync;
    *out = (struct wick_hs_safepoint_view){.id = count, .synchronising = sp->waiting, .certain = !sp->unsure};
}

void wick_hs_safepoint_look(struct wick_hs_safepoint *sp, struct wick_hs_safepoint_view *out)
{
    if (sp->source == WICK_HS_SAFEPOINT_SYMBOLS)
        look_at_symbols(sp, out);
    else
        look_at_counters(sp, out);
}

bool wick_hs_safepoint_holds_sig(const struct wick_hs_safepoint *sp, uint64_t id)
{
    const struct wick_mem *m = sp->jvm->mem;
    if (sp->source != WICK_HS_SAFEPOINT_SYMBOLS)
        return false;
    uint32_t state = wick_hs_u32(m, sp->state);
    return (state == SYNCHRONIZING || state == SYNCHRONIZED) && wick_hs_u32(m, sp->counter) == id;
}

uint64_t wick_hs_safepoint_sync_ns(const struct wick_hs_safepoint *sp)
{
    return sp->sync_ns ? wick_hs_u64(sp->jvm->mem, sp->sync_ns) : 0;
}

uint64_t wick_hs_safepoint_end_ns(const struct wick_hs_safepoint *sp)
{
    return sp->end_ns ? wick_hs_u64(sp->jvm->mem, sp->end_ns) : 0;
}

uint64_t wick_hs_safepoint_sync_total(const struct wick_hs_safepoint *sp)
{
    return sp->sync_total ? wick_hs_u64(sp->jvm->mem, sp->sync_total) : 0;
}

uint64_t wick_hs_safepoint_count(const struct wick_hs_safepoint *sp)
{
    return sp->count ? wick_hs_u64(sp->jvm->mem, sp->count) : 0;
}

uint64_t wick_hs_safepoint_vm_start_ns(const struct wick_hs_safepoint *sp)
{
    return sp->tick_origin ? wick_hs_u64(sp->jvm->mem, sp->tick_origin) : 0;
}

void wick_hs_safepoint_operation(const struct wick_hs_safepoint *sp, char *name, size_t cap)
{
    const struct wick_mem *m = sp->jvm->mem;
    uint32_t type = sp->op_type ? wick_hs_u32(m, sp->op_type) : OPERATIONS_MAX;
    wick_addr text = sp->op_names && type < OPERATIONS_MAX ? wick_hs_u64(m, sp->op_names + 8 * (uint64_t)type) : 0;
    if (!text || wick_mem_read_str(m, text, name, cap) < 0)
        name[0] = 0;
}

wick_addr wick_hs_safepoint_operation_class(const struct wick_hs_safepoint *sp)
{
    return wick_hs_operation_class(sp->jvm, sp->operation);
}
