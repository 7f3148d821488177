/* SPDX-License-Identifier: Apache-2.0 */
/* Rings, indexes and the tables of a generation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "fake_space.h"
#include "record/ring.h"
#include "record/tables.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* --- ring --------------------------------------------------------------------------------------------------------- */

static struct wick_ring ring;
static struct wick_ring_cell cells[8];

static bool put(uint64_t v)
{
    const struct wick_event e = {.time_ns = v, .weight = ~v};
    return wick_ring_put_sig(&ring, &e);
}

static void expect_event(uint64_t v)
{
    struct wick_event e;
    assert_true(wick_ring_get(&ring, &e));
    assert_int_equal(e.time_ns, v);
    assert_int_equal(e.weight, ~v);
}

static void test_ring__full_ring_refuses_and_loses_nothing_it_took(void **state)
{
    struct wick_event e;
    wick_ring_init(&ring, cells, 8);
    assert_false(wick_ring_get(&ring, &e));
    for (uint64_t i = 0; i < 8; i++)
        assert_true(put(i));
    for (uint64_t i = 0; i < 100; i++)
        assert_false(put(99));
    for (uint64_t i = 0; i < 8; i++)
        expect_event(i);
    assert_false(wick_ring_get(&ring, &e));
    assert_true(put(7));
    expect_event(7);
}

static void test_ring__keeps_order_over_many_laps(void **state)
{
    uint64_t in = 0, out = 0, x = 1;
    wick_ring_init(&ring, cells, 8);
    while (in < 10000) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        for (uint64_t k = x >> 60; k && in - out < 8; k--)
            assert_true(put(in++));
        for (uint64_t k = x >> 56 & 15; k && out < in; k--)
            expect_event(out++);
    }
}

/* A writer that was interrupted between claiming and publishing holds up the reader at that cell, and no other
 * thread. */
static void test_ring__an_unfinished_cell_is_waited_for_in_order(void **state)
{
    struct wick_event e;
    wick_ring_init(&ring, cells, 8);
    wick_store_relaxed(&ring.tail, 1); /* position 0 is claimed */
    assert_true(put(1));
    assert_false(wick_ring_get(&ring, &e));
    cells[0].event.time_ns = 0;
    cells[0].event.weight = ~0ull;
    wick_store_release(&cells[0].sequence, 1);
    expect_event(0);
    expect_event(1);
}

/* --- index -------------------------------------------------------------------------------------------------------- */

enum { FIRST = 32, LEVELS = 4, SLOTS = FIRST * 15 };
static _Atomic uint32_t slots[SLOTS];
static struct wick_level_index idx;
static uint32_t things[SLOTS + 1]; /* what each number stands for */

static bool thing_eq(const void *arg, uint32_t n)
{
    return things[n] == *(const uint32_t *)arg;
}

static uint32_t find(uint32_t what, uint32_t hash)
{
    return wick_level_index_find(&idx, hash, thing_eq, &what);
}

static uint32_t insert(uint32_t what, uint32_t hash, uint32_t n)
{
    things[n] = what;
    return wick_level_index_insert(&idx, hash, n, thing_eq, &what);
}

static void new_index(void)
{
    for (size_t i = 0; i < SLOTS; i++)
        wick_store_relaxed(&slots[i], 0);
    assert_int_equal(wick_level_index_bytes(FIRST, LEVELS), sizeof slots);
    wick_level_index_init(&idx, slots, FIRST, LEVELS);
}

static void test_index__grows_over_its_levels_and_finds_everything(void **state)
{
    new_index();
    uint32_t n = 0;
    for (uint32_t i = 1; i <= SLOTS; i++) {
        uint32_t hash = i * 2654435761u, at = insert(1000 + i, hash, n + 1);
        if (!at)
            break;
        assert_int_equal(at, ++n);
        assert_true(wick_load_relaxed(&idx.used[0]) <= FIRST + 1 || n > FIRST / 2);
    }
    assert_true(n > SLOTS / 2); /* well filled before it refuses */
    assert_true(wick_load_relaxed(&idx.used[LEVELS - 1]) > 0);
    for (uint32_t i = 1; i <= n; i++)
        assert_int_equal(find(1000 + i, i * 2654435761u), i);
    for (uint32_t i = n + 1; i < n + 1000; i++)
        assert_int_equal(find(1000000 + i, i * 2654435761u), 0);
}

static void test_index__equal_things_get_one_number(void **state)
{
    new_index();
    assert_int_equal(insert(5, 7, 1), 1);
    assert_int_equal(insert(5, 7, 2), 1);
    assert_int_equal(insert(6, 7, 3), 3); /* the same hash, another thing */
    assert_int_equal(find(5, 7), 1);
    assert_int_equal(find(6, 7), 3);
}

/* Everything at one hash: each level takes as many as are probed, then the index is full for that hash. */
static void test_index__a_crowded_hash_goes_on_to_the_next_level_and_ends(void **state)
{
    new_index();
    uint32_t n = 0;
    while (n < SLOTS && insert(n + 1, 3, n + 1))
        n++;
    assert_int_equal(n, LEVELS * WICK_LEVEL_INDEX_PROBES);
    for (uint32_t i = 1; i <= n; i++)
        assert_int_equal(find(i, 3), i);
    assert_int_equal(insert(9999, 40000, n + 2) != 0, 1); /* other hashes still have room */
}

/* Twins may come to be when a level fills up between two inserters; whichever is found, it is one of them. */
static void test_index__twins_are_tolerated(void **state)
{
    new_index();
    things[1] = things[2] = 77;
    wick_store_relaxed(&idx.slots[0][11], 1);
    wick_store_relaxed(&idx.used[0], 1);
    wick_store_relaxed(&idx.slots[1][11], 2);
    wick_store_relaxed(&idx.used[1], 1);
    assert_int_equal(find(77, 11), 1);
    assert_int_equal(insert(77, 11, 3), 1);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static uint32_t intern(struct wick_tables *t, const uint64_t *root_first, int n)
{
    uint32_t node = 0;
    for (int i = 0; i < n; i++)
        node = wick_tables_node_sig(t, node, root_first[i]);
    return node;
}

static void test_nodes__equal_stacks_have_one_id_and_share_their_roots(void **state)
{
    struct wick_tables *t = wick_tables_new(0);
    const uint64_t a[] = {1, 2, 3}, b[] = {1, 2, 4}, c[] = {3, 2, 1};
    uint32_t ia = intern(t, a, 3), ib = intern(t, b, 3), ic = intern(t, c, 3);
    assert_int_equal(intern(t, a, 3), ia);
    assert_true(ia && ib && ic && ia != ib && ia != ic);
    assert_int_equal(t->nodes[ia].parent, t->nodes[ib].parent);
    assert_int_equal(t->nodes[ia].depth, 3);
    assert_int_equal(t->nodes[ia].frame, 3);
    assert_int_equal(t->nodes[t->nodes[ia].parent].parent, intern(t, a, 1));
    assert_int_equal(wick_load_relaxed(&t->node_count), 1 + 3 + 1 + 3);
    wick_tables_free(t);
}

/* The warning comes while nearly every stack still finds room. */
static void test_nodes__the_warning_comes_before_the_table_is_full(void **state)
{
    struct wick_tables *t = wick_tables_new(0);
    uint32_t n = 0, refused = 0;
    while (!wick_tables_nearly_full(t) && ++n < t->node_cap)
        refused += !wick_tables_node_sig(t, 0, n);
    assert_true(n > t->node_cap / 4 && n < t->node_cap);
    assert_true(refused < n / 1000);
    wick_tables_free(t);
}

static void test_nodes__a_full_table_answers_0_and_keeps_what_it_has(void **state)
{
    enum { MANY = 300000 };
    struct wick_tables *t = wick_tables_new(0);
    uint32_t *ids = calloc(MANY, sizeof *ids), refused = 0;
    for (uint64_t i = 1; i < MANY; i++)
        refused += !(ids[i] = wick_tables_node_sig(t, 0, i));
    assert_true(refused > MANY / 2);
    for (uint64_t i = 1; i < MANY; i += 31) {
        uint32_t again = wick_tables_node_sig(t, 0, i);
        assert_int_equal(again, ids[i]);
        assert_true(!again || t->nodes[again].frame == i);
    }
    free(ids);
    wick_tables_free(t);
}

static void test_arena__is_taken_in_pieces_of_8_until_it_is_full(void **state)
{
    struct wick_tables *t = wick_tables_new(0);
    uint32_t a = wick_tables_alloc_sig(t, 1), b = wick_tables_alloc_sig(t, 9), c = wick_tables_alloc_sig(t, 8);
    assert_int_equal(b - a, 8);
    assert_int_equal(c - b, 16);
    assert_int_equal(wick_tables_alloc_sig(t, (uint32_t)t->arena_cap), 0);
    uint32_t n = 0;
    while (wick_tables_alloc_sig(t, 4096))
        n++;
    assert_int_equal(n, (t->arena_cap - c - 8) / 4096);
    assert_true(wick_load_relaxed(&t->arena_used) <= t->arena_cap);
    wick_tables_free(t);
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static struct space space;
static struct wick_jvm jvm;

static wick_addr symbol(const char *text)
{
    wick_addr at = space_take(&space, 6 + strlen(text));
    space_put16(&space, at + 4, (uint16_t)strlen(text));
    space_put(&space, at + 6, text, strlen(text));
    return at;
}

/* Puts a method at `method`, as the JVM does with freed metaspace. */
static void put_method(wick_addr method, const char *class, const char *name)
{
    wick_addr cm = space_take(&space, 64), pool = space_take(&space, 64), klass = space_take(&space, 32);
    space_put64(&space, method + 8, cm);
    space_put64(&space, cm, pool);
    space_put16(&space, cm + 16, 0);
    space_put16(&space, cm + 18, 1);
    space_put16(&space, cm + 20, 33);
    space_put64(&space, pool, klass);
    space_put64(&space, pool + 16, symbol(name));
    space_put64(&space, pool + 24, symbol("()V"));
    space_put64(&space, klass, symbol(class));
}

static wick_addr begin_methods(void)
{
    struct wick_hs_layout *l = &jvm.layout;
    space_init(&space);
    memset(&jvm, 0, sizeof jvm);
    memset(l, 0xff, sizeof *l);
    l->method_const = 8;
    l->constmethod_size = 24;
    l->cm_constants = 0;
    l->cm_name = 16;
    l->cm_signature = 18;
    l->cm_code_size = 20;
    l->constantpool_size = 16;
    l->cp_holder = 0;
    l->klass_name = 0;
    l->symbol_length = 4;
    l->symbol_body = 6;
    return space_take(&space, 64);
}

static void expect_names(const struct wick_tables *t, uint32_t n, const char *text)
{
    const struct wick_hs_method *m = wick_tables_method_data(t, n);
    assert_int_equal(m->class_len + m->name_len + m->sig_len, strlen(text));
    assert_memory_equal(m->data, text, strlen(text));
}

static void test_methods__are_copied_once_and_known_again(void **state)
{
    struct wick_tables *t = wick_tables_new(0);
    wick_addr method = begin_methods();
    bool full = true;
    put_method(method, "a/A", "run");
    uint32_t n = wick_tables_method_sig(t, &jvm, &space.mem, method, 5, &full);
    assert_true(n && !full);
    expect_names(t, n, "a/Arun()V");
    uint64_t used = wick_load_relaxed(&t->arena_used);
    for (uint64_t unloads = 5; unloads < 8; unloads++)
        assert_int_equal(wick_tables_method_sig(t, &jvm, &space.mem, method, unloads, &full), n);
    assert_int_equal(wick_tables_method_sig(t, &jvm, &space.mem, method, WICK_UNLOADS_UNKNOWN, &full), n);
    assert_int_equal(wick_load_relaxed(&t->arena_used), used);
    assert_true(used < 200); /* what was claimed too much was given back */
    assert_int_equal(wick_tables_method_known_sig(t, method, WICK_UNLOADS_UNKNOWN) == NULL, 1);
    wick_tables_free(t);
}

/* RedefineClasses frees methods of earlier versions and may put another one of the same class exactly there. */
static void test_methods__another_one_of_the_class_in_the_same_place_is_another_method(void **state)
{
    struct wick_tables *t = wick_tables_new(0);
    wick_addr method = begin_methods(), cm = 0, pool = 0;
    bool full;
    put_method(method, "a/A", "m1");
    assert_int_equal(wick_mem_read(&space.mem, method + 8, &cm, 8), 0);
    assert_int_equal(wick_mem_read(&space.mem, cm, &pool, 8), 0);
    uint32_t first = wick_tables_method_sig(t, &jvm, &space.mem, method, 5, &full);
    space_put64(&space, pool + 16, symbol("m6")); /* all addresses are as before */
    uint32_t second = wick_tables_method_sig(t, &jvm, &space.mem, method, 6, &full);
    assert_true(second && second != first);
    expect_names(t, first, "a/Am1()V");
    expect_names(t, second, "a/Am6()V");
    wick_tables_free(t);
}

static void test_methods__a_reused_address_is_another_method(void **state)
{
    struct wick_tables *t = wick_tables_new(0);
    wick_addr method = begin_methods();
    bool full;
    put_method(method, "a/A", "run");
    uint32_t first = wick_tables_method_sig(t, &jvm, &space.mem, method, 5, &full);
    put_method(method, "b/B", "other");
    /* nothing was unloaded, so nothing is verified again */
    assert_int_equal(wick_tables_method_sig(t, &jvm, &space.mem, method, 5, &full), first);
    assert_null(wick_tables_method_known_sig(t, method, 6));
    uint32_t second = wick_tables_method_sig(t, &jvm, &space.mem, method, 6, &full);
    assert_true(second && second != first);
    expect_names(t, first, "a/Arun()V");
    expect_names(t, second, "b/Bother()V");
    assert_ptr_equal(wick_tables_method_known_sig(t, method, 6), &t->methods[second]);
    assert_int_equal(t->methods[second].code_size, 33);
    put_method(method, "c/C", "third");
    uint32_t third = wick_tables_method_sig(t, &jvm, &space.mem, method, WICK_UNLOADS_UNKNOWN, &full);
    assert_true(third != first && third != second);
    wick_tables_free(t);
}

static void test_methods__what_is_not_readable_is_no_method_and_not_full(void **state)
{
    struct wick_tables *t = wick_tables_new(0);
    bool full = true;
    begin_methods();
    assert_int_equal(wick_tables_method_sig(t, &jvm, &space.mem, 0x7f0000000000, 1, &full), 0);
    assert_false(full);
    wick_tables_free(t);
}

static void test_methods__a_full_table_says_so(void **state)
{
    struct wick_tables *t = wick_tables_new(0);
    bool full = false;
    wick_addr method = begin_methods();
    put_method(method, "a/A", "run");
    while (wick_tables_alloc_sig(t, 512)) {
    }
    assert_int_equal(wick_tables_method_sig(t, &jvm, &space.mem, method, 1, &full), 0);
    assert_true(full);
    assert_int_equal(wick_tables_stub_sig(t, 0x1000, "a stub with a name that is long enough", 500), 0);
    wick_tables_free(t);
}

static void test_stubs__are_kept_by_their_address(void **state)
{
    struct wick_tables *t = wick_tables_new(0);
    assert_int_equal(wick_tables_stub_find_sig(t, 0x1000), 0);
    uint32_t n = wick_tables_stub_sig(t, 0x1000, "jbyte_arraycopy", 15);
    assert_int_equal(wick_tables_stub_find_sig(t, 0x1000), n);
    assert_int_equal(wick_tables_stub_sig(t, 0x1000, "jbyte_arraycopy", 15), n);
    expect_names(t, n, "jbyte_arraycopy");
    assert_null(wick_tables_method_known_sig(t, 0x1000, 0)); /* a stub is no method */
    wick_tables_free(t);
}

static const struct wick_pc_record *put_pc(struct wick_tables *t, uint64_t pc, uint32_t compile_id)
{
    uint32_t at = wick_tables_alloc_sig(t, sizeof(struct wick_pc_record) + 8);
    struct wick_pc_record *r = (struct wick_pc_record *)(t->arena + at);
    *r = (struct wick_pc_record){.pc = pc, .blob.compile_id = compile_id, .n = 1};
    wick_tables_pc_put_sig(t, at);
    return r;
}

static void test_pc_cache__a_new_record_replaces_the_old_one_of_its_pc(void **state)
{
    struct wick_tables *t = wick_tables_new(0);
    assert_null(wick_tables_pc_find_sig(t, 0x1000));
    const struct wick_pc_record *a = put_pc(t, 0x1000, 1);
    assert_ptr_equal(wick_tables_pc_find_sig(t, 0x1000), a);
    const struct wick_pc_record *b = put_pc(t, 0x1000, 2);
    assert_ptr_equal(wick_tables_pc_find_sig(t, 0x1000), b);
    assert_int_equal(wick_tables_pc_find_sig(t, 0x1000)->blob.compile_id, 2);
    wick_tables_free(t);
}

static void test_pc_cache__never_answers_with_another_pc_however_full_it_is(void **state)
{
    struct wick_tables *t = wick_tables_new(64 << 20);
    uint32_t kept = 0;
    for (uint64_t pc = 1; pc < 3 * WICK_PC_SLOTS; pc++) {
        const struct wick_pc_record *r = put_pc(t, pc * 7919, 1);
        assert_ptr_equal(wick_tables_pc_find_sig(t, pc * 7919), r); /* the newest is always there */
    }
    for (uint64_t pc = 1; pc < 3 * WICK_PC_SLOTS; pc++) {
        const struct wick_pc_record *r = wick_tables_pc_find_sig(t, pc * 7919);
        assert_true(!r || r->pc == pc * 7919);
        kept += r != NULL;
    }
    assert_true(kept > WICK_PC_SLOTS / 2);
    wick_tables_free(t);
}

static void test_tables__stay_within_their_limit(void **state)
{
    static const size_t limits[] = {0, 4 << 20, 64 << 20, 512u << 20};
    for (size_t i = 0; i < COUNT(limits); i++) {
        struct wick_tables *t = wick_tables_new(limits[i]);
        assert_non_null(t);
        size_t limit = limits[i] < 4 << 20 ? 4 << 20 : limits[i];
        assert_true(t->bytes <= limit + (128 << 10));
        assert_true(wick_tables_used(t) < 128 << 10); /* none of it is touched yet */
        assert_false(wick_tables_nearly_full(t));
        wick_tables_free(t);
    }
}

static void test_tables__contexts_with_equal_ids_find_room(void **state)
{
    (void)state;
    enum { N = 20000 };
    struct wick_tables *t = wick_tables_new(64 << 20);
    assert_non_null(t);
    for (uint64_t round = 0; round < 2; round++) /* the second time they are known */
        for (uint64_t i = 1; i <= N; i++) {
            const struct wick_context c = {.trace_lo = i, .span = i, .trace_hi = i % 2 ? i : 0, .endpoint = 2};
            assert_int_equal(wick_tables_context_sig(t, &c), i);
        }
    assert_int_equal(wick_load_relaxed(&t->context_count), N + 1);
    assert_int_equal(t->contexts[N].span, N);
    wick_tables_free(t);
}

static void test_tables__contexts_without_room_are_none_and_ask_for_a_generation(void **state)
{
    (void)state;
    struct wick_tables *t = wick_tables_new(0);
    uint64_t i = 0;
    struct wick_context c = {0};
    assert_non_null(t);
    do
        c.span = ++i;
    while (wick_tables_context_sig(t, &c) && i < 1000000);
    assert_true(i < 1000000 && i > t->context_cap / 2);
    assert_true(wick_tables_nearly_full(t));
    c.span = 1;
    assert_int_equal(wick_tables_context_sig(t, &c), 1);
    wick_tables_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring__full_ring_refuses_and_loses_nothing_it_took),
        cmocka_unit_test(test_ring__keeps_order_over_many_laps),
        cmocka_unit_test(test_ring__an_unfinished_cell_is_waited_for_in_order),
        cmocka_unit_test(test_index__grows_over_its_levels_and_finds_everything),
        cmocka_unit_test(test_index__equal_things_get_one_number),
        cmocka_unit_test(test_index__a_crowded_hash_goes_on_to_the_next_level_and_ends),
        cmocka_unit_test(test_index__twins_are_tolerated),
        cmocka_unit_test(test_nodes__equal_stacks_have_one_id_and_share_their_roots),
        cmocka_unit_test(test_nodes__the_warning_comes_before_the_table_is_full),
        cmocka_unit_test(test_nodes__a_full_table_answers_0_and_keeps_what_it_has),
        cmocka_unit_test(test_arena__is_taken_in_pieces_of_8_until_it_is_full),
        cmocka_unit_test(test_methods__are_copied_once_and_known_again),
        cmocka_unit_test(test_methods__another_one_of_the_class_in_the_same_place_is_another_method),
        cmocka_unit_test(test_methods__a_reused_address_is_another_method),
        cmocka_unit_test(test_methods__what_is_not_readable_is_no_method_and_not_full),
        cmocka_unit_test(test_methods__a_full_table_says_so),
        cmocka_unit_test(test_stubs__are_kept_by_their_address),
        cmocka_unit_test(test_pc_cache__a_new_record_replaces_the_old_one_of_its_pc),
        cmocka_unit_test(test_pc_cache__never_answers_with_another_pc_however_full_it_is),
        cmocka_unit_test(test_tables__stay_within_their_limit),
        cmocka_unit_test(test_tables__contexts_with_equal_ids_find_room),
        cmocka_unit_test(test_tables__contexts_without_room_are_none_and_ask_for_a_generation),
    };
    return cmocka_run_group_tests_name("record_tables", tests, NULL, NULL);
}
