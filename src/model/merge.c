/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - one profile added to another
 *
 * The tables of a profile depend on each other downwards only (strings <- functions <- frames <- stacks), and a stack's
 * parent has a smaller number. So one pass over each table, in that order, gives every number of `from` its number in
 * `to`, and interning does the rest: what `to` knows is found, what it does not know is appended.
 */
#include "model/merge.h"
#include "base/err.h"
#include "base/sum.h"
#include "model/label.h"

#include <stdlib.h>

struct merge {
    struct wick_profile *to;
    const struct wick_profile *from;
    /* By number in `from`: the number in `to`. */
    uint32_t *strings, *functions, *frames, *stacks, *threads, *label_sets;
    uint16_t *states, *events;
};

static bool is_finer(const struct wick_profile *to, const struct wick_profile *from)
{
    return (to->keep & ~from->keep) || (to->by_thread && !from->by_thread) || (to->by_state && !from->by_state) ||
           (to->by_labels && !from->by_labels);
}

static bool disagrees(const struct wick_profile *to, const struct wick_profile *from)
{
    bool spans = to->by_labels && to->by_span != from->by_span;
    return spans || to->objects != from->objects || ((to->keep ^ from->keep) & WICK_KEEP_SIGNATURES);
}

/* The string "none" is in the index from the beginning. */
static bool is_sealed(const struct wick_profile *p)
{
    return !p->ix_strings.slots;
}

static uint32_t function(struct merge *m, uint32_t id)
{
    const struct wick_function *f = &m->from->functions[id];
    uint32_t to =
        wick_profile_function(m->to, m->strings[f->class_name], m->strings[f->name], m->strings[f->signature]);
    m->to->functions[to].declared |= to ? f->declared : 0;
    return to;
}

static uint32_t frame(struct merge *m, uint32_t id)
{
    const struct wick_frame *f = &m->from->frames[id];
    return wick_profile_frame(m->to, m->functions[f->function], f->line, f->bci, f->kind);
}

static uint32_t label_set(struct merge *m, uint32_t id)
{
    const struct wick_label_set *s = &m->from->label_sets[id];
    struct wick_label pairs[WICK_LABELS_MAX];
    uint32_t n = s->n < WICK_LABELS_MAX ? s->n : WICK_LABELS_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const struct wick_label *l = &m->from->labels[s->first + i];
        pairs[i] = (struct wick_label){m->strings[l->key], m->strings[l->value]};
    }
    return wick_profile_label_set(m->to, pairs, n);
}

/* Number 0 is "none" on both sides: the maps start as zeros, and every pass starts at 1. What `to` adds up over is
 * "none" for all. */
static void map_things(struct merge *m)
{
    const struct wick_profile *p = m->from;
    for (uint32_t i = 1; i < p->nstrings; i++)
        m->strings[i] = wick_profile_string(m->to, p->strings[i].s, p->strings[i].len);
    for (uint32_t i = 1; i < p->nfunctions; i++)
        m->functions[i] = function(m, i);
    for (uint32_t i = 1; i < p->nframes; i++)
        m->frames[i] = frame(m, i);
    for (uint32_t i = 1; i < p->nstacks; i++)
        m->stacks[i] = wick_profile_push(m->to, m->stacks[p->stacks[i].parent], m->frames[p->stacks[i].frame]);
    for (uint32_t i = 1; i < p->nthreads && m->to->by_thread; i++) {
        const struct wick_thread *t = &p->threads[i];
        m->threads[i] = wick_profile_thread(m->to, m->strings[t->name], t->os_tid, t->java_tid, t->is_virtual);
    }
    for (uint32_t i = 1; i < p->nlabel_sets && m->to->by_labels; i++)
        m->label_sets[i] = label_set(m, i);
    for (uint32_t i = 1; i < p->nstates && m->to->by_state; i++)
        m->states[i] = wick_profile_state(m->to, m->strings[p->states[i]]);
    for (uint32_t i = 1; i < p->nevents; i++) {
        const struct wick_sample_type *e = &p->events[i];
        m->events[i] = wick_profile_event(m->to, m->strings[e->name], e->kind, e->unit);
    }
}

/* Aggregates become samples again. */
static void add_samples(struct merge *m, uint32_t *moved)
{
    const struct wick_profile *p = m->from;
    for (uint32_t i = 0; i < p->naggs && !m->to->failed; i++) {
        const struct wick_agg *a = &p->aggs[i];
        struct wick_agg_sizes sizes = wick_profile_sizes(p, i);
        uint32_t became = wick_profile_add(m->to, &(struct wick_sample){
                                                      .stack = m->stacks[a->stack],
                                                      .thread = m->threads[a->thread],
                                                      .labels = m->label_sets[a->labels],
                                                      .state = m->states[a->state],
                                                      .event = m->events[a->event],
                                                      .weight = a->weight,
                                                      .count = a->count,
                                                      .variance = sizes.variance,
                                                      .things = sizes.things,
                                                  });
        if (moved)
            moved[i] = became;
    }
    for (uint32_t i = 0; i < p->nevents; i++) {
        int64_t *own = &m->to->events[m->events[i]].own;
        *own = wick_sum(*own, p->events[i].own);
    }
    if (p->end_ns)
        wick_profile_cover(m->to, p->start_ns, p->end_ns);
}

int wick_profile_merge(struct wick_profile *to, const struct wick_profile *from)
{
    return wick_profile_merge_moved(to, from, NULL);
}

int wick_profile_merge_moved(struct wick_profile *to, const struct wick_profile *from, uint32_t *moved)
{
    if (is_finer(to, from) || disagrees(to, from) || is_sealed(to))
        return -WICK_E_USAGE;
    struct merge m = {
        .to = to,
        .from = from,
        .strings = calloc(from->nstrings, sizeof *m.strings),
        .functions = calloc(from->nfunctions, sizeof *m.functions),
        .frames = calloc(from->nframes, sizeof *m.frames),
        .stacks = calloc(from->nstacks, sizeof *m.stacks),
        .threads = calloc(from->nthreads, sizeof *m.threads),
        .label_sets = calloc(from->nlabel_sets, sizeof *m.label_sets),
        .states = calloc(from->nstates, sizeof *m.states),
        .events = calloc(from->nevents, sizeof *m.events),
    };
    void *maps[] = {m.strings, m.functions, m.frames, m.stacks, m.threads, m.label_sets, m.states, m.events};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        to->failed |= !maps[i];
    if (!to->failed)
        map_things(&m);
    if (!to->failed)
        add_samples(&m, moved);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        free(maps[i]);
    return to->failed ? -WICK_E_NOMEM : 0;
}
