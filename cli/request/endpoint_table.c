/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endpoint_table.c - rows made in one pass, and columns that fit the terminal
 *
 * Root spans, samples and allocations are each read once and added to the row of their endpoint, which is
 * searched one by one: endpoints are routes, not URLs, so they are few. O((spans + samples) x endpoints), and n log n
 * to sort the n latencies of each row. Sums saturate instead of wrapping (base/sum.h), since weights come from a file.
 *
 * Where the terminal is too narrow for all columns at their usual widths, they become as wide as their longest figure;
 * if that is still too much, dispensable ones go in a fixed order, until 24 columns are left for the names. Rows are
 * sorted by the sum of latencies, that is by what the program's users waited in all; what belongs to no endpoint is
 * last.
 */
#include "cli/request/endpoint_table.h"
#include "cli/input/inputs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "cli/print.h"
#include "cli/ui.h"
#include "model/interval.h"

static void *room(void *array, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return array;
    size_t want = *cap ? *cap * 2 : 32;
    void *bigger = reallocarray(array, want, size);
    if (bigger)
        *cap = want;
    return bigger;
}

static struct wick_endpoint *row_of(struct wick_endpoints *e, uint32_t name)
{
    for (size_t i = 0; i < e->n; i++) /* endpoints are few: routes, not URLs */
        if (e->rows[i].name == name)
            return &e->rows[i];
    struct wick_endpoint *rows = room(e->rows, e->n, &e->cap, sizeof *rows);
    if (rows)
        e->rows = rows;
    int64_t *by_state = rows ? calloc(e->s->p->nstates, sizeof *by_state) : NULL;
    if (!by_state) {
        e->failed = true;
        return NULL;
    }
    rows[e->n] = (struct wick_endpoint){.name = name, .by_state = by_state};
    return &rows[e->n++];
}

static void add_request(struct wick_endpoints *e, const struct wick_span *span)
{
    struct wick_endpoint *row = row_of(e, span->endpoint);
    struct wick_request *requests = row ? room(row->requests, row->n, &row->cap, sizeof *requests) : NULL;
    if (!requests) {
        e->failed = true;
        return;
    }
    row->requests = requests;
    requests[row->n++] = (struct wick_request){span->start_ns, span->end_ns - span->start_ns};
}

static void add_sample(struct wick_endpoints *e, size_t i)
{
    const struct wick_span_sample *x = &e->s->samples[i];
    struct wick_endpoint *row = row_of(e, wick_spans_endpoint(e->s, x));
    if (!row)
        return;
    if (x->cpu) {
        row->cpu_ns = wick_sum_u64(row->cpu_ns, (uint64_t)x->weight_ns);
        row->samples = wick_sum_u64(row->samples, x->count);
    } else {
        int64_t *work_ns = &row->work_ns[wick_spans_work(e->s->p, x->state)], ns = wick_span_time_weight(&e->time, i);
        row->by_state[x->state] = wick_sum(row->by_state[x->state], ns);
        *work_ns = wick_sum(*work_ns, ns);
    }
}

static void add_allocation(struct wick_endpoints *e, const struct wick_span_sample *x)
{
    struct wick_endpoint *row = row_of(e, wick_spans_endpoint(e->s, x));
    if (!row)
        return;
    row->allocated = wick_sum_u64(row->allocated, (uint64_t)x->weight_ns);
    row->variance += x->variance;
}

static int by_latency(const void *a, const void *b)
{
    const struct wick_request *x = a, *y = b;
    return x->latency_ns < y->latency_ns ? -1 : x->latency_ns > y->latency_ns;
}

static int by_start(const void *a, const void *b)
{
    const struct wick_request *x = a, *y = b;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* The least latency that `percent` of n requests, sorted by it, did not exceed. */
static int64_t percentile_of(const struct wick_request *r, size_t n, unsigned percent)
{
    return n ? r[(n * percent + 99) / 100 - 1].latency_ns : 0;
}

static int64_t percentile(const struct wick_endpoint *r, unsigned percent)
{
    return percentile_of(r->requests, r->n, percent);
}

static uint64_t sum_of(const struct wick_endpoint *r)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < r->n; i++)
        sum = wick_sum_u64(sum, (uint64_t)r->requests[i].latency_ns);
    return sum;
}

/* What belongs to no endpoint stands last. */
static int by_sum(const void *a, const void *b)
{
    const struct wick_endpoint *x = a, *y = b;
    uint64_t sx = sum_of(x), sy = sum_of(y);
    if (!x->name != !y->name)
        return !x->name ? 1 : -1;
    if (sx != sy)
        return sx > sy ? -1 : 1;
    return x->cpu_ns > y->cpu_ns ? -1 : x->cpu_ns < y->cpu_ns;
}

int wick_endpoints_init(struct wick_endpoints *e, const struct wick_spans *s, int64_t from_ns, int64_t to_ns)
{
    *e = (struct wick_endpoints){.s = s};
    if (from_ns != INT64_MIN || to_ns != INT64_MAX) {
        e->s = &e->part;
        e->failed = wick_spans_part(&e->part, s, from_ns, to_ns) != 0;
    }
    e->failed = e->failed || wick_span_time_init(&e->time, e->s) != 0;
    for (size_t i = 0; i < s->n && !e->failed; i++)
        if (s->spans[i].is_root && s->spans[i].start_ns >= from_ns && s->spans[i].start_ns < to_ns)
            add_request(e, &s->spans[i]);
    for (size_t i = 0; i < e->s->nsamples && !e->failed; i++)
        add_sample(e, i);
    for (size_t i = 0; i < e->s->nallocs && !e->failed; i++)
        add_allocation(e, &e->s->allocs[i]);
    for (size_t i = 0; i < e->time.n && !e->failed; i++) {
        struct wick_endpoint *row = row_of(e, e->time.rows[i].endpoint);
        if (row) {
            row->in_spans = e->time.rows[i];
            row->work_ns[WICK_WORK_BLOCKED] = wick_sum(row->work_ns[WICK_WORK_BLOCKED], row->in_spans.unmounted_ns);
        }
    }
    for (size_t i = 0; i < e->n; i++)
        if (e->rows[i].n)
            qsort(e->rows[i].requests, e->rows[i].n, sizeof *e->rows[i].requests, by_latency);
    if (e->n)
        qsort(e->rows, e->n, sizeof *e->rows, by_sum);
    return e->failed ? -WICK_E_NOMEM : 0;
}

/* A name behind `used` columns. */
static void put_name(const struct wick_endpoints *e, const struct wick_endpoint *r, unsigned used, FILE *out)
{
    const struct wick_string *name = &e->s->p->strings[r->name];
    wick_ui_last_column(out, used, r->name ? name->s : "[no endpoint]", r->name ? name->len : strlen("[no endpoint]"));
    fputc('\n', out);
}

/* ---- latency and CPU time ---- */

enum { COUNT, P50, P90, P99, MOST, CPU, SHARE, PER_REQUEST, COLUMNS, NAME_LEAST = 24, CELL = 40 };

static const struct {
    const char *title;
    unsigned width;       /* where there is room for all */
    unsigned dispensable; /* where there is not, which goes first; 0: none of these */
} columns[COLUMNS] = {
    [COUNT] = {"COUNT", 9, 0},  [P50] = {"P50 ms", 10, 0},
    [P90] = {"P90 ms", 10, 3},  [P99] = {"P99 ms", 10, 0},
    [MOST] = {"MAX ms", 10, 4}, [CPU] = {"CPU ms", 12, 0},
    [SHARE] = {"%", 6, 1},      [PER_REQUEST] = {"CPU/REQ ms", 10, 2},
};

/* A figure of a row; cpu: of all rows. */
static const char *cell(const struct wick_endpoint *r, unsigned column, uint64_t cpu, char out[CELL])
{
    static const unsigned percents[] = {[P50] = 50, [P90] = 90, [P99] = 99, [MOST] = 100};
    double ms = (double)r->cpu_ns / 1e6;
    if (column == COUNT)
        snprintf(out, CELL, "%zu", r->n);
    else if (column == CPU)
        snprintf(out, CELL, "%.1f", ms);
    else if (column == SHARE)
        snprintf(out, CELL, "%.2f", cpu ? 100.0 * (double)r->cpu_ns / (double)cpu : 0);
    else if (!r->n)
        snprintf(out, CELL, "-");
    else
        snprintf(out, CELL, "%.3f",
                 column == PER_REQUEST ? ms / (double)r->n : (double)percentile(r, percents[column]) / 1e6);
    return out;
}

static unsigned used_by(const unsigned width[COLUMNS])
{
    unsigned used = 1; /* two blanks before the name */
    for (unsigned c = 0; c < COLUMNS; c++)
        used += width[c] ? width[c] + 1 : 0;
    return used;
}

/* Widths of the columns, 0: left out. Where the terminal is too narrow they are as wide as their figures, then the
 * dispensable ones go, one by one. */
static void choose_columns(const struct wick_endpoints *e, uint64_t cpu, unsigned terminal, unsigned width[COLUMNS])
{
    char text[CELL];
    for (unsigned c = 0; c < COLUMNS; c++)
        width[c] = columns[c].width;
    if (!terminal || used_by(width) + NAME_LEAST <= terminal)
        return;
    for (unsigned c = 0; c < COLUMNS; c++) {
        width[c] = (unsigned)strlen(columns[c].title);
        for (size_t i = 0; i < e->n; i++) {
            unsigned len = (unsigned)strlen(cell(&e->rows[i], c, cpu, text));
            width[c] = len > width[c] ? len : width[c];
        }
    }
    for (unsigned go = 1; go < COLUMNS && used_by(width) + NAME_LEAST > terminal; go++)
        for (unsigned c = 0; c < COLUMNS; c++)
            if (columns[c].dispensable == go)
                width[c] = 0;
}

static void write_open(const struct wick_endpoints *e, FILE *out)
{
    char text[160];
    int n = snprintf(text, sizeof text,
                     "%" PRId64 " %s had not ended when the recording did; what has not ended is not counted",
                     e->s->open, e->s->open == 1 ? "request" : "requests");
    wick_ui_last_text(out, 0, 0, text, (size_t)n);
    fputc('\n', out);
}

static void write_text(const struct wick_endpoints *e, FILE *out)
{
    uint64_t cpu = 0;
    unsigned width[COLUMNS];
    char text[CELL];
    for (size_t i = 0; i < e->n; i++)
        cpu = wick_sum_u64(cpu, e->rows[i].cpu_ns);
    choose_columns(e, cpu, wick_ui_width(out), width);
    for (unsigned c = 0; c < COLUMNS; c++)
        if (width[c])
            fprintf(out, "%*s ", (int)width[c], columns[c].title);
    fputs(" ENDPOINT\n", out);
    for (size_t i = 0; i < e->n; i++) {
        for (unsigned c = 0; c < COLUMNS; c++)
            if (width[c])
                fprintf(out, "%*s ", (int)width[c], cell(&e->rows[i], c, cpu, text));
        fputc(' ', out);
        put_name(e, &e->rows[i], used_by(width), out);
    }
    if (e->s->open)
        write_open(e, out);
}

/* ---- what was waited for ---- */

/* The blocked state in which a row spent the most time, of those not done; marks it. 0 = no more. */
static uint16_t next_wait(const struct wick_endpoints *e, const struct wick_endpoint *r, bool *done)
{
    uint16_t best = 0;
    for (uint32_t i = 1; i < e->s->p->nstates; i++)
        if (!done[i] && r->by_state[i] > 0 && wick_spans_work(e->s->p, (uint16_t)i) == WICK_WORK_BLOCKED &&
            (!best || r->by_state[i] > r->by_state[best]))
            best = (uint16_t)i;
    done[best] = true;
    return best;
}

/* Time in spans that no sample says anything about. */
static int64_t unsampled(const struct wick_endpoint *r)
{
    return r->in_spans.samples ? 0 : r->in_spans.spans_ns;
}

/* How the sums were made. */
static void write_basis(const struct wick_endpoints *e, FILE *out)
{
    int64_t spans = 0, sampled = 0;
    uint64_t samples = 0;
    char text[256];
    for (size_t i = 0; i < e->n; i++) {
        const struct wick_span_time_row *r = &e->rows[i].in_spans;
        spans = wick_sum(spans, r->spans_ns);
        sampled = wick_sum(sampled, r->sampled_ns);
        samples = wick_sum_u64(samples, r->samples);
    }
    if (!spans)
        return;
    int n = snprintf(text, sizeof text,
                     "%.1f ms of this were in spans, by their own times; how they were spent is estimated from %" PRIu64
                     " samples, which stand for %.1f ms",
                     (double)spans / 1e6, samples, (double)sampled / 1e6);
    wick_ui_last_text(out, 0, 0, text, (size_t)n);
    fputc('\n', out);
}

static int write_waits(const struct wick_endpoints *e, FILE *out)
{
    bool any = false, *done = calloc(e->s->p->nstates, sizeof *done);
    char state[64];
    for (size_t i = 0; i < e->n; i++)
        any |= e->rows[i].work_ns[0] || e->rows[i].work_ns[1] || e->rows[i].work_ns[2] || unsampled(&e->rows[i]);
    if (any && done)
        fprintf(out, "\nBy the wall clock, all threads together:\n%12s %12s %12s  %s\n", "ON CPU ms", "CPU WAIT ms",
                "BLOCKED ms", "ENDPOINT and what blocked it");
    for (size_t i = 0; any && done && i < e->n; i++) {
        const struct wick_endpoint *r = &e->rows[i];
        for (int k = 0; k < 3; k++)
            fprintf(out, "%12.1f ", (double)r->work_ns[k] / 1e6);
        fputc(' ', out);
        put_name(e, r, 40, out);
        memset(done, 0, e->s->p->nstates * sizeof *done);
        for (uint16_t k; (k = next_wait(e, r, done));) {
            fprintf(out, "%26s%12.1f    ", "", (double)r->by_state[k] / 1e6);
            wick_spans_state(e->s->p, k, state, sizeof state);
            wick_print_name(out, state, strlen(state));
            fputc('\n', out);
        }
        if (r->in_spans.unmounted_ns)
            fprintf(out, "%26s%12.1f    virtual thread not mounted\n", "", (double)r->in_spans.unmounted_ns / 1e6);
        if (unsampled(r))
            fprintf(out, "%26s%12.1f    not sampled\n", "", (double)unsampled(r) / 1e6);
    }
    if (any && done)
        write_basis(e, out);
    free(done);
    return done ? 0 : -WICK_E_NOMEM;
}

/* ---- what was allocated ---- */

static void write_allocated(const struct wick_endpoints *e, FILE *out)
{
    if (e->s->nallocs)
        fprintf(out, "\nAllocated, by samples of objects (+-: 95 %%):\n%16s %7s %16s  %s\n", "BYTES", "+-", "BYTES/REQ",
                "ENDPOINT");
    for (size_t i = 0; e->s->nallocs && i < e->n; i++) {
        const struct wick_endpoint *r = &e->rows[i];
        fprintf(out, "%16" PRIu64 " %6.1f%% ", r->allocated,
                100 * wick_interval_share((double)r->allocated, r->variance));
        if (r->n)
            fprintf(out, "%16.0f  ", (double)r->allocated / (double)r->n);
        else
            fprintf(out, "%16s  ", "-");
        put_name(e, r, 43, out);
    }
}

static void json_allocated(const struct wick_endpoint *r, FILE *out)
{
    struct wick_interval i = wick_interval_95((double)r->allocated, r->variance);
    fprintf(out, ",\"allocated_bytes\":%" PRIu64 ",\"allocated_low\":%.0f,\"allocated_high\":%.0f", r->allocated, i.low,
            i.high);
}

/* ---- JSON ---- */

static int64_t second_of(const struct wick_request *r)
{
    return r->start_ns / 1000000000;
}

/* Percentiles of the requests that began in each second from start_s on. */
static int json_seconds(const struct wick_endpoint *r, int64_t start_s, FILE *out)
{
    struct wick_request *all = calloc(r->n + 1, sizeof *all);
    if (!all)
        return -WICK_E_NOMEM;
    if (r->n)
        memcpy(all, r->requests, r->n * sizeof *all);
    qsort(all, r->n, sizeof *all, by_start);
    for (size_t i = 0, n; i < r->n; i += n) {
        for (n = 1; i + n < r->n && second_of(&all[i + n]) == second_of(&all[i]);)
            n++;
        int64_t second = second_of(&all[i]) - start_s;
        qsort(all + i, n, sizeof *all, by_latency);
        fprintf(out, "%s{\"second\":%" PRId64 ",\"count\":%zu,\"p50_ns\":%" PRId64 ",\"p99_ns\":%" PRId64 "}",
                i ? "," : "", second, n, percentile_of(all + i, n, 50), percentile_of(all + i, n, 99));
    }
    free(all);
    return 0;
}

static int json_waits(const struct wick_endpoints *e, const struct wick_endpoint *r, FILE *out)
{
    bool *done = calloc(e->s->p->nstates, sizeof *done);
    char state[64];
    if (!done)
        return -WICK_E_NOMEM;
    bool first = true;
    for (uint16_t k; (k = next_wait(e, r, done)); first = false) {
        fputs(first ? "{\"state\":" : ",{\"state\":", out);
        wick_spans_state(e->s->p, k, state, sizeof state);
        wick_print_json(out, state, strlen(state));
        fprintf(out, ",\"wall_ns\":%" PRId64 "}", r->by_state[k]);
    }
    if (r->in_spans.unmounted_ns)
        fprintf(out, "%s{\"state\":\"virtual thread not mounted\",\"wall_ns\":%" PRId64 "}", first ? "" : ",",
                r->in_spans.unmounted_ns);
    free(done);
    return 0;
}

static int64_t first_second(const struct wick_endpoints *e)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < e->n; i++)
        for (size_t k = 0; k < e->rows[i].n; k++)
            if (second_of(&e->rows[i].requests[k]) < first)
                first = second_of(&e->rows[i].requests[k]);
    return first == INT64_MAX ? 0 : first;
}

static int json_row(const struct wick_endpoints *e, const struct wick_endpoint *r, int64_t start_s, FILE *out)
{
    if (r->name)
        wick_print_json(out, e->s->p->strings[r->name].s, e->s->p->strings[r->name].len);
    else
        fputs("null", out);
    fprintf(out,
            ",\"count\":%zu,\"p50_ns\":%" PRId64 ",\"p90_ns\":%" PRId64 ",\"p99_ns\":%" PRId64 ",\"max_ns\":%" PRId64
            ",\"sum_ns\":%" PRIu64 ",\"cpu_ns\":%" PRIu64 ",\"cpu_samples\":%" PRIu64 ",\"running_ns\":%" PRId64
            ",\"run_queue_ns\":%" PRId64 ",\"blocked_ns\":%" PRId64 ",\"not_sampled_ns\":%" PRId64
            ",\"spans_ns\":%" PRId64 ",\"spans_sampled_ns\":%" PRId64 ",\"spans_samples\":%" PRIu64,
            r->n, percentile(r, 50), percentile(r, 90), percentile(r, 99), percentile(r, 100), sum_of(r), r->cpu_ns,
            r->samples, r->work_ns[WICK_WORK_RUNNING], r->work_ns[WICK_WORK_WAITING], r->work_ns[WICK_WORK_BLOCKED],
            unsampled(r), r->in_spans.spans_ns, r->in_spans.sampled_ns, r->in_spans.samples);
    if (e->s->nallocs)
        json_allocated(r, out);
    fputs(",\"waits\":[", out);
    int rc = json_waits(e, r, out);
    fputs("],\"seconds\":[", out);
    rc = rc ? rc : json_seconds(r, start_s, out);
    fputs("]}", out);
    return rc;
}

static int write_json(const struct wick_endpoints *e, FILE *out)
{
    int64_t start_s = first_second(e);
    int rc = 0;
    fprintf(out, "{\"start_s\":%" PRId64 ",\"unfinished\":%s,\"open\":%" PRId64 ",\"endpoints\":[", start_s,
            wick_cli_is_unfinished() ? "true" : "false", e->s->open);
    for (size_t i = 0; i < e->n && !rc; i++) {
        fputs(i ? ",\n{\"endpoint\":" : "\n{\"endpoint\":", out);
        rc = json_row(e, &e->rows[i], start_s, out);
    }
    fputs("\n]}\n", out);
    return rc;
}

int wick_endpoints_write(const struct wick_endpoints *e, enum wick_endpoints_form form, FILE *out)
{
    if (form == WICK_ENDPOINTS_JSON)
        return write_json(e, out);
    write_text(e, out);
    int rc = write_waits(e, out);
    write_allocated(e, out);
    return rc;
}

void wick_endpoints_release(struct wick_endpoints *e)
{
    for (size_t i = 0; i < e->n; i++) {
        free(e->rows[i].requests);
        free(e->rows[i].by_state);
    }
    free(e->rows);
    wick_span_time_release(&e->time);
    wick_spans_part_release(&e->part);
    *e = (struct wick_endpoints){0};
}
