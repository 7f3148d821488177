/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.c - the packed call tree, format "WFG2"
 *
 * v = unsigned variable-length integer (base/leb128.h, JFR flavour), s = v length + UTF-8 bytes without NUL.
 *
 *   "WFG2"
 *   s title, s subtitle, s unit
 *   v flags            1 = open leaf-up, 2 = root at the top, 4 = a comparison, 8 = of weights instead of shares
 *   v scale            every weight below is to be multiplied by it (the greatest common divisor of all weights)
 *   v names, v nodes (without the root), v depth, v root's self (and change, see below)
 *   names times, in order of bytes:   v bytes shared with the name before, v further bytes, those bytes
 *   v how many names have a library, and for each, by number:   v number minus that of the one before, v its library's
 *   nodes times, in pre-order, children sorted by name:
 *     byte  0..3 dominant kind (def/frame.def)  4 has self  5 has splits  6 has lines  7 self has splits of its own
 *     v     how many levels up from the node before: 0 = its child, 1 = its sibling, 2 = its parent's sibling ...
 *     v     name
 *     v     self                                            if bit 4
 *     v     what of it was before, v samples before, v after  if bit 4, in comparisons
 *     byte  mask of kinds (bit = wick_tree_java_slot), then v weight for all but the last of them      if bit 5
 *     the same for self                                     if bit 7 (else self, if any, is all of the dominant kind)
 *     v     lines: 0 = one line that has all of total and self: v line;
 *           else that many times v line, v total, v self    if bit 6
 *
 * Totals are not stored: a total is self plus the children's totals. Weights that are multiples of the sampling period
 * become small numbers by the scale. With all that a node takes about 6 bytes.
 *
 * Bits 5 and 7 speak of nodes that ran in more than one kind. When a node has splits but its self is of one kind only
 * that is not the dominant one, bit 7 is set and the mask has one bit.
 */
#include "flame/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/frame_kind.h"
#include "codec/base64.h"
#include "flame/text.h"

_Static_assert(WICK_FRAME_KIND_COUNT <= 16, "four bits hold a kind");

#define NODE_SELF       0x10u
#define NODE_SPLIT      0x20u
#define NODE_LINES      0x40u
#define NODE_SELF_SPLIT 0x80u

struct packer {
    struct wick_base64 out;
    const struct wick_tree *t;
    const struct wick_flame_change *change; /* NULL = no comparison */
    uint64_t scale;
};

static void put_bytes(struct packer *p, const void *data, size_t n)
{
    wick_base64_add(&p->out, data, n);
}

static void put_int(struct packer *p, uint64_t v)
{
    wick_base64_add_int(&p->out, v);
}

static void put_weight(struct packer *p, uint64_t weight)
{
    put_int(p, weight / p->scale);
}

static int put_string(struct packer *p, const char *s)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    wick_text_add_utf8(&sb, s ? s : "", s ? strlen(s) : 0);
    put_int(p, sb.len);
    put_bytes(p, sb.buf, sb.len);
    int rc = sb.failed ? -WICK_E_NOMEM : 0;
    wick_strbuf_release(&sb);
    return rc;
}

static void put_libraries(struct packer *p, const uint32_t *by_rank)
{
    uint32_t names = wick_tree_names(p->t), count = 0, before = 0;
    for (uint32_t i = 0; i < names; i++)
        count += wick_tree_library(p->t, i) != WICK_TREE_NONE;
    put_int(p, count);
    for (uint32_t i = 0; i < names; i++) {
        uint32_t library = wick_tree_library(p->t, by_rank[i]);
        if (library == WICK_TREE_NONE)
            continue;
        put_int(p, i - before);
        put_int(p, wick_tree_rank(p->t, library));
        before = i;
    }
}

/* All names in order of rank, each as its difference from the one before, and their libraries. */
static int put_names(struct packer *p)
{
    uint32_t names = wick_tree_names(p->t);
    uint32_t *by_rank = malloc((names + 1) * sizeof *by_rank);
    if (!by_rank)
        return -WICK_E_NOMEM;
    for (uint32_t i = 0; i < names; i++)
        by_rank[wick_tree_rank(p->t, i)] = i;
    struct wick_strbuf last = WICK_STRBUF_INIT, now = WICK_STRBUF_INIT;
    for (uint32_t i = 0; i < names; i++) {
        size_t n, shared = 0;
        const char *s = wick_tree_name_get(p->t, by_rank[i], &n);
        wick_strbuf_clear(&now);
        wick_text_add_utf8(&now, s, n);
        while (shared < now.len && shared < last.len && now.buf[shared] == last.buf[shared])
            shared++;
        put_int(p, shared);
        put_int(p, now.len - shared);
        put_bytes(p, now.buf + shared, now.len - shared);
        struct wick_strbuf swap = last;
        last = now;
        now = swap;
    }
    put_libraries(p, by_rank);
    int rc = last.failed || now.failed ? -WICK_E_NOMEM : 0;
    wick_strbuf_release(&last);
    wick_strbuf_release(&now);
    free(by_rank);
    return rc;
}

static void put_split(struct packer *p, const uint64_t *weight)
{
    uint8_t mask = 0;
    unsigned last = 0;
    for (unsigned i = 0; i < WICK_TREE_JAVA_KINDS; i++) {
        if (weight[i]) {
            mask |= (uint8_t)(1u << i);
            last = i;
        }
    }
    put_bytes(p, &mask, 1);
    for (unsigned i = 0; i < last; i++)
        if (weight[i])
            put_weight(p, weight[i]);
}

static void put_lines(struct packer *p, const struct wick_tree_node *d, const struct wick_tree_line *l, unsigned n)
{
    if (n == 1 && l->total == d->total && l->self == d->self) {
        put_int(p, 0);
        put_int(p, l->line);
        return;
    }
    put_int(p, n);
    for (const struct wick_tree_line *end = l + n; l < end; l++) {
        put_int(p, l->line);
        put_weight(p, l->total);
        put_weight(p, l->self);
    }
}

/* What of a node's self weight was before, and the samples of both sides. */
static void put_change(struct packer *p, uint32_t id)
{
    if (!p->change)
        return;
    put_weight(p, p->change[id].before);
    put_int(p, p->change[id].samples[0]);
    put_int(p, p->change[id].samples[1]);
}

static void put_node(struct packer *p, uint32_t id, uint32_t depth_before)
{
    const struct wick_tree_node *d = wick_tree_node(p->t, id);
    struct wick_tree_split s;
    struct wick_tree_line lines[WICK_TREE_MAX_LINES];
    unsigned kind = wick_tree_kind(p->t, id), nlines = wick_tree_lines(p->t, id, lines);
    unsigned kinds = wick_tree_split_get(p->t, id, &s);
    uint8_t flags = (uint8_t)kind;
    if (d->self)
        flags |= NODE_SELF;
    if (kinds > 1)
        flags |= NODE_SPLIT;
    if (nlines)
        flags |= NODE_LINES;
    if (d->self && kinds > 1 && s.self[wick_tree_java_slot(kind)] != d->self)
        flags |= NODE_SELF_SPLIT;
    put_bytes(p, &flags, 1);
    put_int(p, depth_before + 1 - d->depth);
    put_int(p, wick_tree_rank(p->t, d->name));
    if (flags & NODE_SELF) {
        put_weight(p, d->self);
        put_change(p, id);
    }
    if (flags & NODE_SPLIT)
        put_split(p, s.total);
    if (flags & NODE_SELF_SPLIT)
        put_split(p, s.self);
    if (flags & NODE_LINES)
        put_lines(p, d, lines, nlines);
}

int wick_pack_base64(const struct wick_tree *t, const struct wick_flame_opts *o, FILE *out)
{
    struct packer *p = malloc(sizeof *p);
    if (!p)
        return -WICK_E_NOMEM;
    wick_base64_init(&p->out, out);
    p->t = t;
    p->change = o->change;
    p->scale = wick_tree_gcd(t) ? wick_tree_gcd(t) : 1;
    put_bytes(p, "WFG2", 4);
    int rc = put_string(p, o->title ? o->title : "Flame graph");
    rc = rc ? rc : put_string(p, o->subtitle);
    rc = rc ? rc : put_string(p, o->unit ? o->unit : "samples");
    put_int(p, (o->reverse ? 1u : 0) | (o->icicle ? 2u : 0) | (o->change ? 4u : 0) | (o->absolute ? 8u : 0));
    put_int(p, p->scale);
    put_int(p, wick_tree_names(t));
    put_int(p, wick_tree_nodes(t) - 1);
    put_int(p, wick_tree_depth(t));
    put_weight(p, wick_tree_node(t, WICK_TREE_ROOT)->self);
    put_change(p, WICK_TREE_ROOT);
    rc = rc ? rc : put_names(p);
    uint32_t depth = 0;
    for (uint32_t id = wick_tree_next(t, WICK_TREE_ROOT, WICK_TREE_ROOT); !rc && id != WICK_TREE_NONE;
         id = wick_tree_next(t, WICK_TREE_ROOT, id)) {
        put_node(p, id, depth);
        depth = wick_tree_node(t, id)->depth;
    }
    wick_base64_finish(&p->out);
    free(p);
    return rc;
}
