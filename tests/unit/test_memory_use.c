/* SPDX-License-Identifier: Apache-2.0 */
/* Trends, and the memory of a process over time against the limits of its cgroups. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "analysis/memory/memory_use.h"
#include "footprint/shortage.h"

#define MIB (1ull << 20)

static void test_trend__a_line_is_found_exactly(void **state)
{
    struct wick_trend t = {0};
    double slope, error;
    (void)state;
    wick_trend_add(&t, 0, 1e9);
    assert_false(wick_trend_slope(&t, &slope, &error));
    wick_trend_add(&t, 10, 1.1e9);
    assert_false(wick_trend_slope(&t, &slope, &error));
    wick_trend_add(&t, 20, 1.2e9);
    assert_true(wick_trend_slope(&t, &slope, &error));
    assert_true(fabs(slope - 1e7) < 1);
    assert_true(error < 1e3);
    assert_true(fabs(wick_trend_growth(&t) - 1e7) < 1);
}

static void test_trend__noise_is_no_growth(void **state)
{
    struct wick_trend t = {0};
    double slope, error;
    (void)state;
    for (int i = 0; i < 20; i++)
        wick_trend_add(&t, i, 1e9 + (i * 7919 % 13) * 1e7);
    assert_true(wick_trend_slope(&t, &slope, &error));
    assert_true(wick_trend_growth(&t) == 0);
    t = (struct wick_trend){0};
    for (int i = 0; i < 20; i++) /* a line, but next to nothing */
        wick_trend_add(&t, i, 1e9 + i);
    assert_true(wick_trend_growth(&t) == 0);
    t = (struct wick_trend){0};
    for (int i = 0; i < 5; i++) /* several at one time */
        wick_trend_add(&t, 3, i);
    assert_false(wick_trend_slope(&t, &slope, &error));
}

static bool is_steady(double (*value)(int i), int n)
{
    struct wick_trend_point p[64];
    double rate = 0;
    for (int i = 0; i < n; i++)
        p[i] = (struct wick_trend_point){i * 10.0, value(i)};
    return wick_trend_steady(p, (size_t)n, &rate) && rate > 0;
}

static double noise(void)
{
    return (double)rand() / RAND_MAX;
}

static double leak(int i)
{
    return 1e8 + 1e6 * i + 1e6 * noise();
}

static double warm_up(int i)
{
    return 1e8 * (1 - exp(-i / 3.0));
}

static double saw(int i)
{
    return 1e8 + 1e7 * (i % 4);
}

static double fall(int i)
{
    return 1e8 - 1e6 * i;
}

static double step(int i)
{
    return i < 10 ? 1e8 : 2e8;
}

static double scatter(int i)
{
    (void)i;
    return 1e8 + 1e7 * noise();
}

static void test_trend__only_what_goes_on_is_steady(void **state)
{
    (void)state;
    srand(1);
    assert_true(is_steady(leak, 30));
    assert_true(is_steady(leak, 64));
    assert_false(is_steady(leak, 7));
    assert_false(is_steady(warm_up, 30));
    assert_false(is_steady(saw, 30));
    assert_false(is_steady(fall, 30));
    assert_false(is_steady(step, 20));
    for (int i = 0; i < 20000; i++)
        assert_false(is_steady(scatter, 24)); /* with t of 22 degrees above 8: three in a hundred million */
}

static void test_use__a_part_that_grows_is_found_in_its_series(void **state)
{
    struct wick_memory_use *u = calloc(1, sizeof *u);
    double rate = 0;
    (void)state;
    assert_non_null(u);
    for (int i = 0; i < 100; i++) {
        struct wick_footprint f = {0};
        f.row[WICK_MEMORY_STACKS].resident = (uint64_t)(10 + i) * MIB;
        f.row[WICK_MEMORY_STACKS].count = (uint64_t)i;
        f.row[WICK_MEMORY_HEAP].resident = 100 * MIB;
        wick_memory_use_add(u, (int64_t)(i + 1) * 10000000000, &f);
    }
    assert_int_equal(u->nseries, 100);
    assert_float_equal(wick_memory_use_steady(u, WICK_MEMORY_STACKS, 0.5, &rate), 99 * MIB, 1);
    assert_true(fabs(rate - (double)MIB / 10) < 1);
    assert_float_equal(wick_memory_use_steady(u, WICK_MEMORY_HEAP, 0, &rate), 0, 0);
    /* another recording, an hour later */
    wick_memory_use_add(u, 5000000000000, &(struct wick_footprint){0});
    assert_int_equal(u->nseries, 1);
    assert_int_equal(u->moments, 1);
    wick_memory_use_release(u);
    free(u);
}

static void test_use__moments_add_up(void **state)
{
    struct wick_memory_use *u = calloc(1, sizeof *u);
    (void)state;
    assert_non_null(u);
    for (int i = 0; i < 5; i++) {
        struct wick_footprint f = {0};
        f.row[WICK_MEMORY_HEAP].resident = 100 * MIB;
        f.row[WICK_MEMORY_MALLOC].resident = (uint64_t)(10 + i) * MIB;
        f.row[WICK_MEMORY_REPEATED].resident = 200 * MIB;
        f.row[WICK_MEMORY_PAGE_TABLES].resident = MIB;
        wick_memory_use_add(u, (int64_t)(i + 1) * 10000000000, &f);
    }
    assert_int_equal(u->moments, 5);
    assert_int_equal(u->resident, 114 * MIB); /* neither what is mapped again nor what is the kernel's */
    assert_int_equal(u->most, 114 * MIB);
    assert_true(fabs(wick_trend_growth(&u->part[WICK_MEMORY_MALLOC].resident) - (double)MIB / 10) < 1);
    assert_true(wick_trend_growth(&u->part[WICK_MEMORY_HEAP].resident) == 0);
    wick_memory_use_release(u);
    free(u);
}

static void test_use__the_tightest_limit_counts(void **state)
{
    struct wick_memory_use *u = calloc(1, sizeof *u);
    uint64_t left = 0;
    (void)state;
    assert_non_null(u);
    wick_memory_use_level(u, 0, 0, "/pod/app", &(struct wick_cgroup_memory){.limit = 1000 * MIB, .current = 400 * MIB});
    assert_int_equal(u->levels, 1);
    wick_memory_use_level(
        u, 0, 1, "/pod",
        &(struct wick_cgroup_memory){.limit = 900 * MIB, .current = 850 * MIB, .inactive_file = 50 * MIB});
    wick_memory_use_level(u, 0, 2, "/", &(struct wick_cgroup_memory){.current = 9000 * MIB});
    wick_memory_use_level(u, 0, WICK_CGROUP_LEVELS, "/none", &(struct wick_cgroup_memory){.limit = 1, .current = 1});
    const struct wick_memory_level *l = wick_memory_use_tightest(u, &left);
    assert_non_null(l);
    assert_string_equal(l->path, "/pod");
    assert_int_equal(left, 100 * MIB); /* what the kernel reclaims does not count */
    u->level[1].now.current = 2000 * MIB;
    assert_ptr_equal(wick_memory_use_tightest(u, &left), &u->level[1]);
    assert_int_equal(left, 0);
    u->level[0].now.limit = u->level[1].now.limit = 0;
    assert_null(wick_memory_use_tightest(u, &left));
    wick_memory_use_release(u);
    free(u);
}

/* ---- cgroups, from files as kernels write them ---- */

static char root[64];

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/wick-cgroups-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

static void put(const char *path, const char *text)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        mkdir(full, 0700);
        *p = '/';
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void test_cgroup__all_levels_of_version_2(void **state)
{
    struct wick_cgroup levels[WICK_CGROUP_LEVELS];
    struct wick_cgroup_memory m;
    (void)state;
    put("/proc/42/cgroup", "0::/pod/app\n");
    put("/sys/fs/cgroup/pod/app/memory.current", "5000\n");
    put("/sys/fs/cgroup/pod/app/memory.max", "max\n");
    put("/sys/fs/cgroup/pod/app/memory.high", "max\n");
    put("/sys/fs/cgroup/pod/app/memory.stat",
        "anon 1000\nfile 3000\nkernel 500\nkernel_stack 1\npagetables 2\nsock 20\nshmem 700\nfile_mapped 9\n"
        "inactive_anon 8\ninactive_file 600\n");
    put("/sys/fs/cgroup/pod/app/memory.events", "low 0\nhigh 0\nmax 7\noom 3\noom_kill 2\noom_group_kill 1\n");
    put("/sys/fs/cgroup/pod/memory.current", "9000\n");
    put("/sys/fs/cgroup/pod/memory.max", "10000\n");
    put("/sys/fs/cgroup/pod/memory.stat", "anon 1\nkernel_stack 16\npagetables 32\nslab 64\n");
    assert_int_equal(wick_cgroup_levels(root, "42", WICK_CGROUP_MEMORY, levels, WICK_CGROUP_LEVELS), 2);
    assert_string_equal(levels[0].dir + levels[0].mount, "/pod/app");
    assert_true(wick_cgroup_memory_read(&levels[0], &m));
    assert_int_equal(m.limit, 0);
    assert_int_equal(m.high, 0);
    assert_int_equal(m.current, 5000);
    assert_int_equal(m.anonymous, 1000);
    assert_int_equal(m.file, 2300);
    assert_int_equal(m.shared, 700);
    assert_int_equal(m.inactive_file, 600);
    assert_int_equal(m.kernel, 520);
    assert_int_equal(m.at_limit, 7);
    assert_int_equal(m.oom_kills, 2);
    assert_true(wick_cgroup_memory_read(&levels[1], &m));
    assert_int_equal(m.limit, 10000);
    assert_int_equal(m.kernel, 112); /* an older kernel */
    assert_int_equal(wick_cgroup_levels(root, "42", WICK_CGROUP_MEMORY, levels, 1), 1);
    assert_true(wick_cgroup_at(root, "/pod/app", WICK_CGROUP_MEMORY, &levels[0]));
    assert_string_equal(levels[0].dir + levels[0].mount, "/pod/app");
    assert_false(wick_cgroup_at(root, "/pod/gone", WICK_CGROUP_MEMORY, &levels[0]));
    assert_false(wick_cgroup_at(root, "/pod/../pod/app", WICK_CGROUP_MEMORY, &levels[0]));
    assert_false(wick_cgroup_at(root, "pod/app", WICK_CGROUP_MEMORY, &levels[0]));
    assert_int_equal(wick_cgroup_levels(root, "43", WICK_CGROUP_MEMORY, levels, WICK_CGROUP_LEVELS), 0);
}

static void test_cgroup__version_1(void **state)
{
    struct wick_cgroup levels[WICK_CGROUP_LEVELS];
    struct wick_cgroup_memory m;
    (void)state;
    put("/proc/42/cgroup", "4:memory:/docker/x\n0::/\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "9000\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/docker/x/memory.usage_in_bytes", "8000\n");
    put("/sys/fs/cgroup/memory/docker/x/memory.max_usage_in_bytes", "8500\n");
    put("/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "8600\n");
    put("/sys/fs/cgroup/memory/docker/x/memory.failcnt", "4\n");
    put("/sys/fs/cgroup/memory/docker/x/memory.kmem.usage_in_bytes", "100\n");
    put("/sys/fs/cgroup/memory/docker/x/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
    put("/sys/fs/cgroup/memory/docker/x/memory.stat",
        "cache 1\nrss 2\ntotal_cache 5000\ntotal_rss 2000\ntotal_shmem 1000\ntotal_swap 30\ntotal_inactive_file 900\n");
    assert_int_equal(wick_cgroup_levels(root, "42", WICK_CGROUP_MEMORY, levels, WICK_CGROUP_LEVELS), 2);
    assert_true(wick_cgroup_memory_read(&levels[0], &m));
    assert_int_equal(m.limit, 8600);
    assert_int_equal(m.current, 8000);
    assert_int_equal(m.peak, 8500);
    assert_int_equal(m.anonymous, 2000);
    assert_int_equal(m.file, 4000);
    assert_int_equal(m.shared, 1000);
    assert_int_equal(m.inactive_file, 900);
    assert_int_equal(m.kernel, 100);
    assert_int_equal(m.swapped, 30);
    assert_int_equal(m.at_limit, 4);
    assert_int_equal(m.oom_kills, 1);
    assert_int_equal(wick_cgroup_memory_needed(&m), 7100);
    assert_true(wick_cgroup_at(root, "/docker/x", WICK_CGROUP_MEMORY, &levels[0]));
    assert_false(levels[0].v2);
}

/* An alarm each time that the room is halved, from half of the limit on to where nothing is left. */
static void test_shortage__alarms_closer_and_closer_to_the_limit(void **state)
{
    struct wick_shortage s = {0};
    uint64_t limit = 256 * MIB, alarms = 0, last = limit;
    (void)state;
    wick_shortage_read(&s, 200 * MIB);
    for (uint64_t room = 200 * MIB; room > 0; room -= MIB) {
        wick_shortage_read(&s, room); /* a reading every so often does not put the alarm off */
        if (!wick_shortage_alarm(&s, limit, room))
            continue;
        assert_true(room < 128 * MIB && room <= last / 2);
        last = room;
        alarms++;
    }
    assert_int_equal(alarms, 6); /* 100, 50, 25, 12, 6, 3 */
    assert_false(wick_shortage_alarm(&s, limit, 0));
}

static void test_shortage__staying_near_the_limit_is_none(void **state)
{
    struct wick_shortage s = {0};
    (void)state;
    wick_shortage_read(&s, 20 * MIB);
    for (int i = 0; i < 100; i++) {
        assert_false(wick_shortage_alarm(&s, 256 * MIB, (15 + i % 5) * MIB));
        wick_shortage_read(&s, 20 * MIB);
    }
    assert_true(wick_shortage_alarm(&s, 256 * MIB, 9 * MIB));
    assert_false(wick_shortage_alarm(&s, 256 * MIB, 9 * MIB));
    wick_shortage_read(&s, 100 * MIB); /* it was freed, and comes again */
    assert_true(wick_shortage_alarm(&s, 256 * MIB, 49 * MIB));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trend__a_line_is_found_exactly),
        cmocka_unit_test(test_trend__noise_is_no_growth),
        cmocka_unit_test(test_trend__only_what_goes_on_is_steady),
        cmocka_unit_test(test_use__a_part_that_grows_is_found_in_its_series),
        cmocka_unit_test(test_use__moments_add_up),
        cmocka_unit_test(test_use__the_tightest_limit_counts),
        cmocka_unit_test_setup_teardown(test_cgroup__all_levels_of_version_2, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_cgroup__version_1, make_root, remove_root),
        cmocka_unit_test(test_shortage__alarms_closer_and_closer_to_the_limit),
        cmocka_unit_test(test_shortage__staying_near_the_limit_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
