/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command runs in a grandchild, so that the program under study does not notice: the child's exit signal is none,
 * hence neither a SIGCHLD handler nor a wait(-1) of the program sees it. (exec would reset the exit signal to SIGCHLD;
 * so the child does not exec, but starts the command and waits for it.) Both share the JVM's memory until the exec, as
 * vfork's child does: nothing is copied, however large the heap is. The calling thread sleeps until then; child and
 * grandchild have stacks of their own and make system calls only.
 *
 * The command is opened first, then judged, then run by descriptor: a library that lies in a directory like /tmp must
 * not make the JVM run what another user has put there.
 */
#include "agent/stop_convert.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/whole.h"

#define WAIT_NS   60000000000ull
#define PAUSE_NS  5000000
#define MAX_TRIES 1000

/* What the children read and write; the caller sleeps. */
static struct job {
    char *argv[12];
    int command, messages, null; /* descriptors; messages: the command's standard error */
    int status;                  /* as wait4() gives it */
    int error;                   /* errno of the exec, 0 = it ran */
    bool late;
    char child_stack[128 << 10] __attribute__((aligned(64)));
    char command_stack[128 << 10] __attribute__((aligned(64)));
} job;

bool wick_stop_convert_is_wanted(const char *file)
{
    static const char *const extensions[] = {
#define X(format, ...) __VA_ARGS__,
#include "def/format.def"
#undef X
    };
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        size_t n = strlen(extensions[i]);
        if (len > n && name[len - n - 1] == '.' && !strcasecmp(name + len - n, extensions[i]))
            return true;
    }
    return false;
}

/* --- the command -------------------------------------------------------------------------------------------------- */

/* A plain file that can be run and that nobody could have put there who could not change the library as well. */
static bool is_trusted(int fd, const struct stat *library)
{
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !(st.st_mode & 0111) || (st.st_mode & S_IWOTH))
        return false;
    return st.st_uid == 0 || st.st_uid == geteuid() || st.st_uid == library->st_uid;
}

/* Opens the command that belongs to this library; -1 = there is none. */
static int open_command(void)
{
    static const char *const places[] = {"wick", "../bin/wick", "../../bin/wick"};
    Dl_info info;
    struct stat library;
    if (!dladdr((void *)(uintptr_t)wick_stop_convert_is_wanted, &info) || !info.dli_fname ||
        stat(info.dli_fname, &library))
        return -1;
    const char *slash = strrchr(info.dli_fname, '/');
    if (!slash)
        return -1;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char path[WICK_OPT_PATH_MAX];
        int n = snprintf(path, sizeof path, "%.*s%s", (int)(slash + 1 - info.dli_fname), info.dli_fname, places[i]);
        int fd = n < (int)sizeof path ? open(path, O_PATH | O_CLOEXEC) : -1;
        if (fd >= 0 && is_trusted(fd, &library))
            return fd;
        if (fd >= 0)
            close(fd);
    }
    return -1;
}

/* --- the children: system calls only ------------------------------------------------------------------------------ */

/* Descriptors from 3 on end with the exec. (close_range is from Linux 5.9, its flag from 5.11.) */
static void close_at_exec(void)
{
    if (!syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */))
        return;
    for (int fd = 3; fd < 4096; fd++)
        syscall(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
}

static int command_main(void *arg)
{
    struct job *j = arg;
    static char *const no_environment[] = {NULL};
    const uint64_t none = 0;
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        uint64_t mask;
    } by_default = {0};
    syscall(SYS_setsid); /* what a terminal sends to end the JVM does not break off the conversion */
    for (int sig = 1; sig <= 64; sig++)
        syscall(SYS_rt_sigaction, sig, &by_default, NULL, sizeof none); /* exec keeps what is ignored */
    syscall(SYS_dup3, j->null, 0, 0);
    syscall(SYS_dup3, j->null, 1, 0);
    syscall(SYS_dup3, j->messages >= 0 ? j->messages : j->null, 2, 0);
    close_at_exec();
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none);
    syscall(SYS_execveat, j->command, "", j->argv, no_environment, AT_EMPTY_PATH);
    j->error = errno;
    syscall(SYS_exit_group, 127);
    return 0;
}

static int child_main(void *arg)
{
    struct job *j = arg;
    const struct timespec pause = {0, PAUSE_NS};
    uint64_t end = wick_clock_mono_ns() + WAIT_NS;
    int pid = clone(command_main, j->command_stack + sizeof j->command_stack, CLONE_VM | CLONE_VFORK | SIGCHLD, j);
    if (pid < 0) {
        j->error = errno;
        syscall(SYS_exit_group, 1);
    }
    while (!syscall(SYS_wait4, pid, &j->status, WNOHANG, NULL)) {
        if (!j->late && wick_clock_mono_ns() > end) {
            j->late = true;
            syscall(SYS_kill, pid, SIGKILL);
        }
        syscall(SYS_nanosleep, &pause, NULL);
    }
    syscall(SYS_exit_group, 0);
    return 0;
}

/* Runs job.argv. 0 or an errno: it did not run. */
static int run(void)
{
    sigset_t all, old;
    int status;
    sigfillset(&all);
    job.error = job.status = 0;
    job.late = false;
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int pid = clone(child_main, job.child_stack + sizeof job.child_stack, CLONE_VM | CLONE_VFORK, &job);
    int error = pid < 0 ? errno : 0;
    while (pid > 0 && syscall(SYS_wait4, pid, &status, __WCLONE, NULL) < 0 && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error ? error : job.error;
}

/* --- from start to stop ------------------------------------------------------------------------------------------- */

int wick_stop_convert_begin(struct wick_convert *c, const char *file, bool threads, bool compat, struct wick_err *err)
{
    int fd = -1;
    *c = (struct wick_convert){.threads = threads, .compat = compat};
    snprintf(c->recording, sizeof c->recording, "%s.jfr", file);
    /* A recording that is there already may be what a JVM left that was killed. */
    for (int i = 1; i < MAX_TRIES; i++) {
        fd = open(c->recording, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST)
            break;
        snprintf(c->recording, sizeof c->recording, "%s.%d.jfr", file, i);
    }
    if (fd < 0)
        return wick_err_set(err,
                            errno == ENOSPC                     ? WICK_E_NOSPACE
                            : errno == EACCES || errno == EPERM ? WICK_E_PERM
                                                                : WICK_E_IO,
                            "cannot create %.600s: %s", c->recording, strerror(errno));
    snprintf(c->file, sizeof c->file, "%s", file);
    int command = open_command();
    c->no_command = command < 0;
    if (command >= 0)
        close(command);
    return fd;
}

void wick_stop_convert_cancel(struct wick_convert *c)
{
    if (c->file[0])
        unlinkat(AT_FDCWD, c->recording, 0);
    c->file[0] = 0;
}

/* Why the command failed, from the first line that it wrote. */
static void read_reason(char *out, size_t cap)
{
    wick_whole_text_fd(job.messages, out, cap);
    out[strcspn(out, "\n")] = 0;
    if (job.late)
        snprintf(out, cap, "it took more than a minute");
    else if (!*out && WIFSIGNALED(job.status))
        snprintf(out, cap, "signal %d", WTERMSIG(job.status));
    else if (!*out)
        snprintf(out, cap, "status %d", WEXITSTATUS(job.status));
}

static void close_all(void)
{
    if (job.command >= 0)
        close(job.command);
    if (job.null >= 0)
        close(job.null);
    if (job.messages >= 0)
        close(job.messages);
}

static void set_arguments(struct wick_convert *c)
{
    size_t n = 0;
    job.argv[n++] = "wick";
    job.argv[n++] = "convert";
    job.argv[n++] = "-o";
    job.argv[n++] = c->file;
    if (c->compat) {
        job.argv[n++] = "--compat";
        job.argv[n++] = "--to=jfr";
    } else if (c->threads) {
        job.argv[n++] = "-t";
    }
    job.argv[n++] = "--";
    job.argv[n++] = c->recording;
    job.argv[n] = NULL;
}

int wick_stop_convert_finish(struct wick_convert *c, struct wick_err *err)
{
    char reason[256] = "the command `wick` is not beside libwick.so";
    if (!c->file[0])
        return 0;
    int error = ENOENT;
    set_arguments(c);
    job.command = open_command();
    job.null = open("/dev/null", O_RDWR | O_CLOEXEC);
    job.messages = memfd_create("wick-convert", MFD_CLOEXEC);
    if (job.command >= 0 && (error = run()) != 0)
        snprintf(reason, sizeof reason, "the command `wick` did not start: %s", strerror(error));
    else if (job.command >= 0 && (job.status || job.late))
        read_reason(reason, sizeof reason);
    bool done = !error && !job.status && !job.late;
    if (done)
        unlinkat(AT_FDCWD, c->recording, 0);
    else
        wick_err_set(err, WICK_E_IO, "%.300s was not made (%s); the recording is in %.300s: run `wick convert`",
                     c->file, reason, c->recording);
    close_all();
    c->file[0] = 0;
    return done ? 0 : -WICK_E_IO;
}
