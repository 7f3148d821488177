/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_symbols.h"

#include <stdbool.h>
#include <stddef.h>

static bool same_file(const struct wick_host_file_id *a, const struct wick_host_file_id *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size && a->modified_ns == b->modified_ns &&
           a->changed_ns == b->changed_ns;
}

struct wick_symbols *wick_host_symbols_take(struct wick_host_symbols *h, const struct wick_host_file_id *file)
{
    for (int i = 0; i < WICK_HOST_SYMBOLS; i++) {
        struct wick_host_shared *t = &h->table[i];
        if (t->symbols && same_file(&t->file, file)) {
            t->round = h->round;
            return wick_symbols_share(t->symbols);
        }
    }
    return NULL;
}

static void drop(struct wick_host_shared *t)
{
    wick_symbols_free(t->symbols);
    *t = (struct wick_host_shared){0};
}

/* A free place, or that of the table that nobody has had for the longest time; NULL if all are in use. */
static struct wick_host_shared *place_of(struct wick_host_symbols *h)
{
    struct wick_host_shared *best = NULL;
    for (int i = 0; i < WICK_HOST_SYMBOLS; i++) {
        struct wick_host_shared *t = &h->table[i];
        if (!t->symbols)
            return t;
        if (wick_symbols_users(t->symbols) == 1 && (!best || h->round - t->round > h->round - best->round))
            best = t;
    }
    if (best)
        drop(best);
    return best;
}

void wick_host_symbols_keep(struct wick_host_symbols *h, const struct wick_host_file_id *file, struct wick_symbols *s)
{
    struct wick_host_shared *t = place_of(h);
    if (t)
        *t = (struct wick_host_shared){*file, wick_symbols_share(s), h->round};
}

void wick_host_symbols_tidy(struct wick_host_symbols *h)
{
    h->round++;
    for (int i = 0; i < WICK_HOST_SYMBOLS; i++) {
        struct wick_host_shared *t = &h->table[i];
        if (!t->symbols)
            continue;
        if (wick_symbols_users(t->symbols) > 1)
            t->round = h->round;
        else if (h->round - t->round >= WICK_HOST_SYMBOLS_ROUNDS)
            drop(t);
    }
}

void wick_host_symbols_release(struct wick_host_symbols *h)
{
    for (int i = 0; i < WICK_HOST_SYMBOLS; i++)
        if (h->table[i].symbols)
            drop(&h->table[i]);
}
