/* SPDX-License-Identifier: Apache-2.0 */
/* Names of addresses of this process, and which symbol tables stay loaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "elf/image.h"
#include "symbolize/kernel_names.h"
#include "symbolize/symbolize.h"

struct scene {
    struct wick_elf_images images;
    struct wick_mem mem;
    struct wick_symbolizer code;
};

static struct scene scene;

static int set_up(void **state)
{
    bool changed;
    wick_elf_images_init(&scene.images, 0);
    assert_int_equal(wick_mem_self_init(&scene.mem), 0);
    assert_int_equal(wick_elf_images_refresh(&scene.images, &scene.mem, &changed, NULL), 0);
    wick_symbolizer_init(&scene.code, &scene.images, 0, &scene.mem, NULL);
    *state = &scene;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wick_symbolizer_release(&scene.code);
    wick_elf_images_release(&scene.images);
    return 0;
}

__attribute__((noinline)) static int named_function(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 1;
}

/* Spelled as a C++ compiler spells wick::spelled(int). */
__attribute__((noinline)) int _ZN4wick7spelledEi(int x);
__attribute__((noinline)) int _ZN4wick7spelledEi(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 2;
}

static void test_symbolize__functions_have_name_library_and_kind(void **state)
{
    struct scene *s = *state;
    struct wick_code_name name;
    wick_symbolize(&s->code, (uintptr_t)named_function + 1, &name);
    assert_true(name.found);
    assert_string_equal(name.symbol, "named_function");
    assert_string_equal(name.library, "test_symbolize");
    assert_int_equal(name.kind, WICK_FRAME_NATIVE);
    wick_symbolize(&s->code, (uintptr_t)_ZN4wick7spelledEi, &name);
    assert_true(name.found);
    assert_string_equal(name.symbol, "wick::spelled");
    assert_int_equal(name.kind, WICK_FRAME_CPP);
    assert_int_equal(s->code.cache.n, 1); /* one image, loaded once */
}

static void test_symbolize__code_in_no_image_is_called_after_its_mapping(void **state)
{
    struct scene *s = *state;
    struct wick_code_name name;
    char path[] = "/tmp/wick-symbolize-XXXXXX", want[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 4096), 0);
    char *anonymous = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *file = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    assert_true(anonymous != MAP_FAILED && file != MAP_FAILED);
    wick_symbolize(&s->code, (uintptr_t)file, &name);
    snprintf(want, sizeof want, "[%s]", wick_symbolize_library(path));
    assert_string_equal(name.symbol, want);
    assert_null(name.image);
    assert_false(name.found);
    wick_symbolize(&s->code, (uintptr_t)&want, &name); /* the kernel's own name has brackets */
    assert_string_equal(name.symbol, "[stack]");
    munmap(file, 4096);
    /* The kernel may join anonymous memory with a neighbour that has a name (the sanitizer's), so any will do. */
    wick_symbolize(&s->code, (uintptr_t)anonymous, &name);
    assert_true(name.symbol[0] == '[' && !name.found);
    munmap(anonymous, 4096);
    wick_symbolize(&s->code, 1, &name);
    assert_string_equal(name.symbol, "[unknown]");
    close(fd);
    unlink(path);
}

static void test_symbolize__the_kernel_without_names_is_one_place(void **state)
{
    struct scene *s = *state;
    struct wick_code_name name;
    wick_symbolize_kernel(&s->code, 0xffffffff81000000u, &name);
    assert_false(name.found);
    assert_string_equal(name.symbol, "[kernel]");
    assert_int_equal(name.kind, WICK_FRAME_KERNEL);
    struct wick_kernel_names none = {.path = "/nonexistent"};
    s->code.kernel = &none;
    wick_symbolize_kernel(&s->code, 0xffffffff81000000u, &name);
    assert_string_equal(name.symbol, "[kernel]");
    s->code.kernel = NULL;
    wick_kernel_names_release(&none);
}

static struct wick_symbols *load_own(void)
{
    struct wick_symbols *symbols;
    assert_int_equal(wick_symbols_load(&symbols, &(struct wick_elf_image){.path = "/proc/self/exe"},
                                       &(struct wick_symbols_from){0}, NULL),
                     0);
    return symbols;
}

static bool holds(struct wick_symbol_cache *c, uint32_t image)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (c->e[i].image == image)
            return true;
    return false;
}

static void test_symbol_cache__the_least_recently_used_table_goes_first(void **state)
{
    (void)state;
    struct wick_symbol_cache c;
    const struct wick_symbols *found;
    wick_symbol_cache_init(&c, 2);
    assert_non_null(wick_symbol_cache_add(&c, 1, load_own()));
    assert_non_null(wick_symbol_cache_add(&c, 2, load_own()));
    assert_true(wick_symbol_cache_find(&c, 1, &found));
    assert_non_null(wick_symbol_cache_add(&c, 3, load_own()));
    assert_true(holds(&c, 1) && holds(&c, 3));
    assert_false(wick_symbol_cache_find(&c, 2, &found));
    wick_symbol_cache_release(&c);
}

static void test_symbol_cache__an_image_without_symbols_is_remembered(void **state)
{
    (void)state;
    struct wick_symbol_cache c;
    const struct wick_symbols *found = (const struct wick_symbols *)&c;
    wick_symbol_cache_init(&c, 0);
    assert_null(wick_symbol_cache_add(&c, 7, NULL));
    assert_true(wick_symbol_cache_find(&c, 7, &found));
    assert_null(found);
    wick_symbol_cache_release(&c);
}

static void test_symbol_cache__tables_unused_for_some_rounds_are_dropped(void **state)
{
    (void)state;
    struct wick_symbol_cache c;
    const struct wick_symbols *found;
    wick_symbol_cache_init(&c, 0);
    wick_symbol_cache_add(&c, 1, load_own());
    wick_symbol_cache_add(&c, 2, load_own());
    size_t both = wick_symbol_cache_memory(&c);
    for (int i = 0; i < WICK_SYMBOL_CACHE_ROUNDS; i++) {
        assert_true(wick_symbol_cache_find(&c, 1, &found));
        assert_int_equal(c.n, 2);
        wick_symbol_cache_tidy(&c);
    }
    assert_true(holds(&c, 1));
    assert_false(holds(&c, 2));
    assert_true(wick_symbol_cache_memory(&c) < both);
    wick_symbol_cache_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symbolize__functions_have_name_library_and_kind),
        cmocka_unit_test(test_symbolize__code_in_no_image_is_called_after_its_mapping),
        cmocka_unit_test(test_symbolize__the_kernel_without_names_is_one_place),
        cmocka_unit_test(test_symbol_cache__the_least_recently_used_table_goes_first),
        cmocka_unit_test(test_symbol_cache__an_image_without_symbols_is_remembered),
        cmocka_unit_test(test_symbol_cache__tables_unused_for_some_rounds_are_dropped),
    };
    return cmocka_run_group_tests_name("symbolize", tests, set_up, tear_down);
}
