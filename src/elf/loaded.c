/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/loaded.h"

#include <elf.h>
#include <string.h>

#include "base/err.h"

static int read_loaded(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    const struct wick_elf_loaded *f = m->ctx;
    for (uint32_t i = 0; i < f->n; i++) {
        const struct wick_elf_load *l = &f->load[i];
        if (addr >= l->addr && n <= l->size && addr - l->addr <= l->size - n)
            return wick_mem_read(&f->bytes, l->offset + (addr - l->addr), buf, n);
    }
    return -WICK_E_FAULT;
}

int wick_elf_loaded_init(struct wick_elf_loaded *f, const struct wick_mem *bytes)
{
    Elf64_Ehdr e;
    *f = (struct wick_elf_loaded){.bytes = *bytes};
    int rc = wick_mem_read(bytes, 0, &e, sizeof e);
    if (rc)
        return rc;
    if (memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_ident[EI_DATA] != ELFDATA2LSB ||
        e.e_phentsize != sizeof(Elf64_Phdr) || e.e_phnum > WICK_ELF_LOADS)
        return -WICK_E_FORMAT;
    for (unsigned i = 0; i < e.e_phnum; i++) {
        Elf64_Phdr p;
        if ((rc = wick_mem_read(bytes, e.e_phoff + i * sizeof p, &p, sizeof p)))
            return rc;
        if (p.p_offset > INT64_MAX || p.p_filesz > INT64_MAX)
            return -WICK_E_FORMAT;
        if (p.p_type == PT_LOAD && p.p_filesz)
            f->load[f->n++] = (struct wick_elf_load){p.p_offset, p.p_vaddr, p.p_filesz, p.p_flags & PF_X};
    }
    if (!f->n)
        return -WICK_E_FORMAT;
    f->base = f->load[0].addr - f->load[0].offset;
    return 0;
}

struct wick_mem wick_elf_loaded_mem(const struct wick_elf_loaded *f)
{
    return (struct wick_mem){.read = read_loaded, .ctx = f, .fd = -1};
}
