/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks and contexts from one generation of tables to the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "record/carry.h"

static struct wick_tables *old, *new;
static struct wick_carry carry;

static int set_up(void **state)
{
    (void)state;
    old = wick_tables_new(4 << 20);
    new = wick_tables_new(4 << 20);
    return !old || !new;
}

static int tear_down(void **state)
{
    (void)state;
    wick_carry_release(&carry);
    wick_tables_free(old);
    wick_tables_free(new);
    return 0;
}

/* A method as metaspace would have given it. */
static uint32_t method(struct wick_tables *t, uint64_t address, const char *class, const char *name)
{
    uint32_t at = wick_tables_alloc_sig(t, 256), n = wick_add_relaxed(&t->method_count, 1);
    struct wick_hs_method *m = (struct wick_hs_method *)(t->arena + at);
    m->class_len = (uint16_t)strlen(class);
    m->name_len = (uint16_t)strlen(name);
    m->line_bytes = 3;
    memcpy(m->data, class, m->class_len);
    memcpy(m->data + m->class_len, name, m->name_len);
    memcpy(m->data + m->class_len + m->name_len, "\1\2\3", 3);
    t->methods[n] = (struct wick_method_entry){{.method = address, .const_method = address + 8}, 7, at, 100};
    return n;
}

/* As many other methods and nodes, so that equal things have other numbers in both. */
static void fill(struct wick_tables *t, int n)
{
    for (int i = 0; i < n; i++) {
        method(t, 0x9000 + 64u * (unsigned)i, "x/Other", "m");
        wick_tables_node_sig(t, 0, WICK_FRAME_NATIVE(0x100000 + (unsigned)i, false));
    }
}

static void expect_method(const struct wick_tables *t, uint64_t frame, const char *class, const char *name)
{
    const struct wick_hs_method *m = wick_tables_method_data(t, WICK_FRAME_METHOD(frame));
    assert_int_equal(m->class_len, strlen(class));
    assert_memory_equal(m->data, class, m->class_len);
    assert_memory_equal(m->data + m->class_len, name, strlen(name));
    assert_int_equal(m->line_bytes, m->class_len ? 3 : 0);
}

static void test_carry__a_stack_means_the_same(void **state)
{
    (void)state;
    fill(new, 5);
    uint32_t a = method(old, 0x1000, "a/A", "run"), stub = wick_tables_stub_sig(old, 0x2000, "call_stub", 9);
    uint32_t node = wick_tables_node_sig(old, 0, WICK_FRAME_NATIVE(0x7f0000001234, true));
    node = wick_tables_node_sig(old, node, WICK_FRAME(WICK_FRAME_STUB, (uint64_t)stub << 32));
    node = wick_tables_node_sig(old, node, WICK_FRAME_JAVA(WICK_FRAME_INLINED, a, 17));
    node = wick_tables_node_sig(old, node, WICK_FRAME_JAVA(WICK_FRAME_C2, a, -1));
    node = wick_tables_node_sig(old, node, WICK_FRAME(WICK_FRAME_BREAK, 3));
    assert_int_equal(wick_carry_init(&carry, old, new), 0);
    uint32_t to = wick_carry_stack(&carry, node);
    assert_int_not_equal(to, 0);
    assert_int_equal(new->nodes[to].depth, 5);
    assert_int_equal(new->nodes[to].frame, WICK_FRAME(WICK_FRAME_BREAK, 3));
    const struct wick_node *n = &new->nodes[new->nodes[to].parent];
    assert_int_equal(WICK_FRAME_KIND(n->frame), WICK_FRAME_C2);
    assert_int_equal(WICK_FRAME_BCI(n->frame), -1);
    expect_method(new, n->frame, "a/A", "run");
    n = &new->nodes[n->parent];
    assert_int_equal(WICK_FRAME_KIND(n->frame), WICK_FRAME_INLINED);
    assert_int_equal(WICK_FRAME_BCI(n->frame), 17);
    expect_method(new, n->frame, "a/A", "run");
    assert_int_not_equal(WICK_FRAME_METHOD(n->frame), a);
    n = &new->nodes[n->parent];
    expect_method(new, n->frame, "", "call_stub");
    assert_int_equal(wick_tables_stub_find_sig(new, 0x2000), WICK_FRAME_METHOD(n->frame));
    n = &new->nodes[n->parent];
    assert_int_equal(n->frame, WICK_FRAME_NATIVE(0x7f0000001234, true));
    assert_int_equal(n->parent, 0);
    /* once more, and a stack that has a part of it */
    uint32_t nodes = wick_load_relaxed(&new->node_count);
    assert_int_equal(wick_carry_stack(&carry, node), to);
    assert_int_equal(wick_carry_stack(&carry, old->nodes[node].parent), new->nodes[to].parent);
    assert_int_equal(wick_load_relaxed(&new->node_count), nodes);
    assert_int_equal(wick_carry_stack(&carry, 0), 0);
    /* the JVM's method is known to handlers of the new generation as it was to those of the old one */
    assert_non_null(wick_tables_method_known_sig(new, 0x1000, 7));
    assert_null(wick_tables_method_known_sig(new, 0x1000, 8));
}

static void test_carry__copies_contexts(void **state)
{
    const struct wick_context c = {.span = 5, .trace_lo = 6, .endpoint = 7, .labels = 8}, other = {.span = 1};
    (void)state;
    uint32_t n = wick_tables_context_sig(old, &c);
    wick_tables_context_sig(new, &other);
    assert_int_equal(wick_carry_init(&carry, old, new), 0);
    uint32_t to = wick_carry_context(&carry, n);
    assert_int_not_equal(to, 0);
    assert_memory_equal(&new->contexts[to], &c, sizeof c);
    assert_int_equal(wick_carry_context(&carry, 0), 0);
    assert_int_equal(wick_carry_context(&carry, 1000), 0);
}

/* Carrying stops at half, so that the next generation is not due at once. */
static void test_carry__leaves_room(void **state)
{
    uint32_t lost = 0, n = 0;
    (void)state;
    for (uint32_t node = 1; node; n += node != 0)
        node = wick_tables_node_sig(old, 0, WICK_FRAME_NATIVE(0x1000 + n, false));
    assert_int_equal(wick_carry_init(&carry, old, new), 0);
    for (uint32_t i = 1; i <= n; i++)
        lost += !wick_carry_stack(&carry, i);
    assert_true(lost > 0 && lost < n);
    assert_true(wick_tables_half_full(new));
    assert_false(wick_tables_nearly_full(new));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_carry__a_stack_means_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_carry__copies_contexts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_carry__leaves_room, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
