/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick ttsp [options] FILE...
 * wick ttsp [options] PID|NAME
 *
 * Which threads were slow to reach safepoints, and why. A live JVM is recorded first, into memory, with the
 * time-to-safepoint profiler alone. An operand that exists as a file or looks like a path is a file.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/input/inputs.h"
#include "cli/input/view.h"
#include "cli/record/look.h"
#include "cli/wait/ttsp_table.h"
#include "cli/ui.h"

struct ttsp {
    struct wick_ttsp_options table;
    const char *duration, *thresholds, *lib, *from, *to;
};

static const char usage[] =
    "Usage: wick ttsp [OPTION...] FILE...\n"
    "       wick ttsp [OPTION...] PID|NAME\n"
    "\n"
    "Shows the slow safepoints of recordings made with -e ttsp or --ttsp (- is standard input), or of a JVM now,\n"
    "worst first: the threads that were slow to reach them, where they were, and why.\n"
    "\n";

/* Reads the files and prints the tables. */
static int show(void *arg, char *const *paths, int n, struct wick_err *err)
{
    const struct ttsp *t = arg;
    struct wick_ttsp_incidents all, in = {0};
    struct wick_range range;
    struct wick_profile p;
    int rc = wick_view_range(t->from, t->to, paths, n, &range.from_ns, &range.to_ns, err);
    if (rc)
        return rc;
    if (wick_profile_init(&p))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = wick_ttsp_incidents_read(&all, &p, paths, n, wick_cli_read_events, err);
    bool recorded = all.nslow || all.threshold_ns;
    if (!rc && wick_ttsp_incidents_choose(&in, &all, &range))
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    wick_range_clip(&range, &p.start_ns, &p.end_ns);
    if (!rc && (recorded || t->table.json))
        rc = wick_ttsp_table_write(&in, &t->table, stdout, err);
    if (!rc)
        rc = wick_ui_written(err);
    if (!rc && !recorded)
        rc = wick_err_set(err, WICK_E_NOTFOUND,
                          "time to safepoint was not recorded: record with -e ttsp or --ttsp, or use `wick ttsp PID`");
    wick_ttsp_incidents_release(&in);
    wick_ttsp_incidents_release(&all);
    wick_profile_release(&p);
    return rc;
}

int wick_cmd_ttsp(int argc, char **argv)
{
    struct ttsp t = {.table.rows = wick_args_default_number(WICK_ARG_ROWS)};
    struct wick_err err = {0};
    const struct wick_look_flag flags[] = {
        {WICK_ARG_ROWS, WICK_LOOK_NUMBER, &t.table.rows},       {WICK_ARG_DURATION, WICK_LOOK_TEXT, &t.duration},
        {WICK_ARG_RANGE_FROM, WICK_LOOK_TEXT, &t.from},         {WICK_ARG_RANGE_TO, WICK_LOOK_TEXT, &t.to},
        {WICK_ARG_THRESHOLD_MS, WICK_LOOK_TEXT, &t.thresholds}, {WICK_ARG_LIB, WICK_LOOK_TEXT, &t.lib},
        {WICK_ARG_STACKS, WICK_LOOK_SWITCH, &t.table.stacks},   {WICK_ARG_JSON, WICK_LOOK_SWITCH, &t.table.json}};
    int status = wick_look_parse(usage, flags, sizeof flags / sizeof *flags, argc, argv);
    if (status >= 0)
        return status;
    const struct wick_look_option options[] = {{"-d", t.duration ? t.duration : wick_args_default(WICK_ARG_DURATION)},
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
