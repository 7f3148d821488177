/* SPDX-License-Identifier: Apache-2.0 */
/*
 * klass.c - object -> Klass -> fields
 *
 *      object:  mark word | Klass*, compressed or not | fields ...     or, with compact headers, the mark word's bits
 *               42 to 63
 *      its fields: see class_fields.c
 */
#include "hotspot/klass.h"

#include <string.h>

#include "hotspot/class_fields.h"
#include "hotspot/value.h"

/* Of a mark word with compact headers (hotspot/share/oops/markWord.hpp, since JDK 24). */
enum { COMPACT_SHIFT = 42 };

enum { STREAM_MOST = 8192, SUPERS_MOST = 16, NAME_MOST = 128, OFFSET_MOST = 4096 };

bool wick_hs_klass_known(const struct wick_jvm *jvm)
{
    const struct wick_hs_layout *l = &jvm->layout;
    return l->object_klass >= 0 && l->klass_base && l->klass_shift && l->klass_super >= 0;
}

bool wick_hs_klass_is_narrow(const struct wick_jvm *jvm)
{
    return wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_COMPRESSED_CLASS_POINTERS, true); /* 27..: there is no other form */
}

bool wick_hs_klass_form(const struct wick_jvm *jvm)
{
    const struct wick_hs_layout *l = &jvm->layout;
    return wick_hs_klass_known(jvm) && wick_hs_klass_is_narrow(jvm) && l->klass_fields >= 0 &&
           wick_hs_class_fields_known(l);
}

wick_addr wick_hs_klass_of(const struct wick_jvm *jvm, wick_addr object)
{
    const struct wick_hs_layout *l = &jvm->layout;
    if (!object || object & 7)
        return 0;
    if (!wick_hs_klass_is_narrow(jvm))
        return wick_hs_u64(jvm->mem, object + (unsigned)l->object_klass);
    uint32_t narrow = wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_COMPACT_OBJECT_HEADERS, false)
                          ? (uint32_t)(wick_hs_u64(jvm->mem, object) >> COMPACT_SHIFT)
                          : wick_hs_u32(jvm->mem, object + (unsigned)l->object_klass);
    uint32_t shift = wick_hs_u32(jvm->mem, l->klass_shift);
    return narrow && shift < 16 ? wick_hs_u64(jvm->mem, l->klass_base) + ((uint64_t)narrow << shift) : 0;
}

bool wick_hs_klass_is(const struct wick_jvm *jvm, wick_addr klass, wick_addr class)
{
    for (int i = 0; klass && class && i < SUPERS_MOST; i++) {
        if (klass == class)
            return true;
        klass = wick_hs_u64(jvm->mem, klass + (unsigned)jvm->layout.klass_super);
    }
    return false;
}

/* Whether the symbol at an index of an array of them, as constant pools have one, is `text`. */
static bool is_symbol(const struct wick_jvm *jvm, wick_addr array, uint32_t index, const char *text)
{
    const struct wick_hs_layout *l = &jvm->layout;
    char bytes[NAME_MOST];
    size_t n = strlen(text);
    wick_addr symbol = wick_hs_u64(jvm->mem, array + 8 * (uint64_t)index) & ~1ull;
    return symbol && n <= sizeof bytes && wick_hs_u16(jvm->mem, symbol + (unsigned)l->symbol_length) == n &&
           !wick_mem_read(jvm->mem, symbol + (unsigned)l->symbol_body, bytes, n) && !memcmp(bytes, text, n);
}

/* The field as the class itself declares it, or as the JVM has added it to the class, whose name is one of the JVM's
 * own symbols then. */
static int32_t own_field(const struct wick_jvm *jvm, wick_addr klass, const char *name, const char *type, bool injected)
{
    const struct wick_hs_layout *l = &jvm->layout;
    uint8_t bytes[STREAM_MOST];
    struct wick_hs_class_fields it;
    struct wick_hs_class_field f;
    wick_addr pool = wick_hs_u64(jvm->mem, klass + (unsigned)l->klass_constants);
    wick_addr names = injected ? l->vm_symbols : pool + (unsigned)l->constantpool_size;
    if (!pool || !names || wick_hs_class_fields_begin(&it, jvm, klass, bytes, sizeof bytes))
        return 0;
    while (wick_hs_class_fields_next(&it, &f))
        if (f.injected == injected && is_symbol(jvm, names, f.name, name) && is_symbol(jvm, names, f.type, type))
            return f.offset < OFFSET_MOST ? (int32_t)f.offset : 0;
    return 0;
}

int32_t wick_hs_klass_field(const struct wick_jvm *jvm, wick_addr klass, const char *name, const char *type)
{
    const struct wick_hs_layout *l = &jvm->layout;
    int32_t offset = 0;
    for (int i = 0; klass && !offset && i < SUPERS_MOST; i++) {
        offset = own_field(jvm, klass, name, type, false);
        klass = wick_hs_u64(jvm->mem, klass + (unsigned)l->klass_super);
    }
    return offset;
}

int32_t wick_hs_klass_injected(const struct wick_jvm *jvm, wick_addr klass, const char *name, const char *type)
{
    return klass && jvm->layout.klass_fields >= 0 && wick_hs_class_fields_known(&jvm->layout)
               ? own_field(jvm, klass, name, type, true)
               : 0;
}

static int32_t layout_helper(const struct wick_jvm *jvm, wick_addr klass)
{
    int32_t at = jvm->layout.klass_layout;
    return at >= 0 && klass ? (int32_t)wick_hs_u32(jvm->mem, klass + (unsigned)at) : 0;
}

/* Bits 16 to 23 of a negative one, which arrays have: bytes of the header with the length. */
int32_t wick_hs_klass_array_data(const struct wick_jvm *jvm, wick_addr klass)
{
    int32_t helper = layout_helper(jvm, klass);
    return helper < 0 ? (int32_t)((uint32_t)helper >> 16 & 0xff) : 0;
}

int32_t wick_hs_klass_instance_bytes(const struct wick_jvm *jvm, wick_addr klass)
{
    int32_t helper = layout_helper(jvm, klass);
    return helper > 0 && helper < OFFSET_MOST ? helper & ~7 : 0; /* bit 0: instances need care when they are made */
}

void wick_hs_klass_name_sig(const struct wick_jvm *jvm, wick_addr klass, char *out, size_t cap)
{
    const struct wick_hs_layout *l = &jvm->layout;
    wick_addr symbol = wick_hs_u64(jvm->mem, klass + (unsigned)l->klass_name);
    size_t n = symbol ? wick_hs_u16(jvm->mem, symbol + (unsigned)l->symbol_length) : 0;
    n = n < cap ? n : cap - 1;
    if (n && wick_mem_read(jvm->mem, symbol + (unsigned)l->symbol_body, out, n))
        n = 0;
    out[n] = 0;
}
