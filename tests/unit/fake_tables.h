/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_tables.h - gHotSpotVMStructs and its sisters, as libjvm.so would export them
 *
 * Threads: one.
 * Memory:  in the caller's struct space.
 */
#ifndef WICK_TESTS_UNIT_FAKE_TABLES_H
#define WICK_TESTS_UNIT_FAKE_TABLES_H

#include "fake_space.h"
#include "hotspot/layout.h"

struct row {
    const char *type, *field; /* field NULL: a size or a constant */
    uint64_t value;
    uint8_t is_static, is_const;
};

/* Where a row keeps its columns; the default is HotSpot's. */
struct columns {
    uint64_t stride, name, field, value, address, is_static;
};
#define COLUMNS_DEFAULT      \
    {                        \
        48, 0, 8, 32, 40, 24 \
    }

enum { MAX_EXPORTS = 24 };

struct tables {
    struct space *space;
    const char *name[MAX_EXPORTS];
    wick_addr addr[MAX_EXPORTS];
    int n;
};

static inline void tables_export(struct tables *t, const char *name, uint64_t value)
{
    int i = 0;
    while (i < t->n && strcmp(t->name[i], name) != 0)
        i++;
    if (i == t->n) {
        t->name[t->n] = name;
        t->addr[t->n++] = space_take(t->space, 8);
    }
    space_put64(t->space, t->addr[i], value);
}

static inline wick_addr tables_find(void *arg, const char *name)
{
    const struct tables *t = arg;
    for (int i = 0; i < t->n; i++)
        if (!strcmp(t->name[i], name))
            return t->addr[i];
    return 0;
}

static inline void tables_fields(struct tables *t, const struct row *rows, size_t n, const struct columns *c)
{
    wick_addr at = space_take(t->space, (n + 1) * c->stride), begin = at;
    for (size_t i = 0; i < n; i++) {
        if (!rows[i].field)
            continue;
        space_put64(t->space, at + c->name, space_string(t->space, rows[i].type));
        space_put64(t->space, at + c->field, space_string(t->space, rows[i].field));
        space_put32(t->space, at + c->is_static, rows[i].is_static);
        space_put64(t->space, at + (rows[i].is_static ? c->address : c->value), rows[i].value);
        at += c->stride;
    }
    tables_export(t, "gHotSpotVMStructs", begin);
    tables_export(t, "gHotSpotVMStructEntryArrayStride", c->stride);
    tables_export(t, "gHotSpotVMStructEntryTypeNameOffset", c->name);
    tables_export(t, "gHotSpotVMStructEntryFieldNameOffset", c->field);
    tables_export(t, "gHotSpotVMStructEntryOffsetOffset", c->value);
    tables_export(t, "gHotSpotVMStructEntryAddressOffset", c->address);
    tables_export(t, "gHotSpotVMStructEntryIsStaticOffset", c->is_static);
}

static inline wick_addr tables_numbers(struct tables *t, const struct row *rows, size_t n, int consts)
{
    const unsigned stride = consts ? 16 : 40, value = consts ? 8 : 32;
    wick_addr at = space_take(t->space, (n + 1) * stride), begin = at;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].field || rows[i].is_const != consts)
            continue;
        space_put64(t->space, at, space_string(t->space, rows[i].type));
        if (consts)
            space_put32(t->space, at + value, (uint32_t)rows[i].value);
        else
            space_put64(t->space, at + value, rows[i].value);
        at += stride;
    }
    return begin;
}

/* All tables out of one list of rows. */
static inline void tables_make(struct tables *t, struct space *s, const struct row *rows, size_t n)
{
    const struct columns c = COLUMNS_DEFAULT;
    *t = (struct tables){.space = s};
    tables_fields(t, rows, n, &c);
    tables_export(t, "gHotSpotVMTypes", tables_numbers(t, rows, n, 0));
    tables_export(t, "gHotSpotVMTypeEntryArrayStride", 40);
    tables_export(t, "gHotSpotVMTypeEntryTypeNameOffset", 0);
    tables_export(t, "gHotSpotVMTypeEntrySizeOffset", 32);
    tables_export(t, "gHotSpotVMIntConstants", tables_numbers(t, rows, n, 1));
    tables_export(t, "gHotSpotVMIntConstantEntryArrayStride", 16);
    tables_export(t, "gHotSpotVMIntConstantEntryNameOffset", 0);
    tables_export(t, "gHotSpotVMIntConstantEntryValueOffset", 8);
}

#endif
