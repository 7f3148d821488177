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

enum { N_OBJECT = 1, N_CLASS, N_LOADER, N_OWN, N_A, N_CACHE, N_OBJECTS, N_LIST, N_NODE, N_WEB, N_SHARED, N_MADE };
enum { C_OBJECT = 0x1000, C_CLASS = 0x1100, C_LOADER = 0x1200, C_OWN = 0x1300, C_A = 0x1400, C_OBJECTS = 0x1500 };
enum { C_LIST = 0x1600, C_NODE = 0x1700, C_WEB = 0x1800 };
enum { ARRAY = 0x2000, LOADERS = 0x4000, OTHERS = 0x6000, MADE = 0x8000, MOST = 100 };
enum { LIST = 0xa000, NODES = 0xa100, WEBS = 0xc000, SHARED = 0xc100 };

/* A dump of n loaders of class Own. */
struct plan {
    unsigned n, referenced;
    bool again, chain; /* their classes have one name; a chain holds them, no array */
    unsigned webs;     /* loaders of another class whose classes have one name */
    unsigned grown;    /* as many loaders are new */
};

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

/* list -> node -> node ..., each of which has a loader. */
static void chain(struct hprof_build *h, unsigned n)
{
    uint64_t head = NODES;
    hb_instance(h, LIST, C_LIST, 1, &head);
    for (unsigned i = 0; i < n; i++) {
        const uint64_t refs[] = {i + 1 < n ? NODES + 8 * (i + 1) : 0, LOADERS + 8 * i};
        hb_instance(h, NODES + 8 * i, C_NODE, 2, refs);
    }
}

static void chain_classes(struct hprof_build *h)
{
    static const uint64_t names[] = {N_CACHE, N_CACHE};
    const struct hb_class list = {.id = C_LIST, .super = C_OBJECT, .fields = "L", .names = names};
    const struct hb_class node = {.id = C_NODE, .super = C_OBJECT, .fields = "LL", .names = names};
    hb_class(h, &list);
    hb_class(h, &node);
}

static void web_loaders(struct hprof_build *h, unsigned n)
{
    a_class(h, C_WEB, C_LOADER);
    for (unsigned i = 0; i < n; i++) {
        const struct hb_class shared = {.id = SHARED + 8 * i, .super = C_OBJECT, .loader = WEBS + 8 * i};
        hb_class(h, &shared);
        hb_root(h, 0x01, WEBS + 8 * i, 2, 0);
        hb_instance(h, WEBS + 8 * i, C_WEB, 0, NULL);
    }
}

/*
 * class A .cache -> array -> n loaders of class Own, of which `referenced` are JNI global references as well; one more
 * loader is garbage. Their classes have one name, or one each. Two more loaders have defined nothing.
 */
static void dump(struct hprof_build *h, const struct plan *plan)
{
    static const char *const text[] = {"java/lang/Object",
                                       "java/lang/Class",
                                       "java/lang/ClassLoader",
                                       "acme/Own",
                                       "acme/A",
                                       "cache",
                                       "[Ljava/lang/Object;",
                                       "acme/List",
                                       "acme/Node",
                                       "acme/Web",
                                       "acme/Shared"};
    unsigned n = plan->n, referenced = plan->referenced;
    char name[24];
    static const unsigned loads[][2] = {{C_OBJECT, N_OBJECT}, {C_CLASS, N_CLASS}, {C_LOADER, N_LOADER},
                                        {C_OWN, N_OWN},       {C_A, N_A},         {C_OBJECTS, N_OBJECTS},
                                        {C_LIST, N_LIST},     {C_NODE, N_NODE},   {C_WEB, N_WEB}};
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
        hb_load(h, serial++, MADE + 8 * i, plan->again ? N_MADE : N_MADE + i);
    }
    for (unsigned i = 0; i < plan->webs; i++)
        hb_load(h, serial++, SHARED + 8 * i, N_SHARED);
    hb_open(h, 0x1c);
    a_class(h, C_OBJECT, 0);
    a_class(h, C_CLASS, C_OBJECT);
    a_class(h, C_LOADER, C_OBJECT);
    a_class(h, C_OWN, C_LOADER);
    a_class(h, C_OBJECTS, C_OBJECT);
    class_a(h, plan->chain ? LIST : ARRAY);
    chain_classes(h);
    web_loaders(h, plan->webs);
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
    if (plan->chain)
        chain(h, n);
    else
        hb_objects(h, ARRAY, C_OBJECTS, n, loaders);
    hb_close(h);
}

/* "count class: held of n by holder; path" of a dump. */
static char *said(const struct plan *plan)
{
    const struct wick_heap_ask ask = {.graph = true};
    struct hprof_build h;
    struct wick_heap_report r;
    struct wick_heap_alike alike;
    struct wick_heap_common common;
    struct wick_strbuf out = WICK_STRBUF_INIT;
    FILE *f = tmpfile();
    assert_non_null(f);
    dump(&h, plan);
    assert_int_equal(fwrite(h.b.buf, 1, h.b.len, f), h.b.len);
    fflush(f);
    assert_int_equal(wick_heap_report_adopt(&r, dup(fileno(f)), "test.hprof", &ask, NULL), 0);
    fclose(f);
    assert_int_equal(wick_heap_alike_loaders(&r.loaders, plan->grown, &alike, NULL), 0);
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
    char *s = said(&(struct plan){.n = n, .referenced = referenced, .again = true});
    assert_string_equal(s, text);
    free(s);
}

static void begins(struct plan plan, const char *text)
{
    char *s = said(&plan);
    s[strlen(s) < strlen(text) ? strlen(s) : strlen(text)] = 0;
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
    begins((struct plan){.n = 3}, "3 acme.Own: 3 of 3 by java.lang.Object[3]; ");
}

/* Two applications that share a library are no leak; twenty of one that is deployed again and again are, whatever else
 * there is. */
static void test_alike__few_that_define_the_same_do_not_hide_many_that_grow(void **state)
{
    (void)state;
    begins((struct plan){.n = 60, .webs = 2}, "60 acme.Own: 32 of 32 by java.lang.Object[60]; ");
    begins((struct plan){.n = 60, .webs = 2, .grown = 40}, "60 acme.Own: 32 of 32 by java.lang.Object[60]; ");
    begins((struct plan){.n = 60, .webs = 20, .grown = 40}, "60 acme.Own: ");
    begins((struct plan){.n = 60, .webs = 20, .grown = 15}, "20 acme.Web: 0 of 20 by ; JNI global reference");
    begins((struct plan){.n = 30, .webs = 20, .grown = 40}, "20 acme.Web: ");
}

static void test_alike__what_holds_a_chain_is_before_it(void **state)
{
    (void)state;
    begins((struct plan){.n = MOST, .chain = true},
           "100 acme.Own: 32 of 32 by acme.List; system class: class acme.A, static cache -> acme.List, cache -> "
           "acme.Node, cache -> acme.Own");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alike__what_holds_them_all_is_found),
        cmocka_unit_test(test_alike__some_may_be_held_by_others),
        cmocka_unit_test(test_alike__each_a_root_of_its_own_has_no_holder),
        cmocka_unit_test(test_alike__without_a_class_defined_twice_all_loaders_count),
        cmocka_unit_test(test_alike__few_that_define_the_same_do_not_hide_many_that_grow),
        cmocka_unit_test(test_alike__what_holds_a_chain_is_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
