/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ui/ui_front.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/explain/explain_text.h"
#include "cli/input/inputs.h"
#include "cli/page.h"
#include "cli/page_assets.h"
#include "cli/profile/diff_table.h"
#include "cli/profile/top_table.h"
#include "cli/ui/ui_followed.h"
#include "cli/ui/ui_views.h"
#include "export/picture.h"
#include "sys/jvmlist.h"
#include "sys/procstat.h"

/* --- JVMs --- */

static void read_use(const struct wick_proc *p, int64_t *cpu_ns, int64_t *rss_bytes)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    unsigned long long pages;
    struct wick_procstat s;
    if (wick_procstat_read(p->dir, "stat", &s))
        *cpu_ns = (int64_t)((s.user + s.system) * wick_procstat_tick_ns());
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
                                     .rss_bytes = -1,
                                     .heap_bytes = -1,
                                     .heap_committed = -1};
        uint64_t used, committed;
        if (!wick_proc_open(x->pid, &p, NULL)) {
            read_use(&p, &jvm.cpu_ns, &jvm.rss_bytes);
            if (x->readable && wick_jvmlist_heap(&p, &used, &committed)) {
                jvm.heap_bytes = (int64_t)used;
                jvm.heap_committed = (int64_t)committed;
            }
            wick_proc_close(&p);
        }
        each(to, &jvm);
    }
    wick_jvmlist_free(&list);
    return 0;
}

/* --- recordings --- */

static int write_explain(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct wick_explain_findings all = {0};
    struct wick_explain_facts f;
    const struct wick_explain_input in = {(char *const *)(uintptr_t)&file->name, 1, 0};
    struct wick_range range;
    int rc = wick_ui_range(a, &range, err);
    if (rc)
        return rc;
    rc = wick_ui_followed_explain(file, &range, &f, err);
    f.unfinished = wick_cli_is_unfinished();
    f.kills_since = -1;
    if (!rc)
        rc = wick_explain_apply(&all, &f, err);
    if (!rc)
        wick_explain_text_write(&all, &f, &in, true, out);
    wick_explain_findings_release(&all);
    wick_explain_so_far_release(&f);
    wick_ui_followed_trim();
    return rc;
}

typedef int write_view(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err);

/* An answer that becomes a page. */
struct page_data {
    write_view *write;
    const struct wick_serve_file *file;
    const struct wick_ask *a;
    struct wick_err *err;
};

static int write_data(void *ctx, FILE *out)
{
    const struct page_data *d = ctx;
    return d->write(d->file, d->a, out, d->err);
}

int wick_ui_front_view(void *ctx, const char *view, const struct wick_serve_file *file, const struct wick_ask *a,
                       FILE *out, struct wick_err *err)
{
    static const struct {
        const char *name;
        uint32_t segments; /* of the request's path */
        write_view *write;
        const char *head, *tail; /* of the command's page around the same JSON; NULL = there is none */
    } views[] = {{"explain", 5, write_explain},
                 {"collections", 5, wick_ui_collections},
                 {"memory", 5, wick_ui_memory},
                 {"live", 6, wick_ui_live},
                 {"endpoints", 5, wick_ui_endpoints, wick_page_endpoints_head, wick_page_endpoints_tail},
                 {"traces", 5, wick_ui_traces},
                 {"trace", 6, wick_ui_trace, wick_page_trace_head, wick_page_trace_tail},
                 {"latency", 5, wick_ui_latency},
                 {"locks", 5, wick_ui_locks},
                 {"disturbances", 5, wick_ui_disturbances},
                 {"safepoints", 5, wick_ui_safepoints},
                 {"heap", 5, wick_ui_heap}};
    (void)ctx;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        if (strcmp(views[i].name, view) != 0)
            continue;
        bool makes_both = views[i].write == wick_ui_heap;
        if (file->page && !makes_both && !views[i].head) /* nor of what is below it */
            return wick_err_set(err, WICK_E_USAGE, "there is no page of %s: leave out format", view);
        if (views[i].segments != a->nsegments)
            continue;
        wick_cli_forget_inputs();
        if (!file->page || makes_both)
            return views[i].write(file, a, out, err);
        struct page_data d = {views[i].write, file, a, err};
        return wick_page_write(&(struct wick_page){views[i].head, views[i].tail, write_data, &d}, out, err);
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
    return wick_top_table_write(&s->view, &o, out, err);
}

/* --- what changed --- */

int wick_ui_front_changes(void *ctx, struct wick_answer_compared *c, const struct wick_ask *a, FILE *out,
                          struct wick_err *err)
{
    static const char *const sorts[] = {
        [WICK_DIFF_BY_CHANGE] = "change",           [WICK_DIFF_BY_NAME] = "name",
        [WICK_DIFF_BY_SELF_BEFORE] = "self_before", [WICK_DIFF_BY_SELF_AFTER] = "self_after",
        [WICK_DIFF_BY_SELF_CHANGE] = "self_change", [WICK_DIFF_BY_TOTAL_BEFORE] = "total_before",
        [WICK_DIFF_BY_TOTAL_AFTER] = "total_after", [WICK_DIFF_BY_TOTAL_CHANGE] = "total_change",
    };
    enum { ROWS = 100, MOST_ROWS = 1000000, SORTS = sizeof sorts / sizeof *sorts };
    const char *sort = wick_ask_get(a, "sort"), *format = wick_ask_get(a, "format");
    const struct wick_export_options e = {.event = c->event};
    int64_t rows;
    bool turned = false;
    unsigned k = 0;
    (void)ctx;
    int rc = wick_ask_number(a, "rows", 0, MOST_ROWS, ROWS, &rows, err);
    rc = rc ? rc : wick_ask_flag(a, "turned", &turned, err);
    while (sort && *sort && k < SORTS && strcmp(sorts[k], sort) != 0)
        k++;
    if (!rc && k == SORTS)
        rc = wick_err_set(err, WICK_E_USAGE, "sort takes change, name, self_change and the like, not '%.40s'", sort);
    bool csv = format && !strcmp(format, "csv");
    if (!rc && format && *format && !csv && strcmp(format, "json") != 0)
        rc = wick_err_set(err, WICK_E_USAGE, "format takes json or csv, not '%.40s'", format);
    if (rc)
        return rc;
    const struct wick_diff_table o = {.event = wick_profile_str(&c->both, c->both.events[c->event].name),
                                      .unit = wick_picture_unit(&c->both, &e),
                                      .rows = (uint32_t)rows,
                                      .json = !csv,
                                      .csv = csv};
    wick_cli_forget_inputs();
    wick_diff_sort(&c->diff, (enum wick_diff_order)k, turned);
    wick_diff_table_write(&c->diff, &o, out);
    return 0;
}
