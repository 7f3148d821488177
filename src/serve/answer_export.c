/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_export.c - the samples that are chosen, in a format for other programs
 *
 * What the recording keeps apart and the format does not show, threads, states and lines, is put together first, as if
 * the file had been read for that format: `wick convert` with the same options writes the same stacks.
 */
#include "serve/answer_export.h"

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

/* Writes what is chosen, after putting together what the format does not distinguish. */
static int write_reduced(const struct wick_format *f, const struct wick_picked *s, const char *title, FILE *out,
                         struct wick_err *err)
{
    struct wick_profile p;
    const struct wick_sample_type *e = &s->view.events[s->event];
    const struct wick_string *name = &s->view.strings[e->name];
    if (wick_profile_init(&p))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    p.by_thread = p.by_state = f->detailed;
    p.objects = true;
    p.keep = wick_format_keep(f, 0) & s->view.keep;
    int rc = wick_profile_merge(&p, &s->view);
    p.start_ns = s->view.start_ns;
    p.end_ns = s->view.end_ns;
    const struct wick_export_options o = {
        .event = wick_profile_event(&p, wick_profile_string(&p, name->s, name->len), e->kind, e->unit), .title = title};
    if (rc || p.failed)
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = rc ? rc : f->write(&p, &o, out, err);
    wick_profile_release(&p);
    return rc;
}

int wick_answer_export(struct wick_growing *g, const struct wick_ask *a, const struct wick_format *f, const char *title,
                       FILE *out, struct wick_err *err)
{
    struct wick_pick k;
    struct wick_picked s;
    int rc = wick_pick_init(&k, a, err);
    k.whole_stacks = true;
    rc = rc ? rc : wick_picked_init(&s, &k, g, err);
    if (!rc) {
        rc = write_reduced(f, &s, title, out, err);
        wick_picked_release(&s);
    }
    wick_pick_release(&k);
    return rc;
}
