/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.c - from aggregated samples to a call tree
 *
 * The profile's stacks are paths in a prefix tree already, but a different one: it distinguishes frames by line and
 * more, while a box of a flame graph is a method as it is shown. So each stack that samples reach gets a node once,
 * under the node of its parent, and the weights are summed from the leaves up: a step for each different stack, however
 * many samples there are and however deep they go. What a frame becomes (name, library, line, kind) is worked out once
 * a frame.
 *
 * With threads as root frames each thread has a tree of its own. The aggregates are taken thread by thread, and what is
 * known of a stack holds for one of them.
 *
 * Samples whose weight is 0 have no width and are left out, as in collapsed text.
 */
#include "export/picture.h"

#include "analysis/tree_frame.h"
#include "base/sum.h"

#include <stdlib.h>

struct place {
    uint64_t total;
    uint32_t node;
    uint32_t group; /* the group for which this holds, counted from 1 */
};

struct fold {
    const struct wick_profile *p;
    struct wick_tree *t;
    struct wick_tree_frame *frames; /* by frame number; name WICK_TREE_NONE = not made yet */
    struct place *places;           /* by stack number */
    uint32_t *seen;                 /* the group's stacks, parents before children */
    uint32_t *path;                 /* room for the deepest stack */
    uint32_t nseen, group, root;
    uint64_t root_self;
    unsigned names;
};

static int make_thread(struct fold *f, uint32_t thread, struct wick_tree_frame *out)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    wick_thread_name(&name, f->p, thread);
    *out = (struct wick_tree_frame){.kind = WICK_FRAME_BOUNDARY};
    out->name = name.failed ? WICK_TREE_NONE : wick_tree_name(f->t, name.buf, name.len);
    wick_strbuf_release(&name);
    return out->name == WICK_TREE_NONE ? -WICK_E_NOMEM : 0;
}

/* Gives a stack, and those above it that have none yet in this group, their nodes. */
static int place_stack(struct fold *f, uint32_t stack)
{
    uint32_t n = 0, s = stack, node;
    int rc = 0;
    for (; s && f->places[s].group != f->group; s = f->p->stacks[s].parent)
        f->path[n++] = s;
    node = s ? f->places[s].node : f->root;
    while (n && !rc) {
        s = f->path[--n];
        uint32_t frame = f->p->stacks[s].frame;
        if (f->frames[frame].name == WICK_TREE_NONE)
            rc = wick_analysis_tree_frame(f->p, f->t, frame, f->names, &f->frames[frame]);
        if (!rc)
            rc = wick_tree_child(f->t, node, &f->frames[frame], &node);
        f->places[s] = (struct place){.node = node, .group = f->group};
        f->seen[f->nseen++] = s;
    }
    return rc;
}

/* The group's totals from its stacks to the nodes; children come before their parents. */
static int weigh(struct fold *f, const struct wick_tree_frame *root)
{
    uint64_t all = f->root_self;
    int rc = 0;
    while (f->nseen && !rc) {
        uint32_t s = f->seen[--f->nseen], parent = f->p->stacks[s].parent;
        const struct place *at = &f->places[s];
        *(parent ? &f->places[parent].total : &all) += at->total;
        rc = wick_tree_weigh(f->t, at->node, &f->frames[f->p->stacks[s].frame], at->total, 0);
    }
    return rc || !root ? rc : wick_tree_weigh(f->t, f->root, root, all, f->root_self);
}

struct order {
    uint32_t *agg, n;
};

static int by_thread(const void *a, const void *b, void *ctx)
{
    const struct wick_agg *aggs = ctx, *x = &aggs[*(const uint32_t *)a], *y = &aggs[*(const uint32_t *)b];
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* The aggregates from number `first` on that belong together: all, or those of one thread. */
static int fold_group(struct fold *f, const struct wick_export_options *o, const struct order *order, uint32_t *first)
{
    const struct wick_profile *p = f->p;
    const struct wick_agg *aggs = p->aggs;
    uint32_t i = *first, thread = aggs[order->agg[i]].thread;
    struct wick_tree_frame root;
    int rc = 0;
    f->group++;
    f->root_self = 0;
    f->root = WICK_TREE_ROOT;
    if (o->threads && !(rc = make_thread(f, thread, &root)))
        rc = wick_tree_child(f->t, WICK_TREE_ROOT, &root, &f->root);
    for (; !rc && i < order->n; i++) {
        const struct wick_agg *a = &aggs[order->agg[i]];
        uint64_t weight = o->counts ? a->count : (uint64_t)a->weight;
        if (o->threads && a->thread != thread)
            break;
        weight = wick_tree_room(f->t, weight);
        rc = place_stack(f, a->stack);
        rc = rc ? rc : wick_tree_count(f->t, weight, !a->stack && !o->threads);
        if (rc)
            break;
        if (!a->stack) {
            f->root_self += weight;
            continue;
        }
        struct place *at = &f->places[a->stack];
        at->total += weight;
        rc = wick_tree_weigh(f->t, at->node, &f->frames[p->stacks[a->stack].frame], 0, weight);
    }
    *first = i;
    return rc ? rc : weigh(f, o->threads ? &root : NULL);
}

static int fold_all(struct fold *f, const struct wick_export_options *o, uint16_t event, bool *any)
{
    const struct wick_profile *p = f->p;
    struct order order = {.agg = reallocarray(NULL, (size_t)p->naggs + 1, sizeof *order.agg)};
    int rc = order.agg ? 0 : -WICK_E_NOMEM;
    for (uint32_t i = 0; !rc && i < p->naggs; i++)
        if (p->aggs[i].event == event && (o->counts ? p->aggs[i].count > 0 : p->aggs[i].weight > 0))
            order.agg[order.n++] = i;
    *any = order.n > 0;
    if (!rc && o->threads)
        qsort_r(order.agg, order.n, sizeof *order.agg, by_thread, p->aggs);
    for (uint32_t i = 0; !rc && i < order.n;)
        rc = fold_group(f, o, &order, &i);
    free(order.agg);
    return rc;
}

int wick_picture_fold(const struct wick_profile *p, const struct wick_export_options *o, struct wick_tree *t,
                      struct wick_err *err)
{
    uint16_t event = o->event ? o->event : wick_profile_main_event(p);
    struct fold f = {.p = p, .t = t, .names = o->names};
    bool any = false;
    f.frames = reallocarray(NULL, p->nframes, sizeof *f.frames);
    f.places = calloc(p->nstacks, sizeof *f.places);
    f.seen = reallocarray(NULL, p->nstacks, sizeof *f.seen);
    f.path = reallocarray(NULL, p->nstacks, sizeof *f.path); /* pages that no stack is deep enough for stay untouched */
    int rc = f.frames && f.places && f.seen && f.path ? 0 : -WICK_E_NOMEM;
    for (uint32_t i = 0; !rc && i < p->nframes; i++)
        f.frames[i].name = WICK_TREE_NONE;
    rc = rc ? rc : fold_all(&f, o, event, &any);
    free(f.frames);
    free(f.places);
    free(f.seen);
    free(f.path);
    if (rc == -WICK_E_LIMIT)
        return wick_err_set(err, WICK_E_LIMIT, "the profile has more than 2^32 different calls");
    if (rc)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory while making the call tree");
    return any ? 0 : wick_err_set(err, WICK_E_NOTFOUND, "the recording holds no samples");
}
