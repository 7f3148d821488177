/* SPDX-License-Identifier: Apache-2.0 */
/* `wick heap` as JSON: one object with everything that the text shows; sizes in bytes. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/heap/heap_table.h"
#include "codec/json.h"

static void put(struct wick_json *j, const char *key, uint64_t v)
{
    wick_json_key(j, key);
    wick_json_uint(j, v);
}

static void put_text(struct wick_json *j, const char *key, const struct wick_strbuf *text)
{
    wick_json_key(j, key);
    wick_json_str(j, text->buf, text->len);
}

static void put_class(struct wick_json *j, const struct wick_heap_report *r, uint32_t class)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    wick_heap_class_name(&r->graph.classes, class, &name);
    put_text(j, "class", &name);
    wick_strbuf_release(&name);
}

/* "id", "class" and "object" of an object that is open. */
static void put_object(struct wick_json *j, struct wick_heap_report *r, uint32_t object)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    struct wick_heap_brief brief = wick_heap_graph_brief(&r->graph, object);
    wick_strbuf_addf(&name, "0x%" PRIx64, brief.id);
    put_text(j, "id", &name);
    put_class(j, r, brief.class);
    wick_strbuf_clear(&name);
    wick_heap_object_add(&r->graph, object, &name);
    put_text(j, "object", &name);
    put(j, "shallow", brief.bytes);
    uint32_t number = r->ask.graph ? wick_heap_u32(&r->retained.d.number)[object] : 0;
    if (number)
        put(j, "retained", wick_heap_retained_of(&r->retained, number));
    wick_strbuf_release(&name);
}

static void put_path(struct wick_json *j, struct wick_heap_report *r, const struct wick_heap_path *p)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    if (p->n)
        wick_heap_root_add(&r->graph, p->objects[0], &text);
    put_text(j, "root", &text);
    wick_json_key(j, "path");
    wick_json_open(j, '[');
    for (uint32_t i = 0; i < p->n; i++) {
        wick_json_open(j, '{');
        wick_strbuf_clear(&text);
        if (i)
            wick_heap_reference_add(&r->graph, p->objects[i - 1], p->objects[i], &text);
        put_text(j, "reference", &text);
        put_object(j, r, p->objects[i]);
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
    wick_strbuf_release(&text);
}

static void put_suspects(struct wick_json *j, struct wick_heap_report *r)
{
    wick_json_key(j, "suspects");
    wick_json_open(j, '[');
    for (size_t i = 0; i < r->retained.nsuspects; i++) {
        const struct wick_heap_suspect *s = &r->retained.suspects[i];
        wick_json_open(j, '{');
        put_object(j, r, s->object);
        put(j, "alike", s->alike);
        put(j, "alikeRetained", s->alike_retained);
        wick_json_key(j, "keeps");
        wick_json_open(j, '[');
        for (size_t k = 0; k < WICK_HEAP_KEPT && s->kept[k].objects; k++) {
            wick_json_open(j, '{');
            put_class(j, r, s->kept[k].class);
            put(j, "objects", s->kept[k].objects);
            put(j, "retained", s->kept[k].retained);
            wick_json_close(j, '}');
        }
        wick_json_close(j, ']');
        put_path(j, r, &r->paths[i]);
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
}

static int put_classes(struct wick_json *j, struct wick_heap_report *r, const struct wick_heap_table *t)
{
    struct wick_heap_rows rows;
    if (wick_heap_rows_make(&rows, r, t))
        return -WICK_E_NOMEM;
    wick_json_key(j, "classes");
    wick_json_open(j, '[');
    for (size_t i = 0; i < rows.n && (!t->rows || i < t->rows); i++) {
        const struct wick_heap_class *k = &r->graph.classes.all[rows.class[i]];
        wick_json_open(j, '{');
        put_class(j, r, rows.class[i]);
        put(j, "objects", k->objects);
        put(j, "bytes", k->shallow);
        if (r->retained.sum) {
            const struct wick_heap_class_sum *sum = &r->retained.sum[rows.class[i]];
            put(j, "reachable_objects", sum->objects);
            put(j, "reachable_bytes", sum->bytes);
            put(j, "retained", sum->retained);
            put(j, "dominators", sum->tops);
            put(j, "dominators_retained", sum->tops_retained);
        }
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
    wick_heap_rows_release(&rows);
    return 0;
}

/* How long headers and references are, from which sizes follow. */
static void put_layout(struct wick_json *j, const struct wick_heap_report *r)
{
    const struct wick_heap_layout *l = &r->graph.classes.layout;
    wick_json_key(j, "layout");
    wick_json_open(j, '{');
    put(j, "header", l->header);
    put(j, "array_header", l->array);
    put(j, "reference", l->ref);
    put(j, "alignment", l->align);
    put(j, "class_object", l->mirror); /* without static fields */
    wick_json_key(j, "measured");
    wick_json_raw(j, l->measured ? "true" : "false");
    wick_json_close(j, '}');
}

static void put_dominators(struct wick_json *j, struct wick_heap_report *r)
{
    wick_json_key(j, "dominators");
    wick_json_open(j, '[');
    for (size_t i = 0; i < r->retained.ntops; i++) {
        wick_json_open(j, '{');
        put_object(j, r, r->retained.tops[i].object);
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
}

static void put_loaders(struct wick_json *j, struct wick_heap_report *r)
{
    wick_json_key(j, "loaders");
    wick_json_open(j, '[');
    for (size_t i = 0; i < r->loaders.n; i++) {
        const struct wick_heap_loader *l = &r->loaders.all[i];
        wick_json_open(j, '{');
        if (l->object != WICK_HEAP_NONE)
            put_object(j, r, l->object);
        put(j, "classes", l->classes);
        put(j, "retained_with_classes", l->retained);
        put(j, "classes_again", l->again);
        put(j, "instances", l->objects);
        put(j, "instance_bytes", l->bytes);
        wick_json_key(j, "reachable");
        wick_json_raw(j, l->reachable ? "true" : "false");
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
}

static void put_duplicates(struct wick_json *j, struct wick_heap_report *r, const char *key,
                           const struct wick_heap_duplicates *d)
{
    wick_json_key(j, key);
    wick_json_open(j, '{');
    put(j, "all", d->all);
    put(j, "objects", d->objects);
    put(j, "contents", d->groups);
    put(j, "waste", d->waste);
    wick_json_key(j, "top");
    wick_json_open(j, '[');
    for (size_t i = 0; i < d->ntop; i++) {
        wick_json_open(j, '{');
        put_object(j, r, d->top[i].object);
        put(j, "count", d->top[i].count);
        put(j, "bytes", d->top[i].bytes);
        put(j, "waste", d->top[i].waste);
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
    wick_json_close(j, '}');
}

static void put_collections(struct wick_json *j, const struct wick_heap_report *r)
{
    wick_json_key(j, "collections");
    wick_json_open(j, '[');
    for (size_t i = 0; i < r->waste.ncollections; i++) {
        const struct wick_heap_collection *c = &r->waste.collections[i];
        wick_json_open(j, '{');
        put_class(j, r, c->class);
        put(j, "objects", c->objects);
        put(j, "empty", c->empty);
        put(j, "half_empty", c->half);
        put(j, "capacity", c->capacity);
        put(j, "used", c->used);
        put(j, "waste", c->waste);
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
}

static void put_views(struct wick_json *j, struct wick_heap_report *r)
{
    const struct wick_heap_views *v = &r->views;
    struct wick_strbuf owner = WICK_STRBUF_INIT;
    wick_json_key(j, "views");
    wick_json_open(j, '{');
    put(j, "buffers", v->buffers);
    put(j, "arrays", v->arrays);
    put(j, "used", v->used);
    put(j, "bytes", v->bytes);
    put(j, "waste", wick_heap_views_waste(v));
    wick_heap_views_owner_add(v, &r->graph, &owner);
    if (owner.len) {
        wick_json_key(j, "owner");
        wick_json_str(j, owner.buf, owner.len);
        put(j, "owned", v->owned);
    }
    wick_json_close(j, '}');
    wick_strbuf_release(&owner);
}

int wick_heap_json_write(struct wick_heap_report *r, const struct wick_heap_table *t, FILE *out, struct wick_err *err)
{
    struct wick_json j = {.out = out};
    wick_json_open(&j, '{');
    wick_json_key(&j, "file");
    wick_json_cstr(&j, t->title);
    put(&j, "time_ms", r->graph.hprof.time_ms);
    put(&j, "objects", r->graph.totals.objects);
    put(&j, "bytes", r->graph.totals.bytes);
    if (r->ask.graph) {
        put(&j, "reachable_objects", r->retained.objects);
        put(&j, "reachable_bytes", r->retained.bytes);
    }
    put_layout(&j, r);
    if (put_classes(&j, r, t))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory while writing JSON");
    if (r->ask.graph) {
        put_suspects(&j, r);
        put_dominators(&j, r);
        put_loaders(&j, r);
    }
    if (r->ask.waste) {
        put_duplicates(&j, r, "duplicate_strings", &r->waste.strings);
        put_duplicates(&j, r, "duplicate_arrays", &r->waste.arrays);
        put_collections(&j, r);
        put_views(&j, r);
    }
    wick_json_close(&j, '}');
    fputc('\n', out);
    return 0;
}

void wick_heap_json_write_paths(struct wick_heap_report *r, const uint32_t *objects, const struct wick_heap_path *paths,
                                size_t n, FILE *out)
{
    struct wick_json j = {.out = out};
    wick_json_open(&j, '[');
    for (size_t i = 0; i < n; i++) {
        wick_json_open(&j, '{');
        put_object(&j, r, objects[i]);
        put_path(&j, r, &paths[i]);
        wick_json_close(&j, '}');
    }
    wick_json_close(&j, ']');
    fputc('\n', out);
}
