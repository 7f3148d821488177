/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick diff [options] A B
 *
 * Each side is a recording or several, separated by commas. Both are read into one profile, so that equal stacks are
 * the same stack, and their samples are kept apart (analysis/compare/diff.h).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/sum.h"
#include "cli/command.h"
#include "cli/profile/diff_table.h"
#include "cli/input/inputs.h"
#include "cli/replace.h"
#include "cli/save.h"
#include "cli/ui.h"
#include "cli/input/view.h"
#include "analysis/compare/diff.h"
#include "export/diff_page.h"
#include "export/picture.h"

static const char usage[] =
    "Usage: wick diff [OPTION...] A B\n"
    "\n"
    "Compares two recordings, or two sets of recordings (FILE,FILE...): what takes more in B than in A, and what\n"
    "less. Prints a table, or draws a flame graph of both, in which what grew is red, what shrank blue, and what is\n"
    "within sampling error grey.\n"
    "\n";

struct diff {
    struct wick_view view;
    const char *before_from, *before_to; /* the time range of A, if it is another one */
    struct wick_export_options export;
    struct wick_diff_table table;
    const char *out;
    bool absolute, print;
    double fail_above; /* per cent; below 0 = no limit */
    struct wick_profile profile;
    struct wick_diff_side side[2];
    struct wick_agg *aggs[2]; /* owned; what the sides borrow */
    struct wick_strbuf names[2];
};

#define NAMED 3 /* files of a side that the title names */

/* --- input --- */

/* Splits a comma-separated list in place; a file whose name has a comma is one file. Returns how many. */
static int split(char *list, char **paths, int max)
{
    int n = 0;
    if (!access(list, F_OK)) {
        paths[0] = list;
        return 1;
    }
    for (char *save = NULL, *s = strtok_r(list, ",", &save); s && n < max; s = strtok_r(NULL, ",", &save))
        paths[n++] = s;
    return n;
}

/* The names of a side's files without their folders. */
static void add_names(struct wick_strbuf *sb, char **paths, int n)
{
    for (int i = 0; i < n && i < NAMED; i++) {
        const char *slash = strrchr(paths[i], '/');
        wick_strbuf_addf(sb, "%s%s", i ? ", " : "", slash && slash[1] ? slash + 1 : paths[i]);
    }
    if (n > NAMED)
        wick_strbuf_addf(sb, " and %d more", n - NAMED);
}

static int read_side(struct diff *d, unsigned k, char *list, struct wick_err *err)
{
    char **paths = calloc(strlen(list) + 1, sizeof *paths);
    int n = paths ? split(list, paths, (int)strlen(list)) : 0;
    int rc = paths ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    uint16_t event = 0;
    if (!rc && !n)
        rc = wick_err_set(err, WICK_E_USAGE, "an empty list of files");
    struct wick_view view = d->view; /* its memory stays d's */
    if (!k && (d->before_from || d->before_to)) {
        view.from = d->before_from;
        view.to = d->before_to;
    }
    rc = rc ? rc : wick_view_read(&view, &d->profile, paths, n, err);
    /* The first side chooses the event, the second must have it. */
    if (!rc && (!k || !d->profile.events[d->export.event].count))
        rc = wick_cli_event(&d->profile,
                            k ? wick_profile_str(&d->profile, d->profile.events[d->export.event].name) : d->view.event,
                            &event, err);
    if (!rc && !k)
        d->export.event = event;
    if (!rc && k && event)
        rc = wick_err_set(err, WICK_E_NOTFOUND, "%s: its samples of that event are in another unit", paths[0]);
    if (rc)
        wick_err_prefix(err, "%s", k ? "second side" : "first side");
    else
        d->side[k].aggs = d->aggs[k] = wick_profile_take_aggs(&d->profile, &d->side[k].naggs);
    add_names(&d->names[k], paths, n);
    free(paths);
    return rc;
}

/* --- output --- */

static bool ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && !strcmp(path + n - m, end);
}

static int write_file(struct diff *d, struct wick_diff *c, struct wick_err *err)
{
    struct wick_diff_table table = d->table;
    const char *const names[2] = {d->names[0].buf, d->names[1].buf};
    bool page = ends_in(d->out, ".html");
    table.json = ends_in(d->out, ".json");
    table.csv = ends_in(d->out, ".csv");
    if (!page && !table.json && !table.csv && !ends_in(d->out, ".txt"))
        return wick_err_set(err, WICK_E_USAGE, "cannot infer the format of '%s': use .html, .json, .csv or .txt",
                            d->out);
    FILE *out = wick_save_open(d->out, false, err);
    if (!out)
        return -err->code;
    int rc = 0;
    if (page)
        rc = wick_diff_page_write(c, &d->profile, &d->export, names, out, err);
    else
        wick_diff_table_write(c, &table, out);
    return wick_save_close(out, d->out, rc, err);
}

/* The row whose growth is surely above the limit, the largest; NULL if there is none. */
static const struct wick_diff_row *above(const struct wick_diff *c, double limit)
{
    const struct wick_diff_row *worst = NULL;
    double most = limit / 100;
    for (uint32_t i = 0; i < c->nrows; i++) {
        struct wick_diff_change x = wick_diff_change(c, &c->rows[i].total);
        if (x.change - x.half > most) {
            most = x.change - x.half;
            worst = &c->rows[i];
        }
    }
    return worst;
}

static int judge(const struct diff *d, const struct wick_diff *c, struct wick_err *err)
{
    const struct wick_diff_row *r = d->fail_above < 0 ? NULL : above(c, d->fail_above);
    size_t n;
    if (!r)
        return 0;
    const char *name = wick_tree_name_get(c->tree, r->name, &n);
    struct wick_diff_change x = wick_diff_change(c, &r->total);
    return wick_err_set(err, WICK_E_CHANGED, "%.*s grew by %.2f \xc2\xb1 %.2f %% of all; the limit is %g %%",
                        (int)(n < 200 ? n : 200), name, 100 * x.change, 100 * x.half, d->fail_above);
}

static int run(struct diff *d, char **sides, struct wick_err *err)
{
    struct wick_diff c;
    int rc = 0;
    for (unsigned k = 0; k < 2 && !rc; k++)
        rc = read_side(d, k, sides[k], err);
    const struct wick_diff_options how = {
        .event = d->export.event, .names = d->export.names, .counts = d->export.counts, .absolute = d->absolute};
    rc = rc ? rc : wick_diff_init(&c, &d->profile, d->side, &how, err);
    if (rc)
        return rc;
    d->table.event = wick_profile_str(&d->profile, d->profile.events[d->export.event].name);
    d->table.unit = wick_picture_unit(&d->profile, &d->export);
    wick_diff_sort(&c, WICK_DIFF_BY_CHANGE, false);
    if (d->out)
        rc = write_file(d, &c, err);
    if (!rc && (!d->out || d->print)) {
        wick_diff_table_write(&c, &d->table, stdout);
        if (!d->table.json)
            wick_view_print_own(&d->profile, d->export.event, wick_sum_u64(c.measured.weight[0], c.measured.weight[1]),
                                stdout);
    }
    rc = rc ? rc : judge(d, &c, err);
    wick_diff_release(&c);
    return rc;
}

/* --- command line --- */

/* -1 = go on, otherwise the exit status. */
static int take_option(struct diff *d, int c)
{
    char *end;
    switch (c) {
    case WICK_ARG_OUTPUT:
        d->out = optarg;
        return -1;
    case WICK_ARG_TABLE:
        d->print = true;
        return -1;
    case WICK_ARG_ROWS:
        return wick_ui_rows(optarg, &d->table.rows) ? -1 : wick_ui_bad_option("diff", "--rows takes a number", optarg);
    case WICK_ARG_JSON:
        d->table.json = d->print = true;
        return -1;
    case WICK_ARG_BEFORE_FROM:
        d->before_from = optarg;
        return -1;
    case WICK_ARG_BEFORE_TO:
        d->before_to = optarg;
        return -1;
    case WICK_ARG_ABSOLUTE:
        d->absolute = true;
        return -1;
    case WICK_ARG_FAIL_ABOVE:
        d->fail_above = strtod(optarg, &end);
        if (end == optarg || (*end && strcmp(end, "%") != 0) || !(d->fail_above >= 0) || isinf(d->fail_above))
            return wick_ui_bad_option("diff", "--fail-above takes a percentage", optarg);
        return -1;
    case WICK_ARG_THREADS:
        return wick_view_take(&d->view, WICK_ARG_BY, "thread", "diff");
    case WICK_ARG_SAMPLES:
        d->export.counts = true;
        return -1;
    case WICK_ARG_TITLE:
        d->export.title = optarg;
        return -1;
    case WICK_ARG_HELP:
        fputs(usage, stdout);
        wick_args_help(WICK_ARGS_DIFF, stdout);
        return 0;
    default:
        return wick_view_take(&d->view, c, optarg, "diff");
    }
}

int wick_cmd_diff(int argc, char **argv)
{
    struct diff d = {.view.shape.no_own = true,
                     .table.rows = wick_args_default_number(WICK_ARG_ROWS),
                     .fail_above = -1,
                     .names = {WICK_STRBUF_INIT, WICK_STRBUF_INIT}};
    struct wick_err err = {0};
    int c, status = -1;
    wick_args_start(WICK_ARGS_DIFF);
    while (status < 0 && (c = wick_args_next(argc, argv)) != WICK_ARG_END)
        status = take_option(&d, c);
    if (status >= 0)
        return status;
    if (argc - optind != 2) {
        fputs("wick: two recordings are compared, or two lists with commas (see `wick diff --help`)\n", stderr);
        return wick_err_exit(WICK_E_USAGE);
    }
    int rc = wick_profile_init(&d.profile);
    if (rc) {
        wick_err_set(&err, WICK_E_NOMEM, "out of memory");
    } else {
        d.export.names = d.view.names;
        d.profile.by_thread = d.profile.by_state = false;
        d.profile.keep = wick_picture_keep(d.view.names) & ~(unsigned)WICK_KEEP_LINES;
        rc = run(&d, argv + optind, &err);
        wick_profile_release(&d.profile);
    }
    for (unsigned k = 0; k < 2; k++) {
        free(d.aggs[k]);
        wick_strbuf_release(&d.names[k]);
    }
    wick_view_release(&d.view);
    return rc ? wick_ui_fail(&err) : 0;
}
