/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick ui [options] [PID|NAME|FILE|FOLDER...]
 *
 * Serves the browser application until it is interrupted (serve/serve.h). An operand that exists as a file or looks
 * like a path is one; another is a JVM, which is recorded from now on.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/command.h"
#include "sys/end_signals.h"
#include "cli/jvm/target.h"
#include "cli/record/look.h"
#include "cli/ui.h"
#include "cli/ui/ui_assets.h"
#include "cli/ui/ui_followed.h"
#include "cli/ui/ui_front.h"
#include "cli/ui/ui_views.h"
#include "serve/child.h"
#include "serve/recordings.h"
#include "sys/tcp_peer.h"

struct ui {
    uint16_t port;
    const char *folder, *lib;
    bool no_open;
    struct wick_sources sources; /* the server's, once there is one */
    char dir[PATH_MAX];
    struct wick_serve_recorder recorder;
    struct wick_serve *serve;
    struct wick_http *http;
};

static const char usage[] =
    "Usage: wick ui [OPTION...] [PID|NAME|FILE|FOLDER...]\n"
    "\n"
    "Shows recordings and heap dumps in the browser, and records JVMs there, live. Prints an address that opens it;\n"
    "the token in the address gives access, to processes of this user and of root. Runs until it is interrupted;\n"
    "recordings that were started in the browser end with it. docs/ui.md describes its HTTP interface.\n"
    "\n";

/* -1 = go on, otherwise the exit status. */
static int parse(struct ui *u, int argc, char **argv)
{
    struct wick_err err = {0};
    uint32_t port;
    int opt;
    wick_args_start(WICK_ARGS_UI);
    while ((opt = wick_args_next(argc, argv)) != WICK_ARG_END) {
        switch (opt) {
        case WICK_ARG_UI_PORT:
            if (!wick_ui_rows(optarg, &port) || port > UINT16_MAX)
                return wick_ui_bad_option("ui", "--port takes a number from 0 to 65535", optarg);
            u->port = (uint16_t)port;
            break;
        case WICK_ARG_UI_FOLDER:
            u->folder = optarg;
            break;
        case WICK_ARG_UI_SOURCE:
            if (wick_sources_add(&u->sources, optarg, &err))
                return wick_ui_fail(&err);
            break;
        case WICK_ARG_UI_LIB:
            u->lib = optarg;
            break;
        case WICK_ARG_NO_OPEN:
            u->no_open = true;
            break;
        case WICK_ARG_HELP:
            fputs(usage, stdout);
            wick_args_help(WICK_ARGS_UI, stdout);
            return 0;
        default:
            return wick_ui_bad_option("ui", NULL, NULL);
        }
    }
    return -1;
}

/* --- what the server borrows --- */

static int start(void *ctx, const struct wick_ask *body, char **path, int *pid, unsigned *number, struct wick_err *err)
{
    return wick_serve_record(&((struct ui *)ctx)->recorder, body, path, pid, number, err);
}

static int stop(void *ctx, unsigned number, struct wick_err *err)
{
    return wick_serve_record_stop(&((struct ui *)ctx)->recorder, number, err);
}

static int change(void *ctx, unsigned number, const struct wick_ask *body, struct wick_err *err)
{
    return wick_serve_record_change(&((struct ui *)ctx)->recorder, number, body, err);
}

static int mark(void *ctx, unsigned number, const char *text, struct wick_err *err)
{
    return wick_serve_record_mark(&((struct ui *)ctx)->recorder, number, text, err);
}

static bool runs(void *ctx, unsigned number, char *why, size_t cap)
{
    return wick_serve_record_runs(&((struct ui *)ctx)->recorder, number, why, cap);
}

/* --- the browser --- */

static void open_browser(const char *address)
{
    pid_t pid = fork();
    if (pid > 0)
        waitpid(pid, NULL, 0);
    if (pid)
        return;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (fork() == 0) {
        setsid();
        execlp("xdg-open", "xdg-open", address, (char *)NULL);
    }
    _exit(0);
}

/* Where the kernel does not say whose a connection is, the address must not become a program's argument, which every
 * user of the host can read: it would be all that is needed. */
static bool wants_browser(const struct ui *u)
{
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return !u->no_open && isatty(STDOUT_FILENO) && ((x && *x) || (wayland && *wayland)) &&
           wick_tcp_peer_is_known(u->port);
}

/* --- files that are cut while they are read --- */

static size_t page_bytes;

/* Recordings are mapped, and the owner of a file may truncate it. Instead of what was cut off the reader finds zeros,
 * and reports damage. */
static void on_bus(int number, siginfo_t *why, void *context)
{
    void *page = (void *)((uintptr_t)why->si_addr & ~(uintptr_t)(page_bytes - 1));
    (void)context;
    if (why->si_code != BUS_ADRERR ||
        mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        signal(number, SIG_DFL);
}

static void survive_truncation(void)
{
    const struct sigaction a = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    sigaction(SIGBUS, &a, NULL);
}

/* --- from start to end --- */

static int choose_folder(struct ui *u, struct wick_err *err)
{
    if (!realpath(u->folder ? u->folder : ".", u->dir))
        return wick_err_set(err, errno == ENOENT ? WICK_E_NOTFOUND : WICK_E_PERM, "cannot use %s for recordings: %s",
                            u->folder ? u->folder : "the current directory", strerror(errno));
    if (access(u->dir, W_OK | X_OK) && u->folder)
        return wick_err_set(err, WICK_E_PERM, "recordings cannot be written to %s: %s; name another folder with --dir",
                            u->dir, strerror(errno));
    if (strchr(u->dir, '%'))
        return wick_err_set(err, WICK_E_USAGE,
                            "the name of the folder %s has a percent sign, which stands for other "
                            "things in names of recordings; name another one with --dir",
                            u->dir);
    return 0;
}

/* A JVM named at the start is recorded, as by a request. */
static int record_operand(struct ui *u, const char *word, struct wick_err *err)
{
    struct wick_proc p;
    char number[16], *path = NULL;
    unsigned handle;
    int pid, rc = wick_target_open(word, &p, NULL, err);
    if (rc)
        return rc;
    snprintf(number, sizeof number, "%d", (int)p.pid);
    wick_proc_close(&p);
    struct wick_ask body = {.pair = {{"pid", number}, {"events", "cpu"}, {"events", "wall"}}, .npairs = 3};
    rc = wick_serve_record(&u->recorder, &body, &path, &pid, &handle, err);
    if (!rc && !wick_catalog_add_own(&u->serve->catalog, path, pid, handle, err))
        rc = -err->code;
    free(path);
    return rc;
}

static int take_operands(struct ui *u, char **words, int n, struct wick_err *err)
{
    int rc = 0;
    for (int i = 0; !rc && i < n; i++)
        rc = wick_look_is_jvm(words + i, 1) ? record_operand(u, words[i], err)
                                            : wick_catalog_name(&u->serve->catalog, words[i], err);
    return rc;
}

static void announce(const struct ui *u)
{
    char address[128];
    snprintf(address, sizeof address, "http://127.0.0.1:%u/?token=%s", u->port, u->serve->guard.token);
    printf("%s\n", address);
    fflush(stdout);
    wick_ui_note("wick: open this address in a browser; recordings made there go to %s; Ctrl-C ends it", u->dir);
    if (wants_browser(u))
        open_browser(address);
}

static int serve(struct ui *u, char **words, int n, const sigset_t *ends, struct wick_err *err)
{
    const struct wick_serve_front front = {.ctx = u,
                                           .jvms = wick_ui_front_jvms,
                                           .start = start,
                                           .stop = stop,
                                           .change = change,
                                           .mark = mark,
                                           .runs = runs,
                                           .copy_kept = wick_ui_front_copy_kept,
                                           .write_kept = wick_ui_front_write_kept,
                                           .view = wick_ui_front_view,
                                           .heap = wick_ui_heap_of_jvm,
                                           .table = wick_ui_front_table,
                                           .changes = wick_ui_front_changes,
                                           .assets = wick_ui_assets};
    u->serve = wick_serve_new(&front);
    if (!u->serve)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    u->serve->sources = u->sources;
    int rc = take_operands(u, words, n, err), last;
    rc = rc ? rc : wick_guard_init(&u->serve->guard, u->port, err);
    const struct wick_http_handler handler = {wick_serve_answer, u->serve};
    /* The guard must know the port before anybody is answered. */
    rc = rc ? rc : wick_http_start(&u->http, &u->serve->guard.port, &handler, err);
    if (rc)
        return rc;
    u->port = u->serve->guard.port;
    announce(u);
    sigwait(ends, &last);
    sigset_t again;
    sigemptyset(&again);
    sigaddset(&again, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &again, NULL); /* a second Ctrl-C does not wait for recordings to end */
    wick_serve_recorder_end(&u->recorder);
    wick_serve_child_end();
    wick_serve_end(u->serve);
    return 0;
}

int wick_cmd_ui(int argc, char **argv)
{
    struct ui *u = calloc(1, sizeof *u);
    struct wick_err err = {0};
    sigset_t ends = wick_end_signals();
    int status = u ? parse(u, argc, argv) : wick_ui_fail(&(struct wick_err){.code = WICK_E_NOMEM});
    if (status >= 0) {
        free(u);
        return status;
    }
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* in all threads that follow */
    signal(SIGPIPE, SIG_IGN);
    survive_truncation();
    wick_serve_recorder_init(&u->recorder, u->dir, u->lib);
    int rc = choose_folder(u, &err);
    rc = rc ? rc : serve(u, argv + optind, argc - optind, &ends, &err);
    wick_http_stop(u->http);
    wick_serve_recorder_release(&u->recorder);
    wick_serve_free(u->serve);
    wick_ui_followed_forget();
    free(u);
    return rc ? wick_ui_fail(&err) : 0;
}
