/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/endpoint_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "model/label.h"

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
    if (!rows) {
        e->failed = true;
        return NULL;
    }
    e->rows = rows;
    rows[e->n] = (struct wick_endpoint){.name = name};
    return &rows[e->n++];
}

static bool want(void *ctx, const char *type)
{
    (void)ctx;
    return !strcmp(type, "wick.Span");
}

static void take(void *ctx, const struct wick_jfr_event *event)
{
    struct wick_endpoints *e = ctx;
    int64_t root = 0;
    uint32_t name = 0;
    if (!wick_jfr_event_int(event, "root", &root) || root != 1)
        return;
    if (!wick_jfr_event_text(event, "endpoint", &name))
        name = 0;
    struct wick_endpoint *row = row_of(e, name);
    int64_t *latencies = row ? room(row->latencies, row->n, &row->cap, sizeof *latencies) : NULL;
    if (!latencies) {
        e->failed = true;
        return;
    }
    row->latencies = latencies;
    latencies[row->n++] = event->duration_ns;
}

struct wick_jfr_visitor wick_endpoints_visitor(struct wick_endpoints *e)
{
    return (struct wick_jfr_visitor){.ctx = e, .want = want, .event = take};
}

void wick_endpoints_add_cpu(struct wick_endpoints *e)
{
    const struct wick_profile *p = e->p;
    uint32_t key = wick_profile_label_key(p, "endpoint");
    for (uint32_t i = 0; i < p->naggs && !e->failed; i++) {
        const struct wick_agg *a = &p->aggs[i];
        const struct wick_event_type *type = &p->events[a->event];
        if (type->kind != WICK_EVENT_CPU || type->unit != WICK_UNIT_NS)
            continue;
        struct wick_endpoint *row = row_of(e, wick_profile_label(p, a->labels, key));
        if (!row)
            return;
        row->cpu_ns += a->weight > 0 ? (uint64_t)a->weight : 0;
        row->samples += a->count;
    }
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The least latency that `percent` of the requests did not exceed; they are sorted. */
static int64_t percentile(const struct wick_endpoint *r, unsigned percent)
{
    return r->n ? r->latencies[(r->n * percent + 99) / 100 - 1] : 0;
}

static uint64_t sum_of(const struct wick_endpoint *r)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < r->n; i++)
        sum += (uint64_t)r->latencies[i];
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

static void write_text(const struct wick_endpoints *e, FILE *out)
{
    uint64_t cpu = 0;
    for (size_t i = 0; i < e->n; i++)
        cpu += e->rows[i].cpu_ns;
    fprintf(out, "%9s %10s %10s %10s %10s %12s %6s %10s  %s\n", "COUNT", "P50 ms", "P90 ms", "P99 ms", "MAX ms",
            "CPU ms", "%", "CPU/REQ ms", "ENDPOINT");
    for (size_t i = 0; i < e->n; i++) {
        const struct wick_endpoint *r = &e->rows[i];
        fprintf(out, "%9zu ", r->n);
        static const unsigned percents[] = {50, 90, 99, 100};
        for (size_t k = 0; k < sizeof percents / sizeof *percents; k++)
            if (r->n)
                fprintf(out, "%10.3f ", (double)percentile(r, percents[k]) / 1e6);
            else
                fprintf(out, "%10s ", "-");
        fprintf(out, "%12.1f %6.2f ", (double)r->cpu_ns / 1e6, cpu ? 100.0 * (double)r->cpu_ns / (double)cpu : 0);
        if (r->n)
            fprintf(out, "%10.3f  ", (double)r->cpu_ns / 1e6 / (double)r->n);
        else
            fprintf(out, "%10s  ", "-");
        const struct wick_string *name = &e->p->strings[r->name];
        wick_print_name(out, r->name ? name->s : "[no endpoint]", r->name ? name->len : strlen("[no endpoint]"));
        fputc('\n', out);
    }
}

static void write_json(const struct wick_endpoints *e, FILE *out)
{
    fputs("{\"endpoints\":[", out);
    for (size_t i = 0; i < e->n; i++) {
        const struct wick_endpoint *r = &e->rows[i];
        fputs(i ? ",\n{\"endpoint\":" : "\n{\"endpoint\":", out);
        if (r->name)
            wick_print_json(out, e->p->strings[r->name].s, e->p->strings[r->name].len);
        else
            fputs("null", out);
        fprintf(out,
                ",\"count\":%zu,\"p50_ns\":%" PRId64 ",\"p90_ns\":%" PRId64 ",\"p99_ns\":%" PRId64
                ",\"max_ns\":%" PRId64 ",\"sum_ns\":%" PRIu64 ",\"cpu_ns\":%" PRIu64 ",\"cpu_samples\":%" PRIu64 "}",
                r->n, percentile(r, 50), percentile(r, 90), percentile(r, 99), percentile(r, 100), sum_of(r), r->cpu_ns,
                r->samples);
    }
    fputs("\n]}\n", out);
}

int wick_endpoints_write(struct wick_endpoints *e, bool json, FILE *out, struct wick_err *err)
{
    if (e->failed)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory while making the table");
    for (size_t i = 0; i < e->n; i++)
        if (e->rows[i].n)
            qsort(e->rows[i].latencies, e->rows[i].n, sizeof *e->rows[i].latencies, by_value);
    if (e->n)
        qsort(e->rows, e->n, sizeof *e->rows, by_sum);
    (json ? write_json : write_text)(e, out);
    return 0;
}

void wick_endpoints_release(struct wick_endpoints *e)
{
    for (size_t i = 0; i < e->n; i++)
        free(e->rows[i].latencies);
    free(e->rows);
    *e = (struct wick_endpoints){0};
}
