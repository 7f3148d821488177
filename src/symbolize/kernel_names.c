/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolize/kernel_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/kallsyms.h"

enum { KEEP_IDLE = 30 };

struct wick_kernel_names wick_kernel_names;

void wick_kernel_names_begin(struct wick_kernel_names *k)
{
    k->failed = false;
}

/* The place of the first known function that begins behind pc. */
static uint32_t behind(const struct wick_kernel_names *k, uint64_t pc)
{
    uint32_t lo = 0, hi = k->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (k->known[mid].from <= pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Keeps a function. Those of modules have the module behind them in brackets. Without memory it is not kept. */
static void keep(struct wick_kernel_names *k, uint64_t from, uint64_t size, const char *name)
{
    size_t len = strlen(name), text = k->text.len;
    if (!size || k->n == WICK_KERNEL_NAMES_KEPT || (len && name[len - 1] == ']'))
        return;
    if (k->n == k->cap) {
        uint32_t cap = k->cap ? 2 * k->cap : 64;
        struct wick_kernel_function *p = reallocarray(k->known, cap, sizeof *p);
        if (!p)
            return;
        k->known = p;
        k->cap = cap;
    }
    wick_strbuf_add(&k->text, name, len + 1);
    if (k->text.failed)
        return;
    uint32_t at = behind(k, from);
    memmove(k->known + at + 1, k->known + at, (k->n++ - at) * sizeof *k->known);
    k->known[at] = (struct wick_kernel_function){from, from + size, (uint32_t)text};
}

bool wick_kernel_names_find(struct wick_kernel_names *k, uint64_t pc, uint64_t *start, char *name, size_t cap)
{
    uint32_t at = behind(k, pc);
    uint64_t offset, size;
    if (at && pc < k->known[at - 1].to) {
        snprintf(name, cap, "%s", k->text.buf + k->known[at - 1].name);
        if (start)
            *start = k->known[at - 1].from;
        return true;
    }
    if (!k->table && !k->failed) {
        k->failed = wick_kallsyms_load(&k->table, k->path, NULL) != 0;
        k->loads++;
    }
    k->idle = 0;
    if (!k->table || wick_kallsyms_find(k->table, pc, name, cap, &offset, &size))
        return false;
    keep(k, pc - offset, size, name);
    if (start)
        *start = pc - offset;
    return true;
}

void wick_kernel_names_tidy(struct wick_kernel_names *k, bool now)
{
    if (!k->table || (++k->idle < KEEP_IDLE && !now))
        return;
    wick_kallsyms_free(k->table);
    k->table = NULL;
}

size_t wick_kernel_names_memory(const struct wick_kernel_names *k)
{
    return k->cap * sizeof *k->known + k->text.cap + (k->table ? 16 * wick_kallsyms_count(k->table) : 0);
}

void wick_kernel_names_release(struct wick_kernel_names *k)
{
    wick_kallsyms_free(k->table);
    free(k->known);
    wick_strbuf_release(&k->text);
    *k = (struct wick_kernel_names){.path = k->path};
}
