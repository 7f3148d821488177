/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Section headers, and lookups that need no index.
 *
 * Every offset and count comes from a file that may be damaged or hostile: a section counts only if it lies inside the
 * file, and lists are cut at a fixed length.
 */
#include "elf/file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

#define MAX_SECTIONS 65536
#define BLOCK        16384

struct heads {
    uint64_t off;
    uint32_t n;
    struct wick_elf_sec names;
};

static bool inside(const struct wick_elf_file *f, uint64_t off, uint64_t size)
{
    return off <= f->size && size <= f->size - off;
}

static int read_head(const struct wick_elf_file *f, const struct heads *h, uint32_t i, Elf64_Shdr *s)
{
    return i < h->n ? wick_mem_read(&f->mem, h->off + (uint64_t)i * sizeof *s, s, sizeof *s) : -WICK_E_FORMAT;
}

/* What of s has bytes in the file. */
static struct wick_elf_sec section(const struct wick_elf_file *f, const Elf64_Shdr *s)
{
    struct wick_elf_sec r = {s->sh_addr, s->sh_offset, s->sh_size, (uint32_t)s->sh_entsize};
    if (s->sh_type == SHT_NOBITS || !inside(f, s->sh_offset, s->sh_size))
        r.size = 0;
    return r;
}

static void take_symbols(struct wick_elf_file *f, const struct heads *h, const Elf64_Shdr *s,
                         struct wick_elf_sec *symbols, struct wick_elf_sec *strings)
{
    Elf64_Shdr link;
    struct wick_elf_sec syms = section(f, s);
    if (syms.entsize != sizeof(Elf64_Sym) || !syms.size || read_head(f, h, s->sh_link, &link))
        return;
    struct wick_elf_sec strs = section(f, &link);
    if (strs.size) {
        *symbols = syms;
        *strings = strs;
    }
}

static void take_note(struct wick_elf_file *f, const struct wick_elf_sec *s)
{
    Elf64_Nhdr n;
    char name[4];
    if (f->build_id_len || s->size < sizeof n + 4 || wick_mem_read(&f->mem, s->off, &n, sizeof n) ||
        n.n_type != NT_GNU_BUILD_ID || n.n_namesz != 4 || !n.n_descsz || n.n_descsz > WICK_BUILD_ID_MAX ||
        n.n_descsz > s->size - sizeof n - 4)
        return;
    if (wick_mem_read(&f->mem, s->off + sizeof n, name, 4) || memcmp(name, "GNU", 4) ||
        wick_mem_read(&f->mem, s->off + sizeof n + 4, f->build_id, n.n_descsz))
        return;
    f->build_id_len = (uint8_t)n.n_descsz;
}

static void take_section(struct wick_elf_file *f, const struct heads *h, const Elf64_Shdr *s)
{
    char name[16] = "";
    struct wick_elf_sec sec = section(f, s);
    if (s->sh_name < h->names.size && s->sh_flags & SHF_EXECINSTR)
        wick_mem_read_str(&f->mem, h->names.off + s->sh_name, name, sizeof name);
    switch (s->sh_type) {
    case SHT_SYMTAB:
        take_symbols(f, h, s, &f->symtab, &f->strtab);
        break;
    case SHT_DYNSYM:
        take_symbols(f, h, s, &f->dynsym, &f->dynstr);
        break;
    case SHT_RELA:
        if ((s->sh_flags & SHF_ALLOC) && sec.size && sec.entsize == sizeof(Elf64_Rela) && f->n_rela < WICK_ELF_RELA_MAX)
            f->rela[f->n_rela++] = sec;
        break;
    case SHT_NOTE:
        take_note(f, &sec);
        break;
    default:
        if (s->sh_flags & SHF_EXECINSTR && s->sh_flags & SHF_ALLOC && f->n_exec < WICK_ELF_EXEC_MAX)
            f->exec[f->n_exec++] = (struct wick_elf_sec){s->sh_addr, s->sh_offset, s->sh_size, 0};
        if (!memcmp(name, ".plt", 4) && sec.size && f->n_plt < WICK_ELF_PLT_MAX) {
            sec.entsize = strcmp(name, ".plt.got") ? 16 : 8;
            f->plt[f->n_plt++] = sec;
        }
    }
}

/* .gnu_debuglink is known by its name only. */
static void take_debuglink(struct wick_elf_file *f, const struct heads *h, const Elf64_Shdr *s)
{
    char name[16] = "";
    if (s->sh_type == SHT_PROGBITS && !(s->sh_flags & SHF_ALLOC) && s->sh_name < h->names.size &&
        wick_mem_read_str(&f->mem, h->names.off + s->sh_name, name, sizeof name) > 0 && !strcmp(name, ".gnu_debuglink"))
        f->debuglink = section(f, s);
}

/* Go's table of functions is known by its name only, which is longer where addresses in it are relocated. */
static void take_go_table(struct wick_elf_file *f, const struct heads *h, const Elf64_Shdr *s)
{
    static const char relocated[] = ".data.rel.ro";
    char name[32] = "";
    const char *after = name;
    if (s->sh_type != SHT_PROGBITS || !(s->sh_flags & SHF_ALLOC) || s->sh_name >= h->names.size ||
        wick_mem_read_str(&f->mem, h->names.off + s->sh_name, name, sizeof name) <= 0)
        return;
    if (!strncmp(name, relocated, sizeof relocated - 1))
        after += sizeof relocated - 1;
    if (!strcmp(after, ".gopclntab"))
        f->go_table = section(f, s);
}

/* Static probes (elf/usdt_notes.h) are known by the names of their sections. */
static void take_usdt(struct wick_elf_file *f, const struct heads *h, const Elf64_Shdr *s)
{
    char name[16] = "";
    if ((s->sh_type != SHT_NOTE && s->sh_type != SHT_PROGBITS) || s->sh_name >= h->names.size ||
        wick_mem_read_str(&f->mem, h->names.off + s->sh_name, name, sizeof name) <= 0)
        return;
    if (s->sh_type == SHT_NOTE && !strcmp(name, ".note.stapsdt"))
        f->usdt = section(f, s);
    else if (s->sh_type == SHT_PROGBITS && !strcmp(name, ".stapsdt.base"))
        f->usdt_base = section(f, s);
}

static int read_base(struct wick_elf_file *f, const Elf64_Ehdr *e)
{
    uint64_t base = UINT64_MAX;
    Elf64_Phdr p;
    if (e->e_phnum && e->e_phentsize != sizeof p)
        return -WICK_E_FORMAT;
    for (uint32_t i = 0; i < e->e_phnum; i++) {
        int rc = wick_mem_read(&f->mem, e->e_phoff + i * sizeof p, &p, sizeof p);
        if (rc)
            return rc;
        if (p.p_type == PT_LOAD && p.p_vaddr < base)
            base = p.p_vaddr;
    }
    f->base = base == UINT64_MAX ? 0 : base;
    return 0;
}

int wick_elf_file_init(struct wick_elf_file *f, const struct wick_mem *mem, uint64_t size)
{
    Elf64_Ehdr e;
    Elf64_Shdr s;
    struct wick_elf_file t = {.mem = *mem, .fd = -1, .size = size};
    int rc = wick_mem_read(mem, 0, &e, sizeof e);
    if (rc || memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 ||
        e.e_ident[EI_DATA] != ELFDATA2LSB)
        return -WICK_E_FORMAT;
    rc = read_base(&t, &e);
    if (rc)
        return rc;
    t.machine = e.e_machine;
    struct heads h = {.off = e.e_shoff, .n = e.e_shnum};
    uint32_t names = e.e_shstrndx;
    if (e.e_shoff && e.e_shentsize == sizeof s) {
        h.n = 1;
        if (!read_head(&t, &h, 0, &s)) { /* counts that do not fit into the file header are in the first section's */
            h.n = e.e_shnum ? e.e_shnum : (s.sh_size < MAX_SECTIONS ? (uint32_t)s.sh_size : MAX_SECTIONS);
            names = names == SHN_XINDEX ? s.sh_link : names;
        }
        if (!read_head(&t, &h, names, &s))
            h.names = section(&t, &s);
        for (uint32_t i = 1; i < h.n && !read_head(&t, &h, i, &s); i++) {
            take_section(&t, &h, &s);
            take_debuglink(&t, &h, &s);
            take_usdt(&t, &h, &s);
            take_go_table(&t, &h, &s);
        }
    }
    *f = t;
    return 0;
}

int wick_elf_file_take_fd(struct wick_elf_file *f, int fd)
{
    struct stat st;
    struct wick_mem mem;
    wick_mem_file_init(&mem, fd);
    int rc = fstat(fd, &st) ? -WICK_E_IO : wick_elf_file_init(f, &mem, (uint64_t)st.st_size);
    if (rc)
        close(fd);
    else
        f->fd = fd;
    return rc;
}

void wick_elf_file_release(struct wick_elf_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

/* ------------------------------------------------------------------------------------------- one symbol by name */

#define MAX_OFFSETS 256

struct offsets {
    uint32_t at[MAX_OFFSETS];
    uint32_t n;
};

/* Every offset in the string table at which a string equal to name (len bytes with its NUL) begins. It may be the tail
 * of a longer one: linkers share tails. */
static int find_strings(const struct wick_elf_file *f, const char *name, size_t len, char *buf, struct offsets *out)
{
    for (uint64_t pos = 0; pos < f->strtab.size; pos += BLOCK - len + 1) {
        uint64_t n = f->strtab.size - pos < BLOCK ? f->strtab.size - pos : BLOCK;
        int rc = wick_mem_read(&f->mem, f->strtab.off + pos, buf, n);
        if (rc)
            return rc;
        char *hit = buf;
        while ((hit = memmem(hit, n - (size_t)(hit - buf), name, len))) {
            if (out->n == MAX_OFFSETS)
                return -WICK_E_LIMIT;
            out->at[out->n++] = (uint32_t)(pos + (uint64_t)(hit - buf));
            hit++;
        }
        if (n < BLOCK)
            break;
    }
    return 0;
}

static bool has_offset(const struct offsets *o, uint32_t at)
{
    for (uint32_t i = 0; i < o->n; i++)
        if (o->at[i] == at)
            return true;
    return false;
}

static int scan_symbols(const struct wick_elf_file *f, const struct offsets *names, Elf64_Sym *block, uint64_t *vaddr,
                        uint64_t *size)
{
    uint64_t count = f->symtab.size / sizeof *block, per = BLOCK / sizeof *block;
    for (uint64_t i = 0; i < count; i += per) {
        uint64_t n = count - i < per ? count - i : per;
        int rc = wick_mem_read(&f->mem, f->symtab.off + i * sizeof *block, block, n * sizeof *block);
        if (rc)
            return rc;
        for (uint64_t k = 0; k < n; k++) {
            if (block[k].st_shndx != SHN_UNDEF && has_offset(names, block[k].st_name)) {
                *vaddr = block[k].st_value;
                if (size)
                    *size = block[k].st_size;
                return 0;
            }
        }
    }
    return -WICK_E_NOTFOUND;
}

int wick_elf_find_symtab(const struct wick_elf_file *f, const char *name, uint64_t *vaddr, uint64_t *size)
{
    size_t len = strlen(name) + 1;
    struct offsets names = {.n = 0};
    if (len == 1 || len > BLOCK / 2 || !f->symtab.size)
        return -WICK_E_NOTFOUND;
    void *buf = malloc(BLOCK);
    if (!buf)
        return -WICK_E_NOMEM;
    int rc = find_strings(f, name, len, buf, &names);
    if (!rc)
        rc = names.n ? scan_symbols(f, &names, buf, vaddr, size) : -WICK_E_NOTFOUND;
    free(buf);
    return rc;
}
