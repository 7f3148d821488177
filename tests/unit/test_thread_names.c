/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/thread/threads.h"

static struct wick_threads threads;
static int32_t tid;
static uint32_t serial;
static const char *name_now; /* NULL: a collection is going on */
static bool as_before;       /* the reader sees without reading it that the name has not changed */
static unsigned looks;

static enum wick_thread_name_found read_name(void *arg, wick_addr java, char *buf, size_t cap)
{
    (void)arg;
    assert_int_equal(java, 0x1000);
    looks++;
    if (as_before)
        return WICK_THREAD_NAME_AS_BEFORE;
    if (name_now)
        snprintf(buf, cap, "%s", name_now);
    return name_now ? WICK_THREAD_NAME_READ : WICK_THREAD_NAME_UNKNOWN;
}

static const char *called(uint32_t key)
{
    static char buf[64];
    struct wick_thread_name n;
    if (!wick_threads_name(&threads, key, &n, buf, sizeof buf))
        return "?";
    assert_int_equal(n.tid, tid);
    assert_int_equal(n.java_tid, 42);
    return n.java_name;
}

/* What a sample of that time is called by. */
static const char *sampled(uint64_t time_ns)
{
    return called(wick_threads_named(&threads, serial, time_ns));
}

static int set_up(void **state)
{
    (void)state;
    tid = (int32_t)syscall(SYS_gettid);
    name_now = "first";
    as_before = false;
    looks = 0;
    if (wick_threads_init(&threads))
        return -1;
    wick_threads_names_from(&threads, read_name, NULL, true);
    wick_threads_java(&threads, tid, 0x1000, "at the start", 42);
    serial = wick_threads_find_sig(&threads, tid)->serial;
    wick_threads_begin(&threads);
    wick_threads_names_begin(&threads, wick_clock_mono_ns());
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wick_threads_release(&threads);
    return 0;
}

static void test_thread_names__a_recording_begins_with_the_names_of_its_begin(void **state)
{
    (void)state;
    assert_string_equal(called(serial), "first");
    assert_int_equal(wick_threads_named(&threads, serial, wick_clock_mono_ns()), serial);
}

static void test_thread_names__a_new_name_holds_since_the_last_poll(void **state)
{
    (void)state;
    uint64_t before = wick_clock_mono_ns();
    assert_string_equal(sampled(before), "first");
    name_now = "second";
    uint64_t after = wick_clock_mono_ns();
    assert_string_equal(sampled(after), "second");
    assert_string_equal(sampled(before), "first");
    name_now = "third";
    uint64_t last = wick_clock_mono_ns();
    assert_string_equal(sampled(last), "third");
    assert_string_equal(sampled(after), "second");
    assert_string_equal(sampled(before), "first");
    assert_string_equal(called(serial), "first");
}

static void test_thread_names__one_poll_serves_all_samples_before_it(void **state)
{
    (void)state;
    uint64_t now = wick_clock_mono_ns();
    looks = 0;
    sampled(now);
    for (unsigned i = 0; i < 100; i++)
        sampled(now - i);
    assert_int_equal(looks, 1);
}

static void test_thread_names__a_name_as_before_holds_on(void **state)
{
    (void)state;
    name_now = "second";
    assert_string_equal(sampled(wick_clock_mono_ns()), "second");
    as_before = true;
    uint64_t before = wick_clock_mono_ns();
    assert_string_equal(sampled(before), "second");
    as_before = false;
    name_now = "third";
    uint64_t after = wick_clock_mono_ns();
    assert_string_equal(sampled(after), "third");
    assert_string_equal(sampled(before), "second"); /* the third holds since that look */
}

static void test_thread_names__a_poll_long_ago_says_nothing_of_later(void **state)
{
    (void)state;
    uint64_t now = wick_clock_mono_ns(), later = now + 3000000000;
    sampled(now);
    wick_threads_round(&threads, later - 50000000);
    wick_threads_round(&threads, later);
    name_now = "second";
    assert_string_equal(sampled(later), "second");
    assert_string_equal(sampled(now + 1000000000), "first");
}

static void test_thread_names__what_cannot_be_read_is_read_with_the_next_sample(void **state)
{
    (void)state;
    sampled(wick_clock_mono_ns());
    name_now = NULL;
    uint64_t now = wick_clock_mono_ns();
    assert_string_equal(sampled(now), "first");
    name_now = "second";
    assert_string_equal(sampled(now), "second");
}

static void test_thread_names__the_kernel_knows_what_cannot_be_read(void **state)
{
    (void)state;
    name_now = NULL;
    prctl(PR_SET_NAME, "another"); /* not known to be its Java name */
    assert_string_equal(sampled(wick_clock_mono_ns()), "first");
    prctl(PR_SET_NAME, "first");
    assert_string_equal(sampled(wick_clock_mono_ns()), "first");
    prctl(PR_SET_NAME, "second");
    assert_string_equal(sampled(wick_clock_mono_ns()), "second");
    prctl(PR_SET_NAME, "a third name of more than 15 bytes");
    assert_string_equal(sampled(wick_clock_mono_ns()), "second");
    name_now = "a third name of more than 15 bytes";
    assert_string_equal(sampled(wick_clock_mono_ns()), name_now);
    name_now = NULL;
    uint64_t now = wick_clock_mono_ns();
    assert_string_equal(sampled(now), "a third name of more than 15 bytes");
    prctl(PR_SET_NAME, "fourth");
    assert_string_equal(sampled(wick_clock_mono_ns()), "fourth");
    assert_string_equal(sampled(now), "a third name of more than 15 bytes");
    name_now = "from another thread"; /* the kernel's name stays */
    assert_string_equal(sampled(wick_clock_mono_ns()), "from another thread");
    name_now = NULL;
    assert_string_equal(sampled(wick_clock_mono_ns()), "from another thread");
}

static void test_thread_names__a_name_can_be_asked_for_until_the_flush_that_follows(void **state)
{
    (void)state;
    name_now = "second";
    uint32_t second = wick_threads_named(&threads, serial, wick_clock_mono_ns());
    wick_threads_forget(&threads);
    wick_threads_forget(&threads);
    wick_threads_forget(&threads);
    assert_string_equal(called(second), "second"); /* it holds */
    name_now = "third";
    uint32_t third = wick_threads_named(&threads, serial, wick_clock_mono_ns());
    assert_true(second != third && second != serial && third != serial);
    wick_threads_forget(&threads);
    assert_string_equal(called(second), "second");
    wick_threads_forget(&threads);
    assert_string_equal(called(second), "?");
    assert_string_equal(called(third), "third");
    wick_threads_rest(&threads);
    assert_string_equal(called(serial), "third");
    assert_int_equal(threads.alias_count, 0);
}

static void test_thread_names__a_thread_that_ends_under_another_name_keeps_the_first(void **state)
{
    (void)state;
    uint64_t before = wick_clock_mono_ns();
    uint32_t first = wick_threads_named(&threads, serial, before);
    wick_threads_java(&threads, tid, 0x1000, "last", 42); /* as its end does */
    wick_threads_java_end(&threads, tid);
    assert_string_equal(called(first), "first");
    assert_string_equal(sampled(wick_clock_mono_ns()), "last");
}

static void test_thread_names__there_is_a_limit(void **state)
{
    enum { MANY = 70000 };
    char name[32];
    (void)state;
    name_now = name;
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "name %u", i);
        wick_threads_named(&threads, serial, UINT64_MAX);
    }
    assert_true(threads.alias_count < MANY);
    wick_threads_forget(&threads);
    wick_threads_forget(&threads);
    assert_int_equal(threads.alias_count, 1);
    assert_string_equal(sampled(UINT64_MAX), "name 69999");
}

static void *ask_for_own(void *out)
{
    static char buf[64];
    static struct wick_thread_name n;
    int32_t own = (int32_t)syscall(SYS_gettid);
    uint32_t of = wick_threads_of(&threads, own);
    bool is_known = of && of == wick_threads_of(&threads, own) && wick_threads_find_sig(&threads, own) &&
                    wick_threads_name(&threads, of, &n, buf, sizeof buf) && n.tid == own && n.os_name[0] != '[';
    *(bool *)out = is_known;
    return NULL;
}

static void test_thread_names__a_thread_that_lives_becomes_known(void **state)
{
    pthread_t other;
    bool is_known = false;
    (void)state;
    assert_int_equal(pthread_create(&other, NULL, ask_for_own, &is_known), 0);
    pthread_join(other, NULL);
    assert_true(is_known);
}

static void test_thread_names__a_thread_that_nobody_saw_is_called_by_its_id(void **state)
{
    enum { UNSEEN = WICK_MAX_TID - 1 };
    char buf[64];
    struct wick_thread_name n;
    (void)state;
    assert_int_equal(wick_threads_of(&threads, tid), serial);
    assert_int_equal(wick_threads_of(&threads, 0), 0);
    uint32_t unseen = wick_threads_of(&threads, UNSEEN);
    assert_int_not_equal(unseen, serial);
    assert_int_equal(wick_threads_of(&threads, UNSEEN), unseen); /* of many events */
    wick_threads_forget(&threads);
    assert_true(wick_threads_name(&threads, wick_threads_named(&threads, unseen, 0), &n, buf, sizeof buf));
    assert_int_equal(n.tid, UNSEEN);
    assert_null(n.java_name);
    assert_string_equal(n.os_name, "[tid=4194303]");
    wick_threads_forget(&threads); /* after the flush */
    assert_false(wick_threads_name(&threads, unseen, &n, buf, sizeof buf));
    assert_int_not_equal(wick_threads_of(&threads, UNSEEN), unseen);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_thread_names__a_recording_begins_with_the_names_of_its_begin),
        TEST(test_thread_names__a_new_name_holds_since_the_last_poll),
        TEST(test_thread_names__one_poll_serves_all_samples_before_it),
        TEST(test_thread_names__a_name_as_before_holds_on),
        TEST(test_thread_names__a_poll_long_ago_says_nothing_of_later),
        TEST(test_thread_names__what_cannot_be_read_is_read_with_the_next_sample),
        TEST(test_thread_names__the_kernel_knows_what_cannot_be_read),
        TEST(test_thread_names__a_name_can_be_asked_for_until_the_flush_that_follows),
        TEST(test_thread_names__a_thread_that_ends_under_another_name_keeps_the_first),
        TEST(test_thread_names__there_is_a_limit),
        TEST(test_thread_names__a_thread_that_lives_becomes_known),
        TEST(test_thread_names__a_thread_that_nobody_saw_is_called_by_its_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
