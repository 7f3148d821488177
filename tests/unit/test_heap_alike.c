/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds many class loaders together: dumps made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "heap/alike.h"
#include "heap/report.h"
#include "hprof_build.h"

enum { N_OBJECT = 1, N_CLASS, N_LOADER, N_OWN, N_A, N_CACHE, N_OBJECTS, N_MADE };
enum { C_OBJECT = 0x1000, C_CLASS = 0x1100, C_LOADER = 0x1200, C_OWN = 0x1300, C_A = 0x1400, C_OBJECTS = 0x1500 };
enum { ARRAY = 0x2000, LOADERS = 0x4000, OTHERS = 0x6000, MADE = 0x8000, MOST = 100 };

static void a_class(struct hprof_build *h, unsigned id, unsigned super)
{
    const struct hb_class c = {.id = id, .super = super};
    hb_class(h, &c);
}

static void class_a(struct hprof_build *h, uint64_t cache)
{
    static const uint64_t names[] = {N_CACHE};
    const struct hb_class a = {.id = C_A, .super = C_OBJECT, .nstatics = 1, .statics = {names, &cache}};
    hb_class(h, &a);
}

/*
 * class A .cache -> array -> n loaders of class Own, of which `referenced` are JNI global references as well; one more
 * loader is garbage. Their classes have one name, or one each. Two more loaders have defined nothing.
 */
static void dump(struct hprof_build *h, unsigned n, unsigned referenced, bool again)
{
    static const char *const text[] = {"java/lang/Object", "java/lang/Class", "java/lang/ClassLoader", "acme/Own",
                                       "acme/A",           "cache",           "[Ljava/lang/Object;"};
    char name[24];
    static const unsigned loads[][2] = {{C_OBJECT, N_OBJECT}, {C_CLASS, N_CLASS}, {C_LOADER, N_LOADER},
                                        {C_OWN, N_OWN},       {C_A, N_A},         {C_OBJECTS, N_OBJECTS}};
    uint64_t loaders[MOST];
    uint32_t serial = 1;
    hb_begin(h, 8, "JAVA PROFILE 1.0.2");
    for (unsigned i = 0; i < sizeof text / sizeof *text; i++)
        hb_string(h, N_OBJECT + i, text[i]);
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        hb_load(h, serial++, loads[i][0], loads[i][1]);
    for (unsigned i = 0; i <= n; i++) {
        snprintf(name, sizeof name, "acme/Made%u", i);
        hb_string(h, N_MADE + i, name);
        hb_load(h, serial++, MADE + 8 * i, again ? N_MADE : N_MADE + i);
    }
    hb_open(h, 0x1c);
    a_class(h, C_OBJECT, 0);
    a_class(h, C_CLASS, C_OBJECT);
    a_class(h, C_LOADER, C_OBJECT);
    a_class(h, C_OWN, C_LOADER);
    a_class(h, C_OBJECTS, C_OBJECT);
    class_a(h, ARRAY);
    for (unsigned i = 0; i <= n; i++) {
        const struct hb_class made = {.id = MADE + 8 * i, .super = C_OBJECT, .loader = LOADERS + 8 * i};
        hb_class(h, &made);
    }
    hb_root(h, 0x05, C_A, 0, 0);
    for (unsigned i = 0; i < n; i++) {
        loaders[i] = LOADERS + 8 * i;
        if (i < referenced)
            hb_root(h, 0x01, loaders[i], 2, 0);
    }
    hb_root(h, 0x01, OTHERS, 2, 0);
    hb_root(h, 0x01, OTHERS + 8, 2, 0);
    for (unsigned i = 0; i <= n; i++)
        hb_instance(h, LOADERS + 8 * i, C_OWN, 0, NULL);
    hb_instance(h, OTHERS, C_LOADER, 0, NULL);
    hb_instance(h, OTHERS + 8, C_LOADER, 0, NULL);
    hb_objects(h, ARRAY, C_OBJECTS, n, loaders);
    hb_close(h);
}

/* "count class: held of n by holder; path" of a dump. */
static char *said(unsigned n, unsigned referenced, bool again)
{
    const struct wick_heap_ask ask = {.graph = true};
    struct hprof_build h;
    struct wick_heap_report r;
    struct wick_heap_alike alike;
    struct wick_heap_common common;
    struct wick_strbuf out = WICK_STRBUF_INIT;
    FILE *f = tmpfile();
    assert_non_null(f);
    dump(&h, n, referenced, again);
    assert_int_equal(fwrite(h.b.buf, 1, h.b.len, f), h.b.len);
    fflush(f);
    assert_int_equal(wick_heap_report_adopt(&r, dup(fileno(f)), "test.hprof", &ask, NULL), 0);
    fclose(f);
    assert_int_equal(wick_heap_alike_loaders(&r.loaders, &alike, NULL), 0);
    assert_int_equal(wick_heap_alike_holder(&r.graph, &alike, &common, NULL), 0);
    wick_strbuf_addf(&out, "%d ", (int)alike.count);
    if (alike.count)
        wick_heap_class_name(&r.graph.classes, alike.class, &out);
    wick_strbuf_addf(&out, ": %zu of %zu by ", common.held, alike.n);
    if (common.held)
        wick_heap_object_add(&r.graph, common.holder, &out);
    wick_strbuf_adds(&out, "; ");
    if (common.path.n)
        wick_heap_path_add(&r.graph, &common.path, &out);
    wick_heap_common_release(&common);
    wick_heap_report_release(&r);
    wick_strbuf_release(&h.b);
    return wick_strbuf_take(&out);
}

static void says(unsigned n, unsigned referenced, const char *text)
{
    char *s = said(n, referenced, true);
    assert_string_equal(s, text);
    free(s);
}

static void test_alike__what_holds_them_all_is_found(void **state)
{
    (void)state;
    says(3, 0,
         "3 acme.Own: 3 of 3 by java.lang.Object[3]; system class: class acme.A, static cache -> java.lang.Object[3], "
         "[0] "
         "-> acme.Own");
    says(MOST, 0,
         "100 acme.Own: 32 of 32 by java.lang.Object[100]; system class: class acme.A, static cache -> "
         "java.lang.Object[100], [0] -> acme.Own");
}

static void test_alike__some_may_be_held_by_others(void **state)
{
    (void)state;
    says(20, 6,
         "20 acme.Own: 14 of 20 by java.lang.Object[20]; system class: class acme.A, static cache -> "
         "java.lang.Object[20], [6] -> acme.Own");
}

static void test_alike__each_a_root_of_its_own_has_no_holder(void **state)
{
    (void)state;
    says(3, 3, "3 acme.Own: 0 of 3 by ; JNI global reference: acme.Own");
    says(0, 0, "0 : 0 of 0 by ; ");
}

static void test_alike__without_a_class_defined_twice_all_loaders_count(void **state)
{
    (void)state;
    char *s = said(3, 0, false);
    assert_memory_equal(s, "3 acme.Own: 3 of 3 by java.lang.Object[3]; ", 43);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alike__what_holds_them_all_is_found),
        cmocka_unit_test(test_alike__some_may_be_held_by_others),
        cmocka_unit_test(test_alike__each_a_root_of_its_own_has_no_holder),
        cmocka_unit_test(test_alike__without_a_class_defined_twice_all_loaders_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
