/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls_descriptor.c - see tls_descriptor.h
 *
 * The image's relocations say where the descriptor of a symbol is. They stand in DT_RELA or, of some linkers, among
 * those of the PLT.
 */
#include "elf/tls_descriptor.h"

#include <elf.h>
#include <string.h>

#include "base/err.h"
#include "elf/dynsym.h"

enum { PER_READ = 64, NAME_MOST = 64 };

/* The variable lies below the thread pointer, in memory that was allocated with the thread. */
#define STATIC_MOST (UINT64_C(1) << 31)

#if defined(__aarch64__)
#define DESCRIPTOR R_AARCH64_TLSDESC
#else
#define DESCRIPTOR R_X86_64_TLSDESC
#endif

static bool is_named(const struct wick_mem *mem, const struct wick_elf_dyn *dyn, uint64_t symbol, const char *name)
{
    Elf64_Sym sym;
    char text[NAME_MOST];
    size_t n = strlen(name) + 1;
    return n <= sizeof text && !wick_mem_read(mem, dyn->symtab + symbol * sizeof sym, &sym, sizeof sym) &&
           sym.st_name < dyn->strtab_size && !wick_mem_read(mem, dyn->strtab + sym.st_name, text, n) &&
           !memcmp(text, name, n);
}

/* A table of relocations, and how many may still be read. */
struct table {
    wick_addr at;
    uint64_t bytes;
    uint32_t *most;
};

/* The address of the descriptor by one table of relocations; 0 = it has none. */
static wick_addr find_in(const struct wick_mem *mem, const struct wick_elf_dyn *dyn, const char *name,
                         const struct table *t)
{
    Elf64_Rela block[PER_READ];
    uint64_t count = t->at ? t->bytes / sizeof block[0] : 0;
    for (uint64_t i = 0; i < count && *t->most; i += PER_READ) {
        uint32_t n = count - i < PER_READ ? (uint32_t)(count - i) : PER_READ;
        n = n < *t->most ? n : *t->most;
        *t->most -= n;
        if (wick_mem_read(mem, t->at + i * sizeof block[0], block, n * sizeof block[0]))
            return 0;
        for (uint32_t k = 0; k < n; k++)
            if (ELF64_R_TYPE(block[k].r_info) == DESCRIPTOR && is_named(mem, dyn, ELF64_R_SYM(block[k].r_info), name))
                return block[k].r_offset;
    }
    return 0;
}

static int read_argument(const struct wick_mem *mem, uint64_t argument, uint64_t offset,
                         struct wick_tls_descriptor *out)
{
    uint64_t words[2];
    if (-argument < STATIC_MOST) {
        *out = (struct wick_tls_descriptor){.offset = argument};
        return argument ? 0 : -WICK_E_FORMAT;
    }
    int rc = wick_mem_read(mem, argument, words, sizeof words);
    if (rc)
        return rc;
    *out = (struct wick_tls_descriptor){.dynamic = true, .module = words[0], .offset = words[1]};
    return words[0] && words[0] < WICK_TLS_MODULES && words[1] == offset ? 0 : -WICK_E_FORMAT;
}

int wick_tls_descriptor_find(const struct wick_mem *mem, const struct wick_elf_image *image, const char *name,
                             uint32_t *most, struct wick_tls_descriptor *out)
{
    struct wick_elf_dyn dyn;
    uint64_t offset = 0, argument;
    int rc = wick_elf_dynsym_tls(mem, image, name, &offset);
    rc = rc ? rc : wick_elf_dyn_read(mem, image, &dyn);
    if (rc)
        return rc;
    /* the PLT's first: they are few */
    const struct table plt = {dyn.jmprel, dyn.jmprel_size, most}, data = {dyn.rela, dyn.rela_size, most};
    wick_addr at = find_in(mem, &dyn, name, &plt);
    at = at ? at : find_in(mem, &dyn, name, &data);
    if (!at)
        return -WICK_E_NOTFOUND;
    rc = wick_mem_read(mem, image->bias + at + sizeof argument, &argument, sizeof argument);
    return rc ? rc : read_argument(mem, argument, offset, out);
}
