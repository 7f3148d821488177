/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which function a PLT entry stands for.
 *
 * A PLT entry has no symbol. On x86-64 every kind of entry (.plt, .plt.sec with endbr64, .plt.got, with or without the
 * bnd prefix) contains `jmp *disp32(%rip)`; the word it jumps through has a relocation, and that names the symbol. So
 * nothing depends on the order of entries, and nothing is prepared: the relocations are scanned on request.
 */
#include <elf.h>
#include <string.h>

#include "base/err.h"
#include "elf/file.h"

#define PER_READ 64         /* relocations */
#define MOST     (1u << 20) /* relocations examined: a sparse file claims any number of them */

/* The address of the GOT slot an entry jumps through, or 0. */
static uint64_t slot_of(const uint8_t *code, size_t n, uint64_t at)
{
    for (size_t i = 0; i + 6 <= n; i++) {
        int32_t disp;
        if (code[i] != 0xff || code[i + 1] != 0x25)
            continue;
        memcpy(&disp, code + i + 2, sizeof disp);
        return at + i + 6 + (uint64_t)(int64_t)disp;
    }
    return 0;
}

static bool find_rela(const struct wick_elf_file *f, uint64_t slot, Elf64_Rela *out)
{
    Elf64_Rela block[PER_READ];
    uint64_t left = MOST;
    for (uint32_t s = 0; s < f->n_rela; s++) {
        uint64_t count = f->rela[s].size / sizeof block[0];
        count = count < left ? count : left;
        left -= count;
        for (uint64_t i = 0; i < count; i += PER_READ) {
            uint64_t n = count - i < PER_READ ? count - i : PER_READ;
            if (wick_mem_read(&f->mem, f->rela[s].off + i * sizeof block[0], block, n * sizeof block[0]))
                return false;
            for (uint64_t k = 0; k < n; k++) {
                if (block[k].r_offset == slot) {
                    *out = block[k];
                    return true;
                }
            }
        }
    }
    return false;
}

static int name_of(const struct wick_elf_file *f, uint64_t sym, char *name, size_t cap)
{
    Elf64_Sym s;
    if (sym >= f->dynsym.size / sizeof s)
        return -WICK_E_FORMAT;
    int rc = wick_mem_read(&f->mem, f->dynsym.off + sym * sizeof s, &s, sizeof s);
    if (rc || s.st_name >= f->dynstr.size)
        return rc ? rc : -WICK_E_FORMAT;
    rc = wick_mem_read_str(&f->mem, f->dynstr.off + s.st_name, name, cap);
    return rc < 0 ? rc : 0;
}

int wick_elf_plt_find(const struct wick_elf_file *f, uint64_t vaddr, char *name, size_t cap, uint64_t *target,
                      struct wick_elf_sec *entry)
{
    for (uint32_t i = 0; i < f->n_plt; i++) {
        const struct wick_elf_sec *p = &f->plt[i];
        if (vaddr < p->addr || vaddr - p->addr >= p->size)
            continue;
        uint8_t code[16];
        Elf64_Rela rela;
        uint64_t at = (vaddr - p->addr) / p->entsize * p->entsize;
        uint64_t n = p->size - at < p->entsize ? p->size - at : p->entsize;
        int rc = wick_mem_read(&f->mem, p->off + at, code, n);
        if (rc)
            return rc;
        *entry = (struct wick_elf_sec){p->addr + at, p->off + at, n, 0};
        uint64_t slot = f->machine == EM_X86_64 ? slot_of(code, n, p->addr + at) : 0;
        name[0] = 0;
        if (slot && find_rela(f, slot, &rela)) {
            *target = (uint64_t)rela.r_addend;
            if (ELF64_R_TYPE(rela.r_info) == R_X86_64_IRELATIVE)
                return 0;
            if (!name_of(f, ELF64_R_SYM(rela.r_info), name, cap))
                return 0;
        }
        if (cap > 4)
            memcpy(name, ".plt", 5);
        return 0;
    }
    return -WICK_E_NOTFOUND;
}
