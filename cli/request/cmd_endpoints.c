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

static int show(char *const *paths, int n, bool json, const char *path, struct wick_err *err)
{
    struct wick_profile p;
    struct wick_spans s;
    struct wick_endpoints e = {0};
    int rc = path ? wick_page_check(path, err) : 0;
    if (rc)
        return rc;
    if (wick_profile_init(&p))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    wick_spans_init(&s, &p);
    const struct wick_jfr_visitor v = wick_spans_visitor(&s);
    for (int i = 0; !rc && i < n; i++)
        rc = wick_cli_read_events(&p, paths[i], &v, err);
    if (!rc && (wick_spans_finish(&s) || wick_endpoints_init(&e, &s, INT64_MIN, INT64_MAX)))
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory while making the table");
    if (!rc && !s.n && !s.key_endpoint)
        rc = wick_err_set(err, WICK_E_NOTFOUND,
                          "the recording has no endpoints: the program reports none (see docs/labels.md), or none "
                          "of them began and ended during the recording");
    rc = rc ? rc : write_all(&e, json, path, err);
    wick_endpoints_release(&e);
    wick_spans_release(&s);
    wick_profile_release(&p);
    return rc;
}

int wick_cmd_endpoints(int argc, char **argv)
{
    struct wick_err err = {0};
    const char *path = NULL;
    bool json = false;
    int opt;
    wick_args_start(WICK_ARGS_ENDPOINTS);
    while ((opt = wick_args_next(argc, argv)) != WICK_ARG_END) {
        if (opt == WICK_ARG_HELP) {
            usage(stdout);
            return 0;
        }
        if (opt != WICK_ARG_JSON && opt != WICK_ARG_PAGE) {
            fputs("wick: `wick endpoints --help` lists the options\n", stderr);
            return wick_err_exit(WICK_E_USAGE);
        }
        json |= opt == WICK_ARG_JSON;
        path = opt == WICK_ARG_PAGE ? optarg : path;
    }
    if (optind >= argc) {
        fputs("wick: which recording? (see `wick endpoints --help`)\n", stderr);
        return wick_err_exit(WICK_E_USAGE);
    }
    return show(argv + optind, argc - optind, json, path, &err) ? wick_ui_fail(&err) : 0;
}
