/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_series.c - weight over time
 *
 * The heat's cells say when which aggregate had how much weight. Each aggregate belongs to one line of the picture, by
 * the value that the request names; a line is known by the number of its text in the profile. Only the heaviest lines
 * are kept apart.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "codec/json.h"
#include "model/agg_value.h"
#include "serve/answer.h"
#include "serve/picked.h"

#define REST UINT32_MAX

struct line {
    uint32_t name; /* a string of the profile */
    uint8_t unit;
    uint64_t total;
    uint32_t place; /* among those shown; REST = it is put together with others */
};

struct series {
    struct wick_growing *g;
    const struct wick_pick *k;
    const char *by;
    uint16_t event;    /* 0 = all */
    uint32_t *line_of; /* by aggregate: its line + 1; 0 = not chosen */
    struct line *lines;
    uint32_t n, cap, shown;
    uint32_t *by_name; /* by string: line + 1 */
    uint32_t named;    /* strings that have room there */
    int64_t start_ns, bin_ns;
    uint32_t bins;
    uint64_t *values; /* shown + 1 rows of bins: the last are those of the rest */
};

/* --- lines --- */

static bool grow_names(struct series *s)
{
    uint32_t n = s->g->p.nstrings;
    if (n <= s->named)
        return true;
    uint32_t cap = n + n / 4 + 64, *bigger = reallocarray(s->by_name, cap, sizeof *bigger);
    if (!bigger)
        return false;
    memset(bigger + s->named, 0, (cap - s->named) * sizeof *bigger);
    s->by_name = bigger;
    s->named = cap;
    return true;
}

/* The text that an aggregate is counted under. */
static uint32_t name_of(struct series *s, const struct wick_agg *a, struct wick_strbuf *text)
{
    struct wick_profile *p = &s->g->p;
    if (!strcmp(s->by, "event"))
        return p->events[a->event].name;
    struct wick_agg leaf = *a;
    if (leaf.stack && p->frames[p->stacks[leaf.stack].frame].kind == WICK_FRAME_OBJECT)
        leaf.stack = p->stacks[leaf.stack].parent;
    wick_strbuf_clear(text);
    if (!wick_agg_value(text, p, &leaf, s->by))
        wick_strbuf_adds(text, "[none]");
    return wick_profile_string(p, text->buf, text->len);
}

static bool assign(struct series *s, uint32_t agg, struct wick_strbuf *text)
{
    const struct wick_agg a = s->g->p.aggs[agg];
    uint32_t name = name_of(s, &a, text);
    if (!grow_names(s))
        return false;
    if (!s->by_name[name]) {
        if (s->n == s->cap) {
            uint32_t cap = s->cap ? 2 * s->cap : 32;
            struct line *bigger = reallocarray(s->lines, cap, sizeof *bigger);
            if (!bigger)
                return false;
            s->lines = bigger;
            s->cap = cap;
        }
        s->lines[s->n++] = (struct line){.name = name, .unit = s->g->p.events[a.event].unit, .place = REST};
        s->by_name[name] = s->n;
    }
    s->line_of[agg] = s->by_name[name];
    return true;
}

static int assign_all(struct series *s, struct wick_err *err)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    struct wick_chooser c;
    uint32_t n = s->g->p.naggs;
    int rc = wick_pick_chooser(s->k, s->g, &c, err);
    s->line_of = calloc((size_t)n + 1, sizeof *s->line_of);
    bool good = s->line_of != NULL, own;
    for (uint32_t i = 0; !rc && good && i < n; i++)
        if ((!s->event || s->g->p.aggs[i].event == s->event) && wick_pick_takes(s->k, &c, i, &own))
            good = assign(s, i, &text);
    wick_chooser_release(&c);
    good &= !text.failed;
    wick_strbuf_release(&text);
    return rc ? rc : good ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
}

/* Which lines are kept apart: the heaviest. */
static void place_lines(struct series *s, uint32_t top)
{
    for (size_t i = 0; i < s->g->heat.places; i++) {
        const struct wick_heat_cell *cell = &s->g->heat.cells[i];
        if (wick_pick_holds(s->k, s->g, cell) && s->line_of[cell->agg]) {
            uint64_t *total = &s->lines[s->line_of[cell->agg] - 1].total;
            *total = wick_sum_u64(*total, cell->weight);
        }
    }
    for (s->shown = 0; s->shown < top; s->shown++) {
        struct line *best = NULL;
        for (uint32_t i = 0; i < s->n; i++)
            if (s->lines[i].place == REST && s->lines[i].total && (!best || s->lines[i].total > best->total))
                best = &s->lines[i];
        if (!best)
            break;
        best->place = s->shown;
    }
}

/* --- bins --- */

/* Equal parts of the time that is asked for, none shorter than a slice, from the start of a slice on. */
static void divide(struct series *s, uint32_t bins)
{
    int64_t slice = wick_heat_slice_ns(&s->g->heat);
    int64_t start = s->k->from_ns > s->g->p.start_ns ? s->k->from_ns : s->g->p.start_ns;
    int64_t end = s->k->to_ns && s->k->to_ns < s->g->p.end_ns ? s->k->to_ns : s->g->p.end_ns;
    s->start_ns = start - start % slice;
    int64_t length = end > s->start_ns ? end - s->start_ns : slice;
    const int64_t most = INT64_MAX - (int64_t)bins * slice; /* times of a file may be anything */
    length = length < most ? length : most;
    int64_t slices = length / slice + (length % slice != 0);
    s->bin_ns = (slices + bins - 1) / bins * slice;
    s->bins = (uint32_t)(length / s->bin_ns + (length % s->bin_ns != 0));
}

static int fill(struct series *s, struct wick_err *err)
{
    s->values = calloc((size_t)(s->shown + 1) * s->bins, sizeof *s->values);
    if (!s->values)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    for (size_t i = 0; i < s->g->heat.places; i++) {
        const struct wick_heat_cell *cell = &s->g->heat.cells[i];
        if (!wick_pick_holds(s->k, s->g, cell) || !s->line_of[cell->agg])
            continue;
        __int128 at = (__int128)cell->slice * wick_heat_slice_ns(&s->g->heat) - s->start_ns;
        int64_t bin = at < 0 ? 0 : (int64_t)(at / s->bin_ns);
        uint32_t place = s->lines[s->line_of[cell->agg] - 1].place;
        bin = bin < s->bins ? bin : s->bins - 1;
        uint64_t *value = &s->values[(size_t)(place == REST ? s->shown : place) * s->bins + (size_t)bin];
        *value = wick_sum_u64(*value, cell->weight);
    }
    return 0;
}

static void put_line(const struct series *s, struct wick_json *j, const struct wick_string *name, unsigned unit,
                     uint32_t place)
{
    const uint64_t *values = s->values + (size_t)place * s->bins;
    uint64_t total = 0;
    for (uint32_t i = 0; i < s->bins; i++)
        total = wick_sum_u64(total, values[i]);
    if (!total)
        return;
    wick_json_open(j, '{');
    wick_json_key(j, "name");
    wick_json_str(j, name->s, name->len);
    wick_json_key(j, "unit");
    wick_json_cstr(j, wick_answer_unit(unit));
    wick_json_key(j, "total");
    wick_json_uint(j, total);
    wick_json_key(j, "values");
    wick_json_open(j, '[');
    for (uint32_t i = 0; i < s->bins; i++)
        wick_json_uint(j, values[i]);
    wick_json_close(j, ']');
    wick_json_close(j, '}');
}

static void write_series(const struct series *s, FILE *out)
{
    static const struct wick_string rest = {"other", 5};
    const struct wick_profile *p = &s->g->p;
    const struct wick_sample_type *e = &p->events[s->event];
    struct wick_json j = {.out = out};
    wick_json_open(&j, '{');
    wick_json_key(&j, "event");
    if (s->event)
        wick_json_str(&j, p->strings[e->name].s, p->strings[e->name].len);
    else
        wick_json_raw(&j, "null");
    wick_json_key(&j, "unit");
    if (s->event)
        wick_json_cstr(&j, wick_answer_unit(e->unit));
    else
        wick_json_raw(&j, "null");
    wick_json_key(&j, "start_ns");
    wick_json_int(&j, s->start_ns);
    wick_json_key(&j, "bin_ns");
    wick_json_int(&j, s->bin_ns);
    wick_json_key(&j, "bins");
    wick_json_uint(&j, s->bins);
    wick_json_key(&j, "by");
    wick_json_cstr(&j, s->by);
    wick_json_key(&j, "series");
    wick_json_open(&j, '[');
    for (uint32_t place = 0; place < s->shown; place++)
        for (uint32_t i = 0; i < s->n; i++)
            if (s->lines[i].place == place)
                put_line(s, &j, &p->strings[s->lines[i].name], s->lines[i].unit, place);
    put_line(s, &j, &rest, e->unit, s->shown);
    wick_json_close(&j, ']');
    wick_json_close(&j, '}');
}

int wick_answer_series(struct wick_growing *g, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    enum { BINS = 200, MOST_BINS = 4096, TOP = 12, MOST_TOP = 64 };
    struct wick_pick k;
    struct series s = {.g = g, .k = &k, .by = wick_ask_get(a, "by")};
    int64_t bins, top;
    int rc = wick_pick_init(&k, a, err);
    rc = rc ? rc : wick_ask_number(a, "bins", 1, MOST_BINS, BINS, &bins, err);
    rc = rc ? rc : wick_ask_number(a, "top", 1, MOST_TOP, TOP, &top, err);
    if (!s.by || !*s.by)
        s.by = "kind";
    bool all = !strcmp(s.by, "event");
    if (!rc && (!all || k.event))
        rc = wick_pick_event(&k, g, &s.event, err);
    rc = rc ? rc : assign_all(&s, err);
    if (!rc) {
        /* Events have units of their own: none are put together. */
        place_lines(&s, all ? UINT32_MAX - 1 : (uint32_t)top);
        divide(&s, (uint32_t)bins);
        rc = fill(&s, err);
    }
    if (!rc)
        write_series(&s, out);
    free(s.line_of);
    free(s.lines);
    free(s.by_name);
    free(s.values);
    wick_pick_release(&k);
    return rc;
}
