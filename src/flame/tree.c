/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - the call tree's storage
 *
 * Everything is an array that grows by doubling and is addressed by number, so that a million nodes are a few
 * allocations and nothing recurses:
 *
 *   names    bytes in one arena + (offset, length, hash); found through an open-addressing table of name numbers
 *   nodes    struct wick_tree_node; children are singly linked lists; found through an open-addressing table keyed by
 *            (parent, name, group), whose keys are read from the nodes themselves. A node made right after its parent
 *            is found there, at the next number, and is not in the table: of a stack seen for the first time that is
 *            every node but one
 *   splits   one record for each Java node that was seen in more than one kind; record 0 is unused, so that 0 = none
 *   lines    linked records; a node rarely has more than a few, so a list with the latest hit in front is fastest
 *
 * wick_tree_add reserves room for the worst case first (n nodes, n splits, n lines) and then cannot fail half-way.
 *
 * Sorting children: names are ranked once (qsort of the names), then each list of siblings is put in order by rank and
 * kind. Most nodes are an only child, so this is mostly one pass through the nodes in order. The result is independent
 * of the order in which stacks came.
 */
#include "flame/tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/frame_kind.h"
#include "base/sum.h"

#define NAME_MAX_BYTES (1u << 20)

struct name {
    size_t offset;
    uint32_t len, hash;
    uint32_t library; /* a name, always a smaller number; WICK_TREE_NONE = none */
};

struct line {
    uint64_t total, self;
    uint32_t line, next; /* WICK_TREE_NONE = last */
};

struct table {
    uint32_t *slot; /* number + 1; 0 = free */
    size_t mask;    /* slots - 1 */
};

struct wick_tree {
    char *bytes;
    size_t bytes_len, bytes_cap;
    struct name *names;
    size_t names_len, names_cap;
    struct table name_table, node_table;
    struct wick_tree_node *nodes;
    size_t nodes_len, nodes_cap, node_table_used;
    struct wick_tree_split *splits;
    size_t splits_len, splits_cap;
    struct line *lines;
    size_t lines_len, lines_cap;
    uint32_t *rank; /* by name number; names_ranked of them */
    size_t names_ranked;
    uint64_t gcd, seed;
    uint32_t depth;
    bool sorted;
};

/* Makes room for `more` elements; the array keeps its content on failure. */
static int reserve(void **array, size_t *cap, size_t len, size_t more, size_t size)
{
    if (more <= *cap - len)
        return 0;
    size_t want = *cap ? *cap : 64;
    while (want - len < more) {
        if (want > SIZE_MAX / 4 / size)
            return -WICK_E_NOMEM;
        want *= 2;
    }
    void *p = realloc(*array, want * size);
    if (!p)
        return -WICK_E_NOMEM;
    *array = p;
    *cap = want;
    return 0;
}

#define RESERVE(t, what, more) \
    reserve((void **)&(t)->what, &(t)->what##_cap, (t)->what##_len, (more), sizeof *(t)->what)

static inline uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint32_t hash_bytes(uint64_t h, const char *s, size_t n)
{
    uint64_t v = 0;
    h = mix(h, n);
    for (; n >= 8; s += 8, n -= 8) {
        memcpy(&v, s, 8);
        h = mix(h, v);
    }
    v = 0;
    memcpy(&v, s, n);
    return (uint32_t)(mix(h, v) >> 32);
}

/* The kinds that a Java method's frames have in turn fold into one group. */
static inline unsigned group_of(unsigned kind)
{
    return wick_frame_kind_varies(kind) ? (unsigned)WICK_FRAME_C2 : kind;
}

static inline uint32_t hash_node(const struct wick_tree *t, uint32_t parent, uint32_t name, unsigned group)
{
    uint64_t h = mix(t->seed, (uint64_t)parent << 32 | name);
    return (uint32_t)(mix(h, group) >> 32);
}

static int table_init(struct table *tab, size_t slots)
{
    tab->slot = calloc(slots, sizeof *tab->slot);
    tab->mask = slots - 1;
    return tab->slot ? 0 : -WICK_E_NOMEM;
}

struct wick_tree *wick_tree_new(void)
{
    struct wick_tree *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->seed = mix((uintptr_t)t, 0x5eed);
    if (table_init(&t->name_table, 256) || table_init(&t->node_table, 1024) || RESERVE(t, nodes, 1) ||
        RESERVE(t, splits, 1) || RESERVE(t, names, 1) || RESERVE(t, bytes, 1)) {
        wick_tree_free(t);
        return NULL;
    }
    t->nodes[t->nodes_len++] = (struct wick_tree_node){
        .parent = WICK_TREE_NONE,
        .first_child = WICK_TREE_NONE,
        .next_sibling = WICK_TREE_NONE,
        .name = WICK_TREE_NONE,
        .lines = WICK_TREE_NONE,
        .kind = WICK_FRAME_BOUNDARY,
    };
    memset(&t->splits[t->splits_len++], 0, sizeof *t->splits);
    return t;
}

void wick_tree_free(struct wick_tree *t)
{
    if (!t)
        return;
    free(t->bytes);
    free(t->names);
    free(t->name_table.slot);
    free(t->node_table.slot);
    free(t->nodes);
    free(t->splits);
    free(t->lines);
    free(t->rank);
    free(t);
}

/* ---- names ---- */

static int grow_name_table(struct wick_tree *t)
{
    struct table bigger;
    if (table_init(&bigger, (t->name_table.mask + 1) * 2))
        return -WICK_E_NOMEM;
    for (size_t id = 0; id < t->names_len; id++) {
        size_t i = t->names[id].hash & bigger.mask;
        while (bigger.slot[i])
            i = (i + 1) & bigger.mask;
        bigger.slot[i] = (uint32_t)id + 1;
    }
    free(t->name_table.slot);
    t->name_table = bigger;
    return 0;
}

uint32_t wick_tree_name_in(struct wick_tree *t, const char *s, size_t n, uint32_t library)
{
    if (n > NAME_MAX_BYTES || t->names_len >= WICK_TREE_NONE - 1)
        return WICK_TREE_NONE;
    uint32_t hash = hash_bytes(mix(t->seed, library), s, n);
    size_t i = hash & t->name_table.mask;
    for (uint32_t id1; (id1 = t->name_table.slot[i]); i = (i + 1) & t->name_table.mask) {
        const struct name *m = &t->names[id1 - 1];
        if (m->hash == hash && m->len == n && m->library == library && !memcmp(t->bytes + m->offset, s, n))
            return id1 - 1;
    }
    if (RESERVE(t, bytes, n + 1) || RESERVE(t, names, 1))
        return WICK_TREE_NONE;
    if (t->names_len * 2 > t->name_table.mask) {
        if (grow_name_table(t))
            return WICK_TREE_NONE;
        i = hash & t->name_table.mask;
        while (t->name_table.slot[i])
            i = (i + 1) & t->name_table.mask;
    }
    memcpy(t->bytes + t->bytes_len, s, n);
    t->names[t->names_len++] =
        (struct name){.offset = t->bytes_len, .len = (uint32_t)n, .hash = hash, .library = library};
    t->bytes_len += n;
    t->name_table.slot[i] = (uint32_t)t->names_len;
    t->sorted = false;
    return (uint32_t)t->names_len - 1;
}

uint32_t wick_tree_name(struct wick_tree *t, const char *s, size_t n)
{
    return wick_tree_name_in(t, s, n, WICK_TREE_NONE);
}

uint32_t wick_tree_library(const struct wick_tree *t, uint32_t id)
{
    return t->names[id].library;
}

const char *wick_tree_name_get(const struct wick_tree *t, uint32_t id, size_t *n)
{
    *n = t->names[id].len;
    return t->bytes + t->names[id].offset;
}

uint32_t wick_tree_names(const struct wick_tree *t)
{
    return (uint32_t)t->names_len;
}

/* ---- nodes ---- */

static const uint8_t java_kinds[WICK_TREE_JAVA_KINDS] = {WICK_FRAME_C2, WICK_FRAME_C1, WICK_FRAME_INLINED,
                                                         WICK_FRAME_INTERPRETED};

int wick_tree_java_slot(unsigned kind)
{
    for (unsigned i = 0; i < WICK_TREE_JAVA_KINDS; i++)
        if (java_kinds[i] == kind)
            return (int)i;
    return -1;
}

uint8_t wick_tree_java_kind(unsigned slot)
{
    return java_kinds[slot];
}

/* Room in the node table for `more` nodes at a load of at most one half. */
static int reserve_node_table(struct wick_tree *t, size_t more)
{
    size_t slots = t->node_table.mask + 1;
    while ((t->node_table_used + more) * 2 > slots)
        slots *= 2;
    if (slots == t->node_table.mask + 1)
        return 0;
    struct table bigger;
    if (table_init(&bigger, slots))
        return -WICK_E_NOMEM;
    for (size_t id = 1; id < t->nodes_len; id++) {
        const struct wick_tree_node *d = &t->nodes[id];
        if (d->parent + 1 == id)
            continue;
        size_t i = hash_node(t, d->parent, d->name, group_of(d->kind)) & bigger.mask;
        while (bigger.slot[i])
            i = (i + 1) & bigger.mask;
        bigger.slot[i] = (uint32_t)id + 1;
    }
    free(t->node_table.slot);
    t->node_table = bigger;
    return 0;
}

static inline bool node_is(const struct wick_tree_node *d, uint32_t parent, uint32_t name, unsigned group)
{
    return d->parent == parent && d->name == name && group_of(d->kind) == group;
}

/* The child of parent with this name and group, made if need be. Room must have been reserved. */
static uint32_t child_of(struct wick_tree *t, uint32_t parent, uint32_t name, uint8_t kind)
{
    unsigned group = group_of(kind);
    bool beside = parent + 1 == t->nodes_len;
    size_t i = 0;
    if (!beside) {
        if (node_is(&t->nodes[parent + 1], parent, name, group))
            return parent + 1;
        i = hash_node(t, parent, name, group) & t->node_table.mask;
        for (uint32_t id1; (id1 = t->node_table.slot[i]); i = (i + 1) & t->node_table.mask)
            if (node_is(&t->nodes[id1 - 1], parent, name, group))
                return id1 - 1;
    }
    uint32_t id = (uint32_t)t->nodes_len++;
    struct wick_tree_node *p = &t->nodes[parent];
    t->nodes[id] = (struct wick_tree_node){
        .parent = parent,
        .first_child = WICK_TREE_NONE,
        .next_sibling = p->first_child,
        .name = name,
        .depth = p->depth + 1,
        .lines = WICK_TREE_NONE,
        .kind = kind,
    };
    p->first_child = id;
    if (!beside) {
        t->node_table.slot[i] = id + 1;
        t->node_table_used++;
    }
    if (t->depth < p->depth + 1)
        t->depth = p->depth + 1;
    t->sorted = false;
    return id;
}

static void add_weight(struct wick_tree *t, uint32_t id, uint8_t kind, uint64_t total, uint64_t self)
{
    struct wick_tree_node *d = &t->nodes[id];
    if (kind != d->kind && !d->split) {
        d->split = (uint32_t)t->splits_len++;
        struct wick_tree_split *fresh = &t->splits[d->split];
        memset(fresh, 0, sizeof *fresh);
        int first = wick_tree_java_slot(d->kind);
        fresh->total[first] = d->total;
        fresh->self[first] = d->self;
    }
    d->total += total;
    d->self += self;
    if (d->split) {
        int slot = wick_tree_java_slot(kind);
        t->splits[d->split].total[slot] += total;
        t->splits[d->split].self[slot] += self;
    }
}

/* Most nodes were on one line with all their weight: such a line stands in the node, marked by the top bit. */
#define ONE_LINE 0x80000000u
_Static_assert((WICK_TREE_NONE & ONE_LINE) != 0, "the largest line number is taken");

static bool is_one_line(uint32_t lines)
{
    return lines != WICK_TREE_NONE && (lines & ONE_LINE);
}

/* Makes a record of a line that stood in its node and had this much weight. */
static void spill_line(struct wick_tree *t, struct wick_tree_node *d, uint64_t total, uint64_t self)
{
    if (!is_one_line(d->lines))
        return;
    t->lines[t->lines_len] =
        (struct line){.total = total, .self = self, .line = d->lines & ~ONE_LINE, .next = WICK_TREE_NONE};
    d->lines = (uint32_t)t->lines_len++;
}

/* Says on which line (0 = unknown) the weight was that the node has just been given. */
static void add_line(struct wick_tree *t, uint32_t id, uint32_t line, uint64_t total, uint64_t self)
{
    struct wick_tree_node *d = &t->nodes[id];
    bool fresh = d->total == total && d->self == self;
    if (fresh && line && line < ~ONE_LINE && d->lines == WICK_TREE_NONE) {
        d->lines = line | ONE_LINE;
        return;
    }
    if (is_one_line(d->lines) && (d->lines & ~ONE_LINE) == line)
        return;
    spill_line(t, d, d->total - total, d->self - self);
    if (!line)
        return;
    uint32_t *link = &d->lines;
    for (unsigned seen = 0; *link != WICK_TREE_NONE; seen++) {
        uint32_t at = *link;
        struct line *l = &t->lines[at];
        if (l->line == line) {
            l->total += total;
            l->self += self;
            *link = l->next;
            l->next = d->lines;
            d->lines = at;
            return;
        }
        if (seen + 1 == WICK_TREE_MAX_LINES)
            return;
        link = &l->next;
    }
    t->lines[t->lines_len] = (struct line){.total = total, .self = self, .line = line, .next = d->lines};
    d->lines = (uint32_t)t->lines_len++;
}

static int reserve_stack(struct wick_tree *t, size_t n)
{
    if (n >= WICK_TREE_NONE - t->nodes_len || 2 * n >= ONE_LINE - t->lines_len)
        return -WICK_E_LIMIT;
    if (RESERVE(t, nodes, n) || RESERVE(t, splits, n) || RESERVE(t, lines, 2 * n) || reserve_node_table(t, n))
        return -WICK_E_NOMEM;
    return 0;
}

void wick_tree_divide(struct wick_tree *t, uint64_t divisor)
{
    uint64_t a = divisor, b = t->gcd;
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    t->gcd = a;
}

static void count_weight(struct wick_tree *t, uint64_t weight)
{
    wick_tree_divide(t, weight);
    t->nodes[WICK_TREE_ROOT].total += weight;
}

uint64_t wick_tree_room(const struct wick_tree *t, uint64_t weight)
{
    return wick_sum_room(t->nodes[WICK_TREE_ROOT].total, weight);
}

int wick_tree_add(struct wick_tree *t, const struct wick_tree_frame *frames, size_t n, uint64_t weight)
{
    if (!weight)
        return 0;
    weight = wick_tree_room(t, weight);
    if (!weight)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (frames[i].kind >= WICK_FRAME_KIND_COUNT || frames[i].name >= t->names_len)
            return -WICK_E_FORMAT;
    int rc = reserve_stack(t, n);
    if (rc)
        return rc;
    count_weight(t, weight);
    uint32_t at = WICK_TREE_ROOT;
    for (size_t i = 0; i < n; i++) {
        uint64_t self = i + 1 == n ? weight : 0;
        at = child_of(t, at, frames[i].name, frames[i].kind);
        add_weight(t, at, frames[i].kind, weight, self);
        add_line(t, at, frames[i].line, weight, self);
    }
    if (!n)
        t->nodes[WICK_TREE_ROOT].self += weight;
    return 0;
}

int wick_tree_child(struct wick_tree *t, uint32_t parent, const struct wick_tree_frame *frame, uint32_t *node)
{
    int rc = reserve_stack(t, 1);
    if (!rc)
        *node = child_of(t, parent, frame->name, frame->kind);
    return rc;
}

int wick_tree_weigh(struct wick_tree *t, uint32_t node, const struct wick_tree_frame *frame, uint64_t total,
                    uint64_t self)
{
    int rc = reserve_stack(t, 1);
    if (rc)
        return rc;
    add_weight(t, node, frame->kind, total, self);
    add_line(t, node, frame->line, total, self);
    return 0;
}

int wick_tree_count(struct wick_tree *t, uint64_t weight, bool at_root)
{
    if (t->nodes[WICK_TREE_ROOT].total + weight < weight)
        return -WICK_E_LIMIT;
    count_weight(t, weight);
    if (at_root)
        t->nodes[WICK_TREE_ROOT].self += weight;
    return 0;
}

uint32_t wick_tree_nodes(const struct wick_tree *t)
{
    return (uint32_t)t->nodes_len;
}

const struct wick_tree_node *wick_tree_node(const struct wick_tree *t, uint32_t node)
{
    return &t->nodes[node];
}

uint8_t wick_tree_kind(const struct wick_tree *t, uint32_t node)
{
    const struct wick_tree_node *d = &t->nodes[node];
    if (!d->split)
        return d->kind;
    const struct wick_tree_split *s = &t->splits[d->split];
    unsigned best = 0;
    for (unsigned i = 1; i < WICK_TREE_JAVA_KINDS; i++)
        if (s->total[i] > s->total[best])
            best = i;
    return java_kinds[best];
}

unsigned wick_tree_split_get(const struct wick_tree *t, uint32_t node, struct wick_tree_split *out)
{
    const struct wick_tree_node *d = &t->nodes[node];
    int slot = wick_tree_java_slot(d->kind);
    memset(out, 0, sizeof *out);
    if (slot < 0)
        return 0;
    if (!d->split) {
        out->total[slot] = d->total;
        out->self[slot] = d->self;
        return 1;
    }
    *out = t->splits[d->split];
    unsigned kinds = 0;
    for (unsigned i = 0; i < WICK_TREE_JAVA_KINDS; i++)
        kinds += out->total[i] != 0;
    return kinds;
}

unsigned wick_tree_lines(const struct wick_tree *t, uint32_t node, struct wick_tree_line out[WICK_TREE_MAX_LINES])
{
    const struct wick_tree_node *d = &t->nodes[node];
    unsigned n = 0;
    if (is_one_line(d->lines)) {
        out[n++] = (struct wick_tree_line){d->total, d->self, d->lines & ~ONE_LINE};
        return n;
    }
    for (uint32_t i = d->lines; i != WICK_TREE_NONE && n < WICK_TREE_MAX_LINES; i = t->lines[i].next)
        out[n++] = (struct wick_tree_line){t->lines[i].total, t->lines[i].self, t->lines[i].line};
    return n;
}

uint64_t wick_tree_gcd(const struct wick_tree *t)
{
    return t->gcd;
}

uint32_t wick_tree_depth(const struct wick_tree *t)
{
    return t->depth;
}

/* ---- order ---- */

static int compare_bytes(const struct wick_tree *t, uint32_t a, uint32_t b)
{
    const struct name *x = &t->names[a], *y = &t->names[b];
    int c = memcmp(t->bytes + x->offset, t->bytes + y->offset, x->len < y->len ? x->len : y->len);
    return c ? c : (x->len > y->len) - (x->len < y->len);
}

static int compare_names(const void *a, const void *b, void *tree)
{
    const struct wick_tree *t = tree;
    const uint32_t *x = a, *y = b;
    int c = compare_bytes(t, *x, *y);
    uint32_t lx = t->names[*x].library, ly = t->names[*y].library;
    if (c || lx == ly)
        return c;
    return lx == WICK_TREE_NONE ? -1 : ly == WICK_TREE_NONE ? 1 : compare_bytes(t, lx, ly);
}

static int rank_names(struct wick_tree *t)
{
    if (t->names_ranked == t->names_len)
        return 0;
    uint32_t *by_rank = malloc(t->names_len * sizeof *by_rank);
    uint32_t *rank = malloc(t->names_len * sizeof *rank);
    if (!by_rank || !rank) {
        free(by_rank);
        free(rank);
        return -WICK_E_NOMEM;
    }
    for (size_t i = 0; i < t->names_len; i++)
        by_rank[i] = (uint32_t)i;
    qsort_r(by_rank, t->names_len, sizeof *by_rank, compare_names, t);
    for (size_t i = 0; i < t->names_len; i++)
        rank[by_rank[i]] = (uint32_t)i;
    free(by_rank);
    free(t->rank);
    t->rank = rank;
    t->names_ranked = t->names_len;
    return 0;
}

static int by_rank_and_kind(const void *a, const void *b, void *tree)
{
    const struct wick_tree *t = tree;
    const struct wick_tree_node *x = &t->nodes[*(const uint32_t *)a], *y = &t->nodes[*(const uint32_t *)b];
    uint32_t rx = t->rank[x->name], ry = t->rank[y->name];
    unsigned gx = group_of(x->kind), gy = group_of(y->kind);
    return rx != ry ? (rx < ry ? -1 : 1) : (gx > gy) - (gx < gy);
}

/* Sorts the children of a node that has several. */
static int sort_children(struct wick_tree *t, struct wick_tree_node *parent, uint32_t **some, size_t *cap)
{
    size_t n = 0;
    for (uint32_t c = parent->first_child; c != WICK_TREE_NONE; c = t->nodes[c].next_sibling) {
        int rc = reserve((void **)some, cap, n, 1, sizeof **some);
        if (rc)
            return rc;
        (*some)[n++] = c;
    }
    qsort_r(*some, n, sizeof **some, by_rank_and_kind, t);
    parent->first_child = (*some)[0];
    for (size_t i = 0; i < n; i++)
        t->nodes[(*some)[i]].next_sibling = i + 1 < n ? (*some)[i + 1] : WICK_TREE_NONE;
    return 0;
}

int wick_tree_sort(struct wick_tree *t)
{
    if (t->sorted)
        return 0;
    uint32_t *some = NULL;
    size_t cap = 0;
    int rc = rank_names(t);
    for (size_t i = 0; !rc && i < t->nodes_len; i++) {
        uint32_t first = t->nodes[i].first_child;
        if (first != WICK_TREE_NONE && t->nodes[first].next_sibling != WICK_TREE_NONE)
            rc = sort_children(t, &t->nodes[i], &some, &cap);
    }
    free(some);
    t->sorted = !rc;
    return rc;
}

uint32_t wick_tree_rank(const struct wick_tree *t, uint32_t name)
{
    return t->rank[name];
}

uint32_t wick_tree_next(const struct wick_tree *t, uint32_t top, uint32_t node)
{
    uint32_t sibling = t->nodes[node].next_sibling; /* for later: siblings lie far apart */
    if (sibling != WICK_TREE_NONE)
        __builtin_prefetch(&t->nodes[sibling]);
    if (t->nodes[node].first_child != WICK_TREE_NONE)
        return t->nodes[node].first_child;
    for (; node != top; node = t->nodes[node].parent)
        if (t->nodes[node].next_sibling != WICK_TREE_NONE)
            return t->nodes[node].next_sibling;
    return WICK_TREE_NONE;
}

/* ---- leaf-up ---- */

/* a * b / c without overflow, for b <= c. */
static inline uint64_t share(uint64_t a, uint64_t b, uint64_t c)
{
    return (uint64_t)((unsigned __int128)a * b / c);
}

/* Adds weight w that came from node `from` of f to node `at` of r, divided among kinds as `part` (sum `whole`). */
static void add_shared(struct wick_tree *r, uint32_t at, const uint64_t *part, uint64_t whole, uint64_t w, bool self)
{
    uint64_t left = w;
    unsigned biggest = 0;
    for (unsigned k = 1; k < WICK_TREE_JAVA_KINDS; k++)
        if (part[k] > part[biggest])
            biggest = k;
    for (unsigned k = 0; k < WICK_TREE_JAVA_KINDS; k++) {
        uint64_t mine = k == biggest ? 0 : share(w, part[k], whole);
        left -= mine;
        if (mine)
            add_weight(r, at, java_kinds[k], mine, self ? mine : 0);
    }
    if (left)
        add_weight(r, at, java_kinds[biggest], left, self ? left : 0);
}

static void add_leaf_lines(struct wick_tree *r, uint32_t at, const struct wick_tree *f, uint32_t leaf, bool last)
{
    struct wick_tree_line lines[WICK_TREE_MAX_LINES];
    unsigned n = wick_tree_lines(f, leaf, lines);
    for (unsigned i = 0; i < n; i++)
        if (lines[i].self)
            add_line(r, at, lines[i].line, lines[i].self, last ? lines[i].self : 0);
}

static int add_reversed(struct wick_tree *r, const struct wick_tree *f, uint32_t leaf, const uint32_t *name_map)
{
    const struct wick_tree_node *l = &f->nodes[leaf];
    /* A node may be given a split and WICK_TREE_MAX_LINES lines: more than reserve_stack's one per frame. */
    int rc = reserve_stack(r, l->depth + WICK_TREE_MAX_LINES);
    if (rc)
        return rc;
    count_weight(r, l->self);
    uint32_t at = WICK_TREE_ROOT;
    for (uint32_t id = leaf; id != WICK_TREE_ROOT; id = f->nodes[id].parent) {
        const struct wick_tree_node *d = &f->nodes[id];
        bool last = d->parent == WICK_TREE_ROOT;
        at = child_of(r, at, name_map[d->name], d->kind);
        if (id == leaf)
            spill_line(r, &r->nodes[at], r->nodes[at].total, r->nodes[at].self);
        if (!d->split) {
            add_weight(r, at, d->kind, l->self, last ? l->self : 0);
        } else {
            const struct wick_tree_split *s = &f->splits[d->split];
            add_shared(r, at, id == leaf ? s->self : s->total, id == leaf ? d->self : d->total, l->self, last);
        }
        if (id == leaf)
            add_leaf_lines(r, at, f, leaf, last);
    }
    if (leaf == WICK_TREE_ROOT)
        r->nodes[WICK_TREE_ROOT].self += l->self;
    return 0;
}

int wick_tree_reverse(const struct wick_tree *t, struct wick_tree **out)
{
    struct wick_tree *r = wick_tree_new();
    uint32_t *name_map = malloc((t->names_len + 1) * sizeof *name_map);
    int rc = r && name_map ? 0 : -WICK_E_NOMEM;
    for (size_t i = 0; !rc && i < t->names_len; i++) {
        uint32_t library = t->names[i].library;
        name_map[i] = wick_tree_name_in(r, t->bytes + t->names[i].offset, t->names[i].len,
                                        library == WICK_TREE_NONE ? library : name_map[library]);
        if (name_map[i] == WICK_TREE_NONE)
            rc = -WICK_E_NOMEM;
    }
    for (size_t i = 0; !rc && i < t->nodes_len; i++)
        if (t->nodes[i].self)
            rc = add_reversed(r, t, (uint32_t)i, name_map);
    free(name_map);
    if (rc)
        wick_tree_free(r);
    else
        *out = r;
    return rc;
}
