/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick record [options] PID|NAME
 * wick record [options] -- command ...
 * wick record --perf [-a | PID|NAME] [options] [-- command ...]
 *
 * The JVM of a command is recorded from its first moment. `java ...` gets the agent as its first argument; for any
 * other command (a script, a build tool) it travels in JAVA_TOOL_OPTIONS. The agent finds one end of a socket pair
 * open, with the start request already waiting in it: the first JVM that comes takes the request and so becomes the
 * recorded one; JVMs that come later, or that it starts itself, find none and do nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/record/attached.h"
#include "cli/record/outcome.h"
#include "cli/record/out_file.h"
#include "cli/record/record_perf.h"
#include "cli/record/record_run.h"
#include "cli/jvm/target.h"
#include "cli/ui.h"
#include "client/agentlib.h"
#include "client/client.h"

/* After the recording: what was written is turned into the output, even if the JVM died. first = the error that
 * ended the recording, or 0. Returns the exit status. */
static int conclude(struct wick_cli_output *out, const struct wick_err *first)
{
    struct wick_err err = {0};
    wick_ui_progress_end();
    int status = first->code ? wick_ui_fail(first) : 0, second = 0;
    if (first->code == WICK_E_INTR)
        return status;
    if (wick_cli_output_finish(out, out->fd, &err))
        second = wick_ui_fail(&err);
    return status ? status : second;
}

/* Nothing was recorded: takes the empty file away and reports why. */
static int discard(struct wick_cli_output *out, const struct wick_err *err)
{
    if (out->fd >= 0 && wick_cli_output_is_direct(out))
        unlink(out->path);
    return wick_ui_fail(err);
}

/* Which file the JVM is handed. What is in one without a name is lost if this command is killed, or
 * with keep_running when the JVM ends without it. */
static void choose_hands(const struct wick_proc *p, const struct wick_opts *o, struct wick_cli_output *out)
{
    wick_recording_guard(p, out);
    out->taken = out->sequence && !o->keep_running && !wick_recording_may_write(p);
}

static int record_pid(const char *word, const struct wick_opts *o)
{
    struct wick_err err = {0};
    struct wick_attached l;
    struct wick_cli_output out = {.fd = -1, .dir = -1};
    bool started = false;
    int status;
    if (wick_attached_open(&l, word, &err))
        return wick_ui_fail(&err);
    int rc = wick_cli_output_plan(o, &l.jvm, &out, &err);
    if (!rc)
        rc = wick_attached_attach(&l, o, &err);
    if (!rc)
        choose_hands(&l.proc, o, &out);
    if (!rc)
        rc = wick_cli_output_open(&out, &err);
    if (!rc)
        rc = wick_attached_record(&l, o, &out, &started, &err);
    status = started ? conclude(&out, &err) : rc ? discard(&out, &err) : 0;
    if (started && out.sequence && !wick_client_ask(l.client, "status", o->attach_timeout_ns, &(struct wick_err){0}))
        wick_outcome_of_status(l.client->text);
    wick_cli_output_close(&out);
    wick_attached_close(&l);
    return status;
}

/* --- a command of ours -------------------------------------------------------------------------------------------- */

static bool is_java(const char *program)
{
    const char *slash = strrchr(program, '/');
    return !strcmp(slash ? slash + 1 : program, "java");
}

/* In the child: hands over the socket and becomes the command. */
static void exec_command(char **command, const char *lib, int sock)
{
    struct stat st;
    sigset_t none;
    char *agent = NULL, *env = NULL, **argv = command;
    const char *old = getenv("JAVA_TOOL_OPTIONS");
    int n = 0;
    while (command[n])
        n++;
    if (fstat(sock, &st) || asprintf(&agent, "-agentpath:%s=connect=%d:%llu:%llu", lib, sock,
                                     (unsigned long long)st.st_dev, (unsigned long long)st.st_ino) < 0)
        _exit(125);
    if (is_java(command[0])) {
        argv = calloc((size_t)n + 2, sizeof *argv);
        if (!argv)
            _exit(125);
        argv[0] = command[0];
        argv[1] = agent;
        memcpy(argv + 2, command + 1, (size_t)n * sizeof *argv);
    } else {
        if (asprintf(&env, "%s%s\"%s\"", old ? old : "", old ? " " : "", agent) < 0 ||
            setenv("JAVA_TOOL_OPTIONS", env, 1))
            _exit(125);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(argv[0], argv);
    int why = errno;
    wick_ui_print(stderr, "wick: cannot run %s: %s\n", command[0], strerror(why));
    _exit(why == ENOENT ? 127 : 126);
}

/* Starts the command with its end of a fresh socket pair (pair[1], inherited). Returns its pid. */
static pid_t launch(char **command, const char *lib, struct wick_recording *r, int sock, struct wick_err *err)
{
    pid_t pid = fork();
    if (pid == 0)
        exec_command(command, lib, sock);
    if (pid < 0)
        return wick_err_set(err, WICK_E_LIMIT, "cannot start %s: %s", command[0], strerror(errno));
    r->client->pid = pid;
    r->child = (int)syscall(SYS_pidfd_open, pid, 0);
    if (r->child < 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        return wick_err_set(err, WICK_E_UNSUPPORTED, "recording a command needs Linux 5.3 or newer (pidfd_open)");
    }
    return pid;
}

/* Follows the command to its end; the exit status is the command's unless it succeeded and the recording did not. */
static int follow(struct wick_recording *r, pid_t pid, const struct wick_opts *o, struct wick_cli_output *out)
{
    struct wick_err err = {0};
    int rc = wick_recording_await(r, 0, &err);
    bool started = !rc;
    if (started) {
        rc = wick_recording_run(r, wick_opt_given(o, duration_ns) ? wick_attached_deadline(o->duration_ns) : UINT64_MAX,
                                &err);
        if (!r->ended && !r->child_ended)
            rc = wick_recording_stop(r, &err);
        if (rc == -WICK_E_GONE) /* the JVM ended, and with it the recording: that is how it should be */
            err = (struct wick_err){0};
    } else if (rc == -WICK_E_GONE) {
        wick_err_set(&err, WICK_E_NOTJVM, "the command ended without starting a HotSpot JVM that takes the agent");
    }
    bool now = started && !r->child_ended; /* -d is over, or the JVM is and the command goes on */
    int recording = now ? conclude(out, &err) : 0;
    int status = wick_recording_wait_child(r, pid);
    if (started && !now)
        recording = conclude(out, &err);
    if (started && out->sequence) /* as far as the JVM answered */
        wick_outcome_of_status(r->client->text);
    else if (!started)
        recording = discard(out, &err);
    return status ? status : recording;
}

static int record_command(char **command, const struct wick_opts *o)
{
    struct wick_err err = {0};
    struct wick_cli_output out = {.fd = -1, .dir = -1};
    struct wick_client *client = malloc(sizeof *client);
    struct wick_recording r;
    char lib[4096];
    int pair[2] = {-1, -1}, status;
    pid_t pid = 0;
    if (!client)
        return wick_ui_fail(&err);
    wick_client_init(client);
    int rc = wick_cli_output_plan(o, NULL, &out, &err);
    if (!rc)
        rc = wick_agentlib_find(o->lib, lib, sizeof lib, &err);
    if (!rc)
        rc = wick_cli_output_open(&out, &err);
    if (!rc && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
        rc = wick_err_set(&err, WICK_E_IO, "cannot open a socket: %s", strerror(errno));
    client->fd = pair[0];
    if (!rc)
        rc = wick_recording_init(&r, client, NULL, &err);
    if (rc) {
        status = wick_ui_fail(&err);
    } else {
        fcntl(pair[0], F_SETFD, FD_CLOEXEC);
        rc = wick_recording_send_start(&r, o, &out, &err);
        pid = rc ? rc : launch(command, lib, &r, pair[1], &err);
        close(pair[1]);
        status = pid > 0 ? follow(&r, pid, o, &out) : wick_ui_fail(&err);
        wick_recording_release(&r);
    }
    wick_cli_output_close(&out);
    wick_client_close(client);
    free(client);
    return status;
}

int wick_cmd_record(int argc, char **argv)
{
    struct wick_err err = {0};
    struct wick_opts o;
    char **rest = calloc((size_t)argc + 1, sizeof *rest);
    int nrest, dashdash, status = 0;
    const char *word;
    int rc = rest ? wick_cmd_parse(argc, argv, &o, rest, &nrest, &dashdash, &err) : -WICK_E_NOMEM;
    if (rc < 0) {
        status = wick_ui_fail(&err);
    } else if (rc == 0 && (o.perf || o.all)) {
        if (!o.perf)
            wick_err_set(&err, WICK_E_USAGE, "-a is for --perf: wick's own recordings are of one JVM");
        else if (o.s.compat)
            wick_err_set(&err, WICK_E_USAGE, "--compat is for wick's own recordings, not for --perf");
        status = o.perf && !o.s.compat ? wick_record_perf(&o, rest, nrest, dashdash) : wick_ui_fail(&err);
    } else if (rc == 0 && dashdash < nrest) {
        if (dashdash) {
            wick_err_set(&err, WICK_E_USAGE, "give either a PID or NAME, or a command after --");
            status = wick_ui_fail(&err);
        } else {
            status = record_command(rest, &o);
        }
    } else if (rc == 0) {
        status = wick_target_operand(rest, nrest, "record", &word, &err) ? wick_ui_fail(&err) : record_pid(word, &o);
    }
    free(rest);
    return status;
}
