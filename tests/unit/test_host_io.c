/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to disks that are under way, as `wick host` keeps them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "ebpf/host_io.h"

static struct wick_host_transfer transfer_of(uint64_t i, struct wick_jfr_frame *frame)
{
    *frame = (struct wick_jfr_frame){.method = (uint32_t)i + 1};
    /* addresses are used again, while an older request is under way or not */
    return (struct wick_host_transfer){.io = {.request = 4096 * (i % 10000), .begin_ns = 1000 + i},
                                       .frames = frame,
                                       .n = i % 2,
                                       .context = (uint32_t)i};
}

static void check_end(struct wick_host_ios *ios, uint64_t i)
{
    struct wick_jfr_frame frame;
    struct wick_host_transfer t = transfer_of(i, &frame), out;
    assert_true(wick_host_io_end(ios, &t.io, &out));
    assert_int_equal(out.context, i);
    assert_int_equal(out.n, i % 2);
    if (out.n)
        assert_int_equal(out.frames[0].method, i + 1);
    free(out.frames);
    assert_false(wick_host_io_end(ios, &t.io, &out));
}

static void test_io__each_ends_once_in_whatever_order(void **state)
{
    enum { ALL = 20000, AT_ONCE = 5000 };
    struct wick_host_ios ios;
    struct wick_jfr_frame frame;
    static uint64_t under_way[AT_ONCE];
    uint64_t random = 7, begun = 0;
    uint32_t n = 0;
    assert_int_equal(wick_host_ios_init(&ios), 0);
    while (begun < ALL || n) {
        if (begun < ALL && n < AT_ONCE && wick_random_below(&random, 100) < 70) {
            const struct wick_host_transfer t = transfer_of(begun, &frame);
            assert_true(wick_host_io_begin(&ios, &t));
            under_way[n++] = begun++;
        } else if (n) {
            uint32_t which = (uint32_t)wick_random_below(&random, n);
            check_end(&ios, under_way[which]);
            under_way[which] = under_way[--n];
        }
        assert_int_equal(ios.count, n);
    }
    wick_host_ios_release(&ios);
}

static void test_io__requests_whose_end_is_lost_make_room_when_their_address_is_used_again(void **state)
{
    enum { ADDRESSES = 100, TURNS = 3 * WICK_HOST_TRANSFERS / ADDRESSES };
    struct wick_host_ios ios;
    struct wick_jfr_frame frame = {.method = 1};
    struct wick_host_transfer t = {.frames = &frame, .n = 1}, out;
    assert_int_equal(wick_host_ios_init(&ios), 0);
    for (uint32_t turn = 1; turn <= TURNS; turn++) {
        for (uint64_t i = 0; i < ADDRESSES; i++) {
            t.io = (struct wick_host_io){.request = i * 256, .begin_ns = turn};
            assert_true(wick_host_io_begin(&ios, &t));
        }
    }
    assert_true(ios.count <= 2 * ADDRESSES);
    for (uint64_t i = 0; i < ADDRESSES; i++) {
        for (uint64_t begin_ns = TURNS; begin_ns > TURNS - 3; begin_ns--) {
            const struct wick_host_io io = {.request = i * 256, .begin_ns = begin_ns};
            bool known = wick_host_io_end(&ios, &io, &out);
            assert_int_equal(known, begin_ns > TURNS - 2);
            if (known)
                free(out.frames);
        }
    }
    assert_int_equal(ios.count, 0);
    wick_host_ios_release(&ios);
}

static void test_io__what_is_under_way_keeps_its_names_when_tables_start_anew(void **state)
{
    struct wick_host_ios ios;
    struct wick_host_tables t = {0}, old;
    struct wick_jfr_method m = {.name = "first"};
    struct wick_jfr_context labels;
    assert_int_equal(wick_host_ios_init(&ios), 0);
    wick_host_method(&t, &m);
    wick_host_context(&t, "process=first-1");
    m.name = "read";
    struct wick_jfr_frame frames[2] = {{.method = wick_host_method(&t, &m)}, {.method = 0}};
    struct wick_host_transfer begun = {.io = {.request = 1, .begin_ns = 2},
                                       .frames = frames,
                                       .n = 2,
                                       .context = wick_host_context(&t, "process=reader-2")};
    struct wick_host_transfer out;
    assert_true(wick_host_io_begin(&ios, &begun));
    wick_host_tables_renew(&t, &old);
    wick_host_ios_renew(&ios, &t, &old);
    wick_host_tables_release(&old);
    assert_true(wick_host_io_end(&ios, &begun.io, &out));
    struct wick_jfr_source s = wick_host_tables_source(&t);
    assert_int_equal(s.method(s.arg, out.frames[0].method, &m), 0);
    assert_string_equal(m.name, "read");
    assert_int_equal(out.frames[1].method, 0);
    assert_int_equal(s.context(s.arg, out.context, &labels), 0);
    assert_string_equal(labels.labels, "process=reader-2");
    free(out.frames);
    wick_host_ios_release(&ios);
    wick_host_tables_release(&t);
}

static void test_io__the_oldest_is_forgotten_where_there_are_more_than_there_is_room_for(void **state)
{
    struct wick_host_ios ios;
    struct wick_jfr_frame frame;
    assert_int_equal(wick_host_ios_init(&ios), 0);
    for (uint64_t i = 0; i <= WICK_HOST_TRANSFERS; i++) {
        const struct wick_host_transfer t = transfer_of(i, &frame);
        assert_true(wick_host_io_begin(&ios, &t));
    }
    assert_int_equal(ios.count, WICK_HOST_TRANSFERS);
    struct wick_host_transfer oldest = transfer_of(0, &frame), out;
    assert_false(wick_host_io_end(&ios, &oldest.io, &out));
    check_end(&ios, 1);
    check_end(&ios, 5);
    const struct wick_host_transfer again = transfer_of(5, &frame), twice = transfer_of(6, &frame);
    assert_false(wick_host_io_begin(&ios, &twice)); /* it is under way */
    assert_true(wick_host_io_begin(&ios, &again));
    wick_host_ios_release(&ios);
}

static void test_io__a_device_without_a_name_has_its_numbers(void **state)
{
    struct wick_host_ios ios;
    assert_int_equal(wick_host_ios_init(&ios), 0);
    assert_string_equal(wick_host_io_device(&ios, 4095, 77), "4095:77");
    assert_string_equal(wick_host_io_device(&ios, 0, 0), "none");
    for (uint32_t i = 0; i < 3 * WICK_HOST_DEVICES; i++)
        wick_host_io_device(&ios, 4095, i);
    assert_string_equal(wick_host_io_device(&ios, 4095, 77), "4095:77");
    wick_host_ios_release(&ios);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io__each_ends_once_in_whatever_order),
        cmocka_unit_test(test_io__requests_whose_end_is_lost_make_room_when_their_address_is_used_again),
        cmocka_unit_test(test_io__what_is_under_way_keeps_its_names_when_tables_start_anew),
        cmocka_unit_test(test_io__the_oldest_is_forgotten_where_there_are_more_than_there_is_room_for),
        cmocka_unit_test(test_io__a_device_without_a_name_has_its_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
