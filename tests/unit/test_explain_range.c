/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain`, `locks`, `ttsp` and `memory` say of a part of a recording (../jfr/halves.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../jfr/halves.h"
#include "analysis/explain/explain_rules.h"
#include "cli/input/inputs.h"
#include "explain_scene.h"

#define SECOND  HALVES_SECOND
#define SECONDS HALVES_SECONDS
#define HALF    HALVES_HALF
#define SAMPLES HALVES_SAMPLES

static int record(void)
{
    int fd = memfd_create("range", MFD_CLOEXEC);
    assert_int_equal(halves_write(dup(fd)), 0);
    return fd;
}

static struct wick_range seconds(double from, double to)
{
    return (struct wick_range){(int64_t)HALVES_TIME_NS + (int64_t)(from * 1e9),
                               (int64_t)HALVES_TIME_NS + (int64_t)(to * 1e9)};
}

/* A recording that is being judged. */
struct judged {
    int fd;
    char path[64], *paths[1];
    struct wick_profile p;
    struct wick_explain_facts f;
    struct wick_explain_findings all;
};

static void judge_file(struct judged *j, int fd, const struct wick_range *range)
{
    struct wick_err err = {0};
    assert_true(fd >= 0);
    j->fd = fd;
    snprintf(j->path, sizeof j->path, "/proc/self/fd/%d", j->fd);
    j->paths[0] = j->path;
    assert_int_equal(wick_profile_init(&j->p), 0);
    assert_int_equal(wick_explain_read(&j->f, &j->p, j->paths, 1, range, wick_cli_read_events, &err), 0);
    assert_int_equal(wick_explain_apply(&j->all, &j->f, &err), 0);
}

static void judge(struct judged *j, const struct wick_range *range)
{
    judge_file(j, record(), range);
}

static void judge_scene(struct judged *j, const struct scene *s, double from, double to)
{
    const struct wick_range range = seconds(from, to);
    judge_file(j, explain_scene_record(s), &range);
}

static void release(struct judged *j)
{
    wick_explain_findings_release(&j->all);
    wick_explain_release(&j->f);
    wick_profile_release(&j->p);
    close(j->fd);
}

static const struct wick_explain_finding *found(const struct judged *j, const char *rule)
{
    for (size_t i = 0; i < j->all.n; i++)
        if (!strcmp(j->all.rows[i].rule->name, rule))
            return &j->all.rows[i];
    return NULL;
}

static const char *frame_of(const struct wick_explain_finding *f)
{
    for (unsigned i = 0; f && i < f->n; i++)
        if (!strcmp(f->figures[i].key, "frame"))
            return f->figures[i].text;
    return "";
}

static void test_range__what_lasts_counts_with_its_part(void **state)
{
    const struct wick_range all = {0}, r = {100, 200}, open = {100, 0};
    int64_t start = 50, end = 150;
    (void)state;
    assert_true(wick_range_is_all(&all));
    assert_int_equal(wick_range_part(&all, 7, -5, 10), 7);
    assert_int_equal(wick_range_part(&r, 1000, 50, 100), 500);
    assert_int_equal(wick_range_part(&r, 1000, 0, 400), 250);
    assert_int_equal(wick_range_part(&r, 1000, 200, 10), 0);
    assert_int_equal(wick_range_part(&open, 1000, 50, 100), 500);
    assert_int_equal(wick_range_part(&r, INT64_MAX, INT64_MIN, INT64_MAX), 0);
    assert_int_equal(wick_range_part(&open, INT64_MAX, INT64_MAX - 1, INT64_MAX), INT64_MAX);
    assert_true(wick_range_has(&r, 100) && !wick_range_has(&r, 200) && wick_range_touches(&r, 199, 0));
    assert_false(wick_range_touches(&r, 0, 100));
    wick_range_clip(&r, &start, &end);
    assert_int_equal(start, 100);
    assert_int_equal(end, 150);
    wick_range_clip(&(struct wick_range){300, 400}, &start, &end);
    assert_int_equal(start, end);
}

/* What happened once is in one part, wherever the time is divided. */
static void test_range__parts_add_up(void **state)
{
    (void)state;
    for (int64_t at = 50; at < 160; at++) {
        const struct wick_range before = {0, at}, middle = {at, at + 7}, after = {at + 7, 0};
        for (int64_t v = 0; v < 5; v++)
            assert_int_equal(wick_range_part(&before, v, 50, 100) + wick_range_part(&middle, v, 50, 100) +
                                 wick_range_part(&after, v, 50, 100),
                             v);
    }
}

static void test_explain__of_a_range_has_what_happened_in_it(void **state)
{
    const struct wick_range first = seconds(0, HALF), last = seconds(HALF, SECONDS);
    struct judged a, b;
    (void)state;
    judge(&a, &first);
    judge(&b, &last);
    assert_int_equal(a.f.duration_ns, HALF * SECOND);
    assert_string_equal(frame_of(found(&a, "hot-method")), "app.Main.first:7");
    assert_non_null(strstr(frame_of(found(&b, "hot-method")), "app.Main.last"));
    assert_null(found(&a, "cpu-limit")); /* not stopped then */
    assert_non_null(found(&b, "cpu-limit"));
    assert_int_equal(a.f.periods.grown, 10 * HALF);
    assert_int_equal(b.f.throttled.grown, 5 * (HALF - 1)); /* nothing is known after the last reading */
    assert_int_equal(a.f.got_ns, HALF * SECOND);
    assert_int_equal(a.f.ttsp.nslow, 0);
    assert_int_equal(b.f.ttsp.nslow, 1);
    assert_int_equal(b.f.ttsp.nculprits, 1);
    assert_int_equal(a.f.locks.nrows, 0);
    assert_int_equal(b.f.locks.nrows, 1);
    assert_int_equal(a.f.memory.part[WICK_MEMORY_MALLOC].now.resident, (uint64_t)HALF << 20);
    assert_int_equal(b.p.start_ns, last.from_ns);
    release(&a);
    release(&b);
}

static void test_explain__parts_of_a_second_count_in_part(void **state)
{
    const struct wick_range r = seconds(1.25, 1.75);
    struct judged j;
    (void)state;
    judge(&j, &r);
    assert_int_equal(j.f.got_ns, SECOND / 2);
    assert_int_equal(j.f.hungry_delay_ns, SECOND / 4);
    assert_int_equal(j.f.periods.grown, 5);
    assert_int_equal(j.f.ncpu, SAMPLES / 2);
    release(&j);
}

static double operations(const struct judged *j)
{
    double sum = 0;
    for (size_t i = 0; i < j->f.operations.n; i++)
        sum += j->f.operations.rows[i].sum;
    return sum;
}

static void test_explain__a_part_has_its_part_of_operations_kills_and_the_compiler_off(void **state)
{
    const struct scene s = {.got = 1000, .sampled = 1000, .operation = 600, .compiler_off = 4000, .kills = 1};
    struct judged a, b;
    (void)state;
    judge_scene(&a, &s, 0, 0.5);
    judge_scene(&b, &s, 0.5, 10);
    assert_true(operations(&a) == 0.3e9 && operations(&b) == 0.3e9);
    assert_int_equal(a.f.oom_kills.grown + b.f.oom_kills.grown, 1);
    assert_int_equal(a.f.off_ns, SECOND / 2);
    assert_int_equal(b.f.off_ns, 7 * SECOND / 2);
    release(&a);
    release(&b);
}

/* That a kind of sample has none in the range does not mean that it was not recorded. */
static void test_explain__samples_after_the_range_were_recorded(void **state)
{
    const struct scene s = {.got = 1000, .sampled = 1000, .run = 1000, .quiet = 5};
    struct judged j;
    (void)state;
    judge_scene(&j, &s, 0, 5);
    assert_int_equal(j.f.ncpu + j.f.nwall, 0);
    assert_true(j.f.has_cpu && j.f.has_wall);
    release(&j);
    judge_scene(&j, &(struct scene){.got = 1000, .quiet = 5}, 0, 5);
    assert_true(!j.f.has_cpu && !j.f.has_wall);
    release(&j);
}

static void test_explain__other_events_are_no_slow_threads(void **state)
{
    struct judged j;
    (void)state;
    judge(&j, NULL);
    assert_int_equal(j.f.ttsp.nculprits, 1);
    assert_int_equal(j.f.locks.nrows, 1); /* some of those others */
    release(&j);
}

static void test_explain__of_no_time_says_so(void **state)
{
    const struct wick_range r = seconds(100, 200);
    struct wick_explain_facts f;
    struct wick_profile p;
    struct wick_err err = {0};
    char path[64], *paths[] = {path};
    int fd = record();
    (void)state;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_explain_read(&f, &p, paths, 1, &r, wick_cli_read_events, &err), -WICK_E_NOTFOUND);
    assert_string_equal(err.msg, "nothing was recorded in that time");
    wick_explain_release(&f);
    wick_profile_release(&p);
    close(fd);
}

/* What is going on all of the time has no `when`; what is in a half has it. */
static void test_explain__a_finding_knows_when_it_was(void **state)
{
    const struct wick_range first = seconds(0, HALF);
    struct judged all, half;
    int64_t at = (int64_t)(HALVES_TIME_NS + 7 * SECOND);
    (void)state;
    judge(&all, NULL);
    judge(&half, &first);
    const struct wick_explain_finding *late = found(&all, "late-safepoints");
    assert_non_null(late);
    assert_true(late->when_from_ns <= at && late->when_to_ns > at);
    assert_true(late->when_to_ns - late->when_from_ns <= (int64_t)SECOND);
    const struct wick_explain_finding *hot = found(&all, "hot-method");
    assert_non_null(hot);
    bool is_first = strstr(frame_of(hot), "first") != NULL;
    assert_int_equal(hot->when_from_ns / (int64_t)SECOND, (HALVES_TIME_NS + (is_first ? 0 : HALF * SECOND)) / SECOND);
    assert_true(hot->when_to_ns - hot->when_from_ns <= (int64_t)(HALF * SECOND));
    assert_true(hot->when_share >= 0.8);
    assert_non_null(found(&half, "hot-method"));
    assert_int_equal(found(&half, "hot-method")->when_to_ns, 0); /* all of its time */
    release(&all);
    release(&half);
}

static void test_locks__of_a_range_are_waited_for_in_it(void **state)
{
    struct wick_lock_waits all, in;
    struct wick_profile p;
    struct wick_err err = {0};
    char path[64], *paths[] = {path};
    int fd = record();
    (void)state;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_lock_waits_read(&all, &p, paths, 1, wick_cli_read_events, &err), 0);
    struct wick_range r = seconds(7.75, 9);
    assert_int_equal(wick_lock_waits_choose(&in, &all, &r, NULL), 0);
    assert_int_equal(in.nlocks, 1);
    assert_int_equal(in.locks[0].total_ns, SECOND / 2); /* a quarter of the wait's weight */
    assert_int_equal(in.locks[0].longest_ns, SECOND / 4);
    assert_int_equal(in.rows[0].owner, all.rows[0].owner);
    wick_lock_waits_release(&in);
    r = seconds(0, 7);
    assert_int_equal(wick_lock_waits_choose(&in, &all, &r, NULL), 0);
    assert_int_equal(in.nlocks, 0);
    assert_true(in.recorded);
    wick_lock_waits_release(&in);
    bool threads[8] = {false};
    assert_in_range(all.rows[0].thread, 1, 7);
    assert_int_equal(wick_lock_waits_choose(&in, &all, &(struct wick_range){0}, threads), 0);
    assert_int_equal(in.nrows, 0);
    wick_lock_waits_release(&in);
    threads[all.rows[0].thread] = true;
    assert_int_equal(wick_lock_waits_choose(&in, &all, &(struct wick_range){0}, threads), 0);
    assert_int_equal(in.nrows, 1);
    wick_lock_waits_release(&in);
    wick_lock_waits_release(&all);
    wick_profile_release(&p);
    close(fd);
}

static void test_safepoints__of_a_range_are_slow_in_it(void **state)
{
    struct wick_ttsp_incidents all, in;
    struct wick_profile p;
    struct wick_err err = {0};
    char path[64], *paths[] = {path};
    int fd = record();
    (void)state;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_ttsp_incidents_read(&all, &p, paths, 1, wick_cli_read_events, &err), 0);
    assert_int_equal(all.safepoints, 8 * (SECONDS - 1));
    struct wick_range r = seconds(7.25, 7.75);
    assert_int_equal(wick_ttsp_incidents_choose(&in, &all, &r), 0);
    assert_int_equal(in.nslow, 1);
    assert_int_equal(in.nculprits, 1);
    assert_int_equal(in.culprits[in.slow[0].first].stack, all.culprits[0].stack);
    assert_int_equal(in.signals[in.culprits[0].first].attempt, 1);
    assert_int_equal(in.safepoints, 4);
    wick_ttsp_incidents_release(&in);
    r = seconds(0, 7);
    assert_int_equal(wick_ttsp_incidents_choose(&in, &all, &r), 0);
    assert_int_equal(in.nslow + in.nculprits, 0);
    assert_int_equal(in.safepoints, 8 * 7);
    wick_ttsp_incidents_release(&in);
    wick_ttsp_incidents_release(&all);
    wick_profile_release(&p);
    close(fd);
}

static uint64_t malloc_in(struct wick_range r, uint32_t *moments)
{
    struct wick_memory_use *u = calloc(1, sizeof *u);
    struct wick_profile p;
    struct wick_err err = {0};
    char path[64], *paths[] = {path};
    int fd = record();
    assert_non_null(u);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_memory_use_read(u, &p, paths, 1, &r, wick_cli_read_events, &err), 0);
    uint64_t resident = u->moments ? u->part[WICK_MEMORY_MALLOC].now.resident : 0;
    *moments = u->moments;
    wick_memory_use_release(u);
    wick_profile_release(&p);
    free(u);
    close(fd);
    return resident >> 20;
}

static void test_memory__of_a_range_is_that_of_its_readings(void **state)
{
    uint32_t moments;
    (void)state;
    assert_int_equal(malloc_in((struct wick_range){0}, &moments), SECONDS);
    assert_int_equal(moments, SECONDS);
    assert_int_equal(malloc_in(seconds(2, 5), &moments), 5);
    assert_int_equal(moments, 3);
    assert_int_equal(malloc_in(seconds(4.2, 4.8), &moments), 5); /* the last one before its end */
    assert_int_equal(moments, 1);
    assert_int_equal(malloc_in(seconds(-5, -1), &moments), 0);
    assert_int_equal(moments, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_range__what_lasts_counts_with_its_part),
        cmocka_unit_test(test_explain__of_a_range_has_what_happened_in_it),
        cmocka_unit_test(test_explain__parts_of_a_second_count_in_part),
        cmocka_unit_test(test_range__parts_add_up),
        cmocka_unit_test(test_explain__a_part_has_its_part_of_operations_kills_and_the_compiler_off),
        cmocka_unit_test(test_explain__samples_after_the_range_were_recorded),
        cmocka_unit_test(test_explain__other_events_are_no_slow_threads),
        cmocka_unit_test(test_explain__of_no_time_says_so),
        cmocka_unit_test(test_explain__a_finding_knows_when_it_was),
        cmocka_unit_test(test_locks__of_a_range_are_waited_for_in_it),
        cmocka_unit_test(test_safepoints__of_a_range_are_slow_in_it),
        cmocka_unit_test(test_memory__of_a_range_is_that_of_its_readings),
    };
    return cmocka_run_group_tests_name("explain_range", tests, NULL, NULL);
}
