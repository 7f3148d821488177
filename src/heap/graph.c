/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.c - a dump read several times from front to back
 *
 * Nothing of an object is kept but its number and its place (later also its references, links.h), so each step that
 * needs all objects scans the file again, with what the steps before it have found:
 *
 *     classes    sizes and names
 *     count      objects and bytes by class; the range of ids; a bound of the number of references
 *     ids        the range says how they are stored; numbers are known only once all are there
 *     places     by number: where the record is
 *     roots      the class of a thread's object is read at its place
 *
 * A histogram stops after the second. Before the third the store learns how much will be needed at most.
 *
 * A dump may be hostile, and may change while it is read. Of several objects with one id the first is the object; the
 * others are recognised by their place and left out. An id that does not fit what the count saw is an error. A place
 * of 0 means none, since a header stands there. A root held by what is no Thread object counts as the JVM's.
 */
#include "heap/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "heap/classes_int.h"

enum {
    SCAN_STEP = 1 << 20,
    JUMP_STEP = 1024, /* most objects are shorter, and the next one is often needed soon */
};

/* --- counting ----------------------------------------------------------------------------------------------------- */

/* As many references as a record may hold, by its length. */
static uint64_t most_links(const struct wick_heap_graph *g, const struct wick_hprof_object *o)
{
    unsigned id = g->hprof.id_size;
    switch (o->kind) {
    case WICK_HPROF_INSTANCE: /* and the class */
        return o->count / id + 1;
    case WICK_HPROF_OBJECTS:
        return (uint64_t)o->count + 1;
    case WICK_HPROF_CLASS: /* superclass, loader, signers, domain; a static field also has a name and a type */
        return 4 + (o->end - o->body) / (2 * id + 1);
    default:
        return 1;
    }
}

static int count_object(void *ctx, const struct wick_hprof_object *o)
{
    struct wick_heap_graph *g = ctx;
    struct wick_heap_classes *c = &g->classes;
    uint32_t class = wick_heap_class_of(c, o);
    if (class == WICK_HEAP_NONE && o->kind != WICK_HPROF_CLASS)
        class = wick_heap_class_make(c, o->class_id);
    if (class == WICK_HEAP_NONE && o->kind != WICK_HPROF_CLASS)
        return wick_err_set(g->err, WICK_E_NOMEM, "out of memory");
    uint64_t bytes = wick_heap_size_of(c, o, class);
    if (class != WICK_HEAP_NONE) {
        c->all[class].objects++;
        c->all[class].shallow += bytes;
    }
    g->totals.objects++;
    g->totals.bytes += bytes;
    g->most_links += most_links(g, o);
    wick_heap_ids_see(&g->range, o->id);
    return 0;
}

static void count_classes(struct wick_heap_graph *g)
{
    for (uint32_t i = 0; i < g->classes.n; i++) {
        g->totals.classes += g->classes.all[i].record != 0;
        if (g->classes.all[i].flags & WICK_HEAP_IS_LOADER)
            g->totals.loaders += g->classes.all[i].objects;
    }
}

int wick_heap_graph_open(struct wick_heap_graph *g, struct wick_heap_file *file, const char *name,
                         struct wick_heap_store *store, struct wick_err *err)
{
    *g = (struct wick_heap_graph){.file = file, .store = store, .err = err};
    const struct wick_hprof_visitor count = {.ctx = g, .object = count_object};
    int rc = wick_hprof_open(&g->hprof, file, name, err);
    if (rc)
        return rc;
    if (wick_heap_view_init(&g->scan, file, SCAN_STEP) || wick_heap_view_init(&g->jump, file, JUMP_STEP))
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = rc ? rc : wick_heap_classes_read(&g->classes, &g->hprof, &g->scan, err);
    rc = rc ? rc : wick_hprof_scan(&g->hprof, &g->scan, &count, err);
    if (rc)
        wick_heap_graph_release(g);
    else
        count_classes(g);
    return rc;
}

void wick_heap_graph_release(struct wick_heap_graph *g)
{
    wick_heap_classes_release(&g->classes);
    wick_heap_ids_release(&g->ids, g->store);
    wick_heap_store_free(g->store, &g->places);
    wick_heap_store_free(g->store, &g->links.start);
    wick_heap_store_free(g->store, &g->links.targets);
    wick_heap_view_release(&g->scan);
    wick_heap_view_release(&g->jump);
    free(g->roots);
    g->roots = NULL;
}

/* --- the index ---------------------------------------------------------------------------------------------------- */

static int add_id(void *ctx, const struct wick_hprof_object *o)
{
    struct wick_heap_graph *g = ctx;
    return wick_heap_ids_add(&g->ids, o->id)
               ? 0
               : wick_err_set(g->err, WICK_E_FORMAT, "%s changed while it was read", g->hprof.name);
}

static int add_place(void *ctx, const struct wick_hprof_object *o)
{
    struct wick_heap_graph *g = ctx;
    uint32_t n = wick_heap_ids_find(&g->ids, o->id);
    wick_heap_store_relieve(g->store);
    if (n == WICK_HEAP_NONE || wick_heap_graph_place(g, n))
        return 0; /* a second object of the same id is nobody's */
    if (g->wide)
        wick_heap_u64(&g->places)[n] = o->at;
    else
        wick_heap_u32(&g->places)[n] = (uint32_t)o->at;
    return 0;
}

static int add_root(void *ctx, const struct wick_hprof_root *r)
{
    struct wick_heap_graph *g = ctx;
    uint32_t object = wick_heap_ids_find(&g->ids, r->id);
    void *p = g->roots;
    if (object == WICK_HEAP_NONE) {
        g->totals.dangling += r->id != 0;
        return 0;
    }
    if (wick_heap_grow(&p, &g->roots_cap, g->nroots, sizeof *g->roots))
        return wick_err_set(g->err, WICK_E_NOMEM, "out of memory for the roots of %s", g->hprof.name);
    g->roots = p;
    const struct wick_heap_thread *t = wick_heap_thread_find(&g->classes, r->thread);
    uint32_t holder = t ? wick_heap_ids_find(&g->ids, t->id) : WICK_HEAP_NONE;
    if (holder == object && r->kind != WICK_HPROF_ROOT_THREAD)
        return 0; /* a thread on its own stack: it is itself a root */
    uint32_t class = holder != WICK_HEAP_NONE ? wick_heap_graph_brief(g, holder).class : WICK_HEAP_NONE;
    if (class == WICK_HEAP_NONE || !(g->classes.all[class].flags & WICK_HEAP_IS_THREAD))
        holder = WICK_HEAP_NONE;
    g->roots[g->nroots++] = (struct wick_heap_root){object, holder, r->thread, r->frame, (uint8_t)r->kind};
    return 0;
}

static int by_holder(const void *a, const void *b)
{
    const struct wick_heap_root *x = a, *y = b;
    if (x->holder != y->holder)
        return x->holder < y->holder ? -1 : 1;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

static void sort_roots(struct wick_heap_graph *g)
{
    if (g->nroots)
        qsort(g->roots, g->nroots, sizeof *g->roots, by_holder);
    for (g->held = 0; g->held < g->nroots && g->roots[g->held].holder != WICK_HEAP_NONE;)
        g->held++;
}

int wick_heap_graph_index(struct wick_heap_graph *g, struct wick_err *err)
{
    const struct wick_hprof_visitor ids = {.ctx = g, .object = add_id};
    const struct wick_hprof_visitor places = {.ctx = g, .object = add_place};
    const struct wick_hprof_visitor roots = {.ctx = g, .root = add_root};
    g->err = err;
    if (!g->range.n)
        return wick_err_set(err, WICK_E_NOTFOUND, "%s holds no objects", g->hprof.name);
    wick_heap_store_expect(g->store, g->range.n * 36 + g->most_links * 8); /* at the peak: the dominators' */
    int rc = wick_heap_ids_init(&g->ids, &g->range, g->store, err);
    rc = rc ? rc : wick_hprof_scan(&g->hprof, &g->scan, &ids, err);
    if (rc)
        return rc;
    wick_heap_ids_finish(&g->ids);
    g->wide = g->file->size > UINT32_MAX;
    rc = wick_heap_store_new(g->store, &g->places, g->ids.n, g->wide ? 8 : 4, true, err);
    rc = rc ? rc : wick_hprof_scan(&g->hprof, &g->scan, &places, err);
    rc = rc ? rc : wick_hprof_scan(&g->hprof, &g->scan, &roots, err);
    if (!rc)
        sort_roots(g);
    return rc;
}

/* --- single objects ----------------------------------------------------------------------------------------------- */

int wick_heap_graph_object(struct wick_heap_graph *g, uint32_t object, struct wick_hprof_object *o)
{
    return wick_hprof_object_at(&g->hprof, &g->jump, wick_heap_graph_place(g, object), o);
}

size_t wick_heap_graph_held(const struct wick_heap_graph *g, uint32_t holder)
{
    size_t lo = 0, hi = g->held;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (g->roots[middle].holder < holder)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

struct each {
    struct wick_heap_graph *g;
    int (*fn)(void *ctx, uint32_t object, const struct wick_hprof_object *o);
    void *ctx;
};

static uint32_t is_indexed(const struct wick_heap_graph *g, const struct wick_hprof_object *h)
{
    uint32_t n = wick_heap_ids_find(&g->ids, h->id);
    return n != WICK_HEAP_NONE && wick_heap_graph_place(g, n) == h->at ? n : WICK_HEAP_NONE;
}

struct wick_heap_brief wick_heap_graph_brief(struct wick_heap_graph *g, uint32_t object)
{
    struct wick_hprof_object o;
    if (wick_heap_graph_object(g, object, &o))
        return (struct wick_heap_brief){.class = WICK_HEAP_NONE};
    uint32_t class = wick_heap_class_of(&g->classes, &o);
    return (struct wick_heap_brief){o.id, wick_heap_size_of(&g->classes, &o, class), class};
}

static int each_object(void *ctx, const struct wick_hprof_object *h)
{
    const struct each *e = ctx;
    uint32_t n = is_indexed(e->g, h);
    wick_heap_store_relieve(e->g->store);
    return n == WICK_HEAP_NONE ? 0 : e->fn(e->ctx, n, h);
}

int wick_heap_graph_each(struct wick_heap_graph *g,
                         int (*fn)(void *ctx, uint32_t object, const struct wick_hprof_object *o), void *ctx,
                         struct wick_err *err)
{
    struct each e = {.g = g, .fn = fn, .ctx = ctx};
    const struct wick_hprof_visitor visitor = {.ctx = &e, .object = each_object};
    g->err = err;
    return wick_hprof_scan(&g->hprof, &g->scan, &visitor, err);
}

const struct wick_heap_root *wick_heap_graph_root(const struct wick_heap_graph *g, uint32_t object, uint32_t holder)
{
    size_t lo = holder == WICK_HEAP_NONE ? g->held : wick_heap_graph_held(g, holder), hi = g->nroots;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        const struct wick_heap_root *r = &g->roots[middle];
        if (r->holder < holder || (r->holder == holder && r->object < object))
            lo = middle + 1;
        else
            hi = middle;
    }
    bool found = lo < g->nroots && g->roots[lo].holder == holder && g->roots[lo].object == object;
    return found ? &g->roots[lo] : NULL;
}
