/* SPDX-License-Identifier: Apache-2.0 */
/* Which events are samples, and what they weigh (jfr/reader/reader_sample.c). */
#include "base/err.h"
#include "jfr/reader/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/classify.h"
#include "jfr_build.h"

#define TICKS(ns) (JFR_BUILD_START_TICKS + (ns) * (JFR_BUILD_FREQUENCY / 1000000) / 1000)

/* Reads one event of `type`, given as integers, and checks what it has become. */
static void check(const char *type, const int64_t *fields, size_t n, const char *kind, int64_t weight, unsigned unit)
{
    const char *types[] = {"10 boolean",          "11 int",   "12 long",
                           "13 java.lang.String", "14 float", "30 jdk.jfr.Timestamp",
                           "31 jdk.jfr.Timespan", type};
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct wick_jfr_result res;
    struct wick_profile p;
    struct wick_err err;
    jfr_begin(&j);
    jfr_event_ints(&j, 100, fields, n);
    jfr_metadata(&j, types, sizeof types / sizeof *types);
    jfr_checkpoint(&j, 0, &(struct wick_strbuf)WICK_STRBUF_INIT);
    jfr_end(&j);
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_jfr_read_memory(&p, j.out.buf, j.out.len, NULL, &res, &err), 0);
    assert_string_equal(res.first, "");
    assert_int_equal(p.naggs, 1);
    assert_int_equal(p.aggs[0].weight, weight);
    assert_int_equal(p.aggs[0].count, 1);
    assert_int_equal(p.events[p.aggs[0].event].unit, unit);
    assert_int_equal(wick_profile_find_event(&p, kind), p.aggs[0].event);
    assert_int_equal(wick_profile_main_event(&p), p.aggs[0].event);
    wick_profile_release(&p);
    wick_strbuf_release(&j.out);
}
#define F(...) (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)

static void test_memory__weighs_bytes(void **state)
{
    check("E100 profiler.Malloc startTime:12T address:12 size:12", F(TICKS(0), 99, 4096), "nativemem", 4096,
          WICK_UNIT_BYTES);
    check("E100 profiler.Malloc startTime:12T address:12 size:12 weight:12", F(TICKS(0), 99, 4096, 524288), "nativemem",
          524288, WICK_UNIT_BYTES);
    check("E100 wick.NativeLive startTime:12T weight:12 snapshot:12", F(TICKS(0), 500, 1), "nativelive", 500,
          WICK_UNIT_BYTES);
    check("E100 profiler.LiveObject startTime:12T allocationSize:12", F(TICKS(0), 48), "live", 48, WICK_UNIT_BYTES);
    check("E100 profiler.LiveObject startTime:12T allocationSize:12 weight:12 snapshot:12", F(TICKS(0), 48, 500, 1),
          "live", 500, WICK_UNIT_BYTES);
    check("E100 jdk.ObjectAllocationSample startTime:12T weight:12", F(TICKS(0), 65000), "alloc", 65000,
          WICK_UNIT_BYTES);
    check("E100 jdk.ObjectAllocationInNewTLAB startTime:12T allocationSize:12 tlabSize:12", F(TICKS(0), 24, 65536),
          "ObjectAllocation", 65536, WICK_UNIT_BYTES);
    check("E100 jdk.ObjectAllocationOutsideTLAB startTime:12T allocationSize:12", F(TICKS(0), 24), "ObjectAllocation",
          24, WICK_UNIT_BYTES);
    check("E100 jdk.OldObjectSample startTime:12T objectSize:12", F(TICKS(0), 24), "live", 24, WICK_UNIT_BYTES);
}

/* Two moments, and events of an older one behind them. The second file's filter ends before the last moment. */
static void test_live_objects__count_as_of_the_last_moment(void **state)
{
    static const int64_t events[][4] = {{TICKS(1000000), 10, 100, 1},
                                        {TICKS(1000000), 10, 200, 1},
                                        {TICKS(2000000), 10, 400, 2},
                                        {TICKS(2000000), 10, 800, 2},
                                        {TICKS(1000000), 10, 1600, 1}};
    const char *types[] = {"12 long", "30 jdk.jfr.Timestamp",
                           "E100 wick.LiveObject startTime:12T allocationSize:12 weight:12 snapshot:12",
                           "E101 profiler.LiveObject startTime:12T allocationSize:12 weight:12 snapshot:12"};
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct wick_jfr_visitor until = {.filter.to_ns = JFR_BUILD_START_NS + 1500000};
    (void)state;
    jfr_begin(&j);
    for (int i = 0; i < 5; i++)
        jfr_event_ints(&j, i == 2 || i == 3 ? 101 : 100, events[i], 4);
    jfr_metadata(&j, types, sizeof types / sizeof *types);
    jfr_checkpoint(&j, 0, &(struct wick_strbuf)WICK_STRBUF_INIT);
    jfr_end(&j);
    for (int cut = 0; cut < 2; cut++) {
        struct wick_jfr_result res;
        struct wick_profile p;
        assert_int_equal(wick_profile_init(&p), 0);
        assert_int_equal(wick_jfr_read_memory(&p, j.out.buf, j.out.len, cut ? &until : NULL, &res, NULL), 0);
        uint16_t event = wick_profile_find_event(&p, "live");
        assert_int_equal(p.events[event].weight, cut ? 1900 : 1200);
        assert_int_equal(p.events[event].count, cut ? 3 : 2);
        assert_string_equal(p.strings[p.events[event].name].s, "profiler.LiveObject");
        wick_profile_release(&p);
    }
    wick_strbuf_release(&j.out);
}

/* Those that are too young are left out, and the last moment counts even if all of its objects are. */
static void test_live_objects__that_survived_are_chosen(void **state)
{
    static const int64_t events[][4] = {{TICKS(1000000), 10, 100, 5},
                                        {TICKS(2000000), 10, 400, 2},
                                        {TICKS(2000000), 30, 800, 3},
                                        {TICKS(1000000), 10, 1600, 9}};
    const char *types[] = {"12 long", "30 jdk.jfr.Timestamp",
                           "E100 wick.LiveObject startTime:12T allocationSize:12 weight:12 age:12 snapshot:12",
                           "E101 jdk.ObjectAllocationSample startTime:12T weight:12"};
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    static const int64_t allocation[] = {TICKS(0), 77};
    (void)state;
    jfr_begin(&j);
    for (int i = 0; i < 4; i++)
        jfr_event_ints(&j, 100, (const int64_t[]){events[i][0], events[i][1], events[i][2], events[i][3], 1}, 5);
    jfr_event_ints(&j, 101, allocation, 2);
    jfr_metadata(&j, types, sizeof types / sizeof *types);
    jfr_checkpoint(&j, 0, &(struct wick_strbuf)WICK_STRBUF_INIT);
    jfr_end(&j);
    for (int least = 3; least <= 4; least++) {
        const struct wick_jfr_visitor v = {.filter.survived = least};
        struct wick_jfr_result res;
        struct wick_profile p;
        assert_int_equal(wick_profile_init(&p), 0);
        p.by_size = true;
        assert_int_equal(wick_jfr_read_memory(&p, j.out.buf, j.out.len, &v, &res, NULL), 0);
        assert_int_equal(p.naggs, least == 3 ? 1 : 0);
        if (p.naggs) {
            assert_int_equal(p.aggs[0].weight, 800);
            assert_true(wick_profile_sizes(&p, 0).variance == 800.0 * (800 - 30));
        }
        wick_profile_release(&p);
    }
    wick_strbuf_release(&j.out);
}

/* The moments of objects and of native memory have nothing to do with each other. */
static void test_native_memory__has_moments_of_its_own(void **state)
{
    static const int64_t events[][4] = {{TICKS(1000000), 10, 100, 1},
                                        {TICKS(2000000), 20, 200, 1},
                                        {TICKS(3000000), 30, 400, 2},
                                        {TICKS(2500000), 40, 800, 2}};
    const char *types[] = {"12 long", "30 jdk.jfr.Timestamp",
                           "E100 profiler.LiveObject startTime:12T allocationSize:12 weight:12 snapshot:12",
                           "E101 wick.NativeLive startTime:12T samples:12 weight:12 snapshot:12"};
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct wick_profile p;
    struct wick_jfr_result res;
    (void)state;
    jfr_begin(&j);
    for (int i = 0; i < 4; i++)
        jfr_event_ints(&j, i == 0 || i == 3 ? 100 : 101, events[i], 4);
    jfr_metadata(&j, types, sizeof types / sizeof *types);
    jfr_checkpoint(&j, 0, &(struct wick_strbuf)WICK_STRBUF_INIT);
    jfr_end(&j);
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_jfr_read_memory(&p, j.out.buf, j.out.len, NULL, &res, NULL), 0);
    const struct wick_sample_type *live = &p.events[wick_profile_find_event(&p, "live")],
                                  *native = &p.events[wick_profile_find_event(&p, "nativelive")];
    assert_true(live->weight == 800 && live->count == 1);
    assert_true(native->weight == 400 && native->count == 30); /* as many samples as the event says */
    wick_profile_release(&p);
    wick_strbuf_release(&j.out);
}

static void test_memory__counts_objects_where_their_size_is_not_known(void **state)
{
    check("E100 jdk.OldObjectSample startTime:12T", F(TICKS(0)), "live", 1, WICK_UNIT_COUNT);
}

static void test_memory__is_multiplied_by_how_many_a_sample_stands_for(void **state)
{
    check("E100 datadog.ObjectSample startTime:12T size:12 weight:12", F(TICKS(0), 100, 30), "alloc", 3000,
          WICK_UNIT_BYTES);
    check("E100 datadog.HeapLiveObject startTime:12T size:12 weight:12", F(TICKS(0), INT64_MAX, 30), "live", 0,
          WICK_UNIT_BYTES);
}

static void test_waiting__weighs_its_duration(void **state)
{
    static const char *const names[][2] = {
        {"jdk.ThreadPark", "park"},       {"jdk.JavaMonitorWait", "wait"},       {"jdk.ThreadSleep", "wait"},
        {"jdk.JavaMonitorEnter", "lock"}, {"profiler.NativeLock", "nativelock"}, {"jdk.FileRead", "io"},
        {"jdk.SocketWrite", "io"},        {"jdk.MethodTrace", "trace"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char type[100];
        snprintf(type, sizeof type, "E100 %s startTime:12T duration:12S", names[i][0]);
        check(type, F(TICKS(0), TICKS(1500) - TICKS(0)), names[i][1], 1500, WICK_UNIT_NS);
    }
}

/* A kind stands for its heaviest type, so waits that last longer must not be of the kind of parking. */
static void test_parking__is_not_waiting_for_a_monitor(void **state)
{
    (void)state;
    struct wick_profile p;
    assert_int_equal(wick_profile_init(&p), 0);
    static const char *const names[] = {"jdk.ThreadPark", "jdk.JavaMonitorWait", "jdk.ThreadSleep"};
    uint16_t event[3];
    struct wick_jfr_result res;
    for (size_t i = 0; i < 3; i++) {
        char type[100];
        struct jfr_build j = {.out = WICK_STRBUF_INIT};
        snprintf(type, sizeof type, "E100 %s startTime:12T duration:12S", names[i]);
        const char *types[] = {"12 long", "30 jdk.jfr.Timestamp", "31 jdk.jfr.Timespan", type};
        jfr_begin(&j);
        jfr_event_ints(&j, 100, F(TICKS(0), TICKS(1000 << i) - TICKS(0)));
        jfr_metadata(&j, types, sizeof types / sizeof *types);
        jfr_checkpoint(&j, 0, &(struct wick_strbuf)WICK_STRBUF_INIT);
        jfr_end(&j);
        assert_int_equal(wick_jfr_read_memory(&p, j.out.buf, j.out.len, NULL, &res, NULL), 0);
        event[i] = wick_profile_find_event(&p, names[i]);
        wick_strbuf_release(&j.out);
    }
    assert_int_equal(wick_profile_find_event(&p, "park"), event[0]);
    assert_int_equal(wick_profile_find_event(&p, "wait"), event[2]);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(wick_profile_event_is(&p, event[i], "park"), i == 0);
        assert_int_equal(wick_profile_event_is(&p, event[i], "wait"), i != 0);
    }
    for (uint32_t i = 0; i < p.naggs; i++)
        assert_true(wick_classify_is_idle(&p, &p.aggs[i]));
    wick_profile_release(&p);
}

static void test_exceptions__are_counted(void **state)
{
    check("E100 jdk.JavaErrorThrow startTime:12T duration:12S", F(TICKS(0), 3000), "exception", 1, WICK_UNIT_COUNT);
    check("E100 jdk.JavaExceptionThrow startTime:12T", F(TICKS(0)), "exception", 1, WICK_UNIT_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__weighs_bytes),
        cmocka_unit_test(test_live_objects__count_as_of_the_last_moment),
        cmocka_unit_test(test_live_objects__that_survived_are_chosen),
        cmocka_unit_test(test_native_memory__has_moments_of_its_own),
        cmocka_unit_test(test_memory__counts_objects_where_their_size_is_not_known),
        cmocka_unit_test(test_memory__is_multiplied_by_how_many_a_sample_stands_for),
        cmocka_unit_test(test_waiting__weighs_its_duration),
        cmocka_unit_test(test_parking__is_not_waiting_for_a_monitor),
        cmocka_unit_test(test_exceptions__are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
