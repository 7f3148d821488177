/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolize/symbol_cache.h"

#include <stdlib.h>

enum { BYTES_PER_SYMBOL = 12 }; /* elf/symbols.h */

void wick_symbol_cache_init(struct wick_symbol_cache *c, uint32_t max)
{
    *c = (struct wick_symbol_cache){.max = max};
}

void wick_symbol_cache_clear(struct wick_symbol_cache *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        wick_symbols_free(c->e[i].symbols);
    c->n = 0;
}

void wick_symbol_cache_release(struct wick_symbol_cache *c)
{
    wick_symbol_cache_clear(c);
    free(c->e);
    *c = (struct wick_symbol_cache){.max = c->max};
}

bool wick_symbol_cache_find(struct wick_symbol_cache *c, uint32_t image, const struct wick_symbols **symbols)
{
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->e[i].image != image)
            continue;
        c->e[i].round = c->round;
        c->e[i].use = ++c->uses;
        *symbols = c->e[i].symbols;
        return true;
    }
    return false;
}

static bool grow(struct wick_symbol_cache *c)
{
    uint32_t cap = c->cap ? c->cap * 2 : 16;
    struct wick_symbol_cache_entry *p = reallocarray(c->e, cap, sizeof *p);
    if (!p)
        return false;
    c->e = p;
    c->cap = cap;
    return true;
}

static void drop_least_recent(struct wick_symbol_cache *c)
{
    uint32_t oldest = 0;
    for (uint32_t i = 1; i < c->n; i++)
        if (c->e[i].use < c->e[oldest].use)
            oldest = i;
    wick_symbols_free(c->e[oldest].symbols);
    c->e[oldest] = c->e[--c->n];
}

const struct wick_symbols *wick_symbol_cache_add(struct wick_symbol_cache *c, uint32_t image,
                                                 struct wick_symbols *symbols)
{
    if (c->max && c->n == c->max)
        drop_least_recent(c);
    if (c->n == c->cap && !grow(c)) {
        wick_symbols_free(symbols);
        return NULL;
    }
    c->e[c->n++] = (struct wick_symbol_cache_entry){image, c->round, ++c->uses, symbols};
    return symbols;
}

void wick_symbol_cache_tidy(struct wick_symbol_cache *c)
{
    uint32_t kept = 0;
    c->round++;
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->round - c->e[i].round < WICK_SYMBOL_CACHE_ROUNDS)
            c->e[kept++] = c->e[i];
        else
            wick_symbols_free(c->e[i].symbols);
    }
    c->n = kept;
}

size_t wick_symbol_cache_memory(const struct wick_symbol_cache *c)
{
    size_t bytes = c->cap * sizeof *c->e;
    for (uint32_t i = 0; i < c->n; i++)
        bytes += c->e[i].symbols ? BYTES_PER_SYMBOL * wick_symbols_count(c->e[i].symbols) : 0;
    return bytes;
}
