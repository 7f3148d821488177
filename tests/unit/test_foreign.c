/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts that a real library publishes, loaded at run time, with its variable in dynamic and in static thread-local
 * memory; read in a real signal handler.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "elf/dynsym.h"
#include "labels/foreign.h"

struct record {
    uint8_t trace[16], span[8], valid, flags;
    uint16_t attrs_size;
};

struct publisher {
    void *handle;
    void **(*slot)(void);
};

static struct wick_mem mem;
static struct wick_elf_images images;
static struct wick_label_foreign foreign;

static const struct record good = {
    .trace = {0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36},
    .span = {0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7},
    .valid = 1,
    .flags = 1,
};

static int set_up(void **state)
{
    (void)state;
    memset(&foreign, 0, sizeof foreign);
    wick_elf_images_init(&images, 0);
    return wick_mem_self_init(&mem);
}

static int tear_down(void **state)
{
    (void)state;
    wick_elf_images_release(&images);
    return 0;
}

static struct publisher load(const char *path)
{
    struct publisher p = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    assert_non_null(p.handle);
    *(void **)&p.slot = dlsym(p.handle, "wick_test_publisher_slot");
    assert_non_null(p.slot);
    return p;
}

static const struct wick_elf_image *image_of(const char *path)
{
    bool changed;
    assert_int_equal(wick_elf_images_refresh(&images, NULL, &changed, NULL), 0);
    const struct wick_elf_table *t = images.table;
    for (uint32_t i = 0; i < t->n; i++)
        if (!strcmp(t->e[i].image->path, path))
            return t->e[i].image;
    fail_msg("%s is not loaded", path);
    return NULL;
}

struct search {
    const struct wick_elf_images *images;
    bool changed;
};

static void *search(void *arg)
{
    const struct search *s = arg;
    wick_label_foreign_find(&foreign, s->images, &mem, s->changed);
    return NULL;
}

static void on_new_thread(void *(*f)(void *), void *arg)
{
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, f, arg), 0);
    assert_int_equal(pthread_join(t, NULL), 0);
}

/* Searches one image only: libraries of earlier tests are still loaded. */
static void find_in(const char *path, bool changed)
{
    struct wick_elf_table *t = calloc(1, sizeof *t + sizeof t->e[0]);
    assert_non_null(t);
    t->n = 1;
    t->e[0].image = image_of(path);
    const struct wick_elf_images one = {.table = t};
    struct search s = {&one, changed};
    on_new_thread(search, &s);
    free(t);
}

static struct {
    struct wick_context context;
    bool found;
} seen;

static void handler(int sig)
{
    (void)sig;
    seen.found = wick_label_foreign_read_sig(&foreign, &mem, &seen.context);
}

static bool interrupt(void)
{
    struct sigaction old, sa = {.sa_handler = handler};
    sigaction(SIGUSR1, &sa, &old);
    memset(&seen, 0, sizeof seen);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &old, NULL);
    return seen.found;
}

static void assert_good(void)
{
    assert_true(interrupt());
    assert_int_equal(seen.context.trace_hi, 0x4bf92f3577b34da6);
    assert_int_equal(seen.context.trace_lo, 0xa3ce929d0e0e4736);
    assert_int_equal(seen.context.span, 0x00f067aa0ba902b7);
    assert_int_equal(seen.context.endpoint, 0);
    assert_int_equal(seen.context.labels, 0);
}

static void assert_refused(const struct publisher *p, const struct record *r)
{
    *p->slot() = (void *)r;
    assert_false(interrupt());
}

/* What a thread publishes, and what of it counts. */
static void *use(void *arg)
{
    const struct publisher *p = arg;
    struct record r = good;
    assert_null(*p->slot());
    assert_false(interrupt());
    *p->slot() = &r;
    assert_good();
    r.valid = 0;
    assert_refused(p, &r);
    r.valid = 2;
    assert_refused(p, &r);
    r = (struct record){.valid = 1};
    assert_refused(p, &r);
    r.span[7] = 5;
    assert_true(interrupt());
    assert_int_equal(seen.context.span, 5);
    void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_refused(p, hole);
    munmap(hole, 4096);
    assert_refused(p, NULL);
    *p->slot() = (void *)&good;
    assert_good();
    return NULL;
}

static void *use_never(void *arg)
{
    (void)arg;
    assert_false(interrupt());
    return NULL;
}

/* A thread that began before the library came: without its memory, then with it. */
struct elder {
    struct publisher *p;
    sem_t go, done;
};

static void *grow_old(void *arg)
{
    struct elder *e = arg;
    sem_wait(&e->go);
    assert_false(interrupt());
    use(e->p);
    sem_post(&e->done);
    return NULL;
}

static void check_library(const char *path, enum wick_label_foreign_way way)
{
    struct publisher p;
    struct elder e = {.p = &p};
    pthread_t elder;
    sem_init(&e.go, 0, 0);
    sem_init(&e.done, 0, 0);
    assert_int_equal(pthread_create(&elder, NULL, grow_old, &e), 0);
    p = load(path);
    find_in(path, true);
    assert_int_equal(foreign.way, way);
    sem_post(&e.go);
    assert_int_equal(pthread_join(elder, NULL), 0);
    on_new_thread(use_never, NULL);
    on_new_thread(use, &p);
    use(&p); /* also the first thread */
    *p.slot() = NULL;
    on_new_thread(use_never, NULL);
    dlclose(p.handle);
    assert_non_null(dlopen(path, RTLD_LAZY | RTLD_NOLOAD)); /* it is kept */
}

static void test_foreign__dynamic_memory_is_read(void **state)
{
    (void)state;
    check_library(PUBLISHER_DYNAMIC, WICK_FOREIGN_DYNAMIC);
}

static void test_foreign__static_memory_is_read(void **state)
{
    (void)state;
    check_library(PUBLISHER_STATIC, WICK_FOREIGN_STATIC);
}

static void test_foreign__images_are_searched_when_they_change(void **state)
{
    (void)state;
    const struct wick_elf_images none = {0};
    struct search s = {&none, false};
    wick_label_foreign_find(&foreign, &none, &mem, false);
    assert_false(foreign.looked); /* not decidable in the first thread */
    on_new_thread(search, &s);
    assert_true(foreign.looked);
    assert_false(interrupt());
    struct publisher p = load(PUBLISHER_DYNAMIC);
    find_in(PUBLISHER_DYNAMIC, false);
    assert_int_equal(foreign.way, WICK_FOREIGN_NONE);
    find_in(PUBLISHER_DYNAMIC, true);
    assert_int_equal(foreign.way, WICK_FOREIGN_DYNAMIC);
    dlclose(p.handle);
}

static void test_foreign__among_all_images_the_publisher_is_found(void **state)
{
    (void)state;
    struct publisher p = load(PUBLISHER_DYNAMIC);
    image_of(PUBLISHER_DYNAMIC);
    struct search s = {&images, true};
    on_new_thread(search, &s);
    assert_int_not_equal(foreign.way, WICK_FOREIGN_NONE);
    dlclose(p.handle);
}

static void test_foreign__thread_local_symbols_are_their_own_kind(void **state)
{
    (void)state;
    uint64_t value;
    struct publisher p = load(PUBLISHER_DYNAMIC);
    const struct wick_elf_image *i = image_of(PUBLISHER_DYNAMIC);
    assert_int_equal(wick_elf_dynsym_tls(&mem, i, "otel_thread_ctx_v1", &value), 0);
    assert_int_equal(wick_elf_dynsym(&mem, i, "otel_thread_ctx_v1", &value), -WICK_E_NOTFOUND);
    assert_int_equal(wick_elf_dynsym_tls(&mem, i, "wick_test_publisher_slot", &value), -WICK_E_NOTFOUND);
    assert_int_equal(wick_elf_dynsym(&mem, i, "wick_test_publisher_slot", &value), 0);
    assert_ptr_equal((void *)(uintptr_t)value, *(void **)&p.slot);
    dlclose(p.handle);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
#if defined(__x86_64__) && defined(__GLIBC__)
        TEST(test_foreign__dynamic_memory_is_read),
        TEST(test_foreign__static_memory_is_read),
        TEST(test_foreign__images_are_searched_when_they_change),
        TEST(test_foreign__among_all_images_the_publisher_is_found),
#endif
        TEST(test_foreign__thread_local_symbols_are_their_own_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
