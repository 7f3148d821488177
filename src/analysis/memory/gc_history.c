/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_history.c - see gc_history.h
 *
 * A heap summary names its collection by a number that begins anew with each JVM, so it also has to lie at the
 * collection's time. Summaries are sorted by number, side and time, and a collection takes the nearest of its number.
 * Recordings of strangers may give all of them one number, or each collection a cause of its own: nothing here takes
 * more than n log n steps.
 */
#include "analysis/memory/gc_history.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sum.h"

#define NEAR_NS 1000000000 /* between a collection and the summaries before and after it */

struct wick_gc_heap {
    int64_t time_ns;
    uint64_t id, used;
    bool before;
};

void wick_gc_history_release(struct wick_gc_history *h)
{
    free(h->rows);
    free(h->causes);
    free(h->heaps);
    *h = (struct wick_gc_history){0};
}

int wick_gc_history_copy(struct wick_gc_history *to, const struct wick_gc_history *h)
{
    *to = (struct wick_gc_history){.n = h->n, .cap = h->n, .nheaps = h->nheaps, .cap_heaps = h->nheaps};
    to->rows = h->n ? calloc(h->n, sizeof *to->rows) : NULL;
    to->heaps = h->nheaps ? calloc(h->nheaps, sizeof *to->heaps) : NULL;
    if (h->failed || (h->n && !to->rows) || (h->nheaps && !to->heaps)) {
        wick_gc_history_release(to);
        return -WICK_E_NOMEM;
    }
    if (h->n)
        memcpy(to->rows, h->rows, h->n * sizeof *to->rows);
    if (h->nheaps)
        memcpy(to->heaps, h->heaps, h->nheaps * sizeof *to->heaps);
    return 0;
}

/* The list with room for one row behind n of them; NULL without memory: then it is as it was. */
static void *gc_room(void *list, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return list;
    size_t wanted = *cap ? *cap * 2 : 64;
    void *bigger = reallocarray(list, wanted, size);
    if (bigger)
        *cap = wanted;
    return bigger;
}

void wick_gc_history_add(struct wick_gc_history *h, const struct wick_gc_collection *c)
{
    struct wick_gc_collection *rows = gc_room(h->rows, h->n, &h->cap, sizeof *rows);
    if (!rows) {
        h->failed = true;
        return;
    }
    h->rows = rows;
    h->rows[h->n] = *c;
    h->rows[h->n++].stands_for = 1;
}

void wick_gc_history_heap(struct wick_gc_history *h, int64_t time_ns, uint64_t id, bool before, uint64_t used)
{
    struct wick_gc_heap *heaps = gc_room(h->heaps, h->nheaps, &h->cap_heaps, sizeof *heaps);
    if (!heaps) {
        h->failed = true;
        return;
    }
    h->heaps = heaps;
    h->heaps[h->nheaps++] = (struct wick_gc_heap){time_ns, id, used, before};
}

/* --- the heap of each --- */

static int heap_order(const void *a, const void *b)
{
    const struct wick_gc_heap *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if (x->before != y->before)
        return x->before ? -1 : 1;
    return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static int start_order(const void *a, const void *b)
{
    const struct wick_gc_collection *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int64_t gc_end_of(const struct wick_gc_collection *c)
{
    return wick_sum(c->start_ns, c->duration_ns);
}

/* How far apart two times are; NEAR_NS or more is too far. */
static uint64_t gc_apart(int64_t a, int64_t b)
{
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

/* Bytes of the summary nearest to a time, among those of a number and a side; 0 if none is near. */
static uint64_t near_heap(const struct wick_gc_history *h, uint64_t id, bool before, int64_t time_ns)
{
    const struct wick_gc_heap sought = {time_ns, id, 0, before};
    size_t low = 0, high = h->nheaps;
    uint64_t used = 0, nearest = NEAR_NS;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (heap_order(&h->heaps[middle], &sought) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low ? low - 1 : 0; i <= low && i < h->nheaps; i++) {
        const struct wick_gc_heap *s = &h->heaps[i];
        if (s->id != id || s->before != before || gc_apart(s->time_ns, time_ns) >= nearest)
            continue;
        nearest = gc_apart(s->time_ns, time_ns);
        used = s->used;
    }
    return used;
}

static void take_heap(const struct wick_gc_history *h, struct wick_gc_collection *c)
{
    uint64_t before = near_heap(h, c->id, true, c->start_ns), after = near_heap(h, c->id, false, gc_end_of(c));
    c->before = before ? before : c->before;
    c->after = after ? after : c->after;
}

void wick_gc_history_end(struct wick_gc_history *h)
{
    if (h->nheaps)
        qsort(h->heaps, h->nheaps, sizeof *h->heaps, heap_order);
    for (size_t i = 0; i < h->n; i++)
        take_heap(h, &h->rows[i]);
    if (h->n)
        qsort(h->rows, h->n, sizeof *h->rows, start_order);
    free(h->heaps);
    h->heaps = NULL;
    h->nheaps = h->cap_heaps = 0;
}

/* --- causes --- */

static int costly_first(const void *a, const void *b)
{
    const struct wick_gc_cause *x = a, *y = b;
    if (x->pauses_ns != y->pauses_ns)
        return x->pauses_ns < y->pauses_ns ? 1 : -1;
    return x->cause < y->cause ? -1 : x->cause > y->cause;
}

static int cause_order(const void *a, const void *b)
{
    const struct wick_gc_cause *x = a, *y = b;
    return x->cause < y->cause ? -1 : x->cause > y->cause;
}

/* One row for each collection becomes one for each cause. */
static void fold_causes(struct wick_gc_history *h)
{
    size_t kept = 0;
    if (h->ncauses)
        qsort(h->causes, h->ncauses, sizeof *h->causes, cause_order);
    for (size_t i = 0; i < h->ncauses; i++) {
        const struct wick_gc_cause c = h->causes[i];
        struct wick_gc_cause *at = kept ? &h->causes[kept - 1] : NULL;
        if (!at || at->cause != c.cause) {
            h->causes[kept++] = c;
            continue;
        }
        at->count += c.count;
        at->pauses_ns = wick_sum(at->pauses_ns, c.pauses_ns);
        at->longest_ns = c.longest_ns > at->longest_ns ? c.longest_ns : at->longest_ns;
    }
    h->ncauses = kept;
}

int wick_gc_history_choose(struct wick_gc_history *h, int64_t from_ns, int64_t to_ns)
{
    size_t kept = 0;
    free(h->causes);
    h->ncauses = 0;
    h->causes = h->n ? calloc(h->n, sizeof *h->causes) : NULL;
    if (h->n && !h->causes)
        return -WICK_E_NOMEM;
    for (size_t i = 0; i < h->n; i++) {
        const struct wick_gc_collection c = h->rows[i];
        if (gc_end_of(&c) < from_ns || (to_ns && c.start_ns >= to_ns))
            continue;
        h->causes[h->ncauses++] = (struct wick_gc_cause){c.cause, 1, c.pause_ns, c.longest_ns};
        h->rows[kept++] = c;
    }
    h->n = kept;
    fold_causes(h);
    if (h->ncauses)
        qsort(h->causes, h->ncauses, sizeof *h->causes, costly_first);
    return 0;
}

/* --- fewer of them --- */

/* Time is cut into `most` stretches; what begins in one becomes one. */
void wick_gc_history_thin(struct wick_gc_history *h, size_t most)
{
    if (h->n <= most || !most)
        return;
    int64_t first = h->rows[0].start_ns;
    __int128 span = (__int128)h->rows[h->n - 1].start_ns - first + 1, stretch = 0;
    size_t kept = 0;
    for (size_t i = 0; i < h->n; i++) {
        const struct wick_gc_collection c = h->rows[i];
        __int128 at = ((__int128)c.start_ns - first) * (__int128)most / span;
        struct wick_gc_collection *last = kept ? &h->rows[kept - 1] : NULL;
        if (!last || at != stretch) {
            h->rows[kept++] = c;
            stretch = at;
            continue;
        }
        uint32_t together = last->stands_for + c.stands_for;
        if (c.longest_ns > last->longest_ns)
            *last = c;
        last->stands_for = together;
    }
    h->n = kept;
}

/* --- events --- */

struct gc_reading {
    struct wick_gc_history *h;
    const struct wick_profile *p;
};

static int64_t gc_number(const struct wick_jfr_event *e, const char *field)
{
    int64_t v = 0;
    (void)wick_jfr_event_int(e, field, &v);
    return v > 0 ? v : 0;
}

static uint32_t gc_text(const struct wick_jfr_event *e, const char *field)
{
    uint32_t v = 0;
    (void)wick_jfr_event_text(e, field, &v);
    return v;
}

static void gc_no_sample(void *ctx, const struct wick_sample *s)
{
    (void)ctx;
    (void)s;
}

bool wick_gc_history_wants(const char *type)
{
    return !strcmp(type, "jdk.GarbageCollection") || !strcmp(type, "jdk.GCHeapSummary");
}

void wick_gc_history_take(struct wick_gc_history *h, const struct wick_profile *p, const struct wick_jfr_event *e)
{
    if (!strcmp(e->type, "jdk.GCHeapSummary")) {
        const char *when = wick_profile_str(p, gc_text(e, "when"));
        wick_gc_history_heap(h, e->time_ns, (uint64_t)gc_number(e, "gcId"), !strncmp(when, "Before", 6),
                             (uint64_t)gc_number(e, "heapUsed"));
        return;
    }
    if (strcmp(e->type, "jdk.GarbageCollection") != 0)
        return;
    const struct wick_gc_collection c = {.start_ns = e->time_ns,
                                         .duration_ns = e->duration_ns > 0 ? e->duration_ns : 0,
                                         .pause_ns = gc_number(e, "sumOfPauses"),
                                         .longest_ns = gc_number(e, "longestPause"),
                                         .id = (uint64_t)gc_number(e, "gcId"),
                                         .before = (uint64_t)gc_number(e, "heapUsedBefore"),
                                         .after = (uint64_t)gc_number(e, "heapUsedAfter"),
                                         .cause = gc_text(e, "cause"),
                                         .collector = gc_text(e, "name")};
    wick_gc_history_add(h, &c);
}

static bool gc_want(void *ctx, const char *type)
{
    (void)ctx;
    return wick_gc_history_wants(type);
}

static void gc_take(void *ctx, const struct wick_jfr_event *e)
{
    const struct gc_reading *r = ctx;
    wick_gc_history_take(r->h, r->p, e);
}

int wick_gc_history_read(struct wick_gc_history *h, struct wick_profile *p, char *const *paths, int n,
                         wick_analysis_reader *read, struct wick_err *err)
{
    struct gc_reading r = {h, p};
    const struct wick_jfr_visitor v = {.ctx = &r, .sample = gc_no_sample, .want = gc_want, .event = gc_take};
    *h = (struct wick_gc_history){0};
    for (int i = 0; i < n; i++) {
        int rc = read(p, paths[i], &v, err);
        if (rc)
            return rc;
    }
    wick_gc_history_end(h);
    return p->failed || h->failed ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : 0;
}
