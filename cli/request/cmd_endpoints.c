/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick endpoints [options] FILE...
 *
 * Latencies come from the spans in the recordings, CPU time and waits from their samples.
 */
#include "cli/args.h"
#include "cli/command.h"
#include "cli/request/endpoint_table.h"
#include "cli/input/inputs.h"
#include "cli/input/view.h"
#include "cli/page.h"
#include "cli/page_assets.h"
#include "cli/replace.h"
#include "cli/save.h"
#include "cli/ui.h"

static void usage(FILE *f)
{
    fputs(
        "Usage: wick endpoints [OPTION...] FILE...\n"
        "\n"
        "Shows for each endpoint how many requests there were, how long they took (of their outermost spans; each is\n"
        "counted) and what CPU time the samples of their threads stand for; with wall-clock samples also how\n"
        "long they waited for a CPU or were blocked, by reason. Programs report their endpoints with wick.jar\n"
        "(docs/labels.md).\n"
        "\n",
        f);
    wick_args_help(WICK_ARGS_ENDPOINTS, f);
}

static int page_json(void *ctx, FILE *out)
{
    return wick_endpoints_write(ctx, WICK_ENDPOINTS_JSON, out);
}

static int write_all(struct wick_endpoints *e, bool json, const char *path, struct wick_err *err)
{
    if (path)
        return wick_page_save(&(struct wick_page){wick_page_endpoints_head, wick_page_endpoints_tail, page_json, e},
                              path, err);
    int rc = wick_endpoints_write(e, json ? WICK_ENDPOINTS_JSON : WICK_ENDPOINTS_TEXT, stdout);
    if (rc)
        wick_err_set(err, WICK_E_NOMEM, "out of memory while writing the table");
    return wick_save_close(stdout, NULL, rc, err);
}

/* The command's options. */
struct options {
    const char *path, *from, *to;
    bool json;
};

static int show(const struct options *o, char *const *paths, int n, struct wick_err *err)
{
    struct wick_profile p;
    struct wick_spans s;
    struct wick_endpoints e = {0};
    int64_t from_ns, to_ns;
    int rc = o->path ? wick_page_check(o->path, err) : 0;
    rc = rc ? rc : wick_view_range(o->from, o->to, paths, n, &from_ns, &to_ns, err);
    if (rc)
        return rc;
    if (wick_profile_init(&p))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    wick_spans_init(&s, &p);
    const struct wick_jfr_visitor v = wick_spans_visitor(&s);
    for (int i = 0; !rc && i < n; i++)
        rc = wick_cli_read_events(&p, paths[i], &v, err);
    if (!rc && (wick_spans_finish(&s) ||
                wick_endpoints_init(&e, &s, from_ns ? from_ns : INT64_MIN, to_ns ? to_ns : INT64_MAX)))
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory while making the table");
    if (!rc && !s.n && !s.key_endpoint)
        rc = wick_err_set(err, WICK_E_NOTFOUND,
                          "the recording has no endpoints: the program reports none (see docs/labels.md), or none "
                          "of them began and ended during the recording");
    rc = rc ? rc : write_all(&e, o->json, o->path, err);
    wick_endpoints_release(&e);
    wick_spans_release(&s);
    wick_profile_release(&p);
    return rc;
}

int wick_cmd_endpoints(int argc, char **argv)
{
    struct wick_err err = {0};
    struct options o = {0};
    int opt;
    wick_args_start(WICK_ARGS_ENDPOINTS);
    while ((opt = wick_args_next(argc, argv)) != WICK_ARG_END) {
        if (opt == WICK_ARG_HELP) {
            usage(stdout);
            return 0;
        }
        const char **text = opt == WICK_ARG_PAGE         ? &o.path
                            : opt == WICK_ARG_RANGE_FROM ? &o.from
                            : opt == WICK_ARG_RANGE_TO   ? &o.to
                                                         : NULL;
        if (text) {
            *text = optarg;
        } else if (opt == WICK_ARG_JSON) {
            o.json = true;
        } else {
            fputs("wick: `wick endpoints --help` lists the options\n", stderr);
            return wick_err_exit(WICK_E_USAGE);
        }
    }
    if (optind >= argc) {
        fputs("wick: which recording? (see `wick endpoints --help`)\n", stderr);
        return wick_err_exit(WICK_E_USAGE);
    }
    return show(&o, argv + optind, argc - optind, &err) ? wick_ui_fail(&err) : 0;
}
