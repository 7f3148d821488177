/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.c - reading gHotSpotVMStructs and its sisters
 *
 * Each table is an array of rows of equal stride that ends with a row whose name is NULL. Where a row keeps its columns
 * is exported as well (gHotSpotVMStructEntryTypeNameOffset ...), so nothing is assumed but the meaning. The rows we
 * want are hashed by "type.field"; one pass over a table then costs one hash per row.
 *
 * The tables come from another process that may be hostile or half-dead, so strides and row counts are bounded.
 */
#include "hotspot/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/fnv.h"
#include "mem/window.h"

enum { MAX_STRIDE = 256, MAX_ROWS = 16384, MAX_NAME = 96, HASH_SLOTS = 512 };
enum row_kind { ROW_FIELD, ROW_STATIC, ROW_SIZE, ROW_CONST };

static const struct wanted {
    const char *type, *field; /* field = "" for sizes and constants */
    uint16_t offset;          /* of the member in struct wick_hs_layout */
    uint8_t kind;
} wanted[] = {
#define ROW(id, type, field, kind) {type, field, offsetof(struct wick_hs_layout, id), kind},
#define FIELD(id, type, field)     ROW(id, type, field, ROW_FIELD)
#define STATIC(id, type, field)    ROW(id, type, field, ROW_STATIC)
#define SIZE(id, type)             ROW(id, type, "", ROW_SIZE)
#define CONST(id, name)            ROW(id, name, "", ROW_CONST)
#define ALT_FIELD                  FIELD
#define ALT_STATIC                 STATIC
#define ALT_SIZE                   SIZE
#define ALT_CONST                  CONST
#include "hotspot/vmstruct.def"
};
enum { WANTED = sizeof wanted / sizeof *wanted };
_Static_assert(WANTED < HASH_SLOTS / 2, "hash table too full");

struct search {
    const struct wick_mem *m;
    const struct wick_hs_symbols *syms;
    struct wick_mem_window rows, types, names; /* of its tables */
    uint16_t slot[HASH_SLOTS]; /* 1 + index into wanted; a chain of equal hashes follows in the next slots */
    wick_addr value[WANTED];   /* what was found */
    bool found[WANTED];
};

static uint32_t hash_name(const char *type, const char *field, unsigned kind)
{
    uint32_t h = wick_fnv(WICK_FNV + kind, type, strlen(type));
    return wick_fnv(wick_fnv(h, ".", 1), field, strlen(field));
}

static void build_index(struct search *s)
{
    for (unsigned i = 0; i < WANTED; i++) {
        uint32_t h = hash_name(wanted[i].type, wanted[i].field, wanted[i].kind) % HASH_SLOTS;
        while (s->slot[h])
            h = (h + 1) % HASH_SLOTS;
        s->slot[h] = (uint16_t)(i + 1);
    }
}

static void note(struct search *s, const char *type, const char *field, unsigned kind, wick_addr value)
{
    for (uint32_t h = hash_name(type, field, kind) % HASH_SLOTS; s->slot[h]; h = (h + 1) % HASH_SLOTS) {
        unsigned i = s->slot[h] - 1u;
        if (wanted[i].kind == kind && !strcmp(wanted[i].type, type) && !strcmp(wanted[i].field, field)) {
            s->value[i] = value;
            s->found[i] = true;
        }
    }
}

/* A name; what cannot be read or is too long for any name of interest becomes "". */
static void read_name(struct wick_mem_window *w, wick_addr addr, char out[MAX_NAME])
{
    if (!addr || wick_mem_window_str(w, addr, out, MAX_NAME) < 0)
        out[0] = 0;
}

/* Value of an exported uint64_t such as gHotSpotVMStructEntryArrayStride. */
static bool exported(const struct search *s, const char *name, uint64_t *out)
{
    wick_addr a = s->syms->find(s->syms->arg, name);
    return a && !wick_mem_read(s->m, a, out, sizeof *out);
}

struct table {
    uint64_t rows, stride, name, field, value, address, is_static;
};

static bool plausible(const struct table *t)
{
    uint64_t top = t->name > t->field ? t->name : t->field;
    if (t->value > top)
        top = t->value;
    if (t->address > top)
        top = t->address;
    if (t->is_static > top)
        top = t->is_static;
    return t->rows && t->stride >= 8 && t->stride <= MAX_STRIDE && top <= t->stride - 8;
}

static int scan_fields(struct search *s)
{
    struct table t = {0};
    if (!exported(s, "gHotSpotVMStructs", &t.rows) || !exported(s, "gHotSpotVMStructEntryArrayStride", &t.stride) ||
        !exported(s, "gHotSpotVMStructEntryTypeNameOffset", &t.name) ||
        !exported(s, "gHotSpotVMStructEntryFieldNameOffset", &t.field) ||
        !exported(s, "gHotSpotVMStructEntryOffsetOffset", &t.value) ||
        !exported(s, "gHotSpotVMStructEntryAddressOffset", &t.address) ||
        !exported(s, "gHotSpotVMStructEntryIsStaticOffset", &t.is_static) || !plausible(&t))
        return -WICK_E_UNSUPPORTED;
    for (unsigned i = 0; i < MAX_ROWS; i++) {
        char type[MAX_NAME], field[MAX_NAME];
        uint64_t p, v;
        uint32_t is_static;
        const uint8_t *row = wick_mem_window_at(&s->rows, t.rows + i * t.stride, t.stride);
        if (!row)
            return -WICK_E_UNSUPPORTED;
        memcpy(&p, row + t.name, 8);
        if (!p)
            return 0;
        read_name(&s->types, p, type);
        memcpy(&p, row + t.field, 8);
        read_name(&s->names, p, field);
        memcpy(&is_static, row + t.is_static, 4);
        memcpy(&v, row + (is_static ? t.address : t.value), 8);
        note(s, type, field, is_static ? ROW_STATIC : ROW_FIELD, v);
    }
    return -WICK_E_UNSUPPORTED;
}

/* Types and constants: a name and a number; `wide` = the number has 8 bytes. */
static int scan_numbers(struct search *s, const char *prefix, const char *number_name, unsigned kind, bool wide)
{
    struct table t = {0};
    char name[MAX_NAME];
    const char *const parts[] = {"", "EntryArrayStride", kind == ROW_SIZE ? "EntryTypeNameOffset" : "EntryNameOffset",
                                 number_name};
    uint64_t *const outs[] = {&t.rows, &t.stride, &t.name, &t.value};
    for (unsigned i = 0; i < 4; i++) {
        /* the table is gHotSpotVMTypes, its columns gHotSpotVMTypeEntry...: the plural s goes */
        size_t n = strlen(prefix) - (i ? 1 : 0);
        memcpy(name, prefix, n);
        strcpy(name + n, parts[i]);
        if (!exported(s, name, outs[i]))
            return -WICK_E_UNSUPPORTED;
    }
    if (!plausible(&t))
        return -WICK_E_UNSUPPORTED;
    for (unsigned i = 0; i < MAX_ROWS; i++) {
        uint64_t p, v = 0;
        const uint8_t *row = wick_mem_window_at(&s->rows, t.rows + i * t.stride, t.stride);
        if (!row)
            return -WICK_E_UNSUPPORTED;
        memcpy(&p, row + t.name, 8);
        if (!p)
            return 0;
        read_name(&s->names, p, name);
        memcpy(&v, row + t.value, wide ? 8 : 4);
        note(s, name, "", kind, v);
    }
    return -WICK_E_UNSUPPORTED;
}

static void fill(struct wick_hs_layout *l, const struct search *s)
{
    bool done[sizeof *l] = {false};
    for (unsigned i = 0; i < WANTED; i++) {
        unsigned at = wanted[i].offset;
        if (done[at])
            continue; /* an earlier row of this fact exists */
        if (wanted[i].kind == ROW_STATIC) {
            wick_addr v = s->found[i] ? s->value[i] : 0;
            memcpy((char *)l + at, &v, sizeof v);
        } else {
            /* sizes and offsets of a hostile target are bounded here once, so that sums of them cannot overflow later
             */
            int32_t v = s->found[i] && (wanted[i].kind == ROW_CONST || s->value[i] < 65536) ? (int32_t)s->value[i]
                                                                                            : WICK_HS_NONE;
            memcpy((char *)l + at, &v, sizeof v);
        }
        done[at] = s->found[i];
    }
}

int wick_hs_layout_read(struct wick_hs_layout *l, const struct wick_mem *m, const struct wick_hs_symbols *syms,
                        struct wick_err *err)
{
    struct search s = {.m = m, .syms = syms, .rows = {.mem = m}, .types = {.mem = m}, .names = {.mem = m}};
    build_index(&s);
    int r = scan_fields(&s);
    if (!r)
        r = scan_numbers(&s, "gHotSpotVMTypes", "EntrySizeOffset", ROW_SIZE, true);
    if (!r)
        r = scan_numbers(&s, "gHotSpotVMIntConstants", "EntryValueOffset", ROW_CONST, false);
    if (r)
        return wick_err_set(
            err, WICK_E_UNSUPPORTED,
            "libjvm.so does not export the tables that describe its data (gHotSpotVMStructs): it is not a "
            "HotSpot JVM, or a build without serviceability support");
    fill(l, &s);
    return 0;
}
