/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span_time.c - sums by endpoint from spans, and factors for their samples
 *
 * The estimator is in the header. Its sums are made in passes over spans and samples, whose order matters.
 *
 * Spans come sorted by thread and start. How far a thread's time has been counted is one number, so a span adds only
 * what lies beyond it: a moment that several spans cover goes to the one that began first. It starts where the
 * recording does.
 *
 * Samples follow. Whether one belongs to a known span is a binary search for (id, thread, endpoint); where its event
 * type has no contexts, a search by time. The result is kept by sample, since it is needed again: for the weight, and
 * in the last pass.
 *
 * Requests of virtual threads are first counted as if these had never been mounted; then each sample of the endpoint
 * that is in no known span takes its weight away, down to zero. So this pass comes last.
 *
 * Rows are searched one by one, because endpoints are few. Unless the wall clock sampled all threads no row is made,
 * and every sample keeps its weight.
 */
#include "analysis/span/span_time.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/sum.h"

/* A span of the recording, to be found by what a sample says of it. */
struct known {
    uint32_t id, thread, endpoint;
};

static int by_known(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->endpoint < y->endpoint ? -1 : x->endpoint > y->endpoint;
}

/* The spans whose time is known and has an owner, sorted; NULL = no memory. */
static struct known *list_known(const struct wick_spans *s, size_t *n)
{
    struct known *all = calloc(s->n + 1, sizeof *all);
    *n = 0;
    for (size_t i = 0; all && i < s->n; i++) {
        const struct wick_span *x = &s->spans[i];
        if (x->endpoint && !x->is_virtual)
            all[(*n)++] = (struct known){x->id, x->thread, x->endpoint};
    }
    if (all)
        qsort(all, *n, sizeof *all, by_known);
    return all;
}

/* Endpoints are few: routes, not URLs. NULL = no memory. */
static struct wick_span_time_row *row_of(struct wick_span_time *t, uint32_t endpoint)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->rows[i].endpoint == endpoint)
            return &t->rows[i];
    if (t->n == t->cap) {
        size_t cap = t->cap ? 2 * t->cap : 16;
        struct wick_span_time_row *bigger = reallocarray(t->rows, cap, sizeof *bigger);
        if (!bigger)
            return NULL;
        t->rows = bigger;
        t->cap = cap;
    }
    t->rows[t->n] = (struct wick_span_time_row){.endpoint = endpoint};
    return &t->rows[t->n++];
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The part of a span that the recordings cover. */
static int64_t covered(const struct wick_spans *s, const struct wick_span *x)
{
    int64_t last = s->p->end_ns ? s->p->end_ns : INT64_MAX;
    int64_t from = later(x->start_ns, s->p->start_ns), to = x->end_ns < last ? x->end_ns : last;
    return to > from ? to - from : 0;
}

/* Adds the requests of virtual threads as if none had ever been mounted. */
static int add_requests(struct wick_span_time *t)
{
    for (size_t i = 0; i < t->s->n; i++) {
        const struct wick_span *x = &t->s->spans[i];
        if (!x->endpoint || !x->unmounts || !x->is_root)
            continue;
        struct wick_span_time_row *row = row_of(t, x->endpoint);
        if (!row)
            return -WICK_E_NOMEM;
        row->unmounted_ns = wick_sum(row->unmounted_ns, covered(t->s, x));
    }
    return 0;
}

/* And takes away what samples on carriers stand for. */
static void take_mounted(struct wick_span_time *t)
{
    bool any = false;
    for (size_t k = 0; k < t->n; k++)
        any |= t->rows[k].unmounted_ns > 0;
    if (!any)
        return;
    for (size_t i = 0; i < t->s->nsamples; i++) {
        const struct wick_span_sample *x = &t->s->samples[i];
        uint32_t endpoint = x->cpu || t->in_span[i] ? 0 : wick_spans_endpoint(t->s, x);
        for (size_t k = 0; endpoint && k < t->n; k++)
            if (t->rows[k].endpoint == endpoint) {
                t->rows[k].unmounted_ns = later(t->rows[k].unmounted_ns - x->weight_ns, 0);
                break;
            }
    }
}

/* Adds up the spans, which are sorted by thread and start. */
static int add_spans(struct wick_span_time *t)
{
    const struct wick_spans *s = t->s;
    int64_t last = s->p->end_ns ? s->p->end_ns : INT64_MAX, counted = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct wick_span *x = &s->spans[i];
        if (!i || x[-1].thread != x->thread)
            counted = s->p->start_ns; /* of this thread, time until then is done */
        if (!x->endpoint || x->is_virtual)
            continue;
        int64_t from = later(x->start_ns, counted), to = x->end_ns < last ? x->end_ns : last;
        counted = later(counted, to);
        struct wick_span_time_row *row = row_of(t, x->endpoint);
        if (!row)
            return -WICK_E_NOMEM;
        if (to > from)
            row->spans_ns = wick_sum(row->spans_ns, to - from);
    }
    return 0;
}

static bool is_in_span(const struct wick_spans *s, const struct known *spans, size_t n,
                       const struct wick_span_sample *x)
{
    if (x->cpu || !x->thread)
        return false;
    if (!s->contexts[x->event]) {
        const struct wick_span *open = wick_spans_at(s, x->thread, x->start_ns);
        return open && open->endpoint && !open->is_virtual;
    }
    const struct known key = {x->id, x->thread, x->endpoint};
    return x->id && bsearch(&key, spans, n, sizeof key, by_known);
}

static int add_samples(struct wick_span_time *t, const struct known *spans, size_t n)
{
    for (size_t i = 0; i < t->s->nsamples; i++) {
        const struct wick_span_sample *x = &t->s->samples[i];
        if (!is_in_span(t->s, spans, n, x))
            continue;
        struct wick_span_time_row *row = row_of(t, wick_spans_endpoint(t->s, x));
        if (!row)
            return -WICK_E_NOMEM;
        row->sampled_ns = wick_sum(row->sampled_ns, x->weight_ns);
        row->samples = wick_sum_u64(row->samples, x->count);
        t->in_span[i] = true;
    }
    return 0;
}

int wick_span_time_init(struct wick_span_time *t, const struct wick_spans *s)
{
    size_t n = 0;
    *t = (struct wick_span_time){.s = s, .in_span = calloc(s->nsamples + 1, sizeof *t->in_span)};
    struct known *spans = list_known(s, &n);
    int rc = t->in_span && spans ? 0 : -WICK_E_NOMEM;
    if (!rc && wick_spans_has_wall(s)) {
        rc = add_spans(t);
        rc = rc ? rc : add_samples(t, spans, n);
        rc = rc ? rc : add_requests(t);
        if (!rc)
            take_mounted(t);
    }
    free(spans);
    if (rc)
        wick_span_time_release(t);
    return rc;
}

void wick_span_time_release(struct wick_span_time *t)
{
    free(t->rows);
    free(t->in_span);
    *t = (struct wick_span_time){0};
}

const struct wick_span_time_row *wick_span_time_of(const struct wick_span_time *t, uint32_t endpoint)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->rows[i].endpoint == endpoint)
            return &t->rows[i];
    return NULL;
}

int64_t wick_span_time_weight(const struct wick_span_time *t, size_t i)
{
    const struct wick_span_sample *x = &t->s->samples[i];
    const struct wick_span_time_row *row = t->in_span[i] ? wick_span_time_of(t, wick_spans_endpoint(t->s, x)) : NULL;
    if (!row || row->sampled_ns <= 0)
        return x->weight_ns;
    double ns = (double)x->weight_ns / (double)row->sampled_ns * (double)row->spans_ns;
    return ns < (double)(INT64_MAX / 2) ? (int64_t)(ns + 0.5) : INT64_MAX / 2;
}
