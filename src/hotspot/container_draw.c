/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container_draw.c - draws from ConcurrentHashMaps, read in memory while the program changes them
 *
 *      map -> table: Node[] -> Node { hash, key, next }             threads as keys, or
 *                           -> TreeBin (hash -2) { first } -> Node   weak references to containers
 *      weak reference -> ThreadPerTaskExecutor { threads } -> KeySetView { map } -> map
 *
 * Tables have a power of two of slots, in which keys lie by their hash. That of a thread is its id, so threads that
 * were started one after the other lie side by side; hence, where a table is too large to be read at each tick, some
 * pieces of it are read that lie far apart, at random as a whole. Of the slots in use in these a few are drawn. The
 * table of an application that once had a million threads is mostly empty: then a thread that is found stands for many.
 *
 * ZGC leaves references out of date until they are used. What they lead to may be an old copy, which is as its original
 * was before it went on, so they are not followed. A thread behind one is lost; if the way to a set is, all its threads
 * are unknown for the time being.
 */
#include "hotspot/container_draw.h"

#include "base/random.h"
#include "hotspot/klass.h"
#include "hotspot/value.h"

enum { READ_MOST = 512, PIECES = 8, TABLE_MOST = 1 << 30, CHAIN_MOST = 256, CONTAINERS = 16, TREE = -2 };

struct reader {
    const struct wick_jvm *jvm;
    const struct wick_hs_moves *moves;
    uint64_t *random;
    bool stale; /* a reference was out of date, since this was reset */
};

static wick_addr load(struct reader *r, wick_addr object, int32_t offset)
{
    if (!object)
        return 0;
    wick_addr field = object + (unsigned)offset, now = wick_hs_oop_load_newest(r->jvm, r->moves, field);
    r->stale |= !now && r->moves->how == WICK_HS_MOVES_COLOURS && wick_hs_oop_load(r->jvm, field);
    return now;
}

/* Some key of the list that begins at a slot, 0 = it cannot be read; *length: how many there are. */
static wick_addr draw_in_list(struct reader *r, wick_addr node, uint32_t *length)
{
    const struct wick_hs_containers *c = &r->jvm->containers;
    wick_addr drawn = 0;
    int32_t hash = node ? (int32_t)wick_hs_u32(r->jvm->mem, node + (unsigned)c->hash) : 0;
    *length = 0;
    r->stale = false;
    for (node = hash == TREE ? load(r, node, c->first)
                : hash < 0   ? 0
                             : node;
         node && *length < CHAIN_MOST; node = load(r, node, c->next))
        drawn = wick_random_below(r->random, ++*length) ? drawn : node;
    return r->stale ? 0 : load(r, drawn, c->key);
}

/* The slots in use of what was read of a map's table. */
struct slots {
    wick_addr first; /* address of the table's first slot */
    unsigned width;  /* of a slot in bytes */
    uint32_t used;
    double part; /* of the table */
    uint32_t at[READ_MOST];
};

static void read_piece(const struct reader *r, struct slots *s, uint32_t from, uint32_t length)
{
    uint8_t bytes[READ_MOST * sizeof(uint64_t)];
    if (wick_mem_read(r->jvm->mem, s->first + (wick_addr)from * s->width, bytes, length * s->width))
        return;
    for (uint32_t i = 0; i < length; i++)
        if (wick_hs_oop_at(r->jvm, bytes, (int32_t)(i * s->width)))
            s->at[s->used++] = from + i;
}

static void read_slots(struct reader *r, wick_addr map, struct slots *s)
{
    const struct wick_hs_containers *c = &r->jvm->containers;
    wick_addr table = load(r, map, c->table);
    uint32_t n = table ? wick_hs_u32(r->jvm->mem, table + (unsigned)c->array_length) : 0;
    s->used = 0;
    s->width = r->jvm->step.oop_kind == WICK_OOP_NARROW ? sizeof(uint32_t) : sizeof(uint64_t);
    s->first = table + (unsigned)c->array_data;
    s->part = 1;
    if (!n || n > TABLE_MOST || n & (n - 1))
        return;
    if (n <= READ_MOST) {
        read_piece(r, s, 0, n);
        return;
    }
    uint32_t length = READ_MOST / PIECES, stride = n / PIECES;
    uint32_t from = (uint32_t)wick_random_below(r->random, stride / length) * length;
    s->part = (double)READ_MOST / n;
    for (uint32_t i = 0; i < PIECES; i++)
        read_piece(r, s, from + i * stride, length);
}

/* Up to cap keys of a map; evenly spaced from a random place on, so that none is drawn twice. *known: false if the map
 * could not be read. */
static uint32_t draw_keys(struct reader *r, wick_addr map, struct wick_hs_drawn *out, uint32_t cap, bool *known)
{
    struct slots s;
    r->stale = false;
    read_slots(r, map, &s);
    *known = map && !r->stale;
    uint32_t n = s.used < cap ? s.used : cap;
    uint64_t from = n ? wick_random_below(r->random, s.used) : 0;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t length, slot = s.at[(from + i * s.used / n) % s.used];
        out[i].thread = draw_in_list(r, load(r, s.first + (wick_addr)slot * s.width, 0), &length);
        out[i].stands_for = (double)s.used / n / s.part * (length ? length : 1);
    }
    return n;
}

/* Draws virtual threads of the set that has this map; an executor may have platform threads as well. */
static uint32_t draw_threads(struct reader *r, wick_addr map, struct wick_hs_drawn *out, uint32_t cap, bool *known)
{
    const struct wick_hs_containers *c = &r->jvm->containers;
    uint32_t n = 0, drawn = draw_keys(r, map, out, cap, known);
    for (uint32_t i = 0; i < drawn; i++)
        if (!out[i].thread || !c->thread || wick_hs_klass_of(r->jvm, out[i].thread) == c->thread)
            out[n++] = out[i];
    return n;
}

/* Of up to CONTAINERS that are drawn some are executors; threads of one of these. */
static uint32_t draw_of_executors(struct reader *r, struct wick_hs_drawn *out, uint32_t cap, bool *known)
{
    const struct wick_hs_containers *c = &r->jvm->containers;
    struct wick_hs_drawn weak[CONTAINERS];
    wick_addr executor = 0;
    double stands_for = 0;
    uint32_t executors = 0,
             drawn = draw_keys(r, wick_hs_oop_behind(r->jvm, r->moves, c->registry), weak, CONTAINERS, known);
    for (uint32_t i = 0; i < drawn; i++) {
        r->stale = false;
        wick_addr container = load(r, weak[i].thread, c->referent);
        *known &= weak[i].thread && !r->stale;
        if (container && wick_hs_klass_of(r->jvm, container) == c->executor &&
            !wick_random_below(r->random, ++executors)) {
            executor = container;
            stands_for = weak[i].stands_for;
        }
    }
    if (!executor || !*known)
        return 0;
    uint32_t n = draw_threads(r, load(r, load(r, executor, c->threads), c->map), out, cap, known);
    for (uint32_t i = 0; i < n; i++)
        out[i].stands_for *= stands_for * executors;
    return n;
}

uint32_t wick_hs_containers_draw(const struct wick_jvm *jvm, const struct wick_hs_moves *moves, uint64_t *random,
                                 struct wick_hs_drawn *out, uint32_t cap, bool *known)
{
    const struct wick_hs_containers *c = &jvm->containers;
    struct reader r = {jvm, moves, random, false};
    bool executors = true;
    uint32_t n = c->executor ? draw_of_executors(&r, out, cap / 2, &executors) : 0;
    n += draw_threads(&r, wick_hs_oop_behind(jvm, moves, c->started), out + n, cap - n, known);
    *known &= executors;
    return n;
}
