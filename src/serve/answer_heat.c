/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_heat.c - a heatmap: weight by time, a column for each second and in it a cell for each 20 ms
 *
 * Columns go from left to right, their cells from bottom to top, so what comes back every second is a horizontal line
 * and what happens once is a spot. Of longer recordings columns and cells are longer; both begin with the second, the
 * minute and the hour as the clock has them. The scales are those of the page of `wick heatmap` (web/heat/slices.js).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/sum.h"
#include "codec/json.h"
#include "serve/answer.h"
#include "serve/picked.h"

#define MS INT64_C(1000000)
#define S  (1000 * MS)

enum { COLUMNS = 300, MOST_COLUMNS = 4096 };

/* What a cell and a column stand for. */
static const struct heat_scale {
    int64_t cell_ns, column_ns;
} scales[] = {{20 * MS, S},         {100 * MS, 5 * S},     {500 * MS, 30 * S},
              {S, 60 * S},          {5 * S, 300 * S},      {60 * S, 3600 * S},
              {300 * S, 21600 * S}, {3600 * S, 86400 * S}, {86400 * S, 30 * 86400 * S}};

enum { SCALES = sizeof scales / sizeof *scales };

struct heat_picture {
    struct wick_growing *g;
    const struct wick_pick *k;
    uint16_t event;
    const struct heat_scale *scale;
    int64_t start_ns, end_ns; /* the columns lie around */
    uint32_t columns, rows;
    bool *chosen;     /* by aggregate */
    uint64_t *values; /* columns one after the other */
};

static int64_t columns_of(const struct heat_picture *h, const struct heat_scale *scale)
{
    return h->end_ns / scale->column_ns - h->start_ns / scale->column_ns + 1;
}

static void take_times(struct heat_picture *h)
{
    const struct wick_profile *p = &h->g->p;
    h->start_ns = h->k->from_ns > p->start_ns ? h->k->from_ns : p->start_ns;
    h->end_ns = h->k->to_ns && h->k->to_ns < p->end_ns ? h->k->to_ns : p->end_ns;
    h->start_ns = h->start_ns > 0 ? h->start_ns : 0; /* times of a file may be anything */
    h->end_ns = h->end_ns > h->start_ns ? h->end_ns - 1 : h->start_ns;
}

/* The scale whose columns are as long as asked for, else the finest with so many columns. The coarsest has room for all
 * the time that 64 bits hold. */
static int take_scale(struct heat_picture *h, const struct wick_ask *a, struct wick_err *err)
{
    int64_t columns, column_ns, slice_ns = wick_heat_slice_ns(&h->g->heat);
    int rc = wick_ask_number(a, "columns", 1, MOST_COLUMNS, COLUMNS, &columns, err);
    rc = rc ? rc : wick_ask_number(a, "column_ns", 0, INT64_MAX, 0, &column_ns, err);
    if (rc)
        return rc;
    h->scale = column_ns ? NULL : &scales[SCALES - 1];
    for (const struct heat_scale *s = &scales[SCALES - 1]; s >= scales; s--)
        if (s->cell_ns >= slice_ns && (column_ns ? s->column_ns == column_ns : columns_of(h, s) <= columns))
            h->scale = s;
    if (!h->scale)
        return wick_err_set(err, WICK_E_USAGE, "column_ns takes one of the lengths of a column that `scales` has");
    if (columns_of(h, h->scale) > MOST_COLUMNS)
        return wick_err_set(err, WICK_E_USAGE,
                            "column_ns: more than %d columns; take a longer one, or a part of the time", MOST_COLUMNS);
    h->columns = (uint32_t)columns_of(h, h->scale);
    h->rows = (uint32_t)(h->scale->column_ns / h->scale->cell_ns);
    h->start_ns -= h->start_ns % h->scale->column_ns;
    return 0;
}

static int choose(struct heat_picture *h, struct wick_err *err)
{
    const struct wick_profile *p = &h->g->p;
    struct wick_chooser c;
    bool own;
    int rc = wick_pick_chooser(h->k, h->g, &c, err);
    uint32_t n = p->naggs;
    h->chosen = calloc((size_t)n + 1, sizeof *h->chosen);
    for (uint32_t i = 0; !rc && h->chosen && i < n; i++)
        h->chosen[i] = p->aggs[i].event == h->event && wick_pick_takes(h->k, &c, i, &own);
    wick_chooser_release(&c);
    return rc ? rc : h->chosen ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
}

static int fill(struct heat_picture *h, struct wick_err *err)
{
    size_t n = (size_t)h->columns * h->rows;
    h->values = calloc(n, sizeof *h->values);
    if (!h->values)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    for (size_t i = 0; i < h->g->heat.places; i++) {
        const struct wick_heat_cell *cell = &h->g->heat.cells[i];
        if (!wick_pick_holds(h->k, h->g, cell) || !h->chosen[cell->agg])
            continue;
        __int128 at = (__int128)cell->slice * wick_heat_slice_ns(&h->g->heat) - h->start_ns;
        __int128 place = at < 0 ? 0 : at / h->scale->cell_ns;
        uint64_t *value = &h->values[place < (__int128)n ? (size_t)place : n - 1];
        *value = wick_sum_u64(*value, cell->weight);
    }
    return 0;
}

static int smaller_first(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The weight that 99 in 100 of the cells with weight do not exceed: the hottest colour stands for it, since one cell
 * far above all others would leave these pale. */
static int hottest(const struct heat_picture *h, uint64_t *p99, uint64_t *most, struct wick_err *err)
{
    size_t n = (size_t)h->columns * h->rows, k = 0;
    uint64_t *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    for (size_t i = 0; i < n; i++)
        if (h->values[i])
            sorted[k++] = h->values[i];
    if (k)
        qsort(sorted, k, sizeof *sorted, smaller_first);
    *p99 = k ? sorted[(k * 99 + 99) / 100 - 1] : 0;
    *most = k ? sorted[k - 1] : 0;
    free(sorted);
    return 0;
}

static void put_number(struct wick_json *j, const char *key, uint64_t v)
{
    wick_json_key(j, key);
    wick_json_uint(j, v);
}

static void put_scales(const struct heat_picture *h, struct wick_json *j)
{
    wick_json_key(j, "scales");
    wick_json_open(j, '[');
    for (const struct heat_scale *s = scales; s < scales + SCALES; s++) {
        bool fits = s->cell_ns >= wick_heat_slice_ns(&h->g->heat) && columns_of(h, s) <= MOST_COLUMNS;
        if (s != h->scale && (!fits || (s > scales && columns_of(h, s - 1) == 1))) /* one column is coarse enough */
            continue;
        wick_json_open(j, '{');
        put_number(j, "column_ns", (uint64_t)s->column_ns);
        put_number(j, "cell_ns", (uint64_t)s->cell_ns);
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
}

static void put_heat(const struct heat_picture *h, uint64_t p99, uint64_t most, FILE *out)
{
    const struct wick_profile *p = &h->g->p;
    const struct wick_sample_type *e = &p->events[h->event];
    struct wick_json j = {.out = out};
    wick_json_open(&j, '{');
    wick_json_key(&j, "event");
    wick_json_str(&j, p->strings[e->name].s, p->strings[e->name].len);
    wick_json_key(&j, "unit");
    wick_json_cstr(&j, wick_answer_unit(e->unit));
    put_number(&j, "start_ns", (uint64_t)h->start_ns);
    put_number(&j, "column_ns", (uint64_t)h->scale->column_ns);
    put_number(&j, "cell_ns", (uint64_t)h->scale->cell_ns);
    put_number(&j, "columns", h->columns);
    put_number(&j, "rows", h->rows);
    put_number(&j, "p99", p99);
    put_number(&j, "max", most);
    put_scales(h, &j);
    wick_json_key(&j, "values");
    wick_json_open(&j, '[');
    for (size_t i = 0; i < (size_t)h->columns * h->rows; i++)
        wick_json_uint(&j, h->values[i]);
    wick_json_close(&j, ']');
    wick_json_close(&j, '}');
}

int wick_answer_heat(struct wick_growing *g, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct wick_pick k;
    struct heat_picture h = {.g = g, .k = &k};
    uint64_t p99 = 0, most = 0;
    int rc = wick_pick_init(&k, a, err);
    rc = rc ? rc : wick_pick_event(&k, g, &h.event, err);
    if (!rc) {
        take_times(&h);
        rc = take_scale(&h, a, err);
    }
    rc = rc ? rc : choose(&h, err);
    rc = rc ? rc : fill(&h, err);
    rc = rc ? rc : hottest(&h, &p99, &most, err);
    if (!rc)
        put_heat(&h, p99, most, out);
    free(h.chosen);
    free(h.values);
    wick_pick_release(&k);
    return rc;
}
