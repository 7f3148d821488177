/* SPDX-License-Identifier: Apache-2.0 */
/* Samples that are counted in runs must add up to what they add up to one by one. */
#include "jfr/reader/reader.h"
#include "jfr_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { SAMPLE = 100, SETTING, OTHER, MANY = 300 };

static const char *const types[] = {
    "10 boolean",
    "11 int",
    "12 long",
    "13 java.lang.String",
    "30 jdk.jfr.Timestamp value:13",
    "21 jdk.types.ThreadState name:13",
    "23 jdk.types.StackTrace truncated:10 frames:24a",
    "24 jdk.types.StackFrame method:25p lineNumber:11",
    "25 jdk.types.Method name:27p",
    "27 jdk.types.Symbol string:13",
    "E100 jdk.ExecutionSample startTime:12T sampledThread:12 stackTrace:23p state:21p",
    "E101 jdk.ActiveSetting startTime:12T id:12 name:13 value:13",
    "E102 jdk.Other text:13",
};

/* MANY stacks of one frame each, distinguished by method; states 1 DEFAULT, 2 SLEEPING, and 200 DEFAULT again. */
static void put_constants(struct jfr_build *j)
{
    static const int64_t states[] = {1, 2, 200};
    struct wick_strbuf b = WICK_STRBUF_INIT;
    char name[16];
    jfr_put(&b, 21);
    jfr_put(&b, 3);
    for (int i = 0; i < 3; i++) {
        jfr_put(&b, states[i]);
        jfr_put_utf8(&b, i == 1 ? "STATE_SLEEPING" : "STATE_DEFAULT");
    }
    for (int type = 27; type >= 25; type -= 2) { /* symbols, then methods */
        jfr_put(&b, type);
        jfr_put(&b, MANY);
        for (int i = 1; i <= MANY; i++) {
            snprintf(name, sizeof name, "m%d", i);
            jfr_put(&b, i);
            if (type == 27)
                jfr_put_utf8(&b, name);
            else
                jfr_put(&b, i);
        }
    }
    jfr_put(&b, 23);
    jfr_put(&b, MANY);
    for (int i = 1; i <= MANY; i++) {
        jfr_put(&b, 2 * i); /* every other key is nobody's */
        wick_strbuf_addc(&b, 0);
        jfr_put(&b, 1);
        jfr_put(&b, i);
        jfr_put(&b, i % 7 ? 1 : 1000);
    }
    jfr_checkpoint(j, 4, &b);
    wick_strbuf_release(&b);
}

static void put_setting(struct jfr_build *j, const char *name, const char *value)
{
    struct wick_strbuf b = WICK_STRBUF_INIT;
    jfr_put(&b, 1);
    jfr_put(&b, SAMPLE);
    jfr_put_utf8(&b, name);
    jfr_put_utf8(&b, value);
    jfr_event(j, SETTING, &b);
    wick_strbuf_release(&b);
}

/* One of each kind of interruption every few hundred samples: another type, an event too long for a run, a key that
 * leads nowhere, none, another state, a state of two bytes, times and threads of nine. */
static void put_sample(struct jfr_build *j, uint32_t i)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    uint32_t random = i * 2654435761u >> 8;
    int64_t key = 2 + 2 * (random % MANY), state = 1, time = random, thread = random % 300;
    switch (i % 97) {
    case 11:
        key = 2 * MANY + 100;
        break;
    case 22:
        key = 3;
        break;
    case 33:
        key = 0;
        break;
    case 44:
        state = i % 2 ? 2 : 200;
        break;
    case 55:
        time = -1;
        break;
    case 66:
        thread = -1;
        break;
    case 77:
        jfr_put_utf8(&text, i % 2 ? "short"
                                  : "a text that is long enough for an event whose size has two bytes, and that "
                                    "is more than the hundred and twenty-eight of one");
        jfr_event(j, OTHER, &text);
        break;
    default:
        break;
    }
    JFR_EVENT(j, SAMPLE, time, thread, key, state);
    wick_strbuf_release(&text);
}

static void build(struct jfr_build *j, bool async_profiler, const char *more)
{
    *j = (struct jfr_build){.out = WICK_STRBUF_INIT};
    jfr_begin(j);
    for (uint32_t i = 0; i < 20000; i++)
        put_sample(j, i);
    if (more)
        wick_strbuf_add(&j->out, more, strlen(more));
    jfr_metadata(j, types, sizeof types / sizeof *types);
    put_constants(j);
    put_setting(j, async_profiler ? "interval" : "period", async_profiler ? "1000000" : "1 ms");
    if (async_profiler)
        put_setting(j, "wall", "5000000");
    jfr_end(j);
}

static bool take_all(void *ctx, const struct wick_profile *p, const struct wick_sample *s)
{
    (void)ctx;
    (void)p;
    (void)s;
    return true;
}

/* Stacks are numbered differently, as they are met; their only frame's name and line distinguish them. */
static uint32_t find(const struct wick_profile *p, const struct wick_profile *from, const struct wick_agg *a)
{
    const char *name =
        wick_profile_str(from, from->functions[from->frames[from->stacks[a->stack].frame].function].name);
    for (uint32_t i = 0; i < p->naggs; i++) {
        const struct wick_agg *b = &p->aggs[i];
        const char *other = wick_profile_str(p, p->functions[p->frames[p->stacks[b->stack].frame].function].name);
        if (!strcmp(name, other) && p->events[b->event].kind == from->events[a->event].kind)
            return i;
    }
    return WICK_AGG_NONE;
}

static void read_both(const struct jfr_build *j, unsigned keep)
{
    struct wick_profile p[2];
    struct wick_jfr_result res[2];
    struct wick_err err = {0};
    const struct wick_jfr_visitor each = {.filter.match = take_all};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wick_profile_init(&p[i]), 0);
        p[i].by_thread = p[i].by_state = false;
        p[i].keep = keep;
        assert_int_equal(wick_jfr_read_memory(&p[i], j->out.buf, j->out.len, i ? &each : NULL, &res[i], &err), 0);
    }
    assert_int_equal(res[0].samples, 20000);
    assert_int_equal(res[0].samples, res[1].samples);
    assert_int_equal(res[0].events, res[1].events);
    assert_int_equal(res[0].unresolved, res[1].unresolved);
    assert_int_equal(res[0].problems, res[1].problems);
    assert_int_equal(p[0].naggs, p[1].naggs);
    assert_true(p[0].naggs > MANY);
    for (uint32_t i = 0; i < p[0].naggs; i++) {
        uint32_t same = find(&p[1], &p[0], &p[0].aggs[i]);
        assert_true(same < p[1].naggs);
        assert_int_equal(p[0].aggs[i].count, p[1].aggs[same].count);
        assert_int_equal(p[0].aggs[i].weight, p[1].aggs[same].weight);
    }
    wick_profile_release(&p[0]);
    wick_profile_release(&p[1]);
}

static void test_run__adds_up_to_what_single_samples_add_up_to(void **state)
{
    struct jfr_build j;
    (void)state;
    for (int async_profiler = 0; async_profiler < 2; async_profiler++) {
        build(&j, async_profiler, NULL);
        read_both(&j, WICK_KEEP_ALL);
        read_both(&j, 0);
        wick_strbuf_release(&j.out);
    }
}

/* A sample whose size ends inside its fields: both ways see the same problem, and neither counts it. */
static void test_run__an_event_shorter_than_its_fields_ends_it(void **state)
{
    struct jfr_build j;
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        build(&j, cut, cut ? "\x05\x64\x01\x01\x04" : "\x04\x64\x01\x01");
        read_both(&j, WICK_KEEP_ALL);
        wick_strbuf_release(&j.out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run__adds_up_to_what_single_samples_add_up_to),
        cmocka_unit_test(test_run__an_event_shorter_than_its_fields_ends_it),
    };
    return cmocka_run_group_tests_name("jfr_run", tests, NULL, NULL);
}
