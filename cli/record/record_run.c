/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_run.c - one poll loop, and questions that may stay unanswered
 *
 * All waits are in wait_any(): for the agent's socket, the broker's, a signalfd and the command's pidfd. It serves
 * the broker, counts signals and notes the end of the command; what these mean is up to the caller. Signals stay
 * blocked throughout, so none can come between a check and the wait.
 *
 * Answers come in the order of the questions, and nothing else says which is whose. So a question without an answer
 * after ten seconds is not asked again: it stays open, its answer is awaited at the next tick, and a stop request,
 * which is sent regardless, takes two answers. A signal during a question leaves it open in the same way. If the
 * socket is readable while nothing was asked, the agent has closed it: the process has ended.
 *
 * A signal ends the recording, and a further one the wait for its end; so a wait knows how many came before it. With
 * a command of ours neither holds: signals are passed on to it (SIGINT reaches it through the terminal), and its end
 * is the end.
 *
 * Our copy of the broker's other end is closed once it is sent, so that the agent's closing its own is seen here.
 */
#include "cli/record/record_run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/end_signals.h"
#include "cli/ui.h"
#include "client/perfbroker.h"
#include "sys/ns.h"

#define TICK_NS   500000000u
#define ANSWER_NS 10000000000u /* for a status request */

int wick_recording_init(struct wick_recording *r, struct wick_client *client, const struct wick_proc *proc,
                        struct wick_err *err)
{
    int pair[2] = {-1, -1};
    *r = (struct wick_recording){.client = client, .proc = proc, .broker = -1, .broker_peer = -1, .child = -1};
    r->signals = wick_end_signals_open();
    if (r->signals < 0 || (proc && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))) {
        int rc = wick_err_set(err, WICK_E_IO, "cannot open descriptors: %s", strerror(errno));
        wick_recording_release(r);
        return rc;
    }
    r->broker = pair[0];
    r->broker_peer = pair[1];
    return 0;
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void wick_recording_release(struct wick_recording *r)
{
    close_one(&r->broker);
    close_one(&r->broker_peer);
    close_one(&r->child);
    wick_end_signals_close(r->signals);
    r->signals = -1;
}

/* The files of a sequence are made by the agent, with its own rights and by their path: a descriptor of our directory
 * would let the target at everything below it, and from there at the rest of our file system. So the path must mean the
 * same to both, and what the target makes must be what we could have made. */
bool wick_recording_may_write(const struct wick_proc *p)
{
    return p->st.euid == geteuid() && wick_ns_same_root(p) == 1 && wick_ns_same(p, "user") == 1;
}

void wick_recording_guard(const struct wick_proc *p, struct wick_cli_output *out)
{
    if (out->sequence)
        return;
    out->apart = geteuid() == 0 && wick_ns_same_root(p) != 1;
    out->fresh = !wick_recording_may_write(p);
}

static int check_sequence(const struct wick_recording *r, struct wick_err *err)
{
    const struct wick_proc *p = r->proc;
    if (!p || wick_recording_may_write(p))
        return 0;
    return wick_err_set(
        err, WICK_E_UNSUPPORTED,
        "process %d %s: the files of a recording in several (%%n, --max-size, --max-age) can be made by `wick record` "
        "only, as long as it runs (without --keep-running), because the JVM may not be handed a directory of yours; "
        "use "
        "that, record into one file (-f NAME.jfr), or run wick %s",
        (int)p->pid, p->st.euid == geteuid() ? "is in another container or root directory" : "belongs to another user",
        p->st.euid == geteuid() ? "inside the container" : "as that user");
}

int wick_recording_send_start(struct wick_recording *r, const struct wick_opts *o, const struct wick_cli_output *out,
                              struct wick_err *err)
{
    struct wick_strbuf command = WICK_STRBUF_INIT;
    char letters[WICK_SOCK_FDS + 1] = "";
    int fds[WICK_SOCK_FDS], n = 0;
    struct wick_opts copy = *o;
    int rc = out->sequence && !r->files ? check_sequence(r, err) : 0;
    if (rc)
        return rc;
    if (!out->sequence || r->files) {
        letters[n] = r->files ? 't' : 'o';
        fds[n++] = out->fd;
    }
    if (r->broker_peer >= 0) {
        letters[n] = 'b';
        fds[n++] = r->broker_peer;
    }
    snprintf(copy.s.file, sizeof copy.s.file, "%s", out->path);
    copy.given |= (uint64_t)1 << WICK_OPT_I_file;
    wick_opt_format_agent(&copy, "start", &command);
    rc = wick_client_send(r->client, letters, fds, n, !o->keep_running, command.buf, err);
    wick_strbuf_release(&command);
    close_one(&r->broker_peer);
    r->started_ns = wick_clock_mono_ns();
    return rc;
}

static void read_signals(struct wick_recording *r)
{
    struct signalfd_siginfo info;
    while (read(r->signals, &info, sizeof info) == sizeof info) {
        r->last_signal = (int)info.ssi_signo;
        /* Ctrl-C reaches the command directly (same terminal); a signal sent to us alone is passed on. */
        if (r->child >= 0 && info.ssi_signo != SIGINT)
            syscall(SYS_pidfd_send_signal, r->child, info.ssi_signo, NULL, 0);
        r->stops++;
    }
}

/* Waits for anything until the deadline. 1: the agent's socket is readable; 0: something else happened or time is up.
 */
static int wait_any(struct wick_recording *r, uint64_t deadline_ns)
{
    struct pollfd p[] = {{r->client->fd, POLLIN, 0},
                         {r->broker, POLLIN, 0},
                         {r->signals, POLLIN, 0},
                         {r->child_ended ? -1 : r->child, POLLIN, 0}};
    uint64_t now = wick_clock_mono_ns(), left = deadline_ns > now ? deadline_ns - now : 0;
    if (left > 3600000000000u)
        left = 3600000000000u;
    struct timespec t = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
    if (ppoll(p, sizeof p / sizeof *p, &t, NULL) <= 0)
        return 0;
    if (p[1].revents && !wick_perfbroker_serve(r->broker, r->proc, r->files))
        close_one(&r->broker);
    if (p[2].revents)
        read_signals(r);
    if (p[3].revents)
        r->child_ended = true;
    return p[0].revents != 0;
}

void wick_recording_show_notes(const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        if (n)
            wick_ui_note("note: %.*s", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

static int await(struct wick_recording *r, uint64_t deadline_ns, unsigned most_stops, struct wick_err *err)
{
    for (;;) {
        if (wait_any(r, deadline_ns))
            return wick_client_receive(r->client, 0, err);
        if (r->child < 0 && r->stops > most_stops)
            return wick_err_set(err, WICK_E_INTR, "interrupted");
        if (r->child_ended)
            return wick_err_set(err, WICK_E_GONE, "the command ended");
        if (wick_clock_mono_ns() >= deadline_ns)
            return wick_err_set(err, WICK_E_TIMEOUT, "the agent in process %d did not answer in time",
                                (int)r->client->pid);
    }
}

int wick_recording_await(struct wick_recording *r, uint64_t deadline_ns, struct wick_err *err)
{
    int rc = await(r, deadline_ns ? deadline_ns : UINT64_MAX, 0, err);
    if (!rc)
        wick_recording_show_notes(r->client->text);
    return rc;
}

static uint64_t number(const char *text, const char *key)
{
    char value[32];
    return wick_client_value(text, key, value, sizeof value) ? strtoull(value, NULL, 10) : 0;
}

static void show_progress(const struct wick_recording *r, uint64_t deadline_ns)
{
    char time[32], total[40] = "", samples[32], dropped[32], bytes[32];
    const char *text = r->client->text;
    if (!wick_ui_shows_progress() || r->child >= 0)
        return;
    wick_ui_seconds(wick_clock_mono_ns() - r->started_ns, time, sizeof time);
    if (deadline_ns != UINT64_MAX) {
        char limit[32];
        snprintf(total, sizeof total, " of %s", wick_ui_seconds(deadline_ns - r->started_ns, limit, sizeof limit));
    }
    wick_ui_progress("recording %s%s   %s samples   %s dropped   %s   Ctrl-C ends it", time, total,
                     wick_ui_count(number(text, "samples"), samples, sizeof samples),
                     wick_ui_count(number(text, "dropped"), dropped, sizeof dropped),
                     wick_ui_bytes(number(text, "bytes"), bytes, sizeof bytes));
}

static int process_ended(struct wick_recording *r, struct wick_err *err)
{
    r->ended = true;
    return wick_err_set(err, WICK_E_GONE, "process %d ended during the recording", (int)r->client->pid);
}

/* What the recording lacks, as the agent has it: said once, at once, and again when it is something else. */
static void warn(struct wick_recording *r)
{
    char value[sizeof r->warned];
    if (!wick_client_value(r->client->text, "error", value, sizeof value) || !strcmp(value, r->warned))
        return;
    snprintf(r->warned, sizeof r->warned, "%s", value);
    wick_ui_note("wick: warning: %s", value);
}

/* The question that was asked has no answer yet: the JVM is stopped, or has no processor. The recording goes on in it,
 * and so does ours, until its time is over; the answer that comes then is for that question. */
static int note_silence(struct wick_recording *r, bool late, struct wick_err *err)
{
    if (!r->silent && late)
        wick_ui_note("the agent in process %d has not answered for %d s: waiting for it until the recording is over",
                     (int)r->client->pid, (int)(ANSWER_NS / 1000000000u));
    r->silent = true;
    *err = (struct wick_err){0};
    return 0;
}

/* Asks how it goes. An error if the recording has broken off. */
static int look(struct wick_recording *r, uint64_t deadline_ns, struct wick_err *err)
{
    char value[512];
    uint64_t patience = wick_clock_mono_ns() + ANSWER_NS;
    int rc = r->silent ? 0 : wick_client_send(r->client, "", NULL, 0, false, "status", err);
    if (!rc)
        rc = await(r, patience < deadline_ns ? patience : deadline_ns, r->stops, err);
    if (rc == -WICK_E_TIMEOUT)
        return note_silence(r, patience < deadline_ns, err);
    if (rc == -WICK_E_INTR) { /* ends the recording as it would at any other moment */
        r->silent = true;
        *err = (struct wick_err){0};
        return 0;
    }
    r->silent = false;
    if (rc)
        return rc == -WICK_E_GONE ? process_ended(r, err) : rc;
    if (number(r->client->text, "running")) {
        warn(r);
        return 0;
    }
    r->ended = true;
    if (number(r->client->text, "vm_ended")) /* it answered once more on its way out */
        return process_ended(r, err);
    uint64_t code = number(r->client->text, "error_code");
    if (!wick_client_value(r->client->text, "error", value, sizeof value))
        return 0; /* ended by `wick stop` from elsewhere */
    return wick_err_set(err, code && code < WICK_E_COUNT ? (enum wick_code)code : WICK_E_IO,
                        "the recording broke off: %s", value);
}

int wick_recording_run(struct wick_recording *r, uint64_t deadline_ns, struct wick_err *err)
{
    uint64_t tick = r->started_ns + TICK_NS;
    while (!r->ended) {
        uint64_t now = wick_clock_mono_ns();
        if (now >= deadline_ns || (r->child < 0 && r->stops) || r->child_ended)
            return 0;
        if (now >= tick) {
            int rc = look(r, deadline_ns, err);
            if (rc)
                return rc;
            show_progress(r, deadline_ns);
            tick = now + TICK_NS;
        }
        uint64_t until = tick < deadline_ns ? tick : deadline_ns;
        if (!wait_any(r, until) || r->silent)
            continue;
        /* Nothing was asked, so this is the end of the connection. */
        char scrap[16];
        if (wick_sock_recv(r->client->fd, scrap, sizeof scrap, NULL, 0, NULL, MSG_DONTWAIT) == -WICK_E_TIMEOUT)
            continue;
        return process_ended(r, err);
    }
    return 0;
}

int wick_recording_stop(struct wick_recording *r, struct wick_err *err)
{
    unsigned most = r->stops;
    uint64_t deadline = wick_clock_mono_ns() + WICK_CLIENT_ANSWER_NS;
    wick_ui_progress_end();
    int rc = wick_client_send(r->client, "", NULL, 0, false, "stop", err);
    if (!rc && r->silent) /* the answer to an earlier question comes first */
        rc = await(r, deadline, most, err);
    r->silent &= rc != 0;
    return rc ? rc : await(r, deadline, most, err);
}

int wick_recording_wait_child(struct wick_recording *r, int pid)
{
    int status = 0;
    pid_t got;
    /* The agent's last words are of no interest; its closed socket would keep poll awake. */
    close_one(&r->client->fd);
    while (!r->child_ended)
        wait_any(r, UINT64_MAX);
    do
        got = waitpid(pid, &status, 0);
    while (got < 0 && errno == EINTR);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
