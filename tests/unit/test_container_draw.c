/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws of virtual threads from the JDK's sets of them. Over many draws each thread has its part: what it stands for
 * adds up to once a draw. The sums are within 6 standard deviations, estimated from the draws themselves: a chance of
 * two in a thousand million for each of some 100, and the random numbers are the same in each run.
 */
#include "fake_space.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>

#include <cmocka.h>

#include "hotspot/container_draw.h"

#define BAD (1ull << 44) /* in a reference: out of date */

enum { TABLE = 16, HASH = 12, KEY = 16, NEXT = 24, FIRST = 16, LENGTH = 12, DATA = 16 };
enum { REFERENT = 16, THREADS = 24, MAP = 8, THREAD_BYTES = 16, MOST = 64, DRAWS = 40000, TREE_BIN = -2, MOVED = -1 };
enum { OBJECT_KLASS = 8, SHIFT = 3, THREAD_KLASS = 0x800, EXECUTOR_KLASS = 0x900, OTHER_KLASS = 0xa00 };

static struct space space;
static struct wick_jvm jvm;
static struct wick_hs_moves moves;
static wick_addr threads[MOST];
static uint32_t count;

static wick_addr object(uint32_t klass, size_t bytes)
{
    wick_addr at = space_take(&space, bytes);
    space_put32(&space, at + OBJECT_KLASS, klass >> SHIFT);
    return at;
}

static wick_addr new_thread(void)
{
    return threads[count++] = object(THREAD_KLASS, THREAD_BYTES);
}

static wick_addr node(wick_addr key, wick_addr next)
{
    wick_addr at = space_take(&space, 32);
    space_put64(&space, at + KEY, key);
    space_put64(&space, at + NEXT, next);
    return at;
}

static wick_addr new_map(uint32_t slots, wick_addr *table)
{
    wick_addr map = space_take(&space, 32);
    *table = space_take(&space, DATA + 8 * (size_t)slots);
    space_put64(&space, map + TABLE, *table);
    space_put32(&space, *table + LENGTH, slots);
    return map;
}

static void put(wick_addr table, uint32_t slot, wick_addr first)
{
    space_put64(&space, table + DATA + 8 * (wick_addr)slot, first);
}

static wick_addr global(wick_addr object)
{
    wick_addr handle = space_take(&space, 8);
    space_put64(&space, handle, object);
    return handle | 2;
}

static int setup(void **state)
{
    (void)state;
    space_init_jvm(&space, &jvm);
    moves = (struct wick_hs_moves){.how = WICK_HS_MOVES_NONE};
    count = 0;
    wick_addr shift = space_take(&space, 4), base = space_take(&space, 8);
    space_put32(&space, shift, SHIFT);
    jvm.layout.object_klass = OBJECT_KLASS;
    jvm.layout.klass_shift = shift;
    jvm.layout.klass_base = base;
    jvm.containers = (struct wick_hs_containers){.executor = EXECUTOR_KLASS,
                                                 .thread = THREAD_KLASS,
                                                 .table = TABLE,
                                                 .hash = HASH,
                                                 .key = KEY,
                                                 .next = NEXT,
                                                 .first = FIRST,
                                                 .referent = REFERENT,
                                                 .threads = THREADS,
                                                 .map = MAP,
                                                 .array_length = LENGTH,
                                                 .array_data = DATA};
    return 0;
}

/* An executor with so many threads. */
static wick_addr executor(uint32_t n)
{
    wick_addr table, map = new_map(16, &table), at = object(EXECUTOR_KLASS, 32), set = space_take(&space, 16);
    for (uint32_t i = 0; i < n; i++)
        put(table, 3 * i % 16, node(new_thread(), 0));
    space_put64(&space, at + THREADS, set);
    space_put64(&space, set + MAP, map);
    return at;
}

static wick_addr weak(wick_addr referent)
{
    wick_addr at = space_take(&space, 32);
    space_put64(&space, at + REFERENT, referent);
    return at;
}

/* What is lost, in threads a draw; each thread has its part of the rest. */
static double check_parts(uint32_t cap, double part)
{
    static double sum[MOST], squares[MOST];
    uint64_t random = 1;
    double lost = 0;
    memset(sum, 0, sizeof sum);
    memset(squares, 0, sizeof squares);
    for (int i = 0; i < DRAWS; i++) {
        struct wick_hs_drawn drawn[4];
        bool known;
        uint32_t n = wick_hs_containers_draw(&jvm, &moves, &random, drawn, cap, &known);
        assert_true(n <= cap);
        for (uint32_t d = 0; d < n; d++) {
            uint32_t t = 0;
            while (t < count && threads[t] != drawn[d].thread)
                t++;
            lost += drawn[d].thread ? 0 : drawn[d].stands_for;
            assert_true(t < count || !drawn[d].thread);
            if (t < count) {
                sum[t] += drawn[d].stands_for;
                squares[t] += drawn[d].stands_for * drawn[d].stands_for;
            }
        }
    }
    for (uint32_t t = 0; t < count; t++)
        if (fabs(sum[t] - part * DRAWS) > 6 * sqrt(squares[t]))
            fail_msg("thread %u of %u: %f in %d draws", t, count, sum[t], DRAWS);
    return lost / DRAWS;
}

static void test_draw__is_as_likely_for_each_thread_of_a_table(void **state)
{
    wick_addr table, map = new_map(64, &table), bin = space_take(&space, 32), list = 0;
    (void)state;
    for (uint32_t i = 0; i < 20; i++)
        put(table, 3 * i, node(new_thread(), i % 4 ? 0 : node(new_thread(), 0)));
    for (uint32_t i = 0; i < 12; i++)
        list = node(new_thread(), list);
    space_put32(&space, bin + HASH, (uint32_t)TREE_BIN);
    space_put64(&space, bin + FIRST, list);
    put(table, 61, bin);
    jvm.containers.started = global(map);
    assert_true(check_parts(4, 1) == 0);
    assert_true(check_parts(2, 1) == 0);
}

static void test_draw__of_a_table_larger_than_what_is_read_at_once(void **state)
{
    wick_addr table, map = new_map(8192, &table);
    (void)state;
    for (uint32_t i = 0; i < 30; i++)
        put(table, 271 * i, node(new_thread(), 0));
    jvm.containers.started = global(map);
    assert_true(check_parts(4, 1) == 0);
}

static void test_draw__goes_through_executors(void **state)
{
    wick_addr table, map = new_map(16, &table), registry_table, registry = new_map(16, &registry_table);
    (void)state;
    put(table, 4, node(new_thread(), 0));
    jvm.containers.started = global(map);
    put(registry_table, 1, node(weak(executor(5)), node(weak(executor(1)), 0)));
    put(registry_table, 2, node(weak(object(OTHER_KLASS, 32)), 0));
    put(registry_table, 9, node(weak(executor(0)), 0));
    put(registry_table, 12, node(weak(executor(9)), node(weak(0), 0)));
    jvm.containers.registry = global(registry);
    assert_true(check_parts(4, 1) == 0);
    jvm.containers.executor = 0; /* classes cannot be read */
    count = 1;
    assert_true(check_parts(4, 1) == 0);
}

/* What cannot be read is one thread that is lost; an executor's platform threads are none of ours. */
static void test_draw__counts_what_it_cannot_read(void **state)
{
    wick_addr table, map = new_map(16, &table), forward = space_take(&space, 32);
    (void)state;
    put(table, 3, node(new_thread(), 0));
    put(table, 4, node(0, 0));
    put(table, 5, 8);
    space_put32(&space, forward + HASH, (uint32_t)MOVED); /* the table grows: this slot is in the next one */
    put(table, 6, forward);
    put(table, 7, node(object(OTHER_KLASS, 16), 0));
    jvm.containers.started = global(map);
    jvm.containers.executor = 0;
    double lost = check_parts(4, 1);
    assert_true(lost > 2.9 && lost < 3.1);
}

/* Nothing behind a reference that is out of date is believed: a thread is lost, a set is unknown. */
static void test_draw__follows_no_reference_that_is_out_of_date(void **state)
{
    wick_addr table, map = new_map(16, &table), second = node(new_thread(), 0), bad = space_take(&space, 8);
    struct wick_hs_drawn drawn[4];
    bool known;
    uint64_t random = 1;
    (void)state;
    space_put64(&space, bad, BAD);
    moves = (struct wick_hs_moves){.how = WICK_HS_MOVES_COLOURS, .bad_mask = bad};
    jvm.containers.started = global(map);
    jvm.containers.executor = 0;
    put(table, 3, node(new_thread(), 0));
    put(table, 4, node(threads[1] | BAD, 0));
    put(table, 5, node(threads[1], 0) | BAD);
    put(table, 6, node(threads[1], second | BAD));
    count = 2;
    for (int i = 0; i < 100; i++) {
        uint32_t n = wick_hs_containers_draw(&jvm, &moves, &random, drawn, 4, &known);
        assert_true(known);
        assert_int_equal(n, 4);
        for (uint32_t d = 0; d < n; d++)
            assert_true(drawn[d].stands_for == 1 && (!drawn[d].thread || drawn[d].thread == threads[1]));
    }
    space_put64(&space, map + TABLE, table | BAD);
    assert_int_equal(wick_hs_containers_draw(&jvm, &moves, &random, drawn, 4, &known), 0);
    assert_false(known);
    jvm.containers.started = global(map | BAD);
    assert_int_equal(wick_hs_containers_draw(&jvm, &moves, &random, drawn, 4, &known), 0);
    assert_false(known);
}

/* Threads that were started one after the other lie side by side: a large table is read in places that lie apart. */
static void test_draw__of_neighbours_in_a_large_table_scatters_little(void **state)
{
    wick_addr table, map = new_map(8192, &table);
    double sum = 0, squares = 0;
    uint64_t random = 1;
    (void)state;
    wick_addr one_for_all = node(new_thread(), 0); /* only what they stand for is of interest */
    for (uint32_t i = 0; i < 1024; i++)
        put(table, 2048 + i, one_for_all);
    jvm.containers.started = global(map);
    jvm.containers.executor = 0;
    for (int i = 0; i < 4000; i++) {
        struct wick_hs_drawn drawn[4];
        bool known;
        double one = 0;
        uint32_t n = wick_hs_containers_draw(&jvm, &moves, &random, drawn, 4, &known);
        for (uint32_t d = 0; d < n; d++)
            one += drawn[d].stands_for;
        sum += one;
        squares += one * one;
    }
    double mean = sum / 4000, variance = squares / 4000 - mean * mean;
    assert_true(fabs(mean - 1024) < 6 * sqrt(variance / 4000) + 1);
    assert_true(variance < 1024.0 * 1024); /* one run of 512 slots: seven times that */
}

static void test_draw__of_nothing_is_nothing(void **state)
{
    struct wick_hs_drawn drawn[4];
    bool known;
    uint64_t random = 1;
    wick_addr table, map = new_map(16, &table);
    (void)state;
    assert_int_equal(wick_hs_containers_draw(&jvm, &moves, &random, drawn, 4, &known), 0);
    jvm.containers.started = global(0);
    jvm.containers.registry = global(8);
    assert_int_equal(wick_hs_containers_draw(&jvm, &moves, &random, drawn, 4, &known), 0);
    jvm.containers.started = global(map);
    assert_int_equal(wick_hs_containers_draw(&jvm, &moves, &random, drawn, 4, &known), 0);
    space_put64(&space, map + TABLE, 0); /* nothing was added yet */
    assert_int_equal(wick_hs_containers_draw(&jvm, &moves, &random, drawn, 4, &known), 0);
    space_put64(&space, map + TABLE, table);
    space_put32(&space, table + LENGTH, 1u << 31); /* not a table */
    assert_int_equal(wick_hs_containers_draw(&jvm, &moves, &random, drawn, 4, &known), 0);
}

/* A list that leads back to itself ends. */
static void test_draw__of_a_ring_ends(void **state)
{
    struct wick_hs_drawn drawn[4];
    bool known;
    uint64_t random = 1;
    wick_addr table, map = new_map(16, &table), ring = node(new_thread(), 0);
    (void)state;
    space_put64(&space, ring + NEXT, ring);
    put(table, 4, ring);
    jvm.containers.started = global(map);
    assert_int_equal(wick_hs_containers_draw(&jvm, &moves, &random, drawn, 4, &known), 1);
    assert_int_equal(drawn[0].thread, threads[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_draw__is_as_likely_for_each_thread_of_a_table, setup),
        cmocka_unit_test_setup(test_draw__of_a_table_larger_than_what_is_read_at_once, setup),
        cmocka_unit_test_setup(test_draw__goes_through_executors, setup),
        cmocka_unit_test_setup(test_draw__counts_what_it_cannot_read, setup),
        cmocka_unit_test_setup(test_draw__follows_no_reference_that_is_out_of_date, setup),
        cmocka_unit_test_setup(test_draw__of_neighbours_in_a_large_table_scatters_little, setup),
        cmocka_unit_test_setup(test_draw__of_nothing_is_nothing, setup),
        cmocka_unit_test_setup(test_draw__of_a_ring_ends, setup),
    };
    return cmocka_run_group_tests_name("container_draw", tests, NULL, NULL);
}
