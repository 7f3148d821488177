/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings made by the JDKs themselves, read and written as collapsed stacks (tests/golden/update.sh). */
#include "export/format_writers.h"
#include "jfr/reader/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Everything that `command` prints, or the file that `command` names; NUL-terminated, the caller frees it. */
static char *slurp(const char *command, bool is_command, size_t *size)
{
    FILE *f = is_command ? popen(command, "r") : fopen(command, "r");
    assert_non_null(f);
    char *all = malloc(1 << 20);
    *size = fread(all, 1, (1 << 20) - 1, f);
    all[*size] = 0;
    assert_int_equal(is_command ? pclose(f) : fclose(f), 0);
    assert_in_range(*size, 1, (1 << 20) - 2);
    return all;
}

struct expected {
    const char *name;
    uint64_t chunks, execution, native, cpu_time; /* as `jfr summary` counts them */
};

static void add_one(void *ctx, const struct wick_sample *s)
{
    wick_profile_add(ctx, s);
}

/* The recording as collapsed text, its samples summed up while reading or seen one by one. */
static char *collapsed_of(const char *recording, size_t size, bool one_by_one, const char *event)
{
    struct wick_profile p;
    struct wick_jfr_visitor v = {.ctx = &p, .sample = one_by_one ? add_one : NULL};
    char *text = NULL;
    size_t n;
    assert_int_equal(wick_profile_init(&p), 0);
    p.by_thread = p.by_state = false;
    p.keep = WICK_KEEP_LINES;
    assert_int_equal(wick_jfr_read_memory(&p, recording, size, &v, NULL, NULL), 0);
    uint16_t id = wick_profile_find_event(&p, event);
    FILE *f = open_memstream(&text, &n);
    if (id)
        assert_int_equal(wick_collapsed_out_write(&p, &(struct wick_export_options){.event = id}, f, NULL), 0);
    fclose(f);
    wick_profile_release(&p);
    return text;
}

static void check_sums(const char *recording, size_t size)
{
    static const char *const events[] = {"ExecutionSample", "NativeMethodSample", "CPUTimeSample"};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        char *sums = collapsed_of(recording, size, false, events[i]);
        char *want = collapsed_of(recording, size, true, events[i]);
        assert_string_equal(sums, want);
        free(sums);
        free(want);
    }
}

static void check_golden(const struct expected *e)
{
    char path[1024], *text = NULL;
    size_t size, nwant, ntext;
    struct wick_profile p;
    struct wick_jfr_result res;
    struct wick_err err = {0};
    snprintf(path, sizeof path, "gzip -dc '%s/jfr/%s.jfr.gz'", WICK_GOLDEN, e->name);
    char *recording = slurp(path, true, &size);
    snprintf(path, sizeof path, "%s/jfr/%s.collapsed", WICK_GOLDEN, e->name);
    char *want = slurp(path, false, &nwant);

    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_jfr_read_memory(&p, recording, size, NULL, &res, &err), 0);
    assert_string_equal(res.first, "");
    assert_int_equal(res.chunks, e->chunks);
    assert_int_equal(res.samples, e->execution + e->native + e->cpu_time);
    assert_int_equal(p.events[wick_profile_find_event(&p, "ExecutionSample")].count, e->execution);
    assert_int_equal(p.events[wick_profile_find_event(&p, "NativeMethodSample")].count, e->native);
    assert_int_equal(p.events[wick_profile_find_event(&p, "CPUTimeSample")].count, e->cpu_time);
    struct wick_export_options o = {.event = wick_profile_find_event(&p, "ExecutionSample"),
                                    .threads = true,
                                    .names = WICK_NAME_ANNOTATE | WICK_NAME_LINES | WICK_NAME_SIGNATURES};
    FILE *f = open_memstream(&text, &ntext);
    assert_int_equal(wick_collapsed_out_write(&p, &o, f, &err), 0);
    fclose(f);
    assert_string_equal(text, want);
    check_sums(recording, size);
    free(text);
    free(want);
    free(recording);
    wick_profile_release(&p);
}

static void test_golden__jdk_8_recording_reads_as_before(void **state)
{
    check_golden(&(struct expected){"jdk8", 1, 12, 17, 0});
}

static void test_golden__jdk_17_recording_reads_as_before(void **state)
{
    check_golden(&(struct expected){"jdk17", 1, 9, 11, 0});
}

static void test_golden__jdk_25_recording_reads_as_before(void **state)
{
    check_golden(&(struct expected){"jdk25", 1, 22, 14, 18});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden__jdk_8_recording_reads_as_before),
        cmocka_unit_test(test_golden__jdk_17_recording_reads_as_before),
        cmocka_unit_test(test_golden__jdk_25_recording_reads_as_before),
    };
    return cmocka_run_group_tests_name("golden_jfr", tests, NULL, NULL);
}
