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
#include "base/sum.h"
#include "flame/tree.h"
#include "flame/tree_focus.h"

/* Adds "a;b;c" with one kind letter per frame: j C2, 1 C1, i inlined, 0 interpreted, n native, k kernel. */
static void add(struct wick_tree *t, const char *stack, const char *kinds, uint64_t weight)
{
    struct wick_tree_frame f[64];
    size_t n = 0;
    for (const char *s = stack; *s; n++) {
        size_t len = strcspn(s, ";");
        uint8_t kind = kinds[n] == 'j'   ? WICK_FRAME_C2
                       : kinds[n] == '1' ? WICK_FRAME_C1
                       : kinds[n] == 'i' ? WICK_FRAME_INLINED
                       : kinds[n] == '0' ? WICK_FRAME_INTERPRETED
                       : kinds[n] == 'n' ? WICK_FRAME_NATIVE
                                         : WICK_FRAME_KERNEL;
        f[n] = (struct wick_tree_frame){.name = wick_tree_name(t, s, len), .kind = kind, .line = (uint32_t)n + 1};
        s += len + (s[len] == ';');
    }
    assert_int_equal(wick_tree_add(t, f, n, weight), 0);
}

static uint32_t find(const struct wick_tree *t, const char *path, uint8_t kind)
{
    uint32_t at = WICK_TREE_ROOT;
    while (*path) {
        size_t len = strcspn(path, ";"), n = 0;
        uint32_t c = wick_tree_node(t, at)->first_child;
        for (; c != WICK_TREE_NONE; c = wick_tree_node(t, c)->next_sibling) {
            const char *s = wick_tree_name_get(t, wick_tree_node(t, c)->name, &n);
            if (n == len && !memcmp(s, path, n) && (path[len] || wick_tree_kind(t, c) == kind))
                break;
        }
        if (c == WICK_TREE_NONE)
            return WICK_TREE_NONE;
        at = c;
        path += len + (path[len] == ';');
    }
    return at;
}

/* Every invariant of the tree: total = self + children's totals, splits and lines sum up, depth and parent agree. */
static void check(const struct wick_tree *t)
{
    uint32_t nodes = wick_tree_nodes(t);
    uint64_t *children = calloc(nodes, sizeof *children);
    for (uint32_t i = nodes; i-- > 0;) {
        const struct wick_tree_node *d = wick_tree_node(t, i);
        struct wick_tree_split s;
        if (d->total != d->self + children[i])
            fail_msg("node %u: total %lu, self %lu, children %lu", i, d->total, d->self, children[i]);
        if (wick_tree_split_get(t, i, &s)) {
            assert_true(s.total[0] + s.total[1] + s.total[2] + s.total[3] == d->total);
            assert_true(s.self[0] + s.self[1] + s.self[2] + s.self[3] == d->self);
        }
        struct wick_tree_line lines[WICK_TREE_MAX_LINES];
        for (unsigned n = wick_tree_lines(t, i, lines); n; n--) {
            assert_true(lines[n - 1].total <= d->total);
            assert_true(lines[n - 1].self <= d->self);
        }
        if (!i)
            continue;
        assert_true(d->parent < i);
        assert_int_equal(d->depth, wick_tree_node(t, d->parent)->depth + 1);
        children[d->parent] += d->total;
    }
    free(children);
}

static void test_tree__totals_are_sums(void **state)
{
    (void)state;
    struct wick_tree *t = wick_tree_new();
    add(t, "main;a;b", "jjj", 10);
    add(t, "main;a", "jj", 5);
    add(t, "main;c", "jn", 1);
    assert_int_equal(wick_tree_nodes(t), 5);
    assert_int_equal(wick_tree_node(t, WICK_TREE_ROOT)->total, 16);
    assert_int_equal(wick_tree_node(t, find(t, "main;a", WICK_FRAME_C2))->total, 15);
    assert_int_equal(wick_tree_node(t, find(t, "main;a", WICK_FRAME_C2))->self, 5);
    assert_int_equal(wick_tree_gcd(t), 1);
    assert_int_equal(wick_tree_depth(t), 3);
    check(t);
    wick_tree_free(t);
}

static void test_tree__java_kinds_share_a_box_and_keep_their_weights(void **state)
{
    (void)state;
    struct wick_tree *t = wick_tree_new();
    add(t, "main;hot", "jj", 78);
    add(t, "main;hot", "j0", 20);
    add(t, "main;hot;leaf", "jij", 2);
    uint32_t hot = find(t, "main;hot", WICK_FRAME_C2);
    struct wick_tree_split s;
    assert_int_equal(wick_tree_nodes(t), 4);
    assert_int_equal(wick_tree_split_get(t, hot, &s), 3);
    assert_int_equal(s.total[wick_tree_java_slot(WICK_FRAME_C2)], 78);
    assert_int_equal(s.total[wick_tree_java_slot(WICK_FRAME_INTERPRETED)], 20);
    assert_int_equal(s.total[wick_tree_java_slot(WICK_FRAME_INLINED)], 2);
    assert_int_equal(s.self[wick_tree_java_slot(WICK_FRAME_INLINED)], 0);
    assert_int_equal(wick_tree_kind(t, hot), WICK_FRAME_C2);
    check(t);
    wick_tree_free(t);
}

static void test_tree__the_dominant_kind_is_the_weightiest_not_the_first(void **state)
{
    (void)state;
    struct wick_tree *t = wick_tree_new();
    add(t, "m", "0", 1);
    add(t, "m", "1", 9);
    assert_int_equal(wick_tree_kind(t, 1), WICK_FRAME_C1);
    wick_tree_free(t);
}

static void test_tree__native_and_kernel_namesakes_stay_apart(void **state)
{
    (void)state;
    struct wick_tree *t = wick_tree_new();
    add(t, "write", "n", 3);
    add(t, "write", "k", 4);
    assert_int_equal(wick_tree_nodes(t), 3);
    assert_int_equal(wick_tree_node(t, find(t, "write", WICK_FRAME_NATIVE))->total, 3);
    assert_int_equal(wick_tree_node(t, find(t, "write", WICK_FRAME_KERNEL))->total, 4);
    wick_tree_free(t);
}

static void test_tree__recursion_makes_a_box_per_level(void **state)
{
    (void)state;
    struct wick_tree *t = wick_tree_new();
    add(t, "f;f;f", "jjj", 2);
    add(t, "f;f", "jj", 1);
    assert_int_equal(wick_tree_nodes(t), 4);
    assert_int_equal(wick_tree_node(t, find(t, "f;f;f", WICK_FRAME_C2))->total, 2);
    assert_int_equal(wick_tree_node(t, find(t, "f;f", WICK_FRAME_C2))->self, 1);
    check(t);
    wick_tree_free(t);
}

static void test_tree__order_does_not_depend_on_insertion(void **state)
{
    (void)state;
    static const char *const names[] = {"b", "a", "ab", "B", "", "\xff", "a;"};
    uint32_t order[2][8];
    for (int turn = 0; turn < 2; turn++) {
        struct wick_tree *t = wick_tree_new();
        for (int i = 0; i < 7; i++) {
            const char *s = names[turn ? 6 - i : i];
            struct wick_tree_frame f = {.name = wick_tree_name(t, s, strlen(s)), .kind = WICK_FRAME_NATIVE};
            assert_int_equal(wick_tree_add(t, &f, 1, (uint64_t)strlen(s) + 1), 0);
            f.kind = WICK_FRAME_KERNEL;
            assert_int_equal(wick_tree_add(t, &f, 1, 100), 0);
        }
        assert_int_equal(wick_tree_sort(t), 0);
        uint32_t c = wick_tree_node(t, WICK_TREE_ROOT)->first_child;
        for (int i = 0; i < 14; i++) {
            size_t n;
            const char *s = wick_tree_name_get(t, wick_tree_node(t, c)->name, &n);
            if (i % 2 == 0)
                order[turn][i / 2] = n ? (uint8_t)s[0] * 256u + (uint32_t)n : 0;
            assert_int_equal(wick_tree_node(t, c)->kind, i % 2 ? WICK_FRAME_KERNEL : WICK_FRAME_NATIVE);
            c = wick_tree_node(t, c)->next_sibling;
        }
        assert_int_equal(c, WICK_TREE_NONE);
        wick_tree_free(t);
    }
    for (int i = 0; i < 7; i++) {
        assert_int_equal(order[0][i], order[1][i]);
        assert_true(i == 0 || order[0][i] >= order[0][i - 1]);
    }
}

static void test_tree__lines_keep_total_and_self(void **state)
{
    (void)state;
    struct wick_tree *t = wick_tree_new();
    struct wick_tree_frame f[2] = {{.name = wick_tree_name(t, "m", 1), .line = 10, .kind = WICK_FRAME_C2},
                                   {.name = wick_tree_name(t, "n", 1), .line = 0, .kind = WICK_FRAME_C2}};
    assert_int_equal(wick_tree_add(t, f, 2, 7), 0);
    assert_int_equal(wick_tree_add(t, f, 1, 5), 0);
    f[0].line = 11;
    assert_int_equal(wick_tree_add(t, f, 1, 1), 0);
    uint64_t total[12] = {0}, self[12] = {0};
    struct wick_tree_line lines[WICK_TREE_MAX_LINES];
    for (unsigned n = wick_tree_lines(t, 1, lines); n; n--) {
        total[lines[n - 1].line] = lines[n - 1].total;
        self[lines[n - 1].line] = lines[n - 1].self;
    }
    assert_int_equal(total[10], 12);
    assert_int_equal(self[10], 5);
    assert_int_equal(total[11], 1);
    assert_int_equal(wick_tree_lines(t, 2, lines), 0);
    wick_tree_free(t);
}

/* A line stands in its node until weight comes that was not on it: whatever the order, the sums are those of a list. */
static void test_tree__line_weights_do_not_depend_on_the_order(void **state)
{
    static const uint32_t orders[][5] = {
        {3, 3, 3, 3, 0}, {3, 0, 3, 5, 3}, {0, 3, 5, 0, 5}, {5, 5, 3, 3, 0}, {3, 5, 0, 5, 3}};
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        struct wick_tree *t = wick_tree_new();
        struct wick_tree_frame f[2] = {{.name = wick_tree_name(t, "m", 1), .kind = WICK_FRAME_C2},
                                       {.name = wick_tree_name(t, "n", 1), .kind = WICK_FRAME_C2}};
        uint64_t total[6] = {0}, self[6] = {0};
        struct wick_tree_line lines[WICK_TREE_MAX_LINES];
        for (unsigned i = 0; i < 5; i++) {
            bool leaf = i % 2;
            f[0].line = orders[o][i];
            assert_int_equal(wick_tree_add(t, f, leaf ? 1 : 2, i + 1), 0);
            total[f[0].line] += i + 1;
            self[f[0].line] += leaf ? i + 1 : 0;
        }
        for (unsigned n = wick_tree_lines(t, 1, lines); n; n--) {
            assert_int_equal(lines[n - 1].total, total[lines[n - 1].line]);
            assert_int_equal(lines[n - 1].self, self[lines[n - 1].line]);
            total[lines[n - 1].line] = 0;
        }
        assert_true(!total[3] && !total[5]);
        wick_tree_free(t);
    }
}

static void test_tree__many_lines_are_bounded(void **state)
{
    (void)state;
    struct wick_tree *t = wick_tree_new();
    struct wick_tree_frame f = {.name = wick_tree_name(t, "m", 1), .kind = WICK_FRAME_C2};
    for (uint32_t i = 1; i <= 1000; i++) {
        f.line = i;
        assert_int_equal(wick_tree_add(t, &f, 1, 1), 0);
    }
    struct wick_tree_line lines[WICK_TREE_MAX_LINES];
    assert_int_equal(wick_tree_lines(t, 1, lines), WICK_TREE_MAX_LINES);
    assert_int_equal(wick_tree_node(t, 1)->total, 1000);
    wick_tree_free(t);
}

static void test_tree__wrong_frames_change_nothing(void **state)
{
    (void)state;
    struct wick_tree *t = wick_tree_new();
    add(t, "a", "j", 5);
    struct wick_tree_frame f = {.name = 0, .kind = WICK_FRAME_KIND_COUNT};
    assert_int_equal(wick_tree_add(t, &f, 1, 1), -WICK_E_FORMAT);
    f = (struct wick_tree_frame){.name = 7, .kind = WICK_FRAME_C2};
    assert_int_equal(wick_tree_add(t, &f, 1, 1), -WICK_E_FORMAT);
    f.name = 0;
    assert_int_equal(wick_tree_add(t, &f, 1, 0), 0);
    assert_int_equal(wick_tree_nodes(t), 2);
    assert_int_equal(wick_tree_node(t, WICK_TREE_ROOT)->total, 5);
    check(t);
    wick_tree_free(t);
}

static void test_tree__sums_end_at_the_largest_number(void **state)
{
    (void)state;
    struct wick_tree *t = wick_tree_new();
    add(t, "a", "j", UINT64_MAX - 5);
    assert_false(wick_sum_was_exceeded());
    add(t, "a;b", "jj", 9);
    assert_true(wick_sum_was_exceeded());
    add(t, "c", "j", 1); /* no room is left */
    assert_int_equal(wick_tree_nodes(t), 3);
    assert_true(wick_tree_node(t, WICK_TREE_ROOT)->total == UINT64_MAX);
    assert_int_equal(wick_tree_node(t, 2)->total, 5); /* parts still add up to their whole */
    check(t);
    wick_tree_free(t);
}

/* Weight of each name by stacks that hold it at all, which no direction changes: totals minus nested occurrences. */
static void totals_by_name(const struct wick_tree *t, uint64_t *out)
{
    for (uint32_t i = 1; i < wick_tree_nodes(t); i++) {
        const struct wick_tree_node *d = wick_tree_node(t, i);
        bool nested = false;
        for (uint32_t p = d->parent; p != WICK_TREE_ROOT; p = wick_tree_node(t, p)->parent)
            nested |= wick_tree_node(t, p)->name == d->name;
        size_t n;
        if (!nested)
            out[(uint8_t)*wick_tree_name_get(t, d->name, &n)] += d->total;
    }
}

static void test_reverse__totals_equal_those_of_the_forward_tree(void **state)
{
    (void)state;
    struct wick_tree *t = wick_tree_new(), *r, *back;
    uint32_t seed = 42;
    for (int i = 0; i < 3000; i++) {
        struct wick_tree_frame f[12];
        size_t n = (seed = seed * 1664525 + 1013904223) >> 28;
        n = n < 12 ? n : 11;
        for (size_t k = 0; k < n; k++) {
            seed = seed * 1664525 + 1013904223;
            char c = (char)('a' + (seed >> 24) % 9);
            static const uint8_t kinds[] = {WICK_FRAME_C2, WICK_FRAME_C1, WICK_FRAME_INLINED, WICK_FRAME_INTERPRETED};
            f[k] = (struct wick_tree_frame){
                .name = wick_tree_name(t, &c, 1), .line = seed >> 30, .kind = kinds[seed >> 8 & 3]};
        }
        assert_int_equal(wick_tree_add(t, f, n, seed >> 20), 0);
    }
    check(t);
    assert_int_equal(wick_tree_reverse(t, &r), 0);
    check(r);
    uint64_t forward[256] = {0}, backward[256] = {0};
    totals_by_name(t, forward);
    totals_by_name(r, backward);
    assert_memory_equal(forward, backward, sizeof forward);
    assert_true(wick_tree_node(t, 0)->total == wick_tree_node(r, 0)->total);
    assert_int_equal(wick_tree_depth(t), wick_tree_depth(r));
    assert_int_equal(wick_tree_reverse(r, &back), 0);
    assert_int_equal(wick_tree_nodes(back), wick_tree_nodes(t));
    wick_tree_free(back);
    wick_tree_free(r);
    wick_tree_free(t);
}

static void test_reverse__leaf_kinds_and_lines_are_exact(void **state)
{
    (void)state;
    struct wick_tree *t = wick_tree_new(), *r;
    add(t, "main;hot", "jj", 60);
    add(t, "main;hot", "j0", 30);
    add(t, "main;hot;x", "j1j", 10);
    assert_int_equal(wick_tree_reverse(t, &r), 0);
    struct wick_tree_split s;
    uint32_t hot = find(r, "hot", WICK_FRAME_C2);
    assert_int_equal(wick_tree_split_get(r, hot, &s), 2);
    assert_int_equal(s.total[wick_tree_java_slot(WICK_FRAME_C2)], 60);
    assert_int_equal(s.total[wick_tree_java_slot(WICK_FRAME_INTERPRETED)], 30);
    struct wick_tree_line lines[WICK_TREE_MAX_LINES];
    assert_int_equal(wick_tree_lines(r, hot, lines), 1);
    assert_int_equal(lines[0].line, 2);
    assert_int_equal(lines[0].total, 90);
    wick_tree_free(r);
    wick_tree_free(t);
}

static void test_tree__a_million_nodes_and_great_depth(void **state)
{
    (void)state;
    enum { STACKS = 1000, DEPTH = 3000, SHARED = 1996 };
    struct wick_tree *t = wick_tree_new(), *r;
    struct wick_tree_frame *f = calloc(DEPTH, sizeof *f);
    for (uint32_t i = 0; i < STACKS; i++) {
        for (uint32_t d = 0; d < DEPTH; d++) {
            char name[32];
            int n = snprintf(name, sizeof name, d < SHARED ? "shared%u" : "own%u.%u", d, i % 500);
            f[d] = (struct wick_tree_frame){
                .name = i < 500 || d == DEPTH - 1 ? wick_tree_name(t, name, (size_t)n) : f[d].name,
                .kind = WICK_FRAME_C2,
            };
        }
        f[DEPTH - 1].kind = i < 500 ? WICK_FRAME_NATIVE : WICK_FRAME_KERNEL;
        f[SHARED].name = wick_tree_name(t, (char *)&i, sizeof i);
        assert_int_equal(wick_tree_add(t, f, DEPTH, 1), 0);
    }
    assert_int_equal(wick_tree_nodes(t), 1 + SHARED + STACKS * (DEPTH - SHARED));
    assert_true(wick_tree_nodes(t) > 1000000);
    assert_int_equal(wick_tree_sort(t), 0);
    uint32_t seen = 0;
    for (uint32_t i = WICK_TREE_ROOT; i != WICK_TREE_NONE; i = wick_tree_next(t, WICK_TREE_ROOT, i))
        seen++;
    assert_int_equal(seen, wick_tree_nodes(t));
    check(t);
    wick_tree_free(t);

    assert_non_null(t = wick_tree_new());
    assert_int_equal(wick_tree_add(t, f, 0, 1), 0);
    for (uint32_t d = 0; d < DEPTH; d++)
        f[d] = (struct wick_tree_frame){.name = wick_tree_name(t, (char *)&d, sizeof d), .kind = WICK_FRAME_C1};
    assert_int_equal(wick_tree_add(t, f, DEPTH, 7), 0);
    assert_int_equal(wick_tree_reverse(t, &r), 0);
    assert_int_equal(wick_tree_depth(r), DEPTH);
    assert_int_equal(wick_tree_node(r, WICK_TREE_ROOT)->total, 8);
    check(r);
    wick_tree_free(r);
    wick_tree_free(t);
    free(f);
}

static uint64_t total_of(const struct wick_tree *t, const char *path, uint8_t kind)
{
    uint32_t node = find(t, path, kind);
    return node == WICK_TREE_NONE ? 0 : wick_tree_node(t, node)->total;
}

static void test_focus__both_sides_weigh_what_goes_through_the_method_once(void **state)
{
    struct wick_tree *t = wick_tree_new(), *down = NULL, *up = NULL, *none = NULL;
    (void)state;
    add(t, "main;run;f;g", "jjjn", 10);
    add(t, "main;f", "jj", 5);
    add(t, "main;run;f;x;f;g", "jj1jjn", 7); /* recurs: from the outermost one on */
    add(t, "f;g", "0n", 3);                  /* nobody calls it */
    add(t, "main;run", "jj", 100);
    add(t, "main;ff", "jj", 9);
    assert_int_equal(wick_tree_callees(t, "f", 1, &down), 0);
    assert_int_equal(wick_tree_callers(t, "f", 1, &up), 0);
    check(down);
    check(up);
    assert_int_equal(wick_tree_node(down, WICK_TREE_ROOT)->total, 25);
    assert_int_equal(wick_tree_node(up, WICK_TREE_ROOT)->total, 25);
    assert_int_equal(total_of(down, "f", WICK_FRAME_C2), 25);
    assert_int_equal(wick_tree_node(down, find(down, "f", WICK_FRAME_C2))->self, 5);
    assert_int_equal(total_of(down, "f;g", WICK_FRAME_NATIVE), 13);
    assert_int_equal(total_of(down, "f;x;f;g", WICK_FRAME_NATIVE), 7);
    assert_int_equal(total_of(up, "f;run;main", WICK_FRAME_C2), 17);
    assert_int_equal(total_of(up, "f;main", WICK_FRAME_C2), 5);
    assert_int_equal(wick_tree_node(up, find(up, "f", WICK_FRAME_C2))->self, 3);
    assert_int_equal(wick_tree_callees(t, "nothing", 7, &none), 0);
    assert_int_equal(wick_tree_nodes(none), 1);
    wick_tree_free(none);
    wick_tree_free(down);
    wick_tree_free(up);
    wick_tree_free(t);
}

/* What is packed is divided by it: a multiple of it would lose the weights below the method. */
static void test_focus__all_weights_can_be_divided_as_before(void **state)
{
    struct wick_tree *t = wick_tree_new(), *down = NULL, *up = NULL;
    (void)state;
    add(t, "main;f;g", "jjj", 10);
    add(t, "main;f", "jj", 20);
    assert_int_equal(wick_tree_callees(t, "f", 1, &down), 0);
    assert_int_equal(wick_tree_callers(t, "f", 1, &up), 0);
    assert_int_equal(wick_tree_gcd(down), 10);
    assert_int_equal(wick_tree_gcd(up), 10);
    wick_tree_free(down);
    wick_tree_free(up);
    wick_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree__sums_end_at_the_largest_number),
        cmocka_unit_test(test_tree__totals_are_sums),
        cmocka_unit_test(test_tree__java_kinds_share_a_box_and_keep_their_weights),
        cmocka_unit_test(test_tree__the_dominant_kind_is_the_weightiest_not_the_first),
        cmocka_unit_test(test_tree__native_and_kernel_namesakes_stay_apart),
        cmocka_unit_test(test_tree__recursion_makes_a_box_per_level),
        cmocka_unit_test(test_tree__order_does_not_depend_on_insertion),
        cmocka_unit_test(test_tree__lines_keep_total_and_self),
        cmocka_unit_test(test_tree__line_weights_do_not_depend_on_the_order),
        cmocka_unit_test(test_tree__many_lines_are_bounded),
        cmocka_unit_test(test_tree__wrong_frames_change_nothing),
        cmocka_unit_test(test_reverse__totals_equal_those_of_the_forward_tree),
        cmocka_unit_test(test_focus__both_sides_weigh_what_goes_through_the_method_once),
        cmocka_unit_test(test_focus__all_weights_can_be_divided_as_before),
        cmocka_unit_test(test_reverse__leaf_kinds_and_lines_are_exact),
        cmocka_unit_test(test_tree__a_million_nodes_and_great_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
