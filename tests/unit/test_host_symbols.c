/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol tables that processes share: ebpf/host_symbols.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ebpf/host_symbols.h"

static struct wick_symbols *load(void)
{
    struct wick_symbols *s = NULL;
    const struct wick_elf_image image = {.path = "/proc/self/exe"};
    assert_int_equal(wick_symbols_load(&s, &image, &(struct wick_symbols_from){0}, NULL), 0);
    return s;
}

static struct wick_host_file_id file(uint64_t inode)
{
    return (struct wick_host_file_id){.device = 1, .inode = inode, .size = 2, .modified_ns = 3, .changed_ns = 4};
}

static void test_host_symbols__a_table_is_one_file_s_and_outlives_its_users(void **state)
{
    (void)state;
    struct wick_host_symbols h = {0};
    struct wick_host_file_id one = file(1), changed = file(1);
    changed.changed_ns++;
    struct wick_symbols *s = load();
    assert_null(wick_host_symbols_take(&h, &one));
    wick_host_symbols_keep(&h, &one, s);
    assert_null(wick_host_symbols_take(&h, &changed));
    assert_ptr_equal(wick_host_symbols_take(&h, &one), s);
    assert_int_equal(wick_symbols_users(s), 3);
    wick_symbols_free(s);
    for (int i = 0; i < 2 * WICK_HOST_SYMBOLS_ROUNDS; i++)
        wick_host_symbols_tidy(&h); /* one user has it still */
    wick_symbols_free(s);
    for (int i = 0; i < WICK_HOST_SYMBOLS_ROUNDS - 1; i++)
        wick_host_symbols_tidy(&h);
    struct wick_symbols *again = wick_host_symbols_take(&h, &one);
    assert_ptr_equal(again, s);
    wick_symbols_free(again);
    for (int i = 0; i < WICK_HOST_SYMBOLS_ROUNDS; i++)
        wick_host_symbols_tidy(&h);
    assert_null(wick_host_symbols_take(&h, &one));
    wick_host_symbols_release(&h);
}

static void test_host_symbols__a_new_table_takes_the_place_of_one_that_nobody_has(void **state)
{
    (void)state;
    struct wick_host_symbols h = {0};
    struct wick_symbols *used[WICK_HOST_SYMBOLS];
    struct wick_host_file_id id;
    for (uint64_t i = 0; i < WICK_HOST_SYMBOLS; i++) {
        id = file(i);
        used[i] = load();
        wick_host_symbols_keep(&h, &id, used[i]);
    }
    struct wick_symbols *more = load();
    id = file(1000);
    wick_host_symbols_keep(&h, &id, more);
    assert_null(wick_host_symbols_take(&h, &id)); /* no place */
    wick_symbols_free(used[7]);
    wick_host_symbols_keep(&h, &id, more);
    struct wick_symbols *taken = wick_host_symbols_take(&h, &id);
    assert_ptr_equal(taken, more);
    wick_symbols_free(taken);
    id = file(7);
    assert_null(wick_host_symbols_take(&h, &id));
    for (int i = 0; i < WICK_HOST_SYMBOLS; i++)
        if (i != 7)
            wick_symbols_free(used[i]);
    wick_symbols_free(more);
    wick_host_symbols_release(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_symbols__a_table_is_one_file_s_and_outlives_its_users),
        cmocka_unit_test(test_host_symbols__a_new_table_takes_the_place_of_one_that_nobody_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
