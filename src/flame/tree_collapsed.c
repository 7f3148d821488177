/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_collapsed.c - the call tree as collapsed text: "root;caller;leaf weight", one line a stack
 *
 * A frame carries its kind as a suffix `_[letter]` (def/frame.def), so that reading the text gives the same colours. A
 * leaf that ran in several kinds becomes a line for each, so weights by kind of the leaves survive. The form
 * of a line is that of codec/stack_line.h.
 *
 * Beside export/collapsed_out.c, which writes a profile, since a tree may have been read from text, or be leaf-up, and
 * has no profile then.
 */
#include "flame/flame.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "codec/stack_line.h"

static void add_frame(struct wick_strbuf *sb, const struct wick_tree *t, uint32_t node, unsigned kind)
{
    size_t n;
    const char *s = wick_tree_name_get(t, wick_tree_node(t, node)->name, &n);
    wick_stack_line_add_name(sb, s, n);
    wick_stack_line_add_kind(sb, kind);
}

/* Everything above the leaf, then one line per kind of the leaf. path has room for the tree's depth. */
static void write_stack(const struct wick_tree *t, uint32_t leaf, uint32_t *path, struct wick_strbuf *sb, FILE *out)
{
    const struct wick_tree_node *d = wick_tree_node(t, leaf);
    size_t n = 0;
    for (uint32_t i = d->parent; i != WICK_TREE_ROOT && i != WICK_TREE_NONE; i = wick_tree_node(t, i)->parent)
        path[n++] = i;
    wick_strbuf_clear(sb);
    while (n--) {
        add_frame(sb, t, path[n], wick_tree_kind(t, path[n]));
        wick_strbuf_addc(sb, ';');
    }
    size_t callers = sb->len;
    struct wick_tree_split split;
    if (!wick_tree_split_get(t, leaf, &split)) {
        add_frame(sb, t, leaf, d->kind);
        wick_stack_line_write(out, sb->buf, sb->len, d->self);
        return;
    }
    for (unsigned k = 0; k < WICK_TREE_JAVA_KINDS; k++) {
        if (!split.self[k])
            continue;
        sb->len = callers;
        add_frame(sb, t, leaf, wick_tree_java_kind(k));
        wick_stack_line_write(out, sb->buf, sb->len, split.self[k]);
    }
}

static const char no_stack[] = "[no stack]";

int wick_flame_write_collapsed(struct wick_tree *t, const struct wick_flame_opts *o, FILE *out, struct wick_err *err)
{
    struct wick_tree *reversed = NULL;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    uint32_t *path = malloc((wick_tree_depth(t) + 1) * sizeof *path);
    int rc = path ? 0 : -WICK_E_NOMEM;
    if (!rc && o->reverse && !(rc = wick_tree_reverse(t, &reversed)))
        t = reversed;
    rc = rc ? rc : wick_tree_sort(t);
    for (uint32_t i = WICK_TREE_ROOT; !rc && i != WICK_TREE_NONE; i = wick_tree_next(t, WICK_TREE_ROOT, i)) {
        if (!wick_tree_node(t, i)->self)
            continue;
        if (i == WICK_TREE_ROOT)
            wick_stack_line_write(out, no_stack, sizeof no_stack - 1, wick_tree_node(t, i)->self);
        else
            write_stack(t, i, path, &sb, out);
        if (sb.failed)
            rc = -WICK_E_NOMEM;
    }
    wick_strbuf_release(&sb);
    free(path);
    wick_tree_free(reversed);
    if (rc)
        return wick_err_set(err, WICK_E_NOMEM, "not enough memory to write collapsed stacks");
    return wick_flame_finish(out, "collapsed stacks", err);
}
