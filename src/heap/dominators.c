/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dominators.c - the semi-NCA algorithm (Georgiadis: Linear-Time Algorithms for Dominators and Related Problems, 2005)
 *
 * It is Lengauer and Tarjan's with another second half:
 *
 *   1. A depth-first search numbers the nodes in pre-order; `parent` is the tree that it leaves.
 *   2. In falling order of numbers each node w gets its semidominator: the smallest number from which a path leads to w
 *      whose inner nodes all have greater numbers than w. It is the least, over the predecessors v of w, of v itself if
 *      v < w and else of the semidominators on v's path in the tree down from w's number; which is found by climbing,
 *      with the path compressed on the way, so that all climbs together take O(m log n).
 *   3. In rising order the immediate dominator of w is the deepest node of the dominator tree above w's parent whose
 *      number is not greater than w's semidominator (the nearest common ancestor of parent and semidominator).
 *
 * The search keeps edges, not nodes, on its stack: all of a node's are pushed when it is visited, and one that leads to
 * a node that has been visited since is dropped. The last edge pushed is that of the deepest node with one left, so
 * it is a depth-first search; and it reads each node's edges once, in one go.
 *
 * Predecessors are listed by number (counting sort: one pass over all edges counts them, a second one puts them there),
 * and used from the last to the first. So nothing else is touched during a pass. The passes go in the order of the
 * search: what a node refers to has been numbered soon after it, as a rule, so that they write near where they wrote.
 */
#include "heap/dominators.h"

#include <stdlib.h>

/* An edge to follow. */
struct pending {
    uint32_t from;   /* number */
    uint32_t target; /* node */
};

/* Of a node, while semidominators are found; both are used together. */
struct step {
    uint32_t parent; /* in the tree, which gets flatter */
    uint32_t low;    /* the least semidominator from here up to below the parent */
};

struct work {
    const struct wick_heap_edges *g;
    struct wick_heap_store *s;
    struct wick_err *err;
    struct wick_heap_dominators *d;
    uint32_t *number, *node, *parent; /* parent: d->idom, until each has its turn */
    struct wick_heap_array stack;     /* struct pending */
    uint64_t depth, room;
    uint32_t from;                 /* number of the node whose edges come */
    uint64_t edges;                /* of nodes that are reached */
    bool wide;                     /* 2^32 edges or more */
    struct wick_heap_array start;  /* u32, or u64 if wide, by number: where its predecessors begin */
    struct wick_heap_array before; /* u32: numbers of predecessors */
    struct wick_heap_array steps;  /* struct step by number */
    struct wick_heap_array semi;   /* u32 by number */
};

/* --- 1. search ---------------------------------------------------------------------------------------------------- */

static int grow_stack(struct work *w)
{
    struct wick_heap_array more = {0};
    uint64_t room = w->room ? w->room * 2 : 1u << 16;
    int rc = wick_heap_store_new(w->s, &more, room, sizeof(struct pending), false, w->err);
    if (rc)
        return rc;
    for (uint64_t i = 0; i < w->depth; i++)
        ((struct pending *)more.p)[i] = ((struct pending *)w->stack.p)[i];
    wick_heap_store_free(w->s, &w->stack);
    w->stack = more;
    w->room = room;
    return 0;
}

static int push(void *to, uint32_t from, uint32_t target)
{
    struct work *w = to;
    (void)from;
    w->edges++;
    if (w->number[target])
        return 0;
    int rc = w->depth == w->room ? grow_stack(w) : 0;
    if (!rc)
        ((struct pending *)w->stack.p)[w->depth++] = (struct pending){w->from, target};
    return rc;
}

/* The edges of a node come in their order and leave the stack in the opposite one: which comes first is arbitrary. */
static int search(struct work *w)
{
    uint32_t last = WICK_HEAP_ROOT;
    w->from = WICK_HEAP_ROOT;
    int rc = w->g->roots(w->g->ctx, push, w);
    while (!rc && w->depth) {
        struct pending next = ((struct pending *)w->stack.p)[--w->depth];
        if (w->number[next.target])
            continue;
        w->number[next.target] = w->from = ++last;
        w->node[last] = next.target;
        w->parent[last] = next.from;
        rc = w->g->of(w->g->ctx, next.target, push, w);
        wick_heap_store_relieve(w->s);
    }
    w->d->reached = last;
    wick_heap_store_free(w->s, &w->stack);
    return rc;
}

/* --- predecessors ------------------------------------------------------------------------------------------------- */

static inline uint64_t start_of(const struct work *w, uint64_t i)
{
    return w->wide ? wick_heap_u64(&w->start)[i] : wick_heap_u32(&w->start)[i];
}

static inline void set_start(const struct work *w, uint64_t i, uint64_t at)
{
    if (w->wide)
        wick_heap_u64(&w->start)[i] = at;
    else
        wick_heap_u32(&w->start)[i] = (uint32_t)at;
}

static int count_edge(void *to, uint32_t from, uint32_t target)
{
    const struct work *w = to;
    uint32_t i = w->number[target];
    (void)from;
    set_start(w, i, start_of(w, i) + 1);
    return 0;
}

/* start[] of a node is where its list ends, and falls to where it begins while it is filled. */
static int put_edge(void *to, uint32_t from, uint32_t target)
{
    const struct work *w = to;
    uint32_t i = w->number[target];
    uint64_t at = start_of(w, i) - 1;
    (void)from;
    set_start(w, i, at);
    wick_heap_u32(&w->before)[at] = w->from;
    return 0;
}

/* Calls fn for all edges of nodes that are reached, in the order of the search. */
static int each_edge(struct work *w, wick_heap_edge *fn)
{
    w->from = WICK_HEAP_ROOT;
    int rc = w->g->roots(w->g->ctx, fn, w);
    for (uint32_t i = WICK_HEAP_ROOT + 1; !rc && i <= w->d->reached; i++) {
        w->from = i;
        rc = w->g->of(w->g->ctx, w->node[i], fn, w);
        wick_heap_store_relieve(w->s);
    }
    return rc;
}

static int list_predecessors(struct work *w)
{
    uint32_t n = w->d->reached;
    w->wide = w->edges > UINT32_MAX;
    int rc = wick_heap_store_new(w->s, &w->start, (uint64_t)n + 2, w->wide ? 8 : 4, true, w->err);
    rc = rc ? rc : each_edge(w, count_edge);
    rc = rc ? rc : wick_heap_store_new(w->s, &w->before, w->edges, 4, true, w->err);
    if (rc)
        return rc;
    uint64_t sum = 0;
    for (uint64_t i = 1; i <= n; i++)
        set_start(w, i, sum += start_of(w, i));
    set_start(w, (uint64_t)n + 1, sum);
    return each_edge(w, put_edge);
}

/* --- 2. semidominators -------------------------------------------------------------------------------------------- */

/* A path that is being compressed, deepest first. */
struct path {
    uint32_t *at;
    size_t n, cap;
};

static int grow_path(struct path *path, struct wick_err *err)
{
    size_t cap = path->cap ? path->cap * 2 : 1024;
    uint32_t *more = reallocarray(path->at, cap, sizeof *more);
    if (!more)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    path->at = more;
    path->cap = cap;
    return 0;
}

/* The least semidominator on v's path down from `limit`, all of whose nodes are done; v itself if v is smaller. After
 * it every node of the path has the path's top as parent, and as `low` the least between the two. */
static int climb(struct work *w, struct path *path, uint32_t v, uint32_t limit, uint32_t *least)
{
    struct step *steps = w->steps.p;
    if (v < limit) {
        *least = v;
        return 0;
    }
    for (path->n = 0; steps[v].parent >= limit; v = steps[v].parent) {
        int rc = path->n == path->cap ? grow_path(path, w->err) : 0;
        if (rc)
            return rc;
        path->at[path->n++] = v;
    }
    struct step top = steps[v];
    while (path->n) {
        struct step *s = &steps[path->at[--path->n]];
        top.low = s->low < top.low ? s->low : top.low;
        *s = top;
    }
    *least = top.low;
    return 0;
}

static int find_semidominators(struct work *w)
{
    struct step *steps = w->steps.p;
    uint32_t *semi = wick_heap_u32(&w->semi);
    const uint32_t *before = wick_heap_u32(&w->before);
    struct path path = {0};
    int rc = 0;
    for (uint32_t i = w->d->reached; !rc && i > WICK_HEAP_ROOT; i--) {
        uint32_t best = steps[i].parent, least = 0;
        for (uint64_t k = start_of(w, i), end = start_of(w, (uint64_t)i + 1); !rc && k < end; k++) {
            rc = climb(w, &path, before[k], i + 1, &least);
            if (!rc && least < best)
                best = least;
        }
        semi[i] = steps[i].low = best;
        wick_heap_store_relieve(w->s);
    }
    free(path.at);
    return rc;
}

/* --- 3. immediate dominators -------------------------------------------------------------------------------------- */

static void find_idoms(struct work *w)
{
    uint32_t *idom = w->parent;
    const uint32_t *semi = wick_heap_u32(&w->semi);
    for (uint32_t i = WICK_HEAP_ROOT + 1; i <= w->d->reached; i++) {
        uint32_t k = idom[i];
        while (k > semi[i])
            k = idom[k];
        idom[i] = k;
        wick_heap_store_relieve(w->s);
    }
}

static int allocate(struct work *w)
{
    struct wick_heap_dominators *d = w->d;
    uint64_t n = (uint64_t)w->g->nodes + 2;
    int rc = wick_heap_store_new(w->s, &d->number, n, 4, true, w->err);
    rc = rc ? rc : wick_heap_store_new(w->s, &d->node, n, 4, true, w->err);
    rc = rc ? rc : wick_heap_store_new(w->s, &d->idom, n, 4, true, w->err);
    w->number = d->number.p;
    w->node = d->node.p;
    w->parent = d->idom.p;
    return rc;
}

static int second_half(struct work *w)
{
    struct wick_heap_dominators *d = w->d;
    uint64_t n = (uint64_t)d->reached + 2;
    int rc = wick_heap_store_new(w->s, &w->semi, n, 4, true, w->err);
    rc = rc ? rc : wick_heap_store_new(w->s, &w->steps, n, sizeof(struct step), false, w->err);
    if (rc)
        return rc;
    for (uint32_t i = WICK_HEAP_ROOT; i <= d->reached; i++)
        ((struct step *)w->steps.p)[i].parent = w->parent[i];
    wick_heap_store_park(&d->idom);
    rc = find_semidominators(w);
    wick_heap_store_free(w->s, &w->before);
    wick_heap_store_free(w->s, &w->start);
    wick_heap_store_free(w->s, &w->steps);
    if (!rc)
        find_idoms(w);
    return rc;
}

int wick_heap_dominators_find(struct wick_heap_dominators *d, const struct wick_heap_edges *g,
                              struct wick_heap_store *s, struct wick_err *err)
{
    struct work w = {.g = g, .s = s, .err = err, .d = d};
    *d = (struct wick_heap_dominators){0};
    int rc = allocate(&w);
    rc = rc ? rc : search(&w);
    wick_heap_store_park(&d->idom);
    rc = rc ? rc : list_predecessors(&w);
    wick_heap_store_park(&d->number);
    wick_heap_store_park(&d->node);
    if (g->rest)
        g->rest(g->ctx);
    rc = rc ? rc : second_half(&w);
    struct wick_heap_array *const mine[] = {&w.stack, &w.start, &w.before, &w.steps, &w.semi};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        wick_heap_store_free(s, mine[i]);
    if (rc)
        wick_heap_dominators_release(d, s);
    return rc;
}

void wick_heap_dominators_release(struct wick_heap_dominators *d, struct wick_heap_store *s)
{
    wick_heap_store_free(s, &d->number);
    wick_heap_store_free(s, &d->node);
    wick_heap_store_free(s, &d->idom);
}
