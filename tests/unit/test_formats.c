/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "codec/gzip.h"
#include "codec/json.h"
#include "codec/plain.h"
#include "codec/protobuf.h"
#include "codec/utf8.h"
#include "analysis/compare/heat.h"
#include "export/timeline.h"
#include "profile_build.h"

static void test_json__text_is_escaped_and_fractions_are_exact(void **state)
{
    (void)state;
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    struct wick_json j = {.out = f};
    wick_json_open(&j, '[');
    wick_json_str(&j, "a\"\\\n<\x7f\xc3\xa4\xff\xed\xa0\x80", 12);
    wick_json_decimal(&j, 9223372036854775807, 6);
    wick_json_decimal(&j, -1, 3);
    wick_json_decimal(&j, INT64_MIN, 3);
    wick_json_open(&j, '{');
    wick_json_key(&j, "x");
    wick_json_raw(&j, "null");
    wick_json_key(&j, "y");
    wick_json_uint(&j, UINT64_MAX);
    wick_json_close(&j, '}');
    wick_json_close(&j, ']');
    fclose(f);
    assert_string_equal(text, "[\"a\\\"\\\\\\u000a\\u003c\\u007f\xc3\xa4\\ufffd\\ufffd\\ufffd\\ufffd\","
                              "9223372036854.775807,-0.001,-9223372036854775.808,"
                              "{\"x\":null,\"y\":18446744073709551615}]");
    free(text);
}

/* One character in UTF-8, whether or not it may be in a text. */
static size_t encode(char *s, uint32_t c)
{
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        s[i] = (char)(0x80 | (c & 0x3f));
    s[0] = (char)(n == 1 ? c : c | (0xf00u >> n));
    return n;
}

static void test_utf8__every_character_is_what_it_was_encoded_from(void **state)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    char bytes[4];
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        size_t n = wick_utf8_encode(bytes, c);
        assert_int_equal(n, wick_utf8_size(c));
        assert_int_equal(wick_utf8_decode(bytes, n), c);
        assert_int_equal(wick_utf8_length(bytes, n), c >= 0xd800 && c < 0xe000 ? 0 : n);
    }
    wick_utf8_addc(&sb, 'a');
    wick_utf8_addc(&sb, 0xe9);
    wick_utf8_addc(&sb, 0x20ac);
    wick_utf8_addc(&sb, 0x1f525);
    assert_string_equal(sb.buf, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5");
    wick_strbuf_release(&sb);
}

static void test_plain__what_is_not_seen_becomes_an_escape(void **state)
{
    (void)state;
    static const uint32_t ranges[][2] = {
        {0x00, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},         {0x34f, 0x34f},     {0x61c, 0x61c},
        {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},     {0x200b, 0x200f},   {0x2028, 0x202e},
        {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfdd0, 0xfdef},     {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
        {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0xfffe, 0xffff},     {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
        {0x1fffe, 0x1ffff}, {0xdfffe, 0xe0fff}, {0x10fffe, 0x10ffff},
    };
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (uint32_t c = ranges[i][0] ? ranges[i][0] - 1 : 0; c <= ranges[i][1] + 1 && c <= 0x10ffff; c++) {
            char s[4];
            size_t n = encode(s, c);
            bool hides = c >= ranges[i][0] && c <= ranges[i][1];
            wick_strbuf_clear(&sb);
            wick_plain_add(&sb, s, n, "");
            if (sb.len != (hides ? 4 * n : n))
                fail_msg("U+%04X is shown as %s", c, sb.buf);
        }
    wick_strbuf_clear(&sb);
    wick_plain_add(&sb, "caf\u00e9 \u2764\ufe0f", strlen("caf\u00e9 \u2764\ufe0f"),
                   ""); /* a heart, which a selector colours */
    assert_string_equal(sb.buf, "caf\u00e9 \u2764\\xef\\xb8\\x8f");
    wick_strbuf_release(&sb);
}

static void test_protobuf__what_is_written_is_read_back(void **state)
{
    (void)state;
    struct wick_strbuf sb = WICK_STRBUF_INIT, packed = WICK_STRBUF_INIT;
    static const uint64_t numbers[] = {0, 1, 127, 128, 1 << 20, UINT64_MAX};
    for (size_t i = 0; i < 6; i++)
        wick_pb_varint(&packed, numbers[i]);
    wick_pb_int(&sb, 1, -2);
    wick_pb_fixed64(&sb, 2, 0x0123456789abcdef);
    wick_pb_message(&sb, 500, &packed);
    wick_pb_uint(&sb, 3, 0);
    struct wick_pb r = wick_pb_reader(sb.buf, sb.len);
    struct wick_pb_field f;
    assert_true(wick_pb_next(&r, &f) && f.number == 1 && (int64_t)f.value == -2);
    assert_true(wick_pb_next(&r, &f) && f.number == 2 && f.value == 0x0123456789abcdef);
    assert_true(wick_pb_next(&r, &f) && f.number == 500 && f.len == packed.len);
    const uint8_t *at = NULL;
    size_t n = 0;
    for (uint64_t v; wick_pb_number(&f, &at, &v); n++)
        assert_true(v == numbers[n]);
    assert_int_equal(n, 6);
    assert_false(wick_pb_next(&r, &f));
    assert_false(r.bad);
    r = wick_pb_reader(sb.buf, sb.len - 1);
    while (wick_pb_next(&r, &f))
        ;
    assert_true(r.bad);
    wick_strbuf_release(&sb);
    wick_strbuf_release(&packed);
}

static int count_bytes(void *ctx, const void *data, size_t n)
{
    *(size_t *)ctx += n;
    return 0;
}

static void test_gzip__streams_behind_each_other_are_one(void **state)
{
    (void)state;
    char *text = NULL;
    size_t n, got = 0;
    static char zeros[300000];
    FILE *f = open_memstream(&text, &n);
    for (int i = 0; i < 2; i++) {
        struct wick_gzip *z = wick_gzip_new(f);
        wick_gzip_add(z, zeros, sizeof zeros);
        wick_gzip_finish(z);
    }
    fclose(f);
    assert_true(wick_gzip_is(text, n));
    struct wick_gunzip *z = wick_gunzip_new();
    for (size_t i = 0; i < n; i++)
        assert_int_equal(wick_gunzip_add(z, text + i, 1, count_bytes, &got), 0);
    assert_int_equal(got, 2 * sizeof zeros);
    assert_true(wick_gunzip_complete(z));
    assert_int_equal(wick_gunzip_used(z), n);
    wick_gunzip_free(z);
    free(text);
}

/* A file's ending, with all dots, decides; the longest one that is known. */
static void test_format__the_longest_extension_decides(void **state)
{
    (void)state;
    static const struct {
        const char *file, *format;
    } cases[] = {{"a.json", "json"},
                 {"a.speedscope.json", "speedscope"},
                 {"d.json/a.firefox.json", "firefox"},
                 {"a.trace.json", "trace"},
                 {"a.perfetto.json", "trace"},
                 {"a.pb.gz", "pprof"},
                 {"a.b.PPROF", "pprof"},
                 {"a.otlp", "otlp"},
                 {"a.csv", "csv"},
                 {"speedscope.json", "json"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(wick_format_by_file(cases[i].file)->name, cases[i].format);
    assert_null(wick_format_by_file("a.gz"));
    assert_null(wick_format_by_file(".json/a"));
    assert_null(wick_format_by_file("json"));
}

/* Every aggregate as a sample of its own, a second after the one before. */
static void fill_heat(struct wick_heat *h, const struct wick_profile *p)
{
    uint32_t *moved = calloc(p->naggs + 1, sizeof *moved);
    wick_heat_init(h);
    for (uint32_t i = 0; i < p->naggs; i++) {
        const struct wick_sample s = {
            .time_ns = p->start_ns + i * 1000000000ll, .weight = p->aggs[i].weight, .count = p->aggs[i].count};
        wick_heat_add(h, p, i, &s);
        moved[i] = i;
    }
    wick_heat_settle(h, moved);
    free(moved);
}

static void test_format__every_format_writes_hostile_names_and_says_when_there_is_nothing(void **state)
{
    (void)state;
    struct wick_profile p, empty;
    struct wick_heat heat;
    build_profile(&p);
    fill_heat(&heat, &p);
    assert_int_equal(wick_profile_init(&empty), 0);
    for (const struct wick_format *f = wick_format_table; f->name; f++) {
        for (int i = 0; i < 4; i++) {
            size_t n;
            struct wick_export_options o = {.threads = i & 1,
                                            .counts = i & 2,
                                            .names = i ? WICK_NAME_LINES | WICK_NAME_SIGNATURES : 0,
                                            .heat = f->sliced ? &heat : NULL,
                                            .title = i ? "a \"title\" </script>" : NULL};
            free(build_text(&p, &o, f->write, &n));
            assert_true(n > 100);
        }
        struct wick_err err = {0};
        struct wick_export_options o = {0};
        char *text = NULL;
        size_t n;
        FILE *out = open_memstream(&text, &n);
        assert_int_equal(f->write(&empty, &o, out, &err), -WICK_E_NOTFOUND);
        assert_true(err.msg[0]);
        fclose(out);
        free(text);
    }
    wick_heat_release(&heat);
    wick_profile_release(&p);
    wick_profile_release(&empty);
}

static void test_format__a_thread_without_an_id_has_only_its_name(void **state)
{
    (void)state;
    struct wick_profile p;
    const struct wick_export_options o = {.threads = true};
    build_profile(&p);
    for (uint32_t i = 0; i < p.nthreads; i++)
        p.threads[i].os_tid = p.threads[i].java_tid = 0;
    for (const struct wick_format *f = wick_format_table; f->name; f++) {
        if (strcmp(f->name, "trace") != 0 && strcmp(f->name, "speedscope") != 0)
            continue;
        size_t n;
        char *text = build_text(&p, &o, f->write, &n);
        assert_null(memmem(text, n, "(0)", 3));
        free(text);
    }
    wick_profile_release(&p);
}

/* --- the time axis --- */

static struct wick_slots slots_of(const struct wick_profile *p, struct wick_shown *s, const struct wick_timeline *t)
{
    struct wick_export_options o = {.timeline = t};
    struct wick_slots slots;
    assert_int_equal(wick_shown_init(s, p, &o, NULL), 0);
    assert_int_equal(wick_slots_init(&slots, s, &o), 0);
    return slots;
}

static void test_timeline__samples_stand_for_the_time_before_them_in_the_order_of_time(void **state)
{
    (void)state;
    struct wick_profile p;
    struct wick_shown s;
    struct wick_timeline t = {0};
    uint16_t cpu = build_profile(&p);
    const int64_t base = 1763700000000000000;
    wick_timeline_add(&t, &(struct wick_sample){
                              .stack = 1, .thread = 1, .event = cpu, .time_ns = base + 50, .weight = 10, .count = 1});
    wick_timeline_add(&t, &(struct wick_sample){
                              .stack = 2, .thread = 1, .event = cpu, .time_ns = base + 20, .weight = 15, .count = 1});
    wick_timeline_add(
        &t,
        &(struct wick_sample){
            .stack = 2, .thread = 2, .event = cpu, .time_ns = base + 10, .duration_ns = 30, .weight = 30, .count = 3});
    wick_timeline_add(&t, &(struct wick_sample){.stack = 2, .thread = 2, .event = 0, .time_ns = base, .weight = 1});
    struct wick_slots slots = slots_of(&p, &s, &t);
    assert_int_equal(slots.n, 3);
    assert_int_equal(slots.origin_ns, base + 5);
    static const struct wick_slot want[] = {{0, 15, 15, 1, 0}, {35, 45, 10, 1, 0}, {5, 35, 30, 2, 0}};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(slots.slots[i].start_ns, want[i].start_ns);
        assert_int_equal(slots.slots[i].end_ns, want[i].end_ns);
        assert_int_equal(slots.slots[i].value, want[i].value);
        assert_int_equal(slots.slots[i].thread, want[i].thread);
    }
    wick_slots_release(&slots);
    wick_shown_release(&s);
    wick_timeline_release(&t);
    wick_profile_release(&p);
}

static void test_timeline__slots_of_a_thread_do_not_overlap(void **state)
{
    (void)state;
    struct wick_profile p;
    struct wick_shown s;
    struct wick_timeline t = {0};
    uint16_t cpu = build_profile(&p);
    const int64_t base = 1763700000000000000;
    static const struct {
        int64_t at, span, weight;
    } samples[] = {{10, 0, 500}, {20, 0, 5}, {30, 0, 500}, {22, 2, 2}, {30, 0, 7}};
    p.start_ns = base;
    p.end_ns = base + 100;
    for (size_t i = 0; i < 5; i++)
        wick_timeline_add(&t, &(struct wick_sample){.stack = 1,
                                                    .thread = 1,
                                                    .event = cpu,
                                                    .time_ns = base + samples[i].at,
                                                    .duration_ns = samples[i].span,
                                                    .weight = samples[i].weight,
                                                    .count = 1});
    struct wick_slots slots = slots_of(&p, &s, &t);
    assert_int_equal(slots.n, 5);
    assert_int_equal(slots.origin_ns, base);
    static const int64_t want[][3] = {{0, 10, 500}, {15, 20, 5}, {22, 24, 2}, {24, 30, 500}, {30, 30, 7}};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(slots.slots[i].start_ns, want[i][0]);
        assert_int_equal(slots.slots[i].end_ns, want[i][1]);
        assert_int_equal(slots.slots[i].value, want[i][2]);
    }
    wick_slots_release(&slots);
    wick_shown_release(&s);
    wick_timeline_release(&t);
    wick_profile_release(&p);
}

static void test_timeline__without_times_stacks_are_laid_end_to_end(void **state)
{
    (void)state;
    struct wick_profile p;
    struct wick_shown s;
    uint16_t cpu = build_profile(&p);
    struct wick_slots slots = slots_of(&p, &s, NULL);
    assert_int_equal(slots.origin_ns, 0);
    int64_t sum = 0;
    for (size_t i = 0; i < slots.n; i++) {
        const struct wick_slot *slot = &slots.slots[i], *before = i ? slot - 1 : NULL;
        sum += slot->value;
        assert_int_equal(slot->end_ns - slot->start_ns, slot->value);
        assert_int_equal(slot->start_ns, before && before->thread == slot->thread ? before->end_ns : 0);
    }
    assert_int_equal(sum, p.events[cpu].weight);
    wick_slots_release(&slots);
    wick_shown_release(&s);
    wick_profile_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json__text_is_escaped_and_fractions_are_exact),
        cmocka_unit_test(test_utf8__every_character_is_what_it_was_encoded_from),
        cmocka_unit_test(test_plain__what_is_not_seen_becomes_an_escape),
        cmocka_unit_test(test_protobuf__what_is_written_is_read_back),
        cmocka_unit_test(test_gzip__streams_behind_each_other_are_one),
        cmocka_unit_test(test_format__the_longest_extension_decides),
        cmocka_unit_test(test_format__every_format_writes_hostile_names_and_says_when_there_is_nothing),
        cmocka_unit_test(test_format__a_thread_without_an_id_has_only_its_name),
        cmocka_unit_test(test_timeline__samples_stand_for_the_time_before_them_in_the_order_of_time),
        cmocka_unit_test(test_timeline__slots_of_a_thread_do_not_overlap),
        cmocka_unit_test(test_timeline__without_times_stacks_are_laid_end_to_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
