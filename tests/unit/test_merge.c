/* SPDX-License-Identifier: Apache-2.0 */
/* Content ids, and two profiles that become one: against digests of Python's hashlib, and against reading both files.
 */
#include "jfr/reader/reader.h"
#include "model/content_id.h"
#include "model/label.h"
#include "model/merge.h"
#include "profile_build.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf.h"

static void assert_hex(const uint8_t bytes[16], const char *want)
{
    char hex[33];
    for (unsigned i = 0; i < 16; i++)
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    assert_string_equal(hex, want);
}

/* hashlib.blake2s(bytes((7 * i + n) & 255 for i in range(n)), digest_size=16, person=b"wick.sym") */
static void test_blake2s__digests_are_those_of_another_implementation(void **state)
{
    static const struct {
        size_t n;
        const char *hex;
    } known[] = {{0, "08e9d0625becc2730d45efcf0b74098a"},   {1, "134f6e5cb38d1ed720d3ba58371fcbd9"},
                 {63, "714004d5732e5f0a18590c0656cf1ef4"},  {64, "baa6c26cc840fa75c985671d5081646e"},
                 {65, "9cc8d2704b03f0dcda1b0e9c0729a0d7"},  {127, "a80adaaf9c34f3e792573afeceec95eb"},
                 {128, "69cd58278d680f0c00c63ec1ac6c87b5"}, {129, "9203f40a0e6ae5eb6d1d032e0b403c34"},
                 {1000, "70751b42d16e9dc08a3650c57c53bb1a"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        uint8_t bytes[1000], digest[WICK_BLAKE2S_BYTES];
        for (size_t i = 0; i < known[k].n; i++)
            bytes[i] = (uint8_t)(i * 7 + known[k].n);
        for (size_t piece = 1; piece <= 1000; piece = piece * 3 + 1) {
            struct wick_blake2s b;
            wick_blake2s_init(&b, "wick.sym");
            for (size_t at = 0; at < known[k].n; at += piece)
                wick_blake2s_add(&b, bytes + at, known[k].n - at < piece ? known[k].n - at : piece);
            wick_blake2s_end(&b, digest);
            assert_hex(digest, known[k].hex);
        }
    }
}

/* Computed by hashlib from what content_id.h says. If this fails, ids that others have stored are worth nothing. */
static void test_content_id__ids_are_the_same_in_every_build(void **state)
{
    struct wick_profile p;
    struct wick_content_ids ids;
    assert_int_equal(wick_profile_init(&p), 0);
    for (int i = 0; i < 5; i++) /* numbers must not matter */
        build_frame(&p, "other", (char[]){(char)('a' + i), 0}, "", i, WICK_FRAME_CPP);
    uint32_t f = wick_profile_function(&p, wick_profile_cstring(&p, "java/lang/String"),
                                       wick_profile_cstring(&p, "indexOf"), wick_profile_cstring(&p, "(I)I"));
    uint32_t root = wick_profile_frame(&p, f, 42, 7, WICK_FRAME_C2);
    uint32_t leaf = build_frame(&p, "libc.so.6", "write", "", 0, WICK_FRAME_NATIVE);
    uint32_t s1 = wick_profile_push(&p, 0, root), s2 = wick_profile_push(&p, s1, leaf);
    assert_int_equal(wick_content_ids_init(&ids, &p), 0);
    assert_hex(ids.functions[f].bytes, "112b00a8b309687fd8d9b29aab7d82eb");
    assert_hex(ids.frames[root].bytes, "af3648d0be6d06df61c05b8f144e25bc");
    assert_hex(ids.frames[leaf].bytes, "a6911e2dcfb67c59326b5c40ff867986");
    assert_hex(ids.stacks[s1].bytes, "9de593e45a620d7ae9e825044a56450b");
    assert_hex(ids.stacks[s2].bytes, "552648acdd910e0ee7fbfca6af96324b");
    assert_hex(ids.stacks[0].bytes, "00000000000000000000000000000000");
    wick_content_ids_release(&ids);
    wick_profile_release(&p);
}

/* --- profiles in a form that knows no numbers --- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_labels(struct wick_strbuf *sb, const struct wick_profile *p, uint32_t set)
{
    const struct wick_label_set *s = &p->label_sets[set];
    const char *pairs[WICK_LABELS_MAX];
    struct wick_strbuf text[WICK_LABELS_MAX];
    for (uint32_t i = 0; i < s->n; i++) {
        const struct wick_label *l = &p->labels[s->first + i];
        text[i] = (struct wick_strbuf)WICK_STRBUF_INIT;
        wick_strbuf_addf(&text[i], "%s=%s", wick_profile_str(p, l->key), wick_profile_str(p, l->value));
        pairs[i] = text[i].buf;
    }
    qsort(pairs, s->n, sizeof *pairs, by_text);
    for (uint32_t i = 0; i < s->n; i++)
        wick_strbuf_addf(sb, " %s", pairs[i]);
    for (uint32_t i = 0; i < s->n; i++)
        wick_strbuf_release(&text[i]);
}

static char *agg_line(const struct wick_profile *p, const struct wick_content_ids *ids, const struct wick_agg *a)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    const struct wick_thread *t = &p->threads[a->thread];
    for (unsigned i = 0; i < 16; i++)
        wick_strbuf_addf(&sb, "%02x", ids->stacks[a->stack].bytes[i]);
    wick_strbuf_addf(&sb, " [%s %" PRId64 " %" PRId64 " %d] %s %s/%u/%u", wick_profile_str(p, t->name), t->os_tid,
                     t->java_tid, t->is_virtual, wick_profile_str(p, p->states[a->state]),
                     wick_profile_str(p, p->events[a->event].name), p->events[a->event].kind, p->events[a->event].unit);
    add_labels(&sb, p, a->labels);
    wick_strbuf_addf(&sb, ": %" PRId64 " %" PRIu64, a->weight, a->count);
    return wick_strbuf_take(&sb);
}

static char *event_line(const struct wick_profile *p, const struct wick_sample_type *e)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    wick_strbuf_addf(&sb, "%s/%u/%u: %" PRId64 " %" PRIu64 " own %" PRId64, wick_profile_str(p, e->name), e->kind,
                     e->unit, e->weight, e->count, e->own);
    return wick_strbuf_take(&sb);
}

/* Everything in a profile but its numbers; the caller frees it. */
static char *canonical(const struct wick_profile *p)
{
    struct wick_content_ids ids;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    uint32_t n = 0;
    char **lines = calloc(p->naggs + p->nevents, sizeof *lines);
    assert_int_equal(wick_content_ids_init(&ids, p), 0);
    for (uint32_t i = 0; i < p->naggs; i++)
        lines[n++] = agg_line(p, &ids, &p->aggs[i]);
    for (uint32_t i = 1; i < p->nevents; i++)
        lines[n++] = event_line(p, &p->events[i]);
    qsort(lines, n, sizeof *lines, by_text);
    wick_strbuf_addf(&sb, "%" PRId64 "..%" PRId64 " %u %u %u\n", p->start_ns, p->end_ns, p->nfunctions, p->nframes,
                     p->nstacks);
    for (uint32_t i = 0; i < n; i++) {
        wick_strbuf_addf(&sb, "%s\n", lines[i]);
        free(lines[i]);
    }
    free(lines);
    wick_content_ids_release(&ids);
    return wick_strbuf_take(&sb);
}

static void assert_same(const struct wick_profile *a, const struct wick_profile *b)
{
    char *x = canonical(a), *y = canonical(b);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

/* --- the JDKs' own recordings --- */

enum { FILES = 3 };
static const char *const golden[FILES] = {"jdk8", "jdk17", "jdk25"};

static void start(struct wick_profile *p, bool coarse)
{
    assert_int_equal(wick_profile_init(p), 0);
    if (coarse) {
        p->by_thread = p->by_state = false;
        p->keep = WICK_KEEP_SIGNATURES;
    }
}

static void read_golden(struct wick_profile *p, unsigned file)
{
    char command[1024];
    struct wick_err err = {0};
    snprintf(command, sizeof command, "gzip -dc '%s/jfr/%s.jfr.gz'", WICK_GOLDEN, golden[file]);
    FILE *f = popen(command, "r");
    char *all = malloc(1 << 20);
    assert_non_null(f);
    size_t n = fread(all, 1, 1 << 20, f);
    assert_int_equal(pclose(f), 0);
    assert_int_equal(wick_jfr_read_memory(p, all, n, NULL, NULL, &err), 0);
    free(all);
}

static void test_merge__two_profiles_make_what_reading_both_files_into_one_makes(void **state)
{
    for (unsigned k = 0; k < FILES * FILES * 2; k++) {
        struct wick_profile a, b, both;
        bool coarse = k % 2;
        start(&a, coarse);
        start(&b, false); /* as fine as can be: merging makes it as coarse as a */
        start(&both, coarse);
        read_golden(&a, k / 2 / FILES);
        read_golden(&b, k / 2 % FILES);
        read_golden(&both, k / 2 / FILES);
        read_golden(&both, k / 2 % FILES);
        assert_int_equal(wick_profile_merge(&a, &b), 0);
        assert_true(a.naggs > 4);
        assert_same(&a, &both);
        wick_profile_release(&a);
        wick_profile_release(&b);
        wick_profile_release(&both);
    }
}

static void test_merge__it_is_known_what_each_aggregate_has_become(void **state)
{
    for (unsigned k = 0; k < FILES * 2; k++) {
        struct wick_profile to, from;
        start(&to, k % 2);
        start(&from, false);
        read_golden(&from, k / 2);
        uint32_t *moved = calloc(from.naggs, sizeof *moved);
        int64_t *weight = calloc(from.naggs, sizeof *weight);
        assert_int_equal(wick_profile_merge_moved(&to, &from, moved), 0);
        assert_in_range(to.naggs, 5, from.naggs);
        for (uint32_t i = 0; i < from.naggs; i++) {
            assert_in_range(moved[i], 0, to.naggs - 1);
            weight[moved[i]] += from.aggs[i].weight;
        }
        for (uint32_t i = 0; i < to.naggs; i++)
            assert_int_equal(weight[i], to.aggs[i].weight);
        free(moved);
        free(weight);
        wick_profile_release(&to);
        wick_profile_release(&from);
    }
}

static void test_merge__order_and_grouping_do_not_matter(void **state)
{
    static const uint8_t orders[6][FILES] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    struct wick_profile one[FILES], want;
    start(&want, false);
    for (unsigned i = 0; i < FILES; i++) {
        start(&one[i], false);
        read_golden(&one[i], i);
        assert_int_equal(wick_profile_merge(&want, &one[i]), 0);
    }
    for (unsigned k = 0; k < 6; k++) {
        struct wick_profile left, right, inner; /* (x + y) + z and x + (y + z) */
        start(&left, false);
        start(&right, false);
        start(&inner, false);
        for (unsigned i = 0; i < FILES; i++)
            assert_int_equal(wick_profile_merge(&left, &one[orders[k][i]]), 0);
        assert_int_equal(wick_profile_merge(&inner, &one[orders[k][1]]), 0);
        assert_int_equal(wick_profile_merge(&inner, &one[orders[k][2]]), 0);
        assert_int_equal(wick_profile_merge(&right, &one[orders[k][0]]), 0);
        assert_int_equal(wick_profile_merge(&right, &inner), 0);
        assert_same(&left, &want);
        assert_same(&right, &want);
        wick_profile_release(&left);
        wick_profile_release(&right);
        wick_profile_release(&inner);
    }
    for (unsigned i = 0; i < FILES; i++)
        wick_profile_release(&one[i]);
    wick_profile_release(&want);
}

static uint32_t find_id(const struct wick_content_ids *ids, uint32_t n, const struct wick_content_id *id)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!wick_content_id_compare(&ids->stacks[i], id))
            found = i;
    return found;
}

static void test_content_id__stacks_of_one_recording_have_their_ids_in_any_profile(void **state)
{
    struct wick_profile alone, after;
    struct wick_content_ids x, y;
    start(&alone, false);
    start(&after, false);
    read_golden(&alone, 2);
    read_golden(&after, 0);
    read_golden(&after, 2);
    assert_int_equal(wick_content_ids_init(&x, &alone), 0);
    assert_int_equal(wick_content_ids_init(&y, &after), 0);
    unsigned moved = 0;
    for (uint32_t s = 1; s < alone.nstacks; s++) {
        uint32_t there = find_id(&y, after.nstacks, &x.stacks[s]);
        assert_int_equal(find_id(&x, alone.nstacks, &x.stacks[s]), s); /* no two have one */
        assert_int_not_equal(there, 0);
        moved += there != s;
    }
    assert_true(moved > 0);
    wick_content_ids_release(&x);
    wick_content_ids_release(&y);
    wick_profile_release(&alone);
    wick_profile_release(&after);
}

/* --- what those recordings have not --- */

static void add_labelled(struct wick_profile *p, const char *user, int64_t weight)
{
    uint16_t cpu = wick_profile_event(p, wick_profile_cstring(p, "cpu"), WICK_KIND_CPU, WICK_UNIT_NS);
    uint16_t bytes = wick_profile_event(p, wick_profile_cstring(p, "cpu"), WICK_KIND_ALLOC, WICK_UNIT_BYTES);
    uint32_t stack = wick_profile_push(p, 0, build_frame(p, "a/B", "c", "()V", 3, WICK_FRAME_C1));
    struct wick_label pairs[] = {{wick_profile_cstring(p, "user"), wick_profile_cstring(p, user)},
                                 {wick_profile_cstring(p, "endpoint"), wick_profile_cstring(p, "/x")}};
    uint32_t set = wick_profile_label_set(p, pairs, 2);
    wick_profile_add(p,
                     &(struct wick_sample){.stack = stack, .labels = set, .event = cpu, .weight = weight, .count = 1});
    wick_profile_add(p,
                     &(struct wick_sample){
                         .stack = stack, .event = bytes, .weight = 8 * weight, .count = 2, .variance = 4, .things = 3});
}

static void test_merge__labels_units_and_what_was_left_out_add_up(void **state)
{
    struct wick_profile a, b, both;
    struct wick_profile *all[] = {&a, &b, &both};
    for (unsigned i = 0; i < 3; i++) {
        start(all[i], false);
        all[i]->by_labels = true;
    }
    wick_profile_cstring(&b, "other numbers");
    for (int i = 0; i < 6; i++) {
        add_labelled(i % 2 ? &a : &b, i < 3 ? "ann" : "bob", 10 + i);
        add_labelled(&both, i < 3 ? "ann" : "bob", 10 + i);
    }
    a.events[1].own = 5;
    b.events[1].own = 6;
    both.events[1].own = 11;
    wick_profile_cover(&a, 100, 200);
    wick_profile_cover(&b, 50, 150);
    wick_profile_cover(&both, 50, 200);
    assert_int_equal(wick_profile_merge(&a, &b), 0);
    assert_same(&a, &both);
    assert_int_equal(a.naggs, 3); /* two users, and bytes without labels */
    for (uint32_t i = 0; i < a.naggs; i++) {
        bool sized = a.aggs[i].event == 2;
        assert_true(wick_profile_sizes(&a, i).variance == (sized ? 24 : 0));
        assert_true(wick_profile_sizes(&a, i).things == (sized ? 18 : 0));
    }
    for (unsigned i = 0; i < 3; i++)
        wick_profile_release(all[i]);
}

static void test_merge__what_was_not_kept_is_not_made_up(void **state)
{
    struct wick_profile fine, coarse, sealed;
    start(&fine, false);
    start(&coarse, true);
    start(&sealed, false);
    wick_profile_seal(&sealed);
    assert_int_equal(wick_profile_merge(&fine, &coarse), -WICK_E_USAGE);
    assert_int_equal(wick_profile_merge(&sealed, &fine), -WICK_E_USAGE);
    fine.objects = true;
    assert_int_equal(wick_profile_merge(&coarse, &fine), -WICK_E_USAGE);
    coarse.objects = true;
    assert_int_equal(wick_profile_merge(&coarse, &fine), 0);
    wick_profile_release(&fine);
    wick_profile_release(&coarse);
    wick_profile_release(&sealed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blake2s__digests_are_those_of_another_implementation),
        cmocka_unit_test(test_content_id__ids_are_the_same_in_every_build),
        cmocka_unit_test(test_content_id__stacks_of_one_recording_have_their_ids_in_any_profile),
        cmocka_unit_test(test_merge__two_profiles_make_what_reading_both_files_into_one_makes),
        cmocka_unit_test(test_merge__it_is_known_what_each_aggregate_has_become),
        cmocka_unit_test(test_merge__order_and_grouping_do_not_matter),
        cmocka_unit_test(test_merge__labels_units_and_what_was_left_out_add_up),
        cmocka_unit_test(test_merge__what_was_not_kept_is_not_made_up),
    };
    return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
