/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables of `wick heap` show: which classes in which order, and to which objects the path is shown. */
#include <stdlib.h>
#include <string.h>

#include "cli/heap/heap_table.h"

struct row {
    uint32_t class;
    enum wick_heap_sort sort;
    uint64_t retained, shallow, objects;
    const char *name;
};

static int compare(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    const uint64_t keys[][2] = {[WICK_HEAP_BY_RETAINED] = {x->retained, y->retained},
                                [WICK_HEAP_BY_SHALLOW] = {x->shallow, y->shallow},
                                [WICK_HEAP_BY_OBJECTS] = {x->objects, y->objects}};
    if (x->sort != WICK_HEAP_BY_NAME && keys[x->sort][0] != keys[x->sort][1])
        return keys[x->sort][0] > keys[x->sort][1] ? -1 : 1;
    int order = x->sort == WICK_HEAP_BY_NAME ? strcmp(x->name, y->name) : 0;
    if (order)
        return order;
    if (x->shallow != y->shallow)
        return x->shallow > y->shallow ? -1 : 1;
    return x->class < y->class ? -1 : x->class > y->class;
}

static bool name_contains(const struct wick_heap_classes *c, uint32_t class, const char *part)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    wick_heap_class_name(c, class, &name);
    bool yes = strstr(name.buf, part) != NULL;
    wick_strbuf_release(&name);
    return yes;
}

int wick_heap_rows_make(struct wick_heap_rows *rows, struct wick_heap_report *r, const struct wick_heap_table *t)
{
    const struct wick_heap_classes *c = &r->graph.classes;
    struct row *all = calloc((size_t)c->n + 1, sizeof *all);
    *rows = (struct wick_heap_rows){calloc((size_t)c->n + 1, sizeof *rows->class), 0,
                                    calloc((size_t)c->n + 1, sizeof *rows->retained)};
    bool sizes = r->retained.sum != NULL;
    size_t len;
    for (uint32_t i = 0; all && i < c->n; i++) {
        if (!c->all[i].objects || (t->class && !name_contains(c, i, t->class)))
            continue;
        enum wick_heap_sort sort = t->sort == WICK_HEAP_BY_RETAINED && !sizes ? WICK_HEAP_BY_SHALLOW : t->sort;
        all[rows->n++] = (struct row){i,
                                      sort,
                                      sizes ? r->retained.sum[i].retained : 0,
                                      c->all[i].shallow,
                                      c->all[i].objects,
                                      wick_heap_class_internal(c, i, &len)};
    }
    int rc = all && rows->class && rows->retained ? 0 : -WICK_E_NOMEM;
    if (!rc && rows->n)
        qsort(all, rows->n, sizeof *all, compare);
    for (size_t i = 0; !rc && i < rows->n; i++) {
        rows->class[i] = all[i].class;
        rows->retained[i] = all[i].retained;
    }
    free(all);
    if (rc)
        wick_heap_rows_release(rows);
    return rc;
}

void wick_heap_rows_release(struct wick_heap_rows *rows)
{
    free(rows->class);
    free(rows->retained);
    *rows = (struct wick_heap_rows){0};
}

/* The objects that retain most of the classes whose name is the word, or else of those that contain it. */
static int of_class(struct wick_heap_report *r, const struct wick_heap_table *t, uint32_t *objects, size_t most,
                    size_t *n, struct wick_err *err)
{
    const struct wick_heap_classes *c = &r->graph.classes;
    bool *whole = calloc((size_t)c->n + 1, 1), *part = calloc((size_t)c->n + 1, 1), any = false, some = false;
    struct wick_heap_top *tops = calloc(most + 1, sizeof *tops);
    if (!whole || !part || !tops) {
        free(whole);
        free(part);
        free(tops);
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < c->n; i++) {
        struct wick_strbuf name = WICK_STRBUF_INIT;
        wick_heap_class_name(c, i, &name);
        whole[i] = c->all[i].objects && !strcmp(name.buf, t->path);
        part[i] = c->all[i].objects && strstr(name.buf, t->path);
        any |= whole[i];
        some |= part[i];
        wick_strbuf_release(&name);
    }
    *n = wick_heap_largest(&r->retained, &r->graph, any ? whole : part, most, tops);
    for (size_t i = 0; i < *n; i++)
        objects[i] = tops[i].object;
    free(whole);
    free(part);
    free(tops);
    if (*n)
        return 0;
    if (any || some)
        return wick_err_set(
            err, WICK_E_NOTFOUND,
            "no object of a class '%.100s' is reachable from a GC root: those there are garbage, or held "
            "by soft, weak, phantom or final references only",
            t->path);
    return wick_err_set(err, WICK_E_NOTFOUND, "no object's class has '%.100s' in its name", t->path);
}

static int of_id(struct wick_heap_report *r, const char *word, uint32_t *object, struct wick_err *err)
{
    char *end;
    uint64_t id = strtoull(word, &end, 16);
    if (*end)
        return wick_err_set(err, WICK_E_USAGE, "'%.100s' is not an id, which is 0x and hexadecimal digits", word);
    *object = wick_heap_ids_find(&r->graph.ids, id);
    return *object != WICK_HEAP_NONE ? 0 : wick_err_set(err, WICK_E_NOTFOUND, "the dump has no object %.100s", word);
}

int wick_heap_table_targets(struct wick_heap_report *r, const struct wick_heap_table *t, uint32_t **objects,
                            struct wick_heap_path **paths, size_t *n, struct wick_err *err)
{
    size_t most = t->rows && t->rows < 1000 ? t->rows : 1000;
    *objects = calloc(most + 1, sizeof **objects);
    *paths = calloc(most + 1, sizeof **paths);
    *n = 1;
    int rc = *objects && *paths ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (!rc)
        rc = strncmp(t->path, "0x", 2) ? of_class(r, t, *objects, most, n, err) : of_id(r, t->path, *objects, err);
    rc = rc ? rc : wick_heap_paths_find(&r->graph, *objects, *n, *paths, err);
    if (rc) {
        free(*objects);
        free(*paths);
    }
    return rc;
}
