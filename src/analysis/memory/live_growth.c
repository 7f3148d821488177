/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_growth.c - see live_growth.h
 *
 * The moments come one after another, each with all its objects, so the sums of one are complete when wick.LiveHeap or
 * an object of the next one comes. A row that is not there yet was 0 at all moments before: sums of y, t y and y^2 do
 * not know the difference, and those of t are common to all rows.
 */
#include "analysis/memory/live_growth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "model/interval.h"
#include "model/name.h"

static void *room(void *rows, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return rows;
    uint32_t wanted = *cap ? *cap * 2 : 256;
    void *p = wanted > *cap ? reallocarray(rows, wanted, size) : NULL;
    if (p)
        *cap = wanted;
    return p;
}

static struct wick_growth_row *row_of(struct wick_growth *g, uint32_t name)
{
    uint64_t h = wick_hash_2(name, 0);
    uint32_t at = wick_index_start(&g->by_name, h), id;
    while (wick_index_next(&g->by_name, h, &at, &id))
        if (g->rows[id].name == name)
            return &g->rows[id];
    void *rows = room(g->rows, g->nrows, &g->cap_rows, sizeof *g->rows);
    g->failed |= !rows;
    if (!rows)
        return NULL;
    g->rows = rows;
    g->failed |= wick_index_add(&g->by_name, h, g->nrows) != 0;
    g->rows[g->nrows] = (struct wick_growth_row){.name = name};
    return &g->rows[g->nrows++];
}

static struct wick_growth_object *object_of(struct wick_growth *g, uint32_t row, int64_t allocated_us, int64_t size)
{
    uint64_t h = wick_hash_2((uint64_t)allocated_us, wick_hash_2((uint64_t)size, row));
    uint32_t at = wick_index_start(&g->by_object, h), id;
    while (wick_index_next(&g->by_object, h, &at, &id)) {
        struct wick_growth_object *o = &g->objects[id];
        if (o->row == row && o->allocated_us == allocated_us && o->size == size)
            return o;
    }
    void *objects = room(g->objects, g->nobjects, &g->cap_objects, sizeof *g->objects);
    g->failed |= !objects;
    if (!objects)
        return NULL;
    g->objects = objects;
    g->failed |= wick_index_add(&g->by_object, h, g->nobjects) != 0;
    g->rows[row].objects++;
    g->objects[g->nobjects] = (struct wick_growth_object){.allocated_us = allocated_us, .size = size, .row = row};
    return &g->objects[g->nobjects++];
}

static double seconds_of(const struct wick_growth *g)
{
    return (double)(g->now_ns - g->first_ns) / 1e9;
}

static void keep_cell(struct wick_growth *g, uint32_t row, double bytes)
{
    void *cells = bytes > 0 ? room(g->cells, g->ncells, &g->cap_cells, sizeof *g->cells) : NULL;
    g->failed |= bytes > 0 && !cells;
    if (!cells)
        return;
    g->cells = cells;
    g->cells[g->ncells++] = (struct wick_growth_cell){g->ntimes, row, bytes};
}

/* Leaves every second of the moments that are kept, and the last one. */
static void thin_moments(struct wick_growth *g)
{
    uint32_t last = g->ntimes - 1, n = 0;
    for (uint32_t i = 0; i < g->ncells; i++) {
        struct wick_growth_cell c = g->cells[i];
        if (c.moment % 2 && c.moment != last)
            continue;
        c.moment = (c.moment + 1) / 2;
        g->cells[n++] = c;
    }
    g->ncells = n;
    for (uint32_t i = 0; i < last; i += 2)
        g->times_ns[i / 2] = g->times_ns[i];
    g->times_ns[(last + 1) / 2] = g->times_ns[last];
    g->ntimes = (last + 1) / 2 + 1;
    g->stride *= 2;
}

/* Of many moments the first is kept, every stride-th behind it, and the last one until there is another. */
static void keep_moment(struct wick_growth *g)
{
    g->stride = g->stride ? g->stride : 1;
    if (g->ntimes && (g->ended - 1) % g->stride) {
        g->ntimes--;
        while (g->ncells && g->cells[g->ncells - 1].moment == g->ntimes)
            g->ncells--;
    }
    void *times = room(g->times_ns, g->ntimes, &g->cap_times, sizeof *g->times_ns);
    g->failed |= !times;
    if (!times)
        return;
    g->times_ns = times;
    for (uint32_t i = 0; i < g->nrows; i++)
        keep_cell(g, i, g->rows[i].now);
    g->times_ns[g->ntimes++] = g->now_ns;
    while (!g->failed && g->ntimes > 2 && (g->ncells > g->most_cells || g->ntimes > g->most_cells))
        thin_moments(g);
}

void wick_growth_end(struct wick_growth *g)
{
    if (!g->moments || g->complete)
        return;
    g->complete = true;
    if (g->most_cells)
        keep_moment(g);
    g->ended++;
    double t = seconds_of(g);
    wick_trend_add(&g->times, t, 0);
    for (uint32_t i = 0; i < g->nrows; i++) {
        struct wick_growth_row *r = &g->rows[i];
        if (g->moments == 1)
            r->first = r->now;
        r->last = r->now;
        r->y += r->now;
        r->ty += t * r->now;
        r->yy += r->now * r->now;
        r->now = 0;
    }
}

/* What the object belongs to: a string, 0 = not known. */
static uint32_t name_of(struct wick_growth *g, const struct wick_jfr_event *e)
{
    struct wick_profile *p = g->p;
    struct wick_strbuf name = WICK_STRBUF_INIT;
    uint32_t id = 0, stack = g->by_class ? 0 : wick_jfr_event_stack(e, "stackTrace");
    if (g->by_class && wick_jfr_event_text(e, "objectClass", &id)) {
        wick_name_add_class(&name, p->strings[id].s, p->strings[id].len, g->names);
    } else {
        uint32_t java = stack;
        while (java && !wick_frame_kind_is_java(p->frames[p->stacks[java].frame].kind))
            java = p->stacks[java].parent;
        java = java ? java : stack;
        bool is_java = wick_frame_kind_is_java(p->frames[p->stacks[java].frame].kind);
        wick_name_add_function(&name, p, p->frames[p->stacks[java].frame].function, is_java, g->names);
    }
    id = name.failed ? 0 : wick_profile_string(p, name.buf, name.len);
    g->failed |= name.failed;
    wick_strbuf_release(&name);
    return id;
}

static int64_t number(const struct wick_jfr_event *e, const char *field)
{
    int64_t v = 0;
    return wick_jfr_event_int(e, field, &v) && v > 0 ? v : 0;
}

void wick_growth_take(struct wick_growth *g, const struct wick_jfr_event *e)
{
    const struct wick_filter filter = {.from_ns = g->from_ns, .to_ns = g->to_ns};
    bool later = !g->moments || e->time_ns > g->now_ns, heap = !strcmp(e->type, "wick.LiveHeap");
    if (heap && !later && e->time_ns == g->now_ns)
        wick_growth_end(g);
    if (heap && (!later || number(e, "objects")))
        return;
    if (!wick_filter_time(&filter, e->time_ns) || (!later && (g->complete || e->time_ns < g->now_ns)))
        return;
    if (later) {
        wick_growth_end(g);
        g->first_ns = g->moments ? g->first_ns : e->time_ns;
        g->now_ns = e->time_ns;
        g->moments++;
        g->complete = false;
    }
    if (heap) { /* nothing was alive */
        wick_growth_end(g);
        return;
    }
    int64_t weighed = number(e, "weight"), said = number(e, "allocationSize");
    int64_t size = weighed && weighed < said ? weighed : said; /* with --compat they have changed places */
    double weight = (double)(weighed && weighed < said ? said : weighed);
    struct wick_growth_row *r = number(e, "age") >= g->survived ? row_of(g, name_of(g, e)) : NULL;
    struct wick_growth_object *o =
        r ? object_of(g, (uint32_t)(r - g->rows), number(e, "allocationTime") / 1000, size) : NULL;
    if (!o)
        return;
    r->now += weight;
    o->weight += weight;
    o->weight_time += weight * seconds_of(g);
    o->weight_most = weight > o->weight_most ? weight : o->weight_most;
}

bool wick_growth_wants(const char *type)
{
    return !strcmp(type, "wick.LiveObject") || !strcmp(type, "profiler.LiveObject") || !strcmp(type, "wick.LiveHeap");
}

static void take(void *ctx, const struct wick_jfr_event *e)
{
    wick_growth_take(ctx, e);
}

static bool want(void *ctx, const char *type)
{
    (void)ctx;
    return wick_growth_wants(type);
}

static void no_sample(void *ctx, const struct wick_sample *s)
{
    (void)ctx;
    (void)s;
}

int wick_growth_fastest_first(const void *a, const void *b)
{
    const struct wick_growth_row *x = a, *y = b;
    if (x->slope != y->slope)
        return x->slope > y->slope ? -1 : 1;
    return x->last != y->last ? (x->last > y->last ? -1 : 1) : 0;
}

void wick_growth_tie(struct wick_growth *g)
{
    const struct wick_trend *t = &g->times;
    double mean = t->t / t->n, sxx = t->tt - t->t * mean;
    for (uint32_t i = 0; i < g->nrows; i++)
        g->rows[i].variance = 0;
    for (uint32_t i = 0; i < g->nobjects && sxx > 0; i++) {
        const struct wick_growth_object *o = &g->objects[i];
        double share = (o->weight_time - mean * o->weight) / sxx;
        if (o->weight_most > (double)o->size)
            g->rows[o->row].variance += share * share * (1 - (double)o->size / o->weight_most);
    }
    for (uint32_t i = 0; i < g->nrows && sxx > 0; i++) {
        struct wick_growth_row *r = &g->rows[i];
        const struct wick_trend line = {t->n, t->t, r->y, t->tt, r->ty, r->yy};
        double error = 0;
        if (!wick_trend_slope(&line, &r->slope, &error)) /* two moments */
            r->slope = (r->ty - mean * r->y) / sxx;
        r->error = wick_interval_half(error * error > r->variance ? error * error : r->variance);
    }
}

int wick_growth_check(uint32_t moments, bool chosen, struct wick_err *err)
{
    if (moments >= 2)
        return 0;
    if (chosen)
        return wick_err_set(err, WICK_E_NOTFOUND,
                            "growth needs the live objects of two moments, and the chosen time has those of %u: choose "
                            "a longer one",
                            moments);
    return wick_err_set(err, WICK_E_NOTFOUND,
                        "the recording lists the live objects of %u moments, and growth needs two: record with -e live "
                        "for 20 s or more",
                        moments);
}

int wick_growth_read(struct wick_growth *g, struct wick_profile *p, const char *path, wick_analysis_reader *read,
                     struct wick_err *err)
{
    const struct wick_jfr_visitor v = {.ctx = g, .sample = no_sample, .want = want, .event = take};
    g->p = p;
    int rc = read(p, path, &v, err);
    if (rc)
        return rc;
    wick_growth_end(g);
    if (g->failed || p->failed)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = wick_growth_check(g->moments, false, err);
    if (rc)
        return rc;
    wick_growth_tie(g);
    if (g->nrows)
        qsort(g->rows, g->nrows, sizeof *g->rows, wick_growth_fastest_first);
    return 0;
}

uint64_t wick_growth_bytes(const struct wick_growth *g)
{
    enum { IN_INDEX = 16 };
    return g->cap_rows * (sizeof *g->rows + IN_INDEX) + g->cap_objects * (sizeof *g->objects + IN_INDEX) +
           g->cap_cells * sizeof *g->cells + g->cap_times * sizeof *g->times_ns;
}

void wick_growth_release(struct wick_growth *g)
{
    free(g->rows);
    free(g->objects);
    free(g->cells);
    free(g->times_ns);
    wick_index_release(&g->by_name);
    wick_index_release(&g->by_object);
    *g = (struct wick_growth){0};
}
