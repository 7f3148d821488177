/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables_sig.c - the part of the tables that runs in signal handlers
 *
 * Publication: a thing is written completely, then its number is stored with release by wick_level_index_insert (or
 * into pc_slots); who finds the number with acquire sees the whole thing. Space of a thing that lost the race to an
 * equal one is not taken back; that is at most one thing per handler and race.
 */
#include "record/tables.h"

#include <string.h>

uint32_t wick_tables_alloc_sig(struct wick_tables *t, uint32_t n)
{
    n = (n + 7) & ~7u;
    if (wick_load_relaxed(&t->arena_used) + n > t->arena_cap)
        return 0;
    uint64_t at = wick_add_relaxed(&t->arena_used, n);
    return at + n <= t->arena_cap ? (uint32_t)at : 0;
}

static uint32_t hash64(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b * 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
    h *= 0xc4ceb9fe1a85ec53u;
    return (uint32_t)(h >> 32);
}

struct node_key {
    const struct wick_tables *t;
    uint64_t frame;
    uint32_t parent;
};

static bool node_eq(const void *arg, uint32_t n)
{
    const struct node_key *k = arg;
    const struct wick_node *node = &k->t->nodes[n];
    return node->frame == k->frame && node->parent == k->parent;
}

uint32_t wick_tables_node_sig(struct wick_tables *t, uint32_t parent, uint64_t frame)
{
    const struct node_key key = {t, frame, parent};
    uint32_t h = hash64(frame, parent);
    uint32_t n = wick_level_index_find(&t->node_index, h, node_eq, &key);
    if (n)
        return n;
    if (wick_load_relaxed(&t->node_count) >= t->node_cap)
        return 0;
    n = wick_add_relaxed(&t->node_count, 1);
    if (n >= t->node_cap)
        return 0;
    t->nodes[n] = (struct wick_node){frame, parent, parent ? t->nodes[parent].depth + 1 : 1};
    return wick_level_index_insert(&t->node_index, h, n, node_eq, &key);
}

struct context_key {
    const struct wick_tables *t;
    const struct wick_context *context;
};

static bool context_eq(const void *arg, uint32_t n)
{
    const struct context_key *k = arg;
    return !memcmp(&k->t->contexts[n], k->context, sizeof *k->context);
}

uint32_t wick_tables_context_sig(struct wick_tables *t, const struct wick_context *context)
{
    const struct context_key key = {t, context};
    /* the ids may be equal, so they are not simply mixed with each other */
    uint32_t h = hash64(context->span, context->trace_lo) ^
                 hash64(context->trace_hi, (uint64_t)context->endpoint << 32 | context->labels) ^
                 hash64(context->awaited, 0);
    uint32_t n = wick_level_index_find(&t->context_index, h, context_eq, &key);
    if (n)
        return n;
    if (wick_load_relaxed(&t->context_count) >= t->context_cap)
        return 0;
    n = wick_add_relaxed(&t->context_count, 1);
    if (n >= t->context_cap)
        return 0;
    t->contexts[n] = *context;
    return wick_level_index_insert(&t->context_index, h, n, context_eq, &key);
}

struct method_key {
    const struct wick_tables *t;
    const struct wick_hs_method_id *id;
};

static bool method_eq(const void *arg, uint32_t n)
{
    const struct method_key *k = arg;
    const struct wick_hs_method_id *id = &k->t->methods[n].id;
    return id->method == k->id->method && id->const_method == k->id->const_method &&
           id->constants == k->id->constants && id->class_name == k->id->class_name && id->name == k->id->name &&
           id->signature == k->id->signature && id->lines == k->id->lines;
}

struct address_key {
    const struct wick_tables *t;
    wick_addr method;
    uint64_t unloads;
};

/* The same address, verified when the JVM had loaded and unloaded as many classes as now: nothing can have taken its
 * place. */
static bool address_eq(const void *arg, uint32_t n)
{
    const struct address_key *k = arg;
    const struct wick_method_entry *e = &k->t->methods[n];
    return e->id.method == k->method && __atomic_load_n(&e->unloads, __ATOMIC_RELAXED) == k->unloads;
}

/* Copies a method into the arena and publishes it. */
static uint32_t add_method(struct wick_tables *t, const struct wick_jvm *jvm, const struct wick_mem *mem,
                           const struct wick_hs_method_id *id, uint64_t unloads, bool *full)
{
    enum { TYPICAL = 1024, LARGEST = 3 * 4096 + (1 << 15) + 64 };
    const struct method_key key = {t, id};
    /* One byte more than needed is never taken: the copy is made behind the arena's end mark and then claimed. Handlers
     * race for the same bytes, so claim first, with a size that fits most methods, and a larger one only if that was
     * not enough. */
    for (uint32_t size = TYPICAL;; size = LARGEST) {
        uint32_t at = wick_tables_alloc_sig(t, size);
        if (!at || wick_load_relaxed(&t->method_count) >= t->method_cap) {
            *full = true;
            return 0;
        }
        struct wick_hs_method *m = (struct wick_hs_method *)(t->arena + at);
        int used = wick_hs_method_copy(jvm, mem, id, m, size);
        bool lost_lines = used >= 0 && !m->line_bytes && size == TYPICAL && (uint32_t)used + 64 > TYPICAL;
        if ((used == -WICK_E_LIMIT || lost_lines) && size == TYPICAL)
            continue;
        if (used < 0)
            return 0;
        /* give back the tail if nobody has allocated since; pairs: the addition in wick_tables_alloc_sig */
        uint64_t end = (uint64_t)at + size;
        (void)atomic_compare_exchange_strong(&t->arena_used, &end, (uint64_t)at + (((uint32_t)used + 7) & ~7u));
        uint32_t n = wick_add_relaxed(&t->method_count, 1);
        if (n >= t->method_cap) {
            *full = true;
            return 0;
        }
        uint16_t code_size = 0;
        (void)wick_mem_read(mem, id->const_method + (unsigned)jvm->layout.cm_code_size, &code_size, sizeof code_size);
        t->methods[n] = (struct wick_method_entry){*id, unloads, at, code_size};
        n = wick_level_index_insert(&t->method_index, hash64(id->method, 1), n, method_eq, &key);
        *full = !n;
        return n;
    }
}

const struct wick_method_entry *wick_tables_method_known_sig(const struct wick_tables *t, wick_addr method,
                                                             uint64_t unloads)
{
    const struct address_key key = {t, method, unloads};
    uint32_t n = unloads == WICK_UNLOADS_UNKNOWN
                     ? 0
                     : wick_level_index_find(&t->method_index, hash64(method, 1), address_eq, &key);
    return n ? &t->methods[n] : NULL;
}

uint32_t wick_tables_method_sig(struct wick_tables *t, const struct wick_jvm *jvm, const struct wick_mem *mem,
                                wick_addr method, uint64_t unloads, bool *full)
{
    uint32_t h = hash64(method, 1);
    *full = false;
    if (unloads != WICK_UNLOADS_UNKNOWN) {
        const struct address_key quick = {t, method, unloads};
        uint32_t n = wick_level_index_find(&t->method_index, h, address_eq, &quick);
        if (n)
            return n;
    }
    struct wick_hs_method_id id;
    if (wick_hs_method_identity(jvm, mem, method, &id))
        return 0;
    const struct method_key key = {t, &id};
    uint32_t n = wick_level_index_find(&t->method_index, h, method_eq, &key);
    if (n) {
        /* racing writers store values that were each true a moment ago; a torn mix cannot happen on a 64-bit store */
        __atomic_store_n(&t->methods[n].unloads, unloads, __ATOMIC_RELAXED);
        return n;
    }
    return add_method(t, jvm, mem, &id, unloads, full);
}

uint32_t wick_tables_stub_find_sig(const struct wick_tables *t, wick_addr key)
{
    const struct wick_hs_method_id id = {.method = key};
    const struct method_key k = {t, &id};
    return wick_level_index_find(&t->method_index, hash64(key, 2), method_eq, &k);
}

uint32_t wick_tables_stub_sig(struct wick_tables *t, wick_addr key, const char *name, uint32_t len)
{
    const struct wick_hs_method_id id = {.method = key};
    const struct method_key k = {t, &id};
    uint32_t at = wick_tables_alloc_sig(t, (uint32_t)sizeof(struct wick_hs_method) + len);
    if (!at || wick_load_relaxed(&t->method_count) >= t->method_cap)
        return 0;
    uint32_t n = wick_add_relaxed(&t->method_count, 1);
    if (n >= t->method_cap)
        return 0;
    struct wick_hs_method *m = (struct wick_hs_method *)(t->arena + at);
    *m = (struct wick_hs_method){.name_len = (uint16_t)len};
    memcpy(m->data, name, len);
    t->methods[n] = (struct wick_method_entry){id, WICK_UNLOADS_UNKNOWN, at, 0};
    return wick_level_index_insert(&t->method_index, hash64(key, 2), n, method_eq, &k);
}

uint32_t wick_tables_method_from(struct wick_tables *t, const struct wick_tables *from, uint32_t number)
{
    const struct wick_method_entry *e = &from->methods[number];
    const struct wick_hs_method *m = wick_tables_method_data(from, number);
    const struct method_key key = {t, &e->id};
    uint32_t h = hash64(e->id.method, e->id.const_method ? 1 : 2); /* a stub is an address and nothing else */
    uint32_t n = wick_level_index_find(&t->method_index, h, method_eq, &key);
    if (n)
        return n;
    uint32_t bytes = (uint32_t)sizeof *m + m->class_len + m->name_len + m->sig_len + m->line_bytes;
    uint32_t at = wick_tables_alloc_sig(t, bytes);
    if (!at || wick_load_relaxed(&t->method_count) >= t->method_cap)
        return 0;
    n = wick_add_relaxed(&t->method_count, 1);
    if (n >= t->method_cap)
        return 0;
    memcpy(t->arena + at, m, bytes);
    t->methods[n] = (struct wick_method_entry){e->id, e->unloads, at, e->code_size};
    return wick_level_index_insert(&t->method_index, h, n, method_eq, &key);
}

const struct wick_pc_record *wick_tables_pc_find_sig(const struct wick_tables *t, uint64_t pc)
{
    uint32_t h = hash64(pc, 3);
    for (uint32_t i = 0; i < WICK_PC_WAYS; i++) {
        uint32_t at = wick_load_acquire(&t->pc_slots[(h + i) % WICK_PC_SLOTS]); /* pairs: wick_tables_pc_put_sig */
        if (!at)
            return NULL;
        const struct wick_pc_record *r = (const struct wick_pc_record *)(t->arena + 8 * (uint64_t)at);
        if (r->pc == pc)
            return r;
    }
    return NULL;
}

void wick_tables_pc_put_sig(struct wick_tables *t, uint32_t at)
{
    const struct wick_pc_record *r = (const struct wick_pc_record *)(t->arena + at);
    uint32_t h = hash64(r->pc, 3), victim = h % WICK_PC_SLOTS;
    for (uint32_t i = 0; i < WICK_PC_WAYS; i++) {
        uint32_t slot = (h + i) % WICK_PC_SLOTS;
        uint32_t seen = wick_load_acquire(&t->pc_slots[slot]); /* pairs: the store below, in other threads */
        if (!seen || ((const struct wick_pc_record *)(t->arena + 8 * (uint64_t)seen))->pc == r->pc) {
            victim = slot;
            break;
        }
    }
    wick_store_release(&t->pc_slots[victim], at / 8); /* pairs: wick_tables_pc_find_sig */
}
