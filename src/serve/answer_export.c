/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_export.c - the samples of a recording in a format for other programs, as a file to keep
 *
 * What is chosen is copied, which is quick; writing it may take as long as the format likes, and needs the recording no
 * more. The copy's stacks are then shaped as the page shows them: one frame for those by which threads begin, cut at a
 * method, turned, in groups.
 *
 * What the recording keeps apart and the format does not show, threads, states and lines, is put together first, as if
 * the file had been read for that format: `wick convert` with the same options writes the same stacks.
 *
 * Threads: one at a time per recording to choose, any to write.
 * Memory:  a profile of what is chosen; freed by wick_answer_export_free.
 */
#include "serve/answer.h"

#include <stdlib.h>
#include <string.h>

#include "model/merge.h"
#include "serve/picked.h"

/* In a browser: nothing here is a page of ours. */
static const struct {
    const char *format, *type;
} types[] = {{"html", "text/html; charset=utf-8"},       {"svg", "image/svg+xml"},
             {"collapsed", "text/plain; charset=utf-8"}, {"pprof", "application/octet-stream"},
             {"speedscope", "application/json"},         {"csv", "text/csv; charset=utf-8"},
             {"otlp", "application/octet-stream"}};

const struct wick_format *wick_answer_format(const struct wick_ask *a, const char **type, struct wick_err *err)
{
    const char *name = wick_ask_get(a, "format");
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].format, name)) {
            *type = types[i].type;
            return wick_format_by_name(name);
        }
    wick_err_set(err, WICK_E_USAGE, "format takes html, svg, collapsed, pprof, speedscope, csv or otlp, not '%.40s'",
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
    x->shape.reverse = reverse;
    x->names = rc ? NULL : malloc(n + strlen(by) + 1);
    if (!x->names)
        return rc ? rc : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    memcpy(x->names, method, n);
    strcpy(x->names + n, by);
    x->threads = !strcmp(by, "thread"); /* of one name there may be several */
    if (*by && !x->threads)
        x->shape.by[x->shape.nby++] = x->names + n;
    return *method ? wick_shape_focus(&x->shape, x->names, callers, err) : 0;
}

/* Copies what is chosen, and puts together what the format does not distinguish. */
static int reduce(struct wick_answer_export *x, const struct wick_picked *s, struct wick_err *err)
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
    int rc = wick_profile_merge(p, &s->view);
    p->start_ns = s->view.start_ns;
    p->end_ns = s->view.end_ns;
    x->event = wick_profile_event(p, wick_profile_string(p, name->s, name->len), e->kind, e->unit);
    if (rc || p->failed)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = wick_shape_apply(&x->shape, p, NULL, err);
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
    snprintf(x->title, sizeof x->title, "%s", title);
    int rc = wick_pick_init(&k, a, err);
    rc = rc ? rc : take_shape(x, a, err);
    k.whole_stacks = true;
    rc = rc ? rc : wick_picked_init(&s, &k, g, err);
    if (!rc) {
        rc = reduce(x, &s, err);
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
    const struct wick_export_options o = {.event = x->event, .title = x->title, .threads = x->threads};
    return x->format->write(&x->p, &o, out, err);
}

void wick_answer_export_free(struct wick_answer_export *x)
{
    if (x) {
        wick_profile_release(&x->p);
        wick_shape_release(&x->shape);
        free(x->names);
    }
    free(x);
}
