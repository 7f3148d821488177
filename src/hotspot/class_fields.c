/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class_fields.c - two forms of one list
 *
 *      InstanceKlass._fields -> Array<u2>, six numbers a field (hotspot/share/oops/fieldInfo.hpp, up to JDK 20):
 *          access flags, name, type, initial value, offset with two bits of a tag in the low half, its high half
 *      InstanceKlass._fieldinfo_stream -> Array<u1>, UNSIGNED5 numbers (since JDK 21):
 *          fields of the class, fields that the JVM has added, then for each
 *          name, type, offset, access flags, flags, and with some flags one number more each
 *
 * Fields that the JVM has added come behind those of the class in both, with names from a list of its own. The older
 * form may have the indices of generic signatures behind the last of them.
 */
#include "hotspot/class_fields.h"

#include "base/err.h"
#include "hotspot/unsigned5.h"
#include "hotspot/value.h"

enum { EXCLUDED = 1, ACC_STATIC = 0x0008, ACC_INJECTED = 0x0400 };

/* The older form. */
enum { OLD_ACCESS, OLD_NAME, OLD_TYPE, OLD_INITIAL, OLD_LOW, OLD_HIGH, OLD_SLOTS, OLD_TAG_BITS = 2, OLD_IS_OFFSET = 1 };

/* Number of a bit in a field's flags. */
static bool is_bit(int32_t n)
{
    return n >= 0 && n < 32;
}

static bool has_stream(const struct wick_hs_layout *l)
{
    return l->klass_fields >= 0 && l->bytes_data >= 0 && is_bit(l->field_initialized) && is_bit(l->field_injected) &&
           is_bit(l->field_generic) && is_bit(l->field_contended);
}

static bool has_old(const struct wick_hs_layout *l)
{
    return l->klass_old_fields >= 0 && l->klass_java_fields >= 0 && l->shorts_data >= 0;
}

bool wick_hs_class_fields_known(const struct wick_hs_layout *l)
{
    return l->klass_constants >= 0 && l->bytes_length >= 0 && (has_stream(l) || has_old(l));
}

int wick_hs_class_fields_begin(struct wick_hs_class_fields *it, const struct wick_jvm *jvm, wick_addr klass, void *buf,
                               size_t cap)
{
    const struct wick_hs_layout *l = &jvm->layout;
    bool stream = has_stream(l);
    wick_addr list = wick_hs_u64(jvm->mem, klass + (unsigned)(stream ? l->klass_fields : l->klass_old_fields));
    size_t n = list ? wick_hs_u32(jvm->mem, list + (unsigned)l->bytes_length) : 0;
    n *= stream ? 1 : 2;
    if (n > cap)
        return -WICK_E_LIMIT;
    if (!list || (n && wick_mem_read(jvm->mem, list + (unsigned)(stream ? l->bytes_data : l->shorts_data), buf, n)))
        return -WICK_E_FAULT;
    *it = (struct wick_hs_class_fields){.jvm = jvm, .at = buf, .end = (const uint8_t *)buf + n};
    if (!stream) {
        it->declared = wick_hs_u16(jvm->mem, klass + (unsigned)l->klass_java_fields);
        it->left = (uint32_t)(n / (2 * OLD_SLOTS));
    } else if (n) {
        it->declared = wick_unsigned5(&it->at, it->end, EXCLUDED);
        it->left = it->declared + wick_unsigned5(&it->at, it->end, EXCLUDED);
    }
    return 0;
}

static bool is_set(uint32_t flags, int32_t bit)
{
    return flags >> bit & 1;
}

static bool next_of_stream(struct wick_hs_class_fields *it, struct wick_hs_class_field *f)
{
    const struct wick_hs_layout *l = &it->jvm->layout;
    f->name = wick_unsigned5(&it->at, it->end, EXCLUDED);
    f->type = wick_unsigned5(&it->at, it->end, EXCLUDED);
    f->offset = wick_unsigned5(&it->at, it->end, EXCLUDED);
    f->is_static = wick_unsigned5(&it->at, it->end, EXCLUDED) & ACC_STATIC;
    uint32_t flags = wick_unsigned5(&it->at, it->end, EXCLUDED);
    f->injected = is_set(flags, l->field_injected);
    int more =
        is_set(flags, l->field_initialized) + is_set(flags, l->field_generic) + is_set(flags, l->field_contended);
    for (; more > 0; more--)
        wick_unsigned5(&it->at, it->end, EXCLUDED);
    return it->at;
}

/* What is behind the fields has no tag of an offset, or no bit that says who has added it. */
static bool next_of_old(struct wick_hs_class_fields *it, struct wick_hs_class_field *f)
{
    uint16_t slot[OLD_SLOTS];
    if ((size_t)(it->end - it->at) < sizeof slot)
        return false;
    __builtin_memcpy(slot, it->at, sizeof slot);
    it->at += sizeof slot;
    f->injected = slot[OLD_ACCESS] & ACC_INJECTED;
    f->is_static = slot[OLD_ACCESS] & ACC_STATIC;
    f->name = slot[OLD_NAME];
    f->type = slot[OLD_TYPE];
    f->offset = ((uint32_t)slot[OLD_HIGH] << 16 | slot[OLD_LOW]) >> OLD_TAG_BITS;
    bool placed = (slot[OLD_LOW] & ((1 << OLD_TAG_BITS) - 1)) == OLD_IS_OFFSET;
    return placed && (it->declared || f->injected);
}

bool wick_hs_class_fields_next(struct wick_hs_class_fields *it, struct wick_hs_class_field *f)
{
    if (!it->at || !it->left)
        return false;
    it->left--;
    bool there = has_stream(&it->jvm->layout) ? next_of_stream(it, f) : next_of_old(it, f);
    it->declared -= it->declared != 0;
    return there;
}

wick_addr wick_hs_class_fields_symbol(const struct wick_jvm *jvm, wick_addr klass, uint32_t index)
{
    const struct wick_hs_layout *l = &jvm->layout;
    wick_addr pool = wick_hs_u64(jvm->mem, klass + (unsigned)l->klass_constants);
    return pool ? wick_hs_u64(jvm->mem, pool + (unsigned)l->constantpool_size + 8 * (uint64_t)index) & ~1ull : 0;
}
