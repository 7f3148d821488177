/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/convert.h"

#include "cli/input.h"
#include "cli/save.h"
#include "export/format.h"

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
    struct wick_profile p;
    char *const inputs[] = {(char *)in};
    if (!format)
        return wick_err_set(err, WICK_E_UNSUPPORTED, "there is no format %s", o->format);
    int rc = wick_profile_init(&p);
    if (rc)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    p.by_thread = o->threads;
    p.by_state = false;
    p.keep = wick_format_keep(format, e.names);
    rc = wick_cli_read(&p, inputs, 1, err);
    if (!rc)
        rc = wick_cli_event(&p, NULL, &e.event, err);
    if (!rc)
        rc = wick_convert_write(&p, format, &e, out, true, err);
    wick_profile_release(&p);
    return rc;
}
