/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_alloc_buffer.c - a JVM's buffers are played, and what objects stand for is compared with what was allocated
 *
 * The rules are HotSpot's (JDK 8, collectedHeap.cpp): an object that does not fit goes outside if the buffer's rest
 * is above the limit, which grows a little each time; else a new buffer comes. All numbers come from fixed seeds, so
 * that each run is the same; the bounds are 5 standard deviations of the share that a class has among the samples.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/random.h"
#include "engine/alloc/alloc_buffer.h"

enum { BUFFER = 1 << 20, RESERVED = 400, FRACTION = 64, SIZES = 6, OBJECTS = 30000000 };

static const uint64_t sizes[SIZES] = {16, 128, 1 << 10, 32 << 10, 200 << 10, 4 << 20};

struct jvm {
    struct wick_alloc_buffer b;
    uint64_t allocated; /* in buffers before, and outside */
    uint64_t end, used, limit;
    uint64_t random;
    double bytes[SIZES], found[SIZES], squares;
    uint64_t samples;
};

static void seen(struct jvm *j, int i, uint64_t fresh)
{
    const struct wick_alloc_buffer_seen s = {
        .before = j->allocated + (fresh ? 0 : j->used),
        .size = sizes[i],
        .fresh = fresh,
        .present = fresh ? 0 : j->end,
        .used = fresh ? 0 : j->used,
        .desired = BUFFER,
    };
    uint64_t bytes = wick_alloc_buffer_seen_sig(&j->b, &s);
    j->found[i] += (double)bytes;
    if (bytes && sizes[i] <= BUFFER) {
        j->samples++;
        j->squares += (double)bytes * (double)bytes;
    }
}

static void retire(struct jvm *j)
{
    j->allocated += j->used;
    j->used = j->end = 0;
}

static void allocate(struct jvm *j, int i)
{
    uint64_t size = sizes[i];
    j->bytes[i] += (double)size;
    if (j->used + size <= j->end) {
        j->used += size;
        return;
    }
    if (j->end - j->used > j->limit) {
        j->limit += 32;
        seen(j, i, 0);
        j->allocated += size;
        return;
    }
    retire(j);
    seen(j, i, BUFFER + size);
    j->end = BUFFER + size - RESERVED;
    j->used = size;
    j->limit = BUFFER / FRACTION;
}

static double sum(const double v[SIZES])
{
    double s = 0;
    for (int i = 0; i < SIZES; i++)
        s += v[i];
    return s;
}

/* Sites with probabilities; a collection once in so many bytes, 0 = never. */
static void play(struct jvm *j, const double chance[SIZES], uint64_t objects, uint64_t collection)
{
    double next = (double)collection, total = 0;
    for (uint64_t n = 0; n < objects; n++) {
        double u = (double)(wick_random_u64(&j->random) >> 11) * 0x1p-53;
        int i = 0;
        while (i < SIZES - 1 && u >= chance[i])
            u -= chance[i++];
        total += (double)sizes[i];
        if (collection && total >= next) {
            next += (double)collection * (0.5 + (double)(wick_random_u64(&j->random) >> 11) * 0x1p-53);
            retire(j);
        }
        allocate(j, i);
    }
}

static void check(const struct jvm *j)
{
    double total = sum(j->bytes), waiting = total - sum(j->found);
    assert_true(fabs(waiting) < 3.0 * BUFFER);
    assert_int_equal(wick_alloc_buffer_rest_sig(&j->b, j->allocated + j->used), waiting > 0 ? (uint64_t)waiting : 0);
    for (int i = 0; i < SIZES; i++) {
        double share = j->bytes[i] / (total - j->bytes[SIZES - 1]);
        double deviation = i == SIZES - 1 ? 0 : sqrt(j->squares * share * (1 - share));
        if (!j->bytes[i])
            continue;
        print_message("%8.0f KiB: off %+.3f %%, one deviation is %.3f %%\n", (double)sizes[i] / 1024,
                      100 * (j->found[i] / j->bytes[i] - 1), 100 * deviation / j->bytes[i]);
        assert_true(fabs(j->found[i] - j->bytes[i]) <= 5 * deviation + 3.0 * BUFFER);
    }
    assert_true(j->samples > 1000);
}

/* As many bytes in each. */
static void chances(double chance[SIZES], int from)
{
    double all = 0;
    for (int i = 0; i < SIZES; i++)
        all += i < from ? 0 : 1 / (double)sizes[i];
    for (int i = 0; i < SIZES; i++)
        chance[i] = i < from ? 0 : 1 / (double)sizes[i] / all;
}

static void test_alloc_buffer__mixed_sizes_come_out_as_they_were_allocated(void **state)
{
    struct jvm j = {.random = 42, .b.known = true};
    double chance[SIZES];
    (void)state;
    chances(chance, 1);
    play(&j, chance, OBJECTS, 0);
    check(&j);
}

static void test_alloc_buffer__collections_leave_no_bias(void **state)
{
    struct jvm j = {.random = 43, .b.known = true};
    double chance[SIZES];
    (void)state;
    chances(chance, 2);
    play(&j, chance, OBJECTS / 4, 20 << 20);
    check(&j);
}

static void test_alloc_buffer__objects_of_one_size_stand_for_all(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        struct jvm j = {.random = 44, .b.known = true};
        for (int n = 0; n < 5000000 && sum(j.bytes) < 3e9; n++)
            allocate(&j, i);
        assert_true(fabs(j.found[i] - j.bytes[i]) <= 3.0 * BUFFER);
    }
}

static void test_alloc_buffer__a_thread_that_was_there_counts_from_its_last_buffer(void **state)
{
    struct wick_alloc_buffer b = {0};
    const struct wick_alloc_buffer_seen s = {.before = 100 << 20, .size = 64, .fresh = BUFFER, .desired = BUFFER};
    (void)state;
    assert_int_equal(wick_alloc_buffer_rest_sig(&b, 100 << 20), 0);
    assert_int_equal(wick_alloc_buffer_seen_sig(&b, &s), BUFFER);
    assert_int_equal(wick_alloc_buffer_rest_sig(&b, (100 << 20) + 64), 64);
}

static void test_alloc_buffer__places_that_cannot_be_do_not_wrap(void **state)
{
    struct wick_alloc_buffer b = {.known = true, .counted = 1000, .began = 1000, .beside = 500, .capacity = 100};
    const struct wick_alloc_buffer_seen s = {.before = 10, .size = 64, .fresh = BUFFER, .desired = BUFFER};
    (void)state;
    assert_int_equal(wick_alloc_buffer_rest_sig(&b, 10), 0);
    assert_int_equal(wick_alloc_buffer_seen_sig(&b, &s), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc_buffer__mixed_sizes_come_out_as_they_were_allocated),
        cmocka_unit_test(test_alloc_buffer__collections_leave_no_bias),
        cmocka_unit_test(test_alloc_buffer__objects_of_one_size_stand_for_all),
        cmocka_unit_test(test_alloc_buffer__a_thread_that_was_there_counts_from_its_last_buffer),
        cmocka_unit_test(test_alloc_buffer__places_that_cannot_be_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
