/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.c - making and freeing a generation
 *
 * The mapping is reserved without being counted against the machine's memory (MAP_NORESERVE); pages come when they are
 * touched. A limit of L bytes is shared out as: nodes and their index 5/8, methods and theirs 1/8, arena 1/4,
 * and a little more for contexts - a
 * program with unlimited distinct stacks has many nodes of few methods.
 */
#include "record/tables.h"

#include <string.h>
#include <sys/mman.h>

enum { MIN_LIMIT = 4 << 20, NODE_FIRST = 1 << 14, METHOD_FIRST = 1 << 12, CONTEXT_FIRST = 1 << 10 };

static size_t page_up(size_t n)
{
    return (n + 4095) & ~(size_t)4095;
}

/* Most levels of an index whose slots stay within `bytes`. */
static int levels_for(uint32_t first, size_t bytes)
{
    int n = 1;
    while (n < WICK_LEVEL_INDEX_LEVELS && wick_level_index_bytes(first, n + 1) <= bytes)
        n++;
    return n;
}

struct wick_tables *wick_tables_new(size_t limit)
{
    if (limit < MIN_LIMIT)
        limit = MIN_LIMIT;
    int node_levels = levels_for(NODE_FIRST, limit / 8), method_levels = levels_for(METHOD_FIRST, limit / 64);
    int context_levels = levels_for(CONTEXT_FIRST, limit / 128);
    size_t node_index = page_up(wick_level_index_bytes(NODE_FIRST, node_levels));
    size_t method_index = page_up(wick_level_index_bytes(METHOD_FIRST, method_levels));
    size_t context_index = page_up(wick_level_index_bytes(CONTEXT_FIRST, context_levels)),
           contexts = page_up(limit / 32);
    size_t nodes = page_up(limit / 2), methods = page_up(limit / 16), pcs = page_up(WICK_PC_SLOTS * sizeof(uint32_t));
    size_t arena = page_up(limit / 4), head = page_up(sizeof(struct wick_tables));
    size_t total = head + node_index + method_index + context_index + nodes + methods + contexts + pcs + arena;
    uint8_t *p = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    madvise(p, total, MADV_NOHUGEPAGE); /* a huge page would make 2 MiB of every touched byte */
    struct wick_tables *t = (struct wick_tables *)p;
    t->bytes = total;
    wick_level_index_init(&t->node_index, p + head, NODE_FIRST, node_levels);
    wick_level_index_init(&t->method_index, p + head + node_index, METHOD_FIRST, method_levels);
    wick_level_index_init(&t->context_index, p + head + node_index + method_index, CONTEXT_FIRST, context_levels);
    p += head + node_index + method_index + context_index;
    t->nodes = (struct wick_node *)p;
    t->node_cap = (uint32_t)(nodes / sizeof *t->nodes);
    t->methods = (struct wick_method_entry *)(p + nodes);
    t->method_cap = (uint32_t)(methods / sizeof *t->methods);
    t->contexts = (struct wick_context *)(p + nodes + methods);
    t->context_cap = (uint32_t)(contexts / sizeof *t->contexts);
    t->pc_slots = (_Atomic uint32_t *)(p + nodes + methods + contexts);
    t->arena = p + nodes + methods + contexts + pcs;
    t->arena_cap = arena < UINT32_MAX ? arena : UINT32_MAX;
    t->nodes[0] = (struct wick_node){0};
    wick_store_relaxed(&t->node_count, 1);
    wick_store_relaxed(&t->method_count, 1);
    wick_store_relaxed(&t->context_count, 1);
    wick_store_relaxed(&t->arena_used, 8); /* offset 0 means none */
    return t;
}

void wick_tables_free(struct wick_tables *t)
{
    if (t)
        munmap(t, t->bytes);
}

size_t wick_tables_used(const struct wick_tables *t)
{
    size_t used = page_up(sizeof *t) + page_up(WICK_PC_SLOTS * sizeof(uint32_t));
    for (int i = 0; i < WICK_LEVEL_INDEX_LEVELS; i++) {
        used += wick_load_relaxed(&t->node_index.used[i]) ? t->node_index.size[i] * sizeof(uint32_t) : 0;
        used += wick_load_relaxed(&t->method_index.used[i]) ? t->method_index.size[i] * sizeof(uint32_t) : 0;
        used += wick_load_relaxed(&t->context_index.used[i]) ? t->context_index.size[i] * sizeof(uint32_t) : 0;
    }
    used += wick_load_relaxed(&t->node_count) * sizeof *t->nodes;
    used += wick_load_relaxed(&t->method_count) * sizeof *t->methods;
    used += wick_load_relaxed(&t->context_count) * sizeof *t->contexts;
    return used + wick_load_relaxed(&t->arena_used);
}

/* Whether some part holds more than so many quarters of what it can. */
static bool is_fuller(const struct wick_tables *t, uint32_t quarters)
{
    size_t slots = 0;
    for (int i = 0; i < WICK_LEVEL_INDEX_LEVELS; i++)
        slots += t->node_index.size[i];
    uint32_t nodes = wick_load_relaxed(&t->node_count);
    return nodes > t->node_cap / 4 * quarters || nodes > slots / 6 * quarters ||
           wick_load_relaxed(&t->method_count) > t->method_cap / 4 * quarters ||
           wick_load_relaxed(&t->context_count) > t->context_cap / 4 * quarters ||
           wick_load_relaxed(&t->arena_used) > t->arena_cap / 4 * quarters;
}

bool wick_tables_nearly_full(const struct wick_tables *t)
{
    return is_fuller(t, 3);
}

bool wick_tables_half_full(const struct wick_tables *t)
{
    return is_fuller(t, 2);
}
