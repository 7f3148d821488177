/* SPDX-License-Identifier: Apache-2.0 */
/*
 * picture.c - what a picture of a profile says besides its stacks, and its writers
 */
#include "export/picture.h"

#include <time.h>

#include "flame/flame.h"
#include "flame/text.h"

/* The event type that is shown. */
static const struct wick_sample_type *shown(const struct wick_profile *p, const struct wick_export_options *o)
{
    return &p->events[o->event ? o->event : wick_profile_main_event(p)];
}

const char *wick_picture_unit(const struct wick_profile *p, const struct wick_export_options *o)
{
    const struct wick_sample_type *e = shown(p, o);
    if (o->counts)
        return "samples";
    if (e->unit == WICK_UNIT_NS)
        return "ns";
    if (e->unit == WICK_UNIT_BYTES)
        return "bytes";
    return e->kind == WICK_KIND_PERF ? wick_profile_str(p, e->name) : "samples";
}

const char *wick_picture_measured(const struct wick_profile *p, const struct wick_export_options *o)
{
    static const char *const all[WICK_KIND_COUNT] = {
        [WICK_KIND_OTHER] = "",
#define X(kind, word, measured) [WICK_KIND_##kind] = (measured),
#include "def/event_kind.def"
#undef X
    };
    const struct wick_sample_type *e = shown(p, o);
    const char *what = e->kind < WICK_KIND_COUNT ? all[e->kind] : "";
    return *what ? what : wick_profile_str(p, e->name);
}

void wick_picture_subtitle(struct wick_strbuf *out, const struct wick_profile *p, const struct wick_export_options *o)
{
    const struct wick_sample_type *e = shown(p, o);
    char when[64];
    struct tm tm;
    time_t at = (time_t)(p->start_ns / 1000000000);
    wick_strbuf_adds(out, wick_picture_measured(p, o));
    wick_strbuf_adds(out, ", ");
    wick_text_add_weight(out, e->count, "samples");
    if (p->end_ns > p->start_ns)
        wick_strbuf_addf(out, " in %.1f s", (double)(p->end_ns - p->start_ns) / 1e9);
    if (p->start_ns > 0 && gmtime_r(&at, &tm) && strftime(when, sizeof when, " from %Y-%m-%d %H:%M:%S UTC", &tm))
        wick_strbuf_adds(out, when);
    if (e->own)
        wick_strbuf_addf(out, "; wick's own work, %.2f %%, is left out",
                         100 * (double)e->own / ((double)e->own + (double)e->weight));
}

unsigned wick_picture_keep(unsigned names)
{
    return WICK_KEEP_LINES | WICK_KEEP_JAVA_KINDS | (names & WICK_NAME_SIGNATURES ? (unsigned)WICK_KEEP_SIGNATURES : 0);
}

typedef int draw(struct wick_tree *t, const struct wick_flame_opts *o, FILE *out, struct wick_err *err);

static int write_picture(const struct wick_profile *p, const struct wick_export_options *o, FILE *out, draw *writer,
                         struct wick_err *err)
{
    struct wick_strbuf subtitle = WICK_STRBUF_INIT;
    struct wick_tree *t = wick_tree_new();
    int rc = t ? wick_picture_fold(p, o, t, err) : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (!rc) {
        wick_picture_subtitle(&subtitle, p, o);
        struct wick_flame_opts f = {
            .title = o->title,
            .subtitle = subtitle.failed ? NULL : subtitle.buf,
            .unit = wick_picture_unit(p, o),
            .reverse = o->leaf_up,
        };
        rc = writer(t, &f, out, err);
    }
    wick_strbuf_release(&subtitle);
    wick_tree_free(t);
    return rc;
}

int wick_picture_write_html(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                            struct wick_err *err)
{
    return write_picture(p, o, out, wick_flame_write_html, err);
}

int wick_picture_write_svg(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                           struct wick_err *err)
{
    return write_picture(p, o, out, wick_flame_write_svg, err);
}
