/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_live.c - the answer of `wick ui` about live objects over time
 *
 * What is alive is known at the moments of the recording at which it was listed. Of more moments than the request asks
 * for, the last of each stretch is shown, so that the last of all is among them; a very long recording has a part of
 * its moments only (live_growth.h).
 */
#include <stdlib.h>
#include <string.h>

#include "cli/ui/ui_followed.h"
#include "cli/ui/ui_views.h"
#include "codec/json.h"

enum { SHOWN = 8, MOST_SHOWN = 100000, MOMENTS = 300, MOST_MOMENTS = 5000, MOST_VALUES = 5000000, NONE = -1 };

struct over_time {
    const struct wick_growth *g;
    const struct wick_growth_row **order; /* the fastest first */
    uint32_t shown;                       /* of them have values of their own */
    size_t moments;
    double *values; /* shown + 1 rows of moments: the last is that of all others */
};

static int fastest_first(const void *a, const void *b)
{
    return wick_growth_fastest_first(*(const struct wick_growth_row *const *)a,
                                     *(const struct wick_growth_row *const *)b);
}

/* The place of a moment among those that are shown, NONE if another one stands for it. */
static long place_of(const struct over_time *o, uint32_t moment)
{
    size_t n = o->g->ntimes, at = (size_t)moment * o->moments / n;
    return moment + 1 == n || (size_t)(moment + 1) * o->moments / n != at ? (long)at : NONE;
}

/* False without memory. */
static bool fill(struct over_time *o)
{
    const struct wick_growth *g = o->g;
    uint32_t *line = calloc((size_t)g->nrows + 1, sizeof *line);
    o->order = calloc((size_t)g->nrows + 1, sizeof(void *));
    o->values = calloc(((size_t)o->shown + 1) * o->moments, sizeof *o->values);
    if (!line || !o->order || !o->values) {
        free(line);
        return false;
    }
    for (uint32_t i = 0; i < g->nrows; i++)
        o->order[i] = &g->rows[i];
    if (g->nrows)
        qsort(o->order, g->nrows, sizeof(void *), fastest_first);
    for (uint32_t i = 0; i < g->nrows; i++)
        line[o->order[i] - g->rows] = i < o->shown ? i : o->shown;
    for (uint32_t i = 0; i < g->ncells; i++) {
        long at = place_of(o, g->cells[i].moment);
        if (at != NONE)
            o->values[line[g->cells[i].row] * o->moments + (size_t)at] += g->cells[i].bytes;
    }
    free(line);
    return true;
}

static void put_number(struct wick_json *j, const char *key, double v)
{
    char text[32];
    snprintf(text, sizeof text, "%.0f", v);
    wick_json_key(j, key);
    wick_json_raw(j, text);
}

static void put_values(struct wick_json *j, const struct over_time *o, uint32_t line)
{
    char text[32];
    wick_json_open(j, '[');
    for (size_t i = 0; i < o->moments; i++) {
        snprintf(text, sizeof text, "%.0f", o->values[line * o->moments + i]);
        wick_json_raw(j, text);
    }
    wick_json_close(j, ']');
}

static void write_rows(const struct over_time *o, struct wick_json *j)
{
    wick_json_open(j, '[');
    for (uint32_t i = 0; i < o->shown; i++) {
        const struct wick_growth_row *r = o->order[i];
        const struct wick_string *name = &o->g->p->strings[r->name];
        wick_json_open(j, '{');
        wick_json_key(j, "name");
        wick_json_str(j, name->s, name->len);
        wick_json_key(j, "samples");
        wick_json_uint(j, r->objects);
        put_number(j, "first", r->first);
        put_number(j, "last", r->last);
        put_number(j, "growth_bytes_per_s", r->slope);
        put_number(j, "growth_error_bytes_per_s", r->error);
        wick_json_key(j, "bytes");
        put_values(j, o, i);
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
}

static void write_growth(const struct over_time *o, FILE *out)
{
    struct wick_json json = {.out = out}, *j = &json;
    wick_json_open(j, '{');
    wick_json_key(j, "by");
    wick_json_cstr(j, o->g->by_class ? "object" : "method");
    wick_json_key(j, "moments");
    wick_json_uint(j, o->g->ended);
    wick_json_key(j, "total");
    wick_json_uint(j, o->g->nrows);
    wick_json_key(j, "times_ns");
    wick_json_open(j, '[');
    for (uint32_t i = 0; i < o->g->ntimes; i++)
        if (place_of(o, i) != NONE)
            wick_json_int(j, o->g->times_ns[i]);
    wick_json_close(j, ']');
    wick_json_key(j, "rows");
    write_rows(o, j);
    wick_json_key(j, "others");
    put_values(j, o, o->shown);
    wick_json_close(j, '}');
}

int wick_ui_live(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    const char *by = wick_ask_get(a, "by");
    struct over_time o = {0};
    struct wick_range range;
    int64_t rows, moments;
    if (strcmp(a->segment[5], "series") != 0)
        return wick_err_set(err, WICK_E_NOTFOUND, "there is nothing at this path");
    int rc = wick_ui_range(a, &range, err);
    rc = rc ? rc : wick_ask_number(a, "rows", 1, MOST_SHOWN, SHOWN, &rows, err);
    rc = rc ? rc : wick_ask_number(a, "moments", 2, MOST_MOMENTS, MOMENTS, &moments, err);
    if (!rc && by && *by && strcmp(by, "object") != 0 && strcmp(by, "method") != 0)
        rc = wick_err_set(err, WICK_E_USAGE, "by takes object or method, not '%.40s'", by);
    o.g = rc ? NULL : wick_ui_followed_growth(file, &range, !by || strcmp(by, "method") != 0, err);
    if (!o.g)
        return -err->code;
    rc = wick_growth_check(o.g->ended, !wick_range_is_all(&range), err);
    if (!rc) {
        o.shown = o.g->nrows < rows ? o.g->nrows : (uint32_t)rows;
        o.moments = o.g->ntimes < moments ? o.g->ntimes : (size_t)moments;
        if ((o.shown + 1) * o.moments > MOST_VALUES)
            rc = wick_err_set(err, WICK_E_USAGE, "these are more than %d values: ask for fewer rows or moments",
                              MOST_VALUES);
    }
    if (!rc && !fill(&o))
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (!rc)
        write_growth(&o, out);
    free(o.order);
    free(o.values);
    wick_ui_followed_trim();
    return rc;
}
