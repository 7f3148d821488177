/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scopes.c - decoding an nmethod's debug information
 *
 *      PcDesc[]      sorted by pc offset, one sentinel before and one behind; each points into
 *      scopes data   a stream of scopes {sender offset, method index, bci + 1}; the sender is the caller into which
 *                    this method was inlined, 0 at the end; offsets fall strictly
 *      metadata[]    Method* by index - 1
 *
 * For an arbitrary pc HotSpot takes the first PcDesc at or after it (nmethod.cpp: PcDescSearch, match_desc with
 * approximate): code generated for a bytecode precedes the PcDesc recorded behind it. That holds where the compiler
 * describes all of its code (DebugNonSafepoints); see scope_flow.c otherwise.
 *
 * Where the parts live: up to JDK 22 behind the code in the blob; since 23 in malloc'ed "immutable data"; the metadata
 * in the blob's data (23, 24) or malloc'ed "mutable data" behind the relocations (25).
 */
#include "hotspot/scopes.h"

#include "hotspot/scope_flow.h"
#include "hotspot/unsigned5.h"
#include "hotspot/value.h"

#if defined(__x86_64__)
#define CAN_FOLLOW true /* compiled code: x86_insn.c reads it */
#else
#define CAN_FOLLOW false
#endif

enum {
    NMETHOD_BYTES = WICK_HS_BLOB_MOST,
    MAX_PCDESCS = 1 << 20,
    SCOPE_BYTES = 15,
    MAX_METADATA = 1 << 16,
    SCOPES_MOST = 128,
    BLOCK_ROWS = 16
};

struct debug_info {
    const struct wick_jvm *jvm;
    const struct wick_mem *mem;
    wick_addr code, code_end;
    wick_addr pcs, data, metadata;
    uint32_t rows; /* PcDescs, with both sentinels */
    uint32_t data_bytes;
    wick_addr root; /* Method* */
};

/* Lays out the parts of the nmethod whose head was copied to b. */
static int locate(wick_addr nm, const uint8_t *b, struct debug_info *d)
{
    const struct wick_hs_layout *l = &d->jvm->layout;
    uint64_t pcs_end;
    d->root = wick_hs_at64(b, l->nm_method);
    if (l->nm_immutable != WICK_HS_NONE) {
        wick_addr im = wick_hs_at64(b, l->nm_immutable);
        uint32_t size = wick_hs_at32(b, l->nm_immutable_size);
        if (l->nm_immutable_refs != WICK_HS_NONE && wick_hs_at32(b, l->nm_immutable_refs) < size)
            size = wick_hs_at32(b, l->nm_immutable_refs);
        uint32_t data = wick_hs_at32(b, l->nm_scopes_data);
        d->pcs = im + wick_hs_at32(b, l->nm_scopes_pcs);
        d->data = pcs_end = im + data;
        d->data_bytes = size > data ? size - data : 0;
        if (l->cb_mutable_data != WICK_HS_NONE)
            d->metadata = wick_hs_at64(b, l->cb_mutable_data) + wick_hs_at32(b, l->cb_relocation_size);
        else
            d->metadata = nm + wick_hs_at32(b, l->cb_data_offset) + wick_hs_at16(b, l->nm_metadata);
    } else {
        d->pcs = nm + wick_hs_at32(b, l->nm_scopes_pcs);
        pcs_end = nm + wick_hs_at32(b, l->nm_dependencies);
        d->metadata = nm + wick_hs_at32(b, l->nm_metadata);
        d->data = l->nm_scopes_data_begin != WICK_HS_NONE ? wick_hs_at64(b, l->nm_scopes_data_begin)
                                                          : nm + wick_hs_at32(b, l->nm_scopes_data);
        d->data_bytes = d->pcs > d->data ? (uint32_t)(d->pcs - d->data) : 0;
    }
    uint32_t size = (uint32_t)l->pcdesc_size;
    if (pcs_end < d->pcs || pcs_end - d->pcs > (uint64_t)MAX_PCDESCS * 16 || !d->root || !size ||
        size > WICK_HS_PCDESC_MOST || (uint32_t)l->pcdesc_pc + 4 > size || (uint32_t)l->pcdesc_scope + 4 > size)
        return -WICK_E_FORMAT;
    d->rows = (uint32_t)(pcs_end - d->pcs) / size;
    return 0;
}

static void locate_code(wick_addr nm, const uint8_t *b, struct debug_info *d)
{
    const struct wick_step_jvm *j = &d->jvm->step;
    d->code = j->code_is_pointer ? wick_hs_at64(b, j->cb_code) : nm + wick_hs_at32(b, j->cb_code);
    d->code_end = j->code_is_pointer ? wick_hs_at64(b, j->cb_code_end) : nm + wick_hs_at32(b, j->cb_code_end);
}

static int open_info(const struct wick_jvm *jvm, const struct wick_mem *mem, wick_addr nmethod, struct debug_info *out)
{
    uint8_t b[NMETHOD_BYTES];
    *out = (struct debug_info){.jvm = jvm, .mem = mem};
    if (jvm->layout.nmethod_size > NMETHOD_BYTES || wick_mem_read(mem, nmethod, b, (size_t)jvm->layout.nmethod_size))
        return -WICK_E_FAULT;
    locate_code(nmethod, b, out);
    return locate(nmethod, b, out);
}

/* --- PcDescs --- */

struct row {
    uint32_t pc, scope;
};

/* Rows from the i-th on. */
static int read_rows(const struct debug_info *d, uint32_t i, uint32_t n, struct row out[BLOCK_ROWS])
{
    const struct wick_hs_layout *l = &d->jvm->layout;
    uint8_t rows[BLOCK_ROWS * WICK_HS_PCDESC_MOST];
    uint32_t size = (uint32_t)l->pcdesc_size;
    if (wick_mem_read(d->mem, d->pcs + (uint64_t)i * size, rows, (size_t)n * size))
        return -WICK_E_FAULT;
    for (uint32_t k = 0; k < n; k++) {
        const uint8_t *row = rows + (size_t)k * size;
        out[k] = (struct row){wick_hs_at32(row, l->pcdesc_pc), wick_hs_at32(row, l->pcdesc_scope)};
    }
    return 0;
}

static int read_row(const struct debug_info *d, uint32_t i, struct row *out)
{
    struct row block[BLOCK_ROWS];
    int r = read_rows(d, i, 1, block);
    *out = r ? (struct row){0} : block[0];
    return r;
}

/* The first row at or after off; what is left of a search in the end is read at once. */
static int find_row(const struct debug_info *d, uint32_t off, uint32_t *at)
{
    struct row row, block[BLOCK_ROWS];
    uint32_t lo = 0, hi = d->rows;
    while (hi - lo > BLOCK_ROWS) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (read_row(d, mid, &row))
            return -WICK_E_FAULT;
        if ((int32_t)row.pc >= (int32_t)off)
            hi = mid;
        else
            lo = mid + 1;
    }
    if (read_rows(d, lo, hi - lo, block))
        return -WICK_E_FAULT;
    uint32_t k = 0;
    while (k < hi - lo && (int32_t)block[k].pc < (int32_t)off)
        k++;
    *at = lo + k;
    return 0;
}

/* Whether it is none of the sentinels. */
static bool is_row(const struct debug_info *d, uint32_t i)
{
    return i && i + 1 < d->rows;
}

/* See struct wick_hs_code. */
static uint32_t described(const void *ctx, uint32_t off)
{
    const struct debug_info *d = ctx;
    struct row row;
    uint32_t i;
    return find_row(d, off, &i) || !is_row(d, i) || read_row(d, i, &row) ? WICK_HS_NOWHERE : row.pc;
}

static uint32_t described_before(const void *ctx, uint32_t off)
{
    const struct debug_info *d = ctx;
    struct row row;
    uint32_t i;
    return find_row(d, off, &i) || !i || !is_row(d, i - 1) || read_row(d, i - 1, &row) ? WICK_HS_NOWHERE : row.pc;
}

/* --- scopes --- */

struct scope {
    uint32_t sender; /* 0: none */
    uint32_t method; /* index of metadata[] */
    int32_t bci;
};

static int read_scope(const struct debug_info *d, uint32_t at, struct scope *out)
{
    uint8_t s[SCOPE_BYTES];
    uint32_t len = d->data_bytes - at < sizeof s ? d->data_bytes - at : (uint32_t)sizeof s;
    if (wick_mem_read(d->mem, d->data + at, s, len))
        return -WICK_E_FAULT;
    const uint8_t *p = s, *end = s + len;
    uint8_t excluded = d->jvm->major >= 20;
    uint32_t sender = wick_unsigned5(&p, end, excluded);
    uint32_t index = wick_unsigned5(&p, end, excluded);
    int32_t bci = (int32_t)wick_unsigned5(&p, end, excluded) - 1;
    if (!p || index == 0 || index > MAX_METADATA)
        return -WICK_E_FORMAT;
    *out = (struct scope){sender < at ? sender : 0, index - 1, bci};
    return 0;
}

/* The scopes of a place, innermost first. */
struct chain {
    uint32_t at[SCOPES_MOST];
    uint32_t method[SCOPES_MOST];
    int n;
};

static int read_chain(const struct debug_info *d, uint32_t at, struct chain *out)
{
    struct scope s;
    for (out->n = 0; at && at < d->data_bytes; at = s.sender) {
        int r = out->n < SCOPES_MOST ? read_scope(d, at, &s) : -WICK_E_FORMAT;
        if (r)
            return r;
        out->at[out->n] = at;
        out->method[out->n++] = s.method;
    }
    return 0;
}

/* The innermost scope of `a` from which on outwards `b` has the same methods; 0: none. Lines are those of a. */
static int common(const struct debug_info *d, uint32_t a, uint32_t b, uint32_t *scope)
{
    struct chain x, y;
    int r = read_chain(d, a, &x);
    if (r || (r = read_chain(d, b, &y)))
        return r;
    *scope = 0;
    while (x.n && y.n && x.method[x.n - 1] == y.method[y.n - 1]) {
        *scope = x.at[--x.n];
        y.n--;
    }
    return 0;
}

/* The innermost scope of the first row at or after off; 0: there is none. */
static int scope_at(const struct debug_info *d, uint32_t off, uint32_t *scope)
{
    struct row row = {0};
    uint32_t i = 0;
    if (off != WICK_HS_NOWHERE && (find_row(d, off, &i) || (is_row(d, i) && read_row(d, i, &row))))
        return -WICK_E_FAULT;
    *scope = row.scope;
    return 0;
}

/* What the first rows at or after two offsets have in common. */
static int common_scope(const struct debug_info *d, uint32_t a, uint32_t b, uint32_t *scope)
{
    uint32_t x, y;
    int r = scope_at(d, a, &x);
    if (!r && !(r = scope_at(d, b, &y)))
        r = common(d, x, y, scope);
    return r;
}

static int outermost_scope(const struct debug_info *d, uint32_t off, uint32_t *scope)
{
    struct chain c;
    uint32_t at;
    int r = scope_at(d, off, &at);
    if (r || (r = read_chain(d, at, &c)))
        return r;
    *scope = c.n ? c.at[c.n - 1] : 0;
    return 0;
}

/* The innermost scope of a place in code that is described at safepoints only. */
static int scope_near(const struct debug_info *d, uint32_t off, uint32_t *scope)
{
    uint32_t bytes = d->code_end - d->code < UINT32_MAX ? (uint32_t)(d->code_end - d->code) : 0;
    const struct wick_hs_code code = {d->mem, d->code, bytes, described, described_before, d};
    struct wick_hs_near near;
    wick_hs_scope_flow(&code, off, &near);
    switch (near.match) {
    case WICK_HS_SURE:
        break;
    case WICK_HS_AGREE:
        return common_scope(d, near.ahead, near.passed, scope);
    case WICK_HS_ENTRY:
        return outermost_scope(d, near.ahead, scope);
    case WICK_HS_ENDS: /* what stands around it is all there is */
        return common_scope(d, near.ahead, described_before(d, off), scope);
    }
    return scope_at(d, near.ahead, scope);
}

int wick_hs_scopes(const struct wick_jvm *jvm, const struct wick_mem *mem, const struct wick_hs_at *at,
                   struct wick_hs_scope *out, int cap)
{
    struct debug_info d;
    struct scope s;
    uint32_t scope;
    int n = 0, r = open_info(jvm, mem, at->nmethod, &d);
    bool follow = CAN_FOLLOW && at->safepoints_only;
    if (r || (r = follow ? scope_near(&d, at->off, &scope) : scope_at(&d, at->off, &scope)))
        return r;
    for (; scope && scope < d.data_bytes && n < cap; scope = s.sender) {
        if ((r = read_scope(&d, scope, &s)))
            return r;
        if (wick_mem_read(mem, d.metadata + 8 * (uint64_t)s.method, &out[n].method, 8))
            return -WICK_E_FAULT;
        out[n++].bci = s.bci;
    }
    if (n == 0) {
        out[0] = (struct wick_hs_scope){.method = d.root, .bci = -1};
        n = 1;
    }
    return n;
}

bool wick_hs_describes_safepoints_only(const struct wick_jvm *jvm, const struct wick_mem *mem)
{
    wick_addr flag = jvm->flag[WICK_JVM_FLAG_DEBUG_NON_SAFEPOINTS];
    uint8_t on = 0;
    return !flag || wick_mem_read(mem, flag, &on, sizeof on) || !on;
}

int wick_hs_scope_ends(const struct wick_jvm *jvm, const struct wick_mem *mem, wick_addr nmethod, uint32_t *out,
                       int cap)
{
    struct debug_info d;
    struct row row;
    int r = open_info(jvm, mem, nmethod, &d), n = 0;
    if (r)
        return r;
    for (uint32_t i = 1; is_row(&d, i) && n < cap; i++) {
        if (read_row(&d, i, &row))
            return -WICK_E_FAULT;
        if ((int32_t)row.pc >= 0 && (!n || row.pc > out[n - 1]))
            out[n++] = row.pc;
    }
    return n;
}

wick_addr wick_hs_nmethod_method(const struct wick_jvm *jvm, const struct wick_mem *mem, wick_addr nmethod)
{
    return wick_hs_u64(mem, nmethod + (unsigned)jvm->layout.nm_method);
}
