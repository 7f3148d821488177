/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_perf.c - wick record --perf: one command from perf to a picture of everything that ran
 *
 * perf writes into a directory of our own, which is removed afterwards, and what it wrote is read like any other
 * perf.data. A name that ends in .data keeps perf's file instead, and the maps that it needs.
 */
#include "cli/record/record_perf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/input/convert.h"
#include "cli/record/out_file.h"
#include "cli/jvm/target.h"
#include "cli/ui.h"
#include "client/perfrun.h"

struct job {
    struct wick_perfrun run;
    struct wick_cli_output out;
    bool keep; /* perf's file is the output */
    char dir[WICK_OPT_PATH_MAX + 32], data[WICK_OPT_PATH_MAX + 48];
};

static bool ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && !strcmp(s + n - m, end);
}

/* Options of wick's own engines, which perf knows nothing of. */
static int refuse_others(const struct wick_opts *o, struct wick_err *err)
{
    if (wick_opt_given(o, wall_ns) || o->s.ttsp)
        return wick_err_set(err, WICK_E_USAGE, "--wall and --ttsp cannot be combined with --perf");
    if (ends_in(o->s.file, ".jfr") || !strcmp(o->output, "jfr"))
        return wick_err_set(err, WICK_E_USAGE, "--perf writes no jfr: name a .html, or a .data to keep perf's file");
    return 0;
}

/* What to record. */
static int choose_target(struct job *j, const struct wick_opts *o, char **rest, int nrest, int dashdash,
                         struct wick_err *err)
{
    struct wick_proc proc;
    j->run.all = o->all;
    j->run.command = dashdash < nrest ? rest + dashdash : NULL;
    if (dashdash > 1 || (dashdash == 1 && (o->all || j->run.command)))
        return wick_err_set(err, WICK_E_USAGE, "give one of -a, a PID or NAME, and a command after --");
    if (dashdash == 0)
        return o->all || j->run.command
                   ? 0
                   : wick_err_set(
                         err, WICK_E_USAGE,
                         "--perf needs something to record: -a for the whole machine, a JVM, or a command after --");
    int rc = wick_target_open(rest[0], &proc, NULL, err);
    if (rc)
        return rc;
    j->run.pid = proc.pid;
    wick_proc_close(&proc);
    return 0;
}

static int plan_output(struct job *j, const struct wick_opts *o, struct wick_err *err)
{
    struct wick_opts named = *o;
    j->keep = ends_in(o->s.file, ".data");
    if (j->keep) { /* the rest of the plan is that of any file */
        snprintf(named.output, sizeof named.output, "jfr");
    } else if (!*o->s.file) {
        snprintf(named.s.file, sizeof named.s.file, "wick-perf-%%t.%.16s", *o->output ? o->output : "html");
    }
    int rc = wick_cli_output_plan(&named, NULL, &j->out, err);
    if (!rc && !*o->title)
        snprintf(j->out.title, sizeof j->out.title, o->all ? "the whole machine" : "perf");
    return rc ? rc : wick_cli_output_open(&j->out, err);
}

/* A directory of our own: beside the output if perf's file will be moved there. */
static int make_directory(struct job *j, struct wick_err *err)
{
    const char *tmp = getenv("TMPDIR");
    if (j->keep)
        snprintf(j->dir, sizeof j->dir, "%.*s/.wick-perf-XXXXXX", (int)(strrchr(j->out.path, '/') - j->out.path),
                 j->out.path);
    else
        snprintf(j->dir, sizeof j->dir, "%.1000s/wick-perf-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(j->dir)) {
        int rc = wick_err_set(err, WICK_E_IO, "cannot make a directory %s: %s", j->dir, strerror(errno));
        j->dir[0] = 0;
        return rc;
    }
    snprintf(j->data, sizeof j->data, "%s/perf.data", j->dir);
    j->run.data = j->data;
    return 0;
}

static void show_progress(uint64_t left_ns)
{
    wick_ui_progress("recording with perf: %llu s to go", (unsigned long long)(left_ns / 1000000000));
}

static int run_perf(struct job *j, struct wick_err *err)
{
    j->run.progress = show_progress;
    int rc = wick_perfrun(&j->run, err);
    wick_ui_progress_end();
    if (rc)
        return rc;
    const struct wick_perfrun_maps *m = &j->run.maps;
    wick_ui_note("JVMs: %u, with %lu symbols, %lu of them marked: they came or went during the recording", m->jvms,
                 m->symbols, m->doubtful);
    if (m->without_frame_pointers)
        wick_ui_note("%u of %u JVMs run without -XX:+PreserveFramePointer: perf sees their Java frames, but often not "
                     "who called them",
                     m->without_frame_pointers, m->jvms);
    return 0;
}

/* Perf's file becomes the output, or is drawn: by process, if there are many. */
static int conclude(struct job *j, struct wick_err *err)
{
    char size[32];
    struct stat st;
    int rc = 0;
    if (j->keep) {
        if (rename(j->data, j->out.path))
            rc = wick_err_set(err, WICK_E_IO, "cannot write %s: %s", j->out.path, strerror(errno));
    } else {
        struct wick_view view = {.shape = {.by = {"process"}, .nby = j->run.all ? 1 : 0}};
        struct wick_convert_opts c = {j->out.format, j->out.title, j->out.threads, &view};
        rc = wick_convert_jfr(j->data, j->out.path, &c, err);
        if (rc == -WICK_E_NOTFOUND)
            wick_err_set(err, WICK_E_NOTFOUND, "perf took no samples, so there is nothing to draw");
    }
    if (rc)
        return rc;
    bool known = !stat(j->out.path, &st);
    wick_ui_note("%s: %s (%s)", j->keep ? "perf's file" : "profile", j->out.path,
                 wick_ui_bytes(known ? (uint64_t)st.st_size : 0, size, sizeof size));
    if (!j->keep && j->run.events && strchr(j->run.events, ','))
        wick_ui_note("of several events it shows one; with -f NAME.data perf's file is kept, and `wick flame -e EVENT "
                     "NAME.data` draws each");
    return 0;
}

static void clean_up(struct job *j)
{
    wick_perfrun_release(&j->run);
    wick_cli_output_close(&j->out);
    if (*j->data)
        unlink(j->data);
    if (*j->dir)
        rmdir(j->dir);
}

int wick_record_perf(const struct wick_opts *o, char **rest, int nrest, int dashdash)
{
    struct wick_err err = {0};
    struct job j = {.out = {.fd = -1, .dir = -1}};
    j.run.events = wick_opt_given(o, event) && strcmp(o->s.event, "cpu") != 0 ? o->s.event : NULL;
    j.run.interval = wick_opt_given(o, interval_ns) ? o->s.interval_ns : 0;
    j.run.all_user = o->s.all_user;
    j.run.duration_ns = o->duration_ns;
    int rc = refuse_others(o, &err);
    rc = rc ? rc : choose_target(&j, o, rest, nrest, dashdash, &err);
    rc = rc ? rc : plan_output(&j, o, &err);
    j.run.keep_maps = j.keep;
    rc = rc ? rc : make_directory(&j, &err);
    rc = rc ? rc : run_perf(&j, &err);
    if (rc && j.keep && j.out.fd >= 0)
        unlink(j.out.path);
    rc = rc ? rc : conclude(&j, &err);
    clean_up(&j);
    return rc ? wick_ui_fail(&err) : j.run.status;
}
