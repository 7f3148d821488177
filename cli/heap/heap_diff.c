/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/heap/heap_diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui.h"
#include "codec/json.h"

enum { CELL = 32 };

/* "+1.2 MiB" */
static const char *change(int64_t n, char *out)
{
    char number[CELL - 2];
    wick_ui_binary((uint64_t)llabs(n), number, sizeof number);
    snprintf(out, CELL, "%s%s", n > 0 ? "+" : n < 0 ? "-" : "", number);
    return out;
}

static const char *count(int64_t n, char *out)
{
    char number[CELL - 2];
    wick_ui_count((uint64_t)llabs(n), number, sizeof number);
    snprintf(out, CELL, "%s%s", n > 0 ? "+" : n < 0 ? "-" : "", number);
    return out;
}

static bool is_wanted(const struct wick_heap_class_diff_row *row, const struct wick_heap_table *t,
                      enum wick_heap_class_diff_key key)
{
    return (!t->class || strstr(row->name, t->class)) &&
           (wick_heap_class_diff_growth(row, key) ||
            (key != WICK_HEAP_DIFF_TOPS && wick_heap_class_diff_growth(row, WICK_HEAP_DIFF_OBJECTS)));
}

static enum wick_heap_class_diff_key key_of(const struct wick_heap_table *t, bool graph)
{
    return t->sort == WICK_HEAP_BY_OBJECTS             ? WICK_HEAP_DIFF_OBJECTS
           : t->sort == WICK_HEAP_BY_RETAINED && graph ? WICK_HEAP_DIFF_RETAINED
                                                       : WICK_HEAP_DIFF_BYTES;
}

static void write_classes(struct wick_heap_class_diff *d, const struct wick_heap_table *t, bool graph, FILE *out)
{
    enum wick_heap_class_diff_key key = key_of(t, graph);
    char a[CELL], b[CELL], c[CELL], e[CELL];
    uint32_t shown = 0;
    wick_heap_class_diff_sort(d, key);
    fprintf(out, "\nClasses that changed most:\n  %12s %12s %12s %14s  %s\n", graph ? "retained" : "", "bytes",
            "objects", "objects now", "class");
    for (size_t i = 0; i < d->n && (!t->rows || shown < t->rows); i++) {
        const struct wick_heap_class_diff_row *row = &d->rows[i];
        if (!is_wanted(row, t, key))
            continue;
        shown++;
        fprintf(out, "  %12s %12s %12s %14s  ",
                graph ? change(wick_heap_class_diff_growth(row, WICK_HEAP_DIFF_RETAINED), a) : "",
                change(wick_heap_class_diff_growth(row, WICK_HEAP_DIFF_BYTES), b),
                count(wick_heap_class_diff_growth(row, WICK_HEAP_DIFF_OBJECTS), c),
                wick_ui_count(row->side[1].objects, e, CELL));
        wick_ui_last_column(out, 58, row->name, strlen(row->name));
        fputc('\n', out);
    }
    if (!shown)
        fputs("  none\n", out);
}

static void write_tops(struct wick_heap_class_diff *d, const struct wick_heap_table *t, FILE *out)
{
    char a[CELL], b[CELL], c[CELL];
    uint32_t shown = 0;
    wick_heap_class_diff_sort(d, WICK_HEAP_DIFF_TOPS);
    fprintf(out, "\nClasses of dominators that changed most (objects that no other object keeps alive alone):\n");
    fprintf(out, "  %12s %12s %12s  %s\n", "retained", "now", "objects", "class");
    for (size_t i = 0; i < d->n && (!t->rows || shown < t->rows); i++) {
        const struct wick_heap_class_diff_row *row = &d->rows[i];
        if (!is_wanted(row, t, WICK_HEAP_DIFF_TOPS))
            continue;
        shown++;
        fprintf(out, "  %12s %12s %12s  ", change(wick_heap_class_diff_growth(row, WICK_HEAP_DIFF_TOPS), a),
                wick_ui_binary(row->side[1].tops_retained, b, CELL),
                count((int64_t)(row->side[1].tops - row->side[0].tops), c));
        wick_ui_last_column(out, 43, row->name, strlen(row->name));
        fputc('\n', out);
    }
    if (!shown)
        fputs("  none\n", out);
}

void wick_heap_diff_write(struct wick_heap_class_diff *d, const struct wick_heap_table *t, const char *before,
                          bool graph, FILE *out)
{
    char a[CELL], b[CELL], c[CELL], e[CELL];
    int64_t bytes = (int64_t)(d->total[1].bytes - d->total[0].bytes);
    int64_t objects = (int64_t)(d->total[1].objects - d->total[0].objects);
    wick_ui_print(out, "From %s to %s\n", before, t->title);
    fprintf(out, "  %s %s in %s objects: %s, %s objects\n", wick_ui_binary(d->total[1].bytes, a, CELL),
            graph ? "reachable" : "in all", wick_ui_count(d->total[1].objects, b, CELL), change(bytes, c),
            count(objects, e));
    write_classes(d, t, graph, out);
    if (graph)
        write_tops(d, t, out);
}

static void put_side(struct wick_json *j, const char *key, const struct wick_heap_figures *f)
{
    const struct {
        const char *key;
        uint64_t v;
    } all[] = {{"objects", f->objects},
               {"bytes", f->bytes},
               {"retained", f->retained},
               {"dominators", f->tops},
               {"dominators_retained", f->tops_retained}};
    wick_json_key(j, key);
    wick_json_open(j, '{');
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        wick_json_key(j, all[i].key);
        wick_json_uint(j, all[i].v);
    }
    wick_json_close(j, '}');
}

void wick_heap_diff_write_json(struct wick_heap_class_diff *d, const struct wick_heap_table *t, const char *before,
                               bool graph, FILE *out)
{
    struct wick_json j = {.out = out};
    uint32_t shown = 0;
    enum wick_heap_class_diff_key key = key_of(t, graph);
    wick_heap_class_diff_sort(d, key);
    wick_json_open(&j, '{');
    wick_json_key(&j, "before");
    wick_json_cstr(&j, before);
    wick_json_key(&j, "after");
    wick_json_cstr(&j, t->title);
    put_side(&j, "total_before", &d->total[0]);
    put_side(&j, "total_after", &d->total[1]);
    wick_json_key(&j, "classes");
    wick_json_open(&j, '[');
    for (size_t i = 0; i < d->n && (!t->rows || shown < t->rows); i++) {
        if (!is_wanted(&d->rows[i], t, key))
            continue;
        shown++;
        wick_json_open(&j, '{');
        wick_json_key(&j, "class");
        wick_json_cstr(&j, d->rows[i].name);
        put_side(&j, "before", &d->rows[i].side[0]);
        put_side(&j, "after", &d->rows[i].side[1]);
        wick_json_close(&j, '}');
    }
    wick_json_close(&j, ']');
    wick_json_close(&j, '}');
    fputc('\n', out);
}
