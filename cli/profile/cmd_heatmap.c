/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_heatmap.c - wick heatmap: what `wick convert --to heatmap` does, under its own name
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/input/convert.h"
#include "cli/input/inputs.h"
#include "cli/replace.h"
#include "cli/ui.h"
#include "cli/input/view.h"

int wick_cmd_heatmap(int argc, char **argv);

static const char usage[] =
    "Usage: wick heatmap [OPTION...] FILE... -o OUT.html\n"
    "\n"
    "Draws a heatmap of time: a column is a second, a cell 20 ms of it (for long recordings more). The page shows the\n"
    "flame graph of any range chosen with the mouse or the keyboard, alone or compared with the rest or with another\n"
    "range. FILE is a JFR recording, perf.data or output of `perf script`, also compressed with gzip; several are\n"
    "added up.\n"
    "\n";

struct heatmap {
    const char *out;
    struct wick_view view;
    struct wick_export_options o;
    struct wick_convert_times times;
    struct wick_profile p;
};

/* -1 = go on, otherwise the exit status. */
static int take_option(struct heatmap *m, int c)
{
    switch (c) {
    case WICK_ARG_OUTPUT:
        m->out = optarg;
        return -1;
    case WICK_ARG_TITLE:
        m->o.title = optarg;
        return -1;
    case WICK_ARG_THREADS:
        m->o.threads = true;
        return -1;
    case WICK_ARG_SAMPLES:
        m->o.counts = true;
        return -1;
    case WICK_ARG_HELP:
        fputs(usage, stdout);
        wick_args_help(WICK_ARGS_HEATMAP, stdout);
        return 0;
    default:
        return wick_view_take(&m->view, c, optarg, "heatmap");
    }
}

static int run(struct heatmap *m, char *const *inputs, int n, struct wick_err *err)
{
    const struct wick_format *format = wick_format_by_name("heatmap");
    const char *slash = strrchr(inputs[0], '/');
    size_t len = m->out ? strlen(m->out) : 0;
    if (m->out && strcmp(m->out, "-") != 0 && (len < 6 || strcmp(m->out + len - 5, ".html") != 0))
        return wick_err_set(err, WICK_E_USAGE, "cannot infer the format of '%s': the name must end in .html", m->out);
    if (!m->out && isatty(STDOUT_FILENO))
        return wick_err_set(err, WICK_E_USAGE, "HTML on a terminal is of no use; name a file with -o FILE.html");
    if (!m->o.title && strcmp(inputs[0], "-") != 0)
        m->o.title = slash && slash[1] ? slash + 1 : inputs[0];
    m->o.names = m->view.names;
    m->p.keep = wick_format_keep(format, m->o.names);
    int rc = wick_convert_read(&m->p, format, &m->view, &m->o, &m->times, inputs, n, err);
    rc = rc ? rc : wick_cli_event(&m->p, m->view.event, &m->o.event, err);
    return rc ? rc : wick_convert_write(&m->p, format, &m->o, m->out, false, err);
}

int wick_cmd_heatmap(int argc, char **argv)
{
    struct heatmap m = {.view.shape.no_own = true};
    struct wick_err err = {0};
    int c, status = -1;
    wick_args_start(WICK_ARGS_HEATMAP);
    while (status < 0 && (c = wick_args_next(argc, argv)) != WICK_ARG_END)
        status = take_option(&m, c);
    if (status >= 0)
        return status;
    if (optind == argc) {
        fputs("wick: no input (see `wick heatmap --help`)\n", stderr);
        return wick_err_exit(WICK_E_USAGE);
    }
    int rc = wick_profile_init(&m.p);
    if (rc) {
        wick_err_set(&err, WICK_E_NOMEM, "out of memory");
    } else {
        rc = run(&m, argv + optind, argc - optind, &err);
        wick_profile_release(&m.p);
    }
    wick_convert_times_release(&m.times);
    wick_view_release(&m.view);
    return rc ? wick_ui_fail(&err) : 0;
}
