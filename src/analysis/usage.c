/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/usage.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "model/label.h"

/* What a sample adds to a row: CPU time at a leaf, or waiting for a CPU that somebody had. */
enum { ON_CPU, WAITING };

struct wick_usage_entry {
    uint32_t value, what, who; /* who: frame or string */
    int64_t weight_ns;
};

void wick_usage_init(struct wick_usage *u, struct wick_profile *p, const char *by)
{
    *u = (struct wick_usage){
        .p = p, .by = by, .rivals = strcmp(by, "container") != 0 ? "ran-instead" : "ran-instead-container"};
}

void wick_usage_release(struct wick_usage *u)
{
    free(u->entries);
    free(u->rows);
    *u = (struct wick_usage){0};
}

static uint32_t label_of(const struct wick_profile *p, const struct wick_sample *s, const char *name)
{
    uint32_t key = wick_profile_label_key(p, name);
    return key ? wick_profile_label(p, s->labels, key) : 0;
}

void wick_usage_add(struct wick_usage *u, const struct wick_sample *s)
{
    const struct wick_profile *p = u->p;
    const struct wick_sample_type *type = &p->events[s->event];
    bool cpu = type->kind == WICK_KIND_CPU;
    bool waiting =
        type->kind == WICK_KIND_WALL && !strcmp(wick_profile_str(p, p->states[s->state]), "STATE_WAITING_FOR_CPU");
    if (type->unit != WICK_UNIT_NS || s->weight <= 0 || !(cpu || waiting))
        return;
    if (u->n == u->cap) {
        size_t more = u->cap ? 2 * u->cap : 1024;
        void *bigger = more <= WICK_USAGE_MOST ? realloc(u->entries, more * sizeof *u->entries) : NULL;
        u->left_out += !bigger;
        if (!bigger)
            return;
        u->entries = bigger;
        u->cap = more;
    }
    u->entries[u->n++] = (struct wick_usage_entry){.value = label_of(p, s, u->by),
                                                   .what = cpu ? ON_CPU : WAITING,
                                                   .who = cpu ? p->stacks[s->stack].frame : label_of(p, s, u->rivals),
                                                   .weight_ns = s->weight};
}

static int by_row(const void *a, const void *b)
{
    const struct wick_usage_entry *l = a, *r = b;
    if (l->value != r->value)
        return l->value < r->value ? -1 : 1;
    if (l->what != r->what)
        return l->what < r->what ? -1 : 1;
    return (l->who > r->who) - (l->who < r->who);
}

static int by_demand(const void *a, const void *b)
{
    const struct wick_usage_row *l = a, *r = b;
    int64_t left = wick_sum(l->cpu_ns, l->waiting_ns), right = wick_sum(r->cpu_ns, r->waiting_ns);
    if (left != right)
        return left < right ? 1 : -1;
    return (l->value > r->value) - (l->value < r->value);
}

/* Adds entries of the same leaf, or with the same rival. */
static void add_up(struct wick_usage_row *row, const struct wick_usage_entry *e, int64_t sum, int64_t *most)
{
    if (e->what == ON_CPU) {
        row->cpu_ns = wick_sum(row->cpu_ns, sum);
        row->frame = sum > *most ? e->who : row->frame;
        *most = sum > *most ? sum : *most;
        return;
    }
    row->waiting_ns = wick_sum(row->waiting_ns, sum);
    if (e->who && sum > row->rival_ns) {
        row->rival = e->who;
        row->rival_ns = sum;
    }
}

/* Room for a row for each value. */
static bool make_room(struct wick_usage *u)
{
    size_t need = 0;
    for (size_t i = 0; i < u->n; i++)
        need += !i || u->entries[i].value != u->entries[i - 1].value;
    if (need <= u->cap_rows)
        return true;
    void *bigger = realloc(u->rows, need * sizeof *u->rows);
    u->failed |= !bigger;
    if (!bigger)
        return false;
    u->rows = bigger;
    u->cap_rows = need;
    return true;
}

size_t wick_usage_rows(struct wick_usage *u, const struct wick_usage_row **rows)
{
    size_t n = 0;
    int64_t most = 0;
    if (u->n)
        qsort(u->entries, u->n, sizeof *u->entries, by_row);
    bool room = make_room(u);
    for (size_t i = 0, end; room && i < u->n; i = end) {
        const struct wick_usage_entry *e = &u->entries[i];
        int64_t sum = 0;
        for (end = i; end < u->n && !by_row(e, &u->entries[end]); end++)
            sum = wick_sum(sum, u->entries[end].weight_ns);
        if (!i || e->value != u->entries[i - 1].value) {
            u->rows[n++] = (struct wick_usage_row){.value = e->value};
            most = 0;
        }
        add_up(&u->rows[n - 1], e, sum, &most);
    }
    if (n)
        qsort(u->rows, n, sizeof *u->rows, by_demand);
    u->n = 0;
    *rows = u->rows;
    return n;
}
