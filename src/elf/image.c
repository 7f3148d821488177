/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describing one image, and keeping the set of them.
 *
 * All facts come from the program headers as they lie in memory:
 *
 *     PT_LOAD          map range; with PF_X: text range; the one around PT_GNU_EH_FRAME: read-only range
 *     PT_GNU_EH_FRAME  .eh_frame_hdr
 *     PT_DYNAMIC       the dynamic section
 *     PT_NOTE          the build id
 *
 * The writer gathers a fresh list ("scan", image_scan.h), keeps the objects of images it knows already, and publishes
 * a new sorted array with one pointer store. Readers that hold the old array go on with it: it is freed by _reclaim.
 */
#include "elf/image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic.h"
#include "base/err.h"
#include "elf/image_scan.h"

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
    for (unsigned i = 0; i < e.e_phnum; i++) {
        if (phdrs[i].p_type != PT_LOAD)
            continue;
        /* The first loaded segment holds the file header; segments are sorted by address. */
        wick_addr bias = base - (phdrs[i].p_vaddr - phdrs[i].p_offset);
        rc = wick_elf_image_describe(m, bias, phdrs, e.e_phnum, out);
        if (!rc)
            out->machine = e.e_machine;
        return rc;
    }
    return -WICK_E_FORMAT;
}

void wick_elf_images_init(struct wick_elf_images *im, int pid)
{
    memset(im, 0, sizeof *im);
    im->pid = pid;
}

static bool same_image(const struct wick_elf_image *a, const struct wick_elf_image *b)
{
    return a->bias == b->bias && a->map_lo == b->map_lo && a->map_hi == b->map_hi && a->text_lo == b->text_lo &&
           a->text_hi == b->text_hi && a->eh_hdr == b->eh_hdr && a->inode == b->inode &&
           a->build_id_len == b->build_id_len && !memcmp(a->build_id, b->build_id, a->build_id_len) &&
           !strcmp(a->path, b->path);
}

/* The object for a scanned image: the one that is published already, or a new one with the next id. NULL: no memory. */
static const struct wick_elf_image *adopt(struct wick_elf_images *im, const struct wick_elf_image *scanned)
{
    const struct wick_elf_image *old = wick_elf_images_find(im, scanned->text_lo);
    if (old && same_image(old, scanned))
        return old;
    if (im->n_all == im->cap_all) {
        uint32_t cap = im->cap_all ? im->cap_all * 2 : 64;
        struct wick_elf_image **all = realloc(im->all, cap * sizeof *all);
        if (!all)
            return NULL;
        im->all = all;
        im->cap_all = cap;
    }
    size_t len = strlen(scanned->path) + 1;
    struct wick_elf_image *img = malloc(sizeof *img + len);
    if (!img)
        return NULL;
    *img = *scanned;
    img->path = memcpy(img + 1, scanned->path, len);
    img->id = im->next_id++;
    im->all[im->n_all++] = img;
    return img;
}

static int by_lo(const void *a, const void *b)
{
    const struct wick_elf_entry *x = a, *y = b;
    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Sorts and drops what overlaps its predecessor, so that the invariant of the table holds whatever the target says. */
static void settle(struct wick_elf_table *t)
{
    qsort(t->e, t->n, sizeof t->e[0], by_lo);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->n; i++)
        if (!kept || t->e[i].lo >= t->e[kept - 1].hi)
            t->e[kept++] = t->e[i];
    t->n = kept;
}

static int publish(struct wick_elf_images *im, const struct wick_elf_scan *scan, bool *changed)
{
    struct wick_elf_table *old = wick_load_relaxed(&im->table);
    struct wick_elf_table *t = malloc(sizeof *t + scan->n * sizeof t->e[0]);
    if (!t)
        return -WICK_E_NOMEM;
    t->n = 0;
    for (uint32_t i = 0; i < scan->n; i++) {
        const struct wick_elf_image *img = adopt(im, &scan->images[i]);
        if (!img) {
            free(t);
            return -WICK_E_NOMEM;
        }
        t->e[t->n++] = (struct wick_elf_entry){img->text_lo, img->text_hi, img};
    }
    settle(t);
    if (old && old->n == t->n && !memcmp(old->e, t->e, t->n * sizeof t->e[0])) {
        free(t);
        return 0;
    }
    t->retired = NULL;
    atomic_store(&im->table, t); /* pairs: wick_elf_images_find; seq_cst, see record/recorder.h */
    if (old) {
        old->retired = im->retired;
        im->retired = old;
    }
    *changed = true;
    return 0;
}

int wick_elf_images_refresh(struct wick_elf_images *im, const struct wick_mem *mem, bool *changed, struct wick_err *err)
{
    struct wick_elf_scan scan = {0};
    *changed = false;
    int rc = im->pid ? wick_elf_scan_pid(&scan, im->pid, mem, err) : wick_elf_scan_self(&scan, im);
    if (rc == 0 && !scan.unchanged) {
        rc = publish(im, &scan, changed);
        if (rc == 0 && !im->pid) {
            im->adds = scan.adds;
            im->subs = scan.subs;
            im->counted = scan.counted;
        }
    }
    if (rc == -WICK_E_NOMEM)
        wick_err_set(err, WICK_E_NOMEM, "out of memory while listing the loaded libraries");
    wick_elf_scan_release(&scan);
    return rc;
}

const struct wick_elf_image *wick_elf_images_find(const struct wick_elf_images *im, wick_addr pc)
{
    const struct wick_elf_table *t = atomic_load(&im->table); /* pairs: publish; seq_cst, see record/recorder.h */
    if (!t)
        return NULL;
    uint32_t lo = 0, hi = t->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (t->e[mid].hi <= pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < t->n && t->e[lo].lo <= pc ? t->e[lo].image : NULL;
}

const struct wick_elf_image *wick_elf_images_at(const struct wick_elf_images *im, uint32_t i)
{
    return i < im->n_all ? im->all[i] : NULL;
}

static void free_retired(struct wick_elf_images *im)
{
    while (im->retired) {
        struct wick_elf_table *t = im->retired;
        im->retired = t->retired;
        free(t);
    }
}

void wick_elf_images_reclaim(struct wick_elf_images *im)
{
    free_retired(im);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < im->n_all; i++) {
        struct wick_elf_image *image = im->all[i];
        if (image->flags & WICK_IMAGE_PINNED || wick_elf_images_find(im, image->text_lo) == image)
            im->all[kept++] = image;
        else
            free(image);
    }
    im->n_all = kept;
}

bool wick_elf_images_wasted(const struct wick_elf_images *im)
{
    return im->retired != NULL;
}

void wick_elf_images_release(struct wick_elf_images *im)
{
    free_retired(im);
    free(wick_load_relaxed(&im->table));
    for (uint32_t i = 0; i < im->n_all; i++)
        free(im->all[i]);
    free(im->all);
    wick_elf_images_init(im, im->pid);
}

/* ------------------------------------------------------------------------------------------------ scan lists */

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
