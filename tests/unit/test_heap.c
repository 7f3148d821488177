/* SPDX-License-Identifier: Apache-2.0 */
/* Heap dumps made by hand: what their records mean, and what is computed from them. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/random.h"
#include "codec/gzip.h"
#include "heap/dump_file.h"
#include "heap/histogram.h"
#include "heap/report.h"
#include "hprof_build.h"

/* Ids: names from 1 on, classes from 0x1000, objects from 0x2000 (multiples of 8, as of a JVM). */
enum {
    N_OBJECT = 1,
    N_CLASS,
    N_STRING,
    N_THREAD,
    N_REFERENCE,
    N_LOADER,
    N_A,
    N_NEXT,
    N_OTHER,
    N_REFERENT,
    N_VALUE,
    N_CODER,
    N_CACHE,
    N_NAME,
    N_BYTES,
    N_OBJECTS,
    N_RUN,
    N_FILE,
    N_LIST,
    N_DATA,
    N_MINE,
};
enum {
    C_OBJECT = 0x1000,
    C_CLASS = 0x1100,
    C_STRING = 0x1200,
    C_THREAD = 0x1300,
    C_REFERENCE = 0x1400,
    C_LOADER = 0x1500,
    C_A = 0x1600,
    C_BYTES = 0x1700,
    C_OBJECTS = 0x1800,
    C_LIST = 0x1900,
    C_MINE = 0x1a00,
};
enum { O = 0x2000 };

static void names(struct hprof_build *h)
{
    static const struct {
        unsigned id;
        const char *text;
    } all[] = {{N_OBJECT, "java/lang/Object"},
               {N_CLASS, "java/lang/Class"},
               {N_STRING, "java/lang/String"},
               {N_THREAD, "java/lang/Thread"},
               {N_REFERENCE, "java/lang/ref/Reference"},
               {N_LOADER, "java/lang/ClassLoader"},
               {N_A, "acme/A"},
               {N_NEXT, "next"},
               {N_OTHER, "other"},
               {N_REFERENT, "referent"},
               {N_VALUE, "value"},
               {N_CODER, "coder"},
               {N_CACHE, "cache"},
               {N_NAME, "name"},
               {N_BYTES, "[B"},
               {N_OBJECTS, "[Ljava/lang/Object;"},
               {N_RUN, "run"},
               {N_FILE, "A.java"},
               {N_LIST, "java/util/ArrayList"},
               {N_DATA, "elementData"},
               {N_MINE, "acme/Mine"}};
    static const unsigned loads[][2] = {
        {C_OBJECT, N_OBJECT},       {C_CLASS, N_CLASS},   {C_STRING, N_STRING}, {C_THREAD, N_THREAD},
        {C_REFERENCE, N_REFERENCE}, {C_LOADER, N_LOADER}, {C_A, N_A},           {C_BYTES, N_BYTES},
        {C_OBJECTS, N_OBJECTS},     {C_LIST, N_LIST},     {C_MINE, N_MINE}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        hb_string(h, all[i].id, all[i].text);
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        hb_load(h, (uint32_t)i + 1, loads[i][0], loads[i][1]);
}

/* All classes but acme.A, which has static fields: the test's. */
static void classes(struct hprof_build *h)
{
    static const uint64_t next[] = {N_NEXT, N_OTHER}, value[] = {N_VALUE, N_CODER}, name[] = {N_NAME},
                          referent[] = {N_REFERENT, N_NEXT}, data[] = {N_DATA};
    const struct hb_class all[] = {
        {.id = C_OBJECT},
        {.id = C_CLASS, .super = C_OBJECT},
        {.id = C_STRING, .super = C_OBJECT, .fields = "LB", .names = value},
        {.id = C_THREAD, .super = C_OBJECT, .fields = "L", .names = name},
        {.id = C_REFERENCE, .super = C_OBJECT, .fields = "LL", .names = referent},
        {.id = C_LOADER, .super = C_OBJECT},
        {.id = C_BYTES, .super = C_OBJECT},
        {.id = C_OBJECTS, .super = C_OBJECT},
        {.id = C_LIST, .super = C_OBJECT, .fields = "L", .names = data},
        {.id = C_MINE, .super = C_OBJECT, .loader = O + 0x800, .fields = "LL", .names = next}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        hb_class(h, &all[i]);
}

static void class_a(struct hprof_build *h, uint64_t cache)
{
    static const uint64_t next[] = {N_NEXT, N_OTHER}, names_of_statics[] = {N_CACHE};
    const struct hb_class a = {.id = C_A,
                               .super = C_OBJECT,
                               .fields = "LL",
                               .names = next,
                               .nstatics = 1,
                               .statics = {names_of_statics, &cache}};
    hb_class(h, &a);
}

static void an_a(struct hprof_build *h, uint64_t id, uint64_t next, uint64_t other)
{
    hb_instance(h, id, C_A, 2, (const uint64_t[]){next, other});
}

/* What the whole of a dump is made of; a report of it. */
static int report_of(struct hprof_build *h, struct wick_heap_report *r, const struct wick_heap_ask *ask,
                     struct wick_err *err)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    assert_int_equal(fwrite(h->b.buf, 1, h->b.len, f), h->b.len);
    fflush(f);
    int rc = wick_heap_report_adopt(r, dup(fileno(f)), "test.hprof", ask, err);
    fclose(f);
    return rc;
}

static const struct wick_heap_ask whole = {.graph = true, .waste = true, .tree = true, .paths = true, .rows = 100};

static uint64_t retained(struct wick_heap_report *r, uint64_t id)
{
    uint32_t n = wick_heap_ids_find(&r->graph.ids, id);
    assert_int_not_equal(n, WICK_HEAP_NONE);
    uint32_t number = wick_heap_u32(&r->retained.d.number)[n];
    return number ? wick_heap_retained_of(&r->retained, number) : 0;
}

static uint64_t shallow(struct wick_heap_report *r, uint64_t id)
{
    return wick_heap_graph_brief(&r->graph, wick_heap_ids_find(&r->graph.ids, id)).bytes;
}

static const char *path_to(struct wick_heap_report *r, uint64_t id)
{
    static char text[4096];
    struct wick_strbuf b = WICK_STRBUF_INIT;
    struct wick_heap_path p;
    uint32_t target = wick_heap_ids_find(&r->graph.ids, id);
    assert_int_equal(wick_heap_paths_find(&r->graph, &target, 1, &p, NULL), 0);
    if (p.n)
        wick_heap_root_add(&r->graph, p.objects[0], &b);
    for (uint32_t i = 0; i < p.n; i++) {
        wick_strbuf_adds(&b, "; ");
        if (i)
            wick_heap_reference_add(&r->graph, p.objects[i - 1], p.objects[i], &b);
        wick_strbuf_addc(&b, ' ');
        wick_heap_object_add(&r->graph, p.objects[i], &b);
    }
    snprintf(text, sizeof text, "%s", b.buf);
    wick_strbuf_release(&b);
    wick_heap_paths_release(&p, 1);
    return text;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

/* A dump with every kind of record and sub-record. */
static void everything(struct hprof_build *h, unsigned id_size, const char *version)
{
    static const struct {
        unsigned tag, words, ids;
    } roots[] = {
#define X(name, tag, words, ids, thread, text) {tag, words, ids},
#include "def/hprof_root.def"
#undef X
    };
    hb_begin(h, id_size, version);
    names(h);
    hb_record(h, 0x03, 4); /* UNLOAD_CLASS and others: passed over */
    hb_n(h, 1, 4);
    hb_record(h, 0x07, 24);
    hb_n(h, 0, 24);
    hb_record(h, 0x77, 3);
    hb_n(h, 0, 3);
    hb_record(h, 0x04, 4 * id_size + 8);
    hb_id(h, 70);
    hb_id(h, N_RUN);
    hb_id(h, 0);
    hb_id(h, N_FILE);
    hb_n(h, 7, 4); /* serial of acme.A */
    hb_n(h, 12, 4);
    hb_record(h, 0x05, 12 + id_size);
    hb_n(h, 5, 4);
    hb_n(h, 1, 4);
    hb_n(h, 1, 4);
    hb_id(h, 70);
    hb_open(h, 0x1c);
    classes(h);
    class_a(h, O);
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        hb_u1(h, roots[i].tag);
        hb_id(h, O + 8 * i);
        for (unsigned k = 0; k < roots[i].ids; k++)
            hb_id(h, 0);
        for (unsigned k = 0; k < roots[i].words; k++)
            hb_n(h, 0, 4);
    }
    hb_u1(h, 0xfe); /* Android: a heap's name; an unreachable object */
    hb_n(h, 1, 4);
    hb_id(h, N_NAME);
    hb_u1(h, 0x90);
    hb_id(h, O);
    hb_close(h);
    hb_open(h, 0x1c);
    for (uint64_t i = 0; i < 15; i++)
        an_a(h, O + 8 * i, 0, 0);
    hb_objects(h, O + 0x100, C_OBJECTS, 2, (const uint64_t[]){O, 0});
    hb_bytes(h, O + 0x200, "bytes");
    hb_u1(h, 0xc3); /* an array without its elements */
    hb_id(h, O + 0x300);
    hb_n(h, 0, 4);
    hb_n(h, 1000, 4);
    hb_u1(h, WICK_HPROF_LONG);
    hb_close(h);
    hb_record(h, 0x2c, 0);
}

static void test_reader__every_record_is_understood(void **state)
{
    (void)state;
    for (unsigned id_size = 4; id_size <= 8; id_size += 4) {
        struct hprof_build h;
        struct wick_heap_report r;
        struct wick_err err = {0};
        everything(&h, id_size, id_size == 4 ? "JAVA PROFILE 1.0.1" : "JAVA PROFILE 1.0.2");
        assert_int_equal(report_of(&h, &r, &whole, &err), 0);
        assert_int_equal(r.graph.hprof.id_size, id_size);
        assert_int_equal(r.graph.hprof.time_ms, 1700000000000);
        assert_int_equal(r.graph.totals.objects, 15 + 3 + 11);
        assert_int_equal(r.graph.totals.classes, 11);
        for (uint64_t i = 0; i < 15; i++)
            assert_true(retained(&r, O + 8 * i) > 0);
        assert_int_equal(retained(&r, O + 0x100), 0);
        assert_int_equal(shallow(&r, O + 0x300), (r.graph.classes.layout.array + 8000 + 7) / 8 * 8);
        uint32_t a = wick_heap_class_named(&r.graph.classes, "acme/A");
        assert_int_equal(r.graph.classes.all[a].objects, 15);
        wick_heap_report_release(&r);
        wick_strbuf_release(&h.b);
    }
}

static void test_reader__a_dump_that_is_cut_anywhere_is_refused(void **state)
{
    (void)state;
    struct hprof_build h;
    struct wick_err err;
    everything(&h, 8, "JAVA PROFILE 1.0.2");
    size_t len = h.b.len;
    for (size_t cut = 0; cut < len - 9; cut++) {
        struct wick_heap_report r;
        struct wick_heap_file f;
        struct wick_heap_store s = {0};
        struct wick_heap_graph g;
        (void)r;
        err = (struct wick_err){0};
        char *copy = malloc(cut + 1); /* so that a read beyond it is seen */
        memcpy(copy, h.b.buf, cut);
        f = (struct wick_heap_file){.fd = -1, .data = (const uint8_t *)copy, .size = cut};
        int rc = wick_heap_graph_open(&g, &f, "cut", &s, &err);
        if (!rc) { /* only where one record ends and the next begins */
            rc = wick_heap_graph_index(&g, &err);
            wick_heap_graph_release(&g);
        } else {
            assert_true(*err.msg);
        }
        free(copy);
    }
    wick_strbuf_release(&h.b);
}

static void test_reader__lengths_that_could_not_be_written(void **state)
{
    (void)state;
    struct hprof_build h;
    struct wick_heap_report r;
    hb_begin(&h, 8, "JAVA PROFILE 1.0.2");
    names(&h);
    hb_open(&h, 0x1c); /* length 0: up to the next record */
    classes(&h);
    class_a(&h, 0);
    an_a(&h, O, 0, 0);
    hb_open(&h, 0x1c); /* and this one up to the end of the dump */
    an_a(&h, O + 8, 0, 0);
    hb_root(&h, 0xff, O + 8, 0, 0);
    hb_record(&h, 0x2c, 0);
    assert_int_equal(report_of(&h, &r, &whole, NULL), 0);
    assert_int_equal(r.graph.totals.objects, 13);
    assert_true(retained(&r, O + 8) > 0);
    wick_heap_report_release(&r);
    wick_strbuf_release(&h.b);
}

static void test_reader__what_is_no_dump_is_refused_with_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        unsigned id_size;
        int code;
    } bad[] = {{"JAVA PROFILE 2.0.2", 8, -WICK_E_FORMAT},
               {"JAVA PROFILE 1.0.9", 8, -WICK_E_UNSUPPORTED},
               {"JAVA PROFILE 1.0.2", 3, -WICK_E_FORMAT},
               {"JAVA PROFILE 1.0.2", 8, -WICK_E_FORMAT}}; /* no heap dump in it */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct hprof_build h;
        struct wick_heap_report r;
        struct wick_err err = {0};
        hb_begin(&h, bad[i].id_size, bad[i].head);
        assert_int_equal(report_of(&h, &r, &whole, &err), bad[i].code);
        assert_non_null(strstr(err.msg, "test.hprof"));
        wick_strbuf_release(&h.b);
    }
}

static void test_reader__an_instance_that_does_not_fit_its_class_is_refused(void **state)
{
    (void)state;
    struct hprof_build h;
    struct wick_heap_report r;
    struct wick_err err = {0};
    hb_begin(&h, 8, "JAVA PROFILE 1.0.2");
    names(&h);
    hb_open(&h, 0x1c);
    classes(&h);
    class_a(&h, O);
    hb_root(&h, 0x05, C_A, 0, 0);
    hb_instance(&h, O, C_A, 1, (const uint64_t[]){O});
    hb_close(&h);
    assert_int_equal(report_of(&h, &r, &whole, &err), -WICK_E_FORMAT);
    assert_non_null(strstr(err.msg, "does not fit its class"));
    wick_strbuf_release(&h.b);
}

static void test_reader__a_packed_dump_is_unpacked(void **state)
{
    (void)state;
    struct hprof_build h;
    struct wick_heap_report r;
    struct wick_err err = {0};
    FILE *f = tmpfile();
    everything(&h, 8, "JAVA PROFILE 1.0.2");
    for (size_t at = 0; at < h.b.len; at += 100) { /* as the JVM does: one member behind the other */
        struct wick_gzip *z = wick_gzip_new(f);
        wick_gzip_add(z, h.b.buf + at, h.b.len - at < 100 ? h.b.len - at : 100);
        wick_gzip_finish(z);
    }
    fflush(f);
    assert_int_equal(wick_heap_report_adopt(&r, dup(fileno(f)), "test.hprof.gz", &whole, &err), 0);
    assert_int_equal(r.graph.totals.objects, 15 + 3 + 11);
    wick_heap_report_release(&r);
    assert_int_equal(ftruncate(fileno(f), ftell(f) - 9), 0);
    assert_int_equal(wick_heap_report_adopt(&r, dup(fileno(f)), "test.hprof.gz", &whole, &err), -WICK_E_FORMAT);
    assert_non_null(strstr(err.msg, "cut off"));
    fclose(f);
    wick_strbuf_release(&h.b);
}

/* --- who holds whom ----------------------------------------------------------------------------------------------- */

/*
 *   class A .cache -> O -> O+8 -> O+16    thread O+0x400 -- frame --> O+24 -> O+32
 *                     O -> O+16           reference O+0x500 -> referent O+40, next O+48
 *   O+56 is garbage and refers to O+8; O+64 is acme.Mine, whose class is held by nothing else, nor its loader O+0x800
 */
static void scene(struct hprof_build *h)
{
    hb_begin(h, 8, "JAVA PROFILE 1.0.2");
    names(h);
    hb_record(h, 0x04, 4 * 8 + 8);
    hb_id(h, 70);
    hb_id(h, N_RUN);
    hb_id(h, 0);
    hb_id(h, N_FILE);
    hb_n(h, 7, 4);
    hb_n(h, 12, 4);
    hb_record(h, 0x05, 12 + 8);
    hb_n(h, 5, 4);
    hb_n(h, 3, 4);
    hb_n(h, 1, 4);
    hb_id(h, 70);
    hb_open(h, 0x1c);
    classes(h);
    class_a(h, O);
    hb_root(h, 0x05, C_A, 0, 0);
    hb_u1(h, 0x08); /* thread 3 with stack trace 5 */
    hb_id(h, O + 0x400);
    hb_n(h, 3, 4);
    hb_n(h, 5, 4);
    hb_u1(h, 0x03); /* a local variable in its frame 0 */
    hb_id(h, O + 24);
    hb_n(h, 3, 4);
    hb_n(h, 0, 4);
    hb_root(h, 0x01, O + 0x500, 2, 0);
    hb_root(h, 0x07, O + 64, 0, 0);
    an_a(h, O, O + 8, O + 16);
    an_a(h, O + 8, O + 16, 0);
    an_a(h, O + 16, 0, 0);
    an_a(h, O + 24, O + 32, 0);
    an_a(h, O + 32, 0, 0);
    an_a(h, O + 40, 0, 0);
    an_a(h, O + 48, 0, 0);
    an_a(h, O + 56, O + 8, 0);
    hb_instance(h, O + 64, C_MINE, 2, (const uint64_t[]){0, 0});
    hb_instance(h, O + 0x800, C_LOADER, 0, NULL);
    hb_instance(h, O + 0x500, C_REFERENCE, 2, (const uint64_t[]){O + 40, O + 48});
    hb_u1(h, WICK_HPROF_INSTANCE); /* "worker" */
    hb_id(h, O + 0x600);
    hb_n(h, 0, 4);
    hb_id(h, C_STRING);
    hb_n(h, 9, 4);
    hb_id(h, O + 0x700);
    hb_u1(h, 0);
    hb_bytes(h, O + 0x700, "worker");
    hb_instance(h, O + 0x400, C_THREAD, 1, (const uint64_t[]){O + 0x600});
    hb_close(h);
}

static void test_graph__what_holds_an_object_retains_it(void **state)
{
    (void)state;
    struct hprof_build h;
    struct wick_heap_report r;
    scene(&h);
    assert_int_equal(report_of(&h, &r, &whole, NULL), 0);
    uint64_t a = shallow(&r, O);
    assert_int_equal(retained(&r, O), 3 * a);
    assert_int_equal(retained(&r, O + 8), a); /* O+16 is held by O as well */
    assert_int_equal(retained(&r, C_A), shallow(&r, C_A) + 3 * a);
    assert_int_equal(retained(&r, O + 0x400), /* a thread: its name and what its stack holds */
                     shallow(&r, O + 0x400) + shallow(&r, O + 0x600) + shallow(&r, O + 0x700) + 2 * a);
    assert_int_equal(retained(&r, O + 40), 0); /* a referent */
    assert_int_equal(retained(&r, O + 0x500), shallow(&r, O + 0x500) + a);
    assert_int_equal(retained(&r, O + 56), 0); /* garbage */
    assert_int_equal(retained(&r, O + 64), shallow(&r, O + 64) + shallow(&r, C_MINE) + shallow(&r, O + 0x800));
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r.retained.ntops; i++)
        sum += r.retained.tops[i].retained;
    assert_int_equal(sum, r.retained.bytes);
    assert_int_equal(wick_tree_node(r.retained.tree, WICK_TREE_ROOT)->total, r.retained.bytes);
    wick_heap_report_release(&r);
    wick_strbuf_release(&h.b);
}

static void test_graph__classes_retain_what_their_instances_do(void **state)
{
    (void)state;
    struct hprof_build h;
    struct wick_heap_report r;
    scene(&h);
    assert_int_equal(report_of(&h, &r, &whole, NULL), 0);
    uint32_t a = wick_heap_class_named(&r.graph.classes, "acme/A");
    const struct wick_heap_class_sum *sum = &r.retained.sum[a];
    assert_int_equal(r.graph.classes.all[a].objects, 8);
    assert_int_equal(sum->objects, 6);                   /* neither the referent nor the garbage */
    assert_int_equal(sum->retained, 6 * shallow(&r, O)); /* O+8 is within O: once */
    wick_heap_report_release(&r);
    wick_strbuf_release(&h.b);
}

static void test_suspects__those_alike_are_counted(void **state)
{
    (void)state;
    struct hprof_build h;
    struct wick_heap_report r;
    char text[8001];
    memset(text, 'x', 8000);
    text[8000] = 0;
    hb_begin(&h, 8, "JAVA PROFILE 1.0.2");
    names(&h);
    hb_open(&h, 0x1c);
    classes(&h);
    hb_root(&h, 0x07, O + 64, 0, 0);
    hb_instance(&h, O + 64, C_MINE, 2, (const uint64_t[]){O + 0x1000, O + 0x2000});
    hb_bytes(&h, O + 0x1000, text);
    text[7000] = 0;
    hb_bytes(&h, O + 0x2000, text);
    hb_close(&h);
    assert_int_equal(report_of(&h, &r, &whole, NULL), 0);
    assert_int_equal(r.retained.nsuspects, 1);
    const struct wick_heap_suspect *s = &r.retained.suspects[0];
    assert_int_equal(s->object, wick_heap_ids_find(&r.graph.ids, O + 0x1000));
    assert_int_equal(s->retained, shallow(&r, O + 0x1000));
    assert_int_equal(s->alike, 1);
    assert_int_equal(s->alike_retained, shallow(&r, O + 0x2000));
    wick_heap_report_release(&r);
    wick_strbuf_release(&h.b);
}

static void test_paths__are_named_by_fields_frames_and_roots(void **state)
{
    (void)state;
    struct hprof_build h;
    struct wick_heap_report r;
    scene(&h);
    assert_int_equal(report_of(&h, &r, &whole, NULL), 0);
    assert_string_equal(path_to(&r, O + 16), "system class;  class acme.A; static cache acme.A; other acme.A");
    assert_string_equal(path_to(&r, O + 32), "thread;  java.lang.Thread \"worker\"; local variable in "
                                             "acme.A.run(A.java:12) acme.A; next acme.A");
    assert_string_equal(path_to(&r, O + 48), "JNI global reference;  java.lang.ref.Reference; next acme.A");
    assert_string_equal(path_to(&r, O + 40), "");
    assert_string_equal(path_to(&r, O + 0x800), "monitor in use;  acme.Mine; <class> class acme.Mine; <class loader> "
                                                "java.lang.ClassLoader");
    wick_heap_report_release(&r);
    wick_strbuf_release(&h.b);
}

static void test_loaders__say_what_they_have_defined(void **state)
{
    (void)state;
    struct hprof_build h;
    struct wick_heap_report r;
    scene(&h);
    assert_int_equal(report_of(&h, &r, &whole, NULL), 0);
    assert_int_equal(r.loaders.n, 2);
    assert_int_equal(r.loaders.all[0].id, O + 0x800);
    assert_int_equal(r.loaders.all[0].classes, 1);
    assert_int_equal(r.loaders.all[0].objects, 1);
    assert_int_equal(r.loaders.all[0].again, 0);
    assert_int_equal(r.loaders.all[0].retained, shallow(&r, C_MINE) + shallow(&r, O + 0x800)); /* the class holds it */
    assert_true(r.loaders.all[0].reachable);
    assert_int_equal(r.loaders.all[1].classes, 10);
    wick_heap_report_release(&r);
    wick_strbuf_release(&h.b);
}

static void test_graph__little_memory_gives_the_same(void **state)
{
    (void)state;
    struct hprof_build h;
    struct wick_heap_report r, small;
    struct wick_heap_ask ask = whole;
    scene(&h);
    ask.memory = 1;
    assert_int_equal(report_of(&h, &r, &whole, NULL), 0);
    assert_int_equal(report_of(&h, &small, &ask, NULL), 0);
    assert_true(small.store.tight);
    for (uint64_t id = O; id <= O + 64; id += 8)
        assert_int_equal(retained(&small, id), retained(&r, id));
    wick_heap_report_release(&r);
    wick_heap_report_release(&small);
    wick_strbuf_release(&h.b);
}

/* --- waste -------------------------------------------------------------------------------------------------------- */

static void a_string(struct hprof_build *h, uint64_t id, uint64_t array, unsigned coder)
{
    hb_u1(h, WICK_HPROF_INSTANCE);
    hb_id(h, id);
    hb_n(h, 0, 4);
    hb_id(h, C_STRING);
    hb_n(h, 9, 4);
    hb_id(h, array);
    hb_u1(h, coder);
}

static void test_waste__equal_contents_are_counted(void **state)
{
    (void)state;
    struct hprof_build h;
    struct wick_heap_report r;
    hb_begin(&h, 8, "JAVA PROFILE 1.0.2");
    names(&h);
    hb_open(&h, 0x1c);
    classes(&h);
    class_a(&h, 0);
    hb_bytes(&h, O + 8, "text");
    hb_bytes(&h, O + 16, "text");
    hb_bytes(&h, O + 24, "text");
    hb_bytes(&h, O + 32, "same");
    hb_bytes(&h, O + 40, "same");
    hb_bytes(&h, O + 48, "once");
    a_string(&h, O + 0x100, O + 8, 0);
    a_string(&h, O + 0x108, O + 16, 0);
    a_string(&h, O + 0x110, O + 16, 0); /* shares it */
    a_string(&h, O + 0x118, O + 24, 1); /* the same bytes in another coding: another text */
    a_string(&h, O + 0x120, O + 48, 0);
    hb_close(&h);
    assert_int_equal(report_of(&h, &r, &whole, NULL), 0);
    const struct wick_heap_duplicates *s = &r.waste.strings, *a = &r.waste.arrays;
    uint64_t string = shallow(&r, O + 0x100), array = shallow(&r, O + 8);
    assert_int_equal(s->all, 5);
    assert_int_equal(s->groups, 1);
    assert_int_equal(s->objects, 3);
    assert_int_equal(s->waste, 2 * string + array);
    assert_int_equal(s->top[0].count, 3);
    assert_int_equal(a->all, 2);
    assert_int_equal(a->groups, 1);
    assert_int_equal(a->waste, array);
    wick_heap_report_release(&r);
    wick_strbuf_release(&h.b);
}

static void test_waste__room_of_collections_is_measured(void **state)
{
    (void)state;
    struct hprof_build h;
    struct wick_heap_report r;
    const uint64_t none[10] = {0}, two[10] = {O, O};
    hb_begin(&h, 8, "JAVA PROFILE 1.0.2");
    names(&h);
    hb_open(&h, 0x1c);
    classes(&h);
    class_a(&h, 0);
    an_a(&h, O, 0, 0);
    hb_objects(&h, O + 0x100, C_OBJECTS, 10, none);
    hb_objects(&h, O + 0x200, C_OBJECTS, 10, two);
    hb_objects(&h, O + 0x300, C_OBJECTS, 10, two); /* of no list */
    hb_instance(&h, O + 0x400, C_LIST, 1, (const uint64_t[]){O + 0x100});
    hb_instance(&h, O + 0x408, C_LIST, 1, (const uint64_t[]){O + 0x200});
    hb_instance(&h, O + 0x410, C_LIST, 1, (const uint64_t[]){0});
    hb_close(&h);
    assert_int_equal(report_of(&h, &r, &whole, NULL), 0);
    assert_int_equal(r.waste.ncollections, 2);
    const struct wick_heap_collection *c = r.waste.collections;
    unsigned ref = r.graph.classes.layout.ref;
    assert_true(wick_heap_class_is(&r.graph.classes, c[0].class, "java/util/ArrayList"));
    assert_int_equal(c[0].objects, 3);
    assert_int_equal(c[0].empty, 2);
    assert_int_equal(c[0].half, 1);
    assert_int_equal(c[0].capacity, 20);
    assert_int_equal(c[0].used, 2);
    assert_int_equal(c[0].waste, 18 * ref);
    assert_true(wick_heap_class_is(&r.graph.classes, c[1].class, "[Ljava/lang/Object;"));
    assert_int_equal(c[1].waste, 8 * ref);
    wick_heap_report_release(&r);
    wick_strbuf_release(&h.b);
}

/* Changes some bytes. */
static void flip(char *bytes, size_t n, uint64_t *random)
{
    for (uint64_t times = wick_random_below(random, 4); times; times--)
        bytes[wick_random_below(random, n)] = (char)wick_random_u64(random);
}

/* All of the analysis, with changes before each step; how many steps were done. */
static unsigned analyse_changing(char *bytes, size_t n, uint64_t *random)
{
    struct wick_heap_file f;
    struct wick_heap_store s = {0};
    struct wick_heap_graph g;
    struct wick_heap_waste w = {0};
    struct wick_heap_retained r = {0};
    struct wick_heap_loaders l = {0};
    struct wick_heap_path path = {0};
    unsigned steps = 0;
    f = (struct wick_heap_file){.fd = -1, .data = (const uint8_t *)bytes, .size = n};
    if (wick_heap_graph_open(&g, &f, "changing", &s, NULL))
        return 0;
    flip(bytes, n, random);
    int rc = wick_heap_graph_index(&g, NULL);
    steps += !rc;
    flip(bytes, n, random);
    rc = rc ? rc : wick_heap_waste_find(&w, &g, 10, NULL);
    steps += !rc;
    flip(bytes, n, random);
    rc = rc ? rc : wick_heap_retained_find(&r, &g, &(struct wick_heap_retained_ask){.tops = 10, .tree = true}, NULL);
    steps += !rc;
    flip(bytes, n, random);
    rc = rc ? rc : wick_heap_loaders_find(&l, &g, &r, NULL);
    steps += !rc;
    rc = rc ? rc : r.nsuspects ? wick_heap_paths_find(&g, &r.suspects[0].object, 1, &path, NULL) : 0;
    wick_heap_paths_release(&path, 1);
    wick_heap_loaders_release(&l);
    wick_heap_waste_release(&w);
    wick_heap_retained_release(&r, &s);
    wick_heap_graph_release(&g);
    return steps + !rc;
}

static int changing_runs = 300; /* the long tests do more (meson.build) */

/* The dump of a live JVM lies in its own directory, where it can go on writing to it. */
static void test_reader__a_dump_that_changes_while_it_is_read_does_no_harm(void **state)
{
    (void)state;
    struct hprof_build h;
    uint64_t random = 1;
    unsigned done[6] = {0};
    everything(&h, 8, "JAVA PROFILE 1.0.2");
    char *bytes = malloc(h.b.len);
    for (int i = 0; i < changing_runs; i++) {
        memcpy(bytes, h.b.buf, h.b.len);
        done[analyse_changing(bytes, h.b.len, &random)]++;
    }
    assert_true(done[0] > 0); /* found out at the second reading */
    assert_true(done[5] > 0);
    free(bytes);
    wick_strbuf_release(&h.b);
}

static void test_store__a_temporary_file_cannot_be_given_a_name(void **state)
{
    struct wick_err err = {0};
    char fd_path[32], name[64];
    (void)state;
    int fd = wick_heap_file_temp(&err);
    assert_true(fd >= 0);
    snprintf(fd_path, sizeof fd_path, "/proc/self/fd/%d", fd);
    snprintf(name, sizeof name, "/tmp/.wick-test-%d", (int)getpid());
    int linked = linkat(AT_FDCWD, fd_path, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
    unlink(name);
    close(fd);
    assert_int_equal(linked, -1);
}

static void test_histogram__other_lines_are_passed_over(void **state)
{
    (void)state;
    char text[] = " num     #instances         #bytes  class name (module)\n"
                  "-------------------------------------------------------\n"
                  "   1:         14266        6672712  [B (java.base@21.0.1)\n"
                  "   2:             7            224  app.Leak\n"
                  "   3:  18446744073709551615     8  [Lapp.Leak;\n"
                  "   4:          many\n"
                  "Total         14273        6672936";
    struct wick_histogram h = {0};
    assert_int_equal(wick_histogram_parse(&h, text, "Leak"), 0);
    assert_int_equal(h.n, 2);
    assert_string_equal(h.rows[0].name, "app.Leak");
    assert_int_equal(h.rows[0].objects, 7);
    assert_int_equal(h.rows[0].bytes, 224);
    assert_string_equal(h.rows[1].name, "app.Leak[]");
    assert_int_equal(h.bytes, 6672944);
    assert_int_equal(h.objects, UINT64_MAX); /* it stays there */
    wick_histogram_release(&h);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        changing_runs = atoi(argv[1]);
        cmocka_set_test_filter("*changes_while*");
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reader__every_record_is_understood),
        cmocka_unit_test(test_reader__a_dump_that_is_cut_anywhere_is_refused),
        cmocka_unit_test(test_reader__a_dump_that_changes_while_it_is_read_does_no_harm),
        cmocka_unit_test(test_reader__lengths_that_could_not_be_written),
        cmocka_unit_test(test_reader__what_is_no_dump_is_refused_with_a_sentence),
        cmocka_unit_test(test_reader__an_instance_that_does_not_fit_its_class_is_refused),
        cmocka_unit_test(test_reader__a_packed_dump_is_unpacked),
        cmocka_unit_test(test_graph__what_holds_an_object_retains_it),
        cmocka_unit_test(test_graph__classes_retain_what_their_instances_do),
        cmocka_unit_test(test_suspects__those_alike_are_counted),
        cmocka_unit_test(test_paths__are_named_by_fields_frames_and_roots),
        cmocka_unit_test(test_loaders__say_what_they_have_defined),
        cmocka_unit_test(test_graph__little_memory_gives_the_same),
        cmocka_unit_test(test_store__a_temporary_file_cannot_be_given_a_name),
        cmocka_unit_test(test_waste__equal_contents_are_counted),
        cmocka_unit_test(test_waste__room_of_collections_is_measured),
        cmocka_unit_test(test_histogram__other_lines_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
