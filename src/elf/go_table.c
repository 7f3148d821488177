/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Go's table of functions, of Go 1.18 and later (runtime/symtab.go).
 *
 * Hostile input: every offset is checked against the section, and the list of a function is read to MAX_LIST bytes.
 */
#include "elf/go_table.h"

#include <string.h>

#include "base/err.h"

enum { MAGIC_1_18 = 0xfffffff0, MAGIC_1_20 = 0xfffffff1 };
enum { FLAG_TOP = 1, FLAG_WRITES_SP = 2 };
enum { REG_RBP = 6, REG_RSP = 7, WORD = 8 };
enum { MAX_LIST = 32 << 10, WINDOW = 64, MAX_SYMBOLS = 256 << 20 };

struct head {
    uint32_t magic;
    uint8_t zero[2], code_align, word;
    uint64_t n_funcs, n_files, text, names, units, files, stacks, funcs;
};

/* An entry of the sorted table; the one behind the last function says where that ends. */
struct entry {
    uint32_t code, description; /* from the first function; from the table of functions */
};

/* What all versions have of a function's description, up to its list. */
struct func {
    uint32_t code;
    int32_t name, args;
    uint32_t defer, stacks;
};

static int read_at(const struct wick_go_table *t, const struct wick_mem *file, uint64_t off, void *buf, size_t n)
{
    if (off > t->size || n > t->size - off)
        return -WICK_E_FORMAT;
    return wick_mem_read(file, t->at + off, buf, n);
}

static bool is_code(const struct wick_elf_file *f, uint64_t addr)
{
    for (uint32_t i = 0; i < f->n_exec; i++)
        if (addr >= f->exec[i].addr && addr - f->exec[i].addr < f->exec[i].size)
            return true;
    return false;
}

/* The address of the first function, if its symbol says it. A file may claim tables of any size. */
static uint64_t find_text(const struct wick_elf_file *f)
{
    uint64_t text = 0;
    if (f->symtab.size > MAX_SYMBOLS || f->strtab.size > MAX_SYMBOLS ||
        wick_elf_find_symtab(f, "runtime.text", &text, NULL))
        return f->n_exec == 1 ? f->exec[0].addr : 0; /* without C in it, all code is Go's */
    return text;
}

int wick_go_table_init(struct wick_go_table *t, const struct wick_elf_file *f)
{
    struct head h;
    struct wick_go_table new = {.at = f->go_table.off, .size = f->go_table.size};
    if (!new.size)
        return -WICK_E_NOTFOUND;
    int rc = read_at(&new, &f->mem, 0, &h, sizeof h);
    if (rc)
        return rc;
    if (h.magic != MAGIC_1_18 && h.magic != MAGIC_1_20)
        return -WICK_E_UNSUPPORTED;
    if (h.code_align != 1 || h.word != WORD || h.names > new.size || h.stacks > new.size || h.funcs > new.size ||
        !h.n_funcs || h.n_funcs >= (new.size - h.funcs) / sizeof(struct entry))
        return -WICK_E_FORMAT;
    new.text = h.text ? h.text : find_text(f); /* Go 1.26 and later leave it out, and so do linkers of others */
    if (!new.text)
        return -WICK_E_UNSUPPORTED;
    new.names = h.names;
    new.stacks = h.stacks;
    new.funcs = h.funcs;
    new.n = (uint32_t)h.n_funcs;
    new.kind_at = h.magic == MAGIC_1_18 ? 36 : 40;
    struct entry last[2]; /* the last function, and its end */
    rc = read_at(&new, &f->mem, new.funcs + (uint64_t)(new.n - 1) * sizeof *last, last, sizeof last);
    if (rc)
        return rc;
    if (!is_code(f, new.text) || last[1].code <= last[0].code || !is_code(f, new.text + last[1].code - 1))
        return -WICK_E_FORMAT;
    *t = new;
    return 0;
}

/* The function that holds an offset from the first one: its entry and the next one's. */
static int find_entry(const struct wick_go_table *t, const struct wick_mem *file, uint64_t code, struct entry out[2])
{
    struct entry window[WINDOW + 1];
    uint32_t lo = 0, hi = t->n; /* it is one of [lo, hi) */
    while (hi - lo > WINDOW) {
        uint32_t mid = lo + (hi - lo) / 2;
        int rc = read_at(t, file, t->funcs + (uint64_t)mid * sizeof *window, window, sizeof *window);
        if (rc)
            return rc;
        if (window[0].code <= code)
            lo = mid;
        else
            hi = mid;
    }
    int rc = read_at(t, file, t->funcs + (uint64_t)lo * sizeof *window, window, (hi - lo + 1) * sizeof *window);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < hi - lo; i++)
        if (code >= window[i].code && code < window[i + 1].code) {
            memcpy(out, &window[i], 2 * sizeof *out);
            return 0;
        }
    return -WICK_E_NOTFOUND;
}

static int find_func(const struct wick_go_table *t, const struct wick_mem *file, uint64_t vaddr, struct entry e[2],
                     struct func *out)
{
    if (!t->size || vaddr < t->text)
        return -WICK_E_NOTFOUND;
    int rc = find_entry(t, file, vaddr - t->text, e);
    return rc ? rc : read_at(t, file, t->funcs + e[0].description, out, sizeof *out);
}

/* The bytes of a name that the section has room for. */
static int read_name(const struct wick_go_table *t, const struct wick_mem *file, const struct func *f, char *out,
                     size_t cap)
{
    const uint64_t off = t->names + (uint32_t)f->name;
    if (f->name < 0 || off >= t->size)
        return -WICK_E_FORMAT;
    const size_t room = t->size - off < cap ? (size_t)(t->size - off) : cap;
    int n = wick_mem_read_str(file, t->at + off, out, room);
    if (n == -WICK_E_LIMIT)
        out[room - 1] = 0;
    return n > 0 || n == -WICK_E_LIMIT ? 0 : -WICK_E_NOTFOUND;
}

int wick_go_table_function(const struct wick_go_table *t, const struct wick_mem *file, uint64_t vaddr, uint64_t *begin,
                           uint64_t *size, char *name, size_t cap)
{
    struct entry e[2];
    struct func f;
    int rc = find_func(t, file, vaddr, e, &f);
    rc = rc ? rc : read_name(t, file, &f, name, cap);
    if (rc)
        return rc;
    *begin = t->text + e[0].code;
    *size = e[1].code - e[0].code;
    return 0;
}

/* --- the list of a function --- */

static uint8_t next_byte(const struct wick_go_table *t, const struct wick_mem *file, struct wick_go_list *l)
{
    if (!l->rc && l->used == l->have) {
        const uint64_t rest = l->off < t->size ? t->size - l->off : 0;
        uint32_t n = sizeof l->bytes < l->left ? sizeof l->bytes : l->left;
        n = n < rest ? n : (uint32_t)rest;
        l->rc = n ? read_at(t, file, l->off, l->bytes, n) : -WICK_E_FORMAT;
        l->off += n;
        l->left -= n;
        l->have = n;
        l->used = 0;
    }
    return l->rc ? 0 : l->bytes[l->used++];
}

static uint32_t next_number(const struct wick_go_table *t, const struct wick_mem *file, struct wick_go_list *l)
{
    uint32_t v = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        uint8_t b = next_byte(t, file, l);
        v |= shift < 32 ? (uint32_t)(b & 0x7f) << shift : 0;
        if (!(b & 0x80))
            return v;
    }
    l->rc = l->rc ? l->rc : -WICK_E_FORMAT;
    return 0;
}

/* Goes on to the part that holds an offset in the function, which is not before the present one. A change of 0 ends
 * the list, but for the first one; the next is read with each part, since it says whether that is the last. */
static int find_part(const struct wick_go_table *t, const struct wick_mem *file, struct wick_go_list *l, uint64_t at)
{
    while (!l->rc && at >= l->hi) {
        if (l->last)
            return -WICK_E_NOTFOUND;
        l->depth += (l->change >> 1) ^ (0 - (l->change & 1));
        l->lo = l->hi;
        uint32_t bytes = next_number(t, file, l);
        if (!bytes && !l->rc)
            l->rc = -WICK_E_FORMAT;
        l->hi += bytes;
        l->change = next_number(t, file, l);
        l->last = !l->change;
    }
    return l->rc;
}

/* --- rules --- */

static bool is_named(const struct wick_go_table *t, const struct wick_mem *file, const struct func *f, const char *name)
{
    char is[32];
    return !read_name(t, file, f, is, sizeof is) && !strcmp(is, name);
}

/* Where the return address and rbp are. */
static struct wick_unwind_rule rule_of(uint8_t cfa_reg, int32_t cfa_off, uint8_t flags, bool has_frame)
{
    struct wick_unwind_rule r;
    memset(&r, 0, sizeof r);
    r.cfa_reg = cfa_reg;
    r.cfa_off = cfa_off;
    r.flags = flags;
    r.how[WICK_SLOT_RA] = WICK_HOW_CFA;
    r.off[WICK_SLOT_RA] = -WORD;
    if (has_frame) {
        r.how[WICK_SLOT_FP] = WICK_HOW_CFA;
        r.off[WICK_SLOT_FP] = -2 * WORD;
    }
    for (int slot = WICK_SLOT_RA + 1; slot < WICK_SLOT_COUNT; slot++)
        r.how[slot] = WICK_HOW_LOST; /* Go saves none of them */
    return r;
}

/* Finds the function, and the beginning of its list. */
static int open_function(const struct wick_go_table *t, const struct wick_mem *file, uint64_t vaddr,
                         struct wick_go_found *g)
{
    struct entry e[2];
    struct func f;
    uint8_t kind[2]; /* and flags */
    int rc = find_func(t, file, vaddr, e, &f);
    rc = rc ? rc : read_at(t, file, t->funcs + e[0].description + t->kind_at, kind, sizeof kind);
    if (rc)
        return rc;
    g->begin = t->text + e[0].code;
    g->end = t->text + e[1].code;
    g->switches = kind[1] & FLAG_WRITES_SP;
    /* mcall() leaves its goroutine, which another thread may execute by then; morestack() has its rbp from elsewhere
     * in later versions */
    g->ends = kind[1] & FLAG_TOP ||
              (g->switches && (is_named(t, file, &f, "runtime.mcall") || is_named(t, file, &f, "runtime.morestack")));
    g->list = (struct wick_go_list){.off = t->stacks + f.stacks, .left = MAX_LIST, .depth = UINT32_MAX};
    if (!f.stacks)
        g->list.last = true;
    else
        g->list.change = next_number(t, file, &g->list);
    return g->list.rc;
}

int wick_go_table_rule(const struct wick_go_table *t, const struct wick_mem *file, uint64_t vaddr,
                       struct wick_go_found *from, struct wick_unwind_rule *out, uint64_t *lo, uint64_t *hi)
{
    struct wick_go_found own = {.end = 0}, *g = from ? from : &own;
    const struct wick_go_list *l = &g->list;
    if (!g->end || vaddr < g->begin + l->lo || vaddr >= g->end) {
        int rc = open_function(t, file, vaddr, g);
        if (rc) {
            g->end = 0;
            return rc;
        }
    }
    if (g->ends) {
        *out = rule_of(REG_RSP, WORD, WICK_RULE_END, false);
        *lo = g->begin;
        *hi = g->end;
        return 0;
    }
    int rc = find_part(t, file, &g->list, vaddr - g->begin);
    if (rc)
        return rc;
    if (l->depth > INT32_MAX - WORD || l->depth % WORD)
        return -WICK_E_FORMAT;
    const int32_t depth = (int32_t)l->depth;
    /* What changes to another stack has no known distance to its caller, but rbp leads there: by the frame that it made
     * itself, or, if it makes none, by the caller's own, past that caller. */
    if (g->switches && (depth || (!l->lo && l->last)))
        *out = rule_of(REG_RBP, 2 * WORD, WICK_RULE_SWITCH | (depth ? 0 : WICK_RULE_GAP), true);
    else
        *out = rule_of(REG_RSP, depth + WORD, 0, depth >= WORD);
    *lo = g->begin + l->lo;
    *hi = g->begin + l->hi < g->end ? g->begin + l->hi : g->end;
    return 0;
}
