/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick host` reads of cgroups and writes, in a tree of files as kernels show them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "ebpf/host_cgroups.h"

#define S UINT64_C(1000000000)

static char root[] = "/tmp/wick-cgroups.XXXXXX";

static void put(const char *path, const char *text)
{
    char full[1024];
    snprintf(full, sizeof full, "%s/sys/fs/cgroup%s", root, path);
    for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *f = fopen(full, "we");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* cpu.stat of version 1. */
static void count(const char *dir, unsigned periods, unsigned throttled, unsigned ms)
{
    char path[256], text[128];
    snprintf(path, sizeof path, "/cpu%s/cpu.stat", dir);
    snprintf(text, sizeof text, "nr_periods %u\nnr_throttled %u\nthrottled_time %u000000\n", periods, throttled, ms);
    put(path, text);
}

static void limit(const char *dir, const char *quota)
{
    char path[256];
    snprintf(path, sizeof path, "/cpu%s/cpu.cfs_quota_us", dir);
    put(path, quota);
    snprintf(path, sizeof path, "/cpu%s/cpu.cfs_period_us", dir);
    put(path, "50000\n");
}

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/wick-cgroups.XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

/* "second path container limit period throttled/periods ms" */
static void note(void *arg, const struct wick_host_cgroup *g, const struct wick_host_cgroup_reading *r)
{
    wick_strbuf_addf(arg, "%u %s %s %.1f %u %u/%u %u\n", (unsigned)(r->time_ns / S), wick_host_cgroup_path(g),
                     g->container ? g->container : "-", r->limit, (unsigned)(r->period_ns / 1000),
                     (unsigned)r->throttled, (unsigned)r->periods, (unsigned)(r->throttled_ns / 1000000));
}

static void expect(struct wick_host_cgroups *cs, unsigned second, bool end, const char *lines)
{
    struct wick_strbuf out = WICK_STRBUF_INIT;
    wick_host_cgroups_read(cs, second * S, end, note, &out);
    wick_strbuf_adds(&out, "");
    assert_string_equal(out.buf, lines);
    wick_strbuf_release(&out);
}

static void test_cgroups__those_with_a_limit_are_written_from_the_first_reading_on(void **state)
{
    struct wick_host_cgroups cs;
    (void)state;
    wick_host_cgroups_init(&cs, root);
    put("/cpu/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n"); /* the root has no quota */
    count("/pod", 100, 40, 9000);
    limit("/pod", "75000\n");
    count("/pod/abc", 5, 0, 0);
    limit("/pod/abc", "-1\n");
    count("/free", 0, 0, 0);
    limit("/free", "-1\n");
    wick_host_cgroups_meet(&cs, "/pod/abc", "abc", 10 * S);
    wick_host_cgroups_meet(&cs, "/pod/abc", "abc", 11 * S);
    wick_host_cgroups_meet(&cs, "/free", "", 11 * S);
    assert_int_equal(cs.n, 4);
    count("/pod", 110, 45, 9500);
    expect(&cs, 12, false, "10 /pod - 1.5 50000 40/100 9000\n12 /pod - 1.5 50000 45/110 9500\n");
    expect(&cs, 13, false, ""); /* not again so soon */
    count("/pod", 130, 46, 9600);
    expect(&cs, 14, false, "14 /pod - 1.5 50000 46/130 9600\n");
    limit("/pod/abc", "25000\n"); /* set later */
    count("/pod/abc", 9, 3, 20);
    expect(&cs, 15, true,
           "10 /pod/abc abc 0.0 0 0/5 0\n15 /pod/abc abc 0.5 50000 3/9 20\n15 /pod - 1.5 50000 46/130 9600\n");
    wick_host_cgroups_release(&cs);
}

static void test_cgroups__version_2_means_the_same(void **state)
{
    struct wick_host_cgroups cs;
    (void)state;
    wick_host_cgroups_init(&cs, root);
    put("/cpu.stat", "usage_usec 1\n");
    put("/app.slice/cpu.stat", "usage_usec 1\nnr_periods 7\nnr_throttled 2\nthrottled_usec 3000\n");
    put("/app.slice/cpu.max", "20000 100000\n");
    wick_host_cgroups_meet(&cs, "/app.slice", "", 1 * S);
    expect(&cs, 3, false, "1 /app.slice - 0.2 100000 2/7 3\n3 /app.slice - 0.2 100000 2/7 3\n");
    wick_host_cgroups_release(&cs);
}

static void test_cgroups__removed_ones_make_room(void **state)
{
    struct wick_host_cgroups cs;
    char path[64], full[256];
    (void)state;
    wick_host_cgroups_init(&cs, root);
    put("/cpu/cpu.stat", "");
    for (unsigned i = 0; i < WICK_HOST_CGROUPS; i++) {
        snprintf(path, sizeof path, "/c%u", i);
        count(path, 1, 0, 0);
        wick_host_cgroups_meet(&cs, path, "", 1 * S);
    }
    assert_int_equal(cs.n, WICK_HOST_CGROUPS);
    assert_int_equal(cs.left_out, 1); /* the root took a place */
    snprintf(full, sizeof full, "%s/sys/fs/cgroup/cpu/c5/cpu.stat", root);
    assert_int_equal(unlink(full), 0);
    expect(&cs, 2, true, "");
    count("/another", 8, 1, 1);
    limit("/another", "50000");
    wick_host_cgroups_meet(&cs, "/another", "", 3 * S);
    assert_int_equal(cs.left_out, 1);
    expect(&cs, 5, false, "3 /another - 1.0 50000 1/8 1\n5 /another - 1.0 50000 1/8 1\n");
    wick_host_cgroups_meet(&cs, "/gone/away", "", 5 * S); /* it does not exist any more */
    wick_host_cgroups_meet(&cs, "relative", "", 5 * S);
    assert_int_equal(cs.n, WICK_HOST_CGROUPS);
    wick_host_cgroups_release(&cs);
}

static void test_path__is_that_of_the_controller(void **state)
{
    char path[WICK_CGROUP_PATH] = "";
    (void)state;
    assert_true(wick_cgroup_path("5:cpu,cpuacct:/docker/a\n3:memory:/m\n0::/u\n", WICK_CGROUP_CPU, path));
    assert_string_equal(path, "/docker/a");
    assert_true(wick_cgroup_path("3:memory:/m\n0::/u/v\n", WICK_CGROUP_CPU, path));
    assert_string_equal(path, "/u/v");
    assert_false(wick_cgroup_path("0::/../other\n", WICK_CGROUP_CPU, path)); /* outside of the namespace */
    assert_false(wick_cgroup_path("3:memory:/m\n", WICK_CGROUP_CPU, path));
    assert_false(wick_cgroup_path("", WICK_CGROUP_CPU, path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cgroups__those_with_a_limit_are_written_from_the_first_reading_on,
                                        make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_cgroups__version_2_means_the_same, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_cgroups__removed_ones_make_room, make_root, remove_root),
        cmocka_unit_test(test_path__is_that_of_the_controller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
