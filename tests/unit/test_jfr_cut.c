/* SPDX-License-Identifier: Apache-2.0 */
#include "jfr/cut/cut.h"
#include "jfr_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define TICKS(ns) (JFR_BUILD_START_TICKS + (int64_t)(ns)*2)
#define AT(ns)    (JFR_BUILD_START_NS + (ns))

enum { STRING = 13, THREAD = 20, TRACE = 23, METHOD = 25, CLASS, LOADER };
enum { SAMPLE = 100, SETTING = 102, PAUSE = 103, NOTE = 104 };

/* A class names its loader, and the loader its class: a circle, as in the JDK's recordings. */
/* clang-format off */
static const char *const types[] = {
    "10 boolean", "11 int", "12 long", "13 java.lang.String", "30 jdk.jfr.Timestamp value:13",
    "31 jdk.jfr.Timespan value:13",
    "20 java.lang.Thread osName:13 osThreadId:12 javaName:13 javaThreadId:12",
    "23 jdk.types.StackTrace truncated:10 frames:24a",
    "24 jdk.types.StackFrame method:25p lineNumber:11 bytecodeIndex:11",
    "25 jdk.types.Method type:26p name:13 descriptor:13",
    "26 java.lang.Class classLoader:27p name:13",
    "27 jdk.types.ClassLoader type:26p name:13",
    "E100 jdk.ExecutionSample startTime:12T sampledThread:20p stackTrace:23p",
    "E102 jdk.ActiveSetting startTime:12T id:12 name:13 value:13",
    "E103 jdk.GarbageCollection startTime:12T duration:12S cause:13",
    "E104 other.Note startTime:12T eventThread:20p texts:13a",
};
/* clang-format on */

static void put_inline(struct wick_strbuf *b, const char *s)
{
    jfr_put_utf8(b, s);
}

static void put_pooled(struct wick_strbuf *b, int64_t key)
{
    wick_strbuf_addc(b, 2);
    jfr_put(b, key);
}

/* Threads 1 "one" and 2 "two"; classes 5 and 6 with loader 8; methods 1 .. 3 of class 5, named by strings 1 .. 3 of the
 * pool; stacks k: method k alone, 1 .. 3. Three checkpoints. */
static void put_constants(struct jfr_build *j)
{
    static const char *const names[] = {"one", "two", "three"};
    struct wick_strbuf b = WICK_STRBUF_INIT;
    jfr_put(&b, THREAD), jfr_put(&b, 2);
    for (int i = 0; i < 2; i++) {
        jfr_put(&b, i + 1);
        put_inline(&b, "os");
        jfr_put(&b, 70 + i);
        put_inline(&b, names[i]);
        jfr_put(&b, 7 + i);
    }
    jfr_checkpoint(j, 1, &b);
    wick_strbuf_clear(&b);
    jfr_put(&b, STRING), jfr_put(&b, 3);
    for (int i = 0; i < 3; i++) {
        jfr_put(&b, i + 1);
        put_inline(&b, names[i]);
    }
    jfr_put(&b, CLASS), jfr_put(&b, 2);
    for (int i = 5; i < 7; i++) {
        jfr_put(&b, i);
        jfr_put(&b, 8);
        put_inline(&b, i == 5 ? "a/B" : "x/Loader");
    }
    jfr_put(&b, LOADER), jfr_put(&b, 1);
    jfr_put(&b, 8), jfr_put(&b, 6);
    put_inline(&b, "app");
    jfr_checkpoint(j, 3, &b);
    wick_strbuf_clear(&b);
    jfr_put(&b, METHOD), jfr_put(&b, 3);
    for (int i = 1; i < 4; i++) {
        jfr_put(&b, i);
        jfr_put(&b, 5);
        put_pooled(&b, i);
        put_inline(&b, "()V");
    }
    jfr_put(&b, TRACE), jfr_put(&b, 3);
    for (int i = 1; i < 4; i++) {
        jfr_put(&b, i);
        wick_strbuf_addc(&b, 0);
        jfr_put(&b, 1);
        jfr_put(&b, i), jfr_put(&b, 10), jfr_put(&b, 0);
    }
    jfr_checkpoint(j, 2, &b);
    wick_strbuf_release(&b);
}

static void put_others(struct jfr_build *j)
{
    struct wick_strbuf b = WICK_STRBUF_INIT;
    jfr_put(&b, TICKS(0)), jfr_put(&b, SAMPLE);
    put_inline(&b, "period"), put_inline(&b, "20 ms");
    jfr_event(j, SETTING, &b);
    wick_strbuf_clear(&b);
    jfr_put(&b, TICKS(1500)), jfr_put(&b, 2 * 1000);
    put_inline(&b, "Allocation");
    jfr_event(j, PAUSE, &b);
    wick_strbuf_clear(&b);
    jfr_put(&b, TICKS(5000)), jfr_put(&b, 2), jfr_put(&b, 2);
    put_pooled(&b, 3), put_inline(&b, "here");
    jfr_event(j, NOTE, &b);
    wick_strbuf_release(&b);
}

/* Samples of stack 1 by thread 1 at 1000 ns, 2 by 2 at 2000, 3 by 1 at 3000; a pause from 1500 to 2500; a note at 5000.
 */
static void put_chunk(struct jfr_build *j)
{
    jfr_begin(j);
    jfr_metadata(j, types, sizeof types / sizeof *types);
    JFR_EVENT(j, SAMPLE, TICKS(1000), 1, 1);
    JFR_EVENT(j, SAMPLE, TICKS(2000), 2, 2);
    put_constants(j);
    JFR_EVENT(j, SAMPLE, TICKS(3000), 1, 3);
    put_others(j);
    jfr_end(j);
}

/* --- cutting and reading again --- */

struct made {
    char *data;
    size_t size;
    struct wick_jfr_cut_result result;
    struct wick_jfr_result read;
    int rc;
};

static struct made cut_as(const void *data, size_t size, struct wick_filter filter, bool even)
{
    struct made m = {0};
    struct wick_profile p;
    assert_int_equal(wick_profile_init(&p), 0);
    struct wick_jfr_cut c = {.filter = filter, .out = open_memstream(&m.data, &m.size), .even = even};
    m.rc = wick_jfr_cut_memory(&p, data, size, &c, &m.result, &m.read, NULL);
    assert_int_equal(fclose(c.out), 0);
    wick_profile_release(&p);
    assert_int_equal(m.size, m.result.bytes);
    return m;
}

static struct made cut(const void *data, size_t size, struct wick_filter filter)
{
    return cut_as(data, size, filter, false);
}

struct seen {
    struct wick_strbuf text; /* "type time texts;" of every event that is no sample */
    struct wick_profile p;
    struct wick_jfr_result res;
};

static bool want(void *ctx, const char *type)
{
    return strcmp(type, "jdk.ExecutionSample") != 0;
}

static void take(void *ctx, const struct wick_jfr_event *e)
{
    struct seen *s = ctx;
    uint32_t text;
    wick_strbuf_addf(&s->text, "%s %d", e->type, (int)(e->time_ns - AT(0)));
    if (wick_jfr_event_text(e, "cause", &text) || wick_jfr_event_text(e, "value", &text) ||
        wick_jfr_event_text(e, "eventThread", &text))
        wick_strbuf_addf(&s->text, " %s", wick_profile_str(&s->p, text));
    wick_strbuf_adds(&s->text, ";");
}

static void see(struct seen *s, const void *data, size_t size)
{
    *s = (struct seen){.text = WICK_STRBUF_INIT};
    struct wick_jfr_visitor v = {.ctx = s, .want = want, .event = take};
    assert_int_equal(wick_profile_init(&s->p), 0);
    assert_int_equal(wick_jfr_read_memory(&s->p, data, size, &v, &s->res, NULL), 0);
    assert_string_equal(s->res.first, "");
    assert_int_equal(s->res.problems, 0);
}

static void forget(struct seen *s)
{
    wick_strbuf_release(&s->text);
    wick_profile_release(&s->p);
}

static const char *leaf_of(const struct seen *s, uint32_t agg)
{
    const struct wick_profile *p = &s->p;
    return wick_profile_str(p, p->functions[p->frames[p->stacks[p->aggs[agg].stack].frame].function].name);
}

/* --- tests --- */

static void test_cut__keeps_every_event_and_drops_constants_nobody_needs(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct seen s;
    put_chunk(&j);
    struct made m = cut(j.out.buf, j.out.len, (struct wick_filter){0});
    assert_int_equal(m.rc, 0);
    assert_int_equal(m.result.chunks, 1);
    assert_int_equal(m.result.events, 6);
    assert_int_equal(m.result.samples, 3);
    see(&s, m.data, m.size);
    assert_string_equal(s.text.buf,
                        "jdk.ActiveSetting 0 20 ms;jdk.GarbageCollection 1500 Allocation;other.Note 5000 two;");
    assert_int_equal(s.p.naggs, 3);
    assert_int_equal(s.p.events[s.p.aggs[0].event].weight, 60000000); /* the period is there */
    assert_string_equal(leaf_of(&s, 1), "two");
    assert_string_equal(wick_profile_str(&s.p, s.p.threads[s.p.aggs[1].thread].name), "two");
    assert_int_equal(s.p.start_ns, AT(0));
    assert_int_equal(s.p.end_ns, AT(1000000000));
    forget(&s);
    free(m.data);
    wick_strbuf_release(&j.out);
}

static void test_cut__takes_samples_that_begin_in_the_range_and_what_touches_it(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct seen s;
    put_chunk(&j);
    struct made m = cut(j.out.buf, j.out.len, (struct wick_filter){.from_ns = AT(2000), .to_ns = AT(3000)});
    see(&s, m.data, m.size);
    assert_string_equal(s.text.buf, "jdk.ActiveSetting 0 20 ms;jdk.GarbageCollection 1500 Allocation;");
    assert_int_equal(s.p.naggs, 1);
    assert_string_equal(leaf_of(&s, 0), "two");
    assert_int_equal(s.p.start_ns, AT(2000));
    assert_int_equal(s.p.end_ns, AT(3000));
    assert_null(memmem(m.data, m.size, "\3\3one", 5)); /* of thread 1 and stack 1 nothing is left */
    assert_null(memmem(m.data, m.size, "three", 5));
    assert_non_null(memmem(m.data, m.size, "x/Loader", 8)); /* reached by the circle of class and loader */
    forget(&s);
    free(m.data);
    wick_strbuf_release(&j.out);
}

static bool not_thread_two(void *ctx, const struct wick_profile *p, const struct wick_sample *s)
{
    return strcmp(wick_profile_str(p, p->threads[s->thread].name), "two") != 0;
}

static void test_cut__conditions_are_for_samples(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct seen s;
    put_chunk(&j);
    struct made m = cut(j.out.buf, j.out.len, (struct wick_filter){.match = not_thread_two});
    assert_int_equal(m.result.samples, 2);
    assert_int_equal(m.read.filtered, 1);
    see(&s, m.data, m.size);
    assert_string_equal(s.text.buf,
                        "jdk.ActiveSetting 0 20 ms;jdk.GarbageCollection 1500 Allocation;other.Note 5000 two;");
    assert_int_equal(s.p.naggs, 2);
    forget(&s);
    free(m.data);
    wick_strbuf_release(&j.out);
}

static void test_cut__a_chunk_with_nothing_but_facts_outside_of_the_range_goes(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    put_chunk(&j);
    struct made m = cut(j.out.buf, j.out.len, (struct wick_filter){.from_ns = AT(2000000000)});
    assert_int_equal(m.rc, 0);
    assert_int_equal(m.size, 0);
    free(m.data);
    wick_strbuf_release(&j.out);
}

static void test_cut__chunks_follow_each_other(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct seen s;
    put_chunk(&j);
    put_chunk(&j);
    struct made m = cut(j.out.buf, j.out.len, (struct wick_filter){.to_ns = AT(1500)});
    assert_int_equal(m.result.chunks, 2);
    see(&s, m.data, m.size);
    assert_int_equal(s.res.chunks, 2);
    assert_int_equal(s.p.naggs, 1);
    assert_int_equal(s.p.aggs[0].count, 2);
    forget(&s);
    free(m.data);
    wick_strbuf_release(&j.out);
}

/* What a reader makes of a recording that breaks off is what it makes of the cut of it, which is whole. */
static void test_cut__of_a_recording_that_breaks_off_anywhere_is_whole(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    size_t repaired = 0;
    put_chunk(&j);
    put_chunk(&j);
    for (size_t n = 0; n <= j.out.len; n++) {
        struct wick_profile p;
        struct wick_jfr_result res;
        struct seen s;
        char *part = malloc(n + 1); /* of its own, so that the sanitizer sees its end */
        memcpy(part, j.out.buf, n);
        assert_int_equal(wick_profile_init(&p), 0);
        int rc = wick_jfr_read_memory(&p, part, n, NULL, &res, NULL);
        struct made m = cut(part, n, (struct wick_filter){0});
        assert_int_equal(m.rc, rc);
        assert_int_equal(m.read.problems != 0, res.problems != 0);
        if (!rc && m.size) {
            see(&s, m.data, m.size);
            assert_int_equal(s.p.naggs, p.naggs);
            for (uint32_t i = 0; i < p.naggs; i++) {
                assert_int_equal(s.p.aggs[i].count, p.aggs[i].count);
                assert_int_equal(s.p.aggs[i].weight, p.aggs[i].weight);
            }
            repaired += res.problems && p.naggs;
            forget(&s);
        } else {
            assert_int_equal(p.naggs, 0);
        }
        wick_profile_release(&p);
        free(m.data);
        free(part);
    }
    assert_true(repaired > 100);
    wick_strbuf_release(&j.out);
}

/* Weighted samples as wick writes them: periods of 20 and 10 ms. */
/* clang-format off */
static const char *const weighted_types[] = {
    "10 boolean", "11 int", "12 long", "13 java.lang.String", "30 jdk.jfr.Timestamp value:13",
    "31 jdk.jfr.Timespan value:13",
    "20 java.lang.Thread osName:13 osThreadId:12 javaName:13 javaThreadId:12",
    "23 jdk.types.StackTrace truncated:10 frames:24a",
    "24 jdk.types.StackFrame method:25p lineNumber:11 bytecodeIndex:11",
    "25 jdk.types.Method type:26p name:13 descriptor:13",
    "26 java.lang.Class classLoader:27p name:13",
    "27 jdk.types.ClassLoader type:26p name:13",
    "E100 jdk.ExecutionSample startTime:12T sampledThread:20p stackTrace:23p extraBytes:11 kind:11 weight:12N context:11",
    "E102 jdk.ActiveSetting startTime:12T id:12 name:13 value:13",
    "E105 profiler.WallClockSample startTime:12T sampledThread:20p stackTrace:23p samples:11 extraBytes:11 weight:12N",
    "E106 jdk.JavaMonitorEnter startTime:12T duration:12S eventThread:20p stackTrace:23p extraBytes:11 weight:12N",
    "E107 profiler.LiveObject startTime:12T eventThread:20p stackTrace:23p allocationSize:12 extraBytes:11 weight:12",
    "E108 profiler.Malloc startTime:12T eventThread:20p stackTrace:23p address:12 size:12 extraBytes:11 weight:12",
};
/* clang-format on */
enum { WALL = 105, ENTER, LIVE, MALLOC };
#define MS 1000000ll

static void put_period(struct jfr_build *j, int64_t type, const char *period)
{
    struct wick_strbuf b = WICK_STRBUF_INIT;
    jfr_put(&b, TICKS(0)), jfr_put(&b, type);
    put_inline(&b, "period"), put_inline(&b, period);
    jfr_event(j, SETTING, &b);
    wick_strbuf_release(&b);
}

static void put_cpu(struct jfr_build *j, int64_t stack, int64_t weight)
{
    JFR_EVENT(j, SAMPLE, TICKS(1000), 1, stack, 8, 3, weight, 0); /* 8: to be set again */
}

static void test_cut__even_samples_stand_for_one_interval_each(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct seen s;
    jfr_begin(&j);
    jfr_metadata(&j, weighted_types, sizeof weighted_types / sizeof *weighted_types);
    put_cpu(&j, 1, 20 * MS), put_cpu(&j, 1, 61 * MS);                       /* 1 and 3, and 1 ms over */
    put_cpu(&j, 2, 5 * MS), put_cpu(&j, 2, 9 * MS), put_cpu(&j, 3, 5 * MS); /* none, 1, and what that was too much */
    JFR_EVENT(&j, WALL, TICKS(1000), 2, 2, 2, 5, 73 * MS);
    JFR_EVENT(&j, WALL, TICKS(1000), 2, 3, 1, 5, 7 * MS);
    put_constants(&j);
    put_period(&j, SAMPLE, "20 ms"), put_period(&j, WALL, "10 ms");
    jfr_end(&j);
    struct made m = cut_as(j.out.buf, j.out.len, (struct wick_filter){0}, true);
    assert_int_equal(m.rc, 0);
    assert_int_equal(m.result.events, 2 + 5 + 2);
    see(&s, m.data, m.size);
    assert_int_equal(s.p.naggs, 4);
    static const struct {
        int leaf;
        uint64_t count;
        int64_t weight;
    } want_aggs[] = {{1, 4, 80 * MS}, {2, 1, 20 * MS}, {2, 7, 70 * MS}, {3, 1, 10 * MS}};
    static const char *const names[] = {"", "one", "two", "three"};
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(leaf_of(&s, i), names[want_aggs[i].leaf]);
        assert_int_equal(s.p.aggs[i].count, want_aggs[i].count);
        assert_int_equal(s.p.aggs[i].weight, want_aggs[i].weight);
    }
    /* Thread, stack, length of the extra fields: 20 ms in nanoseconds are four bytes, and one each for the length
     * itself, the kind and the context. The event of 61 ms has become three of these. */
    assert_non_null(memmem(m.data, m.size, "\1\1\7\3", 4));
    forget(&s);
    free(m.data);
    wick_strbuf_release(&j.out);
}

/* A weight that makes no sense does not fill the disk, nor is it lost. */
static void test_cut__even_samples_of_a_huge_weight_are_few(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct seen s;
    jfr_begin(&j);
    jfr_metadata(&j, weighted_types, sizeof weighted_types / sizeof *weighted_types);
    put_cpu(&j, 1, 5000 * 20 * MS);
    put_cpu(&j, 2, 20 * MS);
    put_constants(&j);
    put_period(&j, SAMPLE, "20 ms");
    jfr_end(&j);
    struct made m = cut_as(j.out.buf, j.out.len, (struct wick_filter){0}, true);
    see(&s, m.data, m.size);
    assert_int_equal(s.p.naggs, 2);
    assert_int_equal(s.p.aggs[0].count, 1000);
    assert_int_equal(s.p.aggs[0].weight, 5000 * 20 * MS);
    assert_int_equal(s.p.aggs[1].count, 1);
    forget(&s);
    free(m.data);
    wick_strbuf_release(&j.out);
}

/* A wall-clock event says how often it stands for an interval, so it may stand for any number of them. */
static void test_cut__even_samples_of_a_long_stay_are_all_said(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct seen s;
    jfr_begin(&j);
    jfr_metadata(&j, weighted_types, sizeof weighted_types / sizeof *weighted_types);
    JFR_EVENT(&j, WALL, TICKS(1000), 2, 2, 1, 5, 5000 * 10 * MS);
    put_constants(&j);
    put_period(&j, WALL, "10 ms");
    jfr_end(&j);
    struct made m = cut_as(j.out.buf, j.out.len, (struct wick_filter){0}, true);
    see(&s, m.data, m.size);
    assert_int_equal(s.p.naggs, 1);
    assert_int_equal(s.p.aggs[0].count, 5000);
    assert_int_equal(s.p.aggs[0].weight, 5000 * 10 * MS);
    forget(&s);
    free(m.data);
    wick_strbuf_release(&j.out);
}

/* Readers that know no weights sum the duration of waits and the size of live objects and of native memory: an event
 * that stands for more than its own says so there, and stays one event, whatever the interval of the CPU samples beside
 * it. */
static void test_cut__even_waits_and_memory_have_their_weight_where_readers_sum(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct seen s;
    jfr_begin(&j);
    jfr_metadata(&j, weighted_types, sizeof weighted_types / sizeof *weighted_types);
    JFR_EVENT(&j, ENTER, TICKS(1000), 300, 2, 1, 5, 20 * MS);          /* short: stands for 20 ms */
    JFR_EVENT(&j, ENTER, TICKS(2000), 122 * MS, 2, 2, 5, 61 * MS + 1); /* long: for itself */
    JFR_EVENT(&j, LIVE, TICKS(3000), 1, 3, 16, 5, 524288);
    JFR_EVENT(&j, MALLOC, TICKS(3500), 1, 3, 0x7000, 48, 5, 65560);
    put_cpu(&j, 1, 20 * MS);
    put_constants(&j);
    put_period(&j, SAMPLE, "20 ms");
    jfr_end(&j);
    struct made m = cut_as(j.out.buf, j.out.len, (struct wick_filter){0}, true);
    assert_int_equal(m.rc, 0);
    see(&s, m.data, m.size);
    assert_int_equal(s.p.naggs, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(s.p.aggs[i].count, 1);
    struct wick_strbuf b = WICK_STRBUF_INIT;
    jfr_put(&b, 40 * MS), jfr_put(&b, 2), jfr_put(&b, 1); /* duration in ticks of half a nanosecond, thread, stack */
    assert_non_null(memmem(m.data, m.size, b.buf, b.len));
    wick_strbuf_clear(&b);
    jfr_put(&b, 122 * MS), jfr_put(&b, 2), jfr_put(&b, 2);
    assert_non_null(memmem(m.data, m.size, b.buf, b.len));
    wick_strbuf_clear(&b);
    jfr_put(&b, 1), jfr_put(&b, 3), jfr_put(&b, 524288); /* thread, stack, size */
    assert_non_null(memmem(m.data, m.size, b.buf, b.len));
    wick_strbuf_clear(&b);
    jfr_put(&b, 0x7000), jfr_put(&b, 65560); /* address, size, bytes that follow, the block's own size */
    jfr_put(&b, 3), jfr_put(&b, 48);         /* two bytes less than the weight */
    assert_non_null(memmem(m.data, m.size, b.buf, b.len));
    wick_strbuf_release(&b);
    forget(&s);
    free(m.data);
    wick_strbuf_release(&j.out);
}

/* Weight, things and the error of memory are the same before and after, also when it is done twice. */
static void test_cut__even_memory_is_of_as_many_things_as_before(void **state)
{
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct wick_jfr_result res;
    (void)state;
    jfr_begin(&j);
    jfr_metadata(&j, weighted_types, sizeof weighted_types / sizeof *weighted_types);
    JFR_EVENT(&j, LIVE, TICKS(3000), 1, 3, 16, 5, 524288);
    JFR_EVENT(&j, LIVE, TICKS(3000), 1, 2, 1048576, 5, 1048576);
    JFR_EVENT(&j, MALLOC, TICKS(3500), 1, 3, 0x7000, 48, 5, 65560);
    put_constants(&j);
    jfr_end(&j);
    struct made once = cut_as(j.out.buf, j.out.len, (struct wick_filter){0}, true);
    struct made twice = cut_as(once.data, once.size, (struct wick_filter){0}, true);
    const struct {
        const void *data;
        size_t size;
    } all[] = {{j.out.buf, j.out.len}, {once.data, once.size}, {twice.data, twice.size}};
    static const double weights[] = {524288, 1048576, 65560}, sizes[] = {16, 1048576, 48};
    for (size_t i = 0; i < 6; i++) {
        struct wick_profile p;
        assert_int_equal(wick_profile_init(&p), 0);
        p.by_size = i % 2;
        assert_int_equal(wick_jfr_read_memory(&p, all[i / 2].data, all[i / 2].size, NULL, &res, NULL), 0);
        assert_int_equal(p.naggs, 3);
        for (uint32_t k = 0; k < 3; k++) {
            struct wick_agg_sizes of = wick_profile_sizes(&p, k);
            assert_float_equal((double)p.aggs[k].weight, weights[k], 0.5);
            assert_float_equal(of.things, p.by_size ? weights[k] / sizes[k] : 0, 1e-9);
            assert_true((of.variance > 0) == (p.by_size && weights[k] > sizes[k]));
        }
        wick_profile_release(&p);
    }
    free(once.data);
    free(twice.data);
    wick_strbuf_release(&j.out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut__keeps_every_event_and_drops_constants_nobody_needs),
        cmocka_unit_test(test_cut__takes_samples_that_begin_in_the_range_and_what_touches_it),
        cmocka_unit_test(test_cut__conditions_are_for_samples),
        cmocka_unit_test(test_cut__a_chunk_with_nothing_but_facts_outside_of_the_range_goes),
        cmocka_unit_test(test_cut__chunks_follow_each_other),
        cmocka_unit_test(test_cut__even_samples_stand_for_one_interval_each),
        cmocka_unit_test(test_cut__even_samples_of_a_huge_weight_are_few),
        cmocka_unit_test(test_cut__even_samples_of_a_long_stay_are_all_said),
        cmocka_unit_test(test_cut__even_waits_and_memory_have_their_weight_where_readers_sum),
        cmocka_unit_test(test_cut__even_memory_is_of_as_many_things_as_before),
        cmocka_unit_test(test_cut__of_a_recording_that_breaks_off_anywhere_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
