/* SPDX-License-Identifier: Apache-2.0 */
/* What is in use of a heap, by the structures of each collector; and that nothing is claimed where one is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fake_space.h"
#include "hotspot/heap_use.h"

static struct space space;
static struct wick_jvm jvm;
static struct wick_hs_layout *const l = &jvm.layout;
static wick_addr heap;

static void set_flag(enum wick_jvm_flag flag, uint8_t value)
{
    jvm.flag[flag] = space_take(&space, 1);
    space_put(&space, jvm.flag[flag], &value, 1);
}

static wick_addr pointer_to(wick_addr what)
{
    wick_addr at = space_take(&space, 8);
    space_put64(&space, at, what);
    return at;
}

/* A layout of which nothing is known but where the heap is. */
static int setup(void **state)
{
    (void)state;
    space_init_jvm(&space, &jvm);
    l->parallel_young = l->parallel_old = l->zgc_nodes = 0; /* what the tables of a JDK lack */
    heap = space_take(&space, 256);
    l->java_heap = pointer_to(heap);
    return 0;
}

/* bottom at 8, top at 16 */
static wick_addr space_of(uint64_t bytes)
{
    wick_addr s = space_take(&space, 24);
    space_put64(&space, s + 8, 0x700000000);
    space_put64(&space, s + 16, 0x700000000 + bytes);
    return s;
}

/* eden at 8, from at 16; the old generation's space at 8 */
static void put_generations(wick_addr young, wick_addr old)
{
    space_put64(&space, young + 8, space_of(5000));
    space_put64(&space, young + 16, space_of(700));
    space_put64(&space, old + 8, space_of(30000));
}

static void lay_out_serial(int32_t old_gen)
{
    wick_addr young = space_take(&space, 32), old = space_take(&space, 32);
    set_flag(WICK_JVM_FLAG_SERIAL, 1);
    put_generations(young, old);
    space_put64(&space, heap + 96, young);
    space_put64(&space, heap + 104, old);
    l->serial_young = 96;
    l->serial_old = old_gen;
    l->serial_eden = l->serial_tenured = l->space_bottom = 8;
    l->serial_from = l->space_top = 16;
}

static void test_heap_use__serial_has_three_spaces(void **state)
{
    (void)state;
    lay_out_serial(104);
    assert_int_equal(wick_hs_heap_use(&jvm), 35700);
}

static void test_heap_use__on_jdk_8_the_old_generation_is_behind_the_young_one(void **state)
{
    (void)state;
    lay_out_serial(WICK_HS_NONE);
    assert_int_equal(wick_hs_heap_use(&jvm), 35700);
}

static void test_heap_use__parallel_has_its_generations_in_variables(void **state)
{
    wick_addr young = space_take(&space, 32), old = space_take(&space, 32);
    (void)state;
    set_flag(WICK_JVM_FLAG_PARALLEL, 1);
    put_generations(young, old);
    l->parallel_young = pointer_to(young);
    l->parallel_old = pointer_to(old);
    l->parallel_eden = l->parallel_tenured = l->mutable_bottom = 8;
    l->parallel_from = l->mutable_top = 16;
    assert_int_equal(wick_hs_heap_use(&jvm), 35700);
    l->parallel_from = WICK_HS_NONE;
    assert_int_equal(wick_hs_heap_use(&jvm), 0); /* rather than a sum without it */
}

static void test_heap_use__g1_has_a_sum_in_the_heap_or_in_its_allocator(void **state)
{
    wick_addr allocator = space_take(&space, 32);
    (void)state;
    set_flag(WICK_JVM_FLAG_G1, 1);
    space_put64(&space, heap + 64, 123456);
    space_put64(&space, heap + 72, allocator);
    space_put64(&space, allocator + 16, 777);
    l->g1_allocator = 72;
    l->g1_allocator_used = 16;
    assert_int_equal(wick_hs_heap_use(&jvm), 777);
    l->g1_used = 64;
    assert_int_equal(wick_hs_heap_use(&jvm), 123456);
}

static void test_heap_use__shenandoah_has_a_sum_in_the_heap_or_in_its_generation(void **state)
{
    wick_addr all = space_take(&space, 32);
    (void)state;
    set_flag(WICK_JVM_FLAG_SHENANDOAH, 1);
    space_put64(&space, heap + 64, 123456);
    space_put64(&space, heap + 72, all);
    space_put64(&space, all + 8, 888);
    l->shenandoah_all = 72;
    l->shenandoah_all_used = 8;
    assert_int_equal(wick_hs_heap_use(&jvm), 888);
    l->shenandoah_used = 64;
    assert_int_equal(wick_hs_heap_use(&jvm), 123456);
}

static void test_heap_use__of_two_kinds_of_zgc_the_flag_decides(void **state)
{
    (void)state;
    set_flag(WICK_JVM_FLAG_Z, 1);
    set_flag(WICK_JVM_FLAG_Z_GENERATIONAL, 0);
    space_put64(&space, heap + 16 + 32 + 8, 111);
    space_put64(&space, heap + 16 + 64 + 8, 222);
    l->zgc_heap = l->old_zgc_heap = 16;
    l->zgc_pages = 32;
    l->old_zgc_pages = 64;
    l->zgc_used = l->old_zgc_used = 8;
    assert_int_equal(wick_hs_heap_use(&jvm), 222);
    set_flag(WICK_JVM_FLAG_Z_GENERATIONAL, 1);
    assert_int_equal(wick_hs_heap_use(&jvm), 111);
}

static void test_heap_use__zgc_of_several_nodes_of_memory_is_not_known(void **state)
{
    wick_addr partition = space_take(&space, 32);
    (void)state;
    set_flag(WICK_JVM_FLAG_Z, 1);
    space_put64(&space, heap + 16 + 8, partition);
    space_put64(&space, partition + 24, 333);
    l->zgc_heap = 16;
    l->zgc_pages = l->zgc_partition = 0;
    l->zgc_partitions = 8;
    l->zgc_partition_used = 24;
    assert_int_equal(wick_hs_heap_use(&jvm), 0); /* how many nodes there are is not known either */
    l->zgc_nodes = space_take(&space, 4);
    space_put32(&space, l->zgc_nodes, 1);
    assert_int_equal(wick_hs_heap_use(&jvm), 333);
    space_put32(&space, l->zgc_nodes, 2);
    assert_int_equal(wick_hs_heap_use(&jvm), 0);
}

static void test_heap_use__a_collector_or_a_layout_that_is_not_known_has_none(void **state)
{
    static const enum wick_jvm_flag flags[] = {WICK_JVM_FLAG_G1, WICK_JVM_FLAG_PARALLEL, WICK_JVM_FLAG_SERIAL,
                                               WICK_JVM_FLAG_Z, WICK_JVM_FLAG_SHENANDOAH};
    (void)state;
    assert_int_equal(wick_hs_heap_use(&jvm), 0); /* CMS, Epsilon */
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        set_flag(flags[i], 1);
        assert_int_equal(wick_hs_heap_use(&jvm), 0);
        set_flag(flags[i], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_heap_use__serial_has_three_spaces, setup),
        cmocka_unit_test_setup(test_heap_use__on_jdk_8_the_old_generation_is_behind_the_young_one, setup),
        cmocka_unit_test_setup(test_heap_use__parallel_has_its_generations_in_variables, setup),
        cmocka_unit_test_setup(test_heap_use__g1_has_a_sum_in_the_heap_or_in_its_allocator, setup),
        cmocka_unit_test_setup(test_heap_use__shenandoah_has_a_sum_in_the_heap_or_in_its_generation, setup),
        cmocka_unit_test_setup(test_heap_use__of_two_kinds_of_zgc_the_flag_decides, setup),
        cmocka_unit_test_setup(test_heap_use__zgc_of_several_nodes_of_memory_is_not_known, setup),
        cmocka_unit_test_setup(test_heap_use__a_collector_or_a_layout_that_is_not_known_has_none, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
