/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "opt/events.h"
#include "opt/option.h"

static int parse(const char *s, struct wick_opts *o, enum wick_opt_action *action, struct wick_err *err)
{
    wick_opt_defaults(o);
    return wick_opt_parse_agent(s, strlen(s), o, action, err);
}

static void test_option__every_default_is_a_value_the_parser_takes(void **state)
{
    (void)state;
    for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++) {
        const struct wick_opt_desc *d = &wick_opt_table[i];
        struct wick_opts o;
        struct wick_err err = {0};
        wick_opt_defaults(&o);
        if (*d->def && wick_opt_set(&o, d->name, strlen(d->name), d->def, d->where, &err))
            fail_msg("%s: %s", d->name, err.msg);
    }
    struct wick_opts o;
    wick_opt_defaults(&o);
    assert_string_equal(o.s.event, "cpu");
    assert_int_equal(o.s.interval_ns, 10000000);
    assert_int_equal(o.duration_ns, 30000000000);
    assert_int_equal(o.s.memlimit_bytes, 64 << 20);
    assert_int_equal(o.given, 0);
}

static void test_option__names_and_letters_are_unique_within_a_command(void **state)
{
    (void)state;
    for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++)
        for (size_t j = 0; j < i; j++) {
            const struct wick_opt_desc *a = &wick_opt_table[i], *b = &wick_opt_table[j];
            assert_string_not_equal(a->name, b->name);
            if (a->letter && (a->where & b->where))
                assert_int_not_equal(a->letter, b->letter);
        }
}

static void test_option__agent_string_spelled_as_async_profiler_does(void **state)
{
    (void)state;
    struct wick_opts o;
    struct wick_err err = {0};
    enum wick_opt_action action;
    assert_int_equal(parse("start,event=wall,interval=100us,threads,chunksize=1m,chunktime=10,jfr,file=/tmp/x.jfr", &o,
                           &action, &err),
                     0);
    assert_int_equal(action, WICK_ACTION_START);
    assert_string_equal(o.s.event, "wall");
    assert_int_equal(o.s.interval_ns, 100000);
    assert_true(o.s.threads);
    assert_int_equal(o.s.chunk_size_bytes, 1 << 20);
    assert_int_equal(o.s.chunk_time_ns, 10000000000);
    assert_string_equal(o.s.file, "/tmp/x.jfr");
    assert_true(wick_opt_given(&o, interval_ns));
    assert_false(wick_opt_given(&o, memlimit_bytes));
}

static void test_option__backslash_keeps_a_comma_in_a_file_name(void **state)
{
    (void)state;
    struct wick_opts o, again;
    enum wick_opt_action action;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    assert_int_equal(parse("start,file=/tmp/a\\,b\\\\c=d.jfr,threads", &o, &action, NULL), 0);
    assert_string_equal(o.s.file, "/tmp/a,b\\c=d.jfr");
    assert_true(o.s.threads);
    wick_opt_format_agent(&o, "start", &sb);
    assert_int_equal(parse(sb.buf, &again, &action, NULL), 0);
    assert_memory_equal(&o, &again, sizeof o);
    wick_strbuf_release(&sb);
}

static void test_option__wrong_input_is_refused_with_a_sentence(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "start,interval=10parsecs",
        "start,interval=",
        "start,interval=0",
        "start,interval=-5",
        "start,stop",
        "start,threads=perhaps",
        "start,memlimit=1k",
        "start,memlimit=99999999999999999999g",
        "start,file=a\nb",
        "start,jstackdepth=1.5",
        "start,jstackdepth=50/",
        "start,jstackdepth=50/0",
        "start,jstackdepth=0",
        "start,jstackdepth=65536",
        "start,jstackdepth=50/20/3",
        "start,interval=1e3",
        "start,interval=10 ms",
        "start,wall=10k",
        "start,timeout=24:00:00",
        "start,timeout=13:60:00",
        "start,timeout=13:59:00x",
        "start,timeout=13:",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct wick_opts o;
        struct wick_err err = {0};
        enum wick_opt_action action;
        if (parse(wrong[i], &o, &action, &err) != -WICK_E_USAGE || strlen(err.msg) < 10)
            fail_msg("'%s' passed", wrong[i]);
    }
}

static void test_option__a_slip_of_the_finger_gets_a_suggestion(void **state)
{
    (void)state;
    struct wick_opts o;
    struct wick_err err = {0};
    enum wick_opt_action action;
    assert_int_equal(parse("start,intervall=1ms,event=wall", &o, &action, &err), 0);
    assert_int_equal(err.code, 0);
    assert_non_null(strstr(err.msg, "did you mean 'interval'"));
    assert_string_equal(o.s.event, "wall"); /* what comes behind it counts */
}

/* An option string of async-profiler's goes through; what changes no figure is not mentioned. */
static void test_option__what_only_async_profiler_has_is_ignored(void **state)
{
    (void)state;
    struct wick_opts o;
    struct wick_err err = {0};
    enum wick_opt_action action;
    assert_int_equal(
        parse("start,event=cpu,cstack=vmx,features=stats+vtable,log=/tmp/x.log,loglevel=warn,clock=monotonic,"
              "mcache=2,safemode=3,signal=12/13,sig,ann,simple,dot,norm,lib,title=A b,minwidth=0.5,reverse,"
              "total,sched,record-cpu,jfropts=mem,file=x.jfr",
              &o, &action, &err),
        0);
    assert_string_equal(err.msg, "");
    assert_int_equal(action, WICK_ACTION_START);
    assert_string_equal(o.s.file, "x.jfr");
    assert_false(o.quiet);
    assert_int_equal(parse("start,live,nofree,frob\x01nicate=1,quiet,duration=5,file=x.jfr", &o, &action, &err), 0);
    assert_int_equal(err.code, 0);
    assert_non_null(strstr(err.msg, "option 'nofree' is ignored: what is freed is always matched\n"));
    assert_non_null(strstr(err.msg, "unknown option 'frob?nicate'; it is ignored\n"));
    assert_non_null(strstr(err.msg, "unknown option 'duration'"));
    assert_true(o.quiet);
    assert_int_equal(parse("start,loglevel=none", &o, &action, &err), 0);
    assert_true(o.quiet);
    char many[4000] = "start"; /* more warnings than there is room for */
    for (size_t i = 0, n = 5; i < 400; i++)
        n += (size_t)snprintf(many + n, sizeof many - n, ",q%zu", i);
    assert_int_equal(parse(many, &o, &action, &err), 0);
    assert_true(strlen(err.msg) < sizeof err.msg);
}

/* Spellings that both have mean what they mean in async-profiler. */
static void test_option__values_mean_what_they_mean_in_async_profiler(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t interval;
    } intervals[] = {{"1m", 1000000}, {"100u", 100000}, {"10k", 10240},  {"5n", 5},          {"2s", 2000000000},
                     {"1g", 1 << 30}, {"7", 7},         {"1M", 1000000}, {"1.5ms", 1500000}, {"100us", 100000}};
    struct wick_opts o;
    struct wick_err err = {0};
    enum wick_opt_action action;
    char text[64];
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
        snprintf(text, sizeof text, "start,interval=%s", intervals[i].text);
        assert_int_equal(parse(text, &o, &action, &err), 0);
        assert_int_equal(o.s.interval_ns, intervals[i].interval);
    }
    assert_int_equal(parse("start,wall=50m,timeout=2m,jstackdepth=50/20,filter=120-127", &o, &action, &err), 0);
    assert_int_equal(o.s.wall_ns, 50000000);
    assert_int_equal(o.s.timeout_ns, 120000000000);
    assert_int_equal(o.s.depth.most, 50);
    assert_int_equal(o.s.depth.kept, 20);
    assert_string_equal(o.s.filter, "tids:120-127");
    assert_int_equal(parse("start,jstackdepth=50,filter=120-127;132:140,", &o, &action, &err), 0);
    assert_int_equal(o.s.depth.most, 50);
    assert_int_equal(o.s.depth.kept, 50);
    assert_string_equal(o.s.filter, "tids:120-127,132,140");
    assert_int_equal(parse("start,filter=names:^pool", &o, &action, &err), 0);
    assert_string_equal(o.s.filter, "names:^pool");
    assert_int_equal(parse("start,timeout=13:59:00", &o, &action, &err), 0);
    assert_true(o.s.timeout_ns > 0 && o.s.timeout_ns <= 25 * 3600000000000ull);
}

static void test_until__the_next_time_the_clock_shows_it(void **state)
{
    (void)state;
    setenv("TZ", "UTC", 1);
    tzset();
    static const struct {
        const char *text;
        int64_t now, seconds;
    } cases[] = {
        {"13:59:00", 13 * 3600, 59 * 60},
        {"13:59", 13 * 3600, 59 * 60},
        {"00:00:00", 86399, 1},
        {"10:00:00", 10 * 3600, 86400}, /* now: tomorrow */
        {"9:5:7", 0, 9 * 3600 + 307},
        {"*:30:00", 7 * 3600 + 1801, 3599},
        {"*:*:30", 100, 50},
        {"*:*:*", 100, 60},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t ns = 0;
        assert_int_equal(wick_opt_until(cases[i].text, cases[i].now, &ns), 0);
        assert_int_equal(ns, cases[i].seconds * 1000000000);
    }
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1); /* 2026-03-29 has 23 hours */
    tzset();
    uint64_t ns = 0;
    assert_int_equal(wick_opt_until("12:00:00", 1774695600 + 1, &ns), 0); /* 28th, 12:00:01 there */
    assert_int_equal(ns, (23 * 3600 - 1) * 1000000000ull);
    setenv("TZ", "UTC", 1);
    tzset();
}

/* The command line has the CPU beside the wall clock; what it sends to the agent says so. */
static void test_option__what_the_command_sends_means_the_same_to_the_agent(void **state)
{
    (void)state;
    struct wick_opts o, again;
    enum wick_opt_action action;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    wick_opt_defaults(&o);
    assert_int_equal(wick_opt_set(&o, "wall", 4, "20ms", WICK_CMD_RECORD, NULL), 0);
    assert_int_equal(wick_opt_set(&o, "jstackdepth", 11, "50/20", WICK_CMD_RECORD, NULL), 0);
    wick_opt_format_agent(&o, "start", &sb);
    assert_int_equal(parse(sb.buf, &again, &action, NULL), 0);
    assert_string_equal(again.s.event, "cpu");
    assert_int_equal(again.s.wall_ns, 20000000);
    assert_int_equal(again.s.depth.kept, 20);
    wick_strbuf_release(&sb);
}

static void test_option__out_of_range_names_the_limit(void **state)
{
    static const char *const cases[][2] = {{"1100", "too large: at most 1024"}, {"0", "too small: at least 1"}};
    struct wick_opts o;
    struct wick_err err = {0};
    (void)state;
    wick_opt_defaults(&o);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct wick_opt_desc *d = NULL;
        for (size_t k = 0; k < WICK_OPT_TABLE_COUNT; k++)
            if (!strcmp(wick_opt_table[k].name, "wall-threads"))
                d = &wick_opt_table[k];
        assert_non_null(d);
        assert_int_not_equal(wick_opt_set(&o, d->name, strlen(d->name), cases[i][0], d->where, &err), 0);
        if (!strstr(err.msg, cases[i][1]))
            fail_msg("%s", err.msg);
    }
    /* every limit of the table can be said: the next number beyond it is refused with it */
    for (size_t k = 0; k < WICK_OPT_TABLE_COUNT; k++) {
        const struct wick_opt_desc *d = &wick_opt_table[k];
        if (d->kind != WICK_OPT_NS || !d->min)
            continue;
        assert_int_not_equal(wick_opt_set(&o, d->name, strlen(d->name), "0", d->where, &err), 0);
        if (!strstr(err.msg, "at least "))
            fail_msg("%s", err.msg);
    }
}

static void test_option__nul_and_overlong_items_are_refused(void **state)
{
    (void)state;
    struct wick_opts o;
    enum wick_opt_action action;
    char big[8000];
    wick_opt_defaults(&o);
    assert_int_equal(wick_opt_parse_agent("start,file=a\0b", 14, &o, &action, NULL), -WICK_E_USAGE);
    memset(big, 'x', sizeof big);
    memcpy(big, "start,file=", 11);
    assert_int_equal(wick_opt_parse_agent(big, sizeof big, &o, &action, NULL), -WICK_E_USAGE);
}

static void test_option__times_are_exact_integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t ns;
    } good[] = {{"1", 1000},           {"1ns", 1},
                {"1.5us", 1500},       {"10ms", 10000000},
                {"0.5s", 500000000},   {"2m", 120000000000},
                {"1h", 3600000000000}, {"1d", 86400000000000},
                {"0.000000001s", 1},   {"9223372036s", 9223372036000000000}};
    uint64_t ns = 0;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(wick_opt_time(good[i].text, 1000, &ns), 0);
        assert_true(ns == good[i].ns);
    }
    static const char *const bad[] = {"",   "s", ".5s", "1.", "1.s", "1 s", "1S", "9223372037s", "18446744073709551616",
                                      "1ss"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(wick_opt_time(bad[i], 1, &ns), -WICK_E_USAGE);
}

static void test_option__sizes_are_powers_of_1024(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},        {"512", 512},      {"512b", 512},        {"1k", 1024},
                {"1.5K", 1536},  {"64m", 64 << 20}, {"2GiB", 2ull << 30}, {"1t", (uint64_t)1 << 40},
                {"3MB", 3 << 20}};
    uint64_t v = 0;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(wick_opt_size(good[i].text, &v), 0);
        assert_true(v == good[i].bytes);
    }
    assert_int_equal(wick_opt_size("1p", &v), -WICK_E_USAGE);
    assert_int_equal(wick_opt_size("99999999t", &v), -WICK_E_USAGE);
}

static void test_option__command_line_takes_options_anywhere_and_stops_at_dashes(void **state)
{
    (void)state;
    char *argv[] = {"record", "-e",   "wall", "app", "--interval=1ms", "-d5", "-t", "--chunk-size", "2m",
                    "--",     "java", "-e",   NULL};
    char *rest[16];
    int n, dd;
    struct wick_opts o;
    struct wick_err err = {0};
    wick_opt_defaults(&o);
    assert_int_equal(wick_opt_parse_args(12, argv, WICK_CMD_RECORD, &o, rest, &n, &dd, &err), 0);
    assert_int_equal(n, 3);
    assert_int_equal(dd, 1);
    assert_string_equal(rest[0], "app");
    assert_string_equal(rest[2], "-e");
    assert_string_equal(o.s.event, "wall");
    assert_int_equal(o.s.interval_ns, 1000000);
    assert_int_equal(o.duration_ns, 5000000000);
    assert_int_equal(o.s.chunk_size_bytes, 2 << 20);
    assert_true(o.s.threads);
}

static void test_option__command_line_refuses_what_is_not_its_own(void **state)
{
    (void)state;
    char *json[] = {"record", "--json"}, *missing[] = {"record", "-d"}, *unknown[] = {"record", "-Z"};
    char *swallowed[] = {"record", "--nativelock", "-d", "1", "4711"};
    char *rest[4];
    int n, dd;
    struct wick_opts o;
    struct wick_err err = {0};
    wick_opt_defaults(&o);
    assert_int_equal(wick_opt_parse_args(2, json, WICK_CMD_RECORD, &o, rest, &n, &dd, &err), -WICK_E_USAGE);
    assert_int_equal(wick_opt_parse_args(2, json, WICK_CMD_PS, &o, rest, &n, &dd, &err), 0);
    assert_int_equal(wick_opt_parse_args(2, missing, WICK_CMD_RECORD, &o, rest, &n, &dd, &err), -WICK_E_USAGE);
    assert_int_equal(wick_opt_parse_args(2, unknown, WICK_CMD_RECORD, &o, rest, &n, &dd, &err), -WICK_E_USAGE);
    assert_int_equal(wick_opt_parse_args(5, swallowed, WICK_CMD_RECORD, &o, rest, &n, &dd, &err), -WICK_E_USAGE);
    assert_non_null(strstr(err.msg, "--nativelock: '-d' is not [THRESHOLD/]INTERVAL"));
}

static void test_change__events_change_together_and_the_rest_stays(void **state)
{
    (void)state;
    struct wick_opts now, asked;
    struct wick_session_opts o;
    struct wick_err err = {0};
    enum wick_opt_action action;
    assert_int_equal(parse("start,event=cpu,interval=1ms,alloc=64k,live,ttsp,jstackdepth=99,memlimit=8m,file=x.jfr",
                           &now, &action, &err),
                     0);
    assert_int_equal(parse("change,interval=5ms", &asked, &action, &err), 0);
    assert_int_equal(action, WICK_ACTION_CHANGE);
    wick_opt_change(&now.s, &asked, &o);
    assert_int_equal(o.interval_ns, 5000000);
    assert_string_equal(o.event, "cpu");
    assert_string_equal(o.alloc, "64k");
    assert_true(o.live && o.ttsp);
    assert_int_equal(parse("change,event=wall,memlimit=64m,file=y.jfr,chunk-time=9s", &asked, &action, &err), 0);
    wick_opt_change(&now.s, &asked, &o);
    assert_string_equal(o.event, "wall");
    assert_string_equal(o.alloc, "");
    assert_false(o.live || o.ttsp);
    assert_int_equal(o.interval_ns, 1000000);
    assert_int_equal(o.depth.most, 99);
    assert_int_equal(o.memlimit_bytes, 8 << 20); /* what cannot change */
    assert_string_equal(o.file, "x.jfr");
    assert_int_equal(parse("change,event=cache-misses", &asked, &action, &err), 0);
    wick_opt_change(&now.s, &asked, &o);
    assert_int_equal(o.interval_ns, 10000000); /* the default: a time is no number of occurrences */
    assert_int_equal(parse("change,lock=1ms", &asked, &action, &err), 0);
    wick_opt_change(&now.s, &asked, &now.s); /* in place */
    assert_string_equal(now.s.event, "");
    assert_string_equal(now.s.lock, "1ms");
    assert_string_equal(now.s.alloc, "");
}

static void test_pattern__all_marks_are_replaced(void **state)
{
    (void)state;
    char out[128];
    setenv("TZ", "UTC", 1);
    setenv("WICK_TEST_NAME", "blue", 1);
    assert_int_equal(
        wick_opt_expand("a-%p-%t-%n-%n{3}-%{WICK_TEST_NAME}%{NOT_SET}-100%%-%x", 42, 86400, 7, out, sizeof out), 0);
    assert_string_equal(out, "a-42-19700102-000000-7-1-blue-100%-%x");
    assert_int_equal(wick_opt_expand("%p", 42, 0, 0, out, 2), -WICK_E_LIMIT);
    assert_int_equal(wick_opt_expand("%", 42, 0, 0, out, sizeof out), 0);
    assert_string_equal(out, "%");
    assert_int_equal(wick_opt_expand("%{open", 42, 0, 0, out, sizeof out), 0);
    assert_string_equal(out, "%{open");
    assert_true(wick_opt_is_sequence("x-%n{4}.jfr"));
    assert_false(wick_opt_is_sequence("x-%%n.jfr"));
    assert_int_equal(wick_opt_sequence_max("x-%n{4}.jfr"), 4);
    assert_int_equal(wick_opt_sequence_max("x-%%n{4}-%n.jfr"), 0);
    assert_int_equal(wick_opt_sequence_max("x-%n{4"), 0);
}

static void test_pattern__what_is_fixed_stays_as_it_is(void **state)
{
    (void)state;
    char out[128], twice[128];
    setenv("WICK_TEST_NAME", "5%n%%", 1);
    assert_int_equal(wick_opt_fix("%{WICK_TEST_NAME}-%p-%t-%n{3}-%%p%", 42, out, sizeof out), 0);
    assert_string_equal(out, "5%%n%%%%-42-%t-%n{3}-%%p%");
    assert_int_equal(wick_opt_expand(out, 7, 86400, 4, twice, sizeof twice), 0);
    assert_string_equal(twice, "5%n%%-42-19700102-000000-1-%p%");
    assert_int_equal(wick_opt_fix("%p", 42, out, 2), -WICK_E_LIMIT);
}

/* The agent's string as a user writes it, through to the engines' settings. */
static int events_of(const char *text, struct wick_opt_events *out)
{
    struct wick_opts o;
    struct wick_err err = {0};
    enum wick_opt_action action;
    wick_opt_defaults(&o);
    int rc = wick_opt_parse_agent(text, strlen(text), &o, &action, &err);
    return rc ? rc : wick_opt_events(&o.s, out, &err);
}

static void test_events__every_word_is_known_and_in_the_help(void **state)
{
    (void)state;
    enum { CPU, BESIDE };
    static const struct {
        const char *word;
        int sort;
    } words[] = {
#define X(word, sort, ...) {word, sort},
#include "def/event_word.def"
#undef X
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct wick_session_opts o = {.interval_ns = 1};
        struct wick_opt_events e;
        struct wick_err err = {0};
        snprintf(o.event, sizeof o.event, "%s,%s", words[i].word, words[i].sort == CPU ? "wall" : "cycles");
        assert_int_equal(wick_opt_events(&o, &e, &err), 0);
        assert_string_equal(e.cpu, words[i].sort == CPU ? words[i].word
                                                        : "cycles"); /* one beside is not taken for a perf event */
        assert_non_null(strstr(wick_opt_table[WICK_OPT_I_event].help, words[i].word));
        snprintf(o.event, sizeof o.event, "x,y");
        assert_int_equal(wick_opt_events(&o, &e, &err), -WICK_E_USAGE);
        assert_int_equal(strstr(err.msg, words[i].word) != NULL,
                         words[i].sort == BESIDE || !strcmp(words[i].word, "cpu"));
    }
}

static void test_events__cpu_and_wall_alone_and_together(void **state)
{
    static const struct {
        const char *text, *cpu;
        uint64_t cpu_interval, wall_ns;
    } cases[] = {
        {"start", "cpu", 10000000, 0},
        {"start,event=wall", "", 10000000, 10000000},
        {"start,event=wall,interval=3ms", "", 3000000, 3000000},
        {"start,event=cpu,wall,interval=1ms", "cpu", 1000000, 10000000},
        {"start,event=cpu\\,wall", "cpu", 10000000, 10000000},
        {"start,event=wall\\,ctimer,wall=50ms", "ctimer", 10000000, 50000000},
        {"start,wall=20ms", "", 10000000, 20000000},
        {"start,wall", "", 10000000, 10000000},
        {"start,cpu,wall", "cpu", 10000000, 10000000},
        {"start,event=wall,event=cpu", "cpu", 10000000, 10000000},
        {"start,event=page-faults,interval=7,wall=1s", "page-faults", 7, 1000000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_opt_events e;
        assert_int_equal(events_of(cases[i].text, &e), 0);
        assert_string_equal(e.cpu, cases[i].cpu);
        assert_int_equal(e.cpu_interval, cases[i].cpu_interval);
        assert_int_equal(e.wall_ns, cases[i].wall_ns);
    }
}

static void test_events__allocations_have_a_size(void **state)
{
    static const struct {
        const char *text, *cpu;
        uint64_t alloc;
    } cases[] = {
        {"start,event=alloc", "", 512 << 10},
        {"start,alloc", "", 512 << 10},
        {"start,alloc=1m", "", 1 << 20},
        {"start,event=cpu,alloc=64k", "cpu", 64 << 10},
        {"start,event=alloc=100", "", 100},
        {"start,event=cpu\\,alloc=2k\\,lock", "cpu", 2048},
        {"start,alloc=0", "", 0} /* every object */,
        {"start,alloc=1g", "", 1 << 30},
    };
    static const char *const bad[] = {"start,alloc=x", "start,alloc=2g", "start,event=alloc=1ms",
                                      "start,event=allocs\\,cpu"};
    struct wick_opt_events e;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(events_of(cases[i].text, &e), 0);
        assert_string_equal(e.cpu, cases[i].cpu);
        assert_true(e.alloc.on);
        assert_int_equal(e.alloc.interval, cases[i].alloc);
    }
    assert_int_equal(events_of("start,event=cpu", &e), 0);
    assert_false(e.alloc.on);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(events_of(bad[i], &e), -WICK_E_USAGE);
}

static void test_events__native_memory_has_a_size_and_zero_is_every_allocation(void **state)
{
    static const struct {
        const char *text, *cpu;
        uint64_t interval;
    } cases[] = {
        {"start,event=nativemem", "", 512 << 10}, {"start,nativemem", "", 512 << 10},
        {"start,nativemem=1m", "", 1 << 20},      {"start,event=cpu,nativemem=64k", "cpu", 64 << 10},
        {"start,event=nativemem=0", "", 0},       {"start,event=cpu\\,nativemem=2k\\,lock", "cpu", 2048},
    };
    static const char *const bad[] = {"start,nativemem=x", "start,nativemem=2g", "start,event=nativemem=1ms"};
    struct wick_opt_events e;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(events_of(cases[i].text, &e), 0);
        assert_string_equal(e.cpu, cases[i].cpu);
        assert_true(e.nativemem.on);
        assert_int_equal(e.nativemem.interval, cases[i].interval);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(events_of(bad[i], &e), -WICK_E_USAGE);
    assert_int_equal(events_of("start,event=cpu,alloc", &e), 0);
    assert_false(e.nativemem.on);
}

static void test_events__locks_have_a_threshold_and_an_interval(void **state)
{
    static const struct {
        const char *text, *cpu;
        uint64_t threshold_ns, interval_ns;
        int native; /* 0: locks of Java; 1: of the C library; 2: both, these are the latter's */
    } cases[] = {
        {"start,event=nativelock", "", 0, 10000000, 1},
        {"start,event=cpu,nativelock=10us/1ms", "cpu", 10000, 1000000, 1},
        {"start,event=cpu\\,lock=1us/2us\\,nativelock=20us/2ms", "cpu", 20000, 2000000, 2},
        {"start,event=cpu,lock,nativelock=/3ms", "cpu", 0, 3000000, 2},
        {"start,event=lock", "", 0, 10000000},
        {"start,event=cpu,lock", "cpu", 0, 10000000},
        {"start,event=lock=10us", "", 0, 10000}, /* as in async-profiler: the interval */
        {"start,lock=1m", "", 0, 1000000},
        {"start,lock=0", "", 0, 1}, /* every wait */
        {"start,event=lock=10us/", "", 10000, 10000000},
        {"start,event=cpu\\,lock=10us/1ms\\,wall", "cpu", 10000, 1000000},
        {"start,lock=/200us", "", 0, 200000},
        {"start,cpu,lock=/200us", "cpu", 0, 200000},
    };
    static const char *const bad[] = {"start,lock=x",
                                      "start,lock=/",
                                      "start,lock=1ms/x",
                                      "start,lock=1k",
                                      "start,event=lock=/1x",
                                      "start,event=locks\\,cpu",
                                      "start,nativelock=x",
                                      "start,event=nativelock=/1x",
                                      "start,event=nativelocks\\,cpu"};
    struct wick_opt_events e;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(events_of(cases[i].text, &e), 0);
        assert_string_equal(e.cpu, cases[i].cpu);
        const struct wick_opt_waits *w = cases[i].native ? &e.native_lock : &e.lock;
        assert_true(w->on);
        assert_int_equal(w->threshold_ns, cases[i].threshold_ns);
        assert_int_equal(w->interval_ns, cases[i].interval_ns);
        assert_true(w->interval_given == (cases[i].interval_ns != WICK_OPT_LOCK_DEFAULT_NS));
        assert_true(e.lock.on == (cases[i].native != 1));
        assert_true(e.native_lock.on == (cases[i].native != 0));
    }
    assert_int_equal(events_of("start,lock=10ms", &e), 0);
    assert_true(e.lock.interval_given); /* the default's value, but the user's choice */
    assert_int_equal(events_of("start", &e), 0);
    assert_false(e.lock.on || e.native_lock.on);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(events_of(bad[i], &e), -WICK_E_USAGE);
}

static void test_events__two_of_one_sort_are_refused(void **state)
{
    static const char *const bad[] = {"start,event=cpu\\,ctimer",  "start,event=cpu\\,", "start,event=\\,wall",
                                      "start,event=cpu\\,\\,wall", "start,wall=1us",     "start,wall=x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct wick_opt_events e;
        assert_int_equal(events_of(bad[i], &e), -WICK_E_USAGE);
    }
}

static void check_when(const char *text, int64_t want)
{
    const int64_t start = INT64_C(1763767800500000000), end = start + INT64_C(100000000000); /* 2025-11-21 23:30:00.5 */
    int64_t at = 0;
    assert_int_equal(wick_opt_when(text, start, end, &at), 0);
    assert_int_equal(at - start, want);
}

static void test_when__times_count_from_begin_end_share_midnight_or_1970(void **state)
{
    static const char *const wrong[] = {"", "%", "101%", "-5%", "x", "10:", "25:00:00", "@", "@x", "1h2", "2025-11-21"};
    int64_t at;
    check_when("90s", INT64_C(90000000000));
    check_when("+1500ms", INT64_C(1500000000));
    check_when("90", INT64_C(90000000000));
    check_when("-10s", INT64_C(90000000000));
    check_when("0%", 0);
    check_when("25%", INT64_C(25000000000));
    check_when("2025-11-21T23:30:10.25Z", INT64_C(9750000000));
    check_when("2025-11-21 23:30:10", INT64_C(9500000000));
    check_when("23:30:10", INT64_C(9500000000));
    check_when("00:00:00", INT64_C(1799500000000));
    check_when("@1763767801.75", INT64_C(1250000000));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(wick_opt_when(wrong[i], 0, 1000, &at), -WICK_E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_option__out_of_range_names_the_limit),
        cmocka_unit_test(test_events__every_word_is_known_and_in_the_help),
        cmocka_unit_test(test_events__cpu_and_wall_alone_and_together),
        cmocka_unit_test(test_events__allocations_have_a_size),
        cmocka_unit_test(test_events__native_memory_has_a_size_and_zero_is_every_allocation),
        cmocka_unit_test(test_events__locks_have_a_threshold_and_an_interval),
        cmocka_unit_test(test_events__two_of_one_sort_are_refused),
        cmocka_unit_test(test_option__every_default_is_a_value_the_parser_takes),
        cmocka_unit_test(test_option__names_and_letters_are_unique_within_a_command),
        cmocka_unit_test(test_option__agent_string_spelled_as_async_profiler_does),
        cmocka_unit_test(test_option__backslash_keeps_a_comma_in_a_file_name),
        cmocka_unit_test(test_option__wrong_input_is_refused_with_a_sentence),
        cmocka_unit_test(test_option__what_only_async_profiler_has_is_ignored),
        cmocka_unit_test(test_option__values_mean_what_they_mean_in_async_profiler),
        cmocka_unit_test(test_option__what_the_command_sends_means_the_same_to_the_agent),
        cmocka_unit_test(test_until__the_next_time_the_clock_shows_it),
        cmocka_unit_test(test_option__a_slip_of_the_finger_gets_a_suggestion),
        cmocka_unit_test(test_option__nul_and_overlong_items_are_refused),
        cmocka_unit_test(test_option__times_are_exact_integers),
        cmocka_unit_test(test_option__sizes_are_powers_of_1024),
        cmocka_unit_test(test_option__command_line_takes_options_anywhere_and_stops_at_dashes),
        cmocka_unit_test(test_option__command_line_refuses_what_is_not_its_own),
        cmocka_unit_test(test_change__events_change_together_and_the_rest_stays),
        cmocka_unit_test(test_pattern__all_marks_are_replaced),
        cmocka_unit_test(test_pattern__what_is_fixed_stays_as_it_is),
        cmocka_unit_test(test_when__times_count_from_begin_end_share_midnight_or_1970),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
