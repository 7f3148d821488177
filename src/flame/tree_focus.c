/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_focus.c - see tree_focus.h
 *
 * A parent's number is lower than its children's, so one pass in the order of numbers finds the outermost frames: those
 * of the name with none of it above them.
 */
#include "flame/tree_focus.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

struct focus {
    const struct wick_tree *t;
    struct wick_tree *out;
    uint32_t *name; /* by name of t: that of out + 1, 0 = none yet */
    uint32_t *at;   /* by node of t: that of out, for callees; anything but 0 = inside, for callers */
    const char *text;
    size_t len;
};

/* A name in the new tree; WICK_TREE_NONE without memory. */
static uint32_t focus_name(struct focus *f, uint32_t name)
{
    size_t n;
    if (f->name[name])
        return f->name[name] - 1;
    uint32_t library = wick_tree_library(f->t, name); /* always a smaller number: once deep */
    if (library != WICK_TREE_NONE) {
        const char *s = wick_tree_name_get(f->t, library, &n);
        library = wick_tree_name(f->out, s, n);
        if (library == WICK_TREE_NONE)
            return WICK_TREE_NONE;
    }
    const char *s = wick_tree_name_get(f->t, name, &n);
    uint32_t id = wick_tree_name_in(f->out, s, n, library);
    if (id != WICK_TREE_NONE)
        f->name[name] = id + 1;
    return id;
}

static bool is_focus(const struct focus *f, uint32_t node)
{
    size_t n;
    const char *s = wick_tree_name_get(f->t, wick_tree_node(f->t, node)->name, &n);
    return n == f->len && !memcmp(s, f->text, n);
}

/* Adds a node with all its weight, by kind, below a node of the new tree. */
static int copy_node(struct focus *f, uint32_t node, uint32_t parent, uint32_t *out)
{
    const struct wick_tree_node *d = wick_tree_node(f->t, node);
    struct wick_tree_frame frame = {.name = focus_name(f, d->name), .kind = wick_tree_kind(f->t, node)};
    struct wick_tree_split split;
    if (frame.name == WICK_TREE_NONE)
        return -WICK_E_NOMEM;
    int rc = wick_tree_child(f->out, parent, &frame, out);
    if (rc)
        return rc;
    if (!wick_tree_split_get(f->t, node, &split))
        return wick_tree_weigh(f->out, *out, &frame, d->total, d->self);
    for (unsigned slot = 0; !rc && slot < WICK_TREE_JAVA_KINDS; slot++) {
        frame.kind = wick_tree_java_kind(slot);
        if (split.total[slot])
            rc = wick_tree_weigh(f->out, *out, &frame, split.total[slot], split.self[slot]);
    }
    return rc;
}

static int add_callee(struct focus *f, uint32_t node)
{
    const struct wick_tree_node *d = wick_tree_node(f->t, node);
    uint32_t parent = f->at[d->parent];
    int rc = 0;
    if (!parent && !is_focus(f, node))
        return 0;
    if (!parent)
        rc = wick_tree_count(f->out, d->total, false);
    return rc ? rc : copy_node(f, node, parent ? parent : WICK_TREE_ROOT, &f->at[node]);
}

/* Adds the way from an outermost frame to the root. */
static int add_callers(struct focus *f, uint32_t node)
{
    const struct wick_tree_node *d = wick_tree_node(f->t, node);
    uint64_t weight = d->total;
    uint32_t at = WICK_TREE_ROOT;
    f->at[node] = f->at[d->parent];
    if (f->at[node] || !is_focus(f, node))
        return 0;
    f->at[node] = 1;
    int rc = wick_tree_count(f->out, weight, false);
    for (uint32_t i = node; !rc && i != WICK_TREE_ROOT; i = d->parent) {
        d = wick_tree_node(f->t, i);
        const struct wick_tree_frame frame = {.name = focus_name(f, d->name), .kind = wick_tree_kind(f->t, i)};
        if (frame.name == WICK_TREE_NONE)
            return -WICK_E_NOMEM;
        rc = wick_tree_child(f->out, at, &frame, &at);
        rc = rc ? rc : wick_tree_weigh(f->out, at, &frame, weight, d->parent == WICK_TREE_ROOT ? weight : 0);
    }
    return rc;
}

static int focus_on(const struct wick_tree *t, const char *name, size_t n, int (*add)(struct focus *f, uint32_t node),
                    struct wick_tree **out)
{
    uint32_t nodes = wick_tree_nodes(t);
    struct focus f = {.t = t,
                      .out = wick_tree_new(),
                      .name = calloc((size_t)wick_tree_names(t) + 1, sizeof *f.name),
                      .at = calloc(nodes, sizeof *f.at),
                      .text = name,
                      .len = n};
    int rc = f.out && f.name && f.at ? 0 : -WICK_E_NOMEM;
    for (uint32_t i = 1; !rc && i < nodes; i++)
        rc = add(&f, i);
    if (!rc) /* below the method are smaller weights than those that were counted */
        wick_tree_divide(f.out, wick_tree_gcd(t));
    free(f.name);
    free(f.at);
    if (rc)
        wick_tree_free(f.out);
    else
        *out = f.out;
    return rc;
}

int wick_tree_callees(const struct wick_tree *t, const char *name, size_t n, struct wick_tree **out)
{
    return focus_on(t, name, n, add_callee, out);
}

int wick_tree_callers(const struct wick_tree *t, const char *name, size_t n, struct wick_tree **out)
{
    return focus_on(t, name, n, add_callers, out);
}
