/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - pc -> (library, symbol), cached by pc and interned by function
 *
 * Two hash tables with open addressing: pcs (pc -> number), and functions ((library, symbol) -> number). Names lie in
 * one growing byte string and are referred to by offset, because the string moves.
 */
#include "record/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "elf/demangle.h"
#include "elf/symbols.h"
#include "record/kernel_names.h"

/* Loading costs CPU time and new pcs come in bursts, so tables stay for a while. */
enum { KEEP_IDLE = 30 };

struct function {
    uint32_t library, symbol; /* offsets into text */
    uint8_t kind;
};

struct pc_slot {
    uint64_t pc; /* bit 63: kernel; 0 = empty */
    uint32_t number;
};

struct loaded {
    uint32_t image;
    uint8_t idle;                 /* calls of _tidy since it was used */
    struct wick_symbols *symbols; /* NULL: could not be loaded, do not try again */
};

struct wick_names {
    const struct wick_elf_images *images;
    const struct wick_mem *mem;
    struct wick_strbuf text;
    struct function *functions; /* [1 .. count] */
    uint32_t count, cap;
    uint32_t *by_name; /* slots: function number */
    uint32_t name_slots;
    struct pc_slot *pcs;
    uint32_t pc_slots, pc_count;
    struct loaded *loaded;
    uint32_t loaded_count, loaded_cap;
};

#define KERNEL_BIT (1ull << 63)

struct wick_names *wick_names_new(const struct wick_elf_images *images, const struct wick_mem *mem)
{
    struct wick_names *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    n->images = images;
    n->mem = mem;
    wick_kernel_names_begin(&wick_kernel_names);
    wick_strbuf_init(&n->text);
    wick_strbuf_addc(&n->text, 0);
    return n;
}

static void drop_symbols(struct wick_names *n)
{
    for (uint32_t i = 0; i < n->loaded_count; i++)
        wick_symbols_free(n->loaded[i].symbols);
    n->loaded_count = 0;
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
    drop_symbols(n);
    free(n->loaded);
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
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n->loaded_count; i++) {
        if (++n->loaded[i].idle < KEEP_IDLE)
            n->loaded[kept++] = n->loaded[i];
        else
            wick_symbols_free(n->loaded[i].symbols);
    }
    n->loaded_count = kept;
    wick_kernel_names_tidy(&wick_kernel_names, false);
}

size_t wick_names_memory(const struct wick_names *n)
{
    size_t symbols = 0;
    for (uint32_t i = 0; i < n->loaded_count; i++)
        symbols += n->loaded[i].symbols ? 12 * wick_symbols_count(n->loaded[i].symbols) : 0;
    return sizeof *n + n->text.cap + n->cap * sizeof *n->functions + n->name_slots * sizeof *n->by_name +
           n->pc_slots * sizeof *n->pcs + symbols + wick_kernel_names_memory(&wick_kernel_names);
}

static uint32_t hash_bytes(const char *s, uint32_t h)
{
    for (; *s; s++)
        h = (h ^ (uint8_t)*s) * 16777619u;
    return h;
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
        uint32_t h = hash_bytes(n->text.buf + f->symbol, hash_bytes(n->text.buf + f->library, f->kind));
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
    uint32_t h = hash_bytes(symbol, hash_bytes(library, kind));
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

/* The symbols of an image, NULL if it has none that can be read. */
static const struct wick_symbols *symbols_of(struct wick_names *n, const struct wick_elf_image *image)
{
    for (uint32_t i = 0; i < n->loaded_count; i++) {
        if (n->loaded[i].image == image->id) {
            n->loaded[i].idle = 0;
            return n->loaded[i].symbols;
        }
    }
    if (n->loaded_count == n->loaded_cap) {
        uint32_t cap = n->loaded_cap ? n->loaded_cap * 2 : 16;
        struct loaded *p = realloc(n->loaded, cap * sizeof *p);
        if (!p)
            return NULL;
        n->loaded = p;
        n->loaded_cap = cap;
    }
    const struct wick_symbols_from from = {.mem = n->mem};
    struct loaded *l = &n->loaded[n->loaded_count++];
    *l = (struct loaded){.image = image->id};
    if (wick_symbols_load(&l->symbols, image, &from, NULL))
        l->symbols = NULL;
    return l->symbols;
}

/* A pc outside of all libraries: code in some other mapping, such as a CDS archive's trampolines. Named after the
 * mapping. */
static uint32_t resolve_mapping(struct wick_names *n, uint64_t pc)
{
    char line[512], name[300], path[256];
    uint64_t lo, hi;
    uint32_t found = 0;
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        path[0] = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %255[^\n]", &lo, &hi, path) < 2 || pc < lo ||
            pc >= hi)
            continue;
        const char *slash = strrchr(path, '/');
        snprintf(name, sizeof name, "[%s]", slash ? slash + 1 : *path ? path : "anonymous memory");
        found = intern(n, "", name, WICK_FRAME_NATIVE);
    }
    if (f)
        fclose(f);
    return found ? found : intern(n, "", "[unknown]", WICK_FRAME_NATIVE);
}

static uint32_t resolve_user(struct wick_names *n, uint64_t pc)
{
    const struct wick_elf_image *image = wick_elf_images_find(n->images, pc);
    char raw[1024], readable[512];
    if (!image)
        return resolve_mapping(n, pc);
    const char *slash = strrchr(image->path, '/'), *library = slash ? slash + 1 : image->path;
    const struct wick_symbols *symbols = symbols_of(n, image);
    struct wick_symbol s;
    if (!symbols || wick_symbols_find(symbols, pc - image->bias, &s, raw, sizeof raw)) {
        snprintf(readable, sizeof readable, "[%.200s]", library);
        return intern(n, library, readable, WICK_FRAME_NATIVE);
    }
    bool cpp = raw[0] == '_' && raw[1] == 'Z';
    wick_demangle(raw, 0, readable, sizeof readable);
    return intern(n, library, readable, cpp ? WICK_FRAME_CPP : WICK_FRAME_NATIVE);
}

static uint32_t resolve_kernel(struct wick_names *n, uint64_t pc)
{
    char name[256];
    if (!wick_kernel_names_find(&wick_kernel_names, pc | 0xffff000000000000u, name, sizeof name))
        return intern(n, "", "[kernel]", WICK_FRAME_KERNEL);
    return intern(n, "", name, WICK_FRAME_KERNEL);
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
    uint32_t number = kernel ? resolve_kernel(n, pc) : resolve_user(n, pc);
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
