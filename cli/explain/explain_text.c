/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as sentences and as JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain/explain_text.h"
#include "cli/input/inputs.h"
#include "cli/print.h"
#include "cli/ui.h"

#define WIDTH 100

static void add_time(struct wick_strbuf *out, double ns)
{
    if (ns >= 1e9)
        wick_strbuf_addf(out, "%.1f s", ns / 1e9);
    else
        wick_strbuf_addf(out, "%.*f ms", ns < 1e7 ? 1 : 0, ns / 1e6);
}

static void add_figure(struct wick_strbuf *out, const struct wick_explain_figure *g)
{
    char bytes[32];
    switch (g->unit) {
    case WICK_EXPLAIN_TEXT:
        wick_strbuf_adds(out, g->text);
        break;
    case WICK_EXPLAIN_TIME:
        add_time(out, g->value);
        break;
    case WICK_EXPLAIN_SHARE:
        wick_strbuf_addf(out, "%.*f %%", g->value < 0.0995 ? 1 : 0, 100 * g->value);
        break;
    case WICK_EXPLAIN_BYTES:
        wick_strbuf_adds(out, wick_ui_binary((uint64_t)g->value, bytes, sizeof bytes));
        break;
    case WICK_EXPLAIN_NUMBER:
        wick_strbuf_addf(out, "%.*f", g->value < 100 && g->value != (double)(int)g->value ? 1 : 0, g->value);
        break;
    }
}

static const struct wick_explain_figure *figure_of(const struct wick_explain_finding *f, const char *key, size_t len)
{
    for (unsigned i = 0; i < f->n; i++)
        if (strlen(f->figures[i].key) == len && !memcmp(f->figures[i].key, key, len))
            return &f->figures[i];
    return NULL;
}

/* Whether the optional part that begins at s has all its figures. */
static bool complete(const struct wick_explain_finding *f, const char *s)
{
    for (; *s && *s != ']'; s++)
        if (*s == '{' && !figure_of(f, s + 1, strcspn(s + 1, "}")))
            return false;
    return true;
}

void wick_explain_sentence(struct wick_strbuf *out, const struct wick_explain_finding *f)
{
    for (const char *s = f->rule->sentence; *s; s++) {
        if (*s == '[' && !complete(f, s)) {
            s += strcspn(s, "]");
        } else if (*s == '{') {
            size_t len = strcspn(s + 1, "}");
            const struct wick_explain_figure *g = figure_of(f, s + 1, len);
            if (g)
                add_figure(out, g);
            else
                wick_strbuf_addc(out, '?');
            s += len + 1;
        } else if (*s != '[' && *s != ']') {
            wick_strbuf_addc(out, *s);
        }
    }
}

static const char *advice_of(const struct wick_explain_finding *f)
{
    return f->advice ? f->advice : f->rule->advice;
}

/* What a recording of this kind cannot show; NULL where nothing is missing. */
static const char *missing(const struct wick_explain_facts *f, unsigned i)
{
    switch (i) {
    case 0:
        return f->nwall ? NULL : "waiting: record with -e cpu,wall";
    case 1:
        return f->ncpu ? NULL : "what uses the CPU: record with -e cpu";
    default:
        return f->got_ns ? NULL : "waiting for a CPU: wick.ThreadCpu comes with -e wall";
    }
}
#define MISSING 3

static void write_text(const struct wick_explain_findings *all, const struct wick_explain_facts *f, FILE *out)
{
    struct wick_strbuf sentence = WICK_STRBUF_INIT;
    for (size_t i = 0; i < all->n; i++) {
        const struct wick_explain_finding *r = &all->rows[i];
        char *text = NULL;
        size_t len = 0;
        wick_strbuf_clear(&sentence);
        wick_explain_sentence(&sentence, r);
        FILE *memory = open_memstream(&text, &len);
        if (memory) {
            wick_print_name(memory, sentence.buf, sentence.len);
            fclose(memory);
        }
        int at = fprintf(out, "%zu. ", i + 1);
        wick_ui_wrap(out, text ? text : "", at, 3, WIDTH);
        fprintf(out, "   -> ");
        wick_ui_wrap(out, advice_of(r), 6, 6, WIDTH);
        free(text);
    }
    if (!all->n)
        fprintf(out, "Nothing stands out in %.1f s.\n", (double)f->duration_ns / 1e9);
    for (unsigned i = 0; i < MISSING; i++)
        if (missing(f, i))
            fprintf(out, "Not recorded: %s\n", missing(f, i));
    if (f->own_ns)
        fprintf(out, "Left out: wick's own work, %.1f ms (%.2f %%) of CPU time\n", (double)f->own_ns / 1e6,
                100 * (double)f->own_ns / ((double)f->own_ns + (double)f->sampled_ns));
    wick_strbuf_release(&sentence);
}

static void write_figures(const struct wick_explain_finding *r, FILE *out)
{
    static const char *const suffix[] = {"", "_ns", "", "_bytes", ""};
    for (unsigned i = 0; i < r->n; i++) {
        const struct wick_explain_figure *g = &r->figures[i];
        fprintf(out, "%s\"%s%s\":", i ? "," : "", g->key, suffix[g->unit]);
        if (g->unit == WICK_EXPLAIN_TEXT)
            wick_print_json(out, g->text, strlen(g->text));
        else
            fprintf(out, g->unit == WICK_EXPLAIN_TIME || g->unit == WICK_EXPLAIN_BYTES ? "%.0f" : "%.6g", g->value);
    }
}

static void write_json(const struct wick_explain_findings *all, const struct wick_explain_facts *f, FILE *out)
{
    struct wick_strbuf sentence = WICK_STRBUF_INIT;
    fprintf(out, "{\"duration_ns\":%" PRId64 ",\"own_ns\":%" PRId64 ",\"unfinished\":%s,\"findings\":[", f->duration_ns,
            f->own_ns, wick_cli_is_unfinished() ? "true" : "false");
    for (size_t i = 0; i < all->n; i++) {
        const struct wick_explain_finding *r = &all->rows[i];
        wick_strbuf_clear(&sentence);
        wick_explain_sentence(&sentence, r);
        fprintf(out, "%s\n{\"rule\":\"%s\",\"cost_ns\":%.0f,\"sentence\":", i ? "," : "", r->rule->name, r->cost_ns);
        wick_print_json(out, sentence.buf, sentence.len);
        fputs(",\"advice\":", out);
        wick_print_json(out, advice_of(r), strlen(advice_of(r)));
        fputs(",\"figures\":{", out);
        write_figures(r, out);
        fputs("}}", out);
    }
    fputs("\n],\"not_recorded\":[", out);
    for (unsigned i = 0, n = 0; i < MISSING; i++) {
        if (!missing(f, i))
            continue;
        fputs(n++ ? "," : "", out);
        wick_print_json(out, missing(f, i), strlen(missing(f, i)));
    }
    fputs("]}\n", out);
    wick_strbuf_release(&sentence);
}

void wick_explain_write(const struct wick_explain_findings *all, const struct wick_explain_facts *f, bool json,
                        FILE *out)
{
    (json ? write_json : write_text)(all, f, out);
}
