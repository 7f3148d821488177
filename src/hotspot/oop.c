/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oop.c - the three forms of a reference
 *
 *   plain      the address, 8 bytes
 *   narrow     32 bits: base + (value << shift), and 0 is null; base and shift are read from the JVM once. Where the
 *              place of the base is not known, the form is not, either
 *   coloured   generational ZGC, 8 bytes: the address begins above one of bits 12 to 15, the one that loads expect, so
 *              which bit is set is how far to shift. None or several of them set is no reference that a load would
 *              return: null
 *
 * Which form it is follows from flags of the JVM, once. Fields have the narrow form; the words behind handles of JNI
 * always have 64 bits, and those behind local handles are plain even with ZGC, since a thread's own references are not
 * coloured. A load is one or two reads of memory, and never waits for the collector.
 *
 * Two collectors move objects while the program runs, and update references to them later. What a reference leads to
 * until then:
 *
 *   ZGC          anything: the memory of objects that were moved is given to others at once. All references got the
 *                colour of their time; invalid bits are in a variable that the JVM exports, and change only
 *                in a pause. A reference without such bits leads to the object as it is.
 *   Shenandoah   the object or its old copy, which stays until all references are updated. Its mark word is the
 *                address of the new one with both lowest bits set.
 */
#include "hotspot/oop.h"

#include "hotspot/value.h"

bool wick_hs_oop_form(struct wick_jvm *jvm)
{
    const struct wick_hs_layout *l = &jvm->layout;
    struct wick_step_jvm *s = &jvm->step;
    s->oop_kind = WICK_OOP_PLAIN;
    if (wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_COMPRESSED_OOPS, false)) {
        s->oop_kind = WICK_OOP_NARROW;
        s->oop_base = l->oop_base ? wick_hs_u64(jvm->mem, l->oop_base) : 0;
        s->oop_shift = l->oop_shift ? wick_hs_u32(jvm->mem, l->oop_shift) : 0;
        return l->oop_base && s->oop_shift < 8;
    }
    /* 21 and 22 also have the older ZGC, whose references can be used as they are; 24 and later only this one */
    if (wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_Z, false) && jvm->major >= 21 &&
        wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_Z_GENERATIONAL, true))
        s->oop_kind = WICK_OOP_COLOURED;
    return true;
}

bool wick_hs_moves_find(const struct wick_jvm *jvm, struct wick_hs_moves *out)
{
    const struct wick_hs_layout *l = &jvm->layout;
    *out = (struct wick_hs_moves){.how = WICK_HS_MOVES_NONE};
    if (wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_SHENANDOAH, false))
        out->how = WICK_HS_MOVES_FORWARDS;
    if (!wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_Z, false))
        return true;
    bool old = jvm->major >= 21 && jvm->step.oop_kind != WICK_OOP_COLOURED;
    wick_addr variables = old ? l->old_zgc : l->zgc;
    int32_t at = old ? l->old_zgc_bad : l->zgc_bad;
    out->how = WICK_HS_MOVES_COLOURS;
    if (!variables || at == WICK_HS_NONE || !(variables = wick_hs_u64(jvm->mem, variables)))
        return false;
    out->bad_mask = wick_hs_u64(jvm->mem, variables + (unsigned)at);
    return out->bad_mask && wick_hs_u64(jvm->mem, out->bad_mask);
}

/* ZGC: one of bits 12 to 15 is the colour that loads expect, and the address begins above it. */
static wick_addr uncoloured(uint64_t v)
{
    uint64_t colour = (v >> 12) & 0xf;
    return colour == 1 ? v >> 13 : colour == 2 ? v >> 14 : colour == 4 ? v >> 15 : colour == 8 ? v >> 16 : 0;
}

wick_addr wick_hs_oop_resolve_local(const struct wick_jvm *jvm, wick_addr handle)
{
    return handle ? wick_hs_u64(jvm->mem, handle) : 0;
}

wick_addr wick_hs_oop_resolve(const struct wick_jvm *jvm, wick_addr handle)
{
    uint64_t v = wick_hs_oop_resolve_local(jvm, handle);
    return jvm->step.oop_kind == WICK_OOP_COLOURED ? uncoloured(v) : v;
}

static wick_addr widened(const struct wick_jvm *jvm, uint32_t narrow)
{
    return narrow ? jvm->step.oop_base + ((uint64_t)narrow << jvm->step.oop_shift) : 0;
}

wick_addr wick_hs_oop_load(const struct wick_jvm *jvm, wick_addr field)
{
    return jvm->step.oop_kind == WICK_OOP_NARROW ? widened(jvm, wick_hs_u32(jvm->mem, field))
                                                 : wick_hs_oop_resolve(jvm, field);
}

wick_addr wick_hs_oop_at(const struct wick_jvm *jvm, const void *object, int32_t offset)
{
    if (jvm->step.oop_kind == WICK_OOP_NARROW)
        return widened(jvm, wick_hs_at32(object, offset));
    uint64_t v = wick_hs_at64(object, offset);
    return jvm->step.oop_kind == WICK_OOP_COLOURED ? uncoloured(v) : v;
}

wick_addr wick_hs_oop_newest(const struct wick_jvm *jvm, const struct wick_hs_moves *m, wick_addr object)
{
    enum { FORWARDED = 3 };
    if (m->how != WICK_HS_MOVES_FORWARDS || !object)
        return object;
    uint64_t mark = wick_hs_u64(jvm->mem, object);
    return (mark & FORWARDED) == FORWARDED ? mark & ~(uint64_t)FORWARDED : object;
}

wick_addr wick_hs_oop_load_newest(const struct wick_jvm *jvm, const struct wick_hs_moves *m, wick_addr field)
{
    if (m->how != WICK_HS_MOVES_COLOURS)
        return wick_hs_oop_newest(jvm, m, wick_hs_oop_load(jvm, field));
    uint64_t v = wick_hs_u64(jvm->mem, field), bad = wick_hs_u64(jvm->mem, m->bad_mask);
    if (!bad || (v & bad))
        return 0;
    return jvm->step.oop_kind == WICK_OOP_COLOURED ? uncoloured(v) : v;
}

wick_addr wick_hs_oop_behind(const struct wick_jvm *jvm, const struct wick_hs_moves *m, wick_addr reference)
{
    enum { KIND = 3 };
    wick_addr handle = reference & ~(wick_addr)KIND;
    return m->how == WICK_HS_MOVES_COLOURS ? wick_hs_oop_load_newest(jvm, m, handle)
                                           : wick_hs_oop_newest(jvm, m, wick_hs_oop_resolve(jvm, handle));
}
