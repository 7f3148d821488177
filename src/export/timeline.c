/* SPDX-License-Identifier: Apache-2.0 */
#include "export/timeline.h"

#include <stdlib.h>

#include "base/sum.h"

void wick_timeline_add(struct wick_timeline *t, const struct wick_sample *s)
{
    if (t->n == t->cap) {
        size_t cap = t->cap ? t->cap * 2 : 1024;
        struct wick_sample *bigger = reallocarray(t->samples, cap, sizeof *bigger);
        t->failed = t->failed || !bigger;
        if (!bigger)
            return;
        t->samples = bigger;
        t->cap = cap;
    }
    t->samples[t->n++] = *s;
}

void wick_timeline_release(struct wick_timeline *t)
{
    free(t->samples);
    *t = (struct wick_timeline){0};
}

static int by_thread_and_time(const void *a, const void *b)
{
    const struct wick_slot *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return x->start_ns < y->start_ns   ? -1
           : x->start_ns > y->start_ns ? 1
           : x->stack < y->stack       ? -1
                                       : x->stack > y->stack;
}

/* A sample with a duration stands for what follows its time, one with a weight in time for what was before. */
static void place(struct wick_slot *slot, const struct wick_sample *s, bool is_time)
{
    slot->start_ns = slot->end_ns = s->time_ns;
    if (s->duration_ns > 0)
        slot->end_ns = wick_sum_time(s->time_ns, s->duration_ns);
    else if (is_time && s->weight > 0)
        slot->start_ns = wick_sum_time(s->time_ns, -s->weight);
}

/* The samples of the event that have times; false if they have none or all have the same. */
static bool from_timeline(struct wick_slots *out, const struct wick_shown *s, const struct wick_export_options *o)
{
    const struct wick_timeline *t = o->timeline;
    bool is_time = s->q.events[1].unit == WICK_UNIT_NS, differ = false;
    for (size_t i = 0; t && i < t->n; i++) {
        const struct wick_sample *from = &t->samples[i];
        if (from->event != s->event)
            continue;
        struct wick_slot *slot = &out->slots[out->n++];
        *slot = (struct wick_slot){.thread = from->thread, .stack = s->stack[from->stack]};
        slot->value = wick_shown_value(o, &(struct wick_agg){.weight = from->weight, .count = from->count});
        place(slot, from, is_time);
        differ |= slot->end_ns != out->slots[0].end_ns;
    }
    return differ || (out->n == 1 && out->slots[0].end_ns > 0);
}

static void lay_end_to_end(struct wick_slots *out, const struct wick_shown *s, const struct wick_export_options *o)
{
    int64_t at = 0;
    out->n = 0;
    for (uint32_t i = 0; i < s->q.naggs; i++) {
        const struct wick_agg *a = &s->q.aggs[s->order[i]];
        int64_t value = wick_shown_value(o, a);
        if (!out->n || out->slots[out->n - 1].thread != a->thread)
            at = 0;
        struct wick_slot slot = {
            .start_ns = at, .end_ns = wick_sum_time(at, value), .value = value, .thread = a->thread, .stack = a->stack};
        at = slot.end_ns;
        if (value)
            out->slots[out->n++] = slot;
    }
}

/* Moments get the time to the next sample of the thread. */
static void stretch(struct wick_slots *out)
{
    for (size_t i = 0; i < out->n; i++) {
        struct wick_slot *slot = &out->slots[i], *next = i + 1 < out->n ? slot + 1 : NULL;
        if (slot->start_ns == slot->end_ns && next && next->thread == slot->thread)
            slot->end_ns = next->start_ns > slot->start_ns ? next->start_ns : slot->start_ns;
    }
}

/* A sample may stand for more time than passed since the one before: also for other threads, of which only some were
 * sampled, or for a wait that was cut. On the axis it begins where that one ends, and not before the recording does. */
static void part(struct wick_slots *out, int64_t begin_ns)
{
    for (size_t i = 0; i < out->n; i++) {
        struct wick_slot *slot = &out->slots[i], *before = i ? slot - 1 : NULL;
        int64_t least = before && before->thread == slot->thread ? before->end_ns : begin_ns;
        if (slot->start_ns < least)
            slot->start_ns = least < slot->end_ns ? least : slot->end_ns;
    }
}

/* All times count from the first one. */
static void count_from_first(struct wick_slots *out)
{
    int64_t first = out->n ? out->slots[0].start_ns : 0;
    for (size_t i = 0; i < out->n; i++)
        first = out->slots[i].start_ns < first ? out->slots[i].start_ns : first;
    for (size_t i = 0; i < out->n; i++) {
        out->slots[i].start_ns = wick_sum_time(out->slots[i].start_ns, -first);
        out->slots[i].end_ns = wick_sum_time(out->slots[i].end_ns, -first);
    }
    out->origin_ns = first;
}

int wick_slots_init(struct wick_slots *out, const struct wick_shown *s, const struct wick_export_options *o)
{
    size_t room = s->q.naggs + (o->timeline ? o->timeline->n : 0);
    *out = (struct wick_slots){.slots = calloc(room + 1, sizeof *out->slots)};
    if (!out->slots || (o->timeline && o->timeline->failed)) {
        wick_slots_release(out);
        return -WICK_E_NOMEM;
    }
    if (from_timeline(out, s, o)) {
        qsort(out->slots, out->n, sizeof *out->slots, by_thread_and_time);
        stretch(out);
        part(out, s->q.end_ns ? s->q.start_ns : INT64_MIN);
        count_from_first(out);
    } else {
        lay_end_to_end(out, s, o);
    }
    return 0;
}

void wick_slots_release(struct wick_slots *s)
{
    free(s->slots);
    *s = (struct wick_slots){0};
}
