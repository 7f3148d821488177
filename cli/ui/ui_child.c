/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ui/ui_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(char *const *argv, const struct wick_ui_child_files *f, pid_t parent)
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

pid_t wick_ui_child_start(char *const *argv, const struct wick_ui_child_files *files)
{
    pid_t parent = getpid(), child = fork();
    if (!child)
        become(argv, files, parent);
    return child;
}

void wick_ui_child_await(pid_t child)
{
    siginfo_t info;
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) && errno == EINTR)
        ;
}

void wick_ui_child_said(int said, int status, char *out, size_t cap)
{
    char text[2048];
    off_t size = lseek(said, 0, SEEK_END), from = size > (off_t)sizeof text - 1 ? size - (off_t)sizeof text + 1 : 0;
    ssize_t n = pread(said, text, sizeof text - 1, from);
    text[n > 0 ? n : 0] = 0;
    const char *at = text;
    for (const char *next = text; (next = strstr(next, "wick: "));)
        at = next += 6;
    snprintf(out, cap, "%.*s", (int)cap - 1, at);
    out[strcspn(out, "\n")] = 0;
    if (!*out)
        snprintf(out, cap, "the command ended with status %d", WEXITSTATUS(status));
}

int wick_ui_child_failure(int status, const char *why, struct wick_err *err)
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

int wick_ui_child_run(char *const *argv, int in, int out, struct wick_err *err)
{
    char why[512];
    int status = 1 << 8, said = memfd_create("wick-said", MFD_CLOEXEC);
    if (said < 0)
        return wick_err_set(err, WICK_E_IO, "cannot make a file in memory: %s", strerror(errno));
    const struct wick_ui_child_files files = {in, out, said};
    pid_t child = wick_ui_child_start(argv, &files);
    if (child > 0) {
        wick_ui_child_await(child);
        waitpid(child, &status, 0);
    }
    wick_ui_child_said(said, status, why, sizeof why);
    close(said);
    return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : wick_ui_child_failure(status, why, err);
}
