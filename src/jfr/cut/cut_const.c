/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cut_const.c - the constants that the events of a cut need
 *
 * An event names constants by key, and constants name others: a stack its methods, a method its class and the symbols
 * of its name, a class its loader, which is an object of a class. So what the events name is noted first, and then the
 * list is processed while it grows: each constant is put on it once (a bit beside its position), so circles end. At
 * the end the list is sorted by pool and slot, and the values are copied byte by byte.
 *
 * Values are read as the reader steps over them (reader_plan.c), and what cannot lead to a constant is stepped
 * over that way.
 */
#include "jfr/format/bytes.h"
#include "jfr/cut/cut_int.h"

#include <stdlib.h>

enum { LEADS_UNKNOWN, LEADS_NOWHERE, LEADS_ON };

static void need_value(struct wick_jfr_reader *r, struct wick_jfr_cur *c, const struct wick_jfr_type *t,
                       unsigned depth);

static void need(struct wick_jfr_reader *r, uint32_t type, uint64_t key)
{
    uint32_t i = type == WICK_JFR_NONE ? WICK_JFR_NONE : r->meta.types[type].pool;
    struct wick_jfr_cutter *k = wick_jfr_cutter_of(r);
    uint64_t slot;
    if (i == WICK_JFR_NONE || !wick_jfr_pool_slot(&r->pools[i], key, &slot))
        return;
    uint64_t *place = &r->pools[i].places[slot];
    if (*place & WICK_JFR_NEEDED || !wick_jfr_room(r, &k->needs, k->nneeds, &k->cap_needs, sizeof *k->needs))
        return;
    *place |= WICK_JFR_NEEDED;
    k->needs[k->nneeds++] = (struct wick_jfr_need){slot, i};
}

/* Whether values of a type can lead to constants. A type that is already being examined is taken to do so. */
static bool leads_on(struct wick_jfr_reader *r, uint32_t type, unsigned depth)
{
    uint8_t *known = &wick_jfr_cutter_of(r)->leads[type];
    const struct wick_jfr_type *t = &r->meta.types[type];
    if (*known != LEADS_UNKNOWN)
        return *known == LEADS_ON;
    bool on = t->prim == WICK_JFR_STRING || depth >= WICK_JFR_MAX_DEPTH;
    *known = LEADS_ON;
    for (uint32_t i = 0; t->prim == WICK_JFR_STRUCT && i < t->nfields && !on; i++) {
        const struct wick_jfr_field *f = &r->meta.fields[t->first_field + i];
        on = f->pooled || (f->type != WICK_JFR_NONE && leads_on(r, f->type, depth + 1));
    }
    *known = on ? LEADS_ON : LEADS_NOWHERE;
    return on;
}

/* A string: a key into the pool of strings, or inline. */
static void need_string(struct wick_jfr_reader *r, struct wick_jfr_cur *c)
{
    if (wick_jfr_cur_left(c) && *c->p == WICK_JFR_STR_POOL) {
        c->p++;
        need(r, r->string_type, wick_jfr_cur_int(c));
    } else if (r->string_type != WICK_JFR_NONE) {
        wick_jfr_skip_value(r, c, &r->meta.types[r->string_type], 0);
    } else {
        wick_jfr_cur_fail(c);
    }
}

static void need_field(struct wick_jfr_reader *r, struct wick_jfr_cur *c, const struct wick_jfr_field *f,
                       unsigned depth)
{
    const struct wick_jfr_type *t = f->type == WICK_JFR_NONE ? NULL : &r->meta.types[f->type];
    if (!f->pooled && (!t || !t->min_bytes || !leads_on(r, f->type, 0))) {
        wick_jfr_skip_field(r, c, f, depth);
        return;
    }
    uint64_t n = f->array ? wick_jfr_cur_int(c) : 1;
    if (f->array && n > wick_jfr_cur_left(c)) /* each value takes a byte at least */
        wick_jfr_cur_fail(c);
    while (n-- && !c->bad) {
        if (f->pooled)
            need(r, f->type, wick_jfr_cur_int(c));
        else if (t->prim == WICK_JFR_STRING)
            need_string(r, c);
        else
            need_value(r, c, t, depth);
    }
}

static void need_value(struct wick_jfr_reader *r, struct wick_jfr_cur *c, const struct wick_jfr_type *t, unsigned depth)
{
    if (t->prim == WICK_JFR_STRING) {
        need_string(r, c);
        return;
    }
    if (t->prim != WICK_JFR_STRUCT || t->check != WICK_JFR_GOOD || depth >= WICK_JFR_MAX_DEPTH) {
        wick_jfr_skip_value(r, c, t, depth);
        return;
    }
    for (uint32_t i = 0; i < t->nfields && !c->bad; i++)
        need_field(r, c, &r->meta.fields[t->first_field + i], depth + 1);
}

bool wick_jfr_need_event(struct wick_jfr_reader *r, const struct wick_jfr_type *t, struct wick_jfr_cur *c)
{
    need_value(r, c, t, 0);
    return !c->bad;
}

bool wick_jfr_needs_begin(struct wick_jfr_reader *r)
{
    struct wick_jfr_cutter *k = wick_jfr_cutter_of(r);
    k->nneeds = 0;
    while (k->cap_leads < r->meta.ntypes)
        if (!wick_jfr_room(r, &k->leads, k->cap_leads, &k->cap_leads, sizeof *k->leads))
            return false;
    if (r->meta.ntypes)
        memset(k->leads, LEADS_UNKNOWN, r->meta.ntypes);
    return true;
}

/* A cursor at the value of a constant. */
static struct wick_jfr_cur value_of(const struct wick_jfr_reader *r, const struct wick_jfr_need *n)
{
    return wick_jfr_cur_at(r, r->pools[n->pool].places[n->slot] & ~WICK_JFR_NEEDED);
}

static int by_pool_and_slot(const void *a, const void *b)
{
    const struct wick_jfr_need *x = a, *y = b;
    if (x->pool != y->pool)
        return x->pool < y->pool ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

void wick_jfr_needs_complete(struct wick_jfr_reader *r)
{
    struct wick_jfr_cutter *k = wick_jfr_cutter_of(r);
    for (uint32_t i = 0; i < k->nneeds && !r->nomem; i++) {
        struct wick_jfr_cur c = value_of(r, &k->needs[i]);
        need_value(r, &c, &r->meta.types[r->pools[k->needs[i].pool].type], 0);
    }
    if (k->nneeds)
        qsort(k->needs, k->nneeds, sizeof *k->needs, by_pool_and_slot);
}

/* --- the checkpoint --- */

/* Counts bytes, or writes them if there is a file. */
struct sink {
    FILE *out;
    uint64_t bytes;
};

static void put(struct sink *s, const void *data, size_t n)
{
    s->bytes += n;
    if (s->out && n)
        fwrite(data, 1, n, s->out);
}

static void put_int(struct sink *s, uint64_t v)
{
    uint8_t buf[WICK_JFR_INT_MAX_BYTES];
    put(s, buf, (size_t)(wick_jfr_int_at(buf, v) - buf));
}

static void put_constant(struct wick_jfr_reader *r, struct sink *s, const struct wick_jfr_need *n)
{
    const struct wick_jfr_pool *pool = &r->pools[n->pool];
    struct wick_jfr_cur c = value_of(r, n);
    const uint8_t *from = c.p;
    wick_jfr_skip_value(r, &c, &r->meta.types[pool->type], 0); /* went well when the pool was indexed */
    put_int(s, pool->direct ? pool->min_key + n->slot : pool->table[n->slot].key);
    put(s, from, (size_t)(c.p - from));
}

/* All but the size in front. */
static void put_checkpoint(struct wick_jfr_reader *r, struct sink *s)
{
    const struct wick_jfr_cutter *k = wick_jfr_cutter_of(r);
    uint32_t pools = 0, end;
    for (uint32_t i = 0; i < k->nneeds; i++)
        pools += !i || k->needs[i].pool != k->needs[i - 1].pool;
    put_int(s, WICK_JFR_TYPE_CHECKPOINT);
    put_int(s, (uint64_t)r->start_ticks);
    put_int(s, 0); /* duration */
    put_int(s, 0); /* no checkpoint before this one */
    put(s, "", 1); /* flags */
    put_int(s, pools);
    for (uint32_t i = 0; i < k->nneeds; i = end) {
        end = i + 1;
        while (end < k->nneeds && k->needs[end].pool == k->needs[i].pool)
            end++;
        put_int(s, (uint64_t)r->meta.types[r->pools[k->needs[i].pool].type].id);
        put_int(s, end - i);
        for (uint32_t j = i; j < end; j++)
            put_constant(r, s, &k->needs[j]);
    }
}

/* An event's size counts itself. */
static uint64_t with_size(uint64_t body)
{
    size_t n = 1;
    while (wick_jfr_int_size(body + n) != n)
        n++;
    return body + n;
}

uint64_t wick_jfr_checkpoint_size(struct wick_jfr_reader *r)
{
    struct sink s = {NULL, 0};
    put_checkpoint(r, &s);
    return with_size(s.bytes);
}

void wick_jfr_checkpoint_write(struct wick_jfr_reader *r, FILE *out)
{
    struct sink s = {out, 0};
    put_int(&s, wick_jfr_checkpoint_size(r));
    put_checkpoint(r, &s);
}
