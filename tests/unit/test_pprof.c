/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "codec/gzip.h"
#include "codec/protobuf.h"
#include "export/format_writers.h"
#include "import/import_int.h"
#include "import/input.h"
#include "profile_build.h"

static int to_buffer(void *ctx, const void *data, size_t n)
{
    wick_strbuf_add(ctx, data, n);
    return 0;
}

/* p as pprof, unpacked. */
static struct wick_strbuf unpacked(const struct wick_profile *p, const struct wick_export_options *o)
{
    struct wick_strbuf out = WICK_STRBUF_INIT;
    size_t n;
    char *gz = build_text(p, o, wick_pprof_write, &n);
    struct wick_gunzip *z = wick_gunzip_new();
    assert_int_equal(wick_gunzip_add(z, gz, n, to_buffer, &out), 0);
    assert_true(wick_gunzip_complete(z));
    wick_gunzip_free(z);
    free(gz);
    return out;
}

static void assert_same(const struct wick_profile *a, const struct wick_profile *b)
{
    for (int counts = 0; counts < 2; counts++) {
        char *x = build_shown(a, counts), *y = build_shown(b, counts);
        assert_string_equal(x, y);
        free(x);
        free(y);
    }
    const struct wick_sample_type *e = &a->events[wick_profile_main_event(a)];
    const struct wick_sample_type *f = &b->events[wick_profile_main_event(b)];
    assert_int_equal(e->weight, f->weight);
    assert_int_equal(e->count, f->count);
    assert_int_equal(e->kind, f->kind);
    assert_int_equal(e->unit, f->unit);
    assert_int_equal(a->start_ns, b->start_ns);
    assert_int_equal(a->end_ns, b->end_ns);
    assert_int_equal(a->naggs, b->naggs);
}

static void test_pprof__what_is_written_is_read_back_to_the_last_digit(void **state)
{
    (void)state;
    struct wick_profile p, q;
    struct wick_jfr_result res;
    struct wick_export_options o = {0};
    size_t n;
    build_profile(&p);
    char *gz = build_text(&p, &o, wick_pprof_write, &n);
    assert_int_equal(wick_profile_init(&q), 0);
    assert_int_equal(wick_input_read_block(&q, gz, n, false, NULL, &res, NULL), 0);
    assert_int_equal(res.problems, 0);
    assert_int_equal(res.unresolved, 0);
    assert_same(&p, &q);
    free(gz);
    wick_profile_release(&p);
    wick_profile_release(&q);
}

static void test_pprof__two_readings_add_up(void **state)
{
    (void)state;
    struct wick_profile p, q;
    struct wick_export_options o = {0};
    build_profile(&p);
    struct wick_strbuf raw = unpacked(&p, &o);
    assert_int_equal(wick_profile_init(&q), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(wick_input_read_block(&q, raw.buf, raw.len, false, NULL, NULL, NULL), 0);
    assert_int_equal(q.events[wick_profile_main_event(&q)].weight, 2 * p.events[wick_profile_main_event(&p)].weight);
    wick_strbuf_release(&raw);
    wick_profile_release(&p);
    wick_profile_release(&q);
}

/* The weight that can be read of the first n bytes; with problems and result. */
static int64_t weight_of(const char *data, size_t n, struct wick_jfr_result *res, int *rc)
{
    struct wick_profile q;
    struct wick_err err = {0};
    char *exact = malloc(n ? n : 1); /* so that reading behind the end is seen */
    memcpy(exact, data, n);
    assert_int_equal(wick_profile_init(&q), 0);
    *rc = wick_input_read_block(&q, exact, n, false, NULL, res, &err);
    int64_t sum = q.events[wick_profile_main_event(&q)].weight;
    assert_true(*rc == 0 || err.msg[0]);
    free(exact);
    wick_profile_release(&q);
    return sum;
}

static void test_pprof__cut_anywhere_it_gives_what_was_there_and_says_where_it_ends(void **state)
{
    (void)state;
    struct wick_profile p;
    struct wick_jfr_result res;
    struct wick_export_options o = {0};
    build_profile(&p);
    struct wick_strbuf raw = unpacked(&p, &o);
    int64_t whole = p.events[wick_profile_main_event(&p)].weight, before = 0;
    int rc, cuts_with_samples = 0;
    for (size_t n = 0; n <= raw.len; n++) {
        int64_t got = weight_of(raw.buf, n, &res, &rc);
        assert_true(got >= before && got <= whole);
        assert_true(res.first_offset <= n);
        cuts_with_samples += got > 0;
        before = got;
        struct wick_pb m = wick_pb_reader(raw.buf, n);
        for (struct wick_pb_field f; wick_pb_next(&m, &f);)
            ;
        if (n > 64) /* the head is behind us */
            assert_true(rc == 0 && (res.problems > 0) == m.bad);
    }
    assert_int_equal(before, whole);
    assert_true(cuts_with_samples > 100);
    wick_strbuf_release(&raw);
    wick_profile_release(&p);
}

static void test_pprof__a_packed_file_cut_anywhere_is_no_crash(void **state)
{
    (void)state;
    struct wick_profile p;
    struct wick_jfr_result res;
    struct wick_export_options o = {0};
    size_t n;
    int rc;
    build_profile(&p);
    char *gz = build_text(&p, &o, wick_pprof_write, &n);
    for (size_t cut = 0; cut < n; cut++) {
        weight_of(gz, cut, &res, &rc);
        assert_true(rc != 0 || res.problems > 0);
        assert_true(res.first_offset <= n * 20);
    }
    free(gz);
    wick_profile_release(&p);
}

/* --- profiles of other writers, made by hand --- */

struct hand {
    struct wick_strbuf out, part, line;
};

static void part(struct hand *h, unsigned field)
{
    wick_pb_message(&h->out, field, &h->part);
    wick_strbuf_clear(&h->part);
}

static void value_type(struct hand *h, uint64_t type, uint64_t unit)
{
    wick_pb_uint(&h->part, 1, type);
    wick_pb_uint(&h->part, 2, unit);
    part(h, 1);
}

/* A heap profile as Go's runtime writes it: four values, an inlined function, numbers from far up, nothing packed. */
static void build_go_heap(struct hand *h)
{
    static const char *const strings[] = {
        "",          "alloc_objects", "count",    "alloc_space", "bytes", "inuse_objects", "inuse_space",
        "main.leaf", "main.caller",   "/bin/app", "x.go"};
    *h = (struct hand){WICK_STRBUF_INIT, WICK_STRBUF_INIT, WICK_STRBUF_INIT};
    value_type(h, 1, 2);
    value_type(h, 3, 4);
    value_type(h, 5, 2);
    value_type(h, 6, 4);
    for (int i = 0; i < 1; i++) {
        wick_pb_uint(&h->part, 1, 1000000007);
        const uint64_t values[] = {5, 5000, 2, (uint64_t)1 << 53 | 1};
        for (int v = 0; v < 4; v++)
            wick_pb_uint(&h->part, 2, values[v]);
        part(h, 2);
    }
    wick_pb_uint(&h->part, 1, 1);
    wick_pb_uint(&h->part, 5, 9);
    part(h, 3);
    wick_pb_uint(&h->part, 1, 1000000007);
    wick_pb_uint(&h->part, 2, 1);
    for (uint64_t f = 1; f <= 2; f++) {
        wick_strbuf_clear(&h->line);
        wick_pb_uint(&h->line, 1, f);
        wick_pb_uint(&h->line, 2, 10 * f);
        wick_pb_message(&h->part, 4, &h->line);
    }
    part(h, 4);
    for (uint64_t f = 1; f <= 2; f++) {
        wick_pb_uint(&h->part, 1, f);
        wick_pb_uint(&h->part, 2, 6 + f);
        wick_pb_uint(&h->part, 4, 10);
        part(h, 5);
    }
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        wick_pb_bytes(&h->out, 6, strings[i], strlen(strings[i]));
}

static void free_hand(struct hand *h)
{
    wick_strbuf_release(&h->out);
    wick_strbuf_release(&h->part);
    wick_strbuf_release(&h->line);
}

static void test_pprof__values_become_event_types_and_counts_their_counts(void **state)
{
    (void)state;
    struct wick_profile q;
    struct hand h;
    struct wick_jfr_result res;
    build_go_heap(&h);
    assert_int_equal(wick_profile_init(&q), 0);
    assert_int_equal(wick_input_read_block(&q, h.out.buf, h.out.len, false, NULL, &res, NULL), 0);
    assert_int_equal(res.problems, 0);
    uint16_t alloc = wick_profile_find_event(&q, "alloc_space"), inuse = wick_profile_find_event(&q, "inuse_space");
    assert_int_equal(q.events[alloc].weight, 5000);
    assert_int_equal(q.events[alloc].count, 5);
    assert_int_equal(q.events[alloc].unit, WICK_UNIT_BYTES);
    assert_int_equal(q.events[inuse].weight, (int64_t)1 << 53 | 1);
    assert_int_equal(q.events[inuse].count, 2);
    char *shown = build_text(&q, &(struct wick_export_options){.event = alloc, .names = WICK_NAME_ANNOTATE},
                             wick_collapsed_out_write, NULL);
    assert_string_equal(shown, "main.caller_[n];main.leaf_[n] 5000\n");
    free(shown);
    wick_profile_release(&q);
    free_hand(&h);
}

/* Objects are counted where their sizes are known: 30 of them behind 2 samples. */
static void test_pprof__memory_has_the_names_of_heap_profiles(void **state)
{
    (void)state;
    static const struct {
        enum wick_event_kind kind;
        const char *space, *objects;
    } types[] = {{WICK_KIND_ALLOC, "alloc_space", "alloc_objects"}, {WICK_KIND_LIVE, "inuse_space", "inuse_objects"}};
    for (size_t i = 0; i < 4; i++) {
        bool sizes = i % 2;
        struct wick_profile p, q;
        struct wick_jfr_result res;
        size_t len;
        assert_int_equal(wick_profile_init(&p), 0);
        uint16_t event = wick_profile_event(&p, wick_profile_cstring(&p, "x.Y"), types[i / 2].kind, WICK_UNIT_BYTES);
        uint32_t function = wick_profile_function(&p, 0, wick_profile_cstring(&p, "f"), 0);
        uint32_t stack = wick_profile_push(&p, 0, wick_profile_frame(&p, function, 0, -1, WICK_FRAME_NATIVE));
        for (int k = 0; k < 2; k++)
            wick_profile_add(&p,
                             &(struct wick_sample){
                                 .stack = stack, .event = event, .weight = 600, .count = 1, .things = sizes ? 15 : 0});
        char *data = build_text(&p, &(struct wick_export_options){0}, wick_pprof_write, &len);
        assert_int_equal(wick_profile_init(&q), 0);
        assert_int_equal(wick_input_read_block(&q, data, len, false, NULL, &res, NULL), 0);
        uint16_t back = wick_profile_find_event(&q, types[i / 2].space);
        assert_int_equal(q.events[back].weight, 1200);
        assert_int_equal(q.events[back].kind, types[i / 2].kind);
        assert_int_equal(q.events[back].count, sizes ? 30 : 2);
        free(data);
        wick_profile_release(&p);
        wick_profile_release(&q);
    }
}

static void test_pprof__numbers_that_lead_nowhere_are_counted(void **state)
{
    (void)state;
    struct wick_profile q;
    struct hand h = {WICK_STRBUF_INIT, WICK_STRBUF_INIT, WICK_STRBUF_INIT};
    struct wick_jfr_result res;
    value_type(&h, 99, 98);
    wick_pb_uint(&h.part, 1, 12345);
    wick_pb_uint(&h.part, 2, 7);
    part(&h, 2);
    assert_int_equal(wick_profile_init(&q), 0);
    assert_int_equal(wick_input_read_block(&q, h.out.buf, h.out.len, false, NULL, &res, NULL), 0);
    assert_int_equal(res.unresolved, 1);
    assert_int_equal(q.events[wick_profile_main_event(&q)].weight, 7);
    wick_profile_release(&q);
    free_hand(&h);
}

/* Found by the fuzzer: a time below zero lay before a beginning that nobody had asked for. */
static void test_pprof__a_time_before_1970_is_not_filtered_out(void **state)
{
    (void)state;
    struct wick_profile q;
    struct hand h;
    struct wick_jfr_result res;
    struct wick_jfr_visitor nothing_asked_for = {0};
    build_go_heap(&h);
    wick_pb_int(&h.out, 9, -5);
    assert_int_equal(wick_profile_init(&q), 0);
    assert_int_equal(wick_input_read_block(&q, h.out.buf, h.out.len, false, &nothing_asked_for, &res, NULL), 0);
    assert_int_equal(res.filtered, 0);
    assert_int_equal(q.events[wick_profile_find_event(&q, "alloc_space")].weight, 5000);
    wick_profile_release(&q);
    free_hand(&h);
}

/* The fields of a profile in another order, field `first` before all others. */
static void put_first(struct wick_strbuf *out, const struct wick_strbuf *in, uint64_t first)
{
    for (int pass = 0; pass < 2; pass++) {
        struct wick_pb m = wick_pb_reader(in->buf, in->len);
        const uint8_t *at = m.p;
        for (struct wick_pb_field f; wick_pb_next(&m, &f); at = m.p)
            if ((f.number == first) == !pass)
                wick_strbuf_add(out, at, (size_t)(m.p - at));
    }
}

static void test_pprof__fields_may_come_in_any_order(void **state)
{
    (void)state;
    struct hand h;
    build_go_heap(&h);
    wick_pb_int(&h.out, 9, 1700000000000000000);
    wick_pb_int(&h.out, 12, 524288);
    wick_pb_int(&h.out, 14, 3);
    value_type(&h, 6, 4);
    const size_t period_type = h.out.len - 6; /* 0a 04 08 06 10 04 */
    assert_int_equal(h.out.buf[period_type], 0x0a);
    h.out.buf[period_type] = 0x5a;
    static const uint64_t firsts[] = {1, 2, 3, 4, 5, 6, 9, 11, 12, 14};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        struct wick_strbuf turned = WICK_STRBUF_INIT;
        struct wick_profile q;
        struct wick_jfr_result res;
        put_first(&turned, &h.out, firsts[i]);
        assert_int_equal(turned.len, h.out.len);
        assert_int_equal(wick_profile_init(&q), 0);
        assert_int_equal(wick_input_read_block(&q, turned.buf, turned.len, false, NULL, &res, NULL), 0);
        assert_int_equal(res.problems, 0);
        assert_int_equal(q.events[wick_profile_find_event(&q, "alloc_space")].weight, 5000);
        wick_profile_release(&q);
        wick_strbuf_release(&turned);
    }
    free_hand(&h);
}

static void test_pprof__what_only_begins_like_one_is_none(void **state)
{
    (void)state;
    static const char *const none[] = {
        "2003;main 5\n",        /* a string of 48 bytes, which is cut */
        "H12\x01",              /* a time and a string that is the first and not empty */
        "\x12\x02\x48\x01",     /* a sample with a field 9 */
        "\x2a\x02\x10\x01",     /* a function without a number */
        "`a`a`a\n",             /* periods only */
        "\x0a\x03\x08\x01\x12", /* a sample type that ends within a field */
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(wick_pprof_in_is(none[i], strlen(none[i])));
    assert_true(wick_pprof_in_is("\x2a\x02\x08\x01", 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pprof__what_is_written_is_read_back_to_the_last_digit),
        cmocka_unit_test(test_pprof__two_readings_add_up),
        cmocka_unit_test(test_pprof__cut_anywhere_it_gives_what_was_there_and_says_where_it_ends),
        cmocka_unit_test(test_pprof__a_packed_file_cut_anywhere_is_no_crash),
        cmocka_unit_test(test_pprof__values_become_event_types_and_counts_their_counts),
        cmocka_unit_test(test_pprof__memory_has_the_names_of_heap_profiles),
        cmocka_unit_test(test_pprof__numbers_that_lead_nowhere_are_counted),
        cmocka_unit_test(test_pprof__fields_may_come_in_any_order),
        cmocka_unit_test(test_pprof__what_only_begins_like_one_is_none),
        cmocka_unit_test(test_pprof__a_time_before_1970_is_not_filtered_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
