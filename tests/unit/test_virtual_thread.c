/* SPDX-License-Identifier: Apache-2.0 */
/* A virtual thread that may be on no carrier, through its object. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fake_space.h"
#include "hotspot/virtual_thread.h"

enum { ID = 16, STATE = 24, CARRIER = 32, CONT = 40, TAIL = 16, OWNER = 48, COUNT = 8, PAUSED = 12 };
enum { STARTED = 1, PARKED = 5, WAITED = 16, BLOCKED = 13, UNPARKED = 9, PARKING = 4, SUSPENDED = 256, WEAK = 1 };

static struct space space;
static struct wick_jvm jvm;
static struct wick_hs_moves moves;
static wick_addr thread, handle, chunk, heap;

static int setup(void **state)
{
    (void)state;
    space_init_jvm(&space, &jvm);
    jvm.step.oop_kind = WICK_OOP_PLAIN;
    jvm.step.cont_tail = TAIL;
    jvm.virtual_thread = (struct wick_hs_virtual_fields){.cont = CONT,
                                                         .carrier = CARRIER,
                                                         .state = STATE,
                                                         .id = ID,
                                                         .owner = OWNER,
                                                         .parked = 1u << PARKED,
                                                         .monitor = 1u << BLOCKED,
                                                         .object_wait = 1u << WAITED,
                                                         .ready = 1u << UNPARKED,
                                                         .started = 1u << STARTED};
    moves = (struct wick_hs_moves){.how = WICK_HS_MOVES_NONE};
    thread = space_take(&space, 64);
    handle = space_take(&space, 8);
    chunk = space_take(&space, 64);
    heap = space_take(&space, 32);
    wick_addr cont = space_take(&space, 32), variable = space_take(&space, 8);
    space_put64(&space, handle, thread);
    space_put64(&space, thread + ID, 77);
    space_put32(&space, thread + STATE, PARKED);
    space_put64(&space, thread + CONT, cont);
    space_put64(&space, cont + TAIL, chunk);
    space_put64(&space, chunk + OWNER, cont);
    space_put64(&space, variable, heap);
    jvm.layout.java_heap = variable;
    jvm.layout.java_heap_collections = COUNT;
    jvm.layout.java_heap_paused = PAUSED;
    return 0;
}

static enum wick_hs_virtual_seen look(uint64_t id)
{
    wick_addr at = 0;
    wick_addr thread_now = wick_hs_oop_behind(&jvm, &moves, handle | WEAK);
    enum wick_hs_virtual_seen seen = wick_hs_virtual_look(&jvm, &moves, thread_now, &id, &at);
    bool unmounted = seen != WICK_HS_VIRTUAL_UNKNOWN && seen != WICK_HS_VIRTUAL_MOUNTED;
    if (unmounted)
        assert_int_equal(at, chunk);
    return seen;
}

static void test_virtual__is_unmounted_in_states_with_frozen_frames(void **state)
{
    (void)state;
    assert_true(wick_hs_virtual_known(&jvm));
    assert_int_equal(look(77), WICK_HS_VIRTUAL_PARKED);
    wick_addr at;
    uint64_t any = 0;
    assert_int_equal(wick_hs_virtual_look(&jvm, &moves, thread, &any, &at), WICK_HS_VIRTUAL_PARKED);
    assert_int_equal(any, 77);
    space_put32(&space, thread + STATE, PARKED | SUSPENDED);
    assert_int_equal(look(77), WICK_HS_VIRTUAL_PARKED);
    space_put32(&space, thread + STATE, BLOCKED);
    assert_int_equal(look(77), WICK_HS_VIRTUAL_MONITOR);
    space_put32(&space, thread + STATE, WAITED);
    assert_int_equal(look(77), WICK_HS_VIRTUAL_OBJECT_WAIT);
    space_put32(&space, thread + STATE, UNPARKED);
    assert_int_equal(look(77), WICK_HS_VIRTUAL_READY);
    space_put32(&space, thread + STATE, PARKING); /* its frames are still on the carrier's stack */
    assert_int_equal(look(77), WICK_HS_VIRTUAL_UNKNOWN);
}

static void test_virtual__is_unknown_unless_all_fits(void **state)
{
    (void)state;
    assert_int_equal(look(78), WICK_HS_VIRTUAL_UNKNOWN); /* another object lies there by now */
    space_put32(&space, thread + STATE, 0xffffffff);
    assert_int_equal(look(77), WICK_HS_VIRTUAL_UNKNOWN);
    space_put32(&space, thread + STATE, PARKED);
    space_put64(&space, thread + CARRIER, heap);
    assert_int_equal(look(77), WICK_HS_VIRTUAL_MOUNTED);
    space_put64(&space, thread + CARRIER, 0);
    space_put64(&space, chunk + OWNER, heap); /* another thread's chunk lies there by now */
    assert_int_equal(look(77), WICK_HS_VIRTUAL_UNKNOWN);
    space_put64(&space, thread + CONT, 0);
    assert_int_equal(look(77), WICK_HS_VIRTUAL_UNKNOWN);
    space_put64(&space, handle, 0); /* collected */
    assert_int_equal(look(77), WICK_HS_VIRTUAL_UNKNOWN);
    space_put64(&space, handle, 8); /* not readable */
    assert_int_equal(look(77), WICK_HS_VIRTUAL_UNKNOWN);
}

static void test_virtual__that_has_never_run_waits_for_a_carrier(void **state)
{
    (void)state;
    wick_addr at = 1, cont;
    uint64_t id = 77;
    assert_int_equal(wick_mem_read(&space.mem, thread + CONT, &cont, sizeof cont), 0);
    space_put64(&space, cont + TAIL, 0);
    assert_int_equal(look(77), WICK_HS_VIRTUAL_UNKNOWN);
    space_put32(&space, thread + STATE, STARTED);
    assert_int_equal(wick_hs_virtual_look(&jvm, &moves, thread, &id, &at), WICK_HS_VIRTUAL_READY);
    assert_int_equal(at, 0);
}

/* ZGC: what lies there may be what the thread was before it went on. */
static void test_virtual__behind_a_reference_out_of_date_is_unknown(void **state)
{
    const uint64_t bad = 1ull << 44;
    (void)state;
    wick_addr mask = space_take(&space, 8), cont;
    space_put64(&space, mask, bad);
    moves = (struct wick_hs_moves){.how = WICK_HS_MOVES_COLOURS, .bad_mask = mask};
    assert_int_equal(look(77), WICK_HS_VIRTUAL_PARKED);
    assert_int_equal(wick_mem_read(&space.mem, thread + CONT, &cont, sizeof cont), 0);
    space_put64(&space, cont + TAIL, chunk | bad);
    assert_int_equal(look(77), WICK_HS_VIRTUAL_UNKNOWN);
    space_put64(&space, cont + TAIL, chunk);
    space_put64(&space, thread + CONT, cont | bad);
    assert_int_equal(look(77), WICK_HS_VIRTUAL_UNKNOWN);
    space_put64(&space, thread + CONT, cont);
    space_put64(&space, handle, thread | bad);
    assert_int_equal(look(77), WICK_HS_VIRTUAL_UNKNOWN);
}

static void test_virtual__follows_copies_beside_the_program(void **state)
{
    (void)state;
    wick_addr copy = space_take(&space, 64);
    moves.how = WICK_HS_MOVES_FORWARDS;
    space_put(&space, copy, &space.bytes[thread - SPACE_BASE], 64);
    space_put64(&space, thread, copy | 3);
    space_put32(&space, thread + STATE, PARKING);
    assert_int_equal(look(77), WICK_HS_VIRTUAL_PARKED);
}

static void test_collections__are_none_in_a_pause(void **state)
{
    const uint8_t paused = 1;
    (void)state;
    assert_int_equal(wick_hs_collections(&jvm), 1);
    space_put32(&space, heap + COUNT, 6);
    assert_int_equal(wick_hs_collections(&jvm), 7);
    space_put(&space, heap + PAUSED, &paused, sizeof paused);
    assert_int_equal(wick_hs_collections(&jvm), 0);
    jvm.layout.java_heap_paused = WICK_HS_NONE;
    assert_false(wick_hs_virtual_known(&jvm));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_virtual__is_unmounted_in_states_with_frozen_frames, setup),
        cmocka_unit_test_setup(test_virtual__is_unknown_unless_all_fits, setup),
        cmocka_unit_test_setup(test_virtual__that_has_never_run_waits_for_a_carrier, setup),
        cmocka_unit_test_setup(test_virtual__behind_a_reference_out_of_date_is_unknown, setup),
        cmocka_unit_test_setup(test_virtual__follows_copies_beside_the_program, setup),
        cmocka_unit_test_setup(test_collections__are_none_in_a_pause, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
