/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_graph.c - waits to edges, by sorting
 *
 * Each wait of an owned lock becomes an edge of its own; these are sorted by their ends and the lock's class, and
 * neighbours that agree are added up in place, so that O(n log n) time and one array suffice, however many nodes
 * there are. Edges of equal weight are ordered by their ends, so the order does not depend on that of the events.
 *
 * An edge has two stacks, of the longest wait and of the longest one whose owner was seen. They may be of different
 * waits: nobody may have seen the owner of the longest, and another owner's stack says more than none.
 *
 * The group of a name is made once for each string, in a table by its number. The table is as long as the strings
 * were at the start: groups are added behind, but only names of threads, which were there before, are searched. A
 * group may itself be string 0, the empty one, hence the bit KNOWN; and so an owner without a name is distinguished
 * from none by owner_known.
 */
#include "analysis/wait/lock_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/sum.h"

/* Groups of threads by their names. A name is inspected once, however long it is and however many waits have it. */
struct groups {
    struct wick_profile *p;
    uint64_t *of; /* of each string that was there before: its group's string and KNOWN, 0 = not asked for yet */
    struct wick_strbuf text;
};

#define KNOWN ((uint64_t)1 << 32)

/* The name of a thread with each number as one star. */
static uint32_t group_of(struct groups *g, uint32_t thread)
{
    uint64_t *of = &g->of[g->p->threads[thread].name];
    const struct wick_string *name = &g->p->strings[g->p->threads[thread].name];
    if (*of)
        return (uint32_t)*of;
    wick_strbuf_clear(&g->text);
    for (size_t i = 0; i < name->len; i++) {
        char c = name->s[i];
        bool digit = c >= '0' && c <= '9', before = i && name->s[i - 1] >= '0' && name->s[i - 1] <= '9';
        if (!digit)
            wick_strbuf_add(&g->text, &c, 1);
        else if (!before)
            wick_strbuf_adds(&g->text, "*");
    }
    *of = KNOWN | wick_profile_string(g->p, g->text.buf, g->text.len);
    return (uint32_t)*of;
}

static int by_ends(const void *a, const void *b)
{
    const struct wick_lock_flow *x = a, *y = b;
    const uint32_t kx[] = {x->waiter, x->owner, x->owner_known, x->class_name, x->park, x->native},
                   ky[] = {y->waiter, y->owner, y->owner_known, y->class_name, y->park, y->native};
    for (size_t i = 0; i < sizeof kx / sizeof *kx; i++)
        if (kx[i] != ky[i])
            return kx[i] < ky[i] ? -1 : 1;
    return 0;
}

static int heaviest_first(const void *a, const void *b)
{
    const struct wick_lock_flow *x = a, *y = b;
    if (x->weight_ns != y->weight_ns)
        return x->weight_ns < y->weight_ns ? 1 : -1;
    return by_ends(a, b);
}

static void add(struct wick_lock_flow *to, const struct wick_lock_flow *f)
{
    to->weight_ns = wick_sum(to->weight_ns, f->weight_ns);
    to->waits += f->waits;
    if (f->seen_ns > to->seen_ns) {
        to->seen_ns = f->seen_ns;
        to->owner_stack = f->owner_stack;
    }
    if (f->longest_ns > to->longest_ns) {
        to->longest_ns = f->longest_ns;
        to->waiter_stack = f->waiter_stack;
    }
}

/* A flow for each wait for a lock that has an owner. */
static size_t one_by_one(const struct wick_lock_waits *w, struct wick_lock_flow *flows, struct groups *g)
{
    size_t n = 0;
    for (uint32_t i = 0; i < w->nlocks; i++) {
        const struct wick_lock_row *lock = &w->locks[i];
        for (uint32_t k = 0; wick_lock_waits_are_owned(w, lock) && k < lock->count; k++) {
            const struct wick_lock_wait_row *r = &w->rows[lock->first + k];
            flows[n++] = (struct wick_lock_flow){
                .waiter = group_of(g, r->thread),
                .owner = r->owner ? group_of(g, r->owner) : 0,
                .owner_known = r->owner != 0,
                .class_name = r->class_name,
                .park = r->park,
                .native = r->native,
                .waiter_stack = r->stack,
                .owner_stack = r->owner_stack,
                .weight_ns = r->weight_ns,
                .longest_ns = r->duration_ns,
                .seen_ns = r->owner_stack ? r->duration_ns : 0,
                .waits = 1,
            };
        }
    }
    return n;
}

int wick_lock_graph(const struct wick_lock_waits *w, struct wick_lock_flow **out, size_t *n)
{
    struct groups g = {w->profile, calloc((size_t)w->profile->nstrings + 1, sizeof *g.of), WICK_STRBUF_INIT};
    struct wick_lock_flow *flows = calloc((size_t)w->nrows + 1, sizeof *flows);
    size_t all = flows && g.of ? one_by_one(w, flows, &g) : 0, kept = 0;
    bool failed = !flows || !g.of || g.text.failed;
    wick_strbuf_release(&g.text);
    free(g.of);
    if (failed) {
        free(flows);
        return -WICK_E_NOMEM;
    }
    if (all)
        qsort(flows, all, sizeof *flows, by_ends);
    for (size_t i = 0; i < all; i++) {
        if (kept && !by_ends(&flows[kept - 1], &flows[i]))
            add(&flows[kept - 1], &flows[i]);
        else
            flows[kept++] = flows[i];
    }
    if (kept)
        qsort(flows, kept, sizeof *flows, heaviest_first);
    *out = flows;
    *n = kept;
    return 0;
}
