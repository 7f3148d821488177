/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_requests.c - the answers of `wick ui` about requests: endpoints, latency over time, traces
 *
 * Each takes the recording's spans from where they are kept (ui_followed.h), writes JSON to out, and returns 0 or
 * -WICK_E_* with a message. What is written by then is not sent.
 *
 * A request is a trace here, as long as its longest span: what a cell of the density counts are the rows of the list of
 * traces.
 */
#include "cli/ui/ui_followed.h"
#include "cli/ui/ui_views.h"

#include <stdlib.h>
#include <string.h>

#include "cli/request/endpoint_table.h"
#include "cli/request/trace_view.h"
#include "analysis/span/latency_density.h"

static int no_memory(struct wick_err *err)
{
    return wick_err_set(err, WICK_E_NOMEM, "out of memory");
}

int wick_ui_endpoints(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct wick_endpoints e = {0};
    int64_t from_ns, to_ns;
    int rc = wick_ask_number(a, "from", 0, INT64_MAX, INT64_MIN, &from_ns, err);
    rc = rc ? rc : wick_ask_number(a, "to", 0, INT64_MAX, INT64_MAX, &to_ns, err);
    const struct wick_spans *s = rc ? NULL : wick_ui_followed_spans(file, err);
    if (!s)
        return -err->code;
    if (wick_endpoints_init(&e, s, from_ns, to_ns ? to_ns : INT64_MAX) ||
        wick_endpoints_write(&e, WICK_ENDPOINTS_JSON, out))
        rc = no_memory(err);
    wick_endpoints_release(&e);
    wick_ui_followed_trim();
    return rc;
}

static void put_trace_row(struct wick_json *j, const struct wick_profile *p, const struct wick_spantrace_id *id)
{
    uint32_t title = wick_trace_view_title(id);
    wick_json_open(j, '{');
    wick_json_key(j, "id");
    wick_json_str(j, p->strings[id->key].s, p->strings[id->key].len);
    wick_json_key(j, "endpoint");
    if (title)
        wick_json_str(j, p->strings[title].s, p->strings[title].len);
    else
        wick_json_raw(j, "null");
    wick_json_key(j, "start_ns");
    wick_json_int(j, id->longest->start_ns);
    wick_json_key(j, "latency_ns");
    wick_json_int(j, id->longest->end_ns - id->longest->start_ns);
    wick_json_key(j, "spans");
    wick_json_uint(j, id->spans);
    wick_json_close(j, '}');
}

/* Which traces are asked for. */
struct trace_choice {
    const char *endpoint; /* NULL = all */
    int64_t from_ns, to_ns, least_ns, most_ns;
};

static int take_choice(struct trace_choice *c, const struct wick_ask *a, struct wick_err *err)
{
    const char *endpoint = wick_ask_get(a, "endpoint");
    c->endpoint = endpoint && *endpoint ? endpoint : NULL;
    int rc = wick_ask_number(a, "from", 0, INT64_MAX, 0, &c->from_ns, err);
    rc = rc ? rc : wick_ask_number(a, "to", 0, INT64_MAX, INT64_MAX, &c->to_ns, err);
    rc = rc ? rc : wick_ask_number(a, "least", 0, INT64_MAX, 0, &c->least_ns, err);
    rc = rc ? rc : wick_ask_number(a, "most", 0, INT64_MAX, INT64_MAX, &c->most_ns, err);
    c->to_ns = c->to_ns ? c->to_ns : INT64_MAX;
    return rc;
}

static bool is_chosen(const struct trace_choice *c, const struct wick_profile *p, const struct wick_spantrace_id *id)
{
    int64_t start_ns = id->longest->start_ns, latency_ns = id->longest->end_ns - start_ns;
    return start_ns >= c->from_ns && start_ns < c->to_ns && latency_ns >= c->least_ns && latency_ns < c->most_ns &&
           (!c->endpoint || !strcmp(wick_profile_str(p, wick_trace_view_title(id)), c->endpoint));
}

int wick_ui_traces(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    enum { ROWS = 50, MOST_ROWS = 10000 };
    struct wick_spantrace_id *ids = NULL;
    struct wick_json j = {.out = out};
    struct trace_choice choice;
    const struct wick_spans *s;
    size_t n = 0, total = 0;
    int64_t rows;
    int rc = wick_ask_number(a, "rows", 1, MOST_ROWS, ROWS, &rows, err);
    rc = rc ? rc : take_choice(&choice, a, err);
    s = rc ? NULL : wick_ui_followed_spans(file, err);
    if (!s)
        return -err->code;
    if (wick_spantrace_list(s, &ids, &n))
        rc = no_memory(err);
    wick_json_open(&j, '{');
    wick_json_key(&j, "traces");
    wick_json_open(&j, '[');
    for (size_t i = 0; i < n; i++)
        if (is_chosen(&choice, s->p, &ids[i]) && total++ < (size_t)rows)
            put_trace_row(&j, s->p, &ids[i]);
    wick_json_close(&j, ']');
    wick_json_key(&j, "total");
    wick_json_uint(&j, total);
    wick_json_close(&j, '}');
    free(ids);
    wick_ui_followed_trim();
    return rc;
}

/* --- latency over time --- */

static void put_number(struct wick_json *j, const char *key, int64_t v)
{
    wick_json_key(j, key);
    wick_json_int(j, v);
}

static void put_density(const struct wick_latency_density *d, size_t n, FILE *out)
{
    struct wick_json j = {.out = out};
    wick_json_open(&j, '{');
    put_number(&j, "count", (int64_t)n);
    put_number(&j, "start_ns", d->start_ns);
    put_number(&j, "column_ns", d->column_ns);
    put_number(&j, "rows", d->rows);
    wick_json_key(&j, "edges_ns");
    wick_json_open(&j, '[');
    for (uint32_t r = 0; r <= d->rows; r++)
        wick_json_int(&j, d->edges_ns[r]);
    wick_json_close(&j, ']');
    wick_json_key(&j, "columns");
    wick_json_open(&j, '[');
    for (uint32_t c = 0; c < d->columns; c++) {
        const struct wick_latency_column *at = &d->by_column[c];
        wick_json_open(&j, '{');
        put_number(&j, "count", (int64_t)at->count);
        put_number(&j, "p50_ns", at->p50_ns);
        put_number(&j, "p99_ns", at->p99_ns);
        put_number(&j, "max_ns", at->max_ns);
        wick_json_key(&j, "counts");
        wick_json_open(&j, '[');
        for (uint32_t r = 0; at->count && r < d->rows; r++)
            wick_json_uint(&j, d->counts[(size_t)c * d->rows + r]);
        wick_json_close(&j, ']');
        wick_json_close(&j, '}');
    }
    wick_json_close(&j, ']');
    wick_json_close(&j, '}');
}

/* The traces of a choice as dots; free(*out). */
static int take_dots(const struct wick_spans *s, const struct trace_choice *choice, struct wick_latency_dot **out,
                     size_t *n, struct wick_err *err)
{
    struct wick_spantrace_id *ids = NULL;
    size_t all = 0;
    int rc = wick_spantrace_list(s, &ids, &all);
    *n = 0;
    *out = rc ? NULL : calloc(all + 1, sizeof **out);
    for (size_t i = 0; *out && i < all; i++)
        if (is_chosen(choice, s->p, &ids[i]))
            (*out)[(*n)++] =
                (struct wick_latency_dot){ids[i].longest->start_ns, ids[i].longest->end_ns - ids[i].longest->start_ns};
    free(ids);
    return *out ? 0 : no_memory(err);
}

int wick_ui_latency(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    enum { COLUMNS = 150, LEAST_COLUMNS = 10, MOST_COLUMNS = 1000, ROWS = 36, LEAST_ROWS = 2, MOST_ROWS = 100 };
    struct wick_latency_density d;
    struct wick_latency_dot *dots = NULL;
    struct trace_choice choice;
    const struct wick_spans *s;
    int64_t columns, rows;
    size_t n;
    int rc = wick_ask_number(a, "columns", LEAST_COLUMNS, MOST_COLUMNS, COLUMNS, &columns, err);
    rc = rc ? rc : wick_ask_number(a, "rows", LEAST_ROWS, MOST_ROWS, ROWS, &rows, err);
    rc = rc ? rc : take_choice(&choice, a, err);
    s = rc ? NULL : wick_ui_followed_spans(file, err);
    if (!s)
        return -err->code;
    rc = take_dots(s, &choice, &dots, &n, err);
    if (!rc && wick_latency_density_init(&d, dots, n, (uint32_t)columns, (uint32_t)rows))
        rc = no_memory(err);
    if (!rc) {
        put_density(&d, n, out);
        wick_latency_density_release(&d);
    }
    free(dots);
    wick_ui_followed_trim();
    return rc;
}

/* The only trace whose id begins with a text; that with the whole id wins. */
static const struct wick_spantrace_id *trace_named(const struct wick_profile *p, const struct wick_spantrace_id *ids,
                                                   size_t n, const char *id, struct wick_err *err)
{
    const struct wick_spantrace_id *found = NULL;
    size_t matches = 0;
    for (size_t i = 0; i < n; i++) {
        const char *name = wick_profile_str(p, ids[i].key);
        if (!strcasecmp(name, id))
            return &ids[i];
        if (!strncasecmp(name, id, strlen(id))) {
            found = &ids[i];
            matches++;
        }
    }
    if (matches != 1)
        wick_err_set(err, matches ? WICK_E_USAGE : WICK_E_NOTFOUND,
                     matches ? "several traces have ids that begin with %.40s" : "there is no trace %.40s", id);
    return matches == 1 ? found : NULL;
}

int wick_ui_trace(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct wick_spantrace_id *ids = NULL;
    size_t n = 0;
    int rc = 0;
    const struct wick_trace_locks *l = wick_ui_followed_traces(file, err);
    if (!l)
        return -err->code;
    if (wick_spantrace_list(l->spans, &ids, &n))
        rc = no_memory(err);
    const struct wick_spantrace_id *id = rc ? NULL : trace_named(l->spans->p, ids, n, a->segment[5], err);
    if (id && wick_trace_view_json(l, id, 1, out))
        rc = no_memory(err);
    free(ids);
    wick_ui_followed_trim();
    return rc ? rc : -err->code;
}
