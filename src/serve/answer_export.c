/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_export.c - the samples of a recording in a format for other programs, as a file to keep
 *
 * What is chosen is copied, which is quick; writing it may take as long as the format likes, and needs the recording no
 * more. The copy's stacks are then shaped as the page shows them: one frame for those by which threads begin, cut at a
 * method, turned, in groups.
 *
 * What the recording keeps apart and the format does not show, threads, states and lines, is put together first, as if
 * the file had been read for that format: `wick convert` with the same options writes the same stacks. For a heatmap
 * the cells of time are copied as well, and follow their aggregates through all of that.
 *
 * Threads: one at a time per recording to choose, any to write.
 * Memory:  a profile of what is chosen, and for a heatmap 32 bytes a cell; freed by wick_answer_export_free.
 */
#include "serve/answer.h"

#include <stdlib.h>
#include <string.h>

#include "model/merge.h"
#include "serve/picked.h"

/* In a browser: nothing here is a page of ours. */
static const struct {
    const char *format, *type;
} types[] = {{"html", "text/html; charset=utf-8"},    {"svg", "image/svg+xml"},
             {"heatmap", "text/html; charset=utf-8"}, {"collapsed", "text/plain; charset=utf-8"},
             {"pprof", "application/octet-stream"},   {"speedscope", "application/json"},
             {"csv", "text/csv; charset=utf-8"},      {"otlp", "application/octet-stream"}};

const struct wick_format *wick_answer_format(const struct wick_ask *a, const char **type, struct wick_err *err)
{
    const char *name = wick_ask_get(a, "format");
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].format, name)) {
            *type = types[i].type;
            return wick_format_by_name(name);
        }
    wick_err_set(err, WICK_E_USAGE,
                 "format takes html, svg, heatmap, collapsed, pprof, speedscope, csv or otlp, not '%.40s'",
                 name ? name : "");
    return NULL;
}

struct wick_answer_export {
    const struct wick_format *format;
    struct wick_profile p;
    uint16_t event;
    char title[256];
    struct wick_shape shape; /* of the stacks */
    bool threads;            /* as root frames */
    bool leaf_up;            /* a picture that is drawn so */
    struct wick_heat heat;   /* of formats that are sliced, its aggregates are those of p before it was shaped */
    uint32_t *moved;         /* what these have become then; NULL = the format needs no heat */
    char *names;             /* that it borrows: the method and the key of groups, with their NULs */
};

/* How the stacks are shown. -WICK_E_USAGE, _NOMEM with a message. */
static int take_shape(struct wick_answer_export *x, const struct wick_ask *a, struct wick_err *err)
{
    bool callers, reverse = false;
    const char *method = wick_answer_focus(a, &callers), *by = wick_ask_get(a, "by");
    int rc = wick_ask_flag(a, "fold", &x->shape.fold_starts, err);
    rc = rc ? rc : wick_ask_flag(a, "reverse", &reverse, err);
    method = method ? method : "";
    by = by ? by : "";
    size_t n = strlen(method) + 1;
    x->leaf_up = reverse && (!strcmp(x->format->name, "html") || !strcmp(x->format->name, "svg"));
    x->shape.reverse = reverse && !x->leaf_up;
    x->names = rc ? NULL : malloc(n + strlen(by) + 1);
    if (!x->names)
        return rc ? rc : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    memcpy(x->names, method, n);
    strcpy(x->names + n, by);
    x->threads = !strcmp(by, "thread") && !x->format->sliced; /* of one name there may be several */
    if (*by && !x->threads)
        x->shape.by[x->shape.nby++] = x->names + n;
    return *method ? wick_shape_focus(&x->shape, x->names, callers, err) : 0;
}

/* Copies the cells of what is chosen. merged: by number in the view, that in the copy. */
static int take_cells(struct wick_answer_export *x, const struct wick_pick *k, const struct wick_growing *g,
                      const struct wick_picked *s, const uint32_t *merged, struct wick_err *err)
{
    const struct wick_heat *from = &g->heat;
    struct wick_heat *to = &x->heat;
    int64_t slice_ns = wick_heat_slice_ns(from);
    to->level = from->level;
    to->time_ns = from->time_ns;
    to->any = from->any;
    to->differ = from->differ;
    to->failed = from->failed;
    to->first = k->from_ns / slice_ns > from->first ? k->from_ns / slice_ns : from->first;
    to->last = k->to_ns && (k->to_ns - 1) / slice_ns < from->last ? (k->to_ns - 1) / slice_ns : from->last;
    to->cells = malloc((from->n + 1) * sizeof *to->cells);
    if (!to->cells)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    for (size_t i = 0; i < from->places; i++) {
        struct wick_heat_cell c = from->cells[i];
        if (!wick_pick_holds(k, g, &c) || s->place[c.agg] == WICK_AGG_NONE)
            continue;
        c.agg = merged[s->place[c.agg]];
        to->cells[to->places++] = c;
    }
    to->n = to->places;
    return 0;
}

/* Adds what is chosen to the copy, with its cells if the format shows them. */
static int copy(struct wick_answer_export *x, const struct wick_pick *k, const struct wick_growing *g,
                const struct wick_picked *s, struct wick_err *err)
{
    uint32_t *merged = NULL;
    if (x->format->sliced) {
        merged = calloc((size_t)s->view.naggs + 1, sizeof *merged);
        x->moved = calloc((size_t)s->view.naggs + 1, sizeof *x->moved); /* the copy has no more aggregates */
        if (!merged || !x->moved) {
            free(merged);
            return wick_err_set(err, WICK_E_NOMEM, "out of memory");
        }
    }
    int rc = wick_profile_merge_moved(&x->p, &s->view, merged);
    rc = rc ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : merged ? take_cells(x, k, g, s, merged, err) : 0;
    free(merged);
    return rc;
}

/* Copies what is chosen, and puts together what the format does not distinguish. */
static int reduce(struct wick_answer_export *x, const struct wick_pick *k, const struct wick_growing *g,
                  const struct wick_picked *s, struct wick_err *err)
{
    struct wick_profile *p = &x->p;
    const struct wick_sample_type *e = &s->view.events[s->event];
    const struct wick_string *name = &s->view.strings[e->name];
    p->by_state = x->format->detailed;
    p->by_thread = x->format->detailed || x->threads;
    p->by_labels = x->format->labelled;
    p->objects = true;
    p->keep = wick_format_keep(x->format, 0) & s->view.keep;
    wick_shape_prepare(&x->shape, p);
    int rc = copy(x, k, g, s, err);
    if (rc)
        return rc;
    p->start_ns = s->view.start_ns;
    p->end_ns = s->view.end_ns;
    x->event = wick_profile_event(p, wick_profile_string(p, name->s, name->len), e->kind, e->unit);
    if (p->failed)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = wick_shape_apply(&x->shape, p, x->moved, err);
    if (!rc && !p->naggs)
        rc = wick_err_set(err, WICK_E_NOTFOUND, "none of the samples fits the conditions");
    return rc;
}

int wick_answer_export_choose(struct wick_answer_export **out, struct wick_growing *g, const struct wick_ask *a,
                              const struct wick_format *f, const char *title, struct wick_err *err)
{
    struct wick_pick k;
    struct wick_picked s;
    struct wick_answer_export *x = calloc(1, sizeof *x);
    *out = NULL;
    if (!x || wick_profile_init(&x->p)) {
        free(x);
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    x->format = f;
    wick_heat_init(&x->heat);
    snprintf(x->title, sizeof x->title, "%s", title);
    int rc = wick_pick_init(&k, a, err);
    rc = rc ? rc : take_shape(x, a, err);
    k.whole_stacks = true;
    k.places = f->sliced;
    rc = rc ? rc : wick_picked_init(&s, &k, g, err);
    if (!rc) {
        rc = reduce(x, &k, g, &s, err);
        wick_picked_release(&s);
    }
    wick_pick_release(&k);
    if (rc)
        wick_answer_export_free(x);
    else
        *out = x;
    return rc;
}

int wick_answer_export_write(struct wick_answer_export *x, FILE *out, struct wick_err *err)
{
    const struct wick_export_options o = {.event = x->event,
                                          .title = x->title,
                                          .threads = x->threads,
                                          .leaf_up = x->leaf_up,
                                          .heat = x->moved ? &x->heat : NULL};
    if (x->moved)
        wick_heat_settle(&x->heat, x->moved);
    return x->format->write(&x->p, &o, out, err);
}

void wick_answer_export_free(struct wick_answer_export *x)
{
    if (x) {
        wick_profile_release(&x->p);
        wick_shape_release(&x->shape);
        wick_heat_release(&x->heat);
        free(x->moved);
        free(x->names);
    }
    free(x);
}
