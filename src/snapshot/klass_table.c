/* SPDX-License-Identifier: Apache-2.0 */
/*
 * klass_table.c - Klass -> kind, size, fields
 *
 * Klass._layout_helper says what a class's objects are (hotspot/share/oops/klass.hpp): positive, the bytes of an
 * instance (bit 0: made with care); negative, an array: bits 30 and 31 its kind, 16 to 23 the bytes before the first
 * element, 8 to 15 the JVM's type of the elements.
 *
 * Klass._java_mirror is the mirror up to JDK 9 and a handle of it since. Which it is shows in the mirror, which has the
 * Klass in a field of its own, so nothing is believed that does not refer back.
 */
#include "snapshot/klass_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "hotspot/class_fields.h"
#include "hotspot/value.h"

enum { LIST_MOST = 256 << 10, NAME_MOST = 64, SUPERS_MOST = 64 };

unsigned wick_klass_table_bytes(uint8_t type)
{
    static const uint8_t bytes[] = {[2] = 8, [4] = 1, [5] = 2, [6] = 4, [7] = 8, [8] = 1, [9] = 2, [10] = 4, [11] = 8};
    return type < sizeof bytes ? bytes[type] : 0;
}

bool wick_klass_table_known(const struct wick_jvm *jvm)
{
    const struct wick_hs_layout *l = &jvm->layout;
    return wick_hs_class_fields_known(l) && l->klass_layout >= 0 && l->klass_super >= 0 && l->klass_name >= 0 &&
           l->klass_mirror >= 0 && l->mirror_klass && l->symbol_length >= 0 && l->symbol_body >= 0;
}

static wick_addr klass_of_mirror(const struct wick_jvm *jvm, wick_addr mirror)
{
    uint32_t at = wick_hs_u32(jvm->mem, jvm->layout.mirror_klass);
    return mirror && at ? wick_hs_u64(jvm->mem, mirror + at) : 0;
}

static wick_addr mirror_of(const struct wick_jvm *jvm, wick_addr klass)
{
    wick_addr mirror = wick_hs_u64(jvm->mem, klass + (unsigned)jvm->layout.klass_mirror);
    if (mirror && klass_of_mirror(jvm, mirror) == klass)
        return mirror;
    mirror = mirror ? wick_hs_u64(jvm->mem, mirror) : 0;
    return mirror && klass_of_mirror(jvm, mirror) == klass ? mirror : 0;
}

static bool is_text(const struct wick_jvm *jvm, wick_addr symbol, const char *text)
{
    char bytes[NAME_MOST];
    size_t n = strlen(text);
    return symbol && wick_hs_u16(jvm->mem, symbol + (unsigned)jvm->layout.symbol_length) == n &&
           !wick_mem_read(jvm->mem, symbol + (unsigned)jvm->layout.symbol_body, bytes, n) && !memcmp(bytes, text, n);
}

/* The type as dumps have it of a signature. */
static uint8_t type_of(const struct wick_jvm *jvm, wick_addr signature)
{
    char c = 0;
    if (!signature || wick_mem_read(jvm->mem, signature + (unsigned)jvm->layout.symbol_body, &c, 1))
        return 0;
    static const char letters[] = "ZCFDBSIJ";
    const char *p = c ? strchr(letters, c) : NULL;
    return p ? (uint8_t)(WICK_KLASS_BOOLEAN + (p - letters)) : c == 'L' || c == '[' || c == 'Q' ? WICK_KLASS_REF : 0;
}

static bool add_fields(struct wick_klass_table *t, struct wick_klass *k, void *buf)
{
    struct wick_hs_class_fields it;
    struct wick_hs_class_field f;
    k->first_field = t->nfields;
    if (wick_hs_class_fields_begin(&it, t->jvm, k->klass, buf, LIST_MOST))
        return false;
    while (wick_hs_class_fields_next(&it, &f)) {
        if (f.injected)
            continue;
        struct wick_klass_field field = {.name = wick_hs_class_fields_symbol(t->jvm, k->klass, f.name),
                                         .offset = f.offset,
                                         .type = type_of(t->jvm, wick_hs_class_fields_symbol(t->jvm, k->klass, f.type)),
                                         .is_static = f.is_static};
        void *p = t->fields;
        if (!field.name || !field.type || k->nfields == UINT16_MAX)
            return false;
        if (!wick_number_map_reserve(&p, t->nfields, &t->fields_cap, sizeof *t->fields))
            return t->failed = true, false;
        t->fields = p;
        t->fields[t->nfields++] = field;
        k->nfields++;
        if (!field.is_static)
            k->value_bytes += wick_klass_table_bytes(field.type);
        if (!t->thread_id && field.type == WICK_KLASS_LONG && is_text(t->jvm, field.name, "tid") &&
            is_text(t->jvm, k->name, "java/lang/Thread"))
            t->thread_id = (int32_t)f.offset;
    }
    return true;
}

/* Kind, size and fields, but for what is inherited. */
static bool read_klass(struct wick_klass_table *t, wick_addr klass, struct wick_klass *k)
{
    enum { OBJECT_ARRAY = 2, VALUE_ARRAY = 3 };
    const struct wick_hs_layout *l = &t->jvm->layout;
    *k = (struct wick_klass){.klass = klass,
                             .name = wick_hs_u64(t->jvm->mem, klass + (unsigned)l->klass_name),
                             .mirror = mirror_of(t->jvm, klass),
                             .super = wick_hs_u64(t->jvm->mem, klass + (unsigned)l->klass_super),
                             .super_number = WICK_KLASS_NONE,
                             .constants = WICK_KLASS_NONE};
    uint32_t helper = wick_hs_u32(t->jvm->mem, klass + (unsigned)l->klass_layout);
    if (!k->name || !k->mirror)
        return false;
    if (helper >> 31) {
        k->kind = helper >> 30 == VALUE_ARRAY ? WICK_KLASS_VALUE_ARRAYS : WICK_KLASS_OBJECT_ARRAYS;
        k->element = helper >> 30 == VALUE_ARRAY ? (uint8_t)(helper >> 8) : WICK_KLASS_REF;
        k->data = (uint8_t)(helper >> 16);
        return wick_klass_table_bytes(k->element) && k->data;
    }
    k->instance_bytes = helper & ~7u;
    k->is_class = is_text(t->jvm, k->name, "java/lang/Class");
    void *buf = malloc(LIST_MOST);
    bool ok = buf && add_fields(t, k, buf);
    t->failed |= !buf;
    free(buf);
    return ok;
}

/* Reads a class whose superclass has been read; its number, or NONE. */
static uint32_t add(struct wick_klass_table *t, wick_addr klass)
{
    struct wick_klass k;
    void *p = t->all;
    uint32_t number = t->n;
    if (!read_klass(t, klass, &k))
        return WICK_KLASS_NONE;
    if (!wick_number_map_reserve(&p, t->n, &t->cap, sizeof *t->all))
        return t->failed = true, WICK_KLASS_NONE;
    t->all = p;
    if (k.kind == WICK_KLASS_INSTANCES)
        k.super_number = wick_number_map_get(&t->by_klass, k.super);
    if (k.super_number != WICK_KLASS_NONE) {
        k.value_bytes += t->all[k.super_number].value_bytes;
        k.is_thread = t->all[k.super_number].is_thread;
    }
    k.is_thread |= is_text(t->jvm, k.name, "java/lang/Thread");
    t->all[t->n++] = k;
    wick_number_map_put(&t->by_klass, klass, &number, &t->failed);
    wick_number_map_put(&t->by_mirror, k.mirror, &number, &t->failed);
    return number;
}

uint32_t wick_klass_table_find(struct wick_klass_table *t, wick_addr klass)
{
    wick_addr chain[SUPERS_MOST];
    uint32_t n = 0, number = wick_number_map_get(&t->by_klass, klass);
    for (wick_addr k = klass; k && wick_number_map_get(&t->by_klass, k) == WICK_KLASS_NONE; n++) {
        if (n == SUPERS_MOST)
            return WICK_KLASS_NONE;
        chain[n] = k;
        uint32_t helper = wick_hs_u32(t->jvm->mem, k + (unsigned)t->jvm->layout.klass_layout);
        k = helper >> 31 ? 0 : wick_hs_u64(t->jvm->mem, k + (unsigned)t->jvm->layout.klass_super);
    }
    for (; n; n--)
        if ((number = add(t, chain[n - 1])) == WICK_KLASS_NONE)
            return WICK_KLASS_NONE;
    return number;
}

bool wick_klass_table_is_primitive(const struct wick_klass_table *t, wick_addr mirror)
{
    return !klass_of_mirror(t->jvm, mirror);
}

uint32_t wick_klass_table_of_mirror(struct wick_klass_table *t, wick_addr mirror)
{
    uint32_t number = wick_number_map_get(&t->by_mirror, mirror);
    if (number != WICK_KLASS_NONE)
        return number;
    wick_addr klass = klass_of_mirror(t->jvm, mirror);
    return klass ? wick_klass_table_find(t, klass) : WICK_KLASS_NONE;
}

void wick_klass_table_constant(struct wick_klass_table *t, uint32_t class, wick_addr object)
{
    void *p = t->constants;
    struct wick_klass *k = &t->all[class];
    if (k->nconstants == UINT16_MAX)
        return;
    if (!wick_number_map_reserve(&p, t->nconstants, &t->constants_cap, sizeof *t->constants)) {
        t->failed = true;
        return;
    }
    t->constants = p;
    t->constants[t->nconstants] = (struct wick_klass_constant){object, k->constants};
    k->constants = t->nconstants++;
    k->nconstants++;
}
