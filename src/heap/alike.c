/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alike.c - see alike.h
 *
 * The shortest paths are those of one breadth-first tree. So two paths that have an object in common have all before it
 * in common as well, at the same places: how many paths have an object is found by comparing them at one place.
 */
#include "heap/alike.h"

#include <stdlib.h>

/* ---- which objects ---- */

static int by_class(const void *a, const void *b)
{
    const struct wick_heap_loader *x = *(const struct wick_heap_loader *const *)a,
                                  *y = *(const struct wick_heap_loader *const *)b;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    return x->object < y->object ? -1 : x->object > y->object;
}

/* Those that can be reached, have a class, and have classes defined again if that is asked for; by class. */
static size_t choose(const struct wick_heap_loaders *l, bool again, const struct wick_heap_loader **out)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct wick_heap_loader *one = &l->all[i];
        if (one->reachable && one->object != WICK_HEAP_NONE && one->class != WICK_HEAP_NONE && (one->again || !again))
            out[n++] = one;
    }
    if (n)
        qsort(out, n, sizeof *out, by_class);
    return n;
}

/* The longest run of one class in a sorted list. */
static void take_most(const struct wick_heap_loader *const *of, size_t n, struct wick_heap_alike *out)
{
    size_t first = 0;
    for (size_t i = 0, begin = 0; i < n; i++) {
        begin = i && of[i]->class == of[i - 1]->class ? begin : i;
        if (i - begin + 1 > out->count) {
            first = begin;
            out->count = i - begin + 1;
        }
    }
    out->class = out->count ? of[first]->class : WICK_HEAP_NONE;
    out->n = out->count < WICK_HEAP_ALIKE ? (size_t)out->count : WICK_HEAP_ALIKE;
    for (size_t i = 0; i < out->n; i++)
        out->objects[i] = of[first + i * (size_t)out->count / out->n]->object;
}

int wick_heap_alike_loaders(const struct wick_heap_loaders *l, uint64_t grown, struct wick_heap_alike *out,
                            struct wick_err *err)
{
    const struct wick_heap_loader **of = calloc(l->n + 1, sizeof *of);
    struct wick_heap_alike again = {.class = WICK_HEAP_NONE};
    *out = again;
    if (!of)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    take_most(of, choose(l, true, of), &again);
    take_most(of, choose(l, false, of), out);
    free(of);
    if (again.count && ((grown && again.count >= grown) || 2 * again.count >= out->count))
        *out = again;
    return 0;
}

/* ---- who holds them ---- */

/* How many of the paths go on from that object, at that place. */
static size_t share_of(const struct wick_heap_path *paths, size_t n, uint32_t at, uint32_t object)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += paths[i].n > at + 1 && paths[i].objects[at] == object;
    return sum;
}

/* The object that more than half of the paths that reach so far go on from at a place; else some of them. */
static uint32_t most_at(const struct wick_heap_path *paths, size_t n, uint32_t at)
{
    uint32_t object = WICK_HEAP_NONE;
    int votes = 0;
    for (size_t i = 0; i < n; i++) {
        if (paths[i].n <= at + 1)
            continue;
        if (!votes)
            object = paths[i].objects[at];
        votes += paths[i].objects[at] == object ? 1 : -1;
    }
    return object;
}

/* The root that most paths begin with. */
static uint32_t most_common_root(const struct wick_heap_path *paths, size_t n, size_t *held)
{
    uint32_t root = WICK_HEAP_NONE;
    for (size_t i = 0; i < n; i++) {
        size_t share = paths[i].n > 1 ? share_of(paths, n, 0, paths[i].objects[0]) : 0;
        if (share > *held) {
            *held = share;
            root = paths[i].objects[0];
        }
    }
    return root;
}

/* The shortest of the paths that have an object at a place. */
static size_t shortest_by(const struct wick_heap_path *paths, size_t n, uint32_t at, uint32_t object)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (paths[i].n > at + 1 && paths[i].objects[at] == object && (best == n || paths[i].n < paths[best].n))
            best = i;
    return best < n ? best : 0;
}

static uint32_t class_of(struct wick_heap_graph *g, uint32_t object)
{
    return object == WICK_HEAP_NONE ? WICK_HEAP_NONE : wick_heap_graph_brief(g, object).class;
}

/* The deepest place of all paths that more than half of them have; without one the first, of most of them. Objects that
 * refer to one of their own class are links of a chain or a tree: in the middle of it half of the paths go on, but what
 * holds them all is before it. Returns the path. */
static size_t find_common(struct wick_heap_graph *g, const struct wick_heap_path *paths, size_t n,
                          struct wick_heap_common *out)
{
    uint32_t deepest = 0, before = WICK_HEAP_NONE;
    size_t reached = 0;
    for (size_t i = 0; i < n; i++)
        reached += paths[i].n != 0;
    out->holder = most_common_root(paths, n, &out->held);
    for (uint32_t at = 0;; at++) {
        uint32_t object = most_at(paths, n, at);
        size_t share = share_of(paths, n, at, object);
        if (2 * share <= reached)
            break;
        uint32_t class = class_of(g, object);
        if (class != before && class != class_of(g, most_at(paths, n, at + 1))) {
            deepest = at;
            out->holder = object;
            out->held = share;
        }
        before = class;
    }
    return shortest_by(paths, n, deepest, out->holder);
}

int wick_heap_alike_holder(struct wick_heap_graph *g, const struct wick_heap_alike *a, struct wick_heap_common *out,
                           struct wick_err *err)
{
    struct wick_heap_path paths[WICK_HEAP_ALIKE] = {0};
    *out = (struct wick_heap_common){.holder = WICK_HEAP_NONE};
    int rc = a->n ? wick_heap_paths_find(g, a->objects, a->n, paths, err) : 0;
    if (rc || !a->n)
        return rc;
    size_t i = find_common(g, paths, a->n, out);
    out->path = paths[i];
    paths[i] = (struct wick_heap_path){0};
    wick_heap_paths_release(paths, a->n);
    return 0;
}

void wick_heap_common_release(struct wick_heap_common *c)
{
    wick_heap_paths_release(&c->path, 1);
}
