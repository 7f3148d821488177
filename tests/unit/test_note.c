/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_note.c - the store of what events have no room for: a note has one holder at a time
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include "base/atomic.h"
#include "record/note.h"

enum { THREADS = 4, TURNS = 200000, FEW = 5, PAYLOAD = 100 };

static struct wick_notes notes;
static _Atomic uint64_t taken, refused, spoilt;

static void test_note__all_are_given_out_once_and_again_after_they_are_free(void **state)
{
    uint16_t first[FEW];
    (void)state;
    assert_int_equal(wick_notes_init(&notes, FEW, PAYLOAD), 0);
    for (int turn = 0; turn < 3; turn++) {
        uint32_t seen = 0;
        for (int i = 0; i < FEW; i++) {
            first[i] = wick_notes_take_sig(&notes);
            assert_in_range(first[i], 1, FEW);
            assert_false(seen >> first[i] & 1);
            seen |= 1u << first[i];
            memset(wick_notes_at_sig(&notes, first[i]), i, PAYLOAD);
        }
        assert_int_equal(wick_notes_take_sig(&notes), 0);
        for (int i = 0; i < FEW; i++)
            for (int b = 0; b < PAYLOAD; b++)
                assert_int_equal(((uint8_t *)wick_notes_at_sig(&notes, first[i]))[b], i);
        for (int i = 0; i < FEW; i++)
            wick_notes_free_sig(&notes, first[i]);
    }
    wick_notes_release(&notes);
}

static void test_note__numbers_that_are_none_have_no_payload_and_cannot_be_freed(void **state)
{
    (void)state;
    assert_int_equal(wick_notes_init(&notes, FEW, PAYLOAD), 0);
    assert_null(wick_notes_at_sig(&notes, 0));
    assert_null(wick_notes_at_sig(&notes, FEW + 1));
    wick_notes_free_sig(&notes, 0);
    wick_notes_free_sig(&notes, FEW + 1);
    assert_int_equal(wick_notes_take_sig(&notes), 1);
    wick_notes_release(&notes);
    assert_int_equal(wick_notes_take_sig(&notes), 0);
    assert_null(wick_notes_at_sig(&notes, 1));
}

static void test_note__what_was_free_is_used_before_what_never_was(void **state)
{
    (void)state;
    assert_int_equal(wick_notes_init(&notes, WICK_NOTES_MOST, PAYLOAD), 0);
    for (int i = 0; i < 1000; i++) {
        uint16_t a = wick_notes_take_sig(&notes), b = wick_notes_take_sig(&notes);
        assert_true(a && a <= 2 && b && b <= 2 && a != b);
        wick_notes_free_sig(&notes, a);
        wick_notes_free_sig(&notes, b);
    }
    wick_notes_release(&notes);
}

/* Fewer notes than threads need: takes two at times, marks them, and sees whether the marks stay. */
static void *use(void *arg)
{
    uint64_t mark = (uint64_t)(uintptr_t)arg << 32;
    for (int i = 0; i < TURNS; i++) {
        uint16_t mine[2] = {wick_notes_take_sig(&notes), i % 3 ? 0 : wick_notes_take_sig(&notes)};
        for (int k = 0; k < 2; k++) {
            uint64_t *payload = wick_notes_at_sig(&notes, mine[k]);
            if (payload)
                payload[0] = payload[7] = ++mark;
            wick_add_relaxed(payload ? &taken : &refused, 1);
        }
        for (int k = 0; k < 2; k++) {
            const uint64_t *payload = wick_notes_at_sig(&notes, mine[k]);
            if (payload && (payload[0] != payload[7] || payload[0] >> 32 != (uintptr_t)arg))
                wick_add_relaxed(&spoilt, 1);
            wick_notes_free_sig(&notes, mine[k]);
        }
    }
    return NULL;
}

static void test_note__threads_that_take_and_give_back_never_share_one(void **state)
{
    pthread_t t[THREADS];
    uint32_t seen = 0;
    (void)state;
    assert_int_equal(wick_notes_init(&notes, FEW, PAYLOAD), 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, use, (void *)(i + 1)), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    assert_int_equal(spoilt, 0);
    assert_true(taken > 0);
    for (int i = 0; i < FEW; i++) /* none was lost, none is there twice */
        seen |= 1u << wick_notes_take_sig(&notes);
    assert_int_equal(seen, ((1u << FEW) - 1) << 1);
    assert_int_equal(wick_notes_take_sig(&notes), 0);
    wick_notes_release(&notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_note__all_are_given_out_once_and_again_after_they_are_free),
        cmocka_unit_test(test_note__numbers_that_are_none_have_no_payload_and_cannot_be_freed),
        cmocka_unit_test(test_note__what_was_free_is_used_before_what_never_was),
        cmocka_unit_test(test_note__threads_that_take_and_give_back_never_share_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
