/* SPDX-License-Identifier: Apache-2.0 */
/*
 * method.c - Method -> ConstMethod -> ConstantPool -> names
 *
 *      Method._constMethod        -> ConstMethod { constants, name index, signature index, code size, flags
 *                                                  | bytecodes | line table ... }
 *      ConstMethod._constants     -> ConstantPool { pool holder | 8 bytes each: Symbol* for names (low bit: a tag) }
 *      ConstantPool._pool_holder  -> InstanceKlass._name -> Symbol { length, bytes }
 *
 * The line table follows the bytecodes: pairs (bci delta, line delta), packed into a byte as 5 + 3 bits; 0xff says that
 * two signed UNSIGNED5 follow, 0 ends the table (hotspot/share/oops/method.cpp: CompressedLineNumberReadStream).
 */
#include "hotspot/method.h"

#include <string.h>

#include "hotspot/unsigned5.h"
#include "hotspot/value.h"

enum { MAX_NAME_BYTES = 4096, MAX_LINE_BYTES = 1 << 15, CHUNK = 512 };
enum { HAS_MONITOR_BYTECODES = 1 << 0 }; /* hotspot/share/oops/methodFlags.hpp */

static wick_addr pool_symbol(const struct wick_jvm *jvm, const struct wick_mem *mem, wick_addr pool, uint32_t index)
{
    return wick_hs_u64(mem, pool + (unsigned)jvm->layout.constantpool_size + 8 * (uint64_t)index);
}

/* A hash of what lies behind the bytecodes, where the line table begins. The bytecodes themselves are no good: the
 * interpreter rewrites them. */
static uint64_t hash_lines(const struct wick_jvm *jvm, const struct wick_mem *mem, wick_addr cm)
{
    enum { MOST = 64 };
    const struct wick_hs_layout *l = &jvm->layout;
    uint64_t words[MOST / 8] = {0}, hash = wick_hs_u16(mem, cm + (unsigned)l->cm_code_size);
    if (l->cm_flags < 0 || l->cm_has_lines < 0 || l->cm_total_size < 0 ||
        !(wick_hs_u16(mem, cm + (unsigned)l->cm_flags) & l->cm_has_lines))
        return hash;
    uint64_t before = (uint64_t)l->constmethod_size + hash,
             total = 8 * (uint64_t)wick_hs_u32(mem, cm + (unsigned)l->cm_total_size);
    uint64_t n = total > before ? total - before : 0;
    hash = hash << 32 ^ total;
    if (!n || wick_mem_read(mem, cm + before, words, n < MOST ? n : MOST))
        return hash;
    const uint8_t *end = memchr(words, 0, sizeof words); /* of the table: other tables behind it may change */
    if (end)
        memset((uint8_t *)words + (end - (uint8_t *)words), 0, (size_t)((uint8_t *)words + sizeof words - end));
    for (int i = 0; i < MOST / 8; i++)
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u ^ hash >> 29;
    return hash;
}

int wick_hs_method_identity(const struct wick_jvm *jvm, const struct wick_mem *mem, wick_addr method,
                            struct wick_hs_method_id *id)
{
    const struct wick_hs_layout *l = &jvm->layout;
    struct wick_hs_method_id out = {.method = method};
    wick_addr holder;
    if (method < 4096 || (method & 7))
        return -WICK_E_FAULT;
    out.const_method = wick_hs_u64(mem, method + (unsigned)l->method_const);
    out.constants = out.const_method ? wick_hs_u64(mem, out.const_method + (unsigned)l->cm_constants) : 0;
    holder = out.constants ? wick_hs_u64(mem, out.constants + (unsigned)l->cp_holder) : 0;
    out.class_name = holder ? wick_hs_u64(mem, holder + (unsigned)l->klass_name) : 0;
    if (!out.class_name)
        return -WICK_E_FAULT;
    out.name = pool_symbol(jvm, mem, out.constants, wick_hs_u16(mem, out.const_method + (unsigned)l->cm_name));
    out.signature =
        pool_symbol(jvm, mem, out.constants, wick_hs_u16(mem, out.const_method + (unsigned)l->cm_signature));
    out.lines = hash_lines(jvm, mem, out.const_method);
    *id = out;
    return 0;
}

/* Copies a Symbol's bytes; its length, or < 0. */
static int copy_symbol(const struct wick_jvm *jvm, const struct wick_mem *mem, wick_addr sym, uint8_t *to, uint32_t cap)
{
    sym &= ~(wick_addr)1;
    uint16_t len;
    if (!sym || wick_mem_read(mem, sym + (unsigned)jvm->layout.symbol_length, &len, 2))
        return -WICK_E_FAULT;
    if (len > MAX_NAME_BYTES)
        len = MAX_NAME_BYTES;
    if (len > cap)
        return -WICK_E_LIMIT;
    return wick_mem_read(mem, sym + (unsigned)jvm->layout.symbol_body, to, len) ? -WICK_E_FAULT : len;
}

/* End of the compressed line table that starts at p: behind the terminating 0, or NULL if it does not end before `end`.
 */
static const uint8_t *line_table_end(const uint8_t *p, const uint8_t *end, uint8_t excluded)
{
    while (p && p < end) {
        uint8_t b = *p++;
        if (b == 0)
            return p;
        if (b == 0xff) {
            wick_unsigned5_signed(&p, end, excluded);
            wick_unsigned5_signed(&p, end, excluded);
        }
    }
    return (void *)0;
}

/* Copies the line table; its size, 0 if the method has none or it does not fit. */
static uint32_t copy_lines(const struct wick_jvm *jvm, const struct wick_mem *mem, wick_addr cm, uint8_t *to,
                           uint32_t cap)
{
    const struct wick_hs_layout *l = &jvm->layout;
    if (l->cm_flags < 0 || l->cm_has_lines < 0 || l->cm_total_size < 0 ||
        !(wick_hs_u16(mem, cm + (unsigned)l->cm_flags) & l->cm_has_lines))
        return 0;
    uint32_t before = (uint32_t)l->constmethod_size + wick_hs_u16(mem, cm + (unsigned)l->cm_code_size);
    uint64_t total = 8 * (uint64_t)wick_hs_u32(mem, cm + (unsigned)l->cm_total_size);
    if (total <= before)
        return 0;
    uint64_t room = total - before;
    if (room > MAX_LINE_BYTES)
        room = MAX_LINE_BYTES;
    if (room > cap)
        room = cap;
    /* Other tables follow the lines, so read only as much as it takes to see the end. */
    for (uint64_t have = 0; have < room;) {
        uint64_t n = room - have < CHUNK ? room - have : CHUNK;
        if (wick_mem_read(mem, cm + before + have, to + have, n))
            return 0;
        have += n;
        const uint8_t *end = line_table_end(to, to + have, jvm->major >= 20);
        if (end)
            return (uint32_t)(end - to);
    }
    return 0;
}

/* Method::_flags, which is not exported, lies between two fields that are: 32 bits in JDK 21 and later. */
static bool has_blocks(const struct wick_jvm *jvm, const struct wick_mem *mem, wick_addr method)
{
    const struct wick_hs_layout *l = &jvm->layout;
    if (jvm->major < 21 || l->method_vtable < 0 || l->method_intrinsic != l->method_vtable + 8)
        return false;
    return wick_hs_u32(mem, method + (unsigned)l->method_vtable + 4) & HAS_MONITOR_BYTECODES;
}

int wick_hs_method_copy(const struct wick_jvm *jvm, const struct wick_mem *mem, const struct wick_hs_method_id *id,
                        void *buf, uint32_t cap)
{
    const struct wick_hs_layout *l = &jvm->layout;
    struct wick_hs_method *m = buf;
    uint32_t used = sizeof *m;
    if (cap < used)
        return -WICK_E_LIMIT;
    const wick_addr symbols[3] = {id->class_name, id->name, id->signature};
    uint16_t lens[3];
    for (int i = 0; i < 3; i++) {
        int n = copy_symbol(jvm, mem, symbols[i], (uint8_t *)buf + used, cap - used);
        if (n < 0)
            return n;
        lens[i] = (uint16_t)n;
        used += (uint32_t)n;
    }
    m->class_len = lens[0];
    m->name_len = lens[1];
    m->sig_len = lens[2];
    m->access = l->method_access < 0 ? 0 : wick_hs_u16(mem, id->method + (unsigned)l->method_access);
    m->access |= has_blocks(jvm, mem, id->method) ? WICK_HS_METHOD_BLOCKS : 0;
    m->line_bytes = copy_lines(jvm, mem, id->const_method, (uint8_t *)buf + used, cap - used);
    return (int)(used + m->line_bytes);
}

uint32_t wick_hs_method_line(const struct wick_hs_method *m, uint32_t bci, uint8_t excluded)
{
    const uint8_t *p = m->data + m->class_len + m->name_len + m->sig_len, *end = p + m->line_bytes;
    uint32_t at = 0, line = 0, best = 0;
    int64_t best_bci = -1;
    while (p && p < end && *p) {
        uint8_t b = *p++;
        if (b == 0xff) {
            at += (uint32_t)wick_unsigned5_signed(&p, end, excluded);
            line += (uint32_t)wick_unsigned5_signed(&p, end, excluded);
        } else {
            at += b >> 3;
            line += b & 7;
        }
        if (p && at <= bci && (int64_t)at >= best_bci) {
            best_bci = at;
            best = line;
        }
    }
    return best & 0xffff;
}
