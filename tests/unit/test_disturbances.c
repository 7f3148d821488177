/* SPDX-License-Identifier: Apache-2.0 */
/* What disturbed a program, of a recording whose minute is known: tests/jfr/disturb_story.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../jfr/disturb_story.h"
#include "../jfr/requests.h"
#include "analysis/wait/disturbances.h"

#define SECOND INT64_C(1000000000)
#define START  ((int64_t)REQUESTS_TIME_NS)

enum { BINS = 60 };

static unsigned char *recording;
static size_t recording_size;

static int write_once(void **state)
{
    int fd = memfd_create("story", MFD_CLOEXEC), copy = dup(fd);
    struct stat st;
    (void)state;
    if (fd < 0 || copy < 0 || disturb_story_write(fd) || fstat(copy, &st))
        return 1;
    recording_size = (size_t)st.st_size;
    recording = malloc(recording_size);
    ssize_t got = pread(copy, recording, recording_size, 0);
    close(copy);
    return got != st.st_size;
}

static int forget(void **state)
{
    (void)state;
    free(recording);
    return 0;
}

static int read_bytes(struct wick_disturbances *d, struct wick_profile *p, const void *data, size_t size)
{
    struct wick_err err = {0};
    assert_int_equal(wick_profile_init(p), 0);
    *d = (struct wick_disturbances){.profile = p};
    const struct wick_jfr_visitor v = wick_disturbances_visitor(d);
    return wick_jfr_read_memory(p, data, size, &v, NULL, &err);
}

static void release(struct wick_disturbances *d, struct wick_profile *p)
{
    wick_disturbances_release(d);
    wick_profile_release(p);
}

/* Amounts of each second: what the kinds have within a stretch, and that there is nothing outside of it. */
static void test_disturbances__each_is_where_it_was(void **state)
{
    static const struct {
        enum wick_disturbance kind;
        uint32_t from, to;
        int64_t each;
    } want[] = {{WICK_DISTURBANCE_THROTTLED, 10, 20, SECOND / 5},
                {WICK_DISTURBANCE_CPU, 0, 60, SECOND / 10},
                {WICK_DISTURBANCE_STEAL, 30, 40, SECOND / 4},
                {WICK_DISTURBANCE_COMPILING, 0, 10, SECOND / 2},
                {WICK_DISTURBANCE_COMPILED, 0, 10, 50},
                {WICK_DISTURBANCE_DEOPTS, 40, 45, 5},
                {WICK_DISTURBANCE_MEMORY, 0, 0, 0},
                {WICK_DISTURBANCE_IO, 0, 0, 0}};
    struct wick_disturbances d;
    struct wick_profile p;
    int64_t values[BINS];
    (void)state;
    assert_int_equal(read_bytes(&d, &p, recording, recording_size), 0);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        int64_t sum = wick_disturbances_bins(&d, want[i].kind, START, SECOND, BINS, values);
        assert_true(d.recorded[want[i].kind]);
        assert_int_equal(sum, (int64_t)(want[i].to - want[i].from) * want[i].each);
        for (uint32_t b = 0; b < BINS; b++)
            assert_int_equal(values[b], b >= want[i].from && b < want[i].to ? want[i].each : 0);
    }
    release(&d, &p);
}

/* A range cuts amounts; parts of it add up to the whole, wherever they are cut. */
static void test_disturbances__parts_add_up_to_the_whole(void **state)
{
    struct wick_disturbances d;
    struct wick_profile p;
    int64_t values[BINS], halves[2];
    (void)state;
    assert_int_equal(read_bytes(&d, &p, recording, recording_size), 0);
    for (unsigned kind = 0; kind < WICK_DISTURBANCE_KINDS; kind++) {
        int64_t all = wick_disturbances_bins(&d, kind, START, 61 * SECOND, 1, values);
        for (int64_t cut = 1; cut < 61 * SECOND; cut += 3 * SECOND + 777) {
            wick_disturbances_bins(&d, kind, START, cut, 1, &halves[0]);
            wick_disturbances_bins(&d, kind, START + cut, 61 * SECOND - cut, 1, &halves[1]);
            assert_int_equal(halves[0] + halves[1], all);
        }
    }
    release(&d, &p);
}

static void test_disturbances__names_have_what_lies_in_the_range(void **state)
{
    struct wick_disturbances d;
    struct wick_profile p;
    struct wick_disturbance_share *rows;
    (void)state;
    assert_int_equal(read_bytes(&d, &p, recording, recording_size), 0);
    assert_int_equal(wick_disturbances_by_name(&d, WICK_DISTURBANCE_NEIGHBOUR, START, INT64_MAX, &rows), 1);
    assert_string_equal(wick_profile_str(&p, rows[0].name), REQUESTS_HOSTILE);
    assert_int_equal(rows[0].amount, 2 * SECOND);
    free(rows);
    assert_int_equal(wick_disturbances_by_name(&d, WICK_DISTURBANCE_NEIGHBOUR, START + 40 * SECOND, INT64_MAX, &rows),
                     1);
    assert_int_equal(rows[0].amount, SECOND); /* half of its time */
    free(rows);
    assert_int_equal(wick_disturbances_by_name(&d, WICK_DISTURBANCE_NEIGHBOUR, START, START + 35 * SECOND, &rows), 0);
    free(rows);
    assert_int_equal(wick_disturbances_by_name(&d, WICK_DISTURBANCE_METHOD, START, INT64_MAX, &rows), 1);
    assert_string_equal(wick_profile_str(&p, rows[0].name), "com.example.Big.parse");
    assert_int_equal(rows[0].longest_ns, 3 * SECOND / 10);
    free(rows);
    assert_int_equal(wick_disturbances_by_name(&d, WICK_DISTURBANCE_REASON, START, INT64_MAX, &rows), 1);
    assert_int_equal(rows[0].amount, 25);
    free(rows);
    release(&d, &p);
}

static void test_disturbances__damaged_recordings_are_no_trouble(void **state)
{
    unsigned char *bytes = malloc(recording_size);
    uint32_t random = 1;
    (void)state;
    for (int round = 0; round < 300; round++) {
        struct wick_disturbances d;
        struct wick_disturbance_share *rows;
        struct wick_profile p;
        int64_t values[BINS];
        memcpy(bytes, recording, recording_size);
        for (int i = 0; i < 1 + round % 16; i++) {
            random = random * 1664525u + 1013904223u;
            bytes[68 + random % (recording_size - 68)] = (unsigned char)(random >> 24);
        }
        read_bytes(&d, &p, bytes, recording_size);
        for (unsigned kind = 0; kind < WICK_DISTURBANCE_KINDS; kind++) {
            wick_disturbances_bins(&d, kind, 0, INT64_MAX / 2 / BINS, BINS, values);
            for (uint32_t b = 0; b < BINS; b++)
                assert_true(values[b] >= 0);
            wick_disturbances_by_name(&d, kind, 0, INT64_MAX, &rows);
            free(rows);
        }
        release(&d, &p);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disturbances__each_is_where_it_was),
        cmocka_unit_test(test_disturbances__parts_add_up_to_the_whole),
        cmocka_unit_test(test_disturbances__names_have_what_lies_in_the_range),
        cmocka_unit_test(test_disturbances__damaged_recordings_are_no_trouble),
    };
    return cmocka_run_group_tests(tests, write_once, forget);
}
