/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/span/spantrace.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sum.h"

enum { DEPTH_MAX = 64 }; /* parents that name each other in a circle end here */

uint32_t wick_spantrace_key(const struct wick_span *span)
{
    return span->trace ? span->trace : span->local_root ? span->local_root : span->id;
}

/* ---- the list ---- */

static int by_key(const void *a, const void *b)
{
    const struct wick_spantrace_id *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static int64_t latency(const struct wick_span *s)
{
    return s->end_ns - s->start_ns;
}

static int by_latency(const void *a, const void *b)
{
    const struct wick_spantrace_id *x = a, *y = b;
    int64_t dx = latency(x->longest), dy = latency(y->longest);
    return dx > dy ? -1 : dx < dy ? 1 : by_key(a, b);
}

int wick_spantrace_list(const struct wick_spans *s, struct wick_spantrace_id **out, size_t *n)
{
    struct wick_spantrace_id *ids = calloc(s->n + 1, sizeof *ids);
    size_t all = 0, kept = 0;
    if (!ids)
        return -WICK_E_NOMEM;
    for (size_t i = 0; i < s->n; i++) {
        uint32_t key = wick_spantrace_key(&s->spans[i]);
        if (key)
            ids[all++] = (struct wick_spantrace_id){key, &s->spans[i], 1};
    }
    qsort(ids, all, sizeof *ids, by_key);
    for (size_t i = 0; i < all; i++) {
        struct wick_spantrace_id *last = kept ? &ids[kept - 1] : NULL;
        if (!last || last->key != ids[i].key) {
            ids[kept++] = ids[i];
            continue;
        }
        last->spans++;
        if (latency(ids[i].longest) > latency(last->longest))
            last->longest = ids[i].longest;
    }
    qsort(ids, kept, sizeof *ids, by_latency);
    *out = ids;
    *n = kept;
    return 0;
}

/* ---- one trace ---- */

static int by_start(const void *a, const void *b)
{
    const struct wick_span *x = *(const struct wick_span *const *)a, *y = *(const struct wick_span *const *)b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int take_spans(struct wick_spantrace *t, const struct wick_spans *s)
{
    t->spans = calloc(t->id.spans + 1, sizeof(void *));
    if (!t->spans)
        return -WICK_E_NOMEM;
    for (size_t i = 0; i < s->n && t->nspans < t->id.spans; i++)
        if (wick_spantrace_key(&s->spans[i]) == t->id.key)
            t->spans[t->nspans++] = &s->spans[i];
    qsort(t->spans, t->nspans, sizeof *t->spans, by_start);
    t->start_ns = t->spans[0]->start_ns;
    t->end_ns = t->spans[0]->end_ns;
    for (size_t i = 1; i < t->nspans; i++)
        if (t->spans[i]->end_ns > t->end_ns)
            t->end_ns = t->spans[i]->end_ns;
    return 0;
}

static bool has_span(const struct wick_spantrace *t, uint32_t id)
{
    for (size_t i = 0; id && i < t->nspans; i++)
        if (t->spans[i]->id == id)
            return true;
    return false;
}

static bool belongs(const struct wick_spantrace *t, const struct wick_spans *s, const struct wick_span_sample *x)
{
    if (x->start_ns < t->start_ns || x->start_ns >= t->end_ns)
        return false;
    if (s->contexts[x->event])
        return x->trace ? x->trace == t->id.key : has_span(t, x->id);
    const struct wick_span *open = x->thread ? wick_spans_at(s, x->thread, x->start_ns) : NULL;
    return open && wick_spantrace_key(open) == t->id.key;
}

static int by_lane(const void *a, const void *b)
{
    const struct wick_bar *x = a, *y = b;
    if (x->sample->thread != y->sample->thread)
        return x->sample->thread < y->sample->thread ? -1 : 1;
    if (x->sample->cpu != y->sample->cpu)
        return x->sample->cpu ? -1 : 1;
    if (x->sample->start_ns != y->sample->start_ns)
        return x->sample->start_ns < y->sample->start_ns ? -1 : 1;
    return x->sample < y->sample ? -1 : x->sample > y->sample;
}

static bool same_lane(const struct wick_bar *a, const struct wick_bar *b)
{
    return a->sample->thread == b->sample->thread && a->sample->cpu == b->sample->cpu;
}

/* The span of the trace that a sample was taken in: the one it names, which may be another thread's, else the innermost
 * of its thread; NULL = it is not in the recording. */
static const struct wick_span *span_of(const struct wick_spantrace *t, const struct wick_span_sample *x)
{
    const struct wick_span *inner = NULL;
    for (size_t i = 0; i < t->nspans && t->spans[i]->start_ns <= x->start_ns; i++) {
        const struct wick_span *s = t->spans[i];
        if (s->end_ns <= x->start_ns)
            continue;
        if (x->id && s->id == x->id)
            return s;
        if (s->thread == x->thread && !x->id)
            inner = s; /* sorted: what begins later is within */
    }
    return inner;
}

static int64_t middle(int64_t a, int64_t b)
{
    return a + (b - a) / 2;
}

/* The time that one visit of a wall-clock sample stands for: not the weight of a delayed one. Virtual threads that are
 * on no carrier are drawn by themselves, so what is usual for others does not count. */
static int64_t look_of(const struct wick_spans *s, const struct wick_span_sample *x)
{
    int64_t each = x->count ? (int64_t)((uint64_t)x->weight_ns / x->count) : x->weight_ns;
    int64_t usual = wick_profile_thread_is_many(&s->p->threads[x->thread]) ? 0 : wick_spans_look(s, x->start_ns);
    return usual && usual < each ? usual : each;
}

/* Gives bar i, of sorted ones, the time that its sample speaks for. */
static void stretch(const struct wick_spantrace *t, const struct wick_spans *s, struct wick_bar *bar, size_t i)
{
    const struct wick_span_sample *x = bar->sample;
    const struct wick_span *span = span_of(t, x);
    int64_t from = span ? span->start_ns : t->start_ns, to = span ? span->end_ns : t->end_ns, each = look_of(s, x);
    const struct wick_bar *before = i && same_lane(bar - 1, bar) ? bar - 1 : NULL;
    const struct wick_bar *after = i + 1 < t->nbars && same_lane(bar, bar + 1) ? bar + 1 : NULL;
    int64_t end = after && after->sample->start_ns < x->end_ns ? after->sample->start_ns : x->end_ns;
    if (x->cpu) {
        bar->start_ns = wick_sum_time(x->start_ns, -x->weight_ns);
        bar->end_ns = x->start_ns;
    } else {
        bar->start_ns = wick_sum_time(x->start_ns, -each / 2);
        bar->end_ns = wick_sum_time(end, each / 2);
        int64_t between = after ? middle(end, after->sample->start_ns) : INT64_MAX;
        bar->end_ns = bar->end_ns < between ? bar->end_ns : between;
    }
    if (before && bar->start_ns < before->end_ns)
        bar->start_ns = before->end_ns;
    if (before && !x->cpu && bar->start_ns < middle(before->sample->end_ns, x->start_ns))
        bar->start_ns = middle(before->sample->end_ns, x->start_ns);
    bar->start_ns = bar->start_ns < from ? from : bar->start_ns;
    bar->end_ns = bar->end_ns > to ? to : bar->end_ns;
    if (bar->end_ns < bar->start_ns)
        bar->end_ns = bar->start_ns;
}

static int take_bars(struct wick_spantrace *t, const struct wick_spans *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->nsamples; i++)
        n += belongs(t, s, &s->samples[i]);
    t->bars = calloc(n + 1, sizeof *t->bars);
    if (!t->bars)
        return -WICK_E_NOMEM;
    for (size_t i = 0; i < s->nsamples && t->nbars < n; i++)
        if (belongs(t, s, &s->samples[i]))
            t->bars[t->nbars++].sample = &s->samples[i];
    qsort(t->bars, t->nbars, sizeof *t->bars, by_lane);
    for (size_t i = 0; i < t->nbars; i++)
        stretch(t, s, &t->bars[i], i);
    return 0;
}

static void add_thread(struct wick_spantrace *t, uint32_t thread)
{
    for (size_t i = 0; i < t->nthreads; i++)
        if (t->threads[i] == thread)
            return;
    t->threads[t->nthreads++] = thread;
}

static int take_threads(struct wick_spantrace *t)
{
    t->threads = calloc(t->nspans + t->nbars + 1, sizeof *t->threads);
    if (!t->threads)
        return -WICK_E_NOMEM;
    for (size_t i = 0; i < t->nspans; i++)
        add_thread(t, t->spans[i]->thread);
    for (size_t i = 0; i < t->nbars; i++)
        if (!i || !same_lane(&t->bars[i - 1], &t->bars[i]))
            add_thread(t, t->bars[i].sample->thread);
    return 0;
}

/* Of one thread: its spans, which come by start, without its wall-clock bars, which come by time. */
static void add_gaps(struct wick_spantrace *t, uint32_t thread)
{
    int64_t done = t->start_ns;
    size_t k = 0;
    while (k < t->nbars && (t->bars[k].sample->thread != thread || t->bars[k].sample->cpu))
        k++;
    for (size_t i = 0; i < t->nspans; i++) {
        const struct wick_span *x = t->spans[i];
        if (x->thread != thread || x->is_virtual)
            continue;
        done = done > x->start_ns ? done : x->start_ns;
        while (done < x->end_ns) {
            bool more = k < t->nbars && t->bars[k].sample->thread == thread;
            int64_t next = more && t->bars[k].start_ns < x->end_ns ? t->bars[k].start_ns : x->end_ns;
            if (next > done)
                t->gaps[t->ngaps++] = (struct wick_gap){done, next, thread};
            done = next > done ? next : done;
            if (next == x->end_ns)
                break;
            done = t->bars[k].end_ns > done ? t->bars[k].end_ns : done;
            k++;
        }
    }
}

static int take_gaps(struct wick_spantrace *t, const struct wick_spans *s)
{
    t->gaps = calloc(t->nspans + t->nbars + 1, sizeof *t->gaps); /* before each bar, and at the end of each span */
    if (!t->gaps)
        return -WICK_E_NOMEM;
    for (size_t i = 0; i < t->nthreads && wick_spans_has_wall(s); i++)
        add_gaps(t, t->threads[i]);
    return 0;
}

int64_t wick_spantrace_gaps(const struct wick_spantrace *t, uint32_t thread)
{
    int64_t sum = 0;
    for (size_t i = 0; i < t->ngaps; i++)
        if (t->gaps[i].thread == thread)
            sum = wick_sum(sum, t->gaps[i].end_ns - t->gaps[i].start_ns);
    return sum;
}

int wick_spantrace_init(struct wick_spantrace *t, const struct wick_spans *s, const struct wick_spantrace_id *id)
{
    *t = (struct wick_spantrace){.id = *id};
    int rc = take_spans(t, s);
    rc = rc ? rc : take_bars(t, s);
    rc = rc ? rc : take_threads(t);
    rc = rc ? rc : take_gaps(t, s);
    if (rc)
        wick_spantrace_release(t);
    return rc;
}

void wick_spantrace_release(struct wick_spantrace *t)
{
    free(t->spans);
    free(t->bars);
    free(t->threads);
    free(t->gaps);
    *t = (struct wick_spantrace){0};
}

unsigned wick_spantrace_depth(const struct wick_spantrace *t, size_t i)
{
    unsigned depth = 0;
    uint32_t parent = t->spans[i]->parent;
    while (parent && depth < DEPTH_MAX) {
        size_t k = 0;
        while (k < t->nspans && t->spans[k]->id != parent)
            k++;
        if (k == t->nspans)
            break;
        parent = t->spans[k]->parent;
        depth++;
    }
    return depth;
}
