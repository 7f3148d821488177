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
 * a node that has been visited meanwhile is dropped. The last edge pushed is that of the deepest node with one left, so
 * it is a depth-first search; and each node's edges are read once, in one go.
 *
 * Predecessors are listed by number (counting sort: one pass over all edges counts them, a second one puts them there),
 * and used from the last to the first. So whatever else there is can rest meanwhile.
 */
#include "heap/dominators.h"

#include <stdlib.h>

/* An edge to look at. */
struct pending {
    uint32_t from;   /* number */
    uint32_t target; /* node */
};

struct work {
    const struct wick_heap_edges *g;
    struct wick_heap_store *s;
    struct wick_err *err;
    struct wick_heap_dominators *d;
    uint32_t *number, *node, *parent;
    struct wick_heap_array parents;
    struct wick_heap_array stack; /* struct pending */
    uint64_t depth, room;
    uint32_t from;                    /* number of the node whose edges come */
    struct wick_heap_array start;     /* u64 by number: where its predecessors begin */
    struct wick_heap_array before;    /* u32: numbers of predecessors */
    struct wick_heap_array semi, low; /* u32 by number */
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
    }
    w->d->reached = last;
    wick_heap_store_free(w->s, &w->stack);
    return rc;
}

/* --- predecessors ------------------------------------------------------------------------------------------------- */

static int count_edge(void *to, uint32_t from, uint32_t target)
{
    struct work *w = to;
    if (w->number[from] && w->number[target])
        wick_heap_u64(&w->start)[w->number[target]]++;
    return 0;
}

static int count_root(void *to, uint32_t from, uint32_t target)
{
    struct work *w = to;
    (void)from;
    wick_heap_u64(&w->start)[w->number[target]]++;
    return 0;
}

/* start[] of a node is where its list ends, and falls to where it begins while it is filled. */
static int put_edge(void *to, uint32_t from, uint32_t target)
{
    struct work *w = to;
    uint32_t a = w->number[from], b = w->number[target];
    if (a && b && wick_heap_u64(&w->start)[b]) /* a file that changed meanwhile may have more edges */
        wick_heap_u32(&w->before)[--wick_heap_u64(&w->start)[b]] = a;
    return 0;
}

static int put_root(void *to, uint32_t from, uint32_t target)
{
    struct work *w = to;
    (void)from;
    if (wick_heap_u64(&w->start)[w->number[target]])
        wick_heap_u32(&w->before)[--wick_heap_u64(&w->start)[w->number[target]]] = WICK_HEAP_ROOT;
    return 0;
}

static int list_predecessors(struct work *w)
{
    uint32_t n = w->d->reached;
    int rc = wick_heap_store_new(w->s, &w->start, (uint64_t)n + 2, 8, true, w->err);
    rc = rc ? rc : w->g->roots(w->g->ctx, count_root, w);
    rc = rc ? rc : w->g->all(w->g->ctx, count_edge, w);
    if (rc)
        return rc;
    uint64_t *start = wick_heap_u64(&w->start), sum = 0;
    for (uint64_t i = 1; i <= (uint64_t)n + 1; i++)
        start[i] = sum += i <= n ? start[i] : 0;
    rc = wick_heap_store_new(w->s, &w->before, sum, 4, true, w->err);
    rc = rc ? rc : w->g->roots(w->g->ctx, put_root, w);
    return rc ? rc : w->g->all(w->g->ctx, put_edge, w);
}

/* --- 2. semidominators -------------------------------------------------------------------------------------------- */

/* A path that is being compressed, deepest first. */
struct path {
    uint32_t *at;
    size_t n, cap;
};

/* The least semidominator on v's path down from `limit`, all of whose nodes are done; v itself if v is smaller. After
 * it every node of the path has the path's top as parent, and in low[] the least between the two. */
static int climb(struct work *w, struct path *path, uint32_t v, uint32_t limit, uint32_t *least)
{
    uint32_t *low = wick_heap_u32(&w->low), *parent = w->parent;
    if (v < limit) {
        *least = v;
        return 0;
    }
    for (path->n = 0; parent[v] >= limit; v = parent[v]) {
        if (path->n == path->cap) {
            size_t cap = path->cap ? path->cap * 2 : 1024;
            uint32_t *more = reallocarray(path->at, cap, sizeof *more);
            if (!more)
                return wick_err_set(w->err, WICK_E_NOMEM, "out of memory");
            path->at = more;
            path->cap = cap;
        }
        path->at[path->n++] = v;
    }
    uint32_t best = low[v], top = parent[v];
    while (path->n) {
        v = path->at[--path->n];
        best = low[v] < best ? low[v] : best;
        low[v] = best;
        parent[v] = top;
    }
    *least = best;
    return 0;
}

static int find_semidominators(struct work *w)
{
    uint32_t *semi = wick_heap_u32(&w->semi), *low = wick_heap_u32(&w->low);
    const uint64_t *start = wick_heap_u64(&w->start);
    const uint32_t *before = wick_heap_u32(&w->before);
    struct path path = {0};
    int rc = 0;
    for (uint32_t i = w->d->reached; !rc && i > WICK_HEAP_ROOT; i--) {
        uint32_t best = w->parent[i], least = 0;
        for (uint64_t k = start[i]; !rc && k < start[i + 1]; k++) {
            rc = climb(w, &path, before[k], i + 1, &least);
            if (!rc && least < best)
                best = least;
        }
        semi[i] = low[i] = best;
        if (!(i & 0xfffff)) { /* what is behind has been used */
            wick_heap_store_park(&w->before);
            wick_heap_store_park(&w->start);
        }
    }
    free(path.at);
    return rc;
}

/* --- 3. immediate dominators -------------------------------------------------------------------------------------- */

static void find_idoms(struct work *w)
{
    uint32_t *idom = wick_heap_u32(&w->d->idom); /* parents, until each has its turn */
    const uint32_t *semi = wick_heap_u32(&w->semi);
    for (uint32_t i = WICK_HEAP_ROOT + 1; i <= w->d->reached; i++) {
        uint32_t k = idom[i];
        while (k > semi[i])
            k = idom[k];
        idom[i] = k;
    }
}

static int allocate(struct work *w)
{
    struct wick_heap_dominators *d = w->d;
    uint64_t n = (uint64_t)w->g->nodes + 2;
    int rc = wick_heap_store_new(w->s, &d->number, n, 4, true, w->err);
    rc = rc ? rc : wick_heap_store_new(w->s, &d->node, n, 4, true, w->err);
    rc = rc ? rc : wick_heap_store_new(w->s, &w->parents, n, 4, true, w->err);
    w->number = d->number.p;
    w->node = d->node.p;
    w->parent = w->parents.p;
    return rc;
}

static int second_half(struct work *w)
{
    struct wick_heap_dominators *d = w->d;
    uint64_t n = (uint64_t)d->reached + 2;
    int rc = wick_heap_store_new(w->s, &d->idom, n, 4, false, w->err);
    rc = rc ? rc : wick_heap_store_new(w->s, &w->semi, n, 4, false, w->err);
    rc = rc ? rc : wick_heap_store_new(w->s, &w->low, n, 4, false, w->err);
    if (rc)
        return rc;
    for (uint32_t i = WICK_HEAP_ROOT; i <= d->reached; i++)
        wick_heap_u32(&d->idom)[i] = w->parent[i];
    rc = find_semidominators(w);
    wick_heap_store_free(w->s, &w->before);
    wick_heap_store_free(w->s, &w->start);
    wick_heap_store_free(w->s, &w->low);
    wick_heap_store_free(w->s, &w->parents);
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
    wick_heap_store_park(&d->node);
    wick_heap_store_park(&w.parents);
    rc = rc ? rc : list_predecessors(&w);
    wick_heap_store_park(&d->number);
    if (g->rest)
        g->rest(g->ctx);
    rc = rc ? rc : second_half(&w);
    struct wick_heap_array *const mine[] = {&w.parents, &w.stack, &w.start, &w.before, &w.semi, &w.low};
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
