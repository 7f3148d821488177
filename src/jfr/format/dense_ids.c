/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two hash tables with open addressing and linear probing, at most half full, whose slots hold ids; the keys lie in an
 * array by id, so a table is also the list of its keys in the order they came. Strings are compared, never taken as
 * equal for their hash.
 *
 * Numbers: a chunk uses, of each kind, an interval of numbers. If that begins at 1, the next chunk's begins behind it.
 * If it does not, the next chunk begins at 1 and jumps over it should it get there; what it used then counts as one
 * interval from 1. So numbers stay below about twice what the largest chunk needs, and a recording's first chunk has
 * the smallest possible.
 *
 * Growing allocates the new arrays before it touches the old ones: a table that could not grow is unchanged.
 */
#include "jfr/format/dense_ids.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/keyed_hash.h"

#define FIRST_CAPACITY 256u
#define MAX_CAPACITY   (1u << 30)

/* What the kernel gave this process: names come from whom a recording is of, and must not be made to collide. */
static void draw_secret(uint64_t secret[2])
{
    const void *random = (const void *)(uintptr_t)getauxval(AT_RANDOM); /* 16 bytes */
    secret[0] = 0xcbf29ce484222325u;
    secret[1] = 0x9e3779b97f4a7c15u;
    if (random)
        memcpy(secret, random, 2 * sizeof *secret);
}

static uint32_t hash_number(uint32_t v)
{
    return (uint32_t)((v * 0x9e3779b97f4a7c15u) >> 32);
}

static void place(uint32_t *slots, uint32_t capacity, uint32_t hash, uint32_t id)
{
    uint32_t i = hash & (capacity - 1);
    while (slots[i])
        i = (i + 1) & (capacity - 1);
    slots[i] = id;
}

static uint32_t next_capacity(uint32_t capacity)
{
    return capacity ? capacity * 2 : FIRST_CAPACITY;
}

struct wick_jfr_numbering wick_jfr_next_numbering(const struct wick_jfr_numbering *n, uint32_t count)
{
    if (!count)
        return (struct wick_jfr_numbering){0};
    uint32_t last = wick_jfr_number(n, count);
    if (n->offset)
        return (struct wick_jfr_numbering){.skip_at = n->offset + 1, .skip_len = last - n->offset};
    return (struct wick_jfr_numbering){.offset = last};
}

static bool names_grow(struct wick_jfr_names *t)
{
    if (t->capacity >= MAX_CAPACITY)
        return false;
    uint32_t capacity = next_capacity(t->capacity);
    uint32_t *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    struct wick_jfr_name *entries = realloc(t->entries, capacity / 2 * sizeof *entries);
    if (!entries) {
        free(slots);
        return false;
    }
    for (uint32_t id = 1; id <= t->count; id++)
        place(slots, capacity, entries[id - 1].hash, id);
    free(t->slots);
    t->slots = slots;
    t->entries = entries;
    t->capacity = capacity;
    return true;
}

static bool text_grow(struct wick_jfr_names *t, size_t n)
{
    if (t->text_cap - t->text_len >= n)
        return true;
    size_t cap = t->text_cap ? t->text_cap : 4096;
    while (cap - t->text_len < n) {
        if (cap > SIZE_MAX / 4)
            return false;
        cap *= 2;
    }
    char *text = realloc(t->text, cap);
    if (!text)
        return false;
    t->text = text;
    t->text_cap = cap;
    return true;
}

uint32_t wick_jfr_names_add(struct wick_jfr_names *t, const char *s, size_t n)
{
    if (n > UINT32_MAX / 2)
        n = UINT32_MAX / 2;
    if (!t->capacity)
        draw_secret(t->secret);
    uint32_t hash = (uint32_t)(wick_keyed_hash(t->secret, s, n) >> 32);
    for (uint32_t i = hash & (t->capacity - 1); t->capacity && t->slots[i]; i = (i + 1) & (t->capacity - 1)) {
        const struct wick_jfr_name *e = &t->entries[t->slots[i] - 1];
        if (e->hash == hash && e->len == n && !memcmp(t->text + e->offset, s, n))
            return t->slots[i];
    }
    if (!text_grow(t, n ? n : 1) || (t->count >= t->capacity / 2 && !names_grow(t)))
        return 0;
    memcpy(t->text + t->text_len, s, n);
    t->entries[t->count++] = (struct wick_jfr_name){hash, (uint32_t)n, t->text_len};
    t->text_len += n;
    place(t->slots, t->capacity, hash, t->count);
    return t->count;
}

const char *wick_jfr_names_get(const struct wick_jfr_names *t, uint32_t id, size_t *len)
{
    *len = t->entries[id - 1].len;
    return t->text + t->entries[id - 1].offset;
}

void wick_jfr_names_clear(struct wick_jfr_names *t)
{
    if (t->count)
        memset(t->slots, 0, t->capacity * sizeof *t->slots);
    t->count = t->flushed = 0;
    t->text_len = 0;
}

void wick_jfr_names_release(struct wick_jfr_names *t)
{
    free(t->entries);
    free(t->slots);
    free(t->text);
    *t = (struct wick_jfr_names){.numbering = t->numbering};
}

size_t wick_jfr_names_bytes(const struct wick_jfr_names *t)
{
    return t->capacity * (sizeof *t->slots + sizeof *t->entries / 2) + t->text_cap;
}

static bool ids_grow(struct wick_jfr_ids *t)
{
    if (t->capacity >= MAX_CAPACITY)
        return false;
    uint32_t capacity = next_capacity(t->capacity);
    uint32_t *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    uint32_t *keys = realloc(t->keys, capacity / 2 * sizeof *keys);
    if (!keys) {
        free(slots);
        return false;
    }
    for (uint32_t id = 1; id <= t->count; id++)
        place(slots, capacity, hash_number(keys[id - 1]), id);
    free(t->slots);
    t->slots = slots;
    t->keys = keys;
    t->capacity = capacity;
    return true;
}

uint32_t wick_jfr_ids_add(struct wick_jfr_ids *t, uint32_t key)
{
    uint32_t hash = hash_number(key);
    for (uint32_t i = hash & (t->capacity - 1); t->capacity && t->slots[i]; i = (i + 1) & (t->capacity - 1)) {
        if (t->keys[t->slots[i] - 1] == key)
            return t->slots[i];
    }
    if (t->count >= t->capacity / 2 && !ids_grow(t))
        return 0;
    t->keys[t->count++] = key;
    place(t->slots, t->capacity, hash, t->count);
    return t->count;
}

void wick_jfr_ids_clear(struct wick_jfr_ids *t)
{
    if (t->count)
        memset(t->slots, 0, t->capacity * sizeof *t->slots);
    t->count = t->flushed = 0;
}

void wick_jfr_ids_release(struct wick_jfr_ids *t)
{
    free(t->keys);
    free(t->slots);
    *t = (struct wick_jfr_ids){.numbering = t->numbering};
}

size_t wick_jfr_ids_bytes(const struct wick_jfr_ids *t)
{
    return t->capacity * (sizeof *t->slots + sizeof *t->keys / 2);
}
