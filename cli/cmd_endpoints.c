/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick endpoints [options] FILE...
 *
 * Latencies come from the spans in the recordings, CPU time from their samples.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/endpoint_table.h"
#include "cli/input.h"
#include "cli/ui.h"
#include "model/label.h"

static void usage(FILE *f)
{
    fputs(
        "Usage: wick endpoints [OPTION...] FILE...\n"
        "\n"
        "Shows for each endpoint how many requests there were, how long they took (of their outermost spans; each is\n"
        "counted) and what CPU time the samples of their threads stand for. Programs tell their endpoints with\n"
        "wick.jar (docs/labels.md).\n"
        "\n"
        "Options:\n"
        "      --json            JSON; times in nanoseconds\n"
        "  -h, --help            this text\n",
        f);
}

static const struct option longs[] = {
    {"json", no_argument, NULL, 'j'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int show(char *const *paths, int n, bool json, struct wick_err *err)
{
    static const struct wick_cli_where all = {0};
    struct wick_profile p;
    int rc = wick_profile_init(&p);
    if (rc)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    struct wick_endpoints e = {.p = &p};
    const struct wick_jfr_visitor v = wick_endpoints_visitor(&e);
    p.by_thread = p.by_state = false;
    p.by_labels = true;
    rc = wick_cli_read_where(&p, paths, n, &all, &v, err);
    if (!rc && !e.n && !wick_profile_label_key(&p, "endpoint"))
        rc = wick_err_set(err, WICK_E_NOTFOUND,
                          "the recording has no endpoints: the program tells none (docs/labels.md says how)");
    if (!rc) {
        wick_endpoints_add_cpu(&e);
        rc = wick_endpoints_write(&e, json, stdout, err);
    }
    if (!rc && (fflush(stdout) || ferror(stdout)))
        rc = wick_err_set(err, WICK_E_IO, "cannot write to standard output: %s", strerror(errno));
    wick_endpoints_release(&e);
    wick_profile_release(&p);
    return rc;
}

int wick_cmd_endpoints(int argc, char **argv)
{
    struct wick_err err = {0};
    bool json = false;
    int opt;
    optind = 0; /* getopt starts anew: another command may have used it */
    while ((opt = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        if (opt == 'h') {
            usage(stdout);
            return 0;
        }
        if (opt != 'j') {
            fputs("wick: `wick endpoints --help` lists the options\n", stderr);
            return wick_err_exit(WICK_E_USAGE);
        }
        json = true;
    }
    if (optind >= argc) {
        fputs("wick: which recording? (`wick endpoints --help` tells more)\n", stderr);
        return wick_err_exit(WICK_E_USAGE);
    }
    return show(argv + optind, argc - optind, json, &err) ? wick_ui_fail(&err) : 0;
}
