/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick start, stop, dump, status: a recording that outlives the command that started it.
 *
 * `start` opens the output and passes it to the agent. If a picture is asked for, or the JVM may not be handed a file
 * that stays, the JFR goes to an unnamed temporary file that lives as long as the agent holds it; `stop` gets its
 * descriptor back from the agent and draws the picture or copies the recording.
 * The picture's name waits in a note of the user's own (started.h), so that `stop` needs none: the agent is in a
 * process that is not trusted, so what it says is shown and never decides where something is written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/command.h"
#include "cli/record/outcome.h"
#include "cli/record/out_file.h"
#include "cli/record/record_run.h"
#include "cli/replace.h"
#include "cli/record/running.h"
#include "cli/ui.h"
#include "client/agentlib.h"
#include "client/copied.h"
#include "client/started.h"

static int start(struct wick_running *s, struct wick_err *err)
{
    char lib[4096];
    struct wick_cli_output out = {.fd = -1, .dir = -1};
    struct wick_recording r;
    int rc = wick_cli_output_plan(&s->o, &s->jvm, &out, err);
    if (!rc)
        rc = wick_agentlib_find(s->o.lib, lib, sizeof lib, err);
    if (!rc)
        rc = wick_client_obtain(&s->p, lib, s->o.attach_timeout_ns, s->client, err);
    if (!rc && s->client->running)
        rc = wick_err_set(err, WICK_E_STATE, "process %d is being recorded already: `wick stop %d` ends that recording",
                          (int)s->p.pid, (int)s->p.pid);
    if (!rc)
        wick_recording_guard(&s->p, &out);
    if (!rc)
        rc = wick_cli_output_open(&out, err);
    if (rc)
        return rc;
    s->o.keep_running = true;
    rc = wick_recording_init(&r, s->client, &s->p, err);
    if (!rc) {
        rc = wick_recording_send_start(&r, &s->o, &out, err);
        if (!rc)
            rc = wick_recording_await(&r, wick_clock_mono_ns() + WICK_CLIENT_ANSWER_NS, err);
        wick_recording_release(&r);
    }
    bool kept = !rc && wick_cli_output_note(&out, &s->p);
    if (!rc)
        wick_ui_note("recording process %d (%s); `wick stop%s%s %d` writes %s", (int)s->p.pid, s->jvm.main,
                     kept || out.fd < 0 ? "" : " -f ", kept || out.fd < 0 ? "" : out.path, (int)s->p.pid, out.path);
    else if (!out.sequence && wick_cli_output_is_direct(&out))
        unlink(out.path);
    wick_cli_output_close(&out);
    return rc;
}

int wick_cmd_start(int argc, char **argv)
{
    struct wick_running s;
    struct wick_err err = {0};
    int rc = wick_running_begin(argc, argv, &s, NULL, &err);
    if (!rc)
        rc = start(&s, &err);
    return wick_running_end(&s, rc, &err);
}

/* The recording that came from the agent: a plain file that is open for reading. A descriptor without that right,
 * opened anew here, could show what its sender may not read. */
static int check_recording(int fd, struct wick_err *err)
{
    struct stat st;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || flags & O_PATH || (flags & O_ACCMODE) == O_WRONLY || fstat(fd, &st) || !S_ISREG(st.st_mode))
        return wick_err_set(err, WICK_E_FORMAT,
                            "the agent returned something other than a recording: the process may have been tampered "
                            "with, and nothing was written");
    return 0;
}

/* Same file? */
static bool is_file(int fd, const char *path)
{
    struct stat a, b;
    return !fstat(fd, &a) && !lstat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* --compat at the end, of what `start` has noted without it. */
static int check_compat(const struct wick_cli_output *out, struct wick_err *err)
{
    if (!strcmp(out->format, "jfr"))
        return 0;
    return wick_err_set(err, WICK_E_USAGE, "--compat is for recordings, not for %s; add -f NAME.jfr", out->format);
}

/* Writes the output of a recording that has ended; fd: the agent's JFR. Where it goes is what the user says now or what
 * this user's `start` noted, never what the agent says: `claimed` is only shown. */
static int write_output(struct wick_running *s, int fd, const char *claimed, struct wick_err *err)
{
    struct wick_cli_output out = {.fd = -1, .dir = -1};
    struct stat st;
    bool same = false, named = *s->o.s.file || *s->o.output;
    int rc = check_recording(fd, err);
    if (rc)
        return rc;
    bool known = wick_cli_output_noted(&out, &s->p, fd, &same) && same;
    wick_started_forget(&s->p);
    if (!named && !known && !fstat(fd, &st) && st.st_nlink) {
        /* Somebody else's `start` opened it, and it has a name already: there is nothing left to write. */
        wick_ui_note("recording: %s (as the agent reports)", claimed);
        return 0;
    }
    if (named || !known)
        rc = wick_cli_output_plan(&s->o, &s->jvm, &out, err);
    else if (s->o.s.compat && !(rc = check_compat(&out, err)))
        out.compat = true;
    if (!rc)
        wick_recording_guard(&s->p, &out);
    bool there = !rc && wick_cli_output_is_direct(&out) && ((known && !named) || is_file(fd, out.path));
    if (!rc && there) {
        rc = wick_cli_output_finish(&out, fd, err);
    } else if (!rc) {
        out.apart = false; /* the JVM is not handed this one */
        rc = wick_cli_output_open(&out, err);
        if (!rc && (rc = wick_copied_take(fd, out.fd, out.path, err)) == -WICK_E_FORMAT &&
            wick_cli_output_is_direct(&out))
            unlink(out.path);
        rc = rc ? rc : wick_cli_output_finish(&out, out.fd, err);
    }
    wick_cli_output_close(&out);
    return rc;
}

/* The request before `stop`, which may take as long as that: a JVM under load is slow to answer. */
static int ask_status(struct wick_running *s, struct wick_err *err)
{
    uint64_t end = wick_clock_mono_ns() + WICK_CLIENT_ANSWER_NS;
    int rc = wick_client_send(s->client, "", NULL, 0, false, "status", err);
    bool said = false;
    while (!rc) {
        rc = wick_client_receive(s->client, s->o.attach_timeout_ns, err);
        if (rc != -WICK_E_TIMEOUT || wick_clock_mono_ns() >= end || wick_running_refuse_stopped(s, err))
            return rc;
        if (!said)
            wick_ui_note("process %d does not answer: waiting for it", (int)s->p.pid);
        said = true;
        rc = 0;
    }
    return rc;
}

static int stop(struct wick_running *s, struct wick_err *err)
{
    char name[WICK_OPT_PATH_MAX];
    struct wick_cli_output out;
    bool same;
    int rc = wick_replace_check(s->o.s.file, err); /* what the recording was started with has been checked then */
    if (!rc)
        rc = wick_running_find(s, err);
    if (!rc)
        rc = ask_status(s, err);
    if (rc)
        return rc;
    wick_client_value(s->client->text, "file", name, sizeof name);
    rc = wick_client_ask(s->client, "stop", WICK_CLIENT_ANSWER_NS, err);
    if (rc)
        return rc;
    if (s->client->reply_fd >= 0)
        return write_output(s, s->client->reply_fd, name, err);
    /* Started by -agentpath or with a sequence: the files are there already. */
    bool known = wick_cli_output_noted(&out, &s->p, -1, &same);
    wick_started_forget(&s->p);
    wick_ui_note("recording: %s%s", known ? out.path : name, known ? "" : " (as the agent reports)");
    if (!wick_client_ask(s->client, "status", s->o.attach_timeout_ns, &(struct wick_err){0}))
        wick_outcome_of_status(s->client->text);
    return 0;
}

int wick_cmd_stop(int argc, char **argv)
{
    struct wick_running s;
    struct wick_err err = {0};
    int rc = wick_running_begin(argc, argv, &s, NULL, &err);
    wick_ui_set_quiet(s.o.quiet);
    if (!rc)
        rc = stop(&s, &err);
    return wick_running_end(&s, rc, &err);
}

static int finish_dump(struct wick_running *s, struct wick_cli_output *out, struct wick_err *err)
{
    int rc = wick_cli_output_finish(out, out->fd, err);
    if (!rc && s->client->running)
        wick_ui_note("this is a snapshot: the recording of process %d goes on", (int)s->p.pid);
    return rc;
}

static int dump(struct wick_running *s, struct wick_err *err)
{
    struct wick_cli_output out = {.fd = -1, .dir = -1};
    int rc = wick_cli_output_plan(&s->o, &s->jvm, &out, err);
    if (!rc && out.sequence)
        rc = wick_err_set(err, WICK_E_USAGE, "%%n has no meaning for dump");
    if (!rc)
        rc = wick_running_find(s, err);
    if (!rc)
        wick_recording_guard(&s->p, &out);
    if (!rc)
        rc = wick_cli_output_open(&out, err);
    if (!rc)
        rc = wick_client_send(s->client, "o", &out.fd, 1, false, "dump", err);
    if (!rc)
        rc = wick_client_receive(s->client, WICK_CLIENT_ANSWER_NS, err);
    if (!rc)
        rc = finish_dump(s, &out, err);
    else if (out.fd >= 0 && wick_cli_output_is_direct(&out))
        unlink(out.path);
    wick_cli_output_close(&out);
    return rc;
}

int wick_cmd_dump(int argc, char **argv)
{
    struct wick_running s;
    struct wick_err err = {0};
    int rc = wick_running_begin(argc, argv, &s, NULL, &err);
    if (!rc)
        rc = dump(&s, &err);
    return wick_running_end(&s, rc, &err);
}

static bool is_number(const char *s)
{
    return *s && !s[strspn(s, "0123456789")] && (s[0] != '0' || !s[1]) && strlen(s) < 16;
}

/* The agent's lines as they are, or as members of a JSON object. */
static void print_lines(const struct wick_running *s)
{
    if (!s->o.json) {
        wick_ui_print(stdout, "%s", s->client->text);
        return;
    }
    for (char *line = s->client->text; *line;) {
        char *nl = strchr(line, '\n'), *eq = strchr(line, '=');
        if (nl)
            *nl = 0;
        if (eq && (!nl || eq < nl)) {
            *eq = 0;
            fputs(", ", stdout);
            wick_ui_json_string(stdout, line);
            fputs(": ", stdout);
            if (!strcmp(line, "running"))
                fputs(eq[1] == '1' ? "true" : "false", stdout);
            else if (is_number(eq + 1))
                fputs(eq + 1, stdout);
            else
                wick_ui_json_string(stdout, eq + 1);
        }
        line = nl ? nl + 1 : line + strlen(line);
    }
}

static int status(struct wick_running *s, struct wick_err *err)
{
    int rc = wick_running_find(s, err);
    if (rc == -WICK_E_STATE) {
        char *end = err->msg + strlen(err->msg);
        snprintf(end, sizeof err->msg - (size_t)(end - err->msg),
                 "; to search for deadlocks, load it first: wick locks -d 1 %d", (int)s->p.pid);
    }
    if (!rc)
        rc = wick_client_ask(s->client, "status", s->o.attach_timeout_ns, err);
    if (rc)
        return rc;
    if (s->o.json) {
        printf("{\"pid\": %d, \"agent_version\": ", (int)s->p.pid);
        wick_ui_json_string(stdout, s->client->version);
    } else {
        wick_ui_print(stdout, "pid=%d\nmain=%s\nagent_version=%s\n", (int)s->p.pid, s->jvm.main, s->client->version);
    }
    print_lines(s);
    /* an agent of an older build does not know the question */
    if (!wick_client_ask(s->client, "deadlocks", s->o.attach_timeout_ns, &(struct wick_err){0}))
        print_lines(s);
    if (s->o.json)
        puts("}");
    return 0;
}

int wick_cmd_status(int argc, char **argv)
{
    struct wick_running s;
    struct wick_err err = {0};
    int rc = wick_running_begin(argc, argv, &s, NULL, &err);
    if (!rc)
        rc = status(&s, &err);
    return wick_running_end(&s, rc, &err);
}
