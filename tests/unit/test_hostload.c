/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what the machine and the cgroup do to a process, from texts as kernels write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/hostload.h"

static void test_stat__times_are_distinguished(void **state)
{
    struct wick_hostload_now n = {0};
    wick_hostload_parse_stat("cpu  100 20 30 400 50 6 7 80 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\nprocs_running 5\n"
                             "procs_blocked 2\n",
                             &n);
    (void)state;
    assert_true(n.machine.known);
    assert_int_equal(n.machine.user, 120);
    assert_int_equal(n.machine.system, 43);
    assert_int_equal(n.machine.idle, 400);
    assert_int_equal(n.machine.iowait, 50);
    assert_int_equal(n.machine.steal, 80);
    assert_int_equal(n.machine.total, 693); /* guests' time is in user's */
    assert_int_equal(n.machine.running, 5);
    assert_int_equal(n.machine.blocked, 2);
}

static void test_status__sizes_are_bytes(void **state)
{
    struct wick_hostload_now n = {0};
    wick_hostload_parse_status("Name:\tjava VmRSS:\nVmHWM:\t    2000 kB\nVmRSS:\t    1000 kB\nVmSwap:\t      30 kB\n",
                               &n);
    (void)state;
    assert_true(n.process.known);
    assert_int_equal(n.process.rss_bytes, 1000 * 1024);
    assert_int_equal(n.process.peak_bytes, 2000 * 1024);
    assert_int_equal(n.process.swap_bytes, 30 * 1024);
}

static void test_cpu_stat__both_versions_mean_the_same(void **state)
{
    struct wick_hostload_now v1 = {0}, v2 = {0}, none = {0};
    wick_hostload_parse_cpu_stat("nr_periods 10\nnr_throttled 3\nthrottled_time 5000000\n", &v1);
    wick_hostload_parse_cpu_stat("usage_usec 7\nuser_usec 4\nsystem_usec 3\nnr_periods 10\nnr_throttled 3\n"
                                 "throttled_usec 5000\n",
                                 &v2);
    wick_hostload_parse_cpu_stat("usage_usec 7\nuser_usec 4\n", &none);
    (void)state;
    assert_memory_equal(&v1.cpu, &v2.cpu, sizeof v1.cpu);
    assert_int_equal(v1.cpu.periods, 10);
    assert_int_equal(v1.cpu.throttled, 3);
    assert_int_equal(v1.cpu.throttled_ns, 5000000);
    assert_false(none.cpu.known);
}

static void test_psi__the_line_counts(void **state)
{
    const char *text = "some avg10=0.00 avg60=1.00 avg300=0.00 total=1234\nfull avg10=0.00 avg60=0.00 avg300=0.00 "
                       "total=56\n";
    (void)state;
    assert_int_equal(wick_hostload_parse_psi(text, "some"), 1234000);
    assert_int_equal(wick_hostload_parse_psi(text, "full"), 56000);
    assert_int_equal(wick_hostload_parse_psi("some avg10=0.00\nfull total=3\n", "some"), 0);
    assert_int_equal(wick_hostload_parse_psi("", "some"), 0);
}

static void test_netstat__is_read_by_the_names_of_its_columns(void **state)
{
    static const char text[] = "TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPSynRetrans\nTcpExt: 1 22 3 44\n"
                               "IpExt: InNoRoutes ListenOverflows\nIpExt: 5 6\n",
                      other[] = "TcpExt: TCPSynRetrans A ListenOverflows\nTcpExt: 7 0 8";
    struct wick_hostload_now n = {0}, m = {0}, none = {0};
    (void)state;
    wick_hostload_parse_netstat(text, &n);
    assert_true(n.tcp.known);
    assert_int_equal(n.tcp.listen_overflows, 22);
    assert_int_equal(n.tcp.syn_retransmits, 44);
    wick_hostload_parse_netstat(other, &m);
    assert_true(m.tcp.known);
    assert_int_equal(m.tcp.listen_overflows, 8);
    assert_int_equal(m.tcp.syn_retransmits, 7);
    for (size_t cut = 0; cut < sizeof text; cut++) {
        char part[sizeof text] = "";
        memcpy(part, text, cut);
        none = (struct wick_hostload_now){0};
        wick_hostload_parse_netstat(part, &none); /* the last number may be cut */
        const char *overflows = strstr(text, "22"), *retransmits = strstr(text, "44");
        assert_int_equal(none.tcp.known, cut > (size_t)(retransmits - text));
        if (cut >= (size_t)(overflows - text) + 2)
            assert_int_equal(none.tcp.listen_overflows, 22);
    }
    none = (struct wick_hostload_now){0};
    wick_hostload_parse_netstat("TcpExt: A B\nTcpExt: 1 2\n", &none);
    assert_false(none.tcp.known);
}

/* A tree of files as the kernel shows them, under a directory of its own. */
static char root[] = "/tmp/wick-hostload.XXXXXX";

static void put(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
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

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/wick-hostload.XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

static struct wick_hostload_now read_tree(void)
{
    struct wick_hostload h;
    struct wick_hostload_now n;
    wick_hostload_open(&h, root);
    wick_hostload_read(&h, &n);
    wick_hostload_close(&h);
    return n;
}

static void test_cgroup__version_2_with_the_tightest_limit_above(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/pod/app/inner\n");
    put("/sys/fs/cgroup/cpu.stat", "usage_usec 9\n");
    put("/sys/fs/cgroup/pod/cpu.stat", "nr_periods 50\nnr_throttled 20\nthrottled_usec 7\n");
    put("/sys/fs/cgroup/pod/cpu.max", "50000 100000\n");
    put("/sys/fs/cgroup/pod/memory.current", "900\n");
    put("/sys/fs/cgroup/pod/memory.max", "5000\n");
    put("/sys/fs/cgroup/pod/app/cpu.stat", "nr_periods 60\nnr_throttled 1\nthrottled_usec 8\n");
    put("/sys/fs/cgroup/pod/app/cpu.max", "200000 100000\n");
    put("/sys/fs/cgroup/pod/app/memory.current", "700\n");
    put("/sys/fs/cgroup/pod/app/memory.max", "1000\n");
    put("/sys/fs/cgroup/pod/app/memory.events", "low 0\nhigh 0\nmax 4\noom 2\noom_kill 1\n");
    put("/sys/fs/cgroup/pod/app/inner/cpu.stat", "nr_periods 0\n");
    put("/sys/fs/cgroup/pod/app/inner/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/pod/app/inner/cpu.pressure", "some avg10=0.00 total=11\n");
    put("/sys/fs/cgroup/pod/app/inner/memory.pressure", "some avg10=0.00 total=12\nfull avg10=0.00 total=5\n");
    put("/sys/fs/cgroup/pod/app/inner/memory.current", "650\n");
    put("/sys/fs/cgroup/pod/app/inner/memory.max", "max\n");
    struct wick_hostload_now n = read_tree();
    assert_true(n.cpu.known && n.memory.known && n.pressure.known);
    assert_true(n.cpu.limit > 0.49 && n.cpu.limit < 0.51);
    assert_int_equal(n.cpu.throttled, 20);
    assert_int_equal(n.memory.max_bytes, 1000);
    assert_int_equal(n.memory.current_bytes, 700);
    assert_int_equal(n.memory.at_limit, 4);
    assert_int_equal(n.memory.oom_kills, 1);
    assert_int_equal(n.pressure.cpu_some_ns, 11000);
    assert_int_equal(n.pressure.memory_full_ns, 5000);
}

static void test_cgroup__controllers_of_version_1_beside_version_2(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "4:memory:/m\n2:cpu,cpuacct:/c\n1:name=systemd:/\n0::/u\n");
    put("/sys/fs/cgroup/unified/u/cpu.stat", "usage_usec 9\n"); /* knows no limit */
    put("/sys/fs/cgroup/unified/u/cpu.pressure", "some avg10=0.00 total=3\n");
    put("/sys/fs/cgroup/cpu/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
    put("/sys/fs/cgroup/cpu/c/cpu.stat", "nr_periods 10\nnr_throttled 3\nthrottled_time 5000\n");
    put("/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "150000\n");
    put("/sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "10000\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/m/memory.usage_in_bytes", "600\n");
    put("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/m/memory.failcnt", "17\n");
    put("/sys/fs/cgroup/memory/m/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
    struct wick_hostload_now n = read_tree();
    assert_int_equal(n.cpu.throttled, 3);
    assert_int_equal(n.cpu.throttled_ns, 5000);
    assert_true(n.cpu.limit > 1.49 && n.cpu.limit < 1.51);
    assert_int_equal(n.memory.current_bytes, 600);
    assert_int_equal(n.memory.max_bytes, 0);
    assert_int_equal(n.memory.at_limit, 17);
    assert_int_equal(n.memory.oom_kills, 2);
    assert_int_equal(n.pressure.cpu_some_ns, 3000);
}

static void test_cgroup__in_a_container_the_mount_point_is_its_own(void **state)
{
    (void)state;
    put("/proc/self/net/netstat", "TcpExt: ListenOverflows TCPSynRetrans\nTcpExt: 3 4\n");
    put("/proc/self/cgroup", "0::/kubepods/pod1234/5678\n");
    put("/sys/fs/cgroup/cpu.stat", "nr_periods 7\nnr_throttled 2\nthrottled_usec 1\n");
    put("/sys/fs/cgroup/cpu.max", "50000 100000\n");
    put("/proc/pressure/cpu", "some avg10=0.00 total=8\n");
    struct wick_hostload_now n = read_tree();
    assert_int_equal(n.cpu.periods, 7);
    assert_true(n.cpu.limit > 0.49 && n.cpu.limit < 0.51);
    assert_false(n.memory.known);
    assert_int_equal(n.pressure.cpu_some_ns, 8000);
    assert_true(n.tcp.known);
    assert_int_equal(n.tcp.listen_overflows, 3);
}

static void test_cgroup__none_is_known_without_files(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/\nrubbish\n");
    struct wick_hostload_now n = read_tree();
    assert_false(n.cpu.known || n.memory.known || n.pressure.known || n.machine.known || n.tcp.known);
}

static void test_read__this_process_is_there(void **state)
{
    struct wick_hostload h;
    struct wick_hostload_now n;
    (void)state;
    wick_hostload_open(&h, "");
    wick_hostload_read(&h, &n);
    assert_true(n.machine.known && n.machine.total > 0);
    assert_true(n.process.known && n.process.rss_bytes > 0 && n.process.peak_bytes >= n.process.rss_bytes);
    wick_hostload_close(&h);
    for (int i = 0; i < WICK_LOAD_FILES; i++)
        assert_int_equal(h.fd[i], -1);
}

static void test_cgroup__the_least_limit_of_another_process_counts(void **state)
{
    (void)state;
    put("/proc/7/cgroup", "0::/pod/app\n");
    put("/proc/8/cgroup", "0::/../pod\n"); /* seen from another cgroup namespace */
    put("/proc/9/cgroup", "4:memory:/m\n3:cpu,cpuacct:/quota\n0::/pod\n");
    put("/sys/fs/cgroup/cpu.stat", "usage_usec 9\n");
    put("/sys/fs/cgroup/pod/cpu.stat", "nr_periods 50\n");
    put("/sys/fs/cgroup/pod/cpu.max", "50000 100000\n");
    put("/sys/fs/cgroup/pod/app/cpu.stat", "nr_periods 60\n");
    put("/sys/fs/cgroup/pod/app/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/cpu/quota/cpu.stat", "nr_periods 60\n");
    put("/sys/fs/cgroup/cpu/quota/cpu.cfs_quota_us", "150000\n");
    put("/sys/fs/cgroup/cpu/quota/cpu.cfs_period_us", "100000\n");
    assert_float_equal(wick_cgroup_cpus(root, "7"), 0.5, 1e-9);
    assert_float_equal(wick_cgroup_cpus(root, "8"), 0, 0);
    assert_float_equal(wick_cgroup_cpus(root, "9"), 1.5, 1e-9);
    assert_float_equal(wick_cgroup_cpus(root, "10"), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stat__times_are_distinguished),
        cmocka_unit_test(test_status__sizes_are_bytes),
        cmocka_unit_test(test_cpu_stat__both_versions_mean_the_same),
        cmocka_unit_test(test_psi__the_line_counts),
        cmocka_unit_test(test_netstat__is_read_by_the_names_of_its_columns),
        cmocka_unit_test_setup_teardown(test_cgroup__version_2_with_the_tightest_limit_above, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_cgroup__controllers_of_version_1_beside_version_2, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_cgroup__in_a_container_the_mount_point_is_its_own, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_cgroup__none_is_known_without_files, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_cgroup__the_least_limit_of_another_process_counts, make_root, remove_root),
        cmocka_unit_test(test_read__this_process_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
