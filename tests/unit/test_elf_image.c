/* SPDX-License-Identifier: Apache-2.0 */
/* The set of loaded images: of this process and of a child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_mem.h"
#include "base/atomic.h"
#include "base/err.h"
#include "elf/image.h"

#define LIB "libz.so.1" /* any small library that nothing here needs */

static struct wick_mem mem;

static int setup(void **state)
{
    (void)state;
    return wick_mem_self_init(&mem);
}

/* The image of that number, mapped or not; NULL if it was reclaimed. */
static const struct wick_elf_image *with_id(const struct wick_elf_images *im, uint32_t id)
{
    const struct wick_elf_image *image = NULL;
    for (uint32_t i = 0; (image = wick_elf_images_at(im, i)) && image->id != id;)
        i++;
    return image;
}

static const struct wick_elf_image *image_of(const struct wick_elf_images *im, const void *p)
{
    return wick_elf_images_find(im, (uintptr_t)p);
}

static bool refresh(struct wick_elf_images *im, const struct wick_mem *m)
{
    bool changed;
    assert_int_equal(wick_elf_images_refresh(im, m, &changed, NULL), 0);
    return changed;
}

static void test_images__own_libraries_are_found(void **state)
{
    (void)state;
    struct wick_elf_images im;
    wick_elf_images_init(&im, 0);
    assert_null(image_of(&im, getpid));
    assert_true(refresh(&im, &mem));
    const struct wick_elf_image *libc = image_of(&im, dlsym(RTLD_DEFAULT, "getppid"));
    assert_non_null(libc);
    assert_non_null(strstr(libc->path, "libc.so.6"));
    assert_true(libc->flags & WICK_IMAGE_PINNED);
    assert_true(libc->eh_hdr >= libc->ro_lo && libc->eh_hdr < libc->ro_hi);
    assert_int_equal(libc->build_id_len, 20);
    const struct wick_elf_image *self = image_of(&im, (void *)(uintptr_t)test_images__own_libraries_are_found);
    assert_non_null(self);
    assert_true(self->flags & WICK_IMAGE_MAIN);
    assert_ptr_equal(with_id(&im, self->id), self);
    char exe[4096] = {0};
    assert_true(readlink("/proc/self/exe", exe, sizeof exe - 1) > 0);
    assert_string_equal(self->path, exe);
    assert_null(image_of(&im, &im)); /* the stack is no image */
    assert_null(wick_elf_images_find(&im, 0));
    assert_null(wick_elf_images_find(&im, UINT64_MAX));
    wick_elf_images_release(&im);
}

static void test_images__table_is_sorted_and_disjoint(void **state)
{
    (void)state;
    struct wick_elf_images im;
    wick_elf_images_init(&im, 0);
    refresh(&im, &mem);
    const struct wick_elf_table *t = wick_load_acquire(&im.table); /* pairs: publish */
    assert_true(t->n >= 3);
    for (uint32_t i = 0; i < t->n; i++) {
        assert_true(t->e[i].lo < t->e[i].hi);
        assert_true(i == 0 || t->e[i - 1].hi <= t->e[i].lo);
        assert_ptr_equal(wick_elf_images_find(&im, t->e[i].lo), t->e[i].image);
        assert_ptr_equal(wick_elf_images_find(&im, t->e[i].hi - 1), t->e[i].image);
    }
    wick_elf_images_release(&im);
}

static void test_images__libraries_come_and_go(void **state)
{
    (void)state;
    struct wick_elf_images im;
    wick_elf_images_init(&im, 0);
    refresh(&im, &mem);
    assert_false(refresh(&im, &mem));
    const struct wick_elf_image *libc = image_of(&im, dlsym(RTLD_DEFAULT, "getppid"));
    void *h = dlopen(LIB, RTLD_NOW);
    assert_non_null(h);
    void *f = dlsym(h, "zlibVersion");
    assert_null(image_of(&im, f));
    assert_true(refresh(&im, &mem));
    const struct wick_elf_image *lib = image_of(&im, f);
    assert_non_null(lib);
    assert_false(lib->flags & WICK_IMAGE_PINNED);
    assert_ptr_equal(image_of(&im, dlsym(RTLD_DEFAULT, "getppid")), libc);
    uint32_t id = lib->id;
    dlclose(h);
    assert_true(refresh(&im, &mem));
    assert_null(image_of(&im, f));
    assert_ptr_equal(with_id(&im, id), lib); /* a recorded pc may still need it */
    wick_elf_images_reclaim(&im);
    assert_null(with_id(&im, id));
    assert_ptr_equal(image_of(&im, dlsym(RTLD_DEFAULT, "getppid")), libc);
    wick_elf_images_release(&im);
}

static void test_images__many_loads_keep_nothing(void **state)
{
    (void)state;
    struct wick_elf_images im;
    wick_elf_images_init(&im, 0);
    refresh(&im, &mem);
    const struct wick_elf_image *libc = image_of(&im, dlsym(RTLD_DEFAULT, "getppid"));
    uint32_t images = im.n_all, last = 0;
    assert_false(wick_elf_images_wasted(&im));
    for (int i = 0; i < 1000; i++) {
        void *h = dlopen(LIB, RTLD_NOW);
        assert_non_null(h);
        assert_true(refresh(&im, &mem));
        const struct wick_elf_image *lib = image_of(&im, dlsym(h, "zlibVersion"));
        assert_non_null(lib);
        assert_true(lib->id > last); /* a number is never used again */
        assert_ptr_equal(with_id(&im, lib->id), lib);
        last = lib->id;
        dlclose(h);
        assert_true(refresh(&im, &mem));
        assert_true(wick_elf_images_wasted(&im));
        wick_elf_images_reclaim(&im);
        assert_null(with_id(&im, last));
        assert_false(wick_elf_images_wasted(&im));
    }
    assert_int_equal(im.n_all, images);
    assert_true(im.cap_all <= 64 || im.cap_all < 4 * images);
    assert_ptr_equal(wick_elf_images_at(&im, libc->id), libc);
    assert_ptr_equal(with_id(&im, libc->id), libc);
    assert_null(wick_elf_images_at(&im, images));
    wick_elf_images_release(&im);
}

/* A child that waits; it has our very address space. */
static pid_t start_child(void)
{
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    assert_true(pid > 0);
    return pid;
}

static void end_child(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void test_images__of_another_process_equal_its_own_view(void **state)
{
    (void)state;
    struct wick_elf_images own, other;
    struct wick_mem remote;
    /* A library that is only mapped to be read is not an image. */
    char path[4096];
    pid_t pid;
    wick_elf_images_init(&own, 0);
    refresh(&own, &mem);
    const struct wick_elf_table *t = wick_load_acquire(&own.table); /* pairs: publish */
    snprintf(path, sizeof path, "%s", image_of(&own, dlsym(RTLD_DEFAULT, "getppid"))->path);
    int fd = open(path, O_RDONLY);
    void *as_data = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE, fd, 0);
    assert_ptr_not_equal(as_data, MAP_FAILED);
    pid = start_child();
    wick_elf_images_init(&other, pid);
    assert_int_equal(wick_mem_remote_init(&remote, pid, NULL), 0);
    assert_true(refresh(&other, &remote));
    assert_false(refresh(&other, &remote));
    const struct wick_elf_table *u = wick_load_acquire(&other.table); /* pairs: publish */
    assert_int_equal(u->n, t->n);
    for (uint32_t i = 0; i < t->n; i++) {
        const struct wick_elf_image *a = t->e[i].image, *b = u->e[i].image;
        assert_true(a->bias == b->bias && a->text_lo == b->text_lo && a->text_hi == b->text_hi);
        assert_true(a->map_lo == b->map_lo && a->map_hi == b->map_hi && a->eh_hdr == b->eh_hdr && a->dyn == b->dyn);
        assert_int_equal(a->build_id_len, b->build_id_len);
        assert_memory_equal(a->build_id, b->build_id, WICK_BUILD_ID_MAX);
        assert_int_equal(a->flags & WICK_IMAGE_VDSO, b->flags & WICK_IMAGE_VDSO);
        assert_int_equal(a->flags & WICK_IMAGE_MAIN, b->flags & WICK_IMAGE_MAIN);
        assert_int_equal(b->flags & WICK_IMAGE_PINNED, 0);
    }
    end_child(pid);
    munmap(as_data, 1 << 20);
    close(fd);
    bool changed;
    struct wick_err err = {0};
    assert_int_equal(wick_elf_images_refresh(&other, &remote, &changed, &err), -WICK_E_GONE);
    assert_true(err.msg[0]);
    assert_non_null(image_of(&other, dlsym(RTLD_DEFAULT, "getppid"))); /* as before */
    wick_mem_release(&remote);
    wick_elf_images_release(&own);
    wick_elf_images_release(&other);
}

static void test_probe__every_prefix_of_a_header_is_refused(void **state)
{
    (void)state;
    uintptr_t base = getauxval(AT_SYSINFO_EHDR);
    if (!base)
        skip(); /* no vDSO in this process (vdso=0 or an emulator) */
    struct wick_mem_range range = {0x1000, 0, (const void *)base};
    struct wick_mem_fake fake = {&range, 1};
    struct wick_mem m;
    struct wick_elf_image img;
    wick_mem_fake_init(&m, &fake);
    for (range.size = 0; range.size < 64 + 56; range.size++)
        assert_int_equal(wick_elf_image_probe(&m, 0x1000, &img), -WICK_E_FAULT);
    range.size = 4096;
    assert_int_equal(wick_elf_image_probe(&m, 0x1000, &img), 0);
    range.data = "\177ELG............................................................................................";
    range.size = 80;
    assert_int_equal(wick_elf_image_probe(&m, 0x1000, &img), -WICK_E_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images__own_libraries_are_found),
        cmocka_unit_test(test_images__table_is_sorted_and_disjoint),
        cmocka_unit_test(test_images__libraries_come_and_go),
        cmocka_unit_test(test_images__many_loads_keep_nothing),
        cmocka_unit_test(test_images__of_another_process_equal_its_own_view),
        cmocka_unit_test(test_probe__every_prefix_of_a_header_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
