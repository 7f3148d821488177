/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collapsed_out.c - collapsed stacks, the text format of flamegraph.pl and everything after it
 *
 *     root;caller;leaf 12345
 *
 * One line for each different stack (as shown: stacks that differ only in something not shown are one line), frames
 * root first, then a space and the weight in the event type's unit (nanoseconds for CPU and wall time) or, with
 * `counts`, the number of samples. Lines are sorted by their frames, so equal profiles give equal files.
 *
 * Beside flame/tree_collapsed.c, which writes the call tree of `wick flame`, whose frames always carry their kinds:
 * here names are what the options say, and what these leave out makes no line of its own.
 *
 * What would break a line is written as \xNN (';', '\', control characters, bytes that are no UTF-8). Lines with weight
 * 0 are left out.
 *
 * The profile's prefix tree is finer than what is shown: it distinguishes lines, bytecode indexes and often signatures.
 * So the tree is built again with shown names as labels: names are rendered once per different frame and numbered in
 * the order of their bytes. Sorting is by those numbers, so no two lines are ever compared as text: each node's
 * children are put in order and a depth-first walk writes the lines, keeping the text of the path in one buffer. Work
 * is linear in the nodes and in the bytes written.
 *
 * Where every frame has a name of its own, the profile's tree is the shown one already. Otherwise the shown tree is
 * made by walking up from every aggregate to a stack that has its node already (with threads: to the root, because each
 * thread has a tree of its own).
 *
 * Memory:  about 20 bytes for each stack node of the profile during the call.
 */
#include "export/format_writers.h"
#include "base/strbuf.h"
#include "base/sum.h"
#include "codec/stack_line.h"

#include <stdlib.h>

struct tree {
    const struct wick_profile *p;
    struct wick_profile shown;       /* only its stacks are used, with labels as frames */
    const struct wick_stack *stacks; /* the shown tree: those of `shown`, or, if `aliased`, of the profile itself */
    uint32_t nstacks;
    bool aliased;
    struct wick_strbuf text;   /* rendered labels, one after another */
    size_t *label_at;          /* start of each label in text; one more than labels */
    uint32_t *frame_label;     /* by frame number: label + 1, 0 = not yet rendered */
    uint32_t *rank;            /* by label: place in byte order */
    uint32_t *known;           /* by stack number: its shown stack ... */
    uint32_t *known_under;     /* ... under this root; with threads only */
    uint32_t *path;            /* room for the deepest stack */
    uint64_t *weight;          /* by shown stack, from here on */
    uint32_t *child, *sibling; /* 0 = none */
    uint32_t nlabels, cap_labels, cap_weight;
    struct wick_index labels;
    bool failed;
};

/* --- labels --- */

/* Number of the label with these bytes. */
static uint32_t label_of(struct tree *t, const struct wick_strbuf *s)
{
    uint64_t h = wick_hash_bytes(s->buf, s->len);
    uint32_t at = wick_index_start(&t->labels, h), id;
    while (wick_index_next(&t->labels, h, &at, &id))
        if (t->label_at[id + 1] - t->label_at[id] == s->len &&
            memcmp(t->text.buf + t->label_at[id], s->buf, s->len) == 0)
            return id;
    if (t->nlabels + 1 >= t->cap_labels) {
        uint32_t cap = t->cap_labels ? t->cap_labels * 2 : 256;
        size_t *bigger = reallocarray(t->label_at, cap, sizeof *bigger);
        t->failed = t->failed || !bigger;
        if (!bigger)
            return 0;
        t->label_at = bigger;
        t->cap_labels = cap;
    }
    if (t->nlabels == 0)
        t->label_at[0] = 0;
    wick_strbuf_add(&t->text, s->buf, s->len);
    t->failed = t->failed || t->text.failed || s->failed || wick_index_add(&t->labels, h, t->nlabels);
    t->label_at[t->nlabels + 1] = t->text.len;
    return t->nlabels++;
}

static uint32_t label_of_frame(struct tree *t, uint32_t frame, unsigned names)
{
    if (t->frame_label[frame])
        return t->frame_label[frame] - 1;
    struct wick_strbuf raw = WICK_STRBUF_INIT, shown = WICK_STRBUF_INIT;
    wick_name_add_frame(&raw, t->p, frame, names);
    wick_stack_line_add_name(&shown, raw.buf, raw.len);
    uint32_t label = label_of(t, &shown);
    t->frame_label[frame] = label + 1;
    t->failed = t->failed || raw.failed;
    wick_strbuf_release(&raw);
    wick_strbuf_release(&shown);
    return label;
}

static uint32_t label_of_thread(struct tree *t, uint32_t thread, unsigned names)
{
    struct wick_strbuf raw = WICK_STRBUF_INIT, shown = WICK_STRBUF_INIT;
    wick_name_add_thread(&raw, t->p, thread);
    if (names & WICK_NAME_ANNOTATE)
        wick_stack_line_add_kind(&raw, WICK_FRAME_BOUNDARY);
    wick_stack_line_add_name(&shown, raw.buf, raw.len);
    uint32_t label = label_of(t, &shown);
    t->failed = t->failed || raw.failed;
    wick_strbuf_release(&raw);
    wick_strbuf_release(&shown);
    return label;
}

static int by_bytes(const void *a, const void *b, void *ctx)
{
    const struct tree *t = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    size_t nx = t->label_at[x + 1] - t->label_at[x], ny = t->label_at[y + 1] - t->label_at[y];
    int c = memcmp(t->text.buf + t->label_at[x], t->text.buf + t->label_at[y], nx < ny ? nx : ny);
    return c ? c : nx < ny ? -1 : nx > ny;
}

static void rank_labels(struct tree *t)
{
    uint32_t *order = reallocarray(NULL, t->nlabels + 1, sizeof *order);
    t->rank = reallocarray(NULL, t->nlabels + 1, sizeof *t->rank);
    t->failed = t->failed || !order || !t->rank;
    if (!t->failed) {
        for (uint32_t i = 0; i < t->nlabels; i++)
            order[i] = i;
        qsort_r(order, t->nlabels, sizeof *order, by_bytes, t);
        for (uint32_t i = 0; i < t->nlabels; i++)
            t->rank[order[i]] = i;
    }
    free(order);
}

/* --- the shown tree --- */

/* The profile's own tree is the shown one if no two of its frames have one label: then stacks keep their numbers, and a
 * frame's label has the frame's number. */
static void alias_tree(struct tree *t, const struct wick_export_options *o)
{
    for (uint32_t i = 0; i < t->p->nframes && !t->failed; i++)
        label_of_frame(t, i, o->names);
    if (t->failed || o->threads || t->nlabels != t->p->nframes)
        return;
    t->stacks = t->p->stacks;
    t->nstacks = t->p->nstacks;
    t->aliased = true;
}

/* The shown stack of a stack, under `root`. */
static uint32_t shown_of(struct tree *t, uint32_t root, uint32_t stack, unsigned names)
{
    uint32_t n = 0, node = root;
    for (uint32_t s = stack; s; s = t->p->stacks[s].parent) {
        if (root ? t->known_under[s] == root : t->known[s]) {
            node = t->known[s];
            break;
        }
        t->path[n++] = s;
    }
    while (n--) {
        uint32_t s = t->path[n];
        node = wick_profile_push(&t->shown, node, label_of_frame(t, t->p->stacks[s].frame, names));
        t->known[s] = node;
        if (root)
            t->known_under[s] = root;
    }
    return node;
}

static uint32_t label_at(const struct tree *t, uint32_t node)
{
    return t->stacks[node].frame;
}

/* Makes room for a weight for every shown stack. */
static bool weights_fit(struct tree *t)
{
    uint32_t n = t->aliased ? t->nstacks : t->shown.nstacks;
    if (n <= t->cap_weight)
        return true;
    uint32_t cap = t->aliased ? n : t->shown.cap_stacks;
    uint64_t *bigger = reallocarray(t->weight, cap, sizeof *bigger);
    if (!bigger)
        return false;
    memset(bigger + t->cap_weight, 0, (cap - t->cap_weight) * sizeof *bigger);
    t->weight = bigger;
    t->cap_weight = cap;
    return true;
}

static int by_thread(const void *a, const void *b, void *ctx)
{
    const struct wick_agg *aggs = ctx, *x = &aggs[*(const uint32_t *)a], *y = &aggs[*(const uint32_t *)b];
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Makes the shown tree with its weights. With threads, thread by thread, so that what is known under the current root
 * stays known. */
static bool build(struct tree *t, const struct wick_export_options *o, uint16_t event)
{
    const struct wick_profile *p = t->p;
    uint32_t n = 0, *order = reallocarray(NULL, (size_t)p->naggs + 1, sizeof *order);
    t->failed = t->failed || !order;
    for (uint32_t i = 0; i < p->naggs && !t->failed; i++)
        if (p->aggs[i].event == event && (o->counts ? p->aggs[i].count > 0 : p->aggs[i].weight > 0))
            order[n++] = i;
    if (o->threads && !t->failed)
        qsort_r(order, n, sizeof *order, by_thread, p->aggs);
    for (uint32_t i = 0; i < n && !t->failed; i++) {
        const struct wick_agg *a = &p->aggs[order[i]];
        uint64_t w = o->counts ? a->count : (uint64_t)a->weight;
        uint32_t root = o->threads ? wick_profile_push(&t->shown, 0, label_of_thread(t, a->thread, o->names)) : 0;
        uint32_t node = t->aliased ? a->stack : shown_of(t, root, a->stack, o->names);
        t->failed = t->failed || t->shown.failed || !weights_fit(t);
        if (!t->failed)
            t->weight[node] = wick_sum_u64(t->weight[node], w);
    }
    free(order);
    if (!t->aliased) {
        t->stacks = t->shown.stacks;
        t->nstacks = t->shown.nstacks;
    }
    return n > 0;
}

static int by_rank(const void *a, const void *b, void *ctx)
{
    const struct tree *t = ctx;
    uint32_t x = t->rank[label_at(t, *(const uint32_t *)a)], y = t->rank[label_at(t, *(const uint32_t *)b)];
    return x < y ? -1 : x > y;
}

/* Links every stack's children, then puts them in the order of their labels where there are several. Most have one, so
 * this is mostly one pass through memory in order. */
static void sort_children(struct tree *t)
{
    const struct wick_stack *s = t->stacks;
    uint32_t n = t->nstacks, *some = reallocarray(NULL, n, sizeof *some);
    t->child = calloc(n, sizeof *t->child);
    t->sibling = calloc(n, sizeof *t->sibling);
    t->failed = !some || !t->child || !t->sibling;
    for (uint32_t i = n; !t->failed && i-- > 1;) {
        t->sibling[i] = t->child[s[i].parent];
        t->child[s[i].parent] = i;
    }
    for (uint32_t i = 0; !t->failed && i < n; i++) {
        uint32_t k = 0;
        if (!t->child[i] || !t->sibling[t->child[i]])
            continue;
        for (uint32_t c = t->child[i]; c; c = t->sibling[c])
            some[k++] = c;
        qsort_r(some, k, sizeof *some, by_rank, t);
        t->child[i] = some[0];
        for (uint32_t j = 0; j < k; j++)
            t->sibling[some[j]] = j + 1 < k ? some[j + 1] : 0;
    }
    free(some);
}

static size_t label_bytes(const struct tree *t, uint32_t label)
{
    return t->label_at[label + 1] - t->label_at[label];
}

/* A node that will be visited soon and lies far from the one that is visited now. */
static void prefetch(const struct tree *t, uint32_t node)
{
    __builtin_prefetch(&t->stacks[node]);
    __builtin_prefetch(&t->weight[node]);
    __builtin_prefetch(&t->child[node]);
    __builtin_prefetch(&t->sibling[node]);
}

/* Walks the tree depth first; `line` holds the path. Going back up cuts the last name off again. */
static void write_lines(struct tree *t, FILE *out)
{
    const struct wick_stack *s = t->stacks;
    struct wick_strbuf line = WICK_STRBUF_INIT;
    for (uint32_t node = t->child[0]; node && !t->failed;) {
        if (s[node].parent)
            wick_strbuf_addc(&line, ';');
        wick_strbuf_add(&line, t->text.buf + t->label_at[label_at(t, node)], label_bytes(t, label_at(t, node)));
        t->failed = line.failed;
        if (t->sibling[node])
            prefetch(t, t->sibling[node]);
        if (t->weight[node])
            wick_stack_line_write(out, line.buf, line.len, t->weight[node]);
        if (t->child[node]) {
            node = t->child[node];
            continue;
        }
        for (; node; node = s[node].parent) {
            line.len -= label_bytes(t, label_at(t, node)) + (s[node].parent != 0);
            if (t->sibling[node])
                break;
        }
        node = node ? t->sibling[node] : 0;
    }
    wick_strbuf_release(&line);
}

/* The depth of the deepest stack. */
static uint32_t depth_of(const struct wick_profile *p)
{
    uint32_t max = 0, *depth = calloc(p->nstacks, sizeof *depth);
    for (uint32_t i = 1; depth && i < p->nstacks; i++) {
        depth[i] = depth[p->stacks[i].parent] + 1;
        max = depth[i] > max ? depth[i] : max;
    }
    uint32_t result = depth ? max : p->nstacks;
    free(depth);
    return result;
}

unsigned wick_collapsed_out_keep(unsigned names)
{
    unsigned keep = 0;
    keep |= names & WICK_NAME_LINES ? WICK_KEEP_LINES : 0;
    keep |= names & WICK_NAME_ANNOTATE ? WICK_KEEP_JAVA_KINDS : 0;
    keep |= names & WICK_NAME_SIGNATURES ? WICK_KEEP_SIGNATURES : 0;
    return keep;
}

int wick_collapsed_out_write(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                             struct wick_err *err)
{
    uint16_t event = o->event ? o->event : wick_profile_main_event(p);
    struct tree t = {.p = p, .text = WICK_STRBUF_INIT};
    bool any = false;
    t.path = reallocarray(NULL, (size_t)depth_of(p) + 1, sizeof *t.path);
    t.frame_label = calloc(p->nframes, sizeof *t.frame_label);
    t.known = calloc(p->nstacks, sizeof *t.known); /* untouched, and so no memory, where the trees are the same */
    t.known_under = calloc(o->threads ? p->nstacks : 1, sizeof *t.known_under);
    t.failed = wick_profile_init(&t.shown) || !t.path || !t.frame_label || !t.known || !t.known_under;
    if (!t.failed)
        alias_tree(&t, o);
    if (!t.failed)
        any = build(&t, o, event);
    if (any && !t.failed)
        rank_labels(&t);
    if (any && !t.failed)
        sort_children(&t);
    if (any && !t.failed)
        write_lines(&t, out);
    free(t.path);
    free(t.frame_label);
    free(t.known);
    free(t.known_under);
    free(t.label_at);
    free(t.rank);
    free(t.weight);
    free(t.child);
    free(t.sibling);
    wick_strbuf_release(&t.text);
    wick_index_release(&t.labels);
    wick_profile_release(&t.shown);
    if (t.failed)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory while writing collapsed stacks");
    return any ? 0 : wick_err_set(err, WICK_E_NOTFOUND, "the recording holds no samples");
}
