/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container_draw.c - draws from ConcurrentHashMaps, read in memory while the program changes them
 *
 *      map -> table: Node[] -> Node { hash, key, next }             threads as keys, or
 *                           -> TreeBin (hash -2) { first } -> Node   weak references to containers
 *      weak reference -> ThreadPerTaskExecutor { threads } -> KeySetView { map } -> map
 *
 * Tables have a power of two of slots, in which keys lie by their hash, so any run of slots is like another one.
 * One of RUN slots is read at once, or the whole table, and of the slots in use a few are drawn. The table of an
 * application that once had a million threads is mostly empty: then most runs have none, and a thread in one of the
 * others stands for many.
 */
#include "hotspot/container_draw.h"

#include "base/random.h"
#include "hotspot/klass.h"
#include "hotspot/value.h"

enum { RUN = 512, TABLE_MOST = 1 << 30, CHAIN_MOST = 256, EXECUTORS = 2, TREE = -2 };

struct reader {
    const struct wick_jvm *jvm;
    const struct wick_hs_moves *moves;
    uint64_t *random;
};

/* With ZGC, where the object was before the last collection if the program has not loaded the reference since; it may
 * be there still. Threads are checked, and what leads to none is one. */
static wick_addr load(const struct reader *r, wick_addr object, int32_t offset)
{
    return object ? wick_hs_oop_newest(r->jvm, r->moves, wick_hs_oop_load(r->jvm, object + (unsigned)offset)) : 0;
}

static bool is_thread(const struct reader *r, wick_addr object)
{
    const struct wick_hs_containers *c = &r->jvm->containers;
    return object && (!c->thread || wick_hs_klass_of(r->jvm, object) == c->thread);
}

/* Some key of the list that begins at a slot; *length: how many there are. */
static wick_addr draw_in_list(const struct reader *r, wick_addr node, uint32_t *length)
{
    const struct wick_hs_containers *c = &r->jvm->containers;
    wick_addr drawn = 0;
    int32_t hash = node ? (int32_t)wick_hs_u32(r->jvm->mem, node + (unsigned)c->hash) : 0;
    *length = 0;
    for (node = hash == TREE ? load(r, node, c->first)
                : hash < 0   ? 0
                             : node;
         node && *length < CHAIN_MOST; node = load(r, node, c->next))
        drawn = wick_random_below(r->random, ++*length) ? drawn : node;
    return load(r, drawn, c->key);
}

/* The slots in use of a run of a map's table. */
struct run {
    wick_addr first; /* address of the run's first slot */
    unsigned width;  /* of a slot in bytes */
    uint32_t used;
    double part; /* of the table */
    uint16_t slots[RUN];
};

static void read_run(const struct reader *r, wick_addr map, struct run *run)
{
    const struct wick_hs_containers *c = &r->jvm->containers;
    uint8_t bytes[RUN * sizeof(uint64_t)];
    wick_addr table = load(r, map, c->table);
    uint32_t n = table ? wick_hs_u32(r->jvm->mem, table + (unsigned)c->array_length) : 0, length = n < RUN ? n : RUN;
    run->width = r->jvm->step.oop_kind == WICK_OOP_NARROW ? sizeof(uint32_t) : sizeof(uint64_t);
    run->used = 0;
    if (!n || n > TABLE_MOST)
        return;
    run->first = table + (unsigned)c->array_data + wick_random_below(r->random, n / length) * length * run->width;
    run->part = (double)length / n;
    if (wick_mem_read(r->jvm->mem, run->first, bytes, length * run->width))
        return;
    for (uint32_t i = 0; i < length; i++)
        if (wick_hs_oop_at(r->jvm, bytes, (int32_t)(i * run->width)))
            run->slots[run->used++] = (uint16_t)i;
}

/* Up to cap keys of a map; evenly spaced from a random place on, so that none is drawn twice. */
static uint32_t draw_keys(const struct reader *r, wick_addr map, struct wick_hs_drawn *out, uint32_t cap)
{
    struct run run;
    read_run(r, map, &run);
    uint32_t n = run.used < cap ? run.used : cap;
    uint64_t from = n ? wick_random_below(r->random, run.used) : 0;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t length, slot = run.slots[(from + i * run.used / n) % run.used];
        out[i].thread = draw_in_list(r, load(r, run.first + slot * run.width, 0), &length);
        out[i].stands_for = (double)run.used / n / run.part * (length ? length : 1);
    }
    return n;
}

/* Draws virtual threads of the set that has this map. Anything else in it is a platform thread of an executor, or with
 * ZGC what lies where a thread was. */
static uint32_t draw_threads(const struct reader *r, wick_addr map, struct wick_hs_drawn *out, uint32_t cap)
{
    uint32_t n = 0, drawn = draw_keys(r, map, out, cap);
    for (uint32_t i = 0; i < drawn; i++) {
        struct wick_hs_drawn one = out[i];
        bool is = !one.thread || is_thread(r, one.thread);
        one.thread = is ? one.thread : 0;
        if (is || r->moves->how == WICK_HS_MOVES_COLOURS)
            out[n++] = one;
    }
    return n;
}

/* Of the executors behind up to cap weak references, one thread each. */
static uint32_t draw_of_executors(const struct reader *r, struct wick_hs_drawn *out, uint32_t cap)
{
    const struct wick_hs_containers *c = &r->jvm->containers;
    struct wick_hs_drawn weak[EXECUTORS];
    wick_addr registry = wick_hs_oop_behind(r->jvm, r->moves, c->registry);
    uint32_t n = 0, drawn = draw_keys(r, registry, weak, cap < EXECUTORS ? cap : EXECUTORS);
    for (uint32_t i = 0; i < drawn; i++) {
        wick_addr container = load(r, weak[i].thread, c->referent);
        if (!container || wick_hs_klass_of(r->jvm, container) != c->executor)
            continue; /* another kind of container */
        if (draw_threads(r, load(r, load(r, container, c->threads), c->map), &out[n], 1))
            out[n++].stands_for *= weak[i].stands_for;
    }
    return n;
}

uint32_t wick_hs_containers_draw(const struct wick_jvm *jvm, const struct wick_hs_moves *moves, uint64_t *random,
                                 struct wick_hs_drawn *out, uint32_t cap)
{
    const struct wick_hs_containers *c = &jvm->containers;
    struct reader r = {jvm, moves, random};
    uint32_t n = c->executor ? draw_of_executors(&r, out, cap / 2) : 0;
    return n + draw_threads(&r, wick_hs_oop_behind(jvm, moves, c->started), out + n, cap - n);
}
