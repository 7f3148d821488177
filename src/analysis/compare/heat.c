/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heat.c - cells of a heatmap, collected while samples are read
 *
 * The cells are an open-addressing hash table. When it holds as many as are allowed, or time as many slices, the next
 * length of slices is taken, each a multiple of the one before, and the cells are re-entered: those that fall together
 * become one. The last length is a day, of which no range of 64-bit nanoseconds has a million. If even these are too
 * many cells, by samples that say they lasted for centuries, a sample stands where it begins: one cell for each at
 * most.
 *
 * The table is larger than the caches, and where a cell goes is random: entering one is mostly waiting for memory. So
 * a cell waits for its turn, some cells later, and the memory of its place is asked for at once.
 */
#include "analysis/compare/heat.h"
#include "base/sum.h"
#include "model/hash.h"
#include "model/name.h"

#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)
#define S  (1000 * MS)

static const int64_t lengths[] = {20 * MS, 100 * MS, 500 * MS, S, 5 * S, 60 * S, 300 * S, 3600 * S, 86400 * S};
#define LEVELS (sizeof lengths / sizeof *lengths)

void wick_heat_init(struct wick_heat *h)
{
    *h = (struct wick_heat){.most_cells = WICK_HEAT_CELLS, .most_slices = WICK_HEAT_SLICES};
    for (unsigned i = 0; i < WICK_HEAT_AHEAD; i++)
        h->ahead[i].agg = WICK_AGG_NONE;
}

void wick_heat_release(struct wick_heat *h)
{
    free(h->cells);
    free(h->thread_last);
    wick_heat_init(h);
}

int64_t wick_heat_slice_ns(const struct wick_heat *h)
{
    return lengths[h->level];
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* --- the table --- */

static size_t first_place(size_t places, int64_t slice, uint32_t agg)
{
    return (size_t)(wick_hash_2((uint64_t)slice, agg) >> 20) & (places - 1);
}

static struct wick_heat_cell *place_of(struct wick_heat_cell *cells, size_t places, int64_t slice, uint32_t agg)
{
    size_t at = first_place(places, slice, agg);
    while (cells[at].agg != WICK_AGG_NONE && (cells[at].agg != agg || cells[at].slice != slice))
        at = (at + 1) & (places - 1);
    return &cells[at];
}

static void add_up(uint64_t *sum, uint64_t v)
{
    *sum = wick_sum_u64(*sum, v);
}

static void put(struct wick_heat *h, const struct wick_heat_cell *c)
{
    struct wick_heat_cell *at = place_of(h->cells, h->places, c->slice, c->agg);
    if (at->agg == WICK_AGG_NONE) {
        *at = (struct wick_heat_cell){.slice = c->slice, .agg = c->agg};
        h->n++;
    }
    add_up(&at->weight, c->weight);
    add_up(&at->count, c->count);
}

void wick_heat_flush(struct wick_heat *h)
{
    for (unsigned i = 0; h->nahead && i < WICK_HEAT_AHEAD; i++) {
        struct wick_heat_cell *c = &h->ahead[(h->turn + i) % WICK_HEAT_AHEAD];
        if (c->agg == WICK_AGG_NONE)
            continue;
        put(h, c);
        c->agg = WICK_AGG_NONE;
    }
    h->nahead = 0;
}

/* Enters a cell at its turn; there is room for it. */
static void enter(struct wick_heat *h, const struct wick_heat_cell *c)
{
    struct wick_heat_cell *at = &h->ahead[h->turn++ % WICK_HEAT_AHEAD];
    __builtin_prefetch(&h->cells[first_place(h->places, c->slice, c->agg)], 1);
    if (at->agg != WICK_AGG_NONE)
        put(h, at);
    else
        h->nahead++;
    *at = *c;
}

/* Re-enters all cells into a table of `places`, with slices `ratio` times as long. */
static bool rebuild(struct wick_heat *h, size_t places, int64_t ratio)
{
    wick_heat_flush(h);
    struct wick_heat_cell *old = h->cells;
    size_t old_places = h->places;
    struct wick_heat_cell *cells = reallocarray(NULL, places, sizeof *cells);
    if (!cells) {
        h->failed = true;
        return false;
    }
    for (size_t i = 0; i < places; i++)
        cells[i].agg = WICK_AGG_NONE;
    h->cells = cells;
    h->places = places;
    h->n = 0;
    for (size_t i = 0; i < old_places; i++) {
        if (old[i].agg == WICK_AGG_NONE)
            continue;
        old[i].slice = floor_div(old[i].slice, ratio);
        put(h, &old[i]);
    }
    free(old);
    return true;
}

static bool lengthen(struct wick_heat *h)
{
    int64_t ratio = lengths[h->level + 1] / lengths[h->level];
    if (h->cells && !rebuild(h, h->places, ratio))
        return false;
    h->level++;
    h->first = floor_div(h->first, ratio);
    h->last = floor_div(h->last, ratio);
    return true;
}

/* Room for one more cell. */
static bool has_room(struct wick_heat *h)
{
    if (h->n + h->nahead >= h->most_cells || h->n + h->nahead >= h->places / 2)
        wick_heat_flush(h); /* how many cells there are counts from here on */
    while (h->n >= h->most_cells && h->level + 1 < LEVELS)
        if (!lengthen(h))
            return false;
    if (h->n < h->places / 2)
        return true;
    return rebuild(h, h->places ? h->places * 2 : 1024, 1);
}

/* --- samples --- */

/* Notes the time of a thread's sample and returns that of the one before, 0 = there is none. */
static int64_t exchange_last(struct wick_heat *h, const struct wick_sample *s)
{
    if (s->thread >= h->nthreads) {
        uint32_t n = s->thread < 64 ? 128 : s->thread * 2;
        int64_t *bigger = reallocarray(h->thread_last, n, sizeof *bigger);
        if (!bigger) {
            h->failed = true;
            return 0;
        }
        memset(bigger + h->nthreads, 0, (n - h->nthreads) * sizeof *bigger);
        h->thread_last = bigger;
        h->nthreads = n;
    }
    int64_t before = h->thread_last[s->thread];
    h->thread_last[s->thread] = s->time_ns > before ? s->time_ns : before;
    return before;
}

/* When the time began that a sample of a thread's end or youth stands for. A thread uses no more CPU time than passes,
 * so it is at least as long as the weight. */
static int64_t unsampled_since(const struct wick_profile *p, const struct wick_sample *s, int64_t before)
{
    int64_t least = wick_sum_time(s->time_ns, -s->weight), since = before ? before : p->start_ns;
    return since && since < least ? since : least;
}

/* The time that a sample stands for: [start, end), or a moment. */
static void span_of(struct wick_heat *h, const struct wick_profile *p, const struct wick_sample *s, int64_t *start,
                    int64_t *end)
{
    int64_t before = exchange_last(h, s);
    *start = s->time_ns;
    *end = s->duration_ns > 0 ? wick_sum_time(s->time_ns, s->duration_ns) : s->time_ns;
    if (*end == *start && s->weight > 0 && p->events[s->event].unit == WICK_UNIT_NS &&
        wick_frame_is_unsampled(p, p->stacks[s->stack].frame))
        *start = unsampled_since(p, s, before);
    if (p->end_ns > p->start_ns && *start<p->end_ns && * end> p->start_ns) {
        *start = *start < p->start_ns ? p->start_ns : *start;
        *end = *end > p->end_ns ? p->end_ns : *end;
    }
    if (*end < *start)
        *end = *start;
}

/* Widens the range of slices, whose number stays within its limit. */
static bool widen(struct wick_heat *h, int64_t start, int64_t end)
{
    for (;;) {
        int64_t length = wick_heat_slice_ns(h), first = floor_div(start, length), last = floor_div(end, length);
        if (h->n || h->nahead) {
            first = first < h->first ? first : h->first;
            last = last > h->last ? last : h->last;
        }
        if (last - first < h->most_slices || h->level + 1 == LEVELS) {
            h->first = first;
            h->last = last;
            return true;
        }
        if (!lengthen(h))
            return false;
    }
}

static int64_t end_of(const struct wick_heat *h, int64_t slice)
{
    __int128 end = ((__int128)slice + 1) * wick_heat_slice_ns(h);
    return end > INT64_MAX ? INT64_MAX : (int64_t)end;
}

static bool is_full(const struct wick_heat *h)
{
    return h->n >= h->most_cells && h->level + 1 == LEVELS;
}

/* How much of v lies before time t of a span. */
static uint64_t part(uint64_t v, int64_t start, int64_t end, int64_t t)
{
    if (t >= end)
        return v;
    return (uint64_t)((unsigned __int128)v * ((uint64_t)t - (uint64_t)start) / ((uint64_t)end - (uint64_t)start));
}

void wick_heat_add(struct wick_heat *h, const struct wick_profile *p, uint32_t agg, const struct wick_sample *s)
{
    int64_t start, end;
    uint64_t weight = s->weight > 0 ? (uint64_t)s->weight : 0, weight_done = 0, count_done = 0;
    span_of(h, p, s, &start, &end);
    h->time_ns = h->any ? h->time_ns : s->time_ns;
    h->differ |= s->time_ns != h->time_ns;
    h->any = true;
    if (agg == WICK_AGG_NONE || h->failed || !widen(h, start, end > start ? end - 1 : end))
        return;
    for (int64_t at = start; at <= end;) {
        if (!has_room(h))
            return;
        int64_t slice = floor_div(at, wick_heat_slice_ns(h)), next = is_full(h) ? end : end_of(h, slice);
        uint64_t w = part(weight, start, end, next), n = part(s->count, start, end, next);
        const struct wick_heat_cell c = {slice, agg, w - weight_done, n - count_done};
        if (c.weight || c.count)
            enter(h, &c);
        weight_done = w;
        count_done = n;
        if (next >= end)
            return;
        at = next;
    }
}

static int by_time(const void *a, const void *b)
{
    const struct wick_heat_cell *x = a, *y = b;
    if (x->slice != y->slice)
        return x->slice < y->slice ? -1 : 1;
    return x->agg < y->agg ? -1 : x->agg > y->agg;
}

void wick_heat_settle(struct wick_heat *h, const uint32_t *moved)
{
    size_t kept = 0;
    wick_heat_flush(h);
    for (size_t i = 0; i < h->places; i++) {
        struct wick_heat_cell c = h->cells[i];
        if (c.agg == WICK_AGG_NONE || (c.agg = moved[c.agg]) == WICK_AGG_NONE)
            continue;
        h->cells[kept++] = c;
    }
    h->n = kept;
    if (kept)
        qsort(h->cells, kept, sizeof *h->cells, by_time);
}
