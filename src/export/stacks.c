/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.c - all stacks as a table, in CSV or JSON, for spreadsheets, databases and scripts
 *
 * One row for each stack, thread and state. docs/formats/tables.md has the columns.
 *
 * Memory:  see shown.h.
 */
#include "export/format_writers.h"

#include <inttypes.h>
#include <stdlib.h>

#include "codec/csv.h"
#include "codec/json.h"
#include "codec/plain.h"
#include "codec/stack_line.h"
#include "export/shown.h"

/* --- CSV --- */

static void put_text(FILE *out, const char *s, size_t n, struct wick_strbuf *cell)
{
    wick_strbuf_clear(cell);
    wick_plain_add(cell, s, n, "");
    wick_csv_cell(out, cell->buf, cell->len);
    putc_unlocked(',', out);
}

/* Frames from the root, a semicolon between; those in names are as in collapsed stacks. */
static void add_frame(struct wick_strbuf *cell, const struct wick_string *name, bool first)
{
    if (!first)
        wick_strbuf_addc(cell, ';');
    wick_stack_line_add_name(cell, name->s, name->len);
}

static void put_row(FILE *out, const struct wick_shown *s, const struct wick_agg *a, uint32_t *path,
                    struct wick_strbuf *cell)
{
    const struct wick_thread *t = &s->q.threads[a->thread];
    const struct wick_string *thread = &s->q.strings[t->name], *state = &s->q.strings[s->q.states[a->state]];
    const struct wick_string *leaf = wick_shown_name(s, s->q.stacks[a->stack].frame);
    uint32_t n = 0;
    for (uint32_t k = a->stack; k; k = s->q.stacks[k].parent)
        path[n++] = s->q.stacks[k].frame;
    put_text(out, thread->s, thread->len, cell);
    fprintf(out, "%" PRId64 ",", t->os_tid ? t->os_tid : t->java_tid);
    put_text(out, state->s, state->len, cell);
    fprintf(out, "%" PRIu64 ",%" PRId64 ",", a->count, a->weight);
    put_text(out, leaf->s, a->stack ? leaf->len : 0, cell);
    wick_strbuf_clear(cell);
    for (uint32_t i = n; i--;)
        add_frame(cell, wick_shown_name(s, path[i]), i + 1 == n);
    wick_csv_cell(out, cell->buf, cell->len);
    fputs("\r\n", out);
}

int wick_stacks_write_csv(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                          struct wick_err *err)
{
    struct wick_shown s;
    struct wick_strbuf cell = WICK_STRBUF_INIT;
    int rc = wick_shown_init(&s, p, o, err);
    if (rc)
        return rc;
    uint32_t *path = calloc(s.q.nstacks, sizeof *path);
    const char *unit = s.q.events[1].unit == WICK_UNIT_NS      ? "weight_ns"
                       : s.q.events[1].unit == WICK_UNIT_BYTES ? "weight_bytes"
                                                               : "weight";
    if (path)
        fprintf(out, "thread,tid,state,samples,%s,leaf,stack\r\n", unit);
    for (uint32_t i = 0; path && i < s.q.naggs; i++)
        put_row(out, &s, &s.q.aggs[s.order[i]], path, &cell);
    rc = path && !cell.failed ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    wick_strbuf_release(&cell);
    free(path);
    wick_shown_release(&s);
    return rc;
}

/* --- JSON --- */

static void put_frames(struct wick_json *j, const struct wick_shown *s)
{
    wick_json_key(j, "frames");
    wick_json_open(j, '[');
    for (uint32_t i = 0; i < s->q.nframes; i++) {
        const struct wick_string *name = wick_shown_name(s, i), *library = wick_shown_library(s, i);
        wick_json_open(j, '{');
        wick_json_key(j, "name");
        wick_json_str(j, name->s, name->len);
        wick_json_key(j, "kind");
        wick_json_cstr(j, wick_frame_kind_name(s->q.frames[i].kind));
        if (library->len) {
            wick_json_key(j, "library");
            wick_json_str(j, library->s, library->len);
        }
        if (s->q.frames[i].line > 0) {
            wick_json_key(j, "line");
            wick_json_int(j, s->q.frames[i].line);
        }
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
}

static void put_sample(struct wick_json *j, const struct wick_shown *s, const struct wick_agg *a, uint32_t *path)
{
    const struct wick_thread *t = &s->q.threads[a->thread];
    uint32_t n = 0;
    for (uint32_t k = a->stack; k; k = s->q.stacks[k].parent)
        path[n++] = s->q.stacks[k].frame;
    wick_json_open(j, '{');
    if (a->thread) {
        wick_json_key(j, "thread");
        wick_json_str(j, s->q.strings[t->name].s, s->q.strings[t->name].len);
        wick_json_key(j, "tid");
        wick_json_int(j, t->os_tid ? t->os_tid : t->java_tid);
    }
    if (a->state) {
        wick_json_key(j, "state");
        wick_json_cstr(j, wick_profile_str(&s->q, s->q.states[a->state]));
    }
    wick_json_key(j, "samples");
    wick_json_uint(j, a->count);
    wick_json_key(j, "weight");
    wick_json_int(j, a->weight);
    wick_json_key(j, "stack");
    wick_json_open(j, '[');
    while (n)
        wick_json_uint(j, path[--n]);
    wick_json_close(j, ']');
    wick_json_close(j, '}');
}

static void put_head(struct wick_json *j, const struct wick_shown *s)
{
    const struct wick_sample_type *e = &s->q.events[1];
    wick_json_key(j, "event");
    wick_json_cstr(j, wick_profile_str(&s->q, e->name));
    wick_json_key(j, "kind");
    wick_json_cstr(j, wick_event_kind_name(e->kind));
    wick_json_key(j, "unit");
    wick_json_cstr(j, s->unit);
    wick_json_key(j, "samples");
    wick_json_uint(j, e->count);
    wick_json_key(j, "weight");
    wick_json_int(j, e->weight);
    if (s->q.end_ns > s->q.start_ns) {
        wick_json_key(j, "start_ns");
        wick_json_int(j, s->q.start_ns);
        wick_json_key(j, "end_ns");
        wick_json_int(j, s->q.end_ns);
    }
}

int wick_stacks_write_json(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                           struct wick_err *err)
{
    struct wick_shown s;
    struct wick_export_options weights = *o;
    struct wick_json j = {.out = out};
    weights.counts = false; /* both are there */
    int rc = wick_shown_init(&s, p, &weights, err);
    if (rc)
        return rc;
    uint32_t *path = calloc(s.q.nstacks, sizeof *path);
    if (path) {
        wick_json_open(&j, '{');
        put_head(&j, &s);
        put_frames(&j, &s);
        wick_json_key(&j, "stacks");
        wick_json_open(&j, '[');
        for (uint32_t i = 0; i < s.q.naggs; i++)
            put_sample(&j, &s, &s.q.aggs[s.order[i]], path);
        wick_json_close(&j, ']');
        wick_json_close(&j, '}');
        putc('\n', out);
    }
    free(path);
    wick_shown_release(&s);
    return path ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
}
