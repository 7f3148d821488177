/* SPDX-License-Identifier: Apache-2.0 */
/* HotSpot's tables of its own layout: what is found, what is missing, and tables that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake_tables.h"

static struct space space;
static struct tables tables;
static const struct wick_hs_symbols symbols = {tables_find, &tables};

static const struct row good[] = {
    {"CodeBlob", "_name", 8},
    {"CodeBlob", "_frame_size", 0},
    {"Unrelated", "_name", 77},
    {"CompiledMethod", "_method", 120},
    {"CodeCache", "_heaps", 0x7f00aabbccdd, .is_static = 1},
    {"nmethod", NULL, 344},
    {"PcDesc", NULL, 16},
    {"frame::entry_frame_call_wrapper_offset", NULL, (uint32_t)-6, .is_const = 1},
    {"ConstMethod::_has_linenumber_table", NULL, 0x10, .is_const = 1},
};
#define COUNT(a) (sizeof(a) / sizeof *(a))

static int read_layout(struct wick_hs_layout *l, struct wick_err *err)
{
    return wick_hs_layout_read(l, &space.mem, &symbols, err);
}

static void make_good(void)
{
    space_init(&space);
    tables_make(&tables, &space, good, COUNT(good));
}

static void test_layout__finds_fields_statics_sizes_and_constants(void **state)
{
    struct wick_hs_layout l;
    make_good();
    assert_int_equal(read_layout(&l, NULL), 0);
    assert_int_equal(l.cb_name, 8);
    assert_int_equal(l.cb_frame_size, 0);
    assert_int_equal(l.codecache_heaps, 0x7f00aabbccdd);
    assert_int_equal(l.nmethod_size, 344);
    assert_int_equal(l.pcdesc_size, 16);
    assert_int_equal(l.entry_frame_wrapper, -6);
    assert_int_equal(l.cm_has_lines, 0x10);
}

static void test_layout__what_a_jdk_lacks_is_none_or_zero(void **state)
{
    struct wick_hs_layout l;
    make_good();
    assert_int_equal(read_layout(&l, NULL), 0);
    assert_int_equal(l.cb_mutable_data, WICK_HS_NONE);
    assert_int_equal(l.cont_entry_size, WICK_HS_NONE);
    assert_int_equal(l.symbol_body, WICK_HS_NONE);
    assert_true(l.smr_list == 0);
}

/* The order of the alternatives is that of the list, whatever that of the table. */
static void test_layout__first_alternative_that_exists_wins(void **state)
{
    struct wick_hs_layout l;
    const struct row both[2][2] = {{{"CompiledMethod", "_method", 120}, {"nmethod", "_method", 64}},
                                   {{"nmethod", "_method", 64}, {"CompiledMethod", "_method", 120}}};
    for (int i = 0; i < 2; i++) {
        space_init(&space);
        tables_make(&tables, &space, both[i], 2);
        assert_int_equal(read_layout(&l, NULL), 0);
        assert_int_equal(l.nm_method, 64);
    }
    make_good();
    assert_int_equal(read_layout(&l, NULL), 0);
    assert_int_equal(l.nm_method, 120);
    const struct row three[] = {{"nmethod", "_deoptimize_offset", 3},
                                {"nmethod", "_deopt_handler_entry_offset", 2},
                                {"nmethod", "_deopt_handler_offset", 1}};
    for (int from = 0; from < 3; from++) {
        space_init(&space);
        tables_make(&tables, &space, three, (size_t)(3 - from));
        assert_int_equal(read_layout(&l, NULL), 0);
        assert_int_equal(l.nm_deopt_offset, from + 1);
    }
}

static void test_layout__a_static_is_no_field_and_a_field_no_static(void **state)
{
    struct wick_hs_layout l;
    const struct row wrong[] = {{"CodeBlob", "_name", 0x7f0000001000, .is_static = 1}, {"CodeCache", "_heaps", 40}};
    space_init(&space);
    tables_make(&tables, &space, wrong, COUNT(wrong));
    assert_int_equal(read_layout(&l, NULL), 0);
    assert_int_equal(l.cb_name, WICK_HS_NONE);
    assert_true(l.codecache_heaps == 0);
}

static void test_layout__columns_lie_where_the_exports_say(void **state)
{
    struct wick_hs_layout l;
    const struct columns other = {72, 40, 0, 64, 8, 56};
    make_good();
    tables_fields(&tables, good, COUNT(good), &other);
    assert_int_equal(read_layout(&l, NULL), 0);
    assert_int_equal(l.cb_name, 8);
    assert_int_equal(l.codecache_heaps, 0x7f00aabbccdd);
}

static void test_layout__implausible_strides_and_columns_are_refused(void **state)
{
    static const uint64_t strides[] = {0, 1, 7, 47, 257, 1u << 20, UINT64_MAX};
    static const char *const columns[] = {
        "gHotSpotVMStructEntryTypeNameOffset", "gHotSpotVMStructEntryFieldNameOffset",
        "gHotSpotVMStructEntryOffsetOffset",   "gHotSpotVMStructEntryAddressOffset",
        "gHotSpotVMStructEntryIsStaticOffset", "gHotSpotVMTypeEntrySizeOffset",
        "gHotSpotVMTypeEntryTypeNameOffset",   "gHotSpotVMIntConstantEntryValueOffset"};
    struct wick_hs_layout l;
    struct wick_err err = {0};
    for (size_t i = 0; i < COUNT(strides); i++) {
        make_good();
        tables_export(&tables, "gHotSpotVMStructEntryArrayStride", strides[i]);
        assert_int_equal(read_layout(&l, &err), -WICK_E_UNSUPPORTED);
    }
    for (size_t i = 0; i < COUNT(columns); i++) {
        make_good();
        tables_export(&tables, columns[i], 1000);
        assert_int_equal(read_layout(&l, &err), -WICK_E_UNSUPPORTED);
        make_good();
        tables_export(&tables, columns[i], i % 2 ? UINT64_MAX - 7 : INT64_MAX);
        assert_int_equal(read_layout(&l, &err), -WICK_E_UNSUPPORTED);
    }
}

static void test_layout__each_missing_export_is_a_failure(void **state)
{
    struct wick_hs_layout l;
    make_good();
    int n = tables.n;
    for (int i = 0; i < n; i++) {
        struct wick_err err = {0};
        make_good();
        tables.name[i] = "";
        assert_int_equal(read_layout(&l, &err), -WICK_E_UNSUPPORTED);
        assert_non_null(strstr(err.msg, "gHotSpotVMStructs"));
    }
}

static void test_layout__a_table_without_memory_behind_it_is_a_failure(void **state)
{
    struct wick_hs_layout l;
    static const char *const all[] = {"gHotSpotVMStructs", "gHotSpotVMTypes", "gHotSpotVMIntConstants"};
    for (size_t i = 0; i < COUNT(all); i++) {
        make_good();
        tables_export(&tables, all[i], 0x10);
        assert_int_equal(read_layout(&l, NULL), -WICK_E_UNSUPPORTED);
        make_good();
        tables_export(&tables, all[i], 0);
        assert_int_equal(read_layout(&l, NULL), -WICK_E_UNSUPPORTED);
        make_good(); /* the table runs off the end of memory without a last row */
        memset(space.bytes + SPACE_BYTES - 480, 1, 480);
        tables_export(&tables, all[i], SPACE_BASE + SPACE_BYTES - 480);
        assert_int_equal(read_layout(&l, NULL), -WICK_E_UNSUPPORTED);
    }
}

static size_t endless_reads;

/* Exports as they are; everything else is rows that never end. */
static int read_endless(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    endless_reads++;
    if (addr >= SPACE_BASE && addr < SPACE_BASE + SPACE_BYTES)
        return wick_mem_read(&space.mem, addr, buf, n);
    memset(buf, 'x', n);
    return 0;
}

static void test_layout__endless_rows_end(void **state)
{
    static const char *const all[] = {"gHotSpotVMStructs", "gHotSpotVMTypes", "gHotSpotVMIntConstants"};
    const struct wick_mem endless = {.read = read_endless, .fd = -1};
    struct wick_hs_layout l;
    for (size_t i = 0; i < COUNT(all); i++) {
        make_good();
        tables_export(&tables, all[i], 0x70000000);
        endless_reads = 0;
        assert_int_equal(wick_hs_layout_read(&l, &endless, &symbols, NULL), -WICK_E_UNSUPPORTED);
        assert_true(endless_reads < 200000);
    }
}

static void test_layout__names_that_cannot_be_read_do_not_matter(void **state)
{
    struct wick_hs_layout l;
    char longest[300];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    const struct row rows[] = {{longest, longest, 5}, {"CodeBlob", "_name", 8}};
    space_init(&space);
    tables_make(&tables, &space, rows, 2);
    wick_addr table;
    memcpy(&table, space.bytes + (tables_find(&tables, "gHotSpotVMStructs") - SPACE_BASE), 8);
    space_put64(&space, table + 8, 0x20); /* the first row's field name */
    assert_int_equal(read_layout(&l, NULL), 0);
    assert_int_equal(l.cb_name, 8);
}

static void test_layout__offsets_beyond_64_kib_are_not_believed(void **state)
{
    struct wick_hs_layout l;
    const struct row rows[] = {{"CodeBlob", "_name", 65536},
                               {"CodeBlob", "_frame_size", 65535},
                               {"nmethod", NULL, UINT64_MAX},
                               {"frame::entry_frame_call_wrapper_offset", NULL, (uint32_t)-6, .is_const = 1}};
    space_init(&space);
    tables_make(&tables, &space, rows, COUNT(rows));
    assert_int_equal(read_layout(&l, NULL), 0);
    assert_int_equal(l.cb_name, WICK_HS_NONE);
    assert_int_equal(l.cb_frame_size, 65535);
    assert_int_equal(l.nmethod_size, WICK_HS_NONE);
    assert_int_equal(l.entry_frame_wrapper, -6);
}

static void test_layout__failure_leaves_the_output_untouched(void **state)
{
    struct wick_hs_layout l;
    memset(&l, 0x5a, sizeof l);
    space_init(&space);
    tables = (struct tables){.space = &space};
    assert_int_equal(read_layout(&l, NULL), -WICK_E_UNSUPPORTED);
    for (size_t i = 0; i < sizeof l; i++)
        assert_int_equal(((uint8_t *)&l)[i], 0x5a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout__finds_fields_statics_sizes_and_constants),
        cmocka_unit_test(test_layout__what_a_jdk_lacks_is_none_or_zero),
        cmocka_unit_test(test_layout__first_alternative_that_exists_wins),
        cmocka_unit_test(test_layout__a_static_is_no_field_and_a_field_no_static),
        cmocka_unit_test(test_layout__columns_lie_where_the_exports_say),
        cmocka_unit_test(test_layout__implausible_strides_and_columns_are_refused),
        cmocka_unit_test(test_layout__each_missing_export_is_a_failure),
        cmocka_unit_test(test_layout__a_table_without_memory_behind_it_is_a_failure),
        cmocka_unit_test(test_layout__endless_rows_end),
        cmocka_unit_test(test_layout__names_that_cannot_be_read_do_not_matter),
        cmocka_unit_test(test_layout__offsets_beyond_64_kib_are_not_believed),
        cmocka_unit_test(test_layout__failure_leaves_the_output_untouched),
    };
    return cmocka_run_group_tests_name("hotspot_layout", tests, NULL, NULL);
}
