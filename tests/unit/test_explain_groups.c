/* SPDX-License-Identifier: Apache-2.0 */
/* Whose the cause is: groups of findings, the headline, the account of time behind both, and what selects the samples
 * of a finding. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/explain/explain_head.h"
#include "cli/explain/explain_text.h"
#include "cli/input/inputs.h"
#include "explain_scene.h"

static const struct scene busy = {.got = 10000, .sampled = 10000, .hot = 1000, .run = 9000, .rss = 1, .limit = 1 << 30};

/* What was found in a scene; release() ends it. */
struct found {
    struct wick_explain_findings all;
    struct wick_explain_facts f;
    struct wick_profile p;
    char path[64];
    int fd;
};

static void explain_part(struct found *o, struct scene s, const struct wick_range *range)
{
    char *const paths[] = {o->path};
    struct wick_err err = {0};
    o->fd = explain_scene_record(&s);
    assert_true(o->fd >= 0);
    snprintf(o->path, sizeof o->path, "/proc/self/fd/%d", o->fd);
    assert_int_equal(wick_profile_init(&o->p), 0);
    if (wick_explain_read(&o->f, &o->p, paths, 1, range, wick_cli_read_events, &err) ||
        wick_explain_apply(&o->all, &o->f, &err))
        fail_msg("%s", err.msg);
}

static void explain(struct found *o, struct scene s)
{
    explain_part(o, s, NULL);
}

static void release(struct found *o)
{
    wick_explain_findings_release(&o->all);
    wick_explain_release(&o->f);
    wick_profile_release(&o->p);
    close(o->fd);
}

#define SCENE(...)             \
    ({                         \
        struct scene s = busy; \
        struct scene *c = &s;  \
        (void)(__VA_ARGS__);   \
        s;                     \
    })

static void headline_begins(const struct found *o, const char *with)
{
    struct wick_strbuf line = WICK_STRBUF_INIT;
    wick_explain_text_headline(&line, &o->all);
    if (strncmp(line.len ? line.buf : "", with, strlen(with)) != 0)
        fail_msg("\"%s\" does not begin with \"%s\"", line.buf, with);
    wick_strbuf_release(&line);
}

static const char *rule(const struct found *o, size_t i)
{
    return i < o->all.n ? o->all.rows[i].rule->name : "none";
}

/* 51 s of waiting for CPUs in ten seconds, in which collections stopped the program for 8.2 s. */
static void test_groups__a_collector_that_stops_the_program_is_not_buried_by_starvation(void **state)
{
    struct found o;
    (void)state;
    explain(&o, SCENE(c->delay = 51000, c->pauses = 8200));
    assert_string_equal(rule(&o, 0), "gc-pauses");
    headline_begins(&o, "Mostly the JVM: collections that stop the program, 82 % of the time in which threads have "
                        "work; the machine: waiting for a CPU, 15 %.");
    release(&o);
    explain(&o, SCENE(c->delay = 51000, c->pauses = 1200));
    assert_string_equal(rule(&o, 0), "cpu-starvation");
    headline_begins(&o, "Mostly the machine: waiting for a CPU, 7");
    release(&o);
    explain(&o, SCENE(c->delay = 51000, c->pauses = 4500));
    headline_begins(&o, "In about equal parts the machine: waiting for a CPU, 4");
    release(&o);
}

static void test_groups__are_together_and_cautions_last(void **state)
{
    struct found o;
    unsigned changes = 0;
    (void)state;
    explain(&o, SCENE(c->delay = 51000, c->throttled = 50, c->periods = 100, c->hot = 8000, c->pauses = 2000,
                      c->fired = 10, c->dropped = 9, c->biased = 9000));
    for (size_t i = 1; i < o.all.n; i++)
        changes += o.all.rows[i].rule->group != o.all.rows[i - 1].rule->group;
    assert_int_equal(changes, 3); /* four groups */
    assert_int_equal(o.all.rows[o.all.n - 1].rule->group, WICK_EXPLAIN_OF_PROFILE);
    release(&o);
}

static void test_headline__is_silent_without_a_cause(void **state)
{
    struct found o;
    (void)state;
    explain(&o, busy);
    headline_begins(&o, "");
    assert_int_equal(o.all.n, 0);
    release(&o);
    explain(&o, SCENE(c->fired = 10, c->dropped = 9));
    assert_int_equal(o.all.n, 1);
    struct wick_strbuf line = WICK_STRBUF_INIT;
    wick_explain_text_headline(&line, &o.all);
    assert_int_equal(line.len, 0);
    wick_strbuf_release(&line);
    release(&o);
}

static void test_headline__gives_no_share_of_what_is_no_time(void **state)
{
    struct found o;
    (void)state;
    explain(&o, SCENE(c->rss = 990ull << 20));
    headline_begins(&o, "It is the machine: the memory limit.");
    release(&o);
}

static char *written(const struct found *o)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    wick_explain_text_write(&o->all, &o->f, &(struct wick_explain_input){NULL, 0, 4711}, false, out);
    fclose(out);
    return text;
}

static void begins_with(const struct found *o, const char *head)
{
    char *text = written(o);
    if (strncmp(text, head, strlen(head)) != 0)
        fail_msg("does not begin with \"%s\":\n%s", head, text);
    assert_null(strstr(text, "4711"));
    free(text);
}

static void test_head__says_what_was_recorded(void **state)
{
    struct found o;
    (void)state;
    explain(&o, busy);
    begins_with(&o, "10.0 s: 3 threads, 1.00 CPUs used of 2\n");
    o.f.program = wick_profile_cstring(&o.p, "app.Main --secret 4711");
    o.f.jvm_version = wick_profile_cstring(&o.p, "21.0.8+9-LTS");
    begins_with(&o, "10.0 s of Main on JDK 21.0.8+9: ");
    o.f.program = wick_profile_cstring(&o.p, "/srv/shop-1.2.jar --port 4711");
    begins_with(&o, "10.0 s of shop-1.2.jar on JDK 21.0.8+9: ");
    o.f.programs_differ = true;
    begins_with(&o, "10.0 s: ");
    o.f.programs_differ = false;
    o.f.rivals = 1;
    begins_with(&o, "10.0 s of the whole machine: ");
    release(&o);
}

static void test_head__reads_the_versions_of_all_jdks(void **state)
{
    static const char *const cases[][2] = {{"25.412-b08", "8u412"},
                                           {"11.0.30+7", "11.0.30+7"},
                                           {"27-ea+5-123", "27-ea+5-123"},
                                           {"OpenJDK 64-Bit Server VM (17.0.2+8-Debian) for linux-amd64", "17.0.2+8"},
                                           {"", ""},
                                           {"(", ""},
                                           {"unknown", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wick_strbuf out = WICK_STRBUF_INIT;
        wick_explain_head_jdk(&out, cases[i][0]);
        assert_string_equal(out.len ? out.buf : "", cases[i][1]);
        wick_strbuf_release(&out);
    }
}

/* Of a service that does nothing it is not known whether it is well. */
static void test_text__does_not_call_a_dead_service_well(void **state)
{
    struct found o;
    (void)state;
    explain(&o, busy);
    char *text = written(&o);
    assert_non_null(strstr(text, "Nothing stands out in 10.0 s.\n"));
    free(text);
    release(&o);
    explain(&o, (struct scene){.got = 50, .sampled = 50});
    text = written(&o);
    assert_null(strstr(text, "stands out"));
    assert_non_null(strstr(text, "did next to nothing in 10.0 s (0.005 CPUs): it had no work, or it stopped working.\n"
                                 "   -> wick stack 4711 shows what its threads wait for\n"));
    free(text);
    release(&o);
}

/* Half of the time stopped: as much is lost as the rest was used for. */
static void test_parts__add_up(void **state)
{
    struct found o;
    (void)state;
    explain(&o, SCENE(c->collector = 6000, c->delay = 5000, c->run = 6000, c->monitor = 1000, c->stall = 2000,
                      c->pauses = 5000));
    const struct wick_explain_parts *t = &o.all.parts;
    assert_true(fabs(t->computed_ns - 4e9) < 1e6);
    assert_true(fabs(t->collector_ns) < 1e6); /* it is at work in its pauses, on four CPUs */
    assert_true(fabs(t->starved_ns - 5e9) < 1e6);
    assert_true(fabs(t->waited_ns - 1e9) < 1e7);
    assert_true(fabs(t->stalled_ns - 2e9) < 1e7);
    assert_true(fabs(t->stopped_ns - 12e9) < 3e7);
    assert_true(fabs(wick_explain_whole(t) - 24e9) < 5e7);
    release(&o);
}

static void test_json__has_group_and_evidence(void **state)
{
    struct found o;
    char *text = NULL, path[] = "it's.jfr", *const paths[] = {path};
    size_t len;
    (void)state;
    explain(&o, SCENE(c->hot = 6000));
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    wick_explain_text_write(&o.all, &o.f, &(struct wick_explain_input){paths, 1, 0}, true, out);
    fclose(out);
    static const char *const parts[] = {
        "\"headline\":\"Time goes to computing in app.Main.hot:7, ",
        "\"groups\":[{\"group\":\"program\",\"share\":0.6}]",
        "{\"rule\":\"hot-method\",\"group\":\"program\",\"basis\":\"samples\",\"neutral\":true,",
        "\"evidence\":{\"from_ns\":1700000000000000000,\"to_ns\":1700000010000000000,",
        "\"view\":\"cpu\",\"filters\":[{\"option\":\"include\",\"value\":\"^app\\\\.Main\\\\.hot$\"}]",
        "\"command\":\"wick flame -e cpu --include '^app\\\\.Main\\\\.hot$' -o hot-method.html 'it'\\\\''s.jfr'\""};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(text, parts[i]))
            fail_msg("no %s in:\n%s", parts[i], text);
    free(text);
    release(&o);
}

/* The picture is of what the sentences are of. */
static void test_commands__have_the_range(void **state)
{
    static const struct {
        struct wick_range range;
        const char *text;
    } cases[] = {
        {{1700000002500000000, 1700000008000000001},
         "wick flame -e cpu --from @1700000002.500000000 --to @1700000008.000000001 --include "},
        {{0, 1700000008000000000}, "wick flame -e cpu --to @1700000008.000000000 --include "},
        {{0, 0}, "wick flame -e cpu --include "},
    };
    char path[] = "x.jfr", *const paths[] = {path};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int json = 0; json < 2; json++) {
            struct found o;
            char *text = NULL;
            size_t len;
            explain_part(&o, SCENE(c->hot = 6000), &cases[i].range);
            FILE *out = open_memstream(&text, &len);
            assert_non_null(out);
            wick_explain_text_write(&o.all, &o.f, &(struct wick_explain_input){paths, 1, 0}, json, out);
            fclose(out);
            if (!strstr(text, cases[i].text))
                fail_msg("no %s in:\n%s", cases[i].text, text);
            free(text);
            release(&o);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups__a_collector_that_stops_the_program_is_not_buried_by_starvation),
        cmocka_unit_test(test_groups__are_together_and_cautions_last),
        cmocka_unit_test(test_headline__is_silent_without_a_cause),
        cmocka_unit_test(test_headline__gives_no_share_of_what_is_no_time),
        cmocka_unit_test(test_text__does_not_call_a_dead_service_well),
        cmocka_unit_test(test_head__says_what_was_recorded),
        cmocka_unit_test(test_head__reads_the_versions_of_all_jdks),
        cmocka_unit_test(test_parts__add_up),
        cmocka_unit_test(test_json__has_group_and_evidence),
        cmocka_unit_test(test_commands__have_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
