/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/alloc/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomic.h"
#include "base/err.h"
#include "base/fnv.h"
#include "base/random.h"

/* A concurrent collector clears references some time after the pause that counts as the collection. */
#define AGAIN_NS 2000000000ull

/* ---- names of classes: each once, those no longer in use are dropped now and then ---- */

struct wick_live_names {
    char **slots; /* open addressing */
    uint32_t count, cap;
};

static char **slot_of(char **slots, uint32_t cap, const char *name)
{
    uint32_t h = wick_fnv(WICK_FNV, name, strlen(name));
    while (slots[h & (cap - 1)] && strcmp(slots[h & (cap - 1)], name) != 0)
        h++;
    return &slots[h & (cap - 1)];
}

static int grow_names(struct wick_live_names *n)
{
    uint32_t cap = n->cap ? n->cap * 2 : 256;
    char **slots = calloc(cap, sizeof *slots);
    if (!slots)
        return -WICK_E_NOMEM;
    for (uint32_t i = 0; i < n->cap; i++)
        if (n->slots[i])
            *slot_of(slots, cap, n->slots[i]) = n->slots[i];
    free(n->slots);
    n->slots = slots;
    n->cap = cap;
    return 0;
}

/* The name as it is kept, NULL = no memory. */
static const char *intern(struct wick_live_names *n, const char *name)
{
    if ((n->count + 1) * 2 > n->cap && grow_names(n))
        return NULL;
    char **slot = slot_of(n->slots, n->cap, name);
    if (!*slot && (*slot = strdup(name)))
        n->count++;
    return *slot;
}

static void free_names(struct wick_live_names *n)
{
    for (uint32_t i = 0; n && i < n->cap; i++)
        free(n->slots[i]);
    if (n)
        free(n->slots);
    free(n);
}

/* Keeps the names of the objects that are kept. A loader that makes classes without end would fill the table. */
static void forget_names(struct wick_live *l)
{
    uint32_t objects = l->rooms[WICK_LIVE_YOUNG].count + l->rooms[WICK_LIVE_OLD].count;
    struct wick_live_names *fresh = l->names->count > 2 * objects + 256 ? calloc(1, sizeof *fresh) : NULL;
    if (!fresh)
        return;
    while ((uint64_t)fresh->cap < 2 * ((uint64_t)objects + 1))
        if (grow_names(fresh)) {
            free_names(fresh);
            return;
        }
    for (int r = 0; r < WICK_LIVE_ROOMS; r++)
        for (uint32_t i = 0; i < l->rooms[r].count; i++) {
            struct wick_live_object *o = &l->rooms[r].objects[i];
            char **from = slot_of(l->names->slots, l->names->cap, o->class_name);
            char **to = slot_of(fresh->slots, fresh->cap, o->class_name);
            if (*to)
                continue;
            *to = *from; /* moves, so that the objects' pointers stay right; the old slot must stay taken */
            fresh->count++;
        }
    for (uint32_t i = 0; i < l->names->cap; i++)
        if (l->names->slots[i] && *slot_of(fresh->slots, fresh->cap, l->names->slots[i]) != l->names->slots[i])
            free(l->names->slots[i]);
    free(l->names->slots);
    free(l->names);
    l->names = fresh;
}

/* ---- references that are to be deleted ---- */

void wick_live_discard(struct wick_live *l, uint64_t reference)
{
    if (!reference)
        return;
    if (l->unwanted_count == l->unwanted_cap) {
        size_t cap = l->unwanted_cap ? l->unwanted_cap * 2 : 256;
        uint64_t *p = realloc(l->unwanted, cap * sizeof *p);
        if (!p) {
            l->leaked++;
            return;
        }
        l->unwanted = p;
        l->unwanted_cap = cap;
    }
    l->unwanted[l->unwanted_count++] = reference;
}

void wick_live_pass_on(struct wick_live *l)
{
    uint64_t tail = wick_load_relaxed(&l->tail);
    while (l->unwanted_count && tail - wick_load_acquire(&l->head) < WICK_LIVE_QUEUE) { /* pairs: wick_live_unwanted */
        wick_store_relaxed(&l->queue[tail % WICK_LIVE_QUEUE], l->unwanted[--l->unwanted_count]);
        wick_store_release(&l->tail, ++tail); /* pairs: wick_live_unwanted */
    }
}

uint64_t wick_live_unwanted(struct wick_live *l)
{
    uint64_t head = wick_load_acquire(&l->head);
    while (head < wick_load_acquire(&l->tail)) { /* pairs: wick_live_pass_on */
        /* if another thread takes it, and the place is filled again, head has moved on */
        uint64_t reference = wick_load_relaxed(&l->queue[head % WICK_LIVE_QUEUE]);
        if (wick_cas_acq_rel(&l->head, &head, head + 1)) /* pairs: wick_live_pass_on */
            return reference;
    }
    return 0;
}

/* ---- the rooms ---- */

int wick_live_init(struct wick_live *l, const struct wick_live_jvm *jvm, uint64_t seed)
{
    static const uint32_t most[WICK_LIVE_ROOMS] = {WICK_LIVE_YOUNG_MOST, WICK_LIVE_OLD_MOST};
    memset(l, 0, sizeof *l);
    l->jvm = *jvm;
    l->seed = seed;
    l->swept = jvm->collections();
    l->names = calloc(1, sizeof *l->names);
    l->priorities = malloc(WICK_LIVE_OLD_MOST * sizeof *l->priorities);
    bool good = l->names && l->priorities && !grow_names(l->names);
    for (int r = 0; r < WICK_LIVE_ROOMS; r++) {
        l->rooms[r].most = most[r];
        l->rooms[r].objects = malloc(most[r] * sizeof *l->rooms[r].objects);
        good = good && l->rooms[r].objects;
    }
    if (good)
        return 0;
    wick_live_release(l);
    return -WICK_E_NOMEM;
}

void wick_live_release(struct wick_live *l)
{
    for (int r = 0; r < WICK_LIVE_ROOMS; r++) {
        for (uint32_t i = 0; i < l->rooms[r].count; i++)
            wick_live_discard(l, l->rooms[r].objects[i].reference);
        free(l->rooms[r].objects);
    }
    for (uint64_t reference; (reference = wick_live_unwanted(l));)
        wick_live_discard(l, reference);
    if (l->unwanted_count)
        l->jvm.drop(l->unwanted, l->unwanted_count);
    free(l->unwanted);
    free(l->priorities);
    free_names(l->names);
    memset(l, 0, sizeof *l);
}

double wick_live_wants(const struct wick_live *l, uint64_t n, uint64_t weight)
{
    uint64_t random = wick_random_stream(l->seed, n);
    double u = (double)((random >> 11) + 1) * 0x1p-53, priority = (double)weight / u;
    return priority > (double)wick_load_relaxed(&l->rooms[WICK_LIVE_YOUNG].threshold) ? priority : 0;
}

static int by_priority(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Raises the threshold so that a quarter of the room becomes free. */
static void raise(struct wick_live *l, struct wick_live_room *room)
{
    for (uint32_t i = 0; i < room->count; i++)
        l->priorities[i] = room->objects[i].priority;
    qsort(l->priorities, room->count, sizeof *l->priorities, by_priority);
    double boundary = l->priorities[room->count / 4];
    uint64_t threshold = boundary < 0x1p62 ? (uint64_t)boundary + 1 : 1ull << 62;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < room->count; i++) {
        struct wick_live_object *o = &room->objects[i];
        if (o->priority > (double)threshold) {
            o->threshold = o->threshold > threshold ? o->threshold : threshold;
            room->objects[kept++] = *o;
        } else {
            wick_live_discard(l, o->reference);
        }
    }
    room->count = kept;
    wick_store_relaxed(&room->threshold, threshold);
}

/* Into the room, if its threshold lets it. */
static void enter(struct wick_live *l, struct wick_live_room *room, const struct wick_live_object *o)
{
    if (room->count == room->most)
        raise(l, room);
    uint64_t threshold = wick_load_relaxed(&room->threshold);
    if (o->priority <= (double)threshold || room->count == room->most) {
        wick_live_discard(l, o->reference);
        return;
    }
    struct wick_live_object *in = &room->objects[room->count++];
    *in = *o;
    if (in->threshold < threshold)
        in->threshold = threshold;
}

void wick_live_add(struct wick_live *l, const struct wick_live_object *o)
{
    struct wick_live_object in = *o;
    in.class_name = intern(l->names, o->class_name);
    if (in.class_name)
        enter(l, &l->rooms[WICK_LIVE_YOUNG], &in);
    else
        wick_live_discard(l, o->reference);
}

static void relax(struct wick_live_room *room)
{
    if (room->count < room->most / 2)
        wick_store_relaxed(&room->threshold, wick_load_relaxed(&room->threshold) / 2);
}

/* Removes what has died; returns how many stay. Survivors of the first room move into the second. */
static void sweep_room(struct wick_live *l, struct wick_live_room *room, uint32_t collections, bool young)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < room->count; i++) {
        struct wick_live_object o = room->objects[i];
        if (l->jvm.is_gone(o.reference))
            wick_live_discard(l, o.reference);
        else if (young && o.born != collections)
            enter(l, &l->rooms[WICK_LIVE_OLD], &o);
        else
            room->objects[kept++] = o;
    }
    room->count = kept;
    relax(room);
}

void wick_live_sweep(struct wick_live *l, uint64_t now_ns, bool now)
{
    uint32_t collections = l->jvm.collections();
    bool again = l->swept_ns && now_ns - l->swept_ns >= AGAIN_NS;
    if (!now && !again && collections == l->swept)
        return;
    l->swept_ns = collections != l->swept ? now_ns : 0; /* once more, for concurrent collectors */
    l->swept = collections;
    sweep_room(l, &l->rooms[WICK_LIVE_OLD], collections, false);
    sweep_room(l, &l->rooms[WICK_LIVE_YOUNG], collections, true);
    forget_names(l);
}

void wick_live_carry(struct wick_live *l, struct wick_carry *c)
{
    for (int r = WICK_LIVE_ROOMS; r-- > 0;) { /* survivors first, should there not be room for all */
        for (uint32_t i = 0; i < l->rooms[r].count; i++) {
            struct wick_live_object *o = &l->rooms[r].objects[i];
            uint32_t stack = wick_carry_stack(c, o->stack);
            l->stacks_lost += o->stack && !stack;
            o->stack = stack;
            o->context = wick_carry_context(c, o->context);
        }
    }
}
