/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.c - the state of the agent between commands
 *
 * There is one recording at a time, and three things may be left of one that has ended: a duplicate of its descriptor
 * (out_fd), which `stop` hands out; the agent's own file (ownfile.h), which can be copied or resumed; and what it is
 * to be converted into at its end (stop_convert.h). A start checks its options and descriptors before anything of
 * these is given up.
 *
 * Time. timeout and loop are instants that control.c waits for (wick_commands_due) and reports back (_expire). Before
 * the JVM is up a recording that was started waits, and its time begins when it is. At a lap the recording is stopped
 * and the next one started at once, with the options that were asked for, as changed since; the conversion of the
 * finished one is made while that runs. A next one that cannot start is tried again at the next lap.
 */
#include "agent/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/event/buildid.h"
#include "agent/event/deadlocks.h"
#include "agent/jvm/heap_copy.h"
#include "agent/label/virtual_list.h"
#include "agent/ownfile.h"
#include "agent/perf_broker.h"
#include "agent/session.h"
#include "agent/stop_convert.h"
#include "base/clock.h"

#define MIN_LAP_NS 1000000000u

static struct {
    struct wick_err init;
    int out_fd;                     /* duplicate of the recording's file, -1 = none */
    uint64_t stop_at;               /* option timeout, 0 = none */
    struct wick_convert convert;    /* what becomes of the recording at its end */
    struct wick_ownfile own;        /* the recording of the option string, also when it has ended */
    struct wick_session_opts asked; /* how the recording was started, and with option loop each later one */
    uint64_t lap_at;                /* when that starts, 0 = never */
    bool vm_is_up;                  /* before, a recording that was started waits, and time does not run */
    pid_t pid;
} state = {.out_fd = -1, .own = WICK_OWNFILE_INIT};

void wick_commands_init(const struct wick_err *init)
{
    state.init = *init;
    state.pid = getpid();
}

void wick_commands_close(struct wick_command_fds *f)
{
    if (f->out >= 0)
        close(f->out);
    if (f->broker >= 0)
        close(f->broker);
    *f = (struct wick_command_fds){.out = -1, .broker = -1};
}

static void forget_time(void)
{
    state.stop_at = state.lap_at = 0;
    wick_perf_broker_set(-1);
}

static void forget_output(void)
{
    if (state.out_fd >= 0)
        close(state.out_fd);
    state.out_fd = -1;
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
        return wick_err_set(err, WICK_E_USAGE, "the descriptor passed for the recording is not a plain file");
    return 0;
}

/* The agent's own file. */
static int open_own(struct wick_session_opts *o, bool again, int *fd, struct wick_err *err)
{
    if (wick_stop_convert_is_wanted(o->file) && (o->max_size_bytes || o->max_age_ns))
        return wick_err_set(err, WICK_E_USAGE, "max-size and max-age are for jfr files only: name the file .jfr");
    if (o->compat && (o->max_size_bytes || o->max_age_ns))
        return wick_err_set(
            err, WICK_E_USAGE,
            "compat cannot be combined with max-size and max-age: run `wick convert --compat` on the files");
    return wick_ownfile_open(&state.own, o, again, &state.convert, fd, err);
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
static int finish(struct wick_err *err)
{
    struct stat st;
    if (state.convert.file[0] && !stat(state.convert.recording, &st) && !st.st_size)
        wick_stop_convert_cancel(&state.convert);
    return wick_stop_convert_finish(&state.convert, err);
}

/* A file that was to hold the recording that did not start. */
static void drop_own(int own, const struct wick_session_opts *o)
{
    struct stat st;
    if (own < 0)
        return;
    bool empty = !fstat(own, &st) && !st.st_size;
    close(own);
    if (empty && !state.convert.file[0] && *o->file)
        unlinkat(AT_FDCWD, o->file, 0);
    wick_stop_convert_cancel(&state.convert);
    wick_ownfile_forget(&state.own);
}

/* Options timeout and loop, from now on. */
static void start_time(void)
{
    uint64_t now = wick_clock_mono_ns(), lap = 0;
    if (state.asked.timeout_ns)
        state.stop_at = now + state.asked.timeout_ns;
    if (*state.asked.loop && !lap_of(&state.asked, &lap, NULL))
        state.lap_at = now + lap;
}

/* again: what was recorded before stays. */
static int start(struct wick_session_opts *o, bool again, struct wick_command_fds *f, struct wick_err *err)
{
    int rc = 0, copy = -1, own = -1;
    uint64_t lap = 0;
    const struct wick_session_opts asked = *o;
    if (state.init.code) {
        *err = state.init;
        return -state.init.code;
    }
    if (wick_session_running())
        return wick_err_set(err, WICK_E_STATE, "a recording is already running: stop it first with `wick stop`");
    if (f->out < 0 && !*o->file && !f->own)
        return wick_err_set(err, WICK_E_USAGE, "no output: give file=NAME");
    if (*o->loop && (rc = lap_of(o, &lap, err)))
        return rc;
    if (f->out >= 0 && (rc = check_output(f->out, err)))
        return rc;
    finish(NULL); /* of a recording that never began */
    if (f->out < 0 && (rc = open_own(o, again, &own, err)))
        return rc;
    if (f->out >= 0)
        wick_ownfile_forget(&state.own);
    forget_output();
    forget_time();
    if ((f->out >= 0 && !f->taken) || (own >= 0 && !*o->file)) /* what is taken is the command's already */
        rc = (copy = fcntl(f->out >= 0 ? f->out : own, F_DUPFD_CLOEXEC, 3)) >= 0 ? 0 : -WICK_E_LIMIT;
    if (rc) {
        wick_err_set(err, WICK_E_LIMIT, "the recording cannot be kept: the process is out of descriptors");
        drop_own(own, o);
        return rc;
    }
    wick_perf_broker_set(f->broker);
    f->broker = -1;
    rc = own >= 0 && state.own.resumed ? wick_session_resume(o, own, state.own.resumed, err)
         : f->taken                    ? wick_session_start_taken(o, f->out, err)
                                       : wick_session_start(o, own >= 0 ? own : f->out, err);
    if (rc) {
        wick_perf_broker_set(-1);
        drop_own(own, o);
        if (copy >= 0)
            close(copy);
        return rc;
    }
    f->out = -1; /* the session's now */
    state.out_fd = copy;
    state.asked = asked;
    state.stop_at = state.lap_at = 0;
    if (state.vm_is_up)
        start_time();
    return 0;
}

static int stop(struct wick_err *err)
{
    struct wick_err failure = {0};
    int rc = wick_session_stop(err), made = finish(&failure);
    wick_ownfile_ended(&state.own);
    forget_time();
    if (made && !rc && err)
        *err = failure;
    return rc ? rc : made;
}

/* The recording that runs goes on with other options. */
static int change(const struct wick_opts *asked, struct wick_err *err)
{
    int rc = wick_session_change(asked, err);
    state.own.resumed += state.own.open; /* also if it went on as before; an unused number does no harm */
    if (!rc)
        wick_opt_change(&state.asked, asked, &state.asked); /* also of the next lap of option loop */
    if (!wick_session_running()) {
        finish(NULL);
        wick_ownfile_ended(&state.own);
        forget_time();
    }
    return rc;
}

/* A stop that nobody waits for: what became of the file is said on stderr. */
void wick_commands_stop_unasked(void)
{
    struct wick_err err = {0};
    bool converts = state.convert.file[0];
    if (stop(&err) && converts)
        dprintf(STDERR_FILENO, "wick: %s\n", err.msg);
}

/* Option loop: the recording ends and the next one starts. What the first becomes is made while that runs. */
static void next_lap(void)
{
    struct wick_command_fds f = {.out = -1, .broker = -1, .own = true};
    struct wick_err err = {0};
    struct wick_convert done = state.convert;
    struct wick_session_opts o = state.asked;
    uint64_t stop_at = state.stop_at, lap = 0;
    state.convert.file[0] = 0;
    if (wick_session_stop(&err))
        dprintf(STDERR_FILENO, "wick: %s\n", err.msg);
    err = (struct wick_err){0};
    if (start(&o, false, &f, &err)) {
        dprintf(STDERR_FILENO, "wick: the next recording of the loop did not start: %s\n", err.msg);
        if (!lap_of(&state.asked, &lap, NULL))
            state.lap_at = wick_clock_mono_ns() + lap;
    }
    state.stop_at = stop_at;
    if (wick_stop_convert_finish(&done, &err))
        dprintf(STDERR_FILENO, "wick: %s\n", err.msg);
}

/* What was recorded last, for reading; -1 = nothing is kept, or see errno. */
static int ended(void)
{
    return state.out_fd >= 0 ? fcntl(state.out_fd, F_DUPFD_CLOEXEC, 3) : wick_ownfile_recording(&state.own);
}

/* What has been recorded so far, or had been at the end, to a descriptor; -1: to the recording's own file. */
static int dump(int to, struct wick_err *err)
{
    if (wick_session_running())
        return wick_session_dump(to, err);
    int from = ended();
    if (from < 0 && wick_ownfile_is_short(errno))
        return wick_err_set(err, WICK_E_LIMIT, "cannot open the recording: the process is out of descriptors");
    if (from < 0)
        return wick_err_set(err, WICK_E_STATE, "no recording is running in this JVM, and none is kept");
    int rc = to < 0 ? 0 : wick_ownfile_copy_all(from, to, err);
    close(from);
    return rc;
}

/* Option file of `dump` and `stop`. */
static int dump_to_file(const struct wick_session_opts *o, struct wick_err *err)
{
    struct wick_ownfile_copy copy;
    int from = wick_session_running() ? -1 : ended();
    if (!wick_session_running() && from < 0)
        return dump(-1, err);
    if (from >= 0)
        close(from);
    int rc = wick_ownfile_copy_open(&state.own, o->file, o->threads, o->compat, &copy, err);
    return rc ? rc : wick_ownfile_copy_close(&copy, dump(copy.fd, err), err);
}

/* `stop` of the option string, also after the end. */
static int stop_own(const struct wick_session_opts *o, struct wick_err *err)
{
    char file[WICK_OPT_PATH_MAX];
    bool was_running = wick_session_running();
    int rc = was_running || !*o->file ? stop(err) : 0;
    if (rc || !*o->file)
        return rc;
    if (was_running &&
        !wick_opt_expand(o->file, state.pid, (int64_t)time(NULL), state.own.starts - 1, file, sizeof file) &&
        !strcmp(file, state.own.file))
        return 0; /* what the recording was started with: it is made */
    return dump_to_file(o, err);
}

static void version_text(struct wick_command_reply *r)
{
    snprintf(r->text, sizeof r->text, "version=%s\nbuild=%s\npid=%d\nrunning=%d\n", WICK_VERSION, wick_agent_build_id(),
             (int)state.pid, wick_session_running());
}

/* A dump of the heap by a copy of the process. */
static int copy_heap(int fd, struct wick_command_reply *r, struct wick_err *err)
{
    struct wick_heap_copy done;
    struct stat st;
    int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) != O_WRONLY || fstat(fd, &st) || !S_ISFIFO(st.st_mode))
        return wick_err_set(err, WICK_E_USAGE, "a pipe is needed to write the heap to");
    if (state.init.code || !state.vm_is_up)
        return wick_err_set(err, WICK_E_STATE, "the JVM is not up");
    int rc = wick_heap_copy_make(fd, &done, err);
    if (!rc)
        snprintf(r->text, sizeof r->text, "pid=%d\nstopped_ns=%" PRIu64 "\n", (int)done.pid, done.stopped_ns);
    return rc;
}

static int run(enum wick_opt_action action, struct wick_opts *o, struct wick_command_fds *f,
               struct wick_command_reply *r, struct wick_err *err)
{
    int rc = 0;
    switch (action) {
    case WICK_ACTION_START:
    case WICK_ACTION_RESUME:
        return start(&o->s, action == WICK_ACTION_RESUME, f, err);
    case WICK_ACTION_CHANGE:
        return change(o, err);
    case WICK_ACTION_MARK:
        return wick_session_mark(o->s.text, err);
    case WICK_ACTION_STOP:
        if (f->own)
            return stop_own(&o->s, err);
        /* Also after the recording has ended without a command: its file is still needed. */
        rc = wick_session_running() || state.out_fd < 0 ? stop(err) : 0;
        r->fd = state.out_fd;
        state.out_fd = -1;
        return rc;
    case WICK_ACTION_DUMP:
        if (f->own && *o->s.file)
            return dump_to_file(&o->s, err);
        rc = check_output(f->out, err);
        return rc ? rc : dump(f->out, err);
    case WICK_ACTION_VIRTUAL:
        rc = check_output(f->out, err);
        return rc ? rc : wick_virtual_list_write((uint32_t)o->s.virtual_rows, f->out, err);
    case WICK_ACTION_HEAP:
        return copy_heap(f->out, r, err);
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
        forget_output();
        wick_heap_copy_end();
        r->retires = true;
        return 0;
    default:
        return wick_err_set(err, WICK_E_USAGE, "no action given: start, resume, change, mark, stop, dump or status");
    }
}

/* Adds a line. */
static void add_note(void *arg, const char *sentence)
{
    struct wick_err *notes = arg;
    size_t n = strlen(notes->msg);
    snprintf(notes->msg + n, sizeof notes->msg - n, "%s%s", n ? "\n" : "", sentence);
}

/* What the user should know of a recording that runs as these options say. */
static void add_notes(struct wick_err *notes, uint64_t given, const struct wick_convert *c)
{
    char sentence[512];
    wick_session_unused(given, add_note, notes);
    if (!c->file[0] || !c->no_command)
        return;
    snprintf(sentence, sizeof sentence,
             "the command `wick` is not beside libwick.so, so %.200s cannot be made: the recording is in %.200s",
             c->file, c->recording);
    add_note(notes, sentence);
}

void wick_commands_run(const char *command, size_t len, struct wick_command_fds *f, struct wick_command_reply *r)
{
    struct wick_err err = {0}, notes = {0};
    enum wick_opt_action action = WICK_ACTION_NONE;
    struct wick_opts o;
    r->text[0] = r->notes[0] = 0;
    r->fd = -1;
    r->retires = false;
    wick_opt_defaults(&o);
    int rc = wick_opt_parse_agent(command, len, &o, &action, &notes);
    if (rc) {
        err = notes;
        notes.msg[0] = 0;
    } else {
        rc = run(action, &o, f, r, &err);
    }
    r->code = -rc;
    if (rc || (!r->text[0] && err.msg[0]))
        snprintf(r->text, sizeof r->text, "%s", err.msg[0] ? err.msg : wick_err_text(rc));
    bool runs = action == WICK_ACTION_START || action == WICK_ACTION_RESUME || action == WICK_ACTION_CHANGE;
    if (!rc && runs)
        add_notes(&notes, o.given, &state.convert);
    size_t n = strlen(r->text);
    if (o.quiet)
        return;
    if (!rc)
        snprintf(r->notes, sizeof r->notes, "%s", notes.msg);
    if (runs && *notes.msg) /* other answers have a form */
        snprintf(r->text + n, sizeof r->text - n, "%s%s", n ? "\n" : "", notes.msg);
}

uint64_t wick_commands_due(void)
{
    uint64_t due = state.stop_at ? state.stop_at : UINT64_MAX;
    return state.lap_at && state.lap_at < due ? state.lap_at : due;
}

void wick_commands_expire(uint64_t now)
{
    if (state.stop_at && now >= state.stop_at) {
        state.stop_at = 0;
        if (wick_session_running())
            wick_commands_stop_unasked();
    }
    if (state.lap_at && now >= state.lap_at)
        next_lap();
}

void wick_commands_vm_ready(void)
{
    wick_session_vm_ready();
    state.vm_is_up = true;
    if (wick_session_running())
        start_time();
}

void wick_commands_vm_death(void)
{
    bool nameless = state.own.open && !*state.own.file && state.out_fd >= 0;
    if (wick_session_running())
        wick_commands_stop_unasked();
    else
        finish(NULL);
    if (nameless)
        dprintf(STDERR_FILENO, "wick: the recording had no file and ends with the JVM: give file=NAME to keep it\n");
}
