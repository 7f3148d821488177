/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/class_diff.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "heap/classes_int.h"

/* Cuts the number of a hidden class: "Foo$$Lambda+0x00007f45" or "Foo/0x0000...". */
static size_t without_number(const char *name, size_t len)
{
    size_t i = len;
    while (i && isxdigit((unsigned char)name[i - 1]))
        i--;
    if (i >= 2 && name[i - 1] == 'x' && name[i - 2] == '0')
        i -= 2;
    return i && i < len && (name[i - 1] == '/' || name[i - 1] == '+') ? i - 1 : len;
}

static struct wick_heap_class_diff_row *row_of(struct wick_heap_class_diff *d, const char *name, size_t len)
{
    uint64_t hash = wick_hash_bytes(name, len);
    uint32_t at = wick_index_start(&d->by_name, hash), id;
    while (wick_index_next(&d->by_name, hash, &at, &id))
        if (strlen(d->rows[id].name) == len && !memcmp(d->rows[id].name, name, len))
            return &d->rows[id];
    void *p = d->rows;
    if (wick_heap_grow(&p, &d->cap, d->n, sizeof *d->rows))
        return NULL;
    d->rows = p;
    char *copy = strndup(name, len);
    if (!copy || wick_index_add(&d->by_name, hash, (uint32_t)d->n)) {
        free(copy);
        return NULL;
    }
    d->rows[d->n] = (struct wick_heap_class_diff_row){.name = copy};
    return &d->rows[d->n++];
}

static void add(struct wick_heap_figures *to, const struct wick_heap_figures *f)
{
    to->objects += f->objects;
    to->bytes += f->bytes;
    to->retained += f->retained;
    to->tops += f->tops;
    to->tops_retained += f->tops_retained;
}

int wick_heap_class_diff_take(struct wick_heap_class_diff *d, const struct wick_heap_report *r, int side)
{
    const struct wick_heap_classes *c = &r->graph.classes;
    struct wick_strbuf name = WICK_STRBUF_INIT;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < c->n; i++) {
        const struct wick_heap_class_sum *sum = r->retained.sum ? &r->retained.sum[i] : NULL;
        struct wick_heap_figures f = {c->all[i].objects, c->all[i].shallow, 0, 0, 0};
        if (sum)
            f = (struct wick_heap_figures){sum->objects, sum->bytes, sum->retained, sum->tops, sum->tops_retained};
        if (!f.objects)
            continue;
        wick_strbuf_clear(&name);
        wick_heap_class_name(c, i, &name);
        struct wick_heap_class_diff_row *row = row_of(d, name.buf, without_number(name.buf, strlen(name.buf)));
        if (row)
            add(&row->side[side], &f);
        rc = row ? 0 : -WICK_E_NOMEM;
        add(&d->total[side], &f);
    }
    wick_strbuf_release(&name);
    return rc;
}

static uint64_t figure(const struct wick_heap_figures *f, enum wick_heap_class_diff_key key)
{
    const uint64_t figures[] = {[WICK_HEAP_DIFF_BYTES] = f->bytes,
                                [WICK_HEAP_DIFF_OBJECTS] = f->objects,
                                [WICK_HEAP_DIFF_RETAINED] = f->retained,
                                [WICK_HEAP_DIFF_TOPS] = f->tops_retained};
    return figures[key];
}

int64_t wick_heap_class_diff_growth(const struct wick_heap_class_diff_row *row, enum wick_heap_class_diff_key key)
{
    return (int64_t)(figure(&row->side[1], key) - figure(&row->side[0], key));
}

static int compare(const void *a, const void *b, void *key)
{
    const struct wick_heap_class_diff_row *x = a, *y = b;
    int64_t m = llabs(wick_heap_class_diff_growth(x, *(enum wick_heap_class_diff_key *)key));
    int64_t n = llabs(wick_heap_class_diff_growth(y, *(enum wick_heap_class_diff_key *)key));
    return m != n ? (m > n ? -1 : 1) : strcmp(x->name, y->name);
}

void wick_heap_class_diff_sort(struct wick_heap_class_diff *d, enum wick_heap_class_diff_key key)
{
    if (d->n)
        qsort_r(d->rows, d->n, sizeof *d->rows, compare, &key);
}

void wick_heap_class_diff_release(struct wick_heap_class_diff *d)
{
    for (size_t i = 0; i < d->n; i++)
        free(d->rows[i].name);
    free(d->rows);
    wick_index_release(&d->by_name);
    *d = (struct wick_heap_class_diff){0};
}
