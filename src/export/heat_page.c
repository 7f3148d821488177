/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heat_page.c - the format heatmap: a page of the cells that analysis/compare/heat.h has collected
 *
 * The page is that of a flame graph (flame/html.c) with a panel above it, put together by web/embed.py. It holds
 * the call tree of all samples, packed as there, and behind it what is needed to make that of any range, "WHM1":
 *
 *     v = unsigned variable-length integer (base/leb128.h, JFR flavour)
 *
 *     "WHM1"
 *     v length of a slice in ns, v first slice counted from 1970, v slices
 *     v scale            every weight below is to be multiplied by it (the greatest common divisor of all)
 *     v stacks, v slices that hold something
 *     stacks times, parents before children, counted from 1:
 *       v     its number minus its parent's (a parent of 0: a root frame)
 *       v     the leaf frame's node in the call tree, times 16, plus its kind (def/frame.def)
 *     for each slice that holds something:
 *       v     slices since the one before (for the first: since the first slice)
 *       v     cells
 *       cells times:  v stack minus the stack before, times 2, plus 1 if a count follows;  v weight;  v samples if they
 *             are not what the weight is
 *
 * A node of the call tree is a method however it ran; a stack knows the kind of each of its frames. So the page can
 * show for every range how much of a method was interpreted, compiled or inlined.
 *
 * Memory:  temporary, about 40 bytes for each stack.
 */
#include "codec/base64.h"
#include "analysis/compare/tree_frame.h"
#include "analysis/compare/heat.h"
#include "export/format_writers.h"
#include "base/sum.h"
#include "export/heat_assets.h"
#include "export/picture.h"
#include "flame/flame.h"
#include "flame/pack.h"
#include "flame/text.h"

#include <stdlib.h>
#include <string.h>

struct work {
    const struct wick_profile *p;
    const struct wick_export_options *o;
    const struct wick_heat *heat;
    struct wick_tree *tree;
    struct wick_tree_frame *frames; /* by frame; name WICK_TREE_NONE = not made yet */
    uint64_t *total;                /* by stack: itself and what is below */
    uint64_t *self;                 /* by stack */
    uint32_t *node;                 /* by stack: of the tree, then its number in the packed tree */
    uint32_t *number;               /* by stack: in the page; 0 = no samples */
    uint32_t nstacks;
    uint16_t event;
};

unsigned wick_heat_page_keep(unsigned names)
{
    return wick_picture_keep(names) & ~(unsigned)WICK_KEEP_LINES; /* a range's lines would not be known */
}

static uint64_t value(const struct work *w, const struct wick_heat_cell *c)
{
    return w->o->counts ? c->count : c->weight;
}

static bool is_shown(const struct work *w, const struct wick_heat_cell *c)
{
    return w->p->aggs[c->agg].event == w->event && value(w, c);
}

/* --- the call tree --- */

/* No sum is larger than that of all. */
static void sum_up(struct work *w)
{
    uint64_t all = 0;
    for (size_t i = 0; i < w->heat->n; i++) {
        const struct wick_heat_cell *c = &w->heat->cells[i];
        uint64_t *self = &w->self[w->p->aggs[c->agg].stack];
        uint64_t part = is_shown(w, c) ? wick_sum_room(all, value(w, c)) : 0;
        all += part;
        *self += part;
    }
    for (uint32_t s = w->p->nstacks; s-- > 0;) {
        w->total[s] += w->self[s];
        if (s)
            w->total[w->p->stacks[s].parent] += w->total[s];
    }
}

static int grow(struct work *w, uint32_t s)
{
    const struct wick_stack *stack = &w->p->stacks[s];
    struct wick_tree_frame *f = &w->frames[stack->frame];
    int rc = 0;
    if (!s)
        return w->self[0] ? wick_tree_count(w->tree, w->self[0], true) : 0;
    if (f->name == WICK_TREE_NONE)
        rc = wick_analysis_tree_frame(w->p, w->tree, stack->frame, w->o->names, f);
    rc = rc ? rc : wick_tree_child(w->tree, w->node[stack->parent], f, &w->node[s]);
    rc = rc ? rc : wick_tree_weigh(w->tree, w->node[s], f, w->total[s], w->self[s]);
    rc = rc || !w->self[s] ? rc : wick_tree_count(w->tree, w->self[s], false);
    w->number[s] = ++w->nstacks;
    return rc;
}

/* The nodes of stacks become their places in the packed tree, which is in pre-order. */
static int number_nodes(struct work *w)
{
    uint32_t n = 1, *place = calloc(wick_tree_nodes(w->tree), sizeof *place);
    int rc = place ? wick_tree_sort(w->tree) : -WICK_E_NOMEM;
    for (uint32_t id = WICK_TREE_ROOT; !rc && (id = wick_tree_next(w->tree, WICK_TREE_ROOT, id)) != WICK_TREE_NONE;)
        place[id] = n++;
    for (uint32_t s = 1; !rc && s < w->p->nstacks; s++)
        if (w->number[s])
            w->node[s] = place[w->node[s]];
    free(place);
    return rc;
}

static int build(struct work *w)
{
    w->frames = reallocarray(NULL, w->p->nframes, sizeof *w->frames);
    w->total = calloc(w->p->nstacks, sizeof *w->total);
    w->self = calloc(w->p->nstacks, sizeof *w->self);
    w->node = calloc(w->p->nstacks, sizeof *w->node);
    w->number = calloc(w->p->nstacks, sizeof *w->number);
    w->tree = wick_tree_new();
    if (!w->frames || !w->total || !w->self || !w->node || !w->number || !w->tree)
        return -WICK_E_NOMEM;
    for (uint32_t i = 0; i < w->p->nframes; i++)
        w->frames[i].name = WICK_TREE_NONE;
    int rc = 0;
    sum_up(w);
    for (uint32_t s = 0; !rc && s < w->p->nstacks; s++)
        if (w->total[s])
            rc = grow(w, s);
    return rc ? rc : number_nodes(w);
}

static void release(struct work *w)
{
    free(w->frames);
    free(w->total);
    free(w->self);
    free(w->node);
    free(w->number);
    wick_tree_free(w->tree);
}

/* --- the slices --- */

static int64_t slice_of(const struct wick_heat *h, int64_t ns)
{
    return ns > 0 ? ns / wick_heat_slice_ns(h) : 0;
}

/* The slices shown: those with samples, and those that the recordings cover as long as they are not too many. */
static void range_of(const struct work *w, int64_t *first, int64_t *last)
{
    const struct wick_heat *h = w->heat;
    int64_t start = slice_of(h, w->p->start_ns), end = slice_of(h, w->p->end_ns - 1);
    *first = h->first > 0 ? h->first : 0;
    *last = h->last > *first ? h->last : *first;
    if (w->p->end_ns <= w->p->start_ns)
        return;
    if (start < *first && *last - start < h->most_slices)
        *first = start;
    if (end > *last && end - *first < h->most_slices)
        *last = end;
}

static uint64_t common_scale(const struct work *w, uint64_t *slices)
{
    uint64_t a = 0;
    int64_t before = INT64_MIN;
    *slices = 0;
    for (size_t i = 0; i < w->heat->n; i++) {
        const struct wick_heat_cell *c = &w->heat->cells[i];
        if (!is_shown(w, c))
            continue;
        *slices += c->slice != before;
        before = c->slice;
        for (uint64_t b = value(w, c); b;) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
    }
    return a ? a : 1;
}

static void put_stacks(const struct work *w, struct wick_base64 *b)
{
    for (uint32_t s = 1; s < w->p->nstacks; s++) {
        if (!w->number[s])
            continue;
        const struct wick_stack *stack = &w->p->stacks[s];
        wick_base64_add_int(b, w->number[s] - (stack->parent ? w->number[stack->parent] : 0));
        wick_base64_add_int(b, (uint64_t)w->node[s] << 4 | w->p->frames[stack->frame].kind);
    }
}

/* A stack of the page in one slice. */
struct entry {
    uint32_t stack;
    uint64_t weight, count;
};

static int by_stack(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* One slice's cells from number i on as entries; aggregates of one stack become one. Returns where it ends. */
static size_t take_slice(const struct work *w, size_t i, struct entry *e, size_t *n)
{
    const struct wick_heat_cell *c = w->heat->cells;
    int64_t slice = c[i].slice;
    size_t all = 0;
    for (; i < w->heat->n && c[i].slice == slice; i++)
        if (is_shown(w, &c[i]))
            e[all++] = (struct entry){w->number[w->p->aggs[c[i].agg].stack], value(w, &c[i]), c[i].count};
    if (all)
        qsort(e, all, sizeof *e, by_stack);
    *n = 0;
    for (size_t k = 0; k < all; k++) {
        if (*n && e[*n - 1].stack == e[k].stack) {
            e[*n - 1].weight = wick_sum_u64(e[*n - 1].weight, e[k].weight);
            e[*n - 1].count = wick_sum_u64(e[*n - 1].count, e[k].count);
        } else {
            e[(*n)++] = e[k];
        }
    }
    return i;
}

static void put_slices(const struct work *w, struct wick_base64 *b, int64_t first, uint64_t scale, struct entry *e)
{
    int64_t before = first;
    size_t n;
    for (size_t i = 0, next; i < w->heat->n; i = next) {
        int64_t slice = w->heat->cells[i].slice > 0 ? w->heat->cells[i].slice : 0;
        uint32_t stack = 0;
        next = take_slice(w, i, e, &n);
        if (!n)
            continue;
        wick_base64_add_int(b, (uint64_t)(slice - before));
        wick_base64_add_int(b, n);
        before = slice;
        for (size_t k = 0; k < n; k++) {
            uint64_t units = e[k].weight / scale;
            wick_base64_add_int(b, (uint64_t)(e[k].stack - stack) << 1 | (e[k].count != units));
            wick_base64_add_int(b, units);
            if (e[k].count != units)
                wick_base64_add_int(b, e[k].count);
            stack = e[k].stack;
        }
    }
}

static int write_slices(const struct work *w, FILE *out)
{
    int64_t first, last;
    uint64_t slices, scale = common_scale(w, &slices);
    struct wick_base64 *b = malloc(sizeof *b);
    struct entry *e = calloc(w->heat->n + 1, sizeof *e);
    if (b && e) {
        range_of(w, &first, &last);
        wick_base64_init(b, out);
        wick_base64_add(b, "WHM1", 4);
        wick_base64_add_int(b, (uint64_t)wick_heat_slice_ns(w->heat));
        wick_base64_add_int(b, (uint64_t)first);
        wick_base64_add_int(b, (uint64_t)(last - first + 1));
        wick_base64_add_int(b, scale);
        wick_base64_add_int(b, w->nstacks);
        wick_base64_add_int(b, slices);
        put_stacks(w, b);
        put_slices(w, b, first, scale, e);
        wick_base64_finish(b);
    }
    int rc = b && e ? 0 : -WICK_E_NOMEM;
    free(b);
    free(e);
    return rc;
}

/* --- the page --- */

static int write_page(struct work *w, FILE *out)
{
    const char *name = w->o->title ? w->o->title : "Heatmap";
    struct wick_strbuf title = WICK_STRBUF_INIT, subtitle = WICK_STRBUF_INIT;
    wick_text_add_xml(&title, name, strlen(name));
    wick_picture_subtitle(&subtitle, w->p, w->o);
    const struct wick_flame_opts f = {.title = name, .subtitle = subtitle.buf, .unit = wick_picture_unit(w->p, w->o)};
    int rc = title.failed || subtitle.failed ? -WICK_E_NOMEM : 0;
    if (!rc) {
        fwrite(wick_heat_assets_head, 1, wick_heat_assets_head_len, out);
        fwrite(title.buf, 1, title.len, out);
        fwrite(wick_heat_assets_body, 1, wick_heat_assets_body_len, out);
        rc = wick_pack_base64(w->tree, &f, out);
    }
    if (!rc) {
        fwrite(wick_heat_assets_slices, 1, wick_heat_assets_slices_len, out);
        rc = write_slices(w, out);
        fwrite(wick_heat_assets_tail, 1, wick_heat_assets_tail_len, out);
    }
    wick_strbuf_release(&title);
    wick_strbuf_release(&subtitle);
    return rc;
}

int wick_heat_page_write(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                         struct wick_err *err)
{
    struct work w = {.p = p, .o = o, .heat = o->heat, .event = o->event ? o->event : wick_profile_main_event(p)};
    if (!o->heat || !p->events[w.event].count)
        return wick_err_set(err, WICK_E_NOTFOUND, "the recording holds no samples");
    if (!o->heat->failed && !o->heat->differ && (!o->heat->time_ns || p->events[w.event].count > 1))
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "the samples have no times, so there is no heatmap of them; draw a flame graph");
    int rc = o->heat->failed ? -WICK_E_NOMEM : build(&w);
    rc = rc ? rc : write_page(&w, out);
    release(&w);
    if (rc == -WICK_E_LIMIT)
        return wick_err_set(err, WICK_E_LIMIT, "the profile has more than 2^32 different calls");
    return rc ? wick_err_set(err, WICK_E_NOMEM, "out of memory while making the heatmap") : 0;
}
