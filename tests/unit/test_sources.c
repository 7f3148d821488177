/* SPDX-License-Identifier: Apache-2.0 */
/* Which files `wick ui --source` finds, and which it must not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "serve/sources.h"

static void test_sources__names_of_classes_become_paths_or_nothing(void **state)
{
    static const struct {
        const char *class_name, *path;
    } good[] = {{"a/b/C", "a/b/C"}, {"C", "C"}, {"a/b/C$D$1", "a/b/C"}, {"x-y/z_1/\xc3\xa9", "x-y/z_1/\xc3\xa9"}};
    static const char *const bad[] = {"",    "/etc/passwd", "a/../b", "..",  "a//b", "a/",  "$x",
                                      "a/$", "a\nb",        "[I",     "a b", "a;b",  "a.b", "a/b/<script>"};
    struct wick_strbuf out = WICK_STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        wick_strbuf_clear(&out);
        assert_true(wick_sources_name(good[i].class_name, strlen(good[i].class_name), &out));
        assert_string_equal(out.buf, good[i].path);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(wick_sources_name(bad[i], strlen(bad[i]), &out));
    assert_false(wick_sources_name("a\0b", 3, &out));
    wick_strbuf_release(&out);
}

static void put_file(const char *dir, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_sources__files_are_found_below_their_folders_only(void **state)
{
    char dir[] = "/tmp/wick-sources-XXXXXX", path[512], outside[512];
    struct wick_sources s = {0};
    struct wick_strbuf text = WICK_STRBUF_INIT, found = WICK_STRBUF_INIT;
    struct wick_err err = {0};
    (void)state;
    assert_non_null(mkdtemp(dir));
    static const char *const folders[] = {"in", "in/a", "in/src", "in/src/main", "in/src/main/java", "in/D.java"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    put_file(dir, "secret", "secret");
    put_file(dir, "in/a/C.kt", "of a\n");
    put_file(dir, "in/src/main/java/E.java", "of E");
    snprintf(outside, sizeof outside, "%s/secret", dir);
    snprintf(path, sizeof path, "%s/in/F.java", dir);
    assert_int_equal(symlink(outside, path), 0);
    snprintf(path, sizeof path, "%s/in/G.java", dir);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(path, sizeof path, "%s/in", dir);
    assert_int_equal(wick_sources_add(&s, path, &err), 0);
    assert_true(wick_sources_find(&s, "a/C", &text, &found));
    assert_string_equal(text.buf, "of a\n");
    assert_string_equal(found.buf, "/a/C.kt");
    assert_true(wick_sources_find(&s, "E", &text, &found));
    assert_string_equal(text.buf, "of E");
    assert_string_equal(found.buf, "/src/main/java/E.java");
    static const char *const none[] = {"D", "F", "G", "secret", "H", "a"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_false(wick_sources_find(&s, none[i], &text, &found));
        assert_int_equal(text.len, 0);
    }
    assert_int_equal(wick_sources_add(&s, outside, &err), -WICK_E_USAGE);
    snprintf(path, sizeof path, "%s/none", dir);
    assert_int_equal(wick_sources_add(&s, path, &err), -WICK_E_NOTFOUND);
    wick_strbuf_release(&text);
    wick_strbuf_release(&found);
    wick_sources_release(&s);
    snprintf(path, sizeof path, "rm -r %s", dir);
    assert_int_equal(system(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources__names_of_classes_become_paths_or_nothing),
        cmocka_unit_test(test_sources__files_are_found_below_their_folders_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
