/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/PID/status is "Key:\tvalue" lines; the order of lines differs between kernels, so every line is identified by
 * name. NSpid lists the pid in every nested pid namespace, outermost (ours) first: the last is the number the process
 * itself knows, which names the JVM's attach files.
 */
#include "sys/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILE_MAX ((size_t)64 << 20)

static int errno_to_code(int e)
{
    switch (e) {
    case ENOENT:
    case ESRCH:
        return -WICK_E_GONE;
    case EACCES:
    case EPERM:
        return -WICK_E_PERM;
    default:
        return -WICK_E_IO;
    }
}

int wick_proc_read_at(int dirfd, const char *path, struct wick_strbuf *out)
{
    int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return errno_to_code(errno);
    int rc = 0;
    while (!rc) {
        if (wick_strbuf_grow(out, 16384)) {
            rc = -WICK_E_NOMEM;
            break;
        }
        ssize_t n = read(fd, out->buf + out->len, 16384);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            rc = errno_to_code(errno);
        if (n <= 0)
            break;
        out->len += (size_t)n;
        out->buf[out->len] = 0;
        if (out->len > FILE_MAX)
            rc = -WICK_E_LIMIT;
    }
    close(fd);
    return rc;
}

int wick_proc_read(const struct wick_proc *p, const char *name, struct wick_strbuf *out)
{
    return wick_proc_read_at(p->dir, name, out);
}

bool wick_proc_number(const char *path, long *value)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    bool ok = !wick_proc_read_at(AT_FDCWD, path, &sb);
    if (ok) {
        char *end;
        long number = strtol(sb.buf, &end, 10);
        ok = end != sb.buf;
        *value = ok ? number : *value;
    }
    wick_strbuf_release(&sb);
    return ok;
}

bool wick_proc_open_files(const struct wick_proc *p, uint64_t *limit)
{
    static const char name[] = "Max open files";
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    unsigned long long soft;
    const char *line = wick_proc_read(p, "limits", &sb) ? NULL : strstr(sb.buf, name);
    bool ok = line && sscanf(line + sizeof name - 1, "%llu", &soft) == 1;
    *limit = ok ? soft : *limit;
    wick_strbuf_release(&sb);
    return ok;
}

/* The value of "key:" if the line [p,end) is that line. */
static const char *value_of(const char *p, const char *end, const char *key)
{
    size_t n = strlen(key);
    if ((size_t)(end - p) <= n || memcmp(p, key, n) || p[n] != ':')
        return NULL;
    for (p += n + 1; p < end && (*p == ' ' || *p == '\t'); p++)
        ;
    return p;
}

/* Decimal numbers separated by blanks; returns how many were read. */
static int numbers(const char *p, const char *end, unsigned long *out, int max)
{
    int n = 0;
    while (n < max) {
        while (p < end && (*p == ' ' || *p == '\t'))
            p++;
        if (p == end || *p < '0' || *p > '9')
            break;
        unsigned long v = 0;
        for (; p < end && *p >= '0' && *p <= '9'; p++)
            v = v * 10 + (unsigned long)(*p - '0');
        out[n++] = v;
    }
    return n;
}

static uint64_t hex(const char *p, const char *end)
{
    uint64_t v = 0;
    for (; p < end; p++) {
        unsigned d = *p >= '0' && *p <= '9' ? (unsigned)(*p - '0') : (unsigned)((*p | 0x20) - 'a' + 10);
        if (d > 15)
            break;
        v = v << 4 | d;
    }
    return v;
}

enum { SEEN_STATE = 1, SEEN_TGID = 2, SEEN_UID = 4, SEEN_GID = 8, SEEN_CAUGHT = 16, SEEN_ALL = 31 };

static int parse_status_ids(const char *p, const char *end, struct wick_proc_status *st)
{
    unsigned long v[WICK_PROC_GROUPS];
    const char *s;
    if ((s = value_of(p, end, "Tgid")) && numbers(s, end, v, 1) == 1) {
        st->tgid = (pid_t)v[0];
        return SEEN_TGID;
    }
    if ((s = value_of(p, end, "NSpid"))) {
        st->pid_depth = numbers(s, end, v, 64);
        if (st->pid_depth)
            st->nspid = (pid_t)v[st->pid_depth - 1];
        return 0;
    }
    if ((s = value_of(p, end, "Uid")) && numbers(s, end, v, 2) == 2) {
        st->ruid = (uid_t)v[0];
        st->euid = (uid_t)v[1];
        return SEEN_UID;
    }
    if ((s = value_of(p, end, "Gid")) && numbers(s, end, v, 2) == 2) {
        st->egid = (gid_t)v[1];
        return SEEN_GID;
    }
    if ((s = value_of(p, end, "Groups"))) {
        st->ngroups = numbers(s, end, v, WICK_PROC_GROUPS);
        for (int i = 0; i < st->ngroups; i++)
            st->groups[i] = (gid_t)v[i];
    }
    return 0;
}

static int parse_status_line(const char *p, const char *end, struct wick_proc_status *st)
{
    unsigned long v;
    const char *s;
    if ((s = value_of(p, end, "Name"))) {
        snprintf(st->comm, sizeof st->comm, "%.*s", (int)(end - s), s);
        return 0;
    }
    if ((s = value_of(p, end, "State")) && s < end) {
        st->state = *s;
        return SEEN_STATE;
    }
    if ((s = value_of(p, end, "SigCgt"))) {
        st->sig_caught = hex(s, end);
        return SEEN_CAUGHT;
    }
    if ((s = value_of(p, end, "SigIgn")))
        st->sig_ignored = hex(s, end);
    else if ((s = value_of(p, end, "CapEff")))
        st->cap_effective = hex(s, end);
    else if ((s = value_of(p, end, "Threads")) && numbers(s, end, &v, 1) == 1)
        st->threads = (int)v;
    else if ((s = value_of(p, end, "Seccomp")) && numbers(s, end, &v, 1) == 1)
        st->seccomp = (int)v;
    return parse_status_ids(p, end, st);
}

int wick_proc_parse_status(const char *text, size_t len, struct wick_proc_status *st)
{
    struct wick_proc_status r = {.seccomp = -1};
    const char *p = text, *stop = text + len;
    int seen = 0;
    while (p < stop) {
        const char *nl = memchr(p, '\n', (size_t)(stop - p)), *end = nl ? nl : stop;
        seen |= parse_status_line(p, end, &r);
        p = nl ? nl + 1 : stop;
    }
    if (seen != SEEN_ALL)
        return -WICK_E_FORMAT;
    if (!r.pid_depth) { /* kernels before 4.1 have no NSpid */
        r.nspid = r.tgid;
        r.pid_depth = 1;
    }
    *st = r;
    return 0;
}

int wick_proc_refresh(struct wick_proc *p, struct wick_err *err)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    int rc = wick_proc_read(p, "status", &sb);
    if (!rc)
        rc = wick_proc_parse_status(sb.buf, sb.len, &p->st);
    wick_strbuf_release(&sb);
    if (rc == -WICK_E_GONE)
        return wick_err_set(err, WICK_E_GONE, "process %d has ended", (int)p->pid);
    if (rc)
        return wick_err_set(err, (enum wick_code) - rc, "cannot read /proc/%d/status: %s", (int)p->pid,
                            wick_err_text(rc));
    return 0;
}

int wick_proc_open(pid_t pid, struct wick_proc *out, struct wick_err *err)
{
    char path[32];
    struct wick_proc p = {.pid = pid, .pidfd = -1};
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    p.dir = pid > 0 ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (p.dir < 0)
        return wick_err_set(err, WICK_E_NOTFOUND, "there is no process %d: `wick ps` lists the JVMs", (int)pid);
    p.pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    /* status is read after pidfd_open: if the pid had been reused in between, the directory would be dead. */
    int rc = wick_proc_refresh(&p, err);
    if (!rc && p.st.tgid != pid)
        rc = wick_err_set(err, WICK_E_NOTFOUND, "%d is a thread of process %d: give the process id", (int)pid,
                          (int)p.st.tgid);
    if (rc) {
        wick_proc_close(&p);
        return rc;
    }
    *out = p;
    return 0;
}

void wick_proc_close(struct wick_proc *p)
{
    if (p->dir >= 0)
        close(p->dir);
    if (p->pidfd >= 0)
        close(p->pidfd);
    p->dir = p->pidfd = -1;
}

bool wick_proc_gone(const struct wick_proc *p)
{
    if (p->pidfd >= 0) {
        struct pollfd f = {.fd = p->pidfd, .events = POLLIN};
        return poll(&f, 1, 0) > 0;
    }
    struct wick_proc copy = *p;
    return wick_proc_refresh(&copy, NULL) || copy.st.state == 'Z' || copy.st.state == 'X';
}

int wick_proc_kill(const struct wick_proc *p, int sig)
{
    int r = p->pidfd >= 0 ? (int)syscall(SYS_pidfd_send_signal, p->pidfd, sig, NULL, 0) : kill(p->pid, sig);
    return r ? errno_to_code(errno) : 0;
}

bool wick_proc_find_mapped(const char *maps, size_t len, const char *base, char *path, size_t cap)
{
    const char *p = maps, *stop = maps + len;
    size_t base_len = strlen(base);
    while (p < stop) {
        const char *nl = memchr(p, '\n', (size_t)(stop - p)), *end = nl ? nl : stop;
        const char *file = memchr(p, '/', (size_t)(end - p));
        p = nl ? nl + 1 : stop;
        if (!file)
            continue;
        static const char deleted[] = " (deleted)";
        size_t n = (size_t)(end - file), d = sizeof deleted - 1;
        if (n > d && !memcmp(end - d, deleted, d))
            n -= d;
        if (n <= base_len || n >= cap || memcmp(file + n - base_len, base, base_len) || file[n - base_len - 1] != '/')
            continue;
        memcpy(path, file, n);
        path[n] = 0;
        return true;
    }
    return false;
}
