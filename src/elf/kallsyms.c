/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel symbols.
 *
 * A line is `address type name` or `address type name\t[module]`; types t, T, w, W are code. Lines come sorted per
 * module only. Addresses read as 0 when the kernel does not trust the reader; then no address can be resolved, and the
 * caller is given the reason in a sentence.
 *
 *   entries   address - base, offset of its text in the pool     sorted by address
 *   pool      "name" or "name [module]", NUL, ...
 *
 * The kernel states no sizes: a function ends where the next begins. The last one is given 1 MiB, so that garbage
 * addresses do not get its name.
 */
#include "elf/kallsyms.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/err.h"
#include "base/strbuf.h"

#define MAX_SYMBOLS (4u << 20)
#define REACH       ((uint64_t)1 << 31) /* code lies within 2 GiB of the first function listed: calls are relative */
#define LAST_SIZE   (1u << 20)
#define MAX_NAME    512

struct entry {
    uint32_t addr, name;
};

struct wick_kallsyms {
    uint64_t base;
    struct entry *e;
    size_t n, cap;
    struct wick_strbuf pool;
};

static int append(struct wick_kallsyms *k, uint64_t addr, const char *name, const char *module)
{
    if (k->n == 0)
        k->base = addr - REACH;
    if (addr - k->base > UINT32_MAX || k->n == MAX_SYMBOLS || k->pool.len > UINT32_MAX - 2 * MAX_NAME)
        return 0;
    if (k->n == k->cap) {
        size_t cap = k->cap ? k->cap * 2 : 16384;
        struct entry *e = wick_block_resize(k->e, k->cap * sizeof *e, cap * sizeof *e);
        if (!e)
            return -WICK_E_NOMEM;
        k->e = e;
        k->cap = cap;
    }
    k->e[k->n++] = (struct entry){(uint32_t)(addr - k->base), (uint32_t)k->pool.len};
    wick_strbuf_adds(&k->pool, name);
    if (*module) {
        wick_strbuf_addc(&k->pool, ' ');
        wick_strbuf_adds(&k->pool, module);
    }
    wick_strbuf_addc(&k->pool, 0);
    return k->pool.failed ? -WICK_E_NOMEM : 0;
}

/* The padding in front of each function is listed like a function of its own; nothing runs there. */
#define PADDING "__pfx_"

bool wick_kallsyms_line(char *line, uint64_t *addr, char **name, char **module)
{
    char *p;
    *addr = strtoull(line, &p, 16);
    if (p == line || p[0] != ' ' || !p[1] || !strchr("tTwW", p[1]) || p[2] != ' ')
        return false;
    *name = p + 3;
    size_t n = strcspn(*name, "\t\n");
    p = *name + n;
    *module = *p == '\t' ? p + 1 : p + (*p != 0);
    *p = 0;
    (*module)[strcspn(*module, "\n")] = 0;
    return n > 0 && strncmp(*name, PADDING, strlen(PADDING)) != 0;
}

static int by_addr(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name; /* aliases stay in the order of the file */
}

int wick_kallsyms_load(struct wick_kallsyms **out, const char *path, struct wick_err *err)
{
    char line[2 * MAX_NAME], *name, *module;
    uint64_t addr, any = 0;
    size_t hidden = 0;
    int rc = 0;
    if (!path)
        path = "/proc/kallsyms";
    FILE *f = fopen(path, "re");
    if (!f)
        return wick_err_set(err, errno == ENOENT ? WICK_E_NOTFOUND : WICK_E_PERM, "cannot read %s: %s", path,
                            strerror(errno));
    struct wick_kallsyms *k = calloc(1, sizeof *k);
    if (k)
        wick_strbuf_init(&k->pool);
    else
        rc = -WICK_E_NOMEM;
    while (!rc && fgets(line, sizeof line, f)) {
        if (!wick_kallsyms_line(line, &addr, &name, &module))
            continue;
        any |= addr;
        hidden += addr == 0;
        if (addr)
            rc = append(k, addr, name, module);
    }
    fclose(f);
    if (rc == -WICK_E_NOMEM)
        wick_err_set(err, WICK_E_NOMEM, "out of memory for the kernel's symbols");
    else if (!any)
        rc = hidden ? wick_err_set(err, WICK_E_PERM,
                                   "the kernel hides its addresses: run as root, or set /proc/sys/kernel/kptr_restrict "
                                   "to 0 and /proc/sys/kernel/perf_event_paranoid to 1 or less")
                    : wick_err_set(err, WICK_E_NOTFOUND, "%s lists no functions", path);
    if (rc) {
        wick_kallsyms_free(k);
        return rc;
    }
    wick_block_sort(k->e, k->n, sizeof k->e[0], by_addr);
    *out = k;
    return 0;
}

void wick_kallsyms_free(struct wick_kallsyms *k)
{
    if (!k)
        return;
    wick_strbuf_release(&k->pool);
    wick_block_free(k->e, k->cap * sizeof *k->e);
    free(k);
}

size_t wick_kallsyms_count(const struct wick_kallsyms *k)
{
    return k->n;
}

int wick_kallsyms_find(const struct wick_kallsyms *k, uint64_t addr, char *name, size_t cap, uint64_t *offset,
                       uint64_t *size)
{
    size_t lo = 0, hi = k->n;
    uint64_t off = addr - k->base;
    if (off > UINT32_MAX)
        return -WICK_E_NOTFOUND;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (k->e[mid].addr <= off)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0 || (lo == k->n && off - k->e[lo - 1].addr >= LAST_SIZE))
        return -WICK_E_NOTFOUND;
    uint32_t at = k->e[lo - 1].addr;
    if (size)
        *size = lo < k->n ? k->e[lo].addr - at : 0;
    while (lo > 1 && k->e[lo - 2].addr == at) /* of aliases, the first listed */
        lo--;
    snprintf(name, cap, "%s", k->pool.buf + k->e[lo - 1].name);
    if (offset)
        *offset = off - at;
    return 0;
}
