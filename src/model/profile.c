/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.c - the tables of a profile
 *
 * Every table is a plain array that doubles, with an index (model/hash.h) to find equal entries. Strings lie in an
 * arena of blocks, so pointers to them stay good while the profile grows.
 *
 * Stacks. A stack seen for the first time is pushed frame by frame from where it leaves the known ones, so most nodes
 * are the first child of the node made just before them. Such a child is found at its parent's number plus one and is
 * kept out of the index, which then holds one entry for each branching instead of one for each frame; and walking down
 * a known stack reads memory in order. The rule: a node n whose parent is n - 1 is not in the index, every other one
 * is.
 *
 * Aggregates. Most stacks have one: recordings are mostly read with one event type, and threads and states only where
 * they are shown. So `leaf_agg` holds by stack its first aggregate, and the index only those that are not the first of
 * their stack.
 */
#include "model/profile.h"
#include "base/err.h"
#include "base/sum.h"

#include <stdlib.h>

#define ARENA_BLOCK 65536u

struct wick_arena_block {
    struct wick_arena_block *next;
    size_t used, cap;
    char bytes[];
};

static char *arena_take(struct wick_profile *p, size_t n)
{
    struct wick_arena_block *b = p->arena;
    if (!b || b->cap - b->used < n) {
        size_t cap = n > ARENA_BLOCK / 4 ? n : ARENA_BLOCK;
        b = malloc(sizeof *b + cap);
        if (!b)
            return NULL;
        *b = (struct wick_arena_block){.cap = cap};
        /* A block made for one long string goes second, so that the room left in the current one stays in use. */
        if (cap == n && p->arena) {
            b->next = p->arena->next;
            p->arena->next = b;
        } else {
            b->next = p->arena;
            p->arena = b;
        }
    }
    char *s = b->bytes + b->used;
    b->used += n;
    return s;
}

/* Room for one more element in a table of elements of `size` bytes. */
static bool room(struct wick_profile *p, void *table, uint32_t n, uint32_t *cap, size_t size)
{
    void **t = table;
    if (n < *cap)
        return true;
    uint32_t want = *cap ? *cap * 2 : 16;
    void *bigger = want > *cap && want < UINT32_MAX / 2 ? reallocarray(*t, want, size) : NULL;
    if (!bigger) {
        p->failed = true;
        return false;
    }
    *t = bigger;
    *cap = want;
    return true;
}

#define ROOM(p, table) room((p), &(p)->table, (p)->n##table, &(p)->cap_##table, sizeof *(p)->table)

static bool entered(struct wick_profile *p, struct wick_index *ix, uint64_t hash, uint32_t id)
{
    if (wick_index_add(ix, hash, id) == 0)
        return true;
    p->failed = true;
    return false;
}

uint32_t wick_profile_string(struct wick_profile *p, const char *s, size_t len)
{
    uint64_t h = wick_hash_bytes(s, len);
    uint32_t at = wick_index_start(&p->ix_strings, h), id;
    while (wick_index_next(&p->ix_strings, h, &at, &id))
        if (p->strings[id].len == len && memcmp(p->strings[id].s, s, len) == 0)
            return id;
    if (len >= UINT32_MAX || !ROOM(p, strings))
        return 0;
    char *copy = arena_take(p, len + 1);
    if (!copy || !entered(p, &p->ix_strings, h, p->nstrings)) {
        p->failed = true;
        return 0;
    }
    memcpy(copy, s, len);
    copy[len] = 0;
    p->strings[p->nstrings] = (struct wick_string){copy, (uint32_t)len};
    return p->nstrings++;
}

uint32_t wick_profile_cstring(struct wick_profile *p, const char *s)
{
    return wick_profile_string(p, s, strlen(s));
}

uint32_t wick_profile_function(struct wick_profile *p, uint32_t class_name, uint32_t name, uint32_t signature)
{
    uint64_t h = wick_hash_2((uint64_t)class_name << 32 | name, signature);
    uint32_t at = wick_index_start(&p->ix_functions, h), id;
    while (wick_index_next(&p->ix_functions, h, &at, &id)) {
        const struct wick_function *f = &p->functions[id];
        if (f->class_name == class_name && f->name == name && f->signature == signature)
            return id;
    }
    if (!ROOM(p, functions) || !entered(p, &p->ix_functions, h, p->nfunctions))
        return 0;
    p->functions[p->nfunctions] =
        (struct wick_function){.class_name = class_name, .name = name, .signature = signature};
    return p->nfunctions++;
}

uint32_t wick_profile_frame(struct wick_profile *p, uint32_t function, int32_t line, int32_t bci, unsigned kind)
{
    wick_profile_coarse(p, &line, &bci, &kind);
    if (kind == WICK_FRAME_BREAK) {
        const struct wick_string *name = &p->strings[p->functions[function].name];
        kind = wick_frame_kind_of_break(name->s, name->len);
    }
    uint64_t h = wick_hash_2((uint64_t)function << 32 | (uint32_t)line, (uint64_t)(uint32_t)bci << 8 | (kind & 0xff));
    uint32_t at = wick_index_start(&p->ix_frames, h), id;
    while (wick_index_next(&p->ix_frames, h, &at, &id)) {
        const struct wick_frame *f = &p->frames[id];
        if (f->function == function && f->line == line && f->bci == bci && f->kind == kind)
            return id;
    }
    if (!ROOM(p, frames) || !entered(p, &p->ix_frames, h, p->nframes))
        return 0;
    p->frames[p->nframes] = (struct wick_frame){function, line, bci, (uint8_t)kind};
    return p->nframes++;
}

uint32_t wick_profile_push(struct wick_profile *p, uint32_t parent, uint32_t frame)
{
    uint32_t next = parent + 1, id;
    uint64_t h = 0;
    bool last = next == p->nstacks;
    if (!last) {
        if (p->stacks[next].parent == parent && p->stacks[next].frame == frame)
            return next;
        h = wick_hash_2(parent, frame);
        uint32_t at = wick_index_start(&p->ix_stacks, h);
        while (wick_index_next(&p->ix_stacks, h, &at, &id))
            if (p->stacks[id].parent == parent && p->stacks[id].frame == frame)
                return id;
    }
    if (!ROOM(p, stacks) || (!last && !entered(p, &p->ix_stacks, h, p->nstacks)))
        return 0;
    p->stacks[p->nstacks] = (struct wick_stack){parent, frame};
    return p->nstacks++;
}

uint32_t wick_profile_push_all(struct wick_profile *p, const uint32_t *frames, uint32_t n)
{
    uint32_t stack = 0;
    while (n) {
        const struct wick_stack *s = p->stacks;
        uint32_t known = p->nstacks;
        /* Down a known path, as long as it lies in order. */
        while (n && stack + 1 < known && s[stack + 1].parent == stack && s[stack + 1].frame == frames[n - 1]) {
            stack++;
            n--;
        }
        if (!n)
            break;
        /* One step that needs the index; if it made a node, all that follow are also new. */
        stack = wick_profile_push(p, stack, frames[--n]);
        for (; n && stack + 1 == p->nstacks && ROOM(p, stacks); stack = p->nstacks++)
            p->stacks[p->nstacks] = (struct wick_stack){stack, frames[--n]};
        if (p->failed)
            return 0;
    }
    return stack;
}

uint32_t wick_profile_thread(struct wick_profile *p, uint32_t name, int64_t os_tid, int64_t java_tid, bool is_virtual)
{
    uint64_t h = wick_hash_2(wick_hash_2((uint64_t)os_tid, (uint64_t)java_tid), (uint64_t)name << 1 | is_virtual);
    uint32_t at = wick_index_start(&p->ix_threads, h), id;
    while (wick_index_next(&p->ix_threads, h, &at, &id)) {
        const struct wick_thread *t = &p->threads[id];
        if (t->name == name && t->os_tid == os_tid && t->java_tid == java_tid && t->is_virtual == is_virtual)
            return id;
    }
    if (!ROOM(p, threads) || !entered(p, &p->ix_threads, h, p->nthreads))
        return 0;
    p->threads[p->nthreads] = (struct wick_thread){name, is_virtual, os_tid, java_tid};
    return p->nthreads++;
}

/* States and event types are a handful, so a scan will do; a hostile file's thousands end in number 0. */
#define FEW_MAX 1024u

uint16_t wick_profile_state(struct wick_profile *p, uint32_t name)
{
    for (uint32_t i = 0; i < p->nstates; i++)
        if (p->states[i] == name)
            return (uint16_t)i;
    if (p->nstates >= FEW_MAX || !ROOM(p, states))
        return 0;
    p->states[p->nstates] = name;
    return (uint16_t)p->nstates++;
}

uint16_t wick_profile_event(struct wick_profile *p, uint32_t name, enum wick_event_kind kind, enum wick_unit unit)
{
    for (uint32_t i = 0; i < p->nevents; i++)
        if (p->events[i].name == name && p->events[i].kind == kind && p->events[i].unit == unit)
            return (uint16_t)i;
    if (p->nevents >= FEW_MAX || !ROOM(p, events))
        return 0;
    p->events[p->nevents] = (struct wick_sample_type){.name = name, .kind = (uint8_t)kind, .unit = (uint8_t)unit};
    return (uint16_t)p->nevents++;
}

/* Where the first aggregate of a stack is, + 1. The table follows the number of stacks. */
static uint32_t *first_agg(struct wick_profile *p, uint32_t stack)
{
    if (stack >= p->cap_leaf_agg) {
        uint32_t want = p->cap_stacks > stack ? p->cap_stacks : stack + 1;
        uint32_t *bigger = reallocarray(p->leaf_agg, want, sizeof *bigger);
        if (!bigger) {
            p->failed = true;
            return NULL;
        }
        memset(bigger + p->cap_leaf_agg, 0, (want - p->cap_leaf_agg) * sizeof *bigger);
        p->leaf_agg = bigger;
        p->cap_leaf_agg = want;
    }
    return &p->leaf_agg[stack];
}

/* Sums saturate: a hostile recording's weights must not overflow. */
static void sum(int64_t *weight, uint64_t *count, const struct wick_sample *s)
{
    *weight = wick_sum(*weight, s->weight);
    *count = wick_sum_u64(*count, s->count);
}

static bool agg_is(const struct wick_agg *a, const struct wick_agg *b)
{
    return a->stack == b->stack && a->thread == b->thread && a->labels == b->labels && a->state == b->state &&
           a->event == b->event;
}

/* The aggregate of a key, made if need be; NULL when memory ran out. */
static struct wick_agg *agg_of(struct wick_profile *p, const struct wick_agg *key)
{
    uint32_t *first = first_agg(p, key->stack), id;
    if (!first)
        return NULL;
    if (*first && agg_is(&p->aggs[*first - 1], key))
        return &p->aggs[*first - 1];
    uint64_t h = wick_hash_2((uint64_t)key->stack << 32 | key->thread,
                             (uint64_t)key->labels << 32 | (uint32_t)key->state << 16 | key->event);
    uint32_t at = wick_index_start(&p->ix_aggs, h);
    while (*first && wick_index_next(&p->ix_aggs, h, &at, &id))
        if (agg_is(&p->aggs[id], key))
            return &p->aggs[id];
    if (!ROOM(p, aggs) || (*first && !entered(p, &p->ix_aggs, h, p->naggs)))
        return NULL;
    if (!*first)
        *first = p->naggs + 1;
    p->aggs[p->naggs] = *key;
    return &p->aggs[p->naggs++];
}

/* Adds to what is known of an aggregate's sizes. The table grows to the room that the aggregates have. */
static void sum_sizes(struct wick_profile *p, uint32_t agg, const struct wick_sample *s)
{
    if (agg >= p->nsizes) {
        struct wick_agg_sizes *bigger = reallocarray(p->sizes, p->cap_aggs, sizeof *bigger);
        if (!bigger) {
            p->failed = true;
            return;
        }
        memset(bigger + p->nsizes, 0, (p->cap_aggs - p->nsizes) * sizeof *bigger);
        p->sizes = bigger;
        p->nsizes = p->cap_aggs;
    }
    p->sizes[agg].variance += s->variance;
    p->sizes[agg].things += s->things;
}

uint32_t wick_profile_add(struct wick_profile *p, const struct wick_sample *s)
{
    const struct wick_agg key = {
        .stack = s->stack,
        .thread = p->by_thread ? s->thread : 0,
        .labels = p->by_labels ? s->labels : 0,
        .state = p->by_state ? s->state : 0,
        .event = s->event,
    };
    if (s->event >= p->nevents || s->stack >= p->nstacks)
        return WICK_AGG_NONE;
    sum(&p->events[s->event].weight, &p->events[s->event].count, s);
    struct wick_agg *a = agg_of(p, &key);
    if (!a)
        return WICK_AGG_NONE;
    sum(&a->weight, &a->count, s);
    uint32_t id = (uint32_t)(a - p->aggs);
    if (s->variance > 0 || s->things > 0)
        sum_sizes(p, id, s);
    return id;
}

void wick_profile_seal(struct wick_profile *p)
{
    struct wick_index *ix[] = {&p->ix_strings, &p->ix_functions, &p->ix_frames, &p->ix_stacks, &p->ix_aggs};
    for (size_t i = 0; i < sizeof ix / sizeof *ix; i++)
        wick_index_release(ix[i]);
    free(p->leaf_agg);
    p->leaf_agg = NULL;
    p->cap_leaf_agg = 0;
}

struct wick_agg *wick_profile_take_aggs(struct wick_profile *p, uint32_t *n)
{
    struct wick_agg *taken = p->aggs;
    *n = p->naggs;
    free(p->sizes);
    p->aggs = NULL;
    p->sizes = NULL;
    p->naggs = p->cap_aggs = p->nsizes = 0;
    p->start_ns = p->end_ns = 0;
    wick_index_release(&p->ix_aggs);
    free(p->leaf_agg);
    p->leaf_agg = NULL;
    p->cap_leaf_agg = 0;
    for (uint32_t i = 0; i < p->nevents; i++) {
        p->events[i].weight = 0;
        p->events[i].count = 0;
    }
    return taken;
}

void wick_profile_cover(struct wick_profile *p, int64_t start_ns, int64_t end_ns)
{
    if (end_ns < start_ns)
        return;
    if (!p->end_ns || start_ns < p->start_ns)
        p->start_ns = start_ns;
    if (!p->end_ns || end_ns > p->end_ns)
        p->end_ns = end_ns;
}

static const char *const kind_names[WICK_KIND_COUNT] = {
    [WICK_KIND_OTHER] = "other",
#define X(kind, word, ...) [WICK_KIND_##kind] = (word),
#include "def/event_kind.def"
#undef X
};

const char *wick_event_kind_name(unsigned kind)
{
    return kind_names[kind < WICK_KIND_COUNT ? kind : WICK_KIND_OTHER];
}

/* JDK 25 has two samplers of the CPU; this one asks the kernel's clock and not the scheduler's mood. */
static bool is_exact(const struct wick_profile *p, const struct wick_sample_type *e)
{
    return strcmp(wick_profile_str(p, e->name), "jdk.CPUTimeSample") == 0;
}

/* The non-empty event type of a kind to take, 0 = none: the exact one, else the heaviest. */
static uint16_t heaviest(const struct wick_profile *p, unsigned kind)
{
    uint16_t best = 0;
    for (uint32_t i = 1; i < p->nevents; i++) {
        const struct wick_sample_type *e = &p->events[i], *b = &p->events[best];
        if (e->kind != kind || !e->count)
            continue;
        bool better = is_exact(p, e) == is_exact(p, b) ? e->weight > b->weight : is_exact(p, e);
        if (!best || better)
            best = (uint16_t)i;
    }
    return best;
}

uint16_t wick_profile_main_event(const struct wick_profile *p)
{
    static const uint8_t order[] = {
#define X(kind, ...) WICK_KIND_##kind,
#include "def/event_kind.def"
#undef X
        WICK_KIND_OTHER,
    };
    for (size_t i = 0; i < sizeof order; i++) {
        uint16_t e = heaviest(p, order[i]);
        if (e)
            return e;
    }
    return 0;
}

static bool event_is_called(const struct wick_profile *p, uint32_t event, const char *name)
{
    const char *full = wick_profile_str(p, p->events[event].name), *dot = strrchr(full, '.');
    return strcmp(full, name) == 0 || (dot && strcmp(dot + 1, name) == 0);
}

uint16_t wick_profile_find_event(const struct wick_profile *p, const char *name)
{
    for (uint32_t i = 1; i < p->nevents; i++)
        if (p->events[i].count && event_is_called(p, i, name))
            return (uint16_t)i;
    for (unsigned k = 0; k < WICK_KIND_COUNT; k++)
        if (strcmp(kind_names[k], name) == 0)
            return heaviest(p, k);
    return 0;
}

bool wick_profile_event_is(const struct wick_profile *p, uint16_t event, const char *name)
{
    return event_is_called(p, event, name) || strcmp(wick_event_kind_name(p->events[event].kind), name) == 0;
}

int wick_profile_init(struct wick_profile *p)
{
    wick_hash_seed_init();
    *p = (struct wick_profile){.by_thread = true, .by_state = true, .keep = WICK_KEEP_ALL};
    wick_profile_string(p, "", 0);
    wick_profile_function(p, 0, 0, 0);
    wick_profile_frame(p, 0, 0, -1, WICK_FRAME_BREAK);
    if (ROOM(p, stacks))
        p->stacks[p->nstacks++] = (struct wick_stack){0, 0};
    wick_profile_thread(p, 0, 0, 0, false);
    wick_profile_state(p, 0);
    if (ROOM(p, label_sets))
        p->label_sets[p->nlabel_sets++] = (struct wick_label_set){0, 0};
    wick_profile_event(p, 0, WICK_KIND_OTHER, WICK_UNIT_COUNT);
    if (!p->failed)
        return 0;
    wick_profile_release(p);
    return -WICK_E_NOMEM;
}

uint64_t wick_profile_bytes(const struct wick_profile *p)
{
    return (uint64_t)p->cap_stacks * (sizeof *p->stacks + 8) + (uint64_t)p->cap_aggs * (sizeof *p->aggs + 8) +
           (uint64_t)p->nsizes * sizeof *p->sizes + (uint64_t)p->cap_frames * (sizeof *p->frames + 8) +
           (uint64_t)p->cap_functions * sizeof *p->functions + (uint64_t)p->cap_strings * (sizeof *p->strings + 48) +
           (uint64_t)p->cap_labels * sizeof *p->labels + (uint64_t)p->cap_threads * (sizeof *p->threads + 8);
}

void wick_profile_release(struct wick_profile *p)
{
    for (struct wick_arena_block *b = p->arena, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(p->strings);
    free(p->functions);
    free(p->frames);
    free(p->stacks);
    free(p->threads);
    free(p->states);
    free(p->events);
    free(p->labels);
    free(p->label_sets);
    free(p->aggs);
    free(p->sizes);
    free(p->leaf_agg);
    struct wick_index *ix[] = {&p->ix_strings, &p->ix_functions,  &p->ix_frames, &p->ix_stacks,
                               &p->ix_threads, &p->ix_label_sets, &p->ix_aggs};
    for (size_t i = 0; i < sizeof ix / sizeof *ix; i++)
        wick_index_release(ix[i]);
    *p = (struct wick_profile){0};
}
