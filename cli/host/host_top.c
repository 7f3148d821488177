/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_top.c - see host_top.h
 *
 * The recording is an ordinary one, in memory: what the recorder has flushed, about once a second, is read by the
 * reader that follows recordings which grow (jfr/reader/reader.h), and the pages of chunks that were read are given
 * back. A flush is known by its totals, which come last: what came since the one before is an
 * interval. When names and stacks have come to fill the memory for them, recording starts anew.
 *
 * On a terminal the view takes the other screen, and keys are read as they are pressed. All signals that end or stop
 * the command are caught, so that the terminal is restored first.
 */
#include "cli/host/host_top.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "analysis/usage.h"
#include "base/clock.h"
#include "base/strbuf.h"
#include "cli/ui.h"
#include "ebpf/host_recorder.h"
#include "jfr/reader/reader.h"
#include "model/name.h"
#include "record/output.h"

#define OTHER_SCREEN "\033[?1049h\033[?25l"
#define OWN_SCREEN   "\033[?25h\033[?1049l"
#define RECORDING    (UINT64_C(8) << 20)
#define READ         (UINT64_C(256) << 20)

enum { PLAIN_ROWS = 20, HEAD_ROWS = 3, NAME_WIDTH = 28, RIVAL_WIDTH = 28, FIXED_COLUMNS = 18 };

struct top {
    const char *by;
    bool screen; /* it is a terminal's */
    bool keys;   /* q is read */
    bool ended;  /* by the user */
    struct termios before;
    uint64_t until_ns;
    /* of one recording */
    struct wick_host_recorder *recorder;
    struct wick_output jfr;
    struct wick_profile p;
    struct wick_usage usage;
    struct wick_jfr_visitor visitor;
    struct wick_jfr_reader *reader;
    struct wick_err *err; /* of reading */
    int rc, fd;           /* fd: the recording, for reading */
    uint64_t taken;       /* bytes of complete chunks */
    int64_t last_ns;      /* end of the interval before, 0 = none */
    int64_t first_ns;     /* of the first one, before which nothing counts */
};

/* --- signals and keys --- */

static volatile sig_atomic_t ending, stopping;

static void end(int signal)
{
    ending = signal;
}

static void stop(int signal)
{
    stopping = signal;
}

static void catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2};
    const struct sigaction ends = {.sa_handler = end}, stops = {.sa_handler = stop}; /* a wait ends: no SA_RESTART */
    ending = stopping = 0;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &ends, NULL);
    sigaction(SIGTSTP, &stops, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a limit of the size of files is an error of writing */
}

static void take_terminal(struct top *t)
{
    struct termios raw;
    t->screen = isatty(STDOUT_FILENO);
    t->keys = t->screen && isatty(STDIN_FILENO) && !tcgetattr(STDIN_FILENO, &t->before);
    if (t->keys) {
        raw = t->before;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        raw.c_cc[VMIN] = 0;
        raw.c_cc[VTIME] = 0;
        t->keys = !tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    if (t->screen)
        fputs(OTHER_SCREEN, stdout);
    fflush(stdout);
}

static void give_terminal_back(const struct top *t)
{
    if (t->screen)
        fputs(OWN_SCREEN, stdout);
    fflush(stdout);
    if (t->keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &t->before);
}

/* As the shell expects of a job that is stopped. */
static void sleep_until_continued(struct top *t)
{
    stopping = 0;
    give_terminal_back(t);
    raise(SIGSTOP);
    take_terminal(t);
}

static void read_keys(struct top *t)
{
    char key;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    while (t->keys && poll(&in, 1, 0) > 0) {
        ssize_t n = read(STDIN_FILENO, &key, 1);
        if (n <= 0)
            break;
        t->ended |= key == 'q' || key == 'Q';
    }
}

/* --- showing --- */

static void line_end(const struct top *t)
{
    fputs(t->screen ? "\033[K\n" : "\n", stdout);
}

static void show_name(const struct top *t, uint32_t string, const char *none, int width)
{
    char name[256];
    snprintf(name, sizeof name, "%.*s", width - 1, string ? wick_profile_str(&t->p, string) : none);
    wick_ui_column(stdout, name, width);
}

static void show_row(const struct top *t, const struct wick_usage_row *r, double interval_ns)
{
    struct wick_strbuf frame = WICK_STRBUF_INIT;
    printf("%7.1f  %7.1f  ", (double)r->cpu_ns * 100 / interval_ns, (double)r->waiting_ns * 100 / interval_ns);
    show_name(t, r->value, "[none]", NAME_WIDTH);
    show_name(t, r->rival, "-", RIVAL_WIDTH);
    if (r->frame)
        wick_name_add_frame(&frame, &t->p, r->frame, 0);
    else
        wick_strbuf_adds(&frame, "-");
    if (!frame.failed)
        wick_ui_last_column(stdout, FIXED_COLUMNS + NAME_WIDTH + RIVAL_WIDTH, frame.buf, frame.len);
    wick_strbuf_release(&frame);
    line_end(t);
}

/* Rows that fit. */
static size_t room(const struct top *t)
{
    struct winsize w;
    if (!t->screen || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_row)
        return PLAIN_ROWS;
    return w.ws_row > HEAD_ROWS + 1 ? (size_t)w.ws_row - HEAD_ROWS - 1 : 1;
}

static void show(struct top *t, int64_t now_ns, int64_t interval_ns)
{
    const struct wick_usage_row *rows;
    size_t n = wick_usage_rows(&t->usage, &rows), most = room(t);
    int64_t used = 0, waiting = 0;
    time_t now = (time_t)(now_ns / 1000000000);
    struct tm tm = {0};
    char clock[16] = "";
    for (size_t i = 0; i < n; i++) {
        used += rows[i].cpu_ns;
        waiting += rows[i].waiting_ns;
    }
    strftime(clock, sizeof clock, "%H:%M:%S", localtime_r(&now, &tm));
    fputs(t->screen ? "\033[H" : "", stdout);
    printf("%s  %ld CPUs: %.0f %% used; %.1f threads waited for one; the last %.1f s%s", clock,
           sysconf(_SC_NPROCESSORS_ONLN), (double)used * 100 / (double)interval_ns,
           (double)waiting / (double)interval_ns, (double)interval_ns / 1e9, t->keys ? "; q ends" : "");
    line_end(t);
    printf("%7s  %7s  %-*s%-*s%s", "CPU %", "wait %", NAME_WIDTH, t->by, RIVAL_WIDTH, "ran instead", "top function");
    line_end(t);
    for (size_t i = 0; i < n && i < most; i++)
        show_row(t, &rows[i], (double)interval_ns);
    if (t->usage.left_out)
        printf("%llu samples more had no room", (unsigned long long)t->usage.left_out);
    t->usage.left_out = 0;
    fputs(t->screen ? "\033[J" : "\n", stdout);
    fflush(stdout);
}

/* --- reading --- */

static void take_sample(void *ctx, const struct wick_sample *s)
{
    struct top *t = ctx;
    if (t->first_ns && s->time_ns >= t->first_ns)
        wick_usage_add(&t->usage, s);
}

static bool want(void *ctx, const char *type)
{
    (void)ctx;
    return !strcmp(type, "wick.SampleTotals");
}

static void take_totals(void *ctx, const struct wick_jfr_event *e)
{
    struct top *t = ctx;
    uint32_t type;
    if (!wick_jfr_event_text(e, "type", &type) || strcmp(wick_profile_str(&t->p, type), "cpu") != 0)
        return;
    if (t->last_ns && e->time_ns > t->last_ns)
        show(t, e->time_ns, e->time_ns - t->last_ns);
    t->first_ns = t->first_ns ? t->first_ns : e->time_ns;
    t->last_ns = e->time_ns;
}

static void follow(struct top *t)
{
    if (!t->rc)
        t->rc = wick_jfr_reader_follow(t->reader, t->fd, t->err);
}

/* A chunk is complete. The reader leaves it only when the next one begins, so it is the one before whose pages are
 * given back. */
static int take_chunk(void *arg, uint64_t end)
{
    struct top *t = arg;
    follow(t);
    if (t->rc || (t->taken && fallocate(t->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)t->taken)))
        return -1;
    t->taken = end;
    return 0;
}

/* --- the course of it --- */

static int begin(struct top *t, const struct wick_opt_host_events *events, struct wick_err *err)
{
    static struct wick_jfr_result ignored;
    int rc = wick_host_recorder_open(&t->recorder, events, err);
    if (rc)
        return rc;
    t->jfr = (struct wick_output){.fd = -1, .dirfd = -1};
    t->fd = memfd_create("wick-host-top", MFD_CLOEXEC);
    int fd = t->fd < 0 ? -1 : fcntl(t->fd, F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        return wick_err_set(err, WICK_E_LIMIT, "cannot open descriptors: %s", strerror(errno));
    if (wick_output_init_taken(&t->jfr, fd, take_chunk, t, RECORDING, 0)) {
        close(fd);
        return wick_err_set(err, WICK_E_IO, "cannot record into memory");
    }
    if (wick_profile_init(&t->p))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    t->p.by_labels = t->p.by_state = true;
    t->p.by_thread = false;
    wick_usage_init(&t->usage, &t->p, t->by);
    t->visitor = (struct wick_jfr_visitor){.ctx = t, .sample = take_sample, .want = want, .event = take_totals};
    t->reader = wick_jfr_reader_new(&t->p, &t->visitor, &ignored);
    if (!t->reader)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    return wick_host_recorder_write_to(t->recorder, &t->jfr, 0, err);
}

static void finish(struct top *t)
{
    wick_host_recorder_close(t->recorder, NULL);
    wick_jfr_reader_free(t->reader);
    wick_usage_release(&t->usage);
    wick_profile_release(&t->p);
    if (t->fd >= 0) {
        wick_output_release(&t->jfr);
        close(t->fd);
    }
    t->recorder = NULL;
    t->reader = NULL;
    t->fd = -1;
}

static bool goes_on(const struct top *t)
{
    return !t->rc && !t->ended && !ending && wick_clock_mono_ns() < t->until_ns && !ferror(stdout);
}

static int run(struct top *t, const struct wick_opt_host_events *events, struct wick_err *err)
{
    t->last_ns = t->first_ns = 0;
    t->taken = 0;
    t->err = err;
    t->rc = begin(t, events, err);
    while (goes_on(t) && wick_profile_bytes(&t->p) < READ) {
        wick_host_recorder_round(t->recorder);
        follow(t);
        read_keys(t);
        if (stopping)
            sleep_until_continued(t);
    }
    finish(t);
    return t->rc;
}

int wick_host_top(const struct wick_opt_host_events *events, const char *by, uint64_t duration_ns, struct wick_err *err)
{
    struct top t = {.by = by, .fd = -1, .jfr = {.fd = -1, .dirfd = -1}};
    uint64_t now_ns = wick_clock_mono_ns();
    t.until_ns = duration_ns < UINT64_MAX - now_ns ? now_ns + duration_ns : UINT64_MAX;
    catch_signals();
    take_terminal(&t);
    int rc = 0;
    do
        rc = run(&t, events, err);
    while (!rc && goes_on(&t));
    give_terminal_back(&t);
    return rc;
}
