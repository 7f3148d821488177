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
 * With threads, or the values of a label, as root frames each of them has a tree of its own. The aggregates are taken
 * root by root, and what is known of a stack holds for one of them.
 *
 * Samples whose weight is 0 have no width and are left out, as in collapsed text.
 */
#include "export/picture.h"

#include "analysis/compare/tree_frame.h"
#include "base/sum.h"
#include "model/agg_value.h"

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

/* --- root frames --- */

/* The name of the root frame above an aggregate's stacks; WICK_TREE_NONE = out of memory. */
static uint32_t root_name(struct fold *f, const struct wick_export_options *o, const struct wick_agg *a,
                          struct wick_strbuf *text)
{
    wick_strbuf_clear(text);
    if (o->threads) {
        wick_name_add_thread(text, f->p, a->thread);
    } else {
        wick_strbuf_addc(text, '[');
        if (!wick_agg_value(text, f->p, a, o->by))
            wick_strbuf_addf(text, "no %s", o->by);
        wick_strbuf_addc(text, ']');
    }
    return text->failed ? WICK_TREE_NONE : wick_tree_name(f->t, text->buf, text->len);
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

/* --- groups --- */

struct item {
    uint32_t root, agg; /* name of the root frame, if there is one */
};

struct order {
    struct item *items;
    uint32_t n;
    bool rooted;
};

static int by_root(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->root != y->root ? (x->root < y->root ? -1 : 1) : x->agg < y->agg ? -1 : x->agg > y->agg;
}

/* The aggregates from number `first` on that belong together: all, or those below one root frame. */
static int fold_group(struct fold *f, const struct wick_export_options *o, const struct order *order, uint32_t *first)
{
    const struct wick_profile *p = f->p;
    uint32_t i = *first;
    const struct wick_tree_frame root = {.name = order->items[i].root, .kind = WICK_FRAME_BOUNDARY};
    int rc = 0;
    f->group++;
    f->root_self = 0;
    f->root = WICK_TREE_ROOT;
    if (order->rooted)
        rc = wick_tree_child(f->t, WICK_TREE_ROOT, &root, &f->root);
    for (; !rc && i < order->n && order->items[i].root == root.name; i++) {
        const struct wick_agg *a = &p->aggs[order->items[i].agg];
        uint64_t weight = o->counts ? a->count : (uint64_t)a->weight;
        weight = wick_tree_room(f->t, weight);
        rc = place_stack(f, a->stack);
        rc = rc ? rc : wick_tree_count(f->t, weight, !a->stack && !order->rooted);
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
    return rc ? rc : weigh(f, order->rooted ? &root : NULL);
}

/* The samples that are drawn, those of a root frame together. */
static int put_in_order(struct fold *f, const struct wick_export_options *o, uint16_t event, struct order *order)
{
    const struct wick_profile *p = f->p;
    struct wick_strbuf text = WICK_STRBUF_INIT;
    int rc = 0;
    order->rooted = o->threads || o->by;
    for (uint32_t i = 0; !rc && i < p->naggs; i++) {
        const struct wick_agg *a = &p->aggs[i];
        if (a->event != event || !(o->counts ? a->count > 0 : a->weight > 0))
            continue;
        struct item *item = &order->items[order->n++];
        *item = (struct item){.agg = i};
        if (order->rooted && (item->root = root_name(f, o, a, &text)) == WICK_TREE_NONE)
            rc = -WICK_E_NOMEM;
    }
    wick_strbuf_release(&text);
    if (!rc && order->rooted)
        qsort(order->items, order->n, sizeof *order->items, by_root);
    return rc;
}

static int fold_all(struct fold *f, const struct wick_export_options *o, uint16_t event, bool *any)
{
    struct order order = {.items = reallocarray(NULL, (size_t)f->p->naggs + 1, sizeof *order.items)};
    int rc = order.items ? put_in_order(f, o, event, &order) : -WICK_E_NOMEM;
    *any = order.n > 0;
    for (uint32_t i = 0; !rc && i < order.n;)
        rc = fold_group(f, o, &order, &i);
    free(order.items);
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
