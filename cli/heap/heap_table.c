/* SPDX-License-Identifier: Apache-2.0 */
/* `wick heap` as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/heap/heap_table.h"
#include "cli/print.h"
#include "cli/ui.h"

enum { CELL = 32, HEAD_STEPS = 12, TAIL_STEPS = 8 };

static const char *bytes(uint64_t n, char *out)
{
    return wick_ui_binary(n, out, CELL);
}

static const char *share(uint64_t part, uint64_t whole, char *out)
{
    snprintf(out, CELL, "%.1f %%", whole ? 100 * (double)part / (double)whole : 0.0);
    return out;
}

static void heading(FILE *out, const char *text)
{
    fprintf(out, "\n%s%s%s\n", wick_ui_colour(out, WICK_UI_BOLD), text,
            *wick_ui_colour(out, WICK_UI_BOLD) ? "\x1b[0m" : "");
}

static void more_rows(FILE *out, size_t all, size_t shown)
{
    if (all > shown)
        fprintf(out, "  ... and %zu more (-n 0 shows all)\n", all - shown);
}

static size_t limit(const struct wick_heap_table *t, size_t n)
{
    return t->rows && t->rows < n ? t->rows : n;
}

static void last_name(FILE *out, unsigned used, const struct wick_strbuf *name)
{
    wick_ui_last_column(out, used, name->buf, name->len);
    fputc('\n', out);
}

static void class_name(const struct wick_heap_report *r, uint32_t class, struct wick_strbuf *name)
{
    wick_strbuf_clear(name);
    wick_heap_class_name(&r->graph.classes, class, name);
}

static void object_name(struct wick_heap_report *r, uint32_t object, struct wick_strbuf *name)
{
    wick_strbuf_clear(name);
    wick_heap_object_add(&r->graph, object, name);
    wick_strbuf_addf(name, "  0x%" PRIx64, wick_heap_graph_brief(&r->graph, object).id);
}

/* --- head --------------------------------------------------------------------------------------------------------- */

static void write_head(struct wick_heap_report *r, const struct wick_heap_table *t, FILE *out)
{
    const struct wick_heap_totals *all = &r->graph.totals;
    char a[CELL], b[CELL], c[CELL], when[64] = "";
    time_t s = (time_t)(r->graph.hprof.time_ms / 1000);
    struct tm tm;
    if (r->graph.hprof.time_ms && localtime_r(&s, &tm))
        strftime(when, sizeof when, ", taken %Y-%m-%d %H:%M:%S", &tm);
    wick_ui_print(out, "Heap of %s%s\n", t->title, when);
    fprintf(out, "  %s in %s objects of %s classes\n", bytes(all->bytes, a), wick_ui_count(all->objects, b, CELL),
            wick_ui_count(all->classes, c, CELL));
    if (!r->ask.graph)
        return;
    uint64_t rest = all->bytes > r->retained.bytes ? all->bytes - r->retained.bytes : 0;
    fprintf(out, "  %s of it (%s) is reachable from GC roots", bytes(r->retained.bytes, a),
            share(r->retained.bytes, all->bytes, b));
    if (rest)
        fprintf(out, "; %s is garbage, or held by soft,\n  weak, phantom or final references only", bytes(rest, c));
    fputs(".\n  Sizes below are of reachable objects. \"Retained\" is what would be freed if an object went away.\n",
          out);
    if (!r->graph.classes.layout.measured)
        fputs("  The dump does not show how the JVM laid out its arrays; their sizes are assumed.\n", out);
}

/* --- paths -------------------------------------------------------------------------------------------------------- */

static void write_path(struct wick_heap_report *r, const struct wick_heap_path *p, unsigned indent, FILE *out)
{
    struct wick_strbuf line = WICK_STRBUF_INIT;
    char a[CELL];
    if (!p->n) {
        fprintf(out, "%*sno path from a GC root leads to it\n", (int)indent, "");
        return;
    }
    wick_heap_root_add(&r->graph, p->objects[0], &line);
    fprintf(out, "%*sGC root: ", (int)indent, "");
    wick_print_name(out, line.buf, line.len);
    fputc('\n', out);
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->n > HEAD_STEPS + TAIL_STEPS && i == HEAD_STEPS) {
            fprintf(out, "%*s... %u more objects ...\n", (int)indent, "", p->n - HEAD_STEPS - TAIL_STEPS);
            i = p->n - TAIL_STEPS;
        }
        uint32_t number = wick_heap_u32(&r->retained.d.number)[p->objects[i]];
        wick_strbuf_clear(&line);
        if (i) {
            wick_heap_reference_add(&r->graph, p->objects[i - 1], p->objects[i], &line);
            wick_strbuf_adds(&line, " -> ");
        }
        wick_heap_object_add(&r->graph, p->objects[i], &line);
        wick_strbuf_addf(&line, "  (retains %s)", number ? bytes(wick_heap_retained_of(&r->retained, number), a) : "?");
        fprintf(out, "%*s", (int)indent + 2, "");
        last_name(out, indent + 2, &line);
    }
    wick_strbuf_release(&line);
}

static void write_suspects(struct wick_heap_report *r, const struct wick_heap_table *t, FILE *out)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    char a[CELL], b[CELL], c[CELL];
    heading(out, "Where much of the heap comes together (objects that keep 5 % or more alive):");
    if (!r->retained.nsuspects)
        fputs("  none: what is alive is spread over many objects\n", out);
    for (size_t i = 0; i < limit(t, r->retained.nsuspects); i++) {
        const struct wick_heap_suspect *s = &r->retained.suspects[i];
        object_name(r, s->object, &name);
        fprintf(out, "%3zu. %s (%s) in ", i + 1, bytes(s->retained, a), share(s->retained, r->retained.bytes, b));
        last_name(out, 28, &name);
        if (s->alike)
            fprintf(out, "     and %s more of its class, held by the same object: %s\n",
                    wick_ui_count(s->alike, c, CELL), bytes(s->alike_retained, a));
        for (size_t k = 0; k < WICK_HEAP_KEPT && s->kept[k].objects; k++) {
            class_name(r, s->kept[k].class, &name);
            fprintf(out, "     %s %s of ", k ? "and" : "keeps", wick_ui_count(s->kept[k].objects, c, CELL));
            wick_print_name(out, name.buf, name.len);
            fprintf(out, ", %s\n", bytes(s->kept[k].retained, a));
        }
        write_path(r, &r->paths[i], 5, out);
    }
    wick_strbuf_release(&name);
}

/* --- classes and objects ------------------------------------------------------------------------------------------ */

static int write_classes(struct wick_heap_report *r, const struct wick_heap_table *t, FILE *out)
{
    struct wick_heap_rows rows;
    struct wick_strbuf name = WICK_STRBUF_INIT;
    char a[CELL], b[CELL], c[CELL], d[CELL];
    bool sizes = r->retained.sum != NULL;
    if (wick_heap_rows_make(&rows, r, t))
        return -WICK_E_NOMEM;
    heading(out, sizes ? "Classes:" : "Classes (all objects, reachable or not):");
    if (sizes)
        fprintf(out, "  %11s %7s %11s %12s  %s\n", "retained", "", "shallow", "objects", "class");
    else
        fprintf(out, "  %11s %7s %12s  %s\n", "bytes", "", "objects", "class");
    for (size_t i = 0; i < limit(t, rows.n); i++) {
        const struct wick_heap_class *k = &r->graph.classes.all[rows.class[i]];
        class_name(r, rows.class[i], &name);
        if (sizes) {
            const struct wick_heap_class_sum *sum = &r->retained.sum[rows.class[i]];
            fprintf(out, "  %11s %7s %11s %12s  ", bytes(rows.retained[i], a),
                    share(rows.retained[i], r->retained.bytes, b), bytes(sum->bytes, c),
                    wick_ui_count(sum->objects, d, CELL));
            last_name(out, 47, &name);
        } else {
            fprintf(out, "  %11s %7s %12s  ", bytes(k->shallow, a), share(k->shallow, r->graph.totals.bytes, b),
                    wick_ui_count(k->objects, d, CELL));
            last_name(out, 36, &name);
        }
    }
    more_rows(out, rows.n, limit(t, rows.n));
    wick_strbuf_release(&name);
    wick_heap_rows_release(&rows);
    return 0;
}

static void write_tops(struct wick_heap_report *r, const struct wick_heap_table *t, FILE *out)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    char a[CELL], b[CELL], c[CELL];
    heading(out, "Largest dominators (objects that no other object keeps alive alone):");
    fprintf(out, "  %11s %7s %11s  %s\n", "retained", "", "shallow", "object");
    for (size_t i = 0; i < limit(t, r->retained.ntops); i++) {
        const struct wick_heap_top *top = &r->retained.tops[i];
        object_name(r, top->object, &name);
        fprintf(out, "  %11s %7s %11s  ", bytes(top->retained, a), share(top->retained, r->retained.bytes, b),
                bytes(top->bytes, c));
        last_name(out, 35, &name);
    }
    wick_strbuf_release(&name);
}

/* --- waste -------------------------------------------------------------------------------------------------------- */

static void write_duplicates(struct wick_heap_report *r, const struct wick_heap_table *t,
                             const struct wick_heap_duplicates *d, const char *what, FILE *out)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    char a[CELL], b[CELL], c[CELL], e[CELL], title[200];
    snprintf(title, sizeof title, "Duplicate %s: %s could be saved (%s of %s share %s contents)", what,
             bytes(d->waste, a), wick_ui_count(d->objects, b, CELL), wick_ui_count(d->all, c, CELL),
             wick_ui_count(d->groups, e, CELL));
    heading(out, title);
    if (d->ntop)
        fprintf(out, "  %11s %12s %11s  %s\n", "waste", "objects", "bytes each", "content");
    for (size_t i = 0; i < limit(t, d->ntop); i++) {
        wick_strbuf_clear(&name);
        wick_heap_object_add(&r->graph, d->top[i].object, &name);
        fprintf(out, "  %11s %12s %11s  ", bytes(d->top[i].waste, a), wick_ui_count(d->top[i].count, b, CELL),
                bytes(d->top[i].bytes, c));
        last_name(out, 40, &name);
    }
    wick_strbuf_release(&name);
}

static void write_collections(struct wick_heap_report *r, const struct wick_heap_table *t, FILE *out)
{
    const struct wick_heap_waste *w = &r->waste;
    struct wick_strbuf name = WICK_STRBUF_INIT;
    char a[CELL], b[CELL], c[CELL], d[CELL], title[160];
    uint64_t all = 0;
    for (size_t i = 0; i < w->ncollections; i++)
        all += w->collections[i].waste;
    snprintf(title, sizeof title, "Room that collections do not use: %s (arrays of no collection: if half is null)",
             bytes(all, a));
    heading(out, title);
    fprintf(out, "  %11s %12s %12s %12s %7s  %s\n", "unused", "objects", "empty", "half empty", "used", "class");
    for (size_t i = 0; i < limit(t, w->ncollections); i++) {
        const struct wick_heap_collection *k = &w->collections[i];
        class_name(r, k->class, &name);
        fprintf(out, "  %11s %12s %12s %12s ", bytes(k->waste, a), wick_ui_count(k->objects, b, CELL),
                wick_ui_count(k->empty, c, CELL), wick_ui_count(k->half, d, CELL));
        fprintf(out, "%7s  ", k->capacity ? share(k->used, k->capacity, a) : "");
        last_name(out, 61, &name);
    }
    more_rows(out, w->ncollections, limit(t, w->ncollections));
    wick_strbuf_release(&name);
}

static void write_views(struct wick_heap_report *r, FILE *out)
{
    const struct wick_heap_views *v = &r->views;
    struct wick_strbuf name = WICK_STRBUF_INIT;
    char a[CELL], b[CELL], c[CELL], d[CELL], title[200];
    if (!v->buffers)
        return;
    snprintf(title, sizeof title, "Byte buffers of a small part of an array: copies would take %s less",
             bytes(wick_heap_views_waste(v), a));
    heading(out, title);
    fprintf(out, "  %s byte buffers have %s of %s arrays of %s, which nothing else refers to\n",
            wick_ui_count(v->buffers, a, CELL), bytes(v->used, b), wick_ui_count(v->arrays, c, CELL),
            bytes(v->bytes, d));
    wick_heap_views_owner_add(v, &r->graph, &name);
    if (name.len) {
        fprintf(out, "  %s are referred to by ", wick_ui_count(v->owned, a, CELL));
        wick_print_name(out, name.buf, name.len);
        fputc('\n', out);
    }
    wick_strbuf_release(&name);
}

/* --- class loaders ------------------------------------------------------------------------------------------------ */

static void write_loaders(struct wick_heap_report *r, const struct wick_heap_table *t, FILE *out)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    char a[CELL], b[CELL], c[CELL], d[CELL];
    uint64_t again = 0;
    heading(out, "Class loaders:");
    fprintf(out, "  %11s %9s %9s %12s %11s  %s\n", "retained", "classes", "again", "instances", "bytes", "loader");
    for (size_t i = 0; i < r->loaders.n; i++)
        again += r->loaders.all[i].again;
    for (size_t i = 0; i < limit(t, r->loaders.n); i++) {
        const struct wick_heap_loader *l = &r->loaders.all[i];
        wick_strbuf_clear(&name);
        if (l->object != WICK_HEAP_NONE)
            object_name(r, l->object, &name);
        else
            wick_strbuf_adds(&name, l->id ? "[unknown loader]" : "[the JVM's own]");
        if (!l->reachable)
            wick_strbuf_adds(&name, "  (not reachable)");
        fprintf(out, "  %11s %9s %9s %12s ", l->id ? bytes(l->retained, a) : "", wick_ui_count(l->classes, b, CELL),
                l->again ? wick_ui_count(l->again, c, CELL) : "", wick_ui_count(l->objects, d, CELL));
        fprintf(out, "%11s  ", bytes(l->bytes, a));
        last_name(out, 60, &name);
    }
    more_rows(out, r->loaders.n, limit(t, r->loaders.n));
    if (again)
        fputs(
            "  \"again\": classes of the same names that another loader of the same class has also defined: old "
            "versions\n"
            "  of an application that are still held, unless that is intended. `wick heap DUMP --path 0x...` shows by "
            "whom.\n",
            out);
    wick_strbuf_release(&name);
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

int wick_heap_table_write(struct wick_heap_report *r, const struct wick_heap_table *t, FILE *out, struct wick_err *err)
{
    write_head(r, t, out);
    if (r->ask.graph && !t->class)
        write_suspects(r, t, out);
    if (write_classes(r, t, out))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory while writing the table");
    if (!r->ask.graph || t->class)
        return 0;
    write_tops(r, t, out);
    write_loaders(r, t, out);
    if (r->ask.waste) {
        write_duplicates(r, t, &r->waste.strings, "strings", out);
        write_duplicates(r, t, &r->waste.arrays, "arrays", out);
        write_collections(r, t, out);
        write_views(r, out);
    }
    return 0;
}

static void write_text_paths(struct wick_heap_report *r, const uint32_t *objects, const struct wick_heap_path *paths,
                             size_t n, FILE *out)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    for (size_t i = 0; i < n; i++) {
        object_name(r, objects[i], &name);
        if (i)
            fputc('\n', out);
        last_name(out, 0, &name);
        write_path(r, &paths[i], 2, out);
    }
    wick_strbuf_release(&name);
}

int wick_heap_table_write_paths(struct wick_heap_report *r, const struct wick_heap_table *t, bool json, FILE *out,
                                struct wick_err *err)
{
    struct wick_heap_path *paths;
    uint32_t *objects;
    size_t n;
    int rc = wick_heap_table_targets(r, t, &objects, &paths, &n, err);
    if (rc)
        return rc;
    if (json)
        wick_heap_json_write_paths(r, objects, paths, n, out);
    else
        write_text_paths(r, objects, paths, n, out);
    wick_heap_paths_release(paths, n);
    free(objects);
    free(paths);
    return 0;
}
