/* SPDX-License-Identifier: Apache-2.0 */
/*
 * footprint.c - see footprint.h
 *
 * The kernel joins mappings that touch and have the same rights, so stacks, arenas and large blocks of malloc are often
 * one, which is cut into pieces here. Pages are counted piece by piece; what is reserved and not accessible has none.
 */
#include "footprint/footprint.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hotspot/value.h"

/* glibc: heaps of arenas other than the first begin at multiples of this, with a head. */
#define ARENA_BYTES (64ull << 20)

enum { SIZE_SLACK = 64 << 10 };

/* A file of ZGC's heap may be this large at most, if the heap's maximum is not known; else as large as two of them. */
#define HEAP_FILE_MOST (1ull << 40)

/* malloc_chunk of a block with a mapping of its own: 0, and the size with this bit; of whole pages, or 16 bytes less.
 */
enum { CHUNK_MAPPED = 2, CHUNK_BITS = 7, CHUNK_HEAD = 16 };

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
    memset(w, 0, offsetof(struct wick_footprint_walk, maps));
    w->of = of;
    w->proc = proc;
    w->library_end = w->heap_size = w->open.hi = w->heap_pages = 0;
    w->heap_seen = NULL;
    w->pieces.count = w->piece = 0;
    w->libc.hi = 0;
    w->in_arenas = false;
    memset(w->zeros, 0, sizeof w->zeros);
    w->pagemap.fd = -1;
    int rc = wick_maps_open(&w->maps, proc);
    rc = rc ? rc : wick_pagemap_open(&w->pagemap, proc);
    if (!rc) {
        wick_footprint_claim_jvm(w);
        wick_footprint_claim_threads(w);
        wick_footprint_figures(w);
        sort(&w->exact);
        sort(&w->points);
        rc = w->exact.failed || w->points.failed ? -WICK_E_NOMEM : 0;
    }
    if (rc)
        wick_footprint_end(w);
    return rc;
}

void wick_footprint_end(struct wick_footprint_walk *w)
{
    wick_maps_close(&w->maps);
    wick_pagemap_close(&w->pagemap);
    free(w->exact.rows);
    free(w->points.rows);
    free(w->heap_seen);
    w->heap_seen = NULL;
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

static void put(struct wick_footprint_pieces *p, uint64_t lo, uint64_t hi, enum wick_memory_part part)
{
    struct wick_footprint_claim *last = p->count ? &p->rows[p->count - 1] : NULL;
    if (lo >= hi)
        return;
    if (last && (last->part == part || p->count == WICK_FOOTPRINT_PIECES)) {
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
    bool plausible =
        head[0] == 0 && (head[1] & CHUNK_BITS) == CHUNK_MAPPED && size && size <= hi - at && whole - size <= CHUNK_HEAD;
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
static void split_by_allocator(const struct wick_footprint_walk *w, struct wick_footprint_pieces *p, uint64_t lo,
                               uint64_t hi)
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

static void split_anonymous(const struct wick_footprint_walk *w, struct wick_footprint_pieces *p,
                            const struct wick_mapping *m)
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

static void give(struct wick_footprint_walk *w, enum wick_memory_part part, uint64_t resident, uint64_t swapped)
{
    w->out.row[part].resident += resident;
    w->out.row[part].swapped += swapped;
    if (part == WICK_MEMORY_REPEATED)
        return;
    w->out.resident += resident;
    w->out.swapped += swapped;
}

/* Nobody claims the end of a mapping. Whether it is the touched beginning of something as large as the collector's
 * tables shows when the next mapping is what is reserved for the rest of it. */
static void leave_open(struct wick_footprint_walk *w, const struct wick_footprint_claim *piece)
{
    w->open = *piece;
    w->open_resident = w->resident;
    w->open_swapped = w->swapped;
    w->open_zero = w->zero;
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
        w->zeros[WICK_MEMORY_OTHER] -= w->open_zero;
        w->zeros[WICK_MEMORY_GC] += w->open_zero;
    }
    w->open.hi = 0;
}

/* Whether this is the first mapping in which that page of the heap's file is seen. */
static bool is_first_view(struct wick_footprint_walk *w, uint64_t page)
{
    if (page >= w->heap_pages) {
        uint64_t pages = page >= w->heap_pages * 2 ? page + (1 << 18) : w->heap_pages * 2;
        uint64_t words = (pages + 63) / 64, before = (w->heap_pages + 63) / 64;
        uint64_t maximum = w->out.row[WICK_MEMORY_HEAP].reserved;
        uint64_t most = maximum && maximum < HEAP_FILE_MOST / 2 ? 2 * maximum : HEAP_FILE_MOST;
        uint64_t *bits = page < most >> WICK_PAGEMAP_BITS ? realloc(w->heap_seen, words * sizeof *bits) : NULL;
        if (!bits)
            return true;
        memset(bits + before, 0, (words - before) * sizeof *bits);
        w->heap_seen = bits;
        w->heap_pages = words * 64;
    }
    uint64_t bit = 1ull << page % 64, *word = &w->heap_seen[page / 64];
    bool first = !(*word & bit);
    *word |= bit;
    return first;
}

static void count_run(struct wick_footprint_walk *w, const struct wick_page_run *run)
{
    bool of_heap = w->mapping.shared && w->pieces.rows[w->piece].part == WICK_MEMORY_HEAP;
    bool private = !w->mapping.file && !w->mapping.shared;
    uint64_t bytes = run->hi - run->lo, again = 0,
             first = (run->lo - w->mapping.lo + w->mapping.offset) >> WICK_PAGEMAP_BITS;
    for (uint64_t i = 0; of_heap && run->resident && i < bytes >> WICK_PAGEMAP_BITS; i++)
        again += !is_first_view(w, first + i);
    w->resident += run->resident ? bytes - (again << WICK_PAGEMAP_BITS) : 0;
    w->swapped += run->swapped ? bytes : 0;
    w->zero += run->unsure && private ? bytes : 0;
    give(w, WICK_MEMORY_REPEATED, again << WICK_PAGEMAP_BITS, 0);
}

static void next_piece(struct wick_footprint_walk *w)
{
    w->at = w->piece < w->pieces.count ? w->pieces.rows[w->piece].lo : 0;
    w->resident = w->swapped = w->zero = 0;
}

/* Goes on with the piece that is being counted. */
static int count_some(struct wick_footprint_walk *w)
{
    const struct wick_footprint_claim *piece = &w->pieces.rows[w->piece];
    int n = wick_pagemap_read(&w->pagemap, w->at, piece->hi, &w->at);
    if (n < 0)
        return n;
    for (int i = 0; i < n; i++)
        count_run(w, &w->pagemap.run[i]);
    if (w->at < piece->hi)
        return 0;
    give(w, piece->part, w->resident, w->swapped);
    w->zeros[piece->part] += w->zero;
    if (w->piece + 1 == w->pieces.count && piece->part == WICK_MEMORY_OTHER && w->mapping.writable)
        leave_open(w, piece);
    w->piece++;
    next_piece(w);
    return 0;
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

/* "/usr/lib/x86_64-linux-gnu/libc.so.6", "/lib/libc-2.31.so (deleted)" */
static bool is_libc(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && (!strncmp(slash, "/libc.so.6", 10) || (!strncmp(slash, "/libc-2.", 8) && strstr(slash, ".so")));
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

/* Cuts a mapping into pieces. */
static void split(struct wick_footprint_walk *w, const struct wick_mapping *m)
{
    struct wick_footprint_pieces *p = &w->pieces;
    uint64_t library_end = 0;
    close_open(w, m);
    w->piece = p->count = 0;
    if (!m->readable && !m->writable && !m->executable) {
        /* nothing is there */
    } else if (m->file) {
        enum wick_memory_part part = part_of_file(w, m);
        library_end = part == WICK_MEMORY_LIBRARIES && m->writable ? m->hi : 0;
        if (library_end && !w->libc.hi && is_libc(m->path))
            w->libc = (struct wick_footprint_claim){m->lo, m->hi, part};
        put(p, m->lo, m->hi, part);
    } else if (!strcmp(m->path, "[heap]") || strstr(m->path, "malloc")) {
        put(p, m->lo, m->hi, WICK_MEMORY_MALLOC);
    } else if (!strncmp(m->path, "[stack", 6)) {
        put(p, m->lo, m->hi, WICK_MEMORY_STACKS);
    } else if (!strncmp(m->path, "[v", 2)) {
        put(p, m->lo, m->hi, WICK_MEMORY_LIBRARIES);
    } else {
        split_anonymous(w, p, m);
    }
    w->library_end = library_end;
    next_piece(w);
}

/* Memory that was only read is the one page of zeros, again and again; the kernel does not count it as resident, but
 * pagemap does not distinguish it from a page shared with a forked child. The sum shows which of the two it is. */
static void settle(struct wick_footprint_walk *w)
{
    uint64_t kernel = wick_footprint_kernel_resident(w), zeros = 0;
    uint64_t ours = w->out.resident + w->out.row[WICK_MEMORY_REPEATED].resident;
    for (int i = 0; i < WICK_MEMORY_PARTS; i++)
        zeros += w->zeros[i];
    if (!kernel || ours <= kernel || ours - kernel < zeros / 2)
        return;
    for (int i = 0; i < WICK_MEMORY_PARTS; i++)
        w->out.row[i].resident -= w->zeros[i];
    w->out.resident -= zeros;
}

/* What the mappings say is complete. */
static void begin_arenas(struct wick_footprint_walk *w)
{
    settle(w);
    wick_arenas_begin(&w->arenas, w->of->jvm->mem, &w->pagemap, w->libc.hi ? w->libc.lo : 0, w->libc.hi,
                      w->of->chunks_most);
    w->in_arenas = true;
}

/* 1 = there is more, 0 = this was the last. */
static int go_on_in_arenas(struct wick_footprint_walk *w)
{
    if (wick_arenas_step(&w->arenas))
        return 1;
    w->out.arenas = w->arenas.out;
    return 0;
}

static int go_on_in_mappings(struct wick_footprint_walk *w)
{
    if (w->piece < w->pieces.count) {
        int rc = count_some(w);
        return rc ? rc : 1;
    }
    int rc = wick_maps_next(&w->maps, &w->mapping);
    if (rc > 0)
        split(w, &w->mapping);
    else
        close_open(w, NULL);
    if (rc == 0)
        begin_arenas(w);
    return rc ? rc : 1;
}

int wick_footprint_step(struct wick_footprint_walk *w, uint32_t most)
{
    int rc = 1;
    while (most-- && rc > 0)
        rc = w->in_arenas ? go_on_in_arenas(w) : go_on_in_mappings(w);
    return rc;
}
