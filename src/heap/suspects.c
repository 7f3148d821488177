/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suspects.c - where the dominator tree comes apart
 *
 * Call an object large if it keeps a 20th of the heap alive. Large objects lie on ways from the root: a class loader
 * keeps a class, that a map, that a table. The last large object of each way is the one to show, the table, below
 * which there are only small things. An object below one of its own class (nodes of a list) is not a step on the way.
 *
 * Of several of one class that one object holds (the parts of a cache) the largest is shown, and the others are
 * counted.
 */
#include "heap/suspects_int.h"

#include <stdlib.h>

enum { SHARE = 20, MOST_CLASSES = 256 };

/* Classes of what a suspect dominates. */
struct kept {
    struct wick_heap_kept *by_class;
    size_t n, cap;
};

static bool bit(const uint64_t *bits, uint32_t i)
{
    return bits[i >> 6] >> (i & 63) & 1;
}

static bool is_step(const struct wick_heap_retained *r, uint32_t i)
{
    const uint32_t *class = wick_heap_u32(&r->class), up = wick_heap_u32(&r->d.idom)[i];
    return up == WICK_HEAP_ROOT || class[i] != class[up];
}

/* The first object of the list of equals that i belongs to. */
static uint32_t head_of(const struct wick_heap_retained *r, uint32_t i)
{
    while (!is_step(r, i))
        i = wick_heap_u32(&r->d.idom)[i];
    return i;
}

static int by_retained(const void *a, const void *b)
{
    const struct wick_heap_suspect *x = a, *y = b;
    return x->retained > y->retained ? -1 : x->retained < y->retained ? 1 : x->object < y->object ? -1 : 1;
}

static int kept_by_retained(const void *a, const void *b)
{
    const struct wick_heap_kept *x = a, *y = b;
    return x->retained > y->retained ? -1 : x->retained < y->retained ? 1 : x->class < y->class ? -1 : 1;
}

/* Finds them from the last number to the first, as parents have smaller ones. Object = its number. */
static void mark(struct wick_heap_retained *r, uint64_t *above)
{
    uint64_t large = wick_heap_retained_of(r, WICK_HEAP_ROOT) / SHARE;
    for (uint32_t i = r->d.reached; i > WICK_HEAP_ROOT; i--) {
        uint64_t bytes = wick_heap_retained_of(r, i);
        if (!bytes || bytes < large || !is_step(r, i))
            continue;
        uint32_t up = wick_heap_u32(&r->d.idom)[i];
        if (up != WICK_HEAP_ROOT) {
            up = head_of(r, up);
            above[up >> 6] |= UINT64_C(1) << (up & 63);
        }
        if (!bit(above, i) && r->nsuspects < SHARE)
            r->suspects[r->nsuspects++] = (struct wick_heap_suspect){.object = i, .retained = bytes};
    }
}

/* Of those of one class below one dominator the first, which is the largest, stands for all. */
static void fold_alike(struct wick_heap_retained *r)
{
    const uint32_t *idom = wick_heap_u32(&r->d.idom), *class = wick_heap_u32(&r->class);
    size_t n = 0;
    for (size_t i = 0; i < r->nsuspects; i++) {
        const struct wick_heap_suspect s = r->suspects[i];
        size_t k = 0;
        while (k < n &&
               (idom[r->suspects[k].object] != idom[s.object] || class[r->suspects[k].object] != class[s.object]))
            k++;
        if (k < n) {
            r->suspects[k].alike++;
            r->suspects[k].alike_retained += s.retained;
        } else {
            r->suspects[n++] = s;
        }
    }
    r->nsuspects = n;
}

static int keep(struct kept *k, uint32_t class, uint64_t bytes)
{
    size_t i = 0;
    while (i < k->n && k->by_class[i].class != class)
        i++;
    if (i == k->n && k->n == MOST_CLASSES)
        return 0;
    if (i == k->n && k->n == k->cap) {
        size_t cap = k->cap ? k->cap * 2 : 8;
        void *p = reallocarray(k->by_class, cap, sizeof *k->by_class);
        if (!p)
            return -WICK_E_NOMEM;
        k->by_class = p;
        k->cap = cap;
    }
    if (i == k->n)
        k->by_class[k->n++] = (struct wick_heap_kept){.class = class};
    k->by_class[i].objects++;
    k->by_class[i].retained += bytes;
    return 0;
}

static int find_kept(struct wick_heap_retained *r, struct kept *kept)
{
    const uint32_t *idom = wick_heap_u32(&r->d.idom);
    for (uint32_t i = WICK_HEAP_ROOT + 1; i <= r->d.reached; i++)
        for (size_t k = 0; k < r->nsuspects; k++)
            if (idom[i] == r->suspects[k].object) {
                r->suspects[k].children++;
                if (keep(&kept[k], wick_heap_u32(&r->class)[i], wick_heap_retained_of(r, i)))
                    return -WICK_E_NOMEM;
            }
    return 0;
}

static uint32_t known(const struct wick_heap_retained *r, uint32_t class)
{
    return class < r->classes ? class : WICK_HEAP_NONE;
}

static void finish(struct wick_heap_retained *r, struct kept *kept)
{
    for (size_t k = 0; k < r->nsuspects; k++) {
        struct wick_heap_suspect *s = &r->suspects[k];
        if (kept[k].n)
            qsort(kept[k].by_class, kept[k].n, sizeof *kept[k].by_class, kept_by_retained);
        for (size_t i = 0; i < kept[k].n && i < WICK_HEAP_KEPT; i++) {
            s->kept[i] = kept[k].by_class[i];
            s->kept[i].class = known(r, s->kept[i].class);
        }
        s->class = known(r, wick_heap_u32(&r->class)[s->object]);
        s->object = wick_heap_u32(&r->d.node)[s->object];
        free(kept[k].by_class);
    }
}

int wick_heap_suspects_find(struct wick_heap_retained *r, struct wick_heap_graph *g, struct wick_err *err)
{
    struct kept kept[SHARE] = {{0}};
    struct wick_heap_array above = {0};
    r->suspects = calloc(SHARE, sizeof *r->suspects);
    int rc = r->suspects ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = rc ? rc : wick_heap_store_new(g->store, &above, ((uint64_t)r->d.reached >> 6) + 1, 8, false, err);
    if (!rc) {
        mark(r, above.p);
        if (r->nsuspects)
            qsort(r->suspects, r->nsuspects, sizeof *r->suspects, by_retained);
        fold_alike(r);
        if (r->nsuspects > WICK_HEAP_SUSPECTS)
            r->nsuspects = WICK_HEAP_SUSPECTS;
        if (find_kept(r, kept))
            rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
        finish(r, kept);
    }
    wick_heap_store_free(g->store, &above);
    return rc;
}
