/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_use.c - see heap_use.h
 *
 * A space of Serial and of Parallel is filled from its bottom to its top; eden, one of the two survivor spaces, which
 * change places, and the old generation have objects. The other collectors keep a sum: G1's grows when a region is
 * full, those of Shenandoah and ZGC when memory is taken.
 */
#include "hotspot/heap_use.h"

#include "hotspot/value.h"

/* An offset that this JDK does not have makes the sum 0: nothing is at address 0, which reads as "absent". */
static wick_addr at(wick_addr base, int32_t offset)
{
    return base && offset != WICK_HS_NONE ? base + (unsigned)offset : 0;
}

static wick_addr pointer(const struct wick_jvm *jvm, wick_addr base, int32_t offset)
{
    wick_addr place = at(base, offset);
    return place ? wick_hs_u64(jvm->mem, place) : 0;
}

/* Adds a space. False if it cannot be read. */
static bool add_space(const struct wick_jvm *jvm, wick_addr space, int32_t bottom, int32_t top, uint64_t *used)
{
    uint64_t lo = pointer(jvm, space, bottom), hi = pointer(jvm, space, top);
    if (!lo || hi < lo)
        return false;
    *used += hi - lo;
    return true;
}

static uint64_t of_serial(const struct wick_jvm *jvm, wick_addr heap)
{
    const struct wick_hs_layout *l = &jvm->layout;
    int32_t next = l->serial_young == WICK_HS_NONE ? WICK_HS_NONE : l->serial_young + (int32_t)sizeof(wick_addr);
    wick_addr young = pointer(jvm, heap, l->serial_young);
    wick_addr old = pointer(jvm, heap, l->serial_old == WICK_HS_NONE ? next : l->serial_old);
    uint64_t used = 0;
    bool known = add_space(jvm, pointer(jvm, young, l->serial_eden), l->space_bottom, l->space_top, &used) &&
                 add_space(jvm, pointer(jvm, young, l->serial_from), l->space_bottom, l->space_top, &used) &&
                 add_space(jvm, pointer(jvm, old, l->serial_tenured), l->space_bottom, l->space_top, &used);
    return known ? used : 0;
}

static uint64_t of_parallel(const struct wick_jvm *jvm)
{
    const struct wick_hs_layout *l = &jvm->layout;
    wick_addr young = pointer(jvm, l->parallel_young, 0), old = pointer(jvm, l->parallel_old, 0);
    uint64_t used = 0;
    if (wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_NUMA, false))
        return 0; /* eden has a space for each node of memory, and what is free between them counts */
    bool known = add_space(jvm, pointer(jvm, young, l->parallel_eden), l->mutable_bottom, l->mutable_top, &used) &&
                 add_space(jvm, pointer(jvm, young, l->parallel_from), l->mutable_bottom, l->mutable_top, &used) &&
                 add_space(jvm, pointer(jvm, old, l->parallel_tenured), l->mutable_bottom, l->mutable_top, &used);
    return known ? used : 0;
}

static uint64_t of_g1(const struct wick_jvm *jvm, wick_addr heap)
{
    const struct wick_hs_layout *l = &jvm->layout;
    if (l->g1_used != WICK_HS_NONE)
        return pointer(jvm, heap, l->g1_used);
    return pointer(jvm, pointer(jvm, heap, l->g1_allocator), l->g1_allocator_used);
}

static uint64_t of_shenandoah(const struct wick_jvm *jvm, wick_addr heap)
{
    const struct wick_hs_layout *l = &jvm->layout;
    if (l->shenandoah_used != WICK_HS_NONE)
        return pointer(jvm, heap, l->shenandoah_used);
    return pointer(jvm, pointer(jvm, heap, l->shenandoah_all), l->shenandoah_all_used);
}

static uint64_t of_zgc(const struct wick_jvm *jvm, wick_addr heap)
{
    const struct wick_hs_layout *l = &jvm->layout;
    /* JDK 21 to 23 have both, and the flag: set is the one with generations. */
    if (l->old_zgc_used != WICK_HS_NONE && !wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_Z_GENERATIONAL, false))
        return pointer(jvm, at(at(heap, l->old_zgc_heap), l->old_zgc_pages), l->old_zgc_used);
    wick_addr pages = at(at(heap, l->zgc_heap), l->zgc_pages);
    if (l->zgc_used != WICK_HS_NONE)
        return pointer(jvm, pages, l->zgc_used);
    if (!l->zgc_nodes || wick_hs_u32(jvm->mem, l->zgc_nodes) != 1)
        return 0;
    return pointer(jvm, pointer(jvm, at(pages, l->zgc_partitions), l->zgc_partition), l->zgc_partition_used);
}

uint64_t wick_hs_heap_use(const struct wick_jvm *jvm)
{
    wick_addr heap = pointer(jvm, jvm->layout.java_heap, 0);
    if (wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_G1, false))
        return of_g1(jvm, heap);
    if (wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_PARALLEL, false))
        return of_parallel(jvm);
    if (wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_SERIAL, false))
        return of_serial(jvm, heap);
    if (wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_Z, false))
        return of_zgc(jvm, heap);
    return wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_SHENANDOAH, false) ? of_shenandoah(jvm, heap) : 0;
}
