/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_heatmap.c - wick heatmap: what `wick convert --to heatmap` does, under its own name
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/convert.h"
#include "cli/input.h"
#include "cli/replace.h"
#include "cli/ui.h"
#include "cli/view.h"

int wick_cmd_heatmap(int argc, char **argv);

static const char usage[] =
    "Usage: wick heatmap [OPTION...] FILE... -o OUT.html\n"
    "\n"
    "Draws a heatmap of time: a column is a second, a cell 20 ms of it (for long recordings more). The page shows the\n"
    "flame graph of any range chosen with the mouse or the keyboard, alone or compared with the rest or with another\n"
    "range. FILE is a JFR recording, perf.data or output of `perf script`, also compressed with gzip; several are\n"
    "added up.\n"
    "\n"
    "Options:\n"
    "  -o, --output FILE     write to FILE; without it to standard output\n"
    "      --title TEXT      heading (default: the name of the first input)\n"
    "  -t, --threads         the thread as root frame\n"
    "      --samples         count samples instead of adding up their weights\n"
    "      --reverse         turn stacks round: the leaf first\n" WICK_REPLACE_HELP
    "  -h, --help            this text\n";

struct heatmap {
    const char *out;
    struct wick_view view;
    struct wick_export_options o;
    struct wick_convert_times times;
    struct wick_profile p;
};

enum { OPT_TITLE = 256, OPT_SAMPLES };

static const struct option longs[] = {
    {"output", required_argument, NULL, 'o'},
    {"title", required_argument, NULL, OPT_TITLE},
    {"threads", no_argument, NULL, 't'},
    {"samples", no_argument, NULL, OPT_SAMPLES},
    {"reverse", no_argument, NULL, WICK_VIEW_REVERSE},
    WICK_REPLACE_LONG,
    {"help", no_argument, NULL, 'h'},
    WICK_VIEW_LONGS,
    {0},
};

/* -1 = go on, otherwise the exit status. */
static int take_option(struct heatmap *m, int c)
{
    switch (c) {
    case 'o':
        m->out = optarg;
        return -1;
    case OPT_TITLE:
        m->o.title = optarg;
        return -1;
    case 't':
        m->o.threads = true;
        return -1;
    case OPT_SAMPLES:
        m->o.counts = true;
        return -1;
    case 'h':
        printf("%s\n%s", usage, wick_view_help);
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
    optind = 0; /* getopt starts anew: another command may have used it */
    while (status < 0 && (c = getopt_long(argc, argv, "o:e:th", longs, NULL)) != -1)
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
