/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_native_tables.c - where blocks and mappings that are followed are found: nativemem_table.h, nativemem_ranges.h
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/random.h"
#include "engine/nativemem/nativemem.h"

static void test_table__a_block_is_found_once_and_by_its_own_address(void **state)
{
    static struct wick_nativemem_table t;
    uint64_t random = 7;
    (void)state;
    wick_nativemem_table_clear(&t);
    static uint64_t address[32767];
    for (uint32_t i = 0; i < 32767; i++) {
        address[i] = (wick_random_u64(&random) >> 17 & ~7ull) + 8;
        assert_false(wick_nativemem_table_take_sig(&t, address[i]));
        assert_true(wick_nativemem_table_add_sig(&t, address[i], i + 1));
    }
    assert_false(wick_nativemem_table_drop_sig(&t, address[5], 5));
    assert_true(wick_nativemem_table_drop_sig(&t, address[5], 6));
    assert_true(wick_nativemem_table_add_sig(&t, address[5], 6));
    for (uint32_t i = 32767; i-- > 0;) {
        assert_true(wick_nativemem_table_may_hold(&t, address[i]));
        assert_int_equal(wick_nativemem_table_take_sig(&t, address[i]), i + 1);
        assert_int_equal(wick_nativemem_table_take_sig(&t, address[i]), 0);
    }
    for (size_t i = 0; i < sizeof t.filter; i++)
        assert_int_equal(t.filter[i], 0);
    assert_false(wick_nativemem_table_add_sig(&t, 1ull << 48, 1)); /* no address of a program's */
    assert_false(wick_nativemem_table_add_sig(&t, 0x1001, 1));
}

/* Blocks as allocators place them: one behind the other, at any distance. */
static void test_table__has_room_for_all_notes_at_any_stride(void **state)
{
    static struct wick_nativemem_table t;
    (void)state;
    for (int shift = 4; shift < 32; shift++) {
        uint32_t n = shift < 31 ? WICK_NATIVEMEM_NOTES : 65536 / 2 - 1;
        wick_nativemem_table_clear(&t);
        for (uint32_t i = 0; i < n; i++)
            assert_true(wick_nativemem_table_add_sig(&t, 0x7f0000000010 - ((uint64_t)i << shift), i + 1));
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(wick_nativemem_table_take_sig(&t, 0x7f0000000010 - ((uint64_t)i << shift)), i + 1);
    }
}

static void test_ranges__pieces_are_cut_out_wherever_they_lie(void **state)
{
    static struct wick_nativemem_ranges r;
    struct wick_nativemem_piece p[WICK_NATIVEMEM_PIECES];
    (void)state;
    wick_nativemem_ranges_clear(&r);
    assert_int_equal(wick_nativemem_ranges_cut_sig(&r, 0, UINT64_MAX, p), 0);
    assert_true(wick_nativemem_ranges_add_sig(&r, 0x1000, 0x9000, 1));
    assert_true(wick_nativemem_ranges_add_sig(&r, 0x9000, 0xa000, 2));
    assert_int_equal(wick_nativemem_ranges_cut_sig(&r, 0xa000, 0xb000, p), 0);
    assert_int_equal(wick_nativemem_ranges_cut_sig(&r, 0x3000, 0x4000, p), 1); /* the middle */
    assert_true(p[0].lo == 0x3000 && p[0].hi == 0x4000 && p[0].note == 1);
    assert_int_equal(r.used, 3);
    assert_int_equal(wick_nativemem_ranges_cut_sig(&r, 0x3000, 0x4000, p), 0);
    assert_int_equal(wick_nativemem_ranges_cut_sig(&r, 0, 0x2000, p), 1); /* the beginning */
    assert_true(p[0].lo == 0x1000 && p[0].hi == 0x2000);
    assert_int_equal(wick_nativemem_ranges_cut_sig(&r, 0x8000, 0x9800, p), 2); /* an end and a beginning */
    assert_int_equal(wick_nativemem_ranges_drop_sig(&r, 2), 0x800);
    assert_int_equal(wick_nativemem_ranges_cut_sig(&r, 0, UINT64_MAX, p), 2);
    assert_int_equal(p[0].hi - p[0].lo + p[1].hi - p[1].lo, 0x8000 - 0x1000 - 0x1000 - 0x1000);
    assert_int_equal(r.used, 0);
}

static void test_ranges__without_room_what_is_left_of_a_range_counts_as_cut(void **state)
{
    static struct wick_nativemem_ranges r;
    struct wick_nativemem_piece p[WICK_NATIVEMEM_PIECES];
    (void)state;
    wick_nativemem_ranges_clear(&r);
    for (uint64_t i = 0; i < WICK_NATIVEMEM_RANGES; i++)
        assert_true(wick_nativemem_ranges_add_sig(&r, i << 20, (i << 20) + 0x4000, (uint32_t)i + 1));
    assert_false(wick_nativemem_ranges_add_sig(&r, 1ull << 40, 1ull << 41, 9));
    assert_int_equal(wick_nativemem_ranges_cut_sig(&r, 0x1000, 0x2000, p), 1);
    assert_true(p[0].lo == 0x1000 && p[0].hi == 0x4000 && r.lost == 1);
    assert_int_equal(wick_nativemem_ranges_cut_sig(&r, 0, UINT64_MAX, p), WICK_NATIVEMEM_PIECES); /* and so on */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table__a_block_is_found_once_and_by_its_own_address),
        cmocka_unit_test(test_table__has_room_for_all_notes_at_any_stride),
        cmocka_unit_test(test_ranges__pieces_are_cut_out_wherever_they_lie),
        cmocka_unit_test(test_ranges__without_room_what_is_left_of_a_range_counts_as_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
