/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_out.c - reference by reference
 *
 * An object is written when the JVM reports its reference to its class, which it does once for each object that it
 * visits. Before that it has been reported as what something refers to. So at the end as many objects must have been
 * written as were referred to, or the walk has not been whole.
 *
 * Classes come last, when all of them are known: a class is a java.lang.Class object, its mirror, which the JVM visits
 * without that reference. Its static fields are in the mirror, its name and fields in metaspace. Objects that its
 * constant pool refers to are written as static fields without a name of their own.
 *
 * Ids are addresses: of objects, and of the JVM's symbols for names.
 */
#include "snapshot/graph_out.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "hotspot/class_fields.h"
#include "hotspot/method.h"
#include "hotspot/value.h"

enum { BUFFER = 1 << 20, COMPACT_SHIFT = 42, ID = 8, WORD = 8 };
enum { SUB_OTHER = 0xff, SUB_JNI_GLOBAL = 1, SUB_JNI_LOCAL, SUB_FRAME, SUB_SYSTEM = 5, SUB_MONITOR = 7, SUB_THREAD };
enum { SUB_CLASS = 0x20, SUB_INSTANCE, SUB_OBJECTS, SUB_VALUES };
enum { NAME_CONSTANT = 1, NAME_UNKNOWN }; /* ids of strings that are no symbols, besides WICK_DUMP_OUT_LAYOUT_ID */

static bool give_up(struct wick_graph_out *g, const char *why)
{
    if (!g->problem)
        g->problem = why;
    return false;
}

/* --- reading the heap --------------------------------------------------------------------------------------------- */

/* The heap stands still and is ours: plain loads of what lies within it. */
static const uint8_t *at(wick_addr object)
{
    return (const uint8_t *)(uintptr_t)object;
}

static bool is_object(const struct wick_graph_out *g, wick_addr o)
{
    return o >= g->from && o < g->to && !(o & (WORD - 1));
}

/* What a reference to o means. Up to JDK 19 the walk itself marks what it has visited, as forwarded to nowhere. */
static wick_addr newest(const struct wick_graph_out *g, wick_addr o)
{
    enum { FORWARDED = 3 };
    if (g->moves.how != WICK_HS_MOVES_FORWARDS || !is_object(g, o))
        return o;
    uint64_t mark = wick_hs_at64(at(o), 0);
    wick_addr to = mark & ~(uint64_t)FORWARDED;
    return (mark & FORWARDED) == FORWARDED && to ? to : o;
}

static wick_addr klass_of(const struct wick_graph_out *g, wick_addr object)
{
    int32_t klass_at = g->jvm->layout.object_klass;
    if (g->wide_klass)
        return wick_hs_at64(at(object), klass_at);
    uint64_t narrow = g->compact ? wick_hs_at64(at(object), 0) >> COMPACT_SHIFT : wick_hs_at32(at(object), klass_at);
    return narrow ? g->klass_base + (narrow << g->klass_shift) : 0;
}

static uint32_t length_of(const struct wick_graph_out *g, wick_addr array)
{
    return wick_hs_at32(at(array), g->compact ? WORD : g->wide_klass ? 2 * WORD : WORD + 4);
}

static wick_addr reference_at(const struct wick_graph_out *g, wick_addr object, uint32_t offset)
{
    return newest(g, wick_hs_oop_at(g->jvm, at(object), (int32_t)offset));
}

/* --- writing objects ---------------------------------------------------------------------------------------------- */

static void put_value(struct wick_graph_out *g, wick_addr object, const struct wick_klass_field *f)
{
    if (f->type == WICK_KLASS_REF)
        wick_dump_out_u8(&g->out, reference_at(g, object, f->offset));
    else
        wick_dump_out_numbers(&g->out, at(object) + f->offset, 1, wick_klass_table_bytes(f->type));
}

static void write_instance(struct wick_graph_out *g, wick_addr object, const struct wick_klass *k)
{
    struct wick_dump_out *o = &g->out;
    wick_dump_out_sub(o, 1 + ID + 4 + ID + 4 + k->value_bytes);
    wick_dump_out_u1(o, SUB_INSTANCE);
    wick_dump_out_u8(o, object);
    wick_dump_out_u4(o, 0);
    wick_dump_out_u8(o, k->mirror);
    wick_dump_out_u4(o, k->value_bytes);
    for (const struct wick_klass *c = k; c;
         c = c->super_number == WICK_KLASS_NONE ? NULL : &g->klasses.all[c->super_number])
        for (uint32_t i = 0; i < c->nfields; i++)
            if (!g->klasses.fields[c->first_field + i].is_static)
                put_value(g, object, &g->klasses.fields[c->first_field + i]);
}

static void write_array(struct wick_graph_out *g, wick_addr object, const struct wick_klass *k)
{
    struct wick_dump_out *o = &g->out;
    unsigned size = wick_klass_table_bytes(k->element),
             head = 1 + ID + 4 + 4 + (k->kind == WICK_KLASS_OBJECT_ARRAYS ? ID : 1);
    uint32_t n = length_of(g, object);
    if (n > (UINT32_MAX - head) / size)
        n = (UINT32_MAX - head) / size; /* as the JVM does */
    wick_dump_out_sub(o, head + n * size);
    wick_dump_out_u1(o, k->kind == WICK_KLASS_OBJECT_ARRAYS ? SUB_OBJECTS : SUB_VALUES);
    wick_dump_out_u8(o, object);
    wick_dump_out_u4(o, 0);
    wick_dump_out_u4(o, n);
    if (k->kind == WICK_KLASS_VALUE_ARRAYS) {
        wick_dump_out_u1(o, k->element);
        wick_dump_out_numbers(o, at(object) + k->data, n, size);
        return;
    }
    uint32_t step = g->jvm->step.oop_kind == WICK_OOP_NARROW ? 4 : WORD;
    wick_dump_out_u8(o, k->mirror);
    for (uint32_t i = 0; i < n; i++)
        wick_dump_out_u8(o, reference_at(g, object + (uint64_t)i * step, k->data));
}

static void write_object(struct wick_graph_out *g, wick_addr object, const struct wick_klass *k)
{
    (k->kind == WICK_KLASS_INSTANCES ? write_instance : write_array)(g, object, k);
}

/* --- references --------------------------------------------------------------------------------------------------- */

/* A Thread object's row. */
static uint32_t thread_of(struct wick_graph_out *g, wick_addr thread)
{
    if (!g->klasses.thread_id)
        return 0;
    uint32_t number = wick_thread_table_number(&g->threads, wick_hs_at64(at(thread), g->klasses.thread_id));
    if (number)
        g->threads.all[number - 1].object = thread;
    return number;
}

/* Whether the object was not known before. */
static bool is_new(struct wick_graph_out *g, wick_addr object)
{
    uint64_t n = (object - g->from) / WORD;
    uint8_t bit = (uint8_t)(1u << n % 8);
    bool seen = g->seen[n / 8] & bit;
    g->seen[n / 8] |= bit;
    return !seen;
}

/* What something refers to. */
static bool see(struct wick_graph_out *g, const struct wick_graph_out_ref *r, uint32_t *class)
{
    *class = wick_klass_table_find(&g->klasses, klass_of(g, r->object));
    if (*class == WICK_KLASS_NONE)
        return give_up(g, "an object's class cannot be read");
    const struct wick_klass *k = &g->klasses.all[*class];
    bool new = is_new(g, r->object);
    if (!k->is_class)
        g->nseen += new;
    else if (new &&wick_klass_table_is_primitive(&g->klasses, r->object))
        write_instance(g, r->object, k); /* has no class to be written with */
    else if (new)
        wick_klass_table_of_mirror(&g->klasses, r->object); /* NONE: an archived class that has not been loaded */
    return true;
}

static bool visit(struct wick_graph_out *g, const struct wick_graph_out_ref *r)
{
    uint32_t class = wick_klass_table_find(&g->klasses, klass_of(g, r->referrer));
    if (class == WICK_KLASS_NONE || newest(g, g->klasses.all[class].mirror) != r->object)
        return give_up(g, "the JVM's objects are not where they are expected");
    const struct wick_klass *k = &g->klasses.all[class];
    if (k->is_class)
        return true;
    if (k->is_thread)
        thread_of(g, r->referrer);
    g->nvisited++;
    write_object(g, r->referrer, k);
    return true;
}

static void note_class(struct wick_graph_out *g, const struct wick_graph_out_ref *r)
{
    uint32_t class = wick_klass_table_of_mirror(&g->klasses, r->referrer);
    if (class == WICK_KLASS_NONE)
        return;
    struct wick_klass *k = &g->klasses.all[class];
    switch (r->kind) {
    case WICK_GRAPH_CLASS_LOADER:
        k->loader = r->object;
        break;
    case WICK_GRAPH_SIGNERS:
        k->signers = r->object;
        break;
    case WICK_GRAPH_PROTECTION_DOMAIN:
        k->domain = r->object;
        break;
    default:
        wick_klass_table_constant(&g->klasses, class, r->object);
    }
}

static void put_root(struct wick_graph_out *g, uint8_t tag, wick_addr object, unsigned more)
{
    wick_dump_out_sub(&g->out, 1 + ID + more);
    wick_dump_out_u1(&g->out, tag);
    wick_dump_out_u8(&g->out, object);
}

static void write_root(struct wick_graph_out *g, const struct wick_graph_out_ref *r)
{
    uint32_t thread;
    switch (r->kind) {
    case WICK_GRAPH_JNI_GLOBAL:
        put_root(g, SUB_JNI_GLOBAL, r->object, ID);
        wick_dump_out_u8(&g->out, 0);
        break;
    case WICK_GRAPH_SYSTEM_CLASS:
        put_root(g, SUB_SYSTEM, r->object, 0);
        break;
    case WICK_GRAPH_MONITOR:
        put_root(g, SUB_MONITOR, r->object, 0);
        break;
    case WICK_GRAPH_STACK_LOCAL:
    case WICK_GRAPH_JNI_LOCAL:
        thread = wick_thread_table_number(&g->threads, r->thread_id);
        if (r->method)
            wick_thread_table_frame(&g->threads, thread, r->depth, wick_hs_u64(g->jvm->mem, r->method), r->bci);
        put_root(g, r->kind == WICK_GRAPH_JNI_LOCAL ? SUB_JNI_LOCAL : SUB_FRAME, r->object, 8);
        wick_dump_out_u4(&g->out, thread);
        wick_dump_out_u4(&g->out, r->method ? r->depth : UINT32_MAX);
        break;
    case WICK_GRAPH_THREAD:
        thread_of(g, r->object); /* its root is written with its stack */
        break;
    default:
        put_root(g, SUB_OTHER, r->object, 0);
    }
}

bool wick_graph_out_reference(struct wick_graph_out *g, const struct wick_graph_out_ref *r)
{
    uint32_t class;
    if (g->problem || g->out.failed)
        return false;
    if (!is_object(g, r->object) || (r->referrer && !is_object(g, r->referrer)))
        return give_up(g, "the JVM does not say where its objects are as it is known to");
    if (!see(g, r, &class))
        return false;
    const struct wick_klass *k = &g->klasses.all[class];
    if (k->kind == WICK_KLASS_INSTANCES && !k->is_class && k->instance_bytes && r->bytes &&
        r->bytes < k->instance_bytes)
        return give_up(g, "an object is smaller than its class says");
    if (r->kind == WICK_GRAPH_CLASS && r->referrer)
        return visit(g, r);
    if (!r->referrer)
        write_root(g, r);
    else if (r->kind == WICK_GRAPH_CLASS_LOADER || r->kind == WICK_GRAPH_SIGNERS ||
             r->kind == WICK_GRAPH_PROTECTION_DOMAIN || r->kind == WICK_GRAPH_CONSTANT_POOL)
        note_class(g, r);
    return !g->out.failed;
}

/* --- classes and threads ------------------------------------------------------------------------------------------ */

static void put_string(struct wick_graph_out *g, uint64_t id, const void *text, size_t n)
{
    uint32_t value = 0;
    bool failed = false;
    if (wick_number_map_put(&g->strings, id, &value, &failed) || failed)
        return;
    wick_dump_out_record(&g->out, WICK_DUMP_OUT_STRING, (uint32_t)(ID + n));
    wick_dump_out_u8(&g->out, id);
    wick_dump_out_bytes(&g->out, text, n);
}

static void put_symbol(struct wick_graph_out *g, wick_addr symbol)
{
    char text[UINT16_MAX];
    const struct wick_hs_layout *l = &g->jvm->layout;
    size_t n = symbol ? wick_hs_u16(g->jvm->mem, symbol + (unsigned)l->symbol_length) : 0;
    if (n && !wick_mem_read(g->jvm->mem, symbol + (unsigned)l->symbol_body, text, n))
        put_string(g, symbol, text, n);
}

/* -XX:ObjectAlignmentInBytes: a power of two from 8 to 256. */
static unsigned alignment_of(const struct wick_jvm *jvm)
{
    wick_addr at = jvm->flag[WICK_JVM_FLAG_OBJECT_ALIGNMENT];
    uint64_t said = at ? wick_hs_u32(jvm->mem, at) : 0; /* an intx, since JDK 25 an int */
    return said >= WORD && said <= 256 && !(said & (said - 1)) ? (unsigned)said : WORD;
}

/* By a byte[], which every heap has. */
static void write_layout(struct wick_graph_out *g)
{
    char text[96];
    for (uint32_t i = 0; i < g->klasses.n; i++)
        if (g->klasses.all[i].kind == WICK_KLASS_VALUE_ARRAYS && g->klasses.all[i].element == WICK_KLASS_BYTE) {
            int n = snprintf(text, sizeof text, WICK_DUMP_OUT_LAYOUT, g->klasses.all[i].data,
                             g->jvm->step.oop_kind == WICK_OOP_NARROW ? 4u : (unsigned)WORD, alignment_of(g->jvm));
            put_string(g, WICK_DUMP_OUT_LAYOUT_ID, text, (size_t)n);
            return;
        }
}

static void write_names(struct wick_graph_out *g)
{
    write_layout(g);
    put_string(g, NAME_CONSTANT, "<constant pool>", 15);
    put_string(g, NAME_UNKNOWN, "?", 1);
    for (uint32_t i = 0; i < g->klasses.n; i++) {
        const struct wick_klass *k = &g->klasses.all[i];
        put_symbol(g, k->name);
        for (uint32_t f = 0; f < k->nfields; f++)
            put_symbol(g, g->klasses.fields[k->first_field + f].name);
        wick_dump_out_record(&g->out, WICK_DUMP_OUT_LOAD_CLASS, 4 + ID + 4 + ID);
        wick_dump_out_u4(&g->out, i + 1);
        wick_dump_out_u8(&g->out, k->mirror);
        wick_dump_out_u4(&g->out, 0);
        wick_dump_out_u8(&g->out, k->name);
    }
}

/* Symbol of the name of the file that a class was compiled from, 0 = none. */
static wick_addr source_of(const struct wick_graph_out *g, wick_addr constants, wick_addr holder)
{
    const struct wick_hs_layout *l = &g->jvm->layout;
    uint32_t index = l->cp_source_name >= 0      ? wick_hs_u16(g->jvm->mem, constants + (unsigned)l->cp_source_name)
                     : l->klass_source_name >= 0 ? wick_hs_u16(g->jvm->mem, holder + (unsigned)l->klass_source_name)
                                                 : 0;
    return index ? wick_hs_class_fields_symbol(g->jvm, holder, index) : 0;
}

static void write_frame(struct wick_graph_out *g, uint64_t id, const struct wick_thread_frame *f, void *copy)
{
    struct wick_hs_method_id m;
    struct wick_dump_out *o = &g->out;
    uint32_t class = 0, line = UINT32_MAX; /* not known */
    wick_addr source = 0;
    bool known = f && f->method && !wick_hs_method_identity(g->jvm, g->jvm->mem, f->method, &m);
    if (known) {
        wick_addr holder = wick_hs_u64(g->jvm->mem, m.constants + (unsigned)g->jvm->layout.cp_holder);
        class = wick_number_map_get(&g->klasses.by_klass, holder) + 1;
        put_symbol(g, m.name);
        put_symbol(g, m.signature);
        put_symbol(g, source = source_of(g, m.constants, holder));
        if (wick_hs_method_copy(g->jvm, g->jvm->mem, &m, copy, WICK_HS_METHOD_BYTES) >= 0 && f->bci >= 0)
            line = wick_hs_method_line(copy, (uint32_t)f->bci, g->jvm->major >= 20);
        line = line ? line : UINT32_MAX;
    }
    wick_dump_out_record(o, WICK_DUMP_OUT_FRAME, 4 * ID + 8);
    wick_dump_out_u8(o, id);
    wick_dump_out_u8(o, known ? m.name : NAME_UNKNOWN);
    wick_dump_out_u8(o, known ? m.signature : NAME_UNKNOWN);
    wick_dump_out_u8(o, source);
    wick_dump_out_u4(o, class);
    wick_dump_out_u4(o, line);
}

static void write_threads(struct wick_graph_out *g)
{
    struct wick_dump_out *o = &g->out;
    void *copy = malloc(WICK_HS_METHOD_BYTES);
    uint64_t frames = 0;
    for (uint32_t i = 0; copy && i < g->threads.n; i++) {
        uint32_t n = g->threads.all[i].deepest;
        for (uint32_t d = 0; d < n; d++)
            write_frame(g, frames + d + 1, wick_thread_table_get(&g->threads, i + 1, d), copy);
        wick_dump_out_record(o, WICK_DUMP_OUT_TRACE, 12 + n * ID);
        wick_dump_out_u4(o, i + 1);
        wick_dump_out_u4(o, i + 1);
        wick_dump_out_u4(o, n);
        for (uint32_t d = 0; d < n; d++)
            wick_dump_out_u8(o, ++frames);
    }
    free(copy);
    for (uint32_t i = 0; i < g->threads.n; i++) {
        if (!g->threads.all[i].object)
            continue;
        put_root(g, SUB_THREAD, g->threads.all[i].object, 8);
        wick_dump_out_u4(o, i + 1);
        wick_dump_out_u4(o, i + 1);
    }
}

/* Bytes of its static fields in the dump, and how many they are. */
static uint32_t statics_of(const struct wick_graph_out *g, const struct wick_klass *k, uint16_t *n)
{
    uint32_t bytes = 0, count = 0;
    for (uint32_t i = 0; i < k->nfields; i++) {
        const struct wick_klass_field *f = &g->klasses.fields[k->first_field + i];
        bytes += f->is_static ? ID + 1 + wick_klass_table_bytes(f->type) : 0;
        count += f->is_static;
    }
    uint32_t constants = k->nconstants < UINT16_MAX - count ? k->nconstants : UINT16_MAX - count;
    *n = (uint16_t)(count + constants);
    return bytes + constants * (ID + 1 + ID);
}

static void put_statics(struct wick_graph_out *g, const struct wick_klass *k, uint16_t n)
{
    struct wick_dump_out *o = &g->out;
    wick_dump_out_u2(o, n);
    for (uint32_t i = 0; i < k->nfields; i++) {
        const struct wick_klass_field *f = &g->klasses.fields[k->first_field + i];
        if (!f->is_static)
            continue;
        wick_dump_out_u8(o, f->name);
        wick_dump_out_u1(o, f->type);
        put_value(g, k->mirror, f);
        n--;
    }
    for (uint32_t c = k->constants; n && c != WICK_KLASS_NONE; c = g->klasses.constants[c].before, n--) {
        wick_dump_out_u8(o, NAME_CONSTANT);
        wick_dump_out_u1(o, WICK_KLASS_REF);
        wick_dump_out_u8(o, g->klasses.constants[c].object);
    }
}

static void write_class(struct wick_graph_out *g, const struct wick_klass *k)
{
    struct wick_dump_out *o = &g->out;
    uint16_t nstatics, nfields = 0;
    uint32_t statics = statics_of(g, k, &nstatics);
    uint32_t super = wick_number_map_get(&g->klasses.by_klass, k->super);
    for (uint32_t i = 0; i < k->nfields; i++)
        nfields += !g->klasses.fields[k->first_field + i].is_static;
    wick_dump_out_sub(o, 1 + ID + 4 + 6 * ID + 4 + 2 + 2 + statics + 2 + nfields * (ID + 1u));
    wick_dump_out_u1(o, SUB_CLASS);
    wick_dump_out_u8(o, k->mirror);
    wick_dump_out_u4(o, 0);
    wick_dump_out_u8(o, super == WICK_KLASS_NONE ? 0 : g->klasses.all[super].mirror);
    wick_dump_out_u8(o, k->loader);
    wick_dump_out_u8(o, k->signers);
    wick_dump_out_u8(o, k->domain);
    wick_dump_out_u8(o, 0);
    wick_dump_out_u8(o, 0);
    wick_dump_out_u4(o, k->instance_bytes);
    wick_dump_out_u2(o, 0);
    put_statics(g, k, nstatics);
    wick_dump_out_u2(o, nfields);
    for (uint32_t i = 0; i < k->nfields; i++) {
        const struct wick_klass_field *f = &g->klasses.fields[k->first_field + i];
        if (f->is_static)
            continue;
        wick_dump_out_u8(o, f->name);
        wick_dump_out_u1(o, f->type);
    }
}

/* Collections that have begun. The VM thread may have had one to do after the walk, in which objects move. */
static uint32_t collections_of(const struct wick_jvm *jvm)
{
    const struct wick_hs_layout *l = &jvm->layout;
    wick_addr heap = wick_hs_u64(jvm->mem, l->java_heap);
    return l->java_heap_collections >= 0 ? wick_hs_u32(jvm->mem, heap + (unsigned)l->java_heap_collections) : 0;
}

bool wick_graph_out_finish(struct wick_graph_out *g)
{
    g->again = collections_of(g->jvm) != g->collections || g->nseen != g->nvisited;
    if (collections_of(g->jvm) != g->collections)
        give_up(g, "a garbage collection came before all classes were written");
    if (g->nseen != g->nvisited)
        give_up(g, "the JVM did not visit all objects; a thread that has no part in the copy may have held a lock");
    if (g->klasses.failed || g->threads.failed)
        give_up(g, "out of memory");
    if (g->problem || g->out.failed)
        return false;
    write_names(g);
    write_threads(g);
    for (uint32_t i = 0; i < g->klasses.n; i++)
        write_class(g, &g->klasses.all[i]);
    return wick_dump_out_end(&g->out);
}

/* --- the beginning ------------------------------------------------------------------------------------------------ */

const char *wick_graph_out_obstacle(const struct wick_jvm *jvm, wick_addr *from, wick_addr *to)
{
    const struct wick_hs_layout *l = &jvm->layout;
    if (wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_Z, false))
        return "ZGC keeps the heap in memory that a child process shares";
    if (wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_SHENANDOAH, false) && jvm->major < 13)
        return "Shenandoah of JDK 12 and earlier reports old copies of objects";
    wick_addr heap = l->java_heap ? wick_hs_u64(jvm->mem, l->java_heap) : 0;
    if (!heap || l->java_heap_reserved < 0 || l->region_start < 0 || l->region_words < 0 || l->object_klass < 0 ||
        !wick_klass_table_known(jvm))
        return "this JDK keeps its classes or its heap in a way that is not known";
    *from = wick_hs_u64(jvm->mem, heap + (unsigned)(l->java_heap_reserved + l->region_start));
    *to = *from + WORD * wick_hs_u64(jvm->mem, heap + (unsigned)(l->java_heap_reserved + l->region_words));
    return *from && *from < *to ? NULL : "the heap is not where it is expected";
}

bool wick_graph_out_begin(struct wick_graph_out *g, const struct wick_jvm *jvm, int fd, uint64_t now_ms)
{
    const struct wick_hs_layout *l = &jvm->layout;
    *g = (struct wick_graph_out){.jvm = jvm, .klasses.jvm = jvm};
    if (wick_graph_out_obstacle(jvm, &g->from, &g->to) || !wick_hs_moves_find(jvm, &g->moves))
        return give_up(g, "the heap is not where it is expected");
    g->collections = collections_of(jvm);
    g->compact = wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_COMPACT_OBJECT_HEADERS, false);
    g->wide_klass =
        !g->compact && !wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_COMPRESSED_CLASS_POINTERS, jvm->major >= 27);
    if (!g->wide_klass) {
        g->klass_base = l->klass_base ? wick_hs_u64(jvm->mem, l->klass_base) : 0;
        g->klass_shift = l->klass_shift ? wick_hs_u32(jvm->mem, l->klass_shift) & 15 : 0;
    }
    size_t bits = (size_t)((g->to - g->from) / WORD / 8 + 1);
    g->seen = mmap(NULL, bits, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *buf = g->seen != MAP_FAILED ? malloc(BUFFER) : NULL;
    if (!buf)
        return give_up(g, "out of memory");
    wick_dump_out_begin(&g->out, fd, buf, BUFFER, now_ms);
    return true;
}
