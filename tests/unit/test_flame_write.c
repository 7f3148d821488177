/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/frame_kind.h"
#include "flame/flame.h"
#include "flame/box_layout.h"
#include "flame/text.h"

static void assert_xml(const char *in, size_t n, const char *want)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    wick_text_add_xml(&sb, in, n);
    assert_string_equal(sb.buf, want);
    wick_strbuf_release(&sb);
}

static void test_xml__markup_controls_and_bidi_are_inert(void **state)
{
    (void)state;
    assert_xml("<a b='c'>&\"", 11, "&lt;a b=&#39;c&#39;&gt;&amp;&quot;");
    assert_xml("a\0b\n\x1b", 5,
               "a\xef\xbf\xbd"
               "b\xef\xbf\xbd\xef\xbf\xbd");
    assert_xml("\xe2\x80\xaex\xc2\x85\xe2\x81\xa6", 9, "\xef\xbf\xbdx\xef\xbf\xbd\xef\xbf\xbd");
    assert_xml("]]></script>", 12, "]]&gt;&lt;/script&gt;");
    assert_xml("\xef\xbf\xbe\xef\xbf\xbd", 6, "\xef\xbf\xbd\xef\xbf\xbd");
    assert_xml("na\xc3\xafve \xf0\x9f\x94\xa5", 11, "na\xc3\xafve \xf0\x9f\x94\xa5");
}

static void test_utf8__broken_sequences_lose_only_themselves(void **state)
{
    (void)state;
    assert_xml("\xc3<", 2, "\xef\xbf\xbd&lt;");
    assert_xml("\xe2\x80\"", 3, "\xef\xbf\xbd\xef\xbf\xbd&quot;");
    assert_xml("\xc0\xaf", 2, "\xef\xbf\xbd\xef\xbf\xbd");
    assert_xml("\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_xml("\xf4\x90\x80\x80", 4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_xml("\xf0\x9f\x94", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

static void assert_label(const char *name, int java, size_t max, const char *want)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    wick_text_add_label(&sb, name, strlen(name), java, max);
    assert_string_equal(sb.buf, want);
    wick_strbuf_release(&sb);
}

static void test_label__package_and_arguments_go_first(void **state)
{
    (void)state;
    assert_label("java/util/HashMap.get", 1, 30, "java/util/HashMap.get");
    assert_label("java/util/HashMap.get", 1, 20, "HashMap.get");
    assert_label("java.util.HashMap.get(Object)", 1, 12, "HashMap.get");
    assert_label("java/util/HashMap.get", 1, 5, "get");
    assert_label("java/util/HashMap.putIfAbsent", 1, 5, "putI\xe2\x80\xa6");
    assert_label("A::B::trim(int)", 0, 6, "trim");
    assert_label("java/util/HashMap.get", 1, 2, "");
    assert_label("a.b.main", 1, 6, "b.main");
    assert_label("com.x.Foo$$Lambda/0x07f.run", 1, 24, "Foo$$Lambda/0x07f.run");
    assert_label("G1::Scan<a::b>::trim(int, x::y)", 0, 20, "Scan&lt;a::b&gt;::trim");
    assert_label("(anonymous namespace)::f(int)", 0, 27, "(anonymous namespace)::f");
    assert_label("do_syscall_64", 0, 8, "do_sysc\xe2\x80\xa6");
}

/* The same table is read by tests/web/modules.test.mjs, which holds the page to it. */
static void test_shorten__agrees_with_the_shared_table(void **state)
{
    (void)state;
    FILE *in = fopen(WICK_TEST_SOURCE_DIR "/flame_names.tsv", "r");
    assert_non_null(in);
    char line[512];
    int rows = 0;
    for (; fgets(line, sizeof line, in); rows++) {
        const char *name = strtok(line, "\t"), *java = strtok(NULL, "\t"), *want = strtok(NULL, "\n");
        size_t n = strlen(name);
        wick_text_shorten(&name, &n, *java == '1');
        if (n != strlen(want) || memcmp(name, want, n))
            fail_msg("%s: %.*s", want, (int)n, name);
    }
    fclose(in);
    assert_true(rows > 20);
}

static void assert_weight(uint64_t weight, const char *unit, const char *want)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    wick_text_add_weight(&sb, weight, unit);
    assert_string_equal(sb.buf, want);
    wick_strbuf_release(&sb);
}

static void test_weight__speaks_the_unit(void **state)
{
    (void)state;
    assert_weight(1234567890, "ns", "1.23 s");
    assert_weight(45600000, "ns", "45.6 ms");
    assert_weight(999, "ns", "999 ns");
    assert_weight(0, "ns", "0 ns");
    assert_weight(1258291, "bytes", "1.20 MiB");
    assert_weight(1234567, NULL, "1,234,567 samples");
    assert_weight(1, NULL, "1 sample");
    assert_weight(1, "page-faults", "1 page-faults");
    assert_weight(5, "<b>", "5 &lt;b&gt;");
}

static void add1(struct wick_tree *t, const char *a, const char *b, uint64_t weight)
{
    struct wick_tree_frame f[2] = {{.name = wick_tree_name(t, a, strlen(a)), .kind = WICK_FRAME_C2},
                                   {.name = wick_tree_name(t, b, strlen(b)), .kind = WICK_FRAME_KERNEL}};
    assert_int_equal(wick_tree_add(t, f, 2, weight), 0);
}

static void test_layout__hidden_boxes_keep_their_room(void **state)
{
    (void)state;
    struct wick_tree *t = wick_tree_new();
    struct wick_box_layout l;
    add1(t, "a", "x", 50);
    add1(t, "b", "x", 1);
    add1(t, "c", "y", 49);
    assert_int_equal(wick_tree_sort(t), 0);
    assert_int_equal(wick_box_layout_init(&l, t, 2), 0);
    assert_int_equal(l.boxes, 5);
    assert_int_equal(l.hidden, 2);
    assert_int_equal(l.box[3].start, 51);
    assert_int_equal(l.box[4].start, 51);
    assert_int_equal(l.depth, 2);
    wick_box_layout_release(&l);
    wick_tree_free(t);
}

typedef int writer(struct wick_tree *, const struct wick_flame_opts *, FILE *, struct wick_err *);

static char *written(writer *write, struct wick_tree *t, const struct wick_flame_opts *o)
{
    char *text = NULL;
    size_t n = 0;
    struct wick_err err = {0};
    FILE *out = open_memstream(&text, &n);
    assert_int_equal(write(t, o, out, &err), 0);
    fclose(out);
    assert_int_equal(strlen(text), n);
    return text;
}

static void test_writers__hostile_names_and_options_stay_text(void **state)
{
    (void)state;
    static const char evil[] = "</script></title><script>alert(1)</script>";
    static writer *const writers[] = {wick_flame_write_html, wick_flame_write_svg};
    struct wick_flame_opts o = {.title = evil, .subtitle = evil, .unit = evil};
    struct wick_tree *t = wick_tree_new();
    add1(t, evil, "]]><script>alert(1)</script>", 3);
    for (int reverse = 0; reverse < 2; reverse++) {
        o.reverse = reverse;
        for (size_t i = 0; i < 2; i++) {
            char *text = written(writers[i], t, &o);
            assert_null(strstr(text, "<script>alert"));
            assert_null(strstr(text, "]]><script"));
            free(text);
        }
    }
    wick_tree_free(t);
}

static void test_html__names_no_other_place(void **state)
{
    (void)state;
    struct wick_tree *t = wick_tree_new();
    add1(t, "a", "b", 3);
    char *text = written(wick_flame_write_html, t, &(struct wick_flame_opts){0});
    assert_null(strstr(text, "http:"));
    assert_null(strstr(text, "https:"));
    assert_non_null(strstr(text, "default-src 'none'; script-src 'sha256-"));
    assert_null(strstr(text, "@SCRIPT"));
    free(text);
    wick_tree_free(t);
}

static void test_collapsed__weights_by_kind_survive(void **state)
{
    (void)state;
    struct wick_tree *t = wick_tree_new();
    struct wick_tree_frame f[2] = {{.name = wick_tree_name(t, "a;b\n", 4), .kind = WICK_FRAME_C2},
                                   {.name = wick_tree_name(t, "m", 1), .kind = WICK_FRAME_C2}};
    assert_int_equal(wick_tree_add(t, f, 2, 5), 0);
    f[1].kind = WICK_FRAME_INTERPRETED;
    assert_int_equal(wick_tree_add(t, f, 2, 2), 0);
    assert_int_equal(wick_tree_add(t, f, 0, 1), 0);
    char *text = written(wick_flame_write_collapsed, t, &(struct wick_flame_opts){0});
    assert_string_equal(text, "[no stack] 1\na\\x3bb\\x0a_[j];m_[j] 5\na\\x3bb\\x0a_[j];m_[0] 2\n");
    free(text);
    text = written(wick_flame_write_collapsed, t, &(struct wick_flame_opts){.reverse = true});
    assert_string_equal(text, "[no stack] 1\nm_[j];a\\x3bb\\x0a_[j] 7\n");
    free(text);
    wick_tree_free(t);
}

static void test_writers__a_full_disk_is_an_error(void **state)
{
    (void)state;
    static writer *const writers[] = {wick_flame_write_html, wick_flame_write_svg, wick_flame_write_collapsed};
    struct wick_tree *t = wick_tree_new();
    add1(t, "a", "b", 3);
    for (size_t i = 0; i < 3; i++) {
        struct wick_err err = {0};
        FILE *out = fopen("/dev/full", "w");
        assert_non_null(out);
        int rc = writers[i](t, &(struct wick_flame_opts){0}, out, &err);
        assert_true(rc == -WICK_E_NOSPACE || rc == -WICK_E_IO);
        assert_non_null(strstr(err.msg, "cannot write"));
        fclose(out);
    }
    wick_tree_free(t);
}

static void test_writers__an_empty_tree_is_a_document(void **state)
{
    (void)state;
    struct wick_tree *t = wick_tree_new();
    char *html = written(wick_flame_write_html, t, &(struct wick_flame_opts){0});
    char *svg = written(wick_flame_write_svg, t, &(struct wick_flame_opts){.reverse = true});
    assert_non_null(strstr(html, "</html>"));
    assert_non_null(strstr(svg, "</svg>"));
    free(html);
    free(svg);
    wick_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xml__markup_controls_and_bidi_are_inert),
        cmocka_unit_test(test_utf8__broken_sequences_lose_only_themselves),
        cmocka_unit_test(test_label__package_and_arguments_go_first),
        cmocka_unit_test(test_shorten__agrees_with_the_shared_table),
        cmocka_unit_test(test_weight__speaks_the_unit),
        cmocka_unit_test(test_layout__hidden_boxes_keep_their_room),
        cmocka_unit_test(test_writers__hostile_names_and_options_stay_text),
        cmocka_unit_test(test_html__names_no_other_place),
        cmocka_unit_test(test_collapsed__weights_by_kind_survive),
        cmocka_unit_test(test_writers__a_full_disk_is_an_error),
        cmocka_unit_test(test_writers__an_empty_tree_is_a_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
