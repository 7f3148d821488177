/* SPDX-License-Identifier: Apache-2.0 */
/* The name in a Thread object, also while a collector moves objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fake_space.h"
#include "hotspot/thread_name.h"

enum {
    OBJECT = 8,
    CURRENT = 16,
    NAME = 16,
    EETOP = 24,
    VALUE = 16,
    CODER = 12,
    LENGTH = 12,
    DATA = 16,
    ONE_COLOUR = 12
};

static struct space space;
static struct wick_jvm jvm;
static struct wick_hs_thread_names fields;
static struct wick_hs_thread_name_at where;
static wick_addr java_thread, handle, current, thread, name, mask;

static uint64_t get64(wick_addr at)
{
    uint64_t v = 0;
    wick_mem_read(&space.mem, at, &v, sizeof v);
    return v;
}

static wick_addr string(const char *text)
{
    wick_addr s = space_take(&space, 32), array = space_take(&space, 64);
    space_put64(&space, s + VALUE, array);
    space_put32(&space, array + LENGTH, (uint32_t)strlen(text));
    space_put(&space, array + DATA, text, strlen(text));
    return s;
}

static wick_addr thread_object(const char *text)
{
    wick_addr t = space_take(&space, 64);
    space_put64(&space, t + EETOP, java_thread);
    space_put64(&space, t + NAME, string(text));
    return t;
}

static int setup(void **state)
{
    (void)state;
    space_init_jvm(&space, &jvm);
    jvm.major = 21;
    jvm.layout.thread_object = OBJECT;
    jvm.layout.thread_current = CURRENT;
    fields = (struct wick_hs_thread_names){
        .name = NAME, .eetop = EETOP, .value = VALUE, .coder = CODER, .length = LENGTH, .data = DATA};
    java_thread = space_take(&space, 64);
    handle = space_take(&space, 8);
    current = space_take(&space, 8);
    mask = space_take(&space, 8);
    thread = thread_object("worker");
    name = get64(thread + NAME);
    space_put64(&space, java_thread + OBJECT, handle);
    space_put64(&space, java_thread + CURRENT, current);
    space_put64(&space, handle, thread);
    space_put64(&space, current, thread);
    return 0;
}

/* "" = it cannot be read. */
static const char *called(void)
{
    static char buf[64];
    where.thread = 0;
    if (!wick_hs_thread_name(&jvm, &fields, java_thread, buf, sizeof buf, &where))
        buf[0] = 0;
    return buf;
}

/* As the generational ZGC has it. */
static uint64_t coloured(wick_addr object, unsigned bit)
{
    return object << (bit + 1) | UINT64_C(1) << bit;
}

static void colour(wick_addr t, unsigned bit)
{
    wick_addr s = get64(t + NAME);
    space_put64(&space, s + VALUE, coloured(get64(s + VALUE), bit));
    space_put64(&space, t + NAME, coloured(s, bit));
}

static void test_thread_name__is_read_through_handles(void **state)
{
    (void)state;
    assert_string_equal(called(), "worker");
    space_put64(&space, handle, 0);
    assert_string_equal(called(), "worker");
    space_put64(&space, current, 0x10); /* not readable */
    assert_string_equal(called(), "");
}

static void test_thread_name__of_another_objects_memory_is_not_read(void **state)
{
    (void)state;
    space_put64(&space, thread + EETOP, java_thread + 8);
    assert_string_equal(called(), "");
}

static void test_thread_name__zgc_needs_a_reference_of_the_current_colour(void **state)
{
    (void)state;
    jvm.step.oop_kind = WICK_OOP_COLOURED;
    fields.moves = (struct wick_hs_moves){.how = WICK_HS_MOVES_COLOURS, .bad_mask = mask};
    colour(thread, ONE_COLOUR + 1);
    space_put64(&space, handle, coloured(thread, ONE_COLOUR)); /* its memory is its own still: EETOP says so */
    space_put64(&space, current, coloured(thread, ONE_COLOUR));
    space_put64(&space, mask, UINT64_C(0xd) << ONE_COLOUR);
    assert_string_equal(called(), "worker");
    space_put64(&space, mask, UINT64_C(0xe) << ONE_COLOUR); /* a collection begins to move objects */
    assert_string_equal(called(), "");
    space_put64(&space, mask, UINT64_C(0xd) << ONE_COLOUR);
    wick_addr array = get64(name + VALUE) >> (ONE_COLOUR + 2);
    space_put64(&space, name + VALUE, coloured(array, ONE_COLOUR)); /* the String was used by nobody since */
    assert_string_equal(called(), "");
    space_put64(&space, mask, 0); /* no mask at all */
    assert_string_equal(called(), "");
}

static void test_thread_name__shenandoah_leads_to_the_new_copy(void **state)
{
    (void)state;
    fields.moves.how = WICK_HS_MOVES_FORWARDS;
    assert_string_equal(called(), "worker");
    space_put64(&space, thread, thread_object("renamed") | 3);
    assert_string_equal(called(), "renamed");
    space_put64(&space, name, string("nobody's") | 3);
    assert_string_equal(called(), "renamed");
    space_put64(&space, thread, 1); /* an ordinary mark word */
    assert_string_equal(called(), "nobody's");
}

static bool holds(void)
{
    return wick_hs_thread_name_holds(&jvm, &fields, java_thread, &where);
}

static void test_thread_name__holds_until_the_reference_or_the_thread_changes(void **state)
{
    (void)state;
    assert_string_equal(called(), "worker");
    assert_true(holds());
    space_put64(&space, thread + NAME, string("renamed"));
    assert_false(holds());
    assert_string_equal(called(), "renamed");
    assert_true(holds());
    wick_addr moved = thread_object("renamed");
    space_put64(&space, handle, moved); /* by a collection that is not reported: what is left behind is out of date */
    assert_false(holds());
    space_put64(&space, handle, thread);
    assert_true(holds());
    space_put64(&space, thread + EETOP, 0); /* it has ended */
    assert_false(holds());
    space_put64(&space, thread + EETOP, java_thread);
    where.thread = 0x10; /* not readable */
    assert_false(holds());
    fields.moves.how = WICK_HS_MOVES_FORWARDS; /* objects move at any time: it is not known */
    assert_string_equal(called(), "renamed");
    assert_false(holds());
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        TEST(test_thread_name__is_read_through_handles),
        TEST(test_thread_name__of_another_objects_memory_is_not_read),
        TEST(test_thread_name__zgc_needs_a_reference_of_the_current_colour),
        TEST(test_thread_name__holds_until_the_reference_or_the_thread_changes),
        TEST(test_thread_name__shenandoah_leads_to_the_new_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
