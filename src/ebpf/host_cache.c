/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_cache.c - a hash index over an array of entries, whose frames lie one behind the other in a second array
 *
 * Finding and keeping are O(1). An entry that is made anew, since what its key stands for may have changed, takes its
 * old place among the frames if they fit there; else they go to the end and the old ones are garbage. Nothing is
 * evicted one by one: what a machine runs comes back within a moment, and an order of use would cost every sample
 * something. So when there are 32,768 entries, or four frames for each of these, garbage included, all is forgotten,
 * and garbage is bounded with it. Without memory an entry is left out, and its frames are found again the next time.
 */
#include "ebpf/host_cache.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 32768, FRAMES = 4 * ENTRIES };

static uint64_t hash_key(const struct wick_host_key *key)
{
    return wick_hash_2(wick_hash_2(key->address, key->place), key->kind);
}

struct wick_host_cached *wick_host_cache_find(struct wick_host_cache *c, const struct wick_host_key *key)
{
    uint64_t h = hash_key(key);
    uint32_t at = wick_index_start(&c->index, h), id;
    while (wick_index_next(&c->index, h, &at, &id))
        if (c->e[id].key.address == key->address && c->e[id].key.place == key->place && c->e[id].key.kind == key->kind)
            return &c->e[id];
    return NULL;
}

/* Room for an entry and its frames. */
static bool make_room(struct wick_host_cache *c, uint32_t frames)
{
    if (c->n == c->cap) {
        uint32_t cap = c->cap ? c->cap * 2 : 64;
        void *bigger = reallocarray(c->e, cap, sizeof *c->e);
        if (!bigger)
            return false;
        c->e = bigger;
        c->cap = cap;
    }
    uint32_t cap = c->cap_frames ? c->cap_frames : 128;
    while (cap < c->nframes + frames)
        cap *= 2;
    if (cap > c->cap_frames) {
        void *bigger = reallocarray(c->frames, cap, sizeof *c->frames);
        if (!bigger)
            return false;
        c->frames = bigger;
        c->cap_frames = cap;
    }
    return true;
}

void wick_host_cache_put(struct wick_host_cache *c, const struct wick_host_key *key, uint64_t now_ns,
                         const struct wick_jfr_frame *frames, uint32_t n)
{
    const struct wick_host_cached *old = wick_host_cache_find(c, key);
    if ((!old && c->n >= ENTRIES) || c->nframes >= FRAMES) {
        wick_host_cache_clear(c);
        old = NULL;
    }
    uint32_t id = old ? (uint32_t)(old - c->e) : c->n;
    if (!make_room(c, n) || (id == c->n && wick_index_add(&c->index, hash_key(key), id)))
        return;
    struct wick_host_cached *e = &c->e[id];
    bool fits = id < c->n && e->n >= n;
    uint32_t first = fits ? e->first : c->nframes;
    *e = (struct wick_host_cached){*key, now_ns, first, n};
    memcpy(c->frames + first, frames, n * sizeof *frames);
    c->nframes += fits ? 0 : n;
    c->n += id == c->n;
}

void wick_host_cache_clear(struct wick_host_cache *c)
{
    free(c->e);
    free(c->frames);
    wick_index_release(&c->index);
    *c = (struct wick_host_cache){0};
}
