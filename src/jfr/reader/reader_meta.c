/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader_meta.c - the metadata event: a chunk describes its own types
 *
 * Format (JDK jdk.jfr.internal.MetadataReader): after size, type 0, start, duration and metadata id come a table of
 * strings and one tree of elements. An element is its name, attribute pairs and children, all names and values being
 * numbers in the string table:
 *
 *     root - metadata - class(id, name, superType, simpleType) - field(name, class, constantPool, dimension)
 *                                                                  - annotation(class, value)
 *          - region
 *
 * Annotations on a field say its unit. An annotation names its class by id, which may be defined further on, so units
 * are worked out after the whole tree is read.
 *
 * Then every type is checked once: how many bytes a value takes at least, and whether values can be stepped over at all
 * (no unknown types, no struct that contains itself). Fields whose values take no bytes carry nothing and are removed,
 * so that decoding never loops without consuming input.
 */
#include "jfr/reader/reader_int.h"

#include <inttypes.h>
#include <stdlib.h>

#define ELEMENT_DEPTH 32

struct wick_jfr_note {
    uint32_t field, value;
    int64_t class_id;
};

enum element_kind { ELEMENT_OTHER, ELEMENT_CLASS, ELEMENT_FIELD, ELEMENT_ANNOTATION };

struct element {
    uint32_t name, super, value;
    int64_t id, class_id;
    bool pooled, array;
};

/* Appends len bytes as a string of its own and returns its offset. */
static uint32_t keep(struct wick_jfr_meta *m, const void *s, size_t len)
{
    uint32_t at = (uint32_t)m->text.len;
    wick_strbuf_add(&m->text, s, len);
    wick_strbuf_addc(&m->text, 0);
    return at;
}

static uint32_t read_string(struct wick_jfr_reader *r, struct wick_jfr_cur *c)
{
    struct wick_jfr_meta *m = &r->meta;
    uint8_t encoding = wick_jfr_cur_byte(c);
    if (encoding <= 1)
        return 0;
    uint64_t n = wick_jfr_cur_int(c);
    if (n > wick_jfr_cur_left(c) || m->text.len + n * 4 >= UINT32_MAX) {
        wick_jfr_cur_fail(c);
        return 0;
    }
    const char *s = (const char *)c->p;
    switch (encoding) {
    case 3: /* UTF-8 */
    case 5: /* Latin-1: names that matter here are ASCII */
        wick_jfr_cur_skip(c, n);
        return keep(m, s, n);
    case 4: { /* UTF-16 code units as compressed integers */
        uint32_t at = (uint32_t)m->text.len;
        for (uint64_t i = 0; i < n && !c->bad; i++) {
            uint64_t u = wick_jfr_cur_int(c);
            wick_strbuf_addc(&m->text, u && u < 0x80 ? (char)u : '?');
        }
        wick_strbuf_addc(&m->text, 0);
        return at;
    }
    default:
        wick_jfr_cur_fail(c);
        return 0;
    }
}

static bool read_strings(struct wick_jfr_reader *r, struct wick_jfr_cur *c)
{
    struct wick_jfr_meta *m = &r->meta;
    uint64_t n = wick_jfr_cur_int(c);
    keep(m, "", 0);
    if (n > wick_jfr_cur_left(c))
        return false;
    for (uint64_t i = 0; i < n && !c->bad; i++) {
        uint32_t s = read_string(r, c);
        if (!wick_jfr_room(r, &m->strings, m->nstrings, &m->cap_strings, sizeof *m->strings))
            return false;
        m->strings[m->nstrings++] = s;
    }
    return !c->bad && !m->text.failed;
}

static uint32_t string_number(const struct wick_jfr_meta *m, struct wick_jfr_cur *c)
{
    uint64_t i = wick_jfr_cur_int(c);
    if (i < m->nstrings)
        return m->strings[i];
    wick_jfr_cur_fail(c);
    return 0;
}

static void read_attributes(struct wick_jfr_meta *m, struct wick_jfr_cur *c, struct element *e)
{
    uint64_t n = wick_jfr_cur_int(c);
    for (uint64_t i = 0; i < n && !c->bad; i++) {
        const char *key = wick_jfr_text_at(m, string_number(m, c));
        uint32_t value = string_number(m, c);
        const char *text = wick_jfr_text_at(m, value);
        if (strcmp(key, "id") == 0)
            e->id = strtoll(text, NULL, 10);
        else if (strcmp(key, "class") == 0)
            e->class_id = strtoll(text, NULL, 10);
        else if (strcmp(key, "name") == 0)
            e->name = value;
        else if (strcmp(key, "superType") == 0)
            e->super = value;
        else if (strcmp(key, "value") == 0 || strcmp(key, "value-0") == 0)
            e->value = value;
        else if (strcmp(key, "constantPool") == 0)
            e->pooled = strcmp(text, "true") == 0;
        else if (strcmp(key, "dimension") == 0)
            e->array = strcmp(text, "0") != 0;
    }
}

static uint8_t prim_of(const char *name)
{
    static const char *const names[] = {
        [WICK_JFR_BOOLEAN] = "boolean", [WICK_JFR_BYTE] = "byte",     [WICK_JFR_CHAR] = "char",
        [WICK_JFR_SHORT] = "short",     [WICK_JFR_INT] = "int",       [WICK_JFR_LONG] = "long",
        [WICK_JFR_FLOAT] = "float",     [WICK_JFR_DOUBLE] = "double", [WICK_JFR_STRING] = "java.lang.String",
    };
    for (uint8_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] && strcmp(names[i], name) == 0)
            return i;
    return WICK_JFR_STRUCT;
}

static bool add_type(struct wick_jfr_reader *r, const struct element *e)
{
    struct wick_jfr_meta *m = &r->meta;
    if (wick_jfr_type_by_id(m, e->id) != WICK_JFR_NONE)
        return false; /* the first definition counts, the fields of this one go nowhere */
    if (!wick_jfr_room(r, &m->types, m->ntypes, &m->cap_types, sizeof *m->types) ||
        wick_index_add(&m->by_id, wick_hash_2((uint64_t)e->id, 1), m->ntypes)) {
        r->nomem = true;
        return false;
    }
    if (e->id >= 0 && (uint64_t)e->id < sizeof m->dense / sizeof *m->dense)
        m->dense[e->id] = m->ntypes + 1;
    m->types[m->ntypes++] = (struct wick_jfr_type){
        .id = e->id,
        .name = e->name,
        .first_field = m->nfields,
        .pool = WICK_JFR_NONE,
        .handler = WICK_JFR_NONE,
        .prim = prim_of(wick_jfr_text_at(m, e->name)),
        .is_event = strcmp(wick_jfr_text_at(m, e->super), "jdk.jfr.Event") == 0,
    };
    return true;
}

static bool add_field(struct wick_jfr_reader *r, const struct element *e)
{
    struct wick_jfr_meta *m = &r->meta;
    if (!wick_jfr_room(r, &m->fields, m->nfields, &m->cap_fields, sizeof *m->fields))
        return false;
    m->fields[m->nfields++] = (struct wick_jfr_field){
        .name = e->name, .type = WICK_JFR_NONE, .type_id = e->class_id, .pooled = e->pooled, .array = e->array};
    m->types[m->ntypes - 1].nfields++;
    return true;
}

static bool add_note(struct wick_jfr_reader *r, const struct element *e)
{
    struct wick_jfr_meta *m = &r->meta;
    if (!wick_jfr_room(r, &m->notes, m->nnotes, &m->cap_notes, sizeof *m->notes))
        return false;
    m->notes[m->nnotes++] = (struct wick_jfr_note){m->nfields - 1, e->value, e->class_id};
    return true;
}

/* What an element is, given its parent; only the three we need, only where they belong. */
static enum element_kind kind_of(const char *name, enum element_kind parent)
{
    if (parent == ELEMENT_OTHER && strcmp(name, "class") == 0)
        return ELEMENT_CLASS;
    if (parent == ELEMENT_CLASS && strcmp(name, "field") == 0)
        return ELEMENT_FIELD;
    if (parent == ELEMENT_FIELD && strcmp(name, "annotation") == 0)
        return ELEMENT_ANNOTATION;
    /* Whatever lies inside of something else is of no interest, but must not be mistaken for a class. */
    return parent == ELEMENT_OTHER ? ELEMENT_OTHER : ELEMENT_ANNOTATION;
}

static void read_element(struct wick_jfr_reader *r, struct wick_jfr_cur *c, enum element_kind parent, unsigned depth)
{
    struct element e = {0};
    enum element_kind kind = kind_of(wick_jfr_text_at(&r->meta, string_number(&r->meta, c)), parent);
    read_attributes(&r->meta, c, &e);
    if (c->bad)
        return;
    if (kind == ELEMENT_CLASS && !add_type(r, &e))
        kind = ELEMENT_ANNOTATION;
    else if (kind == ELEMENT_FIELD && !add_field(r, &e))
        kind = ELEMENT_ANNOTATION;
    else if (kind == ELEMENT_ANNOTATION && parent == ELEMENT_FIELD)
        add_note(r, &e);
    uint64_t n = wick_jfr_cur_int(c);
    if (depth >= ELEMENT_DEPTH && n)
        wick_jfr_cur_fail(c);
    for (uint64_t i = 0; i < n && !c->bad && !r->nomem; i++)
        read_element(r, c, kind, depth + 1);
}

static uint8_t unit_of(const char *annotation, const char *value)
{
    static const struct {
        const char *annotation, *value;
        uint8_t unit;
    } units[] = {
        {"jdk.jfr.Timespan", "TICKS", WICK_JFR_SPAN_TICKS},
        {"jdk.jfr.Timespan", "NANOSECONDS", WICK_JFR_SPAN_NS},
        {"jdk.jfr.Timespan", "MICROSECONDS", WICK_JFR_SPAN_US},
        {"jdk.jfr.Timespan", "MILLISECONDS", WICK_JFR_SPAN_MS},
        {"jdk.jfr.Timespan", "SECONDS", WICK_JFR_SPAN_S},
        {"jdk.jfr.Timespan", "", WICK_JFR_SPAN_NS}, /* the annotation's default */
        {"jdk.jfr.Timestamp", "TICKS", WICK_JFR_AT_TICKS},
        {"jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH", WICK_JFR_AT_EPOCH_MS},
        {"jdk.jfr.Timestamp", "", WICK_JFR_AT_EPOCH_MS},
        {"jdk.jfr.DataAmount", "BYTES", WICK_JFR_BYTES},
        {"jdk.jfr.DataAmount", "", WICK_JFR_BYTES},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].annotation, annotation) == 0 && strcmp(units[i].value, value) == 0)
            return units[i].unit;
    return WICK_JFR_PLAIN;
}

static void resolve_references(struct wick_jfr_meta *m)
{
    for (uint32_t i = 0; i < m->nfields; i++)
        m->fields[i].type = wick_jfr_type_by_id(m, m->fields[i].type_id);
    for (uint32_t i = 0; i < m->nnotes; i++) {
        uint32_t cls = wick_jfr_type_by_id(m, m->notes[i].class_id);
        if (cls == WICK_JFR_NONE)
            continue;
        uint8_t unit = unit_of(wick_jfr_text_at(m, m->types[cls].name), wick_jfr_text_at(m, m->notes[i].value));
        if (unit)
            m->fields[m->notes[i].field].unit = unit;
    }
}

static void check_type(struct wick_jfr_meta *m, uint32_t type, unsigned level);

/* The least size of a field's value, and the nesting it adds; false if it cannot be stepped over. */
static bool check_field(struct wick_jfr_meta *m, const struct wick_jfr_field *f, unsigned level, uint32_t *min,
                        uint8_t *depth)
{
    *min = 1;
    *depth = 0;
    if (f->pooled)
        return true;
    if (f->type == WICK_JFR_NONE)
        return false;
    struct wick_jfr_type *t = &m->types[f->type];
    if (f->array) /* may hold none, so a type may contain an array of itself; depth is watched while decoding */
        return true;
    if (t->check == WICK_JFR_UNCHECKED)
        check_type(m, f->type, level + 1);
    *min = t->min_bytes;
    *depth = (uint8_t)(t->depth + 1);
    return t->check == WICK_JFR_GOOD && *depth < WICK_JFR_MAX_DEPTH;
}

static void check_type(struct wick_jfr_meta *m, uint32_t type, unsigned level)
{
    static const uint8_t prim_bytes[] = {
        [WICK_JFR_BOOLEAN] = 1, [WICK_JFR_BYTE] = 1,  [WICK_JFR_CHAR] = 1,   [WICK_JFR_SHORT] = 1,  [WICK_JFR_INT] = 1,
        [WICK_JFR_LONG] = 1,    [WICK_JFR_FLOAT] = 4, [WICK_JFR_DOUBLE] = 8, [WICK_JFR_STRING] = 1,
    };
    struct wick_jfr_type *t = &m->types[type];
    if (t->prim != WICK_JFR_STRUCT) {
        t->min_bytes = prim_bytes[t->prim];
        t->check = WICK_JFR_GOOD;
        return;
    }
    /* Deeper than MAX_DEPTH cannot be good; cutting here keeps a long chain of types off our own stack. */
    t->check = level > WICK_JFR_MAX_DEPTH ? WICK_JFR_BAD : WICK_JFR_CHECKING;
    if (t->check == WICK_JFR_BAD)
        return;
    uint64_t sum = 0;
    uint32_t kept = 0;
    bool good = true;
    for (uint32_t i = 0; i < t->nfields; i++) {
        struct wick_jfr_field *f = &m->fields[t->first_field + i];
        uint32_t min;
        uint8_t depth;
        bool ok = check_field(m, f, level, &min, &depth);
        good = good && ok;
        sum += min;
        if (ok && min == 0)
            continue;
        if (depth > t->depth)
            t->depth = depth;
        m->fields[t->first_field + kept++] = *f;
    }
    t->nfields = kept;
    t->min_bytes = sum > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)sum;
    t->check = good ? WICK_JFR_GOOD : WICK_JFR_BAD;
}

bool wick_jfr_skippable(const struct wick_jfr_meta *m, const struct wick_jfr_field *f)
{
    if (f->pooled)
        return true;
    return f->type != WICK_JFR_NONE && m->types[f->type].check == WICK_JFR_GOOD;
}

uint32_t wick_jfr_type_by_id(const struct wick_jfr_meta *m, int64_t id)
{
    if (id >= 0 && (uint64_t)id < sizeof m->dense / sizeof *m->dense)
        return m->dense[id] - 1;
    uint64_t h = wick_hash_2((uint64_t)id, 1);
    uint32_t at = wick_index_start(&m->by_id, h), i;
    while (wick_index_next(&m->by_id, h, &at, &i))
        if (m->types[i].id == id)
            return i;
    return WICK_JFR_NONE;
}

uint32_t wick_jfr_type_by_name(const struct wick_jfr_meta *m, const char *name)
{
    for (uint32_t i = 0; i < m->ntypes; i++)
        if (strcmp(wick_jfr_text_at(m, m->types[i].name), name) == 0)
            return i;
    return WICK_JFR_NONE;
}

uint32_t wick_jfr_field_by_name(const struct wick_jfr_meta *m, const struct wick_jfr_type *t, const char *name)
{
    for (uint32_t i = 0; i < t->nfields; i++)
        if (strcmp(wick_jfr_text_at(m, m->fields[t->first_field + i].name), name) == 0)
            return t->first_field + i;
    return WICK_JFR_NONE;
}

void wick_jfr_meta_release(struct wick_jfr_meta *m)
{
    wick_strbuf_release(&m->text);
    free(m->strings);
    free(m->types);
    free(m->fields);
    free(m->notes);
    wick_index_release(&m->by_id);
    *m = (struct wick_jfr_meta){.text = WICK_STRBUF_INIT};
}

bool wick_jfr_meta_read(struct wick_jfr_reader *r, uint64_t at)
{
    struct wick_jfr_meta *m = &r->meta;
    wick_jfr_meta_release(m);
    struct wick_jfr_cur c = wick_jfr_cur_at(r, at);
    uint64_t size = wick_jfr_cur_int(&c), type = wick_jfr_cur_int(&c);
    if (c.bad || type != 0 || size > r->len - at) {
        wick_jfr_problem(r, at, "no metadata event where the chunk header says");
        return false;
    }
    c.end = r->base + at + size;
    if (c.p > c.end)
        wick_jfr_cur_fail(&c);
    wick_jfr_cur_skip_ints(&c, 3); /* start, duration, metadata id */
    if (!read_strings(r, &c)) {
        wick_jfr_problem(r, at, "metadata: broken string table");
        return false;
    }
    read_element(r, &c, ELEMENT_OTHER, 0);
    m->broken = c.bad;
    if (c.bad)
        wick_jfr_problem(r, at, "metadata: broken element tree after %" PRIu32 " types", m->ntypes);
    resolve_references(m);
    for (uint32_t i = 0; i < m->ntypes; i++)
        if (m->types[i].check == WICK_JFR_UNCHECKED)
            check_type(m, i, 0);
    return m->ntypes > 0;
}
