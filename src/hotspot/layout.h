/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - HotSpot's own description of its data, resolved once per JVM
 *
 * Every fact is one member of struct wick_hs_layout, generated from vmstruct.def. Offsets and sizes are in bytes; a
 * fact that this JDK does not have is WICK_HS_NONE (offsets, sizes, constants) or 0 (addresses of statics).
 *
 * Threads: read-only after wick_hs_layout_read.
 * Memory:  a flat struct without pointers: can be copied anywhere.
 */
#ifndef WICK_HOTSPOT_LAYOUT_H
#define WICK_HOTSPOT_LAYOUT_H

#include "base/err.h"
#include "mem/mem.h"

#define WICK_HS_NONE (-1)

/* The most that is copied of an nmethod's head and of a PcDesc. */
enum { WICK_HS_BLOB_MOST = 512, WICK_HS_PCDESC_MOST = 32 };

struct wick_hs_layout {
#define FIELD(id, type, field)  int32_t id;
#define STATIC(id, type, field) wick_addr id;
#define SIZE(id, type)          int32_t id;
#define CONST(id, name)         int32_t id;
#define ALT_FIELD(id, type, field)
#define ALT_STATIC(id, type, field)
#define ALT_SIZE(id, type)
#define ALT_CONST(id, name)
#include "hotspot/vmstruct.def"
#undef FIELD
#undef STATIC
#undef SIZE
#undef CONST
#undef ALT_FIELD
#undef ALT_STATIC
#undef ALT_SIZE
#undef ALT_CONST
};

/* Address of a dynamic symbol of libjvm.so in the target, 0 if it has none. */
struct wick_hs_symbols {
    wick_addr (*find)(void *arg, const char *name);
    void *arg;
};

/* Reads the tables. -WICK_E_UNSUPPORTED with a message if libjvm exports none or they are malformed. About 3 reads a
 * row. */
int wick_hs_layout_read(struct wick_hs_layout *l, const struct wick_mem *m, const struct wick_hs_symbols *syms,
                        struct wick_err *err);

/* Whether all that is needed is there, and each offset inside its structure: what is read by this layout out of a copy
 * then lies in the copy. -WICK_E_UNSUPPORTED with a message that names the first fact that is not. */
int wick_hs_layout_check(const struct wick_hs_layout *l, struct wick_err *err);

#endif
