/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick locks [options] FILE...
 * wick locks [options] PID|NAME
 *
 * Who blocks whom. Of a live JVM a recording is taken first, into memory, of nothing but waiting for locks. What exists
 * as a file, or looks like a path, is a file.
 */
#include <getopt.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/lock_table.h"
#include "cli/look.h"
#include "cli/ui.h"

#define DURATION "30"

struct locks {
    struct wick_lock_options table;
    const char *duration, *lib;
};

static void usage(FILE *f)
{
    fputs(
        "Usage: wick locks [OPTION...] FILE...\n"
        "       wick locks [OPTION...] PID|NAME\n"
        "\n"
        "Shows which locks threads waited for in recordings made with -e lock or --lock, or by the JDK (- is standard\n"
        "input), or in a JVM now: where they waited, and who held the lock and what it did meanwhile.\n"
        "\n"
        "Options:\n"
        "  -n, --rows N              show the N locks waited for longest (default 20; 0 = all)\n"
        "      --all                 with what has no owner: threads parked without work, or for a condition\n"
        "      --stacks              with whole stacks\n"
        "      --json                JSON; times in nanoseconds\n"
        "  -h, --help                this text\n"
        "\n"
        "For a JVM:\n"
        "  -d, --duration TIME       how long to look (default " DURATION " s; Ctrl-C ends it earlier)\n"
        "      --lib PATH            the agent, instead of the libwick.so installed with wick\n",
        f);
}

enum { OPT_STACKS = 256, OPT_JSON, OPT_LIB, OPT_ALL };

static const struct option longs[] = {
    {"rows", required_argument, NULL, 'n'},    {"duration", required_argument, NULL, 'd'},
    {"lib", required_argument, NULL, OPT_LIB}, {"stacks", no_argument, NULL, OPT_STACKS},
    {"all", no_argument, NULL, OPT_ALL},       {"json", no_argument, NULL, OPT_JSON},
    {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
};

/* -1 = go on, otherwise the exit status. */
static int parse(struct locks *l, int argc, char **argv)
{
    int opt;
    optind = 0; /* getopt starts anew: another command may have used it */
    while ((opt = getopt_long(argc, argv, "n:d:h", longs, NULL)) != -1) {
        switch (opt) {
        case 'n':
            if (!wick_ui_rows(optarg, &l->table.rows))
                return wick_ui_bad_option("locks", "--rows wants a number", optarg);
            break;
        case 'd':
            l->duration = optarg;
            break;
        case OPT_LIB:
            l->lib = optarg;
            break;
        case OPT_STACKS:
            l->table.stacks = true;
            break;
        case OPT_ALL:
            l->table.all = true;
            break;
        case OPT_JSON:
            l->table.json = true;
            break;
        case 'h':
            usage(stdout);
            return 0;
        default:
            return wick_ui_bad_option("locks", NULL, NULL);
        }
    }
    return -1;
}

static int show(void *arg, char *const *paths, int n, struct wick_err *err)
{
    const struct locks *l = arg;
    struct wick_lock_waits w;
    struct wick_profile p;
    if (wick_profile_init(&p))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    int rc = wick_lock_waits_read(&w, &p, paths, n, err);
    if (!rc)
        rc = wick_lock_table(&w, &l->table, stdout, err);
    if (!rc)
        rc = wick_ui_written(err);
    if (!rc && !w.nrows)
        wick_ui_note(
            "wick: waits are recorded with -e lock or --lock, and when they end; `wick status PID` finds deadlocks");
    wick_lock_waits_release(&w);
    wick_profile_release(&p);
    return rc;
}

int wick_cmd_locks(int argc, char **argv)
{
    struct locks l = {.table.rows = 20};
    struct wick_err err = {0};
    int status = parse(&l, argc, argv);
    if (status >= 0)
        return status;
    const struct wick_look_option options[] = {
        {"-d", l.duration ? l.duration : DURATION}, {"-e", "lock"}, {"--lib", l.lib}};
    const struct wick_look_command look = {.name = "locks",
                                           .show = show,
                                           .arg = &l,
                                           .options = options,
                                           .noptions = sizeof options / sizeof *options,
                                           .live_names = l.duration || l.lib ? "--duration and --lib" : NULL};
    return wick_look_at_words(&look, argv + optind, argc - optind, NULL, &err) ? wick_ui_fail(&err) : 0;
}
