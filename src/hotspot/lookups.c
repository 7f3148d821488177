/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookups.c - see lookups.h
 *
 *      Method._method_data -> MethodData { method, size | DataLayout, DataLayout, ... }
 *      DataLayout { tag (1 byte), flags, bci (2 bytes), traps | cells of 8 bytes }    hotspot/share/oops/methodData.hpp
 *
 * There is one for each call, branch and type check, in the order of the bytecodes. How many cells one has depends on
 * its tag, on the JDK and on flags of the JVM. So none is counted: the next one is the next word whose tag and bci fit
 * the bytecode there, which only a counter that happens to look so could pretend.
 *
 * Bytecodes of calls are rewritten: their operand is an index, in the machine's byte order, into the cache of the
 * constant pool, which has the index of the Methodref.
 */
#include "hotspot/lookups.h"

#include <string.h>

#include "hotspot/value.h"

enum { NEAR = 48 }; /* bytes from a call to the test of its answer */
enum { TAG_COUNTER = 2, TAG_VIRTUAL_CALL = 5, TAG_BRANCH = 7, TAG_CALL_TYPE = 10, TAG_VIRTUAL_CALL_TYPE = 11 };
enum {
    ALOAD = 0x19,
    ALOAD_0 = 0x2a,
    ASTORE = 0x3a,
    ASTORE_0 = 0x4b,
    DUP = 0x59,
    INVOKEVIRTUAL = 0xb6,
    INVOKESPECIAL = 0xb7,
    INVOKESTATIC = 0xb8,
    INVOKEINTERFACE = 0xb9,
    CHECKCAST = 0xc0,
    IFNULL = 0xc6,
    IFNONNULL = 0xc7,
    GOTO = 0xa7,
    IRETURN = 0xac,
    RETURN = 0xb1,
    ATHROW = 0xbf,
};

/* The method at hand. */
struct reading {
    const struct wick_jvm *jvm;
    const struct wick_mem *mem;
    const struct wick_hs_method_id *id;
    const uint8_t *code;
    uint32_t size;
    struct wick_hs_lookup_entry *entries;
    int n;
};

static bool is_call(uint8_t code)
{
    return code >= INVOKEVIRTUAL && code <= INVOKEINTERFACE && code != INVOKESPECIAL;
}

static void collect(struct reading *r, const uint64_t *data, uint32_t words)
{
    const struct wick_hs_layout *l = &r->jvm->layout;
    int32_t last = -1;
    for (uint32_t i = 0; i < words && r->n < WICK_HS_LOOKUP_ENTRIES; i++) {
        uint8_t tag = *((const uint8_t *)&data[i] + l->dl_tag);
        uint16_t bci = wick_hs_at16(&data[i], l->dl_bci);
        if (bci + 3u > r->size || bci <= last)
            continue;
        uint8_t code = r->code[bci];
        bool call =
            tag == TAG_COUNTER || tag == TAG_VIRTUAL_CALL || tag == TAG_CALL_TYPE || tag == TAG_VIRTUAL_CALL_TYPE;
        bool test = tag == TAG_BRANCH && (code == IFNULL || code == IFNONNULL);
        uint32_t cells = i + (uint32_t)l->dl_cells / 8;
        if ((!call || !is_call(code)) && (!test || cells + 3 > words))
            continue;
        struct wick_hs_lookup_entry *e = &r->entries[r->n++];
        *e = (struct wick_hs_lookup_entry){.bci = bci, .call = call};
        if (test) { /* taken, displacement, not taken */
            e->taken = data[cells];
            e->not = data[cells + 2];
        }
        last = bci;
    }
}

/* Where the answer of the call is tested, if that is what the test is for: at once, as a copy, or as the variable that
 * it was put into. */
static bool tests(const struct reading *r, uint32_t call, uint32_t test)
{
    const uint8_t *c = r->code;
    uint32_t at = call + (c[call] == INVOKEINTERFACE ? 5 : 3);
    if (test < at || test - at > NEAR)
        return false;
    if (at < test && c[at] == CHECKCAST)
        at += 3;
    if (at == test)
        return true;
    bool copy = c[at] == DUP;
    at += copy;
    int variable = -1;
    if (at < test && c[at] >= ASTORE_0 && c[at] < ASTORE_0 + 4) {
        variable = c[at] - ASTORE_0;
        at += 1;
    } else if (at + 1 < test && c[at] == ASTORE) {
        variable = c[at + 1];
        at += 2;
    }
    if (variable < 0 || copy || at >= test)
        return variable >= 0 && copy && at == test;
    for (uint32_t i = at; i < test; i++) /* another answer may be in it by then */
        if ((variable < 4 && c[i] == ASTORE_0 + variable) || (c[i] == ASTORE && c[i + 1] == variable))
            return false;
    bool brief = c[test - 1] >= ALOAD_0 && c[test - 1] < ALOAD_0 + 4 && c[test - 1] - ALOAD_0 == variable;
    return brief || (at + 1 < test && c[test - 2] == ALOAD && c[test - 1] == variable);
}

static wick_addr pool_slot(const struct reading *r, uint32_t index)
{
    return r->id->constants + (unsigned)r->jvm->layout.constantpool_size + 8 * (uint64_t)index;
}

/* The Methodref of a call, as an index of the constant pool; 0 = not known. */
static uint32_t method_ref(const struct reading *r, uint32_t call)
{
    const struct wick_hs_layout *l = &r->jvm->layout;
    uint16_t index = wick_hs_at16(r->code, (int32_t)call + 1);
    wick_addr cache = wick_hs_u64(r->mem, r->id->constants + (unsigned)l->cp_cache);
    if (!cache)
        return 0;
    if (l->cpcache_methods >= 0 && l->resolved_size > 0 && l->resolved_index >= 0) {
        wick_addr methods = wick_hs_u64(r->mem, cache + (unsigned)l->cpcache_methods);
        if (!methods || index >= wick_hs_u32(r->mem, methods))
            return 0;
        return wick_hs_u16(r->mem, methods + 8 + (uint64_t)index * (unsigned)l->resolved_size +
                                       (unsigned)l->resolved_index); /* an Array: its length, then the elements */
    }
    if (l->cpcache_size < 0 || l->cpentry_size <= 0 || l->cpentry_indices < 0)
        return 0;
    return wick_hs_u16(r->mem, cache + (unsigned)l->cpcache_size + (uint64_t)index * (unsigned)l->cpentry_size +
                                   (unsigned)l->cpentry_indices);
}

/* Looks for class and name of a call's Methodref, once. */
static void name_call(const struct reading *r, struct wick_hs_lookup_entry *e)
{
    if (e->named)
        return;
    e->named = true;
    uint32_t ref = method_ref(r, e->bci);
    uint32_t method = ref ? wick_hs_u32(r->mem, pool_slot(r, ref)) : 0; /* class, and name with type above */
    if (!(method & 0xffff) || !(method >> 16))
        return;
    uint32_t type = wick_hs_u32(r->mem, pool_slot(r, method >> 16)); /* name, and signature above */
    e->name = wick_hs_u64(r->mem, pool_slot(r, type & 0xffff)) & ~(wick_addr)1;
    e->signature = type >> 16 ? wick_hs_u64(r->mem, pool_slot(r, type >> 16)) & ~(wick_addr)1 : 0;
    wick_addr class = wick_hs_u64(r->mem, pool_slot(r, method & 0xffff));
    if (r->jvm->major >= 9) /* index of the name above, that of the resolved class below */
        e->class_name = wick_hs_u64(r->mem, pool_slot(r, (uint32_t) class >> 16)) & ~(wick_addr)1;
    else if (class & 1)
        e->class_name = class & ~(wick_addr)1;
    else
        e->class_name = class ? wick_hs_u64(r->mem, class + (unsigned)r->jvm->layout.klass_name) : 0;
}

static bool copy_name(const struct reading *r, wick_addr symbol, char *out, size_t cap)
{
    const struct wick_hs_layout *l = &r->jvm->layout;
    size_t n = symbol ? wick_hs_u16(r->mem, symbol + (unsigned)l->symbol_length) : 0;
    if (!n || n >= cap || wick_mem_read(r->mem, symbol + (unsigned)l->symbol_body, out, n))
        return false;
    out[n] = 0;
    return true;
}

static bool begins(const char *name, const char *const words[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strncmp(name, words[i], strlen(words[i])))
            return true;
    return false;
}

/* Whether a call between two bytecodes stores something in an object of that class; 0 = of any. */
static bool stores(const struct reading *r, wick_addr class_name, uint32_t from, uint32_t to)
{
    static const char *const words[] = {"put", "add", "store", "set", "save", "insert", "cache"};
    char name[WICK_HS_LOOKUP_NAME];
    for (int i = 0; i < r->n; i++) {
        struct wick_hs_lookup_entry *e = &r->entries[i];
        if (!e->call || e->bci < from || e->bci >= to)
            continue;
        name_call(r, e);
        if ((!class_name || e->class_name == class_name) && copy_name(r, e->name, name, sizeof name) &&
            begins(name, words, sizeof words / sizeof *words))
            return true;
    }
    return false;
}

/* The bytecodes that run only where nothing was found. Behind a jump these are known if what runs otherwise goes
 * elsewhere at its end: returns, or jumps over them. */
static bool miss_of(const struct reading *r, const struct wick_hs_lookup_entry *test, uint32_t *from, uint32_t *to)
{
    const uint8_t *c = r->code;
    int32_t target = test->bci + (int16_t)(c[test->bci + 1] << 8 | c[test->bci + 2]);
    if (target <= test->bci + 3 || target > (int32_t)r->size)
        return false;
    if (c[test->bci] == IFNONNULL) {
        *from = test->bci + 3u;
        *to = (uint32_t)target;
        return true;
    }
    *from = (uint32_t)target;
    *to = r->size;
    int32_t before = target - 3;
    if (before >= test->bci + 3 && c[before] == GOTO) {
        int32_t behind = before + (int16_t)(c[before + 1] << 8 | c[before + 2]);
        *to = (uint32_t)behind;
        return behind > target && behind <= (int32_t)r->size;
    }
    return (c[target - 1] >= IRETURN && c[target - 1] <= RETURN) || c[target - 1] == ATHROW;
}

/* Whether a method has no parameter, so that it looks nothing up by a key. */
static bool has_no_key(const struct reading *r, wick_addr signature)
{
    const struct wick_hs_layout *l = &r->jvm->layout;
    return signature && wick_hs_u16(r->mem, signature + (unsigned)l->symbol_body) == ('(' | ')' << 8);
}

/* Whether the name is that of a lookup: "get", "getTariff" of a key, but not "getProtocol" of nothing. */
static bool is_lookup(const struct reading *r, const struct wick_hs_lookup_entry *call, const char *name)
{
    static const char *const words[] = {"get", "find", "lookup", "fetch", "load", "peek"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(name, words[i]))
            return true;
    return begins(name, words, sizeof words / sizeof *words) && !has_no_key(r, call->signature);
}

/* Whether it asks a weak or soft reference, which has what was there before the last collection. */
static bool is_of_reference(const char *callee)
{
    static const char package[] = "java/lang/ref/";
    return !strncmp(callee, package, sizeof package - 1);
}

/* What is called "get" or so and has its answer tested, and stores something where that was null: there, or, where a
 * reference is asked for what it refers to, anywhere. */
static bool lookup_of(const struct reading *r, struct wick_hs_lookup_entry *call,
                      const struct wick_hs_lookup_entry *test, struct wick_hs_lookup *out)
{
    bool jumps = r->code[test->bci] == IFNULL; /* where there is nothing */
    *out = (struct wick_hs_lookup){
        .bci = call->bci, .found = jumps ? test->not : test->taken, .missed = jumps ? test->taken : test->not };
    if (!miss_of(r, test, &out->miss_from, &out->miss_to))
        return false;
    name_call(r, call);
    if (!call->class_name || !copy_name(r, call->class_name, out->callee, sizeof out->callee))
        return false;
    size_t n = strlen(out->callee);
    out->callee[n++] = '.';
    return n < sizeof out->callee && copy_name(r, call->name, out->callee + n, sizeof out->callee - n) &&
           is_lookup(r, call, out->callee + n) &&
           stores(r, is_of_reference(out->callee) ? 0 : call->class_name, out->miss_from, out->miss_to);
}

static bool knows(const struct wick_hs_layout *l)
{
    return l->method_data >= 0 && l->md_method >= 0 && l->md_size >= 0 && l->md_data >= 0 && l->dl_tag >= 0 &&
           l->dl_tag < 8 && l->dl_bci >= 0 && l->dl_bci <= 6 && l->dl_cells >= 8 && l->dl_cells % 8 == 0 &&
           l->dl_cells < 64 && l->cp_cache >= 0;
}

int wick_hs_lookups(const struct wick_jvm *jvm, const struct wick_mem *mem, const struct wick_hs_method_id *id,
                    struct wick_hs_lookup_room *room, struct wick_hs_lookup *out, int cap)
{
    const struct wick_hs_layout *l = &jvm->layout;
    struct reading r = {.jvm = jvm, .mem = mem, .id = id, .code = room->code, .entries = room->entries};
    wick_addr data = knows(l) ? wick_hs_u64(mem, id->method + (unsigned)l->method_data) : 0;
    if (!data || wick_hs_u64(mem, data + (unsigned)l->md_method) != id->method)
        return 0;
    r.size = wick_hs_u16(mem, id->const_method + (unsigned)l->cm_code_size);
    uint32_t bytes = wick_hs_u32(mem, data + (unsigned)l->md_size) & ~7u;
    if (r.size > sizeof room->code || bytes > sizeof room->data ||
        wick_mem_read(mem, id->const_method + (unsigned)l->constmethod_size, room->code, r.size) ||
        wick_mem_read(mem, data + (unsigned)l->md_data, room->data, bytes))
        return 0;
    collect(&r, room->data, bytes / 8);
    int n = 0;
    for (int t = 0; t < r.n && n < cap; t++)
        for (int c = t - 1; !r.entries[t].call && c >= 0; c--)
            if (r.entries[c].call && tests(&r, r.entries[c].bci, r.entries[t].bci)) {
                n += lookup_of(&r, &r.entries[c], &r.entries[t], &out[n]);
                break;
            }
    return n;
}
