/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick explain [options] FILE...
 * wick explain [options] PID|NAME
 *
 * Says in sentences what makes a program slow. Of a live JVM a recording is taken first, into memory, with all that the
 * rules read. What exists as a file, or looks like a path, is a file.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/explain_rules.h"
#include "cli/look.h"
#include "cli/ui.h"

#define DURATION "30"

struct explain {
    bool json;
    const char *duration, *lib;
};

static void usage(FILE *f)
{
    fputs(
        "Usage: wick explain [OPTION...] FILE...\n"
        "       wick explain [OPTION...] PID|NAME\n"
        "\n"
        "Says in sentences with figures what makes a program slow, by its recordings (- is standard input) or of a "
        "JVM\n"
        "now, what matters most first: allocation stalls, too few CPUs, neighbours, limits, locks, collections, late\n"
        "safepoints, a hot method. Record with -e cpu,wall --ttsp; docs/explain.md lists the rules.\n"
        "\n"
        "Options:\n"
        "      --json            JSON; times in nanoseconds\n"
        "  -h, --help            this text\n"
        "\n"
        "For a JVM:\n"
        "  -d, --duration TIME   how long to look (default " DURATION " s; Ctrl-C ends it earlier)\n"
        "      --lib PATH        the agent, instead of the libwick.so installed with wick\n",
        f);
}

enum { OPT_JSON = 256, OPT_LIB };

static const struct option longs[] = {
    {"duration", required_argument, NULL, 'd'},
    {"lib", required_argument, NULL, OPT_LIB},
    {"json", no_argument, NULL, OPT_JSON},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* -1 = go on, otherwise the exit status. */
static int parse(struct explain *x, int argc, char **argv)
{
    int opt;
    optind = 0; /* getopt starts anew: another command may have used it */
    while ((opt = getopt_long(argc, argv, "d:h", longs, NULL)) != -1) {
        switch (opt) {
        case 'd':
            x->duration = optarg;
            break;
        case OPT_LIB:
            x->lib = optarg;
            break;
        case OPT_JSON:
            x->json = true;
            break;
        case 'h':
            usage(stdout);
            return 0;
        default:
            fputs("wick: `wick explain --help` lists the options\n", stderr);
            return wick_err_exit(WICK_E_USAGE);
        }
    }
    if (optind < argc)
        return -1;
    fputs("wick: which recording or JVM? (`wick explain --help` tells more)\n", stderr);
    return wick_err_exit(WICK_E_USAGE);
}

/* Reads the files and prints what the rules find. */
static int show(const struct explain *x, char *const *paths, int n, struct wick_err *err)
{
    struct wick_explain_findings all = {0};
    struct wick_explain_facts f = {0};
    struct wick_profile p;
    int rc = wick_profile_init(&p);
    if (rc)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = wick_explain_read(&f, &p, paths, n, err);
    if (!rc)
        rc = wick_explain_apply(&all, &f, err);
    if (!rc)
        wick_explain_write(&all, &f, x->json, stdout);
    if (!rc && (fflush(stdout) || ferror(stdout)))
        rc = wick_err_set(err, WICK_E_IO, "cannot write to standard output: %s", strerror(errno));
    wick_explain_findings_release(&all);
    wick_explain_release(&f);
    wick_profile_release(&p);
    return rc;
}

static int show_live(void *arg, char *const *paths, int n, struct wick_err *err)
{
    return show(arg, paths, n, err);
}

static int look_at_jvm(struct explain *x, const char *word, struct wick_err *err)
{
    const struct wick_look_option options[] = {
        {"-e", "cpu,wall,ttsp"}, {"-d", x->duration ? x->duration : DURATION}, {"--lib", x->lib}};
    return wick_look(word, options, sizeof options / sizeof *options, show_live, x, NULL, err);
}

int wick_cmd_explain(int argc, char **argv)
{
    struct explain x = {0};
    struct wick_err err = {0};
    int status = parse(&x, argc, argv);
    if (status >= 0)
        return status;
    bool live = argc - optind == 1 && !wick_look_is_file(argv[optind]);
    if (!live && (x.duration || x.lib))
        wick_err_set(&err, WICK_E_USAGE, "--duration and --lib are for a JVM, not for recordings");
    else if (live)
        look_at_jvm(&x, argv[optind], &err);
    else
        show(&x, argv + optind, argc - optind, &err);
    return err.code ? wick_ui_fail(&err) : 0;
}
