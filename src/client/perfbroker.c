/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tid in a request is what the target calls its thread. In another pid namespace our number differs: the thread is
 * found in /proc/PID/task by the last number of its NSpid line. Thread ids are reused, so after the event is open
 * the thread must still be the target's; else somebody else's thread may have been hit and the event is closed.
 */
#include "client/perfbroker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/broker.h"
#include "sys/ns.h"
#include "sys/sock.h"

static bool is_thread_of(const struct wick_proc *p, pid_t tid)
{
    char path[32];
    struct stat st;
    snprintf(path, sizeof path, "task/%d", (int)tid);
    return !fstatat(p->dir, path, &st, 0);
}

static pid_t nstid_of(const struct wick_proc *p, const char *task)
{
    char path[64];
    struct wick_proc_status st;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    snprintf(path, sizeof path, "task/%.20s/status", task);
    bool ok = !wick_proc_read(p, path, &sb) && !wick_proc_parse_status(sb.buf, sb.len, &st);
    wick_strbuf_release(&sb);
    return ok ? st.nspid : 0;
}

/* Finds the thread that process p knows as nstid; returns its id in our pid namespace, 0 if p has none. */
static pid_t our_tid(const struct wick_proc *p, pid_t nstid)
{
    if (p->st.pid_depth <= 1)
        return is_thread_of(p, nstid) ? nstid : 0;
    int fd = openat(p->dir, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    pid_t found = 0;
    for (struct dirent *e; dir && !found && (e = readdir(dir));)
        if (e->d_name[0] != '.' && nstid_of(p, e->d_name) == nstid)
            found = (pid_t)atoi(e->d_name);
    if (dir)
        closedir(dir);
    return found;
}

/* The event's descriptor or -WICK_E_*. */
static int open_event(const struct wick_proc *p, struct perf_event_attr *attr, pid_t nstid)
{
    pid_t tid = our_tid(p, nstid);
    if (!tid)
        return -WICK_E_NOTFOUND;
    int fd = (int)syscall(SYS_perf_event_open, attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return errno == EACCES || errno == EPERM    ? -WICK_E_PERM
               : errno == ESRCH                     ? -WICK_E_NOTFOUND
               : errno == EMFILE || errno == ENFILE ? -WICK_E_LIMIT
                                                    : -WICK_E_UNSUPPORTED;
    if (!is_thread_of(p, tid) || wick_proc_gone(p)) {
        close(fd);
        return -WICK_E_NOTFOUND;
    }
    return fd;
}

/* The target's status is the one read when it was opened: a process that runs a set-user-ID program later gains
 * capabilities, and what it left behind would ask in its name. */
static bool sees_kernel(const struct wick_proc *p)
{
    const uint64_t perfmon = (uint64_t)1 << CAP_PERFMON | (uint64_t)1 << CAP_SYS_ADMIN;
    const struct wick_broker_asker a = {.perfmon = (p->st.cap_effective & perfmon) && wick_ns_same(p, "user") == 1,
                                        .seccomp = p->st.seccomp != 0};
    long paranoid = LONG_MAX, restricted = LONG_MAX; /* where they cannot be read, nothing is allowed */
    (void)wick_proc_number("/proc/sys/kernel/perf_event_paranoid", &paranoid);
    (void)wick_proc_number("/proc/sys/kernel/kptr_restrict", &restricted);
    return wick_broker_sees_kernel(&a, paranoid, restricted);
}

/* Opens the event that is asked for: its descriptor or -WICK_E_*. */
static int serve_event(const void *packet, size_t n, const struct wick_proc *p)
{
    struct perf_event_attr attr;
    struct wick_broker_request r;
    int event = wick_broker_check(packet, n, &attr, NULL);
    if (event)
        return event;
    memcpy(&r, packet, sizeof r);
    if (!sees_kernel(p) && (event = wick_broker_check_addresses(&attr, NULL)))
        return event;
    return open_event(p, &attr, r.tid);
}

bool wick_perfbroker_serve(int fd, const struct wick_proc *p, struct wick_rotation *files)
{
    struct wick_broker_request r = {0};
    struct wick_broker_take t;
    ssize_t n = wick_sock_recv(fd, &r, sizeof r, NULL, 0, NULL, MSG_DONTWAIT);
    if (n == -WICK_E_TIMEOUT)
        return true;
    if (n <= 0)
        return false;
    int code = 0, event = -1;
    memcpy(&t, &r, sizeof t);
    if (n == sizeof t && t.magic == WICK_BROKER_TAKE_MAGIC)
        code = files ? wick_rotation_take(files, t.end, wick_clock_mono_ns()) : -WICK_E_PERM;
    else
        code = event = serve_event(&r, (size_t)n, p);
    struct wick_broker_reply reply = {WICK_BROKER_MAGIC, n >= (ssize_t)sizeof t ? r.seq : 0, code < 0 ? code : 0};
    int rc = wick_sock_send(fd, &reply, sizeof reply, &event, event >= 0, MSG_DONTWAIT);
    if (event >= 0)
        close(event);
    return !rc;
}
