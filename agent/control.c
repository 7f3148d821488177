/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread, one poll(2). It sleeps until a client connects, so an idle agent costs nothing but its stack.
 *
 * Anybody in the network namespace can connect to an abstract socket, so a connection is judged by its credentials
 * before a byte is read: the user this process runs as, or root. (wick run by root takes the target's user before it
 * connects, because inside a user namespace the outer root has no number.) A peer that does not pass is disconnected,
 * and the thread takes a pause, so that a flood of strangers costs at most a hundred accepts a second.
 *
 * A request is one packet and is answered by one packet; nothing here waits for a client. A reply that does not fit the
 * client's socket buffer closes that client. A client that stays silent for IDLE_NS is closed, unless it holds a
 * recording: then its end is the recording's end. There are MAX_CLIENTS places; when all are taken the one that has
 * been silent longest gives way.
 *
 * Everything that changes the session happens under `lock`, because Agent_OnLoad and Agent_OnUnload act in threads of
 * the JVM.
 */
#include "agent/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/stop_convert.h"
#include "agent/ownfile.h"
#include "agent/event/buildid.h"
#include "agent/event/deadlocks.h"
#include "agent/label/virtual_list.h"
#include "agent/perf_broker.h"
#include "agent/session.h"
#include "base/clock.h"
#include "sys/sock.h"

#define MAX_CLIENTS 8
#define IDLE_NS     10000000000u
#define PAUSE_NS    10000000u
#define MIN_LAP_NS  1000000000u
#define STACK_SIZE  (1u << 20) /* a thread that attaches to the JVM needs room for its guard zones */

struct client {
    int fd; /* -1 = free */
    uint64_t heard_ns;
    bool holds; /* the running recording ends with this connection */
};

/* Written by the control thread only, but for what is marked. */
static struct {
    pthread_mutex_t lock; /* around every wick_session_* call, and around the fields up to the blank line */
    struct wick_err init;
    int out_fd;                         /* duplicate of the recording's file, -1 = none */
    uint64_t stop_at;                   /* option timeout, 0 = none */
    struct wick_convert convert;        /* what becomes of the recording at its end */
    struct wick_ownfile own;            /* the recording of the option string, also when it has ended */
    struct wick_session_opts loop;      /* option loop: how each recording starts */
    uint64_t lap_at;                    /* and when the next one does, 0 = none */
    bool vm_is_up;                      /* before, a recording that was started waits, and time does not run */
    bool started;                       /* the thread exists */
    struct client clients[MAX_CLIENTS]; /* adopt() adds to it before or while the thread runs */

    int listen_fd, wake_fd;
    uint64_t pause_until; /* no accept before this time */
    bool retired;
    pid_t pid;
} ctl = {.lock = PTHREAD_MUTEX_INITIALIZER, .out_fd = -1, .own = WICK_OWNFILE_INIT, .listen_fd = -1, .wake_fd = -1};

struct reply {
    int code;
    int fd;                                        /* sent along, closed afterwards; -1 = none */
    char notes[sizeof((struct wick_err *)0)->msg]; /* what was ignored in the request, "" = nothing */
    char text[WICK_SOCK_REPLY_MAX - 16];
};

/* --- commands; ctl.lock is held ----------------------------------------------------------------------------------- */

struct fds {
    int out, broker; /* -1 = none; who takes one sets it to -1 */
    bool taken;      /* the command takes the chunks from `out` as they end */
    bool own;        /* no command: the agent's own option string */
};

static void close_fds(struct fds *f)
{
    if (f->out >= 0)
        close(f->out);
    if (f->broker >= 0)
        close(f->broker);
    *f = (struct fds){.out = -1, .broker = -1};
}

static void drop_hold_locked(void)
{
    for (int i = 0; i < MAX_CLIENTS; i++)
        ctl.clients[i].holds = false;
    ctl.stop_at = ctl.lap_at = 0;
    wick_broker_set(-1);
}

static void forget_output_locked(void)
{
    if (ctl.out_fd >= 0)
        close(ctl.out_fd);
    ctl.out_fd = -1;
}

static int check_output(int fd, struct wick_err *err)
{
    if (fd < 0)
        return wick_err_set(err, WICK_E_USAGE, "an output descriptor is needed");
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return wick_err_set(err, WICK_E_USAGE, "the descriptor passed for the recording is not open for writing");
    /* A full pipe would block under the lock that the JVM's end waits for. */
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        return wick_err_set(err, WICK_E_USAGE, "the descriptor passed for the recording is no plain file");
    return 0;
}

/* The agent's own file. */
static int open_own_locked(struct wick_session_opts *o, bool again, int *fd, struct wick_err *err)
{
    if (wick_convert_is_wanted(o->file) && (o->max_size_bytes || o->max_age_ns))
        return wick_err_set(err, WICK_E_USAGE, "max-size and max-age are for jfr files only: name the file .jfr");
    if (o->compat && (o->max_size_bytes || o->max_age_ns))
        return wick_err_set(err, WICK_E_USAGE,
                            "compat does not go with max-size and max-age: run `wick convert --compat` on the files");
    return wick_ownfile_open(&ctl.own, o, again, &ctl.convert, fd, err);
}

/* Time to the next lap of option loop, in nanoseconds. */
static int lap_of(const struct wick_session_opts *o, uint64_t *ns, struct wick_err *err)
{
    int rc = strchr(o->loop, ':') ? wick_opt_until(o->loop, (int64_t)time(NULL), ns)
                                  : wick_opt_time(o->loop, 1000000000, ns);
    if (rc || (*ns < MIN_LAP_NS && !strchr(o->loop, ':')))
        return wick_err_set(err, WICK_E_USAGE,
                            "option loop: '%.100s' is not a time such as 1h (at least 1s) or a time of day such as "
                            "00:00:00",
                            o->loop);
    if (!*o->file || o->max_size_bytes || o->max_age_ns)
        return wick_err_set(err, WICK_E_USAGE,
                            "option loop makes a file of each recording: give file=NAME with %%t or %%n{MAX}, without "
                            "max-size and max-age");
    return 0;
}

/* Makes of the complete recording what was asked for. */
static int finish_locked(struct wick_err *err)
{
    struct stat st;
    if (ctl.convert.file[0] && !stat(ctl.convert.recording, &st) && !st.st_size)
        wick_convert_cancel(&ctl.convert);
    return wick_convert_finish(&ctl.convert, err);
}

/* A file that was to hold the recording that did not start. */
static void drop_own_locked(int own, const struct wick_session_opts *o)
{
    struct stat st;
    if (own < 0)
        return;
    bool empty = !fstat(own, &st) && !st.st_size;
    close(own);
    if (empty && !ctl.convert.file[0] && *o->file)
        unlinkat(AT_FDCWD, o->file, 0);
    wick_convert_cancel(&ctl.convert);
    wick_ownfile_forget(&ctl.own);
}

/* Options timeout and loop, from now on. */
static void start_time_locked(void)
{
    uint64_t now = wick_clock_mono_ns(), lap = 0;
    if (ctl.loop.timeout_ns)
        ctl.stop_at = now + ctl.loop.timeout_ns;
    if (*ctl.loop.loop && !lap_of(&ctl.loop, &lap, NULL))
        ctl.lap_at = now + lap;
}

/* again: what was recorded before stays. */
static int start_locked(struct wick_session_opts *o, bool again, struct fds *f, struct wick_err *err)
{
    int rc = 0, copy = -1, own = -1;
    uint64_t lap = 0;
    const struct wick_session_opts asked = *o;
    if (ctl.init.code) {
        *err = ctl.init;
        return -ctl.init.code;
    }
    if (wick_session_running())
        return wick_err_set(err, WICK_E_STATE, "a recording is already running: stop it first with `wick stop`");
    if (f->out < 0 && !*o->file && !f->own)
        return wick_err_set(err, WICK_E_USAGE, "no output: give file=NAME");
    if (*o->loop && (rc = lap_of(o, &lap, err)))
        return rc;
    if (f->out >= 0 && (rc = check_output(f->out, err)))
        return rc;
    finish_locked(NULL); /* of a recording that never began */
    if (f->out < 0 && (rc = open_own_locked(o, again, &own, err)))
        return rc;
    if (f->out >= 0)
        wick_ownfile_forget(&ctl.own);
    forget_output_locked();
    drop_hold_locked();
    if ((f->out >= 0 && !f->taken) || (own >= 0 && !*o->file)) /* what is taken is the command's already */
        copy = fcntl(f->out >= 0 ? f->out : own, F_DUPFD_CLOEXEC, 3);
    wick_broker_set(f->broker);
    f->broker = -1;
    rc = own >= 0 && ctl.own.resumed ? wick_session_resume(o, own, ctl.own.resumed, err)
         : f->taken                  ? wick_session_start_taken(o, f->out, err)
                                     : wick_session_start(o, own >= 0 ? own : f->out, err);
    if (rc) {
        wick_broker_set(-1);
        drop_own_locked(own, o);
        if (copy >= 0)
            close(copy);
        return rc;
    }
    f->out = -1; /* the session's now */
    ctl.out_fd = copy;
    ctl.loop = asked;
    ctl.stop_at = ctl.lap_at = 0;
    if (ctl.vm_is_up)
        start_time_locked();
    return 0;
}

static int stop_locked(struct wick_err *err)
{
    struct wick_err failure = {0};
    int rc = wick_session_stop(err), made = finish_locked(&failure);
    wick_ownfile_ended(&ctl.own);
    drop_hold_locked();
    if (made && !rc && err)
        *err = failure;
    return rc ? rc : made;
}

/* A stop that nobody waits for: what became of the file is said on stderr. */
static void stop_unasked_locked(void)
{
    struct wick_err err = {0};
    bool converts = ctl.convert.file[0];
    if (stop_locked(&err) && converts)
        dprintf(STDERR_FILENO, "wick: %s\n", err.msg);
}

/* Option loop: the recording ends and the next one starts. What the first becomes is made while that runs. */
static void next_lap_locked(void)
{
    struct fds f = {.out = -1, .broker = -1, .own = true};
    struct wick_err err = {0};
    struct wick_convert done = ctl.convert;
    struct wick_session_opts o = ctl.loop;
    uint64_t stop_at = ctl.stop_at, lap = 0;
    ctl.convert.file[0] = 0;
    if (wick_session_stop(&err))
        dprintf(STDERR_FILENO, "wick: %s\n", err.msg);
    err = (struct wick_err){0};
    if (start_locked(&o, false, &f, &err)) {
        dprintf(STDERR_FILENO, "wick: the next recording of the loop did not start: %s\n", err.msg);
        if (!lap_of(&ctl.loop, &lap, NULL))
            ctl.lap_at = wick_clock_mono_ns() + lap;
    }
    ctl.stop_at = stop_at;
    if (wick_convert_finish(&done, &err))
        dprintf(STDERR_FILENO, "wick: %s\n", err.msg);
}

/* What was recorded last, for reading; -1 = nothing is kept. */
static int ended_locked(void)
{
    return ctl.out_fd >= 0 ? fcntl(ctl.out_fd, F_DUPFD_CLOEXEC, 3) : wick_ownfile_recording(&ctl.own);
}

/* What has been recorded so far, or had been at the end, to a descriptor; -1: to the recording's own file. */
static int dump_locked(int to, struct wick_err *err)
{
    if (wick_session_running())
        return wick_session_dump(to, err);
    int from = ended_locked();
    if (from < 0)
        return wick_err_set(err, WICK_E_STATE, "no recording is running in this JVM, and none is kept");
    int rc = to < 0 ? 0 : wick_ownfile_copy_all(from, to, err);
    close(from);
    return rc;
}

/* Option file of `dump` and `stop`. */
static int dump_to_file_locked(const struct wick_session_opts *o, struct wick_err *err)
{
    struct wick_ownfile_copy copy;
    int from = wick_session_running() ? -1 : ended_locked();
    if (!wick_session_running() && from < 0)
        return dump_locked(-1, err);
    if (from >= 0)
        close(from);
    int rc = wick_ownfile_copy_open(&ctl.own, o->file, o->threads, o->compat, &copy, err);
    return rc ? rc : wick_ownfile_copy_close(&copy, dump_locked(copy.fd, err), err);
}

/* `stop` of the option string, also after the end. */
static int stop_own_locked(const struct wick_session_opts *o, struct wick_err *err)
{
    char file[WICK_OPT_PATH_MAX];
    bool was_running = wick_session_running();
    int rc = was_running || !*o->file ? stop_locked(err) : 0;
    if (rc || !*o->file)
        return rc;
    if (was_running && !wick_opt_expand(o->file, ctl.pid, (int64_t)time(NULL), ctl.own.starts - 1, file, sizeof file) &&
        !strcmp(file, ctl.own.file))
        return 0; /* what the recording was started with: it is made */
    return dump_to_file_locked(o, err);
}

static void version_text(struct reply *r)
{
    snprintf(r->text, sizeof r->text, "version=%s\nbuild=%s\npid=%d\nrunning=%d\n", WICK_VERSION, wick_agent_build_id(),
             (int)ctl.pid, wick_session_running());
}

static int run_locked(enum wick_opt_action action, struct wick_opts *o, struct fds *f, struct reply *r,
                      struct wick_err *err)
{
    int rc = 0;
    switch (action) {
    case WICK_ACTION_START:
    case WICK_ACTION_RESUME:
        return start_locked(&o->s, action == WICK_ACTION_RESUME, f, err);
    case WICK_ACTION_STOP:
        if (f->own)
            return stop_own_locked(&o->s, err);
        /* Also after the recording has ended by itself: its file is still wanted. */
        rc = wick_session_running() || ctl.out_fd < 0 ? stop_locked(err) : 0;
        r->fd = ctl.out_fd;
        ctl.out_fd = -1;
        return rc;
    case WICK_ACTION_DUMP:
        if (f->own && *o->s.file)
            return dump_to_file_locked(&o->s, err);
        rc = check_output(f->out, err);
        return rc ? rc : dump_locked(f->out, err);
    case WICK_ACTION_VIRTUAL:
        rc = check_output(f->out, err);
        return rc ? rc : wick_virtual_list_write((uint32_t)o->s.virtual_rows, f->out, err);
    case WICK_ACTION_STATUS:
        wick_session_status(r->text, sizeof r->text);
        return 0;
    case WICK_ACTION_DEADLOCKS:
        wick_deadlocks_describe(r->text, sizeof r->text);
        return 0;
    case WICK_ACTION_VERSION:
        version_text(r);
        return 0;
    case WICK_ACTION_RETIRE:
        if (wick_session_running())
            return wick_err_set(err, WICK_E_STATE, "a recording is running: stop it first");
        forget_output_locked();
        ctl.retired = true;
        return 0;
    default:
        return wick_err_set(err, WICK_E_USAGE, "no action given: start, resume, stop, dump or status");
    }
}

static void add_note(struct wick_err *notes, const struct wick_convert *c)
{
    size_t n = strlen(notes->msg);
    snprintf(notes->msg + n, sizeof notes->msg - n,
             "%sthe command `wick` is not beside libwick.so, so %.200s cannot be made: the recording is in %.200s",
             n ? "\n" : "", c->file, c->recording);
}

static void run_command_locked(const char *command, size_t len, struct fds *f, struct reply *r)
{
    struct wick_err err = {0}, notes = {0};
    enum wick_opt_action action = WICK_ACTION_NONE;
    struct wick_opts o;
    r->text[0] = r->notes[0] = 0;
    r->fd = -1;
    wick_opt_defaults(&o);
    int rc = wick_opt_parse_agent(command, len, &o, &action, &notes);
    if (rc) {
        err = notes;
        notes.msg[0] = 0;
    } else {
        rc = run_locked(action, &o, f, r, &err);
    }
    r->code = -rc;
    if (rc || (!r->text[0] && err.msg[0]))
        snprintf(r->text, sizeof r->text, "%s", err.msg[0] ? err.msg : wick_err_text(rc));
    bool starts = action == WICK_ACTION_START || action == WICK_ACTION_RESUME;
    if (!rc && starts && ctl.convert.file[0] && ctl.convert.no_command)
        add_note(&notes, &ctl.convert);
    size_t n = strlen(r->text);
    if (o.quiet)
        return;
    if (!rc)
        snprintf(r->notes, sizeof r->notes, "%s", notes.msg);
    if (starts && *notes.msg) /* other answers have a form */
        snprintf(r->text + n, sizeof r->text - n, "%s%s", n ? "\n" : "", notes.msg);
}

/* --- clients ------------------------------------------------------------------------------------------------------ */

/* Ends a connection; if a recording hangs on it, that too. */
static void drop_client_locked(struct client *c)
{
    bool held = c->holds;
    close(c->fd);
    *c = (struct client){.fd = -1};
    if (held && wick_session_running())
        stop_unasked_locked();
}

static int add_client_locked(int fd)
{
    struct client *best = NULL;
    for (int i = 0; i < MAX_CLIENTS; i++) {
        struct client *c = &ctl.clients[i];
        if (c->fd < 0) {
            best = c;
            break;
        }
        if (!c->holds && (!best || c->heard_ns < best->heard_ns))
            best = c;
    }
    if (!best)
        return -WICK_E_LIMIT;
    if (best->fd >= 0)
        drop_client_locked(best);
    *best = (struct client){.fd = fd, .heard_ns = wick_clock_mono_ns()};
    return 0;
}

static bool send_reply(int fd, struct reply *r)
{
    char head[16];
    int n = snprintf(head, sizeof head, "%d\n", r->code);
    size_t text = strlen(r->text);
    memmove(r->text + n, r->text, text < sizeof r->text - 16 ? text : sizeof r->text - 16);
    if (text > sizeof r->text - 16)
        text = sizeof r->text - 16;
    memcpy(r->text, head, (size_t)n);
    int rc = wick_sock_send(fd, r->text, text + (size_t)n, &r->fd, r->fd >= 0, MSG_DONTWAIT);
    if (r->fd >= 0)
        close(r->fd);
    r->fd = -1;
    return !rc;
}

static void sort_fds(const struct wick_sock_request *req, const int *list, struct fds *f)
{
    for (int i = 0; req->fds[i]; i++) {
        if (req->fds[i] == 'b')
            f->broker = list[i];
        else
            f->out = list[i];
        f->taken |= req->fds[i] == 't';
    }
}

/* Carries out one packet. False: hang up. */
static bool serve_packet_locked(struct client *c, const char *packet, size_t len, const int *list, int n)
{
    struct wick_sock_request req;
    struct fds f = {.out = -1, .broker = -1};
    struct reply *r = malloc(sizeof *r);
    bool was_running = wick_session_running(), ok = false;
    if (!r || wick_sock_parse_request(packet, len, n, &req)) {
        for (int i = 0; i < n; i++)
            close(list[i]);
        free(r);
        return false;
    }
    sort_fds(&req, list, &f);
    run_command_locked(req.command, req.command_len, &f, r);
    close_fds(&f);
    if (req.hold && !was_running && r->code == 0 && wick_session_running())
        c->holds = true;
    ok = send_reply(c->fd, r);
    free(r);
    return ok;
}

static void serve_client(struct client *c)
{
    char packet[WICK_SOCK_REQUEST_MAX];
    int list[WICK_SOCK_FDS], n = 0;
    ssize_t len = wick_sock_recv(c->fd, packet, sizeof packet, list, WICK_SOCK_FDS, &n, MSG_DONTWAIT);
    if (len == -WICK_E_TIMEOUT)
        return;
    c->heard_ns = wick_clock_mono_ns();
    if (len <= 0 || !serve_packet_locked(c, packet, (size_t)len, list, n))
        drop_client_locked(c);
}

/* True for our own user and for root. In a user namespace every uid without a number there is shown as the overflow uid
 * (65534): a JVM that runs under that number cannot distinguish its own user from strangers, so it accepts root
 * only. */
static bool may_command(int fd)
{
    struct ucred who;
    if (wick_sock_peer(fd, &who))
        return false;
    return who.uid == 0 || (who.uid == geteuid() && !wick_sock_uid_is_ambiguous(who.uid));
}

static void accept_client_locked(uint64_t now)
{
    int fd = accept4(ctl.listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0 && may_command(fd) && !add_client_locked(fd))
        return;
    if (fd >= 0)
        close(fd);
    /* Strangers, no descriptors left (EMFILE keeps the socket readable), or every place holds a recording. */
    ctl.pause_until = now + PAUSE_NS;
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/* Time to the next thing that happens without a message, in milliseconds; -1 = nothing is due. */
static int next_due_locked(uint64_t now)
{
    uint64_t due = ctl.stop_at ? ctl.stop_at : UINT64_MAX;
    if (ctl.lap_at && ctl.lap_at < due)
        due = ctl.lap_at;
    if (ctl.pause_until > now && ctl.pause_until < due)
        due = ctl.pause_until;
    for (int i = 0; i < MAX_CLIENTS; i++) {
        const struct client *c = &ctl.clients[i];
        if (c->fd >= 0 && !c->holds && c->heard_ns + IDLE_NS < due)
            due = c->heard_ns + IDLE_NS;
    }
    if (due == UINT64_MAX)
        return -1;
    uint64_t ms = due > now ? (due - now) / 1000000 + 1 : 0;
    return ms > 3600000 ? 3600000 : (int)ms;
}

static void expire_locked(uint64_t now)
{
    if (ctl.stop_at && now >= ctl.stop_at) {
        ctl.stop_at = 0;
        if (wick_session_running())
            stop_unasked_locked();
    }
    if (ctl.lap_at && now >= ctl.lap_at)
        next_lap_locked();
    for (int i = 0; i < MAX_CLIENTS; i++) {
        struct client *c = &ctl.clients[i];
        if (c->fd >= 0 && !c->holds && now >= c->heard_ns + IDLE_NS)
            drop_client_locked(c);
    }
}

/* Sets out what to wait for: wake, listen, then the clients in their places. */
static int prepare_poll_locked(struct pollfd *p, uint64_t now)
{
    p[0] = (struct pollfd){.fd = ctl.wake_fd, .events = POLLIN};
    p[1] = (struct pollfd){.fd = now < ctl.pause_until ? -1 : ctl.listen_fd, .events = POLLIN};
    for (int i = 0; i < MAX_CLIENTS; i++)
        p[2 + i] = (struct pollfd){.fd = ctl.clients[i].fd, .events = POLLIN};
    return next_due_locked(now);
}

static void handle_events_locked(const struct pollfd *p)
{
    uint64_t count, now = wick_clock_mono_ns();
    if (p[0].revents && read(ctl.wake_fd, &count, sizeof count) < 0)
        return;
    for (int i = 0; i < MAX_CLIENTS; i++)
        if (p[2 + i].fd >= 0 && p[2 + i].revents && ctl.clients[i].fd == p[2 + i].fd)
            serve_client(&ctl.clients[i]);
    if (p[1].revents)
        accept_client_locked(now);
    expire_locked(now);
}

static void *control_thread(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&ctl.lock);
    while (!ctl.retired) {
        struct pollfd p[2 + MAX_CLIENTS];
        int ms = prepare_poll_locked(p, wick_clock_mono_ns());
        pthread_mutex_unlock(&ctl.lock);
        int n = poll(p, 2 + MAX_CLIENTS, ms);
        pthread_mutex_lock(&ctl.lock);
        if (n >= 0)
            handle_events_locked(p);
    }
    close(ctl.listen_fd);
    ctl.listen_fd = -1;
    for (int i = 0; i < MAX_CLIENTS; i++)
        if (ctl.clients[i].fd >= 0)
            drop_client_locked(&ctl.clients[i]);
    ctl.started = false; /* a later load of this very build starts it again */
    pthread_mutex_unlock(&ctl.lock);
    return NULL;
}

static int spawn_thread(void)
{
    pthread_t thread;
    pthread_attr_t attr;
    sigset_t all, old;
    if (pthread_attr_init(&attr))
        return -WICK_E_NOMEM;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    /* The new thread inherits the mask: not even its first instruction can take one of the application's signals. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int rc = pthread_create(&thread, &attr, control_thread, NULL);
    if (!rc)
        pthread_setname_np(thread, "wick-control");
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return rc ? -WICK_E_LIMIT : 0;
}

static int start_listening_locked(struct wick_err *err)
{
    char name[WICK_SOCK_NAME_MAX];
    ctl.pid = getpid();
    ctl.retired = false;
    ctl.listen_fd = wick_sock_listen(ctl.pid, name);
    if (ctl.listen_fd < 0)
        return wick_err_set(err, WICK_E_IO, "cannot open the control socket: %s", strerror(errno));
    if (ctl.wake_fd < 0)
        ctl.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (ctl.wake_fd >= 0 && !spawn_thread()) {
        ctl.started = true;
        return 0;
    }
    close(ctl.listen_fd);
    ctl.listen_fd = -1;
    return wick_err_set(err, WICK_E_LIMIT,
                        "cannot start the control thread: the process is out of threads or descriptors");
}

int wick_control_start(const struct wick_err *init, struct wick_err *err)
{
    int rc = 0;
    pthread_mutex_lock(&ctl.lock);
    if (!ctl.started) {
        for (int i = 0; i < MAX_CLIENTS; i++)
            ctl.clients[i].fd = -1;
        ctl.init = *init;
        rc = start_listening_locked(err);
    }
    pthread_mutex_unlock(&ctl.lock);
    return rc;
}

/* --- called from the JVM's threads -------------------------------------------------------------------------------- */

static void wake(void)
{
    uint64_t one = 1;
    if (write(ctl.wake_fd, &one, sizeof one) < 0)
        return; /* the counter is full: it is awake already */
}

int wick_control_run(const char *options, size_t len, struct wick_err *err)
{
    struct reply *r = len ? malloc(sizeof *r) : NULL;
    struct fds f = {.out = -1, .broker = -1, .own = true};
    if (!len)
        return 0;
    if (!r)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    pthread_mutex_lock(&ctl.lock);
    run_command_locked(options, len, &f, r);
    pthread_mutex_unlock(&ctl.lock);
    wake(); /* a timeout may have been set */
    close_fds(&f);
    if (r->fd >= 0)
        close(r->fd);
    int rc = r->code ? wick_err_set(err, (enum wick_code)r->code, "%.900s", r->text) : 0;
    if (!rc && err)
        memcpy(err->msg, r->notes, sizeof err->msg);
    free(r);
    return rc;
}

bool wick_control_has_offer(int fd, unsigned long long dev, unsigned long long ino)
{
    struct stat st;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return !fstat(fd, &st) && S_ISSOCK(st.st_mode) && st.st_dev == dev && st.st_ino == ino && may_command(fd) &&
           poll(&p, 1, 0) == 1;
}

int wick_control_adopt(int fd, struct wick_err *err)
{
    char packet[WICK_SOCK_REQUEST_MAX];
    int list[WICK_SOCK_FDS], n = 0;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    ssize_t len = wick_sock_recv(fd, packet, sizeof packet, list, WICK_SOCK_FDS, &n, MSG_DONTWAIT);
    if (len <= 0) { /* a JVM before us has taken the request */
        close(fd);
        return 0;
    }
    pthread_mutex_lock(&ctl.lock);
    int rc = add_client_locked(fd);
    for (int i = 0; !rc && i < MAX_CLIENTS; i++)
        if (ctl.clients[i].fd == fd && !serve_packet_locked(&ctl.clients[i], packet, (size_t)len, list, n))
            drop_client_locked(&ctl.clients[i]);
    pthread_mutex_unlock(&ctl.lock);
    wake();
    return rc ? wick_err_set(err, WICK_E_LIMIT, "too many control connections") : 0;
}

void wick_control_vm_ready(void)
{
    pthread_mutex_lock(&ctl.lock);
    wick_session_vm_ready();
    ctl.vm_is_up = true;
    if (wick_session_running())
        start_time_locked();
    pthread_mutex_unlock(&ctl.lock);
    wake();
}

void wick_control_shutdown(void)
{
    pthread_mutex_lock(&ctl.lock);
    bool nameless = ctl.own.open && !*ctl.own.file && ctl.out_fd >= 0;
    if (wick_session_running())
        stop_unasked_locked();
    else
        finish_locked(NULL);
    if (nameless)
        dprintf(STDERR_FILENO, "wick: the recording had no file and ends with the JVM: give file=NAME to keep it\n");
    pthread_mutex_unlock(&ctl.lock);
}
