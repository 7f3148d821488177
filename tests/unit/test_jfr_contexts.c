/* SPDX-License-Identifier: Apache-2.0 */
/* What samples were working on (wick.types.Context), as wick writes it and as it did before. */
#include "jfr/format/schema.h"
#include "jfr/reader/reader.h"
#include "jfr_build.h"
#include "model/label.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define N(array) (sizeof(array) / sizeof *(array))

static void put_pool(struct wick_strbuf *b, int64_t type, int64_t n)
{
    jfr_put(b, type);
    jfr_put(b, n);
}

/* A recording of six samples in the contexts 0 (none), 1, 2, whose type and constants are given. */
static void build_contexts(struct jfr_build *j, const char *type, struct wick_strbuf *constants)
{
    const char *const types[] = {"11 int",
                                 "12 long",
                                 "13 java.lang.String",
                                 "30 jdk.jfr.Timestamp value:13",
                                 type,
                                 "E100 jdk.ExecutionSample startTime:12T context:40p"};
    *j = (struct jfr_build){.out = WICK_STRBUF_INIT};
    jfr_begin(j);
    for (int i = 0; i < 6; i++)
        JFR_EVENT(j, 100, JFR_BUILD_START_TICKS + 2000 * i, i % 3);
    jfr_metadata(j, types, N(types));
    jfr_checkpoint(j, 1, constants);
    jfr_end(j);
    wick_strbuf_release(constants);
}

/* The contexts of build_contexts() are those that the two tests below have written, in the form of each. */
static void check_contexts(struct jfr_build *j)
{
    for (int mode = 0; mode < 3; mode++) {
        struct wick_profile p;
        struct wick_jfr_result res;
        struct wick_err err = {0};
        assert_int_equal(wick_profile_init(&p), 0);
        p.by_labels = mode > 0;
        p.by_span = mode > 1;
        assert_int_equal(wick_jfr_read_memory(&p, j->out.buf, j->out.len, NULL, &res, &err), 0);
        assert_int_equal(res.problems, 0);
        assert_int_equal(p.naggs, mode ? 3 : 1);
        uint32_t endpoint = wick_profile_label_key(&p, "endpoint"), trace = wick_profile_label_key(&p, "traceId"),
                 span = wick_profile_label_key(&p, "spanId"), customer = wick_profile_label_key(&p, "customer");
        for (uint32_t i = 1; i < p.naggs; i++) {
            uint32_t set = p.aggs[i].labels;
            assert_int_equal(p.aggs[i].count, 2);
            assert_string_equal(wick_profile_str(&p, wick_profile_label(&p, set, endpoint)), "GET /cpu,=x");
            assert_string_equal(wick_profile_str(&p, wick_profile_label(&p, set, customer)), i == 1 ? "big" : "a,b");
            assert_string_equal(wick_profile_str(&p, wick_profile_label(&p, set, trace)), mode < 2 ? ""
                                                                                          : i == 1 ? "aa"
                                                                                                   : "bb");
            assert_string_equal(wick_profile_str(&p, wick_profile_label(&p, set, span)), mode < 2 ? "" : "cc");
        }
        if (mode < 2) /* ids that nobody asked for take no memory, since there may be as many as samples */
            assert_int_equal(wick_profile_label_key(&p, "cc"), 0);
        wick_profile_release(&p);
    }
    wick_strbuf_release(&j->out);
}

static void test_contexts__become_labels_if_asked_for(void **state)
{
    (void)state;
    struct jfr_build j;
    struct wick_strbuf b = WICK_STRBUF_INIT;
    put_pool(&b, 40, 2);
    jfr_put(&b, 1);
    jfr_put_utf8(&b, "endpoint=GET /cpu\\,\\=x,customer=big,endpoint=forged,traceId=aa,spanId=cc");
    jfr_put(&b, 2);
    jfr_put_utf8(&b, "endpoint=GET /cpu\\,\\=x,customer=a\\,b,traceId=bb,spanId=cc");
    build_contexts(&j, "40 wick.types.Context text:13", &b);
    check_contexts(&j);
}

static void test_contexts__of_earlier_recordings_have_a_field_for_each_part(void **state)
{
    (void)state;
    struct jfr_build j;
    struct wick_strbuf b = WICK_STRBUF_INIT;
    put_pool(&b, 40, 2);
    for (int i = 1; i <= 2; i++) {
        jfr_put(&b, i);
        jfr_put_utf8(&b, i == 1 ? "customer=big,endpoint=forged" : "customer=a\\,b");
        jfr_put_utf8(&b, "GET /cpu,=x");
        jfr_put_utf8(&b, i == 1 ? "aa" : "bb");
        jfr_put_utf8(&b, "cc");
    }
    build_contexts(&j, "40 wick.types.Context labels:13 endpoint:13 traceId:13 spanId:13", &b);
    check_contexts(&j);
}

/* A text that is damaged, in a form that is not known or in the pool of strings, is no context or a whole one. */
static void test_contexts__with_odd_texts(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *endpoint;
        size_t n;
    } cases[] = {{"\x00", "", 1},
                 {"\x01", "", 1},
                 {"\x02\x63", "", 2},
                 {"\x05\x0c"
                  "endpoint=\xe9,\\",
                  "\xc3\xa9", 14},
                 {"\x04\x03=,=", "", 5},
                 {"\x07\x01x", "", 3},
                 {"\x03\xff\xff\x03x", "", 5}};
    for (size_t i = 0; i < N(cases); i++) {
        struct jfr_build j;
        struct wick_strbuf b = WICK_STRBUF_INIT;
        struct wick_profile p;
        struct wick_jfr_result res;
        struct wick_err err = {0};
        put_pool(&b, 40, 1);
        jfr_put(&b, 1);
        wick_strbuf_add(&b, cases[i].bytes, cases[i].n);
        build_contexts(&j, "40 wick.types.Context text:13", &b);
        assert_int_equal(wick_profile_init(&p), 0);
        p.by_labels = true;
        wick_jfr_read_memory(&p, j.out.buf, j.out.len, NULL, &res, &err);
        uint32_t endpoint = wick_profile_label_key(&p, "endpoint");
        const char *found = "";
        for (uint32_t k = 0; k < p.naggs; k++)
            if (*wick_profile_str(&p, wick_profile_label(&p, p.aggs[k].labels, endpoint)))
                found = wick_profile_str(&p, wick_profile_label(&p, p.aggs[k].labels, endpoint));
        assert_string_equal(found, cases[i].endpoint);
        wick_profile_release(&p);
        wick_strbuf_release(&j.out);
    }
}

/* A constant with several fields, of a type that JMC does not know by name, makes JMC take each chunk's events for a
 * type of their own ("jdk.ExecutionSample<UUID>" from the second chunk on), which its pages do not show. */
static void test_contexts__no_field_makes_jmc_take_chunks_apart(void **state)
{
    (void)state;
    enum { PLAIN, SIMPLE, ANNOTATION, CONTENT };
    struct type {
        const char *name;
        int shape, members;
    } types[WICK_JFR_TYPE_END] = {
#define TYPE(NAME, name, shape, ...) [WICK_JFR_TYPE_##NAME] = {name, shape, 0},
#define MEMBER(...)
#include "def/jfr_type.def"
#undef TYPE
#undef MEMBER
    };
#define TYPE(...)
#define MEMBER(NAME, ...) types[WICK_JFR_TYPE_##NAME].members++;
#include "def/jfr_type.def"
#undef TYPE
#undef MEMBER
    static const char *const known[] = {"java.lang.Thread", "java.lang.Class", "jdk.types.StackTrace"};
    int pooled = 0;
    for (int k = 0; k < WICK_JFR_KINDS; k++) {
        const struct type *type = &types[wick_jfr_kinds[k].type];
        bool is_known = type->members == 0 || (type->shape == SIMPLE && type->members == 1);
        for (size_t i = 0; i < N(known); i++)
            is_known |= !strcmp(type->name, known[i]);
        if (!is_known)
            fail_msg("fields of kind %s are of type %s", wick_jfr_kinds[k].name, type->name);
        pooled += type->members > 0;
    }
    assert_true(pooled >= 6); /* class, thread, stack, state, mode, context */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contexts__become_labels_if_asked_for),
        cmocka_unit_test(test_contexts__of_earlier_recordings_have_a_field_for_each_part),
        cmocka_unit_test(test_contexts__with_odd_texts),
        cmocka_unit_test(test_contexts__no_field_makes_jmc_take_chunks_apart),
    };
    return cmocka_run_group_tests_name("jfr_contexts", tests, NULL, NULL);
}
