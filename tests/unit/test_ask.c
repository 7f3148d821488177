/* SPDX-License-Identifier: Apache-2.0 */
/* How `wick ui` takes requests apart: targets, numbers, bodies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "serve/ask.h"

static int ask(struct wick_ask *a, char *buffer, const char *target)
{
    strcpy(buffer, target);
    return wick_ask_target(a, buffer, &(struct wick_err){0});
}

static void test_ask__a_target_becomes_segments_and_parameters(void **state)
{
    struct wick_ask a;
    char b[256];
    (void)state;
    assert_int_equal(ask(&a, b, "/api/v1/x%2Fy?label=a%3Db&n=7&label=c+d&flag&=z"), 0);
    assert_int_equal(a.nsegments, 3);
    assert_string_equal(a.segment[2], "x/y");
    assert_int_equal(a.npairs, 5);
    assert_string_equal(a.pair[0].value, "a=b");
    assert_string_equal(a.pair[2].value, "c d");
    assert_string_equal(wick_ask_get(&a, "flag"), "");
    assert_null(wick_ask_get(&a, "none"));
    assert_int_equal(ask(&a, b, "/"), 0);
    assert_int_equal(a.nsegments, 0);
}

static void test_ask__malformed_targets_are_refused_whole(void **state)
{
    static const char *const bad[] = {
        "", "x", "/%", "/%4", "/%zz", "/%00", "/a?b=%0", "/a?%00=1", "/1/2/3/4/5/6/7/8/9"};
    struct wick_ask a;
    char b[2048] = "/?";
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ask(&a, b, bad[i]), -WICK_E_USAGE);
    strcpy(b, "/?");
    for (int i = 0; i <= WICK_ASK_PARAMETERS; i++)
        strcat(b, "a=1&");
    assert_int_equal(wick_ask_target(&a, b, NULL), -WICK_E_USAGE);
}

static void test_ask__numbers_are_numbers_within_their_bounds(void **state)
{
    struct wick_ask a;
    char b[256];
    int64_t v = 0;
    (void)state;
    assert_int_equal(ask(&a, b, "/?a=7&b=7x&c=&d=99999999999999999999&e=-1&f= 7"), 0);
    assert_int_equal(wick_ask_number(&a, "a", 0, 7, 1, &v, NULL), 0);
    assert_int_equal(v, 7);
    assert_int_equal(wick_ask_number(&a, "z", 0, 7, 5, &v, NULL), 0);
    assert_int_equal(v, 5);
    for (const char *key = "bcdef"; *key; key++)
        assert_int_equal(wick_ask_number(&a, (char[]){*key, 0}, 0, INT64_MAX, 1, &v, NULL), -WICK_E_USAGE);
    assert_int_equal(wick_ask_number(&a, "a", 0, 6, 1, &v, NULL), -WICK_E_USAGE);
}

static int body(struct wick_ask *a, char *buffer, const char *text)
{
    strcpy(buffer, text);
    return wick_ask_body(a, buffer, strlen(text), &(struct wick_err){0});
}

static void test_ask__a_body_becomes_pairs(void **state)
{
    struct wick_ask a;
    char b[512];
    (void)state;
    assert_int_equal(body(&a, b,
                          " {\"pid\":123, \"events\" : [\"cpu\",\"wall\"],\n\"options\":{\"wall\":\"5ms\"},"
                          "\"name\":\"a\\u00e9\\ud83d\\ude00\\\"\\n\",\"n\": -5} "),
                     0);
    assert_int_equal(a.npairs, 6);
    assert_string_equal(wick_ask_get(&a, "pid"), "123");
    assert_string_equal(a.pair[2].key, "events");
    assert_string_equal(a.pair[2].value, "wall");
    assert_string_equal(wick_ask_get(&a, "wall"), "5ms");
    assert_string_equal(wick_ask_get(&a, "name"), "a\xc3\xa9\xf0\x9f\x98\x80\"\n");
    assert_string_equal(wick_ask_get(&a, "n"), "-5");
    assert_int_equal(body(&a, b, "{}"), 0);
    assert_int_equal(a.npairs, 0);
}

static void test_ask__malformed_bodies_are_refused_whole(void **state)
{
    static const char *const bad[] = {"",
                                      "[]",
                                      "{",
                                      "{\"a\"",
                                      "{\"a\":",
                                      "{\"a\":1",
                                      "{\"a\":1,}",
                                      "{\"a\":1}x",
                                      "{\"a\":true}",
                                      "{\"a\":1.5}",
                                      "{\"a\":[1]}",
                                      "{\"a\":{\"b\":1}}",
                                      "{\"a\":\"\\u0000\"}",
                                      "{\"a\":\"\\ud800\"}",
                                      "{\"a\":\"\\q\"}",
                                      "{\"a\":\"\n\"}",
                                      "{\"a\":\"x}",
                                      "{a:1}",
                                      "{\"a\":-}",
                                      "{\"a\":[\"x\"}",
                                      "{\"a\":\"\\u12"};
    struct wick_ask a;
    char b[512];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(body(&a, b, bad[i]), -WICK_E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ask__a_target_becomes_segments_and_parameters),
        cmocka_unit_test(test_ask__malformed_targets_are_refused_whole),
        cmocka_unit_test(test_ask__numbers_are_numbers_within_their_bounds),
        cmocka_unit_test(test_ask__a_body_becomes_pairs),
        cmocka_unit_test(test_ask__malformed_bodies_are_refused_whole),
    };
    return cmocka_run_group_tests_name("ask", tests, NULL, NULL);
}
