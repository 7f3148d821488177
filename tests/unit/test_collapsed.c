/* SPDX-License-Identifier: Apache-2.0 */
#include "export/format_writers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static int set_up(void **state)
{
    struct wick_profile *p = malloc(sizeof *p);
    *state = p;
    return wick_profile_init(p);
}

static int tear_down(void **state)
{
    wick_profile_release(*state);
    free(*state);
    return 0;
}

static uint32_t frame(struct wick_profile *p, const char *cls, const char *name, int line, unsigned kind)
{
    uint32_t sig = wick_profile_cstring(p, "(I[Lx/Y;)V");
    return wick_profile_frame(
        p, wick_profile_function(p, wick_profile_cstring(p, cls), wick_profile_cstring(p, name), sig), line, line,
        kind);
}

/* Adds a sample with the frames f, root first, up to a 0. */
static void sample(struct wick_profile *p, uint16_t event, uint32_t thread, int64_t weight, const uint32_t *f)
{
    uint32_t s = 0;
    while (*f)
        s = wick_profile_push(p, s, *f++);
    wick_profile_add(p,
                     &(struct wick_sample){.stack = s, .thread = thread, .event = event, .weight = weight, .count = 1});
}
#define STACK(...)     \
    (const uint32_t[]) \
    {                  \
        __VA_ARGS__, 0 \
    }

static void check(const struct wick_profile *p, struct wick_export_options o, const char *want)
{
    char *text = NULL;
    size_t n = 0;
    struct wick_err err = {0};
    FILE *f = open_memstream(&text, &n);
    assert_int_equal(wick_collapsed_out_write(p, &o, f, &err), 0);
    fclose(f);
    assert_string_equal(text, want);
    free(text);
}

static uint16_t cpu_event(struct wick_profile *p)
{
    return wick_profile_event(p, wick_profile_cstring(p, "jdk.ExecutionSample"), WICK_KIND_CPU, WICK_UNIT_NS);
}

/* Readers of damaged input may push the frame "none". */
static void test_collapsed__the_unknown_frame_is_a_frame_like_others(void **state)
{
    struct wick_profile *p = *state;
    uint16_t cpu = cpu_event(p);
    uint32_t a = frame(p, "a/A", "m", 1, WICK_FRAME_C2), b = frame(p, "a/B", "m", 1, WICK_FRAME_C2);
    uint32_t s = wick_profile_push(p, wick_profile_push(p, wick_profile_push(p, 0, b), 0), a);
    wick_profile_add(p, &(struct wick_sample){.stack = s, .event = cpu, .weight = 2, .count = 1});
    s = wick_profile_push(p, wick_profile_push(p, 0, b), a);
    wick_profile_add(p, &(struct wick_sample){.stack = s, .event = cpu, .weight = 3, .count = 1});
    check(p, (struct wick_export_options){0}, "a.B.m;[unknown];a.A.m 2\na.B.m;a.A.m 3\n");
}

static void test_collapsed__lines_are_sorted_and_equal_stacks_are_one_line(void **state)
{
    struct wick_profile *p = *state;
    uint16_t cpu = cpu_event(p);
    uint32_t z = frame(p, "a/Z", "run", 1, WICK_FRAME_C2), b1 = frame(p, "a/B", "m", 1, WICK_FRAME_C2);
    uint32_t b2 = frame(p, "a/B", "m", 2, WICK_FRAME_INTERPRETED), k = frame(p, "", "do_x", 0, WICK_FRAME_KERNEL);
    sample(p, cpu, 0, 10, STACK(z, b2));
    sample(p, cpu, 0, 5, STACK(z, b1));
    sample(p, cpu, 0, 3, STACK(z));
    sample(p, cpu, 0, 2, STACK(b1, k));
    sample(p, cpu, 0, 0, STACK(k));
    check(p, (struct wick_export_options){0}, "a.B.m;do_x 2\na.Z.run 3\na.Z.run;a.B.m 15\n");
    check(p, (struct wick_export_options){.counts = true}, "a.B.m;do_x 1\na.Z.run 1\na.Z.run;a.B.m 2\ndo_x 1\n");
    check(p, (struct wick_export_options){.names = WICK_NAME_LINES},
          "a.B.m:1;do_x 2\na.Z.run:1 3\na.Z.run:1;a.B.m:1 5\na.Z.run:1;a.B.m:2 10\n");
    check(p, (struct wick_export_options){.names = WICK_NAME_ANNOTATE | WICK_NAME_SIMPLE},
          "B.m_[j];do_x_[k] 2\nZ.run_[j] 3\nZ.run_[j];B.m_[0] 10\nZ.run_[j];B.m_[j] 5\n");
    check(p, (struct wick_export_options){.names = WICK_NAME_SIGNATURES | WICK_NAME_SIMPLE},
          "B.m(int,Y[])void;do_x 2\nZ.run(int,Y[])void 3\nZ.run(int,Y[])void;B.m(int,Y[])void 15\n");
}

static void test_collapsed__threads_are_root_frames_and_are_not_mixed(void **state)
{
    struct wick_profile *p = *state;
    uint16_t cpu = cpu_event(p);
    uint32_t f = frame(p, "A", "b", 1, WICK_FRAME_C2), g = frame(p, "A", "c", 1, WICK_FRAME_C2);
    uint32_t t[2] = {wick_profile_thread(p, wick_profile_cstring(p, "w;2"), 2, 0, false),
                     wick_profile_thread(p, wick_profile_cstring(p, "w1"), 1, 0, false)};
    for (int i = 0; i < 6; i++)
        sample(p, cpu, t[i % 2], 1 << i, i < 4 ? STACK(f, g) : STACK(f));
    check(p, (struct wick_export_options){.threads = true},
          "[w1 tid=1];A.b 32\n[w1 tid=1];A.b;A.c 10\n[w\\x3b2 tid=2];A.b 16\n[w\\x3b2 tid=2];A.b;A.c 5\n");
    check(p, (struct wick_export_options){0}, "A.b 48\nA.b;A.c 15\n");
}

static void test_collapsed__event_types_are_never_added(void **state)
{
    struct wick_profile *p = *state;
    uint16_t wall = wick_profile_event(p, wick_profile_cstring(p, "w.W"), WICK_KIND_WALL, WICK_UNIT_NS),
             cpu = cpu_event(p);
    uint32_t f = frame(p, "A", "b", 1, WICK_FRAME_C2);
    sample(p, wall, 0, 100, STACK(f));
    sample(p, cpu, 0, 7, STACK(f));
    check(p, (struct wick_export_options){0}, "A.b 7\n");
    check(p, (struct wick_export_options){.event = wall}, "A.b 100\n");
}

static void test_collapsed__hostile_names_stay_in_their_frame(void **state)
{
    static const struct {
        const char *name, *want;
    } c[] = {
        {"a;b 5\nx", "a\\x3bb 5\\x0ax"},
        {"tab\tdel\x7f\\", "tab\\x09del\\x7f\\x5c"},
        {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"nel\xc2\x85 ls\xe2\x80\xa8", "nel\\xc2\\x85 ls\\xe2\\x80\\xa8"},
        {"bad\xff\xc3", "bad\\xff\\xc3"},
        {"overlong\xc0\xaf surrogate\xed\xa0\x80", "overlong\\xc0\\xaf surrogate\\xed\\xa0\\x80"},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct wick_profile p;
        char want[200];
        assert_int_equal(wick_profile_init(&p), 0);
        sample(&p, cpu_event(&p), 0, 1, STACK(frame(&p, "", c[i].name, 0, WICK_FRAME_NATIVE)));
        snprintf(want, sizeof want, "%s 1\n", c[i].want);
        check(&p, (struct wick_export_options){0}, want);
        wick_profile_release(&p);
    }
}

static void test_collapsed__deep_and_wide_trees_come_out_whole(void **state)
{
    struct wick_profile *p = *state;
    uint16_t cpu = cpu_event(p);
    uint32_t f[3] = {frame(p, "A", "a", 1, 1), frame(p, "A", "b", 1, 1), frame(p, "A", "c", 1, 1)}, path[3001] = {0};
    for (int i = 0; i < 3000; i++)
        path[i] = f[i % 3];
    sample(p, cpu, 0, 1, path);
    path[1500] = 0;
    sample(p, cpu, 0, 1, path);
    for (unsigned k = 0; k < 6561; k++) {
        for (unsigned d = 0, n = k; d < 8; d++, n /= 3)
            path[d] = f[n % 3];
        path[8] = 0;
        sample(p, cpu, 0, 1, path);
    }
    char *text = NULL, *before = NULL;
    size_t n = 0, lines = 0;
    FILE *out = open_memstream(&text, &n);
    assert_int_equal(wick_collapsed_out_write(p, &(struct wick_export_options){0}, out, NULL), 0);
    fclose(out);
    for (char *line = strtok(text, "\n"); line; before = line, line = strtok(NULL, "\n"), lines++) {
        char *space = strrchr(line, ' ');
        assert_string_equal(space, " 1");
        *space = 0;
        assert_true(!before || strcmp(before, line) < 0);
    }
    assert_int_equal(lines, 6561 + 2);
    free(text);
}

static void test_collapsed__no_samples_is_an_error(void **state)
{
    struct wick_err err = {0};
    assert_int_equal(wick_collapsed_out_write(*state, &(struct wick_export_options){0}, stdout, &err),
                     -WICK_E_NOTFOUND);
    assert_string_equal(err.msg, "the recording holds no samples");
}

static void test_format__is_found_by_name_and_by_extension(void **state)
{
    assert_string_equal(wick_format_by_file("x/y.collapsed")->name, "collapsed");
    assert_string_equal(wick_format_by_file("a.b.TXT")->name, "collapsed");
    assert_null(wick_format_by_file("dir.txt/noext"));
    assert_null(wick_format_by_file("x.jpeg"));
    assert_ptr_equal(wick_format_by_name("collapsed"), wick_format_by_file("f.folded"));
    assert_null(wick_format_by_name("colapsed"));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_collapsed__the_unknown_frame_is_a_frame_like_others),
        T(test_collapsed__lines_are_sorted_and_equal_stacks_are_one_line),
        T(test_collapsed__threads_are_root_frames_and_are_not_mixed),
        T(test_collapsed__event_types_are_never_added),
        T(test_collapsed__hostile_names_stay_in_their_frame),
        T(test_collapsed__deep_and_wide_trees_come_out_whole),
        T(test_collapsed__no_samples_is_an_error),
        T(test_format__is_found_by_name_and_by_extension),
    };
    return cmocka_run_group_tests_name("collapsed", tests, NULL, NULL);
}
