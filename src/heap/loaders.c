/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/loaders.h"

#include <stdlib.h>
#include <string.h>

static int by_id(const void *a, const void *b)
{
    const struct wick_heap_loader *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int by_retained(const void *a, const void *b)
{
    const struct wick_heap_loader *x = a, *y = b;
    if (x->retained != y->retained)
        return x->retained > y->retained ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return by_id(a, b);
}

static struct wick_heap_loader *find(const struct wick_heap_loaders *l, uint64_t id)
{
    const struct wick_heap_loader key = {.id = id};
    return bsearch(&key, l->all, l->n, sizeof key, by_id);
}

/* A loader each for the ids that classes name; equal ones put together. */
static void collect(struct wick_heap_loaders *l, const struct wick_heap_classes *c)
{
    size_t n = 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->all[i].record)
            l->all[n++] = (struct wick_heap_loader){.id = c->all[i].loader};
    if (n)
        qsort(l->all, n, sizeof *l->all, by_id);
    for (size_t i = 0; i < n; i++)
        if (!l->n || l->all[l->n - 1].id != l->all[i].id)
            l->all[l->n++] = l->all[i];
}

/* A class by what makes two of them the same one loaded twice. */
struct twin {
    uint32_t loader_class, name;
    struct wick_heap_loader *loader;
};

static int by_twin(const void *a, const void *b)
{
    const struct twin *x = a, *y = b;
    if (x->loader_class != y->loader_class)
        return x->loader_class < y->loader_class ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static int count_twins(struct wick_heap_loaders *l, const struct wick_heap_classes *c)
{
    struct twin *twins = calloc((size_t)c->n + 1, sizeof *twins);
    size_t n = 0;
    if (!twins)
        return -WICK_E_NOMEM;
    for (uint32_t i = 0; i < c->n; i++) {
        struct wick_heap_loader *loader = c->all[i].record && c->all[i].loader ? find(l, c->all[i].loader) : NULL;
        if (loader && loader->class != WICK_HEAP_NONE && c->all[i].name != WICK_HEAP_NONE)
            twins[n++] = (struct twin){loader->class, c->all[i].name, loader};
    }
    if (n)
        qsort(twins, n, sizeof *twins, by_twin);
    for (size_t i = 0; i < n; i++)
        if ((i && !by_twin(&twins[i], &twins[i - 1])) || (i + 1 < n && !by_twin(&twins[i], &twins[i + 1])))
            twins[i].loader->again++;
    free(twins);
    return 0;
}

/* Whether an object is a loader or a class of it. */
static bool belongs(struct wick_heap_graph *g, const struct wick_heap_retained *r, uint32_t number,
                    const struct wick_heap_loader *l)
{
    uint32_t object = wick_heap_u32(&r->d.node)[number];
    if (object == l->object)
        return true;
    if (wick_heap_u32(&r->class)[number] != g->classes.class_class)
        return false;
    uint32_t class = wick_heap_class_find(&g->classes, wick_heap_graph_brief(g, object).id);
    return class != WICK_HEAP_NONE && g->classes.all[class].loader == l->id;
}

/* Adds what a loader or a class of it retains, unless another of them retains that. A class keeps its loader, and the
 * loader its classes: which of them dominates depends on what is held from outside. */
static void add_retained(struct wick_heap_graph *g, const struct wick_heap_retained *r, struct wick_heap_loader *l,
                         uint32_t object)
{
    enum { MOST_STEPS = 4096 };
    uint32_t number = object != WICK_HEAP_NONE ? wick_heap_u32(&r->d.number)[object] : 0, up = number;
    if (!number)
        return;
    for (int i = 0; i < MOST_STEPS && (up = wick_heap_u32(&r->d.idom)[up]) != WICK_HEAP_ROOT; i++)
        if (belongs(g, r, up, l))
            return;
    l->retained += wick_heap_retained_of(r, number);
}

int wick_heap_loaders_find(struct wick_heap_loaders *l, struct wick_heap_graph *g, const struct wick_heap_retained *r,
                           struct wick_err *err)
{
    const struct wick_heap_classes *c = &g->classes;
    *l = (struct wick_heap_loaders){.all = calloc((size_t)c->n + 1, sizeof *l->all)};
    if (!l->all)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    collect(l, c);
    for (size_t i = 0; i < l->n; i++) {
        struct wick_heap_loader *one = &l->all[i];
        one->object = one->id ? wick_heap_ids_find(&g->ids, one->id) : WICK_HEAP_NONE;
        one->class = one->object != WICK_HEAP_NONE ? wick_heap_graph_brief(g, one->object).class : WICK_HEAP_NONE;
        uint32_t number = r && one->object != WICK_HEAP_NONE ? wick_heap_u32(&r->d.number)[one->object] : 0;
        one->reachable = number || !one->id;
        if (number)
            add_retained(g, r, one, one->object);
    }
    for (uint32_t i = 0; i < c->n; i++) {
        struct wick_heap_loader *loader = c->all[i].record ? find(l, c->all[i].loader) : NULL;
        if (!loader)
            continue;
        if (r && loader->id)
            add_retained(g, r, loader, wick_heap_ids_find(&g->ids, c->all[i].id));
        loader->classes++;
        loader->objects += c->all[i].objects;
        loader->bytes += c->all[i].shallow;
    }
    if (count_twins(l, c)) {
        wick_heap_loaders_release(l);
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    if (l->n)
        qsort(l->all, l->n, sizeof *l->all, by_retained);
    return 0;
}

void wick_heap_loaders_release(struct wick_heap_loaders *l)
{
    free(l->all);
    *l = (struct wick_heap_loaders){0};
}
