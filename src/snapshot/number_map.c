/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/number_map.h"

#include <stdlib.h>

enum { FIRST = 1024, ARRAY_FIRST = 256 };

/* Where a key is, or would be. */
static struct wick_number_map_slot *slot_of(struct wick_number_map_slot *slots, size_t cap, uint64_t key)
{
    uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t)(h >> 32) & (cap - 1);
    while (slots[i].key && slots[i].key != key)
        i = (i + 1) & (cap - 1);
    return &slots[i];
}

static bool grow(struct wick_number_map *m)
{
    size_t cap = m->cap ? 2 * m->cap : FIRST;
    struct wick_number_map_slot *slots = calloc(cap, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < m->cap; i++)
        if (m->slots[i].key)
            *slot_of(slots, cap, m->slots[i].key) = m->slots[i];
    free(m->slots);
    m->slots = slots;
    m->cap = cap;
    return true;
}

bool wick_number_map_put(struct wick_number_map *m, uint64_t key, uint32_t *value, bool *failed)
{
    if (m->n >= m->cap / 2 && !grow(m)) {
        *failed = true;
        return false;
    }
    struct wick_number_map_slot *s = slot_of(m->slots, m->cap, key);
    if (s->key) {
        *value = s->value;
        return true;
    }
    *s = (struct wick_number_map_slot){key, *value};
    m->n++;
    return false;
}

uint32_t wick_number_map_get(const struct wick_number_map *m, uint64_t key)
{
    const struct wick_number_map_slot *s = m->cap && key ? slot_of(m->slots, m->cap, key) : NULL;
    return s && s->key ? s->value : UINT32_MAX;
}

bool wick_number_map_reserve(void **array, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return true;
    uint32_t more = *cap ? *cap * 2 : ARRAY_FIRST;
    void *p = more > *cap ? realloc(*array, more * size) : NULL;
    if (!p)
        return false;
    *array = p;
    *cap = more;
    return true;
}
