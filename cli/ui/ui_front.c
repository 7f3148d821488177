/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ui/ui_front.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/memory_use.h"
#include "cli/explain/explain_text.h"
#include "cli/input/inputs.h"
#include "cli/memory/memory_table.h"
#include "cli/profile/top_table.h"
#include "cli/request/endpoint_table.h"
#include "cli/request/trace_view.h"
#include "cli/ui/ui_memory.h"
#include "import/input.h"
#include "sys/jvmlist.h"

/* --- JVMs --- */

static void read_use(const struct wick_proc *p, int64_t *cpu_ns, int64_t *rss_bytes)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    unsigned long long user, system, pages;
    long ticks = sysconf(_SC_CLK_TCK);
    const char *at = wick_proc_read(p, "stat", &text) ? NULL : strrchr(text.buf, ')'); /* a name may hold anything */
    if (at && ticks > 0 &&
        sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system) == 2)
        *cpu_ns = (int64_t)((user + system) * (1000000000ull / (unsigned long long)ticks));
    wick_strbuf_clear(&text);
    if (!wick_proc_read(p, "statm", &text) && sscanf(text.buf, "%*u %llu", &pages) == 1)
        *rss_bytes = (int64_t)pages * sysconf(_SC_PAGESIZE);
    wick_strbuf_release(&text);
}

int wick_ui_front_jvms(void *ctx, void (*each)(void *to, const struct wick_serve_jvm *jvm), void *to,
                       struct wick_err *err)
{
    struct wick_jvmlist list;
    struct wick_proc p;
    int rc = wick_jvmlist_scan(&list, err);
    (void)ctx;
    if (rc)
        return rc;
    for (size_t i = 0; i < list.count; i++) {
        const struct wick_jvm_entry *x = &list.jvms[i];
        struct wick_serve_jvm jvm = {.pid = x->pid,
                                     .name = x->main,
                                     .jdk = x->version,
                                     .user = x->user,
                                     .container = x->container,
                                     .readable = x->readable,
                                     .cpu_ns = -1,
                                     .rss_bytes = -1};
        if (!wick_proc_open(x->pid, &p, NULL)) {
            read_use(&p, &jvm.cpu_ns, &jvm.rss_bytes);
            wick_proc_close(&p);
        }
        each(to, &jvm);
    }
    wick_jvmlist_free(&list);
    return 0;
}

/* --- recordings --- */

/* Reads without a word on the terminal: what is to be said of a recording, the catalog says. */
static int read_quietly(struct wick_profile *p, const char *path, const struct wick_jfr_visitor *v,
                        struct wick_err *err)
{
    struct wick_jfr_result res;
    int rc = wick_input_read_file(p, path, v, &res, err);
    if (!rc && !res.is_jfr)
        return wick_err_set(
            err, WICK_E_FORMAT,
            "this is no recording in JFR format; others hold samples only, not the events to show here");
    if (!rc)
        wick_cli_note_input(&res);
    return rc;
}

static int no_memory(struct wick_err *err)
{
    return wick_err_set(err, WICK_E_NOMEM, "out of memory");
}

static int write_explain(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct wick_explain_findings all = {0};
    struct wick_explain_facts f = {0};
    const struct wick_explain_input in = {(char *const *)(uintptr_t)&file->name, 1};
    struct wick_profile p;
    (void)a;
    if (wick_profile_init(&p))
        return no_memory(err);
    int rc = wick_explain_read(&f, &p, (char *const *)(uintptr_t)&file->path, 1, read_quietly, err);
    f.unfinished = wick_cli_is_unfinished();
    f.kills_since = -1;
    if (!rc)
        rc = wick_explain_apply(&all, &f, err);
    if (!rc)
        wick_explain_write(&all, &f, &in, true, out);
    wick_explain_findings_release(&all);
    wick_explain_release(&f);
    wick_profile_release(&p);
    return rc;
}

static int write_memory_use(const struct wick_memory_use *u, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    enum { READINGS = 300, MOST_READINGS = 5000 };
    int64_t most;
    if (!u->moments)
        return wick_err_set(err, WICK_E_NOTFOUND,
                            "the recording has no readings of memory: one is written every ten seconds");
    if (a->nsegments == 5) {
        wick_memory_write_json(u, &(struct wick_memory_table){.title = "recording"}, out);
        return 0;
    }
    if (strcmp(a->segment[5], "series") != 0)
        return wick_err_set(err, WICK_E_NOTFOUND, "there is nothing at this path");
    int rc = wick_ask_number(a, "readings", 1, MOST_READINGS, READINGS, &most, err);
    if (!rc && wick_ui_memory_over_time(u, (size_t)most, out))
        rc = no_memory(err);
    return rc;
}

/* .../memory, and .../memory/series */
static int write_memory(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct wick_memory_use *u = calloc(1, sizeof *u);
    struct wick_profile p;
    if (!u || wick_profile_init(&p)) {
        free(u);
        return no_memory(err);
    }
    int rc = wick_memory_use_read(u, &p, (char *const *)(uintptr_t)&file->path, 1, read_quietly, err);
    rc = rc ? rc : write_memory_use(u, a, out, err);
    wick_memory_use_release(u);
    wick_profile_release(&p);
    free(u);
    return rc;
}

static int write_collections(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out,
                             struct wick_err *err)
{
    enum { ROWS = 400, MOST_ROWS = 10000 };
    struct wick_gc_history h = {0};
    struct wick_profile p;
    int64_t from, to, rows;
    int rc = wick_ask_number(a, "from", 0, INT64_MAX, 0, &from, err);
    rc = rc ? rc : wick_ask_number(a, "to", 0, INT64_MAX, 0, &to, err);
    rc = rc ? rc : wick_ask_number(a, "rows", 1, MOST_ROWS, ROWS, &rows, err);
    if (rc)
        return rc;
    if (wick_profile_init(&p))
        return no_memory(err);
    rc = wick_gc_history_read(&h, &p, (char *const *)(uintptr_t)&file->path, 1, read_quietly, err);
    if (!rc && wick_gc_history_choose(&h, from, to))
        rc = no_memory(err);
    if (!rc) {
        wick_gc_history_thin(&h, (size_t)rows);
        wick_ui_collections(&h, &p, out);
    }
    wick_gc_history_release(&h);
    wick_profile_release(&p);
    return rc;
}

/* --- requests --- */

struct spans_of {
    struct wick_profile p;
    struct wick_spans s;
};

static int read_spans(struct spans_of *x, const char *path, struct wick_err *err)
{
    if (wick_profile_init(&x->p))
        return no_memory(err);
    wick_spans_init(&x->s, &x->p);
    x->s.one_process = true;
    const struct wick_jfr_visitor v = wick_spans_visitor(&x->s);
    int rc = read_quietly(&x->p, path, &v, err);
    if (!rc && wick_spans_finish(&x->s))
        rc = no_memory(err);
    if (rc) {
        wick_spans_release(&x->s);
        wick_profile_release(&x->p);
    }
    return rc;
}

static void release_spans(struct spans_of *x)
{
    wick_spans_release(&x->s);
    wick_profile_release(&x->p);
}

static int write_endpoints(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out,
                           struct wick_err *err)
{
    struct wick_endpoints e = {0};
    struct spans_of x;
    int rc = read_spans(&x, file->path, err);
    (void)a;
    if (rc)
        return rc;
    if (wick_endpoints_init(&e, &x.s) || wick_endpoints_write(&e, WICK_ENDPOINTS_JSON, out))
        rc = no_memory(err);
    wick_endpoints_release(&e);
    release_spans(&x);
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

static int write_traces(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    enum { ROWS = 50, MOST_ROWS = 10000 };
    const char *endpoint = wick_ask_get(a, "endpoint");
    struct wick_spantrace_id *ids = NULL;
    struct wick_json j = {.out = out};
    struct spans_of x;
    size_t n = 0, total = 0;
    int64_t rows;
    int rc = wick_ask_number(a, "rows", 1, MOST_ROWS, ROWS, &rows, err);
    rc = rc ? rc : read_spans(&x, file->path, err);
    if (rc)
        return rc;
    if (wick_spantrace_list(&x.s, &ids, &n))
        rc = no_memory(err);
    wick_json_open(&j, '{');
    wick_json_key(&j, "traces");
    wick_json_open(&j, '[');
    for (size_t i = 0; i < n; i++) {
        if (endpoint && *endpoint && strcmp(wick_profile_str(&x.p, wick_trace_view_title(&ids[i])), endpoint) != 0)
            continue;
        if (total++ < (size_t)rows)
            put_trace_row(&j, &x.p, &ids[i]);
    }
    wick_json_close(&j, ']');
    wick_json_key(&j, "total");
    wick_json_uint(&j, total);
    wick_json_close(&j, '}');
    free(ids);
    release_spans(&x);
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

static int write_trace(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct wick_spantrace_id *ids = NULL;
    struct spans_of x;
    size_t n = 0;
    int rc = read_spans(&x, file->path, err);
    if (rc)
        return rc;
    if (wick_spantrace_list(&x.s, &ids, &n))
        rc = no_memory(err);
    const struct wick_spantrace_id *id = rc ? NULL : trace_named(&x.p, ids, n, a->segment[5], err);
    if (id && wick_trace_view_json(&x.s, id, 1, out))
        rc = no_memory(err);
    free(ids);
    release_spans(&x);
    return rc ? rc : -err->code;
}

int wick_ui_front_view(void *ctx, const char *view, const struct wick_serve_file *file, const struct wick_ask *a,
                       FILE *out, struct wick_err *err)
{
    static const struct {
        const char *name;
        uint32_t segments; /* of the request's path */
        int (*write)(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);
    } views[] = {{"explain", 5, write_explain},     {"memory", 5, write_memory},
                 {"memory", 6, write_memory},       {"collections", 5, write_collections},
                 {"endpoints", 5, write_endpoints}, {"traces", 5, write_traces},
                 {"trace", 6, write_trace}};
    (void)ctx;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        if (strcmp(views[i].name, view) != 0 || views[i].segments != a->nsegments)
            continue;
        wick_cli_forget_inputs();
        return views[i].write(file, a, out, err);
    }
    return wick_err_set(err, WICK_E_NOTFOUND, "there is nothing at this path");
}

/* --- the table --- */

int wick_ui_front_table(void *ctx, const struct wick_picked *s, const struct wick_ask *a, FILE *out,
                        struct wick_err *err)
{
    static const char *const by[] = {"method", "class", "thread", "kind"}, *const sorts[] = {"self", "total", "name"};
    enum { ROWS = 100, MOST_ROWS = 1000000 };
    const char *key = wick_ask_get(a, "by"), *sort = wick_ask_get(a, "sort");
    struct wick_top_options o = {.event = s->event, .json = true};
    int64_t rows;
    int rc = wick_ask_number(a, "rows", 0, MOST_ROWS, ROWS, &rows, err);
    unsigned i = 0, k = 0;
    (void)ctx;
    while (key && *key && i < 4 && strcmp(by[i], key) != 0)
        i++;
    while (sort && *sort && k < 3 && strcmp(sorts[k], sort) != 0)
        k++;
    if (!rc && k == 3)
        rc = wick_err_set(err, WICK_E_USAGE, "sort takes self, total or name, not '%.40s'", sort);
    if (rc)
        return rc;
    o.by = (enum wick_top_by)i;
    o.key = key;
    o.sort = (enum wick_top_sort)k;
    o.rows = (uint32_t)rows;
    wick_cli_forget_inputs();
    return wick_top_write(&s->view, &o, out, err);
}
