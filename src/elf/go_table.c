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
enum { MAX_LIST = 32 << 10, WINDOW = 64 };

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

int wick_go_table_init(struct wick_go_table *t, const struct wick_elf_file *f)
{
    struct head h;
    struct wick_go_table new = {.at = f->go_table.off, .size = f->go_table.size};
    *t = (struct wick_go_table){0};
    if (!new.size)
        return -WICK_E_NOTFOUND;
    int rc = read_at(&new, &f->mem, 0, &h, sizeof h);
    if (rc)
        return rc;
    if (h.magic != MAGIC_1_18 && h.magic != MAGIC_1_20)
        return -WICK_E_UNSUPPORTED;
    /* an address that the loader sets, for code that may be loaded anywhere, can be missing in the file */
    if (!h.text && wick_elf_find_symtab(f, "runtime.text", &h.text, NULL))
        h.text = f->n_exec ? f->exec[0].addr : 0;
    if (h.code_align != 1 || h.word != WORD || !is_code(f, h.text) || h.names > new.size || h.stacks > new.size ||
        h.funcs > new.size || !h.n_funcs || h.n_funcs >= (new.size - h.funcs) / sizeof(struct entry))
        return -WICK_E_FORMAT;
    new.text = h.text;
    new.names = h.names;
    new.stacks = h.stacks;
    new.funcs = h.funcs;
    new.n = (uint32_t)h.n_funcs;
    new.kind_at = h.magic == MAGIC_1_18 ? 36 : 40;
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
    *begin = t->text + e[0].code;
    *size = e[1].code - e[0].code;
    return rc;
}

/* --- the list of a function --- */

struct list {
    const struct wick_go_table *table;
    const struct wick_mem *file;
    uint64_t off; /* in the section, of what is not in bytes yet */
    uint32_t left, have, used;
    int rc;
    uint8_t bytes[128];
};

static uint8_t next_byte(struct list *l)
{
    if (!l->rc && l->used == l->have) {
        const uint64_t rest = l->off < l->table->size ? l->table->size - l->off : 0;
        uint32_t n = sizeof l->bytes < l->left ? sizeof l->bytes : l->left;
        n = n < rest ? n : (uint32_t)rest;
        l->rc = n ? read_at(l->table, l->file, l->off, l->bytes, n) : -WICK_E_FORMAT;
        l->off += n;
        l->left -= n;
        l->have = n;
        l->used = 0;
    }
    return l->rc ? 0 : l->bytes[l->used++];
}

static uint32_t next_number(struct list *l)
{
    uint32_t v = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        uint8_t b = next_byte(l);
        v |= shift < 32 ? (uint32_t)(b & 0x7f) << shift : 0;
        if (!(b & 0x80))
            return v;
    }
    l->rc = l->rc ? l->rc : -WICK_E_FORMAT;
    return 0;
}

/* Bytes of stack in a part of a function. */
struct part {
    uint64_t lo, hi;
    int32_t depth;
    bool last;
};

/* The part that holds an offset in the function. */
static int find_part(struct list *l, uint64_t at, struct part *out)
{
    uint64_t pc = 0;
    uint32_t value = UINT32_MAX;
    for (bool first = true;; first = false) {
        uint32_t change = next_number(l);
        if (l->rc || (!change && !first))
            return l->rc ? l->rc : -WICK_E_NOTFOUND;
        value += (change >> 1) ^ (0 - (change & 1));
        uint64_t end = pc + next_number(l);
        if (l->rc)
            return l->rc;
        if (at < end) {
            *out = (struct part){pc, end, (int32_t)value, next_number(l) == 0};
            return l->rc;
        }
        pc = end;
    }
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

int wick_go_table_rule(const struct wick_go_table *t, const struct wick_mem *file, uint64_t vaddr,
                       struct wick_unwind_rule *out, uint64_t *lo, uint64_t *hi)
{
    struct entry e[2];
    struct func f;
    uint8_t kind[2]; /* and flags */
    int rc = find_func(t, file, vaddr, e, &f);
    rc = rc ? rc : read_at(t, file, t->funcs + e[0].description + t->kind_at, kind, sizeof kind);
    if (rc)
        return rc;
    const uint64_t begin = t->text + e[0].code, end = t->text + e[1].code;
    *lo = begin;
    *hi = end;
    const bool switches = kind[1] & FLAG_WRITES_SP;
    if (kind[1] & FLAG_TOP || (switches && is_named(t, file, &f, "runtime.mcall"))) {
        /* mcall() leaves its goroutine, which another thread may execute by then */
        *out = rule_of(REG_RSP, WORD, WICK_RULE_END, false);
        return 0;
    }
    if (!f.stacks)
        return -WICK_E_NOTFOUND;
    struct list l = {.table = t, .file = file, .off = t->stacks + f.stacks, .left = MAX_LIST};
    struct part p;
    rc = find_part(&l, vaddr - begin, &p);
    if (rc)
        return rc;
    *lo = begin + p.lo;
    *hi = begin + p.hi < end ? begin + p.hi : end;
    if (p.depth < 0 || p.depth % WORD)
        return -WICK_E_FORMAT;
    /* What changes to another stack has no known distance to its caller, once it has begun, but rbp leads there: by the
     * frame that it made itself, or, if it makes none, by the caller's own, past that caller. */
    if (switches && (p.depth || p.lo || p.last))
        *out = rule_of(REG_RBP, 2 * WORD, WICK_RULE_SWITCH | (p.depth ? 0 : WICK_RULE_GAP), true);
    else
        *out = rule_of(REG_RSP, p.depth + WORD, 0, p.depth >= WORD);
    return 0;
}
