/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input/convert.h"

#include <stdlib.h>
#include <string.h>

#include "cli/input/inputs.h"
#include "cli/save.h"
#include "export/format.h"
#include "jfr/reader/reader.h"

struct collector {
    struct wick_profile *p;
    struct wick_convert_times *t;
};

static void take_sample(void *ctx, const struct wick_sample *s)
{
    struct collector *c = ctx;
    wick_profile_add(c->p, s);
    wick_timeline_add(&c->t->timeline, s);
}

static void take_slice(void *ctx, const struct wick_sample *s)
{
    struct collector *c = ctx;
    wick_heat_add(&c->t->heat, c->p, wick_profile_add(c->p, s), s);
}

/* The shape is applied to aggregates, and the cells follow. */
static int settle(struct wick_view *view, struct wick_profile *p, const struct wick_filter *filter, struct wick_heat *h,
                  struct wick_err *err)
{
    view->moved = calloc((size_t)p->naggs + 1, sizeof *view->moved);
    if (!view->moved)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    int rc = wick_view_end(view, p, filter, err);
    if (!rc)
        wick_heat_settle(h, view->moved);
    free(view->moved);
    view->moved = NULL;
    return rc;
}

static int read_slices(struct collector *c, const struct wick_view *view, struct wick_export_options *o,
                       char *const *paths, int n, struct wick_err *err)
{
    struct wick_jfr_visitor v = {.ctx = c, .sample = take_slice};
    struct wick_view with = *view; /* borrows all there is in it */
    if (o->threads && with.shape.nby < WICK_SHAPE_GROUPS)
        with.shape.by[with.shape.nby++] = "thread";
    wick_heat_init(&c->t->heat);
    o->heat = &c->t->heat;
    int rc = wick_view_begin(&with, c->p, paths, n, &v.filter, err);
    rc = rc ? rc : wick_cli_read_each(c->p, paths, n, &v, err);
    return rc ? rc : settle(&with, c->p, &v.filter, &c->t->heat, err);
}

int wick_convert_read(struct wick_profile *p, const struct wick_format *format, const struct wick_view *view,
                      struct wick_export_options *o, struct wick_convert_times *t, char *const *paths, int n,
                      struct wick_err *err)
{
    static const struct wick_view everything;
    struct collector c = {p, t};
    struct wick_jfr_visitor v = {.ctx = &c, .sample = take_sample};
    view = view ? view : &everything;
    p->by_thread = o->threads || format->detailed;
    p->by_state = format->detailed;
    p->by_labels = format->labelled;
    p->objects = p->by_size = true;
    if (format->sliced)
        return read_slices(&c, view, o, paths, n, err);
    if (!format->timed)
        return wick_view_read(view, p, paths, n, err);
    if (!wick_shape_is_plain(&view->shape))
        return wick_err_set(
            err, WICK_E_UNSUPPORTED,
            "%s shows every sample at its time; of the options that choose samples, only --event, --from "
            "and --to go with it",
            format->name);
    o->timeline = &t->timeline;
    int rc = wick_view_begin(view, p, paths, n, &v.filter, err);
    rc = rc ? rc : wick_cli_read_each(p, paths, n, &v, err);
    return rc ? rc : wick_view_end(view, p, &v.filter, err);
}

void wick_convert_times_release(struct wick_convert_times *t)
{
    wick_timeline_release(&t->timeline);
    wick_heat_release(&t->heat);
}

int wick_convert_write(const struct wick_profile *p, const struct wick_format *format,
                       const struct wick_export_options *o, const char *path, bool own, struct wick_err *err)
{
    FILE *out = wick_save_open(path, own, err);
    if (!out)
        return -err->code;
    int rc = format->write(p, o, out, err);
    return wick_save_close(out, path, rc, err);
}

int wick_convert_jfr(const char *in, const char *out, const struct wick_convert_opts *o, struct wick_err *err)
{
    const struct wick_format *format = wick_format_by_name(o->format);
    struct wick_export_options e = {.threads = o->threads, .title = o->title};
    struct wick_convert_times times = {0};
    static const struct wick_view picture = {.shape.no_own = true};
    struct wick_profile p;
    char *const inputs[] = {(char *)in};
    if (!format)
        return wick_err_set(err, WICK_E_UNSUPPORTED, "there is no format %s", o->format);
    int rc = wick_profile_init(&p);
    if (rc)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    p.keep = wick_format_keep(format, e.names);
    const struct wick_view *view = !strcmp(o->format, "html") || !strcmp(o->format, "svg") ? &picture : NULL;
    rc = wick_convert_read(&p, format, o->view ? o->view : view, &e, &times, inputs, 1, err);
    if (!rc)
        rc = wick_cli_event(&p, NULL, &e.event, err);
    if (!rc)
        rc = wick_convert_write(&p, format, &e, out, true, err);
    wick_profile_release(&p);
    wick_convert_times_release(&times);
    return rc;
}
