/* SPDX-License-Identifier: Apache-2.0 */
/* The owner of a monitor, in each form in which the JDKs encode it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fake_space.h"
#include "hotspot/monitor.h"

enum {
    OWNER = 0x40,
    OBJECT = 8,
    PENDING = 0x20,
    ID = 0x28,
    BASE = 0x30,
    SIZE = 0x38,
    LOCK_STACK = 0x60,
    TOP = 0,
    FIRST = 16
};

static struct space space;
static struct wick_jvm jvm;
static wick_addr a, b, monitor; /* two JavaThreads */

/* A JVM of which no more is known than its monitors. */
static int setup(void **state)
{
    (void)state;
    space_init_jvm(&space, &jvm);
    jvm.layout.monitor_owner = OWNER;
    jvm.layout.thread_pending_monitor = PENDING;
    jvm.layout.thread_stack_base = BASE;
    jvm.layout.thread_stack_size = SIZE;
    a = space_take(&space, 512);
    b = space_take(&space, 512);
    monitor = space_take(&space, 256);
    space_put64(&space, a + PENDING, monitor);
    space_put64(&space, b + BASE, 0x7f0000100000);
    space_put64(&space, b + SIZE, 0x100000);
    return 0;
}

static bool owned_by(wick_addr thread)
{
    struct wick_hs_monitor m;
    wick_addr pending = wick_hs_monitor_pending(&jvm, a);
    wick_hs_monitor_init(&m, &jvm, pending, wick_hs_monitor_owner(&jvm, pending));
    return wick_hs_monitor_owned_by(&jvm, &m, thread);
}

static void test_monitor__owner_is_a_java_thread(void **state)
{
    (void)state;
    assert_false(owned_by(b)); /* nobody's */
    space_put64(&space, monitor + OWNER, b);
    assert_true(owned_by(b));
    assert_false(owned_by(a));
    assert_int_equal(wick_hs_monitor_pending(&jvm, b), 0);
}

static void test_monitor__owner_is_a_word_in_the_owners_stack(void **state)
{
    (void)state;
    space_put64(&space, monitor + OWNER, 0x7f0000012340);
    assert_true(owned_by(b));
    assert_false(owned_by(a));
    space_put64(&space, monitor + OWNER, 0x7f0000100000); /* the end is outside */
    assert_false(owned_by(b));
}

static void test_monitor__owner_is_a_thread_id(void **state)
{
    (void)state;
    jvm.layout.thread_current_id = ID;
    space_put64(&space, a + ID, 31);
    space_put64(&space, b + ID, 33);
    space_put64(&space, monitor + OWNER, 33);
    assert_true(owned_by(b));
    assert_false(owned_by(a));
}

static void test_monitor__anonymous_owner_has_the_object_in_its_lock_stack(void **state)
{
    (void)state;
    wick_addr handle = space_take(&space, 8);
    jvm.layout.monitor_object = OBJECT;
    jvm.layout.thread_lock_stack = LOCK_STACK;
    jvm.layout.lock_stack_top = TOP;
    jvm.layout.lock_stack_base = FIRST;
    space_put64(&space, handle, 0xe0001000);
    space_put64(&space, monitor + OBJECT, handle);
    space_put64(&space, monitor + OWNER, 1);
    space_put64(&space, b + LOCK_STACK + FIRST, 0xe0009000);
    space_put64(&space, b + LOCK_STACK + FIRST + 8, 0xe0001000);
    space_put32(&space, a + LOCK_STACK + TOP, LOCK_STACK + FIRST);
    space_put32(&space, b + LOCK_STACK + TOP, LOCK_STACK + FIRST + 8);
    assert_false(owned_by(b)); /* above the top: no longer locked */
    space_put32(&space, b + LOCK_STACK + TOP, LOCK_STACK + FIRST + 16);
    assert_true(owned_by(b));
    assert_false(owned_by(a));
    space_put32(&space, b + LOCK_STACK + TOP, 0xfffffff0); /* not a top */
    assert_false(owned_by(b));
}

static void test_ownable__owner_is_found_through_narrow_references(void **state)
{
    (void)state;
    const struct wick_hs_ownable o = {.owner = 12, .eetop = 16}, unknown = {0};
    wick_addr handle = space_take(&space, 8), lock = space_take(&space, 64), thread = space_take(&space, 64);
    jvm.step.oop_kind = WICK_OOP_NARROW;
    jvm.step.oop_base = SPACE_BASE;
    jvm.step.oop_shift = 3;
    space_put64(&space, handle, lock);
    assert_int_equal(wick_hs_ownable_owner(&jvm, &o, handle), 0);
    space_put32(&space, lock + 12, (uint32_t)((thread - SPACE_BASE) >> 3));
    space_put64(&space, thread + 16, b);
    assert_int_equal(wick_hs_ownable_owner(&jvm, &o, handle), b);
    assert_int_equal(wick_hs_ownable_owner(&jvm, &unknown, handle), 0);
    assert_int_equal(wick_hs_ownable_owner(&jvm, &o, 0x10), 0); /* not readable */
}

/* As the generational ZGC has them: a field is coloured, a local handle is not. */
static void test_ownable__owner_is_found_through_coloured_references(void **state)
{
    (void)state;
    const struct wick_hs_ownable o = {.owner = 16, .eetop = 24};
    wick_addr handle = space_take(&space, 8), lock = space_take(&space, 64), thread = space_take(&space, 64);
    jvm.step.oop_kind = WICK_OOP_COLOURED;
    space_put64(&space, handle, lock);
    space_put64(&space, thread + 24, b);
    for (unsigned bit = 12; bit < 16; bit++) {
        space_put64(&space, lock + 16, thread << (bit + 1) | UINT64_C(1) << bit);
        assert_int_equal(wick_hs_ownable_owner(&jvm, &o, handle), b);
    }
    space_put64(&space, lock + 16, 0);
    assert_int_equal(wick_hs_ownable_owner(&jvm, &o, handle), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_monitor__owner_is_a_java_thread, setup),
        cmocka_unit_test_setup(test_monitor__owner_is_a_word_in_the_owners_stack, setup),
        cmocka_unit_test_setup(test_monitor__owner_is_a_thread_id, setup),
        cmocka_unit_test_setup(test_monitor__anonymous_owner_has_the_object_in_its_lock_stack, setup),
        cmocka_unit_test_setup(test_ownable__owner_is_found_through_narrow_references, setup),
        cmocka_unit_test_setup(test_ownable__owner_is_found_through_coloured_references, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
