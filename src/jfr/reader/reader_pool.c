/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader_pool.c - constant pools
 *
 * Events refer to threads, stacks, classes by key. The constants themselves are in checkpoint events: for each type a
 * list of (key, value). A chunk has any number of checkpoints, each naming the one before it by a negative distance;
 * the chunk header names the last. A key must be known before the first event that uses it is decoded, and events come
 * before their checkpoints, so all checkpoints are indexed first.
 *
 *     checkpoint: size, type 1, start, duration, distance, flags byte, number of pools,
 *                 then per pool: type id, number of constants, then per constant: key, value
 *
 * Indexing only steps over values and remembers where they are: 16 bytes a constant, and only for pools that some
 * wanted event can reach. A value is decoded when it is first needed and its number in the profile takes the place of
 * its position (reader_const.c). That keeps a recording cheap if ten of its million stacks are asked for.
 *
 * Keys: the JDK counts them up, async-profiler uses slots of a table three quarters full. So a plain array by key
 * mostly does (`direct`); where keys are far apart an open-addressing hash table (`table`). Both take more constants
 * when the chunk grows. A key defined more than once keeps the value that stands first in the file, which is what the
 * JDK's own parser makes of it: it goes through the chain backwards as we do, and the later value wins.
 */
#include "jfr/reader/reader_int.h"

#include <inttypes.h>
#include <stdlib.h>

/* A table by key may have this many free places more than there are constants twice over. async-profiler's keys of few
 * stacks lie in 65536 slots; pages nobody touches cost nothing. */
#define DIRECT_SPARE (1u << 18)

static void mark(struct wick_jfr_reader *r, uint32_t type, unsigned depth);

/* Makes a pool for every constant type that a value of this type can lead to. Once for each type: types that hold each
 * other, several times over, would take as many steps as there are ways through them. */
static void mark_fields(struct wick_jfr_reader *r, struct wick_jfr_type *t, unsigned depth)
{
    if (t->marked)
        return;
    t->marked = true;
    for (uint32_t i = t->first_field, end = i + t->nfields; i < end; i++) {
        const struct wick_jfr_field *f = &r->meta.fields[i];
        if (f->type == WICK_JFR_NONE)
            continue;
        struct wick_jfr_type *of = &r->meta.types[f->type];
        if (f->pooled || of->prim == WICK_JFR_STRING)
            mark(r, f->type, depth + 1);
        else if (of->prim == WICK_JFR_STRUCT && depth < WICK_JFR_MAX_DEPTH)
            mark_fields(r, of, depth + 1);
    }
}

static void mark(struct wick_jfr_reader *r, uint32_t type, unsigned depth)
{
    struct wick_jfr_type *t = &r->meta.types[type];
    if (t->pool != WICK_JFR_NONE || depth >= WICK_JFR_MAX_DEPTH ||
        !wick_jfr_room(r, &r->pools, r->npools, &r->cap_pools, sizeof *r->pools))
        return;
    t->pool = r->npools;
    r->pools[r->npools++] = (struct wick_jfr_pool){.type = type};
    mark_fields(r, t, depth);
}

static bool add_entry(struct wick_jfr_reader *r, struct wick_jfr_pool *pool, uint64_t key, uint64_t at)
{
    if (pool->n == pool->cap) {
        uint64_t cap = pool->cap ? pool->cap * 2 : 64;
        struct wick_jfr_entry *e = reallocarray(pool->entries, cap, sizeof *e);
        if (!e) {
            r->nomem = true;
            return false;
        }
        pool->entries = e;
        pool->cap = cap;
    }
    pool->entries[pool->n++] = (struct wick_jfr_entry){key, at};
    return true;
}

/* The constants of one pool. */
static void read_pool(struct wick_jfr_reader *r, struct wick_jfr_cur *c, const struct wick_jfr_type *t, uint64_t n)
{
    struct wick_jfr_pool *pool = t->pool == WICK_JFR_NONE ? NULL : &r->pools[t->pool];
    if (n > wick_jfr_cur_left(c)) {
        wick_jfr_cur_fail(c);
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t key = wick_jfr_cur_int(c), at = (uint64_t)(c->p - r->base);
        wick_jfr_skip_value(r, c, t, 0);
        if (c->bad || (pool && !add_entry(r, pool, key, at)))
            return;
        wick_jfr_walk_to(r, at);
    }
}

static void read_checkpoint(struct wick_jfr_reader *r, uint64_t at)
{
    struct wick_jfr_cur c = wick_jfr_cur_at(r, at);
    uint64_t size = wick_jfr_cur_int(&c);
    c.end = r->base + at + size; /* checked when the checkpoint was found */
    wick_jfr_walk_from(r, at);
    wick_jfr_cur_skip_ints(&c, 4); /* type, start, duration, distance */
    wick_jfr_cur_byte(&c);
    uint64_t pools = wick_jfr_cur_int(&c);
    for (uint64_t i = 0; i < pools && !c.bad && !r->nomem; i++) {
        uint64_t where = (uint64_t)(c.p - r->base);
        int64_t id = (int64_t)wick_jfr_cur_int(&c);
        uint64_t n = wick_jfr_cur_int(&c);
        uint32_t type = wick_jfr_type_by_id(&r->meta, id);
        if (c.bad || type == WICK_JFR_NONE || r->meta.types[type].check != WICK_JFR_GOOD) {
            wick_jfr_problem(r, where, "checkpoint: constants of unknown type %" PRId64, id);
            return;
        }
        read_pool(r, &c, &r->meta.types[type], n);
        if (c.bad)
            wick_jfr_problem(r, where, "checkpoint: broken constants of type %s",
                             wick_jfr_text_at(&r->meta, r->meta.types[type].name));
    }
}

static uint64_t hash_at(const struct wick_jfr_pool *pool, uint64_t key)
{
    return wick_hash_2(key, pool->mask) & pool->mask;
}

/* The constant's place in the table: where it is, or a free one for it. */
static uint64_t *place_for(struct wick_jfr_pool *pool, uint64_t key)
{
    if (pool->direct)
        return &pool->direct[key - pool->min_key];
    uint64_t at = hash_at(pool, key);
    while (pool->table[at].val && pool->table[at].key != key)
        at = (at + 1) & pool->mask;
    pool->table[at].key = key;
    return &pool->table[at].val;
}

static void put(struct wick_jfr_pool *pool, uint64_t key, uint64_t val)
{
    uint64_t *place = place_for(pool, key);
    if (!*place)
        *place = val;
}

/* Moves what a table by key holds, or one by hash, into the pool's new one. */
static void move_all(struct wick_jfr_pool *pool, const struct wick_jfr_pool *old)
{
    for (uint64_t i = 0; old->direct && i < old->ndirect; i++)
        if (old->direct[i])
            put(pool, old->min_key + i, old->direct[i]);
    for (uint64_t i = 0; old->table && i <= old->mask; i++)
        if (old->table[i].val)
            put(pool, old->table[i].key, old->table[i].val);
    free(old->direct);
    free(old->table);
}

static bool make_hash(struct wick_jfr_pool *pool)
{
    struct wick_jfr_pool old = *pool;
    uint64_t slots = 64;
    while (slots * 2 < pool->total * 3)
        slots *= 2;
    if (old.table && slots == old.mask + 1)
        return true;
    pool->direct = NULL;
    pool->ndirect = 0;
    pool->mask = slots - 1;
    pool->table = calloc(slots, sizeof *pool->table);
    if (!pool->table) {
        *pool = old;
        return false;
    }
    move_all(pool, &old);
    return true;
}

static bool make_direct(struct wick_jfr_pool *pool, uint64_t min, uint64_t max)
{
    struct wick_jfr_pool old = *pool;
    if (old.direct && min == old.min_key && max - min < old.ndirect)
        return true;
    pool->min_key = min;
    pool->ndirect = max - min + 1;
    pool->direct = calloc(pool->ndirect, sizeof *pool->direct);
    if (!pool->direct) {
        *pool = old;
        return false;
    }
    move_all(pool, &old);
    return true;
}

/* Turns the list of constants into something that can be asked, or adds it to that. Positions are never 0: the chunk
 * header is there. Of a key that is there twice the one first met stays; the list goes backwards through the chunk by
 * checkpoints, so it is taken from its end. */
static bool build(struct wick_jfr_pool *pool)
{
    uint64_t min = UINT64_MAX, max = 0;
    for (uint64_t i = 0; i < pool->n; i++) {
        min = pool->entries[i].key < min ? pool->entries[i].key : min;
        max = pool->entries[i].key > max ? pool->entries[i].key : max;
    }
    pool->built = true;
    if (pool->n == 0)
        return true;
    if (pool->direct) {
        uint64_t last = pool->min_key + pool->ndirect - 1;
        min = pool->min_key < min ? pool->min_key : min;
        max = last > max ? last : max;
    }
    pool->total += pool->n;
    bool far = pool->table || max - min >= pool->total * 3 + DIRECT_SPARE;
    if (far ? !make_hash(pool) : !make_direct(pool, min, max))
        return false;
    for (uint64_t i = pool->n; i--;)
        put(pool, pool->entries[i].key, pool->entries[i].val);
    free(pool->entries);
    pool->entries = NULL;
    pool->n = pool->cap = 0;
    return true;
}

bool wick_jfr_pool_slot(const struct wick_jfr_pool *pool, uint64_t key, uint64_t *slot)
{
    if (pool->direct) {
        *slot = key - pool->min_key;
        return *slot < pool->ndirect && pool->direct[*slot];
    }
    if (!pool->table)
        return false;
    for (*slot = hash_at(pool, key); pool->table[*slot].val; *slot = (*slot + 1) & pool->mask)
        if (pool->table[*slot].key == key)
            return true;
    return false;
}

/* Where the constants are, for those who need to know after some of them have been decoded. Slots that were not taken
 * stay untouched memory. */
static bool keep_places(struct wick_jfr_pool *pool)
{
    uint64_t n = pool->direct ? pool->ndirect : pool->table ? pool->mask + 1 : 0;
    pool->places = n ? calloc(n, sizeof *pool->places) : NULL;
    for (uint64_t i = 0; pool->places && i < n; i++) {
        uint64_t at = pool->direct ? pool->direct[i] : pool->table[i].val;
        if (at)
            pool->places[i] = at;
    }
    return !n || pool->places;
}

void wick_jfr_pools_read(struct wick_jfr_reader *r)
{
    for (uint32_t i = 0; i < r->nhandlers; i++)
        mark_fields(r, &r->meta.types[r->handlers[i].type], 0);
    for (uint32_t i = 0; i < r->ncheckpoints && !r->nomem; i++)
        read_checkpoint(r, r->checkpoints[i]);
    for (uint32_t i = 0; i < r->npools && !r->nomem; i++)
        r->nomem = !build(&r->pools[i]) || (r->instead && !keep_places(&r->pools[i]));
}

void wick_jfr_reader_pools_release(struct wick_jfr_reader *r)
{
    for (uint32_t i = 0; i < r->npools; i++) {
        free(r->pools[i].entries);
        free(r->pools[i].table);
        free(r->pools[i].direct);
        free(r->pools[i].places);
        wick_jfr_plan_release(&r->pools[i].plan);
        wick_jfr_plan_release(&r->pools[i].item);
    }
    r->npools = 0;
}

uint64_t *wick_jfr_pool_find(struct wick_jfr_reader *r, uint32_t type, uint64_t key, enum wick_jfr_role role,
                             struct wick_jfr_pool **out)
{
    if (type == WICK_JFR_NONE || r->meta.types[type].pool == WICK_JFR_NONE)
        return NULL;
    struct wick_jfr_pool *pool = &r->pools[r->meta.types[type].pool];
    if (!pool->built || (pool->role && pool->role != role))
        return NULL;
    pool->role = (uint8_t)role;
    *out = pool;
    uint64_t slot;
    if (!wick_jfr_pool_slot(pool, key, &slot))
        return NULL;
    return pool->direct ? &pool->direct[slot] : &pool->table[slot].val;
}
