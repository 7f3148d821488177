/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick locks [options] FILE...
 * wick locks [options] PID|NAME
 *
 * Who blocks whom. A live JVM is recorded first, into memory, with waits for locks alone. An operand that exists as a
 * file or looks like a path is a file.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/input/inputs.h"
#include "cli/input/view.h"
#include "cli/wait/lock_table.h"
#include "cli/record/look.h"
#include "cli/ui.h"

#define ASK_NS UINT64_C(60000000000) /* a JVM may be at a long safepoint */

struct locks {
    struct wick_lock_options table;
    const char *duration, *lib, *from, *to;
    bool live; /* of a JVM, so they are recorded even if it ended before it said so */
    char *now; /* answer of the agent, malloc */
};

static const char usage[] =
    "Usage: wick locks [OPTION...] FILE...\n"
    "       wick locks [OPTION...] PID|NAME\n"
    "\n"
    "Shows which locks threads waited for in recordings made with -e lock, --lock or -e nativelock, or by the JDK "
    "(- is\n"
    "standard input), or in a JVM now: where they waited, who held the lock, and what the owner was doing.\n"
    "\n";

/* Asks for what no event reports: waits that have not ended. */
static void ask(void *arg, struct wick_client *client)
{
    struct locks *l = arg;
    if (!wick_client_ask(client, "deadlocks", ASK_NS, &(struct wick_err){0}))
        l->table.now = l->now = strdup(client->text);
}

static int show(void *arg, char *const *paths, int n, struct wick_err *err)
{
    const struct locks *l = arg;
    struct wick_lock_waits all, w = {0};
    struct wick_range range;
    struct wick_profile p;
    int rc = wick_view_range(l->from, l->to, paths, n, &range.from_ns, &range.to_ns, err);
    if (rc)
        return rc;
    if (wick_profile_init(&p))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = wick_lock_waits_read(&all, &p, paths, n, wick_cli_read_events, err);
    if (!rc && wick_lock_waits_choose(&w, &all, &range, NULL))
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    bool recorded = w.recorded || w.not_ours || l->live;
    if (!rc && (recorded || l->now || l->table.json))
        rc = wick_lock_table(&w, &l->table, stdout, err);
    if (!rc)
        rc = wick_ui_written(err);
    if (!rc && !recorded)
        rc = wick_err_set(err, WICK_E_NOTFOUND,
                          "waiting for locks was not recorded: record with -e lock, --lock or -e nativelock, or use "
                          "`wick locks PID`");
    if (!rc && !all.nrows && !l->now)
        wick_ui_note(
            "wick: waits are recorded with -e lock or --lock, native ones with -e nativelock, once they have ended; "
            "`wick locks PID` and `wick status PID` show waits that have not ended, and deadlocks");
    wick_lock_waits_release(&w);
    wick_lock_waits_release(&all);
    wick_profile_release(&p);
    return rc;
}

int wick_cmd_locks(int argc, char **argv)
{
    struct locks l = {.table.rows = wick_args_default_number(WICK_ARG_ROWS)};
    struct wick_err err = {0};
    const struct wick_look_flag flags[] = {{WICK_ARG_ROWS, WICK_LOOK_NUMBER, &l.table.rows},
                                           {WICK_ARG_DURATION, WICK_LOOK_TEXT, &l.duration},
                                           {WICK_ARG_LIB, WICK_LOOK_TEXT, &l.lib},
                                           {WICK_ARG_RANGE_FROM, WICK_LOOK_TEXT, &l.from},
                                           {WICK_ARG_RANGE_TO, WICK_LOOK_TEXT, &l.to},
                                           {WICK_ARG_STACKS, WICK_LOOK_SWITCH, &l.table.stacks},
                                           {WICK_ARG_ALL_LOCKS, WICK_LOOK_SWITCH, &l.table.all},
                                           {WICK_ARG_JSON, WICK_LOOK_SWITCH, &l.table.json}};
    int status = wick_look_parse(usage, flags, sizeof flags / sizeof *flags, argc, argv);
    if (status >= 0)
        return status;
    const struct wick_look_option options[] = {
        {"-d", l.duration ? l.duration : wick_args_default(WICK_ARG_DURATION)}, {"-e", "lock"}, {"--lib", l.lib}};
    const struct wick_look_command look = {.name = "locks",
                                           .show = show,
                                           .ask = ask,
                                           .arg = &l,
                                           .options = options,
                                           .noptions = sizeof options / sizeof *options,
                                           .live_names = l.duration || l.lib ? "--duration and --lib" : NULL};
    l.live = wick_look_is_jvm(argv + optind, argc - optind);
    int rc = wick_look_at_words(&look, argv + optind, argc - optind, NULL, &err);
    free(l.now);
    return rc ? wick_ui_fail(&err) : 0;
}
