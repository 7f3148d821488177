/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which virtual thread is mounted, and where frozen frames are, read out of objects made by hand: classes with
 * HotSpot's streams of fields, a carrier, a virtual thread with a name, a chunk.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fake_space.h"
#include "hotspot/klass.h"
#include "hotspot/mounted.h"

enum { INITIALIZED, INJECTED, GENERIC, STABLE, CONTENDED }; /* bits of a field's flags */

enum { OWN = 0x10, CURRENT = 0x18, POOL_BYTES = 0x40, SUPER = 8, FIELDS = 16, CONSTANTS = 24, HELPER = 32 };

static struct space space;
static struct wick_jvm jvm;
static wick_addr narrow[2]; /* the JVM's base and shift of compressed classes */
static struct wick_hs_mounted_fields fields;

static wick_addr symbol(const char *text)
{
    wick_addr s = space_take(&space, strlen(text) + 2);
    uint16_t n = (uint16_t)strlen(text);
    space_put(&space, s, &n, 2);
    space_put(&space, s + 2, text, n);
    return s;
}

struct field {
    const char *name, *type;
    uint32_t offset, flags;
};

/* UNSIGNED5 since JDK 20: bytes plus one, groups of six bits. */
static uint8_t *number(uint8_t *p, uint32_t v)
{
    while (v > 190) {
        *p++ = (uint8_t)(192 + ((v - 191) & 63));
        v = (v - 191) >> 6;
    }
    *p++ = (uint8_t)(v + 1);
    return p;
}

/* A class; its fields' names and types are symbols 2, 3, 4, ... of its pool. */
static wick_addr klass(wick_addr super, const struct field *f, uint32_t n, int32_t helper)
{
    uint8_t bytes[512], *p = bytes;
    wick_addr k = space_take(&space, 64), pool = space_take(&space, POOL_BYTES + 8 * (2 + 2 * (size_t)n));
    uint32_t added = 0;
    while (added < n && f[n - 1 - added].flags == 1 << INJECTED)
        added++;
    p = number(number(p, n - added), added);
    for (uint32_t i = 0; i < n; i++) {
        space_put64(&space, pool + POOL_BYTES + 8 * (2 + 2 * (uint64_t)i), symbol(f[i].name) | 1); /* tagged */
        space_put64(&space, pool + POOL_BYTES + 8 * (3 + 2 * (uint64_t)i), symbol(f[i].type));
        p = number(number(number(p, 2 + 2 * i), 3 + 2 * i), f[i].offset);
        p = number(number(p, 0x1002), f[i].flags);
        for (int bit = 0; bit < 5; bit++)
            if ((f[i].flags >> bit & 1) && bit != INJECTED && bit != STABLE)
                p = number(p, 70000);
    }
    wick_addr stream = space_take(&space, 4 + sizeof bytes);
    space_put32(&space, stream, (uint32_t)(p - bytes));
    space_put(&space, stream + 4, bytes, (size_t)(p - bytes));
    space_put64(&space, k + SUPER, super);
    space_put64(&space, k + FIELDS, stream);
    space_put64(&space, k + CONSTANTS, pool);
    space_put32(&space, k + HELPER, (uint32_t)helper);
    return k;
}

static bool compact; /* object headers */

static wick_addr object(wick_addr k)
{
    wick_addr o = space_take(&space, 64);
    uint64_t compressed = (k - SPACE_BASE) >> 3;
    if (compact)
        space_put64(&space, o, compressed << 42 | 1);
    else
        space_put32(&space, o + 8, (uint32_t)compressed);
    return o;
}

static wick_addr handle(wick_addr o)
{
    wick_addr h = space_take(&space, 8);
    space_put64(&space, h, o);
    return h;
}

static wick_addr string(wick_addr k, const void *text, uint32_t n, uint8_t coder)
{
    wick_addr s = object(k), array = space_take(&space, 16 + n), length = array + (compact ? 8 : 12);
    space_put32(&space, length, n);
    space_put(&space, length + 4, text, n);
    space_put64(&space, s + 16, array);
    space_put(&space, s + 24, &coder, 1);
    return s;
}

static int setup(void **state)
{
    struct wick_hs_layout *l = &jvm.layout;
    (void)state;
    space_init(&space);
    memset(&jvm, 0, sizeof jvm);
    memset(l, 0xff, sizeof *l); /* WICK_HS_NONE */
    jvm.mem = &space.mem;
    jvm.major = 21;
    narrow[0] = space_take(&space, 8);
    narrow[1] = space_take(&space, 8);
    space_put64(&space, narrow[0], SPACE_BASE);
    space_put32(&space, narrow[1], 3);
    l->klass_base = narrow[0];
    l->klass_shift = narrow[1];
    l->object_klass = 8;
    l->klass_super = SUPER;
    l->klass_fields = FIELDS;
    l->klass_constants = CONSTANTS;
    l->klass_layout = HELPER;
    l->bytes_length = 0;
    l->bytes_data = 4;
    l->constantpool_size = POOL_BYTES;
    l->symbol_length = 0;
    l->symbol_body = 2;
    l->field_initialized = INITIALIZED;
    l->field_injected = INJECTED;
    l->field_generic = GENERIC;
    l->field_contended = CONTENDED;
    l->thread_object = OWN;
    l->thread_current = CURRENT;
    fields = (struct wick_hs_mounted_fields){.readable = true, .array_length = 12};
    compact = false;
    return 0;
}

static void test_klass__fields_are_found_behind_others_of_every_kind(void **state)
{
    const struct field above[] = {{"base", "J", 12, 0}};
    const struct field own[] = {{"a", "I", 16, 1 << INITIALIZED},
                                {"b", "I", 20, 1 << INJECTED},
                                {"c", "I", 24, 1 << GENERIC | 1 << CONTENDED | 1 << INITIALIZED},
                                {"d", "I", 300, 1 << STABLE},
                                {"far", "I", 1 << 20, 0},
                                {"e", "J", 32, 0}};
    (void)state;
    wick_addr super = klass(0, above, 1, 24), k = klass(super, own, 6, 40 | 1);
    assert_int_equal(wick_hs_klass_field(&jvm, k, "a", "I"), 16);
    assert_int_equal(wick_hs_klass_field(&jvm, k, "b", "I"), 0); /* the JVM's own: its name is no symbol of the pool */
    assert_int_equal(wick_hs_klass_field(&jvm, k, "c", "I"), 24);
    assert_int_equal(wick_hs_klass_field(&jvm, k, "d", "I"), 300);
    assert_int_equal(wick_hs_klass_field(&jvm, k, "e", "J"), 32);
    assert_int_equal(wick_hs_klass_field(&jvm, k, "e", "I"), 0); /* another type */
    assert_int_equal(wick_hs_klass_field(&jvm, k, "far", "I"), 0);
    assert_int_equal(wick_hs_klass_field(&jvm, k, "base", "J"), 12); /* inherited */
    assert_int_equal(wick_hs_klass_field(&jvm, k, "none", "J"), 0);
    assert_int_equal(wick_hs_klass_field(&jvm, 0, "a", "I"), 0);
    assert_int_equal(wick_hs_klass_instance_bytes(&jvm, k), 40);
    assert_int_equal(wick_hs_klass_of(&jvm, object(k)), k);
    assert_int_equal(wick_hs_klass_of(&jvm, 0), 0);
    assert_int_equal(wick_hs_klass_array_data(&jvm, k), 0);
    assert_int_equal(wick_hs_klass_array_data(&jvm, klass(0, own, 1, (int32_t)0x80100c02)), 16);
}

/* The names of these are not in the pool of the class: their numbers are of the JVM's own symbols. */
static void test_klass__fields_that_the_jvm_adds_are_found_by_its_own_symbols(void **state)
{
    const struct field own[] = {
        {"sp", "I", 16, 0}, {"sp", "I", 20, 0}, {"pc", "J", 24, 1 << INJECTED}, {"flags", "B", 40, 1 << INJECTED}};
    (void)state;
    wick_addr k = klass(0, own, 4, 48), symbols = space_take(&space, 8 * 10);
    assert_int_equal(wick_hs_klass_injected(&jvm, k, "flags", "B"), 0); /* not known where the symbols are: all ones */
    jvm.layout.vm_symbols = 0;
    assert_int_equal(wick_hs_klass_injected(&jvm, k, "flags", "B"), 0);
    jvm.layout.vm_symbols = symbols;
    space_put64(&space, symbols + 8 * 2, symbol("sp"));
    space_put64(&space, symbols + 8 * 3, symbol("I"));
    space_put64(&space, symbols + 8 * 8, symbol("flags"));
    space_put64(&space, symbols + 8 * 9, symbol("B"));
    assert_int_equal(wick_hs_klass_injected(&jvm, k, "flags", "B"), 40);
    assert_int_equal(wick_hs_klass_injected(&jvm, k, "flags", "I"), 0);
    assert_int_equal(wick_hs_klass_injected(&jvm, k, "sp", "I"), 0); /* declared */
    assert_int_equal(wick_hs_klass_injected(&jvm, 0, "flags", "B"), 0);
    assert_int_equal(wick_hs_klass_field(&jvm, k, "flags", "B"), 0);
}

static void test_klass__a_stream_that_is_cut_is_no_field(void **state)
{
    const struct field own[] = {{"a", "I", 16, 0}, {"b", "I", 20, 0}};
    (void)state;
    wick_addr k = klass(0, own, 2, 24), stream = 0;
    assert_int_equal(wick_mem_read(&space.mem, k + FIELDS, &stream, 8), 0);
    space_put32(&space, stream, 9);
    assert_int_equal(wick_hs_klass_field(&jvm, k, "a", "I"), 16);
    assert_int_equal(wick_hs_klass_field(&jvm, k, "b", "I"), 0);
    space_put32(&space, stream, UINT32_MAX);
    assert_int_equal(wick_hs_klass_field(&jvm, k, "a", "I"), 0);
}

/* A carrier on which a virtual thread is mounted; returns the JavaThread. */
static wick_addr carrier(const void *name, uint32_t n, uint8_t coder)
{
    const struct field strings[] = {{"value", "[B", 16, 0}, {"coder", "B", 24, 0}};
    const struct field threads[] = {{"tid", "J", 16, 0}, {"name", "Ljava/lang/String;", 24, 0}};
    const struct field virtuals[] = {{"cont", "Ljdk/internal/vm/Continuation;", 32, 0}};
    const struct field continuations[] = {{"tail", "Ljdk/internal/vm/StackChunk;", 16, 0}};
    const struct field chunks[] = {{"parent", "Ljdk/internal/vm/StackChunk;", 16, 0},
                                   {"size", "I", 24, 0},
                                   {"sp", "I", 28, 0},
                                   {"argsize", "I", 36, 0}};
    wick_addr java = space_take(&space, 64), thread_class = klass(0, threads, 2, 64);
    wick_addr thread = object(klass(thread_class, virtuals, 1, 64));
    wick_addr continuation = object(klass(0, continuations, 1, 64));
    space_put64(&space, thread + 16, 31);
    space_put64(&space, thread + 24, string(klass(0, strings, 2, 64), name, n, coder));
    space_put64(&space, thread + 32, continuation);
    space_put64(&space, continuation + 16, object(klass(0, chunks, 4, 48)));
    space_put64(&space, java + OWN, handle(object(thread_class)));
    space_put64(&space, java + CURRENT, handle(thread));
    return java;
}

static void test_mounted__name_id_and_frozen_frames_are_found(void **state)
{
    struct wick_hs_mounted m;
    (void)state;
    wick_addr java = carrier("task\xe9", 5, 0);
    assert_true(wick_hs_mounted(&jvm, &fields, java, &m));
    assert_int_equal(m.id, 31);
    assert_string_equal(m.name, "task\xc3\xa9"); /* Latin 1 */
    assert_true(jvm.step.cont_tail == 16 && jvm.step.chunk_parent == 16 && jvm.step.chunk_size == 24 &&
                jvm.step.chunk_sp == 28 && jvm.step.chunk_bottom == 36 && jvm.step.chunk_bottom_is_argsize == 1 &&
                jvm.step.chunk_stack == 48);
}

static void test_mounted__with_compact_object_headers(void **state)
{
    struct wick_hs_mounted m;
    const uint8_t set = 1;
    (void)state;
    compact = true;
    jvm.flag[WICK_JVM_FLAG_COMPACT_OBJECT_HEADERS] = space_take(&space, 1);
    space_put(&space, jvm.flag[WICK_JVM_FLAG_COMPACT_OBJECT_HEADERS], &set, sizeof set);
    wick_hs_mounted_init(&fields, &jvm);
    assert_int_equal(fields.array_length, 8);
    fields.readable = true;
    assert_true(wick_hs_mounted(&jvm, &fields, carrier("task", 4, 0), &m));
    assert_string_equal(m.name, "task");
}

static void test_mounted__names_in_utf_16_and_long_ones_fit(void **state)
{
    static const uint16_t wide[] = {0x20ac, 'x', 0xd83d, 0xde00}; /* a euro sign, a letter, a pair of surrogates */
    char longest[1000];
    struct wick_hs_mounted m;
    (void)state;
    assert_true(wick_hs_mounted(&jvm, &fields, carrier(wide, sizeof wide, 1), &m));
    assert_string_equal(m.name, "\xe2\x82\xac"
                                "x\xef\xbf\xbd\xef\xbf\xbd");
    memset(longest, 0xe9, sizeof longest);
    assert_true(wick_hs_mounted(&jvm, &fields, carrier(longest, sizeof longest, 0), &m));
    assert_true(strlen(m.name) < sizeof m.name && strlen(m.name) % 2 == 0);
}

static void test_mounted__a_carrier_on_its_own_has_none(void **state)
{
    struct wick_hs_mounted m;
    (void)state;
    wick_addr java = carrier("x", 1, 0), own;
    assert_false(wick_mem_read(&space.mem, java + OWN, &own, 8));
    space_put64(&space, java + CURRENT, own);
    assert_false(wick_hs_mounted(&jvm, &fields, java, &m));
    space_put64(&space, java + CURRENT, 0);
    assert_false(wick_hs_mounted(&jvm, &fields, java, &m));
}

static void test_mounted__objects_of_unknown_class_are_left_alone(void **state)
{
    struct wick_hs_mounted m;
    (void)state;
    fields.readable = false;
    assert_true(wick_hs_mounted(&jvm, &fields, carrier("x", 1, 0), &m));
    assert_true(!m.id && !*m.name && !jvm.step.cont_tail);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        TEST(test_klass__fields_are_found_behind_others_of_every_kind),
        TEST(test_klass__fields_that_the_jvm_adds_are_found_by_its_own_symbols),
        TEST(test_klass__a_stream_that_is_cut_is_no_field),
        TEST(test_mounted__name_id_and_frozen_frames_are_found),
        TEST(test_mounted__with_compact_object_headers),
        TEST(test_mounted__names_in_utf_16_and_long_ones_fit),
        TEST(test_mounted__a_carrier_on_its_own_has_none),
        TEST(test_mounted__objects_of_unknown_class_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
