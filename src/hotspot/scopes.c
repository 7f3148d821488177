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
 * approximate): code generated for a bytecode precedes the PcDesc recorded behind it.
 *
 * Where the parts live: up to JDK 22 behind the code in the blob; since 23 in malloc'ed "immutable data"; the metadata
 * in the blob's data (23, 24) or malloc'ed "mutable data" behind the relocations (25).
 */
#include "hotspot/scopes.h"

#include "hotspot/unsigned5.h"
#include "hotspot/value.h"

enum { NMETHOD_BYTES = WICK_HS_BLOB_MOST, MAX_PCDESCS = 1 << 20, SCOPE_BYTES = 15, MAX_METADATA = 1 << 16 };

struct debug_info {
    wick_addr pcs, data, metadata;
    uint32_t pcs_bytes, data_bytes;
    wick_addr root; /* Method* */
};

/* Lays out the parts of the nmethod whose head was copied to b. */
static int locate(const struct wick_jvm *jvm, wick_addr nm, const uint8_t *b, struct debug_info *d)
{
    const struct wick_hs_layout *l = &jvm->layout;
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
    if (pcs_end < d->pcs || pcs_end - d->pcs > (uint64_t)MAX_PCDESCS * 16 || !d->root)
        return -WICK_E_FORMAT;
    d->pcs_bytes = (uint32_t)(pcs_end - d->pcs);
    return 0;
}

/* Scope offset of the first PcDesc at or after off; 0 if that has none. */
static int find_scope(const struct wick_jvm *jvm, const struct wick_mem *mem, const struct debug_info *d, uint32_t off,
                      uint32_t *scope)
{
    const struct wick_hs_layout *l = &jvm->layout;
    uint32_t size = (uint32_t)l->pcdesc_size, n = size ? d->pcs_bytes / size : 0;
    uint32_t lo = 0, hi = n; /* first index whose offset >= off */
    uint8_t row[WICK_HS_PCDESC_MOST];
    if (!size || size > sizeof row || (uint32_t)l->pcdesc_pc + 4 > size || (uint32_t)l->pcdesc_scope + 4 > size)
        return -WICK_E_FORMAT;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (wick_mem_read(mem, d->pcs + (uint64_t)mid * size, row, size))
            return -WICK_E_FAULT;
        if ((int32_t)wick_hs_at32(row, l->pcdesc_pc) >= (int32_t)off)
            hi = mid;
        else
            lo = mid + 1;
    }
    *scope = 0;
    if (lo + 1 >= n) /* the sentinel behind */
        return 0;
    if (wick_mem_read(mem, d->pcs + (uint64_t)lo * size, row, size))
        return -WICK_E_FAULT;
    *scope = wick_hs_at32(row, l->pcdesc_scope);
    return 0;
}

int wick_hs_scopes(const struct wick_jvm *jvm, const struct wick_mem *mem, wick_addr nmethod, uint32_t off,
                   struct wick_hs_scope *out, int cap)
{
    uint8_t b[NMETHOD_BYTES];
    struct debug_info d;
    uint32_t scope = 0;
    if (jvm->layout.nmethod_size > NMETHOD_BYTES || wick_mem_read(mem, nmethod, b, (size_t)jvm->layout.nmethod_size))
        return -WICK_E_FAULT;
    int n = 0, r = locate(jvm, nmethod, b, &d);
    if (r || (r = find_scope(jvm, mem, &d, off, &scope)))
        return r;
    while (scope && scope < d.data_bytes && n < cap) {
        uint8_t s[SCOPE_BYTES];
        uint32_t len = d.data_bytes - scope < sizeof s ? d.data_bytes - scope : (uint32_t)sizeof s;
        if (wick_mem_read(mem, d.data + scope, s, len))
            return -WICK_E_FAULT;
        const uint8_t *p = s, *end = s + len;
        uint8_t excluded = jvm->major >= 20;
        uint32_t sender = wick_unsigned5(&p, end, excluded);
        uint32_t index = wick_unsigned5(&p, end, excluded);
        int32_t bci = (int32_t)wick_unsigned5(&p, end, excluded) - 1;
        if (!p || index == 0 || index > MAX_METADATA)
            return -WICK_E_FORMAT;
        if (wick_mem_read(mem, d.metadata + 8 * (uint64_t)(index - 1), &out[n].method, 8))
            return -WICK_E_FAULT;
        out[n++].bci = bci;
        if (sender >= scope)
            break;
        scope = sender;
    }
    if (n == 0) {
        out[0] = (struct wick_hs_scope){.method = d.root, .bci = -1};
        n = 1;
    }
    return n;
}

int wick_hs_scope_ends(const struct wick_jvm *jvm, const struct wick_mem *mem, wick_addr nmethod, uint32_t *out,
                       int cap)
{
    const struct wick_hs_layout *l = &jvm->layout;
    uint8_t b[NMETHOD_BYTES];
    struct debug_info d;
    if (l->nmethod_size > NMETHOD_BYTES || wick_mem_read(mem, nmethod, b, (size_t)l->nmethod_size))
        return -WICK_E_FAULT;
    int r = locate(jvm, nmethod, b, &d), n = 0;
    if (r || l->pcdesc_size <= 0)
        return r ? r : -WICK_E_FORMAT;
    uint32_t rows = d.pcs_bytes / (uint32_t)l->pcdesc_size;
    for (uint32_t i = 1; i + 1 < rows && n < cap; i++) { /* without the sentinels */
        uint32_t at;
        if (wick_mem_read(mem, d.pcs + (uint64_t)i * (uint32_t)l->pcdesc_size + (uint32_t)l->pcdesc_pc, &at, 4))
            return -WICK_E_FAULT;
        if ((int32_t)at >= 0 && (!n || at > out[n - 1]))
            out[n++] = at;
    }
    return n;
}

wick_addr wick_hs_nmethod_method(const struct wick_jvm *jvm, const struct wick_mem *mem, wick_addr nmethod)
{
    return wick_hs_u64(mem, nmethod + (unsigned)jvm->layout.nm_method);
}
