/* SPDX-License-Identifier: Apache-2.0 */
/* What soft references keep, which counts if that is asked for: a dump made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "heap/report.h"
#include "hprof_build.h"

enum { N_OBJECT = 1, N_CLASS, N_REFERENCE, N_SOFT, N_OWN, N_REFERENT, N_NEXT };
enum { C_OBJECT = 0x1000, C_CLASS = 0x1100, C_REFERENCE = 0x1200, C_SOFT = 0x1300, C_OWN = 0x1400 };
enum { PLAIN = 0x2000, SOFT = 0x2100, OWN = 0x2200 }; /* references; the referent of each, and what that refers to */
enum { REFERENT = 0x40, INNER = 0x80 };

/* Three references that are GC roots: a plain one, as weak ones are, a soft one, and one of a class below that. */
static void scene(struct hprof_build *h)
{
    static const struct {
        unsigned id, name;
        const char *text;
    } names[] = {{C_OBJECT, N_OBJECT, "java/lang/Object"},
                 {C_CLASS, N_CLASS, "java/lang/Class"},
                 {C_REFERENCE, N_REFERENCE, "java/lang/ref/Reference"},
                 {C_SOFT, N_SOFT, "java/lang/ref/SoftReference"},
                 {C_OWN, N_OWN, "acme/Entry"}};
    static const uint64_t fields[] = {N_REFERENT, N_NEXT};
    const struct hb_class classes[] = {{.id = C_OBJECT},
                                       {.id = C_CLASS, .super = C_OBJECT},
                                       {.id = C_REFERENCE, .super = C_OBJECT, .fields = "LL", .names = fields},
                                       {.id = C_SOFT, .super = C_REFERENCE},
                                       {.id = C_OWN, .super = C_SOFT}};
    static const uint64_t references[][2] = {{PLAIN, C_REFERENCE}, {SOFT, C_SOFT}, {OWN, C_OWN}};
    hb_begin(h, 8, "JAVA PROFILE 1.0.2");
    hb_string(h, N_REFERENT, "referent");
    hb_string(h, N_NEXT, "next");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hb_string(h, names[i].name, names[i].text);
        hb_load(h, (uint32_t)i + 1, names[i].id, names[i].name);
    }
    hb_open(h, 0x1c);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        hb_class(h, &classes[i]);
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        uint64_t at = references[i][0];
        hb_root(h, 0x01, at, 2, 0);
        hb_instance(h, at, references[i][1], 2, (const uint64_t[]){at + REFERENT, 0});
        hb_instance(h, at + REFERENT, C_REFERENCE, 2, (const uint64_t[]){0, at + INNER});
        hb_instance(h, at + INNER, C_OBJECT, 0, NULL);
    }
    hb_close(h);
}

static bool is_alive(const struct wick_heap_report *r, uint64_t id)
{
    uint32_t n = wick_heap_ids_find(&r->graph.ids, id);
    assert_int_not_equal(n, WICK_HEAP_NONE);
    return wick_heap_u32(&r->retained.d.number)[n] != 0;
}

static void test_soft__references_keep_objects_alive_if_that_is_asked_for(void **state)
{
    (void)state;
    for (int soft = 0; soft <= 1; soft++) {
        const struct wick_heap_ask ask = {.graph = true, .soft = soft};
        struct hprof_build h;
        struct wick_heap_report r;
        struct wick_err err = {0};
        FILE *f = tmpfile();
        assert_non_null(f);
        scene(&h);
        assert_int_equal(fwrite(h.b.buf, 1, h.b.len, f), h.b.len);
        fflush(f);
        assert_int_equal(wick_heap_report_adopt(&r, dup(fileno(f)), "test.hprof", &ask, &err), 0);
        assert_true(is_alive(&r, PLAIN) && is_alive(&r, SOFT) && is_alive(&r, OWN));
        assert_false(is_alive(&r, PLAIN + REFERENT) || is_alive(&r, PLAIN + INNER));
        assert_int_equal(is_alive(&r, SOFT + REFERENT), soft);
        assert_int_equal(is_alive(&r, OWN + REFERENT), soft);
        assert_int_equal(is_alive(&r, OWN + INNER), soft); /* held by a field that is none of a reference's */
        wick_heap_report_release(&r);
        wick_strbuf_release(&h.b);
        fclose(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soft__references_keep_objects_alive_if_that_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
