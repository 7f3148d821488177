/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader_event.c - any event, field by field
 *
 * For the rare events (settings, JVM information, drop counters) nothing is decoded in advance: one pass notes where
 * each field begins, and the accessors decode the fields that are asked for, by name. Unlike samples these events are
 * few, so searching for names each time is fine.
 */
#include "jfr/reader/reader_int.h"

void wick_jfr_generic(struct wick_jfr_reader *r, const struct wick_jfr_handler *h, struct wick_jfr_cur *c, uint64_t at)
{
    const struct wick_jfr_type *t = &r->meta.types[h->type];
    struct wick_jfr_event e = {
        .type = wick_jfr_text_at(&r->meta, t->name), .type_id = t->id, .offset = r->base_offset + at, .reader = r};
    for (; e.nfields < t->nfields; e.nfields++) {
        if (!wick_jfr_room(r, &r->places, e.nfields, &r->cap_places, sizeof *r->places))
            return;
        r->places[e.nfields] = (uint64_t)(c->p - r->base);
        wick_jfr_skip_field(r, c, &r->meta.fields[t->first_field + e.nfields], 0);
        if (c->bad) {
            wick_jfr_problem(r, at, "%s: event is malformed", e.type);
            return;
        }
    }
    r->event_type = t;
    r->event_cur = *c;
    wick_jfr_event_int(&e, "startTime", &e.time_ns);
    wick_jfr_event_int(&e, "duration", &e.duration_ns);
    r->v->event(r->v->ctx, &e);
    r->event_type = NULL;
}

/* The field of that name and a cursor at its value; NULL if there is none, or it is an array. */
static const struct wick_jfr_field *find(const struct wick_jfr_event *e, const char *name, struct wick_jfr_cur *c)
{
    struct wick_jfr_reader *r = e->reader;
    uint32_t i = wick_jfr_field_by_name(&r->meta, r->event_type, name);
    if (i == WICK_JFR_NONE || r->meta.fields[i].array)
        return NULL;
    *c = (struct wick_jfr_cur){r->base + r->places[i - r->event_type->first_field], r->event_cur.end, false};
    return &r->meta.fields[i];
}

static uint8_t prim_of(const struct wick_jfr_reader *r, const struct wick_jfr_field *f)
{
    return f->pooled || f->type == WICK_JFR_NONE ? WICK_JFR_STRUCT : r->meta.types[f->type].prim;
}

static double fixed(const struct wick_jfr_cur *c, bool wide)
{
    if (wide) {
        uint64_t v;
        double d;
        memcpy(&v, c->p, sizeof v);
        v = __builtin_bswap64(v);
        memcpy(&d, &v, sizeof d);
        return d;
    }
    uint32_t v;
    float d;
    memcpy(&v, c->p, sizeof v);
    v = __builtin_bswap32(v);
    memcpy(&d, &v, sizeof d);
    return (double)d;
}

bool wick_jfr_event_int(const struct wick_jfr_event *e, const char *field, int64_t *out)
{
    struct wick_jfr_cur c;
    const struct wick_jfr_field *f = find(e, field, &c);
    if (!f)
        return false;
    int64_t v;
    switch (prim_of(e->reader, f)) {
    case WICK_JFR_BOOLEAN:
        v = wick_jfr_cur_byte(&c);
        break;
    case WICK_JFR_BYTE:
        v = (int8_t)wick_jfr_cur_byte(&c);
        break;
    case WICK_JFR_SHORT:
        v = (int16_t)wick_jfr_cur_int(&c);
        break;
    case WICK_JFR_INT:
        v = (int32_t)wick_jfr_cur_int(&c);
        break;
    case WICK_JFR_CHAR:
    case WICK_JFR_LONG:
        v = (int64_t)wick_jfr_cur_int(&c);
        break;
    default:
        return false;
    }
    *out = wick_jfr_value_ns(e->reader, f->unit, v);
    return true;
}

bool wick_jfr_event_double(const struct wick_jfr_event *e, const char *field, double *out)
{
    struct wick_jfr_cur c;
    const struct wick_jfr_field *f = find(e, field, &c);
    int64_t v;
    if (!f)
        return false;
    uint8_t prim = prim_of(e->reader, f);
    if (prim == WICK_JFR_FLOAT || prim == WICK_JFR_DOUBLE)
        *out = fixed(&c, prim == WICK_JFR_DOUBLE); /* the pass over the fields has checked that the bytes are there */
    else if (wick_jfr_event_int(e, field, &v))
        *out = (double)v;
    else
        return false;
    return true;
}

bool wick_jfr_event_text(const struct wick_jfr_event *e, const char *field, uint32_t *out)
{
    struct wick_jfr_cur c;
    const struct wick_jfr_field *f = find(e, field, &c);
    bool is_null = false;
    uint32_t id;
    if (!f)
        return false;
    if (f->pooled) {
        uint64_t key = wick_jfr_cur_int(&c);
        id = wick_jfr_text(e->reader, f->type, key, 0);
        is_null = id == 0;
    } else if (prim_of(e->reader, f) == WICK_JFR_STRING) {
        id = wick_jfr_string(e->reader, &c, &is_null);
    } else {
        return false;
    }
    if (is_null)
        return false;
    *out = id;
    return true;
}

uint32_t wick_jfr_event_thread(const struct wick_jfr_event *e, const char *field)
{
    struct wick_jfr_cur c;
    const struct wick_jfr_field *f = find(e, field, &c);
    return f && f->pooled ? wick_jfr_thread(e->reader, f->type, wick_jfr_cur_int(&c)) : 0;
}

uint32_t wick_jfr_event_stack(const struct wick_jfr_event *e, const char *field)
{
    struct wick_jfr_cur c;
    const struct wick_jfr_field *f = find(e, field, &c);
    uint32_t stack;
    return f && f->pooled && wick_jfr_stack(e->reader, f->type, wick_jfr_cur_int(&c), &stack) ? stack : 0;
}
