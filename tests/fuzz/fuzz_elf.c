/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files and images made of any bytes: as a file (sections, symbols, PLT, debug link), and as if a loader had mapped it
 * at a page (program headers, dynamic symbols, unwind rules).
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../unit/fake_mem.h"
#include "elf/dynsym.h"
#include "elf/eh_frame.h"
#include "elf/file.h"
#include "elf/go_table.h"
#include "elf/got.h"
#include "elf/image.h"
#include "elf/symbols.h"
#include "elf/usdt_notes.h"

#define BASE 0x10000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void find_some(const struct wick_symbols *s, uint64_t from, uint64_t step)
{
    char name[64];
    struct wick_symbol sym;
    for (unsigned i = 0; i < 32; i++) {
        uint64_t vaddr = from + i * step;
        if (wick_symbols_find(s, vaddr, &sym, name, sizeof name))
            continue;
        if (strlen(name) >= sizeof name || sym.vaddr > vaddr)
            abort();
    }
}

static void see_probe(void *arg, const struct wick_elf_usdt *probe)
{
    uint64_t size = *(const uint64_t *)arg;
    if (probe->place >= size || probe->semaphore >= size || strlen(probe->provider) + strlen(probe->name) > size ||
        strlen(probe->arguments) > size)
        abort();
}

static void as_file(const uint8_t *data, size_t size)
{
    char path[64];
    struct wick_symbols *s;
    struct wick_symbols_from from = {.debug_dir = "/nonexistent"};
    int fd = memfd_create("elf", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (!wick_symbols_load(&s, &(struct wick_elf_image){.path = path}, &from, NULL)) {
        find_some(s, 0, 16);
        find_some(s, 0x1000, 64);
        wick_symbols_free(s);
    }
    struct wick_elf_file f;
    struct wick_mem mem;
    uint64_t vaddr, bytes;
    wick_mem_file_init(&mem, fd);
    if (!wick_elf_file_init(&f, &mem, size)) {
        wick_elf_usdt_each(&f, see_probe, &(uint64_t){size});
        wick_elf_find_symtab(&f, "f", &vaddr, NULL);
        wick_elf_find_symtab(&f, "second_function", &vaddr, &bytes);
    }
    close(fd);
}

/* All of it is Go's table of functions. */
static void as_go_table(const uint8_t *data, size_t size)
{
    const struct wick_mem_range range = {0, size, data};
    const struct wick_mem_fake fake = {&range, 1};
    struct wick_elf_file f = {
        .fd = -1, .size = size, .go_table = {.size = size}, .exec = {{.addr = BASE, .size = BASE}}, .n_exec = 1};
    struct wick_go_table t;
    wick_mem_fake_init(&f.mem, &fake);
    if (wick_go_table_init(&t, &f))
        return;
    for (uint64_t at = BASE; at < BASE + 512; at += 7) {
        struct wick_unwind_rule rule;
        uint64_t lo, hi;
        char name[16];
        if (!wick_go_table_rule(&t, &f.mem, at, NULL, &rule, &lo, &hi) && (at < lo || at >= hi))
            abort();
        if (!wick_go_table_function(&t, &f.mem, at, &lo, &hi, name, sizeof name) &&
            (at < lo || at - lo >= hi || !memchr(name, 0, sizeof name)))
            abort();
    }
}

static void check_slot(void *arg, const struct wick_elf_slot *slot)
{
    const struct wick_elf_image *image = arg;
    if (slot->addr < image->map_lo || slot->addr >= image->map_hi || slot->name > 1 ||
        !memchr(slot->version, 0, sizeof slot->version))
        abort();
}

static void as_image(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size);
    memcpy(copy, data, size);
    struct wick_mem_range range = {BASE, size, copy};
    struct wick_mem_fake fake = {&range, 1};
    struct wick_mem mem;
    struct wick_elf_image image;
    struct wick_symbols *s;
    wick_addr addr;
    wick_mem_fake_init(&mem, &fake);
    if (!wick_elf_image_probe(&mem, BASE, &image)) {
        struct wick_symbols_from from = {.mem = &mem};
        struct wick_unwind_rule rule;
        image.path = "made up";
        image.flags = WICK_IMAGE_VDSO;
        wick_elf_dynsym(&mem, &image, "f", &addr);
        wick_elf_dynsym(&mem, &image, "second_function", &addr);
        static const char *const names[] = {"f", "puts"};
        wick_elf_got_slots(&mem, &image, names, 2, check_slot, &image);
        for (unsigned i = 0; i < 32; i++)
            wick_eh_rule(&mem, &image, image.text_lo + i * 7, &rule, NULL, NULL);
        if (!wick_symbols_load(&s, &image, &from, NULL)) {
            find_some(s, image.text_lo - image.bias, 8);
            wick_symbols_free(s);
        }
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 65536)
        return 0;
    as_file(data, size);
    as_go_table(data, size);
    as_image(data, size);
    return 0;
}
