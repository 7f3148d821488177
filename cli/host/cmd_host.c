/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_host.c - `wick host`: records everything that runs on this machine (ebpf/host_recorder.h)
 *
 * `wick host explain` keeps the recording and hands it to the command that explains recordings, so both say the same.
 *
 * A build without the host mode also has the command, which then says what to install.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/findings.h"
#include "cli/host/sender.h"
#include "cli/host/host_top.h"
#include "cli/host/machine_totals.h"
#include "cli/input/convert.h"
#include "cli/record/out_file.h"
#include "cli/ui.h"
#include "ebpf/host_check.h"
#include "ebpf/host_recorder.h"
#include "opt/host_events.h"

#define SHORTEST_NS 100000u
#define LONGEST_NS  10000000000u

#define SHORTEST_PERIOD_NS UINT64_C(1000000000)
#define LONGEST_PERIOD_NS  UINT64_C(3600000000000)
#define LEAST_SPOOL        (UINT64_C(1) << 20)

#define EXPLAIN_DURATION "10"
#define EXPLAIN_EVENTS   "cpu,sched"

struct host_cmd {
    const char *duration, *interval, *file, *event, *by; /* NULL = not given */
    const char *otlp, *period, *spool, *spool_size;      /* the collector's address, and what goes with it */
    enum { TO_RECORD, TO_EXPLAIN, TO_SHOW, TO_EXAMINE } what;
    bool json, endless;
    uint64_t duration_ns, period_ns, spool_bytes;
    struct wick_opt_host_events events;
};

static void usage(FILE *f)
{
    fputs(
        "Usage: wick host [OPTION...]\n"
        "       wick host explain [OPTION...]\n"
        "       wick host top [--by LABEL] [OPTION...]\n"
        "       wick host --otlp URL [OPTION...]\n"
        "       wick host doctor [--json]\n"
        "\n"
        "Records CPU time of everything that runs on this machine, with -e sched the time off the CPU, with -e alloc\n"
        "what all JVMs allocate, and with -e sched:sched_process_exec,page-faults and the like tracepoints, calls of\n"
        "functions and events of perf: kernel, native code and Java, of all processes, without an agent in any of\n"
        "them. Needs Linux 5.17 (-e sched: 6.1), and root or CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE and\n"
        "CAP_CHECKPOINT_RESTORE.\n"
        "Samples carry the labels process and, where there is one, container and cgroup: --by process, --process "
        "REGEX;\n"
        "with -e sched also ran-instead, woken-by, waited-for, waited-for-state and, of a wait for a lock that says\n"
        "whose it is, lock-owner: wick top -e wall --by lock-owner.\n"
        "wick host explain records CPU time and time off the CPU for 10 s, keeps the recording and says what wick\n"
        "explain says of it: who waits for a CPU and who has it, containers stopped at their CPU limits, what waits\n"
        "for disks and for memory.\n"
        "wick host top shows each second who uses the CPUs and who waits for them; q or Ctrl-C ends it.\n"
        "wick host --otlp sends what it records to an OpenTelemetry collector, without end.\n"
        "wick host doctor tries what works on this machine, and says how to enable the rest.\n"
        "\n",
        f);
    wick_args_help(WICK_ARGS_HOST, f);
}

#define LABELS "process, service, container, pod, unit or cgroup"

static bool is_label(const char *word)
{
    static const char *const labels[] = {"process", "service", "container", "pod", "unit", "cgroup"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (!strcmp(word, labels[i]))
            return true;
    return false;
}

/* What to do, and what is not given. 0 to go on; else what the command ends with, plus 1. */
static int parse_word(struct host_cmd *c, char **words, int n)
{
    const char *word = n ? words[0] : "";
    c->what = !strcmp(word, "doctor")    ? TO_EXAMINE
              : !strcmp(word, "explain") ? TO_EXPLAIN
              : !strcmp(word, "top")     ? TO_SHOW
                                         : TO_RECORD;
    bool explains = c->what == TO_EXPLAIN;
    int known = c->what != TO_RECORD;
    if (n > known)
        return 1 +
               wick_ui_bad_option("host", "it records all processes; choose one when showing: --process", words[known]);
    const char *unused = c->duration ? c->duration : c->event ? c->event : c->interval ? c->interval : c->file;
    if (c->what == TO_EXAMINE && unused)
        return 1 + wick_ui_bad_option("host", "wick host doctor records nothing: it takes --json alone", unused);
    if (c->json && c->what != TO_EXPLAIN && c->what != TO_EXAMINE)
        return 1 + wick_ui_bad_option("host", "it is for wick host explain and wick host doctor", "--json");
    if (c->by && (c->what != TO_SHOW || !is_label(c->by)))
        return 1 + wick_ui_bad_option("host", "--by is for wick host top, and takes " LABELS, c->by);
    if (c->file && c->what == TO_SHOW)
        return 1 + wick_ui_bad_option("host", "wick host top keeps no recording: no --file", c->file);
    c->by = c->by ? c->by : "process";
    c->interval = c->interval ? c->interval : wick_args_default(WICK_ARG_HOST_INTERVAL);
    c->endless = !c->duration && (c->what == TO_SHOW || c->otlp);
    if (!c->duration)
        c->duration = explains ? EXPLAIN_DURATION : wick_args_default(WICK_ARG_HOST_DURATION);
    if (!c->event)
        c->event = explains || c->what == TO_SHOW ? EXPLAIN_EVENTS : wick_args_default(WICK_ARG_HOST_EVENT);
    if (!c->file)
        c->file = explains ? "wick-host-%t.jfr" : "wick-host-%t.html";
    return 0;
}

/* What goes with --otlp, before defaults take the place of what is not given. 0, or what the command ends with. */
static int parse_otlp(struct host_cmd *c, const char *word)
{
    struct wick_err err = {0};
    const char *period = c->period ? c->period : wick_args_default(WICK_ARG_HOST_PERIOD);
    const char *size = c->spool_size ? c->spool_size : wick_args_default(WICK_ARG_HOST_SPOOL_SIZE);
    const char *first = c->period ? "--period" : c->spool ? "--spool" : c->spool_size ? "--spool-size" : NULL;
    if (!c->otlp && first)
        wick_err_set(&err, WICK_E_USAGE, "%s goes with --otlp URL", first);
    else if (c->otlp && c->file)
        wick_err_set(&err, WICK_E_USAGE, "--otlp sends what is recorded and writes no file: leave out -f");
    else if (c->otlp && word)
        wick_err_set(&err, WICK_E_USAGE, "--otlp sends what is recorded and does nothing else: leave out '%.100s'",
                     word);
    if (err.code)
        return wick_ui_fail(&err);
    if (wick_opt_time(period, 1000000000, &c->period_ns) || c->period_ns < SHORTEST_PERIOD_NS ||
        c->period_ns > LONGEST_PERIOD_NS)
        return wick_ui_bad_option("host", "--period takes a time from 1s to 1h", period);
    if (wick_opt_size(size, &c->spool_bytes) || c->spool_bytes < LEAST_SPOOL)
        return wick_ui_bad_option("host", "--spool-size takes a size of 1m or more, such as 64m", size);
    return 0;
}

/* 0 to go on; else what the command ends with, plus 1. */
static int parse(int argc, char **argv, struct host_cmd *c)
{
    int opt, status;
    uint64_t interval_ns;
    struct wick_err err = {0};
    wick_args_start(WICK_ARGS_HOST);
    while ((opt = wick_args_next(argc, argv)) != WICK_ARG_END) {
        switch (opt) {
        case WICK_ARG_HOST_DURATION:
            c->duration = optarg;
            break;
        case WICK_ARG_HOST_EVENT:
            c->event = optarg;
            break;
        case WICK_ARG_HOST_INTERVAL:
            c->interval = optarg;
            break;
        case WICK_ARG_HOST_JSON:
            c->json = true;
            break;
        case WICK_ARG_HOST_BY:
            c->by = optarg;
            break;
        case WICK_ARG_HOST_FILE:
            c->file = optarg;
            break;
        case WICK_ARG_HOST_OTLP:
            c->otlp = optarg;
            break;
        case WICK_ARG_HOST_PERIOD:
            c->period = optarg;
            break;
        case WICK_ARG_HOST_SPOOL:
            c->spool = optarg;
            break;
        case WICK_ARG_HOST_SPOOL_SIZE:
            c->spool_size = optarg;
            break;
        default:
            usage(opt == WICK_ARG_HELP ? stdout : stderr);
            return 1 + (opt == WICK_ARG_HELP ? 0 : wick_err_exit(WICK_E_USAGE));
        }
    }
    status = parse_otlp(c, optind < argc ? argv[optind] : NULL);
    if (status)
        return 1 + status;
    status = parse_word(c, argv + optind, argc - optind);
    if (status)
        return status;
    if (wick_opt_time(c->duration, 1000000000, &c->duration_ns) || !c->duration_ns)
        return 1 + wick_ui_bad_option("host", "--duration takes a time such as 30 or 2m", c->duration);
    if (c->endless)
        c->duration_ns = UINT64_MAX;
    if (wick_opt_interval(c->interval, false, &interval_ns) || interval_ns < SHORTEST_NS || interval_ns > LONGEST_NS)
        return 1 + wick_ui_bad_option("host", "--interval takes a time from 100us to 10s", c->interval);
    if (wick_opt_host_events(c->event, interval_ns, &c->events, &err))
        return 1 + wick_ui_fail(&err);
    const struct wick_opt_host_events *e = &c->events;
    if (c->what == TO_SHOW &&
        (e->ncounted || e->io_period || e->stall_ns || e->call_ns || e->socket_ns || e->alloc_bytes))
        return 1 + wick_ui_bad_option("host", "wick host top shows cpu and sched", c->event);
    return 0;
}

#ifdef WICK_HAS_HOST

static int doctor(const struct host_cmd *c)
{
    struct wick_doctor d = {0};
    wick_host_check(&d);
    int status = wick_cli_findings_print(&d, c->json);
    wick_doctor_clear(&d);
    return status;
}

static int top(const struct host_cmd *c, struct wick_err *err)
{
    return wick_host_top(&c->events, c->by, c->duration_ns, err);
}

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    interrupted = signal;
}

static void catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    /* without SA_RESTART: a wait ends; a second signal ends the command, whatever it is busy with */
    const struct sigaction a = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &a, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a limit of the size of files is an error of writing */
}

static int plan_output(const struct host_cmd *c, struct wick_cli_output *out, struct wick_err *err)
{
    struct wick_opts o;
    wick_opt_defaults(&o);
    snprintf(o.s.file, sizeof o.s.file, "%s", c->file);
    int rc = wick_cli_output_plan(&o, NULL, out, err);
    if (!rc && out->sequence)
        return wick_err_set(err, WICK_E_USAGE, "wick host writes one file: %%n is for wick record");
    if (!rc && c->what == TO_EXPLAIN && !wick_cli_output_is_direct(out))
        return wick_err_set(err, WICK_E_USAGE,
                            "wick host explain keeps a recording: --file takes the name of one (.jfr)");
    if (!rc)
        snprintf(out->title, sizeof out->title, "the whole machine");
    return rc;
}

/* Opens the file and the output, which has a descriptor of its own to close. */
static int open_output(struct wick_cli_output *out, struct wick_output *jfr, struct wick_err *err)
{
    int rc = wick_cli_output_open(out, err);
    if (rc)
        return rc;
    int fd = fcntl(out->fd, F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        return wick_err_set(err, WICK_E_LIMIT, "cannot open descriptors: %s", strerror(errno));
    rc = wick_output_init_fd(jfr, fd);
    if (!rc)
        return 0;
    close(fd);
    return wick_err_set(err, (enum wick_code) - rc, "cannot write %s: %s", out->path, wick_err_text(rc));
}

/* Makes the picture, if that was asked for. Without success the recording is kept instead. */
static int conclude(const struct wick_cli_output *out, const struct wick_host_totals *totals, struct wick_err *err)
{
    char in[64], size[32];
    struct stat st;
    bool direct = wick_cli_output_is_direct(out);
    struct wick_view view = {.shape = {.by = {"process"}, .nby = 1}};
    struct wick_convert_opts c = {out->format, out->title, false, &view};
    snprintf(in, sizeof in, "/proc/self/fd/%d", out->fd);
    int rc = totals->error ? wick_err_set(err, WICK_E_IO, "the recording could not be written to the end: %s",
                                          wick_err_text(totals->error))
             : direct      ? 0
                           : wick_convert_jfr(in, out->path, &c, err);
    if (rc && rc != -WICK_E_NOTFOUND && !direct) /* that is: there were no samples */
        wick_cli_output_keep(out, in, err);
    if (rc)
        return rc;
    wick_ui_note("%s: %s (%s)", direct ? "recording" : "profile", out->path,
                 wick_ui_bytes(stat(out->path, &st) ? 0 : (uint64_t)st.st_size, size, sizeof size));
    return 0;
}

/* duration_ns: UINT64_MAX = until a signal comes. */
static void wait_until_over(struct wick_host_recorder *r, uint64_t duration_ns)
{
    uint64_t begin_ns = wick_clock_mono_ns(), past, shown = UINT64_MAX;
    bool endless = duration_ns == UINT64_MAX;
    while (!interrupted && (past = wick_clock_mono_ns() - begin_ns) < duration_ns) {
        char time[32];
        if (past / 1000000000 != shown)
            wick_ui_progress("recording the whole machine, %s %s",
                             wick_ui_seconds(endless ? past : duration_ns - past, time, sizeof time),
                             endless ? "so far, Ctrl-C ends it" : "left");
        shown = past / 1000000000;
        wick_host_recorder_round(r);
    }
    wick_ui_progress_end();
}

/* A file, whose places from `first` on stand together, in which a probe is not recorded at some. Returns how many it
 * has. */
static uint32_t print_file(const char *event, const struct wick_host_places *places, uint32_t first)
{
    uint32_t n = 0, failed = 0;
    int error = 0;
    char name[WICK_HOST_PLACE_PATH];
    for (; first + n < places->n && !strcmp(places->of[first + n].path, places->of[first].path); n++) {
        failed += places->of[first + n].error != 0;
        error = error ? error : places->of[first + n].error;
    }
    if (!failed)
        return n;
    wick_host_place_name(&places->of[first], name);
    if (failed == n)
        wick_ui_note("warning: %s of %s is not recorded: the kernel cannot probe it (error %d), other files go on",
                     event, name, error);
    else
        wick_ui_note("warning: %s of %s is recorded at %u of %u places only: the kernel cannot probe the others "
                     "(error %d)",
                     event, name, n - failed, n, error);
    return n;
}

/* Files whose probe is not recorded, or not everywhere. */
static void print_left_out(const struct wick_opt_host_events *e, const struct wick_host_recorder *r)
{
    for (uint32_t i = 0; i < e->ncounted; i++) {
        const struct wick_host_places *places = &wick_host_recorder_probe(r, i)->places;
        for (uint32_t k = 0; k < places->n;)
            k += print_file(e->counted[i].name, places, k);
    }
}

/* `path` becomes that of what was made. */
static int record(const struct host_cmd *c, struct wick_strbuf *path, struct wick_err *err)
{
    struct wick_cli_output out = {.fd = -1, .dir = -1};
    struct wick_host_recorder *recorder = NULL;
    struct wick_host_totals totals = {0};
    struct wick_output jfr;
    bool opened = false;
    int rc = plan_output(c, &out, err);
    if (rc)
        return rc;
    catch_signals();
    /* an earlier recording of that name must not be lost to one that cannot be made */
    rc = wick_host_recorder_open(&recorder, &c->events, err);
    if (!rc) {
        rc = open_output(&out, &jfr, err);
        opened = !rc;
    }
    rc = rc ? rc : wick_host_recorder_write_to(recorder, &jfr, 0, err);
    if (!rc) {
        print_left_out(&c->events, recorder);
        wait_until_over(recorder, c->duration_ns);
        wick_host_recorder_close(recorder, &totals);
        rc = conclude(&out, &totals, err);
        wick_machine_totals_print(&c->events, &totals);
    } else {
        wick_host_recorder_close(recorder, NULL);
    }
    wick_strbuf_adds(path, out.path);
    if (opened)
        wick_output_release(&jfr);
    wick_cli_output_close(&out);
    return rc;
}

static void print_sent(const struct wick_push_totals *t, const char *url, const char *spool)
{
    char size[32];
    wick_ui_note("sent: %" PRIu64 " messages (%s) to %s", t->sent, wick_ui_bytes(t->sent_bytes, size, sizeof size),
                 url);
    if (t->refused)
        wick_ui_note("lost: %" PRIu64 " messages: the collector refused them", t->refused);
    if (t->dropped)
        wick_ui_note("lost: %" PRIu64 " messages (%s): there was no room for them in %s (--spool-size)", t->dropped,
                     wick_ui_bytes(t->dropped_bytes, size, sizeof size), spool);
    if (t->broken)
        wick_ui_note("lost: %" PRIu64 " messages: they could not be kept in %s", t->broken, spool);
    if (t->waiting)
        wick_ui_note("%" PRIu64 " messages (%s) wait in %s: the next `wick host --otlp` sends them", t->waiting,
                     wick_ui_bytes(t->waiting_bytes, size, sizeof size), spool);
}

/* Records, and sends each period to a collector. */
static int send_on(const struct host_cmd *c, struct wick_err *err)
{
    char url[2048], spool[4096];
    struct wick_sender *push = NULL;
    struct wick_host_recorder *recorder = NULL;
    struct wick_host_totals totals = {0};
    struct wick_push_totals sent = {0};
    struct wick_output jfr;
    catch_signals();
    int rc = wick_host_recorder_open(&recorder, &c->events, err);
    rc = rc ? rc : wick_sender_open(&push, c->otlp, c->spool, c->spool_bytes, &jfr, err);
    if (rc) {
        wick_host_recorder_close(recorder, NULL);
        return rc;
    }
    snprintf(url, sizeof url, "%s", wick_sender_url(push));
    snprintf(spool, sizeof spool, "%s", wick_sender_spool(push));
    rc = wick_host_recorder_write_to(recorder, &jfr, c->period_ns, err);
    if (!rc) {
        print_left_out(&c->events, recorder);
        wait_until_over(recorder, c->duration_ns);
    }
    wick_host_recorder_close(recorder, rc ? NULL : &totals);
    wick_sender_close(push, &sent);
    wick_output_release(&jfr);
    if (rc)
        return rc;
    wick_machine_totals_print(&c->events, &totals);
    print_sent(&sent, url, spool);
    if (totals.error)
        return wick_err_set(err, WICK_E_IO, "the recording could not be written to the end: %s",
                            wick_err_text(totals.error));
    bool none = !sent.sent && (sent.waiting || sent.refused || sent.dropped || sent.broken);
    return none ? wick_err_set(err, WICK_E_IO, "nothing was sent: %s took no message", url) : 0;
}

#else

static int doctor(const struct host_cmd *c)
{
    struct wick_doctor d = {0};
    wick_doctor_add(&d, WICK_DOCTOR_FAIL, "build", "as Debian's packages: clang and libbpf-dev; then build wick again",
                    "this wick was built without the host mode");
    int status = wick_cli_findings_print(&d, c->json);
    wick_doctor_clear(&d);
    return status;
}

static int missing(struct wick_err *err)
{
    return wick_err_set(err, WICK_E_UNSUPPORTED,
                        "this wick was built without the host mode: install clang and libbpf (Debian: apt-get install "
                        "clang libbpf-dev) and build it again. Without it, `wick record --perf -a` records the whole "
                        "machine through perf");
}

static int record(const struct host_cmd *c, struct wick_strbuf *path, struct wick_err *err)
{
    return missing(err);
}

static int top(const struct host_cmd *c, struct wick_err *err)
{
    return missing(err);
}

static int send_on(const struct host_cmd *c, struct wick_err *err)
{
    return missing(err);
}

#endif

/* What `wick explain FILE` says. Returns the command's exit status. */
static int explain(const struct host_cmd *c, char *path)
{
    char name[] = "explain", json[] = "--json", end[] = "--";
    char *argv[5] = {name};
    int n = 1;
    if (c->json)
        argv[n++] = json;
    argv[n++] = end;
    argv[n++] = path;
    return wick_cmd_explain(n, argv);
}

int wick_cmd_host(int argc, char **argv)
{
    struct wick_err err = {0};
    struct host_cmd c = {0};
    struct wick_strbuf path = WICK_STRBUF_INIT;
    int status = parse(argc, argv, &c);
    if (status)
        return status - 1;
    if (c.what == TO_EXAMINE)
        return doctor(&c);
    if (c.what == TO_SHOW)
        return top(&c, &err) ? wick_ui_fail(&err) : 0;
    if (c.otlp)
        return send_on(&c, &err) ? wick_ui_fail(&err) : 0;
    if (record(&c, &path, &err))
        status = wick_ui_fail(&err);
    else if (c.what == TO_EXPLAIN)
        status = path.failed ? wick_err_exit(WICK_E_NOMEM) : explain(&c, path.buf);
    wick_strbuf_release(&path);
    return status;
}
