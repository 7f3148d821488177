/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's list of virtual threads: what is made of it, and of lists that no agent of ours would write.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/stack/virtual_table.h"

static const char list[] =
    "known=5\n"
    "frames=0\nframe=a.B.wait:7\nframe=a.B.run\nmore=3\n"
    "thread=31\nname=first\nstate=TIMED_WAITING\nstack=0\nopen_ns=2500000000\ntrace=0a\nspan=0b\n"
    "endpoint=GET /x\noperation=query\nlabels=k=v,w=\\=\n"
    "frames=1\nframe=a.C.spin:9\n"
    "thread=33\nname=\nstate=RUNNABLE\nstack=1\nopen_ns=1\ncarrier=77\npinned=1\nfuture=1\n"
    "thread=32\nname=second\nstate=WAITING\nstack=0\nopen_ns=5\n"
    "ended=2\ncut=1\nend=1\n";

static int parse(struct wick_virtual_threads *v, const char *text, const char *name)
{
    struct wick_err err = {0};
    return wick_virtual_threads_parse(v, strdup(text), name, &err);
}

/* What is printed, to be freed. */
static char *printed(const struct wick_virtual_threads *v, bool json)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    assert_non_null(f);
    if (json)
        wick_virtual_table_json(f, 4711, v);
    else
        wick_virtual_table_print(f, v);
    fclose(f);
    return text;
}

static void test_virtual_threads__rows_stacks_and_counts_are_read(void **state)
{
    struct wick_virtual_threads v;
    (void)state;
    assert_int_equal(parse(&v, list, NULL), 0);
    assert_true(v.nrows == 3 && v.nstacks == 2 && v.nframes == 3 && v.known == 5 && v.ended == 2 && v.cut);
    assert_true(v.stacks[0].threads == 2 && v.stacks[0].n == 2 && v.stacks[0].more == 3);
    assert_true(v.stacks[1].threads == 1 && v.stacks[1].first == 2 && v.stacks[1].n == 1);
    const struct wick_virtual_row *row = &v.rows[0];
    assert_true(row->id == 31 && row->open_ns == 2500000000u && !row->carrier && !row->pinned);
    assert_string_equal(row->endpoint, "GET /x");
    assert_string_equal(row->labels, "k=v,w=\\="); /* a value may hold the sign */
    assert_string_equal(v.rows[2].endpoint, "");
    assert_true(v.rows[1].carrier == 77 && v.rows[1].pinned);
    wick_virtual_threads_release(&v);
}

static void test_virtual_threads__threads_of_one_stack_are_printed_as_a_group(void **state)
{
    struct wick_virtual_threads v;
    (void)state;
    assert_int_equal(parse(&v, list, NULL), 0);
    char *text = printed(&v, false);
    assert_string_equal(
        text, "3 of 5 virtual threads with a context shown, longest open first; the time limit was reached\n"
              "2 ended without closing their scopes\n"
              "\n2 threads with the same stack\n"
              "\"first\" id=31 timed waiting, unmounted, open for 2.5 s, endpoint=GET /x, operation=query, trace=0a, "
              "span=0b, labels: k=v,w=\\=\n"
              "\"second\" id=32 waiting, unmounted, open for 0.0 s\n"
              "    a.B.wait:7\n    a.B.run\n    ... and 3 frames more\n"
              "\n\"\" id=33 runnable, pinned to tid=77, open for 0.0 s\n"
              "    a.C.spin:9\n");
    free(text);
    wick_virtual_threads_release(&v);
}

static void test_virtual_threads__a_large_group_is_not_printed_one_by_one(void **state)
{
    struct wick_virtual_threads v;
    char *text = malloc(100000), *p = text;
    (void)state;
    p += sprintf(p, "known=1000\nframes=0\nframe=f\n");
    for (int i = 0; i < 1000; i++)
        p += sprintf(p, "thread=%d\nname=n%d\nstack=0\n", i, i);
    sprintf(p, "end=1\n");
    assert_int_equal(parse(&v, text, NULL), 0);
    free(text);
    text = printed(&v, false);
    assert_non_null(strstr(text, "\n1000 threads with the same stack\n"));
    assert_non_null(strstr(text, "\"n9\"") ? strstr(text, "... and 990 more") : NULL);
    assert_null(strstr(text, "\"n10\""));
    free(text);
    text = printed(&v, true);
    assert_non_null(strstr(text, "\"name\": \"n999\""));
    free(text);
    wick_virtual_threads_release(&v);
}

static void test_virtual_threads__an_empty_list_says_what_would_be_in_it(void **state)
{
    struct wick_virtual_threads v;
    (void)state;
    assert_int_equal(parse(&v, "known=0\nend=1\n", NULL), 0);
    char *text = printed(&v, false);
    assert_string_equal(text, "0 of 0 virtual threads with a context shown, longest open first\n"
                              "(listed are virtual threads with an open scope; programs open scopes with wick.jar, see "
                              "docs/labels.md)\n");
    free(text);
    wick_virtual_threads_release(&v);
}

static void test_virtual_threads__a_name_chooses_and_counts_follow(void **state)
{
    struct wick_virtual_threads v;
    (void)state;
    assert_int_equal(parse(&v, list, "second"), 0);
    assert_true(v.nrows == 1 && v.rows[0].id == 32 && v.stacks[0].threads == 1 && v.stacks[1].threads == 0);
    wick_virtual_threads_release(&v);
}

static void test_virtual_threads__json_escapes_what_names_hold(void **state)
{
    struct wick_virtual_threads v;
    (void)state;
    assert_int_equal(parse(&v, "known=1\nframes=0\nframe=a.\"B\nthread=1\nname=\"\\\x1b\xff\nstack=0\nend=1\n", NULL),
                     0);
    char *text = printed(&v, true);
    assert_non_null(strstr(text, "\"name\": \"\\\"\\\\\\u001b\\ufffd\""));
    assert_non_null(strstr(text, "\"frames\": [\"a.\\\"B\"]"));
    free(text);
    text = printed(&v, false);
    assert_null(strchr(text, '\x1b'));
    free(text);
    wick_virtual_threads_release(&v);
}

static void test_virtual_threads__lists_that_cannot_be_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "known=1\n",                             /* not whole */
        "known=1\nframe=a\nend=1\n",             /* a frame of no stack */
        "known=1\nthread=1\nstack=0\nend=1\n",   /* a stack that is not there */
        "frames=0\nthread=1\nstack=-1\nend=1\n", /* as an unsigned number */
        "frames=0\nthread=1\nstack=4294967295\nend=1\n",
        "nonsense\nend=1\n",
    };
    struct wick_virtual_threads v;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(parse(&v, bad[i], NULL), -WICK_E_FORMAT);
    assert_int_equal(parse(&v, "known=0\nname=x\nmore=9\nend=1", NULL), 0); /* of no thread, of no stack */
    assert_true(!v.nrows && !v.nstacks);
    wick_virtual_threads_release(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_virtual_threads__rows_stacks_and_counts_are_read),
        cmocka_unit_test(test_virtual_threads__threads_of_one_stack_are_printed_as_a_group),
        cmocka_unit_test(test_virtual_threads__a_large_group_is_not_printed_one_by_one),
        cmocka_unit_test(test_virtual_threads__an_empty_list_says_what_would_be_in_it),
        cmocka_unit_test(test_virtual_threads__a_name_chooses_and_counts_follow),
        cmocka_unit_test(test_virtual_threads__json_escapes_what_names_hold),
        cmocka_unit_test(test_virtual_threads__lists_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
