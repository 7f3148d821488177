/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic.h"
#include "sys/whole.h"

enum { GRACE_POLLS = 150 }; /* of 20 ms */

static void become(char *const *argv, const struct wick_serve_child_files *f, pid_t parent)
{
    sigset_t none;
    int null = open("/dev/null", O_RDWR);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setpgid(0, 0); /* Ctrl-C in the terminal is for wick ui, which asks once */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    int in = f->in < 0 ? null : f->in, out = f->out < 0 ? null : f->out;
    if (getppid() != parent || null < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(f->said, 2) < 0)
        _exit(1);
    syscall(SYS_close_range, 3u, ~0u, 0u);
    execv("/proc/self/exe", argv);
    _exit(1);
}

pid_t wick_serve_child_start(char *const *argv, const struct wick_serve_child_files *files)
{
    pid_t parent = getpid(), child = fork();
    if (!child)
        become(argv, files, parent);
    return child;
}

void wick_serve_child_await(pid_t child)
{
    siginfo_t info;
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) && errno == EINTR)
        ;
}

/* What follows the last `word` of what it wrote, to the end of its line; `or_all`: or all of it. */
static void last_after(int said, const char *word, bool or_all, char *out, size_t cap)
{
    char text[2048];
    struct stat st = {0};
    fstat(said, &st);
    off_t from = st.st_size > (off_t)sizeof text - 1 ? st.st_size - (off_t)sizeof text + 1 : 0;
    ssize_t n = wick_whole_pread(said, text, sizeof text - 1, from);
    text[n > 0 ? n : 0] = 0;
    const char *at = or_all ? text : "";
    for (const char *next = text; (next = strstr(next, word));)
        at = next += strlen(word);
    snprintf(out, cap, "%.*s", (int)cap - 1, at);
    out[strcspn(out, "\n")] = 0;
}

void wick_serve_child_warned(int said, char *out, size_t cap)
{
    last_after(said, "wick: warning: ", false, out, cap);
}

void wick_serve_child_said(int said, int status, char *out, size_t cap)
{
    last_after(said, "wick: ", true, out, cap);
    if (WIFSIGNALED(status))
        snprintf(out, cap, "the command was killed by signal %d%s", WTERMSIG(status),
                 WTERMSIG(status) == SIGKILL ? ": perhaps there was no memory left for it" : "");
    else if (!*out)
        snprintf(out, cap, "the command ended with status %d", WEXITSTATUS(status));
}

int wick_serve_child_failure(int status, const char *why, struct wick_err *err)
{
    int exit = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    enum wick_code code = WICK_E_IO;
    for (int i = 1; i < WICK_E_COUNT; i++)
        if (exit > 1 && wick_err_exit(i) == exit) {
            code = (enum wick_code)i;
            break;
        }
    return wick_err_set(err, code, "%s", why);
}

static _Atomic bool ending;

void wick_serve_child_end(void)
{
    wick_store_relaxed(&ending, true);
}

/* Waits until it has ended, but not much longer than wick ui lives: a JVM may take an hour to write its heap. What is
 * left cleans up behind itself. */
static bool await_or_leave(pid_t child)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    for (int left = GRACE_POLLS; left > 0; left -= wick_load_relaxed(&ending)) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT | WNOHANG) || info.si_pid == child)
            return true;
        if (wick_load_relaxed(&ending) && left == GRACE_POLLS)
            kill(child, SIGTERM);
        nanosleep(&pause, NULL);
    }
    return false;
}

int wick_serve_child_run(char *const *argv, int in, int out, struct wick_err *err)
{
    char why[512];
    int status = 1 << 8, said = memfd_create("wick-said", MFD_CLOEXEC);
    if (said < 0)
        return wick_err_set(err, WICK_E_IO, "cannot make a file in memory: %s", strerror(errno));
    const struct wick_serve_child_files files = {in, out, said};
    pid_t child = wick_serve_child_start(argv, &files);
    bool ended = child <= 0 || await_or_leave(child);
    if (child > 0 && ended)
        waitpid(child, &status, 0);
    if (!ended) {
        close(said);
        return wick_err_set(err, WICK_E_STATE, "wick ui was ended before `wick %s` was", argv[1]);
    }
    wick_serve_child_said(said, status, why, sizeof why);
    close(said);
    return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : wick_serve_child_failure(status, why, err);
}
