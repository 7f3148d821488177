/* SPDX-License-Identifier: Apache-2.0 */
#include "export/diff_page.h"

#include "export/picture.h"
#include "flame/flame.h"
#include "flame/text.h"

static void add_side(struct wick_strbuf *sb, const struct wick_diff *d, const char *unit, unsigned k)
{
    wick_strbuf_adds(sb, k ? "; after: " : "before: ");
    wick_text_add_weight(sb, d->measured.weight[k], unit);
    wick_strbuf_adds(sb, ", ");
    wick_text_add_weight(sb, d->measured.samples[k], "samples");
}

int wick_diff_page_write(const struct wick_diff *d, const struct wick_profile *p, const struct wick_export_options *o,
                         const char *const names[2], FILE *out, struct wick_err *err)
{
    struct wick_strbuf title = WICK_STRBUF_INIT, subtitle = WICK_STRBUF_INIT;
    const char *unit = wick_picture_unit(p, o);
    wick_strbuf_addf(&title, "%s compared with %s", names[1], names[0]);
    wick_strbuf_addf(&subtitle, "%s, %s; ", wick_picture_measured(p, o), d->absolute ? "absolute" : "normalised");
    for (unsigned k = 0; k < 2; k++)
        add_side(&subtitle, d, unit, k);
    struct wick_flame_opts f = {
        .title = o->title ? o->title : title.buf,
        .subtitle = subtitle.buf,
        .unit = unit,
        .change = d->change,
        .absolute = d->absolute,
    };
    int rc = title.failed || subtitle.failed ? wick_err_set(err, WICK_E_NOMEM, "out of memory")
                                             : wick_flame_write_html(d->tree, &f, out, err);
    wick_strbuf_release(&title);
    wick_strbuf_release(&subtitle);
    return rc;
}
