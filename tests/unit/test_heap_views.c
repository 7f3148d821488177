/* SPDX-License-Identifier: Apache-2.0 */
/* Byte buffers that keep arrays alive of which they use little: a dump made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "heap/report.h"
#include "hprof_build.h"

enum { N_OBJECT = 1, N_CLASS, N_BUFFER, N_HEAP, N_READ_ONLY, N_MINE, N_BYTES, N_HB, N_CAPACITY, N_FIRST, N_SECOND };
enum {
    C_OBJECT = 0x1000,
    C_CLASS = 0x1100,
    C_BUFFER = 0x1200,
    C_HEAP = 0x1300,
    C_READ_ONLY = 0x1400,
    C_MINE = 0x1500,
    C_BYTES = 0x1600,
};
enum { ARRAY = 0x4000, VIEW = 0x5000, OWNER = 0x6000, LENGTH = 1000 };

static void buffer(struct hprof_build *h, uint64_t id, uint64_t class, uint64_t array, unsigned capacity)
{
    hb_u1(h, WICK_HPROF_INSTANCE);
    hb_id(h, id);
    hb_n(h, 0, 4);
    hb_id(h, class);
    hb_n(h, 4 + 8, 4); /* of the class, and of its superclass */
    hb_id(h, array);
    hb_n(h, capacity, 4);
}

static void declare(struct hprof_build *h)
{
    static const struct {
        unsigned id, name;
        const char *text;
    } names[] = {{C_OBJECT, N_OBJECT, "java/lang/Object"},
                 {C_CLASS, N_CLASS, "java/lang/Class"},
                 {C_BUFFER, N_BUFFER, "java/nio/Buffer"},
                 {C_HEAP, N_HEAP, "java/nio/HeapByteBuffer"},
                 {C_READ_ONLY, N_READ_ONLY, "java/nio/HeapByteBufferR"},
                 {C_MINE, N_MINE, "acme/Message"},
                 {C_BYTES, N_BYTES, "[B"}};
    static const uint64_t capacity[] = {N_CAPACITY}, hb[] = {N_HB}, mine[] = {N_FIRST, N_SECOND};
    const struct hb_class classes[] = {{.id = C_OBJECT},
                                       {.id = C_CLASS, .super = C_OBJECT},
                                       {.id = C_BUFFER, .super = C_OBJECT, .fields = "I", .names = capacity},
                                       {.id = C_HEAP, .super = C_BUFFER, .fields = "L", .names = hb},
                                       {.id = C_READ_ONLY, .super = C_HEAP},
                                       {.id = C_MINE, .super = C_OBJECT, .fields = "LL", .names = mine},
                                       {.id = C_BYTES, .super = C_OBJECT}};
    hb_begin(h, 8, "JAVA PROFILE 1.0.2");
    hb_string(h, N_HB, "hb");
    hb_string(h, N_CAPACITY, "capacity");
    hb_string(h, N_FIRST, "first");
    hb_string(h, N_SECOND, "second");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hb_string(h, names[i].name, names[i].text);
        hb_load(h, (uint32_t)i + 1, names[i].id, names[i].name);
    }
    hb_open(h, 0x1c);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        hb_class(h, &classes[i]);
}

static void owner(struct hprof_build *h, unsigned i, uint64_t first, uint64_t second)
{
    hb_root(h, 0x01, OWNER + i, 2, 0);
    hb_instance(h, OWNER + i, C_MINE, 2, (const uint64_t[]){first, second});
}

static void array(struct hprof_build *h, uint64_t id)
{
    char bytes[LENGTH + 1];
    memset(bytes, 'x', LENGTH);
    bytes[LENGTH] = '\0';
    hb_bytes(h, id, bytes);
}

static void analyse(struct hprof_build *h, struct wick_heap_report *r)
{
    const struct wick_heap_ask ask = {.graph = true, .waste = true, .rows = 1};
    struct wick_err err = {0};
    FILE *f = tmpfile();
    hb_close(h);
    assert_non_null(f);
    assert_int_equal(fwrite(h->b.buf, 1, h->b.len, f), h->b.len);
    fflush(f);
    int rc = wick_heap_report_adopt(r, dup(fileno(f)), "test.hprof", &ask, &err);
    if (rc)
        fail_msg("%s", err.msg);
    fclose(f);
}

static void test_views__small_parts_of_arrays_count(void **state)
{
    struct hprof_build h;
    struct wick_heap_report r;
    struct wick_strbuf text = WICK_STRBUF_INIT;
    (void)state;
    declare(&h);
    for (unsigned i = 0; i < 7; i++)
        array(&h, ARRAY + 8 * i);
    /* two slices of one array, the second of which is for reading only */
    buffer(&h, VIEW, C_HEAP, ARRAY, 10);
    buffer(&h, VIEW + 8, C_READ_ONLY, ARRAY, 30);
    owner(&h, 0, VIEW, 0);
    owner(&h, 8, 0, VIEW + 8);
    /* half of it in all */
    buffer(&h, VIEW + 16, C_HEAP, ARRAY + 8, 250);
    buffer(&h, VIEW + 24, C_HEAP, ARRAY + 8, 250);
    owner(&h, 16, VIEW + 16, VIEW + 24);
    /* the program has the array itself */
    buffer(&h, VIEW + 32, C_HEAP, ARRAY + 16, 10);
    owner(&h, 24, VIEW + 32, ARRAY + 16);
    /* so has native code */
    buffer(&h, VIEW + 40, C_HEAP, ARRAY + 24, 10);
    owner(&h, 32, VIEW + 40, 0);
    hb_root(&h, 0x01, ARRAY + 24, 2, 0);
    /* garbage */
    buffer(&h, VIEW + 48, C_HEAP, ARRAY + 32, 10);
    /* garbage that has a part of what a slice has: it is as if it were not there */
    buffer(&h, VIEW + 56, C_HEAP, ARRAY + 40, 900);
    buffer(&h, VIEW + 64, C_HEAP, ARRAY + 40, 60);
    owner(&h, 40, VIEW + 64, 0);
    /* a buffer without an array of this dump, and one of an object that is none */
    buffer(&h, VIEW + 72, C_HEAP, 0x123450, 10);
    buffer(&h, VIEW + 80, C_HEAP, OWNER, 10);
    owner(&h, 48, VIEW + 72, VIEW + 80);
    analyse(&h, &r);
    const struct wick_heap_views *v = &r.views;
    assert_int_equal(v->buffers, 3);
    assert_int_equal(v->arrays, 2);
    assert_int_equal(v->used, 10 + 30 + 60);
    assert_int_equal(v->bytes, 2 * wick_heap_graph_brief(&r.graph, wick_heap_ids_find(&r.graph.ids, ARRAY)).bytes);
    assert_int_equal(wick_heap_views_waste(v), v->bytes - v->used);
    assert_true(wick_heap_class_is(&r.graph.classes, v->class, "acme/Message"));
    assert_int_equal(v->owned, 3);
    wick_heap_views_owner_add(v, &r.graph, &text);
    assert_string_equal(text.buf, v->owner == wick_heap_ids_find(&r.graph.ids, OWNER + 8) ? "second of acme.Message"
                                                                                          : "first of acme.Message");
    wick_strbuf_release(&text);
    wick_heap_report_release(&r);
    wick_strbuf_release(&h.b);
}

static void test_views__without_buffers_there_are_none(void **state)
{
    struct hprof_build h;
    struct wick_heap_report r;
    struct wick_strbuf text = WICK_STRBUF_INIT;
    (void)state;
    declare(&h);
    array(&h, ARRAY);
    owner(&h, 0, ARRAY, 0);
    analyse(&h, &r);
    assert_int_equal(r.views.buffers, 0);
    assert_int_equal(wick_heap_views_waste(&r.views), 0);
    assert_int_equal(r.views.class, WICK_HEAP_NONE);
    wick_heap_views_owner_add(&r.views, &r.graph, &text);
    assert_int_equal(text.len, 0);
    wick_strbuf_release(&text);
    wick_heap_report_release(&r);
    wick_strbuf_release(&h.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views__small_parts_of_arrays_count),
        cmocka_unit_test(test_views__without_buffers_there_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
