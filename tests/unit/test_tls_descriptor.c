/* SPDX-License-Identifier: Apache-2.0 */
/* Where threads have an exported thread-local variable, found as from outside: the place must be that of the loader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/err.h"
#include "elf/tls_descriptor.h"

#define SYMBOL "otel_thread_ctx_v1"

enum { MOST = 65536 };

static struct wick_mem mem;
static struct wick_elf_images images;

static int set_up(void **state)
{
    bool changed;
    (void)state;
    wick_elf_images_init(&images, 0);
    return wick_mem_self_init(&mem) || wick_elf_images_refresh(&images, &mem, &changed, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    wick_elf_images_release(&images);
    wick_mem_release(&mem);
    return 0;
}

static const struct wick_elf_image *image_of(const char *path)
{
    const struct wick_elf_image *image;
    for (uint32_t i = 0; (image = wick_elf_images_at(&images, i)); i++)
        if (!strcmp(image->path, path))
            return image;
    return NULL;
}

struct one {
    void *library;
    struct wick_tls_descriptor where;
};

/* The address in the calling thread, as a reader of its memory finds it. */
static uint64_t slot(const struct wick_tls_descriptor *d)
{
    uint64_t thread = (uint64_t)(uintptr_t)__builtin_thread_pointer(), vector, block;
    if (!d->dynamic)
        return thread + d->offset;
    assert_int_equal(wick_mem_read(&mem, thread + 8, &vector, 8), 0);
    assert_int_equal(wick_mem_read(&mem, vector + 16 * d->module, &block, 8), 0);
    return block + d->offset;
}

static void *compare(void *arg)
{
    const struct one *o = arg;
    uint64_t at = (uint64_t)(uintptr_t)dlsym(o->library, SYMBOL); /* the thread has its block from here on */
    assert_true(at && slot(&o->where) == at);
    return NULL;
}

static void expect(const char *path, bool dynamic)
{
    struct one o = {.library = dlopen(path, RTLD_NOW)};
    bool changed;
    pthread_t other;
    assert_non_null(o.library);
    assert_int_equal(wick_elf_images_refresh(&images, &mem, &changed, NULL), 0);
    const struct wick_elf_image *image = image_of(path);
    assert_non_null(image);
    uint32_t most = 0;
    assert_int_equal(wick_tls_descriptor_find(&mem, image, SYMBOL, &most, &o.where), -WICK_E_NOTFOUND);
    most = MOST;
    assert_int_equal(wick_tls_descriptor_find(&mem, image, SYMBOL, &most, &o.where), 0);
    assert_in_range(most, 1, MOST - 1);
    assert_int_equal(o.where.dynamic, dynamic);
    compare(&o);
    assert_int_equal(pthread_create(&other, NULL, compare, &o), 0);
    pthread_join(other, NULL);
    assert_int_equal(wick_tls_descriptor_find(&mem, image, "otel_thread_ctx_v2", &most, &o.where), -WICK_E_NOTFOUND);
}

static void test_find__in_the_memory_that_threads_are_made_with(void **state)
{
    (void)state;
    expect(DESCRIPTOR_SMALL, false);
}

static void test_find__in_memory_of_its_own(void **state)
{
    (void)state;
    expect(DESCRIPTOR_LARGE, true);
}

/* A library that reaches its variable by another way has no descriptor. */
static void test_find__needs_a_descriptor(void **state)
{
    struct wick_tls_descriptor d;
    uint32_t most = MOST;
    bool changed;
    (void)state;
    assert_non_null(dlopen(DESCRIPTOR_NONE, RTLD_NOW));
    assert_int_equal(wick_elf_images_refresh(&images, &mem, &changed, NULL), 0);
    assert_int_equal(wick_tls_descriptor_find(&mem, image_of(DESCRIPTOR_NONE), SYMBOL, &most, &d), -WICK_E_NOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find__in_the_memory_that_threads_are_made_with),
        cmocka_unit_test(test_find__in_memory_of_its_own),
        cmocka_unit_test(test_find__needs_a_descriptor),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
