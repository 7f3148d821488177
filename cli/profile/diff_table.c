/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/diff_table.h"
#include "cli/input/inputs.h"

#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/ui.h"
#include "flame/text.h"

/* The row's name as a string without NUL bytes. */
static void name_of(struct wick_strbuf *out, const struct wick_diff *d, const struct wick_diff_row *r)
{
    size_t n;
    const char *s = wick_tree_name_get(d->tree, r->name, &n);
    wick_strbuf_clear(out);
    wick_text_add_utf8(out, s, n);
}

static void json_sum(FILE *out, const char *what, const struct wick_diff *d, const struct wick_diff_sum *s)
{
    struct wick_diff_change c = wick_diff_change(d, s);
    fprintf(out,
            ",\"%s\":{\"before\":%" PRIu64 ",\"after\":%" PRIu64 ",\"samples_before\":%" PRIu64
            ",\"samples_after\":%" PRIu64 ",\"change\":%.6f,\"interval\":[%.6f,%.6f],\"real\":%s}",
            what, s->weight[0], s->weight[1], s->samples[0], s->samples[1], c.change, c.change - c.half,
            c.change + c.half, wick_diff_is_real(c) ? "true" : "false");
}

static void write_json(const struct wick_diff *d, const struct wick_diff_table *o, uint32_t n, FILE *out)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    const struct wick_diff_sum *m = &d->measured;
    fputs("{\"event\":", out);
    wick_ui_json_string(out, o->event);
    fputs(",\"unit\":", out);
    wick_ui_json_string(out, o->unit);
    fprintf(out, ",\"unfinished\":%s", wick_cli_is_unfinished() ? "true" : "false");
    fprintf(out,
            ",\"mode\":\"%s\",\"before\":{\"weight\":%" PRIu64 ",\"samples\":%" PRIu64
            "},\"after\":{\"weight\":%" PRIu64 ",\"samples\":%" PRIu64 "},\"rows\":[",
            d->absolute ? "absolute" : "normalised", m->weight[0], m->samples[0], m->weight[1], m->samples[1]);
    for (uint32_t i = 0; i < n; i++) {
        name_of(&name, d, &d->rows[i]);
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        wick_ui_json_string(out, name.buf);
        json_sum(out, "self", d, &d->rows[i].self);
        json_sum(out, "total", d, &d->rows[i].total);
        fputc('}', out);
    }
    fputs("\n]}\n", out);
    wick_strbuf_release(&name);
}

static double percent(uint64_t part, uint64_t all)
{
    return all ? 100 * (double)part / (double)all : 0;
}

static void text_sum(FILE *out, const struct wick_diff *d, const struct wick_diff_sum *s)
{
    struct wick_diff_change c = wick_diff_change(d, s);
    fprintf(out, "%8.2f %8.2f  %+7.2f \xc2\xb1 %5.2f%c ", percent(s->weight[0], d->all.weight[0]),
            percent(s->weight[1], d->all.weight[d->absolute ? 0 : 1]), 100 * c.change, 100 * c.half,
            wick_diff_is_real(c) ? '*' : ' ');
}

static void text_side(FILE *out, const char *what, const struct wick_diff *d, const struct wick_diff_table *o,
                      unsigned k)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    wick_text_add_weight(&sb, d->measured.weight[k], o->unit);
    fprintf(out, "%s: %s, %" PRIu64 " samples\n", what, sb.buf, d->measured.samples[k]);
    wick_strbuf_release(&sb);
}

static void write_text(const struct wick_diff *d, const struct wick_diff_table *o, uint32_t n, FILE *out)
{
    enum { USED = 73 }; /* columns before the names */
    struct wick_strbuf name = WICK_STRBUF_INIT;
    wick_ui_plain(out, o->event);
    fputs(d->absolute ? ", weights in per cent of all of A\n" : ", shares in per cent\n", out);
    text_side(out, "A", d, o, 0);
    text_side(out, "B", d, o, 1);
    fputs("* = more than sampling error (95 % confidence)\n", out);
    fprintf(out, "%8s %8s  %15s  %8s %8s  %15s   %s\n", "SELF A", "SELF B", "CHANGE", "TOTAL A", "TOTAL B", "CHANGE",
            "NAME");
    for (uint32_t i = 0; i < n; i++) {
        text_sum(out, d, &d->rows[i].self);
        text_sum(out, d, &d->rows[i].total);
        name_of(&name, d, &d->rows[i]);
        fputc(' ', out);
        wick_ui_last_column(out, USED, name.buf, name.len);
        fputc('\n', out);
    }
    if (n < d->nrows)
        fprintf(out, "... %" PRIu32 " more\n", d->nrows - n);
    wick_strbuf_release(&name);
}

void wick_diff_table_write(const struct wick_diff *d, const struct wick_diff_table *o, FILE *out)
{
    uint32_t n = o->rows && o->rows < d->nrows ? o->rows : d->nrows;
    (o->json ? write_json : write_text)(d, o, n, out);
}
