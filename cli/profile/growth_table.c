/* SPDX-License-Identifier: Apache-2.0 */
/*
 * growth_table.c - the table of `wick top --growth`
 */
#include "cli/profile/top_table.h"

#include <inttypes.h>

#include "cli/print.h"
#include "cli/ui.h"

#define MINUTE 60.0

static void write_json(const struct wick_growth *g, uint32_t n, FILE *out)
{
    fprintf(out, "{\"by\":\"%s\",\"moments\":%" PRIu32 ",\"time_ns\":%" PRId64 ",\"rows\":[",
            g->by_class ? "object" : "method", g->moments, g->now_ns - g->first_ns);
    for (uint32_t i = 0; i < n; i++) {
        const struct wick_growth_row *r = &g->rows[i];
        const struct wick_string *name = &g->p->strings[r->name];
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        wick_print_json(out, name->s, name->len);
        fprintf(out, ",\"first\":%.0f,\"last\":%.0f,\"bytes_per_second\":%.1f,\"error\":%.1f,\"objects\":%" PRIu32 "}",
                r->first, r->last, r->slope, r->error, r->objects);
    }
    fputs("\n]}\n", out);
}

static void write_text(const struct wick_growth *g, uint32_t n, FILE *out)
{
    enum { USED = 65 }; /* columns before the names */
    double seconds = (double)(g->now_ns - g->first_ns) / 1e9, first = 0, last = 0;
    for (uint32_t i = 0; i < g->nrows; i++) {
        first += g->rows[i].first;
        last += g->rows[i].last;
    }
    fprintf(out, "live objects at %" PRIu32 " moments within %.1f s: %.0f bytes, then %.0f; by %s\n", g->moments,
            seconds, first, last, g->by_class ? "object" : "method");
    fprintf(out, "%12s %12s %14s %14s %7s  %s\n", "FIRST bytes", "LAST bytes", "BYTES/MINUTE", "+-", "SAMPLES", "NAME");
    for (uint32_t i = 0; i < n; i++) {
        const struct wick_growth_row *r = &g->rows[i];
        const struct wick_string *name = &g->p->strings[r->name];
        fprintf(out, "%12.0f %12.0f %14.0f %14.0f %7" PRIu32 "  ", r->first, r->last, r->slope * MINUTE,
                r->error * MINUTE, r->objects);
        wick_ui_last_column(out, USED, name->s, name->len);
        fputc('\n', out);
    }
    if (n < g->nrows)
        fprintf(out, "... %" PRIu32 " more\n", g->nrows - n);
}

void wick_growth_table_write(const struct wick_growth *g, uint32_t rows, bool json, FILE *out)
{
    (json ? write_json : write_text)(g, rows && rows < g->nrows ? rows : g->nrows, out);
}
