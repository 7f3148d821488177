/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick trace [options] FILE... [TRACE_ID]
 *
 * The timeline of a request, from the recording alone. The last operand is a trace id, or its beginning, if it is
 * hexadecimal and there is no such file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/input/inputs.h"
#include "cli/page.h"
#include "cli/page_assets.h"
#include "cli/replace.h"
#include "cli/save.h"
#include "cli/request/trace_view.h"
#include "cli/ui.h"

int wick_cmd_trace(int argc, char **argv);

struct job {
    const char *id; /* NULL = the slowest */
    size_t slowest;
    bool json;
    const char *out; /* a page; NULL = none */
};

static void usage(FILE *f)
{
    fputs("Usage: wick trace [OPTION...] FILE... [TRACE_ID]\n"
          "\n"
          "Shows the timeline of a trace: its spans, and for each thread when it was on a CPU, waiting for one, or "
          "blocked\n"
          "and where. TRACE_ID may be a prefix of an id; without one the slowest traces are listed and the "
          "slowest is\n"
          "shown. Programs report their spans with wick.jar (docs/labels.md); record with -e cpu,wall to see waits.\n"
          "\n",
          f);
    wick_args_help(WICK_ARGS_TRACE, f);
}

/* -1 = go on, otherwise the exit status. */
static int parse(struct job *j, int argc, char **argv)
{
    int opt;
    wick_args_start(WICK_ARGS_TRACE);
    while ((opt = wick_args_next(argc, argv)) != WICK_ARG_END) {
        char *end;
        switch (opt) {
        case WICK_ARG_SLOWEST:
            j->slowest = strtoul(optarg, &end, 10);
            if (*optarg >= '0' && *optarg <= '9' && !*end && j->slowest)
                break;
            fputs("wick: --slowest takes a number of at least 1\n", stderr);
            return wick_err_exit(WICK_E_USAGE);
        case WICK_ARG_PAGE:
            j->out = optarg;
            break;
        case WICK_ARG_JSON:
            j->json = true;
            break;
        case WICK_ARG_HELP:
            usage(stdout);
            return 0;
        default:
            fputs("wick: `wick trace --help` lists the options\n", stderr);
            return wick_err_exit(WICK_E_USAGE);
        }
    }
    return -1;
}

static bool is_id(const char *word)
{
    return *word && !word[strspn(word, "0123456789abcdefABCDEF")] && access(word, F_OK);
}

/* Narrows the list to the traces that are asked for. */
static int choose(const struct job *j, const struct wick_profile *p, struct wick_spantrace_id *ids, size_t all,
                  size_t *n, struct wick_err *err)
{
    size_t found = 0;
    if (!all)
        return wick_err_set(err, WICK_E_NOTFOUND,
                            "the recording has no spans: the program reports none (see docs/labels.md), or none "
                            "of them began and ended during the recording");
    if (!j->id) {
        *n = all < j->slowest ? all : j->slowest;
        return 0;
    }
    for (size_t i = 0; i < all; i++) {
        const char *name = wick_profile_str(p, ids[i].key);
        bool whole = !strcasecmp(name, j->id);
        if (!whole && strncasecmp(name, j->id, strlen(j->id)) != 0)
            continue;
        ids[whole ? 0 : found] = ids[i];
        found = whole ? 1 : found + 1;
        if (whole)
            break;
    }
    if (found != 1)
        return wick_err_set(err, found ? WICK_E_USAGE : WICK_E_NOTFOUND,
                            found ? "%zu traces have ids that begin with %s; give more of it"
                                  : "none of the %zu traces has an id that begins with %s",
                            found ? found : all, j->id);
    *n = 1;
    return 0;
}

static unsigned terminal_width(void)
{
    unsigned columns = wick_ui_width(stdout);
    return columns ? columns : 120;
}

static int write_text(const struct job *j, const struct wick_spans *s, const struct wick_spantrace_id *ids, size_t n,
                      size_t all)
{
    struct wick_spantrace t;
    if (!j->id) {
        wick_trace_view_list(s, ids, n, all, stdout);
        fputc('\n', stdout);
    }
    int rc = wick_spantrace_init(&t, s, &ids[0]);
    if (rc)
        return rc;
    rc = wick_trace_view_text(s, &t, terminal_width(), stdout);
    wick_spantrace_release(&t);
    return rc;
}

struct chosen {
    const struct wick_trace_locks *l;
    const struct wick_spantrace_id *ids;
    size_t n;
};

static int page_json(void *ctx, FILE *out)
{
    const struct chosen *c = ctx;
    return wick_trace_view_json(c->l, c->ids, c->n, out);
}

static int write_all(const struct job *j, const struct wick_trace_locks *l, const struct wick_spantrace_id *ids,
                     size_t n, size_t all, struct wick_err *err)
{
    if (j->out) {
        struct chosen chosen = {l, ids, n};
        return wick_page_save(&(struct wick_page){wick_page_trace_head, wick_page_trace_tail, page_json, &chosen},
                              j->out, err);
    }
    int rc = j->json ? wick_trace_view_json(l, ids, n, stdout) : write_text(j, l->spans, ids, n, all);
    if (rc)
        wick_err_set(err, WICK_E_NOMEM, "out of memory while putting the trace together");
    return wick_save_close(stdout, NULL, rc, err);
}

static int show(const struct job *j, char *const *paths, int n, struct wick_err *err)
{
    struct wick_profile p;
    struct wick_spans s;
    struct wick_trace_locks locks;
    struct wick_spantrace_id *ids = NULL;
    size_t all = 0, chosen = 0;
    int rc = j->out ? wick_page_check(j->out, err) : 0;
    if (rc)
        return rc;
    if (wick_profile_init(&p))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    wick_spans_init(&s, &p);
    s.one_process = n == 1;
    wick_trace_locks_init(&locks, &s);
    const struct wick_jfr_visitor v = wick_trace_locks_visitor(&locks);
    for (int i = 0; !rc && i < n; locks.waits.file = (uint32_t)++i)
        rc = wick_cli_read_events(&p, paths[i], &v, err);
    if (!rc && (wick_trace_locks_finish(&locks) || wick_spantrace_list(&s, &ids, &all)))
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = rc ? rc : choose(j, &p, ids, all, &chosen, err);
    rc = rc ? rc : write_all(j, &locks, ids, chosen, all, err);
    free(ids);
    wick_trace_locks_release(&locks);
    wick_spans_release(&s);
    wick_profile_release(&p);
    return rc;
}

int wick_cmd_trace(int argc, char **argv)
{
    struct job j = {.slowest = wick_args_default_number(WICK_ARG_SLOWEST)};
    struct wick_err err = {0};
    int status = parse(&j, argc, argv);
    if (status >= 0)
        return status;
    int n = argc - optind;
    if (n > 1 && is_id(argv[argc - 1]))
        j.id = argv[--n + optind];
    if (n < 1) {
        fputs("wick: which recording? (see `wick trace --help`)\n", stderr);
        return wick_err_exit(WICK_E_USAGE);
    }
    return show(&j, argv + optind, n, &err) ? wick_ui_fail(&err) : 0;
}
