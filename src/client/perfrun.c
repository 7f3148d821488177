/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfrun.c - perf record, and what it cannot know
 *
 * A map says what lies where when it is written, and perf's samples are of any moment before. So maps are written
 * before perf starts and after it ends, and at growing distances between, each compared with the one before
 * (mapfile.h): what went away keeps its name, a JVM that ends during the recording is in the last map written, and what
 * is in doubt is marked.
 */
#include "client/perfrun.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/end_signals.h"
#include "sys/jvmlist.h"
#include "sys/whole.h"

#define FIRST_MAP_NS 2000000000u /* the first map after the one before; each further one after twice as long */
#define TRACEFS      "/sys/kernel/tracing/events"
#define TRACEFS_OLD  "/sys/kernel/debug/tracing/events"

enum { MAX_ARGS = 32 };

struct wick_perfrun_jvm {
    struct wick_proc proc;
    struct wick_mapfile_result map;
    bool was_there, mapped;
};

/* --- maps --- */

static struct wick_perfrun_jvm *jvm_of(struct wick_perfrun *r, pid_t pid)
{
    for (size_t i = 0; i < r->njvms; i++)
        if (r->jvms[i].proc.pid == pid && !wick_proc_gone(&r->jvms[i].proc))
            return &r->jvms[i];
    struct wick_perfrun_jvm *bigger = reallocarray(r->jvms, r->njvms + 1, sizeof *bigger);
    if (!bigger)
        return NULL;
    r->jvms = bigger;
    struct wick_perfrun_jvm *j = &r->jvms[r->njvms];
    *j = (struct wick_perfrun_jvm){.proc = {.pid = pid}};
    if (wick_proc_open(pid, &j->proc, NULL))
        return NULL;
    r->njvms++;
    return j;
}

/* JVMs that are ending or starting are not errors. */
static void map_one(struct wick_perfrun *r, pid_t pid)
{
    struct wick_err err = {0};
    struct wick_perfrun_jvm *j = jvm_of(r, pid);
    struct wick_mapfile_result map;
    if (!j || wick_mapfile_write(&j->proc, &(struct wick_mapfile_opts){.compare = j->mapped}, &map, &err))
        return;
    j->was_there = j->mapped ? j->was_there : map.was_there;
    j->mapped = true;
    j->map = map;
}

static void map_jvms(struct wick_perfrun *r)
{
    struct wick_jvmlist list;
    if (r->pid) {
        map_one(r, r->pid);
        return;
    }
    if (wick_jvmlist_scan(&list, NULL))
        return;
    for (size_t i = 0; i < list.count; i++)
        if (list.jvms[i].readable)
            map_one(r, list.jvms[i].pid);
    wick_jvmlist_free(&list);
}

static void count_maps(struct wick_perfrun *r)
{
    r->maps = (struct wick_perfrun_maps){0};
    for (size_t i = 0; i < r->njvms; i++) {
        const struct wick_mapfile_result *map = &r->jvms[i].map;
        if (!r->jvms[i].mapped)
            continue;
        r->maps.jvms++;
        r->maps.without_frame_pointers += !map->frame_pointers;
        r->maps.symbols += map->symbols;
        r->maps.doubtful += map->stale + map->changed;
    }
}

void wick_perfrun_release(struct wick_perfrun *r)
{
    for (size_t i = 0; i < r->njvms; i++) {
        struct wick_perfrun_jvm *j = &r->jvms[i];
        if (j->mapped && !j->was_there && !r->keep_maps)
            wick_mapfile_remove(&j->proc, &j->map);
        wick_proc_close(&j->proc);
    }
    free(r->jvms);
    r->jvms = NULL;
    r->njvms = 0;
}

/* --- what perf is asked for --- */

static const char *default_events(void)
{
    struct perf_event_attr a = {
        .type = PERF_TYPE_HARDWARE, .size = sizeof a, .config = PERF_COUNT_HW_CPU_CYCLES, .disabled = 1};
    int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return "cpu-clock";
    close(fd);
    return "cycles";
}

/* True if every event of the list is a tracepoint, "sched:sched_switch"; any: at least one is. */
static bool are_tracepoints(const char *events, bool *any)
{
    bool all = true;
    *any = false;
    for (const char *s = events; *s; s += *s == ',') {
        size_t n = strcspn(s, ",");
        const char *colon = memchr(s, ':', n);
        bool one = colon && strspn(colon + 1, "ukhpPHGSDIeW") < (size_t)(s + n - colon - 1);
        all = all && one;
        *any = *any || one;
        s += n;
    }
    return all;
}

/* perf's first arguments; `number` holds one of them. */
static int make_args(const struct wick_perfrun *r, const char **argv, char number[32], struct wick_err *err)
{
    int n = 0;
    bool tracepoints;
    const char *events = r->events ? r->events : default_events();
    bool all = are_tracepoints(events, &tracepoints);
    if (tracepoints && access(TRACEFS, F_OK) && access(TRACEFS_OLD, F_OK))
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "tracepoints need tracefs: as root, mount -t tracefs tracefs /sys/kernel/tracing");
    const char *const first[] = {"perf", "record", "-q", "-g", "-k", "mono", "-o", r->data, "-e", events};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        argv[n++] = first[i];
    argv[n++] = r->interval || all ? "-c" : "-F";
    snprintf(number, 32, "%llu", r->interval ? (unsigned long long)r->interval : all ? 1ull : 99ull);
    argv[n++] = number;
    if (r->all)
        argv[n++] = "-a";
    if (r->all_user)
        argv[n++] = "--all-user";
    argv[n] = NULL;
    return n;
}

/* Words that are made here. */
struct words {
    char pid[16], seconds[32];
};

/* The whole command line. What perf records for is the run of a command, since perf needs its time to begin: the
 * user's, or a sleep. NULL if memory ran out. */
static const char **command_line(const struct wick_perfrun *r, const char **argv, int n, struct words *w)
{
    const char *sleeper[] = {"sleep", w->seconds, NULL};
    const char *const *command = r->command ? (const char *const *)r->command : sleeper;
    int words = 0;
    while (command[words])
        words++;
    const char **all = calloc((size_t)(n + words) + 4, sizeof *all);
    if (!all)
        return NULL;
    memcpy(all, argv, (size_t)n * sizeof *all);
    snprintf(w->seconds, sizeof w->seconds, "%.3f", (double)r->duration_ns / 1e9);
    snprintf(w->pid, sizeof w->pid, "%d", r->pid);
    if (!r->all && r->pid) {
        all[n++] = "-p";
        all[n++] = w->pid;
    }
    all[n++] = "--";
    for (int i = 0; i < words; i++)
        all[n++] = command[i];
    return all;
}

/* In the child: becomes perf. It has a process group of its own, so that a signal from the terminal reaches only us,
 * unless it runs a command, which may use the terminal. */
static void exec_perf(const struct wick_perfrun *r, const char **argv, int n, int words)
{
    struct words made;
    sigset_t none;
    const char **all = command_line(r, argv, n, &made);
    if (!all)
        _exit(125);
    if (!r->command) {
        setpgid(0, 0);
        dup2(words, STDOUT_FILENO);
    }
    dup2(words, STDERR_FILENO);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp("perf", (char *const *)all);
    _exit(errno == ENOENT ? 127 : 126);
}

/* --- perf running --- */

/* What perf said last, in one line. */
static void last_words(int fd, char *out, size_t cap)
{
    char text[4096];
    ssize_t n = wick_whole_text_fd(fd, text, sizeof text);
    size_t len = 0;
    for (ssize_t i = 0; i < n && len + 1 < cap; i++) {
        char c = text[i] < ' ' ? ' ' : text[i];
        if (c != ' ' || (len && out[len - 1] != ' '))
            out[len++] = c;
    }
    while (len && out[len - 1] == ' ')
        len--;
    out[len] = 0;
}

/* Waits until perf has ended or the user interrupts it, and writes maps from time to time. */
static void watch(struct wick_perfrun *r, int child, int signals)
{
    uint64_t start = wick_clock_mono_ns(), pause = FIRST_MAP_NS, map_at = start + pause;
    for (;;) {
        struct pollfd p[] = {{child, POLLIN, 0}, {signals, POLLIN, 0}};
        uint64_t now = wick_clock_mono_ns();
        if (now >= map_at) {
            map_jvms(r);
            pause *= 2;
            map_at = wick_clock_mono_ns() + pause;
            continue;
        }
        uint64_t ms = (map_at - now) / 1000000 + 1;
        if (poll(p, 2, ms < 1000 ? (int)ms : 1000) > 0)
            return;
        if (r->progress && !r->command && now - start < r->duration_ns)
            r->progress(r->duration_ns - (now - start));
    }
}

/* perf ends its file when it is interrupted; asked once more each time that a signal came again. */
static int end_perf(pid_t pid, int child, int signals)
{
    struct signalfd_siginfo info;
    int status = 0;
    struct pollfd done = {child, POLLIN, 0};
    if (poll(&done, 1, 0) == 0)
        kill(pid, SIGINT);
    while (read(signals, &info, sizeof info) == sizeof info)
        ;
    for (;;) {
        struct pollfd p[] = {{child, POLLIN, 0}, {signals, POLLIN, 0}};
        poll(p, 2, -1);
        if (p[0].revents)
            break;
        if (read(signals, &info, sizeof info) == sizeof info)
            kill(pid, SIGTERM);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static int run(struct wick_perfrun *r, const char **argv, int n, int words, int signals, struct wick_err *err)
{
    char said[300];
    pid_t pid = fork();
    if (pid == 0)
        exec_perf(r, argv, n, words);
    int child = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
    if (child < 0) {
        int e = errno;
        if (pid > 0) {
            kill(pid, SIGKILL);
            waitpid(pid, NULL, 0);
        }
        return wick_err_set(err, WICK_E_LIMIT, "cannot run perf: %s", strerror(e));
    }
    watch(r, child, signals);
    int status = end_perf(pid, child, signals);
    close(child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && access(r->data, F_OK))
        return wick_err_set(err, WICK_E_UNSUPPORTED, "perf is not installed (Debian: linux-perf)");
    struct stat st;
    if (stat(r->data, &st) || !st.st_size) {
        last_words(words, said, sizeof said);
        return wick_err_set(err, WICK_E_IO, "perf has recorded nothing: %s", *said ? said : "it does not say why");
    }
    r->status = r->command && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return 0;
}

int wick_perfrun(struct wick_perfrun *r, struct wick_err *err)
{
    const char *argv[MAX_ARGS];
    char number[32];
    int n = make_args(r, argv, number, err);
    if (n < 0)
        return n;
    int words = r->command ? dup(STDERR_FILENO) : memfd_create("perf", MFD_CLOEXEC), signals = wick_end_signals_open();
    int rc =
        words < 0 || signals < 0 ? wick_err_set(err, WICK_E_IO, "cannot open descriptors: %s", strerror(errno)) : 0;
    if (!rc) {
        map_jvms(r);
        rc = run(r, argv, n, words, signals, err);
    }
    if (!rc) {
        map_jvms(r);
        count_maps(r);
    }
    if (words >= 0)
        close(words);
    wick_end_signals_close(signals);
    return rc;
}
