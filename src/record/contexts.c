/* SPDX-License-Identifier: Apache-2.0 */
#include "record/contexts.h"

#include <stdio.h>

#include "base/clock.h"

/* Takes at a time: writers that are faster than this thread must not keep it for ever. */
enum { MOST = 4 * WICK_LABEL_STRIPES * WICK_LABEL_CELLS };

/* An id as hexadecimal digits; nothing for 0. */
static void put_hex(char out[17], uint64_t id)
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; id && i < 16; i++)
        out[i] = digits[id >> (60 - 4 * i) & 15];
    out[id ? 16 : 0] = 0;
}

/* 32 digits, or 16 if the upper half is 0. */
static void put_trace(char out[33], uint64_t hi, uint64_t lo)
{
    put_hex(out, hi);
    if (hi && !lo)
        snprintf(out + 16, 17, "%016d", 0);
    else
        put_hex(out + (hi ? 16 : 0), lo);
}

/* The program's labels, and after them the one of what is waited for. */
static const char *labels_of(const struct wick_labels *l, const struct wick_context *c, char *out, size_t size)
{
    const char *labels = wick_labels_text(l, c->labels), *awaited = wick_labels_text(l, c->awaited);
    if (!*labels || !*awaited)
        return *labels ? labels : awaited;
    snprintf(out, size, "%s,%s", labels, awaited);
    return out;
}

void wick_contexts_show(const struct wick_labels *l, const struct wick_context *c, struct wick_context_words *words,
                        struct wick_jfr_context *out)
{
    put_trace(words->trace, c->trace_hi, c->trace_lo);
    put_hex(words->span, c->span);
    *out = (struct wick_jfr_context){
        .endpoint = wick_labels_text(l, c->endpoint),
        .labels = labels_of(l, c, words->labels, sizeof words->labels),
        .trace_id = words->trace,
        .span_id = words->span,
    };
}

static void write_span(const struct wick_labels *l, const struct wick_label_event *e, uint32_t thread,
                       struct wick_jfr_writer *w)
{
    char trace[33], span[17], parent[17], root[17];
    put_trace(trace, e->trace_hi, e->trace_lo);
    put_hex(span, e->span);
    put_hex(parent, e->parent);
    put_hex(root, e->root);
    const struct wick_jfr_span out = {
        .start_ns = e->start_ns,
        .duration_ns = e->duration_ns,
        .thread = thread,
        .operation = wick_labels_text(l, e->operation),
        .endpoint = wick_labels_text(l, e->endpoint),
        .labels = wick_labels_text(l, e->labels),
        .is_root = (e->flags & WICK_LABEL_ROOT) != 0,
        .trace_id = trace,
        .span_id = span,
        .parent_id = parent,
        .root_id = root,
        .is_virtual = (e->flags & WICK_LABEL_VIRTUAL) != 0,
    };
    wick_jfr_write_span(w, &out);
}

void wick_contexts_write_spans(struct wick_labels *l, struct wick_jfr_writer *w, wick_span_thread *named, void *arg)
{
    struct wick_label_event e;
    uint64_t now = wick_clock_mono_ns();
    for (int i = 0; i < MOST && wick_labels_take(l, now, &e); i++)
        write_span(l, &e, named ? named(arg, e.thread, e.start_ns + e.duration_ns) : e.thread, w);
}

void wick_contexts_begin(struct wick_labels *l, struct wick_labels_totals *base)
{
    struct wick_label_event e;
    uint64_t now = wick_clock_mono_ns();
    for (int i = 0; i < MOST && wick_labels_take(l, now, &e); i++)
        continue;
    wick_labels_totals(l, base);
}

void wick_contexts_write_labels(struct wick_labels *l, const struct wick_labels_totals *base,
                                const struct wick_totals *samples, struct wick_jfr_writer *w, uint64_t now_ns)
{
    struct wick_labels_totals t;
    wick_labels_totals(l, &t);
    const struct wick_jfr_labels out = {
        .start_ns = now_ns,
        .spans = t.closed - base->closed,
        .recorded = t.taken - base->taken,
        .dropped = t.dropped + t.skipped - base->dropped - base->skipped,
        .open = t.open,
        .samples = samples->labelled,
        .samples_lost = samples->labels_lost,
        .threads_lost = t.no_record - base->no_record,
        .texts_lost = t.no_text - base->no_text,
    };
    if (t.closed || t.open || out.samples || out.threads_lost)
        wick_jfr_write_labels(w, &out);
}
