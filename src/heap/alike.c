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

int wick_heap_alike_loaders(const struct wick_heap_loaders *l, struct wick_heap_alike *out, struct wick_err *err)
{
    const struct wick_heap_loader **of = calloc(l->n + 1, sizeof *of);
    *out = (struct wick_heap_alike){.class = WICK_HEAP_NONE};
    if (!of)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    size_t n = choose(l, true, of);
    take_most(of, n ? n : choose(l, false, of), out);
    free(of);
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

/* The deepest place of all paths that more than half of them have; without one the first, of most of them. Returns the
 * path. */
static size_t find_common(const struct wick_heap_path *paths, size_t n, struct wick_heap_common *out)
{
    size_t best = 0, reached = 0;
    uint32_t deepest = 0;
    for (size_t i = 0; i < n; i++)
        reached += paths[i].n != 0;
    for (size_t i = 0; i < n; i++)
        for (uint32_t at = 0; at + 1 < paths[i].n; at++) {
            size_t share = share_of(paths, n, at, paths[i].objects[at]);
            bool most = 2 * share > reached;
            if (most ? at > deepest || 2 * out->held <= reached : !at && share > out->held) {
                best = i;
                deepest = at;
                out->held = share;
            }
        }
    out->holder = out->held ? paths[best].objects[deepest] : WICK_HEAP_NONE;
    return best;
}

int wick_heap_alike_holder(struct wick_heap_graph *g, const struct wick_heap_alike *a, struct wick_heap_common *out,
                           struct wick_err *err)
{
    struct wick_heap_path paths[WICK_HEAP_ALIKE] = {0};
    *out = (struct wick_heap_common){.holder = WICK_HEAP_NONE};
    int rc = a->n ? wick_heap_paths_find(g, a->objects, a->n, paths, err) : 0;
    if (rc || !a->n)
        return rc;
    size_t i = find_common(paths, a->n, out);
    out->path = paths[i];
    paths[i] = (struct wick_heap_path){0};
    wick_heap_paths_release(paths, a->n);
    return 0;
}

void wick_heap_common_release(struct wick_heap_common *c)
{
    wick_heap_paths_release(&c->path, 1);
}
