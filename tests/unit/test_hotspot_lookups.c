/* SPDX-License-Identifier: Apache-2.0 */
/* Lookups and their hit rates, out of bytecodes and MethodData of a fake JVM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "fake_space.h"
#include "hotspot/lookups.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { CM_SIZE = 48, POOL_SIZE = 80, CACHE_SIZE = 32, ENTRY_SIZE = 32, RESOLVED_SIZE = 24, KLASS_NAME = 16 };
enum { GET = 1, PUT, OTHER_PUT, COMPUTE, CLASS, OTHER_CLASS }; /* of the constant pool */
enum { CHECK = 4, CALL = 5, BRANCH = 7, JUMP = 3 };            /* tags */
enum { FOUND = 30, MISSED = 70 };

static struct space space;
static struct wick_jvm jvm;
static struct wick_hs_lookup_room room;

/* What is made of one method. */
struct made {
    wick_addr method, cm, pool, cache, data;
    struct wick_hs_method_id id;
    size_t used; /* of its data */
};

static void set_layout(int major)
{
    struct wick_hs_layout *l = &jvm.layout;
    memset(&jvm, 0, sizeof jvm);
    memset(l, 0xff, sizeof *l);
    jvm.mem = &space.mem;
    jvm.major = major;
    l->constmethod_size = CM_SIZE;
    l->cm_code_size = 22;
    l->constantpool_size = POOL_SIZE;
    l->klass_name = KLASS_NAME;
    l->symbol_length = 4;
    l->symbol_body = 6;
    l->cp_cache = 8;
    l->method_data = 16;
    l->md_method = 8;
    l->md_size = 20;
    l->md_data = 40;
    l->dl_tag = 0;
    l->dl_bci = 2;
    l->dl_cells = 8;
    l->cpcache_size = CACHE_SIZE;
    if (major < 22) {
        l->cpentry_size = ENTRY_SIZE;
        l->cpentry_indices = 0;
    } else {
        l->cpcache_methods = 24;
        l->resolved_size = RESOLVED_SIZE;
        l->resolved_index = 16;
    }
}

static wick_addr symbol(const char *text)
{
    wick_addr at = space_take(&space, 6 + strlen(text));
    space_put16(&space, at + 4, (uint16_t)strlen(text));
    space_put(&space, at + 6, text, strlen(text));
    return at;
}

static wick_addr slot(const struct made *m, unsigned index)
{
    return m->pool + POOL_SIZE + 8 * index;
}

/* The class at `index`, its name at `index` + 20. */
static void put_class(struct made *m, unsigned index, const char *name)
{
    wick_addr klass = space_take(&space, 32), text = symbol(name);
    space_put64(&space, klass + KLASS_NAME, text);
    space_put64(&space, slot(m, index + 20), text);
    if (jvm.major >= 9)
        space_put64(&space, slot(m, index), (index + 20) << 16);
    else
        space_put64(&space, slot(m, index), index == CLASS ? klass : (text | 1)); /* resolved, or not yet */
}

/* The Methodref at `index`, its type at `index` + 8 and its name at `index` + 16. */
static void put_method(struct made *m, unsigned index, unsigned class, const char *name)
{
    space_put64(&space, slot(m, index), (uint64_t)(index + 8) << 16 | class);
    space_put64(&space, slot(m, index + 8), index + 16);
    space_put64(&space, slot(m, index + 16), symbol(name));
}

static void make(struct made *m, int major, const uint8_t *code, size_t n)
{
    *m = (struct made){0};
    space_init(&space);
    set_layout(major);
    m->method = space_take(&space, 64);
    m->cm = space_take(&space, CM_SIZE + n);
    m->pool = space_take(&space, POOL_SIZE + 8 * 64);
    m->cache = space_take(&space, CACHE_SIZE + 8 * ENTRY_SIZE);
    m->data = space_take(&space, 1024);
    m->id = (struct wick_hs_method_id){.method = m->method, .const_method = m->cm, .constants = m->pool};
    space_put16(&space, m->cm + 22, (uint16_t)n);
    space_put(&space, m->cm + CM_SIZE, code, n);
    space_put64(&space, m->pool + 8, m->cache);
    space_put64(&space, m->method + 16, m->data);
    space_put64(&space, m->data + 8, m->method);
    put_class(m, CLASS, "app/Tariffs");
    put_class(m, OTHER_CLASS, "java/util/List");
    put_method(m, GET, CLASS, "get");
    put_method(m, PUT, CLASS, "putIfAbsent");
    put_method(m, OTHER_PUT, OTHER_CLASS, "add");
    put_method(m, COMPUTE, CLASS, "compute");
    wick_addr methods = space_take(&space, 8 + 8 * RESOLVED_SIZE);
    if (major >= 22) {
        space_put32(&space, methods, 8);
        space_put64(&space, m->cache + 24, methods);
    }
    for (unsigned i = 0; i < 6; i++) /* a call has the index before its Methodref's */
        space_put16(&space,
                    major < 22 ? m->cache + CACHE_SIZE + (uint64_t)i * ENTRY_SIZE
                               : methods + 8 + (uint64_t)i * RESOLVED_SIZE + 16,
                    (uint16_t)(i + 1));
}

/* One DataLayout behind the others. */
static void profile(struct made *m, uint8_t tag, uint16_t bci, const uint64_t *cells, size_t n)
{
    wick_addr at = m->data + 40 + m->used;
    space_put(&space, at, &tag, 1);
    space_put16(&space, at + 2, bci);
    space_put(&space, at + 8, cells, 8 * n);
    m->used += 8 + 8 * n;
    space_put32(&space, m->data + 20, (uint32_t)m->used);
}

static int lookups(struct made *m, struct wick_hs_lookup *out, int cap)
{
    return wick_hs_lookups(&jvm, &space.mem, &m->id, &room, out, cap);
}

/* v = tariffs.get(key); if (v == null) { v = ...; tariffs.putIfAbsent(key, v); } return v; */
static const uint8_t plain[] = {
    0x2a, 0x2b, 0xb6, GET - 1, 0,       0xc0, 0,    5, 0x4d, /* get, checkcast, astore_2 */
    0x2c, 0xc7, 0,    12,                                    /* 9: aload_2, 10: ifnonnull 22 */
    0x2a, 0x2b, 0x2c, 0xb6,    PUT - 1, 0,    0x57, 0, 0,    /* 16: putIfAbsent, pop */
    0x2c, 0xb0,
};

/* Counters of two receivers, as large as headers are: not to be taken for these. */
static const uint64_t receivers[] = {100, 0x7f0000001000, 60, 0x7f0000002000, 40};

static void profile_plain(struct made *m)
{
    profile(m, CALL, 2, receivers, COUNT(receivers));
    profile(m, CHECK, 5, receivers, COUNT(receivers));
    profile(m, BRANCH, 10, (uint64_t[]){FOUND, 48, MISSED}, 3);
    profile(m, CALL, 16, receivers, COUNT(receivers));
}

static void test_lookups__have_the_hit_rate_of_a_cache(void **state)
{
    static const int majors[] = {8, 11, 21, 25};
    (void)state;
    for (size_t i = 0; i < COUNT(majors); i++) {
        struct wick_hs_lookup l[2];
        struct made m;
        make(&m, majors[i], plain, sizeof plain);
        profile_plain(&m);
        assert_int_equal(lookups(&m, l, 2), 1);
        assert_int_equal(l->bci, 2);
        assert_int_equal(l->found, FOUND);
        assert_int_equal(l->missed, MISSED);
        assert_int_equal(l->miss_from, 13);
        assert_int_equal(l->miss_to, 22);
        assert_string_equal(l->callee, "app/Tariffs.get");
    }
}

/* A field that is asked for by its name is no lookup, and ThreadLocal.get() is one. */
static void test_lookups__have_a_key_or_are_called_so(void **state)
{
    static const struct {
        const char *name, *signature;
        int found;
    } cases[] = {{"getProtocol", "()Ljava/lang/String;", 0},
                 {"getTariff", "(I)Lapp/Tariff;", 1},
                 {"get", "()Ljava/lang/Object;", 1}};
    enum { SIGNATURE = 60 };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct wick_hs_lookup l[2];
        struct made m;
        make(&m, 21, plain, sizeof plain);
        profile_plain(&m);
        space_put64(&space, slot(&m, GET + 8), (uint64_t)SIGNATURE << 16 | (GET + 16));
        space_put64(&space, slot(&m, GET + 16), symbol(cases[i].name));
        space_put64(&space, slot(&m, SIGNATURE), symbol(cases[i].signature));
        assert_int_equal(lookups(&m, l, 2), cases[i].found);
    }
}

/* What a reference refers to is stored elsewhere; what is stored elsewhere of other classes is no cache's. */
static void test_lookups__of_references_are_stored_anywhere(void **state)
{
    static const char *const classes[] = {"java/lang/ref/WeakReference", "java/lang/ref/SoftReference", "app/Tariffs"};
    (void)state;
    for (size_t i = 0; i < COUNT(classes); i++) {
        struct wick_hs_lookup l[2];
        struct made m;
        make(&m, 21, plain, sizeof plain);
        profile_plain(&m);
        put_class(&m, CLASS, classes[i]);
        put_method(&m, PUT, OTHER_CLASS, "put");
        assert_int_equal(lookups(&m, l, 2), i < 2);
    }
}

/* Bytecodes of a method with a call, a test of its answer and a call that stores, and what is made of them. */
static const struct {
    uint8_t code[32];
    uint16_t call, test, put;
    uint64_t taken, not ;
    uint32_t from, to;
    bool is;
} ways[] = {
    /* if (get(key) == null) put */
    {{0x2a, 0xb6, GET - 1, 0, 0xc7, 0, 8, 0x2a, 0xb6, PUT - 1, 0, 0x57, 0xb1}, 1, 4, 8, FOUND, MISSED, 7, 12, true},
    /* v = get(key) by an interface, its variable beyond those with instructions of their own */
    {{0x2a, 0xb9, GET - 1, 0, 1, 0, 0x3a, 9, 0, 0x19, 9, 0xc7, 0, 8, 0xb6, PUT - 1, 0, 0, 0, 0xb1},
     1,
     11,
     14,
     FOUND,
     MISSED,
     14,
     19,
     true},
    /* if ((v = get(key)) != null) return v; put */
    {{0x2a, 0xb6, GET - 1, 0, 0x59, 0x4d, 0xc6, 0, 5, 0x2c, 0xb0, 0xb6, PUT - 1, 0, 0xb1},
     1,
     6,
     11,
     MISSED,
     FOUND,
     11,
     32,
     true},
    /* what is done with what was found jumps over what is done without, or goes on to it */
    {{0x2a, 0xb6, GET - 1, 0, 0x4d, 0x2c, 0xc6, 0, 8, 0x2c, 0x57, 0xa7, 0, 7, 0xb6, PUT - 1, 0, 0x57, 0xb1},
     1,
     6,
     14,
     MISSED,
     FOUND,
     14,
     18,
     true},
    {{0x2a, 0xb6, GET - 1, 0, 0x4d, 0x2c, 0xc6, 0, 5, 0x2c, 0x57, 0xb6, PUT - 1, 0, 0xb1},
     1,
     6,
     11,
     MISSED,
     FOUND,
     0,
     0,
     false},
    /* something else is in the variable by then */
    {{0x2a, 0xb6, GET - 1, 0, 0x4d, 1, 0x4d, 0x2c, 0xc7, 0, 8, 0x2a, 0xb6, PUT - 1, 0, 0x57, 0xb1},
     1,
     8,
     12,
     FOUND,
     MISSED,
     0,
     0,
     false},
    /* the variable that is tested is another one */
    {{0x2a, 0xb6, GET - 1, 0, 0x4d, 0x2b, 0xc7, 0, 8, 0xb6, PUT - 1, 0, 0x57, 0, 0xb1},
     1,
     6,
     9,
     FOUND,
     MISSED,
     0,
     0,
     false},
    /* what is stored goes elsewhere, comes where something was found, or the call is no lookup */
    {{0x2a, 0xb6, GET - 1, 0, 0xc7, 0, 8, 0x2a, 0xb6, OTHER_PUT - 1, 0, 0x57, 0xb1},
     1,
     4,
     8,
     FOUND,
     MISSED,
     0,
     0,
     false},
    {{0x2a, 0xb6, GET - 1, 0, 0xc6, 0, 8, 0x2a, 0xb6, PUT - 1, 0, 0x57, 0xb1}, 1, 4, 8, FOUND, MISSED, 0, 0, false},
    {{0x2a, 0xb6, COMPUTE - 1, 0, 0xc7, 0, 8, 0x2a, 0xb6, PUT - 1, 0, 0x57, 0xb1}, 1, 4, 8, FOUND, MISSED, 0, 0, false},
    /* a loop: back */
    {{0x2a, 0xb6, GET - 1, 0, 0xc7, 0xff, 0xfc, 0x2a, 0xb6, PUT - 1, 0, 0x57, 0xb1},
     1,
     4,
     8,
     FOUND,
     MISSED,
     0,
     0,
     false},
};

static void test_lookups__are_tested_in_several_ways(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        struct wick_hs_lookup l[2];
        struct made m;
        make(&m, 21, ways[i].code, sizeof ways[i].code);
        profile(&m, CALL, ways[i].call, receivers, COUNT(receivers));
        profile(&m, BRANCH, ways[i].test, (uint64_t[]){ways[i].taken, 48, ways[i].not }, 3);
        profile(&m, CALL, ways[i].put, receivers, COUNT(receivers));
        int n = lookups(&m, l, 2);
        if (n != ways[i].is)
            fail_msg("case %zu: %d", i, n);
        if (!n)
            continue;
        assert_int_equal(l->found, FOUND);
        assert_int_equal(l->missed, MISSED);
        assert_int_equal(l->miss_from, ways[i].from);
        assert_int_equal(l->miss_to, ways[i].to);
    }
}

/* Counters may look like the head of a DataLayout. */
static void test_lookups__take_no_counter_for_a_branch(void **state)
{
    struct wick_hs_lookup l[2];
    struct made m;
    (void)state;
    make(&m, 21, plain, sizeof plain);
    profile(&m, CALL, 2, (uint64_t[]){BRANCH | 5 << 16, BRANCH | 16 << 16, CALL | 10 << 16, 0, 0}, 5);
    profile(&m, BRANCH, 10, (uint64_t[]){FOUND, 48, MISSED}, 3);
    profile(&m, CALL, 16, receivers, COUNT(receivers));
    assert_int_equal(lookups(&m, l, 2), 1);
    assert_int_equal(l->found, FOUND);
    assert_int_equal(l->missed, MISSED);
}

static void test_lookups__of_what_is_not_profiled_or_damaged_are_none(void **state)
{
    struct wick_hs_lookup l[2];
    struct made m;
    (void)state;
    make(&m, 21, plain, sizeof plain);
    profile_plain(&m);
    assert_int_equal(lookups(&m, l, 0), 0);
    const wick_addr links[] = {m.method + 16,     m.data + 8,         m.pool + 8,      slot(&m, GET),
                               slot(&m, GET + 8), slot(&m, GET + 16), slot(&m, CLASS), slot(&m, PUT)};
    for (size_t i = 0; i < COUNT(links); i++) {
        static const uint64_t wild[] = {0, 1, 0xffffffffffffffff, 0x7f0000000000};
        uint64_t before;
        assert_int_equal(wick_mem_read(&space.mem, links[i], &before, 8), 0);
        for (size_t k = 0; k < COUNT(wild); k++) {
            space_put64(&space, links[i], wild[k]);
            assert_int_equal(lookups(&m, l, 2), 0);
        }
        space_put64(&space, links[i], before);
    }
    assert_int_equal(lookups(&m, l, 2), 1);
    for (uint32_t size = 0; size < m.used; size += 8) { /* the data ends early */
        space_put32(&space, m.data + 20, size);
        assert_int_equal(lookups(&m, l, 2), 0);
        if (size == m.used - 8 - 8 * COUNT(receivers)) /* all but the last entry */
            break;
    }
    space_put32(&space, m.data + 20, UINT32_MAX);
    assert_int_equal(lookups(&m, l, 2), 0);
    space_put32(&space, m.data + 20, (uint32_t)m.used);
    for (uint16_t size = 0; size < 18; size++) { /* so does the code */
        space_put16(&space, m.cm + 22, size);
        assert_int_equal(lookups(&m, l, 2), 0);
    }
    space_put16(&space, m.cm + 22, UINT16_MAX);
    assert_int_equal(lookups(&m, l, 2), 0);
}

static void test_lookups__need_what_the_jdk_says_of_its_layout(void **state)
{
    struct wick_hs_lookup l[2];
    struct made m;
    (void)state;
    make(&m, 21, plain, sizeof plain);
    profile_plain(&m);
    int32_t *const needed[] = {&jvm.layout.method_data,  &jvm.layout.md_method,      &jvm.layout.md_size,
                               &jvm.layout.md_data,      &jvm.layout.dl_tag,         &jvm.layout.dl_bci,
                               &jvm.layout.dl_cells,     &jvm.layout.cp_cache,       &jvm.layout.cpcache_size,
                               &jvm.layout.cpentry_size, &jvm.layout.cpentry_indices};
    for (size_t i = 0; i < COUNT(needed); i++) {
        int32_t before = *needed[i];
        *needed[i] = WICK_HS_NONE;
        assert_int_equal(lookups(&m, l, 2), 0);
        *needed[i] = before;
    }
    assert_int_equal(lookups(&m, l, 2), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookups__have_the_hit_rate_of_a_cache),
        cmocka_unit_test(test_lookups__of_references_are_stored_anywhere),
        cmocka_unit_test(test_lookups__have_a_key_or_are_called_so),
        cmocka_unit_test(test_lookups__are_tested_in_several_ways),
        cmocka_unit_test(test_lookups__take_no_counter_for_a_branch),
        cmocka_unit_test(test_lookups__of_what_is_not_profiled_or_damaged_are_none),
        cmocka_unit_test(test_lookups__need_what_the_jdk_says_of_its_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
