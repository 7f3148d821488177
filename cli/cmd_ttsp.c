/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick ttsp [options] FILE...
 * wick ttsp [options] PID|NAME
 *
 * Which threads were late to safepoints, and why. Of a live JVM a recording is taken first, into memory, with nothing
 * but the time-to-safepoint profiler. What exists as a file, or looks like a path, is a file.
 */
#include <getopt.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/look.h"
#include "cli/ttsp_table.h"
#include "cli/ui.h"

#define DURATION "30"

struct ttsp {
    struct wick_ttsp_options table;
    const char *duration, *thresholds, *lib;
};

static void usage(FILE *f)
{
    fputs(
        "Usage: wick ttsp [OPTION...] FILE...\n"
        "       wick ttsp [OPTION...] PID|NAME\n"
        "\n"
        "Shows the slow safepoints of recordings made with -e ttsp or --ttsp (- is standard input), or of a JVM now,\n"
        "worst first: the threads that were late, where they were, and why.\n"
        "\n"
        "Options:\n"
        "  -n, --rows N              show the N worst (default 20; 0 = all)\n"
        "      --stacks              with the stacks of late threads\n"
        "      --json                JSON; times in nanoseconds\n"
        "  -h, --help                this text\n"
        "\n"
        "For a JVM:\n"
        "  -d, --duration TIME       how long to look (default " DURATION " s; Ctrl-C ends it earlier)\n"
        "      --threshold-ms LIST   when to ask late threads, in ms since the begin of the safepoint (default\n"
        "                            10,20,50,100,200)\n"
        "      --lib PATH            the agent, instead of the libwick.so installed with wick\n",
        f);
}

enum { OPT_STACKS = 256, OPT_JSON, OPT_LIB, OPT_THRESHOLDS };

static const struct option longs[] = {
    {"rows", required_argument, NULL, 'n'},
    {"duration", required_argument, NULL, 'd'},
    {"threshold-ms", required_argument, NULL, OPT_THRESHOLDS},
    {"lib", required_argument, NULL, OPT_LIB},
    {"stacks", no_argument, NULL, OPT_STACKS},
    {"json", no_argument, NULL, OPT_JSON},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* -1 = go on, otherwise the exit status. */
static int parse(struct ttsp *t, int argc, char **argv)
{
    int opt;
    optind = 0; /* getopt starts anew: another command may have used it */
    while ((opt = getopt_long(argc, argv, "n:d:h", longs, NULL)) != -1) {
        switch (opt) {
        case 'n':
            if (!wick_ui_rows(optarg, &t->table.rows))
                return wick_ui_bad_option("ttsp", "--rows wants a number", optarg);
            break;
        case 'd':
            t->duration = optarg;
            break;
        case OPT_THRESHOLDS:
            t->thresholds = optarg;
            break;
        case OPT_LIB:
            t->lib = optarg;
            break;
        case OPT_STACKS:
            t->table.stacks = true;
            break;
        case OPT_JSON:
            t->table.json = true;
            break;
        case 'h':
            usage(stdout);
            return 0;
        default:
            return wick_ui_bad_option("ttsp", NULL, NULL);
        }
    }
    return -1;
}

/* Reads the files and prints the tables. */
static int show(void *arg, char *const *paths, int n, struct wick_err *err)
{
    const struct ttsp *t = arg;
    struct wick_ttsp_incidents in;
    struct wick_profile p;
    int rc = wick_profile_init(&p);
    if (rc)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = wick_ttsp_read(&in, &p, paths, n, err);
    if (!rc)
        rc = wick_ttsp_write(&in, &t->table, stdout, err);
    if (!rc)
        rc = wick_ui_written(err);
    if (!rc && !in.nslow)
        wick_ui_note("wick: only recordings made with -e ttsp or --ttsp tell of late threads");
    wick_ttsp_release(&in);
    wick_profile_release(&p);
    return rc;
}

int wick_cmd_ttsp(int argc, char **argv)
{
    struct ttsp t = {.table.rows = 20};
    struct wick_err err = {0};
    int status = parse(&t, argc, argv);
    if (status >= 0)
        return status;
    const struct wick_look_option options[] = {{"-d", t.duration ? t.duration : DURATION},
                                               {"-e", "ttsp"},
                                               {"--ttsp-threshold-ms", t.thresholds},
                                               {"--lib", t.lib}};
    bool live = t.duration || t.thresholds || t.lib;
    const struct wick_look_command look = {.name = "ttsp",
                                           .show = show,
                                           .arg = &t,
                                           .options = options,
                                           .noptions = sizeof options / sizeof *options,
                                           .live_names = live ? "--duration, --threshold-ms and --lib" : NULL};
    return wick_look_at_words(&look, argv + optind, argc - optind, NULL, &err) ? wick_ui_fail(&err) : 0;
}
