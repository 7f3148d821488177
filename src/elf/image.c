/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The set of the images of a process.
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

void wick_elf_images_init(struct wick_elf_images *im, int pid)
{
    memset(im, 0, sizeof *im);
    im->pid = pid;
    im->maps_fd = -1;
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
    int rc = im->pid ? wick_elf_scan_other(&scan, im, mem, err) : wick_elf_scan_self(&scan, im);
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
