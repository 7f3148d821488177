/* SPDX-License-Identifier: Apache-2.0 */
#include "model/agg_value.h"
#include "model/label.h"
#include "model/name.h"
#include "model/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "profile_build.h"

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

static uint32_t function(struct wick_profile *p, const char *cls, const char *name, const char *sig)
{
    return wick_profile_function(p, wick_profile_cstring(p, cls), wick_profile_cstring(p, name),
                                 wick_profile_cstring(p, sig));
}

static void test_profile__equal_things_have_one_number(void **state)
{
    struct wick_profile *p = *state;
    uint32_t f = function(p, "a/B", "c", "()V");
    assert_int_not_equal(f, 0);
    assert_int_equal(function(p, "a/B", "c", "()V"), f);
    assert_int_not_equal(function(p, "a/B", "c", "(I)V"), f);
    uint32_t fr = wick_profile_frame(p, f, 12, 3, WICK_FRAME_C2);
    assert_int_equal(wick_profile_frame(p, f, 12, 3, WICK_FRAME_C2), fr);
    assert_int_not_equal(wick_profile_frame(p, f, 12, 3, WICK_FRAME_C1), fr);
    assert_int_not_equal(wick_profile_frame(p, f, 13, 3, WICK_FRAME_C2), fr);
    assert_int_not_equal(wick_profile_frame(p, f, 12, -1, WICK_FRAME_C2), fr);
}

/* Recordings of services with a thread for each request have millions. */
static void test_profile__threads_count_as_memory(void **state)
{
    struct wick_profile *p = *state;
    uint32_t name = wick_profile_cstring(p, "worker");
    uint64_t before = wick_profile_bytes(p);
    for (int64_t i = 0; i < 100000; i++)
        wick_profile_thread(p, name, 0, i + 1, false);
    assert_true(wick_profile_bytes(p) >= before + 100000 * sizeof(struct wick_thread));
}

static void test_profile__strings_may_be_empty_long_or_hold_nul(void **state)
{
    struct wick_profile *p = *state;
    assert_int_equal(wick_profile_string(p, "", 0), 0);
    char *big = calloc(1, 300000);
    uint32_t a = wick_profile_string(p, big, 300000), b = wick_profile_string(p, big, 299999);
    assert_int_not_equal(a, b);
    assert_int_equal(p->strings[a].len, 300000);
    assert_int_equal(wick_profile_string(p, "x\0y", 3), wick_profile_string(p, "x\0y", 3));
    assert_int_not_equal(wick_profile_string(p, "x\0y", 3), wick_profile_string(p, "x\0z", 3));
    free(big);
}

static void test_profile__stacks_share_prefixes_and_parents_come_first(void **state)
{
    struct wick_profile *p = *state;
    uint32_t frames[64];
    for (int i = 0; i < 64; i++)
        frames[i] = wick_profile_frame(p, function(p, "A", (char[]){(char)('0' + i), 0}, ""), i, i, WICK_FRAME_C2);
    for (unsigned k = 0; k < 5000; k++) {
        uint32_t s = 0;
        for (unsigned d = 0; d < 20; d++)
            s = wick_profile_push(p, s, frames[(k >> d) % 64]);
        for (unsigned d = 20; d-- > 0; s = p->stacks[s].parent)
            assert_int_equal(p->stacks[s].frame, frames[(k >> d) % 64]);
        assert_int_equal(s, 0);
    }
    uint32_t n = p->nstacks;
    wick_profile_push(p, wick_profile_push(p, 0, frames[1]), frames[0]);
    assert_int_equal(p->nstacks, n); /* k = 1 begins with frames 1, 0 */
    for (uint32_t s = 1; s < p->nstacks; s++)
        assert_true(p->stacks[s].parent < s);
}

static void test_profile__whole_stacks_get_the_number_of_their_frames_pushed_one_by_one(void **state)
{
    struct wick_profile *p = *state;
    uint32_t frames[3], leaf_first[24], random = 1;
    for (int i = 0; i < 3; i++)
        frames[i] = wick_profile_frame(p, function(p, "A", (char[]){(char)('a' + i), 0}, ""), i, i, WICK_FRAME_C2);
    for (unsigned k = 0; k < 20000; k++) {
        uint32_t n = k % 25, one_by_one = 0, before = p->nstacks;
        for (uint32_t i = 0; i < n; i++) {
            random = random * 1664525 + 1013904223;
            leaf_first[i] = frames[i < 12 ? random >> 16 & 1 : 2];
        }
        bool whole_first = random >> 20 & 1;
        uint32_t whole = whole_first ? wick_profile_push_all(p, leaf_first, n) : 0, made = p->nstacks;
        for (uint32_t i = n; i-- > 0;)
            one_by_one = wick_profile_push(p, one_by_one, leaf_first[i]);
        if (whole_first)
            assert_int_equal(p->nstacks, made);
        else
            whole = wick_profile_push_all(p, leaf_first, n);
        assert_int_equal(whole, one_by_one);
        assert_true(p->nstacks - before <= n);
        for (uint32_t s = whole, i = 0; s; s = p->stacks[s].parent, i++)
            assert_int_equal(p->stacks[s].frame, leaf_first[i]);
    }
}

static void test_profile__samples_sum_by_stack_thread_state_and_event(void **state)
{
    struct wick_profile *p = *state;
    uint16_t cpu = wick_profile_event(p, wick_profile_cstring(p, "jdk.ExecutionSample"), WICK_KIND_CPU, WICK_UNIT_NS);
    uint16_t wall = wick_profile_event(p, wick_profile_cstring(p, "x.Wall"), WICK_KIND_WALL, WICK_UNIT_NS);
    uint32_t s1 = wick_profile_push(p, 0, wick_profile_frame(p, function(p, "A", "b", ""), 1, 1, WICK_FRAME_C1));
    uint32_t t1 = wick_profile_thread(p, wick_profile_cstring(p, "t1"), 1, 10, false);
    uint32_t t2 = wick_profile_thread(p, wick_profile_cstring(p, "t2"), 2, 11, false);
    for (int i = 0; i < 10; i++) {
        wick_profile_add(p, &(struct wick_sample){.stack = s1, .thread = t1, .event = cpu, .weight = 5, .count = 1});
        wick_profile_add(p, &(struct wick_sample){.stack = s1, .thread = t2, .event = cpu, .weight = 7, .count = 1});
        wick_profile_add(p,
                         &(struct wick_sample){.stack = s1, .thread = t1, .event = wall, .weight = 1000, .count = 3});
    }
    assert_int_equal(p->naggs, 3);
    assert_int_equal(p->aggs[0].weight, 50);
    assert_int_equal(p->aggs[1].weight, 70);
    assert_int_equal(p->aggs[2].count, 30);
    assert_int_equal(p->events[cpu].weight, 120);
    assert_int_equal(p->events[cpu].count, 20);
    assert_int_equal(wick_profile_main_event(p), cpu);
    assert_int_equal(wick_profile_find_event(p, "Wall"), wall);
    assert_int_equal(wick_profile_find_event(p, "cpu"), cpu);
    assert_int_equal(wick_profile_find_event(p, "perf"), 0);
    p->by_thread = false;
    wick_profile_add(p, &(struct wick_sample){.stack = s1, .thread = t2, .event = cpu, .weight = 1, .count = 1});
    assert_int_equal(p->aggs[3].thread, 0);
}

static void test_profile__what_is_not_kept_does_not_set_frames_apart(void **state)
{
    struct wick_profile *p = *state;
    uint32_t f = function(p, "A", "b", "");
    assert_int_not_equal(wick_profile_frame(p, f, 1, 1, WICK_FRAME_C1), wick_profile_frame(p, f, 2, 1, WICK_FRAME_C1));
    p->keep = WICK_KEEP_LINES;
    uint32_t coarse = wick_profile_frame(p, f, 2, 1, WICK_FRAME_C1);
    assert_int_equal(coarse, wick_profile_frame(p, f, 2, 7, WICK_FRAME_INLINED));
    assert_int_not_equal(coarse, wick_profile_frame(p, f, 3, 7, WICK_FRAME_INLINED));
    assert_int_not_equal(coarse, wick_profile_frame(p, f, 2, 7, WICK_FRAME_KERNEL));
}

static void test_profile__sums_saturate_instead_of_overflowing(void **state)
{
    struct wick_profile *p = *state;
    uint16_t e = wick_profile_event(p, wick_profile_cstring(p, "e"), WICK_KIND_CPU, WICK_UNIT_NS);
    struct wick_sample s = {.event = e, .weight = INT64_MAX, .count = UINT64_MAX};
    wick_profile_add(p, &s);
    wick_profile_add(p, &s);
    assert_true(p->aggs[0].weight == INT64_MAX && p->aggs[0].count == UINT64_MAX);
}

static void check_name(struct wick_profile *p, uint32_t frame, unsigned flags, const char *want)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    wick_name_add_frame(&sb, p, frame, flags);
    assert_string_equal(sb.buf, want);
    wick_strbuf_release(&sb);
}

static uint32_t parsed_set(struct wick_profile *p, const char *text)
{
    struct wick_label pairs[WICK_LABELS_MAX];
    return wick_profile_label_set(p, pairs, wick_label_parse(p, text, strlen(text), pairs, 0, WICK_LABELS_MAX));
}

static const char *label_of(struct wick_profile *p, uint32_t set, const char *key)
{
    return wick_profile_str(p, wick_profile_label(p, set, wick_profile_label_key(p, key)));
}

static void test_label__equal_sets_have_one_number_in_any_order(void **state)
{
    struct wick_profile *p = *state;
    uint32_t a = parsed_set(p, "customer=big,tier=gold"), b = parsed_set(p, "tier=gold,customer=big");
    assert_int_not_equal(a, 0);
    assert_int_equal(a, b);
    assert_int_not_equal(parsed_set(p, "customer=big"), a);
    assert_int_equal(parsed_set(p, "tier=lead,customer=big,tier=gold"), a); /* the last one counts */
    assert_string_equal(label_of(p, a, "tier"), "gold");
    assert_string_equal(label_of(p, a, "nothing"), "");
    assert_string_equal(label_of(p, 0, "tier"), "");
    assert_string_equal(label_of(p, 4711, "tier"), "");
}

static void test_label__escapes_are_undone_and_bad_text_goes_as_far_as_it_can(void **state)
{
    struct wick_profile *p = *state;
    uint32_t s = parsed_set(p, "a\\,b=1\\=2\\\\,c=,=x,d,e=5\\");
    assert_string_equal(label_of(p, s, "a,b"), "1=2\\");
    assert_string_equal(label_of(p, s, "e"), "5\\");
    assert_int_equal(p->label_sets[s].n, 2);
    assert_int_equal(parsed_set(p, ""), 0);
    assert_int_equal(parsed_set(p, ",,,=,"), 0);
}

static void test_label__more_pairs_than_fit_are_left_out(void **state)
{
    struct wick_profile *p = *state;
    struct wick_strbuf text = WICK_STRBUF_INIT;
    for (int i = 0; i < 200; i++)
        wick_strbuf_addf(&text, "k%d=v%d,", i, i);
    uint32_t s = parsed_set(p, text.buf);
    assert_int_equal(p->label_sets[s].n, WICK_LABELS_MAX);
    assert_string_equal(label_of(p, s, "k63"), "v63");
    assert_string_equal(label_of(p, s, "k64"), "");
    wick_strbuf_release(&text);
}

static void test_label__samples_are_kept_apart_by_labels_only_if_asked(void **state)
{
    struct wick_profile *p = *state;
    uint32_t big = parsed_set(p, "customer=big"), small = parsed_set(p, "customer=small");
    struct wick_sample s = {.event = wick_profile_event(p, wick_profile_cstring(p, "e"), WICK_KIND_CPU, WICK_UNIT_NS),
                            .weight = 1,
                            .count = 1};
    for (int i = 0; i < 10; i++) {
        p->by_labels = i >= 5;
        s.labels = i % 2 ? big : small;
        wick_profile_add(p, &s);
    }
    assert_int_equal(p->naggs, 3);
    assert_true(p->aggs[0].labels == 0 && p->aggs[0].count == 5);
    assert_true(p->aggs[1].labels == big && p->aggs[1].count == 3);
    assert_true(p->aggs[2].labels == small && p->aggs[2].count == 2);
}

static void test_value__a_package_is_that_of_the_nearest_java_frame(void **state)
{
    static const struct {
        const char *leaf, *package;
        unsigned kind;
    } want[] = {{"com/acme/shop/Cart", "com.acme.shop", WICK_FRAME_C2},
                {"com/acme/Cart$$Lambda/0x00007f12", "com.acme", WICK_FRAME_C2},
                {"com.acme.Cart$$Lambda+0x00007f12", "com.acme", WICK_FRAME_INLINED},
                {"Main", "default package", WICK_FRAME_INTERPRETED},
                {"libc.so.6", "base", WICK_FRAME_NATIVE}}; /* below it is Java */
    struct wick_strbuf text = WICK_STRBUF_INIT;
    struct wick_profile p;
    (void)state;
    assert_int_equal(wick_profile_init(&p), 0);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        uint32_t base = wick_profile_push(&p, 0, build_frame(&p, "base/Base", "main", "()V", 1, WICK_FRAME_C1));
        const struct wick_agg a = {
            .stack = wick_profile_push(&p, base, build_frame(&p, want[i].leaf, "leaf", "", 1, want[i].kind))};
        wick_strbuf_clear(&text);
        assert_true(wick_agg_value(&text, &p, &a, "package"));
        assert_string_equal(text.buf, want[i].package);
    }
    const struct wick_agg native = {
        .stack = wick_profile_push(&p, 0, build_frame(&p, "libjvm.so", "run", "", 0, WICK_FRAME_CPP))};
    assert_false(wick_agg_value(&text, &p, &native, "package"));
    assert_false(wick_agg_value(&text, &p, &(struct wick_agg){0}, "package"));
    wick_strbuf_release(&text);
    wick_profile_release(&p);
}

static void test_name__java_names_have_dots(void **state)
{
    struct wick_profile *p = *state;
    uint32_t f =
        wick_profile_frame(p, function(p, "java/util/Map$Entry", "get", "([[ILjava/lang/String;J)Ljava/lang/Object;"),
                           42, 7, WICK_FRAME_C2);
    check_name(p, f, 0, "java.util.Map$Entry.get");
    check_name(p, f, WICK_NAME_SIMPLE, "Map$Entry.get");
    check_name(p, f, WICK_NAME_LINES | WICK_NAME_ANNOTATE, "java.util.Map$Entry.get:42_[j]");
    check_name(p, f, WICK_NAME_SIGNATURES, "java.util.Map$Entry.get(int[][],java.lang.String,long)java.lang.Object");
    check_name(p, f, WICK_NAME_SIGNATURES | WICK_NAME_SIMPLE, "Map$Entry.get(int[][],String,long)Object");
    check_name(p, 0, 0, "[unknown]");
}

static void test_name__a_nul_byte_does_not_end_a_name(void **state)
{
    struct wick_profile *p = *state;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    uint32_t s = wick_profile_string(p, "a\0b", 3), sig = wick_profile_string(p, "()V\0x", 5);
    uint32_t f = wick_profile_function(p, s, s, sig);
    wick_name_add_function(&sb, p, f, true, WICK_NAME_SIGNATURES);
    assert_int_equal(sb.len, 12);
    assert_memory_equal(sb.buf, "a\0b.a\0b()V\0x", 12);
    wick_strbuf_clear(&sb);
    wick_name_add_function(&sb, p, f, false, 0);
    assert_memory_equal(sb.buf, "a\0b", 4);
    wick_strbuf_clear(&sb);
    wick_name_add_thread(&sb, p, wick_profile_thread(p, s, 7, 0, false));
    assert_memory_equal(sb.buf, "[a\0b tid=7]", 12);
    wick_strbuf_release(&sb);
}

static void test_name__hidden_classes_keep_their_serial_number(void **state)
{
    struct wick_profile *p = *state;
    uint32_t f = wick_profile_frame(p, function(p, "a/B$$Lambda/0x00007f12", "run", "()V"), 0, 0, WICK_FRAME_INLINED);
    check_name(p, f, 0, "a.B$$Lambda/0x00007f12.run");
    check_name(p, f, WICK_NAME_SIMPLE, "B$$Lambda/0x00007f12.run");
}

static void test_name__malformed_signatures_are_shown_raw(void **state)
{
    static const char *const bad[] = {"", "(", "(L", "(Lx", "()", "(I)", "(I)Vx", "Q", "(Q)V", "([)V", "([", "()L;x"};
    struct wick_profile *p = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char want[32];
        snprintf(want, sizeof want, "A.b%s", bad[i]);
        check_name(p, wick_profile_frame(p, function(p, "A", "b", bad[i]), 0, 0, WICK_FRAME_C2), WICK_NAME_SIGNATURES,
                   want);
    }
}

static void test_name__native_frames_show_the_symbol_or_library_and_offset(void **state)
{
    struct wick_profile *p = *state;
    static const struct {
        const char *lib, *sym, *want;
    } c[] = {
        {"libc.so.6", "write", "write"},
        {"libx.so", "", "libx.so"},
        {"libx.so", "+0x12", "libx.so+0x12"},
        {"libx.so", "0x12", "libx.so+0x12"},
        {"/usr/lib/libz.so", "0x7f00", "libz.so+0x7f00"},
        {"", "/usr/lib/libz.so", "libz.so"},
        {"", "0x7f00", "0x7f00"},
        {"libjvm.so", "java/lang/x", "java/lang/x"},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        check_name(p, wick_profile_frame(p, function(p, c[i].lib, c[i].sym, ""), 0, -1, WICK_FRAME_NATIVE), 0,
                   c[i].want);
}

static void test_name__threads_show_name_and_tid(void **state)
{
    struct wick_profile *p = *state;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    wick_name_add_thread(&sb, p, wick_profile_thread(p, wick_profile_cstring(p, "main"), 7, 1, false));
    wick_name_add_thread(&sb, p, wick_profile_thread(p, 0, 0, 99, true));
    assert_string_equal(sb.buf, "[main tid=7][virtual tid=99]");
    wick_strbuf_release(&sb);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value__a_package_is_that_of_the_nearest_java_frame),
        T(test_profile__equal_things_have_one_number),
        T(test_profile__threads_count_as_memory),
        T(test_profile__strings_may_be_empty_long_or_hold_nul),
        T(test_profile__stacks_share_prefixes_and_parents_come_first),
        T(test_profile__whole_stacks_get_the_number_of_their_frames_pushed_one_by_one),
        T(test_profile__samples_sum_by_stack_thread_state_and_event),
        T(test_profile__what_is_not_kept_does_not_set_frames_apart),
        T(test_profile__sums_saturate_instead_of_overflowing),
        T(test_label__equal_sets_have_one_number_in_any_order),
        T(test_label__escapes_are_undone_and_bad_text_goes_as_far_as_it_can),
        T(test_label__more_pairs_than_fit_are_left_out),
        T(test_label__samples_are_kept_apart_by_labels_only_if_asked),
        T(test_name__java_names_have_dots),
        T(test_name__a_nul_byte_does_not_end_a_name),
        T(test_name__hidden_classes_keep_their_serial_number),
        T(test_name__malformed_signatures_are_shown_raw),
        T(test_name__native_frames_show_the_symbol_or_library_and_offset),
        T(test_name__threads_show_name_and_tid),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
