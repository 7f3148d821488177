/* SPDX-License-Identifier: Apache-2.0 */
/*
 * footprint.c - see footprint.h
 *
 * A mapping is cut into pieces with one owner each. The kernel joins mappings that touch and have the same rights, so
 * stacks, arenas and large blocks of malloc are often one; which pages of a piece are resident is in pagemap then.
 */
#include "footprint/footprint.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hotspot/value.h"

/* glibc: heaps of arenas other than the first begin at multiples of this, with a head. */
#define ARENA_BYTES (64ull << 20)

enum { PIECES = 64, PAGE_BITS = 12, PAGES_PER_READ = 512, SIZE_SLACK = 64 << 10 };

/* malloc_chunk of a block with a mapping of its own: 0, and the size with this bit; of whole pages, or 16 bytes less.
 */
enum { CHUNK_MAPPED = 2, CHUNK_BITS = 7, CHUNK_HEAD = 16 };

struct pieces {
    struct wick_footprint_claim rows[PIECES];
    uint32_t count;
};

static const struct {
    const char *name;
    bool resident;
} parts[WICK_MEMORY_PARTS] = {
#define X(NAME, name, resident, meaning) {name, resident},
#include "def/memory_part.def"
#undef X
};

const char *wick_memory_part_name(enum wick_memory_part part)
{
    return parts[part].name;
}

bool wick_memory_part_resident(enum wick_memory_part part)
{
    return parts[part].resident;
}

static int by_address(const void *a, const void *b)
{
    const struct wick_footprint_claim *x = a, *y = b;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

static void sort(struct wick_footprint_claims *c)
{
    if (c->count)
        qsort(c->rows, c->count, sizeof *c->rows, by_address);
}

int wick_footprint_begin(struct wick_footprint_walk *w, const struct wick_footprint_jvm *of, int proc)
{
    memset(&w->out, 0, sizeof w->out);
    w->of = of;
    w->proc = proc;
    w->exact = w->points = (struct wick_footprint_claims){0};
    w->library_end = w->heap_size = 0;
    w->open = (struct wick_footprint_claim){0};
    int rc = wick_smaps_open(&w->smaps, proc);
    w->pages = rc ? -1 : openat(proc, "pagemap", O_RDONLY | O_CLOEXEC);
    if (rc)
        return rc;
    wick_footprint_claim_jvm(w);
    wick_footprint_claim_threads(w);
    wick_footprint_figures(w);
    sort(&w->exact);
    sort(&w->points);
    if (!w->exact.failed && !w->points.failed)
        return 0;
    wick_footprint_end(w);
    return -WICK_E_NOMEM;
}

void wick_footprint_end(struct wick_footprint_walk *w)
{
    wick_smaps_close(&w->smaps);
    if (w->pages >= 0)
        close(w->pages);
    w->pages = -1;
    free(w->exact.rows);
    free(w->points.rows);
    w->exact = w->points = (struct wick_footprint_claims){0};
}

/* The first claim that ends, or the first point that lies, behind addr. */
static uint32_t first_behind(const struct wick_footprint_claims *c, uint64_t addr)
{
    uint32_t lo = 0, hi = c->count;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (c->rows[mid].hi > addr || (c->rows[mid].hi == c->rows[mid].lo && c->rows[mid].lo >= addr))
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static void put(struct pieces *p, uint64_t lo, uint64_t hi, enum wick_memory_part part)
{
    struct wick_footprint_claim *last = p->count ? &p->rows[p->count - 1] : NULL;
    if (lo >= hi)
        return;
    if (last && (last->part == part || p->count == PIECES)) {
        last->hi = hi;
        if (last->part != part)
            last->part = WICK_MEMORY_OTHER; /* more pieces than there is room for */
        return;
    }
    p->rows[p->count++] = (struct wick_footprint_claim){lo, hi, part};
}

/* ---- what the allocator says ---- */

/* struct heap_info: its arena, the heap before, its size, how much of it may be used. */
static uint64_t arena_heap_end(const struct wick_footprint_walk *w, uint64_t at, uint64_t hi)
{
    uint64_t head[4];
    if (at % ARENA_BYTES || wick_mem_read(w->of->jvm->mem, at, head, sizeof head))
        return 0;
    bool plausible = head[0] > at % ARENA_BYTES && head[0] % 8 == 0 && head[1] % ARENA_BYTES == 0 && head[2] &&
                     head[2] % 4096 == 0 && head[2] <= ARENA_BYTES && head[3] >= head[2] && head[3] <= ARENA_BYTES;
    return !plausible ? 0 : at + head[2] < hi ? at + head[2] : hi;
}

static uint64_t mapped_chunk_end(const struct wick_footprint_walk *w, uint64_t at, uint64_t hi)
{
    uint64_t head[2];
    if (wick_mem_read(w->of->jvm->mem, at, head, sizeof head))
        return 0;
    uint64_t size = head[1] & ~(uint64_t)CHUNK_BITS, whole = (size + 4095) & ~(uint64_t)4095;
    bool plausible = head[0] == 0 && (head[1] & CHUNK_BITS) == CHUNK_MAPPED && size && whole - size <= CHUNK_HEAD;
    return plausible && whole <= hi - at ? at + whole : 0;
}

/* Whose it is if nobody claims it: a point inside says so. */
static enum wick_memory_part by_points(const struct wick_footprint_walk *w, uint64_t lo, uint64_t hi)
{
    uint32_t i = first_behind(&w->points, lo);
    enum wick_memory_part found = WICK_MEMORY_OTHER;
    for (; i < w->points.count && w->points.rows[i].lo < hi; i++)
        if (found == WICK_MEMORY_OTHER || w->points.rows[i].part != WICK_MEMORY_MALLOC)
            found = w->points.rows[i].part;
    return found;
}

/* Collectors that mark keep a bit for each word of the heap, or two, and tables with a byte a card. */
static bool has_size_of_marks(const struct wick_footprint_walk *w, uint64_t bytes)
{
    static const unsigned shares[] = {32, 64, 512};
    for (size_t i = 0; w->heap_size && i < sizeof shares / sizeof *shares; i++) {
        uint64_t expected = w->heap_size / shares[i];
        if (expected > 4 * SIZE_SLACK && bytes + SIZE_SLACK >= expected && bytes <= expected + SIZE_SLACK)
            return true;
    }
    return false;
}

/* Anonymous memory that the JVM did not claim. */
static void split_by_allocator(const struct wick_footprint_walk *w, struct pieces *p, uint64_t lo, uint64_t hi)
{
    uint64_t at = lo, from = lo; /* from: start of what has no owner so far */
    while (at < hi) {
        uint64_t end = mapped_chunk_end(w, at, hi);
        if (!end && at % ARENA_BYTES == 0)
            end = arena_heap_end(w, at, hi);
        if (end) {
            put(p, from, at, by_points(w, from, at));
            put(p, at, end, WICK_MEMORY_MALLOC);
            at = from = end;
            continue;
        }
        /* blocks with a mapping of their own come one behind the other, arenas at their multiples */
        uint64_t next = at == from && at != lo ? at + 4096 : (at / ARENA_BYTES + 1) * ARENA_BYTES;
        at = next < hi ? next : hi;
    }
    put(p, from, hi, by_points(w, from, hi));
}

static void split_anonymous(const struct wick_footprint_walk *w, struct pieces *p, const struct wick_mapping *m)
{
    uint64_t at = m->lo;
    if (at == w->library_end) { /* .bss, to which the kernel may have joined more */
        put(p, m->lo, m->hi, WICK_MEMORY_LIBRARIES);
        return;
    }
    for (uint32_t i = first_behind(&w->exact, m->lo); i < w->exact.count && w->exact.rows[i].lo < m->hi; i++) {
        const struct wick_footprint_claim *c = &w->exact.rows[i];
        uint64_t lo = c->lo > at ? c->lo : at, hi = c->hi < m->hi ? c->hi : m->hi;
        split_by_allocator(w, p, at, lo);
        put(p, lo, hi, c->part);
        at = hi > at ? hi : at;
    }
    if (at < m->hi)
        split_by_allocator(w, p, at, m->hi);
}

/* ---- counting ---- */

/* Adds what pagemap says of the pages from lo to hi. */
static bool count_pages(const struct wick_footprint_walk *w, uint64_t lo, uint64_t hi, struct wick_memory_row *row)
{
    uint64_t pages[PAGES_PER_READ];
    for (uint64_t at = lo >> PAGE_BITS, end = hi >> PAGE_BITS; at < end;) {
        uint64_t n = end - at < PAGES_PER_READ ? end - at : PAGES_PER_READ;
        ssize_t got = w->pages < 0 ? -1 : pread(w->pages, pages, n * 8, (off_t)(at * 8));
        if (got <= 0 || got % 8)
            return false;
        n = (uint64_t)got / 8;
        for (uint64_t i = 0; i < n; i++) {
            row->resident += (pages[i] >> 63) << PAGE_BITS;
            row->swapped += (pages[i] >> 62 & 1) << PAGE_BITS;
        }
        at += n;
    }
    return true;
}

static void give(struct wick_footprint_walk *w, enum wick_memory_part part, uint64_t resident, uint64_t swapped)
{
    w->out.row[part].resident += resident;
    w->out.row[part].swapped += swapped;
    w->out.resident += resident;
    w->out.swapped += swapped;
}

/* Nobody claims the end of a mapping. Whether it is the touched beginning of something as large as the collector's
 * tables shows when the next mapping is what is reserved for the rest of it. */
static void leave_open(struct wick_footprint_walk *w, const struct wick_footprint_claim *piece, uint64_t resident,
                       uint64_t swapped)
{
    w->open = *piece;
    w->open_resident = resident;
    w->open_swapped = swapped;
}

static void close_open(struct wick_footprint_walk *w, const struct wick_mapping *next)
{
    struct wick_memory_row *other = &w->out.row[WICK_MEMORY_OTHER], *gc = &w->out.row[WICK_MEMORY_GC];
    bool reserved = next && !next->file && !next->readable && next->lo == w->open.hi;
    uint64_t end = reserved ? next->hi : w->open.hi;
    if (w->open.hi && has_size_of_marks(w, end - w->open.lo)) {
        other->resident -= w->open_resident;
        other->swapped -= w->open_swapped;
        gc->resident += w->open_resident;
        gc->swapped += w->open_swapped;
    }
    w->open = (struct wick_footprint_claim){0};
}

static void add_pieces(struct wick_footprint_walk *w, const struct pieces *p, const struct wick_mapping *m)
{
    uint64_t resident = m->rss, swapped = m->swap;
    for (uint32_t i = 0; p->count > 1 && i + 1 < p->count; i++) {
        struct wick_memory_row row = {0};
        if (!count_pages(w, p->rows[i].lo, p->rows[i].hi, &row)) {
            give(w, WICK_MEMORY_OTHER, resident, swapped);
            return;
        }
        row.resident = row.resident < resident ? row.resident : resident; /* pages come and go meanwhile */
        row.swapped = row.swapped < swapped ? row.swapped : swapped;
        give(w, p->rows[i].part, row.resident, row.swapped);
        resident -= row.resident;
        swapped -= row.swapped;
    }
    const struct wick_footprint_claim none = {m->lo, m->hi, WICK_MEMORY_OTHER};
    const struct wick_footprint_claim *last = p->count ? &p->rows[p->count - 1] : &none;
    give(w, last->part, resident, swapped);
    if (last->part == WICK_MEMORY_OTHER && m->writable)
        leave_open(w, last, resident, swapped);
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), k = strlen(end);
    return n >= k && !strcmp(s + n - k, end);
}

static bool is_library(const struct wick_mapping *m)
{
    const char *slash = strrchr(m->path, '/'), *so = slash ? strstr(slash, ".so") : NULL;
    return m->executable || (so && (so[3] == 0 || so[3] == '.' || so[3] == ' '));
}

static enum wick_memory_part part_of_file(const struct wick_footprint_walk *w, const struct wick_mapping *m)
{
    uint32_t i = first_behind(&w->exact, m->lo);
    if (strstr(m->path, "java_heap"))
        return WICK_MEMORY_HEAP;
    if (i < w->exact.count && w->exact.rows[i].lo <= m->lo && w->exact.rows[i].hi >= m->hi)
        return w->exact.rows[i].part;
    if (ends_with(m->path, ".jsa"))
        return WICK_MEMORY_CLASS_ARCHIVE;
    if (is_library(m))
        return WICK_MEMORY_LIBRARIES;
    bool memory = !strncmp(m->path, "/memfd:", 7) || !strncmp(m->path, "/dev/shm/", 9) ||
                  !strncmp(m->path, "/dev/zero", 9) || !strncmp(m->path, "/SYSV", 5) ||
                  !strncmp(m->path, "/anon_hugepage", 14);
    return memory ? WICK_MEMORY_SHARED : WICK_MEMORY_FILES;
}

static void add_file(struct wick_footprint_walk *w, const struct wick_mapping *m)
{
    enum wick_memory_part part = part_of_file(w, m);
    uint64_t resident = m->rss;
    if (part == WICK_MEMORY_HEAP && m->shared && m->pss < m->rss) {
        w->out.row[WICK_MEMORY_REPEATED].resident += m->rss - m->pss;
        resident = m->pss;
    }
    give(w, part, resident, m->swap);
    w->library_end = part == WICK_MEMORY_LIBRARIES && m->writable ? m->hi : 0;
}

static void add_mapping(struct wick_footprint_walk *w, const struct wick_mapping *m)
{
    struct pieces p = {.count = 0};
    close_open(w, m);
    if (m->file) {
        add_file(w, m);
        return;
    }
    if (!strcmp(m->path, "[heap]") || strstr(m->path, "malloc"))
        put(&p, m->lo, m->hi, WICK_MEMORY_MALLOC);
    else if (!strncmp(m->path, "[stack", 6))
        put(&p, m->lo, m->hi, WICK_MEMORY_STACKS);
    else if (!strncmp(m->path, "[v", 2))
        put(&p, m->lo, m->hi, WICK_MEMORY_LIBRARIES);
    else if (m->rss || m->swap)
        split_anonymous(w, &p, m);
    add_pieces(w, &p, m);
    w->library_end = 0;
}

int wick_footprint_step(struct wick_footprint_walk *w, uint32_t most)
{
    struct wick_mapping m;
    while (most--) {
        int rc = wick_smaps_next(&w->smaps, &m);
        if (rc == 0)
            close_open(w, NULL);
        if (rc <= 0)
            return rc;
        add_mapping(w, &m);
    }
    return 1;
}
