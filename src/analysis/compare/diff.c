/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.c - two sides in one tree, in time linear in its stacks and nodes
 *
 * A stack's parent has a smaller number than itself. So one pass from the last stack to the first scales A's weights
 * and sums both sides into the parents, and one from the first to the last makes the tree's nodes, each after its
 * parent's. Several stacks may be one node (other lines, other compilers); none is more than one, so arrays by stack
 * have room for all nodes.
 *
 * Weights are scaled and rounded where they were sampled, not in sums: a node's total stays the sum of its parts, as
 * the tree demands, and the error of a sum is that of its rounded parts (WICK_DIFF_ROUNDING). Weights may be hostile,
 * so what goes into a sum is cut to what is left of 64 bits for all of them.
 *
 * A method's total counts a recursive call once: a node counts if no ancestor has its name. A depth-first walk keeps
 * the innermost node on the path by name; each node notes the one that it hides, which takes its place again when the
 * walk leaves the node. So the question is one lookup, and no path is searched. 0 stands for none: the root has no
 * name.
 */
#include "analysis/compare/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/tree_frame.h"
#include "base/sum.h"

#define Z95 1.959964 /* the normal distribution's central 95 % */

struct work {
    const struct wick_profile *p;
    const struct wick_diff_options *o;
    struct wick_diff *d;
    struct wick_diff_sum *self;     /* by stack */
    uint64_t *total;                /* by stack: of both sides, itself and below */
    uint32_t *node;                 /* by stack */
    struct wick_tree_frame *frames; /* by frame; name WICK_TREE_NONE = not made yet */
    uint16_t event;
};

static void add_up(uint64_t *sum, uint64_t v)
{
    *sum = wick_sum_u64(*sum, v);
}

/* Both sides' samples by stack. */
static void place(struct work *w, const struct wick_diff_side side[2])
{
    for (unsigned k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < side[k].naggs; i++) {
            const struct wick_agg *a = &side[k].aggs[i];
            uint64_t weight = w->o->counts ? a->count : a->weight > 0 ? (uint64_t)a->weight : 0;
            if (a->event != w->event || !weight)
                continue;
            add_up(&w->self[a->stack].weight[k], weight);
            add_up(&w->self[a->stack].samples[k], a->count);
            add_up(&w->d->measured.weight[k], weight);
            add_up(&w->d->measured.samples[k], a->count);
        }
    }
}

/* Makes A weigh what B does, and sums both up to the roots. */
static void scale_and_sum(struct work *w)
{
    struct wick_diff *d = w->d;
    uint64_t all[2] = {0}; /* both sides' weights; their samples: no sum below may be larger */
    double by = d->absolute ? 1 : (double)d->measured.weight[1] / (double)d->measured.weight[0];
    for (uint32_t s = w->p->nstacks; s-- > 0;) {
        struct wick_diff_sum *at = &w->self[s];
        if (!d->absolute)
            at->weight[0] = (uint64_t)((double)at->weight[0] * by + 0.5);
        for (unsigned k = 0; k < 2; k++) {
            at->weight[k] = wick_sum_room(all[0], at->weight[k]);
            at->samples[k] = wick_sum_room(all[1], at->samples[k]);
            all[0] += at->weight[k];
            all[1] += at->samples[k];
            add_up(&d->all.weight[k], at->weight[k]);
            add_up(&d->all.samples[k], at->samples[k]);
            add_up(&w->total[s], at->weight[k]);
        }
        if (s)
            add_up(&w->total[w->p->stacks[s].parent], w->total[s]);
    }
}

/* One stack's node and weights; its parent has been here before. */
static int grow(struct work *w, uint32_t s)
{
    const struct wick_stack *stack = &w->p->stacks[s];
    const struct wick_diff_sum *at = &w->self[s];
    struct wick_tree_frame *f = &w->frames[stack->frame];
    struct wick_tree *t = w->d->tree;
    uint64_t self = at->weight[0] + at->weight[1];
    int rc = 0;
    w->node[s] = WICK_TREE_ROOT;
    if (s && f->name == WICK_TREE_NONE)
        rc = wick_analysis_tree_frame(w->p, t, stack->frame, w->o->names, f);
    if (s && !rc)
        rc = wick_tree_child(t, w->node[stack->parent], f, &w->node[s]);
    if (s && !rc)
        rc = wick_tree_weigh(t, w->node[s], f, w->total[s], self);
    for (unsigned k = 0; k < 2 && !rc; k++)
        if (at->weight[k])
            rc = wick_tree_count(t, at->weight[k], !s);
    if (rc)
        return rc;
    struct wick_flame_change *c = &w->d->change[w->node[s]];
    add_up(&c->before, at->weight[0]);
    add_up(&c->samples[0], at->samples[0]);
    add_up(&c->samples[1], at->samples[1]);
    return 0;
}

static int build(struct work *w)
{
    int rc = 0;
    for (uint32_t i = 0; i < w->p->nframes; i++)
        w->frames[i].name = WICK_TREE_NONE;
    for (uint32_t s = 0; s < w->p->nstacks && !rc; s++)
        if (w->total[s])
            rc = grow(w, s);
    return rc;
}

static void add_sum(struct wick_diff_sum *to, const struct wick_diff_sum *from)
{
    for (unsigned k = 0; k < 2; k++) {
        add_up(&to->weight[k], from->weight[k]);
        add_up(&to->samples[k], from->samples[k]);
    }
}

static struct wick_diff_sum self_of(const struct wick_diff *d, uint32_t node)
{
    const struct wick_flame_change *c = &d->change[node];
    return (struct wick_diff_sum){{c->before, wick_tree_node(d->tree, node)->self - c->before},
                                  {c->samples[0], c->samples[1]}};
}

/* A walk down the tree; a name's total grows where it is met and not already on the path. */
static int make_rows(struct wick_diff *d)
{
    const struct wick_tree *t = d->tree;
    uint32_t names = wick_tree_names(t), nodes = wick_tree_nodes(t);
    struct wick_diff_sum *sum = calloc(nodes, sizeof *sum);
    uint32_t *outer = calloc(nodes, sizeof *outer); /* the node's nearest ancestor of its name, itself excluded */
    uint32_t *latest = calloc((size_t)names + 1, sizeof *latest);
    d->rows = calloc((size_t)names + 1, sizeof *d->rows);
    int rc = sum && outer && latest && d->rows ? 0 : -WICK_E_NOMEM;
    for (uint32_t i = nodes; !rc && i-- > 1;) {
        struct wick_diff_sum self = self_of(d, i);
        add_sum(&sum[i], &self);
        add_sum(&sum[wick_tree_node(t, i)->parent], &sum[i]);
        add_sum(&d->rows[wick_tree_node(t, i)->name].self, &self);
    }
    uint32_t before = WICK_TREE_ROOT;
    for (uint32_t i = rc ? WICK_TREE_NONE : wick_tree_next(t, WICK_TREE_ROOT, WICK_TREE_ROOT); i != WICK_TREE_NONE;
         i = wick_tree_next(t, WICK_TREE_ROOT, i)) {
        const struct wick_tree_node *n = wick_tree_node(t, i);
        for (uint32_t up = before; up != n->parent; up = wick_tree_node(t, up)->parent)
            latest[wick_tree_node(t, up)->name] = outer[up];
        outer[i] = latest[n->name];
        latest[n->name] = i;
        if (!outer[i])
            add_sum(&d->rows[n->name].total, &sum[i]);
        before = i;
    }
    for (uint32_t i = 0; !rc && i < names; i++) {
        const struct wick_diff_sum *total = &d->rows[i].total;
        struct wick_diff_row row = d->rows[i];
        row.name = i;
        if (total->samples[0] || total->samples[1])
            d->rows[d->nrows++] = row;
    }
    free(sum);
    free(outer);
    free(latest);
    return rc;
}

static int compare(struct work *w, const struct wick_diff_side side[2], struct wick_err *err)
{
    place(w, side);
    for (unsigned k = 0; k < 2; k++)
        if (!w->d->measured.weight[k])
            return wick_err_set(err, WICK_E_NOTFOUND, "%s holds no such samples: there is nothing to compare",
                                k ? "the second side" : "the first side");
    scale_and_sum(w);
    int rc = build(w);
    rc = rc ? rc : make_rows(w->d);
    if (rc == -WICK_E_LIMIT)
        return wick_err_set(err, WICK_E_LIMIT, "the profile has more than 2^32 different calls");
    return rc ? wick_err_set(err, WICK_E_NOMEM, "out of memory while comparing") : 0;
}

int wick_diff_init(struct wick_diff *d, const struct wick_profile *p, const struct wick_diff_side side[2],
                   const struct wick_diff_options *o, struct wick_err *err)
{
    *d = (struct wick_diff){.tree = wick_tree_new(), .absolute = o->absolute};
    struct work w = {.p = p, .o = o, .d = d, .event = o->event ? o->event : wick_profile_main_event(p)};
    w.self = calloc(p->nstacks, sizeof *w.self);
    w.total = calloc(p->nstacks, sizeof *w.total);
    w.node = calloc(p->nstacks, sizeof *w.node);
    w.frames = calloc(p->nframes, sizeof *w.frames);
    d->change = calloc(p->nstacks, sizeof *d->change);
    int rc = d->tree && w.self && w.total && w.node && w.frames && d->change
                 ? compare(&w, side, err)
                 : wick_err_set(err, WICK_E_NOMEM, "out of memory while comparing");
    free(w.self);
    free(w.total);
    free(w.node);
    free(w.frames);
    if (rc)
        wick_diff_release(d);
    return rc;
}

void wick_diff_release(struct wick_diff *d)
{
    wick_tree_free(d->tree);
    free(d->change);
    free(d->rows);
    *d = (struct wick_diff){0};
}

/* Variance of side k's share of all. */
static double variance(const struct wick_diff *d, const struct wick_diff_sum *s, unsigned k)
{
    double all = (double)d->all.weight[k], p = (double)s->weight[k] / all, n = (double)s->samples[k];
    double one = 1 / (double)d->all.samples[k];
    return n > 0 ? p * p / n * (d->absolute || p > 1 ? 1 : 1 - p) : one * one;
}

struct wick_diff_change wick_diff_change(const struct wick_diff *d, const struct wick_diff_sum *s)
{
    double a = (double)d->all.weight[0], larger = (double)d->all.weight[1] / a;
    double v = variance(d, s, 0) + variance(d, s, 1) * larger * larger;
    return (struct wick_diff_change){((double)s->weight[1] - (double)s->weight[0]) / a, Z95 * sqrt(v)};
}

static int compare_numbers(double x, double y)
{
    return x > y ? -1 : x < y;
}

static int by_change(const struct wick_diff *d, const struct wick_diff_row *x, const struct wick_diff_row *y)
{
    struct wick_diff_change self[2] = {wick_diff_change(d, &x->self), wick_diff_change(d, &y->self)};
    struct wick_diff_change total[2] = {wick_diff_change(d, &x->total), wick_diff_change(d, &y->total)};
    bool real[2] = {wick_diff_is_real(self[0]), wick_diff_is_real(self[1])};
    if (real[0] != real[1])
        return real[0] ? -1 : 1;
    int order = compare_numbers(fabs(self[0].change), fabs(self[1].change));
    return order ? order : compare_numbers(fabs(total[0].change), fabs(total[1].change));
}

struct order {
    const struct wick_diff *d;
    enum wick_diff_order by;
    bool turned;
};

static int by_name(const struct wick_diff *d, const struct wick_diff_row *x, const struct wick_diff_row *y)
{
    size_t n[2];
    const char *a = wick_tree_name_get(d->tree, x->name, &n[0]), *b = wick_tree_name_get(d->tree, y->name, &n[1]);
    int order = memcmp(a, b, n[0] < n[1] ? n[0] : n[1]);
    return order ? order : n[0] < n[1] ? -1 : n[0] > n[1];
}

/* The orders by a figure: of which sum. */
static const bool of_total[] = {
    [WICK_DIFF_BY_TOTAL_BEFORE] = true, [WICK_DIFF_BY_TOTAL_AFTER] = true, [WICK_DIFF_BY_TOTAL_CHANGE] = true};

static int by_order(const void *a, const void *b, void *ctx)
{
    const struct order *o = ctx;
    const struct wick_diff_row *x = a, *y = b;
    bool total = of_total[o->by];
    const struct wick_diff_sum *s = total ? &x->total : &x->self, *t = total ? &y->total : &y->self;
    int order;
    switch (o->by) {
    case WICK_DIFF_BY_CHANGE:
        order = by_change(o->d, x, y);
        break;
    case WICK_DIFF_BY_NAME:
        order = by_name(o->d, x, y);
        break;
    case WICK_DIFF_BY_SELF_CHANGE:
    case WICK_DIFF_BY_TOTAL_CHANGE:
        order = compare_numbers(wick_diff_change(o->d, s).change, wick_diff_change(o->d, t).change);
        break;
    default: {
        unsigned k = o->by == WICK_DIFF_BY_SELF_AFTER || o->by == WICK_DIFF_BY_TOTAL_AFTER;
        order = s->weight[k] > t->weight[k] ? -1 : s->weight[k] < t->weight[k];
    }
    }
    if (order)
        return o->turned ? -order : order;
    return x->name < y->name ? -1 : x->name > y->name;
}

void wick_diff_sort(struct wick_diff *d, enum wick_diff_order order, bool turned)
{
    struct order o = {d, order, turned};
    qsort_r(d->rows, d->nrows, sizeof *d->rows, by_order, &o);
}
