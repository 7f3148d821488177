/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/thread/thread_look.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "jfr/writer/writer.h"
#include "record/wait_state.h"
#include "sys/whole.h"

/* The type of an open file, as this machine knows it: a server of files is not asked, which may take as long as the
 * call that is looked into. False: there is none. */
static bool mode_of(int fd, mode_t *mode)
{
    struct stat st;
#ifdef SYS_statx
    struct statx now;
    if (!syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &now)) {
        *mode = now.stx_mode;
        return true;
    }
#endif
    if (fstat(fd, &st))
        return false;
    *mode = st.st_mode;
    return true;
}

/* A call on a descriptor: what kind of file is it? It is our own, so its number means the same here. */
static uint8_t wait_for_file(uint64_t fd, bool *socket)
{
    mode_t mode;
    if (fd > INT32_MAX || !mode_of((int)fd, &mode))
        return WICK_JFR_STATE_IO;
    *socket = S_ISSOCK(mode);
    return S_ISREG(mode) || S_ISBLK(mode) || S_ISDIR(mode) ? WICK_JFR_STATE_DISK : WICK_JFR_STATE_IO;
}

static bool is_poll(long nr)
{
#ifdef SYS_poll
    if (nr == SYS_poll)
        return true;
#endif
    return nr == SYS_ppoll;
}

/* Whether it is a call on an open file that state_call does not leave to the kind of file. */
static bool is_on_file(long nr)
{
    return nr == SYS_fsync || nr == SYS_fdatasync || nr == SYS_fallocate || nr == SYS_ftruncate;
}

/* The process that waitpid() waits for the end of; 0 = any, or none. */
static int32_t awaited_child(long nr, const uint64_t *args)
{
    int64_t pid = nr == SYS_wait4 ? (int32_t)args[0] : nr == SYS_waitid && args[0] == P_PID ? (int32_t)args[1] : 0;
    return pid > 0 ? (int32_t)pid : 0;
}

/* Of a socket: it waits for what poll would call room. sendfile writes to its first argument. */
static bool is_write(long nr)
{
    return nr == SYS_connect || nr == SYS_write || nr == SYS_writev || nr == SYS_sendfile || nr == SYS_sendto ||
           nr == SYS_sendmsg;
}

static void set_wait(struct wick_thread_look *out, long nr, const uint64_t *args)
{
    unsigned state = wick_wait_state_call(nr);
    bool message = nr == SYS_recvfrom || nr == SYS_recvmsg || nr == SYS_sendto || nr == SYS_sendmsg;
    bool socket = message || nr == SYS_connect, transfers = socket || nr == SYS_read || nr == SYS_readv || is_write(nr);
    out->state = state ? (uint8_t)state : wait_for_file(args[0], &socket);
    out->socket = socket && transfers && args[0] <= INT32_MAX ? (int32_t)args[0] : -1;
    out->sends = is_write(nr);
    out->polled = is_poll(nr) && args[1] == 1 ? args[0] : 0;
    out->child = awaited_child(nr, args);
    bool file = out->state == WICK_JFR_STATE_DISK && (!state || is_on_file(nr));
    out->file = file && args[0] <= INT32_MAX ? (int32_t)args[0] : -1;
}

/* "running", or "NR A0 A1 A2 A3 A4 A5 SP PC", or "-1 SP PC" (fs/proc/base.c: proc_pid_syscall). */
enum wick_thread_seen wick_thread_look_parse(const char *text, struct wick_thread_look *out)
{
    uint64_t v[9] = {0};
    char *p;
    int n = 0;
    if (!strncmp(text, "running", 7))
        return WICK_THREAD_READY;
    long nr = strtol(text, &p, 10);
    if (p == text)
        return WICK_THREAD_GONE;
    for (char *end; n < 8; n++, p = end) {
        v[n] = strtoull(p, &end, 16);
        if (end == p)
            break;
    }
    if (n != (nr == -1 ? 2 : 8))
        return WICK_THREAD_GONE;
    *out = (struct wick_thread_look){.sp = v[n - 2], .pc = v[n - 1]};
    set_wait(out, nr, v);
    return WICK_THREAD_WAITS;
}

enum wick_thread_seen wick_thread_look(struct wick_thread_files *files, int32_t tid, struct wick_thread_look *out)
{
    char buf[256];
    for (int i = 0; i < 2; i++) {
        ssize_t n = wick_thread_files_read(files, tid, WICK_THREAD_FILE_SYSCALL, buf, sizeof buf);
        enum wick_thread_seen seen = n > 0 ? wick_thread_look_parse(buf, out) : WICK_THREAD_GONE;
        if (n <= 0 || seen != WICK_THREAD_GONE)
            return seen;
        wick_thread_files_forget(files, tid); /* it is another file */
    }
    return WICK_THREAD_GONE;
}

static bool parse_sched(const char *text, struct wick_thread_sched *out)
{
    uint64_t v[3];
    char *end;
    for (int i = 0; i < 3; i++, text = end) {
        v[i] = strtoull(text, &end, 10);
        if (end == text)
            return false;
    }
    *out = (struct wick_thread_sched){v[0], v[1], v[2]};
    return true;
}

int wick_thread_sched(struct wick_thread_files *files, int32_t tid, struct wick_thread_sched *out)
{
    char buf[96];
    for (int i = 0; i < 2 && wick_thread_files_read(files, tid, WICK_THREAD_FILE_SCHEDSTAT, buf, sizeof buf) > 0; i++) {
        if (parse_sched(buf, out))
            return 0;
        wick_thread_files_forget(files, tid); /* it is another file */
    }
    return -WICK_E_NOTFOUND;
}

bool wick_thread_look_blocks(int tasks, int32_t tid, int signal)
{
    static const char key[] = "\nSigBlk:";
    char path[48], buf[16384]; /* a user may be in a thousand groups, which stand before it */
    snprintf(path, sizeof path, "%d/status", tid);
    if (wick_whole_text_at(tasks, path, buf, sizeof buf) <= 0)
        return false;
    const char *at = strstr(buf, key);
    return !at || strtoull(at + sizeof key - 1, NULL, 16) >> (signal - 1) & 1;
}

uint64_t wick_thread_look_cpu_ns(int32_t tid)
{
    struct timespec t;
    if (clock_gettime(wick_clock_of_thread(tid), &t))
        return 0;
    uint64_t ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    return ns ? ns : 1;
}
