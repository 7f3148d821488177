/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retained.c - sums over the dominator tree, without recursion
 *
 * The dominator tree numbers objects so that children have greater numbers than their parents (dominators.h). So one
 * pass from the last number to the first, each adding itself to its dominator, gives all retained sizes: O(n), no
 * stack. Sizes are in units of 8 bytes, in 4 bytes unless the heap is larger than 32 GiB. The k largest go through a
 * binary heap with the smallest on top: O(n log k).
 *
 * For sums by class the tree is walked depth first over lists of children (first, next: 8 bytes an object), going back
 * up by the dominators themselves. open[class] counts the objects of a class on the way from the root: an instance
 * adds to its class only where that is 0, so what lies within another instance's is counted once.
 *
 * The same walk builds the tree by class. An object that has its parent's class shares its box; boxes are at most
 * 2^19, 96 deep, and beyond that an object belongs to its parent's box. At the end boxes under 1/20000 of the whole
 * give their bytes to their parents. So the tree loses detail, but never bytes.
 */
#include "heap/retained.h"

#include <stdlib.h>
#include <string.h>

#include "base/frame_kind.h"
#include "heap/path.h"
#include "heap/suspects_int.h"

enum {
    MOST_BOXES = 1 << 19, /* of the tree by class; what comes later belongs to its parent's box */
    MOST_DEPTH = 96,      /* likewise */
    SMALLEST = 20000,     /* boxes below this part of the whole belong to their parents */
};

struct work {
    struct wick_heap_retained *r;
    struct wick_heap_graph *g;
    struct wick_err *err;
    struct wick_heap_array first, next; /* u32 by number: first child, next sibling */
    uint32_t n, classes;
};

static void add_size(struct wick_heap_retained *r, uint32_t number, uint64_t units)
{
    if (r->wide)
        wick_heap_u64(&r->sizes)[number] += units;
    else
        wick_heap_u32(&r->sizes)[number] += (uint32_t)units;
}

/* An object of which nothing is known has the class behind the last. */
static int take_size(void *ctx, uint32_t object, const struct wick_hprof_object *o)
{
    struct work *w = ctx;
    struct wick_heap_retained *r = w->r;
    uint32_t number = wick_heap_u32(&r->d.number)[object], class = wick_heap_class_of(&w->g->classes, o);
    if (!number)
        return 0;
    uint64_t bytes = wick_heap_size_of(&w->g->classes, o, class);
    add_size(r, number, bytes / 8);
    class = class == WICK_HEAP_NONE ? w->classes : class;
    wick_heap_u32(&r->class)[number] = class;
    r->objects++;
    r->bytes += bytes;
    r->sum[class].objects++;
    r->sum[class].bytes += bytes;
    return 0;
}

/* Numbers of children are greater than their parent's, so each is complete when its turn comes. */
static void sum_up(struct work *w)
{
    struct wick_heap_retained *r = w->r;
    const uint32_t *idom = wick_heap_u32(&r->d.idom);
    for (uint32_t i = w->n; i > WICK_HEAP_ROOT; i--) {
        add_size(r, idom[i], wick_heap_retained_of(r, i) / 8);
        wick_heap_store_relieve(w->g->store);
    }
}

/* --- the largest -------------------------------------------------------------------------------------------------- */

/* The list is a heap with the smallest first until it is sorted. */
static int by_retained(const void *a, const void *b)
{
    const struct wick_heap_top *x = a, *y = b;
    if (x->retained != y->retained)
        return x->retained > y->retained ? -1 : 1;
    return x->object < y->object ? -1 : x->object > y->object;
}

static void sift(struct wick_heap_top *t, size_t n, size_t i)
{
    for (size_t k; (k = 2 * i + 1) < n; i = k) {
        k += k + 1 < n && by_retained(&t[k + 1], &t[k]) > 0;
        if (by_retained(&t[k], &t[i]) <= 0)
            return;
        struct wick_heap_top swap = t[i];
        t[i] = t[k];
        t[k] = swap;
    }
}

/* The largest so far. */
struct largest {
    struct wick_heap_top *tops;
    size_t n, most;
};

static void offer(struct largest *l, const struct wick_heap_top *t)
{
    if (l->n < l->most) {
        l->tops[l->n++] = *t;
        for (size_t i = l->n == l->most ? l->most / 2 + 1 : 0; i-- > 0;)
            sift(l->tops, l->most, i);
    } else if (l->most && by_retained(t, &l->tops[0]) < 0) {
        l->tops[0] = *t;
        sift(l->tops, l->most, 0);
    }
}

/* `object` of each was its number so far. */
static size_t finish_largest(const struct wick_heap_retained *r, struct wick_heap_graph *g, struct largest *l)
{
    if (l->n)
        qsort(l->tops, l->n, sizeof *l->tops, by_retained);
    for (size_t i = 0; i < l->n; i++) {
        struct wick_heap_top *t = &l->tops[i];
        uint32_t class = wick_heap_u32(&r->class)[t->object];
        t->class = class < r->classes ? class : WICK_HEAP_NONE;
        t->object = wick_heap_u32(&r->d.node)[t->object];
        t->bytes = wick_heap_graph_brief(g, t->object).bytes;
    }
    return l->n;
}

size_t wick_heap_largest(const struct wick_heap_retained *r, struct wick_heap_graph *g, const bool *classes,
                         size_t most, struct wick_heap_top *out)
{
    struct largest l = {out, 0, most};
    for (uint32_t i = WICK_HEAP_ROOT + 1; i <= r->d.reached; i++)
        if (classes[wick_heap_u32(&r->class)[i]])
            offer(&l, &(struct wick_heap_top){.object = i, .retained = wick_heap_retained_of(r, i)});
    return finish_largest(r, g, &l);
}

static void find_tops(struct work *w, size_t most)
{
    struct wick_heap_retained *r = w->r;
    const uint32_t *idom = wick_heap_u32(&r->d.idom);
    struct largest l = {r->tops, 0, most};
    for (uint32_t i = WICK_HEAP_ROOT + 1; i <= w->n; i++) {
        if (idom[i] != WICK_HEAP_ROOT)
            continue;
        struct wick_heap_top t = {.object = i, .retained = wick_heap_retained_of(r, i)};
        struct wick_heap_class_sum *sum = &r->sum[wick_heap_u32(&r->class)[i]];
        sum->tops++;
        sum->tops_retained += t.retained;
        offer(&l, &t);
    }
    r->ntops = finish_largest(r, w->g, &l);
}

/* --- a walk through the tree -------------------------------------------------------------------------------------- */

struct boxes {
    struct wick_tree *tree;
    uint32_t *names; /* by class, WICK_TREE_NONE = not made yet */
    uint64_t *self;  /* by box */
    uint32_t *class; /* by box */
    uint32_t n, cap;
    bool failed;
};

static void link_children(struct work *w)
{
    const uint32_t *idom = wick_heap_u32(&w->r->d.idom);
    uint32_t *first = wick_heap_u32(&w->first), *next = wick_heap_u32(&w->next);
    for (uint32_t i = w->n; i > WICK_HEAP_ROOT; i--) {
        next[i] = first[idom[i]];
        first[idom[i]] = i;
        wick_heap_store_relieve(w->g->store);
    }
}

static uint32_t name_of(struct work *w, struct boxes *b, uint32_t class)
{
    if (b->names[class] == WICK_TREE_NONE) {
        struct wick_strbuf name = WICK_STRBUF_INIT;
        wick_heap_class_name(&w->g->classes, class < w->classes ? class : WICK_HEAP_NONE, &name);
        b->names[class] = wick_tree_name(b->tree, name.buf, name.len);
        wick_strbuf_release(&name);
    }
    return b->names[class];
}

/* The box of an object of a class whose dominator is in the box `up`. */
static uint32_t box_of(struct work *w, struct boxes *b, uint32_t up, uint32_t class)
{
    uint32_t box;
    if ((up != WICK_TREE_ROOT && b->class[up] == class) || wick_tree_node(b->tree, up)->depth >= MOST_DEPTH)
        return up;
    struct wick_tree_frame f = {.name = name_of(w, b, class), .kind = WICK_FRAME_OBJECT};
    if (f.name == WICK_TREE_NONE || (b->n >= b->cap) || wick_tree_child(b->tree, up, &f, &box)) {
        b->failed |= b->n < b->cap;
        return up;
    }
    if (box >= b->n)
        b->n = box + 1;
    b->class[box] = class;
    return box;
}

/* A class object that retains something is a box of its own: what it holds in its static fields is what one looks for.
 */
static uint32_t box_of_class_object(struct work *w, struct boxes *b, uint32_t up, uint32_t object)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    wick_heap_object_add(w->g, object, &name);
    struct wick_tree_frame f = {.name = wick_tree_name(b->tree, name.buf, name.len), .kind = WICK_FRAME_OBJECT};
    uint32_t box = up;
    if (f.name == WICK_TREE_NONE)
        b->failed = true;
    else if (b->n < b->cap && wick_tree_node(b->tree, up)->depth < MOST_DEPTH &&
             !wick_tree_child(b->tree, up, &f, &box)) {
        b->n = box >= b->n ? box + 1 : b->n;
        b->class[box] = WICK_HEAP_NONE;
    }
    wick_strbuf_release(&name);
    return box;
}

/* On the way down `first` of a node becomes its box. */
static void enter(struct work *w, struct boxes *b, uint32_t i, uint32_t *open)
{
    struct wick_heap_retained *r = w->r;
    uint32_t *first = wick_heap_u32(&w->first), class = wick_heap_u32(&r->class)[i];
    uint64_t bytes = wick_heap_retained_of(r, i);
    if (!open[class]++)
        r->sum[class].retained += bytes;
    if (!b->tree)
        return;
    uint64_t own = bytes;
    for (uint32_t k = first[i]; k; k = wick_heap_u32(&w->next)[k])
        own -= wick_heap_retained_of(r, k);
    uint32_t up = first[wick_heap_u32(&r->d.idom)[i]];
    bool named =
        class == w->g->classes.class_class && bytes / 8 >= wick_heap_retained_of(r, WICK_HEAP_ROOT) / 8 / SMALLEST;
    first[i] = named ? box_of_class_object(w, b, up, wick_heap_u32(&r->d.node)[i]) : box_of(w, b, up, class);
    b->self[first[i]] += own;
}

static void walk(struct work *w, struct boxes *b, uint32_t *open)
{
    const uint32_t *idom = wick_heap_u32(&w->r->d.idom), *next = wick_heap_u32(&w->next);
    uint32_t *first = wick_heap_u32(&w->first), i = first[WICK_HEAP_ROOT];
    first[WICK_HEAP_ROOT] = WICK_TREE_ROOT;
    while (i > WICK_HEAP_ROOT) {
        uint32_t below = first[i];
        enter(w, b, i, open);
        wick_heap_store_relieve(w->g->store);
        if (below) {
            i = below;
            continue;
        }
        open[wick_heap_u32(&w->r->class)[i]]--;
        while (i > WICK_HEAP_ROOT && !next[i]) {
            i = idom[i];
            if (i > WICK_HEAP_ROOT)
                open[wick_heap_u32(&w->r->class)[i]]--;
        }
        i = i > WICK_HEAP_ROOT ? next[i] : 0;
    }
}

/* Small boxes give their bytes to their parents, and the rest becomes the tree. */
static int finish_tree(struct work *w, struct boxes *b)
{
    uint64_t *total = calloc(b->n, sizeof *total);
    uint32_t *copy = calloc(b->n, sizeof *copy);
    struct wick_tree *t = wick_tree_new();
    int rc = total && copy && t ? 0 : -WICK_E_NOMEM;
    for (uint32_t i = b->n; !rc && i-- > 0;) {
        total[i] += b->self[i];
        if (i)
            total[wick_tree_node(b->tree, i)->parent] += total[i];
    }
    for (uint32_t i = b->n; !rc && i-- > 1;)
        if (total[i] < total[0] / SMALLEST)
            b->self[wick_tree_node(b->tree, i)->parent] += b->self[i];
    for (uint32_t i = 1; !rc && i < b->n; i++) {
        const struct wick_tree_node *node = wick_tree_node(b->tree, i);
        if (!total[i] || total[i] < total[0] / SMALLEST)
            continue;
        size_t len;
        const char *name = wick_tree_name_get(b->tree, node->name, &len);
        struct wick_tree_frame f = {.name = wick_tree_name(t, name, len), .kind = WICK_FRAME_OBJECT};
        rc = f.name == WICK_TREE_NONE ? -WICK_E_NOMEM : wick_tree_child(t, copy[node->parent], &f, &copy[i]);
        rc = rc ? rc : wick_tree_weigh(t, copy[i], &f, total[i], b->self[i]);
        rc = rc || !b->self[i] ? rc : wick_tree_count(t, b->self[i], false);
    }
    if (!rc && b->self[0])
        rc = wick_tree_count(t, b->self[0], true);
    free(total);
    free(copy);
    if (rc)
        wick_tree_free(t);
    else
        w->r->tree = t;
    return rc;
}

static int walk_tree(struct work *w, bool picture)
{
    struct boxes b = {.cap = MOST_BOXES, .n = 1};
    uint32_t *open = calloc((size_t)w->classes + 1, sizeof *open);
    int rc = open ? 0 : -WICK_E_NOMEM;
    if (!rc && picture) {
        b.tree = wick_tree_new();
        b.names = malloc(((size_t)w->classes + 1) * sizeof *b.names);
        b.self = calloc(b.cap, sizeof *b.self);
        b.class = calloc(b.cap, sizeof *b.class);
        rc = b.tree && b.names && b.self && b.class ? 0 : -WICK_E_NOMEM;
        if (!rc)
            memset(b.names, 0xff, ((size_t)w->classes + 1) * sizeof *b.names);
    }
    if (!rc)
        walk(w, &b, open);
    if (!rc && picture)
        rc = b.failed ? -WICK_E_NOMEM : finish_tree(w, &b);
    free(open);
    free(b.names);
    free(b.self);
    free(b.class);
    wick_tree_free(b.tree);
    return rc ? wick_err_set(w->err, WICK_E_NOMEM, "out of memory for the dominator tree") : 0;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static int allocate(struct work *w, size_t tops)
{
    struct wick_heap_retained *r = w->r;
    struct wick_heap_store *s = w->g->store;
    w->n = r->d.reached;
    w->classes = w->g->classes.n;
    r->classes = w->classes;
    r->wide = w->g->totals.bytes / 8 >= UINT32_MAX;
    uint64_t n = (uint64_t)w->n + 1;
    int rc = wick_heap_store_new(s, &r->sizes, n, r->wide ? 8 : 4, true, w->err);
    rc = rc ? rc : wick_heap_store_new(s, &r->class, n, 4, true, w->err);
    if (rc)
        return rc;
    r->sum = calloc((size_t)w->classes + 1, sizeof *r->sum);
    r->tops = calloc(tops + 1, sizeof *r->tops);
    return r->sum && r->tops ? 0 : wick_err_set(w->err, WICK_E_NOMEM, "out of memory");
}

int wick_heap_retained_find(struct wick_heap_retained *r, struct wick_heap_graph *g,
                            const struct wick_heap_retained_ask *ask, struct wick_err *err)
{
    struct work w = {.r = r, .g = g, .err = err};
    struct wick_heap_edges edges;
    *r = (struct wick_heap_retained){0};
    int rc = wick_heap_graph_edges(g, &edges, err);
    rc = rc ? rc : wick_heap_dominators_find(&r->d, &edges, g->store, err);
    if (rc)
        return rc;
    rc = allocate(&w, ask->tops);
    rc = rc ? rc : wick_heap_graph_each(g, take_size, &w, err);
    wick_heap_store_park(&r->d.number);
    if (!rc) {
        sum_up(&w);
        find_tops(&w, ask->tops);
        rc = wick_heap_suspects_find(r, g, err);
        wick_heap_store_park(&r->d.node);
        edges.rest(g);
    }
    rc = rc ? rc : wick_heap_store_new(g->store, &w.first, (uint64_t)w.n + 1, 4, true, err);
    rc = rc ? rc : wick_heap_store_new(g->store, &w.next, (uint64_t)w.n + 1, 4, true, err);
    if (!rc)
        link_children(&w);
    rc = rc ? rc : walk_tree(&w, ask->tree);
    wick_heap_store_free(g->store, &w.first);
    wick_heap_store_free(g->store, &w.next);
    if (rc)
        wick_heap_retained_release(r, g->store);
    return rc;
}

void wick_heap_retained_release(struct wick_heap_retained *r, struct wick_heap_store *s)
{
    wick_heap_dominators_release(&r->d, s);
    wick_heap_store_free(s, &r->sizes);
    wick_heap_store_free(s, &r->class);
    free(r->sum);
    free(r->tops);
    free(r->suspects);
    wick_tree_free(r->tree);
    *r = (struct wick_heap_retained){0};
}
