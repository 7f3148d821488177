/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "codec/gzip.h"
#include "flame/flame.h"
#include "import/collapsed.h"
#include "import/import_int.h"
#include "import/input.h"
#include "profile_build.h"

static const char mixed[] =
    "# captured on: today\n"
    "http nio 8080  4711/4733 [001] 12345.678901:   10101010 cpu-clock:pppH: \n"
    "\t    7f12345678ab Lorg/example/Handler;::handle->Lorg/example/Inner;::work+0x1b (/tmp/perf-4711.map)\n"
    "\t    7f12345678aa Interpreter+0x1b (/tmp/perf-4711.map)\n"
    "\t         5580123 JavaCalls::call(void*)+0x23 (/usr/lib/jvm/libjvm.so)\n"
    "\t         5580124 std::vector<int>::push_back (inlined)\n"
    "\t         5580125 [unknown] (/usr/bin/my (odd) server)\n"
    "\t         5580126 [unknown] ([unknown])\n"
    "\n"
    "swapper     0 [000] 12345.700000:   10101010 cpu-clock:pppH: \n"
    "\tffffffff81234567 do_syscall_64+0x57 ([kernel.kallsyms])\n"
    "\tffffffffc0001234 nf_hook+0x7 ([nf_tables])\n"
    "\n"
    "cc1 77 12345.800000: sched:sched_switch: prev_comm=cc1 prev_pid=77 ==> next_comm=x\n"
    "\t    55 main+0x1 (/usr/bin/cc1)\n"
    "\tmain.c:12\n"
    "\n";

static void read_text(struct wick_profile *p, const char *text, struct wick_jfr_result *res)
{
    assert_int_equal(wick_profile_init(p), 0);
    assert_int_equal(wick_input_read_block(p, text, strlen(text), false, NULL, res, NULL), 0);
}

static void assert_shown(const struct wick_profile *p, const char *event, unsigned names, const char *want)
{
    struct wick_export_options o = {.event = wick_profile_find_event(p, event), .names = names};
    assert_int_not_equal(o.event, 0);
    char *text = build_text(p, &o, wick_collapsed_out_write, NULL);
    assert_string_equal(text, want);
    free(text);
}

static void test_perf__heads_frames_inlining_kernel_and_tracepoints(void **state)
{
    (void)state;
    struct wick_profile p;
    struct wick_jfr_result res;
    read_text(&p, mixed, &res);
    assert_int_equal(res.problems, 0);
    assert_int_equal(res.samples, 3);
    assert_shown(&p, "cpu-clock", WICK_NAME_ANNOTATE,
                 "http nio 8080_[x];[unknown]_[n];my (odd) server_[n];std::vector<int>::push_back_[p];"
                 "JavaCalls::call(void*)_[p];Interpreter_[s];org.example.Handler.handle_[j];"
                 "org.example.Inner.work_[i] 10101010\n"
                 "swapper_[x];nf_hook_[k];do_syscall_64_[k] 10101010\n");
    assert_shown(&p, "sched:sched_switch", WICK_NAME_LINES, "cc1;main:12 1\n");
    uint16_t clock = wick_profile_find_event(&p, "cpu-clock");
    assert_int_equal(p.events[clock].unit, WICK_UNIT_NS);
    assert_int_equal(p.events[clock].kind, WICK_KIND_CPU);
    bool found = false;
    for (uint32_t i = 1; i < p.nthreads; i++)
        found |= p.threads[i].os_tid == 4733 && !strcmp(wick_profile_str(&p, p.threads[i].name), "http nio 8080");
    assert_true(found);
    wick_profile_release(&p);
}

static void test_perf__fields_may_be_missing(void **state)
{
    (void)state;
    static const struct {
        const char *text, *event, *want;
    } cases[] = {
        {"java 12346 1.5: cycles: \n\t 1 a (b)\n", "cycles", "java;a 1\n"},
        {"java 12346/12347 cycles:u: \n\t 1 a (b)\n", "cycles", "java;a 1\n"},
        {"java 12346 [003] 99 cycles:ppp: \n\t 1 a (b)\n", "cycles", "java;a 99\n"},
        {"java 1.5: 7 page-faults: \n\t 1 a (b)\n", "page-faults", "java;a 7\n"},
        {"     cc1  5 1.5: 7 instructions:  1a main+0x4 (/bin/cc1)\n", "instructions", "cc1;main 7\n"},
        {" a 1 1.0: 2 cycles:  1a x+0x4 (/bin/a)\n b 2 1.1: 3 cycles:  1a y+0x4 (/bin/b)\n", "cycles",
         "a;x 2\nb;y 3\n"},
        {"java 1/2 [000] 1.0:  1 cycles: \n\n", "cycles", "java 1\n"},
        {"java 1 1.0: 1 cycles: \r\n\t 1 a (b)\r\n\r\n", "cycles", "java;a 1\n"},
        {"java 1 1.0: \n\t 1 a (b)\n", "perf", "java;a 1\n"},
        /* -F comm,tid,ip,sym: neither a time nor an event nor libraries */
        {"a 14190 \n\t            113f leaf\n\t           2724a call(int)\n\na 14190 \n\t 1 leaf\n\n", "perf",
         "a;call(int);leaf 1\na;leaf 1\n"},
        {"# captured\n\na 1 \n\na 1/2 \n\t 113f leaf+0x16\n", "perf", "a 1\na;leaf 1\n"},
        {"a 1 \n\t 115f std::push (inlined)\n\t 115f [unknown]\n", "perf", "a;[unknown];std::push 1\n"},
        /* without -g; a name and an address may consist of digits that make them something else */
        {"              c2 16443      55b30ef7816d leaf\n              dd 16443  ffffffff8225f2d9 read_zero\n", "perf",
         "c2;leaf 1\ndd;read_zero 1\n"},
        {"              c2 16443      553064378167 leaf\n", "perf", "c2;leaf 1\n"},
        {"              c2 16443 1.5:  10101      553064378167 leaf (/bin/c2)\n", "perf", "c2;leaf 10101\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_profile p;
        struct wick_jfr_result res;
        read_text(&p, cases[i].text, &res);
        assert_int_equal(res.problems, 0);
        assert_shown(&p, cases[i].event, 0, cases[i].want);
        wick_profile_release(&p);
    }
}

/* The forms that perf 6.12 writes, with and without libraries and debug information. */
static void test_perf__lines_of_the_source_are_those_of_the_frame_above(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"c2 1/1 11008.312430: cpu-clock: \n\t            115f inl\n  a.c:3 (inlined)\n"
         "\t            115f leaf (/tmp/c2)\n  a.c:4 (discriminator 3)\n\t  1080 _start (/tmp/c2)\n  ??:0\n\n",
         "c2;_start;leaf:4;inl:3 1\n"},
        {"dd 1 \n\tffffffff81d7ec97 read_zero\n  [kernel.kallsyms][ffffffff81d7ec97]\n"
         "\t    7f1234 a.B.c\n  perf-4711.map[7f1234]\n\t  f8350 write\n  write.c:26\n\n",
         "dd;write:26;a.B.c;read_zero 1\n"},
        {"              c2 16443      55b30ef7816d leaf\n  a.c:3\n"
         "              c2 16443      55b30ef7815f leaf\n  a.c:4\n",
         "c2;leaf:3 1\nc2;leaf:4 1\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_profile p;
        struct wick_jfr_result res;
        read_text(&p, cases[i].text, &res);
        assert_int_equal(res.problems, 0);
        assert_int_equal(res.lost_bytes, 0);
        assert_shown(&p, i ? "perf" : "cpu-clock", WICK_NAME_LINES, cases[i].want);
        wick_profile_release(&p);
    }
}

static void test_perf__what_is_no_sample_is_reported_with_its_place(void **state)
{
    (void)state;
    struct wick_profile p;
    struct wick_jfr_result res;
    static const char good[] = "java 1 1.0: 5 cycles: \n\t 1 a (b)\n\n";
    char text[200];
    snprintf(text, sizeof text, "%sthis is nothing\n\n%s", good, good);
    read_text(&p, text, &res);
    assert_int_equal(res.problems, 1);
    assert_int_equal(res.first_offset, strlen(good));
    assert_int_equal(res.lost_bytes, strlen("this is nothing"));
    assert_shown(&p, "cycles", 0, "java;a 10\n");
    wick_profile_release(&p);
}

/* However the bytes come, the result is the same. */
static void test_input__pieces_of_any_size_make_no_difference(void **state)
{
    (void)state;
    struct wick_profile whole;
    struct wick_jfr_result res;
    read_text(&whole, mixed, &res);
    char *want = build_shown(&whole, false);
    for (size_t piece = 1; piece < 70; piece += 3) {
        struct wick_profile p;
        assert_int_equal(wick_profile_init(&p), 0);
        struct wick_import im = {&p, NULL, &res};
        struct wick_perf_in *in = wick_perf_in_new(&im);
        for (size_t at = 0; at < sizeof mixed - 1; at += piece) {
            size_t n = sizeof mixed - 1 - at < piece ? sizeof mixed - 1 - at : piece;
            assert_int_equal(wick_perf_in_feed(in, mixed + at, n), 0);
        }
        assert_int_equal(wick_perf_in_end(in), 0);
        char *got = build_shown(&p, false);
        assert_string_equal(got, want);
        free(got);
        wick_profile_release(&p);
    }
    free(want);
    wick_profile_release(&whole);
}

static void test_input__the_first_bytes_determine_the_format(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum wick_input_format format;
    } cases[] = {{"a;b;c 12\n", WICK_INPUT_COLLAPSED},
                 {"main 1\n", WICK_INPUT_COLLAPSED},
                 {"java;foo bar 12 13\n", WICK_INPUT_COLLAPSED},
                 {"PERFILE2xxxx", WICK_INPUT_PERF_DATA},
                 {"\x1f\x8b\x08", WICK_INPUT_GZIP},
                 {mixed, WICK_INPUT_PERF},
                 {"a 14190 \n\t    113f leaf\n", WICK_INPUT_PERF},
                 {"     a 14190  113f leaf\n", WICK_INPUT_PERF},
                 {"main 1\nadd 2\n", WICK_INPUT_COLLAPSED},
                 {"a 1 add b 2\n", WICK_INPUT_COLLAPSED},
                 {"a 14190 \n113f leaf\n", WICK_INPUT_UNKNOWN},
                 {"hello world\n", WICK_INPUT_UNKNOWN},
                 {"", WICK_INPUT_UNKNOWN},
                 {"\n\n\n\n", WICK_INPUT_UNKNOWN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(wick_input_is(cases[i].text, strlen(cases[i].text)), cases[i].format);
    assert_int_equal(wick_input_is("FLR\0\0\2\0\1", 8), WICK_INPUT_JFR);
}

static void test_input__packed_text_is_read_and_its_damage_is_reported(void **state)
{
    (void)state;
    char *packed = NULL;
    size_t n;
    FILE *f = open_memstream(&packed, &n);
    struct wick_gzip *z = wick_gzip_new(f);
    for (int i = 0; i < 1000; i++)
        wick_gzip_add(z, "a;b 3\n", 6);
    wick_gzip_finish(z);
    fclose(f);
    for (int cut = 0; cut < 2; cut++) {
        struct wick_profile p;
        struct wick_jfr_result res;
        assert_int_equal(wick_profile_init(&p), 0);
        assert_int_equal(wick_input_read_block(&p, packed, cut ? n - 9 : n, false, NULL, &res, NULL), 0);
        int64_t weight = p.events[wick_profile_main_event(&p)].weight;
        assert_int_equal(res.problems > 0, cut);
        assert_true(cut ? weight > 0 && weight <= 3000 : weight == 3000);
        wick_profile_release(&p);
    }
    free(packed);
}

static void test_input__what_is_nothing_says_so(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "hello world\n", "PERFILE2xxxx", "\x1f\x8b\x08", "\x1f\x8b\x08nonsense"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct wick_profile p;
        struct wick_err err = {0};
        assert_int_equal(wick_profile_init(&p), 0);
        assert_true(wick_input_read_block(&p, texts[i], strlen(texts[i]), false, NULL, NULL, &err) < 0);
        assert_true(err.code != 0 && err.msg[0]);
        wick_profile_release(&p);
    }
}

static void test_collapsed__what_is_written_is_read_back(void **state)
{
    (void)state;
    struct wick_profile p, q;
    struct wick_jfr_result res;
    struct wick_export_options o = {.names = WICK_NAME_ANNOTATE | WICK_NAME_SIGNATURES | WICK_NAME_LINES};
    build_profile(&p);
    char *a = build_text(&p, &o, wick_collapsed_out_write, NULL);
    read_text(&q, a, &res);
    assert_int_equal(res.problems, 0);
    o.names = WICK_NAME_ANNOTATE | WICK_NAME_LINES;
    char *b = build_text(&q, &o, wick_collapsed_out_write, NULL);
    assert_string_equal(a, b);
    assert_int_equal(q.events[wick_profile_main_event(&q)].weight, p.events[wick_profile_main_event(&p)].weight);
    free(a);
    free(b);
    wick_profile_release(&p);
    wick_profile_release(&q);
}

/* Text through the reader and writer of call trees. The caller frees it. */
static char *through_tree(const char *text)
{
    char *back = NULL;
    size_t n;
    struct wick_err err = {0};
    struct wick_tree *t = wick_tree_new();
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r"), *out = open_memstream(&back, &n);
    assert_int_equal(wick_collapsed_read(t, in, "text", &err), 0);
    assert_int_equal(wick_flame_write_collapsed(t, &(struct wick_flame_opts){0}, out, &err), 0);
    fclose(in);
    fclose(out);
    wick_tree_free(t);
    return back;
}

static void test_collapsed__escapes_are_undone_by_both_readers(void **state)
{
    (void)state;
    static const struct {
        const char *text, *back;
    } lines[] = {
        {"a\\x3bb_[n];c\\x0a_[n] 5\n", "a\\x3bb_[n];c\\x0a_[n] 5\n"},       /* what ends a frame, and a line */
        {"x\\x5cx3b_[n] 1\n", "x\\x5cx3b_[n] 1\n"},                         /* a name that looks like an escape */
        {"p\\xe2\\x80\\xae\\xff_[k] 2\n", "p\\xe2\\x80\\xae\\xff_[k] 2\n"}, /* hidden, and no UTF-8 */
        {"C:\\x41\\dir\\_[n] 3\n", "C:\\x5cx41\\x5cdir\\x5c_[n] 3\n"},      /* no escape of ours */
        {";;a_[n];;b_[n]; 18\n", "a_[n];b_[n] 18\n"},
        {"[not sampled: x]_[b] 4\n", "[not sampled: x]_[u] 4\n"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct wick_profile p;
        struct wick_jfr_result res;
        read_text(&p, lines[i].text, &res);
        assert_shown(&p, "samples", WICK_NAME_ANNOTATE, lines[i].back);
        wick_profile_release(&p);
        char *back = through_tree(lines[i].text);
        assert_string_equal(back, lines[i].back);
        free(back);
    }
}

/* What a text cut after n bytes gives: how many samples, and the weight of one event type. */
static uint64_t samples_of_cut(const char *text, size_t n, const char *event, int64_t *weight)
{
    struct wick_profile p;
    struct wick_jfr_result res = {0};
    struct wick_err err = {0};
    char *exact = malloc(n ? n : 1); /* so that reading behind the end is seen */
    memcpy(exact, text, n);
    assert_int_equal(wick_profile_init(&p), 0);
    int rc = wick_input_read_block(&p, exact, n, false, NULL, &res, &err);
    assert_true(rc == 0 || err.msg[0]);
    assert_true(res.first_offset <= n && res.lost_bytes <= n);
    *weight = p.events[wick_profile_find_event(&p, event)].weight;
    free(exact);
    wick_profile_release(&p);
    return res.samples;
}

static void check_every_cut(const char *text, size_t n, const char *event)
{
    int64_t whole_weight, weight;
    uint64_t whole = samples_of_cut(text, n, event, &whole_weight);
    assert_true(whole > 0 && whole_weight > 0);
    for (size_t cut = 0; cut < n; cut++) {
        assert_true(samples_of_cut(text, cut, event, &weight) <= whole);
        assert_true(weight <= whole_weight);
    }
    /* Only the end is missing: all that was complete is there. */
    assert_int_equal(samples_of_cut(text, n - 1, event, &weight), whole);
    assert_int_equal(weight, whole_weight);
}

static void test_input__text_cut_at_any_byte_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    struct wick_profile p;
    size_t n;
    struct wick_export_options o = {.names = WICK_NAME_ANNOTATE | WICK_NAME_LINES};
    check_every_cut(mixed, sizeof mixed - 1, "cpu-clock");
    build_profile(&p);
    char *collapsed = build_text(&p, &o, wick_collapsed_out_write, &n);
    check_every_cut(collapsed, n, "samples");
    free(collapsed);
    wick_profile_release(&p);
}

static bool only_first(void *ctx, const struct wick_profile *p, const struct wick_sample *s)
{
    return (*(int *)ctx)++ == 0;
}

static void test_input__a_filter_holds_for_every_format(void **state)
{
    (void)state;
    int seen = 0;
    struct wick_profile p;
    struct wick_jfr_result res;
    struct wick_jfr_visitor v = {.filter = {.match = only_first, .ctx = &seen}};
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_input_read_block(&p, mixed, sizeof mixed - 1, false, &v, &res, NULL), 0);
    assert_int_equal(res.samples, 3);
    assert_int_equal(res.filtered, 2);
    assert_int_equal(p.naggs, 1);
    wick_profile_release(&p);
    v.filter = (struct wick_filter){.from_ns = 12345700000000, .to_ns = 12345750000000};
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_input_read_block(&p, mixed, sizeof mixed - 1, false, &v, &res, NULL), 0);
    assert_shown(&p, "cpu-clock", 0, "swapper;nf_hook;do_syscall_64 10101010\n");
    wick_profile_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_perf__heads_frames_inlining_kernel_and_tracepoints),
        cmocka_unit_test(test_perf__fields_may_be_missing),
        cmocka_unit_test(test_perf__lines_of_the_source_are_those_of_the_frame_above),
        cmocka_unit_test(test_perf__what_is_no_sample_is_reported_with_its_place),
        cmocka_unit_test(test_input__pieces_of_any_size_make_no_difference),
        cmocka_unit_test(test_input__the_first_bytes_determine_the_format),
        cmocka_unit_test(test_input__packed_text_is_read_and_its_damage_is_reported),
        cmocka_unit_test(test_input__what_is_nothing_says_so),
        cmocka_unit_test(test_input__text_cut_at_any_byte_is_read_as_far_as_it_goes),
        cmocka_unit_test(test_collapsed__what_is_written_is_read_back),
        cmocka_unit_test(test_collapsed__escapes_are_undone_by_both_readers),
        cmocka_unit_test(test_input__a_filter_holds_for_every_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
