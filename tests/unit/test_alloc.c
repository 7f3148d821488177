/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_alloc.c - the engine for allocations with a JVM that is played: gaps are drawn as the JVM draws them
 *
 * All numbers come from fixed seeds, so that each run is the same; the bounds are 5 standard deviations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/poisson.h"
#include "base/registers.h"
#include "engine/alloc/alloc.h"

#define SECOND 1000000000ull

static struct wick_mem mem;
static struct wick_jvm jvm;
static struct wick_elf_images images;
static struct wick_threads threads;
static struct wick_recorder recorder;
static struct wick_alloc_engine engine;

/* The JVM: its interval, and the gap of the one thread. */
static uint64_t interval, gap, gap_interval, random_state, changes;

static uint64_t in_force(void)
{
    return interval;
}

static void change(uint64_t to)
{
    interval = to;
    changes++;
}

static void draw_gap(void)
{
    gap = wick_poisson_next(&random_state, interval);
    gap_interval = interval;
}

static int set_up(void **state)
{
    bool changed;
    (void)state;
    assert_int_equal(wick_mem_self_init(&mem), 0);
    jvm.mem = &mem;
    jvm.major = 17;
    memset(&jvm.layout, 0xff, sizeof jvm.layout);
    wick_elf_images_init(&images, 0);
    assert_int_equal(wick_elf_images_refresh(&images, &mem, &changed, NULL), 0);
    assert_int_equal(wick_threads_init(&threads), 0);
    wick_threads_begin(&threads);
    assert_int_equal(wick_recorder_init(&recorder, 8 << 20, 1024, 64), 0);
    assert_int_equal(wick_walker_init(&recorder.walker, &jvm, &images), 0);
    interval = 512 << 10;
    random_state = 42;
    draw_gap();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wick_walker_release(&recorder.walker);
    wick_recorder_release(&recorder);
    wick_threads_release(&threads);
    wick_elf_images_release(&images);
    return 0;
}

static bool gives, given_own; /* this JVM takes gaps; the last one was the calling thread's */
static uint64_t given;        /* how many it took */

static bool give_gap(uint64_t java, uint64_t bytes, bool own)
{
    assert_int_equal(java, 0x1000);
    if (!gives)
        return false;
    gap = bytes;
    gap_interval = engine.interval;
    given_own = own;
    given++;
    return true;
}

static void start(uint64_t every, uint32_t rate)
{
    const struct wick_alloc_config c = {
        .interval = every, .rate = rate, .in_force = in_force, .change = change, .give_gap = give_gap};
    assert_int_equal(wick_alloc_start(&engine, &c, &recorder, &threads, NULL), 0);
    interval = every; /* as the JVM's sampling is switched on behind the engine */
    atomic_store(&recorder.running, 1);
}

static void stop(void)
{
    atomic_store(&recorder.running, 0);
    wick_alloc_stop(&engine);
    wick_alloc_release(&engine);
    interval = 512 << 10;
}

/* Sums of what was allocated, of the weights, and of their variance. */
struct sums {
    double bytes, weights, variance;
    uint64_t samples;
};

/* The thread allocates an object. */
static void allocate(uint64_t size, struct sums *s)
{
    double p = -expm1(-(double)size / (double)gap_interval);
    s->bytes += (double)size;
    s->variance += (double)size * (double)size * (1 - p) / p;
    if (size < gap) {
        gap -= size;
        return;
    }
    struct wick_alloc_draw d;
    if (wick_alloc_drawn(size, &d)) {
        assert_int_equal(d.size, size);
        s->weights += (double)d.weight;
        s->samples++;
    }
    if (!gives)
        draw_gap();
}

static void check_sums(const struct sums *s)
{
    double off = fabs(s->weights - s->bytes), allowed = 5 * sqrt(s->variance);
    if (off > allowed || s->samples < 1000)
        fail_msg("%g bytes, weights %g, %g off in %llu samples, %g allowed", s->bytes, s->weights, off,
                 (unsigned long long)s->samples, allowed);
}

static const uint64_t sizes[] = {16, 24, 1016, 32 << 10, 16, 512 << 10, 104, 8 << 20};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void test_alloc__weights_sum_up_for_each_size(void **state)
{
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        struct sums s = {0};
        start(64 << 10, 0);
        for (double n = 4000. * (64 << 10); s.bytes < n || s.samples < 1000;)
            allocate(sizes[i], &s);
        check_sums(&s);
        stop();
    }
}

/* The interval changes between the moment when a gap is drawn and that when it is used up. */
static void test_alloc__weights_are_those_of_the_interval_when_the_gap_was_drawn(void **state)
{
    struct sums s = {0};
    (void)state;
    start(64 << 10, 0);
    for (int i = 0; i < 40000; i++) {
        allocate(sizes[i % SIZES], &s);
        if (i % 7 == 0)
            interval = i % 2 ? 16 << 10 : 4 << 20;
    }
    check_sums(&s);
    stop();
}

/* A gap that is left from before the recording, or from one before that, has the interval of that time. */
static void test_alloc__the_first_sample_of_a_recording_has_the_interval_of_before(void **state)
{
    struct wick_alloc_draw d;
    (void)state;
    interval = 512 << 10;
    start(1 << 10, 0);
    assert_true(wick_alloc_drawn(16, &d));
    assert_true(wick_alloc_drawn(16, &d));
    assert_int_equal(d.weight, wick_poisson_weight(16, 1 << 10));
    stop();
    start(64 << 10, 0);
    assert_true(wick_alloc_drawn(16, &d));
    assert_int_equal(d.weight, wick_poisson_weight(16, 1 << 10));
    assert_true(wick_alloc_drawn(16, &d));
    assert_int_equal(d.weight, wick_poisson_weight(16, 64 << 10));
    stop();
    assert_false(wick_alloc_drawn(16, &d));
}

static void become_java(bool on)
{
    if (on)
        wick_threads_java(&threads, (int32_t)syscall(SYS_gettid), 0x1000, "request", 1);
    else
        wick_threads_java_end(&threads, (int32_t)syscall(SYS_gettid));
}

/* The JVM's own gaps are all the same here, as in threads that begin at the same address: the engine's are not. */
static void test_alloc__gaps_are_the_engines_where_the_jvm_takes_them(void **state)
{
    struct sums s = {0};
    (void)state;
    gives = true;
    start(64 << 10, 0);
    assert_int_equal(given, 0); /* a thread of native code */
    for (int thread = 0; thread < 4000; thread++) {
        gap = 50000; /* what the JVM draws at each birth */
        become_java(true);
        assert_true(given_own);
        for (int i = 0; i < 300; i++)
            allocate(104, &s);
        become_java(false);
    }
    assert_int_equal(given, 4000 + s.samples);
    assert_int_equal(engine.gaps, given);
    check_sums(&s);
    stop();
    gives = false;
}

/* A thread that was there: its gap is drawn before anything is reported, with the recording's interval. */
static void test_alloc__a_recording_draws_the_gaps_of_threads_that_are_there(void **state)
{
    struct wick_alloc_draw d;
    (void)state;
    gives = true;
    become_java(true);
    given = 0;
    start(4 << 10, 0);
    assert_int_equal(given, 1);
    assert_true(wick_alloc_drawn(16, &d));
    assert_int_equal(d.weight, wick_poisson_weight(16, 4 << 10));
    assert_int_equal(given, 2);
    gives = false; /* it does not, this time: the JVM has drawn */
    assert_true(wick_alloc_drawn(16, &d));
    interval = 1 << 20;
    assert_true(wick_alloc_drawn(16, &d));
    assert_true(wick_alloc_drawn(16, &d));
    assert_int_equal(d.weight, wick_poisson_weight(16, 1 << 20));
    stop();
    become_java(false);
}

/* Half a minute at 400 MB a second, then ten at a hundredth of it. */
static void test_alloc__the_rate_is_held_without_a_bias_and_the_interval_comes_back(void **state)
{
    struct sums s = {0}, quiet = {0};
    uint64_t now = engine.rate.since_ns, settled = 0;
    (void)state;
    start(16 << 10, 500);
    now = engine.rate.since_ns;
    for (int tick = 0; tick < 300; tick++, now += SECOND / 10) {
        if (tick == 100)
            settled = s.samples;
        for (double until = s.bytes + 40e6; s.bytes < until;)
            allocate(sizes[(tick + (int)(s.bytes / 64)) % 6], &s);
        wick_alloc_adjust(&engine, now);
    }
    check_sums(&s);
    assert_in_range(s.samples - settled, 20 * 400, 20 * 600);
    assert_true(interval > 400 << 10 && interval == engine.interval && changes == engine.changes);
    for (int tick = 0; tick < 100; tick++, now += SECOND / 10) {
        for (double until = quiet.bytes + 0.4e6; quiet.bytes < until;)
            allocate(104, &quiet);
        wick_alloc_adjust(&engine, now);
    }
    assert_int_equal(interval, 16 << 10);
    stop();
}

/* The rate's first burst is noticed before a second has passed. */
static void test_alloc__a_burst_is_answered_at_once(void **state)
{
    struct sums s = {0};
    (void)state;
    start(16 << 10, 100);
    uint64_t now = engine.rate.since_ns;
    while (s.samples < 100)
        allocate(1016, &s);
    wick_alloc_adjust(&engine, now + SECOND / 1000);
    assert_int_equal(interval, 16 << 10); /* too soon to know a rate */
    wick_alloc_adjust(&engine, now + SECOND / 50);
    assert_true(interval > 100 << 10);
    stop();
}

static __attribute__((noinline)) bool record(const struct wick_alloc_draw *d, uint64_t reference)
{
    ucontext_t here;
    wick_registers_here(&here);
    return wick_alloc_record(d, "a/Name", reference, &here, (uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *));
}

static void test_alloc__what_finds_no_note_is_counted(void **state)
{
    struct wick_alloc_draw d = {.size = 16, .weight = 100};
    struct wick_totals t;
    struct wick_event e;
    uint32_t got = 0;
    (void)state;
    start(64 << 10, 0);
    d.session = engine.session;
    while (wick_notes_take_sig(&engine.notes) < WICK_ALLOC_NOTES - 3)
        ;
    for (int i = 0; i < 10; i++)
        assert_int_equal(record(&d, 0), i < 3);
    d.session--; /* of a recording that is over */
    assert_false(record(&d, 0));
    wick_recorder_totals(&recorder, &t);
    assert_int_equal(t.of[WICK_EVENT_ALLOC].fired, 10);
    assert_int_equal(t.of[WICK_EVENT_ALLOC].recorded, 3);
    assert_int_equal(t.of[WICK_EVENT_ALLOC].weight, 300);
    assert_int_equal(t.drops[WICK_DROP_NOTES_FULL], 7);
    assert_int_equal(t.of[WICK_EVENT_ALLOC].drop_weight, 700);
    for (uint32_t cpu = 0; cpu < recorder.cpus; cpu++) {
        while (wick_ring_get(&recorder.rings[cpu], &e)) {
            const struct wick_alloc_note *n = wick_alloc_found(&engine, &e);
            got++;
            assert_int_equal(e.type, WICK_EVENT_ALLOC);
            assert_int_equal(e.weight, 100);
            assert_string_equal(n->class_name, "a/Name");
            assert_int_equal(n->size, 16);
            wick_alloc_written(&engine, &e, 1);
        }
    }
    assert_int_equal(got, 3);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc__weights_sum_up_for_each_size),
        cmocka_unit_test(test_alloc__weights_are_those_of_the_interval_when_the_gap_was_drawn),
        cmocka_unit_test(test_alloc__the_first_sample_of_a_recording_has_the_interval_of_before),
        cmocka_unit_test(test_alloc__gaps_are_the_engines_where_the_jvm_takes_them),
        cmocka_unit_test(test_alloc__a_recording_draws_the_gaps_of_threads_that_are_there),
        cmocka_unit_test(test_alloc__the_rate_is_held_without_a_bias_and_the_interval_comes_back),
        cmocka_unit_test(test_alloc__a_burst_is_answered_at_once),
        cmocka_unit_test(test_alloc__what_finds_no_note_is_counted),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
