/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recordings.c - one thread and one child for each recording
 *
 * A recording's thread starts `wick record`, waits for its end and takes its status; it is the only one to wait. A
 * child's number may be another process's as soon as it has been waited for. So the thread first awaits the end
 * without taking the status, then takes it under the lock and sets `ended` before it leaves that; signals are sent
 * under the same lock, and only to what has not ended.
 *
 * A request to record is answered when the file has something in it, or when the child has ended, with what that wrote
 * last: its standard error is a file in memory. That is polled every 20 ms, for a minute at most. A request to end
 * sends one SIGTERM, never a second one, which would have the child not wait for the JVM.
 *
 * The command line is made of options from a list; other words are refused, and values cannot become options, since
 * each is written behind its own `--name=`. Of the name only that of a file in the folder is taken. At most 8 run at
 * once.
 */
#include "serve/recordings.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/catalog.h"
#include "serve/child.h"
#include "sys/end_signals.h"

enum { ARGUMENTS = 2 * WICK_ASK_PARAMETERS + 16, START_S = 60, STOP_S = 150 };

/* A command line. */
struct arguments {
    char *word[ARGUMENTS + 1]; /* malloc'ed */
    unsigned n;
};

struct wick_serve_recording {
    struct wick_serve_recorder *r;
    pthread_t thread;
    char *path;
    struct arguments command;
    int said; /* a file in memory: its standard error */
    int pid;  /* of the JVM */
    /* With the lock: */
    pid_t child; /* 0 = not yet */
    bool asked;  /* to end: with a second signal it would not wait for the JVM */
    bool ended, joined;
    int status;    /* of waitpid */
    char why[512]; /* once it has ended: what it said last if it failed, or warned of */
};

void wick_serve_recorder_init(struct wick_serve_recorder *r, const char *dir, const char *lib)
{
    pthread_condattr_t attr;
    *r = (struct wick_serve_recorder){.dir = dir, .lib = lib};
    pthread_mutex_init(&r->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&r->ended, &attr);
    pthread_condattr_destroy(&attr);
}

static void free_arguments(struct arguments *a)
{
    for (unsigned i = 0; i < a->n; i++)
        free(a->word[i]);
}

static void free_recording(struct wick_serve_recording *x)
{
    free_arguments(&x->command);
    free(x->path);
    if (x->said >= 0)
        close(x->said);
    free(x);
}

/* With the lock. */
static void ask_to_end(struct wick_serve_recording *x)
{
    if (!x->ended && !x->asked && x->child > 0)
        x->asked = !kill(x->child, SIGTERM);
}

static void *attend(void *recording)
{
    struct wick_serve_recording *x = recording;
    const struct wick_serve_child_files files = {-1, -1, x->said};
    pid_t child = wick_serve_child_start(x->command.word, &files);
    int status = 1 << 8;
    pthread_mutex_lock(&x->r->lock);
    x->child = child;
    if (x->r->ending) /* the others have been asked */
        ask_to_end(x);
    pthread_mutex_unlock(&x->r->lock);
    if (child > 0)
        wick_serve_child_await(child);
    /* The number is the child's until it is waited for: until then nobody else is sent its signals. */
    pthread_mutex_lock(&x->r->lock);
    if (child > 0)
        waitpid(child, &status, 0);
    x->status = status;
    if (status)
        wick_serve_child_said(x->said, status, x->why, sizeof x->why);
    else
        wick_serve_child_warned(x->said, x->why, sizeof x->why);
    close(x->said);
    x->said = -1;
    x->ended = true;
    pthread_cond_broadcast(&x->r->ended);
    pthread_mutex_unlock(&x->r->lock);
    return NULL;
}

/* --- its command line --- */

/* Options of `wick record` that choose what is recorded; none names a file. */
static const char *const chosen[] = {"wall",        "alloc",      "alloc-rate",      "lock",     "live",
                                     "nativemem",   "nativelock", "filter",          "duration", "wall-threads",
                                     "jstackdepth", "ttsp",       "all-user",        "memlimit", "threads",
                                     "ring",        "nobatch",    "memory-interval", "lock-rate"};

static bool is_chosen(const char *key)
{
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (!strcmp(chosen[i], key))
            return true;
    return false;
}

static void add_argument(struct arguments *a, const char *before, const char *text)
{
    if (a->n < ARGUMENTS && asprintf(&a->word[a->n], "%s%s", before, text) >= 0)
        a->n++;
    a->word[a->n] = NULL;
}

/* The events of a list with commas; false if one is no word. */
static bool join_events(const struct wick_ask *body, char *out, size_t cap)
{
    size_t len = 0;
    *out = 0;
    for (uint32_t i = 0; i < body->npairs; i++) {
        const char *word = body->pair[i].value;
        if (strcmp(body->pair[i].key, "events") != 0)
            continue;
        if (!*word || *word == '-' || len + strlen(word) + 2 > cap)
            return false;
        len += (size_t)snprintf(out + len, cap - len, "%s%s", len ? "," : "", word);
    }
    return true;
}

/* lasts: it is one that sets how long the recording takes. */
static int add_options(struct arguments *a, const struct wick_ask *body, bool *lasts, struct wick_err *err)
{
    static const char *const taken[] = {"pid", "events", "interval", "name"};
    char events[256], option[64];
    *lasts = false;
    if (!join_events(body, events, sizeof events))
        return wick_err_set(err, WICK_E_USAGE, "events takes a list of words: cpu, wall, alloc and others");
    if (*events)
        add_argument(a, "--event=", events);
    if (wick_ask_get(body, "interval"))
        add_argument(a, "--interval=", wick_ask_get(body, "interval"));
    for (uint32_t i = 0; i < body->npairs; i++) {
        const struct wick_ask_pair *p = &body->pair[i];
        bool known = is_chosen(p->key);
        for (size_t k = 0; !known && k < sizeof taken / sizeof *taken; k++)
            if (!strcmp(taken[k], p->key))
                known = true;
        if (!known)
            return wick_err_set(err, WICK_E_USAGE, "a recording that is started here does not take the option '%.40s'",
                                p->key);
        if (!is_chosen(p->key))
            continue;
        *lasts |= !strcmp(p->key, "duration");
        snprintf(option, sizeof option, "--%s%s", p->key, *p->value ? "=" : "");
        add_argument(a, option, p->value);
    }
    return 0;
}

/* The name that was asked for, or one of the JVM and the time; one that is not there yet. */
static int choose_path(const struct wick_serve_recorder *r, const char *name, const char *pid, char **path,
                       struct wick_err *err)
{
    char stamp[32];
    struct tm tm;
    time_t now = time(NULL);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
    if (name && !wick_catalog_takes_name(name))
        return wick_err_set(err, WICK_E_USAGE,
                            "a name is that of a file, without folder, percent sign or dot before it");
    size_t len = name ? strlen(name) : 0;
    const char *end = len > 4 && !strcmp(name + len - 4, ".jfr") ? "" : ".jfr";
    int n =
        name ? asprintf(path, "%s/%s%s", r->dir, name, end) : asprintf(path, "%s/wick-%s-%s.jfr", r->dir, pid, stamp);
    if (n < 0) {
        *path = NULL;
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    if (faccessat(AT_FDCWD, *path, F_OK, AT_SYMLINK_NOFOLLOW))
        return 0;
    return wick_err_set(err, WICK_E_STATE, "%s exists already; choose another name", *path);
}

static int make_command(struct wick_serve_recorder *r, struct wick_serve_recording *x, const struct wick_ask *body,
                        struct wick_err *err)
{
    int64_t pid;
    bool lasts;
    int rc = wick_ask_number(body, "pid", 1, INT32_MAX, 0, &pid, err);
    if (!rc && !pid)
        rc = wick_err_set(err, WICK_E_USAGE, "pid is missing: the process to record");
    x->pid = (int)pid;
    rc = rc ? rc : choose_path(r, wick_ask_get(body, "name"), wick_ask_get(body, "pid"), &x->path, err);
    if (rc)
        return rc;
    add_argument(&x->command, "", "wick");
    add_argument(&x->command, "", "record");
    if (r->lib)
        add_argument(&x->command, "--lib=", r->lib);
    add_argument(&x->command, "--file=", x->path);
    rc = add_options(&x->command, body, &lasts, err);
    if (!lasts)
        add_argument(&x->command, "--duration=", "31536000s"); /* until it is stopped */
    add_argument(&x->command, "", wick_ask_get(body, "pid"));
    x->said = memfd_create("wick-record", MFD_CLOEXEC);
    if (!rc && x->said < 0)
        rc = wick_err_set(err, WICK_E_IO, "cannot make a file in memory: %s", strerror(errno));
    return rc;
}

/* --- start and end --- */

/* Among the others: its number. */
static int enter(struct wick_serve_recorder *r, struct wick_serve_recording *x, unsigned *number, struct wick_err *err)
{
    unsigned running = 0;
    int rc = 0;
    pthread_mutex_lock(&r->lock);
    for (unsigned i = 0; i < r->n; i++) {
        struct wick_serve_recording *o = r->recordings[i];
        running += !o->ended;
        if (!o->ended && !strcmp(o->path, x->path)) /* its file may not be there yet */
            rc = wick_err_set(err, WICK_E_STATE, "%s is being recorded already; choose another name", x->path);
        if (o->ended && !o->joined)
            o->joined = !pthread_join(o->thread, NULL);
    }
    struct wick_serve_recording **bigger = NULL;
    if (rc)
        ; /* has been said */
    else if (r->ending)
        rc = wick_err_set(err, WICK_E_STATE, "wick ui is being ended");
    else if (running >= WICK_SERVE_RECORDINGS)
        rc = wick_err_set(err, WICK_E_LIMIT, "%u recordings are running already", running);
    else if (!(bigger = reallocarray(r->recordings, r->n + 1, sizeof(struct wick_serve_recording *))))
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (bigger) {
        r->recordings = bigger;
        if (pthread_create(&x->thread, NULL, attend, x))
            rc = wick_err_set(err, WICK_E_LIMIT, "no more threads can be started");
        else
            r->recordings[r->n++] = x;
        *number = r->n;
    }
    pthread_mutex_unlock(&r->lock);
    return rc;
}

/* Whether wick ui is being ended. Before it answers requests nobody takes the signals yet: then one is pending. */
static bool is_ending(struct wick_serve_recorder *r)
{
    pthread_mutex_lock(&r->lock);
    bool ending = r->ending;
    pthread_mutex_unlock(&r->lock);
    return ending || wick_end_signals_pending();
}

static bool has_warned(struct wick_serve_recorder *r, const struct wick_serve_recording *x, char *why, size_t cap)
{
    pthread_mutex_lock(&r->lock);
    *why = 0;
    if (!x->ended)
        wick_serve_child_warned(x->said, why, cap);
    pthread_mutex_unlock(&r->lock);
    return *why != 0;
}

/* Waits until the file has something in it. -WICK_E_NOSPACE as soon as it is known that nothing can be written. */
static int await_start(struct wick_serve_recorder *r, struct wick_serve_recording *x, struct wick_err *err)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    uint64_t until = wick_clock_mono_ns() + START_S * UINT64_C(1000000000);
    for (;;) {
        struct stat st;
        char why[256];
        pthread_mutex_lock(&r->lock);
        bool ended = x->ended;
        pthread_mutex_unlock(&r->lock);
        if (ended)
            return wick_serve_child_failure(x->status, x->why, err);
        if (!stat(x->path, &st) && st.st_size > 0)
            return 0;
        if (has_warned(r, x, why, sizeof why))
            return wick_err_set(err, WICK_E_NOSPACE, "nothing can be written to %s: %.*s", r->dir,
                                (int)strcspn(why, ":"), why);
        if (is_ending(r))
            return wick_err_set(err, WICK_E_STATE, "wick ui was ended before the recording of process %d began",
                                x->pid);
        if (wick_clock_mono_ns() > until)
            return wick_err_set(err, WICK_E_TIMEOUT, "process %d did not start recording within %d s", x->pid, START_S);
        nanosleep(&pause, NULL);
    }
}

/* Asks a recording to end and waits for that. */
static bool end_recording(struct wick_serve_recorder *r, struct wick_serve_recording *x)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += STOP_S;
    pthread_mutex_lock(&r->lock);
    ask_to_end(x);
    int rc = 0;
    while (!x->ended && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&r->ended, &r->lock, &until);
    bool ended = x->ended;
    pthread_mutex_unlock(&r->lock);
    return ended;
}

int wick_serve_record(struct wick_serve_recorder *r, const struct wick_ask *body, char **path, int *pid,
                      unsigned *number, struct wick_err *err)
{
    struct wick_serve_recording *x = calloc(1, sizeof *x);
    if (!x)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    x->r = r;
    x->said = -1;
    int rc = make_command(r, x, body, err);
    rc = rc ? rc : enter(r, x, number, err);
    if (rc) {
        free_recording(x);
        return rc;
    }
    rc = await_start(r, x, err);
    if (rc == -WICK_E_TIMEOUT || rc == -WICK_E_NOSPACE)
        end_recording(r, x);
    char *copy = rc ? NULL : strdup(x->path);
    if (!rc && !copy)
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    *path = copy;
    *pid = x->pid;
    return rc;
}

static struct wick_serve_recording *recording_of(struct wick_serve_recorder *r, unsigned number)
{
    pthread_mutex_lock(&r->lock);
    struct wick_serve_recording *x = number && number <= r->n ? r->recordings[number - 1] : NULL;
    pthread_mutex_unlock(&r->lock);
    return x;
}

int wick_serve_record_stop(struct wick_serve_recorder *r, unsigned number, struct wick_err *err)
{
    struct wick_serve_recording *x = recording_of(r, number);
    if (!x || !wick_serve_record_runs(r, number, NULL, 0))
        return wick_err_set(err, WICK_E_STATE, "the recording has ended already");
    if (!end_recording(r, x))
        return wick_err_set(err, WICK_E_TIMEOUT, "process %d does not answer; its recording is in %s as far as it got",
                            x->pid, x->path);
    return WIFEXITED(x->status) && !WEXITSTATUS(x->status) ? 0 : wick_serve_child_failure(x->status, x->why, err);
}

/* Runs `wick COMMAND ... PID [TEXT]` for a recording that goes on. */
static int run_command(struct wick_serve_recorder *r, unsigned number, struct arguments *a, const char *text,
                       struct wick_err *err)
{
    char pid[16];
    struct wick_serve_recording *x = recording_of(r, number);
    if (!x || !wick_serve_record_runs(r, number, NULL, 0))
        return wick_err_set(err, WICK_E_STATE, "the recording has ended already");
    snprintf(pid, sizeof pid, "%d", x->pid);
    add_argument(a, "--attach-timeout=", "20s"); /* wick ui may be ended in this time, and waits for its requests */
    add_argument(a, "", "--");
    add_argument(a, "", pid);
    if (text)
        add_argument(a, "", text);
    return a->n < ARGUMENTS ? wick_serve_child_run(a->word, -1, -1, err)
                            : wick_err_set(err, WICK_E_USAGE, "too many options");
}

int wick_serve_record_change(struct wick_serve_recorder *r, unsigned number, const struct wick_ask *body,
                             struct wick_err *err)
{
    struct arguments a = {0};
    bool lasts;
    add_argument(&a, "", "wick");
    add_argument(&a, "", "change");
    int rc = add_options(&a, body, &lasts, err);
    rc = rc ? rc : run_command(r, number, &a, NULL, err);
    free_arguments(&a);
    return rc;
}

int wick_serve_record_mark(struct wick_serve_recorder *r, unsigned number, const char *text, struct wick_err *err)
{
    struct arguments a = {0};
    add_argument(&a, "", "wick");
    add_argument(&a, "", "mark");
    int rc = run_command(r, number, &a, text, err);
    free_arguments(&a);
    return rc;
}

bool wick_serve_record_runs(struct wick_serve_recorder *r, unsigned number, char *why, size_t cap)
{
    struct wick_serve_recording *x = recording_of(r, number);
    if (!x)
        return false;
    pthread_mutex_lock(&r->lock);
    bool runs = !x->ended;
    if (runs && cap)
        wick_serve_child_warned(x->said, why, cap);
    else if (cap)
        snprintf(why, cap, "%s", x->why);
    pthread_mutex_unlock(&r->lock);
    return runs;
}

void wick_serve_recorder_end(struct wick_serve_recorder *r)
{
    pthread_mutex_lock(&r->lock);
    r->ending = true;
    for (unsigned i = 0; i < r->n; i++)
        ask_to_end(r->recordings[i]);
    pthread_mutex_unlock(&r->lock);
}

void wick_serve_recorder_release(struct wick_serve_recorder *r)
{
    wick_serve_recorder_end(r); /* all are asked before any is waited for */
    for (unsigned i = 0; i < r->n; i++) {
        struct wick_serve_recording *x = r->recordings[i];
        if (!end_recording(r, x))
            continue; /* its thread still waits, and is this process's last */
        if (!x->joined)
            pthread_join(x->thread, NULL);
        free_recording(x);
    }
    free(r->recordings);
    pthread_cond_destroy(&r->ended);
    pthread_mutex_destroy(&r->lock);
}
