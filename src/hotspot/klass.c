/* SPDX-License-Identifier: Apache-2.0 */
/*
 * klass.c - object -> Klass -> fields
 *
 *      object:  mark word | compressed Klass* | fields ...     or, with compact headers, the mark word's bits 42 to 63
 *      InstanceKlass._fieldinfo_stream -> Array<u1> { length, bytes }: UNSIGNED5 numbers
 *          fields of the class, fields that the JVM has added, then for each
 *          name, type (indices of the constant pool), offset, access flags, flags,
 *          and with some flags one number more each
 *
 * (hotspot/share/oops/fieldInfo.hpp, since JDK 21)
 */
#include "hotspot/klass.h"

#include <string.h>

#include "hotspot/unsigned5.h"
#include "hotspot/value.h"

/* Of a mark word with compact headers (hotspot/share/oops/markWord.hpp, since JDK 24). */
enum { COMPACT_SHIFT = 42 };

enum { STREAM_MOST = 8192, SUPERS_MOST = 16, NAME_MOST = 128, OFFSET_MOST = 4096, EXCLUDED = 1 };

/* Number of a bit in a field's flags. */
static bool is_bit(int32_t n)
{
    return n >= 0 && n < 32;
}

/* Whether the fields that a class declares can be read. */
static bool has_fields(const struct wick_hs_layout *l)
{
    return l->klass_fields >= 0 && l->klass_constants >= 0 && l->bytes_length >= 0 && l->bytes_data >= 0 &&
           is_bit(l->field_initialized) && is_bit(l->field_injected) && is_bit(l->field_generic) &&
           is_bit(l->field_contended);
}

bool wick_hs_klass_form(const struct wick_jvm *jvm)
{
    const struct wick_hs_layout *l = &jvm->layout;
    bool known = l->object_klass >= 0 && l->klass_base && l->klass_shift && l->klass_super >= 0 && has_fields(l);
    return known && wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_COMPRESSED_CLASS_POINTERS, jvm->major >= 27);
}

wick_addr wick_hs_klass_of(const struct wick_jvm *jvm, wick_addr object)
{
    const struct wick_hs_layout *l = &jvm->layout;
    if (!object || object & 7)
        return 0;
    uint32_t narrow = wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_COMPACT_OBJECT_HEADERS, false)
                          ? (uint32_t)(wick_hs_u64(jvm->mem, object) >> COMPACT_SHIFT)
                          : wick_hs_u32(jvm->mem, object + (unsigned)l->object_klass);
    uint32_t shift = wick_hs_u32(jvm->mem, l->klass_shift);
    return narrow && shift < 16 ? wick_hs_u64(jvm->mem, l->klass_base) + ((uint64_t)narrow << shift) : 0;
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

struct field {
    uint32_t name, type, offset, flags;
};

static bool has(const struct field *f, int32_t bit)
{
    return f->flags >> bit & 1;
}

/* The next field of a stream; false at its end. */
static bool next_field(const struct wick_hs_layout *l, const uint8_t **p, const uint8_t *end, struct field *f)
{
    f->name = wick_unsigned5(p, end, EXCLUDED);
    f->type = wick_unsigned5(p, end, EXCLUDED);
    f->offset = wick_unsigned5(p, end, EXCLUDED);
    wick_unsigned5(p, end, EXCLUDED); /* access flags */
    f->flags = wick_unsigned5(p, end, EXCLUDED);
    int more = has(f, l->field_initialized) + has(f, l->field_generic) + has(f, l->field_contended);
    for (; more > 0; more--)
        wick_unsigned5(p, end, EXCLUDED);
    return *p;
}

/* The field as the class itself declares it, or as the JVM has added it to the class, whose name is one of the JVM's
 * own symbols then. */
static int32_t own_field(const struct wick_jvm *jvm, wick_addr klass, const char *name, const char *type, bool injected)
{
    const struct wick_hs_layout *l = &jvm->layout;
    uint8_t bytes[STREAM_MOST];
    struct field f;
    wick_addr pool = wick_hs_u64(jvm->mem, klass + (unsigned)l->klass_constants);
    wick_addr stream = wick_hs_u64(jvm->mem, klass + (unsigned)l->klass_fields);
    uint32_t n = stream ? wick_hs_u32(jvm->mem, stream + (unsigned)l->bytes_length) : 0;
    if (!pool || !n || n > sizeof bytes || wick_mem_read(jvm->mem, stream + (unsigned)l->bytes_data, bytes, n))
        return 0;
    const uint8_t *p = bytes, *end = bytes + n;
    uint32_t count = wick_unsigned5(&p, end, EXCLUDED);
    uint32_t added = wick_unsigned5(&p, end, EXCLUDED);
    wick_addr names = injected ? l->vm_symbols : pool + (unsigned)l->constantpool_size;
    count += injected ? added : 0;
    for (; names && p && count && next_field(l, &p, end, &f); count--)
        if (has(&f, l->field_injected) == injected && is_symbol(jvm, names, f.name, name) &&
            is_symbol(jvm, names, f.type, type))
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
    return klass && has_fields(&jvm->layout) ? own_field(jvm, klass, name, type, true) : 0;
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
