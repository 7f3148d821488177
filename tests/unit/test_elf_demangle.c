/* SPDX-License-Identifier: Apache-2.0 */
/* Readable names, and names that were made to hurt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "elf/demangle.h"

static void check(const char *symbol, unsigned flags, const char *want)
{
    char out[1024];
    size_t n = wick_demangle(symbol, flags, out, sizeof out);
    assert_string_equal(out, want);
    assert_int_equal(n, strlen(want));
}

static void test_demangle__cpp_names_lose_their_parameters(void **state)
{
    (void)state;
    check("_ZN9CodeCache9find_blobEPv", 0, "CodeCache::find_blob");
    check("_ZN9CodeCache9find_blobEPv", WICK_DEMANGLE_PARAMS, "CodeCache::find_blob(void*)");
    check("_ZNK5Klass4nameEv", 0, "Klass::name");
    check("_ZN12_GLOBAL__N_13fooEi", 0, "(anonymous namespace)::foo");
    check("_ZN3FooD1Ev", 0, "Foo::~Foo");
    check("_ZlsRSoRK3Foo", 0, "operator<<");
    check("_ZN3FooltERKS_", 0, "Foo::operator<");
    check("_ZTV7oopDesc", 0, "vtable for oopDesc");
}

static void test_demangle__rust_names(void **state)
{
    (void)state;
    check("_ZN3std2rt10lang_start17h0123456789abcdefE", 0, "std::rt::lang_start");
    check("_RNvC7mycrate3foo", 0, "mycrate::foo");
    check("_RNvC0mycrate3foo", 0, "_RNvC0mycrate3foo"); /* an empty identifier is passed on as NULL */
}

static void test_demangle__other_names_are_copied(void **state)
{
    (void)state;
    check("", 0, "");
    check("malloc", 0, "malloc");
    check("_Z", 0, "_Z");
    check("_ZN9CodeCache", 0, "_ZN9CodeCache");
    check("Java_java_util_zip_Deflater_init", 0, "Java_java_util_zip_Deflater_init");
    check("_Java_x", 0, "_Java_x");
}

static void test_demangle__clones_and_plt(void **state)
{
    (void)state;
    check("parse.cold", 0, "parse");
    check("parse.isra.0.cold", 0, "parse");
    check("parse.constprop.3", 0, "parse");
    check("parse.constprop.3", WICK_DEMANGLE_CLONES, "parse.constprop.3");
    check("_ZN3FooD1Ev.cold", 0, "Foo::~Foo");
    check("_ZN3Foo3barEi@plt", 0, "Foo::bar@plt");
    check("memcpy@plt", 0, "memcpy@plt");
    check(".cold", 0, ".cold");
}

static void test_demangle__long_template_lists_are_shortened(void **state)
{
    (void)state;
    check("_ZN4ListIiE3addEi", 0, "List<int>::add");
    const char *long_one = "_ZN3MapISt4pairISt6vectorISsSaISsEES1_ISsSaISsEEES0_IS1_ISsSaISsEES1_ISsSaISsEEEE3putEi";
    char full[1024], brief[1024];
    wick_demangle(long_one, WICK_DEMANGLE_TEMPLATES, full, sizeof full);
    wick_demangle(long_one, 0, brief, sizeof brief);
    assert_true(strlen(full) > 200);
    assert_string_equal(brief, "Map<...>::put");
}

static void test_demangle__output_is_cut_to_the_buffer(void **state)
{
    (void)state;
    char out[16];
    assert_int_equal(wick_demangle("_ZN9CodeCache9find_blobEPv", 0, out, sizeof out), 15);
    assert_string_equal(out, "CodeCache::find");
    assert_int_equal(wick_demangle("a_plain_but_long_name", 0, out, sizeof out), 15);
    assert_int_equal(wick_demangle("_ZN9CodeCache9find_blobEv@plt", 0, out, sizeof out), 15);
}

/* Names that nest, repeat or double; run on a stack of the promised size. */
static void *hurt(void *arg)
{
    (void)arg;
    char out[256];
    static char s[5000];
    static const char *const unit[] = {"P",  "I",  "N",  "F", "St4pairI", "S_", "T_",
                                       "XL", "Dp", "A_", "M", "K",        "RK", "L"};
    for (size_t u = 0; u < sizeof unit / sizeof unit[0]; u++) {
        for (size_t n = 1; n < 4900; n = n * 3 / 2 + 1) {
            strcpy(s, "_Z1fI");
            while (strlen(s) + strlen(unit[u]) < n)
                strcat(s, unit[u]);
            for (unsigned flags = 0; flags < 8; flags++)
                wick_demangle(s, flags, out, sizeof out);
            memcpy(s, "_RNv", 4);
            wick_demangle(s, 0, out, sizeof out);
        }
    }
    /* each pair holds the one before it twice: 2^60 ints */
    strcpy(s, "_Z1fISt4pairIiiE");
    for (int i = 0; i < 60; i++) {
        char more[32] = "St4pairIS0_S0_E";
        static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        more[9] = more[12] = digit[i % 36];
        strcat(s, more);
    }
    strcat(s, "Evv");
    wick_demangle(s, WICK_DEMANGLE_PARAMS | WICK_DEMANGLE_TEMPLATES, out, sizeof out);
    wick_demangle(s, 0, out, sizeof out);
    return NULL;
}

static void test_demangle__hostile_names_end_in_time_and_stack(void **state)
{
    (void)state;
    pthread_attr_t attr;
    pthread_t t;
    size_t stack = 512 * 1024;
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
    stack *= 8; /* instrumented frames of our own; the library's are what they are */
#endif
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, stack);
    assert_int_equal(pthread_create(&t, &attr, hurt, NULL), 0);
    pthread_join(t, NULL);
    pthread_attr_destroy(&attr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_demangle__cpp_names_lose_their_parameters),
        cmocka_unit_test(test_demangle__rust_names),
        cmocka_unit_test(test_demangle__other_names_are_copied),
        cmocka_unit_test(test_demangle__clones_and_plt),
        cmocka_unit_test(test_demangle__long_template_lists_are_shortened),
        cmocka_unit_test(test_demangle__output_is_cut_to_the_buffer),
        cmocka_unit_test(test_demangle__hostile_names_end_in_time_and_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
