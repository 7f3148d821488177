/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The symbol index.
 *
 *   entry   value (from the lowest loaded address), size, offset of the name | rank     sorted by value, then rank
 *
 * Only functions are kept (and untyped symbols of executable sections: hand-written assembly). The symbol table is
 * streamed through a small buffer and the names are left where they are, so that loading libjvm's 57,000 symbols costs
 * 0.7 MB for as long as a chunk is being written, and not the 6 MB that its tables have.
 *
 * Lookup. The candidates are the entries at or below the address, nearest first. One with a size covers its bytes; one
 * without covers everything up to the next symbol or the end of its section. If the nearest does not cover the address,
 * an earlier and longer one may (nested labels), so a few steps back are taken. Among equals the exported name, then
 * the one with the fewest underscores is what people know: `read`, not `__libc_read` or `__GI___read`.
 */
#include "elf/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/block.h"
#include "base/err.h"
#include "elf/dynsym.h"
#include "elf/file.h"
#include "elf/go_table.h"

#define MAX_SYMBOLS  (4u << 20)
#define MAX_SCANNED  (8u << 20) /* symbols of all types: a sparse file claims any number of them */
#define MAX_STEPS    64         /* entries examined below an address */
#define PER_READ     512        /* symbols */
#define RANK_LOCAL   0x80000000u
#define RANK_UNTYPED 0x40000000u
#define NAME_MASK    0x3fffffffu
#define NAME_MAX_LEN 2048

struct entry {
    uint32_t value, size;
    uint32_t name; /* offset in the string table | RANK_* */
};

struct wick_symbols {
    struct wick_elf_file main, debug; /* fd < 0: not open */
    struct wick_mem names;            /* what name offsets are relative to: */
    uint64_t strings, strings_size;
    uint64_t base; /* lowest virtual address */
    struct entry *e;
    uint32_t n, cap;
    uint16_t machine;
    uint32_t users;
    enum wick_symbols_source source;
    struct wick_go_table go;                     /* in the main file; it is no index, and searched last */
    struct wick_elf_sec exec[WICK_ELF_EXEC_MAX]; /* where functions may be */
    uint32_t n_exec;
};

/* A symbol table that is to be indexed. */
struct source {
    struct wick_mem mem;
    uint64_t symbols, count;
    uint64_t strings, strings_size;
};

static const struct wick_elf_sec *section_of(const struct wick_symbols *s, uint64_t vaddr)
{
    for (uint32_t i = 0; i < s->n_exec; i++)
        if (vaddr >= s->exec[i].addr && vaddr - s->exec[i].addr < s->exec[i].size)
            return &s->exec[i];
    return NULL;
}

static int append(struct wick_symbols *s, const Elf64_Sym *sym)
{
    unsigned type = ELF64_ST_TYPE(sym->st_info);
    uint64_t value = sym->st_value - s->base, size = sym->st_size;
    if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) || sym->st_shndx == SHN_UNDEF ||
        sym->st_shndx == SHN_ABS || sym->st_name == 0 || sym->st_name > NAME_MASK || value > UINT32_MAX ||
        !section_of(s, sym->st_value))
        return 0;
    if (s->n == s->cap) {
        uint32_t cap = s->cap ? s->cap * 2 : 1024;
        struct entry *e = cap <= MAX_SYMBOLS ? wick_block_resize(s->e, s->cap * sizeof *e, cap * sizeof *e) : NULL;
        if (!e)
            return -WICK_E_NOMEM;
        s->e = e;
        s->cap = cap;
    }
    uint32_t rank =
        (ELF64_ST_BIND(sym->st_info) == STB_LOCAL ? RANK_LOCAL : 0) | (type == STT_NOTYPE ? RANK_UNTYPED : 0);
    s->e[s->n++] =
        (struct entry){(uint32_t)value, size > UINT32_MAX ? UINT32_MAX : (uint32_t)size, sym->st_name | rank};
    return 0;
}

static int by_value(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name; /* rank first: it has the high bits */
}

static int build(struct wick_symbols *s, const struct source *src)
{
    if (src->count > MAX_SCANNED)
        return -WICK_E_LIMIT;
    Elf64_Sym *block = malloc(PER_READ * sizeof *block);
    int rc = block ? 0 : -WICK_E_NOMEM;
    for (uint64_t i = 0; i < src->count && !rc; i += PER_READ) {
        uint64_t n = src->count - i < PER_READ ? src->count - i : PER_READ;
        rc = wick_mem_read(&src->mem, src->symbols + i * sizeof *block, block, n * sizeof *block);
        for (uint64_t k = 0; k < n && !rc; k++)
            rc = append(s, &block[k]);
    }
    free(block);
    if (rc)
        return rc;
    if (s->n)
        wick_block_sort(s->e, s->n, sizeof s->e[0], by_value);
    struct entry *fit = s->n ? wick_block_resize(s->e, s->cap * sizeof *fit, s->n * sizeof *fit) : NULL;
    if (fit) {
        s->e = fit;
        s->cap = s->n;
    }
    s->names = src->mem;
    s->strings = src->strings;
    s->strings_size = src->strings_size;
    return 0;
}

static int build_from_file(struct wick_symbols *s, const struct wick_elf_file *f, const struct wick_elf_sec *symbols,
                           const struct wick_elf_sec *strings)
{
    struct source src = {f->mem, symbols->off, symbols->size / sizeof(Elf64_Sym), strings->off, strings->size};
    s->base = f->base;
    s->machine = f->machine;
    s->n_exec = f->n_exec;
    memcpy(s->exec, f->exec, sizeof s->exec);
    return build(s, &src);
}

static struct wick_symbols *new_table(void)
{
    struct wick_symbols *s = calloc(1, sizeof *s);
    if (s) {
        s->main.fd = s->debug.fd = -1;
        s->users = 1;
    }
    return s;
}

/* Takes the best table that the open main file leads to. */
static int load_main(struct wick_symbols *s, const char *path, int root_fd, const char *debug_dir)
{
    if (s->main.symtab.size) {
        s->source = WICK_SYMBOLS_SYMTAB;
        return build_from_file(s, &s->main, &s->main.symtab, &s->main.strtab);
    }
    if (!wick_elf_open_debug(&s->main, path, root_fd, debug_dir, &s->debug)) {
        s->source = WICK_SYMBOLS_DEBUG;
        return build_from_file(s, &s->debug, &s->debug.symtab, &s->debug.strtab);
    }
    s->source = !wick_go_table_init(&s->go, &s->main) ? WICK_SYMBOLS_GO
                : s->main.dynsym.size                 ? WICK_SYMBOLS_DYNSYM
                                                      : WICK_SYMBOLS_NONE;
    return build_from_file(s, &s->main, &s->main.dynsym, &s->main.dynstr);
}

/* Exported symbols from memory. */
static int load_memory(struct wick_symbols *s, const struct wick_elf_image *image, const struct wick_mem *mem)
{
    struct wick_elf_dyn d;
    uint32_t count;
    int rc = wick_elf_dyn_read(mem, image, &d);
    if (!rc)
        rc = wick_elf_dyn_count(mem, &d, &count);
    if (rc)
        return rc;
    s->base = image->map_lo - image->bias;
    s->machine = image->machine;
    s->exec[0] = (struct wick_elf_sec){.addr = image->text_lo - image->bias, .size = image->text_hi - image->text_lo};
    s->n_exec = 1;
    s->source = WICK_SYMBOLS_MEMORY;
    struct source src = {*mem, d.symtab, count, d.strtab, d.strtab_size};
    return build(s, &src);
}

int wick_symbols_load(struct wick_symbols **out, const struct wick_elf_image *image,
                      const struct wick_symbols_from *from, struct wick_err *err)
{
    char root[32];
    int root_fd = -1, rc;
    struct wick_symbols *s = new_table();
    if (!s)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory for the symbols of %s", image->path);
    if (from->pid && !from->open) {
        snprintf(root, sizeof root, "/proc/%d/root", from->pid);
        root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    /* Without its root directory another process's paths mean nothing. */
    int fd = from->open                 ? from->open(from->open_arg, image)
             : from->pid && root_fd < 0 ? -WICK_E_PERM
                                        : wick_elf_open_image(image, from->pid, root_fd);
    rc = fd < 0 ? fd : wick_elf_file_take_fd(&s->main, fd);
    if (rc)
        s->main.fd = -1;
    else
        rc = load_main(s, from->open ? "" : image->path, root_fd, from->debug_dir);
    if (rc && rc != -WICK_E_NOMEM && from->mem) {
        int why = rc;
        s->n = 0;
        rc = load_memory(s, image, from->mem);
        rc = rc == -WICK_E_NOTFOUND ? why : rc;
    }
    if (root_fd >= 0)
        close(root_fd);
    if (rc) {
        wick_symbols_free(s);
        return wick_err_set(err, (enum wick_code) - rc, "cannot read the symbols of %s: %s", image->path,
                            wick_err_text(rc));
    }
    *out = s;
    return 0;
}

struct wick_symbols *wick_symbols_share(struct wick_symbols *s)
{
    s->users++;
    return s;
}

uint32_t wick_symbols_users(const struct wick_symbols *s)
{
    return s->users;
}

void wick_symbols_free(struct wick_symbols *s)
{
    if (!s || --s->users)
        return;
    wick_elf_file_release(&s->main);
    wick_elf_file_release(&s->debug);
    wick_block_free(s->e, s->cap * sizeof *s->e);
    free(s);
}

size_t wick_symbols_count(const struct wick_symbols *s)
{
    return s->n;
}

enum wick_symbols_source wick_symbols_source(const struct wick_symbols *s)
{
    return s->source;
}

/* ------------------------------------------------------------------------------------------------------- lookup */

/* Reads e's name without its version ("memcpy@@GLIBC_2.14"). False: unreadable, or a mapping symbol ("$x"). */
static bool read_name(const struct wick_symbols *s, const struct entry *e, char *name, size_t cap)
{
    uint64_t off = e->name & NAME_MASK;
    if (off >= s->strings_size)
        return false;
    int n = wick_mem_read_str(&s->names, s->strings + off, name, cap);
    if (n == -WICK_E_LIMIT)
        name[cap - 1] = 0;
    else if (n <= 0)
        return false;
    char *at = strchr(name, '@');
    if (at && at > name)
        *at = 0;
    return !(e->name & RANK_UNTYPED) || name[0] != '$';
}

/* Index of the last entry at or below value, or -1. */
static int64_t last_at_or_below(const struct wick_symbols *s, uint32_t value)
{
    uint32_t lo = 0, hi = s->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->e[mid].value <= value)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (int64_t)lo - 1;
}

/* `next` is the value of the first entry above e's value. */
static bool covers(const struct wick_symbols *s, const struct entry *e, uint32_t value, uint32_t next)
{
    if (e->size)
        return value - e->value < e->size;
    const struct wick_elf_sec *here = section_of(s, s->base + value);
    return value < next && here && here == section_of(s, s->base + e->value);
}

static unsigned underscores(const char *name)
{
    return (unsigned)strspn(name, "_");
}

/* Is a (ranked ra) a better name than b? */
static bool is_better(uint32_t ra, const char *a, uint32_t rb, const char *b)
{
    if ((ra & ~NAME_MASK) != (rb & ~NAME_MASK))
        return (ra & ~NAME_MASK) < (rb & ~NAME_MASK);
    bool mangled = !strncmp(a, "_Z", 2) || !strncmp(a, "_R", 2);
    return !mangled && underscores(a) < underscores(b);
}

/* The best name of the entries that share the value of entry i (the last of them) and cover `value`. */
static bool best_of_group(const struct wick_symbols *s, int64_t i, uint32_t value, uint32_t next,
                          struct wick_symbol *out, char *name, size_t cap)
{
    const struct entry *best = NULL;
    char other[NAME_MAX_LEN];
    uint32_t at = s->e[i].value;
    for (int steps = 0; i >= 0 && s->e[i].value == at && steps < MAX_STEPS; i--, steps++) {
        const struct entry *e = &s->e[i];
        if (!covers(s, e, value, next) || !read_name(s, e, other, sizeof other))
            continue;
        if (best && !is_better(e->name, other, best->name, name))
            continue;
        best = e;
        snprintf(name, cap, "%s", other);
        *out = (struct wick_symbol){s->base + e->value, e->size, false};
    }
    return best != NULL;
}

static int find_function(const struct wick_symbols *s, uint64_t vaddr, struct wick_symbol *out, char *name, size_t cap)
{
    if (vaddr - s->base > UINT32_MAX)
        return -WICK_E_NOTFOUND;
    uint32_t value = (uint32_t)(vaddr - s->base);
    int64_t i = last_at_or_below(s, value);
    uint32_t next = i + 1 < s->n ? s->e[i + 1].value : UINT32_MAX;
    for (int steps = 0; i >= 0 && steps < MAX_STEPS; steps++) {
        uint32_t at = s->e[i].value;
        if (best_of_group(s, i, value, next, out, name, cap))
            return 0;
        next = at;
        for (int group = 0; i >= 0 && s->e[i].value == at && group < MAX_STEPS; group++)
            i--;
    }
    return -WICK_E_NOTFOUND;
}

static int find_plt(const struct wick_symbols *s, uint64_t vaddr, struct wick_symbol *out, char *name, size_t cap)
{
    struct wick_elf_sec entry;
    struct wick_symbol callee;
    char target_name[NAME_MAX_LEN];
    uint64_t target = 0;
    int rc = wick_elf_plt_find(&s->main, vaddr, target_name, sizeof target_name, &target, &entry);
    if (rc)
        return rc;
    if (!target_name[0] && find_function(s, target, &callee, target_name, sizeof target_name))
        snprintf(target_name, sizeof target_name, "%lx", (unsigned long)target);
    *out = (struct wick_symbol){entry.addr, entry.size, true};
    char *at = strchr(target_name, '@');
    if (at)
        *at = 0;
    snprintf(name, cap, target_name[0] == '.' ? "%s" : "%s@plt", target_name);
    return 0;
}

int wick_symbols_find(const struct wick_symbols *s, uint64_t vaddr, struct wick_symbol *out, char *name, size_t cap)
{
    int rc = s->main.fd >= 0 ? find_plt(s, vaddr, out, name, cap) : -WICK_E_NOTFOUND;
    rc = rc ? find_function(s, vaddr, out, name, cap) : 0;
    if (rc && s->go.size && !wick_go_table_function(&s->go, &s->main.mem, vaddr, &out->vaddr, &out->size, name, cap)) {
        out->is_plt = false;
        rc = 0;
    }
    return rc;
}
