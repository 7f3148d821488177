/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/owner/trace_locks.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/sum.h"

void wick_trace_locks_init(struct wick_trace_locks *l, struct wick_spans *spans)
{
    *l = (struct wick_trace_locks){.spans = spans, .waits.profile = spans->p};
}

void wick_trace_locks_release(struct wick_trace_locks *l)
{
    wick_lock_waits_release(&l->waits);
}

static bool want(void *ctx, const char *type)
{
    const struct wick_trace_locks *l = ctx;
    return wick_spans_visitor(l->spans).want(l->spans, type) || wick_lock_waits_wants(type);
}

static void take(void *ctx, const struct wick_jfr_event *e)
{
    struct wick_trace_locks *l = ctx;
    wick_spans_visitor(l->spans).event(l->spans, e);
    wick_lock_waits_take(&l->waits, e);
}

static void take_sample(void *ctx, const struct wick_sample *s)
{
    struct wick_trace_locks *l = ctx;
    wick_spans_visitor(l->spans).sample(l->spans, s);
}

struct wick_jfr_visitor wick_trace_locks_visitor(struct wick_trace_locks *l)
{
    return (struct wick_jfr_visitor){.ctx = l, .sample = take_sample, .want = want, .event = take};
}

int wick_trace_locks_finish(struct wick_trace_locks *l)
{
    const struct wick_spans *s = l->spans;
    if (l->waits.failed || wick_spans_finish(l->spans))
        return -WICK_E_NOMEM;
    wick_lock_waits_tie(&l->waits);
    for (uint32_t i = 0; i < l->waits.nrows; i++) {
        l->waits.rows[i].thread = wick_spans_thread(s, l->waits.rows[i].thread);
        l->waits.rows[i].owner = wick_spans_thread(s, l->waits.rows[i].owner);
    }
    return l->waits.failed ? -WICK_E_NOMEM : 0;
}

static int by_time(const void *a, const void *b)
{
    const struct wick_lock_wait_row *x = *(const struct wick_lock_wait_row *const *)a,
                                    *y = *(const struct wick_lock_wait_row *const *)b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool is_in(const struct wick_trace_locks *l, const struct wick_spantrace *t, const struct wick_lock_wait_row *r)
{
    if (r->start_ns < t->start_ns || r->start_ns >= t->end_ns || (r->park && !r->owner) || !r->thread)
        return false;
    const struct wick_span *open = wick_spans_at(l->spans, r->thread, r->start_ns);
    return open && wick_spantrace_key(open) == t->id.key;
}

int wick_trace_locks_of(const struct wick_trace_locks *l, const struct wick_spantrace *t,
                        const struct wick_lock_wait_row ***out, size_t *n)
{
    size_t room = 1;
    for (uint32_t i = 0; i < l->waits.nrows; i++)
        room += is_in(l, t, &l->waits.rows[i]);
    *n = 0;
    *out = calloc(room, sizeof(void *));
    if (!*out)
        return -WICK_E_NOMEM;
    for (uint32_t i = 0; room > 1 && i < l->waits.nrows; i++)
        if (is_in(l, t, &l->waits.rows[i]))
            (*out)[(*n)++] = &l->waits.rows[i];
    qsort(*out, *n, sizeof(void *), by_time);
    return 0;
}

/* As times of spans are. */
static int64_t bounded(int64_t time_ns)
{
    return time_ns < 0 ? 0 : time_ns > INT64_MAX / 2 ? INT64_MAX / 2 : time_ns;
}

struct wick_trace_place wick_trace_locks_owner(const struct wick_trace_locks *l, const struct wick_lock_wait_row *wait)
{
    int64_t end_ns = wick_sum(wait->start_ns, wait->duration_ns > 0 ? wait->duration_ns - 1 : 0);
    const int64_t times[] = {bounded(wait->owner_ns ? wait->owner_ns : wait->start_ns), bounded(wait->start_ns),
                             bounded(end_ns)};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const struct wick_span *open = wait->owner ? wick_spans_at(l->spans, wait->owner, times[i]) : NULL;
        if (open)
            return (struct wick_trace_place){times[i], open, wick_spantrace_key(open)};
    }
    return (struct wick_trace_place){.time_ns = times[0]};
}
