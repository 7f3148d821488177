/* SPDX-License-Identifier: Apache-2.0 */
#include "export/shown.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/measure.h"

/* A string of p in q. By its length: it may hold a NUL, and different strings must stay different. */
static uint32_t copy(struct wick_shown *s, const struct wick_string *from)
{
    return wick_profile_string(&s->q, from->s, from->len);
}

/* The frame of q for one of p. */
static uint32_t show_frame(struct wick_shown *s, const struct wick_profile *p, uint32_t frame, unsigned names)
{
    const struct wick_frame *f = &p->frames[frame];
    struct wick_strbuf name = WICK_STRBUF_INIT;
    wick_name_add_frame(&name, p, frame, names & ~(unsigned)WICK_NAME_LINES);
    uint32_t library = wick_profile_cstring(&s->q, wick_measure_library(p, f));
    uint32_t text = wick_profile_string(&s->q, name.buf, name.len);
    s->q.failed = s->q.failed || name.failed;
    wick_strbuf_release(&name);
    int32_t line = names & WICK_NAME_LINES && f->line > 0 ? f->line : 0;
    return wick_profile_frame(&s->q, wick_profile_function(&s->q, library, text, 0), line, -1, f->kind);
}

/* Stacks that samples of the event have, and all on the way to their roots. */
static bool *used_stacks(const struct wick_profile *p, uint16_t event)
{
    bool *used = calloc(p->nstacks, sizeof *used);
    for (uint32_t i = 0; used && i < p->naggs; i++)
        used[p->aggs[i].stack] |= p->aggs[i].event == event;
    for (uint32_t i = p->nstacks; used && i-- > 1;)
        used[p->stacks[i].parent] |= used[i];
    return used;
}

static void show_stacks(struct wick_shown *s, const struct wick_profile *p, unsigned names)
{
    bool *used = used_stacks(p, s->event);
    uint32_t *frame = calloc(p->nframes, sizeof *frame); /* + 1; 0 = not made yet */
    s->stack = calloc(p->nstacks, sizeof *s->stack);
    s->q.failed = s->q.failed || !used || !frame || !s->stack;
    for (uint32_t i = 1; !s->q.failed && i < p->nstacks; i++) {
        const struct wick_stack *from = &p->stacks[i];
        if (!used[i])
            continue;
        if (!frame[from->frame])
            frame[from->frame] = show_frame(s, p, from->frame, names) + 1;
        s->stack[i] = wick_profile_push(&s->q, s->stack[from->parent], frame[from->frame] - 1);
    }
    free(used);
    free(frame);
}

static void show_threads(struct wick_shown *s, const struct wick_profile *p)
{
    for (uint32_t i = 1; i < p->nthreads; i++) {
        const struct wick_thread *t = &p->threads[i];
        const struct wick_string *name = &p->strings[t->name];
        wick_profile_thread(&s->q, copy(s, name), t->os_tid, t->java_tid, t->is_virtual);
    }
    for (uint32_t i = 1; i < p->nstates; i++)
        wick_profile_state(&s->q, copy(s, &p->strings[p->states[i]]));
}

/* A node's place is its parent's plus the sizes of the siblings before it; children are numbered behind parents. */
static void rank_stacks(struct wick_shown *s)
{
    uint32_t n = s->q.nstacks, *size = calloc(n, sizeof *size), *next = calloc(n, sizeof *next);
    s->rank = calloc(n, sizeof *s->rank);
    s->q.failed = s->q.failed || !size || !next || !s->rank;
    for (uint32_t i = n; !s->q.failed && i-- > 1;)
        size[s->q.stacks[i].parent] += ++size[i];
    for (uint32_t i = 1; !s->q.failed && i < n; i++) {
        uint32_t parent = s->q.stacks[i].parent;
        s->rank[i] = s->rank[parent] + 1 + next[parent];
        next[parent] += size[i];
    }
    free(size);
    free(next);
}

static int by_thread_and_rank(const void *a, const void *b, void *ctx)
{
    const struct wick_shown *s = ctx;
    const struct wick_agg *x = &s->q.aggs[*(const uint32_t *)a], *y = &s->q.aggs[*(const uint32_t *)b];
    uint32_t i = s->rank[x->stack], j = s->rank[y->stack];
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return i < j ? -1 : i > j ? 1 : x < y ? -1 : x > y;
}

static void order_aggs(struct wick_shown *s)
{
    s->order = calloc((size_t)s->q.naggs + 1, sizeof *s->order);
    s->q.failed = s->q.failed || !s->order;
    for (uint32_t i = 0; !s->q.failed && i < s->q.naggs; i++)
        s->order[i] = i;
    if (!s->q.failed)
        qsort_r(s->order, s->q.naggs, sizeof *s->order, by_thread_and_rank, s);
}

int wick_shown_init(struct wick_shown *s, const struct wick_profile *p, const struct wick_export_options *o,
                    struct wick_err *err)
{
    *s = (struct wick_shown){.event = wick_measure_event(p, o)};
    if (!s->event)
        return wick_err_set(err, WICK_E_NOTFOUND, "the recording holds no samples");
    const struct wick_sample_type *e = &p->events[s->event];
    if (wick_profile_init(&s->q))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    uint16_t event = wick_profile_event(&s->q, copy(s, &p->strings[e->name]), e->kind, e->unit);
    s->unit = o->counts ? "count" : wick_measure_unit(p, s->event);
    show_stacks(s, p, o->names);
    show_threads(s, p);
    for (uint32_t i = 0; !s->q.failed && i < p->naggs; i++) {
        const struct wick_agg *a = &p->aggs[i];
        if (a->event == s->event)
            wick_profile_add(&s->q, &(struct wick_sample){.stack = s->stack[a->stack],
                                                          .thread = a->thread,
                                                          .state = a->state,
                                                          .event = event,
                                                          .weight = a->weight,
                                                          .count = a->count});
    }
    wick_profile_cover(&s->q, p->start_ns, p->end_ns);
    rank_stacks(s);
    order_aggs(s);
    if (!s->q.failed && s->q.naggs)
        return 0;
    bool failed = s->q.failed;
    wick_shown_release(s);
    return failed ? wick_err_set(err, WICK_E_NOMEM, "out of memory")
                  : wick_err_set(err, WICK_E_NOTFOUND, "the recording holds no samples");
}

void wick_shown_release(struct wick_shown *s)
{
    free(s->stack);
    free(s->rank);
    free(s->order);
    wick_profile_release(&s->q);
    *s = (struct wick_shown){0};
}

int64_t wick_shown_value(const struct wick_export_options *o, const struct wick_agg *a)
{
    if (o->counts)
        return a->count < INT64_MAX ? (int64_t)a->count : INT64_MAX;
    return a->weight > 0 ? a->weight : 0;
}

const struct wick_string *wick_shown_name(const struct wick_shown *s, uint32_t frame)
{
    return &s->q.strings[s->q.functions[s->q.frames[frame].function].name];
}

const struct wick_string *wick_shown_library(const struct wick_shown *s, uint32_t frame)
{
    return &s->q.strings[s->q.functions[s->q.frames[frame].function].class_name];
}

const char *wick_shown_thread(const struct wick_shown *s, uint32_t thread)
{
    const struct wick_thread *t = &s->q.threads[thread];
    const char *name = wick_profile_str(&s->q, t->name);
    return *name ? name : t->is_virtual ? "virtual" : "unknown";
}

const char *wick_shown_thread_id(const struct wick_shown *s, uint32_t thread, char *buf, size_t cap)
{
    const struct wick_thread *t = &s->q.threads[thread];
    int64_t id = t->os_tid ? t->os_tid : t->java_tid;
    if (id)
        snprintf(buf, cap, "%s (%" PRId64 ")", wick_shown_thread(s, thread), id);
    else
        snprintf(buf, cap, "%s", wick_shown_thread(s, thread));
    return buf;
}
