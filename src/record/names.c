/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - pc -> (library, symbol), cached by pc and interned by function
 *
 * Two hash tables with open addressing: pcs (pc -> number), and functions ((library, symbol) -> number). Names lie in
 * one growing byte string and are referred to by offset, because the string moves.
 */
#include "record/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/fnv.h"
#include "base/strbuf.h"
#include "symbolize/kernel_names.h"
#include "symbolize/symbolize.h"

struct function {
    uint32_t library, symbol; /* offsets into text */
    uint8_t kind;
};

struct pc_slot {
    uint64_t pc; /* bit 63: kernel; 0 = empty */
    uint32_t number;
};

struct wick_names {
    struct wick_symbolizer code;
    struct wick_strbuf text;
    struct function *functions; /* [1 .. count] */
    uint32_t count, cap;
    uint32_t *by_name; /* slots: function number */
    uint32_t name_slots;
    struct pc_slot *pcs;
    uint32_t pc_slots, pc_count;
};

#define KERNEL_BIT  (1ull << 63)
#define KERNEL_HIGH 0xffff000000000000u /* what the low 48 bits of a kernel address lack */

struct wick_names *wick_names_new(const struct wick_elf_images *images, const struct wick_mem *mem)
{
    struct wick_names *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    wick_symbolizer_init(&n->code, images, 0, mem, &wick_kernel_names);
    wick_kernel_names_begin(&wick_kernel_names);
    wick_strbuf_init(&n->text);
    wick_strbuf_addc(&n->text, 0);
    return n;
}

void wick_names_clear(struct wick_names *n)
{
    n->count = n->pc_count = 0;
    wick_strbuf_release(&n->text);
    wick_strbuf_addc(&n->text, 0);
    free(n->pcs);
    free(n->by_name);
    free(n->functions);
    n->pcs = NULL;
    n->by_name = NULL;
    n->functions = NULL;
    n->pc_slots = n->name_slots = n->cap = 0;
}

void wick_names_free(struct wick_names *n)
{
    if (!n)
        return;
    wick_names_clear(n);
    wick_strbuf_release(&n->text);
    wick_symbolizer_release(&n->code);
    wick_kernel_names_tidy(&wick_kernel_names, true);
    free(n);
}

void wick_names_images_changed(struct wick_names *n)
{
    free(n->pcs);
    n->pcs = NULL;
    n->pc_slots = n->pc_count = 0;
}

void wick_names_tidy(struct wick_names *n)
{
    wick_symbol_cache_tidy(&n->code.cache);
    wick_kernel_names_tidy(&wick_kernel_names, false);
}

size_t wick_names_memory(const struct wick_names *n)
{
    return sizeof *n + n->text.cap + n->cap * sizeof *n->functions + n->name_slots * sizeof *n->by_name +
           n->pc_slots * sizeof *n->pcs + wick_symbol_cache_memory(&n->code.cache) +
           wick_kernel_names_memory(&wick_kernel_names);
}

static uint32_t hash_name(const char *library, const char *symbol, uint32_t kind)
{
    uint32_t h = wick_fnv(WICK_FNV + kind, library, strlen(library));
    return wick_fnv(h, symbol, strlen(symbol));
}

static uint32_t hash_pc(uint64_t pc)
{
    return (uint32_t)((pc * 0x9e3779b97f4a7c15u) >> 32);
}

static int grow_names(struct wick_names *n)
{
    uint32_t slots = n->name_slots ? n->name_slots * 2 : 256;
    uint32_t *p = calloc(slots, sizeof *p);
    if (!p)
        return -WICK_E_NOMEM;
    for (uint32_t i = 1; i <= n->count; i++) {
        const struct function *f = &n->functions[i];
        uint32_t h = hash_name(n->text.buf + f->library, n->text.buf + f->symbol, f->kind);
        while (p[h & (slots - 1)])
            h++;
        p[h & (slots - 1)] = i;
    }
    free(n->by_name);
    n->by_name = p;
    n->name_slots = slots;
    return 0;
}

/* Number of the function, added if it is new; 0 if out of memory. */
static uint32_t intern(struct wick_names *n, const char *library, const char *symbol, enum wick_frame_kind kind)
{
    if ((n->count + 1) * 2 >= n->name_slots && grow_names(n))
        return 0;
    uint32_t h = hash_name(library, symbol, kind);
    for (;; h++) {
        uint32_t i = n->by_name[h & (n->name_slots - 1)];
        if (!i)
            break;
        const struct function *f = &n->functions[i];
        if (f->kind == kind && !strcmp(n->text.buf + f->symbol, symbol) && !strcmp(n->text.buf + f->library, library))
            return i;
    }
    if (n->count + 1 >= n->cap) {
        uint32_t cap = n->cap ? n->cap * 2 : 256;
        struct function *p = realloc(n->functions, cap * sizeof *p);
        if (!p)
            return 0;
        n->functions = p;
        n->cap = cap;
    }
    uint32_t library_at = (uint32_t)n->text.len;
    wick_strbuf_add(&n->text, library, strlen(library) + 1);
    uint32_t symbol_at = (uint32_t)n->text.len;
    wick_strbuf_add(&n->text, symbol, strlen(symbol) + 1);
    if (n->text.failed)
        return 0;
    n->functions[++n->count] = (struct function){library_at, symbol_at, (uint8_t)kind};
    n->by_name[h & (n->name_slots - 1)] = n->count;
    return n->count;
}

static void grow_pcs(struct wick_names *n)
{
    uint32_t slots = n->pc_slots ? n->pc_slots * 2 : 1024;
    struct pc_slot *p = calloc(slots, sizeof *p);
    if (!p)
        return;
    for (uint32_t i = 0; i < n->pc_slots; i++) {
        uint32_t h = hash_pc(n->pcs[i].pc);
        if (!n->pcs[i].pc)
            continue;
        while (p[h & (slots - 1)].pc)
            h++;
        p[h & (slots - 1)] = n->pcs[i];
    }
    free(n->pcs);
    n->pcs = p;
    n->pc_slots = slots;
}

uint32_t wick_names_of(struct wick_names *n, uint64_t pc, bool kernel)
{
    uint64_t key = pc | (kernel ? KERNEL_BIT : 0);
    if ((n->pc_count + 1) * 2 > n->pc_slots)
        grow_pcs(n);
    uint32_t h = hash_pc(key);
    for (; n->pc_slots && n->pcs[h & (n->pc_slots - 1)].pc; h++)
        if (n->pcs[h & (n->pc_slots - 1)].pc == key)
            return n->pcs[h & (n->pc_slots - 1)].number;
    struct wick_code_name code;
    if (kernel)
        wick_symbolize_kernel(&n->code, pc | KERNEL_HIGH, &code);
    else
        wick_symbolize(&n->code, pc, &code);
    uint32_t number = intern(n, code.library, code.symbol, code.kind);
    if (number && n->pc_count + 1 < n->pc_slots) {
        n->pcs[h & (n->pc_slots - 1)] = (struct pc_slot){key, number};
        n->pc_count++;
    }
    return number;
}

void wick_names_get(const struct wick_names *n, uint32_t number, struct wick_name *out)
{
    if (number == 0 || number > n->count) {
        *out = (struct wick_name){"", "[unknown]", WICK_FRAME_NATIVE};
        return;
    }
    const struct function *f = &n->functions[number];
    *out = (struct wick_name){n->text.buf + f->library, n->text.buf + f->symbol, (enum wick_frame_kind)f->kind};
}
