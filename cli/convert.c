/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/convert.h"

#include "cli/input.h"
#include "cli/save.h"
#include "export/format.h"
#include "jfr/reader.h"

struct collector {
    struct wick_profile *p;
    struct wick_timeline *t;
};

static void take_sample(void *ctx, const struct wick_sample *s)
{
    struct collector *c = ctx;
    wick_profile_add(c->p, s);
    wick_timeline_add(c->t, s);
}

int wick_convert_read(struct wick_profile *p, const struct wick_format *format, const struct wick_view *view,
                      struct wick_export_options *o, struct wick_timeline *t, char *const *paths, int n,
                      struct wick_err *err)
{
    static const struct wick_view everything;
    struct collector c = {p, t};
    struct wick_jfr_visitor v = {.ctx = &c, .sample = take_sample};
    view = view ? view : &everything;
    p->by_thread = o->threads || format->detailed;
    p->by_state = format->detailed;
    if (!format->timed)
        return wick_view_read(view, p, paths, n, err);
    if (!wick_shape_is_plain(&view->shape))
        return wick_err_set(
            err, WICK_E_UNSUPPORTED,
            "%s shows every sample at its time; of the options that choose samples, only --event, --from "
            "and --to go with it",
            format->name);
    o->timeline = t;
    int rc = wick_view_begin(view, p, paths, n, &v.filter, err);
    rc = rc ? rc : wick_cli_read_each(p, paths, n, &v, err);
    return rc ? rc : wick_view_end(view, p, &v.filter, err);
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
    struct wick_timeline timeline = {0};
    struct wick_profile p;
    char *const inputs[] = {(char *)in};
    if (!format)
        return wick_err_set(err, WICK_E_UNSUPPORTED, "there is no format %s", o->format);
    int rc = wick_profile_init(&p);
    if (rc)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    p.keep = wick_format_keep(format, e.names);
    rc = wick_convert_read(&p, format, o->view, &e, &timeline, inputs, 1, err);
    if (!rc)
        rc = wick_cli_event(&p, NULL, &e.event, err);
    if (!rc)
        rc = wick_convert_write(&p, format, &e, out, true, err);
    wick_profile_release(&p);
    wick_timeline_release(&timeline);
    return rc;
}
