/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links.c - see links.h; and the graph that the lists make, for searches
 */
#include "heap/links.h"

#include <inttypes.h>

#include "heap/graph.h"

enum { ELEMENTS = 2048 /* of an array, read at once */ };

/* --- reading ------------------------------------------------------------------------------------------------------ */

static int changed(const struct wick_heap_graph *g)
{
    return wick_err_set(g->err, WICK_E_FORMAT, "%s changed while it was read", g->hprof.name);
}

static int put(struct wick_heap_graph *g, uint32_t object)
{
    struct wick_heap_links *l = &g->links;
    if (l->n == l->room)
        return changed(g);
    wick_heap_u32(&l->targets)[l->n++] = object;
    return 0;
}

static inline int refer(struct wick_heap_graph *g, uint64_t id)
{
    uint32_t n = id ? wick_heap_ids_find(&g->ids, id) : WICK_HEAP_NONE;
    return n == WICK_HEAP_NONE ? 0 : put(g, n);
}

/* The class of an object, as far as it makes a difference. */
static int refer_class(struct wick_heap_graph *g, uint32_t class)
{
    const struct wick_heap_class *k = class != WICK_HEAP_NONE ? &g->classes.all[class] : NULL;
    return k && k->loader && !(k->flags & WICK_HEAP_IS_ROOT) ? refer(g, k->id) : 0;
}

static int link_class(struct wick_heap_graph *g, uint64_t at)
{
    struct wick_hprof_class k;
    struct wick_hprof_field f;
    if (wick_hprof_class_at(&g->hprof, &g->scan, at, &k))
        return changed(g);
    const uint64_t ids[] = {k.super, k.loader, k.signers, k.domain};
    int rc = 0;
    for (size_t i = 0; !rc && i < sizeof ids / sizeof *ids; i++)
        rc = refer(g, ids[i]);
    for (unsigned i = 0; !rc && i < k.nstatics; i++) {
        if (wick_hprof_static_at(&g->hprof, &g->scan, &k.statics, &f))
            return changed(g);
        rc = f.type == WICK_HPROF_REF ? refer(g, f.value) : 0;
    }
    return rc;
}

static int link_elements(struct wick_heap_graph *g, const struct wick_hprof_object *h)
{
    unsigned size = g->hprof.id_size;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < h->count;) {
        uint32_t n = h->count - i < ELEMENTS ? h->count - i : ELEMENTS;
        const uint8_t *p = wick_heap_view_at(&g->scan, h->body + (uint64_t)i * size, (size_t)n * size);
        if (!p)
            return changed(g);
        for (uint32_t k = 0; !rc && k < n; k++)
            rc = refer(g, wick_hprof_id(&g->hprof, p + (size_t)k * size));
        i += n;
    }
    return rc;
}

/* The layout of a class that is seen for the first time is found with the view that jumps. */
static int link_instance(struct wick_heap_graph *g, const struct wick_hprof_object *h, uint32_t class)
{
    if (class == WICK_HEAP_NONE || !g->classes.all[class].record)
        return 0; /* of a class that the dump does not have nothing is known */
    if (wick_heap_class_layout(&g->classes, &g->jump, class, h->count))
        return wick_err_set(g->err, WICK_E_FORMAT,
                            "%s is damaged at byte %" PRIu64 ": an instance of %u bytes does not fit its class",
                            g->hprof.name, h->at, h->count);
    const struct wick_heap_class *k = &g->classes.all[class];
    const uint8_t *p = h->count <= WICK_HEAP_VIEW_MOST ? wick_heap_view_at(&g->scan, h->body, h->count) : NULL;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < k->nrefs; i++) {
        const uint8_t *q = p ? p + k->refs[i] : wick_heap_view_at(&g->scan, h->body + k->refs[i], g->hprof.id_size);
        rc = q ? refer(g, wick_hprof_id(&g->hprof, q)) : changed(g);
    }
    return rc;
}

static int link_locals(struct wick_heap_graph *g, uint32_t thread)
{
    int rc = 0;
    for (size_t i = wick_heap_graph_held(g, thread); !rc && i < g->held && g->roots[i].holder == thread; i++)
        rc = put(g, g->roots[i].object);
    return rc;
}

static int link_parts(struct wick_heap_graph *g, uint32_t object, const struct wick_hprof_object *h)
{
    uint32_t class = h->kind == WICK_HPROF_CLASS ? WICK_HEAP_NONE : wick_heap_class_of(&g->classes, h);
    int rc;
    switch (h->kind) {
    case WICK_HPROF_CLASS:
        return link_class(g, h->at);
    case WICK_HPROF_OBJECTS:
        rc = link_elements(g, h);
        break;
    case WICK_HPROF_INSTANCE:
        rc = link_instance(g, h, class);
        break;
    default:
        return 0;
    }
    rc = rc ? rc : refer_class(g, class);
    if (!rc && class != WICK_HEAP_NONE && g->classes.all[class].flags & WICK_HEAP_IS_THREAD)
        rc = link_locals(g, object);
    return rc;
}

static int link_object(void *ctx, uint32_t object, const struct wick_hprof_object *h)
{
    struct wick_heap_graph *g = ctx;
    struct wick_heap_links *l = &g->links;
    uint64_t begin = l->n;
    int rc = link_parts(g, object, h);
    if (rc || l->n == begin)
        return rc;
    wick_heap_u32(&l->targets)[l->n - 1] |= WICK_HEAP_LAST;
    if (l->wide)
        wick_heap_u64(&l->start)[object] = begin;
    else
        wick_heap_u32(&l->start)[object] = (uint32_t)begin;
    return 0;
}

static int make(struct wick_heap_graph *g, struct wick_err *err)
{
    struct wick_heap_links *l = &g->links;
    l->n = 1;
    l->room = 1 + g->most_links + g->held;
    l->wide = l->room > UINT32_MAX;
    int rc = wick_heap_store_new(g->store, &l->start, g->ids.n, l->wide ? 8 : 4, true, err);
    rc = rc ? rc : wick_heap_store_new(g->store, &l->targets, l->room, 4, true, err);
    rc = rc ? rc : wick_heap_graph_each(g, link_object, g, err);
    if (!rc)
        wick_heap_store_trim(g->store, &l->targets, l->n * 4);
    return rc;
}

/* --- the graph ---------------------------------------------------------------------------------------------------- */

static int edges_of_roots(void *ctx, wick_heap_edge *edge, void *to)
{
    struct wick_heap_graph *g = ctx;
    int rc = 0;
    for (size_t i = g->held; !rc && i < g->nroots; i++)
        rc = edge(to, WICK_HEAP_NONE, g->roots[i].object);
    return rc;
}

static int edges_of(void *ctx, uint32_t node, wick_heap_edge *edge, void *to)
{
    const struct wick_heap_graph *g = ctx;
    const uint32_t *p = wick_heap_links_of(&g->links, node);
    int rc = 0;
    while (p && !rc) {
        uint32_t target = *p++;
        rc = edge(to, node, target & ~WICK_HEAP_LAST);
        if (target & WICK_HEAP_LAST)
            break;
    }
    return rc;
}

static void rest(void *ctx)
{
    const struct wick_heap_graph *g = ctx;
    wick_heap_store_park(&g->places);
    wick_heap_store_park(&g->links.start);
    wick_heap_store_park(&g->links.targets);
}

int wick_heap_graph_edges(struct wick_heap_graph *g, struct wick_heap_edges *edges, struct wick_err *err)
{
    *edges =
        (struct wick_heap_edges){.ctx = g, .nodes = g->ids.n, .roots = edges_of_roots, .of = edges_of, .rest = rest};
    g->err = err;
    int rc = g->links.start.p ? 0 : make(g, err);
    rest(g);
    if (rc) {
        wick_heap_store_free(g->store, &g->links.start);
        wick_heap_store_free(g->store, &g->links.targets);
    }
    return rc;
}
