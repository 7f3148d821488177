/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick memory [options] FILE...
 * wick memory [options] PID|NAME
 *
 * Where the memory of a process goes, and what its limits leave. A live JVM is read from outside, without an agent; a
 * recording has a reading every ten seconds. An operand that exists as a file or looks like a path is a file.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/input/inputs.h"
#include "cli/input/view.h"
#include "cli/record/look.h"
#include "cli/memory/memory_live.h"
#include "cli/memory/memory_table.h"
#include "cli/ui.h"
#include "opt/option.h"

static const char usage[] =
    "Usage: wick memory [OPTION...] PID|NAME\n"
    "       wick memory [OPTION...] FILE...\n"
    "\n"
    "Shows where the memory of a JVM's process goes: the Java heap, metaspace, compiled code, stacks, malloc,\n"
    "libraries, mapped files and what is left, and what the limits of the cgroups around it leave. A live JVM is\n"
    "read from outside: no agent is loaded, no thread is stopped. If it runs with -XX:NativeMemoryTracking it is "
    "asked\n"
    "for its own figures. In recordings (- is standard input) there is a reading every ten seconds; the last one is\n"
    "shown, and how each part grew.\n"
    "\n";

/* The command's options. */
struct memory {
    const char *duration, *from, *to;
    bool json;
};

static int read_files(const struct memory *m, struct wick_memory_use *u, char *const *paths, int n,
                      struct wick_err *err)
{
    struct wick_range range;
    struct wick_profile p;
    int rc = wick_view_range(m->from, m->to, paths, n, &range.from_ns, &range.to_ns, err);
    if (rc)
        return rc;
    if (wick_profile_init(&p))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = wick_memory_use_read(u, &p, paths, n, &range, wick_cli_read_events, err);
    wick_profile_release(&p);
    if (!rc && !u->moments && !wick_range_is_all(&range))
        rc = wick_err_set(err, WICK_E_NOTFOUND, "there is no reading of memory before the end of that time");
    else if (!rc && !u->moments)
        rc = wick_err_set(
            err, WICK_E_NOTFOUND,
            "the recording has no readings of memory (wick.MemoryPart): other profilers and older versions of "
            "wick do not write them");
    return rc;
}

static int run(const struct memory *m, char *const *words, int n, struct wick_err *err)
{
    struct wick_strbuf title = WICK_STRBUF_INIT;
    struct wick_opts o;
    struct wick_memory_use *u = calloc(1, sizeof *u);
    struct wick_nmt *nmt = calloc(1, sizeof *nmt);
    int rc = u && nmt ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    wick_opt_defaults(&o);
    o.duration_ns = 0;
    if (!rc && n < 1)
        rc = wick_err_set(err, WICK_E_USAGE, "which JVM or recording? (see `wick memory --help`)");
    if (!rc && m->duration)
        rc = wick_opt_set(&o, "duration", strlen("duration"), m->duration, WICK_CMD_RECORD, err);
    if (!rc && wick_look_is_jvm(words, n) && (m->from || m->to)) {
        rc = wick_err_set(err, WICK_E_USAGE, "--from and --to are for recordings, not for a JVM");
    } else if (!rc && wick_look_is_jvm(words, n)) {
        rc = wick_memory_live(words[0], o.duration_ns, u, nmt, &title, err);
    } else if (!rc && m->duration) {
        rc = wick_err_set(err, WICK_E_USAGE, "--duration is for a JVM, not for recordings");
    } else if (!rc) {
        wick_strbuf_adds(&title, words[0]);
        rc = read_files(m, u, words, n, err);
    }
    if (!rc) {
        const struct wick_memory_table t = {.title = title.buf, .nmt = nmt->count ? nmt : NULL};
        (m->json ? wick_memory_table_write_json : wick_memory_table_write)(u, &t, stdout);
        rc = wick_ui_written(err);
    }
    wick_strbuf_release(&title);
    if (u)
        wick_memory_use_release(u);
    if (nmt)
        wick_nmt_release(nmt);
    free(nmt);
    free(u);
    return rc;
}

int wick_cmd_memory(int argc, char **argv)
{
    struct memory m = {0};
    struct wick_err err = {0};
    const struct wick_look_flag flags[] = {{WICK_ARG_MEMORY_DURATION, WICK_LOOK_TEXT, &m.duration},
                                           {WICK_ARG_RANGE_FROM, WICK_LOOK_TEXT, &m.from},
                                           {WICK_ARG_RANGE_TO, WICK_LOOK_TEXT, &m.to},
                                           {WICK_ARG_JSON, WICK_LOOK_SWITCH, &m.json}};
    int status = wick_look_parse(usage, flags, sizeof flags / sizeof *flags, argc, argv);
    if (status >= 0)
        return status;
    return run(&m, argv + optind, argc - optind, &err) ? wick_ui_fail(&err) : 0;
}
