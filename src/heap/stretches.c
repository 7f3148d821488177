/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/stretches.h"

#include <stdlib.h>

enum {
    STRETCH_BITS = 16,
    MOST = 1 << 18,
    FEWEST = 1 << 10,
    MOST_THINNED = 40,
    FALLS_IN_ORDER = 50, /* a region has more objects */
};

static bool is_drawn(const struct wick_heap_stretches *s, uint64_t id)
{
    uint64_t drawn = (id >> STRETCH_BITS) * UINT64_C(0x9e3779b97f4a7c15);
    return !s->thinned || !(drawn >> (64 - s->thinned));
}

static void thin_out(struct wick_heap_stretches *s)
{
    uint32_t n = 0;
    s->thinned++;
    for (uint32_t i = 0; i < s->n; i++)
        if (is_drawn(s, s->kept[i].id))
            s->kept[n++] = s->kept[i];
    s->n = n;
}

static bool make_room(struct wick_heap_stretches *s)
{
    while (s->n == MOST && s->thinned < MOST_THINNED)
        thin_out(s);
    if (s->n < s->cap)
        return true;
    uint32_t cap = s->cap ? 2 * s->cap : FEWEST;
    struct wick_heap_seen *p = cap <= MOST ? realloc(s->kept, cap * sizeof *p) : NULL;
    if (!p)
        return false;
    s->kept = p;
    s->cap = cap;
    return true;
}

void wick_heap_stretches_see(struct wick_heap_stretches *s, const struct wick_heap_seen *o)
{
    s->falls += o->id < s->last;
    s->last = o->id;
    s->seen++;
    if (s->failed || !is_drawn(s, o->id))
        return;
    if (!make_room(s)) {
        wick_heap_stretches_release(s);
        s->failed = true;
    } else if (is_drawn(s, o->id)) { /* still */
        s->kept[s->n++] = *o;
    }
}

bool wick_heap_stretches_in_order(const struct wick_heap_stretches *s)
{
    return s->falls * FALLS_IN_ORDER <= s->seen;
}

static int by_id(const void *a, const void *b)
{
    const struct wick_heap_seen *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

void wick_heap_stretches_sort(struct wick_heap_stretches *s)
{
    if (s->n)
        qsort(s->kept, s->n, sizeof *s->kept, by_id);
}

bool wick_heap_stretches_join(uint64_t id, uint64_t other)
{
    return id >> STRETCH_BITS == other >> STRETCH_BITS;
}

void wick_heap_stretches_release(struct wick_heap_stretches *s)
{
    free(s->kept);
    s->kept = NULL;
    s->n = s->cap = 0;
}
