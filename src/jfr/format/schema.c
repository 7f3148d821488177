/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metadata event: a chunk's description of its own events
 *
 * It is a small XML-like tree in binary: a table of strings, then elements, each `name, attributes, children` with all
 * text as numbers in that table.
 *
 *     root
 *       metadata
 *         class id name [superType] [simpleType]        one per event and type
 *           field name class [constantPool] [dimension]
 *             annotation class [value | value-0 value-1]
 *           annotation ...
 *       region locale gmtOffset
 *
 * The elements go to one buffer while their strings are collected in a table; both are joined at the end. The tables
 * below come from the .def files, so an event cannot be declared one way and written another.
 */
#include "jfr/format/schema.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "jfr/format/bytes.h"
#include "jfr/format/dense_ids.h"

const struct wick_jfr_kind_info wick_jfr_kinds[WICK_JFR_KINDS] = {
#define X(K, ctype, CLASS, pool, ANNOTATION, value, unit) \
    {#K, WICK_JFR_TYPE_##CLASS, pool, WICK_JFR_TYPE_##ANNOTATION, value, unit},
#include "def/jfr_kind.def"
#undef X
};

/* Where each event's fields begin and end in wick_jfr_fields: an enumeration in which every event takes its fields'
 * numbers, and the next event begins where it ended. */
enum bounds {
#define EVENT(N, n, ...)            FIRST_##N, BEFORE_##N = FIRST_##N - 1,
#define FIELD(N, kind, member, ...) AT_##N##_##member,
#define EXTRA                       FIELD
#define END(N, n)                   LAST_##N, AFTER_##N = LAST_##N - 1,
#include "def/event.def"
#undef EVENT
#undef FIELD
#undef EXTRA
#undef END
};

const struct wick_jfr_event_info wick_jfr_events[WICK_JFR_EVENT_COUNT] = {
#define EVENT(N, n, jfr_name, label, category, subcategory, description) \
    {                                                                    \
        jfr_name, label, category, subcategory, description, (enum wick_jfr_field_id)FIRST_##N,
#define FIELD(...)
#define EXTRA(...)
#define END(N, n)                     \
    (enum wick_jfr_field_id) LAST_##N \
    }                                 \
    ,
#include "def/event.def"
#undef EVENT
#undef FIELD
#undef EXTRA
#undef END
};
_Static_assert((int)FIRST_PERF_SAMPLE == (int)WICK_JFR_FIELD_PERF_SAMPLE_start_ns, "bounds agree with the field ids");
_Static_assert((int)LAST_NETWORK_CALL == (int)WICK_JFR_FIELD_COUNT, "bounds agree with the field ids");

const struct wick_jfr_field_info wick_jfr_fields[WICK_JFR_FIELD_COUNT] = {
#define EVENT(...)
#define FIELD(N, K, member, jfr_name, label, description) {WICK_JFR_KIND_##K, jfr_name, label, description},
#define EXTRA                                             FIELD
#define END(...)
#include "def/event.def"
#undef EVENT
#undef FIELD
#undef EXTRA
#undef END
};

enum shape { PLAIN, SIMPLE, ANNOTATION, CONTENT };

/* def/jfr_type.def as rows in order: a type, then its members. */
static const struct row {
    enum wick_jfr_type_id id; /* of a type; of the member's class */
    const char *name, *label;
    bool member, pool, array;
    enum shape shape;
} rows[] = {
#define TYPE(N, jfr_name, shape_, label_) {WICK_JFR_TYPE_##N, jfr_name, label_, .shape = shape_},
#define MEMBER(N, field, CLASS, pool_, array_, label_) \
    {WICK_JFR_TYPE_##CLASS, field, label_, .member = true, .pool = pool_, .array = array_},
#include "def/jfr_type.def"
#undef TYPE
#undef MEMBER
};
enum { ROWS = sizeof rows / sizeof rows[0] };

struct tree {
    struct wick_strbuf body;
    struct wick_jfr_names names;
    bool failed;
};

static void put_text(struct tree *t, const char *s)
{
    uint32_t id = wick_jfr_names_add(&t->names, s, strlen(s));
    t->failed |= !id;
    wick_jfr_add_int(&t->body, id - 1);
}

static void put_attribute(struct tree *t, const char *key, const char *value)
{
    put_text(t, key);
    put_text(t, value);
}

static void put_number(struct tree *t, const char *key, unsigned value)
{
    char text[16];
    snprintf(text, sizeof text, "%u", value);
    put_attribute(t, key, text);
}

static void element(struct tree *t, const char *name, unsigned attributes)
{
    put_text(t, name);
    wick_jfr_add_int(&t->body, attributes);
}

static void children(struct tree *t, unsigned n)
{
    wick_jfr_add_int(&t->body, n);
}

static void put_annotation(struct tree *t, enum wick_jfr_type_id type, const char *value)
{
    element(t, "annotation", value ? 2 : 1);
    put_number(t, "class", type);
    if (value)
        put_attribute(t, "value", value);
    children(t, 0);
}

/* Opens a field element: its attributes; the caller counts and adds the annotations. */
static void put_field(struct tree *t, const char *name, enum wick_jfr_type_id class, bool pool, bool array)
{
    element(t, "field", 2u + pool + array);
    put_attribute(t, "name", name);
    put_number(t, "class", class);
    if (pool)
        put_attribute(t, "constantPool", "true");
    if (array)
        put_attribute(t, "dimension", "1");
}

static void put_event_field(struct tree *t, const struct wick_jfr_field_info *f)
{
    const struct wick_jfr_kind_info *k = &wick_jfr_kinds[f->kind];
    bool address = k->annotation == WICK_JFR_TYPE_MEMORY_ADDRESS;
    put_field(t, f->jfr_name, k->type, k->pool, false);
    children(t, 1u + !!k->annotation + address + !!f->description);
    put_annotation(t, WICK_JFR_TYPE_LABEL, f->label);
    if (f->description)
        put_annotation(t, WICK_JFR_TYPE_DESCRIPTION, f->description);
    if (address)
        put_annotation(t, WICK_JFR_TYPE_UNSIGNED, NULL);
    if (k->annotation)
        put_annotation(t, k->annotation, k->annotation_value);
}

static void put_event(struct tree *t, enum wick_jfr_event_id id)
{
    const struct wick_jfr_event_info *e = &wick_jfr_events[id];
    element(t, "class", 3);
    put_attribute(t, "name", e->jfr_name);
    put_attribute(t, "superType", "jdk.jfr.Event");
    put_number(t, "id", (unsigned)wick_jfr_event_type_id(id));
    children(t, (unsigned)(e->end_field - e->first_field) + 2 + !!e->description);
    for (int f = (int)e->first_field; f < (int)e->end_field; f++)
        put_event_field(t, &wick_jfr_fields[f]);
    element(t, "annotation", e->subcategory ? 3 : 2);
    put_number(t, "class", WICK_JFR_TYPE_CATEGORY);
    put_attribute(t, "value-0", e->category);
    if (e->subcategory)
        put_attribute(t, "value-1", e->subcategory);
    children(t, 0);
    put_annotation(t, WICK_JFR_TYPE_LABEL, e->label);
    if (e->description)
        put_annotation(t, WICK_JFR_TYPE_DESCRIPTION, e->description);
}

/* Writes the type at rows[i] with its members and returns the place of the next type. */
static int put_type(struct tree *t, int i)
{
    const struct row *r = &rows[i];
    int end = i + 1;
    while (end < ROWS && rows[end].member)
        end++;
    bool annotation = r->shape == ANNOTATION || r->shape == CONTENT;
    element(t, "class", 2u + annotation + (r->shape == SIMPLE));
    put_attribute(t, "name", r->name);
    if (annotation)
        put_attribute(t, "superType", "java.lang.annotation.Annotation");
    if (r->shape == SIMPLE)
        put_attribute(t, "simpleType", "true");
    put_number(t, "id", r->id);
    children(t, (unsigned)(end - i - 1) + !!r->label + (r->shape == CONTENT));
    for (int m = i + 1; m < end; m++) {
        put_field(t, rows[m].name, rows[m].id, rows[m].pool, rows[m].array);
        children(t, !!rows[m].label);
        if (rows[m].label)
            put_annotation(t, WICK_JFR_TYPE_LABEL, rows[m].label);
    }
    if (r->shape == CONTENT)
        put_annotation(t, WICK_JFR_TYPE_CONTENT_TYPE, NULL);
    if (r->label)
        put_annotation(t, WICK_JFR_TYPE_LABEL, r->label);
    return end;
}

static void put_root(struct tree *t)
{
    unsigned types = 0;
    for (int i = 0; i < ROWS; i++)
        types += !rows[i].member;
    element(t, "root", 0);
    children(t, 2);
    element(t, "metadata", 0);
    children(t, WICK_JFR_EVENT_COUNT + types);
    for (int e = 0; e < WICK_JFR_EVENT_COUNT; e++)
        put_event(t, (enum wick_jfr_event_id)e);
    for (int i = 0; i < ROWS;)
        i = put_type(t, i);
    element(t, "region", 2);
    put_attribute(t, "locale", "en_US");
    put_attribute(t, "gmtOffset", "0");
    children(t, 0);
}

int wick_jfr_schema_metadata(struct wick_strbuf *out)
{
    struct tree t = {.body = WICK_STRBUF_INIT};
    put_root(&t);
    wick_jfr_add_int(out, t.names.count);
    for (uint32_t i = 1; i <= t.names.count; i++) {
        size_t len;
        const char *s = wick_jfr_names_get(&t.names, i, &len);
        wick_jfr_add_string(out, s, len);
    }
    wick_strbuf_add(out, t.body.buf, t.body.len);
    bool failed = t.failed || t.body.failed || out->failed;
    wick_strbuf_release(&t.body);
    wick_jfr_names_release(&t.names);
    return failed ? -WICK_E_NOMEM : 0;
}
