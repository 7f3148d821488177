/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claims.c - what belongs to whom, as the JVM and its threads say
 *
 * The tables of another process are its own: what they name is checked for the expected contents, and the worst outcome
 * is memory attributed to a wrong part.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/block.h"
#include "footprint/footprint.h"
#include "hotspot/thread.h"
#include "hotspot/value.h"
#include "sys/whole.h"

enum {
    THREADS_MOST = 65536,
    LOADERS_MOST = 65536,
    LOADERS_A_POINT = 16,
    CLASSES_MOST = 2048,
    CLASSES_OF_ONE = 16,
    CLASSES_BEYOND = 2,
    HEAD = 1024,
    KERNEL_STACK = 16 << 10,
    TEXT = 4096
};

/* A card is a byte for 512 bytes of heap, or for fewer. */
enum { CARD_LEAST = 128, CARD_MOST = 1024 };

void wick_footprint_add(struct wick_footprint_claims *c, uint64_t lo, uint64_t hi, enum wick_memory_part part)
{
    if (c->count == c->cap) {
        uint32_t cap = c->cap ? c->cap * 2 : 64;
        struct wick_footprint_claim *rows = realloc(c->rows, cap * sizeof *rows);
        if (!rows) {
            c->failed = true;
            return;
        }
        c->rows = rows;
        c->cap = cap;
    }
    c->rows[c->count++] = (struct wick_footprint_claim){lo, hi, part};
}

static void claim(struct wick_footprint_walk *w, uint64_t lo, uint64_t hi, enum wick_memory_part part)
{
    const uint64_t page = 4096, most = 1ull << 47;
    lo &= ~(page - 1);
    hi = (hi + page - 1) & ~(page - 1);
    if (lo && lo < hi && hi < most)
        wick_footprint_add(&w->exact, lo, hi, part);
}

static void claim_heap(struct wick_footprint_walk *w)
{
    const struct wick_jvm *j = w->of->jvm;
    const struct wick_hs_layout *l = &j->layout;
    if (!l->java_heap || l->java_heap_reserved == WICK_HS_NONE || l->region_start == WICK_HS_NONE ||
        l->region_words == WICK_HS_NONE)
        return;
    wick_addr region = wick_hs_u64(j->mem, l->java_heap) + (unsigned)l->java_heap_reserved;
    uint64_t lo = wick_hs_u64(j->mem, region + (unsigned)l->region_start);
    uint64_t bytes = wick_hs_u64(j->mem, region + (unsigned)l->region_words) * 8;
    if (bytes > 1ull << 46)
        return;
    claim(w, lo, lo + bytes, WICK_MEMORY_HEAP);
    w->heap_size = lo ? bytes : 0;
}

static void claim_cards(struct wick_footprint_walk *w)
{
    const struct wick_jvm *j = w->of->jvm;
    const struct wick_hs_layout *l = &j->layout;
    if (!l->barrier_set || l->barrier_cards == WICK_HS_NONE || l->cards_map == WICK_HS_NONE ||
        l->cards_size == WICK_HS_NONE)
        return;
    wick_addr set = wick_hs_u64(j->mem, l->barrier_set);
    wick_addr table = set ? wick_hs_u64(j->mem, set + (unsigned)l->barrier_cards) : 0;
    uint64_t map = table ? wick_hs_u64(j->mem, table + (unsigned)l->cards_map) : 0;
    uint64_t bytes = map ? wick_hs_u64(j->mem, table + (unsigned)l->cards_size) : 0;
    /* what has no card table has something else in that place */
    if (map && bytes >= w->heap_size / CARD_MOST && bytes <= w->heap_size / CARD_LEAST + (64 << 10))
        claim(w, map, map + bytes, WICK_MEMORY_GC);
}

static void claim_code(struct wick_footprint_walk *w)
{
    const struct wick_jvm *j = w->of->jvm;
    const struct wick_hs_layout *l = &j->layout;
    struct wick_memory_row *row = &w->out.row[WICK_MEMORY_CODE_CACHE];
    for (uint32_t i = 0; i < j->step.heap_count; i++) {
        wick_addr map = j->heap_addr[i] + (unsigned)l->heap_segmap;
        uint64_t lo = j->step.heap[i].lo, committed = wick_jvm_heap_committed(j, i);
        claim(w, lo, j->step.heap[i].hi, WICK_MEMORY_CODE_CACHE);
        claim(w, wick_hs_u64(j->mem, map + (unsigned)l->vs_low), wick_hs_u64(j->mem, map + (unsigned)l->vs_high),
              WICK_MEMORY_CODE_CACHE);
        row->reserved += j->step.heap[i].hi - lo;
        row->committed += committed > lo ? committed - lo : 0;
    }
}

/* What somebody else knows; where the JVM's tables name a range as well, theirs counts. */
static void claim_known(struct wick_footprint_walk *w)
{
    uint32_t named = w->exact.count;
    for (uint32_t k = 0; w->of->known && k < w->of->known->count; k++) {
        const struct wick_footprint_claim *c = &w->of->known->rows[k];
        bool is_free = true;
        for (uint32_t i = 0; i < named && is_free; i++)
            is_free = c->hi <= w->exact.rows[i].lo || c->lo >= w->exact.rows[i].hi;
        for (uint32_t i = 0; i < k && is_free; i++)
            is_free = c->hi <= w->of->known->rows[i].lo || c->lo >= w->of->known->rows[i].hi;
        if (is_free)
            claim(w, c->lo, c->hi, c->part);
    }
}

static void point(struct wick_footprint_walk *w, uint64_t at, enum wick_memory_part part)
{
    if (at)
        wick_footprint_add(&w->points, at, at, part);
}

/* The beginning of something of the JVM's, read at once: there are thousands, and each read is a system call. What lies
 * behind the end of its memory cannot be read, so it may be less. Offsets beyond `have` are 0. */
struct head {
    uint8_t bytes[HEAD];
    size_t have;
};

static void read_head(const struct wick_jvm *j, wick_addr at, int32_t last, struct head *h)
{
    size_t wanted = last >= 0 && last + 8 <= HEAD ? (size_t)last + 8 : 0;
    h->have = wanted && !wick_mem_read(j->mem, at, h->bytes, wanted) ? wanted : 0;
}

static uint64_t at64(const struct head *h, int32_t offset)
{
    return offset >= 0 && (size_t)offset + 8 <= h->have ? wick_hs_at64(h->bytes, offset) : 0;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Where classes are, from one to the next, and their constant pools, which lie in metaspace proper. Returns how many
 * were seen. */
static uint32_t point_at_classes(struct wick_footprint_walk *w, wick_addr klass, int32_t next, uint32_t most)
{
    const struct wick_jvm *j = w->of->jvm;
    const struct wick_hs_layout *l = &j->layout;
    uint32_t n = 0;
    for (; klass && n < most; n++) {
        struct head h;
        read_head(j, klass, larger(larger(l->klass_layout, l->klass_constants), next), &h);
        point(w, klass, WICK_MEMORY_METASPACE);
        if ((int32_t)at64(&h, l->klass_layout) > 0) /* no array */
            point(w, at64(&h, l->klass_constants), WICK_MEMORY_METASPACE);
        klass = at64(&h, next);
    }
    return n;
}

/* The JVM lists new loaders first. What old ones have lies in mappings of its own, each of which has classes of
 * hundreds of them: beyond the first classes a few of each sixteenth loader will do. */
static uint32_t most_classes(uint32_t loader, uint32_t classes)
{
    if (classes < CLASSES_MOST)
        return loader ? CLASSES_OF_ONE : CLASSES_MOST / 4;
    return loader % LOADERS_A_POINT ? 0 : CLASSES_BEYOND;
}

static void claim_metaspace(struct wick_footprint_walk *w)
{
    const struct wick_jvm *j = w->of->jvm;
    const struct wick_hs_layout *l = &j->layout;
    uint32_t classes = 0, loaders = 0;
    if (!l->loaders || l->loader_next == WICK_HS_NONE)
        return;
    for (wick_addr d = wick_hs_u64(j->mem, l->loaders); d && loaders < LOADERS_MOST; loaders++) {
        struct head h;
        read_head(j, d, larger(l->loader_next, l->loader_classes), &h);
        classes += point_at_classes(w, at64(&h, l->loader_classes), l->klass_next, most_classes(loaders, classes));
        if (loaders % LOADERS_A_POINT == 0)
            point(w, d, WICK_MEMORY_MALLOC);
        d = at64(&h, l->loader_next);
    }
    w->out.row[WICK_MEMORY_METASPACE].count = loaders;
    if (!classes && l->klass_of_object && l->klass_sub != WICK_HS_NONE) { /* JDK 8: those that extend Object */
        wick_addr object = wick_hs_u64(j->mem, l->klass_of_object);
        point_at_classes(w, object ? wick_hs_u64(j->mem, object + (unsigned)l->klass_sub) : 0, l->klass_sibling,
                         CLASSES_MOST);
    }
}

void wick_footprint_claim_jvm(struct wick_footprint_walk *w)
{
    claim_heap(w);
    claim_cards(w);
    claim_code(w);
    claim_known(w);
    claim_metaspace(w);
}

static int by_tid(const void *a, const void *b)
{
    const struct wick_hs_thread *x = a, *y = b;
    return (x->tid > y->tid) - (x->tid < y->tid);
}

/* The stack pointer of a thread that sleeps: "NR ARG... SP PC" or "-1 SP PC". 0 = it runs. */
static uint64_t sleeping_at(int proc, int tid)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "task/%d/syscall", tid);
    wick_whole_text_at(proc, path, text, sizeof text);
    char *pc = strrchr(text, ' ');
    if (!pc)
        return 0;
    *pc = 0;
    char *sp = strrchr(text, ' ');
    return sp ? strtoull(sp, NULL, 16) : 0;
}

static void claim_java_stack(struct wick_footprint_walk *w, wick_addr thread)
{
    const struct wick_jvm *j = w->of->jvm;
    int32_t at = j->layout.thread_stack_size;
    uint64_t hi = wick_hs_thread_stack_end(j, thread);
    uint64_t size = at == WICK_HS_NONE ? 0 : wick_hs_u64(j->mem, thread + (unsigned)at);
    if (size && size < hi && size <= 1ull << 32) {
        claim(w, hi - size, hi, WICK_MEMORY_STACKS);
        w->out.row[WICK_MEMORY_STACKS].reserved += size;
    }
}

void wick_footprint_claim_threads(struct wick_footprint_walk *w)
{
    struct wick_hs_thread *java = wick_block_resize(NULL, 0, THREADS_MOST * sizeof *java);
    int n = java ? wick_hs_threads(w->of->jvm, java, THREADS_MOST) : 0,
        fd = openat(w->proc, "task", O_RDONLY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    n = n < 0 ? 0 : n;
    for (int i = 0; i < n; i++)
        claim_java_stack(w, java[i].addr);
    if (n)
        qsort(java, (size_t)n, sizeof *java, by_tid);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct wick_hs_thread key = {.tid = atoi(e->d_name)};
        if (key.tid <= 0)
            continue;
        w->out.row[WICK_MEMORY_STACKS].count++;
        if (!n || !bsearch(&key, java, (size_t)n, sizeof *java, by_tid))
            point(w, sleeping_at(w->proc, key.tid), WICK_MEMORY_STACKS);
    }
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    wick_block_free(java, THREADS_MOST * sizeof *java);
}

/* ---- figures ---- */

static wick_addr counter(const struct wick_jvm *jvm, const char *fmt, int a, int b)
{
    char name[64];
    snprintf(name, sizeof name, fmt, a, b);
    return wick_jvm_perf_counter(jvm, name);
}

void wick_footprint_open(struct wick_footprint_jvm *f, const struct wick_jvm *jvm)
{
    int spaces = 0;
    *f = (struct wick_footprint_jvm){.jvm = jvm};
    for (int g = 0; g < 3; g++) {
        f->heap_capacity[g] = counter(jvm, "sun.gc.generation.%d.capacity", g, 0);
        for (int s = 0; s < 4; s++)
            f->heap_used[spaces++] = counter(jvm, "sun.gc.generation.%d.space.%d.used", g, s);
    }
    f->metaspace_used = wick_jvm_perf_counter(jvm, "sun.gc.metaspace.used");
    f->metaspace_committed = wick_jvm_perf_counter(jvm, "sun.gc.metaspace.capacity");
    f->max_heap = jvm->flag[WICK_JVM_FLAG_MAX_HEAP_SIZE];
}

static uint64_t value(const struct wick_footprint_walk *w, wick_addr at)
{
    return at ? wick_hs_u64(w->of->jvm->mem, at) : 0;
}

/* A line of /proc/PID/status in bytes, 0 = it is not there. */
static uint64_t status(const struct wick_footprint_walk *w, const char *name)
{
    char text[TEXT];
    wick_whole_text_at(w->proc, "status", text, sizeof text);
    const char *line = strstr(text, name);
    return line ? strtoull(line + strlen(name), NULL, 10) * 1024 : 0;
}

uint64_t wick_footprint_kernel_resident(const struct wick_footprint_walk *w)
{
    return status(w, "\nVmRSS:");
}

static void kernel_figures(struct wick_footprint_walk *w)
{
    uint64_t threads = w->out.row[WICK_MEMORY_STACKS].count;
    w->out.row[WICK_MEMORY_PAGE_TABLES].resident = status(w, "\nVmPTE:");
    w->out.row[WICK_MEMORY_KERNEL_STACKS].resident = threads * KERNEL_STACK;
    w->out.row[WICK_MEMORY_KERNEL_STACKS].count = threads;
}

void wick_footprint_figures(struct wick_footprint_walk *w)
{
    struct wick_memory_row *heap = &w->out.row[WICK_MEMORY_HEAP], *meta = &w->out.row[WICK_MEMORY_METASPACE];
    for (size_t i = 0; i < sizeof w->of->heap_used / sizeof *w->of->heap_used; i++)
        heap->used += value(w, w->of->heap_used[i]);
    for (size_t i = 0; i < sizeof w->of->heap_capacity / sizeof *w->of->heap_capacity; i++)
        heap->committed += value(w, w->of->heap_capacity[i]);
    heap->reserved = value(w, w->of->max_heap);
    meta->used = value(w, w->of->metaspace_used);
    meta->committed = value(w, w->of->metaspace_committed);
    kernel_figures(w);
}
