/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cli/print.h"
#include "cli/input/inputs.h"
#include "cli/request/trace_view.h"
#include "model/name.h"

static void put_text(const struct wick_profile *p, const char *key, uint32_t text, FILE *out)
{
    fprintf(out, "\"%s\":", key);
    if (text)
        wick_print_json(out, p->strings[text].s, p->strings[text].len);
    else
        fputs("null", out);
}

static void put_span(const struct wick_spans *s, const struct wick_spantrace *t, size_t i, FILE *out)
{
    const struct wick_span *x = t->spans[i];
    size_t lane = 0;
    while (t->threads[lane] != x->thread)
        lane++;
    fputs(i ? ",\n{" : "\n{", out);
    const struct {
        const char *key;
        uint32_t text;
    } texts[] = {{"operation", x->operation}, {"endpoint", x->endpoint},   {"labels", x->labels}, {"id", x->id},
                 {"parent", x->parent},       {"localRoot", x->local_root}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        put_text(s->p, texts[k].key, texts[k].text, out);
        fputc(',', out);
    }
    fprintf(out, "\"root\":%s,\"depth\":%u,\"thread\":%zu,\"start_ns\":%" PRId64 ",\"duration_ns\":%" PRId64 "}",
            x->is_root ? "true" : "false", wick_spantrace_depth(t, i), lane, x->start_ns - t->start_ns,
            x->end_ns - x->start_ns);
}

static void put_bar(const struct wick_spans *s, const struct wick_spantrace *t, const struct wick_bar *b, bool *used,
                    FILE *out)
{
    static const char *const works[] = {"cpu", "runqueue", "blocked"};
    const struct wick_span_sample *x = b->sample;
    char state[64];
    enum wick_span_work work = x->cpu ? WICK_WORK_RUNNING : wick_spans_work(s->p, x->state);
    wick_spans_state(s->p, x->state, state, sizeof state);
    fprintf(out, "{\"clock\":\"%s\",\"work\":\"%s\",\"state\":", x->cpu ? "cpu" : "wall", works[work]);
    wick_print_json(out, x->cpu ? "on CPU" : state, strlen(x->cpu ? "on CPU" : state));
    fprintf(out,
            ",\"start_ns\":%" PRId64 ",\"duration_ns\":%" PRId64 ",\"weight_ns\":%" PRId64 ",\"samples\":%" PRIu64
            ",\"stack\":%u}",
            b->start_ns - t->start_ns, b->end_ns - b->start_ns, x->weight_ns, x->count, x->stack);
    used[x->stack] = true;
}

static void put_accounts(const struct wick_spans *s, const struct wick_spantrace *t, uint32_t thread, FILE *out)
{
    bool first = true;
    for (size_t i = 0; i < s->ncpus; i++) {
        const struct wick_span_cpu *x = &s->cpus[i];
        if (x->thread != thread || x->end_ns <= t->start_ns || x->start_ns >= t->end_ns)
            continue;
        fprintf(out,
                "%s{\"start_ns\":%" PRId64 ",\"duration_ns\":%" PRId64 ",\"cpu_ns\":%" PRId64
                ",\"run_queue_delay_ns\":%" PRId64 "}",
                first ? "" : ",", x->start_ns - t->start_ns, x->end_ns - x->start_ns, x->cpu_ns, x->delay_ns);
        first = false;
    }
}

/* Time in spans of the thread that no wall-clock sample speaks for. */
static void put_gaps(const struct wick_spantrace *t, uint32_t thread, FILE *out)
{
    bool first = true;
    for (size_t i = 0; i < t->ngaps; i++) {
        const struct wick_gap *x = &t->gaps[i];
        if (x->thread != thread)
            continue;
        fprintf(out, "%s{\"start_ns\":%" PRId64 ",\"duration_ns\":%" PRId64 "}", first ? "" : ",",
                x->start_ns - t->start_ns, x->end_ns - x->start_ns);
        first = false;
    }
}

/* A place in the trace's own time; lane: among its threads, null if it has none. */
static void put_owner(const struct wick_trace_locks *l, const struct wick_spantrace *t,
                      const struct wick_lock_wait_row *w, bool *used, FILE *out)
{
    const struct wick_trace_place at = wick_trace_locks_owner(l, w);
    const struct wick_spans *s = l->spans;
    struct wick_strbuf name = WICK_STRBUF_INIT;
    size_t lane = 0;
    while (lane < t->nthreads && t->threads[lane] != w->owner)
        lane++;
    fputs(",\"owner\":{\"thread\":", out);
    wick_name_add_thread(&name, s->p, w->owner);
    wick_print_json(out, name.buf ? name.buf : "", name.len);
    wick_strbuf_release(&name);
    if (lane < t->nthreads)
        fprintf(out, ",\"lane\":%zu,", lane);
    else
        fputs(",\"lane\":null,", out);
    put_text(s->p, "trace", at.key, out);
    fputc(',', out);
    put_text(s->p, "endpoint", at.span ? at.span->endpoint : 0, out);
    fprintf(out, ",\"time_ns\":%" PRId64 ",\"stack\":%u}", at.time_ns - t->start_ns, w->owner_stack);
    used[w->owner_stack] = true;
}

/* A trace's waits for locks. */
struct waits {
    const struct wick_trace_locks *l;
    const struct wick_lock_wait_row **rows;
    size_t n;
};

static void put_wait(const struct waits *of, const struct wick_spantrace *t, const struct wick_lock_wait_row *w,
                     bool *used, FILE *out)
{
    const struct wick_string *name = &of->l->spans->p->strings[w->class_name];
    struct wick_strbuf lock = WICK_STRBUF_INIT;
    if (w->native)
        wick_strbuf_add(&lock, name->s, name->len);
    else
        wick_name_add_class(&lock, name->s, name->len, 0);
    fprintf(out, "{\"kind\":\"%s\",\"lock\":",
            w->native ? (w->park ? "native wait" : "native lock")
            : w->park ? "lock"
                      : "monitor");
    wick_print_json(out, lock.buf ? lock.buf : "", lock.len);
    fprintf(out, ",\"start_ns\":%" PRId64 ",\"duration_ns\":%" PRId64 ",\"stack\":%u", w->start_ns - t->start_ns,
            w->duration_ns, w->stack);
    used[w->stack] = true;
    if (w->owner)
        put_owner(of->l, t, w, used, out);
    else
        fputs(",\"owner\":null", out);
    fputc('}', out);
    wick_strbuf_release(&lock);
}

/* Those of a thread, with who had the locks. */
static void put_waits(const struct waits *of, const struct wick_spantrace *t, uint32_t thread, bool *used, FILE *out)
{
    bool first = true;
    for (size_t i = 0; i < of->n; i++) {
        if (of->rows[i]->thread != thread)
            continue;
        fputs(first ? "" : ",", out);
        put_wait(of, t, of->rows[i], used, out);
        first = false;
    }
}

static void put_thread(const struct waits *of, const struct wick_spantrace *t, size_t lane, bool *used, FILE *out)
{
    const struct wick_spans *s = of->l->spans;
    struct wick_strbuf name = WICK_STRBUF_INIT;
    uint32_t thread = t->threads[lane];
    bool first = true;
    wick_name_add_thread(&name, s->p, thread);
    fputs(lane ? ",\n{\"name\":" : "\n{\"name\":", out);
    wick_print_json(out, name.buf ? name.buf : "", name.len);
    fputs(",\"seconds\":[", out);
    put_accounts(s, t, thread, out);
    fputs("],\"gaps\":[", out);
    put_gaps(t, thread, out);
    fputs("],\"waits\":[", out);
    put_waits(of, t, thread, used, out);
    fputs("],\"bars\":[", out);
    for (size_t i = 0; i < t->nbars; i++) {
        if (t->bars[i].sample->thread != thread)
            continue;
        fputs(first ? "\n" : ",\n", out);
        put_bar(s, t, &t->bars[i], used, out);
        first = false;
    }
    fputs("]}", out);
    wick_strbuf_release(&name);
}

static int put_trace(const struct wick_trace_locks *l, const struct wick_spantrace_id *id, bool *used, FILE *out)
{
    const struct wick_spans *s = l->spans;
    struct wick_spantrace t;
    struct waits waits = {.l = l};
    int rc = wick_spantrace_init(&t, s, id);
    if (rc)
        return rc;
    if (wick_trace_locks_of(l, &t, &waits.rows, &waits.n)) {
        wick_spantrace_release(&t);
        return -WICK_E_NOMEM;
    }
    fputs("{", out);
    put_text(s->p, "id", id->key, out);
    fputc(',', out);
    put_text(s->p, "endpoint", wick_trace_view_title(id), out);
    fprintf(out,
            ",\"start_ns\":%" PRId64 ",\"start_ms\":%" PRId64 ",\"duration_ns\":%" PRId64 ",\"latency_ns\":%" PRId64
            ",\"spans\":[",
            t.start_ns, t.start_ns / 1000000, t.end_ns - t.start_ns, id->longest->end_ns - id->longest->start_ns);
    for (size_t i = 0; i < t.nspans; i++)
        put_span(s, &t, i, out);
    fputs("],\"threads\":[", out);
    for (size_t i = 0; i < t.nthreads; i++)
        put_thread(&waits, &t, i, used, out);
    fputs("]}", out);
    free(waits.rows);
    wick_spantrace_release(&t);
    return 0;
}

/* Frames from the leaf on, by the number that bars name. */
static void put_stacks(const struct wick_profile *p, const bool *used, FILE *out)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    bool first = true;
    for (uint32_t i = 1; i < p->nstacks; i++) {
        if (!used[i])
            continue;
        fprintf(out, "%s\"%u\":[", first ? "\n" : ",\n", i);
        first = false;
        for (uint32_t at = i; at; at = p->stacks[at].parent) {
            name.len = 0;
            wick_name_add_frame(&name, p, p->stacks[at].frame, WICK_NAME_LINES);
            fputs(at == i ? "" : ",", out);
            wick_print_json(out, name.buf ? name.buf : "", name.len);
        }
        fputc(']', out);
    }
    wick_strbuf_release(&name);
}

int wick_trace_view_json(const struct wick_trace_locks *l, const struct wick_spantrace_id *ids, size_t n, FILE *out)
{
    const struct wick_spans *s = l->spans;
    bool *used = calloc(s->p->nstacks + 1u, sizeof *used);
    int rc = used ? 0 : -WICK_E_NOMEM;
    fprintf(out, "{\"unfinished\":%s,\"traces\":[", wick_cli_is_unfinished() ? "true" : "false");
    for (size_t i = 0; !rc && i < n; i++) {
        fputs(i ? ",\n" : "\n", out);
        rc = put_trace(l, &ids[i], used, out);
    }
    fputs("],\n\"stacks\":{", out);
    if (!rc)
        put_stacks(s->p, used, out);
    fputs("}}\n", out);
    free(used);
    return rc;
}
