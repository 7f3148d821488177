/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describing one image, and a list of those that were found.
 *
 * All facts come from the program headers as they lie in memory:
 *
 *     PT_LOAD          map range; with PF_X: text range; the one around PT_GNU_EH_FRAME: read-only range
 *     PT_GNU_EH_FRAME  .eh_frame_hdr
 *     PT_DYNAMIC       the dynamic section
 *     PT_NOTE          the build id
 */
#include "elf/image_scan.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define MAX_NOTES 4096 /* bytes of a PT_NOTE that are searched */

static bool read_build_id(const struct wick_mem *m, wick_addr at, uint64_t size, struct wick_elf_image *img)
{
    if (size > MAX_NOTES)
        size = MAX_NOTES;
    uint64_t pos = 0;
    while (size - pos >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr n;
        char name[4];
        if (wick_mem_read(m, at + pos, &n, sizeof n))
            return false;
        uint64_t desc = pos + sizeof n + (((uint64_t)n.n_namesz + 3) & ~(uint64_t)3);
        uint64_t next = desc + (((uint64_t)n.n_descsz + 3) & ~(uint64_t)3);
        if (next > size)
            return false;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && n.n_descsz > 0 && n.n_descsz <= WICK_BUILD_ID_MAX &&
            !wick_mem_read(m, at + pos + sizeof n, name, 4) && !memcmp(name, "GNU", 4)) {
            if (wick_mem_read(m, at + desc, img->build_id, n.n_descsz))
                return false;
            img->build_id_len = (uint8_t)n.n_descsz;
            return true;
        }
        pos = next;
    }
    return false;
}

/* Widens [*lo, *hi) to hold [a, b); an empty range has hi == 0. */
static void widen(wick_addr *lo, wick_addr *hi, wick_addr a, wick_addr b)
{
    if (!*hi || a < *lo)
        *lo = a;
    if (b > *hi)
        *hi = b;
}

int wick_elf_image_describe(const struct wick_mem *m, wick_addr bias, const void *phdrs, unsigned n,
                            struct wick_elf_image *out)
{
    struct wick_elf_image img = {.bias = bias};
    Elf64_Phdr p;
    for (unsigned i = 0; i < n; i++) {
        memcpy(&p, (const char *)phdrs + i * sizeof p, sizeof p);
        wick_addr lo = bias + p.p_vaddr, hi = lo + p.p_memsz;
        if (hi < lo)
            return -WICK_E_FORMAT;
        if (p.p_type == PT_LOAD && p.p_memsz) {
            widen(&img.map_lo, &img.map_hi, lo, hi);
            if (p.p_flags & PF_X)
                widen(&img.text_lo, &img.text_hi, lo, hi);
        } else if (p.p_type == PT_GNU_EH_FRAME && p.p_memsz >= 4 && p.p_memsz <= UINT32_MAX) {
            img.eh_hdr = lo;
            img.eh_hdr_size = (uint32_t)p.p_memsz;
        } else if (p.p_type == PT_DYNAMIC && p.p_memsz <= UINT32_MAX) {
            img.dyn = lo;
            img.dyn_size = (uint32_t)p.p_memsz;
        } else if (p.p_type == PT_NOTE && !img.build_id_len) {
            read_build_id(m, lo, p.p_memsz, &img);
        }
    }
    for (unsigned i = 0; i < n && img.eh_hdr; i++) {
        memcpy(&p, (const char *)phdrs + i * sizeof p, sizeof p);
        wick_addr lo = bias + p.p_vaddr, hi = lo + p.p_filesz;
        if (p.p_type == PT_LOAD && img.eh_hdr >= lo && img.eh_hdr < hi) {
            img.ro_lo = lo;
            img.ro_hi = hi;
        }
    }
    if (!img.ro_hi)
        img.eh_hdr = 0;
    if (!img.text_hi)
        return -WICK_E_FORMAT;
    *out = img;
    return 0;
}

int wick_elf_image_probe(const struct wick_mem *m, wick_addr base, struct wick_elf_image *out)
{
    Elf64_Ehdr e;
    Elf64_Phdr phdrs[WICK_PHDR_MAX];
    int rc = wick_mem_read(m, base, &e, sizeof e);
    if (rc)
        return rc;
    if (memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_ident[EI_DATA] != ELFDATA2LSB ||
        (e.e_type != ET_DYN && e.e_type != ET_EXEC) || e.e_phentsize != sizeof phdrs[0] || e.e_phnum == 0 ||
        e.e_phnum > WICK_PHDR_MAX)
        return -WICK_E_FORMAT;
    rc = wick_mem_read(m, base + e.e_phoff, phdrs, e.e_phnum * sizeof phdrs[0]);
    if (rc)
        return rc;
    bool starts = e.e_type == ET_EXEC;
    for (unsigned i = 0; i < e.e_phnum; i++)
        starts = starts || phdrs[i].p_type == PT_INTERP;
    for (unsigned i = 0; i < e.e_phnum; i++) {
        if (phdrs[i].p_type != PT_LOAD)
            continue;
        /* The first loaded segment holds the file header; segments are sorted by address. */
        wick_addr bias = base - (phdrs[i].p_vaddr - phdrs[i].p_offset);
        rc = wick_elf_image_describe(m, bias, phdrs, e.e_phnum, out);
        if (rc)
            return rc;
        out->machine = e.e_machine;
        out->entry = e.e_entry ? bias + e.e_entry : 0;
        out->flags |= starts ? WICK_IMAGE_STARTS : 0;
        return 0;
    }
    return -WICK_E_FORMAT;
}

int wick_elf_scan_add(struct wick_elf_scan *s, const struct wick_elf_image *img, const char *path)
{
    if (s->n == s->cap) {
        uint32_t cap = s->cap ? s->cap * 2 : 64;
        struct wick_elf_image *images = realloc(s->images, cap * sizeof *images);
        if (!images)
            return -WICK_E_NOMEM;
        s->images = images;
        s->cap = cap;
    }
    char *copy = strdup(path);
    if (!copy)
        return -WICK_E_NOMEM;
    s->images[s->n] = *img;
    s->images[s->n++].path = copy;
    return 0;
}

void wick_elf_scan_release(struct wick_elf_scan *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        free((char *)s->images[i].path);
    free(s->images);
    memset(s, 0, sizeof *s);
}
