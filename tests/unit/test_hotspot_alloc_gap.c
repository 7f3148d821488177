/* SPDX-License-Identifier: Apache-2.0 */
/* The place of a thread's gap to its next sample: found where HotSpot's own numbers stand, and nowhere else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fake_space.h"
#include "hotspot/alloc_gap.h"

enum {
    TLAB = 0x40,
    START = 0,
    TOP = 8,
    ALLOCATED = 0x80,
    PLACE = 0x88,
    OSTHREAD = 0x20,
    SIZE = 0x200,
    THREADS = 9,
    MANY = 200
};
enum { DEFAULT = 512 << 10, LENGTH = 8, ARRAY = 0x10, TID = 4711 };

static struct space space;
static struct wick_jvm jvm;
static wick_addr threads[MANY];

/* So many threads that have just been made, each with a buffer; counted: as JDK 25 has it. */
static void make_some(unsigned n, uint32_t interval, bool exact, bool counted)
{
    space_init_jvm(&space, &jvm);
    jvm.layout.javathread_size = SIZE;
    jvm.layout.thread_allocated = ALLOCATED;
    jvm.layout.thread_tlab = TLAB;
    jvm.layout.tlab_start = START;
    jvm.layout.tlab_top = TOP;
    jvm.layout.threadslist_length = LENGTH;
    jvm.layout.threadslist_threads = ARRAY;
    jvm.layout.thread_osthread = OSTHREAD;
    jvm.layout.osthread_tid = 0;
    jvm.layout.smr_list = space_take(&space, 8);
    wick_addr list = space_take(&space, 64), array = space_take(&space, sizeof threads), os = space_take(&space, 8 * n);
    space_put64(&space, jvm.layout.smr_list, list);
    space_put32(&space, list + LENGTH, n);
    space_put64(&space, list + ARRAY, array);
    for (unsigned i = 0; i < n; i++) {
        wick_addr t = threads[i] = space_take(&space, SIZE + 16 * (i % THREADS));
        space_put64(&space, array + 8 * i, t);
        space_put32(&space, os + 8 * i, TID + i);
        space_put64(&space, t + OSTHREAD, os + 8 * i);
        space_put64(&space, t + PLACE, wick_hs_alloc_gap_first(t + PLACE, interval, exact));
        space_put64(&space, t + PLACE + 8, counted ? 0x70001000 : 1234567890);
        space_put64(&space, t + TLAB + START, 0x70000000);
        space_put64(&space, t + TLAB + TOP, 0x70002000);
    }
}

static void make(uint32_t interval, bool exact, bool counted)
{
    make_some(THREADS, interval, exact, counted);
}

static int32_t found(uint32_t interval)
{
    struct wick_hs_alloc_gap g;
    wick_hs_alloc_gap_find(&g, &jvm, interval, TID);
    return g.place;
}

/* Numbers of a JDK 21 and a JDK 11 that had just started, with the addresses at which they stood. */
static void test_alloc_gap__first_gaps_are_those_of_real_jvms(void **state)
{
    (void)state;
    assert_int_equal(wick_hs_alloc_gap_first(0, DEFAULT, true), wick_hs_alloc_gap_first(1, DEFAULT, true));
    assert_int_equal(wick_hs_alloc_gap_first(0x7f0012345678, DEFAULT, true),
                     wick_hs_alloc_gap_first(0x7fff12345678, DEFAULT, true)); /* the lower half decides */
    assert_int_equal(wick_hs_alloc_gap_first(0x7fbc38019650, DEFAULT, true), 1031441);
    assert_int_equal(wick_hs_alloc_gap_first(0x7fbc380b3730, DEFAULT, true), 212901);
    assert_int_equal(wick_hs_alloc_gap_first(0x7fbc380b6570, DEFAULT, true), 167298);
    assert_int_equal(wick_hs_alloc_gap_first(0x7fbc380b9170, DEFAULT, true), 160648);
    assert_int_equal(wick_hs_alloc_gap_first(0x7f3df4015998, DEFAULT, false), 363409);
    assert_int_equal(wick_hs_alloc_gap_first(0x7f3df409d198, DEFAULT, false), 726818);
    assert_int_equal(wick_hs_alloc_gap_first(0x7f3df40a7198, DEFAULT, false), 1453635);
}

static void test_alloc_gap__the_place_is_found(void **state)
{
    struct wick_hs_alloc_gap g;
    (void)state;
    make(DEFAULT, true, false);
    wick_hs_alloc_gap_find(&g, &jvm, DEFAULT, TID);
    assert_int_equal(g.place, PLACE);
    assert_false(g.counted);
    make(DEFAULT, false, false);
    assert_int_equal(found(DEFAULT), PLACE);
    make(3 << 20, true, false); /* somebody has set another interval before the threads began */
    assert_int_equal(found(DEFAULT), WICK_HS_NONE);
    assert_int_equal(found(3 << 20), PLACE);
    make(DEFAULT, true, true);
    wick_hs_alloc_gap_find(&g, &jvm, DEFAULT, TID);
    assert_int_equal(g.place, PLACE);
    assert_true(g.counted);
}

static void test_alloc_gap__threads_that_were_sampled_do_not_count(void **state)
{
    (void)state;
    make(DEFAULT, true, false);
    space_put64(&space, threads[0] + PLACE, 99999);
    space_put64(&space, threads[1] + PLACE, 5);
    assert_int_equal(found(DEFAULT), PLACE);
    for (int i = 2; i < THREADS - 3; i++)
        space_put64(&space, threads[i] + PLACE, 123456);
    assert_int_equal(found(DEFAULT), PLACE);
    space_put64(&space, threads[THREADS - 3] + PLACE, 123456);
    assert_int_equal(found(DEFAULT), WICK_HS_NONE); /* two are too few */
}

static void looks_first(int thread, unsigned place)
{
    wick_addr at = threads[thread] + place;
    space_put64(&space, at, wick_hs_alloc_gap_first(at, DEFAULT, true));
}

/* Of many threads one has by chance what would be predicted for another place, or is seen while it changes its
 * buffer. */
static void test_alloc_gap__one_thread_of_many_is_no_doubt(void **state)
{
    struct wick_hs_alloc_gap g;
    (void)state;
    for (int counted = 0; counted < 2; counted++) {
        make(DEFAULT, true, counted);
        looks_first(3, 0x100);
        looks_first(2, 0x108);
        space_put64(&space, threads[3] + PLACE + 8, counted ? 1234567890 : 0x70001000);
        wick_hs_alloc_gap_find(&g, &jvm, DEFAULT, TID);
        assert_int_equal(g.place, PLACE);
        assert_int_equal(g.counted, counted);
    }
}

static void test_alloc_gap__any_doubt_means_no_place(void **state)
{
    (void)state;
    make(DEFAULT, true, false);
    for (int i = 0; i < THREADS / 2 + 1; i++)
        looks_first(i, 0x100);
    assert_int_equal(found(DEFAULT), WICK_HS_NONE); /* it may be there */
    make(DEFAULT, true, false);
    space_put64(&space, threads[3] + PLACE + 8, 0x70001000);
    space_put64(&space, threads[4] + PLACE + 8, 0x70001000);
    assert_int_equal(found(DEFAULT), WICK_HS_NONE); /* of one form here, of another there */
    make(DEFAULT, true, false);
    jvm.layout.thread_allocated += 16;
    assert_int_equal(found(DEFAULT), WICK_HS_NONE);
    jvm.layout.thread_allocated = SIZE - 16;
    assert_int_equal(found(DEFAULT), WICK_HS_NONE);
    jvm.layout.thread_allocated = WICK_HS_NONE;
    assert_int_equal(found(DEFAULT), WICK_HS_NONE);
    make(DEFAULT, true, false);
    jvm.layout.javathread_size = 1 << 20;
    assert_int_equal(found(DEFAULT), WICK_HS_NONE);
}

/* JDK 11 has no counters there but a 0, which a thread without a buffer has in JDK 25 as well. */
static void test_alloc_gap__threads_without_a_buffer_do_not_say_which_form_it_is(void **state)
{
    struct wick_hs_alloc_gap g;
    (void)state;
    make(DEFAULT, true, false);
    for (int i = 0; i < THREADS; i++) {
        space_put64(&space, threads[i] + PLACE + 8, 0);
        space_put64(&space, threads[i] + TLAB + START, 0);
    }
    assert_int_equal(found(DEFAULT), WICK_HS_NONE);
    space_put64(&space, threads[4] + TLAB + START, 0x70000000);
    wick_hs_alloc_gap_find(&g, &jvm, DEFAULT, TID);
    assert_int_equal(g.place, PLACE);
    assert_false(g.counted);
}

/* After a collection only the thread that asks has a buffer again, the last of hundreds. */
static void test_alloc_gap__the_thread_that_asks_is_always_seen(void **state)
{
    (void)state;
    for (int counted = 0; counted < 2; counted++) {
        struct wick_hs_alloc_gap g;
        make_some(MANY, DEFAULT, true, counted);
        for (int i = 0; i < MANY - 1; i++) {
            space_put64(&space, threads[i] + PLACE + 8, 0);
            space_put64(&space, threads[i] + TLAB + START, 0);
        }
        wick_hs_alloc_gap_find(&g, &jvm, DEFAULT, TID);
        assert_int_equal(g.place, WICK_HS_NONE);
        wick_hs_alloc_gap_find(&g, &jvm, DEFAULT, TID + MANY - 1);
        assert_int_equal(g.place, PLACE);
        assert_int_equal(g.counted, counted);
    }
}

static void test_alloc_gap__the_next_sample_counts_from_now_on(void **state)
{
    uint64_t thread[SIZE / 8] = {0};
    wick_addr java = (uintptr_t)thread;
    struct wick_hs_alloc_gap g = {.place = WICK_HS_NONE};
    (void)state;
    assert_false(wick_hs_alloc_gap_set(&g, java, 1000));
    g = (struct wick_hs_alloc_gap){.place = PLACE, .tlab_top = TLAB + TOP};
    assert_true(wick_hs_alloc_gap_set(&g, java, 1000));
    assert_int_equal(thread[PLACE / 8], 1000);
    g.counted = true;
    thread[(PLACE + 8) / 8] = 0x70001000;
    thread[(PLACE + 16) / 8] = 500;
    thread[(PLACE + 24) / 8] = 30;
    thread[(TLAB + TOP) / 8] = 0x70001400;
    assert_true(wick_hs_alloc_gap_set(&g, java, 1000));
    assert_int_equal(thread[PLACE / 8], 1000 + 500 + 30 + 0x400);
    thread[(TLAB + TOP) / 8] = 0x70000400; /* not where it should be */
    assert_false(wick_hs_alloc_gap_set(&g, java, 7));
    assert_int_equal(thread[PLACE / 8], 1000 + 500 + 30 + 0x400);
    thread[(PLACE + 8) / 8] = 0; /* no buffer */
    assert_true(wick_hs_alloc_gap_set(&g, java, 7));
    assert_int_equal(thread[PLACE / 8], 7 + 500 + 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc_gap__first_gaps_are_those_of_real_jvms),
        cmocka_unit_test(test_alloc_gap__the_place_is_found),
        cmocka_unit_test(test_alloc_gap__threads_that_were_sampled_do_not_count),
        cmocka_unit_test(test_alloc_gap__one_thread_of_many_is_no_doubt),
        cmocka_unit_test(test_alloc_gap__any_doubt_means_no_place),
        cmocka_unit_test(test_alloc_gap__threads_without_a_buffer_do_not_say_which_form_it_is),
        cmocka_unit_test(test_alloc_gap__the_thread_that_asks_is_always_seen),
        cmocka_unit_test(test_alloc_gap__the_next_sample_counts_from_now_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
