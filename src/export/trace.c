/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - Chrome's trace event JSON, which Perfetto's UI also reads: one track a thread, frames as slices over time
 *
 * docs/formats/trace.md says what becomes what.
 *
 * A sample stands for a span of its thread's time. Where the next one begins when this one ends, give or take the
 * tenth of a span by which timers are delayed, frames that both have in common from the root stay open: so a method
 * that ran for a second is one slice, not a hundred. Frames are kept in a stack with the time they were opened; a
 * slice is written when its frame closes.
 *
 * Memory:  see shown.h and timeline.h.
 */
#include "export/format_writers.h"

#include <stdlib.h>

#include "codec/json.h"
#include "export/timeline.h"

struct open {
    uint32_t frame;
    int64_t start_ns;
};

struct trace {
    struct wick_json j;
    const struct wick_shown *s;
    struct open *open;
    uint32_t *path; /* of the slot at hand, leaf first */
    uint32_t depth;
    uint32_t thread;
};

static void put_name(struct trace *t, const char *what, const char *name, uint32_t thread)
{
    struct wick_json *j = &t->j;
    wick_json_open(j, '{');
    wick_json_key(j, "ph");
    wick_json_cstr(j, "M");
    wick_json_key(j, "pid");
    wick_json_int(j, 1);
    wick_json_key(j, "tid");
    wick_json_uint(j, thread);
    wick_json_key(j, "name");
    wick_json_cstr(j, what);
    wick_json_key(j, "args");
    wick_json_open(j, '{');
    wick_json_key(j, "name");
    wick_json_cstr(j, name);
    wick_json_close(j, '}');
    wick_json_close(j, '}');
}

static void put_slice(struct trace *t, const struct open *o, int64_t end_ns)
{
    struct wick_json *j = &t->j;
    const struct wick_string *name = wick_shown_name(t->s, o->frame), *library = wick_shown_library(t->s, o->frame);
    wick_json_open(j, '{');
    wick_json_key(j, "ph");
    wick_json_cstr(j, "X");
    wick_json_key(j, "pid");
    wick_json_int(j, 1);
    wick_json_key(j, "tid");
    wick_json_uint(j, t->thread);
    wick_json_key(j, "ts");
    wick_json_decimal(j, o->start_ns, 3);
    wick_json_key(j, "dur");
    wick_json_decimal(j, end_ns - o->start_ns, 3);
    wick_json_key(j, "name");
    wick_json_str(j, name->s, name->len);
    wick_json_key(j, "cat");
    wick_json_cstr(j, wick_frame_kind_name(t->s->q.frames[o->frame].kind));
    if (library->len) {
        wick_json_key(j, "args");
        wick_json_open(j, '{');
        wick_json_key(j, "library");
        wick_json_str(j, library->s, library->len);
        wick_json_close(j, '}');
    }
    wick_json_close(j, '}');
}

static void close_to(struct trace *t, uint32_t depth, int64_t at_ns)
{
    while (t->depth > depth)
        put_slice(t, &t->open[--t->depth], at_ns);
}

static void put_slot(struct trace *t, const struct wick_slot *slot, int64_t *end_ns)
{
    uint32_t n = 0, same = 0;
    int64_t start = slot->start_ns, span = slot->end_ns - slot->start_ns;
    for (uint32_t k = slot->stack; k; k = t->s->q.stacks[k].parent)
        t->path[n++] = t->s->q.stacks[k].frame;
    if (start <= *end_ns || start - *end_ns <= span / 10) {
        start = *end_ns;
        while (same < n && same < t->depth && t->open[same].frame == t->path[n - 1 - same])
            same++;
    }
    if (slot->end_ns < start)
        return; /* wholly inside what has been shown */
    close_to(t, same, *end_ns);
    while (t->depth < n) {
        t->open[t->depth] = (struct open){t->path[n - 1 - t->depth], start};
        t->depth++;
    }
    *end_ns = slot->end_ns;
}

static void put_thread_name(struct trace *t)
{
    char name[300];
    put_name(t, "thread_name", wick_shown_thread_id(t->s, t->thread, name, sizeof name), t->thread);
}

static void put_slots(struct trace *t, const struct wick_slots *slots)
{
    int64_t end_ns = INT64_MIN / 2;
    for (size_t i = 0; i < slots->n; i++) {
        const struct wick_slot *slot = &slots->slots[i];
        if (!i || slot->thread != t->thread) {
            close_to(t, 0, end_ns);
            end_ns = INT64_MIN / 2;
            t->thread = slot->thread;
            put_thread_name(t);
        }
        put_slot(t, slot, &end_ns);
    }
    close_to(t, 0, end_ns);
}

int wick_trace_write(const struct wick_profile *p, const struct wick_export_options *o, FILE *out, struct wick_err *err)
{
    struct wick_shown s;
    struct wick_slots slots = {0};
    struct trace t = {.j = {.out = out}, .s = &s};
    int rc = wick_shown_init(&s, p, o, err);
    if (rc)
        return rc;
    t.open = calloc(s.q.nstacks, sizeof *t.open);
    t.path = calloc(s.q.nstacks, sizeof *t.path);
    rc = t.open && t.path ? wick_slots_init(&slots, &s, o) : -WICK_E_NOMEM;
    if (!rc) {
        wick_json_open(&t.j, '{');
        wick_json_key(&t.j, "displayTimeUnit");
        wick_json_cstr(&t.j, "ms");
        wick_json_key(&t.j, "traceEvents");
        wick_json_open(&t.j, '[');
        put_name(&t, "process_name", o->title ? o->title : "wick", 0);
        put_slots(&t, &slots);
        wick_json_close(&t.j, ']');
        wick_json_close(&t.j, '}');
        putc('\n', out);
    }
    wick_slots_release(&slots);
    free(t.open);
    free(t.path);
    wick_shown_release(&s);
    return rc ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : 0;
}
