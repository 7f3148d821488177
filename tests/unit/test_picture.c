/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/frame_kind.h"
#include "export/picture.h"
#include "flame/flame.h"
#include "model/label.h"

static uint32_t frame(struct wick_profile *p, const char *class_name, const char *name, int line, unsigned kind)
{
    uint32_t f = wick_profile_function(p, wick_profile_cstring(p, class_name), wick_profile_cstring(p, name), 0);
    return wick_profile_frame(p, f, line, -1, kind);
}

/* One sample for each of: every kind of frame in one stack; the same symbol in two libraries; a second thread. */
static uint16_t fill(struct wick_profile *p)
{
    assert_int_equal(wick_profile_init(p), 0);
    uint16_t cpu = wick_profile_event(p, wick_profile_cstring(p, "jdk.ExecutionSample"), WICK_KIND_CPU, WICK_UNIT_NS);
    uint32_t main = wick_profile_thread(p, wick_profile_cstring(p, "main"), 7, 1, false);
    uint32_t other = wick_profile_thread(p, wick_profile_cstring(p, "a.b.Other"), 8, 2, false);
    uint32_t leaf_first[] = {
        frame(p, "kernel", "do_syscall_64", 0, WICK_FRAME_KERNEL),
        frame(p, "libc.so.6", "write", 0, WICK_FRAME_NATIVE),
        frame(p, "libjvm.so", "JavaThread::run", 0, WICK_FRAME_CPP),
        frame(p, "", "call_stub", 0, WICK_FRAME_STUB),
        frame(p, "x/Y", "inlined", 3, WICK_FRAME_INLINED),
        frame(p, "x/Y", "hot", 20, WICK_FRAME_C2),
        frame(p, "x/Y", "warm", 10, WICK_FRAME_C1),
        frame(p, "x/Y", "cold", 1, WICK_FRAME_INTERPRETED),
        frame(p, "", "[broken: no interpreter frame]", 0, WICK_FRAME_BREAK),
        frame(p, "", "carrier below", 0, WICK_FRAME_BOUNDARY),
    };
    uint32_t all = wick_profile_push_all(p, leaf_first, sizeof leaf_first / sizeof *leaf_first);
    uint32_t own = frame(p, "libmine.so", "write", 0, WICK_FRAME_NATIVE);
    struct wick_sample s[] = {
        {.stack = all, .thread = main, .event = cpu, .weight = 10000000, .count = 1},
        {.stack = wick_profile_push(p, 0, leaf_first[1]), .thread = main, .event = cpu, .weight = 500, .count = 1},
        {.stack = wick_profile_push(p, 0, own), .thread = other, .event = cpu, .weight = 700, .count = 2},
        {.stack = wick_profile_push(p, 0, own), .thread = other, .event = cpu, .weight = 0, .count = 1},
    };
    for (size_t i = 0; i < sizeof s / sizeof *s; i++)
        wick_profile_add(p, &s[i]);
    return cpu;
}

/* The child with that name and library ("" = none); WICK_TREE_NONE if there is none. */
static uint32_t child(const struct wick_tree *t, uint32_t node, const char *name, const char *library)
{
    for (uint32_t c = wick_tree_node(t, node)->first_child; c != WICK_TREE_NONE;
         c = wick_tree_node(t, c)->next_sibling) {
        uint32_t id = wick_tree_node(t, c)->name, in = wick_tree_library(t, id);
        size_t n, m = 0;
        const char *s = wick_tree_name_get(t, id, &n), *l = in == WICK_TREE_NONE ? "" : wick_tree_name_get(t, in, &m);
        if (n == strlen(name) && !memcmp(s, name, n) && m == strlen(library) && !memcmp(l, library, m))
            return c;
    }
    return WICK_TREE_NONE;
}

static struct wick_tree *fold(const struct wick_profile *p, const struct wick_export_options *o)
{
    struct wick_err err = {0};
    struct wick_tree *t = wick_tree_new();
    assert_int_equal(wick_picture_fold(p, o, t, &err), 0);
    assert_int_equal(wick_tree_sort(t), 0);
    return t;
}

static void test_picture__every_frame_keeps_name_kind_line_and_library(void **state)
{
    (void)state;
    static const struct {
        const char *name, *library;
        unsigned kind, line;
    } want[] = {
        {"carrier below", "", WICK_FRAME_BOUNDARY, 0},
        {"[broken: no interpreter frame]", "", WICK_FRAME_BREAK, 0},
        {"x.Y.cold", "", WICK_FRAME_INTERPRETED, 1},
        {"x.Y.warm", "", WICK_FRAME_C1, 10},
        {"x.Y.hot", "", WICK_FRAME_C2, 20},
        {"x.Y.inlined", "", WICK_FRAME_INLINED, 3},
        {"call_stub", "", WICK_FRAME_STUB, 0},
        {"JavaThread::run", "libjvm.so", WICK_FRAME_CPP, 0},
        {"write", "libc.so.6", WICK_FRAME_NATIVE, 0},
        {"do_syscall_64", "", WICK_FRAME_KERNEL, 0},
    };
    struct wick_profile p;
    struct wick_export_options o = {.event = fill(&p)};
    struct wick_tree *t = fold(&p, &o);
    uint32_t at = WICK_TREE_ROOT;
    assert_int_equal(wick_tree_node(t, at)->total, 10001200);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        at = child(t, at, want[i].name, want[i].library);
        if (at == WICK_TREE_NONE)
            fail_msg("no %s", want[i].name);
        assert_int_equal(wick_tree_kind(t, at), want[i].kind);
        struct wick_tree_line lines[WICK_TREE_MAX_LINES];
        assert_int_equal(wick_tree_lines(t, at, lines) ? lines[0].line : 0, want[i].line);
    }
    assert_int_equal(wick_tree_node(t, at)->self, 10000000);
    wick_tree_free(t);
    wick_profile_release(&p);
}

static void test_picture__one_symbol_in_two_libraries_is_two_boxes(void **state)
{
    (void)state;
    struct wick_profile p;
    struct wick_export_options o = {.event = fill(&p)};
    struct wick_tree *t = fold(&p, &o), *reversed;
    for (int i = 0; i < 2; i++) {
        uint32_t libc = child(t, WICK_TREE_ROOT, "write", "libc.so.6");
        uint32_t mine = child(t, WICK_TREE_ROOT, "write", "libmine.so");
        assert_int_equal(wick_tree_node(t, libc)->total, 500);
        assert_int_equal(wick_tree_node(t, mine)->total, 700);
        assert_true(wick_tree_rank(t, wick_tree_node(t, libc)->name) <
                    wick_tree_rank(t, wick_tree_node(t, mine)->name));
        assert_int_equal(wick_tree_reverse(t, &reversed), 0);
        assert_int_equal(wick_tree_sort(reversed), 0);
        wick_tree_free(t);
        t = reversed;
    }
    wick_tree_free(t);
    wick_profile_release(&p);
}

static void test_picture__threads_are_root_frames_of_kind_boundary(void **state)
{
    (void)state;
    struct wick_profile p;
    struct wick_export_options o = {.event = fill(&p), .threads = true};
    struct wick_tree *t = fold(&p, &o);
    uint32_t main = child(t, WICK_TREE_ROOT, "[main tid=7]", "");
    uint32_t other = child(t, WICK_TREE_ROOT, "[a.b.Other tid=8]", "");
    assert_int_equal(wick_tree_node(t, main)->total, 10000500);
    assert_int_equal(wick_tree_node(t, other)->total, 700);
    assert_int_equal(wick_tree_kind(t, other), WICK_FRAME_BOUNDARY);
    wick_tree_free(t);
    wick_profile_release(&p);
}

/* Two threads have one value, so one root frame, and their stacks below it are one tree. */
static void test_picture__values_of_a_label_are_root_frames(void **state)
{
    (void)state;
    struct wick_profile p;
    uint16_t cpu = fill(&p);
    struct wick_export_options o = {.event = cpu, .by = "customer"};
    p.by_labels = p.by_thread = true;
    const struct wick_label big = {wick_profile_cstring(&p, "customer"), wick_profile_cstring(&p, "big")};
    uint32_t set = wick_profile_label_set(&p, &big, 1), name = wick_profile_cstring(&p, "any");
    uint32_t stack = wick_profile_push(&p, 0, frame(&p, "x/Y", "hot", 20, WICK_FRAME_C2));
    for (int64_t thread = 10; thread < 12; thread++) {
        const struct wick_sample s = {.stack = stack,
                                      .labels = set,
                                      .event = cpu,
                                      .weight = 100 * thread,
                                      .count = 1,
                                      .thread = wick_profile_thread(&p, name, thread, thread, false)};
        wick_profile_add(&p, &s);
    }
    struct wick_tree *t = fold(&p, &o);
    uint32_t rooted = child(t, WICK_TREE_ROOT, "[big]", ""), rest = child(t, WICK_TREE_ROOT, "[no customer]", "");
    assert_int_equal(wick_tree_node(t, rooted)->total, 2100);
    assert_int_equal(wick_tree_kind(t, rooted), WICK_FRAME_BOUNDARY);
    assert_int_equal(wick_tree_node(t, child(t, rooted, "x.Y.hot", ""))->self, 2100);
    assert_int_equal(wick_tree_node(t, rest)->total, 10001200);
    assert_int_equal(wick_tree_node(t, WICK_TREE_ROOT)->total, 10003300);
    wick_tree_free(t);
    wick_profile_release(&p);
}

static void test_picture__samples_are_counted_if_asked_for(void **state)
{
    (void)state;
    struct wick_profile p;
    struct wick_export_options o = {.event = fill(&p), .counts = true};
    struct wick_tree *t = fold(&p, &o);
    assert_int_equal(wick_tree_node(t, WICK_TREE_ROOT)->total, 5);
    assert_string_equal(wick_picture_unit(&p, &o), "samples");
    wick_tree_free(t);
    wick_profile_release(&p);
}

static void test_picture__unit_and_subtitle_follow_from_the_event(void **state)
{
    (void)state;
    struct wick_profile p;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    struct wick_export_options o = {.event = fill(&p)};
    wick_profile_cover(&p, 1700000000000000000, 1700000010500000000);
    wick_picture_subtitle(&sb, &p, &o);
    assert_string_equal(sb.buf, "CPU time, 5 samples in 10.5 s from 2023-11-14 22:13:20 UTC");
    assert_string_equal(wick_picture_unit(&p, &o), "ns");
    o.event = wick_profile_event(&p, wick_profile_cstring(&p, "page-faults"), WICK_KIND_PERF, WICK_UNIT_COUNT);
    assert_string_equal(wick_picture_unit(&p, &o), "page-faults");
    wick_strbuf_release(&sb);
    wick_profile_release(&p);
}

static void test_picture__a_recording_without_samples_is_an_error(void **state)
{
    (void)state;
    struct wick_profile p;
    struct wick_err err = {0};
    struct wick_export_options o = {0};
    struct wick_tree *t = wick_tree_new();
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_picture_fold(&p, &o, t, &err), -WICK_E_NOTFOUND);
    assert_string_equal(err.msg, "the recording holds no samples");
    wick_tree_free(t);
    wick_profile_release(&p);
}

static void test_picture__svg_names_the_library_and_html_is_a_page(void **state)
{
    (void)state;
    struct wick_profile p;
    struct wick_err err = {0};
    struct wick_export_options o = {.event = fill(&p), .title = "a<b"};
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    assert_int_equal(wick_picture_write_svg(&p, &o, out, &err), 0);
    fclose(out);
    assert_non_null(strstr(text, "native, in libc.so.6"));
    assert_non_null(strstr(text, "a&lt;b"));
    free(text);
    text = NULL;
    out = open_memstream(&text, &n);
    assert_int_equal(wick_picture_write_html(&p, &o, out, &err), 0);
    fclose(out);
    assert_non_null(strstr(text, "a&lt;b</title>"));
    free(text);
    wick_profile_release(&p);
}

/* Recordings have both as broken walks; only the name says which one is none. */
static void test_picture__weight_without_samples_is_a_kind_of_its_own(void **state)
{
    (void)state;
    struct wick_profile p;
    struct wick_err err = {0};
    struct wick_export_options o = {0};
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    assert_int_equal(wick_profile_init(&p), 0);
    o.event = wick_profile_event(&p, wick_profile_cstring(&p, "jdk.ExecutionSample"), WICK_KIND_CPU, WICK_UNIT_NS);
    uint32_t leaves[] = {
        frame(&p, "x/Y", "hot", 20, WICK_FRAME_C2),
        frame(&p, "", "[broken: no interpreter frame]", 0, WICK_FRAME_BREAK),
        frame(&p, "", "[not sampled: thread or recording ended]", 0, WICK_FRAME_BREAK),
    };
    int64_t weights[] = {700, 50, 250};
    for (size_t i = 0; i < 3; i++) {
        struct wick_sample s = {
            .stack = wick_profile_push(&p, 0, leaves[i]), .event = o.event, .weight = weights[i], .count = 1};
        assert_int_equal(wick_frame_is_unsampled(&p, leaves[i]), i == 2);
        wick_profile_add(&p, &s);
    }
    assert_int_equal(wick_picture_write_svg(&p, &o, out, &err), 0);
    fclose(out);
    assert_non_null(strstr(text, ">broken walk 5.0 %</text>"));
    assert_non_null(strstr(text, ">not sampled 25.0 %</text>"));
    assert_non_null(strstr(text, "<rect class=\"k11 w\""));
    assert_non_null(strstr(text, "<rect class=\"k11\" x=")); /* the legend's */
    free(text);
    wick_profile_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_picture__every_frame_keeps_name_kind_line_and_library),
        cmocka_unit_test(test_picture__one_symbol_in_two_libraries_is_two_boxes),
        cmocka_unit_test(test_picture__threads_are_root_frames_of_kind_boundary),
        cmocka_unit_test(test_picture__values_of_a_label_are_root_frames),
        cmocka_unit_test(test_picture__samples_are_counted_if_asked_for),
        cmocka_unit_test(test_picture__unit_and_subtitle_follow_from_the_event),
        cmocka_unit_test(test_picture__a_recording_without_samples_is_an_error),
        cmocka_unit_test(test_picture__svg_names_the_library_and_html_is_a_page),
        cmocka_unit_test(test_picture__weight_without_samples_is_a_kind_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
