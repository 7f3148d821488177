/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cli/lock_table.h"
#include "lock_scene.h"

/* `wick locks` of such a recording. */
static char *table(unsigned n, uint64_t weight)
{
    char path[32], *paths[] = {path}, *text = NULL;
    size_t len;
    struct wick_profile p;
    struct wick_lock_waits w;
    int fd = lock_scene_record(n, weight);
    assert_true(fd >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_lock_waits_read(&w, &p, paths, 1, NULL), 0);
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    assert_int_equal(wick_lock_table(&w, &(struct wick_lock_options){.all = true}, out, NULL), 0);
    fclose(out);
    wick_lock_waits_release(&w);
    wick_profile_release(&p);
    close(fd);
    return text;
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
        cmocka_unit_test(test_locks__weights_add_up),
        cmocka_unit_test(test_locks__hostile_weights_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
