/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pagemap.c - see pagemap.h
 */
#include "sys/pagemap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/err.h"
#include "sys/whole.h"

/* Of linux/fs.h, from 6.7 on. */
struct scan_arg {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages, category_inverted, category_mask,
        category_anyof_mask, return_mask;
};

struct scan_region {
    uint64_t start, end, categories;
};

#define SCAN _IOWR('f', 16, struct scan_arg)

enum { IS_PRESENT = 1 << 3, IS_SWAPPED = 1 << 4, IS_ZEROS = 1 << 5 };

enum { PAGES_SCANNED = 4096, PAGES_READ = 1024, PRESENT = 63, SWAPPED = 62, MAPPED_ONCE = 56 };

#define LARGEST_READ (64ull << 30)

int wick_pagemap_open(struct wick_pagemap *p, int proc)
{
    p->scans = true;
    p->fd = openat(proc, "pagemap", O_RDONLY | O_CLOEXEC);
    if (p->fd >= 0)
        return 0;
    return errno == EACCES || errno == EPERM ? -WICK_E_PERM : -WICK_E_GONE;
}

void wick_pagemap_close(struct wick_pagemap *p)
{
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
}

/* As wick_pagemap_read; sets p->scans to false and returns 0 with *end = lo where the kernel has no such call. */
static int scan(struct wick_pagemap *p, uint64_t lo, uint64_t hi, uint64_t *end)
{
    struct scan_region region[WICK_PAGEMAP_RUNS];
    struct scan_arg a = {.size = sizeof a,
                         .start = lo,
                         .end = hi,
                         .vec = (uint64_t)(uintptr_t)region,
                         .vec_len = WICK_PAGEMAP_RUNS,
                         .max_pages = PAGES_SCANNED,
                         .category_anyof_mask = IS_PRESENT | IS_SWAPPED,
                         .return_mask = IS_PRESENT | IS_SWAPPED | IS_ZEROS};
    int n = ioctl(p->fd, SCAN, &a);
    *end = lo;
    if (n < 0 && (errno == ESRCH || errno == EINTR))
        return errno == EINTR ? 0 : -WICK_E_GONE;
    if (n < 0 || a.walk_end <= lo) {
        p->scans = false;
        return 0;
    }
    *end = a.walk_end < hi ? a.walk_end : hi;
    for (int i = 0; i < n; i++) {
        uint64_t c = region[i].categories;
        p->run[i] = (struct wick_page_run){.lo = region[i].start,
                                           .hi = region[i].end,
                                           .resident = (c & IS_PRESENT) && !(c & IS_ZEROS),
                                           .swapped = (c & IS_SWAPPED) != 0};
    }
    return n;
}

static bool is_alike(const struct wick_page_run *a, const struct wick_page_run *b)
{
    return a->hi == b->lo && a->resident == b->resident && a->swapped == b->swapped && a->unsure == b->unsure;
}

static int read_pages(struct wick_pagemap *p, uint64_t lo, uint64_t hi, uint64_t *end)
{
    uint64_t page[PAGES_READ], most = (hi - lo) >> WICK_PAGEMAP_BITS;
    *end = hi;
    if (hi - lo > LARGEST_READ)
        return 0;
    ssize_t got = wick_whole_pread(p->fd, page, (most < PAGES_READ ? most : PAGES_READ) * 8,
                                   (off_t)((lo >> WICK_PAGEMAP_BITS) * 8));
    if (got < 0)
        return -WICK_E_GONE;
    int n = 0;
    uint64_t at = lo;
    for (ssize_t i = 0; i < got / 8; i++, at += 1 << WICK_PAGEMAP_BITS) {
        struct wick_page_run r = {.lo = at,
                                  .hi = at + (1 << WICK_PAGEMAP_BITS),
                                  .resident = page[i] >> PRESENT & 1,
                                  .swapped = page[i] >> SWAPPED & 1};
        r.unsure = r.resident && !(page[i] >> MAPPED_ONCE & 1);
        if (!r.resident && !r.swapped)
            continue;
        if (n && is_alike(&p->run[n - 1], &r))
            p->run[n - 1].hi = r.hi;
        else if (n == WICK_PAGEMAP_RUNS)
            break;
        else
            p->run[n++] = r;
    }
    *end = at > lo ? at : hi; /* behind the last page that can be */
    return n;
}

int wick_pagemap_read(struct wick_pagemap *p, uint64_t lo, uint64_t hi, uint64_t *end)
{
    if (p->scans) {
        int n = scan(p, lo, hi, end);
        if (p->scans)
            return n;
    }
    return read_pages(p, lo, hi, end);
}
