/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick top [options] FILE...
 * wick top [options] PID|NAME
 *
 * The table is made of recordings; of a live JVM a short one is taken first, just as `wick record` does it, into
 * memory. An operand that exists as a file or looks like a path is a file.
 */
#include <string.h>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/profile/top_table.h"
#include "cli/input/inputs.h"
#include "cli/record/look.h"
#include "cli/ui.h"
#include "cli/input/view.h"

struct top {
    struct wick_top_options table;
    struct wick_view view;
    const char *duration, *interval, *lib;
    bool growth;
    const char *event; /* to show; NULL = the one there is */
};

static void usage(FILE *f)
{
    fputs("Usage: wick top [OPTION...] FILE...\n"
          "       wick top [OPTION...] PID|NAME\n"
          "\n"
          "Shows what the samples of recordings (or of other profiles that `wick convert` reads; - is standard input), "
          "or\n"
          "of a JVM now, have on top of their stacks (self) and anywhere in them (total; recursion counts once).\n"
          "\n",
          f);
    wick_args_help(WICK_ARGS_TOP, f);
}

/* -1 = go on, otherwise the exit status. */
static int parse(struct top *t, int argc, char **argv)
{
    static const char *const by[] = {"method", "class", "thread", "kind"}; /* another word is a label's key */
    int opt, status;
    const char *rows = NULL; /* what they are, as asked for */
    wick_args_start(WICK_ARGS_TOP);
    while ((opt = wick_args_next(argc, argv)) != WICK_ARG_END) {
        unsigned i = 0;
        switch (opt) {
        case WICK_ARG_ROWS:
            if (!wick_ui_rows(optarg, &t->table.rows))
                return wick_ui_bad_option("top", "--rows takes a number", optarg);
            break;
        case WICK_ARG_ROW_BY:
            if (rows && strcmp(rows, optarg) != 0)
                return wick_ui_bad_option("top", "a table has rows of one kind, so one --by (wick flame takes several)",
                                          optarg);
            rows = optarg;
            while (i < 4 && strcmp(by[i], optarg) != 0)
                i++;
            t->table.by = (enum wick_top_by)i;
            t->table.key = wick_view_key(optarg);
            break;
        case WICK_ARG_TOP_DURATION:
            t->duration = optarg;
            break;
        case WICK_ARG_INTERVAL:
            t->interval = optarg;
            break;
        case WICK_ARG_LIB:
            t->lib = optarg;
            break;
        case WICK_ARG_GROWTH:
            t->growth = true;
            break;
        case WICK_ARG_JSON:
            t->table.json = true;
            break;
        case WICK_ARG_HELP:
            usage(stdout);
            return 0;
        default:
            status = wick_view_take(&t->view, opt, optarg, "top");
            if (status >= 0)
                return status;
        }
    }
    return -1;
}

/* What distinguishes the frames of two rows. */
static unsigned keep_of(const struct top *t)
{
    unsigned keep = t->table.by == WICK_TOP_KIND ? WICK_KEEP_JAVA_KINDS : 0;
    keep |= t->view.names & WICK_NAME_LINES ? WICK_KEEP_LINES : 0;
    return keep | (t->view.names & WICK_NAME_SIGNATURES ? WICK_KEEP_SIGNATURES : 0);
}

/* Reads the files and prints the table. */
static int show(void *arg, char *const *paths, int n, struct wick_err *err)
{
    const struct top *t = arg;
    struct wick_top_options o = t->table;
    struct wick_profile p;
    int rc = wick_profile_init(&p);
    if (rc)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    p.by_thread = o.by == WICK_TOP_THREAD;
    p.by_state = false;
    p.by_size = true;
    p.keep = keep_of(t);
    if (o.by == WICK_TOP_VALUE)
        wick_shape_prepare(&(struct wick_shape){.by = {o.key}, .nby = 1}, &p);
    o.names = t->view.names;
    rc = wick_view_read(&t->view, &p, paths, n, err);
    if (rc == 0)
        rc = wick_cli_event(&p, t->event, &o.event, err);
    if (rc == 0)
        rc = wick_top_table_write(&p, &o, stdout, err);
    if (rc == 0 && !o.json)
        wick_view_print_own(&p, o.event, (uint64_t)p.events[o.event].weight, stdout);
    if (rc == 0)
        rc = wick_ui_written(err);
    wick_profile_release(&p);
    return rc;
}

/* A row for each class or method whose objects live; other choices of samples do not apply. */
static int show_growth(const struct top *t, char *const *paths, int n, struct wick_err *err)
{
    struct wick_growth g = {.survived = t->view.survived, .names = t->view.names};
    struct wick_filter filter = {0};
    struct wick_profile p;
    g.by_class = t->table.by == WICK_TOP_VALUE && !strcmp(t->table.key, "object");
    if (n != 1 || wick_look_is_jvm(paths, n))
        return wick_err_set(err, WICK_E_USAGE, "--growth compares the moments of one recording: give its file");
    if (t->table.by != WICK_TOP_METHOD && !g.by_class)
        return wick_err_set(err, WICK_E_USAGE, "--growth goes by method, or --by object");
    if (!wick_shape_is_plain(&t->view.shape))
        return wick_err_set(err, WICK_E_USAGE,
                            "--growth takes --from, --to and --survived, but no other choice of samples");
    if (wick_profile_init(&p))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    int rc = wick_view_begin(&t->view, &p, paths, n, &filter, err);
    g.from_ns = filter.from_ns;
    g.to_ns = filter.to_ns;
    rc = rc ? rc : wick_growth_read(&g, &p, paths[0], wick_cli_read_events, err);
    if (!rc) {
        wick_growth_table_write(&g, t->table.rows, t->table.json, stdout);
        rc = wick_ui_written(err);
    }
    wick_growth_release(&g);
    wick_profile_release(&p);
    return rc;
}

int wick_cmd_top(int argc, char **argv)
{
    struct top t = {.table.rows = wick_args_default_number(WICK_ARG_ROWS), .view.shape.no_own = true};
    struct wick_err err = {0};
    int status = parse(&t, argc, argv);
    if (status >= 0)
        return status;
    const struct wick_look_option options[] = {
        {"-d", t.duration ? t.duration : wick_args_default(WICK_ARG_TOP_DURATION)},
        {"-e", t.view.event},
        {"-i", t.interval},
        {"--lib", t.lib}};
    bool live = t.duration || t.interval || t.lib;
    const struct wick_look_command look = {.name = "top",
                                           .show = show,
                                           .arg = &t,
                                           .options = options,
                                           .noptions = sizeof options / sizeof *options,
                                           .live_names = live ? "--duration, --interval and --lib" : NULL};
    t.event = wick_look_is_jvm(argv + optind, argc - optind) ? NULL : t.view.event;
    if (t.growth) {
        int rc = show_growth(&t, argv + optind, argc - optind, &err);
        wick_view_release(&t.view);
        return rc ? wick_ui_fail(&err) : 0;
    }
    int pid = 0, rc = wick_look_at_words(&look, argv + optind, argc - optind, &pid, &err);
    if (rc == -WICK_E_NOTFOUND && pid && wick_view_is_plain(&t.view))
        wick_err_set(&err, WICK_E_NOTFOUND, "there were no samples: process %d was idle", pid);
    wick_view_release(&t.view);
    return rc ? wick_ui_fail(&err) : 0;
}
