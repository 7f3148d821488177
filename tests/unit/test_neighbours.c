/* SPDX-License-Identifier: Apache-2.0 */
/* Which processes used the processors between two readings: of a /proc made by hand, and of the real one. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "sys/neighbours.h"

#define SECOND UINT64_C(1000000000)

static char root[64];

static void put(int pid, const char *file, const char *text, size_t len)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%d", root, pid);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%d/%s", root, pid, file);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fwrite(text, 1, len, f);
    fclose(f);
}

/* A process that used so many ticks. */
static void process(int pid, const char *name, unsigned user, unsigned system, unsigned began)
{
    char text[256];
    int n = snprintf(text, sizeof text, "%d (%s) R 1 1 1 0 -1 4194304 100 0 0 0 %u %u 900 900 20 0 1 0 %u 1 1", pid,
                     name, user, system, began);
    put(pid, "stat", text, (size_t)n);
    n = snprintf(text, sizeof text, "%s\n", name);
    put(pid, "comm", text, (size_t)n);
}

static void vanish(int pid)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s/%d'", root, pid);
    assert_int_equal(system(command), 0);
}

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/wick-neighbours.XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

static uint64_t ticks(unsigned n)
{
    return n * SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
}

static void test_neighbours__those_that_used_most_come_first(void **state)
{
    static const char command[] = "/usr/bin/java\0-Xmx1g\0org.acme.Main\0secret";
    struct wick_neighbours n;
    struct wick_neighbour out[3];
    uint64_t period;
    (void)state;
    wick_neighbours_init(&n, root, 50);
    process(10, "old) R (1", 100, 100, 5);
    process(20, "java", 10, 0, 6);
    process(30, "idle", 7, 7, 6);
    process(40, "reused", 1000, 0, 7);
    process(50, "self", 1, 1, 8);
    put(20, "cmdline", command, sizeof command);
    assert_int_equal(wick_neighbours_read(&n, SECOND, out, 3, &period), 0);
    n.next_ns = 0;
    process(10, "old) R (1", 110, 120, 5);
    process(20, "java", 90, 20, 6);
    process(40, "reused", 40, 2, 99); /* another process with the same number */
    process(50, "self", 900, 900, 8);
    process(60, "new", 1, 0, 100);
    assert_int_equal(wick_neighbours_read(&n, 3 * SECOND, out, 3, &period), 3);
    assert_int_equal(period, 2 * SECOND);
    assert_string_equal(out[0].name, "java org.acme.Main");
    assert_int_equal(out[0].pid, 20);
    assert_int_equal(out[0].cpu_ns, ticks(100));
    assert_string_equal(out[1].name, "reused");
    assert_int_equal(out[1].cpu_ns, ticks(42));
    assert_string_equal(out[2].name, "old) R (1");
    assert_int_equal(out[2].cpu_ns, ticks(30));
    wick_neighbours_release(&n);
}

static void test_neighbours__a_reading_rests_and_can_be_forgotten(void **state)
{
    struct wick_neighbours n;
    struct wick_neighbour out[1];
    uint64_t period;
    (void)state;
    wick_neighbours_init(&n, root, 1);
    process(10, "a", 1, 0, 5);
    process(20, "gone", 1, 0, 5);
    assert_int_equal(wick_neighbours_read(&n, SECOND, out, 1, &period), 0);
    assert_true(n.next_ns > SECOND);
    process(10, "a", 2, 0, 5);
    vanish(20);
    assert_int_equal(wick_neighbours_read(&n, n.next_ns - 1, out, 1, &period), 0); /* not due */
    assert_int_equal(wick_neighbours_read(&n, n.next_ns, out, 1, &period), 1);
    assert_int_equal(out[0].cpu_ns, ticks(1));
    process(10, "a", 3, 0, 5);
    wick_neighbours_forget(&n);
    assert_int_equal(wick_neighbours_read(&n, n.next_ns, out, 1, &period), 0);
    wick_neighbours_release(&n);
}

static void test_neighbours__a_real_process_is_named(void **state)
{
    struct wick_neighbours n;
    struct wick_neighbour out[1000];
    uint64_t period, used = 0;
    bool named = false;
    (void)state;
    pid_t child = fork();
    if (!child)
        for (volatile unsigned i = 0;; i++) {
        }
    wick_neighbours_init(&n, "/proc", (int32_t)getpid());
    assert_int_equal(wick_neighbours_read(&n, SECOND, out, 1000, &period), 0);
    clockid_t clock;
    assert_int_equal(clock_getcpuclockid(child, &clock), 0);
    uint64_t before = wick_clock_ns(clock);
    while ((used = wick_clock_ns(clock) - before) < SECOND / 5)
        usleep(10000);
    n.next_ns = 0;
    uint32_t count = wick_neighbours_read(&n, 2 * SECOND, out, 1000, &period);
    for (uint32_t i = 0; i < count; i++)
        if (out[i].pid == child) {
            named = !strcmp(out[i].name, "test_neighbours");
            assert_true(out[i].cpu_ns + 2 * ticks(1) >= used);
        }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_true(named);
    wick_neighbours_release(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_neighbours__those_that_used_most_come_first, make_root, remove_root),
        cmocka_unit_test_setup_teardown(test_neighbours__a_reading_rests_and_can_be_forgotten, make_root, remove_root),
        cmocka_unit_test(test_neighbours__a_real_process_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
