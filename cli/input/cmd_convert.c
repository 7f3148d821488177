/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_convert.c - wick convert: profiles of any format in, another format out
 *
 * The output format comes from --to or from the output file's extension (export/format.h). One event type is
 * written: adding samples of different types together would give a number that means nothing. Recordings are not
 * written from samples but cut out of others (cli/input/convert_cut.h), with all their events.
 */
#include "cli/input/convert.h"
#include "cli/args.h"
#include "cli/input/convert_cut.h"
#include "cli/input/inputs.h"
#include "cli/replace.h"
#include "cli/ui.h"
#include "cli/input/view.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

int wick_cmd_convert(int argc, char **argv);

struct convert {
    const char *out, *to;
    struct wick_view view;
    struct wick_export_options o;
    const struct wick_format *format;
    struct wick_convert_times times;
    bool cut; /* into a recording: no format of the list */
    bool compat;
};

static void usage(FILE *f)
{
    fputs("Usage: wick convert [OPTION...] IN OUT\n"
          "       wick convert [OPTION...] IN... -o OUT\n"
          "\n"
          "Reads JFR recordings, pprof, perf.data, output of `perf script` or collapsed stacks, also compressed\n"
          "with gzip, and writes another format. Several inputs make one profile; - is standard input.\n"
          "\n",
          f);
    wick_args_help(WICK_ARGS_CONVERT, f);
    fputs("\nFormats:\n", f);
    for (const struct wick_format *x = wick_format_table; x->name; x++) {
        fprintf(f, "  %-12s  %s (", x->name, x->text);
        for (const char *const *e = x->extensions; *e; e++)
            fprintf(f, "%s.%s", e == x->extensions ? "" : " ", *e);
        fputs(")\n", f);
    }
    fputs("  jfr           a smaller recording, cut out of one or several: all events of the samples and the time "
          "chosen\n"
          "                (.jfr; an existing one is replaced only with -o or --force)\n",
          f);
}

static bool may_be_time(const char *word)
{
    return strchr("0123456789-+@", *word) != NULL;
}

/* -1 = go on, otherwise the exit status. */
static int parse(struct convert *c, int argc, char **argv)
{
    int opt, status;
    wick_args_start(WICK_ARGS_CONVERT);
    while ((opt = wick_args_next(argc, argv)) != WICK_ARG_END) {
        switch (opt == WICK_ARG_TO && !may_be_time(optarg) ? WICK_ARG_FORMAT : opt) {
        case WICK_ARG_OUTPUT:
            c->out = optarg;
            break;
        case WICK_ARG_FORMAT:
            c->to = optarg;
            break;
        case WICK_ARG_TITLE:
            c->o.title = optarg;
            break;
        case WICK_ARG_THREADS:
            c->o.threads = true;
            break;
        case WICK_ARG_SAMPLES:
            c->o.counts = true;
            break;
        case WICK_ARG_COMPAT:
            c->compat = true;
            break;
        case WICK_ARG_ANNOTATE:
            c->o.names |= WICK_NAME_ANNOTATE;
            break;
        case WICK_ARG_HELP:
            usage(stdout);
            return 0;
        default:
            if (opt == WICK_ARG_TO) /* a time: no word is both that and a format */
                opt = WICK_ARG_UNTIL;
            status = wick_view_take(&c->view, opt, optarg, "convert");
            if (status >= 0)
                return status;
        }
    }
    c->o.names |= c->view.names;
    return -1;
}

static bool ends_in_jfr(const char *path)
{
    size_t n = path ? strlen(path) : 0;
    return n > 4 && !strcasecmp(path + n - 4, ".jfr");
}

static int choose_format(struct convert *c, struct wick_err *err)
{
    c->cut = c->to ? !strcmp(c->to, "jfr") : ends_in_jfr(c->out);
    if (c->cut)
        return 0;
    if (c->compat)
        return wick_err_set(err, WICK_E_USAGE,
                            "--compat is for recordings; add --to jfr or name an output that ends in .jfr");
    c->format = c->to                           ? wick_format_by_name(c->to)
                : c->out && strcmp(c->out, "-") ? wick_format_by_file(c->out)
                                                : wick_format_by_name("collapsed");
    if (c->format)
        return 0;
    if (c->to)
        return wick_err_set(err, WICK_E_USAGE, "unknown format '%s' (`wick convert --help` lists the formats)", c->to);
    return wick_err_set(
        err, WICK_E_USAGE,
        "cannot infer the format of '%s': use an extension that `wick convert --help` lists, or add --to FORMAT",
        c->out);
}

/* `wick convert *.jfr`, without -o, must not take the last recording for the output. */
static int check_output(const struct convert *c, bool named, struct wick_err *err)
{
    const char *word = c->cut ? "jfr" : c->format->name;
    if (!named && !wick_replace_force && ends_in_jfr(c->out) && !access(c->out, F_OK))
        return wick_err_set(err, WICK_E_USAGE,
                            "%s already exists and would be overwritten; name the output with -o, or add --force",
                            c->out);
    if (!c->out && c->format != wick_format_by_name("collapsed") && isatty(STDOUT_FILENO))
        return wick_err_set(err, WICK_E_USAGE, "%s on a terminal is of no use; name a file", word);
    return 0;
}

static int cut(struct convert *c, char *const *inputs, int n, struct wick_err *err)
{
    if (c->o.names || c->o.threads || c->o.counts || c->o.title)
        return wick_err_set(
            err, WICK_E_USAGE,
            "a recording keeps its events as they are: options for names, threads as frames, counts and "
            "titles cannot be combined with it");
    return wick_convert_cut(&c->view, inputs, n, c->out, c->compat, false, err);
}

static int convert(struct convert *c, char *const *inputs, int n, struct wick_err *err)
{
    struct wick_profile p;
    int rc = wick_profile_init(&p);
    if (rc)
        return rc;
    p.keep = wick_format_keep(c->format, c->o.names);
    rc = wick_convert_read(&p, c->format, &c->view, &c->o, &c->times, inputs, n, err);
    if (rc == 0)
        rc = wick_cli_event(&p, c->view.event, &c->o.event, err);
    if (rc == 0)
        wick_profile_seal(&p);
    if (rc == 0)
        rc = wick_convert_write(&p, c->format, &c->o, c->out, false, err);
    wick_profile_release(&p);
    wick_convert_times_release(&c->times);
    return rc;
}

int wick_cmd_convert(int argc, char **argv)
{
    struct convert c = {0};
    struct wick_err err = {0};
    int status = parse(&c, argc, argv);
    if (status >= 0)
        return status;
    if (optind >= argc) {
        fputs("wick: no input (see `wick convert --help`)\n", stderr);
        return wick_err_exit(WICK_E_USAGE);
    }
    int inputs = argc - optind;
    bool named = c.out;
    if (!c.out && inputs > 1)
        c.out = argv[optind + --inputs];
    int rc = choose_format(&c, &err);
    rc = rc ? rc : check_output(&c, named, &err);
    if (!rc)
        rc = c.cut ? cut(&c, argv + optind, inputs, &err) : convert(&c, argv + optind, inputs, &err);
    wick_view_release(&c.view);
    if (rc && !err.code)
        wick_err_set(&err, (enum wick_code) - rc, "%s", wick_err_text(rc));
    return rc ? wick_ui_fail(&err) : 0;
}
