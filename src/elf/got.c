/* SPDX-License-Identifier: Apache-2.0 */
/*
 * got.c - see got.h
 *
 *   DT_RELA, DT_JMPREL   Elf64_Rela[]: where, which sort, which symbol
 *   DT_VERSYM            u16[], one for each symbol: number of its version; 0 and 1 = none, the high bit is hidden
 *   DT_VERNEED           a chain of libraries, each with a chain of versions: their number (vna_other) and name
 *
 * Most relocations of a library have no symbol (relative ones) and are skipped at once.
 */
#include "elf/got.h"

#include <elf.h>
#include <string.h>

#include "base/err.h"
#include "elf/dynsym.h"

enum {
    PER_READ = 64, /* relocations */
    RELOCS_MOST = 1 << 22,
    LIBRARIES_MOST = 256, /* in DT_VERNEED */
    VERSIONS_MOST = 256,  /* of one library */
    NAME_MOST = 64
};

#if defined(__aarch64__)
#define GLOB_DAT  R_AARCH64_GLOB_DAT
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#else
#define GLOB_DAT  R_X86_64_GLOB_DAT
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#endif

struct search {
    const struct wick_mem *mem;
    const struct wick_elf_image *image;
    struct wick_elf_dyn dyn;
    const char *const *names;
    uint32_t n;
    void (*found)(void *arg, const struct wick_elf_slot *slot);
    void *arg;
};

/* A string of the image; false if it does not fit or cannot be read. */
static bool text(const struct search *s, uint64_t at, char *out, size_t cap)
{
    if (at >= s->dyn.strtab_size)
        return false;
    int n = wick_mem_read_str(s->mem, s->dyn.strtab + at, out, cap);
    return n >= 0 && (size_t)n + 1 < cap;
}

/* The name of the version with that number, among those of one library, whose first is at `at`. */
static bool version_in(const struct search *s, wick_addr at, uint16_t number, char *out)
{
    for (int i = 0; i < VERSIONS_MOST; i++) {
        Elf64_Vernaux v;
        if (wick_mem_read(s->mem, at, &v, sizeof v))
            return false;
        if ((v.vna_other & 0x7fff) == number)
            return text(s, v.vna_name, out, WICK_GOT_VERSION_MAX);
        if (!v.vna_next)
            return false;
        at += v.vna_next;
    }
    return false;
}

/* The version that symbol i needs; "" if there is none. */
static void version_of(const struct search *s, uint32_t i, char *out)
{
    uint16_t number = 0;
    wick_addr at = s->dyn.verneed;
    out[0] = 0;
    if (!s->dyn.versym || !at || wick_mem_read(s->mem, s->dyn.versym + (uint64_t)i * 2, &number, sizeof number))
        return;
    number &= 0x7fff;
    for (int k = 0; number > VER_NDX_GLOBAL && k < LIBRARIES_MOST; k++) {
        Elf64_Verneed v;
        if (wick_mem_read(s->mem, at, &v, sizeof v) || version_in(s, at + v.vn_aux, number, out) || !v.vn_next)
            break;
        at += v.vn_next;
    }
    if (!memchr(out, 0, WICK_GOT_VERSION_MAX))
        out[0] = 0;
}

static void look(const struct search *s, const Elf64_Rela *r)
{
    uint32_t type = (uint32_t)ELF64_R_TYPE(r->r_info), i = (uint32_t)ELF64_R_SYM(r->r_info);
    Elf64_Sym sym;
    char name[NAME_MOST];
    if (!i || (type != GLOB_DAT && type != JUMP_SLOT) ||
        wick_mem_read(s->mem, s->dyn.symtab + (uint64_t)i * sizeof sym, &sym, sizeof sym) ||
        sym.st_shndx != SHN_UNDEF || !text(s, sym.st_name, name, sizeof name))
        return;
    struct wick_elf_slot slot = {.addr = s->image->bias + r->r_offset, .lazy = type == JUMP_SLOT};
    while (slot.name < s->n && strcmp(s->names[slot.name], name) != 0)
        slot.name++;
    if (slot.name == s->n || slot.addr % sizeof(uint64_t) || slot.addr < s->image->map_lo ||
        slot.addr >= s->image->map_hi || s->image->map_hi - slot.addr < sizeof(uint64_t))
        return;
    version_of(s, i, slot.version);
    s->found(s->arg, &slot);
}

static int search_table(const struct search *s, wick_addr at, uint64_t bytes)
{
    Elf64_Rela block[PER_READ];
    uint64_t count = at ? bytes / sizeof block[0] : 0;
    if (count > RELOCS_MOST)
        return -WICK_E_FORMAT;
    for (uint64_t i = 0; i < count; i += PER_READ) {
        uint64_t n = count - i < PER_READ ? count - i : PER_READ;
        int rc = wick_mem_read(s->mem, at + i * sizeof block[0], block, n * sizeof block[0]);
        if (rc)
            return rc;
        for (uint64_t k = 0; k < n; k++)
            look(s, &block[k]);
    }
    return 0;
}

int wick_elf_got_slots(const struct wick_mem *mem, const struct wick_elf_image *image, const char *const *names,
                       uint32_t n, void (*found)(void *arg, const struct wick_elf_slot *slot), void *arg)
{
    struct search s = {.mem = mem, .image = image, .names = names, .n = n, .found = found, .arg = arg};
    int rc = wick_elf_dyn_read(mem, image, &s.dyn);
    if (!rc && !s.dyn.rela && !s.dyn.jmprel)
        rc = -WICK_E_NOTFOUND;
    if (!rc)
        rc = search_table(&s, s.dyn.rela, s.dyn.rela_size);
    /* some linkers let DT_RELA also cover the PLT's */
    bool covered = s.dyn.jmprel >= s.dyn.rela && s.dyn.jmprel - s.dyn.rela < s.dyn.rela_size;
    return rc || covered ? rc : search_table(&s, s.dyn.jmprel, s.dyn.jmprel_size);
}
