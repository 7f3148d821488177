/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cli/input/inputs.h"
#include "cli/wait/lock_table.h"
#include "lock_scene.h"

/* `wick locks` of such a recording. */
static char *table_with(unsigned n, uint64_t weight, struct wick_lock_options options)
{
    char path[32], *paths[] = {path}, *text = NULL;
    size_t len;
    struct wick_profile p;
    struct wick_lock_waits w;
    int fd = lock_scene_record(n, weight);
    assert_true(fd >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_lock_waits_read(&w, &p, paths, 1, wick_cli_read_events, NULL), 0);
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    assert_int_equal(wick_lock_table(&w, &options, out, NULL), 0);
    fclose(out);
    wick_lock_waits_release(&w);
    wick_profile_release(&p);
    close(fd);
    return text;
}

static char *table(unsigned n, uint64_t weight)
{
    return table_with(n, weight, (struct wick_lock_options){.all = true});
}

static const char now[] = "deadlocks=1\ndeadlock_1=\"a\" waits for \"b\"\nlasting_waits=3\nunknown_waits=7\n"
                          "wait_1=\"a\" waits\x1b\nwait_2=\"c\" waits\nwaiter=no\n";

static void test_locks__what_lasts_is_reported_after_the_table(void **state)
{
    char *text = table_with(1, 1000000, (struct wick_lock_options){.now = now});
    (void)state;
    assert_non_null(strstr(text, "\nDeadlocked:\n    \"a\" waits for \"b\"\n"));
    assert_non_null(strstr(text, "(3 threads):\n    \"a\" waits\\x1b\n    \"c\" waits\n    ... 1 more\n"));
    assert_non_null(strstr(text, "\n7 more wait for monitors"));
    free(text);
    text = table_with(1, 1000000, (struct wick_lock_options){.now = "deadlocks=0\nlasting_waits=0\n"});
    assert_null(strstr(text, "Deadlocked"));
    assert_null(strstr(text, "Waiting at the end"));
    free(text);
}

static void test_locks__what_lasts_is_in_the_json(void **state)
{
    char *text = table_with(1, 1000000, (struct wick_lock_options){.json = true, .now = now});
    (void)state;
    assert_non_null(strstr(text, "\"lasting_waits\":3,\"unknown_waits\":7,\"deadlocks\":[\n\"\\\"a\\\" waits for"));
    assert_non_null(strstr(text, "\"waiting\":[\n\"\\\"a\\\" waits\\u001b\",\n\"\\\"c\\\" waits\"]}\n"));
    free(text);
}

static void test_locks__not_recorded_is_not_none(void **state)
{
    char *text = table_with(0, 0, (struct wick_lock_options){.json = true});
    (void)state;
    assert_non_null(strstr(text, "{\"recorded\":false,"));
    free(text);
    text = table_with(1, 1000000, (struct wick_lock_options){.json = true});
    assert_non_null(strstr(text, "{\"recorded\":true,"));
    free(text);
}

static void test_locks__weights_add_up(void **state)
{
    char *text = table(3, 1000000);
    (void)state;
    assert_non_null(strstr(text, "2 locks waited for, 6.0 ms in all"));
    assert_non_null(strstr(text, "held by  100.0 %  \"owner\""));
    free(text);
}

static void test_locks__hostile_weights_do_not_overflow(void **state)
{
    char *text = table(3, INT64_MAX / 2);
    (void)state;
    assert_non_null(strstr(text, "2 locks waited for, 9223372036854.8 ms in all"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locks__what_lasts_is_reported_after_the_table),
        cmocka_unit_test(test_locks__what_lasts_is_in_the_json),
        cmocka_unit_test(test_locks__not_recorded_is_not_none),
        cmocka_unit_test(test_locks__weights_add_up),
        cmocka_unit_test(test_locks__hostile_weights_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
