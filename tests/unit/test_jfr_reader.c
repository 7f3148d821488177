/* SPDX-License-Identifier: Apache-2.0 */
#include "jfr/reader/reader.h"
#include "jfr_build.h"
#include "model/name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <time.h>
#include <cmocka.h>

#define TICKS(ns) (JFR_BUILD_START_TICKS + (int64_t)(ns)*2)

enum { THREAD = 20, STATE, KIND, TRACE, FRAME, METHOD, CLASS, SYMBOL };

/* clang-format off */
#define COMMON_TYPES                                                                                                   \
    "10 boolean", "11 int", "12 long", "13 java.lang.String", "14 float", "15 double", "16 byte", "17 short",         \
    "30 jdk.jfr.Timestamp value:13", "31 jdk.jfr.Timespan value:13",                                                   \
    "20 java.lang.Thread osName:13 osThreadId:12 javaName:13 javaThreadId:12",                                         \
    "21 jdk.types.ThreadState name:13",                                                                                \
    "22 jdk.types.FrameType description:13",                                                                           \
    "23 jdk.types.StackTrace truncated:10 frames:24a",                                                                 \
    "24 jdk.types.StackFrame method:25p lineNumber:11 bytecodeIndex:11 type:22p",                                      \
    "25 jdk.types.Method type:26p name:27p descriptor:27p modifiers:11 hidden:10",                                     \
    "26 java.lang.Class classLoader:26p name:27p",                                                                     \
    "27 jdk.types.Symbol string:13",                                                                                   \
    "E102 jdk.ActiveSetting startTime:12T id:12 name:13 value:13"
#define EXECUTION "E100 jdk.ExecutionSample startTime:12T sampledThread:20p stackTrace:23p state:21p"
/* clang-format on */

static const char *const plain_types[] = {COMMON_TYPES, EXECUTION};
#define N(array) (sizeof(array) / sizeof *(array))

static void put_pool(struct wick_strbuf *b, int64_t type, int64_t n)
{
    jfr_put(b, type);
    jfr_put(b, n);
}

/* Thread 1 "main" (tid 77); states 1 RUNNABLE, 2 DEFAULT, 3 SLEEPING; kinds 1 Interpreted, 2 JIT compiled; methods
 * k, k + 1, k + 2 named a.B.one, a.B.two, a.B.three; stack k: two <- one (leaf two), k + 1: the same and three on top,
 * truncated. Keys of stacks and methods are spread by `k` to try dense and sparse pools. */
static void put_constants(struct jfr_build *j, int64_t k, int64_t step)
{
    static const char *const names[] = {"a/B", "one", "two", "three", "()V"};
    static const char *const states[] = {"STATE_RUNNABLE", "STATE_DEFAULT", "STATE_SLEEPING"};
    struct wick_strbuf b = WICK_STRBUF_INIT;
    put_pool(&b, THREAD, 1);
    jfr_put(&b, 1);
    jfr_put_utf8(&b, "os");
    jfr_put(&b, 77);
    jfr_put_utf8(&b, "main");
    jfr_put(&b, 5);
    put_pool(&b, STATE, 3);
    for (int i = 0; i < 3; i++) {
        jfr_put(&b, i + 1);
        jfr_put_utf8(&b, states[i]);
    }
    put_pool(&b, KIND, 2);
    for (int i = 0; i < 2; i++) {
        jfr_put(&b, i + 1);
        jfr_put_utf8(&b, i ? "JIT compiled" : "Interpreted");
    }
    put_pool(&b, SYMBOL, 5);
    for (int i = 0; i < 5; i++) {
        jfr_put(&b, i + 1);
        jfr_put_utf8(&b, names[i]);
    }
    put_pool(&b, CLASS, 1);
    jfr_put(&b, 9);
    jfr_put(&b, 0);
    jfr_put(&b, 1);
    put_pool(&b, METHOD, 3);
    for (int i = 0; i < 3; i++) {
        jfr_put(&b, k + i * step);
        jfr_put(&b, 9);
        jfr_put(&b, 2 + i);
        jfr_put(&b, 5);
        jfr_put(&b, 1);
        wick_strbuf_addc(&b, 0);
    }
    put_pool(&b, TRACE, 2);
    for (int t = 0; t < 2; t++) {
        jfr_put(&b, k + t * step);
        wick_strbuf_addc(&b, (char)t);
        jfr_put(&b, 2 + t);
        for (int f = 1 + t; f >= 0; f--) { /* leaf first */
            jfr_put(&b, k + f * step);
            jfr_put(&b, 10 + f);
            jfr_put(&b, f);
            jfr_put(&b, 1 + (f == 0));
        }
    }
    jfr_checkpoint(j, 7, &b);
    wick_strbuf_release(&b);
}

static void put_setting(struct jfr_build *j, int64_t id, const char *name, const char *value)
{
    struct wick_strbuf b = WICK_STRBUF_INIT;
    jfr_put(&b, TICKS(0));
    jfr_put(&b, id);
    jfr_put_utf8(&b, name);
    jfr_put_utf8(&b, value);
    jfr_event(j, 102, &b);
    wick_strbuf_release(&b);
}

/* A chunk with three execution samples, metadata, constants, and a period that comes after them. */
static void put_plain_chunk(struct jfr_build *j, int64_t k, int64_t step)
{
    jfr_begin(j);
    JFR_EVENT(j, 100, TICKS(1000), 1, k, 1);
    JFR_EVENT(j, 100, TICKS(2000), 1, k + step, 1);
    JFR_EVENT(j, 100, TICKS(3000), 1, k, 1);
    jfr_metadata(j, plain_types, N(plain_types));
    put_constants(j, k, step);
    put_setting(j, 100, "period", "20 ms");
    jfr_end(j);
}

struct got {
    struct wick_profile p;
    struct wick_jfr_result res;
    struct wick_err err;
    int rc;
};

/* Reads from a copy of exactly that size, so that a sanitizer sees every byte too far. */
static void read_bytes(struct got *g, const void *data, size_t n, const struct wick_jfr_visitor *v)
{
    uint8_t *copy = malloc(n ? n : 1);
    memcpy(copy, data, n);
    assert_int_equal(wick_profile_init(&g->p), 0);
    g->err.code = 0;
    g->rc = wick_jfr_read_memory(&g->p, copy, n, v, &g->res, &g->err);
    free(copy);
}

static void read_built(struct got *g, const struct jfr_build *j)
{
    read_bytes(g, j->out.buf, j->out.len, NULL);
    assert_int_equal(g->rc, 0);
    assert_string_equal(g->res.first, "");
    assert_int_equal(g->res.problems, 0);
    assert_int_equal(g->res.lost_bytes, 0);
}

static void assert_stack(const struct got *g, uint32_t stack, const char *want)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    for (uint32_t s = stack; s; s = g->p.stacks[s].parent) {
        wick_name_add_frame(&sb, &g->p, g->p.stacks[s].frame, WICK_NAME_LINES | WICK_NAME_ANNOTATE);
        wick_strbuf_addc(&sb, ' ');
    }
    assert_string_equal(sb.buf, want);
    wick_strbuf_release(&sb);
}

static void test_reader__stacks_threads_states_and_times_come_out_right(void **state)
{
    static const int64_t keys[][2] = {{1, 1}, {5, 1000000}, {INT64_MAX - 10, 1}};
    for (size_t i = 0; i < N(keys); i++) {
        struct jfr_build j = {.out = WICK_STRBUF_INIT};
        struct got g;
        put_plain_chunk(&j, keys[i][0], keys[i][1]);
        read_built(&g, &j);
        assert_int_equal(g.res.samples, 3);
        assert_int_equal(g.res.chunks, 1);
        assert_int_equal(g.p.naggs, 2);
        assert_stack(&g, g.p.aggs[0].stack, "a.B.two:11_[0] a.B.one:10_[j] ");
        assert_stack(&g, g.p.aggs[1].stack, "a.B.three:12_[0] a.B.two:11_[0] a.B.one:10_[j] [truncated]_[b] ");
        assert_int_equal(g.p.aggs[0].count, 2);
        assert_int_equal(g.p.aggs[0].weight, 2 * 20000000);
        const struct wick_thread *t = &g.p.threads[g.p.aggs[0].thread];
        assert_string_equal(wick_profile_str(&g.p, t->name), "main");
        assert_int_equal(t->os_tid, 77);
        assert_int_equal(t->java_tid, 5);
        assert_string_equal(wick_profile_str(&g.p, g.p.states[g.p.aggs[0].state]), "STATE_RUNNABLE");
        assert_int_equal(g.p.start_ns, JFR_BUILD_START_NS);
        assert_int_equal(g.p.end_ns, JFR_BUILD_START_NS + 1000000000);
        wick_profile_release(&g.p);
        wick_strbuf_release(&j.out);
    }
}

static void keep_sample(void *ctx, const struct wick_sample *s)
{
    struct wick_sample **at = ctx;
    *(*at)++ = *s;
}

static bool odd_microseconds(void *ctx, const struct wick_profile *p, const struct wick_sample *s)
{
    return (s->time_ns - JFR_BUILD_START_NS) / 1000 % 2;
}

static void test_reader__filters_by_time_and_by_predicate(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct wick_sample out[4], *at = out;
    struct wick_jfr_visitor v = {.ctx = &at, .sample = keep_sample};
    struct got g;
    put_plain_chunk(&j, 1, 1);
    v.filter.from_ns = JFR_BUILD_START_NS + 2000;
    v.filter.to_ns = JFR_BUILD_START_NS + 3000;
    read_bytes(&g, j.out.buf, j.out.len, &v);
    assert_int_equal(at - out, 1);
    assert_int_equal(out[0].time_ns, JFR_BUILD_START_NS + 2000);
    assert_int_equal(g.res.filtered, 2);
    wick_profile_release(&g.p);
    at = out;
    v.filter = (struct wick_filter){.match = odd_microseconds};
    read_bytes(&g, j.out.buf, j.out.len, &v);
    assert_int_equal(at - out, 2);
    assert_int_equal(out[1].time_ns, JFR_BUILD_START_NS + 3000);
    wick_profile_release(&g.p);
    wick_strbuf_release(&j.out);
}

/* One sample of `types`' last type, given as integers; returns its weight, count and the unit of its event type. */
static void check_weight(const char *type, const int64_t *fields, size_t n, const char *setting, const char *value,
                         int64_t weight, uint64_t count, unsigned unit)
{
    const char *types[] = {COMMON_TYPES, type};
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct got g;
    jfr_begin(&j);
    jfr_event_ints(&j, 100, fields, n);
    jfr_metadata(&j, types, N(types));
    put_constants(&j, 1, 1);
    if (setting)
        put_setting(&j, 100, setting, value);
    jfr_end(&j);
    read_built(&g, &j);
    assert_int_equal(g.p.naggs, 1);
    assert_int_equal(g.p.aggs[0].weight, weight);
    assert_int_equal(g.p.aggs[0].count, count);
    assert_int_equal(g.p.events[g.p.aggs[0].event].unit, unit);
    wick_profile_release(&g.p);
    wick_strbuf_release(&j.out);
}
#define F(...) (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)

static void test_weight__comes_from_the_event_in_the_unit_of_the_metadata(void **state)
{
    check_weight(EXECUTION " weight:12S", F(TICKS(0), 1, 1, 1, 3000), NULL, NULL, 1500, 1, WICK_UNIT_NS);
    check_weight(EXECUTION " weight:12N", F(TICKS(0), 1, 1, 1, 3000), "period", "20 ms", 3000, 1, WICK_UNIT_NS);
    check_weight(EXECUTION " weight:12M", F(TICKS(0), 1, 1, 1, 3), NULL, NULL, 3000000, 1, WICK_UNIT_NS);
    check_weight(EXECUTION " weight:12N", F(TICKS(0), 1, 1, 1, -5), NULL, NULL, 0, 1, WICK_UNIT_NS);
    check_weight("E100 jdk.CPUTimeSample startTime:12T stackTrace:23p eventThread:20p failed:10 samplingPeriod:12S",
                 F(TICKS(0), 1, 1, 0, 20000000), NULL, NULL, 10000000, 1, WICK_UNIT_NS);
}

static void test_weight__falls_back_to_the_period_and_then_to_the_count(void **state)
{
    check_weight(EXECUTION, F(TICKS(0), 1, 1, 1), "period", "10 ms", 10000000, 1, WICK_UNIT_NS);
    check_weight(EXECUTION, F(TICKS(0), 1, 1, 1), "period", "1 s", 1000000000, 1, WICK_UNIT_NS);
    check_weight(EXECUTION, F(TICKS(0), 1, 1, 1), "period", "everyChunk", 1, 1, WICK_UNIT_COUNT);
    check_weight(EXECUTION, F(TICKS(0), 1, 1, 1), NULL, NULL, 1, 1, WICK_UNIT_COUNT);
    check_weight(EXECUTION, F(TICKS(0), 1, 1, 2), "interval", "1000000", 1000000, 1, WICK_UNIT_NS);
    check_weight(EXECUTION, F(TICKS(0), 1, 1, 2), "interval", "0", 10000000, 1, WICK_UNIT_NS);
}

static void test_weight__of_batched_wall_samples_includes_one_interval(void **state)
{
    const char *type =
        "E100 profiler.WallClockSample startTime:12T sampledThread:20p stackTrace:23p state:21p samples:11 "
        "timeSpan:12S";
    check_weight(type, F(TICKS(0), 1, 1, 3, 4, 2 * 60000000), "wall", "20000000", 80000000, 4, WICK_UNIT_NS);
    check_weight(type, F(TICKS(0), 1, 1, 3, 1, 0), "wall", "20000000", 20000000, 1, WICK_UNIT_NS);
    check_weight(type, F(TICKS(0), 1, 1, 3, 1, 0), "wall", "0", 50000000, 1, WICK_UNIT_NS);
    /* an event that says what it stands for is believed */
    const char *own =
        "E100 profiler.WallClockSample startTime:12T sampledThread:20p stackTrace:23p state:21p samples:11 "
        "timeSpan:12S weight:12S";
    check_weight(own, F(TICKS(0), 1, 1, 3, 4, 2 * 60000000, 2 * 700000000), "wall", "20000000", 700000000, 4,
                 WICK_UNIT_NS);
}

static void test_reader__unbatched_wall_samples_are_kept_apart_from_cpu(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct got g;
    jfr_begin(&j);
    JFR_EVENT(&j, 100, TICKS(0), 1, 1, 3);
    JFR_EVENT(&j, 100, TICKS(0), 1, 1, 2);
    jfr_metadata(&j, plain_types, N(plain_types));
    put_constants(&j, 1, 1);
    put_setting(&j, 100, "interval", "1000000");
    put_setting(&j, 100, "wall", "5000000");
    jfr_end(&j);
    read_built(&g, &j);
    uint16_t cpu = wick_profile_find_event(&g.p, "cpu"), wall = wick_profile_find_event(&g.p, "wall");
    assert_true(cpu && wall && cpu != wall);
    assert_int_equal(g.p.events[cpu].weight, 1000000);
    assert_int_equal(g.p.events[wall].weight, 5000000);
    wick_profile_release(&g.p);
    wick_strbuf_release(&j.out);
}

static void test_reader__perf_samples_are_one_event_type_for_each_name(void **state)
{
    static const char *const types[] = {
        COMMON_TYPES,
        "E100 wick.PerfSample startTime:12T sampledThread:20p stackTrace:23p state:21p event:13 weight:12"};
    static const char *const names[] = {"cache-misses", "page-faults", "cache-misses"};
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct got g;
    jfr_begin(&j);
    for (int i = 0; i < 3; i++) {
        struct wick_strbuf b = WICK_STRBUF_INIT;
        for (int k = 0; k < 4; k++)
            jfr_put(&b, k ? 1 : TICKS(0));
        jfr_put_utf8(&b, names[i]);
        jfr_put(&b, 1000 + i);
        jfr_event(&j, 100, &b);
        wick_strbuf_release(&b);
    }
    jfr_metadata(&j, types, N(types));
    put_constants(&j, 1, 1);
    jfr_end(&j);
    read_built(&g, &j);
    uint16_t a = wick_profile_find_event(&g.p, "cache-misses"), b = wick_profile_find_event(&g.p, "page-faults");
    assert_int_equal(g.p.events[a].weight, 2002);
    assert_int_equal(g.p.events[b].weight, 1001);
    assert_int_equal(g.p.events[a].unit, WICK_UNIT_COUNT);
    wick_profile_release(&g.p);
    wick_strbuf_release(&j.out);
}

static void test_reader__unknown_fields_of_every_shape_are_stepped_over(void **state)
{
    static const char *const types[] = {
        COMMON_TYPES, "40 x.Inner a:12 b:13 c:41", "41 x.Empty", "42 x.Deep in:40 list:40a none:41a",
        "E100 jdk.ExecutionSample extra:42 f:14 d:15 by:16 sh:17a refs:27pa s:13a startTime:12T sampledThread:20p "
        "stackTrace:23p state:21p more:42"};
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct wick_strbuf b = WICK_STRBUF_INIT;
    struct got g;
    jfr_put(&b, INT64_MAX); /* extra.in */
    jfr_put_utf8(&b, "text");
    jfr_put(&b, 2); /* extra.list */
    for (int i = 0; i < 2; i++) {
        jfr_put(&b, -1);
        wick_strbuf_addc(&b, 0);
    }
    jfr_put(&b, INT64_MAX); /* extra.none: that many values of no size */
    jfr_put_big(&b, 0x3f800000, 4);
    jfr_put_big(&b, 0, 8);
    wick_strbuf_addc(&b, 7);
    jfr_put(&b, 30);
    for (int i = 0; i < 30; i++)
        jfr_put(&b, i * 1000);
    jfr_put(&b, 2);
    jfr_put(&b, 1);
    jfr_put(&b, 2);
    jfr_put(&b, 3);
    wick_strbuf_add(&b, "\x00\x01\x02\x07", 4); /* null, empty, from the pool */
    jfr_put(&b, TICKS(10));
    for (int i = 0; i < 3; i++)
        jfr_put(&b, 1);
    jfr_begin(&j);
    jfr_event(&j, 100, &b); /* "more" is missing: nothing after the last wanted field is read */
    jfr_metadata(&j, types, N(types));
    put_constants(&j, 1, 1);
    jfr_end(&j);
    read_built(&g, &j);
    assert_int_equal(g.p.naggs, 1);
    assert_stack(&g, g.p.aggs[0].stack, "a.B.two:11_[0] a.B.one:10_[j] ");
    wick_profile_release(&g.p);
    wick_strbuf_release(&b);
    wick_strbuf_release(&j.out);
}

static void test_reader__constants_may_be_spread_over_checkpoints_and_the_first_definition_counts(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct wick_strbuf b = WICK_STRBUF_INIT;
    struct got g;
    jfr_begin(&j);
    put_constants(&j, 1, 1);
    put_pool(&b, THREAD, 2);
    for (int i = 1; i <= 2; i++) {
        jfr_put(&b, i);
        wick_strbuf_addc(&b, 0);
        jfr_put(&b, 500 + i);
        jfr_put_utf8(&b, "later");
        jfr_put(&b, 6);
    }
    jfr_checkpoint(&j, 1, &b);
    JFR_EVENT(&j, 100, TICKS(0), 1, 1, 1);
    JFR_EVENT(&j, 100, TICKS(0), 2, 1, 1);
    jfr_metadata(&j, plain_types, N(plain_types));
    jfr_end(&j);
    read_built(&g, &j);
    assert_int_equal(g.p.naggs, 2);
    assert_int_equal(g.p.threads[g.p.aggs[0].thread].os_tid, 77);
    assert_int_equal(g.p.threads[g.p.aggs[1].thread].os_tid, 502);
    wick_profile_release(&g.p);
    wick_strbuf_release(&b);
    wick_strbuf_release(&j.out);
}

static void test_reader__chunks_and_files_add_up_in_one_profile(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct got g;
    put_plain_chunk(&j, 1, 1);
    put_plain_chunk(&j, 700, 5000);
    read_built(&g, &j);
    assert_int_equal(g.res.chunks, 2);
    assert_int_equal(g.p.naggs, 2);
    assert_int_equal(g.p.aggs[0].count, 4);
    assert_int_equal(wick_jfr_read_memory(&g.p, j.out.buf, j.out.len, NULL, NULL, NULL), 0);
    assert_int_equal(g.p.naggs, 2);
    assert_int_equal(g.p.aggs[0].count, 8);
    wick_profile_release(&g.p);
    wick_strbuf_release(&j.out);
}

static void test_reader__missing_stacks_are_visible_frames(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct got g;
    jfr_begin(&j);
    JFR_EVENT(&j, 100, TICKS(0), 1, 0, 1);
    JFR_EVENT(&j, 100, TICKS(0), 1, 4711, 1);
    jfr_metadata(&j, plain_types, N(plain_types));
    put_constants(&j, 1, 1);
    jfr_end(&j);
    read_built(&g, &j);
    assert_stack(&g, g.p.aggs[0].stack, "[no stack]_[b] ");
    assert_stack(&g, g.p.aggs[1].stack, "[lost stack]_[b] ");
    assert_int_equal(g.res.unresolved, 1);
    wick_profile_release(&g.p);
    wick_strbuf_release(&j.out);
}

static void test_damage__an_unclosed_chunk_is_searched(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct got g;
    put_plain_chunk(&j, 1, 1);
    memset(j.out.buf + 8, 0, 24); /* size, checkpoint, metadata */
    size_t first = j.out.len;
    put_plain_chunk(&j, 1, 1);
    read_bytes(&g, j.out.buf, j.out.len, NULL);
    assert_int_equal(g.rc, 0);
    assert_int_equal(g.res.chunks, 2);
    assert_int_equal(g.res.samples, 6);
    assert_int_equal(g.res.unresolved, 0);
    assert_int_equal(g.res.problems, 1);
    assert_string_equal(g.res.first, "the chunk was not closed");
    assert_int_equal(g.p.aggs[0].weight, 4 * 20000000);
    wick_profile_release(&g.p);
    read_bytes(&g, j.out.buf, first, NULL);
    assert_int_equal(g.res.samples, 3);
    wick_profile_release(&g.p);
    wick_strbuf_release(&j.out);
}

static void test_damage__rubbish_between_chunks_is_counted_and_skipped(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct got g;
    put_plain_chunk(&j, 1, 1);
    size_t first = j.out.len;
    wick_strbuf_adds(&j.out, "rubbish");
    put_plain_chunk(&j, 1, 1);
    read_bytes(&g, j.out.buf, j.out.len, NULL);
    assert_int_equal(g.res.chunks, 2);
    assert_int_equal(g.res.samples, 6);
    assert_int_equal(g.res.lost_bytes, 7);
    assert_int_equal(g.res.first_offset, first);
    wick_profile_release(&g.p);
    wick_strbuf_release(&j.out);
}

static void test_damage__a_file_cut_at_any_byte_is_read_as_far_as_it_goes(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct got g;
    put_plain_chunk(&j, 1, 1);
    put_plain_chunk(&j, 3, 1000000); /* hashed: a table by key of this width is zeroed for each of the many readings */
    uint64_t before = 0;
    for (size_t n = 0; n < j.out.len; n++) {
        read_bytes(&g, j.out.buf, n, NULL);
        assert_true(g.rc == 0 || g.rc == -WICK_E_FORMAT);
        assert_true(g.res.samples <= 6);
        /* Only a cut right between the chunks leaves nothing to complain of. */
        assert_true(g.rc || g.res.problems || g.res.samples == 3);
        if (g.res.samples < before)
            assert_true(g.res.problems > 0);
        before = g.res.samples;
        wick_profile_release(&g.p);
    }
    assert_int_equal(before, 6);
    wick_strbuf_release(&j.out);
}

static void test_damage__any_byte_changed_is_survived(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct got g;
    put_plain_chunk(&j, 3, 1000000); /* as above */
    for (size_t i = 0; i < j.out.len; i++)
        for (unsigned v = 0; v < 256; v += i < 68 || i > j.out.len - 200 ? 15 : 51) {
            char old = j.out.buf[i];
            j.out.buf[i] = (char)v;
            read_bytes(&g, j.out.buf, j.out.len, NULL);
            wick_profile_release(&g.p);
            j.out.buf[i] = old;
        }
    wick_strbuf_release(&j.out);
}

static void test_damage__types_that_contain_themselves_are_refused(void **state)
{
    static const char *const types[] = {COMMON_TYPES,         "40 x.Ring next:41",  "41 x.Gnir next:40",
                                        "42 x.Tree kids:42a", EXECUTION " ring:40", "E103 x.Other startTime:12T"};
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct wick_strbuf b = WICK_STRBUF_INIT;
    struct got g;
    jfr_begin(&j);
    JFR_EVENT(&j, 100, TICKS(0), 1, 1, 1);
    jfr_metadata(&j, types, N(types));
    put_constants(&j, 1, 1);
    put_pool(&b, 42, 1); /* a tree deeper than anything real */
    jfr_put(&b, 1);
    for (int i = 0; i < 1000; i++)
        jfr_put(&b, 1);
    jfr_put(&b, 0);
    jfr_checkpoint(&j, 1, &b);
    wick_strbuf_clear(&b);
    put_pool(&b, 40, 1);
    jfr_put(&b, 1);
    jfr_checkpoint(&j, 1, &b);
    jfr_end(&j);
    read_bytes(&g, j.out.buf, j.out.len, NULL);
    assert_int_equal(g.rc, 0);
    assert_int_equal(g.res.problems, 2);
    assert_int_equal(g.res.samples, 1); /* the ring comes after the last field the sample needs */
    assert_int_equal(g.res.unresolved, 0);
    wick_profile_release(&g.p);
    wick_strbuf_release(&b);
    wick_strbuf_release(&j.out);
}

static void test_damage__huge_counts_cost_nothing(void **state)
{
    static const char *const types[] = {COMMON_TYPES, EXECUTION, "40 x.Empty"};
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct wick_strbuf b = WICK_STRBUF_INIT;
    struct got g;
    struct timespec t0, t1;
    jfr_begin(&j);
    jfr_metadata(&j, types, N(types));
    for (int i = 0; i < 4; i++) {
        wick_strbuf_clear(&b);
        put_pool(&b, i == 0 ? 40 : i == 1 ? TRACE : i == 2 ? SYMBOL : THREAD, INT64_MAX >> (8 * i));
        jfr_put(&b, 1);
        jfr_put(&b, INT64_MAX);
        jfr_put(&b, INT64_MAX);
        jfr_checkpoint(&j, i == 3 ? 1 << 30 : 1, &b);
    }
    JFR_EVENT(&j, 100, TICKS(0), 1, 1, 1);
    jfr_end(&j);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
    read_bytes(&g, j.out.buf, j.out.len, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
    assert_int_equal(g.rc, 0);
    assert_int_equal(g.res.samples, 1);
    assert_true(g.res.problems >= 4);
    assert_true(t1.tv_sec - t0.tv_sec < 5);
    wick_profile_release(&g.p);
    wick_strbuf_release(&b);
    wick_strbuf_release(&j.out);
}

static void test_damage__a_chain_of_checkpoints_that_overlap_is_not_followed(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct got g;
    put_plain_chunk(&j, 1, 1);
    /* The header names a place inside the checkpoint: whatever that says, the real one is found by searching. */
    j.out.buf[23] = (char)(j.out.buf[23] + 3);
    read_bytes(&g, j.out.buf, j.out.len, NULL);
    assert_int_equal(g.res.samples, 3);
    assert_int_equal(g.res.unresolved, 0);
    assert_int_equal(g.res.problems, 1);
    wick_profile_release(&g.p);
    wick_strbuf_release(&j.out);
}

static void test_reader__what_is_no_recording_is_refused_with_a_sentence(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct got g;
    read_bytes(&g, "", 0, NULL);
    assert_int_equal(g.rc, -WICK_E_FORMAT);
    wick_profile_release(&g.p);
    read_bytes(&g, "PK\3\4 something else", 20, NULL);
    assert_int_equal(g.rc, -WICK_E_FORMAT);
    assert_non_null(strstr(g.err.msg, "not a JFR recording"));
    wick_profile_release(&g.p);
    put_plain_chunk(&j, 1, 1);
    j.out.buf[5] = 1; /* version 1.1 */
    read_bytes(&g, j.out.buf, j.out.len, NULL);
    assert_int_equal(g.rc, -WICK_E_FORMAT);
    assert_non_null(strstr(g.err.msg, "version 1.1"));
    wick_profile_release(&g.p);
    j.out.buf[5] = 2;
    j.out.buf[67] = 0;
    read_bytes(&g, j.out.buf, j.out.len, NULL);
    assert_non_null(strstr(g.err.msg, "integers are not compressed"));
    wick_profile_release(&g.p);
    wick_strbuf_release(&j.out);
    assert_int_equal(wick_profile_init(&g.p), 0);
    assert_int_equal(wick_jfr_read_file(&g.p, "/nonexistent/x.jfr", NULL, &g.res, &g.err), -WICK_E_NOTFOUND);
    wick_profile_release(&g.p);
}

struct seen {
    struct wick_profile *p;
    int calls;
};

static bool want_mixed(void *ctx, const char *type)
{
    return strcmp(type, "x.Mixed") == 0;
}

static void assert_text(const struct seen *s, const struct wick_jfr_event *e, const char *field, const char *want)
{
    uint32_t id;
    assert_true(wick_jfr_event_text(e, field, &id));
    assert_string_equal(wick_profile_str(s->p, id), want);
}

static void check_mixed(void *ctx, const struct wick_jfr_event *e)
{
    struct seen *s = ctx;
    int64_t i;
    double d;
    uint32_t id;
    s->calls++;
    assert_string_equal(e->type, "x.Mixed");
    assert_int_equal(e->time_ns, JFR_BUILD_START_NS + 42);
    assert_int_equal(e->duration_ns, 7000000);
    assert_int_equal(e->nfields, 13);
    assert_true(wick_jfr_event_int(e, "flag", &i) && i == 1);
    assert_true(wick_jfr_event_int(e, "small", &i) && i == -3);
    assert_true(wick_jfr_event_int(e, "number", &i) && i == -70000);
    assert_true(wick_jfr_event_double(e, "ratio", &d) && d > 0.249 && d < 0.251);
    assert_true(wick_jfr_event_double(e, "number", &d) && d < -69999);
    assert_false(wick_jfr_event_int(e, "ratio", &i));
    assert_false(wick_jfr_event_int(e, "nosuch", &i));
    assert_false(wick_jfr_event_text(e, "number", &id));
    assert_false(wick_jfr_event_text(e, "null", &id));
    assert_true(wick_jfr_event_text(e, "empty", &id) && id == 0);
    assert_text(s, e, "latin", "caf\xc3\xa9");
    assert_text(s, e, "utf16", "a\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd");
    assert_text(s, e, "pooled", "from the pool");
    assert_text(s, e, "class", "a/B");
    assert_int_equal(s->p->threads[wick_jfr_event_thread(e, "thread")].os_tid, 77);
    assert_int_equal(wick_jfr_event_stack(e, "thread"), 0); /* a pool has one role */
}

static void test_event__fields_of_every_kind_can_be_read_by_name(void **state)
{
    static const char *const types[] = {
        COMMON_TYPES,
        "E103 x.Mixed startTime:12T duration:12M flag:10 small:16 number:11 ratio:14 null:13 empty:13 latin:13 "
        "utf16:13 pooled:13 class:26p thread:20p"};
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct wick_strbuf b = WICK_STRBUF_INIT;
    struct got g;
    struct seen seen = {&g.p, 0};
    struct wick_jfr_visitor v = {.ctx = &seen, .want = want_mixed, .event = check_mixed};
    jfr_begin(&j);
    jfr_put(&b, TICKS(42));
    jfr_put(&b, 7);
    wick_strbuf_addc(&b, 1);
    wick_strbuf_addc(&b, -3);
    jfr_put(&b, (uint32_t)-70000);
    jfr_put_big(&b, 0x3e800000, 4);
    wick_strbuf_addc(&b, 0);
    wick_strbuf_addc(&b, 1);
    wick_strbuf_add(&b,
                    "\x05\x04"
                    "caf\xe9",
                    6);
    wick_strbuf_add(&b, "\x04\x05", 2);
    static const int64_t units[] = {'a', 0x20ac, 0xd83d, 0xde00, 0xd83d};
    for (int i = 0; i < 5; i++)
        jfr_put(&b, units[i]);
    wick_strbuf_add(&b, "\x02\x08", 2);
    jfr_put(&b, 9);
    jfr_put(&b, 1);
    jfr_event(&j, 103, &b);
    jfr_metadata(&j, types, N(types));
    put_constants(&j, 1, 1);
    wick_strbuf_clear(&b);
    put_pool(&b, 13, 1);
    jfr_put(&b, 8);
    jfr_put_utf8(&b, "from the pool");
    jfr_checkpoint(&j, 1, &b);
    jfr_end(&j);
    read_bytes(&g, j.out.buf, j.out.len, &v);
    assert_int_equal(g.rc, 0);
    assert_string_equal(g.res.first, "");
    assert_int_equal(seen.calls, 1);
    wick_profile_release(&g.p);
    wick_strbuf_release(&b);
    wick_strbuf_release(&j.out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reader__stacks_threads_states_and_times_come_out_right),
        cmocka_unit_test(test_reader__filters_by_time_and_by_predicate),
        cmocka_unit_test(test_weight__comes_from_the_event_in_the_unit_of_the_metadata),
        cmocka_unit_test(test_weight__falls_back_to_the_period_and_then_to_the_count),
        cmocka_unit_test(test_weight__of_batched_wall_samples_includes_one_interval),
        cmocka_unit_test(test_reader__unbatched_wall_samples_are_kept_apart_from_cpu),
        cmocka_unit_test(test_reader__perf_samples_are_one_event_type_for_each_name),
        cmocka_unit_test(test_reader__unknown_fields_of_every_shape_are_stepped_over),
        cmocka_unit_test(test_reader__constants_may_be_spread_over_checkpoints_and_the_first_definition_counts),
        cmocka_unit_test(test_reader__chunks_and_files_add_up_in_one_profile),
        cmocka_unit_test(test_reader__missing_stacks_are_visible_frames),
        cmocka_unit_test(test_damage__an_unclosed_chunk_is_searched),
        cmocka_unit_test(test_damage__rubbish_between_chunks_is_counted_and_skipped),
        cmocka_unit_test(test_damage__a_file_cut_at_any_byte_is_read_as_far_as_it_goes),
        cmocka_unit_test(test_damage__any_byte_changed_is_survived),
        cmocka_unit_test(test_damage__types_that_contain_themselves_are_refused),
        cmocka_unit_test(test_damage__huge_counts_cost_nothing),
        cmocka_unit_test(test_damage__a_chain_of_checkpoints_that_overlap_is_not_followed),
        cmocka_unit_test(test_reader__what_is_no_recording_is_refused_with_a_sentence),
        cmocka_unit_test(test_event__fields_of_every_kind_can_be_read_by_name),
    };
    return cmocka_run_group_tests_name("jfr_reader", tests, NULL, NULL);
}
