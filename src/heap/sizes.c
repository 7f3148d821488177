/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sizes.c - how many bytes objects take in the heap
 *
 * The next object's address bounds an object's size, and the least distance of many is the size. Most collectors dump
 * objects in the order in which they lie; of the others some are put in order (stretches.h), between which there may be
 * objects that are dead and not in the dump: their distances are upper bounds. They show how the JVM was configured:
 *
 *   header of arrays      least distance behind a byte[], without its elements: 16, 12 with compact headers, 24 (from
 *                         JDK 23 on 20) without compressed class pointers
 *   header of instances   what that is without the length: 12, 8, 16
 *   references            4 bytes if some array of n references is followed within less than 8 n
 *   alignment             what all addresses are multiples of: 8, or more with -XX:ObjectAlignmentInBytes
 *
 * The size of a class's instances follows from its fields. JDK 15 and later pack the fields of a class and its
 * superclasses without holes; earlier ones begin each class's fields at a multiple of 4 or 8. Which of both fits the
 * distances of more classes is taken; where objects in their order show another size again and again (fields kept
 * apart by @Contended), that.
 *
 * Dumps by wick say all of this by themselves.
 */
#include "heap/classes_int.h"

#include <stdio.h>

#include "snapshot/dump_out.h"

enum {
    LARGEST_GAP = 1 << 16, /* farther, there is another region between */
    LARGEST_HEADER = 32,
    ENOUGH_ARRAYS = 8, /* to believe what they show */
    ENOUGH_IDS = 1000, /* that all of them are multiples of 16 by chance is out of the question */
    LARGEST_ALIGNMENT = 256,
    ALIGNMENT = 8,      /* the least */
    ENOUGH_TIMES = 3,   /* that a class's least distance is its size, whatever the fields say */
    MOST_PADDING = 512, /* of @Contended */
    /* Fields that no dump has: */
    POINTER = 8,              /* a class loader's to its data */
    INJECTED = 2 * 8 + 2 * 4, /* a class object's to its Klass, and sizes; besides 2 references */
};

static void see(struct wick_heap_classes *c, const struct wick_heap_seen *o)
{
    struct wick_heap_gaps *g = &c->gaps;
    uint64_t gap = o->id > g->last ? o->id - g->last : 0;
    if (gap && g->bytes && gap > g->bytes && gap - g->bytes < LARGEST_HEADER) {
        g->array_header = gap - g->bytes < g->array_header ? (uint32_t)(gap - g->bytes) : g->array_header;
        g->arrays++;
    } else if (gap && g->refs >= 8) {
        g->short_refs += gap < 8 * (uint64_t)g->refs;
        g->long_refs += gap >= 8 * (uint64_t)g->refs;
    } else if (gap && gap < LARGEST_GAP && g->class != WICK_HEAP_NONE) {
        struct wick_heap_class *k = &c->all[g->class];
        if (!k->gap || gap < k->gap) {
            k->gap = (uint32_t)gap;
            k->gap_times = 0;
        }
        k->gap_times += gap == k->gap;
    }
    g->last = o->id;
    g->bytes = o->bytes;
    g->refs = o->refs;
    g->class = o->class;
}

void wick_heap_sizes_see(struct wick_heap_classes *c, const struct wick_hprof_object *o)
{
    const struct wick_heap_seen seen = {
        .id = o->id,
        .class = o->kind == WICK_HPROF_INSTANCE ? wick_heap_class_make(c, o->class_id) : WICK_HEAP_NONE,
        .bytes = o->kind == WICK_HPROF_PRIMITIVES && o->type == WICK_HPROF_BYTE ? o->count : 0,
        .refs = o->kind == WICK_HPROF_OBJECTS ? o->count : 0,
    };
    if (seen.class != WICK_HEAP_NONE)
        c->all[seen.class].flags |= WICK_HEAP_HAS_OBJECTS;
    c->ids |= o->id;
    c->nids++;
    see(c, &seen);
    wick_heap_stretches_see(&c->stretches, &seen);
}

void wick_heap_sizes_begin(struct wick_heap_classes *c)
{
    c->gaps = (struct wick_heap_gaps){.class = WICK_HEAP_NONE, .array_header = UINT32_MAX};
}

/* The dump has the objects in another order than the heap: begins anew with those of which the neighbours are known. */
static void see_neighbours(struct wick_heap_classes *c)
{
    const struct wick_heap_stretches *s = &c->stretches;
    wick_heap_sizes_begin(c);
    for (uint32_t i = 0; i < c->n; i++)
        c->all[i].gap = c->all[i].gap_times = 0;
    wick_heap_stretches_sort(&c->stretches);
    for (uint32_t i = 0; i < s->n; i++) {
        if (i && !wick_heap_stretches_join(s->kept[i - 1].id, s->kept[i].id))
            c->gaps.last = UINT64_MAX;
        see(c, &s->kept[i]);
    }
}

static unsigned header_of(unsigned array)
{
    return array == 12 ? 8 : array >= 20 ? 16 : 12;
}

static bool is_alignment(unsigned n)
{
    return n >= ALIGNMENT && n <= LARGEST_ALIGNMENT && !(n & (n - 1));
}

/* What all objects begin at multiples of. */
static unsigned alignment_of(const struct wick_heap_classes *c)
{
    unsigned align = ALIGNMENT;
    while (c->nids >= ENOUGH_IDS && align < LARGEST_ALIGNMENT && !(c->ids & align))
        align *= 2;
    return align;
}

/* What the dump says of it by itself (snapshot/dump_out.h). */
static bool read_layout(struct wick_heap_classes *c, struct wick_heap_view *v)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    struct wick_heap_layout *l = &c->layout;
    unsigned array, ref, align = ALIGNMENT;
    wick_heap_string_add(c, v, WICK_DUMP_OUT_LAYOUT_ID, &text);
    bool given = !text.failed && sscanf(text.buf, WICK_DUMP_OUT_LAYOUT, &array, &ref, &align) >= 2 && array >= 12 &&
                 array <= 24 && (ref == 4 || ref == 8) && is_alignment(align);
    if (given)
        *l = (struct wick_heap_layout){
            .ref = ref, .header = header_of(array), .array = array, .align = align, .measured = true, .given = true};
    wick_strbuf_release(&text);
    return given;
}

static void find_layout(struct wick_heap_classes *c)
{
    struct wick_heap_layout *l = &c->layout;
    const struct wick_heap_gaps *g = &c->gaps;
    unsigned id = c->hprof->id_size;
    *l = (struct wick_heap_layout){
        .ref = 4, .header = id == 8 ? 12 : 8, .array = id == 8 ? 16 : 12, .align = alignment_of(c)};
    if (id == 4)
        return;
    l->measured = g->arrays >= ENOUGH_ARRAYS && g->array_header >= 12 && g->short_refs + g->long_refs >= ENOUGH_ARRAYS;
    if (!l->measured)
        return;
    l->array = g->array_header;
    l->header = header_of(l->array);
    l->ref = g->short_refs ? 4 : 8;
}

static uint64_t up(uint64_t n, unsigned to)
{
    return (n + to - 1) / to * to;
}

/* Bytes of the fields of one class. */
struct part {
    uint64_t longs, rest;
};

/* Where a class's fields end if they begin at `at`: longs first, at a multiple of 8, with smaller ones in the hole. */
static uint64_t lay_out(uint64_t at, const struct part *p, unsigned ref)
{
    if (!p->longs && !p->rest)
        return at;
    uint64_t hole = p->longs ? up(at, 8) - at : 0, in_hole = p->rest < hole ? p->rest : hole;
    return up(at + hole + p->longs + p->rest - in_hole, ref);
}

/* java.lang.ClassLoader itself. */
static bool is_topmost_loader(const struct wick_heap_classes *c, uint32_t class)
{
    uint32_t super = wick_heap_class_find(c, c->all[class].super);
    return c->all[class].flags & WICK_HEAP_IS_LOADER &&
           (super == WICK_HEAP_NONE || !(c->all[super].flags & WICK_HEAP_IS_LOADER));
}

/* The two sizes that an instance may have. False if the dump does not have all its superclasses. */
static bool sizes_of(const struct wick_heap_classes *c, struct wick_heap_view *v, uint32_t class, uint64_t *packed,
                     uint64_t *padded)
{
    enum { MOST = 64 };
    struct part parts[MOST] = {{0}};
    struct wick_heap_fields f = {.c = c, .v = v};
    struct wick_hprof_field field;
    uint64_t offset;
    unsigned n = 0;
    bool is_loader = c->all[class].flags & WICK_HEAP_IS_LOADER;
    *packed = c->layout.header + (is_loader ? POINTER : 0);
    for (wick_heap_fields_enter(&f, class); wick_heap_fields_next(&f, &field, &offset);) {
        unsigned size = field.type == WICK_HPROF_REF ? c->layout.ref : wick_hprof_size(c->hprof, field.type);
        n = f.depth - 1 < MOST ? f.depth - 1 : MOST - 1;
        *(size == 8 ? &parts[n].longs : &parts[n].rest) += size;
        *packed += size;
        if (is_loader && is_topmost_loader(c, f.class)) {
            parts[n].longs += POINTER;
            is_loader = false;
        }
    }
    *padded = c->layout.header;
    for (unsigned i = n + 1; i-- > 0;) /* the topmost superclass comes first in the heap */
        *padded = lay_out(*padded, &parts[i], c->layout.ref);
    *packed = up(*packed, c->layout.align);
    *padded = up(*padded, c->layout.align);
    return !f.broken && *padded <= UINT32_MAX;
}

/* How many more classes the packed sizes fit than the padded ones. */
static int64_t vote(struct wick_heap_classes *c, struct wick_heap_view *v)
{
    int64_t votes = 0;
    uint64_t packed, padded;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->all[i].gap && c->all[i].record && sizes_of(c, v, i, &packed, &padded) && packed != padded)
            votes += (c->all[i].gap == packed) - (c->all[i].gap == padded);
    return votes;
}

/* What no field accounts for, a class has as much of as the nearest superclass that shows it; but no object reaches
 * into the next one. */
static void add_extra(const struct wick_heap_classes *c, struct wick_heap_class *k)
{
    const struct wick_heap_class *super = k;
    for (int depth = 0; !super->extra && super->super && depth < WICK_HEAP_SUPERCLASSES; depth++) {
        uint32_t n = wick_heap_class_find(c, super->super);
        if (n == WICK_HEAP_NONE)
            break;
        super = &c->all[n];
    }
    if (k->size)
        k->size += super->extra;
    if (k->gap && k->gap < k->size)
        k->size = k->gap;
}

/* What the dump has as the size of a class's instances, fields that the JVM adds included. */
static uint32_t given_size(const struct wick_heap_classes *c, struct wick_heap_view *v, const struct wick_heap_class *k,
                           uint32_t computed)
{
    struct wick_hprof_class record;
    bool there = !wick_hprof_class_at(c->hprof, v, k->record, &record) && record.instance_size >= c->layout.header;
    return there ? record.instance_size : computed;
}

void wick_heap_sizes_find(struct wick_heap_classes *c, struct wick_heap_view *v)
{
    bool is_in_order = wick_heap_stretches_in_order(&c->stretches);
    if (!is_in_order)
        see_neighbours(c);
    wick_heap_stretches_release(&c->stretches);
    struct wick_heap_layout *l = &c->layout;
    if (!read_layout(c, v))
        find_layout(c);
    bool is_packed = !l->given && vote(c, v) >= 0;
    uint64_t packed, padded;
    c->class_class = wick_heap_class_named(c, "java/lang/Class");
    for (uint32_t i = 0; i < c->n; i++) {
        struct wick_heap_class *k = &c->all[i];
        k->statics -= k->bytes * (c->hprof->id_size - l->ref); /* `bytes` had the number of static references */
        k->bytes = 0;
        if ((!(k->flags & WICK_HEAP_HAS_OBJECTS) && i != c->class_class) || !k->record ||
            !sizes_of(c, v, i, &packed, &padded))
            continue;
        k->size = (uint32_t)(is_packed ? packed : padded);
        if (l->given)
            k->size = given_size(c, v, k, k->size);
        else if (is_in_order && k->gap_times >= ENOUGH_TIMES && k->gap > k->size && k->gap - k->size <= MOST_PADDING)
            k->extra = (uint16_t)(k->gap - k->size);
    }
    for (uint32_t i = 0; i < c->n && !l->given; i++)
        add_extra(c, &c->all[i]);
    if (c->class_class != WICK_HEAP_NONE) /* classes of primitive types are instances in a dump */
        c->all[c->class_class].size = l->mirror = c->all[c->class_class].size + (l->given ? 0 : INJECTED + 2 * l->ref);
}
