/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader_plan.c - decoding plans
 *
 * A value in JFR has no tags: to reach the fourth field one must know how long the first three are. Interpreting the
 * metadata for that on every event would cost more than the event, so for each type in use the metadata is compiled
 * once a chunk into a short list of steps: take this integer into that slot, step over five integers, and so on. Steps
 * end with the last field needed, because events and constants are found by other means; only values that stand in a
 * row (frames) are stepped over to their end.
 *
 * Stepping over n integers is done word by word: in eight bytes the ones without the top bit are the last bytes of
 * integers, so a population count says how many integers end there. A word always starts at the beginning of an
 * integer, hence the ninth-byte rule (eight continuation bytes, then one byte of eight bits) shows as a word without an
 * end.
 */
#include "jfr/reader/reader_int.h"

#include <stdlib.h>

static unsigned ends_in(uint64_t stop)
{
    return (unsigned)((stop >> 7) * 0x0101010101010101u >> 56);
}

void wick_jfr_cur_skip_ints(struct wick_jfr_cur *c, uint64_t n)
{
    while (n && wick_jfr_cur_left(c) >= 9) {
        uint64_t w;
        memcpy(&w, c->p, 8);
        uint64_t stop = ~w & WICK_JFR_HIGH_BITS;
        if (!stop) {
            c->p += 9;
            n--;
            continue;
        }
        unsigned ends = ends_in(stop);
        for (; ends > n; ends--) /* the word ends more than asked for: drop the last ones */
            stop &= ~((uint64_t)1 << (63 - __builtin_clzll(stop)));
        c->p += ((63u - (unsigned)__builtin_clzll(stop)) >> 3) + 1;
        n -= ends;
    }
    while (n-- && !c->bad)
        wick_jfr_cur_int(c);
}

static void skip_string(struct wick_jfr_cur *c)
{
    uint64_t n;
    switch (wick_jfr_cur_byte(c)) {
    case 0: /* null */
    case 1: /* empty */
        return;
    case 2: /* key into the pool of strings */
        wick_jfr_cur_skip_ints(c, 1);
        return;
    case 3: /* UTF-8 */
    case 5: /* Latin-1 */
        n = wick_jfr_cur_int(c);
        wick_jfr_cur_skip(c, n);
        return;
    case 4: /* UTF-16 code units */
        n = wick_jfr_cur_int(c);
        if (n > wick_jfr_cur_left(c))
            wick_jfr_cur_fail(c);
        wick_jfr_cur_skip_ints(c, n);
        return;
    default:
        wick_jfr_cur_fail(c);
    }
}

/* n values of one primitive type. */
static void skip_prims(struct wick_jfr_cur *c, uint8_t prim, uint64_t n)
{
    switch (prim) {
    case WICK_JFR_BOOLEAN:
    case WICK_JFR_BYTE:
        wick_jfr_cur_skip(c, n);
        return;
    case WICK_JFR_FLOAT:
        wick_jfr_cur_skip(c, n * 4);
        return;
    case WICK_JFR_DOUBLE:
        wick_jfr_cur_skip(c, n * 8);
        return;
    case WICK_JFR_STRING:
        while (n-- && !c->bad)
            skip_string(c);
        return;
    default:
        wick_jfr_cur_skip_ints(c, n);
    }
}

/* True if a value of the type is nothing but compressed integers; then *n is how many. */
static bool only_ints(const struct wick_jfr_meta *m, const struct wick_jfr_type *t, uint64_t *n)
{
    for (uint32_t i = 0; i < t->nfields; i++) {
        const struct wick_jfr_field *f = &m->fields[t->first_field + i];
        if (f->array)
            return false;
        uint8_t prim = f->pooled ? WICK_JFR_LONG : m->types[f->type].prim;
        if (!wick_jfr_prim_is_compressed(prim))
            return false;
    }
    *n = t->nfields;
    return t->prim == WICK_JFR_STRUCT;
}

void wick_jfr_skip_value(struct wick_jfr_reader *r, struct wick_jfr_cur *c, const struct wick_jfr_type *t,
                         unsigned depth)
{
    if (t->prim != WICK_JFR_STRUCT) {
        skip_prims(c, t->prim, 1);
        return;
    }
    if (depth >= WICK_JFR_MAX_DEPTH || t->check != WICK_JFR_GOOD) {
        wick_jfr_cur_fail(c);
        return;
    }
    for (uint32_t i = 0; i < t->nfields && !c->bad; i++)
        wick_jfr_skip_field(r, c, &r->meta.fields[t->first_field + i], depth + 1);
}

void wick_jfr_skip_field(struct wick_jfr_reader *r, struct wick_jfr_cur *c, const struct wick_jfr_field *f,
                         unsigned depth)
{
    uint64_t n = f->array ? wick_jfr_cur_int(c) : 1, ints;
    if (f->array && n > wick_jfr_cur_left(c)) { /* no value kept in a type takes less than a byte */
        const struct wick_jfr_type *e = f->type == WICK_JFR_NONE ? NULL : &r->meta.types[f->type];
        if (f->pooled || !e || e->check != WICK_JFR_GOOD || e->min_bytes)
            wick_jfr_cur_fail(c);
        return;
    }
    if (f->pooled) {
        wick_jfr_cur_skip_ints(c, n);
        return;
    }
    if (!wick_jfr_skippable(&r->meta, f)) {
        wick_jfr_cur_fail(c);
        return;
    }
    const struct wick_jfr_type *t = &r->meta.types[f->type];
    if (t->prim != WICK_JFR_STRUCT)
        skip_prims(c, t->prim, n);
    else if (t->min_bytes && f->array && only_ints(&r->meta, t, &ints))
        wick_jfr_cur_skip_ints(c, n * ints);
    else if (t->min_bytes)
        while (n-- && !c->bad)
            wick_jfr_skip_value(r, c, t, depth);
}

/* True if `name` is one of the alternatives in "a|b|c"; *rank is its place. */
static bool is_one_of(const char *name, const char *alternatives, unsigned *rank)
{
    size_t len = strlen(name);
    *rank = 0;
    for (const char *a = alternatives;; a++, ++*rank) {
        if (strncmp(a, name, len) == 0 && (a[len] == 0 || a[len] == '|'))
            return true;
        a = strchr(a, '|');
        if (!a)
            return false;
    }
}

/* For each slot the field with the best of its names. Returns the number of fields up to the last one needed. */
static uint32_t choose_fields(const struct wick_jfr_meta *m, const struct wick_jfr_type *t, struct wick_jfr_plan *plan,
                              const char *const *names, unsigned nslots)
{
    uint32_t last = 0;
    for (unsigned s = 0; s < WICK_JFR_SLOTS; s++) {
        unsigned best = UINT32_MAX, rank;
        plan->field[s] = WICK_JFR_NONE;
        for (uint32_t i = 0; s < nslots && names[s] && i < t->nfields; i++) {
            const char *name = wick_jfr_text_at(m, m->fields[t->first_field + i].name);
            if (is_one_of(name, names[s], &rank) && rank < best) {
                best = rank;
                plan->field[s] = t->first_field + i;
            }
        }
        if (plan->field[s] != WICK_JFR_NONE && plan->field[s] - t->first_field >= last)
            last = plan->field[s] - t->first_field + 1;
    }
    return last;
}

static void put_op(struct wick_jfr_plan *plan, uint8_t code, unsigned slot, uint32_t n)
{
    struct wick_jfr_op *before = plan->nops ? &plan->ops[plan->nops - 1] : NULL;
    bool adds_up = code == WICK_JFR_OP_SKIP_INTS || code == WICK_JFR_OP_SKIP_BYTES;
    if (adds_up && before && before->code == code)
        before->n += n;
    else
        plan->ops[plan->nops++] = (struct wick_jfr_op){code, (uint8_t)slot, n};
}

static void put_wanted(struct wick_jfr_plan *plan, const struct wick_jfr_field *f, uint8_t prim, uint32_t field,
                       unsigned slot, bool last)
{
    if (f->array || prim == WICK_JFR_STRUCT || prim == WICK_JFR_STRING)
        put_op(plan, last ? WICK_JFR_OP_LAST_PLACE : WICK_JFR_OP_PLACE, slot, field);
    else if (prim == WICK_JFR_BOOLEAN || prim == WICK_JFR_BYTE)
        put_op(plan, WICK_JFR_OP_BYTE, slot, 0);
    else if (prim == WICK_JFR_FLOAT || prim == WICK_JFR_DOUBLE)
        put_op(plan, prim == WICK_JFR_FLOAT ? WICK_JFR_OP_FLOAT : WICK_JFR_OP_DOUBLE, slot, 0);
    else
        put_op(plan, WICK_JFR_OP_INT, slot, prim == WICK_JFR_INT ? 32 : prim == WICK_JFR_SHORT ? 48 : 0);
}

static void put_skip(struct wick_jfr_plan *plan, const struct wick_jfr_field *f, uint8_t prim, uint32_t field)
{
    if (f->array || prim == WICK_JFR_STRUCT || prim == WICK_JFR_STRING)
        put_op(plan, WICK_JFR_OP_SKIP_FIELD, 0, field);
    else if (prim == WICK_JFR_BOOLEAN || prim == WICK_JFR_BYTE)
        put_op(plan, WICK_JFR_OP_SKIP_BYTES, 0, 1);
    else if (prim == WICK_JFR_FLOAT || prim == WICK_JFR_DOUBLE)
        put_op(plan, WICK_JFR_OP_SKIP_BYTES, 0, prim == WICK_JFR_FLOAT ? 4 : 8);
    else
        put_op(plan, WICK_JFR_OP_SKIP_INTS, 0, 1);
}

bool wick_jfr_plan_make(struct wick_jfr_reader *r, struct wick_jfr_plan *plan, uint32_t type, const char *const *names,
                        unsigned nslots, bool whole)
{
    const struct wick_jfr_meta *m = &r->meta;
    const struct wick_jfr_type *t = &m->types[type];
    *plan = (struct wick_jfr_plan){0};
    uint32_t n = choose_fields(m, t, plan, names, nslots);
    if (whole)
        n = t->nfields;
    if (n)
        plan->ops = calloc(n, sizeof *plan->ops);
    if (n && !plan->ops) {
        r->nomem = true;
        return false;
    }
    for (uint32_t i = t->first_field; i < t->first_field + n; i++) {
        const struct wick_jfr_field *f = &m->fields[i];
        unsigned slot = 0;
        while (slot < WICK_JFR_SLOTS && plan->field[slot] != i)
            slot++;
        if (!wick_jfr_skippable(m, f) && !f->pooled)
            return false;
        uint8_t prim = f->pooled ? WICK_JFR_LONG : m->types[f->type].prim;
        if (slot < WICK_JFR_SLOTS)
            put_wanted(plan, f, prim, i, slot, i + 1 == t->first_field + n && !whole);
        else
            put_skip(plan, f, prim, i);
    }
    plan->only_ints = true;
    for (uint32_t i = 0; i < plan->nops; i++)
        plan->only_ints =
            plan->only_ints && (plan->ops[i].code == WICK_JFR_OP_INT || plan->ops[i].code == WICK_JFR_OP_SKIP_INTS);
    return true;
}

void wick_jfr_plan_release(struct wick_jfr_plan *plan)
{
    free(plan->ops);
    *plan = (struct wick_jfr_plan){0};
}

/* Fixed-width values stand in the file most significant byte first. */
static void take_fixed(struct wick_jfr_cur *c, bool wide, union wick_jfr_slot *slot)
{
    uint32_t u;
    uint64_t v;
    if (wick_jfr_cur_left(c) < (wide ? sizeof v : sizeof u)) {
        wick_jfr_cur_fail(c);
    } else if (wide) {
        memcpy(&v, c->p, sizeof v);
        v = __builtin_bswap64(v);
        memcpy(&slot->d, &v, sizeof v);
        c->p += sizeof v;
    } else {
        float f;
        memcpy(&u, c->p, sizeof u);
        u = __builtin_bswap32(u);
        memcpy(&f, &u, sizeof u);
        slot->d = (double)f;
        c->p += sizeof u;
    }
}

void wick_jfr_plan_run(struct wick_jfr_reader *r, const struct wick_jfr_plan *plan, struct wick_jfr_cur *c,
                       union wick_jfr_slot *slots)
{
    const struct wick_jfr_op *op = plan->ops;
    for (uint32_t n = plan->nops; n; n--, op++) {
        union wick_jfr_slot *slot = &slots[op->slot];
        switch (op->code) {
        case WICK_JFR_OP_INT:
            slot->i = (int64_t)(wick_jfr_cur_int(c) << op->n) >> op->n;
            break;
        case WICK_JFR_OP_SKIP_INTS:
            wick_jfr_cur_skip_ints(c, op->n);
            break;
        case WICK_JFR_OP_SKIP_BYTES:
            wick_jfr_cur_skip(c, op->n);
            break;
        case WICK_JFR_OP_BYTE:
            slot->i = wick_jfr_cur_byte(c);
            break;
        case WICK_JFR_OP_FLOAT:
        case WICK_JFR_OP_DOUBLE:
            take_fixed(c, op->code == WICK_JFR_OP_DOUBLE, slot);
            break;
        case WICK_JFR_OP_LAST_PLACE:
            slot->place = (uint64_t)(c->p - r->base);
            break;
        case WICK_JFR_OP_PLACE:
            slot->place = (uint64_t)(c->p - r->base);
            wick_jfr_skip_field(r, c, &r->meta.fields[op->n], 0);
            break;
        default:
            wick_jfr_skip_field(r, c, &r->meta.fields[op->n], 0);
        }
    }
}
