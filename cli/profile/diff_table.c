/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/diff_table.h"
#include "cli/input/inputs.h"

#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "codec/csv.h"
#include "codec/plain.h"
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

/* A side's share of all: of its own weight, or, of absolute weights, of the first side's. */
static double share(const struct wick_diff *d, const struct wick_diff_sum *s, unsigned k)
{
    uint64_t all = d->all.weight[d->absolute ? 0 : k];
    return all ? (double)s->weight[k] / (double)all : 0;
}

static void json_sum(FILE *out, const char *what, const struct wick_diff *d, const struct wick_diff_sum *s)
{
    struct wick_diff_change c = wick_diff_change(d, s);
    fprintf(out,
            ",\"%s\":{\"before\":%" PRIu64 ",\"after\":%" PRIu64 ",\"samples_before\":%" PRIu64
            ",\"samples_after\":%" PRIu64 ",\"share_before\":%.6f,\"share_after\":%.6f,\"change\":%.6f,"
            "\"interval\":[%.6f,%.6f],\"real\":%s}",
            what, s->weight[0], s->weight[1], s->samples[0], s->samples[1], share(d, s, 0), share(d, s, 1), c.change,
            c.change - c.half, c.change + c.half, wick_diff_is_real(c) ? "true" : "false");
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
            "},\"after\":{\"weight\":%" PRIu64 ",\"samples\":%" PRIu64 "},\"total_rows\":%" PRIu32 ",\"rows\":[",
            d->absolute ? "absolute" : "normalised", m->weight[0], m->samples[0], m->weight[1], m->samples[1],
            d->nrows);
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

static void csv_sum(FILE *out, const struct wick_diff *d, const struct wick_diff_sum *s)
{
    struct wick_diff_change c = wick_diff_change(d, s);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,%.6f,%.6f,%.6f,%.6f,%s", s->weight[0],
            s->weight[1], s->samples[0], s->samples[1], share(d, s, 0), share(d, s, 1), c.change, c.change - c.half,
            c.change + c.half, wick_diff_is_real(c) ? "true" : "false");
}

static void write_csv(const struct wick_diff *d, uint32_t n, FILE *out)
{
    static const char *const sums[] = {"self", "total"}, *const columns[] = {"before",         "after",
                                                                             "samples_before", "samples_after",
                                                                             "share_before",   "share_after",
                                                                             "change",         "least",
                                                                             "most",           "real"};
    struct wick_strbuf name = WICK_STRBUF_INIT;
    fputs("name", out);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
            fprintf(out, ",%s_%s", sums[k], columns[i]);
    fputs("\r\n", out);
    for (uint32_t i = 0; i < n; i++) {
        size_t len;
        const char *s = wick_tree_name_get(d->tree, d->rows[i].name, &len);
        wick_strbuf_clear(&name);
        wick_plain_add(&name, s, len, "");
        wick_csv_cell(out, name.buf, name.len);
        csv_sum(out, d, &d->rows[i].self);
        csv_sum(out, d, &d->rows[i].total);
        fputs("\r\n", out);
    }
    wick_strbuf_release(&name);
}

static void text_sum(FILE *out, const struct wick_diff *d, const struct wick_diff_sum *s)
{
    struct wick_diff_change c = wick_diff_change(d, s);
    fprintf(out, "%8.2f %8.2f  %+7.2f \xc2\xb1 %5.2f%c ", 100 * share(d, s, 0), 100 * share(d, s, 1), 100 * c.change,
            100 * c.half, wick_diff_is_real(c) ? '*' : ' ');
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
    if (o->csv)
        write_csv(d, n, out);
    else
        (o->json ? write_json : write_text)(d, o, n, out);
}
